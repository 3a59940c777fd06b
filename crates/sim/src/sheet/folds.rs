//! Friction of bending as a group of elements: in the matrix, one for each inner edge.

use super::group::{CHUNK, Group, Rows};
use crate::element::bending_friction::{BendingFriction, EdgeMoment};
use crate::element::definite::{outer, single_outer};
use crate::linear::{Block, Builder, Error};
use glam::{DMat3, DVec3, Mat3A};
use rayon::prelude::*;

impl Group for BendingFriction {
    fn len(&self) -> usize {
        self.edges().len()
    }

    fn width(&self) -> usize {
        4
    }

    fn stencils(&self, sink: &mut dyn FnMut(u32)) {
        self.edges().iter().flat_map(|e| e.vertices).for_each(sink);
    }

    fn add_to(&self, builder: Builder, first: u32) -> Result<Builder, Error> {
        let stencils: Vec<[u32; 4]> =
            self.edges().iter().map(|e| e.vertices.map(|v| v + first)).collect();
        builder.with_elements(&stencils)
    }

    /// Chunks are summed by themselves, then in order.
    fn energy(&self, x: &[DVec3]) -> f64 {
        let n = self.triangles();
        let chunk = |c: usize| -> f64 {
            (c * CHUNK..n.min((c + 1) * CHUNK)).map(|t| BendingFriction::energy(self, t, x)).sum()
        };
        let sums: Vec<f64> = (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
        sums.iter().sum()
    }

    fn gradient(&self, x: &[DVec3], out: &mut [DVec3]) {
        out.par_chunks_mut(4 * CHUNK).enumerate().for_each(|(c, out)| {
            for (k, out) in out.chunks_exact_mut(4).enumerate() {
                let EdgeMoment { moment, slopes, .. } = self.moment(c * CHUNK + k, x);
                out.copy_from_slice(&slopes.map(|s| s * moment));
            }
        });
    }

    fn add_rows(&self, x: &[DVec3], _: bool, rows: &mut Rows<'_, DMat3>) {
        add(self, x, rows, outer);
    }

    fn add_single_rows(&self, x: &[DVec3], rows: &mut Rows<'_, Mat3A>) {
        add(self, x, rows, |a, b| single_outer(a.as_vec3a(), b.as_vec3a()));
    }

    fn update_sliders(&mut self, x: &[DVec3]) -> f64 {
        BendingFriction::update_sliders(self, x)
    }

    fn slider_positions(&self) -> &[f64] {
        BendingFriction::slider_positions(self)
    }

    fn slider_positions_mut(&mut self) -> &mut [f64] {
        BendingFriction::slider_positions_mut(self)
    }
}

fn add<B: Block>(
    folds: &BendingFriction,
    x: &[DVec3],
    rows: &mut Rows<'_, B>,
    product: impl Fn(DVec3, DVec3) -> B,
) {
    for i in rows.scatter.of_chunk(rows.first) {
        let EdgeMoment { moment, stiffness, slopes } = folds.moment(*i as usize, x);
        let vertices = folds.edges()[*i as usize].vertices.map(|v| v + rows.offset);
        let chunk = (rows.first, &mut *rows.blocks);
        let block = |a: usize, b: usize| product(slopes[a] * stiffness, slopes[b]);
        rows.scatter.add::<4, B>(rows.pattern, *i as usize, vertices, chunk, block);
        rows.add_gradient(&vertices, slopes.map(|s| s * moment));
    }
}
