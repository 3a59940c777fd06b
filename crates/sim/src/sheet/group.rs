//! Elements of one kind, many at a time.

use crate::element::corotational::Corotational;
use crate::element::kes::{Pull, Thread};
use crate::element::stvk::{Law, Stvk};
use crate::element::tension_field::TensionField;
use crate::element::variable_slider::{FrictionTriangle, VariableSlider};
use crate::element::{Element, Membrane, Triangle, baraff_witkin};
use crate::linear::{Block, Builder, Error, Pattern, ScatterMap};
use baraff_witkin::{BaraffWitkin, Conditions};
use glam::{DMat3, DVec3, Mat3A};
use rayon::prelude::*;
use std::fmt::Debug;

/// Elements in a task.
pub(super) const CHUNK: usize = 512;

/// Like elements, without saying which.
pub trait Group: Debug + Send + Sync {
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Vertices of each.
    fn width(&self) -> usize;
    /// Names all vertices, element by element.
    fn stencils(&self, sink: &mut dyn FnMut(u32));
    /// Adds them to a matrix; their vertices come after `first` others.
    fn add_to(&self, builder: Builder, first: u32) -> Result<Builder, Error>;
    /// Energy [J].
    fn energy(&self, x: &[DVec3]) -> f64;
    /// Gradient of each element at each of its vertices [N].
    fn gradient(&self, x: &[DVec3], out: &mut [DVec3]);
    /// Hessians, added to a chunk of the rows of a matrix.
    fn add_rows(&self, x: &[DVec3], definite: bool, rows: &mut Rows<'_, DMat3>);
    /// The same in single precision, semidefinite, and the gradient if the rows have one.
    fn add_single_rows(&self, x: &[DVec3], rows: &mut Rows<'_, Mat3A>);
    /// Return mapping: moves each slider to within L/k of its strain at `x`; returns the dissipated energy [J].
    fn update_sliders(&mut self, x: &[DVec3]) -> f64;
    /// Where its sliders are.
    fn slider_positions(&self) -> &[f64];
    /// The same, to put them elsewhere.
    fn slider_positions_mut(&mut self) -> &mut [f64];
}

/// A chunk of the rows of a matrix.
pub struct Rows<'a, B: Block> {
    pub(super) pattern: &'a Pattern,
    pub(super) scatter: &'a ScatterMap,
    /// The first vertex of the elements' cloth.
    pub(super) offset: u32,
    /// The first row.
    pub(super) first: usize,
    pub(super) blocks: &'a mut [B::Stored],
    /// The gradient of the same vertices, where it is asked for.
    pub(super) gradient: Option<&'a mut [DVec3]>,
}

impl<B: Block> Rows<'_, B> {
    /// Adds the gradient of an element, where it is asked for.
    #[inline]
    pub(super) fn add_gradient<const N: usize>(
        &mut self,
        vertices: &[u32; N],
        gradient: [DVec3; N],
    ) {
        let Some(sum) = &mut self.gradient else { return };
        for (v, g) in vertices.iter().zip(gradient) {
            // Vertices of other chunks lie before the first, which wraps around, or behind the end.
            if let Some(sum) = sum.get_mut(v.wrapping_sub(self.first as u32) as usize) {
                *sum += g;
            }
        }
    }
}

/// Elements of one kind, made when they are asked for.
pub(super) trait Source<const N: usize>: Debug + Send + Sync {
    /// The element.
    type Item<'a>: Element<N>
    where
        Self: 'a;
    /// How many.
    fn count(&self) -> usize;
    /// Element `i`.
    fn get(&self, i: usize) -> Self::Item<'_>;
    /// Return mapping: moves each slider to within L/k of its strain at `x`; returns the dissipated energy [J].
    fn update_sliders(&mut self, _x: &[DVec3]) -> f64 {
        0.0
    }
    /// Where its sliders are; most elements have none.
    fn slider_positions(&self) -> &[f64] {
        &[]
    }
    /// The same, to put them elsewhere.
    fn slider_positions_mut(&mut self) -> &mut [f64] {
        &mut []
    }
}

/// A source as a group.
#[derive(Debug)]
pub(super) struct Many<const N: usize, S>(pub(super) S);

impl<const N: usize, S: Source<N>> Group for Many<N, S> {
    fn len(&self) -> usize {
        self.0.count()
    }

    fn width(&self) -> usize {
        N
    }

    fn stencils(&self, sink: &mut dyn FnMut(u32)) {
        for i in 0..self.0.count() {
            self.0.get(i).vertices().into_iter().for_each(&mut *sink);
        }
    }

    fn add_to(&self, builder: Builder, first: u32) -> Result<Builder, Error> {
        let stencils: Vec<[u32; N]> =
            (0..self.0.count()).map(|i| self.0.get(i).vertices().map(|v| v + first)).collect();
        builder.with_elements(&stencils)
    }

    /// Chunks are summed by themselves, then in order.
    fn energy(&self, x: &[DVec3]) -> f64 {
        let n = self.0.count();
        let chunk = |c: usize| -> f64 {
            (c * CHUNK..n.min((c + 1) * CHUNK))
                .map(|i| {
                    let e = self.0.get(i);
                    e.energy(&e.vertices().map(|v| x[v as usize]))
                })
                .sum()
        };
        let sums: Vec<f64> = (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
        sums.iter().sum()
    }

    fn gradient(&self, x: &[DVec3], out: &mut [DVec3]) {
        out.par_chunks_mut(N * CHUNK).enumerate().for_each(|(c, out)| {
            for (k, out) in out.chunks_exact_mut(N).enumerate() {
                let e = self.0.get(c * CHUNK + k);
                out.copy_from_slice(&e.gradient(&e.vertices().map(|v| x[v as usize])));
            }
        });
    }

    fn add_rows(&self, x: &[DVec3], definite: bool, rows: &mut Rows<'_, DMat3>) {
        self.add_to_rows(x, rows, DMat3::ZERO, |e, x, upper| {
            e.upper(x, definite, upper);
            [DVec3::ZERO; N]
        });
    }

    fn add_single_rows(&self, x: &[DVec3], rows: &mut Rows<'_, Mat3A>) {
        if rows.gradient.is_some() {
            self.add_to_rows(x, rows, Mat3A::ZERO, |e, x, upper| {
                e.single_upper_and_gradient(x, upper)
            });
        } else {
            self.add_to_rows(x, rows, Mat3A::ZERO, |e, x, upper| {
                e.single_upper(x, upper);
                [DVec3::ZERO; N]
            });
        }
    }

    fn update_sliders(&mut self, x: &[DVec3]) -> f64 {
        self.0.update_sliders(x)
    }

    fn slider_positions(&self) -> &[f64] {
        self.0.slider_positions()
    }

    fn slider_positions_mut(&mut self) -> &mut [f64] {
        self.0.slider_positions_mut()
    }
}

impl<const N: usize, S: Source<N>> Many<N, S> {
    /// `write` writes the upper triangle of an element's blocks, row by row, and gives its gradient.
    #[inline]
    fn add_to_rows<'a, B: Block>(
        &'a self,
        x: &[DVec3],
        rows: &mut Rows<'_, B>,
        zero: B,
        write: impl Fn(&S::Item<'a>, &[DVec3; N], &mut [B]) -> [DVec3; N],
    ) {
        // The widest element has nine vertices.
        const { assert!(N <= 9) };
        let mut upper = [zero; 45];
        let upper = &mut upper[..N * (N + 1) / 2];
        for i in rows.scatter.of_chunk(rows.first) {
            let e = self.0.get(*i as usize);
            let gradient = write(&e, &e.vertices().map(|v| x[v as usize]), upper);
            // Row a of the upper triangle begins behind those before it.
            let at = |a: usize, b: usize| a * N - a * (a + 1) / 2 + b;
            let block = |a: usize, b: usize| upper[at(a, b)];
            let vertices = e.vertices().map(|v| v + rows.offset);
            let chunk = (rows.first, &mut *rows.blocks);
            rows.scatter.add::<N, B>(rows.pattern, *i as usize, vertices, chunk, block);
            rows.add_gradient(&vertices, gradient);
        }
    }
}

impl<const N: usize, E: Element<N> + Copy + Debug + Send + Sync> Source<N> for Vec<E> {
    type Item<'a>
        = E
    where
        Self: 'a;

    fn count(&self) -> usize {
        self.len()
    }

    fn get(&self, i: usize) -> E {
        self[i]
    }
}

/// Threads of a grid with their laws.
#[derive(Debug)]
pub(super) struct Threads {
    pub(super) threads: Vec<([u32; 2], f64, usize)>,
    pub(super) pulls: Vec<Pull>,
}

impl Source<2> for Threads {
    type Item<'a> = Thread<'a>;

    fn count(&self) -> usize {
        self.threads.len()
    }

    fn get(&self, i: usize) -> Thread<'_> {
        let (vertices, rest, pull) = self.threads[i];
        Thread { vertices, rest, pull: &self.pulls[pull] }
    }
}

/// Triangles of a cloth with what they are made of.
#[derive(Debug)]
pub(super) struct Triangles<L> {
    pub(super) rest: Vec<Triangle>,
    pub(super) law: L,
}

/// Triangles with friction between threads, and the positions of their sliders.
#[derive(Debug)]
pub(super) struct FrictionTriangles {
    rest: Vec<Triangle>,
    law: Law,
    friction: [Option<VariableSlider>; 3],
    /// Of each triangle, those of the directions with friction.
    slider_positions: Vec<f64>,
}

impl FrictionTriangles {
    /// Triangles with their sliders at rest.
    pub(super) fn new(
        rest: Vec<Triangle>,
        law: Law,
        friction: [Option<VariableSlider>; 3],
    ) -> Self {
        let slider_positions = vec![0.0; rest.len() * friction.iter().flatten().count()];
        Self { rest, law, friction, slider_positions }
    }
}

impl Source<3> for FrictionTriangles {
    type Item<'a> = FrictionTriangle<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> FrictionTriangle<'_> {
        let own = self.slider_positions.len() / self.rest.len();
        let mut own = self.slider_positions[own * i..own * (i + 1)].iter();
        let slider_positions = std::array::from_fn(|k| match self.friction[k] {
            Some(_) => own.next().copied().unwrap_or(0.0),
            None => 0.0,
        });
        FrictionTriangle {
            rest: &self.rest[i],
            law: &self.law,
            friction: &self.friction,
            slider_positions,
        }
    }

    fn update_sliders(&mut self, x: &[DVec3]) -> f64 {
        let (mut dissipated, mut slider_positions) = (0.0, self.slider_positions.iter_mut());
        for rest in &self.rest {
            let strain = rest.green_strain(&rest.vertices.map(|v| x[v as usize]));
            for (strain, slider) in strain.into_iter().zip(&self.friction) {
                let Some(slider) = slider else { continue };
                dissipated += slider_positions
                    .next()
                    .map_or(0.0, |slip| rest.area * slider.slide(strain, slip));
            }
        }
        dissipated
    }

    fn slider_positions(&self) -> &[f64] {
        &self.slider_positions
    }

    fn slider_positions_mut(&mut self) -> &mut [f64] {
        &mut self.slider_positions
    }
}

/// Constants of corotational triangles.
#[derive(Debug)]
pub(super) struct Turned(pub(super) Membrane);

/// Constants of triangles that wrinkle.
#[derive(Debug)]
pub(super) struct Wrinkled(pub(super) Membrane);

impl Source<3> for Triangles<Law> {
    type Item<'a> = Stvk<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> Stvk<'_> {
        Stvk { rest: &self.rest[i], law: &self.law }
    }
}

impl Source<3> for Triangles<Turned> {
    type Item<'a> = Corotational<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> Corotational<'_> {
        Corotational { rest: &self.rest[i], stiffness: &self.law.0 }
    }
}

impl Source<3> for Triangles<Wrinkled> {
    type Item<'a> = TensionField<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> TensionField<'_> {
        TensionField { rest: &self.rest[i], stiffness: &self.law.0 }
    }
}

impl Source<3> for Triangles<Conditions> {
    type Item<'a> = BaraffWitkin<'a>;

    fn count(&self) -> usize {
        self.rest.len()
    }

    fn get(&self, i: usize) -> BaraffWitkin<'_> {
        BaraffWitkin { rest: &self.rest[i], conditions: &self.law }
    }
}
