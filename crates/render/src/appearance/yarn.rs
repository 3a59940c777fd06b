//! Light scattered by a point of a yarn in a cloth.
//!
//! Seen from above, f |cos i| is the sum of
//! - fuzz: a thin layer of fibres that stand up, scattering once; all below is dimmed by it;
//! - surface: light reflected by the surfaces of fibres, single scattering in microflakes along the
//!   twisted fibres [wang2022, zhu2023]; the highlights of [irawan2012] come from the yarn's normals;
//! - inner: the same, wider, in the colour of the yarn, for light that went through a fibre or two;
//! - diffuse reflection and transmission, for light that met many;
//! - multiple: what all this and the other yarns keep, given back by (1 − E(o)) (1 − E(i)) / (1 − Ē)
//!   [kelemen2001], so that a white cloth in white light is white from all sides.
//!
//! A yarn's normal n leans from the normal of the cloth, so its terms are weighted by the share of the
//! view it takes, W(o) = (n · o) G(o) / (n_z o_z), and by (n · i) G(i): G is the masking function that makes
//! the mean of W one [heitz2014]. E is tabulated for the mean of the whole repeat. So the mean over the
//! repeat conserves energy and its reflection is reciprocal; a single point alone is neither.

use super::Fabric;
use super::fabric::Side;
use crate::bsdf::coated::reflect;
use crate::bsdf::ggx::dielectric;
use crate::bsdf::sggx::{Fibres, Meeting};
use crate::warp::{Basis, cosine_hemisphere, cosine_pdf};
use glam::Vec3;
use std::f32::consts::PI;

/// Fibres that stand up: their order.
const FUZZ: Fibres = Fibres { axis: Vec3::Z, alpha: 0.55 };

/// A point of a yarn as geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(super) normal: Vec3,
    /// Direction of the fibres.
    pub(super) axis: Vec3,
    /// 0 for the warp, 1 for the weft.
    pub(super) yarn: usize,
    /// Share of the light of the hemisphere that arrives.
    pub(super) open: f32,
}

/// Scattering at a point of a yarn, for one direction of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct YarnBsdf<'a> {
    side: &'a Side,
    /// The side that transmitted light comes from.
    behind: &'a Side,
    optics: &'a Lobes,
    facet: Facet,
    colour: Vec3,
    /// −1 if the material coordinates are mirrored, so that the tables are as well.
    mirror: f32,
    /// Share of the view that this facet takes, beyond its share of the cloth.
    weight: f32,
    /// Light of the view that passes the fuzz.
    pass: f32,
    /// Light of the view that single scattering does not return.
    lost: f32,
    shares: Shares,
    /// Colour by which light is divided before noise is smoothed.
    guide: Vec3,
}

/// The fibres that mirror one direction to another.
struct Between {
    half: Vec3,
    rough: Meeting,
    wide: Meeting,
    fuzz: Option<Meeting>,
}

impl Between {
    fn new(bsdf: &YarnBsdf<'_>, o: Vec3, i: Vec3) -> Self {
        let half = (o + i).normalize_or(Vec3::Z);
        let along = |alpha: f32| Fibres { axis: bsdf.facet.axis, alpha }.meeting(o, i, half);
        Self {
            half,
            rough: along(bsdf.optics.alpha),
            wide: along(bsdf.optics.inner_alpha),
            fuzz: (bsdf.side.fuzz > 0.0).then(|| FUZZ.meeting(o, i, half)),
        }
    }
}

/// How often each lobe is sampled.
#[derive(Clone, Copy, Debug, Default)]
struct Shares {
    fuzz: f32,
    surface: f32,
    inner: f32,
    diffuse: f32,
    transmitted: f32,
}

/// Numbers of the lobes of the yarns of one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lobes {
    pub(super) ior: f32,
    pub(super) gloss: f32,
    pub(super) alpha: f32,
    pub(super) inner: f32,
    pub(super) inner_alpha: f32,
    /// Share of the diffuse light that goes through.
    pub(super) transmission: f32,
}

impl<'a> YarnBsdf<'a> {
    /// The scattering at a facet; `o` is the direction of view.
    pub(super) fn new(
        fabric: &'a Fabric,
        front: bool,
        mirror: f32,
        facet: Facet,
        colour: Vec3,
        o: Vec3,
    ) -> Self {
        let (side, behind) = fabric.sides(front);
        let entry = side.table.at(o * Vec3::new(1.0, mirror, 1.0));
        let seen = facet.normal.dot(o).max(0.0);
        let weight = seen * entry.masking / (facet.normal.z * o.z.max(1e-3));
        let pass = if side.fuzz > 0.0 { FUZZ.passed(o, o.z, side.fuzz) } else { 1.0 };
        let optics = fabric.lobes(facet.yarn);
        let lost = (1.0 - entry.albedo).max(0.0);
        let mut bsdf = Self {
            side,
            behind,
            optics,
            facet,
            colour,
            mirror,
            weight,
            pass,
            lost,
            shares: Shares::default(),
            guide: colour.max(Vec3::splat(0.02)) * facet.open,
        };
        bsdf.shares = bsdf.choose_shares();
        bsdf
    }

    fn choose_shares(&self) -> Shares {
        let grey = (self.colour.element_sum() / 3.0).max(0.02);
        let weight = self.weight.min(2.0);
        let fuzz = (1.0 - self.pass) * grey.sqrt();
        let surface = weight * self.pass * 0.08 * self.optics.gloss;
        let inner = weight * self.pass * self.optics.inner * grey;
        let t = self.optics.transmission;
        let diffuse = (weight * self.pass * (1.0 - t) + self.lost * (1.0 - t) + 0.05) * grey;
        let transmitted = (self.pass + self.lost) * t * grey * 0.8;
        let sum = fuzz + surface + inner + diffuse + transmitted;
        Shares {
            fuzz: fuzz / sum,
            surface: surface / sum,
            inner: inner / sum,
            diffuse: diffuse / sum,
            transmitted: transmitted / sum,
        }
    }

    /// Light that met many fibres, times |cos i|, but for colour, pass and weight of the view.
    pub(super) fn matte(&self, i: Vec3) -> f32 {
        if i.z > 0.0 {
            return self.matte_above(i, self.passed(i), self.masking(i));
        }
        let t = self.optics.transmission;
        let fuzz = self.behind.fuzz;
        let pass = if fuzz > 0.0 { FUZZ.passed(i, -i.z, fuzz) } else { 1.0 };
        t * (self.side.body - self.optics.inner) * pass * -i.z / PI
    }

    fn matte_above(&self, i: Vec3, pass: f32, masking: f32) -> f32 {
        let t = self.optics.transmission;
        let cos = self.facet.normal.dot(i).max(0.0);
        let body = self.side.body - self.optics.inner;
        (1.0 - t) * body * pass * masking * self.facet.open * cos / PI
    }

    /// Light from above that passes the fuzz.
    fn passed(&self, i: Vec3) -> f32 {
        if self.side.fuzz > 0.0 { FUZZ.passed(i, i.z, self.side.fuzz) } else { 1.0 }
    }

    /// Share of the yarns that light from above reaches.
    fn masking(&self, i: Vec3) -> f32 {
        self.side.table.at(i * Vec3::new(1.0, self.mirror, 1.0)).masking
    }

    /// Light that met one fibre or two, on its surface or inside, times cos i.
    pub(super) fn mirrored(&self, o: Vec3, i: Vec3) -> Vec3 {
        if i.z <= 0.0 {
            return Vec3::ZERO;
        }
        let between = Between::new(self, o, i);
        self.mirrored_between(o, i, &between, self.passed(i), self.masking(i))
    }

    fn mirrored_between(
        &self,
        o: Vec3,
        i: Vec3,
        between: &Between,
        pass: f32,
        masking: f32,
    ) -> Vec3 {
        let Lobes { ior, gloss, inner, .. } = *self.optics;
        let mut light = Vec3::ZERO;
        // Light that passes the fuzz both ways met none of it.
        let both = self.pass * pass;
        if let Some(fuzz) = &between.fuzz {
            light += self.side.fuzz_colour(self.colour) * fuzz.reflected([o.z, i.z], 1.0 - both);
        }
        let cos = [self.facet.normal.dot(o), self.facet.normal.dot(i)];
        if cos[0] > 0.0 && cos[1] > 0.0 {
            let seen = both * self.weight * masking * self.facet.open;
            let fresnel = dielectric(o.dot(between.half), ior);
            let surface = gloss * fresnel * between.rough.reflected(cos, 1.0);
            let inside = inner * between.wide.reflected(cos, 1.0);
            light += (self.colour * inside + Vec3::splat(surface)) * seen;
        }
        light
    }

    /// The same function, sampled where [`YarnBsdf::mirrored`] is bright alone.
    pub(super) fn sampled_as_mirror(mut self) -> Self {
        let Shares { fuzz, surface, inner, .. } = self.shares;
        let sum = (fuzz + surface + inner).max(1e-6);
        let share = |s: f32| s / sum;
        self.shares = Shares {
            fuzz: share(fuzz),
            surface: share(surface),
            inner: share(inner),
            diffuse: 0.0,
            transmitted: 0.0,
        };
        self
    }

    /// Share of the view that the facet takes, beyond its share of the cloth.
    pub(super) fn weight(&self) -> f32 {
        self.weight
    }

    /// What the view takes of [`YarnBsdf::matte`] above and below.
    pub(super) fn taken(&self) -> [f32; 2] {
        [self.pass * self.weight, self.pass]
    }

    /// f |cos i|, and the density of [`YarnBsdf::sample`].
    pub(crate) fn eval_and_pdf(&self, o: Vec3, i: Vec3) -> (Vec3, f32) {
        let t = self.optics.transmission;
        // The frame behind has the same weft, and the opposite normal and warp.
        let above = i.z > 0.0;
        let (far, share) = if above { (self.side, 1.0 - t) } else { (self.behind, t) };
        let flip = if above { 1.0 } else { -1.0 };
        let local = Vec3::new(i.x, i.y * self.mirror * flip, i.z * flip);
        let entry = far.table.at(local);
        let lost = (1.0 - entry.albedo).max(0.0);
        let multiple = self.lost * lost * i.z.abs() * share / (PI * far.mean_lost);
        let multiple = self.side.wandered(self.colour) * multiple;
        if !above {
            let single = self.colour * (self.pass * self.matte(i)) * self.side.scale;
            return (single + multiple, self.shares.transmitted * cosine_pdf(-i.z));
        }
        let between = Between::new(self, o, i);
        let pass = self.passed(i);
        let matte = self.pass * self.weight * self.matte_above(i, pass, entry.masking);
        let mirrored = self.mirrored_between(o, i, &between, pass, entry.masking);
        let single = (mirrored + self.colour * matte) * self.side.scale;
        (single + multiple, self.pdf_between(i, &between))
    }

    /// f |cos i|.
    pub(crate) fn eval(&self, o: Vec3, i: Vec3) -> Vec3 {
        self.eval_and_pdf(o, i).0
    }

    pub(crate) fn pdf(&self, o: Vec3, i: Vec3) -> f32 {
        if i.z <= 0.0 {
            return self.shares.transmitted * cosine_pdf(-i.z);
        }
        self.pdf_between(i, &Between::new(self, o, i))
    }

    fn pdf_between(&self, i: Vec3, between: &Between) -> f32 {
        let s = &self.shares;
        s.diffuse * 0.5 * (cosine_pdf(i.z) + cosine_pdf(self.facet.normal.dot(i)))
            + s.surface * between.rough.pdf()
            + s.inner * between.wide.pdf()
            + between.fuzz.map_or(0.0, |f| s.fuzz * f.pdf())
    }

    pub(crate) fn sample(&self, o: Vec3, lobe: f32, place: [f32; 2]) -> Option<Vec3> {
        let s = &self.shares;
        let mut lobe = lobe;
        let mut within = |share: f32| {
            let hit = lobe < share;
            lobe -= share;
            hit
        };
        let mirrored = |axis: Vec3, alpha: f32| reflect(o, Fibres { axis, alpha }.sample(o, place));
        if within(s.transmitted) {
            return Some(-cosine_hemisphere(place));
        }
        let dir = if within(s.surface) {
            mirrored(self.facet.axis, self.optics.alpha)
        } else if within(s.inner) {
            mirrored(self.facet.axis, self.optics.inner_alpha)
        } else if within(s.fuzz) {
            reflect(o, FUZZ.sample(o, place))
        } else {
            let about = if within(0.5 * s.diffuse) { Vec3::Z } else { self.facet.normal };
            Basis::around(about).world(cosine_hemisphere(place))
        };
        (dir.z > 0.0).then_some(dir)
    }

    pub(crate) fn transmits(&self) -> bool {
        self.optics.transmission > 0.0
    }

    pub(crate) fn albedo(&self) -> Vec3 {
        self.guide
    }

    /// The same where single yarns are not seen: the yarn at hand is then a sample, and its colour noise.
    pub(super) fn unresolved(mut self, mean: Vec3, share: f32) -> Self {
        self.guide = self.guide.lerp(mean.max(Vec3::splat(0.02)), share);
        self
    }
}
