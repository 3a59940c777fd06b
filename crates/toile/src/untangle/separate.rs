//! Separates what no longer intersects to the distance that solvers keep.

use super::cloth::{Cloth, Moves};
use super::{Audited, place};
use crate::error::Error;
use glam::DVec3;
use toile_collide::broad::Detector;
use toile_collide::distance;
use toile_collide::proximity::self_proximity;
use toile_sim::World;

/// Most rounds.
const MAX_ROUNDS: u32 = 60;
/// Rounds that may fail, each with half the displacement of the one before.
const MAX_FAILED_ROUNDS: u32 = 5;
/// What pairs are moved to, as a multiple of the distance kept.
const SEPARATION_MARGIN: f64 = 1.1;

/// Moves cloth apart that is nearer than `gap` to cloth, or too near to bodies, as far as nothing intersects;
/// returns how many vertices the solver still finds too near.
pub(super) fn separate(
    world: &mut World,
    audited: &Audited,
    cloth: &mut Cloth<'_>,
    gap: f64,
) -> Result<usize, Error> {
    let model = cloth.model;
    let (uv, piece) = model.texture();
    let tree = world.settings().collision.tree;
    let mut detector = Detector::for_cloth_with(model.surface(), &uv, &piece, tree);
    let (mut part, mut failures) = (1.0, 0);
    for _ in 0..MAX_ROUNDS {
        place(world, cloth.x.clone())?;
        let too_close = world.separation_violations()?;
        let mut moves = Moves::new(cloth.x.len());
        for (v, displacement) in
            too_close.iter().filter(|(_, displacement)| *displacement != DVec3::ZERO)
        {
            moves.wish(cloth, [*v], [1.0], *displacement * part);
        }
        if audited.itself {
            part_cloth(&mut detector, cloth, gap, part, &mut moves)?;
        }
        let from = cloth.x.clone();
        if !moves.apply(cloth, cloth.edge) {
            break;
        }
        if audited.find(&cloth.x)?.count() > 0 {
            cloth.x = from;
            part *= 0.5;
            failures += 1;
            if failures == MAX_FAILED_ROUNDS {
                break;
            }
        }
    }
    place(world, cloth.x.clone())?;
    Ok(world.separation_violations()?.len())
}

/// Wishes of pairs of cloth that are nearer than `gap`.
fn part_cloth(
    detector: &mut Detector,
    cloth: &Cloth<'_>,
    gap: f64,
    part: f64,
    moves: &mut Moves,
) -> Result<(), Error> {
    let failed = |e: toile_collide::NotFinite| Error::Audit(e.to_string());
    let near = self_proximity(detector, &cloth.x, gap).map_err(failed)?;
    let wanted = |displacement: DVec3| {
        displacement.normalize_or_zero()
            * (part * (SEPARATION_MARGIN * gap - displacement.length()))
    };
    for pair in near.vf.iter().map(|n| n.pair) {
        let (v, [a, b, c]) = (pair[0], detector.surface.triangles[pair[1] as usize]);
        let face = [a, b, c].map(|v| cloth.at(v));
        let [i, j, k] = distance::point_triangle(cloth.at(v), face);
        let displacement = cloth.at(v) - (face[0] * i + face[1] * j + face[2] * k);
        moves.wish(cloth, [v, a, b, c], [1.0, -i, -j, -k], wanted(displacement));
    }
    for [a, b] in near.ee.iter().map(|n| n.pair.map(|e| detector.surface.edges[e as usize])) {
        let [p, q] = [a, b].map(|e| e.map(|v| cloth.at(v)));
        let [s, t] = distance::edge_edge(p, q);
        let displacement = p[0].lerp(p[1], s) - q[0].lerp(q[1], t);
        moves.wish(
            cloth,
            [a[0], a[1], b[0], b[1]],
            [1.0 - s, s, t - 1.0, -t],
            wanted(displacement),
        );
    }
    Ok(())
}
