//! The atlas of the skin: every part of the cage laid flat, without overlap.
//!
//! A tube is cut open and unrolled, each ring a row as long as the ring, the rows as far apart as the rings: rows that only
//! grow upwards and columns that only grow sideways cannot overlap. A cap lies flat as it is. Charts are subdivided with the
//! cage, halving edges, and put on shelves in the unit square, all at one scale.

use glam::DVec2;
use toile_mesh::TriMesh;

/// Where the corners of a face of the cage are in its chart [m].
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    /// Which chart.
    pub(crate) chart: u32,
    /// A place for each corner.
    pub(crate) corners: Vec<DVec2>,
}

/// Space around a chart, as a share of the side of the square.
const MARGIN: f64 = 0.004;

/// The patches of the faces of a cage subdivided once, in the order of [`crate::cage::Cage::subdivided`].
fn subdivided(patches: &[Patch]) -> Vec<Patch> {
    let mut fine = Vec::with_capacity(4 * patches.len());
    for Patch { chart, corners } in patches {
        let n = corners.len();
        let centre = corners.iter().sum::<DVec2>() / n as f64;
        let mid = |i: usize| 0.5 * (corners[i % n] + corners[(i + 1) % n]);
        for i in 0..n {
            let corners = vec![corners[i], mid(i), centre, mid(i + n - 1)];
            fine.push(Patch { chart: *chart, corners });
        }
    }
    fine
}

/// Gives a mesh of a cage subdivided `levels` times its places in the atlas.
///
/// `faces` are those of the subdivided cage, of which the mesh has two triangles each, in order.
pub(crate) fn lay(mesh: &mut TriMesh, faces: &[Vec<u32>], patches: &[Patch], levels: usize) {
    let mut patches = packed(patches);
    for _ in 0..levels {
        patches = subdivided(&patches);
    }
    // A vertex has one place in each chart, but two where a tube was cut open.
    let mut corners: Vec<(u32, u32, [u64; 2], u32, u8)> = Vec::with_capacity(6 * faces.len());
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let (face, patch) = (&faces[t / 2], &patches[t / 2]);
        for (k, v) in triangle.iter().enumerate() {
            let at = face.iter().position(|w| w == v).unwrap_or(0);
            let bits = patch.corners[at].to_array().map(f64::to_bits);
            corners.push((*v, patch.chart, bits, t as u32, k as u8));
        }
    }
    corners.sort_unstable();
    mesh.uv_triangles = vec![[0; 3]; mesh.triangles.len()];
    let mut last = None;
    for (v, chart, bits, t, k) in corners {
        if last != Some((v, chart, bits)) {
            mesh.uv.push(DVec2::from_array(bits.map(f64::from_bits)));
            last = Some((v, chart, bits));
        }
        mesh.uv_triangles[t as usize][usize::from(k)] = mesh.uv.len() as u32 - 1;
    }
}

/// The patches with their charts on shelves in the unit square.
fn packed(patches: &[Patch]) -> Vec<Patch> {
    let count = patches.iter().map(|p| p.chart as usize + 1).max().unwrap_or(0);
    let mut bounds = vec![(DVec2::INFINITY, DVec2::NEG_INFINITY); count];
    for p in patches {
        let (lo, hi) = &mut bounds[p.chart as usize];
        for c in &p.corners {
            (*lo, *hi) = (lo.min(*c), hi.max(*c));
        }
    }
    let sizes: Vec<DVec2> = bounds.iter().map(|(lo, hi)| *hi - *lo).collect();
    // The largest scale at which the shelves fit.
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let scale = 0.5 * (low + high);
        if shelves(&sizes, scale).is_some() { low = scale } else { high = scale }
    }
    let places = shelves(&sizes, low).unwrap_or_default();
    let place = |p: &Patch| {
        let (at, lo) = (places[p.chart as usize], bounds[p.chart as usize].0);
        let corners = p.corners.iter().map(|c| at + low * (*c - lo)).collect();
        Patch { chart: p.chart, corners }
    };
    patches.iter().map(place).collect()
}

/// Lower left corners of charts on shelves, the tallest first, or nothing if they do not fit.
fn shelves(sizes: &[DVec2], scale: f64) -> Option<Vec<DVec2>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|a, b| sizes[*b].y.total_cmp(&sizes[*a].y).then(a.cmp(b)));
    let mut places = vec![DVec2::ZERO; sizes.len()];
    let (mut x, mut y, mut shelf) = (MARGIN, MARGIN, 0.0_f64);
    for i in order {
        let size = scale * sizes[i];
        if x + size.x + MARGIN > 1.0 {
            (x, y, shelf) = (MARGIN, y + shelf + MARGIN, 0.0);
        }
        if x + size.x + MARGIN > 1.0 || y + size.y + MARGIN > 1.0 {
            return None;
        }
        places[i] = DVec2::new(x, y);
        x += size.x + MARGIN;
        shelf = shelf.max(size.y);
    }
    Some(places)
}
