//! The matrix of a step: inertia and elasticity stored, contacts applied.
//!
//! A contact couples four vertices by one 3 × 3 matrix between its nearest points; a product with it
//! costs less than storing it would, and the pattern of the matrix never changes.

use crate::linear::BlockCsr;
use crate::linear::cg::Operator;
use glam::{DMat3, DVec3};

/// A contact as the linear solver sees it: weights of its cloth vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub(super) points: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) stiffness: DMat3,
}

/// Matrix and contacts.
pub(super) struct Coupled<'a> {
    pub(super) matrix: &'a BlockCsr,
    pub(super) bonds: &'a [Bond],
}

impl Operator for Coupled<'_> {
    fn rows(&self) -> usize {
        self.matrix.rows()
    }

    fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        self.matrix.multiply(x, y);
        for bond in self.bonds {
            let mut way = DVec3::ZERO;
            for (p, w) in bond.points.iter().zip(&bond.weights) {
                // Points of bodies stay where they are put.
                if let Some(x) = x.get(*p as usize) {
                    way += *x * *w;
                }
            }
            let pull = bond.stiffness * way;
            for (p, w) in bond.points.iter().zip(&bond.weights) {
                if let Some(y) = y.get_mut(*p as usize) {
                    *y += pull * *w;
                }
            }
        }
    }
}

/// Adds what the pattern has room for: a vertex with itself and with its neighbours.
pub(super) fn add_bonds(matrix: &mut BlockCsr, bonds: &[Bond]) {
    let n = matrix.rows() as u32;
    for bond in bonds {
        for i in 0..4 {
            for j in i..4 {
                let (p, q) = (bond.points[i], bond.points[j]);
                let w = bond.weights[i] * bond.weights[j];
                // Vertices of different features have weights of different sign.
                if p < n && q < n && w > 0.0 {
                    matrix.add(p, q, bond.stiffness * w);
                }
            }
        }
    }
}
