//! Fabrics that are always there.

use super::from_toml;
use crate::error::Error;
use toile_sim::Fabric;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../fabrics/", $name, ".toml")))),*]
    };
}

/// Name and text of each, in the order of the alphabet.
const FILES: &[(&str, &str)] = files![
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
];

/// Their names.
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The text of the file of this name.
pub(super) fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The one of this name.
pub fn built_in(name: &str) -> Option<Result<Fabric, Error>> {
    let text = text(name)?;
    Some(from_toml(text, &format!("fabrics/{name}.toml")))
}
