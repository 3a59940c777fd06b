//! The elastic energy of whole cloths: the sum of their elements.
//!
//! [`Stretch`] and [`Bend`] choose the models in the plane and in bending; most go together with any
//! of the other side. A [`Sheet`] gives energy, gradient and Hessian over all vertices of a scene. Sums
//! run in the order of the elements, whatever the number of threads.
//!
//! With [`Bend::Morley`] the Hessian that is stored is that of hinges, near the true one, which
//! [`Sheet::apply_bending`] applies; see [`crate::element::morley::Moments`].

mod choice;
mod folds;
mod group;
mod part;
mod viscous;

pub use choice::{Bend, Stretch};
pub use group::{Group, Rows};
pub use viscous::{RateBase, Viscosity};

use crate::element::definite::outer;
use crate::element::morley::Moments;
use crate::error::Error;
use crate::linear::single::Matrix;
use crate::linear::{Block, BlockCsr, Builder, Pattern, ScatterMap};
use crate::model::Cloth;
use glam::{DMat3, DVec3, Mat3A};
use part::{Creases, Make, Part, Plane};
use rayon::prelude::*;
use std::sync::Arc;

/// Vertices in a task when contributions are gathered.
const CHUNK: usize = 1024;

/// The plane a boundary edge is clamped in, by its cloth and its two vertices there: a point the plane
/// goes through beside the edge [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Number of the cloth.
    pub cloth: u32,
    /// Ends of the edge, numbered within the cloth.
    pub edge: [u32; 2],
    /// A point of the plane behind the edge [m].
    pub point: DVec3,
}

/// All cloths of a scene as one elastic energy.
///
/// ```
/// use toile_mesh::shape;
/// use toile_sim::Cloth;
/// use toile_sim::sheet::{Bend, Sheet, Stretch};
///
/// let mesh = shape::grid(0.2, 0.2, 4, 4, shape::Diagonals::Alternating);
/// let rest = mesh.positions.clone();
/// let mut sheet = Sheet::new(&[Cloth::new("sheet", mesh)], Stretch::Stvk, Bend::Hinge, &[])?;
/// assert!(sheet.energy(&rest).abs() < 1e-15);
/// let stretched: Vec<_> = rest.iter().map(|p| *p * 1.01).collect();
/// assert!(sheet.energy(&stretched) > 0.0);
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Debug)]
pub struct Sheet {
    parts: Vec<Part>,
    pattern: Arc<Pattern>,
    /// Where the Hessians of elements go, group after group.
    scatter: Vec<ScatterMap>,
    vertices: usize,
    /// The limit of elongations, if there is one.
    max_elongation: Option<f64>,
    /// Memory for [`Self::gradient`], once it has been asked for.
    gather: Option<Gather>,
    /// Memory for [`Self::apply_bending`].
    moments: Vec<f64>,
}

impl Sheet {
    /// The energy of cloths that lie behind one another in the vector of positions.
    ///
    /// # Errors
    /// If a model needs a grid and a cloth is none, or its fabric has no such stiffness.
    pub fn new(
        cloths: &[Cloth],
        stretch: Stretch,
        bend: Bend,
        clamps: &[Clamp],
    ) -> Result<Self, Error> {
        let plane = Plane::Elastic(stretch);
        Self::of_parts(cloths, Make { plane, bend, loops: false }, clamps)
    }

    /// The same with the loops of shear and bending that the fabrics have: friction between threads, as the potential of one step
    /// from where the sliders are ([`crate::element::variable_slider`], [`crate::element::bending_friction`]). Call [`Sheet::update_sliders`] after each
    /// step. With an `elongation`, no cloth is stretched much farther than by that in any direction
    /// ([`crate::element::stvk::Limit`]).
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn dissipative(
        cloths: &[Cloth],
        stretch: Stretch,
        bend: Bend,
        elongation: Option<f64>,
    ) -> Result<Self, Error> {
        let plane = match elongation {
            Some(elongation) => Plane::Limited(stretch, elongation),
            None => Plane::Elastic(stretch),
        };
        Self::of_parts(cloths, Make { plane, bend, loops: true }, &[])
    }

    /// The same by [`Stretch::Stvk`], with the loops of the fabrics in the plane, those of tension too
    /// ([`crate::element::variable_slider`]).
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn with_loops(cloths: &[Cloth], bend: Bend, clamps: &[Clamp]) -> Result<Self, Error> {
        Self::of_parts(cloths, Make { plane: Plane::Friction, bend, loops: false }, clamps)
    }

    fn of_parts(cloths: &[Cloth], make: Make, clamps: &[Clamp]) -> Result<Self, Error> {
        let mut parts = Vec::with_capacity(cloths.len());
        let mut first = 0;
        for (number, cloth) in cloths.iter().enumerate() {
            let clamps: Vec<Clamp> =
                clamps.iter().filter(|c| c.cloth as usize == number).copied().collect();
            let part = Part::new(cloth, first, make, &clamps)?;
            first = part.range.end;
            parts.push(part);
        }
        let vertices = first;
        let builder = stencils_of(&parts, vertices)?;
        let pattern = builder.pattern()?;
        let scatter = builder.scatter(&pattern)?;
        let max_elongation = match make.plane {
            Plane::Limited(_, elongation) => Some(elongation),
            _ => None,
        };
        let (gather, moments) = (None, Vec::new());
        Ok(Self { parts, pattern, scatter, vertices, max_elongation, gather, moments })
    }

    /// The limit of elongations in any direction, if there is one.
    pub fn max_elongation(&self) -> Option<f64> {
        self.max_elongation
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Which vertices act on each other.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// A zero matrix of that pattern.
    pub fn matrix(&self) -> BlockCsr {
        BlockCsr::zeros(&self.pattern)
    }

    /// Whether bending has more to it than the stored Hessian says.
    pub fn has_moments(&self) -> bool {
        self.parts.iter().any(|p| p.moments.is_some())
    }

    /// Elastic energy [J].
    pub fn energy(&mut self, x: &[DVec3]) -> f64 {
        let mut m = Vec::new();
        self.parts.iter_mut().map(|p| p.energy(x, &mut m)).sum()
    }

    /// Elastic energy of each cloth [J].
    pub fn energies(&mut self, x: &[DVec3]) -> Vec<f64> {
        let mut m = Vec::new();
        self.parts.iter_mut().map(|p| p.energy(x, &mut m)).collect()
    }

    /// Its gradient [N]; the force is the negative. Returns the energy of the moments, if there are any.
    pub fn gradient(&mut self, x: &[DVec3], g: &mut [DVec3]) {
        let gather = self.gather.get_or_insert_with(|| Gather::new(&self.parts, self.vertices));
        let mut rest = gather.forces.as_mut_slice();
        for part in &self.parts {
            for group in &part.groups {
                let (own, others) = rest.split_at_mut(group.len() * group.width());
                group.gradient(&x[part.range.clone()], own);
                rest = others;
            }
        }
        let Gather { forces, offsets, sources } = &*gather;
        g.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(v, g)| {
            *g = DVec3::ZERO;
            for s in &sources[offsets[v] as usize..offsets[v + 1] as usize] {
                *g += forces[*s as usize];
            }
        });
        self.add_moments(x, g);
    }

    /// Adds the gradient of bending by moments.
    fn add_moments(&mut self, x: &[DVec3], g: &mut [DVec3]) {
        let mut m = Vec::new();
        for part in &mut self.parts {
            let range = part.range.clone();
            if let Some(moments) = &mut part.moments {
                moments.moments(&x[range.clone()], &mut m);
                moments.add_gradient(&x[range.clone()], &m, &mut g[range]);
            }
        }
    }

    /// Its Hessian [N/m]; with `definite`, projected to be positive semidefinite. `creases` selects the Hessian of hinges as an
    /// approximation of that of the moments; otherwise bending by moments is left out.
    pub fn hessian(&mut self, x: &[DVec3], definite: bool, creases: bool, matrix: &mut BlockCsr) {
        let add = |group: &dyn Group, x: &[DVec3], rows: &mut Rows<'_, DMat3>| {
            group.add_rows(x, definite, rows);
        };
        self.fill(x, matrix.chunks_mut(), None, creases, add);
    }

    /// Its Hessian, accurate enough for a search direction: semidefinite, in single precision, the matrix of hinges in
    /// place of the moments.
    pub fn single_hessian(&self, x: &[DVec3], matrix: &mut Matrix) {
        let add = |group: &dyn Group, x: &[DVec3], rows: &mut Rows<'_, Mat3A>| {
            group.add_single_rows(x, rows);
        };
        self.fill(x, matrix.chunks_mut(), None, true, add);
    }

    /// The gradient [N] and that Hessian at once, for less than one after the other.
    pub fn gradient_and_single_hessian(
        &mut self,
        x: &[DVec3],
        g: &mut [DVec3],
        matrix: &mut Matrix,
    ) {
        let add = |group: &dyn Group, x: &[DVec3], rows: &mut Rows<'_, Mat3A>| {
            group.add_single_rows(x, rows);
        };
        g.fill(DVec3::ZERO);
        self.fill(x, matrix.chunks_mut(), Some(g), true, add);
        self.add_moments(x, g);
    }

    /// Fills chunks of rows side by side. Every row is summed by one thread, in the order of the elements.
    fn fill<B: Block>(
        &self,
        x: &[DVec3],
        chunks: Chunks<'_, B>,
        gradient: Option<&mut [DVec3]>,
        creases: bool,
        add: impl Fn(&dyn Group, &[DVec3], &mut Rows<'_, B>) + Sync,
    ) {
        let (parts, pattern) = (&self.parts, &*self.pattern);
        let mut gradients = gradient.map_or_else(Vec::new, |g| chunked(g, &chunks));
        gradients.resize_with(chunks.len(), || None);
        chunks.into_par_iter().zip(gradients).for_each(|((first, blocks), mut gradient)| {
            blocks.fill(B::ZERO_BLOCK);
            let mut scatter = self.scatter.iter();
            for part in parts {
                let (x, offset) = (&x[part.range.clone()], part.range.start as u32);
                for (group, scatter) in part.groups.iter().zip(scatter.by_ref()) {
                    let gradient = gradient.as_deref_mut();
                    let mut rows = Rows { pattern, scatter, offset, first, blocks, gradient };
                    add(&**group, x, &mut rows);
                }
                let Some(moments) = &part.moments else { continue };
                for (list, scatter) in part.creases().zip(scatter.by_ref()) {
                    if creases {
                        let gradient = None;
                        let mut rows =
                            Rows::<'_, B> { pattern, scatter, offset, first, blocks, gradient };
                        add_creases(moments, list, x, &mut rows);
                    }
                }
            }
        });
    }

    /// Adds the true Hessian of bending by moments, times `d`.
    pub fn apply_bending(&mut self, x: &[DVec3], d: &[DVec3], out: &mut [DVec3]) {
        for part in &mut self.parts {
            let range = part.range.clone();
            if let Some(moments) = &mut part.moments {
                let work = &mut self.moments;
                moments.apply(&x[range.clone()], &d[range.clone()], work, &mut out[range]);
            }
        }
    }

    /// Return mapping: moves each slider to within L/k of its strain at `x`, the end of a step; returns the dissipated energy [J].
    pub fn update_sliders(&mut self, x: &[DVec3]) -> f64 {
        let each = self.parts.iter_mut().map(|part| {
            let x = &x[part.range.clone()];
            part.groups.iter_mut().map(|g| g.update_sliders(x)).sum::<f64>()
        });
        each.sum()
    }

    /// Number of sliders.
    pub fn slider_count(&self) -> usize {
        self.groups().map(|g| g.slider_positions().len()).sum()
    }

    /// Where all sliders are.
    pub fn slider_positions(&self) -> Vec<f64> {
        self.groups().flat_map(|g| g.slider_positions()).copied().collect()
    }

    /// Puts all sliders there, or, if it is empty, where they are in a fabric at rest.
    pub fn set_slider_positions(&mut self, slider_positions: &[f64]) {
        let mut rest = slider_positions.iter().copied().chain(std::iter::repeat(0.0));
        let groups = self.parts.iter_mut().flat_map(|part| &mut part.groups);
        groups
            .flat_map(|g| g.slider_positions_mut())
            .zip(&mut rest)
            .for_each(|(to, slip)| *to = slip);
    }

    fn groups(&self) -> impl Iterator<Item = &dyn Group> {
        self.parts.iter().flat_map(|part| &part.groups).map(|g| &**g)
    }

    /// The same, to ask for their values.
    pub fn moments_of_mut(&mut self, cloth: usize) -> Option<&mut Moments> {
        self.parts.get_mut(cloth)?.moments.as_mut()
    }

    /// The moments of a cloth bent by [`Bend::Morley`].
    pub fn moments_of(&self, cloth: usize) -> Option<&Moments> {
        self.parts.get(cloth)?.moments.as_ref()
    }
}

/// Chunks of the rows of a matrix, each with its first row.
type Chunks<'a, B> = Vec<(usize, &'a mut [<B as Block>::Stored])>;

/// Chunks of a gradient, as long as those of the rows of a matrix.
fn chunked<'a, T>(
    g: &'a mut [DVec3],
    chunks: &[(usize, &mut [T])],
) -> Vec<Option<&'a mut [DVec3]>> {
    let length = chunks.get(1).map_or(g.len(), |(first, _)| *first).max(1);
    g.chunks_mut(length).map(Some).collect()
}

/// All elements of all parts.
fn stencils_of(parts: &[Part], vertices: usize) -> Result<Builder, crate::linear::Error> {
    let mut builder = Builder::new(vertices);
    for part in parts {
        builder = part.add_stencils(builder)?;
    }
    Ok(builder)
}

/// The matrix of hinges.
fn add_creases<B: Block>(
    moments: &Moments,
    creases: Creases<'_>,
    x: &[DVec3],
    rows: &mut Rows<'_, B>,
) {
    for i in rows.scatter.of_chunk(rows.first) {
        let crease = creases.number(*i);
        let (k, slopes) = moments.hinge_hessian(crease, x);
        let [p, q, r, s] = moments.creases()[crease].vertices.map(|v| v + rows.offset);
        let block = |a: usize, b: usize| B::from_f64(&outer(slopes[a] * k, slopes[b]));
        let (scatter, pattern, element) = (rows.scatter, rows.pattern, *i as usize);
        // A clamped crease has three vertices, an inner one four.
        match scatter.width() {
            3 => scatter.add::<3, B>(pattern, element, [p, q, r], (rows.first, rows.blocks), block),
            _ => scatter.add::<4, B>(
                pattern,
                element,
                [p, q, r, s],
                (rows.first, rows.blocks),
                block,
            ),
        }
    }
}

/// Contributions to the gradient, element after element, and for each vertex its places among them, ascending.
#[derive(Debug)]
struct Gather {
    forces: Vec<DVec3>,
    offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Gather {
    fn new(parts: &[Part], vertices: usize) -> Self {
        let mut all: Vec<u32> = Vec::new();
        for part in parts {
            for group in &part.groups {
                group.stencils(&mut |v| all.push(v + part.range.start as u32));
            }
        }
        let mut offsets = vec![0_u32; vertices + 1];
        for v in &all {
            offsets[*v as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut sources = vec![0_u32; all.len()];
        for (k, v) in all.iter().enumerate() {
            sources[next[*v as usize] as usize] = k as u32;
            next[*v as usize] += 1;
        }
        Self { forces: vec![DVec3::ZERO; all.len()], offsets, sources }
    }
}

#[cfg(test)]
mod tests;
