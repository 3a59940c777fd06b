//! Progressive draping: cloth in large cells first, then in smaller ones.
//!
//! A cloth of a quarter of the vertices takes about a quarter of the time, and most of a drape is the way to it. With
//! `levels = 3` in a scene, the first half of its duration is simulated with cells of four times the length, the next quarter
//! with twice the length, and the last quarter with those of the scene.
//!
//! Grids nest: halving the cells puts every new vertex in the middle between two old ones, and the diagonals of the small cells run
//! along those of the large, alternating or not. So the fine cloth that a coarse one carries lies in its triangles to the last
//! bits: each level begins free of intersections because the one before was. Only the vertices of a sharp fold may be nearer to each other than
//! the thickness; threads push them apart.
//!
//! The world of the scene holds the state all the time, carried by the coarse one. Where vertices coincide nothing is rounded, so
//! the coarse state can be read off it again: frames, audits and saved states need not know of levels.

use crate::error::Error;
use crate::run::StopFlag;
use crate::scene::Diagonals;
use crate::untangle;
use glam::DVec3;
use std::sync::Arc;
use toile_mesh::{TriMesh, shape};
use toile_sim::barrier::Anchors;
use toile_sim::{PreviousStep, State, StepReport, World};

/// Most levels: the coarsest has a thousandth of the vertices.
pub(crate) const MAX_LEVELS: u32 = 6;

/// The first step that is not taken with cells of 2^`coarser` times the length, of all `steps` of a run with `levels`.
pub(crate) fn until(steps: u64, levels: u32, coarser: u32) -> u64 {
    steps - (steps >> (levels - coarser)).max(1).min(steps)
}

/// How the vertices of a grid lie among those of the one with cells twice as long.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct GridNesting {
    /// Each vertex lies in the middle between two coarse ones, which may be the same.
    between: Vec<[u32; 2]>,
    /// The vertex that each coarse one coincides with.
    kept: Vec<u32>,
}

impl GridNesting {
    /// Takes up a grid of so many cells, both even, behind the cloths that are there.
    pub(crate) fn add_grid(&mut self, [nu, nv]: [usize; 2], diagonals: Diagonals) {
        let (fine, coarse) = (self.between.len(), self.kept.len());
        let at = |i: usize, j: usize| (coarse + i * (nv / 2 + 1) + j) as u32;
        for i in 0..=nu {
            for j in 0..=nv {
                let (p, r) = ((i / 2, j / 2), (i.div_ceil(2), j.div_ceil(2)));
                let across = i % 2 == 1 && j % 2 == 1 && !rises(diagonals, p);
                self.between.push(match across {
                    false => [at(p.0, p.1), at(r.0, r.1)],
                    true => [at(r.0, p.1), at(p.0, r.1)],
                });
            }
        }
        let kept = |i: usize| (0..=nv / 2).map(move |j| (fine + 2 * i * (nv + 1) + 2 * j) as u32);
        self.kept.extend((0..=nu / 2).flat_map(kept));
    }

    /// Takes up other cloths behind those that are there.
    fn append(&mut self, other: Self) {
        let (fine, coarse) = (self.between.len() as u32, self.kept.len() as u32);
        self.between.extend(other.between.iter().map(|pair| pair.map(|v| coarse + v)));
        self.kept.extend(other.kept.iter().map(|v| fine + v));
    }

    /// Takes up a cloth that is the same on both levels.
    pub(crate) fn add_same(&mut self, vertices: usize) {
        let (fine, coarse) = (self.between.len() as u32, self.kept.len() as u32);
        let all = 0..vertices as u32;
        self.between.extend(all.clone().map(|v| [coarse + v; 2]));
        self.kept.extend(all.map(|v| fine + v));
    }

    fn prolongated(&self, coarse: &[DVec3]) -> Vec<DVec3> {
        let middle = |[a, b]: [u32; 2]| match a == b {
            true => coarse[a as usize],
            false => (coarse[a as usize] + coarse[b as usize]) * 0.5,
        };
        self.between.iter().map(|pair| middle(*pair)).collect()
    }
}

/// Whether the diagonal of a cell runs from its first corner to the opposite one, as [`shape::grid`] has it.
fn rises(diagonals: Diagonals, (i, j): (usize, usize)) -> bool {
    diagonals == Diagonals::Same || (i + j).is_multiple_of(2)
}

/// One sheet of cloth on a level.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub(crate) mesh: TriMesh,
    /// Its cells, if it is a grid.
    pub(crate) cells: Option<[usize; 2]>,
    /// The vertices that each of its pins holds, ascending.
    pub(crate) pins: Vec<Vec<u32>>,
}

impl Sheet {
    /// As the scene has it.
    pub(crate) fn new(mesh: TriMesh, cells: Option<[usize; 2]>, mut pins: Vec<Vec<u32>>) -> Self {
        pins.iter_mut().for_each(|p| p.sort_unstable());
        Self { mesh, cells, pins }
    }

    /// The same with cells of twice the length, made of vertices that it has; meshes stay as they are. How it nests is added to
    /// `nest`.
    ///
    /// # Errors
    /// The number of a pin, if it holds a vertex that larger cells lack and do not carry: that would hang free at first, and be torn back.
    pub(crate) fn coarser(
        self,
        diagonals: Diagonals,
        nest: &mut GridNesting,
    ) -> Result<Self, usize> {
        let Some([nu, nv]) = self.cells else {
            nest.add_same(self.mesh.positions.len());
            return Ok(self);
        };
        let mut own = GridNesting::default();
        own.add_grid([nu, nv], diagonals);
        let number = |v: &u32| own.kept.binary_search(v).ok().map(|k| k as u32);
        let pins: Vec<Vec<u32>> =
            self.pins.iter().map(|pin| pin.iter().filter_map(number).collect()).collect();
        for (n, (before, pin)) in self.pins.iter().zip(&pins).enumerate() {
            let held = |coarse: &u32| pin.binary_search(coarse).is_ok();
            if !before.iter().all(|v| own.between[*v as usize].iter().all(held)) {
                return Err(n);
            }
        }
        let cells = [nu / 2, nv / 2];
        let mut mesh = shape::grid(1.0, 1.0, cells[0], cells[1], diagonals.into());
        mesh.positions = own.kept.iter().map(|v| self.mesh.positions[*v as usize]).collect();
        mesh.uv = own.kept.iter().map(|v| self.mesh.uv[*v as usize]).collect();
        nest.append(own);
        Ok(Self { mesh, cells: Some(cells), pins })
    }
}

/// A world with larger cells.
#[derive(Debug)]
pub(crate) struct Level {
    world: World,
    /// The first step that it does not take.
    pub(crate) until: u64,
    /// The ways down to the scene's own cells, from here on.
    nests: Vec<Arc<GridNesting>>,
    /// The scene's own vertex that each one coincides with.
    kept: Vec<u32>,
}

impl Level {
    pub(crate) fn new(mut world: World, until: u64, nests: Vec<Arc<GridNesting>>) -> Self {
        // Its solver is set up again by its first step, if it is still to take any.
        world.release_solver();
        let mut kept: Vec<u32> = (0..world.model().mass.len() as u32).collect();
        for nest in &nests {
            kept.iter_mut().for_each(|v| *v = nest.kept[*v as usize]);
        }
        Self { world, until, nests, kept }
    }

    /// As [`World::stop_with`].
    pub(crate) fn stop_with(&mut self, flag: &StopFlag) {
        self.world.stop_with(flag.shared());
    }

    /// Its world, to be changed.
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// One step; the world of the scene is carried along.
    pub(crate) fn step(&mut self, scene: &mut World) -> Result<StepReport, Error> {
        self.world.restore(self.restricted(scene.state()))?;
        if scene.state().step == 0 {
            self.check_start()?;
        }
        let report = self.world.step().map_err(|e| self.in_the_scene(e))?;
        scene.restore(self.prolongated(self.world.state()))?;
        if scene.state().step >= self.until {
            self.world.release_solver();
        }
        Ok(report)
    }

    /// Whether the first step can begin here: a coarse cloth cuts corners that the fine one goes around.
    fn check_start(&mut self) -> Result<(), Error> {
        if untangle::is_clear(&mut self.world)? {
            return Ok(());
        }
        let message = "in larger cells the cloth begins too near to itself or to a body";
        Err(Error::request(message, "ask for fewer `levels`, or for more cells"))
    }

    /// The state of the scene as this level has it. Friction belongs to the level that took the last step.
    fn restricted(&self, state: &State) -> State {
        let of = |all: &[DVec3]| self.kept.iter().map(|v| all[*v as usize]).collect();
        let before = state.previous_step.as_ref();
        State {
            time: state.time,
            step: state.step,
            x: of(&state.x),
            v: of(&state.v),
            anchors: state.anchors.clone(),
            previous_step: before.map(|b| PreviousStep { h: b.h, x: of(&b.x), v: of(&b.v) }),
            slider_positions: state.slider_positions.clone(),
        }
    }

    /// The state of this level as the scene has it; the next level does not know its friction, nor the step before.
    fn prolongated(&self, state: &State) -> State {
        let of = |all: &[DVec3]| {
            let mut nests = self.nests.iter();
            let first = nests.next().map_or_else(|| all.to_vec(), |n| n.prolongated(all));
            nests.fold(first, |x, nest| nest.prolongated(&x))
        };
        let goes_on = state.step < self.until;
        let before = state.previous_step.as_ref().filter(|_| goes_on);
        State {
            time: state.time,
            step: state.step,
            x: of(&state.x),
            v: of(&state.v),
            anchors: if goes_on { state.anchors.clone() } else { Anchors::default() },
            previous_step: before.map(|b| PreviousStep { h: b.h, x: of(&b.x), v: of(&b.v) }),
            slider_positions: if goes_on { state.slider_positions.clone() } else { Vec::new() },
        }
    }

    /// An error with the scene's own number of the vertex it names.
    fn in_the_scene(&self, mut error: toile_sim::Error) -> toile_sim::Error {
        if let toile_sim::Error::Unresolved { vertex, .. }
        | toile_sim::Error::NotFinite { vertex, .. } = &mut error
            && let Some(own) = self.kept.get(*vertex as usize)
        {
            *vertex = *own;
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of large cells crumpled at random, and the grid of cells half as long that it carries.
    fn crumpled(cells: [usize; 2], diagonals: Diagonals) -> (TriMesh, TriMesh) {
        let mut fine = shape::grid(1.0, 1.0, cells[0], cells[1], diagonals.into());
        let mut nest = GridNesting::default();
        let sheet = Sheet::new(fine.clone(), Some(cells), Vec::new());
        let mut coarse = sheet.coarser(diagonals, &mut nest).unwrap().mesh;
        let mut random = crate::Generator::new(7);
        for p in &mut coarse.positions {
            *p += DVec3::from_array([(); 3].map(|()| random.uniform(-0.2, 0.2)));
        }
        fine.positions = nest.prolongated(&coarse.positions);
        (coarse, fine)
    }

    #[test]
    fn a_fine_grid_lies_in_the_triangles_of_the_coarse_one() {
        for diagonals in [Diagonals::Alternating, Diagonals::Same] {
            let (coarse, fine) = crumpled([6, 10], diagonals);
            let corners = |mesh: &TriMesh, t: &[u32; 3]| t.map(|v| mesh.positions[v as usize]);
            for t in &fine.triangles {
                let own = corners(&fine, t);
                let within = |p: DVec3, [a, b, c]: [DVec3; 3]| {
                    let w = weights(p, [a, b, c]);
                    (a * w[0] + b * w[1] + c * w[2]).distance(p) < 1e-12
                        && w.iter().all(|w| *w > -1e-9)
                };
                let lies = coarse.triangles.iter().any(|large| {
                    let large = corners(&coarse, large);
                    own.iter().all(|p| within(*p, large))
                });
                assert!(lies, "{diagonals:?}: {t:?}");
            }
        }
    }

    /// Weights of the point of a plane that is nearest to `p`.
    fn weights(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
        let n = (b - a).cross(c - a);
        let of = |e: DVec3, f: DVec3| e.cross(f).dot(n) / n.length_squared();
        let (v, w) = (of(p - a, c - a), of(b - a, p - a));
        [1.0 - v - w, v, w]
    }

    #[test]
    fn what_is_kept_comes_back_bit_for_bit_and_pins_keep_their_vertices() {
        let mut nest = GridNesting::default();
        nest.add_same(3);
        nest.add_grid([4, 2], Diagonals::Alternating);
        let coarse: Vec<DVec3> =
            (0..9).map(|k| DVec3::new(0.1 * f64::from(k), 1e-300, -0.7)).collect();
        assert_eq!(nest.kept.len(), 3 + 3 * 2);
        let fine = nest.prolongated(&coarse);
        assert_eq!(fine.len(), 3 + 5 * 3);
        let back: Vec<DVec3> = nest.kept.iter().map(|v| fine[*v as usize]).collect();
        assert_eq!(back, coarse);
        // Of the left edge, vertices 0 to 2, the middle one is carried by the others; alone it has none to carry it.
        let pinned = |pin: &[u32]| {
            let grid = shape::grid(1.0, 1.0, 4, 2, shape::Diagonals::Alternating);
            let sheet = Sheet::new(grid, Some([4, 2]), vec![vec![2, 0], pin.to_vec()]);
            sheet.coarser(Diagonals::Alternating, &mut GridNesting::default()).map(|s| s.pins)
        };
        assert_eq!(pinned(&[2, 1, 0]), Ok(vec![vec![0, 1], vec![0, 1]]));
        assert_eq!(pinned(&[1]), Err(1));
        assert_eq!(pinned(&[0, 1]), Err(1));
    }

    #[test]
    fn the_smallest_cells_take_the_last_part() {
        assert_eq!(until(200, 3, 2), 100);
        assert_eq!(until(200, 3, 1), 150);
        assert_eq!(until(7, 2, 1), 4);
        assert_eq!(until(0, 4, 3), 0);
        // However few there are, the scene's own cells take one.
        assert_eq!([5, 4, 3, 2, 1].map(|coarser| until(10, 6, coarser)), [5, 8, 9, 9, 9]);
    }
}
