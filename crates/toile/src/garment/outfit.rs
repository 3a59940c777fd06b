//! Outfits: several garments that are worn together, in one file.
//!
//! ```toml
//! [[wear]]
//! garment = "trousers"       # a design, or the file of a pattern beside this one
//! fabric = "denim"
//!
//! [[wear]]
//! garment = "tshirt"
//! fabric = "cotton-jersey"
//! size = "L"
//! with = { ease = 0.14 }
//! tuck = "in"                # or "out"
//! ```
//!
//! Garments are put on in the order of the file, unless `over`, `under` or `tuck` say otherwise.

use super::{Cut, Order, chosen, no_garment};
use crate::error::Error;
use crate::scene::{read_text, suggest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toile_pattern::design::Design;
use toile_pattern::{BodyPart, Pattern, Size, file};
use toml::{Table, Value};

/// Most garments of an outfit.
const MAX_GARMENTS: usize = 16;

/// An outfit file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutfitFile {
    name: Option<String>,
    wear: Vec<Wear>,
}

/// A garment of an outfit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wear {
    name: Option<String>,
    garment: String,
    fabric: Option<String>,
    size: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    #[serde(default)]
    over: Vec<String>,
    #[serde(default)]
    under: Vec<String>,
    tuck: Option<Tuck>,
}

/// How a garment meets the trousers or skirts of its outfit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tuck {
    /// It is worn inside.
    In,
    /// It hangs over them.
    Out,
}

/// A garment of an outfit, as the report has it: from the inside out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WornGarment {
    /// What it is called in the outfit; its panels are called `name/panel`.
    pub name: String,
    /// The design or the file of its pattern.
    pub garment: String,
    /// Its size.
    pub size: String,
    /// What it is made of.
    pub fabric: String,
}

/// What the garments of an outfit are made of, from the inside out.
pub(crate) fn materials(outfit: &[WornGarment]) -> String {
    let each = outfit.iter().map(|w| format!("{} of {}", w.name, w.fabric));
    each.collect::<Vec<_>>().join(", ")
}

/// Whether a file is an outfit.
pub fn is_outfit(path: impl AsRef<Path>) -> bool {
    let table = read_text(path.as_ref()).ok().and_then(|text| text.parse::<Table>().ok());
    table.is_some_and(|t| t.contains_key("wear"))
}

/// A garment with its pattern.
struct Garment {
    worn: WornGarment,
    pattern: Pattern,
}

/// Reads an outfit and drafts its garments.
pub(super) fn cut(order: &Order) -> Result<Cut, Error> {
    let refuse = |message: String, help: String| {
        Error::request(format!("{}: {message}", order.garment), help)
    };
    if !order.design_options.is_empty() {
        let help = "write them into the outfit: with = { ease = 0.1 }".into();
        return Err(refuse("an outfit has no design options of its own".into(), help));
    }
    let path = Path::new(&order.garment);
    let read: OutfitFile = toml::from_str(&read_text(path)?)
        .map_err(|e| refuse(e.to_string().trim_end().into(), "see docs/garments.md".into()))?;
    if read.wear.is_empty() || read.wear.len() > MAX_GARMENTS {
        let message = format!("{} garments", read.wear.len());
        return Err(refuse(message, format!("an outfit has 1 to {MAX_GARMENTS}: [[wear]]")));
    }
    let mut garments = Vec::new();
    for wear in &read.wear {
        let garment = drafted(order, path, wear).map_err(|e| named(&order.garment, e))?;
        if garments.iter().any(|g: &Garment| g.worn.name == garment.worn.name) {
            let message = format!("two garments are called `{}`", garment.worn.name);
            return Err(refuse(
                message,
                "give one of them a name of its own: name = \"vest\"".into(),
            ));
        }
        garments.push(garment);
    }
    let within = within(&read.wear, &garments).map_err(|(m, h)| refuse(m, h))?;
    let dressing = dressing_order(&garments, &within).map_err(|(m, h)| refuse(m, h))?;
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(joined(read.name.unwrap_or_else(stem), garments, &dressing))
}

/// An error with the name of the outfit before it.
fn named(outfit: &str, error: Error) -> Error {
    match error {
        Error::Request { message, help } => Error::request(format!("{outfit}: {message}"), help),
        other => other,
    }
}

/// A garment in its size and with its options.
fn drafted(order: &Order, outfit: &Path, wear: &Wear) -> Result<Garment, Error> {
    let size = match wear.size.as_deref() {
        None => order.size,
        Some(said) => Size::parse(said).ok_or_else(|| {
            let help = "there are XS, S, M, L, XL and XXL";
            Error::request(format!("there is no size `{said}`"), help)
        })?,
    };
    let beside = |name: &str| {
        let file = outfit.parent().map(|f| f.join(name)).filter(|f| f.is_file());
        file.map_or_else(|| name.to_owned(), |f| f.display().to_string())
    };
    let own = Order {
        garment: beside(&wear.garment),
        size,
        design_options: wear.with.iter().map(|(k, v)| (k.clone(), text(v))).collect(),
        ..order.clone()
    };
    let file = Path::new(&own.garment).is_file();
    let design = Design::find(&own.garment).filter(|_| !file);
    let mut pattern = match design {
        Some(design) => chosen(&own, design)?.draft(&own.drafted_to()),
        None if file && wear.with.is_empty() => file::read(&own.garment)?,
        None if file => {
            let message = format!("{}: a pattern file has no design options", own.garment);
            return Err(Error::request(message, "change the file, or name a design"));
        }
        None => return Err(no_garment(&wear.garment)),
    };
    let folder = Path::new(&own.garment).parent().filter(|_| file);
    for named in pattern.panels.iter_mut().filter_map(|p| p.fabric.as_mut()) {
        let beside = folder.map(|f| f.join(&*named)).filter(|f| f.is_file());
        beside.into_iter().for_each(|f| *named = f.display().to_string());
    }
    let stem =
        || Path::new(&own.garment).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let fabric = wear.fabric.as_deref().unwrap_or_else(|| usual_fabric(&wear.garment));
    let worn = WornGarment {
        name: wear.name.clone().unwrap_or_else(stem),
        garment: wear.garment.clone(),
        size: size.name().to_owned(),
        fabric: beside(fabric),
    };
    Ok(Garment { worn, pattern: pattern.with_hints() })
}

/// What a garment is made of if nothing is said.
pub fn usual_fabric(garment: &str) -> &'static str {
    if garment == "tshirt" { "cotton-jersey" } else { "cotton" }
}

/// A value as it would be written on the command line.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether a garment is worn from the waist or the hips down, and not above.
fn is_bottom(pattern: &Pattern) -> bool {
    let is = |parts: &[BodyPart]| {
        pattern.panels.iter().any(|p| p.placement.part.is_some_and(|part| parts.contains(&part)))
    };
    let below = is(&[BodyPart::Hips, BodyPart::LeftLeg, BodyPart::RightLeg]);
    below && !is(&[BodyPart::Torso, BodyPart::Neck, BodyPart::LeftArm, BodyPart::RightArm])
}

/// A message and a remedy.
type Refusal = (String, String);

/// Pairs of an inner and an outer garment.
fn within(wear: &[Wear], garments: &[Garment]) -> Result<Vec<[usize; 2]>, Refusal> {
    let names: Vec<&str> = garments.iter().map(|g| g.worn.name.as_str()).collect();
    let find = |name: &str| {
        let at = names.iter().position(|n| *n == name);
        at.ok_or_else(|| (format!("no garment is called `{name}`"), suggest(name, &names)))
    };
    let mut pairs = Vec::new();
    for (i, own) in wear.iter().enumerate() {
        for inner in &own.over {
            pairs.push([find(inner)?, i]);
        }
        for outer in &own.under {
            pairs.push([i, find(outer)?]);
        }
        let Some(tuck) = own.tuck else { continue };
        let others = (0..garments.len()).filter(|k| *k != i && is_bottom(&garments[*k].pattern));
        let bottoms: Vec<usize> = others.collect();
        if bottoms.is_empty() || is_bottom(&garments[i].pattern) {
            let message = format!("`{}` has nothing to be tucked into", names[i]);
            return Err((message, "omit `tuck`, or add trousers or a skirt to the outfit".into()));
        }
        pairs.extend(bottoms.iter().map(|k| match tuck {
            Tuck::In => [i, *k],
            Tuck::Out => [*k, i],
        }));
    }
    Ok(pairs)
}

/// From the inside out, and as in the file where nothing else is said.
fn dressing_order(garments: &[Garment], within: &[[usize; 2]]) -> Result<Vec<usize>, Refusal> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < garments.len() {
        let is_free = |k: &usize| {
            let is_on = |inner: usize| order.contains(&inner);
            !is_on(*k) && within.iter().all(|[inner, outer]| outer != k || is_on(*inner))
        };
        let Some(next) = (0..garments.len()).find(is_free) else {
            let left = (0..garments.len()).filter(|k| !order.contains(k));
            let names: Vec<String> = left.map(|k| format!("`{}`", garments[k].worn.name)).collect();
            let message = format!("{} are each within the other", names.join(", "));
            return Err((message, "take one of `over`, `under` and `tuck` away".into()));
        };
        order.push(next);
    }
    Ok(order)
}

/// All garments as one pattern, in the order of dressing.
fn joined(name: String, garments: Vec<Garment>, order: &[usize]) -> Cut {
    let main = garments[order[0]].worn.fabric.clone();
    let mut dressed: Vec<(WornGarment, Pattern)> = Vec::new();
    for k in order {
        let Garment { worn, pattern } = &garments[*k];
        let mut pattern = pattern.clone();
        for panel in &mut pattern.panels {
            let fabric = panel.fabric.take().unwrap_or_else(|| worn.fabric.clone());
            panel.fabric = Some(fabric).filter(|f| *f != main);
        }
        dressed.push((worn.clone(), pattern));
    }
    let named = dressed.iter().map(|(worn, pattern)| (worn.name.as_str(), pattern));
    let pattern = Pattern::of_garments(name, named);
    let mut end = 0;
    let ends = dressed.iter().map(|(_, pattern)| {
        end += pattern.panels.len();
        end
    });
    let dressing = ends.collect();
    let outfit = Some(dressed.into_iter().map(|(worn, _)| worn).collect());
    Cut { pattern, dressing, fabric: main, outfit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::garment::tests::order;

    fn cut_of(text: &str) -> Result<Cut, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("outfit.toml");
        std::fs::write(&path, text).expect("a file");
        assert!(is_outfit(&path));
        cut(&order(&path.display().to_string()))
    }

    fn names(cut: &Cut) -> Vec<&str> {
        cut.outfit.iter().flatten().map(|w| w.name.as_str()).collect()
    }

    const TWO: &str = "[[wear]]\ngarment = 'trousers'\nfabric = 'denim'\n\
                       [[wear]]\ngarment = 'tshirt'\nwith = { ease = 0.14 }\n";

    #[test]
    fn garments_are_put_on_in_the_order_of_the_file_or_as_they_are_tucked() {
        let out = cut_of(TWO).expect("an outfit");
        assert_eq!(names(&out), ["trousers", "tshirt"]);
        assert_eq!((out.fabric.as_str(), out.dressing.len()), ("denim", 2));
        let last = out.pattern.panels.last().expect("panels");
        assert!(last.name.starts_with("tshirt/"), "{}", last.name);
        assert_eq!(last.fabric.as_deref(), Some("cotton-jersey"));
        assert_eq!(out.dressing[1], out.pattern.panels.len());
        let tucked = cut_of(&format!("{TWO}tuck = 'in'")).expect("an outfit");
        assert_eq!(names(&tucked), ["tshirt", "trousers"]);
        let over = cut_of(&format!("{TWO}under = ['trousers']")).expect("an outfit");
        assert_eq!(names(&over), ["tshirt", "trousers"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_names() {
        let cases = [
            (format!("{TWO}tuck = 'in'\nover = ['trousers']"), "each within the other"),
            (format!("{TWO}over = ['trouser']"), "no garment is called `trouser`"),
            (format!("{TWO}tuck = 'sideways'"), "sideways"),
            (format!("{TWO}colour = 'red'"), "colour"),
            (format!("{TWO}size = 'huge'"), "no size `huge`"),
            (format!("{TWO}[[wear]]\ngarment = 'tshirt'"), "two garments are called `tshirt`"),
            ("[[wear]]\ngarment = 'tshirt'\ntuck = 'in'".into(), "nothing to be tucked into"),
            ("[[wear]]\ngarment = 'shirt-of-nessus'".into(), "no garment `shirt-of-nessus`"),
            ("wear = []".into(), "0 garments"),
        ];
        for (text, said) in cases {
            let error = cut_of(&text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(error.to_string().contains(said), "{text}: {error}");
        }
    }
}
