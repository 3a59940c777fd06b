//! What the names of panels say about what they are sewn to.

/// What a panel is, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Front,
    Back,
    Yoke,
    Sleeve,
    Cuff,
    Collar,
    Band,
    Skirt,
    Leg,
    Hood,
    Pocket,
    Interfacing,
    Unknown,
}

/// The side of the wearer that a name speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    Left,
    Right,
    None,
}

pub(super) fn role(name: &str) -> Role {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    if has(&["interfac", "fusing"]) {
        Role::Interfacing
    } else if has(&["pocket", "flap", "placket"]) {
        Role::Pocket
    } else if has(&["cuff"]) && !has(&["skirt"]) {
        Role::Cuff
    } else if has(&["hood"]) {
        Role::Hood
    } else if has(&["collar", "stand", "turtle", "neckband", "neck_band", "lapel"]) {
        Role::Collar
    } else if has(&["waistband", "wb_", "belt"]) {
        Role::Band
    } else if has(&["skirt", "ruffle"]) {
        Role::Skirt
    } else if has(&["sleeve", "sl_"]) {
        Role::Sleeve
    } else if has(&["yoke"]) {
        Role::Yoke
    } else if has(&["pant", "trouser", "leg"]) {
        Role::Leg
    } else if has(&["skirt", "godet", "ruffle", "ins_"]) {
        Role::Skirt
    } else if has(&["front", "_f_", "ftorso"]) {
        Role::Front
    } else if has(&["back", "_b_", "btorso"]) {
        Role::Back
    } else {
        Role::Unknown
    }
}

pub(super) fn hand(name: &str) -> Hand {
    let name = name.to_lowercase();
    if name.contains("right")
        || name.contains("mirrored")
        || name.contains("_r_")
        || name.ends_with("_r")
        || name.ends_with("-r")
    {
        Hand::Right
    } else if name.contains("left")
        || name.contains("_l_")
        || name.ends_with("_l")
        || name.ends_with("-l")
    {
        Hand::Left
    } else {
        Hand::None
    }
}

/// Whether a name speaks of the front (+1) or back (−1).
pub(super) fn facing(name: &str) -> i32 {
    let name = name.to_lowercase();
    let front = name.contains("front")
        || name.contains("ftorso")
        || name.contains("_f_")
        || name.ends_with("_f");
    let back = name.contains("back")
        || name.contains("btorso")
        || name.contains("_b_")
        || name.ends_with("_b");
    i32::from(front) - i32::from(back)
}

/// Log odds that panels of two roles are sewn to each other at all.
pub(super) fn affinity(a: Role, b: Role) -> f64 {
    use Role::*;
    let is = |x: Role, y: Role| (a == x && b == y) || (a == y && b == x);
    if a == Interfacing || b == Interfacing || a == Pocket || b == Pocket {
        return -6.0;
    }
    if is(Cuff, Front)
        || is(Cuff, Back)
        || is(Cuff, Collar)
        || is(Cuff, Skirt)
        || is(Cuff, Yoke)
        || is(Cuff, Band)
    {
        return -4.0;
    }
    if is(Collar, Sleeve)
        || is(Collar, Skirt)
        || is(Collar, Leg)
        || is(Collar, Band)
        || is(Hood, Sleeve)
        || is(Hood, Skirt)
    {
        return -4.0;
    }
    if is(Sleeve, Skirt) || is(Sleeve, Leg) || is(Sleeve, Band) {
        return -4.0;
    }
    if is(Cuff, Sleeve) || is(Cuff, Leg) || is(Yoke, Back) || is(Band, Skirt) || is(Band, Leg) {
        return 0.6;
    }
    0.0
}

/// The stem and the number of each name that ends with one; what others number on from has −1.
pub(super) fn numbers(pattern: &crate::Pattern) -> Vec<Option<(String, i32)>> {
    let number = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = name[stem.len()..].parse().ok().filter(|n| (0..1000).contains(n))?;
        (stem.len() > 2).then(|| (stem.to_lowercase(), number))
    };
    let mut all: Vec<Option<(String, i32)>> =
        pattern.panels.iter().map(|p| number(&p.name)).collect();
    for i in 0..all.len() {
        let stem = pattern.panels[i].name.to_lowercase() + "_";
        if all[i].is_none() && all.iter().flatten().any(|(s, _)| *s == stem) {
            all[i] = Some((stem, -1));
        }
    }
    all
}

/// Words of edges that are never sewn to their like.
const BORDERS: [&str; 9] =
    ["armhole", "neck", "collar", "hem", "waist", "cap", "interface", "bottom", "top"];

/// The border that the name of an edge speaks of.
pub(super) fn border(edge: &str) -> Option<usize> {
    let edge = edge.to_lowercase();
    BORDERS.iter().position(|w| edge.contains(w))
}
