//! A piece of cloth in a test: what holds it, what loads it, and where it comes to rest.

use super::{Failure, Mesh, Model, Setup};
use glam::{DVec2, DVec3};
use toile_mesh::{Topology, TriMesh};
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Clamp, Sheet};
use toile_sim::statics::{Equilibrium, Statics};
use toile_sim::{Cloth, Fabric};

/// Two lengths that should be the same differ by less than this.
pub(super) const NEAR: f64 = 1e-9;

/// A piece of cloth.
#[derive(Clone, Debug)]
pub(super) struct Specimen {
    /// Mesh at rest and what it is made of.
    pub(super) cloth: Cloth,
    /// Where its vertices are.
    pub(super) x: Vec<DVec3>,
    /// Forces on them.
    pub(super) load: Vec<DVec3>,
    /// Vertices that are held; a later entry replaces an earlier one of the same vertex.
    pub(super) held: Vec<(u32, Constraint)>,
    /// Boundary edges that cannot turn.
    pub(super) clamps: Vec<Clamp>,
    model: Model,
}

impl Specimen {
    /// A free piece, put into space by `place`.
    pub(super) fn new(
        model: Model,
        mesh: (TriMesh, Option<[usize; 2]>),
        fabric: Fabric,
        place: impl Fn(DVec2) -> DVec3,
    ) -> Self {
        let (mut mesh, grid) = mesh;
        let x: Vec<DVec3> = mesh.uv.iter().map(|p| place(*p)).collect();
        mesh.positions.clone_from(&x);
        Self {
            load: vec![DVec3::ZERO; x.len()],
            cloth: Cloth { name: "specimen".into(), mesh, grid, fabric, pieces: Vec::new() },
            x,
            held: Vec::new(),
            clamps: Vec::new(),
            model,
        }
    }

    /// A strip along u from its clamp at u = 0 to its free end at `length`, centred in v.
    ///
    /// Only moments over edges know a clamp. For other models the two rows of vertices half a cell
    /// before and behind it are held, which makes the first angle that of a whole cell: without that their
    /// error would be of first order in the cell, and all of it the clamp's.
    pub(super) fn clamped_strip(
        setup: &Setup,
        [length, width]: [f64; 2],
        cells: [usize; 2],
        fabric: Fabric,
        place: impl Fn(DVec2) -> DVec3,
    ) -> Self {
        let tangent = place(DVec2::X) - place(DVec2::ZERO);
        let behind = match setup.model.bend {
            Bend::Morley => 0.0,
            _ => 0.5 * length / (cells[0] as f64 - 0.5),
        };
        let middle = 0.5 * (length - behind);
        let still = |p: DVec2| p.x + middle < behind + NEAR;
        let (mut mesh, grid) = setup.mesh.rectangle([length + behind, width], cells, still);
        for p in &mut mesh.uv {
            p.x += middle;
        }
        let mut strip = Self::new(setup.model, (mesh, grid), fabric, place);
        strip.hold(Constraint::Fixed, |p| p.x < behind + NEAR);
        if setup.model.bend == Bend::Morley {
            strip.clamp(|p| p.x < NEAR, |middle| middle - tangent);
        }
        strip
    }

    /// Numbers of the vertices at which `which` holds for the material coordinates.
    pub(super) fn vertices(&self, which: impl Fn(DVec2) -> bool) -> Vec<u32> {
        let uv = &self.cloth.mesh.uv;
        (0..uv.len() as u32).filter(|v| which(uv[*v as usize])).collect()
    }

    /// Holds vertices.
    pub(super) fn hold(&mut self, how: Constraint, which: impl Fn(DVec2) -> bool) {
        let vertices = self.vertices(which);
        self.held.extend(vertices.into_iter().map(|v| (v, how)));
    }

    /// Clamps the boundary edges between vertices at which `which` holds in planes through a point for
    /// each, given the middle of the edge.
    pub(super) fn clamp(&mut self, which: impl Fn(DVec2) -> bool, point: impl Fn(DVec3) -> DVec3) {
        let mesh = &self.cloth.mesh;
        let topology = Topology::new(mesh.uv.len(), &mesh.triangles);
        for edge in topology.edges.iter().filter(|e| e.is_boundary()) {
            if edge.vertices.into_iter().all(|v| which(mesh.uv[v as usize])) {
                let [a, b] = edge.vertices.map(|v| self.x[v as usize]);
                let point = point(0.5 * (a + b));
                self.clamps.push(Clamp { cloth: 0, edge: edge.vertices, point });
            }
        }
    }

    /// The area of each vertex: a third of its triangles'.
    pub(super) fn areas(&self) -> Vec<f64> {
        let mesh = &self.cloth.mesh;
        let mut areas = vec![0.0; mesh.uv.len()];
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let uv = mesh.corners_uv(t);
            let area = 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
            for v in triangle {
                areas[*v as usize] += area / 3.0;
            }
        }
        areas
    }

    /// Loads the whole piece with a force per area.
    pub(super) fn load(&mut self, per_area: DVec3) {
        self.load = self.areas().into_iter().map(|area| per_area * area).collect();
    }

    /// Its energy.
    pub(super) fn sheet(&self) -> Result<Sheet, Failure> {
        let cloths = std::slice::from_ref(&self.cloth);
        Ok(Sheet::new(cloths, self.model.stretch, self.model.bend, &self.clamps)?)
    }

    /// Lets it come to rest.
    pub(super) fn settle(&mut self, sheet: &mut Sheet) -> Result<(), Failure> {
        // Springs over two cells have no stiffness while they are flat, and creep.
        match self.model.bend {
            Bend::Springs => self.settle_to(1e-6, 3000, sheet),
            _ => self.settle_to(1e-10, 300, sheet),
        }
    }

    /// Lets it come to rest until no vertex moves further than a part of its size.
    pub(super) fn settle_to(
        &mut self,
        tolerance: f64,
        max_iterations: u32,
        sheet: &mut Sheet,
    ) -> Result<(), Failure> {
        let statics = Statics { tolerance, max_iterations };
        let mut solver = Equilibrium::new(statics, sheet)?;
        solver.settle(sheet, &self.load, &self.held, &mut self.x)?;
        Ok(())
    }

    /// Mean of the positions of some vertices.
    pub(super) fn mean(&self, vertices: &[u32]) -> DVec3 {
        let sum: DVec3 = vertices.iter().map(|v| self.x[*v as usize]).sum();
        sum / vertices.len().max(1) as f64
    }
}

/// An even fabric of bending rigidity 1, with a stiffness in the plane and a density. Poisson's
/// ratio is zero.
pub(super) fn fabric(stiffness: f64, density: f64) -> Fabric {
    with_poisson(stiffness, density, 0.0)
}

/// The same with Poisson's ratio ν in the plane and in bending: an isotropic plate of rigidity 1.
pub(super) fn with_poisson(stiffness: f64, density: f64, poisson: f64) -> Fabric {
    Fabric {
        density,
        weft: stiffness,
        warp: stiffness,
        poisson,
        shear: 0.5 * (1.0 - poisson) * stiffness,
        bend_weft: 1.0,
        bend_warp: 1.0,
        bend_poisson: poisson,
        bend_twist: None,
        weft_curve: Vec::new(),
        warp_curve: Vec::new(),
        shear_curve: Vec::new(),
        ..Fabric::default()
    }
}

/// The setups of all kinds of mesh.
pub(super) fn on_all_meshes(setup: &Setup) -> impl Iterator<Item = Setup> + use<'_> {
    Mesh::ALL.into_iter().map(|mesh| Setup { mesh, ..*setup })
}
