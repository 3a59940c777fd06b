//! What is done about intersections when a run begins.

use super::{Found, Untangled, find, relevant_collisions, untangle};
use crate::error::Error;
use toile_sim::{Method, Model, World};

/// Untangles a world that is about to begin, as its settings say.
///
/// # Errors
/// If something intersects that shall not be untangled, or could not be and the method promises that nothing does.
pub(crate) fn resolve_start(world: &mut World) -> Result<Option<Untangled>, Error> {
    let found = find(world)?;
    if found.is_empty() {
        return Ok(None);
    }
    if !world.settings().untangle {
        return match found.count() {
            0 => refuse_infeasible(world).map(|()| None),
            _ => Err(Error::Tangled {
                what: format!("the cloth begins with {}", describe(world, &found)),
                remedy:
                    "move its parts apart, or leave out --no-untangle (solver.untangle = false)"
                        .into(),
            }),
        };
    }
    let report = untangle(world, &found)?;
    if !report.is_clean() && world.settings().method == Method::Barrier {
        let left = find(world)?;
        return Err(Error::Tangled {
            what: format!(
                "the cloth cannot be untangled: after {} iterations it is left with {}",
                report.iterations,
                describe(world, &left)
            ),
            remedy: "move its parts apart or hold less of it; other methods accept \
                     intersections, for example --preset bridson02"
                .into(),
        });
    }
    if report.is_clean() {
        refuse_infeasible(world)?;
    }
    Ok(Some(report))
}

/// Refuses a start from which no step is feasible, as cloth is in exact contact or nearer than the distance that is kept.
fn refuse_infeasible(world: &mut World) -> Result<(), Error> {
    if !relevant_collisions(world)[1] {
        return Ok(());
    }
    let found = world.infeasible()?;
    let Some(first) = found.first() else { return Ok(()) };
    let model = world.model();
    let cloth = model.cloth_of[first.vertex as usize] as usize;
    let vertex = first.vertex - model.vertices[cloth].start;
    let other = first.body.map_or_else(
        || "other cloth".to_owned(),
        |body| format!("the body \"{}\"", world.bodies()[body as usize].name),
    );
    let held = match world.pinned_vertices().binary_search(&first.vertex) {
        Ok(_) => ", and is held there",
        Err(_) => "",
    };
    Err(Error::Tangled {
        what: format!(
            "the cloth begins in contact: {} vertices are nearer than the {:.3e} m that are kept, the first vertex {vertex} of \"{}\", which \
             touches {other}{held}",
            found.len(),
            world.separation(),
            model.names[cloth]
        ),
        remedy: "move the cloth and what it touches apart, hold less of it, or leave out --no-untangle (solver.untangle = false)".into(),
    })
}

/// How many intersections there are, and where the first is.
fn describe(world: &World, found: &Found) -> String {
    let model = world.model();
    let plural =
        |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let mut parts = Vec::new();
    if let Some([s, t]) = found.pairs.first() {
        parts.push(format!(
            "{} of intersecting triangles, the first {} and {}",
            plural(found.pairs.len(), "pair", "pairs"),
            name(model, *s),
            name(model, *t)
        ));
    }
    for (body, inside) in world.bodies().iter().zip(&found.inside) {
        if let Some(t) = inside.triangles.first() {
            parts.push(format!(
                "{} inside the body \"{}\", the first {}",
                plural(inside.count(), "triangle", "triangles"),
                body.name,
                name(model, *t)
            ));
        }
    }
    parts.join(", and ")
}

/// A triangle by the vertices of its cloth.
fn name(model: &Model, t: u32) -> String {
    let corners = model.mesh.triangles[t as usize];
    let cloth = model.cloth_of[corners[0] as usize] as usize;
    let [a, b, c] = corners.map(|v| v - model.vertices[cloth].start);
    format!("{a}–{b}–{c} of \"{}\"", model.names[cloth])
}
