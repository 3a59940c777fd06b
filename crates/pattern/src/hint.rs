//! Where panels belong that do not say so: by their names, and by what they are sewn to.
//!
//! A sleeve, a collar, a waistband or the leg of trousers is told by its name. Panels that are only called front and back are
//! for the trunk, but below a waistband for the hips; where a front and a back are sewn to each other twice, outside and
//! inside, they are for a leg. Hints of the pattern itself are kept.

use crate::panel::{BodyPart, Side};
use crate::pattern::Pattern;

/// Whether a name speaks of the right of the wearer; if it speaks of no side, it is the left.
fn is_right(name: &str) -> bool {
    name.contains("right")
        || name.contains("mirrored")
        || name.ends_with("_r")
        || name.ends_with("-r")
        || name.contains("_r_")
}

/// The part of the body that a name speaks of.
pub(crate) fn part_of(name: &str) -> Option<BodyPart> {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| name.contains(w));
    let pick = |left, right| Some(if is_right(&name) { right } else { left });
    // First: trousers may have cuffs, too.
    if has(&["pant", "trouser"]) {
        pick(BodyPart::LeftLeg, BodyPart::RightLeg)
    } else if has(&["sleeve", "cuff", "sl_"]) {
        pick(BodyPart::LeftArm, BodyPart::RightArm)
    } else if has(&["hood"]) {
        Some(BodyPart::Head)
    } else if has(&["collar", "turtle", "neckband"]) {
        Some(BodyPart::Neck)
    } else if has(&["wb_", "waistband", "belt"]) {
        Some(BodyPart::Waist)
    } else if has(&["skirt", "godet", "ruffle", "ins_"]) {
        Some(BodyPart::Hips)
    } else if has(&["torso", "bodice", "top", "shirt"]) {
        Some(BodyPart::Torso)
    } else {
        None
    }
}

/// The side of the body that a name speaks of.
fn side_of(name: &str) -> Option<Side> {
    let name = name.to_lowercase();
    match (name.contains("front"), name.contains("back")) {
        (true, false) => Some(Side::Front),
        (false, true) => Some(Side::Back),
        _ => None,
    }
}

impl Pattern {
    /// The same pattern with a place for panels that have none, as far as names and seams tell it.
    pub fn with_hints(&self) -> Self {
        let mut pattern = self.clone();
        for panel in &mut pattern.panels {
            let placement = &mut panel.placement;
            placement.side = placement.side.or(side_of(&panel.name));
            placement.part = placement.part.or(part_of(&panel.name));
        }
        let sewn = self.neighbours();
        let unknown = |p: &Self, i: usize| {
            let placement = &p.panels[i].placement;
            placement.part.is_none() && placement.frame.is_none() && placement.side.is_some()
        };
        for first in 0..pattern.panels.len() {
            if !unknown(&pattern, first) {
                continue;
            }
            // All fronts and backs that hang together belong to one part.
            let mut group = vec![first];
            let mut around = Vec::new();
            let mut next = 0;
            while next < group.len() {
                let i = group[next];
                next += 1;
                for [a, b] in &sewn {
                    let other = if *a == i { *b } else { *a };
                    if (*a != i && *b != i) || group.contains(&other) {
                        continue;
                    }
                    if unknown(&pattern, other) {
                        group.push(other);
                    } else {
                        around.extend(pattern.panels[other].placement.part);
                    }
                }
            }
            let touches = |part: BodyPart| around.contains(&part);
            let above = [BodyPart::Neck, BodyPart::LeftArm, BodyPart::RightArm, BodyPart::Torso];
            let twice = |i: usize, k: usize| {
                let same = |pair: &&[usize; 2]| pair.contains(&i) && pair.contains(&k);
                i != k && sewn.iter().filter(same).count() > 1
            };
            let sides: Vec<Option<Side>> =
                group.iter().map(|i| pattern.panels[*i].placement.side).collect();
            for (n, i) in group.iter().enumerate() {
                let mut backs = group.iter().zip(&sides).filter(|(_, s)| **s != sides[n]);
                let panel = &pattern.panels[*i];
                let part = if above.iter().any(|p| touches(*p)) {
                    BodyPart::Torso
                } else if touches(BodyPart::Waist)
                    && backs.any(|(k, _)| twice(*i, *k))
                    && group.len() > 2
                {
                    let right = is_right(&panel.name.to_lowercase());
                    if right { BodyPart::RightLeg } else { BodyPart::LeftLeg }
                } else if touches(BodyPart::Waist) || touches(BodyPart::Hips) {
                    BodyPart::Hips
                } else {
                    BodyPart::Torso
                };
                pattern.panels[*i].placement.part = Some(part);
            }
        }
        pattern
    }

    /// Pairs of different panels that are sewn together, once for each seam between them.
    fn neighbours(&self) -> Vec<[usize; 2]> {
        let number = |name: &str| self.panels.iter().position(|p| p.name == name);
        let mut pairs = Vec::new();
        for seam in &self.seams {
            let side = |parts: &[crate::EdgePart]| -> Vec<usize> {
                parts.iter().filter_map(|p| number(&p.panel)).collect()
            };
            let (mut a, mut b) = (side(&seam.a), side(&seam.b));
            a.dedup();
            b.dedup();
            for i in &a {
                pairs.extend(b.iter().filter(|k| *k != i).map(|k| [*i, *k]));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use crate::design::Design;
    use crate::panel::BodyPart;
    use crate::{Figure, Measurements, Size};

    #[test]
    fn the_designs_are_placed_by_names_and_seams_as_they_say_themselves() {
        let m = Measurements::of(Figure::Female, Size::M);
        for design in Design::all() {
            let wanted = design.draft(&m);
            let mut bare = wanted.clone();
            bare.panels.iter_mut().for_each(|p| p.placement = Default::default());
            for (found, said) in bare.with_hints().panels.iter().zip(&wanted.panels) {
                let name = format!("{} {}", design.name(), said.name);
                assert_eq!(found.placement.part, said.placement.part, "{name}");
                let limb = matches!(
                    found.placement.part,
                    Some(BodyPart::LeftArm | BodyPart::RightArm | BodyPart::Waist | BodyPart::Neck)
                );
                assert!(limb || found.placement.side == said.placement.side, "{name}");
            }
            // What a pattern says itself is kept.
            assert_eq!(wanted.with_hints(), wanted);
        }
    }

    #[test]
    fn cuffs_belong_to_what_their_names_say_else() {
        let part = super::part_of;
        assert_eq!(part("sl_left_cuff_f"), Some(BodyPart::LeftArm));
        assert_eq!(part("pant_r_cuff_skirt_b"), Some(BodyPart::RightLeg));
        assert_eq!(part("pant_l_cuff_f"), Some(BodyPart::LeftLeg));
    }

    #[test]
    fn a_panel_of_which_nothing_is_known_has_no_place() {
        let mut pattern =
            Design::find("skirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
        pattern.panels.truncate(1);
        pattern.seams.clear();
        pattern.panels[0].name = "piece".into();
        pattern.panels[0].placement = Default::default();
        assert_eq!(pattern.with_hints().panels[0].placement.part, None);
    }
}
