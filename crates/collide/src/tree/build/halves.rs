//! Recursive partition at the median.
//!
//! The median keeps the tree balanced whatever the shape; ties go by the number of the triangle.

use super::centres;
use crate::Surface;
use crate::tree::{Plan, PlanNode};
use crate::volume::Aabb;
use glam::DVec3;

/// Halves across the longer side of the patch in material coordinates.
pub(super) fn in_texture_space(keys: &[DVec3], piece: &[u32], leaf: usize) -> Plan {
    let mut items: Vec<u32> = (0..keys.len() as u32).collect();
    items.sort_by_key(|t| piece[*t as usize]);
    let of = |t: u32| piece[t as usize];
    build(items, leaf, &|items, middle| {
        if of(items[0]) != of(items[items.len() - 1]) {
            // Several cloths (items are sorted by them): cut at the border nearest to the middle.
            return (1..items.len())
                .filter(|i| of(items[*i]) != of(items[i - 1]))
                .min_by_key(|i| i.abs_diff(middle))
                .unwrap_or(middle);
        }
        let extent = {
            let bounds = Aabb::of_points(items.iter().map(|t| keys[*t as usize]));
            bounds.hi - bounds.lo
        };
        let axis = (0..3).max_by(|a, b| extent[*a].total_cmp(&extent[*b])).unwrap_or(0);
        halve(items, middle, |t| keys[t as usize][axis])
    })
}

/// Halves across the direction in which the triangles reach farthest.
pub(super) fn in_space(surface: &Surface, x: &[DVec3], directions: &[DVec3], leaf: usize) -> Plan {
    let centres = centres(surface, x);
    let items: Vec<u32> = (0..centres.len() as u32).collect();
    build(items, leaf, &|items, middle| {
        let extent = |d: &DVec3| {
            let mut range = (f64::INFINITY, f64::NEG_INFINITY);
            for v in items.iter().flat_map(|t| surface.triangles[*t as usize]) {
                let s = d.dot(x[v as usize]);
                range = (range.0.min(s), range.1.max(s));
            }
            (range.1 - range.0) / d.length()
        };
        // The first of the longest, so that equal directions leave no choice.
        let (mut longest, mut length) = (DVec3::X, f64::NEG_INFINITY);
        for d in directions {
            let e = extent(d);
            if e > length {
                (longest, length) = (*d, e);
            }
        }
        halve(items, middle, |t| longest.dot(centres[t as usize]))
    })
}

/// Orders the items so that the smaller keys come before the `middle`, where the second part begins.
fn halve(items: &mut [u32], middle: usize, key: impl Fn(u32) -> f64) -> usize {
    items.select_nth_unstable_by(middle, |a, b| key(*a).total_cmp(&key(*b)).then(a.cmp(b)));
    middle
}

/// Parts some items about the middle that is given, and says where the second part begins.
trait Halve: Fn(&mut [u32], usize) -> usize {}

impl<F: Fn(&mut [u32], usize) -> usize> Halve for F {}

fn build(mut items: Vec<u32>, leaf: usize, halve: &impl Halve) -> Plan {
    let mut nodes = Vec::with_capacity(4 * items.len() / leaf.max(1));
    if !items.is_empty() {
        split(&mut items, 0, leaf.max(1), halve, &mut nodes);
    }
    Plan { nodes, items }
}

fn split(
    items: &mut [u32],
    first: usize,
    leaf: usize,
    halve: &impl Halve,
    nodes: &mut Vec<PlanNode>,
) {
    let node = nodes.len();
    nodes.push(PlanNode { size: 1, first: first as u32, count: items.len() as u32 });
    if items.len() <= leaf {
        order(items, halve);
        return;
    }
    let middle = halve(items, items.len() / 2);
    let (left, right) = items.split_at_mut(middle);
    split(left, first, leaf, halve, nodes);
    split(right, first + middle, leaf, halve, nodes);
    nodes[node].size = (nodes.len() - node) as u32;
}

/// Puts the items of a leaf in such an order that eight behind one another, which are looked at together,
/// are near each other.
fn order(items: &mut [u32], halve: &impl Halve) {
    if items.len() <= 8 {
        return;
    }
    let middle = halve(items, items.len().div_ceil(2).next_multiple_of(8));
    let (left, right) = items.split_at_mut(middle);
    order(left, halve);
    order(right, halve);
}
