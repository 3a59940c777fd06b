//! Directions truncated per vertex.
//!
//! If one pair limits a direction to a thousandth, and all vertices are limited with it, a step takes hundreds of iterations: the
//! pair loses most of its gap in each of them, and opens it again by no more than the gap. Here only the vertices of such pairs are truncated
//! to what is feasible for them; pairs that then collide with others are found and truncated in turn. So one tight pair does
//! not stall the cloth [chen2025ogc]. Every round queries the broad phase anew: which neighbours it prunes depends on how all move together.

use super::direction::SearchDirection;
use super::iterate::Iterate;
use super::newton::Failure;
use super::solver::Solver;
use super::statistics::SolverStatistics;
use super::system::LinearSystem;
use crate::clock::Clock;
use glam::DVec3;

/// Most rounds of truncation.
const MAX_ROUNDS: u32 = 6;
/// Vertices are truncated a little more than they must be, so that neighbours that follow do not limit them again.
const TRUNCATION_MARGIN: f64 = 0.9;

impl Solver {
    /// The direction truncated per vertex, or as it was if that is feasible as far.
    pub(super) fn truncated_direction(
        &mut self,
        it: &mut Iterate<'_>,
        whole: SearchDirection,
        step_limits: Vec<(u32, f64)>,
        system: &LinearSystem,
        statistics: &mut SolverStatistics,
    ) -> Result<SearchDirection, Failure> {
        let clock = Clock::start();
        let mut d = whole.d.clone();
        let max_step = self.truncate(it, &mut d, step_limits, statistics)?;
        let slope = system.predicted_decrease(&d);
        // While pins and bodies move, the potential may rise.
        let truncated = if max_step > whole.max_step && (it.kinematic_fraction < 1.0 || slope > 0.0)
        {
            SearchDirection { d, slope, max_step, ..whole }
        } else {
            self.candidates_along(it, &whole.d, statistics)?;
            whole
        };
        statistics.seconds.collision += clock.seconds();
        Ok(truncated)
    }

    /// Truncates `d` for the vertices of pairs that come too near, as long as there are any; returns the largest feasible step of all of it
    /// then. Pairs with a prescribed point that moves limit all: its motion is prescribed.
    fn truncate(
        &mut self,
        it: &mut Iterate<'_>,
        d: &mut [DVec3],
        mut step_limits: Vec<(u32, f64)>,
        statistics: &mut SolverStatistics,
    ) -> Result<f64, Failure> {
        for _ in 0..MAX_ROUNDS {
            let limits_per_vertex = limits_per_vertex(it, d, &step_limits);
            if limits_per_vertex.is_empty() {
                break;
            }
            limits_per_vertex.iter().for_each(|(p, part)| d[*p as usize] *= *part);
            let ends = self.candidates_along(it, d, statistics)?;
            step_limits = self.step_limits(&it.candidates, &it.y, &ends);
        }
        let first = step_limits.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((pair, _)) = first {
            it.note_blocker(*pair, self.masses.len());
        }
        Ok(first.map_or(1.0, |(_, time)| time.min(1.0)))
    }

    /// Finds the candidates along a direction anew; returns where it ends.
    fn candidates_along(
        &mut self,
        it: &mut Iterate<'_>,
        d: &[DVec3],
        statistics: &mut SolverStatistics,
    ) -> Result<Vec<DVec3>, Failure> {
        let ends: Vec<DVec3> = it.y.iter().zip(d).map(|(y, d)| *y + *d).collect();
        statistics.queries += 1;
        statistics.tested +=
            self.update_candidates(&it.y, &ends, &mut it.candidates, Some(&mut it.energy))?.tested;
        Ok(ends)
    }
}

/// The vertices that these limits truncate, ascending, each with the fraction of its displacement that it keeps.
fn limits_per_vertex(it: &Iterate<'_>, d: &[DVec3], step_limits: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let moves_prescribed = |p: &u32| it.prescribed[*p as usize] && d[*p as usize] != DVec3::ZERO;
    let mut limits_per_vertex = Vec::new();
    for (pair, time) in step_limits {
        let points = it.candidates[*pair as usize].points;
        if !points.iter().any(moves_prescribed) {
            let free = points.into_iter().filter(|p| !it.prescribed[*p as usize]);
            limits_per_vertex.extend(free.map(|p| (p, TRUNCATION_MARGIN * time.clamp(0.0, 1.0))));
        }
    }
    limits_per_vertex.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    limits_per_vertex.dedup_by_key(|(p, _)| *p);
    limits_per_vertex
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::iterate::{ExternalAcceleration, StepStart};
    use crate::barrier::test_sheets::{EACH, THICKNESS, sheets};
    use crate::barrier::{Anchors, Law};

    /// The vertex in the middle of the sheet above.
    const MIDDLE: usize = EACH + EACH / 2;
    /// All vertices move so; the middle moves down, far through the sheet below.
    const ALL: DVec3 = DVec3::new(1e-2, 0.0, 0.0);
    const DOWN: DVec3 = DVec3::new(1e-2, -0.1, 0.0);

    #[test]
    fn a_query_that_finds_more_pairs_than_are_kept_fails_instead_of_growing() {
        let (mut solver, x) = sheets(Law::Log);
        assert!(solver.separation_violations(&x, 0.0).is_ok());
        solver.finder.max_candidates = 10;
        let failed = solver.separation_violations(&x, 0.0);
        assert_eq!(failed, Err(crate::barrier::Failure::TooManyPairs { most: 10 }));
    }

    /// Truncates a direction; returns it, and its largest feasible step before and after.
    fn truncated(pinned: &[(u32, DVec3)]) -> (Vec<DVec3>, f64, f64) {
        let (mut solver, x) = sheets(Law::Log);
        let v = vec![DVec3::ZERO; x.len()];
        let start = StepStart {
            x: &x,
            v: &v,
            external_acceleration: ExternalAcceleration::Uniform(DVec3::ZERO),
            t: 0.0,
            h: 0.01,
            pinned,
            seams: &[],
            anchors: &Anchors::default(),
            previous_step: None,
        };
        let mut statistics = SolverStatistics::default();
        let mut it = solver.first_iterate(&start, &mut statistics).unwrap();
        let mut d = vec![ALL; it.y.len()];
        d[MIDDLE] = DOWN;
        let ends = solver.candidates_along(&mut it, &d, &mut statistics).unwrap();
        let step_limits = solver.step_limits(&it.candidates, &it.y, &ends);
        let first = step_limits.iter().map(|(_, time)| *time).fold(1.0, f64::min);
        assert!(first < 0.01, "it is stopped early: {first}");
        let max_step = solver.truncate(&mut it, &mut d, step_limits, &mut statistics).unwrap();
        let ends: Vec<DVec3> = it.y.iter().zip(&d).map(|(y, d)| *y + *d * max_step).collect();
        assert_apart(&x, &ends);
        (d, first, max_step)
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
        let (d, _, max_step) = truncated(&[]);
        assert!(max_step > 0.9, "{max_step}");
        assert!(d[MIDDLE].length() < 0.01 * DOWN.length(), "{}", d[MIDDLE]);
        // Below, three corners of a face and their neighbours may be truncated; all others keep their displacement.
        let slower: Vec<usize> = (0..d.len()).filter(|i| d[*i] != ALL).collect();
        assert!(slower.len() < EACH, "{slower:?}");
        assert!(slower.iter().all(|i| *i < 2 * EACH), "the sheet far away goes on: {slower:?}");
    }

    #[test]
    fn what_is_prescribed_does_not_give_way_and_stops_all() {
        let (_, x) = sheets(Law::Log);
        let (d, first, max_step) = truncated(&[(MIDDLE as u32, x[MIDDLE] + DOWN)]);
        assert_eq!(max_step, first);
        assert!(d.iter().enumerate().all(|(i, d)| *d == if i == MIDDLE { DOWN } else { ALL }));
    }
}
