//! Builders of hierarchies (D4): top-down by halves, and by octants.

mod halves;
mod octant;

use super::{Plan, region_merge};
use crate::Surface;
use crate::volume::VolumeKind;
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

/// How triangles are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Build {
    /// By halves in texture space [provot1997, §2.1]: neighbours in the cloth stay neighbours in the
    /// tree however it moves. Cloths are told apart before anything else.
    #[default]
    TextureSpace,
    /// By halves in space, across the direction in which the volume is longest, as in the
    /// tutorial's part by Mezger [eg2004garments].
    LongestAxis,
    /// By octants of a node's box, until a node has fewer than eight triangles (paper A §5).
    Octant,
    /// Bottom-up, by merging neighbours to round regions (Volino and Magnenat-Thalmann in
    /// [eg2004garments]).
    RegionMerge,
}

impl Build {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::TextureSpace, Self::LongestAxis, Self::Octant, Self::RegionMerge];

    /// Groups the triangles of a surface, down to leaves of at most `leaf`. Octants stop at seven
    /// by themselves.
    ///
    /// # Panics
    ///
    /// If `rest` is not of this surface.
    pub fn plan(self, surface: &Surface, rest: Rest<'_>, volume: VolumeKind, leaf: usize) -> Plan {
        let n = surface.triangles.len();
        assert_eq!(rest.x.len(), surface.vertices, "one position for each vertex");
        assert_eq!((rest.keys.len(), rest.piece.len()), (n, n), "a key for each triangle");
        match self {
            Self::TextureSpace => halves::in_texture_space(rest.keys, rest.piece, leaf),
            Self::LongestAxis => halves::in_space(surface, rest.x, volume.directions(), leaf),
            Self::Octant => octant::octants(&centres(surface, rest.x)).merge_leaves(leaf),
            Self::RegionMerge => region_merge(surface, rest.x).merge_leaves(leaf),
        }
    }
}

/// The shape a hierarchy is built for.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a> {
    /// Positions of the vertices [m].
    pub x: &'a [DVec3],
    /// Centres of the triangles in material coordinates, third coordinate zero [m]; a body without
    /// material coordinates gives them in space.
    pub keys: &'a [DVec3],
    /// The cloth each triangle belongs to.
    pub piece: &'a [u32],
    /// Material coordinates of the triangles' corners [m]; none for a body.
    pub uv: &'a [[DVec2; 3]],
}

/// Centres of the triangles.
pub(crate) fn centres(surface: &Surface, x: &[DVec3]) -> Vec<DVec3> {
    let centre = |t: &[u32; 3]| t.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0;
    surface.triangles.iter().map(centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};
    use toile_mesh::{Topology, TriMesh};

    fn surface(mesh: &TriMesh) -> Surface {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        Surface::new(mesh.positions.len(), &mesh.triangles, &topology)
    }

    fn plan(build: Build, mesh: &TriMesh, leaf: usize) -> Plan {
        let s = surface(mesh);
        let keys = centres(&s, &mesh.positions);
        let piece = vec![0; keys.len()];
        let rest = Rest { x: &mesh.positions, keys: &keys, piece: &piece, uv: &[] };
        build.plan(&s, rest, VolumeKind::Dop18, leaf)
    }

    #[test]
    fn every_builder_makes_a_valid_plan() {
        let sheet = grid(1.0, 1.0, 16, 16, Diagonals::Alternating);
        let mut same = sheet.clone();
        same.positions.fill(DVec3::ONE);
        let mut uneven = sheet.clone();
        for (i, p) in uneven.positions.iter_mut().enumerate() {
            *p *= f64::powi(0.5, i as i32);
        }
        let none = TriMesh { triangles: Vec::new(), ..sheet.clone() };
        let one = TriMesh { triangles: sheet.triangles[..1].to_vec(), ..sheet.clone() };
        for build in Build::ALL {
            for mesh in [&sheet, &same, &uneven, &none, &one] {
                for leaf in [1, 8] {
                    let plan = plan(build, mesh, leaf);
                    plan.validate(mesh.triangles.len()).unwrap();
                    let most = if build == Build::Octant { leaf.max(7) } else { leaf };
                    let leaves = plan.nodes.iter().filter(|n| n.size == 1);
                    assert!(leaves.map(|n| n.count as usize).all(|n| n <= most), "{build:?}");
                }
            }
        }
    }

    #[test]
    fn halving_makes_a_tree_of_logarithmic_depth() {
        let mesh = grid(1.0, 1.0, 16, 16, Diagonals::Alternating);
        for build in [Build::TextureSpace, Build::LongestAxis] {
            let plan = plan(build, &mesh, 1);
            assert_eq!((plan.nodes.len(), plan.depth()), (1023, 10));
        }
    }

    #[test]
    fn octants_of_a_flat_sheet_are_its_quarters() {
        let plan = plan(Build::Octant, &grid(1.0, 1.0, 16, 16, Diagonals::Alternating), 1);
        let quarters: Vec<u32> = plan.children(0).map(|i| plan.nodes[i].count).collect();
        assert_eq!(quarters, [128; 4]);
    }

    #[test]
    fn two_sheets_are_parted_first_and_are_no_patch_together() {
        let mut mesh = grid(1.0, 1.0, 4, 4, Diagonals::Alternating);
        mesh.append(&mesh.clone());
        let piece: Vec<u32> = (0..64).map(|t| t / 32).collect();
        let s = surface(&mesh);
        let keys: Vec<DVec3> = (0..64).map(|t| DVec3::splat(f64::from(t % 7))).collect();
        let rest = Rest { x: &mesh.positions, keys: &keys, piece: &piece, uv: &[] };
        let plan = Build::TextureSpace.plan(&s, rest, VolumeKind::Aabb, 1);
        assert!(!crate::tree::patch::patches(&s, &plan)[0]);
        assert_eq!((plan.nodes[1].size, plan.nodes[64].size), (63, 63));
    }
}
