use super::*;
use glam::DVec3;
use toile::{Body, Cloth};

/// A small cloth over a small ball.
fn small(preset: Preset) -> Result<Scene, Error> {
    let cloth = Cloth::rectangle(0.2, 0.2, 0.025).at(0.0, 0.11, 0.0).jittered(1e-4, 1);
    let ball = Body::sphere(DVec3::new(0.0, 0.05, 0.0), 0.05);
    let mut scene = Scene::new().with_cloth(cloth).with_body(ball).with_preset(preset);
    scene.duration = 0.1;
    Ok(scene)
}

#[test]
fn every_preset_gets_a_row_with_the_same_measurements() {
    let presets = [Preset::Provot97, Preset::Toile];
    let c = compare(&presets, &Options::default(), &small, &mut |_, _| {}).unwrap();
    assert!(c.is_complete(), "{}", c.to_text());
    for (row, preset) in c.rows.iter().zip(presets) {
        assert_eq!(row.preset, preset.name());
        assert_eq!(row.steps, (0.1 / preset.settings().step).round() as u64);
        assert_eq!((row.intersections_max, row.body_penetrations_max), (0, Some(0)));
        assert!(row.ms_per_step >= row.ms_integrate && row.ms_integrate > 0.0);
        assert!(row.iterations_mean >= 1.0 && f64::from(row.iterations_max) >= row.iterations_mean);
        assert!(row.energy[1] < row.energy[0], "what falls on a ball loses energy");
    }
    let folder = tempfile::tempdir().unwrap();
    let [json, png, html] = c.write(folder.path()).unwrap().map(|p| std::fs::read(p).unwrap());
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["rows"][1]["preset"], "toile");
    assert!(png.starts_with(b"\x89PNG"));
    let html = String::from_utf8(html).unwrap();
    assert_eq!(html.matches("data:image/png;base64,").count(), 2);
    assert!(!html.contains("http"), "the page needs nothing else");
}

#[test]
fn a_preset_that_fails_is_a_row_that_says_so() {
    let burst = |preset: Preset| {
        let mut scene = small(preset)?;
        if preset == Preset::Provot97 {
            scene.solver = "step = 1.0".parse().unwrap();
        }
        Ok(scene)
    };
    let presets = [Preset::Provot97, Preset::Toile];
    let c = compare(&presets, &Options::default(), &burst, &mut |_, _| {}).unwrap();
    assert!(!c.is_complete());
    assert!(c.rows[0].failure.is_some() && c.rows[1].failure.is_none(), "{}", c.to_text());
    assert!(c.to_text().contains("provot97 FAILED at 0.0000 s"), "{}", c.to_text());
    assert!(c.rows[0].failure.as_deref().is_some_and(|f| f.contains("solver.step")));
    c.contact_sheet().unwrap();
    let limited = Options { limit: Some(0.0), ..Options::default() };
    let c = compare(&presets[1..], &limited, &small, &mut |_, _| {}).unwrap();
    assert!(c.rows[0].failure.as_deref().is_some_and(|f| f.contains("longer")));
}

/// A scene of the library with a quarter of the cells, for a short time, with every preset.
fn library(name: &str, duration: f64) -> Comparison {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let scene = |preset: Preset| {
        let mut scene = Scene::read(&path)?.with_preset(preset);
        for cloth in &mut scene.cloths {
            if let toile::ClothShape::Grid { cells, .. } = &mut cloth.shape {
                *cells = cells.map(|n| n.div_ceil(4));
            }
        }
        scene.duration = duration;
        Ok(scene)
    };
    compare(&Preset::ALL, &Options::default(), &scene, &mut |_, _| {}).unwrap()
}

/// Every preset comes to the end, and those that promise it let nothing through.
fn all_finish(name: &str, duration: f64) {
    let c = library(name, duration);
    assert!(c.is_complete(), "{}", c.to_text());
    for row in &c.rows {
        assert!(row.max_strain.is_finite() && row.rms_speed_final < 10.0, "{}", c.to_text());
        let (crossings, inside) = (row.intersections_max, row.body_penetrations_max);
        match row.preset {
            "toile" | "provot97" | "liu98" | "bridson02" => {
                assert_eq!((crossings, inside), (0, Some(0)), "{}: {}", row.preset, c.to_text());
            }
            // They promise nothing of the kind, but energy must come from somewhere.
            "tuebingen04" if !["flag", "moving-ball"].contains(&name) => {
                assert!(row.energy_gained < 0.02, "{}", c.to_text());
            }
            _ => {}
        }
    }
}

#[test]
fn every_preset_drapes_over_a_ball() {
    all_finish("sphere", 0.2);
}

#[test]
fn every_preset_drapes_over_a_table() {
    all_finish("table", 0.2);
}

#[test]
fn every_preset_falls_to_the_floor() {
    all_finish("floor", 0.4);
}

#[test]
fn every_preset_waves_a_flag() {
    all_finish("flag", 0.3);
}

#[test]
fn every_preset_is_pushed_by_a_ball() {
    all_finish("moving-ball", 0.8);
}
