//! Sewn vertices are joined where they are near, and ironed where they lie crosswise.

use super::{Fitting, Stage};
use crate::error::Error;
use crate::iron::iron;
use crate::weld::{Meet, Weld};
use glam::DVec3;
use toile_audit::Shape;
use toile_collide::field;
use toile_sim::{State, World};

/// Rounds in which what is to be joined is moved from the body, and then in which what cannot be joined is left out.
const JOINING_ROUNDS: u32 = 12;
/// Rings of edges that are ironed at most, and how many stitches apart what is ironed separately must be.
const IRON_RINGS: u32 = 6;
const IRON_APART: f64 = 8.0;

impl Fitting {
    /// Joins what is sewn and near enough, as far as nothing intersects; the rest stays on its threads.
    pub(super) fn weld(&mut self) -> Result<(), Error> {
        let mut x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
        let near = |i: &usize| !self.joined[*i] && self.gap(self.pairs[*i]) < 2.0 * self.closed;
        let mut wanted: Vec<usize> = (0..self.pairs.len()).filter(near).collect();
        // What could not be joined together may be joined one by one, or elsewhere.
        let attempt = self.attempts;
        self.attempts += 1;
        let meet = [Meet::Middle, Meet::First, Meet::Last][attempt % 3];
        if attempt % 2 == 1 && !wanted.is_empty() {
            wanted = vec![wanted[attempt / 2 % wanted.len()]];
        }
        let solid = Shape::from(&self.body);
        for round in 0..JOINING_ROUNDS {
            if wanted.is_empty() {
                return Ok(());
            }
            let old = (0..self.pairs.len()).filter(|i| self.joined[*i]);
            let pairs: Vec<[u32; 2]> =
                old.chain(wanted.iter().copied()).map(|i| self.pairs[i]).collect();
            let weld = Weld::new(&self.panels, &x, &pairs, meet);
            let mut faults: Vec<(u32, DVec3)> =
                weld.faults(&solid)?.into_iter().map(|v| (v, DVec3::ZERO)).collect();
            if faults.is_empty() {
                let mut world = self.world_of(weld.mesh.clone())?;
                faults = world.separation_violations()?;
                if faults.is_empty() {
                    return self.go_on_in(world, &weld, &wanted);
                }
            }
            let fault = |v: u32| {
                let at = faults.binary_search_by_key(&weld.map[v as usize], |f| f.0).ok()?;
                Some(faults[at].1)
            };
            // First what is too near to the body is moved away from it, then it is left out.
            let mut moved = vec![false; x.len()];
            if round < JOINING_ROUNDS / 2 {
                for v in wanted.iter().flat_map(|i| self.pairs[*i]) {
                    let correction = fault(v).unwrap_or_default();
                    if correction != DVec3::ZERO && !std::mem::replace(&mut moved[v as usize], true)
                    {
                        x[v as usize] += correction;
                    }
                }
            }
            if moved.contains(&true) {
                continue;
            }
            let left = wanted.len();
            wanted.retain(|i| !self.pairs[*i].into_iter().any(|v| fault(v).is_some()));
            if wanted.len() == left {
                // The fault is not in what is to be joined now, but beside it: cloth that is drawn tight over the body is nearer to it between
                // other neighbours.
                let beside = |v: usize| fault(v as u32).filter(|c| *c != DVec3::ZERO);
                let corrections: Vec<Option<DVec3>> = (0..x.len()).map(beside).collect();
                if corrections.iter().all(Option::is_none) || round + 1 == JOINING_ROUNDS {
                    return Ok(());
                }
                x.iter_mut().zip(corrections).for_each(|(x, c)| *x += c.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Joins what threads cannot bring together, and irons the cloth around it: as little of it as makes it lie free of
    /// intersections. What cannot be ironed stays as it is.
    pub(super) fn iron(&mut self) -> Result<(), Error> {
        let open: Vec<usize> = (0..self.pairs.len())
            .filter(|i| !self.joined[*i] && self.gap(self.pairs[*i]) < self.crosswise())
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let skin = match self.skin.take() {
            Some(skin) => skin,
            None => field::Solid::with_holes(&self.body.positions, &self.body.triangles)?,
        };
        let solid = Shape::from(&self.body);
        for corner in self.corners(&open) {
            let old = (0..self.pairs.len()).filter(|i| self.joined[*i]);
            let pairs: Vec<[u32; 2]> =
                old.chain(corner.iter().copied()).map(|i| self.pairs[i]).collect();
            let x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
            for rings in 1..=IRON_RINGS {
                let mut weld = Weld::new(&self.panels, &x, &pairs, Meet::Middle);
                let around: Vec<u32> =
                    corner.iter().map(|i| weld.map[self.pairs[*i][0] as usize]).collect();
                iron(&mut weld.mesh, &around, rings, &skin, self.closed);
                if !weld.faults(&solid)?.is_empty() {
                    continue;
                }
                let mut world = self.world_of(weld.mesh.clone())?;
                if world.separation_violations()?.is_empty() {
                    self.go_on_in(world, &weld, &corner)?;
                    break;
                }
            }
        }
        self.skin = Some(skin);
        Ok(())
    }

    /// Stitches in groups that are far from each other.
    fn corners(&self, stitches: &[usize]) -> Vec<Vec<usize>> {
        let x = &self.world.state().x;
        let place = |i: &usize| x[self.at[self.pairs[*i][0] as usize] as usize];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for i in stitches {
            let apart = IRON_APART * self.spacing;
            let near = |g: &Vec<usize>| g.iter().any(|k| place(k).distance(place(i)) < apart);
            // What joins several groups makes them one.
            let (mut joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
            joined.push(vec![*i]);
            groups = others;
            groups.push(joined.concat());
        }
        groups
    }

    /// Takes up a world of the joined mesh.
    pub(super) fn go_on_in(
        &mut self,
        mut world: World,
        weld: &Weld,
        wanted: &[usize],
    ) -> Result<(), Error> {
        let (old, mass) = (self.world.state(), &self.world.model().mass);
        // Momentum is kept.
        let n = weld.mesh.positions.len();
        let (mut momentum, mut masses) = (vec![DVec3::ZERO; n], vec![0.0; n]);
        let mut seen = vec![false; mass.len()];
        for (v, to) in weld.map.iter().enumerate() {
            let from = self.at[v] as usize;
            if std::mem::replace(&mut seen[from], true) {
                continue;
            }
            momentum[*to as usize] += old.v[from] * mass[from];
            masses[*to as usize] += mass[from];
        }
        let mut state = State::at_rest(weld.mesh.positions.clone());
        state.v = momentum.iter().zip(&masses).map(|(p, m)| *p / *m).collect();
        (state.step, state.time) = (old.step, old.time);
        // A world counts from its beginning as long as all steps were of its length.
        let is_even = state.step as f64 * world.settings().step == state.time;
        self.clock = if is_even { (0, 0.0) } else { (state.step, state.time) };
        world.restore(state)?;
        world.stop_with(self.stop_flag());
        if self.stage == Stage::Draping {
            world.set_gravity(super::GRAVITY)?;
        }
        self.world = world;
        self.at.clone_from(&weld.map);
        wanted.iter().for_each(|i| self.joined[*i] = true);
        self.thread()
    }
}
