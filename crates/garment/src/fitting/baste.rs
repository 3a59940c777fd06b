//! Loose cloth held close to the body while another garment is sewn over it.
//!
//! A shirt is wider than the waist, and what of it is outside a waistband that closes is caught in the seam. Tailors baste such width away. Here
//! the material of what is worn is made narrower between crotch and armpits for as long as the next garment is sewn: at each height y by
//!
//! r(y) = 0.92 min(1, girth of the body / length of the cloth around it),
//!
//! so that it clings, and it passes to r = 1 above. Some steps without gravity bring the cloth to the body. When the seams of the outer garment are closed, the material gets
//! its width back.

use super::open::cut;
use super::{Fitting, Stage};
use crate::error::Error;
use crate::weld::{Meet, Weld};
use glam::{DVec2, DVec3};
use std::ops::Range;

/// Steps in which the cloth comes to the body.
const STEPS: u32 = 20;
/// Distance of the levels at which girths are compared [m].
const LEVEL: f64 = 0.02;
/// Over which height above the range the width comes back [m].
const FADE: f64 = 0.08;
/// Cloth is narrowed at all if it is so much wider than the body somewhere, and to no less than this.
const LOOSE: f64 = 0.9;
const NARROWEST: f64 = 0.6;
/// Girth of basted cloth over that of the body.
const TIGHT: f64 = 0.92;
/// How far from the body cloth belongs to the trunk [m].
const BESIDE: f64 = 0.1;

/// Width of the material that was taken away.
#[derive(Clone, Debug, Default)]
pub(super) struct Basting {
    /// Steps until the cloth lies at the body.
    pub(super) steps: u32,
    /// Material coordinates as they are cut, of the first vertices of the panels; nothing if all are.
    pub(super) loose: Option<Vec<DVec2>>,
}

impl Fitting {
    /// Whether loose cloth is being brought to the body, or has been.
    pub(crate) fn is_basted(&self) -> bool {
        self.basting.loose.is_some()
    }

    /// Begins to hold what is worn close to the body below a height [m]; whether anything is so loose.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub(crate) fn baste(&mut self, top: f64) -> Result<bool, Error> {
        let Some(narrow) = self.narrowed(top) else { return Ok(false) };
        let loose = std::mem::replace(&mut self.panels.uv, narrow);
        (self.stage, self.steps, self.has_friction) = (Stage::Sewing, 0, false);
        self.basting = Basting { steps: STEPS, loose: Some(loose) };
        self.rewoven()?;
        Ok(true)
    }

    /// Gives the material its width back.
    pub(super) fn unbaste(&mut self) -> Result<(), Error> {
        let Some(loose) = self.basting.loose.take() else { return Ok(()) };
        self.panels.uv[..loose.len()].copy_from_slice(&loose);
        self.rewoven()
    }

    /// The same cloth in a world of the present material coordinates.
    fn rewoven(&mut self) -> Result<(), Error> {
        let x: Vec<DVec3> = (0..self.at.len() as u32).map(|v| self.position(v)).collect();
        let sewn = self.pairs.iter().zip(&self.joined).filter(|(_, joined)| **joined);
        let sewn: Vec<[u32; 2]> = sewn.map(|(pair, _)| *pair).collect();
        let weld = Weld::new(&self.panels, &x, &sewn, Meet::First);
        let world = self.world_of(weld.mesh.clone())?;
        self.go_on_in(world, &weld, &[])
    }

    /// Material coordinates of the panels, narrower where the cloth is loose; nothing if it is not.
    fn narrowed(&self, top: f64) -> Option<Vec<DVec2>> {
        let x: Vec<DVec3> = (0..self.at.len() as u32).map(|v| self.position(v)).collect();
        let (low, _) = self.body.bounds()?;
        let count = ((top - low.y) / LEVEL).ceil().max(1.0) as usize;
        let level = |k: usize| top - LEVEL * k as f64;
        let ratios: Vec<f64> = (0..=count).map_while(|k| self.ratio(&x, level(k))).collect();
        if ratios.iter().all(|r| *r > LOOSE) {
            return None;
        }
        let ratios: Vec<f64> = ratios.into_iter().map(|r| TIGHT * r).collect();
        let lowest = level(ratios.len() - 1);
        let at = |y: f64| {
            if y >= top {
                let s = ((y - top) / FADE).min(1.0);
                return ratios[0] + s * (1.0 - ratios[0]);
            }
            let k = (top - y.max(lowest)) / LEVEL;
            let (i, s) = (k as usize, k.fract());
            let next = ratios[(i + 1).min(ratios.len() - 1)];
            ratios[i] + s * (next - ratios[i])
        };
        let mut uv = self.panels.uv.clone();
        for range in &self.ranges {
            let own = vertices(&self.panels.triangles, &range.triangles);
            let across = || own.iter().map(|v| uv[*v as usize].x);
            let ends =
                across().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], u| [a.min(u), b.max(u)]);
            let middle = 0.5 * (ends[0] + ends[1]);
            for v in own {
                let ratio = at(x[v as usize].y);
                uv[v as usize].x = middle + ratio * (uv[v as usize].x - middle);
            }
        }
        Some(uv)
    }

    /// Girth of the trunk over the length of the cloth around it at a height, at most 1; nothing below the crotch.
    fn ratio(&self, x: &[DVec3], y: f64) -> Option<f64> {
        let plane = toile_body::Plane::level(y);
        let loops = toile_body::slice(&self.body, plane);
        let girth = |l: &toile_body::Loop| l.girth(plane.normal);
        let trunk = loops.iter().max_by(|a, b| girth(a).total_cmp(&girth(b)))?;
        let (least, most) = trunk.bounds();
        // The trunk is in the middle; a leg is beside it.
        if least.x > 0.0 || most.x < 0.0 {
            return None;
        }
        let is_beside = |t: &[u32; 3]| {
            let p = t.iter().map(|v| x[*v as usize]).sum::<DVec3>() / 3.0;
            let d = (least - p).max(p - most);
            d.x.max(d.z) < BESIDE
        };
        let triangles = self.panels.triangles.iter().enumerate().filter(|(_, t)| is_beside(t));
        let cloth: f64 = triangles
            .map(|(k, t)| cut(self.panels.corners_uv(k), t.map(|v| x[v as usize].y - y)))
            .sum();
        Some(if cloth > 0.0 { (girth(trunk) / cloth).clamp(NARROWEST, 1.0) } else { 1.0 })
    }
}

/// The vertices of some triangles, ascending.
fn vertices(triangles: &[[u32; 3]], range: &Range<u32>) -> Vec<u32> {
    let own = &triangles[range.start as usize..range.end as usize];
    let mut all: Vec<u32> = own.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
