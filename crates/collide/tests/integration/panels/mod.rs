//! Panels, hierarchies over them, and exact intersections: what the tests of pruning share.
#![allow(dead_code)] // each test file uses a part

use glam::{DVec2, DVec3};
use toile_audit::self_intersections;
use toile_collide::ccd::{Ccd, Filter, Pair, Separation};
use toile_collide::tree::{Plan, PlanNode};
use toile_collide::{Candidates, Motion, Surface};
use toile_mesh::shape::{Diagonals, grid};
use toile_mesh::{Topology, TriMesh};

pub(crate) fn surface(mesh: &TriMesh) -> Surface {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    Surface::new(mesh.positions.len(), &mesh.triangles, &topology)
}

/// A grid whose material coordinates are those of the unit square, mapped.
pub(crate) fn panel(nu: usize, nv: usize, map: impl Fn(DVec2) -> DVec2) -> TriMesh {
    let mut mesh = grid(1.0, 1.0, nu, nv, Diagonals::Alternating);
    let lo = mesh.uv.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    for p in &mut mesh.uv {
        *p = map(*p - lo);
    }
    mesh.positions = mesh.uv.iter().map(|p| p.extend(0.0)).collect();
    mesh
}

/// Three quarters of a ring.
pub(crate) fn c_panel(around: usize, across: usize) -> TriMesh {
    panel(around, across, |p| {
        let (a, r) = (1.5 * std::f64::consts::PI * p.x, 1.0 - 0.5 * p.y);
        DVec2::new(r * a.cos(), r * a.sin())
    })
}

/// A disc of rings with 6k vertices each, its inner vertices shaken so that no two triangles are alike.
pub(crate) fn disc(rings: u32, noise: f64) -> TriMesh {
    let mut uv = vec![DVec2::ZERO];
    let mut triangles = Vec::new();
    let start = |k: u32| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
    for k in 1..=rings {
        for i in 0..6 * k {
            let a = f64::from(i) * std::f64::consts::TAU / f64::from(6 * k);
            let shake = |s: f64| noise * (f64::from(i * 7 + k * 13) * s).sin() / f64::from(rings);
            let inner = if k < rings { DVec2::new(shake(1.3), shake(2.9)) } else { DVec2::ZERO };
            uv.push(DVec2::from_angle(a) * f64::from(k) / f64::from(rings) + inner);
        }
        for sector in 0..6 {
            for i in 0..k {
                let outer = |i: u32| start(k) + (sector * k + i) % (6 * k);
                let inner = |i: u32| start(k - 1) + (sector * (k - 1) + i) % (6 * (k - 1)).max(1);
                triangles.push([outer(i), outer(i + 1), inner(i)]);
                if i + 1 < k {
                    triangles.push([inner(i), outer(i + 1), inner(i + 1)]);
                }
            }
        }
    }
    let mut mesh = TriMesh::new(uv.iter().map(|p| p.extend(0.0)).collect(), triangles);
    mesh.uv = uv;
    mesh
}

/// Material coordinates of the corners of every triangle; here vertices have just one each.
pub(crate) fn uv(mesh: &TriMesh) -> Vec<[DVec2; 3]> {
    mesh.triangles.iter().map(|t| t.map(|v| mesh.uv[v as usize])).collect()
}

/// Halves along the longer side in the material plane, down to leaves of at most `leaf` triangles.
pub(crate) fn plan(mesh: &TriMesh, leaf: usize) -> Plan {
    let uv = uv(mesh);
    let centre = |t: u32| uv[t as usize].iter().sum::<DVec2>() / 3.0;
    let mut plan = Plan { nodes: Vec::new(), items: (0..mesh.triangles.len() as u32).collect() };
    fn split(
        plan: &mut Plan,
        (first, count): (usize, usize),
        leaf: usize,
        centre: &dyn Fn(u32) -> DVec2,
    ) {
        let node = plan.nodes.len();
        plan.nodes.push(PlanNode { size: 1, first: first as u32, count: count as u32 });
        if count <= leaf {
            return;
        }
        let items = &mut plan.items[first..first + count];
        let lo = items.iter().map(|t| centre(*t)).fold(DVec2::INFINITY, DVec2::min);
        let hi = items.iter().map(|t| centre(*t)).fold(DVec2::NEG_INFINITY, DVec2::max);
        let axis = usize::from((hi - lo).y > (hi - lo).x);
        items.sort_by(|a, b| centre(*a)[axis].total_cmp(&centre(*b)[axis]).then(a.cmp(b)));
        split(plan, (first, count / 2), leaf, centre);
        split(plan, (first + count / 2, count - count / 2), leaf, centre);
        plan.nodes[node].size = (plan.nodes.len() - node) as u32;
    }
    if !plan.items.is_empty() {
        let count = plan.items.len();
        split(&mut plan, (0, count), leaf, &centre);
    }
    plan
}

/// Pairs of triangles that intersect at one of some times of a step.
pub(crate) fn intersections(mesh: &TriMesh, motion: Motion<'_>, times: &[f64]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for t in times {
        let x: Vec<DVec3> =
            motion.x_t0.iter().zip(motion.x_t1).map(|(a, b)| a.lerp(*b, *t)).collect();
        pairs.extend(self_intersections(&x, &mesh.triangles).expect("finite positions"));
    }
    pairs
}

/// The first node that holds both triangles of a pair and of which `says_free` holds.
pub(crate) fn wrongly_free(
    plan: &Plan,
    pairs: &[[u32; 2]],
    says_free: impl Fn(usize) -> bool,
) -> Option<usize> {
    (0..plan.nodes.len()).filter(|n| says_free(*n)).find(|n| {
        let own = plan.triangles(*n);
        pairs.iter().any(|p| own.contains(&p[0]) && own.contains(&p[1]))
    })
}

/// A C-shaped panel rolled to a funnel of more than a full turn, its ends crossing; normals are some
/// 44° from the axis.
pub(crate) fn crossing_funnel(around: usize, across: usize) -> TriMesh {
    let mut mesh = c_panel(around, across);
    mesh.positions = mesh
        .uv
        .iter()
        .map(|p| {
            let k = 1.4_f64;
            let a = p.y.atan2(p.x).rem_euclid(std::f64::consts::TAU);
            let a = if a > 5.5 { a - std::f64::consts::TAU } else { a };
            let (r, turned) = (p.length(), DVec2::from_angle(k * a));
            let tilt = 0.2 * (a / 4.7 - 0.5) * (r - 0.76);
            (turned * r / k).extend(r * (1.0 - 1.0 / (k * k)).sqrt() + tilt)
        })
        .collect();
    mesh
}

/// Those candidates that really meet.
pub(crate) fn impacts(s: &Surface, motion: Motion<'_>, candidates: &Candidates) -> Candidates {
    let gap = Separation::gap(1e-9);
    let meets = |pair: Pair, v: [u32; 4]| {
        Ccd::Separating
            .time_of_impact(pair, &v.map(|v| motion.ends(v)), gap, Filter::Hull)
            .is_some()
    };
    let vf = |[v, t]: &&[u32; 2]| {
        let [a, b, c] = s.triangles[*t as usize];
        meets(Pair::VertexFace, [*v, a, b, c])
    };
    let ee = |[a, b]: &&[u32; 2]| {
        let ([p, q], [r, s]) = (s.edges[*a as usize], s.edges[*b as usize]);
        meets(Pair::EdgeEdge, [p, q, r, s])
    };
    Candidates {
        vf: candidates.vf.iter().filter(vf).copied().collect(),
        fv: Vec::new(),
        ee: candidates.ee.iter().filter(ee).copied().collect(),
    }
}
