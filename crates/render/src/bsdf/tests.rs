//! What every scattering function promises: energy, reciprocity, and samples that follow their density.

use super::coated::{Coat, Substance};
use super::matte::{Matte, Thin};
use super::*;
use crate::appearance::{Appearance, Draft, Fabric, Fibre, Finish, Knit, Viewed, Yarn};
use crate::warp::sphere;
use glam::Vec2;
use std::f32::consts::PI;

/// Points of the R₃ sequence.
fn points(count: usize) -> impl Iterator<Item = [f32; 3]> {
    (0..count).map(|k| {
        [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|a: f64| (a * (k as f64 + 0.5)).fract() as f32)
    })
}

/// Directions from above, down to grazing ones.
fn directions() -> Vec<Vec3> {
    let mut all = Vec::new();
    for degrees in [0.0_f32, 20.0, 45.0, 65.0, 80.0, 87.0] {
        for azimuth in [0.3_f32, 1.9, 3.6] {
            let (s, c) = degrees.to_radians().sin_cos();
            all.push(Vec3::new(s * azimuth.cos(), s * azimuth.sin(), c));
        }
    }
    all
}

fn simple(test: impl Fn(&str, &Bsdf<'_>)) {
    for roughness in [0.0, 0.4, 1.0] {
        test("matte", &Bsdf::Matte(Matte { colour: Vec3::ONE, roughness }));
    }
    test("thin", &Bsdf::Thin(Thin { reflected: Vec3::splat(0.7), transmitted: Vec3::splat(0.3) }));
    for roughness in [0.3, 0.6, 1.0] {
        for substance in [Substance::Dielectric(1.5), Substance::Metal] {
            let coat = Coat::new(roughness, substance);
            test("coated", &Bsdf::Coated { coat: &coat, colour: Vec3::ONE });
        }
    }
}

fn white(fibre: Fibre) -> Yarn {
    Yarn { irregularity: 0.0, ..Yarn::new(fibre, 0xffffff, 0.3, 0.3) }
}

fn white_fabrics() -> Vec<(&'static str, Fabric)> {
    let weave =
        |name: &str, yarn: Yarn| Appearance::woven(Draft::named(name).unwrap(), yarn.clone(), yarn);
    let fuzzy = Finish { fuzz: 0.8, ..Finish::default() };
    let glossy = Finish { gloss: 0.8, ..Finish::default() };
    vec![
        ("plain cotton", weave("plain", white(Fibre::Cotton))),
        ("wool flannel", Appearance { finish: fuzzy, ..weave("twill-2/2", white(Fibre::Wool)) }),
        ("silk satin", Appearance { finish: glossy, ..weave("satin-8", white(Fibre::Silk)) }),
        ("thin voile", weave("plain", Yarn { thickness_mm: 0.12, ..white(Fibre::Cotton) })),
        (
            "jersey",
            Appearance::knitted(Knit::Jersey, Yarn { thickness_mm: 0.14, ..white(Fibre::Viscose) }),
        ),
    ]
    .into_iter()
    .map(|(name, a)| (name, Fabric::new(&a, None).unwrap()))
    .collect()
}

/// Cloth as it is seen from afar.
fn far(front: bool, view: Vec3) -> Viewed {
    let handedness = if front { 1.0 } else { -1.0 };
    Viewed { uv: Vec2::new(0.013, 0.027), handedness, front, view, width: 1.0 }
}

/// Light from a white environment that reaches the viewer, by samples of the function itself.
fn albedo(bsdf: &Bsdf<'_>, o: Vec3, count: usize) -> f32 {
    let sum: f32 =
        points(count).filter_map(|u| bsdf.sample(o, u[0], [u[1], u[2]])).map(|d| d.weight.x).sum();
    sum / count as f32
}

#[test]
fn white_surfaces_vanish_in_a_white_furnace() {
    simple(|name, bsdf| {
        for o in directions() {
            let e = albedo(bsdf, o, 1 << 14);
            assert!((e - 1.0).abs() < 0.01, "{name} {bsdf:?} {o} {e}");
        }
    });
}

#[test]
fn white_cloth_vanishes_in_a_white_furnace() {
    let mut visible = Vec::new();
    for (name, fabric) in white_fabrics() {
        for front in [true, false] {
            for o in directions() {
                let viewed = far(front, o);
                let (mut sum, mut seen) = (0.0, 0);
                // The points of the cloth and those of the scattering must not be related.
                let mut random = generator();
                for _ in 0..1 << 16 {
                    let place = [random(), random()];
                    let u = [random(), random(), random()];
                    let Some(bsdf) = fabric.seen(&viewed, place) else { continue };
                    seen += 1;
                    sum += bsdf.sample(o, u[0], [u[1], u[2]]).map_or(0.0, |d| d.weight.x);
                }
                let e = sum / seen.max(1) as f32;
                // The tables are known to one percent, to three near the horizon, where a few fibres take most of the view.
                let allowed = if o.z > 0.4 { 0.01 } else { 0.03 };
                if (e - 1.0).abs() > allowed {
                    visible.push(format!("{name} {front} {o} {e}"));
                }
            }
        }
    }
    assert!(visible.is_empty(), "{visible:#?}");
}

#[test]
fn light_and_viewer_may_be_exchanged() {
    simple(|name, bsdf| {
        for o in directions() {
            for i in directions() {
                let there = bsdf.eval(o, i).x / i.z;
                let back = bsdf.eval(i, o).x / o.z;
                assert!(
                    (there - back).abs() <= 1e-4 * there.max(1.0),
                    "{name} {o} {i} {there} {back}"
                );
            }
        }
    });
}

#[test]
fn light_and_viewer_may_be_exchanged_on_the_mean_of_a_cloth() {
    for (name, fabric) in white_fabrics() {
        let mean = |o: Vec3, i: Vec3| {
            let (mut sum, mut seen) = (0.0, 0);
            for u in points(4096) {
                let uv = Vec2::new(u[0], u[1]) * 0.0072;
                let viewed = Viewed { uv, width: 1e-6, ..far(true, o) };
                let Some(bsdf) = fabric.seen(&viewed, [0.5, 0.5]) else { continue };
                sum += bsdf.eval(o, i).x / i.z;
                seen += 1;
            }
            sum / seen as f32
        };
        // In cloth without gaps both directions see the same points, and the sums are the same.
        if fabric.is_porous() {
            continue;
        }
        for (o, i) in directions().into_iter().zip(directions().into_iter().rev()) {
            let (there, back) = (mean(o, i), mean(i, o));
            assert!((there - back).abs() <= 1e-4 * there.max(1.0), "{name} {o} {i} {there} {back}");
        }
    }
}

/// Independent numbers in [0, 1).
fn generator() -> impl FnMut() -> f32 {
    let mut state = 0x1234_5678_u32;
    move || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        ((word >> 22) ^ word) as f32 / u32::MAX as f32 * 0.999_999
    }
}

/// Compares how often samples fall into cells of the sphere with the density, by χ².
fn samples_follow_density(name: &str, bsdf: &Bsdf<'_>, o: Vec3) {
    const ROWS: usize = 24;
    const COLUMNS: usize = 24;
    let cell = |d: Vec3| {
        let row = (((1.0 - d.z) * 0.5 * ROWS as f32) as usize).min(ROWS - 1);
        let turn = d.y.atan2(d.x) / (2.0 * PI) + 0.5;
        row * COLUMNS + ((turn * COLUMNS as f32) as usize).min(COLUMNS - 1)
    };
    let count = 200_000;
    let mut seen = vec![0.0_f64; ROWS * COLUMNS];
    let mut lost = 0.0;
    // χ² wants independent samples, not well-spread ones.
    let mut random = generator();
    for _ in 0..count {
        match bsdf.sample(o, random(), [random(), random()]) {
            Some(d) => seen[cell(d.dir)] += 1.0,
            None => lost += 1.0,
        }
    }
    let mut expected = vec![0.0_f64; ROWS * COLUMNS];
    let fine = 24;
    for k in 0..ROWS * COLUMNS * fine * fine {
        let (x, y) = (k % (COLUMNS * fine), k / (COLUMNS * fine));
        let u =
            [(y as f32 + 0.5) / (ROWS * fine) as f32, (x as f32 + 0.5) / (COLUMNS * fine) as f32];
        let d = sphere(u);
        // `sphere` starts its turn where `cell` has its middle.
        let pdf = bsdf.pdf(o, d);
        if bsdf.eval(o, d).max_element() > 0.0 {
            expected[cell(d)] +=
                f64::from(pdf) * 4.0 * std::f64::consts::PI / (ROWS * COLUMNS * fine * fine) as f64;
        }
    }
    let (mut chi, mut degrees, mut rest) = (0.0, 0.0, [0.0, 0.0]);
    for (s, e) in seen.iter().zip(&expected) {
        let e = e * f64::from(count);
        if e < 8.0 {
            rest[0] += s;
            rest[1] += e;
        } else {
            // The integral over a cell is known to about half a percent.
            chi += (s - e).powi(2) / (e + (0.006 * e).powi(2));
            degrees += 1.0;
        }
    }
    assert!(rest[0] < rest[1] + 6.0 * rest[1].sqrt() + 20.0, "{name} {o} {rest:?} lost {lost}");
    // Five standard deviations of χ² above its mean.
    assert!(chi < degrees + 5.0 * (2.0_f64 * degrees).sqrt(), "{name} {o} {chi} {degrees}");
}

#[test]
fn samples_follow_their_density() {
    let views = [Vec3::new(0.3, 0.1, 0.95).normalize(), Vec3::new(-0.5, 0.75, 0.4).normalize()];
    simple(|name, bsdf| {
        for o in views {
            samples_follow_density(name, bsdf, o);
        }
    });
    for (name, fabric) in white_fabrics() {
        for o in views {
            for u in points(3) {
                let Some(bsdf) = fabric.seen(&far(true, o), [u[0], u[1]]) else { continue };
                samples_follow_density(name, &bsdf, o);
            }
        }
    }
}

#[test]
fn the_view_from_afar_is_the_mean_of_the_view_from_near() {
    for (name, fabric) in white_fabrics() {
        for o in directions().into_iter().step_by(4) {
            let lit = |bsdf: &Bsdf<'_>| {
                let i = Vec3::new(0.4, -0.3, 0.8).normalize();
                bsdf.eval(o, i).x
            };
            let (mut afar, mut near, mut counts) = (0.0, 0.0, [0, 0]);
            for u in points(32768) {
                if let Some(b) = fabric.seen(&far(true, o), [u[0], u[1]]) {
                    afar += lit(&b);
                    counts[0] += 1;
                }
                // Points of many repeats, each seen sharply.
                let uv = Vec2::new(u[0], u[1]) * 0.0072;
                let viewed = Viewed { uv, width: 1e-6, ..far(true, o) };
                if let Some(b) = fabric.seen(&viewed, [0.5, 0.5]) {
                    near += lit(&b);
                    counts[1] += 1;
                }
            }
            let (afar, near) = (afar / counts[0] as f32, near / counts[1] as f32);
            assert!((afar / near - 1.0).abs() < 0.02, "{name} {o} {afar} {near}");
            let gaps = counts[0] as f32 / counts[1] as f32;
            assert!((gaps - 1.0).abs() < 0.02, "{name} {counts:?}");
        }
    }
}

/// The fabrics that toile brings, by their names.
fn shipped() -> Vec<(String, Appearance)> {
    #[derive(serde::Deserialize)]
    struct File {
        appearance: Appearance,
    }
    let mut files: Vec<_> =
        std::fs::read_dir("../../fabrics").unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let file: File = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), file.appearance)
    };
    files.iter().map(read).collect()
}

/// The same with all its yarns bleached and nothing printed.
fn bleached(appearance: &Appearance) -> Appearance {
    let mut white = appearance.clone().dyed(0xffffff);
    for yarn in [&mut white.warp, &mut white.weft, &mut white.yarn].into_iter().flatten() {
        yarn.stripes.clear();
    }
    white.print = None;
    white
}

#[test]
fn every_fabric_of_toile_vanishes_in_a_white_furnace_once_bleached() {
    let mut visible = Vec::new();
    let mut random = generator();
    for (name, appearance) in shipped() {
        if appearance.sheet.is_some() {
            continue;
        }
        let fabric = Fabric::new(&bleached(&appearance), None).unwrap();
        for o in directions().into_iter().step_by(4) {
            let viewed = far(true, o);
            let (mut sum, mut seen) = (0.0, 0);
            for _ in 0..1 << 17 {
                let u = [random(), random(), random(), random(), random()];
                let Some(bsdf) = fabric.seen(&viewed, [u[0], u[1]]) else { continue };
                seen += 1;
                sum += bsdf.sample(o, u[2], [u[3], u[4]]).map_or(0.0, |d| d.weight.x);
            }
            let e = sum / seen.max(1) as f32;
            let allowed = if o.z > 0.4 { 0.01 } else { 0.025 };
            if (e - 1.0).abs() > allowed {
                visible.push(format!("{name} {o} {e}"));
            }
        }
    }
    assert!(visible.is_empty(), "{visible:#?}");
}

#[test]
fn every_fabric_of_toile_is_from_afar_what_it_is_on_average_from_near() {
    let mut differ = Vec::new();
    for (name, appearance) in shipped() {
        // A print is no repeat of the weave: it is looked up where it is.
        let plain = Appearance { print: None, ..appearance };
        if plain.sheet.is_some() {
            continue;
        }
        let fabric = Fabric::new(&plain, None).unwrap();
        let i = Vec3::new(0.4, -0.3, 0.8).normalize();
        for o in [Vec3::new(0.1, 0.2, 0.97), Vec3::new(-0.5, 0.6, 0.6), Vec3::new(0.7, 0.4, 0.25)] {
            let o = o.normalize();
            let (mut afar, mut near, mut counts) = (Vec3::ZERO, Vec3::ZERO, [0.0; 2]);
            for u in points(1 << 16) {
                // The far view of a hand's breadth, and points of the same piece seen sharply: stripes are in both.
                let uv = Vec2::new(u[0], u[1]) * 0.2;
                let there = Viewed { uv, ..far(true, o) };
                if let Some(b) = fabric.seen(&there, [(97.0 * u[2]).fract(), u[2]]) {
                    afar += b.eval(o, i);
                    counts[0] += 1.0;
                }
                if let Some(b) = fabric.seen(&Viewed { width: 1e-6, ..there }, [0.5, 0.5]) {
                    near += b.eval(o, i);
                    counts[1] += 1.0;
                }
            }
            let (afar, near) = (afar / counts[0], near / counts[1]);
            let off = (afar / near - Vec3::ONE).abs().max_element();
            if off > 0.02 || (counts[0] / counts[1] - 1.0_f32).abs() > 0.02 {
                differ.push(format!("{name} {o} {afar} {near} {counts:?}"));
            }
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}
