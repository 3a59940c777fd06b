//! Weaving drafts in the Weaving Information File format (WIF 1.1), as looms and drafting programs write them.
//!
//! Read are the threading, the tie-up and treadling or the liftplan, the colours of the threads, and their
//! spacing and thickness. Warp end i is up on pick j if the shaft it is threaded on is lifted.

use super::{Appearance, Colour, Draft, Fibre, Stripe, Yarn, draft::MAX_SIDE};
use crate::Error;
use std::collections::BTreeMap;

/// Largest file [bytes].
pub const MAX_BYTES: usize = 16 << 20;

/// Most shafts and treadles.
const MAX_SHAFTS: usize = 256;

type Section = BTreeMap<String, String>;

/// Numbers from 1 to [`MAX_SHAFTS`], as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers([u64; MAX_SHAFTS / 64 + 1]);

impl Numbers {
    fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Reads a draft; `name` is for messages. The yarns are cotton, as wide as the file says or as they are apart.
///
/// # Errors
/// Names the section and key that is missing or damaged.
pub fn read(bytes: &[u8], name: &str) -> Result<Appearance, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::file(name, "is larger than 16 MB, which no draft is"));
    }
    let text = String::from_utf8_lossy(bytes);
    let file = File { name, sections: sections(&text) };
    if !file.sections.contains_key("wif") {
        return Err(file.fail("has no section [WIF]; export the draft as WIF 1.1"));
    }
    let ends = file.count("warp")?;
    let picks = file.count("weft")?;
    let threading = file.lists("threading", ends)?;
    let lifts = file.lifts(picks)?;
    let rows: Vec<String> = lifts
        .iter()
        .map(|lifted| {
            threading.iter().map(|shafts| if shafts.meets(lifted) { '1' } else { '0' }).collect()
        })
        .collect();
    // Drafts count picks from below, rows are read from the top.
    let rows: Vec<String> = repeat(rows).into_iter().rev().collect();
    let draft = Draft::from_rows(&rows).map_err(|e| file.fail(&e))?;
    let (warp, weft) = (file.yarn("warp", ends)?, file.yarn("weft", picks)?);
    let appearance = Appearance::woven(draft, warp, weft);
    appearance.check().map_err(|e| file.fail(&e.to_string()))?;
    Ok(appearance)
}

/// The shortest period of rows, and of columns, that the draft repeats.
fn repeat(rows: Vec<String>) -> Vec<String> {
    let period = |n: usize, same: &dyn Fn(usize, usize) -> bool| {
        let fits = |p: &usize| n.is_multiple_of(*p) && (*p..n).all(|k| same(k, k - p));
        (1..=n).find(fits).unwrap_or(n)
    };
    let height = period(rows.len(), &|a, b| rows[a] == rows[b]);
    let bytes: Vec<&[u8]> = rows[..height].iter().map(|r| r.as_bytes()).collect();
    let columns = rows.first().map_or(0, String::len);
    let width = period(columns, &|a, b| bytes.iter().all(|r| r[a] == r[b]));
    rows[..height].iter().map(|r| r[..width].to_owned()).collect()
}

/// Sections by their names in lower case; keys too.
fn sections(text: &str) -> BTreeMap<String, Section> {
    let mut sections: BTreeMap<String, Section> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default().trim();
        if let Some(title) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            current = title.trim().to_lowercase();
            sections.entry(current.clone()).or_default();
        } else if let Some((key, value)) = line.split_once('=') {
            let section = sections.entry(current.clone()).or_default();
            section.insert(key.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    sections
}

struct File<'a> {
    name: &'a str,
    sections: BTreeMap<String, Section>,
}

impl File<'_> {
    fn fail(&self, problem: &str) -> Error {
        Error::file(self.name, problem)
    }

    fn get(&self, section: &str, key: &str) -> Option<&str> {
        self.sections.get(section)?.get(key).map(String::as_str)
    }

    /// How many threads there are.
    fn count(&self, section: &str) -> Result<usize, Error> {
        let count = self.get(section, "threads").and_then(|t| t.parse::<usize>().ok());
        count.filter(|n| (1..=MAX_SIDE).contains(n)).ok_or_else(|| {
            self.fail(&format!("[{section}] Threads must be a number from 1 to {MAX_SIDE}"))
        })
    }

    /// Numbers behind each of the keys 1 … `count`; none where a key is missing.
    fn lists(&self, section: &str, count: usize) -> Result<Vec<Numbers>, Error> {
        let Some(found) = self.sections.get(section) else {
            return Err(self.fail(&format!("has no section [{}]", section.to_uppercase())));
        };
        let list = |k: usize| {
            let text = found.get(&k.to_string()).map_or("", String::as_str);
            let mut numbers = Numbers::default();
            for t in text.split(',').map(str::trim).filter(|t| !t.is_empty()) {
                let number = t.parse::<usize>().ok().filter(|n| *n <= MAX_SHAFTS);
                let number = number.ok_or_else(|| {
                    let at = section.to_uppercase();
                    self.fail(&format!("[{at}] {k}: {t:.20} is no number up to {MAX_SHAFTS}"))
                })?;
                // 0 stands for none.
                if number > 0 {
                    numbers.insert(number);
                }
            }
            Ok(numbers)
        };
        (1..=count).map(list).collect()
    }

    /// The shafts that are lifted on each pick.
    fn lifts(&self, picks: usize) -> Result<Vec<Numbers>, Error> {
        if self.sections.contains_key("liftplan") {
            return self.lists("liftplan", picks);
        }
        let treadling = self.lists("treadling", picks)?;
        let tieup = self.lists("tieup", MAX_SHAFTS)?;
        let rising = !self.get("weaving", "rising shed").is_some_and(is_false);
        let shafts = self.get("weaving", "shafts").and_then(|t| t.parse().ok()).unwrap_or(0);
        let lifted = |used: &Numbers| {
            let mut tied = Numbers::default();
            let treadles = (1..=MAX_SHAFTS).filter(|t| used.contains(*t));
            treadles.for_each(|t| tied.unite(&tieup[t - 1]));
            if rising {
                return tied;
            }
            let mut rest = Numbers::default();
            let free = (1..=usize::min(shafts, MAX_SHAFTS)).filter(|s| !tied.contains(*s));
            free.for_each(|s| rest.insert(s));
            rest
        };
        Ok(treadling.iter().map(lifted).collect())
    }

    /// A length in millimetres, if the file has it.
    fn millimetres(&self, section: &str, key: &str) -> Option<f64> {
        let value: f64 = self.get(section, key)?.parse().ok()?;
        let unit = match self.get(section, "units").unwrap_or("centimeters").to_lowercase().as_str()
        {
            "inches" => 25.4,
            "decipoints" => 25.4 / 720.0,
            _ => 10.0,
        };
        (value > 0.0 && value.is_finite()).then_some(value * unit)
    }

    fn yarn(&self, section: &str, threads: usize) -> Result<Yarn, Error> {
        let spacing = self.millimetres(section, "spacing").unwrap_or(0.5);
        let thickness = self.millimetres(section, "thickness").unwrap_or(0.95 * spacing);
        let colours = self.colours(section, threads)?;
        let mut yarn =
            Yarn::new(Fibre::Cotton, colours[0].0, spacing, thickness.min(1.3 * spacing));
        if colours.iter().any(|c| *c != colours[0]) {
            for colour in &colours {
                match yarn.stripes.last_mut() {
                    Some(last) if last.colour == *colour => last.yarns += 1,
                    _ => yarn.stripes.push(Stripe { colour: *colour, yarns: 1 }),
                }
            }
        }
        Ok(yarn)
    }

    /// The colour of each thread.
    fn colours(&self, section: &str, threads: usize) -> Result<Vec<Colour>, Error> {
        let usual =
            self.get(section, "color").and_then(|c| c.split(',').next()?.trim().parse().ok());
        let own = self.sections.get(&format!("{section} colors"));
        let of = |k: usize| {
            let named = own.and_then(|s| s.get(&k.to_string()));
            named.and_then(|t| t.trim().parse::<usize>().ok()).or(usual)
        };
        (1..=threads).map(|k| self.colour(section, of(k))).collect()
    }

    fn colour(&self, section: &str, number: Option<usize>) -> Result<Colour, Error> {
        let undyed = if section == "warp" { 0xe8e0d0 } else { 0xd8cfbc };
        let Some(number) = number else { return Ok(Colour(undyed)) };
        let Some(text) = self.get("color table", &number.to_string()) else {
            return Err(self.fail(&format!("[COLOR TABLE] has no colour {number}")));
        };
        let range = self.get("color palette", "range").unwrap_or("0,255");
        let most = range.split(',').nth(1).and_then(|t| t.trim().parse::<f64>().ok());
        let most = most.filter(|m| *m > 0.0).unwrap_or(255.0);
        let part = |t: &str| t.trim().parse::<f64>().ok().filter(|c| (0.0..=most).contains(c));
        let parts: Option<Vec<f64>> = text.split(',').map(part).collect();
        let Some(&[r, g, b]) = parts.as_deref() else {
            return Err(self.fail(&format!("[COLOR TABLE] {number}: {text:.30} is no colour")));
        };
        let byte = |c: f64| (255.0 * c / most).round() as u32;
        Ok(Colour(byte(r) << 16 | byte(g) << 8 | byte(b)))
    }
}

fn is_false(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "false" | "off" | "no" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWILL: &str = "[WIF]\nVersion=1.1\n[WEAVING]\nShafts=4\nTreadles=4\nRising Shed=true\n\
        [WARP]\nThreads=8\nUnits=centimeters\nSpacing=0.05\nColor=1\n[WEFT]\nThreads=8\nColor=2\n\
        Units=inches\nSpacing=0.02\n\
        [COLOR PALETTE]\nRange=0,999\n[COLOR TABLE]\n1=0,0,999\n2=999,999,999\n\
        [THREADING]\n1=1\n2=2\n3=3\n4=4\n5=1\n6=2\n7=3\n8=4\n\
        [TIEUP]\n1=1,2\n2=2,3\n3=3,4\n4=4,1 ; a note\n\
        [TREADLING]\n1=1\n2=2\n3=3\n4=4\n5=1\n6=2\n7=3\n8=4\n[WARP COLORS]\n3=2\n";

    #[test]
    fn a_twill_is_read_with_its_colours_and_measures() {
        let a = read(TWILL.as_bytes(), "t.wif").unwrap();
        let weave = a.weave.unwrap();
        assert_eq!((weave.columns(), weave.rows()), (4, 4));
        let expected = [[true, true, false, false], [false, true, true, false]];
        for (j, row) in expected.iter().enumerate() {
            for (i, up) in row.iter().enumerate() {
                assert_eq!(weave.is_up(i as i64, j as i64), *up, "{i} {j}");
            }
        }
        let (warp, weft) = (a.warp.unwrap(), a.weft.unwrap());
        assert_eq!((warp.colour, weft.colour), (Colour(0x0000ff), Colour(0xffffff)));
        assert!((warp.spacing_mm - 0.5).abs() < 1e-9 && (weft.spacing_mm - 0.508).abs() < 1e-9);
        let stripes: Vec<u32> = warp.stripes.iter().map(|s| s.yarns).collect();
        assert_eq!(stripes, [2, 1, 5]);
        assert!(weft.stripes.is_empty());
    }

    #[test]
    fn a_liftplan_and_a_sinking_shed_mean_what_they_say() {
        let plan = TWILL.replace("[TREADLING]", "[LIFTPLAN]").replace("[TIEUP]", "[OLD]");
        let weave = read(plan.as_bytes(), "t.wif").unwrap().weave.unwrap();
        assert!(weave.is_up(0, 0) && !weave.is_up(1, 0));
        let sinking = TWILL.replace("Shed=true", "Shed=false");
        let weave = read(sinking.as_bytes(), "t.wif").unwrap().weave.unwrap();
        assert!(!weave.is_up(0, 0) && weave.is_up(2, 0));
    }

    #[test]
    fn damaged_drafts_are_errors_that_say_where() {
        for (from, to, expected) in [
            ("[WIF]", "[W]", "no section [WIF]"),
            ("Threads=8", "Threads=999999999", "Threads must be"),
            ("[THREADING]", "[T]", "no section [THREADING]"),
            ("2=2,3", "2=2,x", "[TIEUP] 2: x is no number"),
            ("2=999,999,999", "2=999,999", "[COLOR TABLE] 2"),
            ("Color=2", "Color=7", "has no colour 7"),
        ] {
            let error = read(TWILL.replacen(from, to, 1).as_bytes(), "t.wif").unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert!(read(&vec![b'x'; MAX_BYTES + 1], "t.wif").is_err());
    }

    proptest! {
        #[test]
        fn no_damaged_draft_panics(edits in prop::collection::vec((0..600_usize, any::<u8>()), 1..6)) {
            let mut bytes = TWILL.as_bytes().to_vec();
            for (at, byte) in edits {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let _ = read(&bytes, "t.wif");
        }
    }
}
