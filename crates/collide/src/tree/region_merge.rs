//! Bottom-up merging of connected regions (D4d, Volino and Magnenat-Thalmann in [eg2004garments] §3).
//!
//! Regions that share edges are merged two by two, best first, where the best region has the largest
//! shape factor `√area / contour length`: it is the roundest, and its volume stays small however the
//! cloth is deformed.
//!
//! Merging goes in rounds. In each, all pairs of neighbours are sorted by the shape factor of their
//! union, and taken in that order if neither has been taken; so regions of one round are of similar
//! size. Where few find a partner (a hub with many small neighbours, or loose pieces), those left
//! over are paired in the order of their best neighbours, connected or not. So every round takes away an
//! eighth of the regions or more, the depth is O(log n), and the cost O(n log n). Loose pieces
//! come together last.
//!
//! Ties go to lower numbers; the result depends on the surface alone.

use super::{Plan, PlanNode};
use crate::Surface;
use glam::DVec3;
use toile_mesh::NONE;

/// A binary hierarchy over a surface, by its shape at rest.
pub fn region_merge(surface: &Surface, rest: &[DVec3]) -> Plan {
    let mut merging = Merging::new(surface, rest);
    while merging.regions.len() > 1 {
        merging.round();
    }
    let mut plan = Plan::default();
    if let Some(root) = merging.regions.first() {
        emit(root.node, &merging.children, surface.triangles.len() as u32, &mut plan);
    }
    plan
}

#[derive(Clone, Copy, Debug)]
struct Region {
    area: f64,
    contour: f64,
    /// Its node: a triangle, or, counted on, a pair of nodes.
    node: u32,
}

/// Two regions that share edges of some length, the lower number first.
#[derive(Clone, Copy, Debug)]
struct Contact {
    regions: [u32; 2],
    length: f64,
}

struct Merging {
    regions: Vec<Region>,
    contacts: Vec<Contact>,
    children: Vec<[u32; 2]>,
    triangles: u32,
}

impl Merging {
    fn new(surface: &Surface, rest: &[DVec3]) -> Self {
        let at = |v: u32| rest[v as usize];
        let length = |e: u32| {
            let [a, b] = surface.edges[e as usize].map(at);
            a.distance(b)
        };
        let mut regions = Vec::with_capacity(surface.triangles.len());
        let mut sides = Vec::with_capacity(3 * surface.triangles.len());
        for (t, tri) in surface.triangles.iter().enumerate() {
            let [a, b, c] = tri.map(at);
            let edges = surface.triangle_edges[t];
            regions.push(Region {
                area: 0.5 * (b - a).cross(c - a).length(),
                contour: edges.iter().map(|e| length(*e)).sum(),
                node: t as u32,
            });
            sides.extend(edges.map(|e| (e, t as u32)));
        }
        sides.sort_unstable();
        // Of several triangles on an edge each is linked to the next.
        let contacts = sides
            .windows(2)
            .filter(|s| s[0].0 == s[1].0 && s[0].1 != s[1].1)
            .map(|s| Contact { regions: [s[0].1, s[1].1], length: length(s[0].0) })
            .collect();
        let triangles = regions.len() as u32;
        let mut merging = Self { regions, contacts, children: Vec::new(), triangles };
        merging.tidy();
        merging
    }

    /// Sorts contacts and joins those of the same regions.
    fn tidy(&mut self) {
        self.contacts.retain(|c| c.regions[0] != c.regions[1]);
        for c in &mut self.contacts {
            c.regions.sort_unstable();
        }
        self.contacts.sort_by_key(|c| c.regions);
        self.contacts.dedup_by(|next, kept| {
            let same = next.regions == kept.regions;
            kept.length += if same { next.length } else { 0.0 };
            same
        });
    }

    fn union(&self, contact: &Contact) -> Region {
        let [a, b] = contact.regions.map(|r| self.regions[r as usize]);
        let contour = (a.contour + b.contour - 2.0 * contact.length).max(0.0);
        Region { area: a.area + b.area, contour, node: NONE }
    }

    fn round(&mut self) {
        let mut order: Vec<(f64, u32)> = (0..self.contacts.len() as u32)
            .map(|i| {
                let whole = self.union(&self.contacts[i as usize]);
                (whole.area.sqrt() / whole.contour, i)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // The best contact of each region, and its partner in this round.
        let count = self.regions.len();
        let (mut best, mut partner) = (vec![NONE; count], vec![NONE; count]);
        let mut merges = Vec::new();
        for (_, i) in order {
            let contact = self.contacts[i as usize];
            let [a, b] = contact.regions.map(|r| r as usize);
            for (r, other) in [(a, b), (b, a)] {
                if best[r] == NONE {
                    best[r] = other as u32;
                }
            }
            if partner[a] == NONE && partner[b] == NONE {
                (partner[a], partner[b]) = (b as u32, a as u32);
                merges.push(contact);
            }
        }
        if 8 * merges.len() < count {
            let mut left: Vec<u32> =
                (0..count as u32).filter(|r| partner[*r as usize] == NONE).collect();
            left.sort_by_key(|r| (best[*r as usize], *r));
            for pair in left.chunks_exact(2) {
                let regions = [pair[0].min(pair[1]), pair[0].max(pair[1])];
                (partner[pair[0] as usize], partner[pair[1] as usize]) = (pair[1], pair[0]);
                merges.push(Contact { regions, length: 0.0 });
            }
        }
        self.apply(merges, &partner);
    }

    /// Carries out merges of disjoint pairs.
    fn apply(&mut self, mut merges: Vec<Contact>, partner: &[u32]) {
        merges.sort_by_key(|m| m.regions);
        let mut merged = merges.iter();
        let mut renamed = vec![NONE; partner.len()];
        let mut regions = Vec::with_capacity(partner.len() - merges.len());
        for r in 0..partner.len() {
            let name = regions.len() as u32;
            if partner[r] == NONE {
                renamed[r] = name;
                regions.push(self.regions[r]);
            } else if (r as u32) < partner[r]
                && let Some(contact) = merged.next()
            {
                renamed[r] = name;
                renamed[partner[r] as usize] = name;
                let node = self.triangles + self.children.len() as u32;
                regions.push(Region { node, ..self.union(contact) });
                self.children.push(contact.regions.map(|r| self.regions[r as usize].node));
            }
        }
        self.regions = regions;
        for c in &mut self.contacts {
            c.regions = c.regions.map(|r| renamed[r as usize]);
        }
        self.tidy();
    }
}

/// Writes a node and all below it in depth-first order.
fn emit(node: u32, children: &[[u32; 2]], triangles: u32, plan: &mut Plan) {
    let place = plan.nodes.len();
    let first = plan.items.len() as u32;
    plan.nodes.push(PlanNode { size: 1, first, count: 1 });
    if node < triangles {
        plan.items.push(node);
        return;
    }
    for child in children[(node - triangles) as usize] {
        emit(child, children, triangles, plan);
    }
    plan.nodes[place].size = (plan.nodes.len() - place) as u32;
    plan.nodes[place].count = plan.items.len() as u32 - first;
}
