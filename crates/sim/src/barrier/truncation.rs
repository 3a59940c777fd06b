//! Directions that are shortened for those in the way alone.
//!
//! If one pair stops a direction after a thousandth, and all vertices are stopped with it, a step takes hundreds of iterations: the
//! pair loses most of its gap in each of them, and opens it again by no more than the gap. Here the vertices of such a pair go as far
//! as it can, and all others on; what that brings into the way of others is found and shortened in turn. So one tight pair does not hold
//! up the cloth [chen2025ogc]. Every round looks for pairs anew: which of them are dismissed depends on how all move together.

use super::direction::{System, Way};
use super::newton::{Failure, Iterate, Solver, Stepped};
use glam::DVec3;
use std::time::Instant;

/// How often what is in the way is shortened.
const ROUNDS: u32 = 6;
/// Ways are shortened a little more than they must be, so that neighbours that follow do not stop them again.
const MARGIN: f64 = 0.9;

impl Solver {
    /// Where an iteration goes if a direction is shortened for those in the way, or the direction itself, if that leads no
    /// farther.
    pub(super) fn shortened(
        &mut self,
        it: &mut Iterate<'_>,
        whole: Way,
        impacts: Vec<(u32, f64)>,
        system: &System,
        report: &mut Stepped,
    ) -> Result<Way, Failure> {
        let clock = Instant::now();
        let mut d = whole.d.clone();
        let most = self.truncate(it, &mut d, impacts, report)?;
        let slope = system.promise(&d);
        // While pins and bodies are on their way, the potential may rise.
        let way = if most > whole.most && (it.part < 1.0 || slope > 0.0) {
            Way { d, slope, most, ..whole }
        } else {
            self.look_along(it, &whole.d, report)?;
            whole
        };
        report.seconds[0] += clock.elapsed().as_secs_f64();
        Ok(way)
    }

    /// Shortens `d` for the vertices of pairs that come too near on the way, as long as there are any; returns how far all of it
    /// can be followed then. Pairs with something that is led and moves stop all: it does not give way.
    fn truncate(
        &mut self,
        it: &mut Iterate<'_>,
        d: &mut [DVec3],
        mut impacts: Vec<(u32, f64)>,
        report: &mut Stepped,
    ) -> Result<f64, Failure> {
        for _ in 0..ROUNDS {
            let parts = parts(it, d, &impacts);
            if parts.is_empty() {
                break;
            }
            parts.iter().for_each(|(p, part)| d[*p as usize] *= *part);
            let ends = self.look_along(it, d, report)?;
            impacts = self.impacts(&it.pairs, &it.y, &ends);
        }
        let first = impacts.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((pair, _)) = first {
            it.stop_at(*pair, self.masses.len());
        }
        Ok(first.map_or(1.0, |(_, time)| time.min(1.0)))
    }

    /// Finds the pairs along a direction anew; returns where it ends.
    fn look_along(
        &mut self,
        it: &mut Iterate<'_>,
        d: &[DVec3],
        report: &mut Stepped,
    ) -> Result<Vec<DVec3>, Failure> {
        let ends: Vec<DVec3> = it.y.iter().zip(d).map(|(y, d)| *y + *d).collect();
        report.queries += 1;
        report.tested += self.renew(&it.y, &ends, &mut it.pairs, Some(&mut it.energy))?.tested;
        Ok(ends)
    }
}

/// The vertices that are shortened by these impacts, ascending, each with the part of its way that it keeps.
fn parts(it: &Iterate<'_>, d: &[DVec3], impacts: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let leads = |p: &u32| it.led[*p as usize] && d[*p as usize] != DVec3::ZERO;
    let mut parts = Vec::new();
    for (pair, time) in impacts {
        let points = it.pairs[*pair as usize].points;
        if !points.iter().any(leads) {
            let free = points.into_iter().filter(|p| !it.led[*p as usize]);
            parts.extend(free.map(|p| (p, MARGIN * time.clamp(0.0, 1.0))));
        }
    }
    parts.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    parts.dedup_by_key(|(p, _)| *p);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::newton::{Outer, Start};
    use crate::barrier::{Anchors, Barrier};
    use crate::fabric::Fabric;
    use crate::model::{Cloth, Model};
    use crate::sheet::{Bend, Sheet, Stretch};
    use toile_mesh::shape::{Diagonals, grid};

    const THICKNESS: f64 = 5e-4;
    const GAP: f64 = 5e-4;
    /// Cells along a side, and vertices of a sheet.
    const CELLS: usize = 6;
    const EACH: usize = (CELLS + 1) * (CELLS + 1);
    /// The vertex in the middle of the sheet above.
    const MIDDLE: usize = EACH + EACH / 2;
    /// All go this way; the middle goes down, far through the sheet below.
    const ALL: DVec3 = DVec3::new(1e-2, 0.0, 0.0);
    const DOWN: DVec3 = DVec3::new(1e-2, -0.1, 0.0);

    /// Three sheets: one, one close above it, and one far from both.
    fn sheets() -> (Solver, Vec<DVec3>) {
        let at = |to: DVec3| {
            let mut mesh = grid(0.3, 0.3, CELLS, CELLS, Diagonals::Alternating);
            mesh.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, 0.0, p.y + p.z) + to);
            let fabric = Fabric { thickness: THICKNESS, ..Fabric::default() };
            let grid = Some([CELLS, CELLS]);
            Cloth { name: "sheet".into(), mesh, grid, fabric, pieces: Vec::new() }
        };
        // Shifted by a third of a cell, so that the middle is above a face.
        let above = DVec3::new(0.017, THICKNESS + GAP, 0.011);
        let cloths = vec![at(DVec3::ZERO), at(above), at(DVec3::Y)];
        let sheet = Sheet::new(&cloths, Stretch::Stvk, Bend::Morley, &[]).unwrap();
        let model = Model::new(cloths, None).unwrap();
        let tree = toile_collide::Options::default();
        let near = (THICKNESS, true);
        let solver = Solver::new(Barrier::default(), sheet, &model, vec![], near, tree).unwrap();
        let x = model.mesh.positions;
        (solver, x)
    }

    /// Shortens a direction; the direction, and how far it could be followed before and can be after it.
    fn truncated(held: &[(u32, DVec3)]) -> (Vec<DVec3>, f64, f64) {
        let (mut solver, x) = sheets();
        let v = vec![DVec3::ZERO; x.len()];
        let start = Start {
            x: &x,
            v: &v,
            outer: Outer::Alike(DVec3::ZERO),
            t: 0.0,
            h: 0.01,
            held,
            seams: &[],
            anchors: &Anchors::default(),
            before: None,
        };
        let mut report = Stepped::default();
        let mut it = solver.begin(&start, &mut report).unwrap();
        let mut d = vec![ALL; it.y.len()];
        d[MIDDLE] = DOWN;
        let ends = solver.look_along(&mut it, &d, &mut report).unwrap();
        let impacts = solver.impacts(&it.pairs, &it.y, &ends);
        let first = impacts.iter().map(|(_, time)| *time).fold(1.0, f64::min);
        assert!(first < 0.01, "it is stopped early: {first}");
        let most = solver.truncate(&mut it, &mut d, impacts, &mut report).unwrap();
        let ends: Vec<DVec3> = it.y.iter().zip(&d).map(|(y, d)| *y + *d * most).collect();
        assert_apart(&x, &ends);
        (d, first, most)
    }

    /// Asserts that no vertex of the sheet above comes nearer to the one below than the thickness, which lies flat.
    fn assert_apart(x: &[DVec3], ends: &[DVec3]) {
        for (x, end) in x.iter().zip(ends).skip(EACH).take(EACH) {
            assert!(x.y.min(end.y) > THICKNESS, "{end}");
        }
        assert!(ends[..EACH].iter().all(|p| p.y == 0.0));
    }

    #[test]
    fn one_tight_pair_does_not_hold_up_the_others() {
        let (d, _, most) = truncated(&[]);
        assert!(most > 0.9, "{most}");
        assert!(d[MIDDLE].length() < 0.01 * DOWN.length(), "{}", d[MIDDLE]);
        // Below, three corners of a face and their neighbours may be in the way; all others go on as they were.
        let slower: Vec<usize> = (0..d.len()).filter(|i| d[*i] != ALL).collect();
        assert!(slower.len() < EACH, "{slower:?}");
        assert!(slower.iter().all(|i| *i < 2 * EACH), "the sheet far away goes on: {slower:?}");
    }

    #[test]
    fn what_is_led_does_not_give_way_and_stops_all() {
        let (_, x) = sheets();
        let (d, first, most) = truncated(&[(MIDDLE as u32, x[MIDDLE] + DOWN)]);
        assert_eq!(most, first);
        assert!(d.iter().enumerate().all(|(i, d)| *d == if i == MIDDLE { DOWN } else { ALL }));
    }
}
