//! Appearances as files have them, and those of the fabrics that toile brings.

use proptest::prelude::*;
use toile_render::appearance::{Appearance, Fabric, preset, preset_names};

fn parse(text: &str) -> Result<Appearance, String> {
    let appearance: Appearance = toml::from_str(text).map_err(|e| e.to_string())?;
    appearance.check().map_err(|e| e.to_string())?;
    Ok(appearance)
}

const DENIM: &str = r##"
weave = "twill-3/1"
finish = { fuzz = 0.1 }
print = { kind = "dots", colour = "#ffffff", width-mm = 2, period-mm = 10 }
[warp]
fibre = "cotton"
colour = "#1d2f52"
spacing-mm = 0.42
thickness-mm = 0.42
twist-deg = 24
[weft]
fibre = "cotton"
colour = "#d9d3c4"
stripes = [{ colour = "#ffffff", yarns = 3 }, { colour = "#000000", yarns = 1 }]
spacing-mm = 0.58
thickness-mm = 0.5
"##;

#[test]
fn a_fabric_file_says_how_it_looks() {
    let denim = parse(DENIM).unwrap();
    assert!(Fabric::new(&denim, None).is_ok());
    let again: Appearance = toml::from_str(&toml::to_string(&denim).unwrap()).unwrap();
    assert_eq!(again, denim);
}

#[test]
fn mistakes_are_named_with_what_is_right() {
    for (from, to, expected) in [
        ("twill-3/1", "tweed", "known are"),
        ("\"#1d2f52\"", "\"blue\"", "six digits"),
        ("fibre = \"cotton\"\ncolour = \"#1d", "fibre = \"coton\"\ncolour = \"#1d", "coton"),
        ("spacing-mm = 0.42", "spacing-mm = -1", "warp: spacing-mm"),
        ("spacing-mm = 0.42", "spacing = 0.42", "spacing"),
        ("weave = \"twill-3/1\"", "knit = \"jersey\"", "a knit has a yarn"),
        ("weave = \"twill-3/1\"", "", "exactly one"),
        ("fuzz = 0.1", "fuzz = 7", "fuzz must lie"),
        ("width-mm = 2", "width-mm = 20", "no wider than its period"),
    ] {
        assert!(DENIM.contains(from), "{from}");
        let error = parse(&DENIM.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(expected), "{from} {error}");
    }
}

#[test]
fn every_fabric_of_toile_has_an_appearance() {
    for name in preset_names() {
        let appearance = preset(name).unwrap();
        appearance.check().unwrap();
        let text = toml::to_string(&appearance).unwrap();
        assert_eq!(toml::from_str::<Appearance>(&text).unwrap(), appearance, "{name}");
    }
    assert!(preset("unobtainium").is_none());
    for file in std::fs::read_dir("../../fabrics").unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_string();
            assert!(preset(&name).is_some(), "{name} has no appearance");
        }
    }
}

#[test]
fn fabrics_differ_as_their_names_say() {
    let fabric = |name: &str| Fabric::new(&preset(name).unwrap(), None).unwrap();
    let (denim, voile, georgette) =
        (fabric("denim"), fabric("cotton-voile"), fabric("polyester-georgette"));
    assert!(denim.openness() < 0.02 && voile.openness() > 0.1 && georgette.openness() > 0.1);
    assert!(denim.thickness() > 2.0 * voile.thickness());
    // The warp is blue and in front, the weft white and behind.
    let (front, back) = (denim.mean_colour(true), denim.mean_colour(false));
    assert!(front[2] > 1.3 * front[0] && back[0] > 2.0 * front[0], "{front:?} {back:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_damaged_file_panics(at in 0..600_usize, byte in 32..127_u8) {
        let mut text = DENIM.as_bytes().to_vec();
        let at = at % text.len();
        text[at] = byte;
        let _ = parse(std::str::from_utf8(&text).unwrap());
    }
}
