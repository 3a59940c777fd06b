//! Scattering of light at a surface.
//!
//! Directions are unit vectors in a local frame, pointing away from the surface; z is the shading
//! normal on the side of the viewer, so the outgoing direction `o` has z > 0. `eval` gives f(o, i) |cos i|,
//! `pdf` the density of `sample` over solid angle. What is let through straight without being
//! scattered (the gaps of cloth) is no part of this: the integrator treats it as opacity.

pub(crate) mod coated;
pub(crate) mod ggx;
pub(crate) mod matte;
pub(crate) mod sggx;
#[cfg(test)]
mod tests;

use self::coated::Coat;
use self::matte::{Matte, Thin};
use crate::appearance::yarn::YarnBsdf;
use glam::Vec3;

/// A direction drawn by a BSDF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    /// Where the light comes from.
    pub(crate) dir: Vec3,
    /// f |cos| / pdf.
    pub(crate) weight: Vec3,
    pub(crate) pdf: f32,
}

/// The scattering function at one point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bsdf<'a> {
    /// A rough diffuse surface.
    Matte(Matte),
    /// A diffuse base under a dielectric coat, or a metal.
    Coated { coat: &'a Coat, colour: Vec3 },
    /// Cloth seen from afar or by way of other surfaces.
    Thin(Thin),
    /// A point of a yarn in a cloth.
    Yarn(YarnBsdf<'a>),
}

impl Bsdf<'_> {
    /// f(o, i) |cos i|.
    pub(crate) fn eval(&self, o: Vec3, i: Vec3) -> Vec3 {
        match self {
            Self::Matte(b) => b.eval(o, i),
            Self::Coated { coat, colour } => coat.eval(*colour, o, i),
            Self::Thin(b) => b.eval(i),
            Self::Yarn(b) => b.eval(o, i),
        }
    }

    /// Density of [`Bsdf::sample`].
    pub(crate) fn pdf(&self, o: Vec3, i: Vec3) -> f32 {
        match self {
            Self::Matte(b) => b.pdf(i),
            Self::Coated { coat, colour } => coat.pdf(*colour, o, i),
            Self::Thin(b) => b.pdf(i),
            Self::Yarn(b) => b.pdf(o, i),
        }
    }

    /// Both at once: they have much in common.
    pub(crate) fn eval_and_pdf(&self, o: Vec3, i: Vec3) -> (Vec3, f32) {
        match self {
            Self::Yarn(b) => b.eval_and_pdf(o, i),
            _ => (self.eval(o, i), self.pdf(o, i)),
        }
    }

    /// A direction for the points `lobe` and `place`; `None` if the light is absorbed.
    pub(crate) fn sample(&self, o: Vec3, lobe: f32, place: [f32; 2]) -> Option<Drawn> {
        let dir = match self {
            Self::Matte(_) => crate::warp::cosine_hemisphere(place),
            Self::Coated { coat, colour } => coat.sample(*colour, o, lobe, place),
            Self::Thin(b) => b.sample(lobe, place),
            Self::Yarn(b) => b.sample(o, lobe, place)?,
        };
        let (light, pdf) = self.eval_and_pdf(o, dir);
        if pdf.is_nan() || pdf <= 0.0 {
            return None;
        }
        let weight = light / pdf;
        (weight.max_element() > 0.0).then_some(Drawn { dir, weight, pdf })
    }

    /// Whether light from below the surface matters.
    pub(crate) fn transmits(&self) -> bool {
        match self {
            Self::Thin(b) => b.transmitted != Vec3::ZERO,
            Self::Yarn(b) => b.transmits(),
            _ => false,
        }
    }

    /// Colour of the surface, for the denoiser: about what it reflects of even light.
    pub(crate) fn albedo(&self) -> Vec3 {
        match self {
            Self::Matte(b) => b.colour,
            Self::Coated { coat, colour } => coat.albedo(*colour),
            Self::Thin(b) => b.reflected + b.transmitted,
            Self::Yarn(b) => b.albedo(),
        }
    }
}
