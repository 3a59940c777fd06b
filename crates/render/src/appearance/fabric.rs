//! A fabric ready to be traced.

mod footprint;
mod side;
mod survey;
mod threads;

pub(super) use side::Side;
pub(super) use survey::Texel;

use super::knit::Tile;
use super::nap::{self, Nap};
use super::weave::{Weave, unevenness};
use super::yarn::{Facet, Lobes, YarnBsdf};
use super::{Appearance, Picture, Print};
use crate::Error;
use crate::bsdf::Bsdf;
use crate::bsdf::coated::{Coat, Substance};
use crate::bsdf::matte::Thin;
use footprint::{FADED, Seen};
use glam::{Vec2, Vec3};
use side::empty_side;
use threads::{Threads, threads};

/// Cloth with fewer gaps than this has none: stray fibres fill them.
const CLOSED: f32 = 0.02;
/// Light in the depth between yarns, as a share of that on top.
const DEEPEST: f32 = 0.45;

/// A fabric prepared for the path tracer.
#[derive(Clone, Debug)]
pub struct Fabric {
    appearance: Appearance,
    relief: ReliefKind,
    yarns: Vec<Threads>,
    thickness: f32,
    repeat: Vec2,
    front: Side,
    back: Side,
    /// Raised fibres of the front and the back.
    naps: [Option<Nap>; 2],
    print: Option<Print>,
    picture: Option<Picture>,
}

/// What the surface is made of.
#[derive(Clone, Debug)]
enum ReliefKind {
    Weave(Weave),
    Knit(Tile),
    Sheet { front: Vec3, back: Vec3, coat: Box<Coat> },
}

/// A place on cloth and who looks at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewed {
    /// Material coordinates [m].
    pub(crate) uv: Vec2,
    /// 1 if local y is the warp, −1 if it is its opposite.
    pub(crate) handedness: f32,
    pub(crate) front: bool,
    /// Toward the viewer, in the frame (weft, y, normal).
    pub(crate) view: Vec3,
    /// Width of what is seen, across the view [m].
    pub(crate) width: f32,
}

impl Fabric {
    /// Prepares an appearance; a printed picture must have been read.
    ///
    /// # Errors
    /// If the appearance does not fit together, or its picture is missing.
    pub fn new(appearance: &Appearance, picture: Option<Picture>) -> Result<Self, Error> {
        let mut fabric = Self::without_tables(appearance, picture)?;
        if !fabric.yarns.is_empty() {
            fabric.tabulate(true);
            fabric.tabulate(false);
            fabric.finish_sides();
        }
        Ok(fabric)
    }

    /// What needs no tables: geometry and colours of the yarns.
    pub(super) fn without_tables(
        appearance: &Appearance,
        picture: Option<Picture>,
    ) -> Result<Self, Error> {
        appearance.check()?;
        if let Some(Print::Picture { file, .. }) = &appearance.print
            && picture.is_none()
        {
            return Err(Error::Appearance(format!("the printed picture {file} was not read")));
        }
        let mut yarns = Vec::new();
        let (relief, thickness, repeat) = match (&appearance.weave, &appearance.sheet) {
            (Some(draft), _) => {
                let [warp, weft] = [&appearance.warp, &appearance.weft]
                    .map(|y| y.as_ref().ok_or(Error::Appearance("a weave has two yarns".into())));
                let (warp, weft) = (warp?, weft?);
                let weave = Weave::new(draft.clone(), warp, weft);
                let (thickness, repeat) = (weave.thickness(), weave.repeat());
                yarns.extend([warp, weft].map(|y| threads(y, appearance, thickness)));
                (ReliefKind::Weave(weave), thickness, repeat)
            }
            (None, Some(sheet)) => {
                let coat = Coat::new(sheet.roughness as f32, Substance::Dielectric(1.5));
                let [front, back] = [sheet.colour, sheet.back].map(|c| c.linear().into());
                let coat = Box::new(coat);
                (ReliefKind::Sheet { front, back, coat }, 1e-3, Vec2::splat(1e-3))
            }
            (None, None) => {
                let (Some(knit), Some(yarn)) = (appearance.knit, &appearance.yarn) else {
                    return Err(Error::Appearance("a knit has a yarn".into()));
                };
                let tile = Tile::new(knit, yarn, appearance.course_mm);
                let (thickness, repeat) = (tile.thickness(), tile.repeat());
                yarns.push(threads(yarn, appearance, thickness));
                (ReliefKind::Knit(tile), thickness, repeat)
            }
        };
        let fuzz = appearance.finish.fuzz as f32;
        let fuzz_back = appearance.finish.fuzz_back.map_or(fuzz, |f| f as f32);
        let mut fabric = Self {
            appearance: appearance.clone(),
            relief,
            yarns,
            thickness,
            repeat,
            front: empty_side(fuzz),
            back: empty_side(fuzz_back),
            naps: [fuzz, fuzz_back].map(Nap::new),
            print: appearance.print.clone(),
            picture,
        };
        if !fabric.yarns.is_empty() {
            let (_, gaps, mean) = fabric.facets(true);
            (fabric.front.open, fabric.front.mean) = (gaps, mean);
        }
        Ok(fabric)
    }

    /// What it was made from.
    pub fn appearance(&self) -> &Appearance {
        &self.appearance
    }

    /// Mean colour of the yarns on one side, linear RGB.
    pub fn mean_colour(&self, front: bool) -> [f32; 3] {
        match &self.relief {
            ReliefKind::Sheet { front: f, back, .. } => (if front { f } else { back }).to_array(),
            _ => self.sides(front).0.mean.to_array(),
        }
    }

    /// Share of the area that is open to straight light.
    pub fn openness(&self) -> f32 {
        self.front.open
    }

    /// Thickness [m].
    pub fn thickness(&self) -> f32 {
        self.thickness
    }

    pub(crate) fn is_porous(&self) -> bool {
        self.front.open > CLOSED
    }

    pub(super) fn sides(&self, front: bool) -> (&Side, &Side) {
        if front { (&self.front, &self.back) } else { (&self.back, &self.front) }
    }

    pub(super) fn lobes(&self, yarn: usize) -> &Lobes {
        &self.yarns[yarn.min(self.yarns.len() - 1)].lobes
    }

    /// The scattering seen from some direction; `None` if the view passes a gap.
    pub(crate) fn seen(&self, v: &Viewed, place: [f32; 2]) -> Option<Bsdf<'_>> {
        if let ReliefKind::Sheet { front, back, coat } = &self.relief {
            return Some(Bsdf::Coated { coat, colour: if v.front { *front } else { *back } });
        }
        let uv = v.uv + self.spread(v, place);
        let relief = self.pierced(uv, v.view, v.handedness, v.front)?;
        let (facet, colour) = self.facet(&relief, uv, v);
        let mirror = if v.front { v.handedness } else { -v.handedness };
        let bsdf = YarnBsdf::new(self, v.front, mirror, facet, colour, v.view);
        let side = self.sides(v.front).0;
        let mean = self.printed(v.uv, v.front).map_or(side.mean, |p| p.over(side.mean));
        let [x, y] = self.chances(v).0;
        Some(Bsdf::Yarn(bsdf.unresolved(mean * side.mean_open, x.min(y))))
    }

    /// Mean albedo of sheer cloth whose repeats fade into their mean where `width` [m] is seen at once; `None` for other
    /// cloth.
    pub(crate) fn veil_albedo(&self, width: f32, front: bool) -> Option<Vec3> {
        let side = self.sides(front).0;
        let albedo = side.mean * side.mean_open;
        (self.is_porous() && width > FADED * self.repeat.max_element()).then_some(albedo)
    }

    /// The same without any detail, for light that comes by way of other surfaces.
    pub(crate) fn seen_from_afar(&self, v: &Viewed, place: [f32; 2]) -> Option<Bsdf<'_>> {
        if let ReliefKind::Sheet { front, back, coat } = &self.relief {
            return Some(Bsdf::Coated { coat, colour: if v.front { *front } else { *back } });
        }
        if self.is_gap(v.view, v.handedness, place) {
            return None;
        }
        let side = self.sides(v.front).0;
        let colour = self.printed(v.uv, v.front).map_or(side.mean, |p| p.over(side.mean));
        let reflected = colour * (1.0 - side.transmission);
        Some(Bsdf::Thin(Thin { reflected, transmitted: colour * side.transmission }))
    }

    /// Geometry and colour of a point of a yarn.
    fn facet(&self, seen: &Seen, uv: Vec2, v: &Viewed) -> (Facet, Vec3) {
        self.dyed_facet(seen, v, self.printed(uv, v.front))
    }

    /// The same with some print, or none.
    fn dyed_facet(&self, seen: &Seen, v: &Viewed, ink: Option<Ink>) -> (Facet, Vec3) {
        if let Some(fibre) = &seen.nap {
            return self.nap_facet(seen, fibre, v, ink);
        }
        let Seen { relief, dir, .. } = seen;
        let threads = &self.yarns[relief.yarn.min(self.yarns.len() - 1)];
        let y = v.handedness;
        let detail = threads.detail(relief);
        let slope = relief.slope + Vec2::new(dir.y, -dir.x) * detail.tilt;
        let normal = Vec3::new(-slope.x, -slope.y * y, 1.0).normalize();
        let along = Vec3::new(dir.x, dir.y * y, slope.dot(*dir)).normalize();
        let across = normal.cross(along);
        let axis = (along + across * threads.twist).normalize();
        let open = DEEPEST + (1.0 - DEEPEST) * relief.height;
        let facet = Facet { normal, axis, yarn: relief.yarn, open };
        let own = self.mingled(threads.colour(relief.number), v.front);
        let dyed = ink.map_or(own, |p| p.over(own));
        let uneven = unevenness(relief.number, relief.along, 7 + relief.yarn as u32);
        let shade = detail.shade * (1.0 + 0.6 * threads.irregularity * uneven);
        (facet, shaded(dyed, shade))
    }

    /// The colour of a yarn with the fibres of others that brushing has drawn over it.
    fn mingled(&self, own: Vec3, front: bool) -> Vec3 {
        let Some(nap) = &self.naps[usize::from(!front)] else { return own };
        let count = self.yarns.len() as f32;
        let all: Vec3 = self.yarns.iter().map(|t| t.colour(0)).sum();
        own.lerp(all / count, 0.8 * nap.mingled())
    }

    /// A fibre of the nap, above everything.
    fn nap_facet(
        &self,
        seen: &Seen,
        fibre: &nap::Fibre,
        v: &Viewed,
        ink: Option<Ink>,
    ) -> (Facet, Vec3) {
        let y = v.handedness;
        let below = seen.relief.yarn.min(self.yarns.len() - 1);
        let yarn = fibre.yarn.map_or(below, |k| k % self.yarns.len());
        let normal = Vec3::new(-fibre.slope.x, -fibre.slope.y * y, 1.0).normalize();
        let climb = fibre.slope.dot(fibre.dir);
        let axis = Vec3::new(fibre.dir.x, fibre.dir.y * y, climb).normalize();
        let own = self.mingled(self.yarns[yarn].colour(seen.relief.number), v.front);
        let dyed = ink.map_or(own, |p| p.over(own));
        (Facet { normal, axis, yarn, open: 1.0 }, shaded(dyed, fibre.shade))
    }

    /// What is printed at a place, weaker on the back.
    fn printed(&self, uv: Vec2, front: bool) -> Option<Ink> {
        let colour = self.print.as_ref()?.at(uv, self.picture.as_ref())?;
        Some(Ink { colour, strength: if front { 1.0 } else { 0.25 } })
    }
}

/// What is printed.
#[derive(Clone, Copy, Debug)]
struct Ink {
    colour: Vec3,
    strength: f32,
}

impl Ink {
    fn over(self, own: Vec3) -> Vec3 {
        own.lerp(self.colour, self.strength)
    }
}

/// More or less dye: white stays white, and the mean stays what it is.
fn shaded(dyed: Vec3, shade: f32) -> Vec3 {
    dyed * (Vec3::ONE + (Vec3::ONE - dyed) * (shade - 1.0))
}
