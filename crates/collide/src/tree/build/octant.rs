//! Recursive partition into octants.
//!
//! The box around the triangles' centres is cut at its middle into eight; each triangle goes where its
//! centre lies, empty octants are left out, and a node with fewer than eight triangles is a leaf.
//! Taking the box of the centres, not of the triangles, makes sure that two octants at least are
//! filled. Where all centres are the same point, halves by number take the place of octants.

use crate::tree::{Plan, PlanNode};
use crate::volume::Aabb;
use glam::DVec3;

/// Nodes with fewer triangles are not cut any more.
const MIN_SPLIT: usize = 8;

pub(super) fn octants(centres: &[DVec3]) -> Plan {
    let mut plan = Plan { nodes: Vec::new(), items: (0..centres.len() as u32).collect() };
    if !centres.is_empty() {
        split(&mut plan.items, 0, centres, &mut plan.nodes);
    }
    plan
}

fn split(items: &mut [u32], first: usize, centres: &[DVec3], nodes: &mut Vec<PlanNode>) {
    let node = nodes.len();
    nodes.push(PlanNode { size: 1, first: first as u32, count: items.len() as u32 });
    if items.len() < MIN_SPLIT {
        return;
    }
    let mut offset = 0;
    for count in parts(items, centres) {
        split(&mut items[offset..offset + count], first + offset, centres, nodes);
        offset += count;
    }
    nodes[node].size = (nodes.len() - node) as u32;
}

/// Sorts the items by octant and says how many are in each that is not empty.
fn parts(items: &mut [u32], centres: &[DVec3]) -> Vec<usize> {
    let bounds = Aabb::of_points(items.iter().map(|t| centres[*t as usize]));
    let middle = 0.5 * bounds.lo + 0.5 * bounds.hi;
    let octant = |t: u32| {
        let above = centres[t as usize].cmpgt(middle);
        above.bitmask()
    };
    // Stable, so that triangles stay in their order within an octant.
    items.sort_by_key(|t| octant(*t));
    let counts: Vec<usize> =
        items.chunk_by(|a, b| octant(*a) == octant(*b)).map(<[u32]>::len).collect();
    match counts[..] {
        [all] => vec![all / 2, all - all / 2],
        _ => counts,
    }
}
