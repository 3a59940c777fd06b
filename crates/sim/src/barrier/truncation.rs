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
