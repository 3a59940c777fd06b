//! The next garment of an outfit, put around those that are worn.
//!
//! What is worn stays where it is, sewn, and free to move. The panels of the next garment stand around body and cloth, and the sewing begins again
//! in a world of both: without gravity, so that what is worn rests where it was, and with contact, so that a waistband that is drawn together
//! over the hem of a shirt presses that to the body.

use super::setup::joined;
use super::{Fitting, Stage, order, world};
use crate::arrange::Arrangement;
use crate::error::Error;
use crate::weld::{Meet, Weld};
use glam::DVec3;
use toile_audit::Shape;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;

/// Rounds in which panels that are too near to something are moved from it.
const ROUNDS: u32 = 4;

/// Steps of draping after which a garment has come down to where it hangs.
const HANGS: u32 = 30;

impl Fitting {
    /// How many panels are sewn or being sewn.
    pub(crate) fn panel_count(&self) -> usize {
        self.ranges.len()
    }

    /// What is worn, as a mesh without material coordinates.
    pub(crate) fn worn_mesh(&self) -> TriMesh {
        let model = self.world.model();
        TriMesh::new(self.world.state().x.clone(), model.mesh.triangles.clone())
    }

    /// A fitting of what is worn and of the panels that are arranged around it; `mesh` has all of them, those worn first. Nothing, if the panels
    /// are too near to something, or seams of what is worn are open yet.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub(crate) fn over(
        &self,
        mesh: &PatternMesh,
        next: &Arrangement,
    ) -> Result<Option<Self>, Error> {
        if self.open_stitches() > 0 {
            return Ok(None);
        }
        let worn = self.at.len() as u32;
        let offsets = mesh.offsets();
        let own = offsets.windows(2).take(self.panel_count());
        let mut panels: Vec<Vec<DVec3>> =
            own.map(|w| (w[0]..w[1]).map(|v| self.position(v)).collect()).collect();
        panels.extend(next.panels.iter().cloned());
        let bands = [&self.bands[..], &next.bands].concat();
        let is_framed = self.is_framed || next.is_framed;
        let mut sleeves = vec![None; self.panel_count()];
        sleeves.extend(next.sleeves.iter().copied());
        let all = Arrangement { panels, bands, sleeves, is_framed };
        let (mut panels, ranges) = joined(mesh, &all);
        // Narrow while it is basted.
        let loose = self.basting.loose.as_ref().map(|_| panels.uv[..worn as usize].to_vec());
        if loose.is_some() {
            panels.uv[..worn as usize].copy_from_slice(&self.panels.uv);
        }
        let is_sewn = |pair: &[u32; 2]| pair.iter().all(|v| *v < worn);
        let pairs = mesh.sewn_pairs();
        let sewn: Vec<[u32; 2]> = pairs.iter().filter(|p| is_sewn(p)).copied().collect();
        // Vertices that are joined already are in the same place to the last bit.
        let mut weld = Weld::new(&panels, &panels.positions, &sewn, Meet::First);
        let made = |positions: TriMesh| {
            world(positions, &ranges, &self.body, &self.fabrics, Some(0.0), Stage::Sewing)
        };
        let solid = Shape::from(&self.body);
        let mut clear = None;
        for _ in 0..ROUNDS {
            let mut world = made(weld.mesh.clone())?;
            let near = world.separation_violations()?;
            if near.is_empty() && weld.faults(&solid)?.is_empty() {
                clear = Some(world);
                break;
            }
            near.iter().for_each(|(v, by)| weld.mesh.positions[*v as usize] += *by);
        }
        let Some(mut world) = clear else { return Ok(None) };
        let mut state = toile_sim::State::at_rest(weld.mesh.positions.clone());
        (state.step, state.time) = (self.world.state().step, self.world.state().time);
        world.restore(state)?;
        let (body, fabrics) = (&self.body, &self.fabrics);
        let mut fitting = Self::assembled(mesh, panels, ranges, &all.bands, body, fabrics, world);
        fitting.at = weld.map;
        fitting.joined = pairs.iter().map(is_sewn).collect();
        let (sleeves, at) = (&all.sleeves, &fitting.panels.positions);
        fitting.first = order::first(mesh, at, &fitting.body, sleeves);
        let due = fitting.first.iter().zip(&fitting.joined);
        fitting.is_first = due.into_iter().any(|(first, joined)| *first && !joined);
        (fitting.is_framed, fitting.worn) = (is_framed, worn);
        (fitting.grip, fitting.elastic) = (self.grip, self.elastic.clone());
        fitting.basting.loose = loose;
        fitting.stop_with(self.stop_flag());
        fitting.thread()?;
        Ok(Some(fitting))
    }

    /// Whether it hangs well enough for the next garment to be put over it.
    pub(crate) fn is_worn(&self) -> bool {
        let hangs = self.stage == Stage::Draping && self.steps >= HANGS;
        let is_held = self.is_basted() && self.basting.steps == 0;
        self.stage == Stage::Done || (hangs || is_held) && self.open_stitches() == 0
    }
}
