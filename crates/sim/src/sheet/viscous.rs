//! The viscosity of whole cloths during a step.

use super::group::{Group, Many, Rows, Source};
use super::{Chunks, part};
use crate::element::Triangle;
use crate::element::viscosity::Viscous;
use crate::error::Error;
use crate::linear::single::Matrix;
use crate::linear::{Block, BlockCsr, Pattern, ScatterMap};
use crate::model::Cloth;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Where the rate of strain of a triangle is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBase {
    /// Ē: Green strain (e11, e22, 2 e12).
    pub strain: [f64; 3],
    /// γ: the time since then [s].
    pub time: f64,
}

/// Viscous triangles in a step.
#[derive(Debug)]
struct Triangles {
    rest: Vec<Triangle>,
    /// Viscosities of the fabrics [N·s/m], and of each triangle its number among them.
    viscosity: Vec<[[f64; 3]; 3]>,
    fabric: Vec<u32>,
    base: Vec<RateBase>,
}

impl Source<3> for Triangles {
    type Item<'a> = Viscous<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> Viscous<'_> {
        let RateBase { strain, time } = self.base[i];
        let moduli = self.viscosity[self.fabric[i] as usize].map(|row| row.map(|d| d / time));
        Viscous { rest: &self.rest[i], moduli, reference: strain }
    }
}

/// The dissipation potential `Σ γ ½ A ėᵀ D ė` of a step, of all triangles whose fabric is viscous.
#[derive(Debug)]
pub struct Viscosity {
    triangles: Many<3, Triangles>,
    pattern: Arc<Pattern>,
    scatter: ScatterMap,
}

impl Viscosity {
    /// That of cloths behind one another in the vector of positions, for matrices of the pattern of their elasticity; none if no
    /// fabric is viscous.
    ///
    /// # Errors
    /// If the pattern is another one.
    pub fn new(cloths: &[Cloth], pattern: &Arc<Pattern>) -> Result<Option<Self>, Error> {
        let mut all =
            Triangles { rest: vec![], viscosity: vec![], fabric: vec![], base: Vec::new() };
        let mut first = 0;
        for cloth in cloths {
            let mesh = part::material(cloth);
            for (range, fabric) in cloth.stretches() {
                if fabric.viscosity > 0.0 {
                    let own = range.filter_map(|t| {
                        let vertices = mesh.triangles[t].map(|v| v + first);
                        Triangle::new(vertices, mesh.corners_uv(t))
                    });
                    all.rest.extend(own);
                    all.fabric.resize(all.rest.len(), all.viscosity.len() as u32);
                    all.viscosity.push(fabric.viscous().matrix());
                }
            }
            first += mesh.positions.len() as u32;
        }
        if all.rest.is_empty() {
            return Ok(None);
        }
        all.base.resize(all.rest.len(), RateBase { strain: [0.0; 3], time: 1.0 });
        let stencils: Vec<u32> = all.rest.iter().flat_map(|t| t.vertices).collect();
        let scatter = ScatterMap::new(pattern, 3, &stencils)?;
        Ok(Some(Self { triangles: Many(all), pattern: Arc::clone(pattern), scatter }))
    }

    /// Begins a step, from which rates of strain are taken as `base` says.
    pub fn begin(&mut self, base: impl Fn(&Triangle) -> RateBase) {
        let Triangles { rest, base: all, .. } = &mut self.triangles.0;
        all.iter_mut().zip(rest).for_each(|(to, rest)| *to = base(rest));
    }

    /// Potential of a step to `x` [J].
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        self.triangles.energy(x)
    }

    /// Adds its gradient [N] and its semidefinite Hessian.
    pub fn add(&self, x: &[DVec3], g: &mut [DVec3], matrix: &mut Matrix) {
        let gradients = super::chunked(g, &matrix.chunks_mut());
        self.fill(matrix.chunks_mut(), gradients, |rows| self.triangles.add_single_rows(x, rows));
    }

    /// Adds its semidefinite Hessian in double precision.
    pub fn add_hessian(&self, x: &[DVec3], matrix: &mut BlockCsr) {
        let chunks = matrix.chunks_mut();
        let gradients = std::iter::repeat_with(|| None).take(chunks.len()).collect();
        self.fill(chunks, gradients, |rows| self.triangles.add_rows(x, true, rows));
    }

    /// Every row is summed by one thread, in the order of the triangles.
    fn fill<B: Block>(
        &self,
        chunks: Chunks<'_, B>,
        gradients: Vec<Option<&mut [DVec3]>>,
        add: impl Fn(&mut Rows<'_, B>) + Sync,
    ) {
        let (pattern, scatter) = (&*self.pattern, &self.scatter);
        chunks.into_par_iter().zip(gradients).for_each(|((first, blocks), gradient)| {
            add(&mut Rows { pattern, scatter, offset: 0, first, blocks, gradient });
        });
    }
}
