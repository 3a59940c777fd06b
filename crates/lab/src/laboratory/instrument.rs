//! Instruments that measure a fabric, and what its file says it should be.

use super::kes::{self, Along, Fineness, Loop};
use super::report::{Report, Section};
use super::{Compare, Failure, Picture, Reading, Row, Test, cusick, peirce, picture_frame};
use crate::plot::{Figure, Plot};
use std::time::Instant;
use toile::fabric::{kes::KES_MAX_TENSION, tensile};
use toile_sim::Fabric;

/// How far a figure of Kawabata's tests may be off.
const KES: f64 = 0.02;

/// Cells over the ring of a quick drape: enough for most fabrics, too few for silks by some points.
const QUICK_RINGS: usize = 12;
/// How much the last refinement may change a drape coefficient [points].
const REFINED: f64 = 1.0;

/// Fabrics that are measured if none is named.
pub const USUAL_FABRICS: [&str; 4] = ["cotton-poplin", "silk-habotai", "wool-worsted", "denim"];

/// What an instrument found: figures and diagrams.
type Found = Result<(Vec<Reading>, Vec<Picture>), Failure>;

/// An instrument.
#[derive(Clone, Copy, Debug)]
pub struct Instrument {
    /// What it is called and does.
    pub test: &'static Test,
    /// Measures a fabric, coarsely if it is told so.
    pub measure: fn(&Fabric, bool) -> Found,
}

impl Instrument {
    /// The instrument of a name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        INSTRUMENTS.iter().find(|i| i.test.id == name)
    }
}

const fn about(
    id: &'static str,
    title: &'static str,
    about: &'static str,
    formula: &'static str,
) -> Test {
    Test {
        id,
        title,
        about,
        formula,
        compare: Compare::Nothing,
        run: |_| Ok(Vec::new()),
        draw: |_, _| Ok(Vec::new()),
    }
}

/// All instruments.
pub const INSTRUMENTS: &[Instrument] = &[
    Instrument {
        test: &about(
            "kes-tensile",
            "Tension (KES-F1)",
            "A strip is pulled to 500 gf/cm and let back.",
            "EM, LT, WT and RT of the fabric's file.",
        ),
        measure: measure_tensile,
    },
    Instrument {
        test: &about(
            "kes-shear",
            "Shear (KES-F1)",
            "A strip under 10 gf/cm is sheared to 8° both ways.",
            "G, 2HG and 2HG5 of the fabric's file.",
        ),
        measure: measure_shear,
    },
    Instrument {
        test: &about(
            "picture-frame",
            "Picture frame",
            "A square in a hinged frame is sheared to 8° both ways by its diagonal.",
            "G, 2HG and 2HG5 of the fabric's file.",
        ),
        measure: measure_frame,
    },
    Instrument {
        test: &about(
            "kes-bending",
            "Bending (KES-F2)",
            "A strip is bent to 2.5/cm both ways.",
            "B and 2HB of the fabric's file.",
        ),
        measure: measure_bending,
    },
    Instrument {
        test: &about(
            "peirce",
            "Peirce's cantilever",
            "A strip is pushed over an edge until its end is 41.5° below it.",
            "Half the overhang is the bending length (B/(σ g))^⅓, to 0.01 %.",
        ),
        measure: measure_peirce,
    },
    Instrument {
        test: &about(
            "cusick",
            "Cusick's drape meter",
            "A round specimen hangs over a disc; the shadow of its folds is measured.",
            "Bands of measured fabrics (cotton 60 to 76 %, silk 20 to 40, worsted 40 to 70, denim 70 to \
             90; 3 to 8 folds); other fabrics have none.",
        ),
        measure: measure_drape,
    },
];

/// Measures fabrics and adds what was found to a report; `progress` is told what comes next.
pub fn measure_fabrics(
    report: &mut Report,
    instruments: &[&Instrument],
    fabrics: &[Fabric],
    draw: bool,
    progress: &mut dyn FnMut(&str),
) {
    for instrument in instruments {
        let began = Instant::now();
        let (mut rows, mut pictures) = (Vec::new(), Vec::new());
        for fabric in fabrics {
            progress(&format!("{} of {}", instrument.test.id, fabric.name));
            let (readings, note) = match (instrument.measure)(fabric, report.quick) {
                Ok((readings, drawn)) => {
                    pictures.extend(drawn.into_iter().filter(|_| draw));
                    (readings, None)
                }
                Err(e) => (vec![Reading::new("", f64::NAN, f64::NAN, 0.0)], Some(e.to_string())),
            };
            rows.extend(
                readings.into_iter().map(|r| row(instrument.test, fabric, r, note.clone())),
            );
        }
        let seconds = began.elapsed().as_secs_f64();
        report.seconds += seconds;
        report.sections.push(Section { test: instrument.test, rows, pictures, seconds });
    }
}

fn row(test: &'static Test, fabric: &Fabric, reading: Reading, note: Option<String>) -> Row {
    Row {
        test: test.id,
        name: format!("{}: {}", test.id, reading.name),
        model: fabric.name.clone(),
        mesh: "-",
        value: reading.value,
        expected: reading.expected,
        error: reading.error(),
        tolerance: reading.tolerance,
        pass: reading.error().abs() <= reading.tolerance,
        counts: true,
        note,
    }
}

fn fineness(quick: bool) -> Fineness {
    if quick { Fineness { cells: 2, points: 20 } } else { Fineness::default() }
}

fn named(test: &str, fabric: &Fabric) -> String {
    format!("lab-{test}-{}", fabric.name)
}

fn scaled(path: &Loop, x: f64, y: f64) -> Loop {
    path.iter().map(|p| (x * p.0, y * p.1)).collect()
}

fn measure_tensile(fabric: &Fabric, quick: bool) -> Found {
    let mut readings = Vec::new();
    let mut plot = Plot::new("Tension").x("strain [%]").y("tension [N/m]");
    for along in Along::BOTH {
        let (curve, stiffness, back) = match along {
            Along::Weft => (&fabric.weft_curve, fabric.weft, fabric.resilience_weft),
            Along::Warp => (&fabric.warp_curve, fabric.warp, fabric.resilience_warp),
        };
        let (path, found) = kes::tensile(fabric, along, fineness(quick))?;
        let [em, lt, wt] = tensile(curve, stiffness).ok_or(Failure::Unreachable("500 gf/cm"))?;
        let name = along.name();
        readings.extend([
            Reading::new(format!("EM {name}"), found.em, em, KES),
            Reading::new(format!("LT {name}"), found.lt, lt, KES),
            Reading::new(format!("WT {name}"), found.wt, wt, KES),
            Reading::new(format!("RT {name}"), found.rt, back.unwrap_or(1.0), KES),
        ]);
        let mut given: Loop = curve.iter().map(|p| (100.0 * p[0], p[1])).collect();
        if given.is_empty() {
            given = vec![(0.0, 0.0), (100.0 * em, KES_MAX_TENSION)];
        }
        plot = plot
            .line(format!("{name}, simulated"), &scaled(&path, 100.0, 1.0))
            .points(format!("{name}, the file's loading"), &given);
    }
    let caption = format!("{}: tensile loops, and the curves of its file.", fabric.name);
    let figure = Figure::row([plot]).title(fabric.name.clone());
    Ok((readings, vec![Picture::new(&named("kes-tensile", fabric), &caption, &figure)]))
}

fn measure_shear(fabric: &Fabric, quick: bool) -> Found {
    let (path, found) = kes::shear(fabric, Along::Warp, fineness(quick))?;
    Ok(judge_shear(fabric, "kes-shear", &path, &found))
}

fn measure_frame(fabric: &Fabric, quick: bool) -> Found {
    let (path, found) = picture_frame::shear(fabric, fineness(quick))?;
    Ok(judge_shear(fabric, "picture-frame", &path, &found))
}

/// Compares a loop of shear with the fabric's file.
fn judge_shear(
    fabric: &Fabric,
    id: &str,
    path: &Loop,
    found: &kes::Shear,
) -> (Vec<Reading>, Vec<Picture>) {
    let (narrow, wide) = (fabric.shear_hysteresis, fabric.shear_hysteresis_wide);
    let mut readings = Vec::new();
    if fabric.shear_curve.is_empty() {
        readings.push(Reading::new("G", found.g, fabric.shear, KES));
    }
    if narrow > 0.0 {
        readings.push(Reading::new("2HG", found.hg, narrow, KES));
        readings.push(Reading::new("2HG5", found.hg5, wide.max(narrow), KES));
    }
    let line: Loop = [-8.0, 8.0].map(|a: f64| (a, fabric.shear * a.to_radians())).to_vec();
    let plot = Plot::new("Shear")
        .x("angle [°]")
        .y("force [N/m]")
        .line("simulated", &scaled(path, 180.0 / std::f64::consts::PI, 1.0))
        .line("G of the file", &line);
    let caption = format!("{}: its shear loop, and the slope of its file.", fabric.name);
    let figure = Figure::row([plot]).title(fabric.name.clone());
    (readings, vec![Picture::new(&named(id, fabric), &caption, &figure)])
}

fn measure_bending(fabric: &Fabric, quick: bool) -> Found {
    let mut readings = Vec::new();
    let mut plot = Plot::new("Bending").x("curvature [1/cm]").y("moment [mN]");
    for along in Along::BOTH {
        let (b, hb) = match along {
            Along::Weft => (fabric.bend_weft, fabric.bend_hysteresis_weft),
            Along::Warp => (fabric.bend_warp, fabric.bend_hysteresis_warp),
        };
        let name = along.name();
        let (path, found) = kes::bending(fabric, along, fineness(quick))?;
        readings.push(Reading::new(format!("B {name}"), found.b, b, KES));
        if hb > 0.0 {
            readings.push(Reading::new(format!("2HB {name}"), found.hb, hb, KES));
        }
        let line: Loop = [-2.5, 2.5].map(|k| (k, 1e5 * b * k)).to_vec();
        plot = plot
            .line(format!("{name}, simulated"), &scaled(&path, 1e-2, 1e3))
            .line(format!("{name}, B of the file"), &line);
    }
    let caption = format!("{}: its bending loops, and the slopes of its file.", fabric.name);
    let figure = Figure::row([plot]).title(fabric.name.clone());
    Ok((readings, vec![Picture::new(&named("kes-bending", fabric), &caption, &figure)]))
}

fn measure_peirce(fabric: &Fabric, quick: bool) -> Found {
    let (cells, tolerance) = if quick { (16, 0.02) } else { (32, 0.01) };
    let lengths = fabric.bending_lengths();
    let readings = Along::BOTH
        .into_iter()
        .zip(lengths)
        .map(|(along, exact)| {
            let c = peirce::bending_length(fabric, along, cells)?;
            let name = format!("c {} [cm]", along.name());
            Ok(Reading::new(name, 100.0 * c, 100.0 * exact, tolerance))
        })
        .collect::<Result<_, Failure>>()?;
    Ok((readings, Vec::new()))
}

fn measure_drape(fabric: &Fabric, quick: bool) -> Found {
    let usual = cusick::Meter::for_fabric(fabric);
    let (rings, seeds) = if quick { (QUICK_RINGS, 1) } else { (usual.rings, 3) };
    let mut drapes = Vec::new();
    for seed in 0..seeds {
        let meter = cusick::Meter { rings, seed, ..usual };
        drapes.push(meter.drape(fabric)?);
    }
    // A cloth that is shaken finds the deepest of its drapes.
    let deepest = drapes.iter().min_by(|a, b| a.energy.total_cmp(&b.energy));
    let deepest = deepest.ok_or(Failure::NoConvergence("the drape"))?;
    let [low, high] = cusick::band(&fabric.name);
    let band = |name: &str, value: f64, [low, high]: [f64; 2]| {
        let middle = 0.5 * (low + high);
        // The ends belong to the band, whatever rounding says.
        Reading::new(name, value, middle, (high - middle) / middle * (1.0 + 1e-9))
    };
    let change = drapes.iter().filter_map(|d| d.change).fold(0.0, |a, b| f64::max(a, b.abs()));
    let crossings: usize = drapes.iter().map(cusick::Drape::crossings).sum();
    let mut readings = vec![
        band("DC [%]", 100.0 * deepest.coefficient, [low, high]),
        band("folds", deepest.folds as f64, [3.0, 8.0]),
        Reading::new("crossings", crossings as f64, 0.0, 0.0),
    ];
    if !quick {
        let name = "change of DC by the last refinement [points]";
        readings.push(Reading::new(name, 100.0 * change, 0.0, REFINED));
    }
    let mut plot =
        Plot::new("Shadow").x("x [cm]").y("y [cm]").x_range(-16.0, 16.0).y_range(-16.0, 16.0);
    let circle = |r: f64| -> Loop {
        let turn = |k: usize| std::f64::consts::TAU * k as f64 / 90.0;
        (0..=90).map(|k| (r * libm::cos(turn(k)), r * libm::sin(turn(k)))).collect()
    };
    plot = plot.line("disc", &circle(9.0)).line("specimen", &circle(15.0));
    for (seed, drape) in drapes.iter().enumerate() {
        plot = plot.line(format!("start {seed}"), &drape.outline_points());
    }
    let caption = format!("{}: outlines of its shadow on the drape meter.", fabric.name);
    let figure = Figure::row([plot]).panel_size(460.0, 500.0).title(fabric.name.clone());
    let mut pictures = vec![Picture::new(&named("cusick", fabric), &caption, &figure)];
    let caption = format!("{}: the draped specimen from the side and from above.", fabric.name);
    // A drape that cannot be drawn is measured all the same.
    pictures.extend(deepest.picture(named("drape", fabric), caption).ok());
    Ok((readings, pictures))
}
