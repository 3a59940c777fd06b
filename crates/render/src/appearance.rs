//! How a fabric looks, from what it is made of.
//!
//! [`Appearance`] is plain data for the table `[appearance]` of a fabric file: a weave or a knit, its
//! yarns, finish and print. [`Fabric`] prepares it for the path tracer: for each point of the cloth it
//! knows the yarn that is seen there, its normal and the direction of its fibres, or that there is a
//! gap; the module `yarn` scatters the light.
//!
//! Nothing is filtered beforehand. Where the repeat of the weave is smaller than a pixel, each sample
//! looks at a point of its own in a whole number of repeats around the hit, well spread over the
//! samples of the pixel. So the view from afar is the mean of the view from near by construction.

mod bake;
pub mod draft;
mod fabric;
mod fibre;
mod knit;
mod nap;
mod print;
mod sewing;
mod table;
mod weave;
pub mod wif;
pub(crate) mod yarn;

pub use bake::{Baked, MAX_TEXELS, Simple, bake};
pub use draft::Draft;
pub use fabric::Fabric;
pub use fibre::Fibre;
pub use knit::Knit;
pub use print::{Picture, Print};
pub use sewing::Sewing;

pub(crate) use fabric::Viewed;

use crate::{Error, srgb};
use serde::{Deserialize, Serialize};

/// A colour as files have it, such as `"#1b4268"`: sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour(pub u32);

impl Colour {
    /// Linear RGB.
    pub fn linear(self) -> [f32; 3] {
        srgb(self.0)
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii());
        digits
            .and_then(|d| u32::from_str_radix(d, 16).ok())
            .map(Self)
            .ok_or_else(|| format!("{text:.20} is no colour; write six digits such as \"#1b4268\""))
    }
}

impl From<Colour> for String {
    fn from(c: Colour) -> Self {
        format!("#{:06x}", c.0)
    }
}

/// Yarns of one colour side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    /// Their colour.
    pub colour: Colour,
    /// How many there are.
    pub yarns: u32,
}

/// The yarns of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Yarn {
    /// What it is spun from.
    pub fibre: Fibre,
    /// Its colour, if all are alike.
    pub colour: Colour,
    /// Colours of yarns side by side, repeated; in place of `colour`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stripes: Vec<Stripe>,
    /// Distance from yarn to yarn [mm]; for knits that of the wales.
    pub spacing_mm: f64,
    /// Width as it lies in the cloth [mm].
    pub thickness_mm: f64,
    /// Height over width: 1 is round.
    #[serde(default = "default_flatness")]
    pub flatness: f64,
    /// How far it goes up and down, as a share of its height.
    #[serde(default = "default_crimp")]
    pub crimp: f64,
    /// Angle of the fibres to the yarn [°]: positive for Z twist, negative for S, 0 for filaments.
    #[serde(default)]
    pub twist_deg: f64,
    /// Single yarns twisted together.
    #[serde(default = "default_plies")]
    pub plies: u32,
    /// How much width and colour vary from yarn to yarn and along it: 0 for filaments, 0.1 for cotton,
    /// 0.3 for slubs.
    #[serde(default)]
    pub irregularity: f64,
}

fn default_flatness() -> f64 {
    0.6
}

fn default_crimp() -> f64 {
    0.5
}

fn default_plies() -> u32 {
    1
}

impl Yarn {
    /// A yarn of even colour, a little flattened.
    pub fn new(fibre: Fibre, colour: u32, spacing_mm: f64, thickness_mm: f64) -> Self {
        Self {
            fibre,
            colour: Colour(colour),
            stripes: Vec::new(),
            spacing_mm,
            thickness_mm,
            flatness: default_flatness(),
            crimp: default_crimp(),
            twist_deg: fibre.usual_twist(),
            plies: 1,
            irregularity: fibre.usual_irregularity(),
        }
    }

    fn check(&self, which: &str) -> Result<(), Error> {
        let fail = |what: &str| Err(Error::Appearance(format!("{which}: {what}")));
        let within = |x: f64, lo: f64, hi: f64| (lo..=hi).contains(&x);
        if !within(self.spacing_mm, 0.01, 50.0) || !within(self.thickness_mm, 0.005, 50.0) {
            return fail(
                "spacing-mm must lie between 0.01 and 50, thickness-mm between 0.005 and 50",
            );
        }
        if !within(self.flatness, 0.05, 1.0) || !within(self.crimp, 0.0, 1.0) {
            return fail("flatness must lie between 0.05 and 1, crimp between 0 and 1");
        }
        if !within(self.twist_deg, -60.0, 60.0) || !within(self.irregularity, 0.0, 0.5) {
            return fail("twist-deg must lie between -60 and 60, irregularity between 0 and 0.5");
        }
        if !(1..=8).contains(&self.plies) {
            return fail("plies must lie between 1 and 8");
        }
        let yarns: u64 = self.stripes.iter().map(|s| u64::from(s.yarns)).sum();
        if self.stripes.iter().any(|s| s.yarns == 0) || yarns > 100_000 {
            return fail("stripes must have at least one yarn each and 100000 together at most");
        }
        Ok(())
    }
}

/// What is done to the cloth when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Finish {
    /// Fibres that stand up from the front: 0 for none, 0.1 for cotton, 0.5 for flannel, 1 for fleece.
    pub fuzz: f64,
    /// The same for the back; that of the front if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuzz_back: Option<f64>,
    /// Gloss given by pressing or mercerising: 0 as spun, 1 as glossy as it gets; below 0 duller.
    pub gloss: f64,
}

impl Default for Finish {
    fn default() -> Self {
        Self { fuzz: 0.0, fuzz_back: None, gloss: 0.0 }
    }
}

/// Leather, film and other sheets without yarns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sheet {
    /// Colour of the front.
    pub colour: Colour,
    /// Colour of the back.
    pub back: Colour,
    /// How dull its coat is: 0 a mirror, 1 none.
    pub roughness: f64,
}

/// How a fabric looks: exactly one of `weave`, `knit` and `sheet`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Appearance {
    /// How warp and weft cross: a name such as `"twill-3/1"`, or rows such as `["10", "01"]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weave: Option<Draft>,
    /// How loops hang together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knit: Option<Knit>,
    /// Neither woven nor knitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Sheet>,
    /// Yarns along the grain; of weaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<Yarn>,
    /// Yarns across; of weaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weft: Option<Yarn>,
    /// The yarn of a knit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yarn: Option<Yarn>,
    /// Distance from course to course of a knit [mm]; four fifths of the wales' if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course_mm: Option<f64>,
    /// What was done to it.
    #[serde(default)]
    pub finish: Finish,
    /// What is printed on its front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub print: Option<Print>,
    /// How it is sewn.
    #[serde(default, skip_serializing_if = "Sewing::is_usual")]
    pub sewing: Sewing,
}

impl Appearance {
    /// A weave.
    pub fn woven(weave: Draft, warp: Yarn, weft: Yarn) -> Self {
        Self { weave: Some(weave), warp: Some(warp), weft: Some(weft), ..Self::empty() }
    }

    /// A knit.
    pub fn knitted(knit: Knit, yarn: Yarn) -> Self {
        Self { knit: Some(knit), yarn: Some(yarn), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            weave: None,
            knit: None,
            sheet: None,
            warp: None,
            weft: None,
            yarn: None,
            course_mm: None,
            finish: Finish::default(),
            print: None,
            sewing: Sewing::default(),
        }
    }

    /// The same with all yarns of another colour; what is striped stays.
    #[must_use]
    pub fn dyed(mut self, colour: u32) -> Self {
        for yarn in [&mut self.warp, &mut self.weft, &mut self.yarn].into_iter().flatten() {
            yarn.colour = Colour(colour);
        }
        self
    }

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// Says which key is wrong and what it may be.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |what: &str| Err(Error::Appearance(what.into()));
        let kinds = [self.weave.is_some(), self.knit.is_some(), self.sheet.is_some()];
        if kinds.iter().filter(|k| **k).count() != 1 {
            return fail("give exactly one of weave, knit and sheet");
        }
        let woven = self.warp.is_some() && self.weft.is_some() && self.yarn.is_none();
        if self.weave.is_some() && !woven {
            return fail("a weave has a warp and a weft, and no yarn");
        }
        let knitted = self.yarn.is_some() && self.warp.is_none() && self.weft.is_none();
        if self.knit.is_some() && !knitted {
            return fail("a knit has a yarn, and neither warp nor weft");
        }
        if self.sheet.is_some()
            && (self.warp.is_some() || self.weft.is_some() || self.yarn.is_some())
        {
            return fail("a sheet has no yarns");
        }
        if self.course_mm.is_some_and(|c| self.knit.is_none() || !(0.02..=50.0).contains(&c)) {
            return fail("course-mm is for knits and lies between 0.02 and 50");
        }
        let yarns = [("warp", &self.warp), ("weft", &self.weft), ("yarn", &self.yarn)];
        for (name, yarn) in yarns {
            yarn.as_ref().map_or(Ok(()), |y| y.check(name))?;
        }
        let Finish { fuzz, fuzz_back, gloss } = self.finish;
        let unit = |x: f64| (0.0..=1.0).contains(&x);
        if !unit(fuzz) || !fuzz_back.is_none_or(unit) || !(-1.0..=1.0).contains(&gloss) {
            return fail("finish: fuzz must lie between 0 and 1, gloss between -1 and 1");
        }
        self.sewing.check()?;
        self.print.as_ref().map_or(Ok(()), Print::check)
    }
}
