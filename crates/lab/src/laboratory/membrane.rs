//! Tests in the plane: chain, hanging sheet, picture frame, affine maps.

use super::exact::{arc_angle, catenary_sag};
use super::specimen::{NEAR, Specimen, fabric};
use super::{Compare, Failure, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use toile::Generator;
use toile_sim::Fabric;
use toile_sim::linear::Constraint;

pub(super) const CATENARY: Test = Test {
    id: "catenary",
    title: "Catenary",
    about: "A limp ribbon hangs between two points of equal height.",
    formula: "sag/L = (cosh a − 1)/(2 sinh a) with sinh(a)/a = L/span (Huygens, Leibniz, Bernoulli \
              1691).",
    compare: Compare::Stretch,
    run: run_catenary,
    draw: draw_catenary,
};

pub(super) const HANGING: Test = Test {
    id: "hanging",
    title: "Hanging sheet",
    about: "A sheet hangs from its upper edge and is stretched by its own weight.",
    formula: "Its lower edge sinks by σ g L²/(2 Y), for small strains.",
    compare: Compare::Stretch,
    run: run_hanging,
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const FRAME: Test = Test {
    id: "picture-frame",
    title: "Picture frame",
    about: "The edges of a square are turned into those of a rhombus: pure shear, no thread is stretched. \
            The inner vertices begin at random.",
    formula: "Force per width C33 sin γ cos γ, from the energy ½ C33 sin² γ per area; γ = 5e-4, where \
              all models mean the same by shear.",
    compare: Compare::Stretch,
    run: run_frame,
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const PATCH: Test = Test {
    id: "patch",
    title: "Affine patch test",
    about: "The edges of a square follow an affine map into space, stretched both ways and sheared. The \
            inner vertices begin at random and must follow it exactly.",
    formula: "x = F u for every vertex; largest deviation, of the side.",
    compare: Compare::Stretch,
    run: run_patch,
    draw: |_, _| Ok(Vec::new()),
};

/// Density one, gravity one.
fn limp(stiffness: f64, bending: f64) -> Fabric {
    Fabric { bend_weft: bending, bend_warp: bending, ..fabric(stiffness, 1.0) }
}

fn run_catenary(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((64, 1e-3), (32, 5e-3));
    [0.5, 0.8, 0.95]
        .into_iter()
        .map(|span| {
            let sag = -hang_chain(setup, span, cells)?.iter().map(|p| p.1).fold(0.0, f64::min);
            Ok(Reading::new(format!("sag/L at span {span}"), sag, catenary_sag(span), tolerance))
        })
        .collect()
}

/// Points of the middle line of a hanging ribbon, from left to right.
fn hang_chain(setup: &Setup, span: f64, cells: usize) -> Result<Vec<(f64, f64)>, Failure> {
    // An arc of a circle of the right length to begin with.
    let angle = arc_angle(span);
    let place = |p: DVec2| {
        let (sin, cos) = libm::sincos(2.0 * angle * p.x);
        DVec3::new(sin, libm::cos(angle) - cos, -2.0 * angle * p.y) / (2.0 * angle)
    };
    let width = 2.0 / cells as f64;
    let middle = |p: DVec2| p.x.abs() < NEAR || p.x.abs() > 0.5 - NEAR;
    let mesh = setup.mesh.rectangle([1.0, width], [cells, 2], middle);
    // A flat chain turns a stretch into ten times as much sag: it must not stretch.
    let mut chain = Specimen::new(setup.model, mesh, limp(1e5, 1e-7), place);
    chain.hold(Constraint::Fixed, |p| p.x.abs() > 0.5 - NEAR);
    chain.load(DVec3::NEG_Y);
    let mut sheet = chain.sheet()?;
    chain.settle(&mut sheet)?;
    let edge = chain.vertices(|p| p.y > 0.5 * width - NEAR);
    let mut points: Vec<(f64, f64)> =
        edge.iter().map(|v| (chain.x[*v as usize].x, chain.x[*v as usize].y)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

fn draw_catenary(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let mut plot = Plot::new("Catenaries of one length").x("x/L").y("y/L");
    let cells = setup.pick(64, 32);
    for span in [0.5, 0.8, 0.95] {
        let a = super::exact::bisect(1e-9, 50.0, |a| span * libm::sinh(a) - a);
        let scale = 0.5 / libm::sinh(a);
        let exact: Vec<(f64, f64)> = (-50..=50)
            .map(|k| 2.0 * a * f64::from(k) / 100.0)
            .map(|s| (scale * s, scale * (libm::cosh(s) - libm::cosh(a))))
            .collect();
        let points: Vec<(f64, f64)> =
            hang_chain(setup, span, cells)?.into_iter().step_by(4).collect();
        plot = plot.line("exact", &exact).points("simulated", &points);
    }
    let caption = "Limp ribbons between points 0.5, 0.8 and 0.95 lengths apart.";
    Ok(vec![Picture::new("lab-catenary", caption, &Figure::row([plot]))])
}

fn run_hanging(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((20, 1e-3), (10, 2e-3));
    // A strain of 1e-5: the second order of Green's strain is below the tolerance.
    let stiffness = 1e5;
    let place = |p: DVec2| DVec3::new(p.x, p.y - 0.5, 0.0);
    let mesh = setup.mesh.rectangle([1.0; 2], [cells; 2], |_| false);
    let mut piece = Specimen::new(setup.model, mesh, limp(stiffness, 1e-6), place);
    piece.hold(Constraint::Plane(DVec3::Z), |_| true);
    piece.hold(Constraint::Fixed, |p| p.y > 0.5 - NEAR);
    piece.load(DVec3::NEG_Y);
    let mut sheet = piece.sheet()?;
    piece.settle(&mut sheet)?;
    let sunk = -1.0 - piece.mean(&piece.vertices(|p| p.y < NEAR - 0.5)).y;
    Ok(vec![Reading::new("extension Y/(σ g L²)", sunk * stiffness, 0.5, tolerance)])
}

/// A square whose edges are where `place` puts them, its inner vertices shaken.
fn framed(setup: &Setup, place: impl Fn(DVec2) -> DVec3, fabric: Fabric) -> Specimen {
    let cells = setup.pick(16, 8);
    let mesh = setup.mesh.rectangle([1.0; 2], [cells; 2], |_| false);
    let mut square = Specimen::new(setup.model, mesh, fabric, &place);
    let inner = |p: DVec2| p.abs().max_element() < 0.5 - NEAR;
    square.hold(Constraint::Fixed, |p| !inner(p));
    let mut dice = Generator::new(3);
    let reach = 0.15 / cells as f64;
    for (x, p) in square.x.iter_mut().zip(&square.cloth.mesh.uv) {
        let shake = DVec2::new(dice.uniform(-reach, reach), dice.uniform(-reach, reach));
        if inner(*p) {
            *x = place(*p + shake);
        }
    }
    square
}

fn run_frame(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    const ANGLE: f64 = 5e-4;
    let (sin, cos) = libm::sincos(ANGLE);
    let shear = 0.4;
    let place = |p: DVec2| DVec3::new(p.x + sin * p.y, cos * p.y, 0.0);
    let fabric = Fabric { shear, ..limp(1.0, 1e-6) };
    let mut square = framed(setup, place, fabric);
    // The frame lies on a table; free, the sheet would wrinkle along its short diagonal.
    let fixed = std::mem::take(&mut square.held);
    square.hold(Constraint::Plane(DVec3::Z), |_| true);
    square.held.extend(&fixed);
    let mut sheet = square.sheet()?;
    square.settle(&mut sheet)?;
    let mut gradient = vec![DVec3::ZERO; square.x.len()];
    sheet.gradient(&square.x, &mut gradient);
    // The work of the frame for a small change of the angle.
    let turn = |p: DVec2| DVec3::new(cos * p.y, -sin * p.y, 0.0);
    let work: f64 = fixed
        .iter()
        .map(|(v, _)| gradient[*v as usize].dot(turn(square.cloth.mesh.uv[*v as usize])))
        .sum();
    let tolerance = 1e-6;
    Ok(vec![Reading::new("force/(C33 γ)", work / (shear * ANGLE), sin * cos / ANGLE, tolerance)])
}

fn run_patch(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    // Both principal strains are tensile: a sheet that is pressed would buckle instead.
    let (along_u, along_v) = (DVec3::new(1.06, 0.1, -0.2), DVec3::new(0.12, 0.8, 0.7));
    let place = |p: DVec2| along_u * p.x + along_v * p.y;
    let mut square = framed(setup, place, Fabric { shear: 0.4, ..limp(1.0, 1e-6) });
    let mut sheet = square.sheet()?;
    square.settle(&mut sheet)?;
    let uv = &square.cloth.mesh.uv;
    let off = square.x.iter().zip(uv).map(|(x, p)| x.distance(place(*p))).fold(0.0, f64::max);
    Ok(vec![Reading::new("largest deviation", off, 0.0, 1e-10)])
}
