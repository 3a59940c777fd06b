//! No setting lies: whatever is set with a preset either changes the run or is refused with a sentence.

use miette::Diagnostic;
use std::collections::BTreeMap;
use std::path::Path;
use toile::{Preset, Scene};
use toile_sim::Fabric;
use toml::{Table, Value};

/// Two sheets that fall onto a ball and onto each other, in wind.
const FALL: &str = r#"
gravity = [0.0, -9.81, 0.0]
wind = { velocity = [1.0, 0.0, 0.5], gust = 0.5, gust_period = 0.3 }
[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [10, 10] }
stack = { count = 2, offset = [0.003, 0.004, 0.0] }
place = { at = [0.0, 0.126, 0.0] }
jitter = { amplitude = 1e-4, seed = 1 }
[[body]]
shape = { type = "sphere", at = [0.0, 0.06, 0.0], radius = 0.06 }
"#;

/// A sheet that is thrown together in a corner, so that it collides with itself hard.
const CRASH: &str = r#"
[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [10, 10] }
place = { rotate = { axis = [1.0, 0.0, 0.3], degrees = 80.0 }, at = [0.0, 0.115, 0.0] }
jitter = { amplitude = 1e-3, seed = 2 }
[[body]]
shape = { type = "plane", at = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
[[body]]
shape = { type = "box", at = [0.0, 0.35, 0.0], size = [0.4, 0.2, 0.4] }
motion = { type = "steady", velocity = [0.0, -1.5, 0.0] }
"#;

/// Two sheets that start through each other and through a ball.
const TANGLED: &str = r#"
[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [6, 6] }
[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [6, 6] }
place = { rotate = { axis = [0.0, 0.0, 1.0], degrees = 8.0 }, at = [0.0, 0.004, 0.0] }
[[body]]
shape = { type = "sphere", at = [0.0, -0.045, 0.0], radius = 0.05 }
"#;

/// A sheet that is pulled by a third.
const STRETCHED: &str = r#"
[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [8, 8] }
pins = [
    { select = "left" },
    { select = "right", motion = { type = "steady", velocity = [0.7, 0.0, 0.2] } },
]
"#;

/// Scenes and their simulated time [s].
const SCENES: [(&str, f64); 4] = [(FALL, 0.12), (CRASH, 0.1), (TANGLED, 0.02), (STRETCHED, 0.1)];

/// Settings that change what a step costs but never what it finds begin so.
const COST_ALONE: &str = "collision.tree.";

/// What a run leads to: the bits of the state, or why a step failed. An error is why it could not begin.
type Course = Result<String, String>;

fn course(scene: usize, preset: Preset, changes: &[(&str, &str)]) -> Course {
    let (text, duration) = SCENES[scene];
    let set = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let name = ("preset".to_owned(), format!("\"{}\"", preset.name()));
    let changes: Vec<_> = std::iter::once(name).chain(set).collect();
    let said = |e: toile::Error| {
        let help = e.help().map_or(String::new(), |h| h.to_string());
        format!("{e} {help}")
    };
    let read = Scene::from_toml_with(text, "walk.toml", Path::new(""), &changes).map_err(said)?;
    let mut sim = read.build().map_err(said)?;
    if let Err(error) = sim.untangle() {
        return Ok(said(error));
    }
    for _ in 0..sim.steps_in(duration) {
        if let Err(error) = sim.step() {
            return Ok(said(error));
        }
    }
    Ok(format!("{:016x}", sim.state().hash()))
}

/// Values of all settings of a preset by their dotted paths.
fn settings_of(preset: Preset) -> BTreeMap<String, Value> {
    fn walk(path: &str, value: &Value, out: &mut BTreeMap<String, Value>) {
        match value {
            Value::Table(table) => {
                for (key, value) in table {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(&format!("{path}{dot}{key}"), value, out);
                }
            }
            _ => drop(out.insert(path.to_owned(), value.clone())),
        }
    }
    let table = Table::try_from(preset.settings()).expect("settings are TOML");
    let mut out = BTreeMap::new();
    walk("", &Value::Table(table), &mut out);
    out
}

/// Words that a setting may be: the reader lists them when it is given nonsense.
fn words(preset: Preset, key: &str) -> Vec<String> {
    let error = course(0, preset, &[(key, "\"?\"")]).expect_err("nonsense is refused");
    let (_, list) = error.split_once("known").unwrap_or_default();
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Other values of a setting.
fn others(preset: Preset, key: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Boolean(b) => vec![(!b).to_string()],
        Value::Integer(n) => vec!["1".into(), "2".into(), (2 * n + 3).to_string(), "0".into()],
        Value::Float(x) => {
            let scaled = [0.5 * x, 2.0 * x, 10.0 * x, 0.1 * x].into_iter().filter(|y| y != x);
            scaled.chain([1e-3, 0.2, 1.0]).map(|y| format!("{y:?}")).collect()
        }
        Value::String(old) => {
            let words = words(preset, key).into_iter().filter(|w| w != old);
            words.map(|w| format!("\"{w}\"")).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a refusal says that the setting does nothing, or what else it must be.
fn is_sentence(error: &str) -> bool {
    ["does nothing", "cannot be chosen", "alone can solve with", "must be \"features\""]
        .iter()
        .any(|words| error.contains(words))
}

/// What is wrong with a setting of a preset, if anything.
fn fault(preset: Preset, key: &str, value: &Value, plain: &[Course]) -> Option<String> {
    let path = format!("solver.{key}");
    let mut refused = Vec::new();
    for other in others(preset, &path, value) {
        let change = [(path.as_str(), other.as_str())];
        for (scene, before) in plain.iter().enumerate() {
            match course(scene, preset, &change) {
                // A choice that needs more than its name, or a number out of range.
                Err(error) if !is_sentence(&error) => break,
                Err(error) => {
                    refused.push(error);
                    break;
                }
                after if after != *before => return None,
                _ => refused.push(String::new()),
            }
        }
    }
    // Zones are for what impacts leave: they act where there are none.
    if key.starts_with("collision.zone") && refused.iter().any(String::is_empty) {
        let alone = ("solver.collision.impact_rounds", "0");
        let other = others(preset, &path, value);
        let acts = |other: &String| {
            course(1, preset, &[alone, (path.as_str(), other.as_str())])
                != course(1, preset, &[alone])
        };
        if other.iter().any(acts) {
            return None;
        }
    }
    let all_refused = !refused.is_empty() && refused.iter().all(|r| !r.is_empty());
    (!all_refused)
        .then(|| format!("{}: {path} = {value} neither acts nor is refused", preset.name()))
}

#[test]
fn every_setting_of_every_preset_acts_or_is_refused() {
    let mut faults = Vec::new();
    for preset in Preset::ALL {
        let plain: Vec<Course> = (0..SCENES.len()).map(|s| course(s, preset, &[])).collect();
        assert!(plain.iter().all(Result::is_ok), "{}: {plain:?}", preset.name());
        for (key, value) in settings_of(preset) {
            if !key.starts_with(COST_ALONE) {
                faults.extend(fault(preset, &key, &value, &plain));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn trees_change_what_detection_costs_and_not_one_bit_of_what_it_finds() {
    for preset in [Preset::Toile, Preset::Provot97, Preset::Bridson02] {
        let plain: Vec<Course> = (0..SCENES.len()).map(|s| course(s, preset, &[])).collect();
        for (key, value) in settings_of(preset) {
            // Pruning says which neighbours are so near that they feel each other at all.
            if !key.starts_with(COST_ALONE) || key.ends_with("inflation") || key.ends_with("prune")
            {
                continue;
            }
            let path = format!("solver.{key}");
            for other in others(preset, &path, &value) {
                let after = course(1, preset, &[(&path, &other)]);
                assert!(after.is_err() || after == plain[1], "{} {path} = {other}", preset.name());
            }
        }
    }
}

#[test]
fn gravity_and_wind_act_with_every_preset() {
    for preset in Preset::ALL {
        let plain = course(0, preset, &[]);
        for (key, value) in [
            ("gravity", "[0.0, -5.0, 0.0]"),
            ("wind.velocity", "[2.0, 0.0, 0.0]"),
            ("wind.gust", "0.0"),
            ("wind.gust_period", "0.1"),
            ("cloth.0.fabric", "\"denim\""),
            ("body.0.shape.radius", "0.059"),
        ] {
            assert_ne!(course(0, preset, &[(key, value)]), plain, "{} {key}", preset.name());
        }
    }
}

/// Another value than cotton's of a quantity of a fabric.
fn another(quantity: &str) -> &'static str {
    match quantity {
        "density" => "0.3",
        "weft" | "warp" => "800.0",
        "weft_curve" | "warp_curve" => "[[0.0, 0.0], [0.05, 30.0], [0.5, 600.0]]",
        "poisson" | "bend_poisson" => "0.2",
        "shear" => "40.0",
        "shear_curve" => "[[0.0, 0.0], [0.1, 3.0], [0.5, 40.0]]",
        "shear_hysteresis" | "shear_hysteresis_wide" => "2.0",
        "bend_weft" | "bend_warp" | "bend_twist" => "2e-5",
        "bend_hysteresis_weft" | "bend_hysteresis_warp" => "5e-4",
        "thickness" => "4e-4",
        "viscosity" => "0.01",
        _ => "0.6",
    }
}

/// What is wrong with the quantities of fabrics, given how a preset runs: they act, or are refused.
fn fabric_faults(preset: Preset, set: &[(&str, &str)]) -> (Vec<String>, Vec<&'static str>) {
    let (mut faults, mut refused) = (Vec::new(), Vec::new());
    // Scenes with one cloth and with two.
    let scenes = [0, 3];
    let plain = scenes.map(|scene| course(scene, preset, set));
    assert!(plain.iter().all(Result::is_ok), "{plain:?}");
    for quantity in Fabric::QUANTITIES {
        let fabric = format!("{{ {quantity} = {} }}", another(quantity));
        let change = [set, &[("cloth.0.fabric", fabric.as_str())]].concat();
        match scenes.map(|scene| course(scene, preset, &change)) {
            [Err(error), _] if is_sentence(&error) => refused.push(quantity),
            after if after != plain => {}
            after => faults.push(format!("{quantity} neither acts nor is refused: {after:?}")),
        }
    }
    (faults, refused)
}

#[test]
fn every_quantity_of_a_fabric_acts_in_the_default_solver_or_is_refused() {
    let (faults, refused) = fabric_faults(Preset::Toile, &[]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(refused, ["resilience_weft", "resilience_warp", "damping"]);
    let rule = [("solver.barrier.rule", "\"quasi-static\"")];
    let (faults, refused) = fabric_faults(Preset::Toile, &rule);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(refused, ["resilience_weft", "resilience_warp", "damping", "viscosity"]);
}

#[test]
fn quantities_that_a_preset_does_not_know_are_refused() {
    for preset in Preset::ALL.into_iter().filter(|p| *p != Preset::Toile) {
        for quantity in ["shear_hysteresis", "bend_hysteresis_warp"] {
            let fabric = format!("{{ {quantity} = {} }}", another(quantity));
            let error = course(0, preset, &[("cloth.0.fabric", &fabric)]).expect_err("refused");
            assert!(is_sentence(&error) && error.contains(quantity), "{error}");
        }
    }
}

#[test]
fn a_setting_that_does_nothing_is_named_with_its_place() {
    let change = ("solver.collision.enabled", "false");
    let error =
        course(0, Preset::Toile, &[change]).expect_err("the default solver has no such choice");
    assert!(
        error.contains("solver.collision.enabled") && error.contains("keeps everything apart"),
        "{error}"
    );
}
