//! Sheets in contact, for tests of the solver.

use super::{Barrier, ContactSetup, Law, Rule, Solver};
use crate::fabric::Fabric;
use crate::model::{Cloth, Model};
use crate::sheet::{Bend, Sheet, Stretch};
use glam::DVec3;
use toile_mesh::shape::{Diagonals, grid};

pub(super) const THICKNESS: f64 = 5e-4;
const GAP: f64 = 5e-4;
/// Cells along a side, and vertices of a sheet.
const CELLS: usize = 6;
pub(super) const EACH: usize = (CELLS + 1) * (CELLS + 1);

/// Three sheets: one, one close above it, and one far from both.
pub(super) fn sheets(law: Law) -> (Solver, Vec<DVec3>) {
    sheets_of(&Fabric { thickness: THICKNESS, ..Fabric::default() }, law, Rule::default())
}

/// The same of another fabric and with another rule.
pub(super) fn sheets_of(fabric: &Fabric, law: Law, rule: Rule) -> (Solver, Vec<DVec3>) {
    let at = |to: DVec3| {
        let mut mesh = grid(0.3, 0.3, CELLS, CELLS, Diagonals::Alternating);
        mesh.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, 0.0, p.y + p.z) + to);
        let fabric = fabric.clone();
        let grid = Some([CELLS, CELLS]);
        Cloth { name: "sheet".into(), mesh, grid, fabric, pieces: Vec::new() }
    };
    // Shifted by a third of a cell, so that the middle is above a face.
    let above = DVec3::new(0.017, THICKNESS + GAP, 0.011);
    let cloths = vec![at(DVec3::ZERO), at(above), at(DVec3::Y)];
    let sheet = Sheet::dissipative(&cloths, Stretch::Stvk, Bend::Morley, None).unwrap();
    let model = Model::new(cloths.clone(), None).unwrap();
    let tree = toile_collide::Options::default();
    let setup = ContactSetup { thickness: THICKNESS, self_contact: true, tree };
    let settings = Barrier { law, rule, ..Barrier::default() };
    let solver = Solver::new(settings, sheet, &cloths, &model, vec![], &setup).unwrap();
    let x = model.mesh.positions;
    (solver, x)
}
