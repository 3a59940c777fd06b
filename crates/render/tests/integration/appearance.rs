//! Appearances as files have them, and those of the fabrics that toile brings.

use crate::shapes;

use proptest::prelude::*;
use shapes::appearance;
use toile_render::appearance::{Appearance, Fabric, bake};

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

/// Names of the fabric files of toile.
fn names() -> Vec<String> {
    let files = std::fs::read_dir("../../fabrics").unwrap().map(|f| f.unwrap().path());
    let toml = files.filter(|p| p.extension().is_some_and(|e| e == "toml"));
    toml.map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_fabric_of_toile_has_an_appearance() {
    let names = names();
    assert!(names.len() >= 29);
    for name in names {
        let appearance = appearance(&name);
        appearance.check().unwrap();
        let text = toml::to_string(&appearance).unwrap();
        assert_eq!(toml::from_str::<Appearance>(&text).unwrap(), appearance, "{name}");
    }
}

#[test]
fn baked_textures_have_the_mean_colour_and_tile() {
    for name in names() {
        let baked = bake(&appearance(&name), None, 128).unwrap();
        let image = &baked.base_colour;
        assert!(image.width.is_power_of_two() && image.height.is_power_of_two());
        let (mut sum, mut cover) = ([0.0_f32; 3], 0.0);
        for p in image.rgba.chunks_exact(4) {
            let c = toile_render::srgb(u32::from_be_bytes([0, p[0], p[1], p[2]]));
            let a = f32::from(p[3]) / 255.0;
            cover += a;
            (0..3).for_each(|k| sum[k] += c[k] * a);
        }
        let mean = sum.map(|s| s / cover);
        let open = 1.0 - cover / (image.rgba.len() / 4) as f32;
        assert!((open - baked.simple.openness).abs() < 0.03, "{name} {open}");
        // Printed dots repeat less often than the weave: the tile need not have their share.
        if name != "wang-white-dots-on-blk" {
            for k in 0..3 {
                let off = (mean[k] - baked.simple.front[k]).abs();
                assert!(off < 0.02 + 0.1 * mean[k], "{name} {mean:?} {:?}", baked.simple.front);
            }
        }
        let n = baked.normal.rgba.chunks_exact(4).fold([0.0; 2], |s, p| {
            [s[0] + f32::from(p[0]) - 127.5, s[1] + f32::from(p[1]) - 127.5]
        });
        let count = (baked.normal.rgba.len() / 4) as f32;
        assert!(n.iter().all(|c| (c / count).abs() < 6.0), "{name} leans: {n:?}");
    }
    assert!(bake(&appearance("cotton"), None, 4).is_err());
}

#[test]
fn fabrics_differ_as_their_names_say() {
    let fabric = |name: &str| Fabric::new(&appearance(name), None).unwrap();
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
