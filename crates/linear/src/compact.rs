//! Constant Cholesky factors, stored in single precision, applied in double.
//!
//! The L that is kept is rounded once. L⁻ᵀ L⁻¹ with it is an operator like any other, symmetric and positive definite to the
//! rounding of double precision, so an energy and its gradient agree as they did; only what the matrix stood for is another by
//! 1e-7. It takes half the memory, which each solve reads twice.
//!
//! Columns with nearly the same rows lie together (supernodes). Loops are compiled for several kinds of processors; they do the
//! same operations in the same order and without fused additions, so the bits are the same on all.

use super::factor::Factor;
use pulp::{Arch, Simd, WithSimd};

/// Columns at a time.
const COLUMNS_PER_PASS: usize = 4;
/// Rows at a time.
const ROWS_PER_PASS: usize = 4;

/// Where consecutive columns with the same rows below them begin.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// First column.
    column: u32,
    /// First of the rows below.
    row: u32,
    /// First number: column after column from the diagonal on down to the last column, pivots inverted, then column after
    /// column what is in the rows below.
    value: u32,
}

/// A factor.
#[derive(Debug)]
pub(super) struct SinglePrecisionFactor {
    /// The unknowns in the order of elimination.
    order: Vec<u32>,
    /// One more than there are: the end.
    nodes: Vec<Node>,
    rows: Vec<u32>,
    values: Vec<f32>,
    /// Most rows below a node.
    tallest: usize,
}

impl SinglePrecisionFactor {
    /// Takes over a factor; nothing if it has too many entries to be counted.
    pub(super) fn compress(factor: &Factor) -> Option<Self> {
        let mut own = Self {
            order: factor.order(),
            nodes: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            tallest: 0,
        };
        let (mut rows, mut values, mut nodes) = (0, 0, 0);
        factor.for_nodes(|_, width, below, _| {
            rows += below.len();
            values += width * (width + 1) / 2 + width * below.len();
            nodes += 1;
        });
        u32::try_from(values.max(rows)).ok()?;
        own.rows.reserve_exact(rows);
        own.values.reserve_exact(values);
        own.nodes.reserve_exact(nodes + 1);
        factor.for_nodes(|column, width, below, numbers| {
            own.nodes.push(own.next(column));
            own.rows.extend(below);
            own.tallest = own.tallest.max(below.len());
            let height = width + below.len();
            let column = |j: usize| &numbers[j * height..(j + 1) * height];
            for j in 0..width {
                own.values.push((1.0 / column(j)[j]) as f32);
                own.values.extend(column(j)[j + 1..width].iter().map(|l| *l as f32));
            }
            for j in 0..width {
                own.values.extend(column(j)[width..].iter().map(|l| *l as f32));
            }
        });
        own.nodes.push(own.next(own.order.len()));
        Some(own)
    }

    fn next(&self, column: usize) -> Node {
        let [column, row, value] =
            [column, self.rows.len(), self.values.len()].map(|count| count as u32);
        Node { column, row, value }
    }

    /// Numbers that are kept.
    pub(super) fn entries(&self) -> usize {
        self.values.len()
    }

    /// Turns a right side into the solution.
    pub(super) fn solve(&self, rhs: &mut [f64]) {
        Arch::new().dispatch(Solve { factor: self, rhs });
    }
}

/// A node with its numbers.
struct Part<'a> {
    columns: std::ops::Range<usize>,
    rows: &'a [u32],
    /// The lower triangle of its own columns.
    corner: &'a [f32],
    /// What is in the rows below.
    below: &'a [f32],
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn of_node(factor: &'a SinglePrecisionFactor, node: usize) -> Self {
        let [from, to] = [factor.nodes[node], factor.nodes[node + 1]];
        let columns = from.column as usize..to.column as usize;
        let numbers = &factor.values[from.value as usize..to.value as usize];
        let (corner, below) = numbers.split_at(columns.len() * (columns.len() + 1) / 2);
        Self { columns, rows: &factor.rows[from.row as usize..to.row as usize], corner, below }
    }
}

/// Both substitutions, for any processor.
struct Solve<'a> {
    factor: &'a SinglePrecisionFactor,
    rhs: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { factor, rhs } = self;
        let mut x: Vec<f64> = factor.order.iter().map(|i| rhs[*i as usize]).collect();
        let mut gathered = vec![0.0; factor.tallest];
        for node in 0..factor.nodes.len() - 1 {
            let part = Part::of_node(factor, node);
            let own = &mut x[part.columns.clone()];
            forward_corner(part.corner, own);
            let sums = &mut gathered[..part.rows.len()];
            sums.fill(0.0);
            add_columns(part.below, own, sums);
            for (row, sum) in part.rows.iter().zip(&*sums) {
                x[*row as usize] -= sum;
            }
        }
        for node in (0..factor.nodes.len() - 1).rev() {
            let part = Part::of_node(factor, node);
            let there = &mut gathered[..part.rows.len()];
            for (row, there) in part.rows.iter().zip(&mut *there) {
                *there = x[*row as usize];
            }
            let own = &mut x[part.columns.clone()];
            take_rows(part.below, there, own);
            back_corner(part.corner, own);
        }
        for (i, x) in factor.order.iter().zip(&x) {
            rhs[*i as usize] = *x;
        }
    }
}

/// x ← L⁻¹ x.
#[inline(always)]
fn forward_corner(mut corner: &[f32], x: &mut [f64]) {
    for j in 0..x.len() {
        let (column, rest) = corner.split_at(x.len() - j);
        corner = rest;
        let (own, later) = x[j..].split_first_mut().expect("a column has a row");
        *own *= f64::from(column[0]);
        for (x, l) in later.iter_mut().zip(&column[1..]) {
            *x -= f64::from(*l) * *own;
        }
    }
}

/// x ← L⁻ᵀ x.
#[inline(always)]
fn back_corner(mut corner: &[f32], x: &mut [f64]) {
    for j in (0..x.len()).rev() {
        let (rest, column) = corner.split_at(corner.len() - (x.len() - j));
        corner = rest;
        let (own, later) = x[j..].split_first_mut().expect("a column has a row");
        for (x, l) in later.iter().zip(&column[1..]) {
            *own -= f64::from(*l) * *x;
        }
        *own *= f64::from(column[0]);
    }
}

/// sums ← sums + B x.
#[inline(always)]
fn add_columns(below: &[f32], x: &[f64], sums: &mut [f64]) {
    let height = sums.len();
    if height == 0 {
        return;
    }
    let wide = x.chunks_exact(COLUMNS_PER_PASS);
    let blocks = below.chunks_exact(COLUMNS_PER_PASS * height);
    let (some, columns) = (wide.remainder(), blocks.remainder());
    for (x, block) in wide.zip(blocks) {
        let [a, b, c, d] = columns_of(block, height);
        for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let ab = f64::from(*a) * x[0] + f64::from(*b) * x[1];
            *sum += ab + (f64::from(*c) * x[2] + f64::from(*d) * x[3]);
        }
    }
    for (x, column) in some.iter().zip(columns.chunks_exact(height)) {
        for (sum, l) in sums.iter_mut().zip(column) {
            *sum += f64::from(*l) * x;
        }
    }
}

/// x ← x − Bᵀ y.
#[inline(always)]
fn take_rows(below: &[f32], y: &[f64], x: &mut [f64]) {
    let height = y.len();
    if height == 0 {
        return;
    }
    let mut wide = x.chunks_exact_mut(COLUMNS_PER_PASS);
    let blocks = below.chunks_exact(COLUMNS_PER_PASS * height);
    let columns = blocks.remainder();
    for (x, block) in (&mut wide).zip(blocks) {
        let columns = columns_of(block, height);
        let mut sums = [[0.0; ROWS_PER_PASS]; COLUMNS_PER_PASS];
        let whole = height - height % ROWS_PER_PASS;
        for at in (0..whole).step_by(ROWS_PER_PASS) {
            let y = &y[at..at + ROWS_PER_PASS];
            for (sum, column) in sums.iter_mut().zip(columns) {
                let l = &column[at..at + ROWS_PER_PASS];
                for lane in 0..ROWS_PER_PASS {
                    sum[lane] += f64::from(l[lane]) * y[lane];
                }
            }
        }
        for ((x, sum), column) in x.iter_mut().zip(sums).zip(columns) {
            let mut tail = 0.0;
            for (l, y) in column[whole..].iter().zip(&y[whole..]) {
                tail += f64::from(*l) * y;
            }
            *x -= ((sum[0] + sum[1]) + (sum[2] + sum[3])) + tail;
        }
    }
    for (x, column) in wide.into_remainder().iter_mut().zip(columns.chunks_exact(height)) {
        let mut sum = 0.0;
        for (l, y) in column.iter().zip(y) {
            sum += f64::from(*l) * y;
        }
        *x -= sum;
    }
}

/// The columns of a block.
#[inline(always)]
fn columns_of(block: &[f32], height: usize) -> [&[f32]; COLUMNS_PER_PASS] {
    std::array::from_fn(|k| &block[k * height..(k + 1) * height])
}
