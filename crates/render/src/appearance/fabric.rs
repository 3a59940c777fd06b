//! A fabric ready to be traced.

mod survey;

pub(super) use survey::Texel;

use super::fibre::Optics;
use super::knit::Tile;
use super::table::{Entry, Table};
use super::weave::{Relief, Weave, mix, unevenness};
use super::yarn::{Facet, Lobes, YarnBsdf};
use super::{Appearance, Picture, Print, Yarn};
use crate::Error;
use crate::bsdf::Bsdf;
use crate::bsdf::coated::{Coat, Substance};
use crate::bsdf::matte::Thin;
use crate::warp::cosine_hemisphere;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Points of the repeat that stand for all in the tables.
const FACETS: usize = 640;
/// Directions drawn at each of them.
const DRAWS: usize = 2;
/// Directions for the matte part of each.
const MATTE_DRAWS: usize = 128;
/// Repeats smaller than this share of what a sample sees fade into their mean, and larger ones stay.
const FADE: [f32; 2] = [0.25, 0.6];
/// Light that single scattering may return at most.
const MOST_ALBEDO: f32 = 0.97;
/// Cloth with fewer gaps than this has none: stray fibres fill them.
const CLOSED: f32 = 0.02;
/// Optical depth of the strongest fuzz.
const FUZZ_DEPTH: f32 = 0.7;
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

/// The yarns of one direction.
#[derive(Clone, Debug)]
struct Threads {
    lobes: Lobes,
    /// Colours of neighbouring yarns.
    colours: Vec<Vec3>,
    /// Tangent of the angle of the fibres to the yarn.
    twist: f32,
    plies: f32,
    /// Length of a turn of the plies [m].
    pitch: f32,
    irregularity: f32,
}

/// What one side of the cloth does with light.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(super) table: Table,
    /// Mean of what single scattering keeps.
    pub(super) mean_lost: f32,
    /// Optical depth of the fuzz.
    pub(super) fuzz: f32,
    /// Share of the light below the surface of fibres.
    pub(super) body: f32,
    /// Factor that keeps single scattering below one.
    pub(super) scale: f32,
    /// Mean colour, and mean share of the light that arrives at the yarns.
    mean: Vec3,
    mean_open: f32,
    /// Share of the light that goes through.
    transmission: f32,
    /// Share of the area without yarn.
    open: f32,
}

impl Side {
    /// Colour of the fuzz on yarns of a colour: single fibres are paler.
    pub(super) fn fuzz_colour(&self, colour: Vec3) -> Vec3 {
        Vec3::new(colour.x.sqrt(), colour.y.sqrt(), colour.z.sqrt()) * 0.5 + colour * 0.5
    }

    /// Colour of light that wandered from yarn to yarn.
    pub(super) fn wandered(&self, colour: Vec3) -> Vec3 {
        let kept = self.mean_lost;
        colour * colour * (1.0 - kept) / (Vec3::ONE - colour * kept).max(Vec3::splat(1e-4))
    }
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

    /// Whether light in a direction passes straight through a random place.
    pub(crate) fn is_gap(&self, view: Vec3, handedness: f32, place: [f32; 2]) -> bool {
        if !self.is_porous() {
            return false;
        }
        let uv = Vec2::from(place) * self.repeat;
        self.pierced(uv, view, handedness, true).is_none()
    }

    /// Where a sample looks, relative to the hit: a point in a whole number of repeats, if these are
    /// smaller than what is seen.
    fn spread(&self, v: &Viewed, place: [f32; 2]) -> Vec2 {
        let (chances, ratio) = self.chances(v);
        let mut spread = Vec2::ZERO;
        for axis in 0..2 {
            let chance = chances[axis];
            // One number decides whether, and where: it stays well spread below the chance.
            if place[axis] < chance {
                let whole = ratio[axis].ceil().max(1.0) * self.repeat[axis];
                spread[axis] = (place[axis] / chance - 0.5) * whole;
            }
        }
        spread
    }

    /// How often a sample looks elsewhere in the repeat along each axis, and the size of what it sees in repeats.
    fn chances(&self, v: &Viewed) -> ([f32; 2], Vec2) {
        let cos = v.view.z.max(0.1);
        let flat = Vec2::new(v.view.x, v.view.y * v.handedness);
        let along = flat.normalize_or(Vec2::X);
        let stretch = (along * along) / (cos * cos) + (Vec2::ONE - along * along);
        let extent = v.width * Vec2::new(stretch.x.sqrt(), stretch.y.sqrt());
        let ratio = extent / self.repeat;
        let chance = |axis: usize| {
            let t = ((ratio[axis] - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        ([chance(0), chance(1)], ratio)
    }

    /// The yarn that a ray meets; in a gap seen from the side it is the one next to the gap.
    fn pierced(&self, uv: Vec2, view: Vec3, handedness: f32, front: bool) -> Option<Seen> {
        if let Some(seen) = self.relief_at(uv, front) {
            return Some(seen);
        }
        if !self.is_porous() && self.front.mean_lost < 1.0 {
            return self.fill(uv, front);
        }
        let slope = Vec2::new(view.x, view.y * handedness) / view.z.max(0.02);
        let shift = slope * (0.3 * self.thickness);
        let blocked = [uv + shift, uv - shift].iter().any(|p| self.relief_at(*p, front).is_some());
        if blocked { self.any_yarn(uv, front) } else { None }
    }

    /// Some point of the yarns, all alike likely: the flank of a yarn shows as much of it as its top, and
    /// the tables hold for the mean over all.
    fn any_yarn(&self, uv: Vec2, front: bool) -> Option<Seen> {
        let mut seed = mix(uv.x.to_bits() ^ mix(uv.y.to_bits()));
        (0..24).find_map(|_| {
            seed = mix(seed.wrapping_add(0x9e37_79b9));
            let place = [seed & 0xffff, seed >> 16].map(|b| b as f32 / 65536.0);
            self.relief_at(uv + Vec2::from(place) * self.repeat, front)
        })
    }

    /// What is seen in a gap that is not open: the nearest yarn, in the depth.
    fn fill(&self, uv: Vec2, front: bool) -> Option<Seen> {
        let step = 0.06 * self.repeat.min_element();
        let near = (1..12).flat_map(|k| {
            [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|d| uv + d * (step * k as f32))
        });
        let mut seen = near.into_iter().find_map(|p| self.relief_at(p, front))?;
        seen.relief.height = 0.0;
        Some(seen)
    }

    fn relief_at(&self, uv: Vec2, front: bool) -> Option<Seen> {
        match &self.relief {
            ReliefKind::Weave(weave) => weave.at(uv, front).map(|relief| {
                let dir = if relief.yarn == 0 { Vec2::Y } else { Vec2::X };
                Seen { relief, dir }
            }),
            ReliefKind::Knit(tile) => {
                tile.at(uv, front).map(|l| Seen { relief: l.relief, dir: l.dir })
            }
            ReliefKind::Sheet { .. } => None,
        }
    }

    /// Geometry and colour of a point of a yarn.
    fn facet(&self, seen: &Seen, uv: Vec2, v: &Viewed) -> (Facet, Vec3) {
        self.dyed_facet(seen, v, self.printed(uv, v.front))
    }

    /// The same with some print, or none.
    fn dyed_facet(&self, seen: &Seen, v: &Viewed, ink: Option<Ink>) -> (Facet, Vec3) {
        let Seen { relief, dir } = seen;
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
        let own = threads.colour(relief.number);
        let dyed = ink.map_or(own, |p| p.over(own));
        let uneven = unevenness(relief.number, relief.along, 7 + relief.yarn as u32);
        let shade = detail.shade * (1.0 + 0.6 * threads.irregularity * uneven);
        // More or less dye: white stays white, and the mean stays what it is.
        (facet, dyed * (Vec3::ONE + (Vec3::ONE - dyed) * (shade - 1.0)))
    }

    /// What is printed at a place, weaker on the back.
    fn printed(&self, uv: Vec2, front: bool) -> Option<Ink> {
        let colour = self.print.as_ref()?.at(uv, self.picture.as_ref())?;
        Some(Ink { colour, strength: if front { 1.0 } else { 0.25 } })
    }

    /// Tables of one side, for white yarns.
    fn tabulate(&mut self, front: bool) {
        let (all, gaps, mean) = self.facets(front);
        let masking = |o: Vec3| {
            let sum: f32 = all.iter().map(|f| f.normal.dot(o).max(0.0) / f.normal.z).sum();
            o.z * all.len() as f32 / sum.max(1e-6)
        };
        let table = Table::new(|o| Entry { masking: masking(o).min(2.0), albedo: 0.0 });
        {
            let side = self.side_mut(front);
            side.table = table.clone();
            side.open = gaps;
            side.mean = mean;
            side.mean_open = all.iter().map(|f| f.open).sum::<f32>() / all.len().max(1) as f32;
        }
        let facets = &all[..all.len().min(FACETS)];
        let matte: Vec<[f32; 2]> =
            facets.par_iter().map(|f| self.matte_albedo(front, *f)).collect();
        let albedo = Table::new(|o| {
            let (mut sum, mut weights) = ([0.0; 2], 0.0);
            for (k, facet) in facets.iter().enumerate() {
                let bsdf = YarnBsdf::new(self, front, 1.0, *facet, Vec3::ONE, o);
                let [above, below] = bsdf.taken();
                sum[0] += above * matte[k][0] + mirrored_albedo(&bsdf, o, k);
                sum[1] += below * matte[k][1];
                weights += bsdf.weight();
            }
            // These facets stand for all, of which the mean weight is one.
            let albedo = sum[0] / f32::max(weights, 1e-6) + sum[1] / facets.len() as f32;
            Entry { masking: table.at(o).masking, albedo }
        });
        self.side_mut(front).table = albedo;
    }

    /// Light of all directions that a white facet scatters as matte, from above and from below.
    fn matte_albedo(&self, front: bool, facet: Facet) -> [f32; 2] {
        let bsdf = YarnBsdf::new(self, front, 1.0, facet, Vec3::ONE, Vec3::Z);
        let mut sums = [0.0; 2];
        for k in 0..MATTE_DRAWS {
            let n = k as f32 + 0.5;
            let i = cosine_hemisphere([(0.754_877_7 * n).fract(), (0.569_840_3 * n).fract()]);
            let per_pdf = std::f32::consts::PI / i.z.max(1e-4);
            sums[0] += bsdf.matte(i) * per_pdf;
            sums[1] += bsdf.matte(-i) * per_pdf;
        }
        sums.map(|s| s / MATTE_DRAWS as f32)
    }

    fn side_mut(&mut self, front: bool) -> &mut Side {
        if front { &mut self.front } else { &mut self.back }
    }

    /// Points of the repeat, the share of gaps, and the mean colour of one side.
    fn facets(&self, front: bool) -> (Vec<Facet>, f32, Vec3) {
        let handedness = if front { 1.0 } else { -1.0 };
        let viewed = |uv| Viewed { uv, handedness, front, view: Vec3::Z, width: 1.0 };
        let place = |k: usize| {
            let n = k as f64 + 0.5;
            let root = [0.754_877_666_246_692_7, 0.569_840_290_998_053_3];
            Vec2::from(root.map(|a: f64| (a * n).fract() as f32))
        };
        let mut facets = Vec::with_capacity(6 * FACETS);
        for k in 0..6 * FACETS {
            // Plies and fibres differ from repeat to repeat.
            let which = Vec2::new((k * 7 % 64) as f32, (k * 13 % 61) as f32);
            let uv = (place(k) + which) * self.repeat;
            let seen = self.relief_at(uv, front);
            facets.extend(seen.map(|s| self.facet(&s, uv, &viewed(uv)).0));
        }
        let gaps = 1.0 - facets.len() as f32 / (6 * FACETS) as f32;
        // Colours may repeat over many yarns.
        let wide = self.yarns.iter().map(|t| t.colours.len()).max().unwrap_or(1) as f32;
        let (mut mean, mut count) = (Vec3::ZERO, 0.0);
        for k in 0..6 * FACETS {
            let uv = place(k) * self.repeat * wide;
            if let Some(seen) = self.relief_at(uv, front) {
                mean += self.dyed_facet(&seen, &viewed(uv), None).1;
                count += 1.0;
            }
        }
        (facets, gaps, mean / f32::max(count, 1.0))
    }

    /// What both tables decide together.
    fn finish_sides(&mut self) {
        let transmission =
            self.yarns.iter().map(|t| t.lobes.transmission).sum::<f32>() / self.yarns.len() as f32;
        for side in [&mut self.front, &mut self.back] {
            let most = side.table.most_albedo();
            side.scale = (MOST_ALBEDO / most.max(1e-3)).min(1.0);
            side.table.scale_albedo(side.scale);
            side.mean_lost = side.table.mean(|e| 1.0 - e.albedo).max(1e-3);
            side.transmission = transmission;
        }
    }
}

/// Share of the light from `o` that meets a fibre or two of a white facet, by samples.
fn mirrored_albedo(bsdf: &YarnBsdf<'_>, o: Vec3, seed: usize) -> f32 {
    let bsdf = bsdf.sampled_as_mirror();
    let mut sum = 0.0;
    for draw in 0..DRAWS {
        // Points of the R₃ sequence in another order than those of the facets, which are related to them.
        let n = ((seed * DRAWS + draw) * 467 % (FACETS * DRAWS)) as f32 + 0.5;
        let u = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|a: f32| (a * n).fract());
        let Some(i) = bsdf.sample(o, u[0], [u[1], u[2]]) else { continue };
        let pdf = bsdf.pdf(o, i);
        if pdf > 0.0 {
            sum += bsdf.mirrored(o, i).x / pdf;
        }
    }
    sum / DRAWS as f32
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

/// A yarn at a point, and its direction in material coordinates.
#[derive(Clone, Copy, Debug)]
struct Seen {
    relief: Relief,
    dir: Vec2,
}

/// Plies and fibres of a yarn seen from near.
#[derive(Clone, Copy, Debug)]
struct Detail {
    /// Slope across the yarn.
    tilt: f32,
    /// Factor of the colour, one on average.
    shade: f32,
}

impl Threads {
    fn colour(&self, number: i64) -> Vec3 {
        self.colours[number.rem_euclid(self.colours.len() as i64) as usize]
    }

    fn detail(&self, relief: &Relief) -> Detail {
        // Angle around the yarn, in turns; plies wind with the place along it.
        let around = relief.across.clamp(-1.0, 1.0).asin() / std::f32::consts::PI;
        let wound = around + relief.along / self.pitch * self.twist.signum();
        let (s, c) = (std::f32::consts::TAU * self.plies.max(1.0) * wound).sin_cos();
        let depth = if self.plies > 1.0 { 1.0 } else { 0.35 };
        // Single fibres: streaks along the yarn.
        let streak = |across: f32, along: f32| {
            let cell = (across.floor() as i32 as u32).wrapping_mul(0x9e37_79b9)
                ^ (along.floor() as i32 as u32).wrapping_mul(0x85eb_ca6b)
                ^ (relief.number as u32).wrapping_mul(0xc2b2_ae35);
            (mix(cell) >> 8) as f32 * (2.0 / (1 << 24) as f32) - 1.0
        };
        let fine =
            streak(relief.across * 9.0 + relief.along / self.pitch * 9.0, relief.along * 2500.0);
        let twisted = self.twist.abs().min(0.5) * 2.0;
        Detail {
            tilt: 0.25 * depth * s * twisted + 0.12 * fine,
            shade: 1.0 + 0.10 * depth * c * twisted + 0.08 * fine,
        }
    }
}

/// Numbers of the yarns of one direction.
fn threads(yarn: &Yarn, appearance: &Appearance, thickness: f32) -> Threads {
    let Optics { ior, alpha, gloss, inner, inner_alpha, depth_mm } = yarn.fibre.optics();
    let shine = appearance.finish.gloss as f32;
    // Pressing lays fibres in order; raising takes it away.
    let order = if shine >= 0.0 { 1.0 - 0.55 * shine } else { 1.0 - 0.6 * shine };
    let lobes = Lobes {
        ior,
        gloss: gloss * (1.0 + 0.8 * shine),
        alpha: (alpha * order).clamp(0.05, 0.9),
        inner: (inner * (1.0 + 0.5 * shine)).min(0.6),
        inner_alpha: (inner_alpha * order).clamp(0.1, 0.95),
        transmission: 1.0 / (1.0 + 2.0 * thickness * 1e3 / depth_mm),
    };
    let striped = yarn
        .stripes
        .iter()
        .flat_map(|s| std::iter::repeat_n(Vec3::from(s.colour.linear()), s.yarns as usize));
    let mut colours: Vec<Vec3> = striped.collect();
    if colours.is_empty() {
        colours.push(yarn.colour.linear().into());
    }
    let twist = (yarn.twist_deg as f32).to_radians().tan();
    let girth = std::f32::consts::PI * yarn.thickness_mm as f32 * 1e-3;
    Threads {
        lobes,
        colours,
        twist,
        plies: yarn.plies as f32,
        pitch: girth / twist.abs().max(0.05),
        irregularity: yarn.irregularity as f32,
    }
}

fn empty_side(fuzz: f32) -> Side {
    Side {
        table: Table::constant(Entry { masking: 1.0, albedo: 0.0 }),
        mean_lost: 1.0,
        fuzz: FUZZ_DEPTH * fuzz,
        body: 0.9,
        scale: 1.0,
        mean: Vec3::ONE,
        mean_open: 1.0,
        transmission: 0.0,
        open: 0.0,
    }
}
