//! The referee: every feature pair whose swept boxes overlap, found without tree or cone.

use crate::broad::Candidates;
use crate::volume::{SweptVertices, Volume};
use crate::{Motion, Surface};

/// All candidate pairs of a surface with itself.
///
/// ```
/// use toile_collide::{Motion, Surface, brute};
/// use toile_mesh::{Topology, shape};
///
/// let mesh = shape::grid(1.0, 1.0, 4, 4, shape::Diagonals::Alternating);
/// let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
/// let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
/// let flat = brute::self_candidates(&surface, Motion::still(&mesh.positions), 0.01);
/// assert!(flat.len() < 200); // neighbours, whose boxes overlap
/// ```
pub fn self_candidates(surface: &Surface, motion: Motion<'_>, separation: f64) -> Candidates {
    let mut swept = SweptVertices::default();
    swept.update(motion, separation);
    let mut found = Candidates::default();
    for v in (0..surface.vertices as u32).filter(|v| is_used(surface, *v)) {
        for (t, tri) in surface.triangles.iter().enumerate() {
            if !tri.contains(&v) && swept.vertex(v).overlaps(&swept.triangle(*tri)) {
                found.vf.push([v, t as u32]);
            }
        }
    }
    for (a, va) in surface.edges.iter().enumerate() {
        for (b, vb) in surface.edges.iter().enumerate().skip(a + 1) {
            let adjacent = vb.contains(&va[0]) || vb.contains(&va[1]);
            if !adjacent && swept.edge(*va).overlaps(&swept.edge(*vb)) {
                found.ee.push([a as u32, b as u32]);
            }
        }
    }
    found
}

/// All candidate pairs of two surfaces.
pub fn candidates(
    sa: &Surface,
    ma: Motion<'_>,
    sb: &Surface,
    mb: Motion<'_>,
    separation: f64,
) -> Candidates {
    let (mut wa, mut wb) = (SweptVertices::default(), SweptVertices::default());
    wa.update(ma, separation);
    wb.update(mb, separation);
    let mut found = Candidates::default();
    for v in (0..sa.vertices as u32).filter(|v| is_used(sa, *v)) {
        for (t, tri) in sb.triangles.iter().enumerate() {
            if wa.vertex(v).overlaps(&wb.triangle(*tri)) {
                found.vf.push([v, t as u32]);
            }
        }
    }
    for (t, tri) in sa.triangles.iter().enumerate() {
        for v in (0..sb.vertices as u32).filter(|v| is_used(sb, *v)) {
            if wb.vertex(v).overlaps(&wa.triangle(*tri)) {
                found.fv.push([t as u32, v]);
            }
        }
    }
    for (a, va) in sa.edges.iter().enumerate() {
        for (b, vb) in sb.edges.iter().enumerate() {
            if wa.edge(*va).overlaps(&wb.edge(*vb)) {
                found.ee.push([a as u32, b as u32]);
            }
        }
    }
    found
}

/// Whether a triangle uses the vertex; a stray one cannot collide.
fn is_used(surface: &Surface, v: u32) -> bool {
    surface.triangles.iter().any(|t| t.contains(&v))
}

/// Those candidates of a surface with itself whose features overlap in another volume too.
pub fn sharpened<V: Volume>(
    candidates: &Candidates,
    surface: &Surface,
    motion: Motion<'_>,
    separation: f64,
) -> Candidates {
    sharpened_pairs::<V>(candidates, surface, motion, surface, motion, separation)
}

/// The same for candidates of two surfaces.
pub fn sharpened_pairs<V: Volume>(
    candidates: &Candidates,
    sa: &Surface,
    ma: Motion<'_>,
    sb: &Surface,
    mb: Motion<'_>,
    separation: f64,
) -> Candidates {
    let of = |motion: Motion<'_>, vertices: &[u32]| {
        V::around(vertices.iter().map(|v| motion.ends(*v)), 0.5 * separation)
    };
    let face = |s: &Surface, m: Motion<'_>, t: u32| of(m, &s.triangles[t as usize]);
    let edge = |s: &Surface, m: Motion<'_>, e: u32| of(m, &s.edges[e as usize]);
    let vf = |[v, t]: &&[u32; 2]| of(ma, &[*v]).overlaps(&face(sb, mb, *t));
    let fv = |[t, v]: &&[u32; 2]| face(sa, ma, *t).overlaps(&of(mb, &[*v]));
    let ee = |[a, b]: &&[u32; 2]| edge(sa, ma, *a).overlaps(&edge(sb, mb, *b));
    Candidates {
        vf: candidates.vf.iter().filter(vf).copied().collect(),
        fv: candidates.fv.iter().filter(fv).copied().collect(),
        ee: candidates.ee.iter().filter(ee).copied().collect(),
    }
}
