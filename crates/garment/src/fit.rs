//! How a garment fits (G6): strain, tension, pressure on the body, gap, ease at every girth, folds, and the best size.
//!
//! [`assess`] looks at a garment as it is worn. The rest shape of every triangle is that of the pattern, so that it
//! makes no difference whether seams are welded or held by threads.
//!
//! - **Strain** is nominal: elongation along weft and warp, and the angle by which they are sheared (`cloth.rs`).
//! - **Tension** comes from the fabric's own curves: the principal forces per present width [N/m] of the default membrane.
//! - **Pressure** is what the body must push back with, so that cloth near it is in balance with the tension around it and
//!   its weight (`body_contact.rs`).
//! - **Girths** are sections of the garment in the planes of the tape measure (`girth.rs`). Ease is the unstretched
//!   length of such a section less the girth of the body.
//! - **Folds** are how much longer a section is than a tape around it; [`Fit::curvature`] is the mean bend of the cloth.
//! - **Sizes** are compared by the girths they are drafted to (`size.rs`).
//!
//! Limits: the garment is taken to be at rest. Bending is left out of the balance: pressures are wrong by what it takes to
//! bend the cloth, some pascals. Where cloth lies between cloth and body, both are taken to press on the body. Of limbs the left is
//! measured.

mod body_contact;
mod cloth;
mod girth;
mod section;
mod size;
mod verdict;

pub use cloth::Strain;
pub use girth::Girth;
pub use size::{BestSize, SizeGirth, SizeLoss, best_size, wanted_ease};
pub use verdict::{LIMITS, Limits, Verdict, judge};

use crate::error::Error;
use crate::fabrics::Fabrics;
use cloth::Merged;
use glam::DVec3;
use serde::Serialize;
use toile_body::Tape;
use toile_collide::field::Solid;
use toile_mesh::TriMesh;
use toile_pattern::Pattern;
use toile_pattern::meshing::PatternMesh;

/// A garment that is worn.
#[derive(Clone, Copy, Debug)]
pub struct Worn<'a> {
    /// What it was cut from.
    pub pattern: &'a Pattern,
    /// Its panels, flat: rest shapes, and what is sewn to what.
    pub panels: &'a PatternMesh,
    /// The garment on the body: the triangles of all panels behind one another.
    pub cloth: &'a TriMesh,
    /// What it is made of.
    pub fabrics: &'a Fabrics,
    /// The body in it.
    pub body: &'a TriMesh,
    /// Where the body was measured.
    pub tapes: &'a [Tape],
}

/// How a garment fits.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Girths that the garment goes around, in the order of the tape measure.
    pub girths: Vec<Girth>,
    /// What each triangle of the cloth bears.
    pub triangles: Vec<Strain>,
    /// Values at the vertices of the cloth, for maps.
    pub maps: Maps,
    /// The same in a few numbers.
    pub summary: Summary,
    /// Mean of the cloth's absolute mean curvature [1/m]; 1/2R for a tube of radius R without folds.
    pub curvature: f64,
}

/// A value for each vertex of the cloth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Maps {
    /// Largest elongation in any direction.
    pub strain: Vec<f64>,
    /// Largest principal tension [N/m].
    pub tension: Vec<f64>,
    /// Pressure on the body [kPa].
    pub pressure: Vec<f64>,
    /// Distance from the body [m].
    pub gap: Vec<f64>,
}

/// How a quantity is spread over the cloth, by area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Least value.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// 95 % of the cloth have less.
    pub p95: f64,
    /// Largest value.
    pub max: f64,
}

impl Spread {
    /// That of values with weights; zero if there are none.
    pub fn of(values: &[f64], weights: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let all: f64 = weights.iter().sum();
        let (Some(first), Some(last)) = (order.first(), order.last()) else {
            return Self::default();
        };
        if all <= 0.0 {
            return Self::default();
        }
        let mean = values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / all;
        let mut below = 0.0;
        let at = order.iter().find(|i| {
            below += weights[**i];
            below >= 0.95 * all
        });
        let p95 = values[*at.unwrap_or(last)];
        Self { min: values[*first], mean, p95, max: values[*last] }
    }
}

/// A fit in a few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Elongation along the weft.
    pub strain_weft: Spread,
    /// Elongation along the warp.
    pub strain_warp: Spread,
    /// Shear between them, without sign [rad].
    pub shear: Spread,
    /// Largest principal tension [N/m].
    pub tension: Spread,
    /// Pressure [kPa] where the cloth touches the body.
    pub pressure: Spread,
    /// Distance from the body [m].
    pub gap: Spread,
    /// Part of the cloth that touches the body.
    pub touching: f64,
}

/// Looks at a garment as it is worn.
///
/// # Errors
/// If cloth and pattern do not belong together, the fabric has no law, or the body cannot be searched.
pub fn assess(worn: &Worn<'_>) -> Result<Fit, Error> {
    let merged = Merged::new(worn)?;
    let triangles = cloth::strains(worn, &merged)?;
    let solid = Solid::with_holes(&worn.body.positions, &worn.body.triangles)?;
    let press = body_contact::BodyContact::new(worn, &merged, &triangles, &solid);
    let girths = girth::girths(worn, &merged, &press);
    let areas: Vec<f64> = merged.rest.iter().map(|r| r.area).collect();
    let of = |value: &dyn Fn(&Strain) -> f64| {
        let values: Vec<f64> = triangles.iter().map(value).collect();
        Spread::of(&values, &areas)
    };
    let touching: Vec<usize> = (0..press.area.len()).filter(|v| press.touches[*v]).collect();
    let pick = |from: &[f64]| touching.iter().map(|v| from[*v]).collect::<Vec<f64>>();
    let touched = pick(&press.area);
    let whole: f64 = press.area.iter().sum();
    let summary = Summary {
        strain_weft: of(&|s| s.weft),
        strain_warp: of(&|s| s.warp),
        shear: of(&|s| s.shear.abs()),
        tension: of(&|s| s.tension[0]),
        pressure: Spread::of(&pick(&press.pressure), &touched),
        gap: Spread::of(&press.gap, &press.area),
        touching: if whole > 0.0 { touched.iter().sum::<f64>() / whole } else { 0.0 },
    };
    let spread = |value: &dyn Fn(&Strain) -> f64| merged.to_cloth(&merged.mean(&triangles, value));
    let maps = Maps {
        strain: spread(&|s| s.principal[0]),
        tension: spread(&|s| s.tension[0]),
        pressure: merged.to_cloth(&press.pressure),
        gap: merged.to_cloth(&press.gap),
    };
    let curvature = merged.curvature();
    Ok(Fit { girths, triangles, maps, summary, curvature })
}

/// Points of a closed line in order, seen against the normal of its plane.
fn is_around(points: &[DVec3], normal: DVec3, centre: DVec3) -> bool {
    let (u, v) = normal.any_orthonormal_pair();
    let mut turn = 0.0;
    for (k, a) in points.iter().enumerate() {
        let b = points[(k + 1) % points.len()];
        let flat = |p: DVec3| glam::DVec2::new((p - centre).dot(u), (p - centre).dot(v));
        let (a, b) = (flat(*a), flat(b));
        turn += libm::atan2(a.perp_dot(b), a.dot(b));
    }
    turn.abs() > std::f64::consts::PI
}
