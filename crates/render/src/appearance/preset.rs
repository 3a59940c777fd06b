//! Appearances of the fabrics that toile brings.
//!
//! Constructions are those usual for cloths of the name; measures are typical, not measured.

use super::{Appearance, Colour, Draft, Fibre, Finish, Knit, Sheet, Stripe, Yarn};
use Fibre::{Cotton, Linen, Polyamide, Polyester, Silk, Viscose, Wool};

/// Names that [`preset`] knows.
pub fn preset_names() -> &'static [&'static str] {
    &[
        "cotton",
        "cotton-drill",
        "cotton-interlock",
        "cotton-jersey",
        "cotton-poplin",
        "cotton-voile",
        "denim",
        "fleece-knit",
        "jersey",
        "leather",
        "linen",
        "polyester-georgette",
        "polyester-lining",
        "silk",
        "silk-crepe",
        "silk-habotai",
        "wang-11oz-black-denim",
        "wang-camel-ponte-roma",
        "wang-gray-interlock",
        "wang-ivory-rib-knit",
        "wang-navy-sparkle-sweat",
        "wang-pink-ribbon-brown",
        "wang-royal-target",
        "wang-tango-red-jet-set",
        "wang-white-dots-on-blk",
        "wang-white-swim-solid",
        "wool",
        "wool-flannel",
        "wool-worsted",
    ]
}

/// The appearance of a fabric that toile brings.
pub fn preset(name: &str) -> Option<Appearance> {
    woven(name).or_else(|| knitted(name)).or_else(|| special(name))
}

/// A weave of the same yarn in both directions.
fn square(weave: &str, yarn: Yarn, weft_spacing_mm: f64) -> Option<Appearance> {
    let weft = Yarn { spacing_mm: weft_spacing_mm, ..yarn.clone() };
    Some(Appearance::woven(Draft::named(weave).ok()?, yarn, weft))
}

fn finished(appearance: Option<Appearance>, fuzz: f64, gloss: f64) -> Option<Appearance> {
    let finish = Finish { fuzz, gloss, ..Finish::default() };
    appearance.map(|a| Appearance { finish, ..a })
}

fn woven(name: &str) -> Option<Appearance> {
    match name {
        "cotton" => {
            finished(square("plain", Yarn::new(Cotton, 0x9fb4c7, 0.36, 0.34), 0.4), 0.08, 0.0)
        }
        "cotton-poplin" => {
            finished(square("plain", Yarn::new(Cotton, 0xdfe6ee, 0.20, 0.20), 0.34), 0.03, 0.25)
        }
        "cotton-voile" => {
            let yarn = Yarn { twist_deg: 35.0, ..Yarn::new(Cotton, 0xf1ece2, 0.34, 0.18) };
            finished(square("plain", yarn, 0.36), 0.02, 0.0)
        }
        "cotton-drill" => {
            finished(square("twill-3/1", Yarn::new(Cotton, 0x8a7a58, 0.28, 0.29), 0.45), 0.08, 0.0)
        }
        "denim" => denim(0x1d2f52, 0xc9c3b4, 0.10),
        "wang-11oz-black-denim" => denim(0x17181c, 0x5a5a5c, 0.08),
        "linen" => {
            finished(square("plain", Yarn::new(Linen, 0xcbb896, 0.55, 0.50), 0.58), 0.06, 0.1)
        }
        "polyester-georgette" => {
            let yarn = Yarn {
                twist_deg: 40.0,
                crimp: 0.9,
                flatness: 0.9,
                irregularity: 0.05,
                ..Yarn::new(Polyester, 0xc98fa0, 0.24, 0.13)
            };
            finished(square("crepe", yarn, 0.26), 0.0, -0.5)
        }
        "polyester-lining" => {
            let yarn = Yarn { flatness: 0.35, ..Yarn::new(Polyester, 0x7d1f33, 0.17, 0.17) };
            finished(square("twill-2/1", yarn, 0.24), 0.0, 0.3)
        }
        "silk" => satin(Yarn { flatness: 0.3, ..Yarn::new(Silk, 0xb8342c, 0.12, 0.12) }, 0.5),
        "silk-habotai" => {
            let yarn = Yarn { flatness: 0.35, ..Yarn::new(Silk, 0xeadbc0, 0.18, 0.175) };
            finished(square("plain", yarn, 0.2), 0.0, 0.2)
        }
        "silk-crepe" => {
            let yarn = Yarn {
                twist_deg: 38.0,
                crimp: 0.9,
                flatness: 0.8,
                ..Yarn::new(Silk, 0x2f4d46, 0.2, 0.18)
            };
            finished(square("crepe", yarn, 0.22), 0.0, -0.4)
        }
        "wool" => {
            finished(square("twill-2/2", Yarn::new(Wool, 0x5b5a57, 0.55, 0.55), 0.6), 0.3, 0.0)
        }
        "wool-worsted" => {
            let yarn = Yarn { plies: 2, ..Yarn::new(Wool, 0x2b3445, 0.36, 0.36) };
            finished(square("twill-2/2", yarn, 0.4), 0.08, 0.15)
        }
        "wool-flannel" => {
            finished(square("twill-2/2", Yarn::new(Wool, 0x76777b, 0.6, 0.62), 0.65), 0.8, -0.3)
        }
        _ => None,
    }
}

/// Dyed warp over three white wefts.
fn denim(warp: u32, weft: u32, fuzz: f64) -> Option<Appearance> {
    // The warp is crowded and takes the crimp; of the weft little more than dots is seen.
    let warp = Yarn {
        irregularity: 0.16,
        twist_deg: 24.0,
        crimp: 0.9,
        ..Yarn::new(Cotton, warp, 0.42, 0.50)
    };
    let weft = Yarn { irregularity: 0.12, crimp: 0.05, ..Yarn::new(Cotton, weft, 0.52, 0.34) };
    finished(Some(Appearance::woven(Draft::named("twill-3/1").ok()?, warp, weft)), fuzz, 0.0)
}

/// Filaments that float over many crossings.
fn satin(yarn: Yarn, gloss: f64) -> Option<Appearance> {
    let weft = Yarn { spacing_mm: 0.22, thickness_mm: 0.2, ..yarn.clone() };
    finished(Some(Appearance::woven(Draft::named("satin-8").ok()?, yarn, weft)), 0.0, gloss)
}

fn knitted(name: &str) -> Option<Appearance> {
    let knit = |knit, fibre, colour, wale: f64, share: f64, fuzz| {
        let yarn = Yarn::new(fibre, colour, wale, wale * share);
        finished(Some(Appearance::knitted(knit, yarn)), fuzz, 0.0)
    };
    match name {
        "cotton-jersey" => knit(Knit::Jersey, Cotton, 0x32577d, 0.72, 0.46, 0.15),
        "jersey" => knit(Knit::Jersey, Viscose, 0x3d6b63, 0.62, 0.45, 0.08),
        "cotton-interlock" => knit(Knit::Interlock, Cotton, 0xb5675a, 0.75, 0.46, 0.12),
        "wang-gray-interlock" => knit(Knit::Interlock, Cotton, 0x8b8d90, 0.75, 0.46, 0.12),
        "wang-camel-ponte-roma" => knit(Knit::Interlock, Viscose, 0xb08a5c, 0.8, 0.48, 0.08),
        "wang-ivory-rib-knit" => knit(Knit::Rib1x1, Cotton, 0xe9e2d0, 0.9, 0.44, 0.15),
        "wang-tango-red-jet-set" => knit(Knit::Jersey, Polyester, 0xb02a2a, 0.6, 0.42, 0.0),
        "wang-royal-target" => knit(Knit::Jersey, Polyester, 0x27459c, 0.6, 0.42, 0.0),
        "wang-white-swim-solid" => knit(Knit::Jersey, Polyamide, 0xf0f1f2, 0.42, 0.44, 0.0),
        "fleece-knit" => backed(0x6f7f6a, 0.5, Cotton),
        "wang-navy-sparkle-sweat" => backed(0x232c47, 0.1, Cotton),
        _ => None,
    }
}

/// A knit whose back is raised.
fn backed(colour: u32, front: f64, fibre: Fibre) -> Option<Appearance> {
    let finish = Finish { fuzz: front, fuzz_back: Some(1.0), gloss: -0.2 };
    let knit = Appearance::knitted(Knit::Jersey, Yarn::new(fibre, colour, 0.9, 0.44));
    Some(Appearance { finish, ..knit })
}

fn special(name: &str) -> Option<Appearance> {
    match name {
        "leather" => {
            let (colour, back) = (Colour(0x3b2417), Colour(0x8c6f55));
            let sheet = Sheet { colour, back, roughness: 0.55 };
            Some(Appearance { sheet: Some(sheet), ..Appearance::empty() })
        }
        "wang-pink-ribbon-brown" => {
            let stripes = [(0x4a2f24, 10), (0xd58a9a, 4)]
                .map(|(colour, yarns)| Stripe { colour: Colour(colour), yarns });
            let yarn = Yarn { stripes: stripes.to_vec(), ..Yarn::new(Cotton, 0x4a2f24, 0.7, 0.3) };
            Some(Appearance::knitted(Knit::Jersey, yarn))
        }
        "wang-white-dots-on-blk" => {
            let knit = Appearance::knitted(Knit::Jersey, Yarn::new(Polyester, 0x16161a, 0.6, 0.27));
            let colour = Colour(0xefefea);
            let print = super::Print::Dots { colour, width_mm: 6.0, period_mm: 18.0 };
            Some(Appearance { print: Some(print), ..knit })
        }
        _ => None,
    }
}
