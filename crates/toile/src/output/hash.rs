//! FNV-1a, 64 bits: tells changed bytes from unchanged ones; it is no protection against intent.

use toile_mesh::TriMesh;

/// A hash of the bytes added so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fnv(pub(crate) u64);

impl Fnv {
    pub(crate) const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    /// A hash of the program: another version may step in other bits.
    pub(crate) fn of_program() -> Self {
        let mut hash = Self::NEW;
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash
    }

    /// Adds positions and triangles of a mesh.
    pub(crate) fn add_mesh(&mut self, mesh: &TriMesh) {
        for p in &mesh.positions {
            p.to_array().iter().for_each(|c| self.add(&c.to_bits().to_le_bytes()));
        }
        for v in mesh.triangles.iter().flatten() {
            self.add(&v.to_le_bytes());
        }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.add(s.as_bytes());
        Ok(())
    }
}
