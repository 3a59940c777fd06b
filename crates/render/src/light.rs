//! Lamps: areas, balls, far lamps and measured luminaires.
//!
//! A [`Lamp`] is given in metres and W; the path tracer works with `Emitter`s in scene units. Each can be
//! sampled from a point, met by a ray, and tells the density of its samples, so that sampled light and
//! light met by chance can be weighted against each other.

pub mod ies;

use crate::Error;
use crate::geometry::Units;
use crate::warp::{Basis, cone, cone_pdf};
use glam::{DVec3, Vec3};
use ies::Luminaire;
use std::sync::Arc;

/// A source of light. Colours are linear RGB.
#[derive(Clone, Debug)]
pub enum Lamp {
    /// A parallelogram that shines on the side of `half_u` × `half_v`, evenly in all directions.
    Area {
        /// Its middle [m].
        centre: DVec3,
        /// From the middle to the middle of one edge [m].
        half_u: DVec3,
        /// From the middle to the middle of the next edge [m].
        half_v: DVec3,
        /// Radiance [W/(m² sr)].
        radiance: [f32; 3],
    },
    /// A ball.
    Sphere {
        /// Its middle [m].
        centre: DVec3,
        /// Its radius [m].
        radius: f64,
        /// Radiance [W/(m² sr)].
        radiance: [f32; 3],
    },
    /// A lamp so far away that its light is parallel, such as the sun.
    Directional {
        /// Direction to the lamp; any length.
        toward: DVec3,
        /// Irradiance of a surface that faces it [W/m²].
        irradiance: [f32; 3],
        /// Angular radius [rad]; 0 for hard shadows, 0.00465 for the sun.
        radius: f64,
    },
    /// A small luminaire with a measured distribution.
    Ies {
        /// Where it hangs [m].
        position: DVec3,
        /// Where its vertical angle 0 points, usually down.
        axis: DVec3,
        /// Where its horizontal angle 0 points.
        zero: DVec3,
        /// Intensity for each candela of the file [W/(sr cd)].
        scale: [f32; 3],
        /// The distribution.
        luminaire: Arc<Luminaire>,
    },
}

/// Light of a lamp at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incident {
    /// Direction to the lamp.
    pub(crate) dir: Vec3,
    /// How far it is.
    pub(crate) distance: f32,
    /// Radiance over density; irradiance if the lamp has no extent.
    pub(crate) weight: Vec3,
    /// Density over solid angle; `None` if no ray meets the lamp by chance.
    pub(crate) pdf: Option<f32>,
}

/// Where a ray meets a lamp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) t: f32,
    pub(crate) radiance: Vec3,
    /// Density with which sampling finds this direction.
    pub(crate) pdf: f32,
}

/// A lamp in scene units.
#[derive(Clone, Debug)]
pub(crate) enum Emitter {
    Area { centre: Vec3, half_u: Vec3, half_v: Vec3, normal: Vec3, area: f32, radiance: Vec3 },
    Sphere { centre: Vec3, radius: f32, radiance: Vec3 },
    Directional { frame: Basis, cos: f32, radiance: Vec3 },
    Hard { toward: Vec3, irradiance: Vec3 },
    Ies { position: Vec3, frame: Basis, scale: Vec3, luminaire: Arc<Luminaire> },
}

impl Emitter {
    /// Checks and converts a lamp.
    pub(crate) fn new(lamp: &Lamp, units: &Units) -> Result<Self, Error> {
        let colour = match lamp {
            Lamp::Area { radiance: c, .. } | Lamp::Sphere { radiance: c, .. } => c,
            Lamp::Directional { irradiance: c, .. } | Lamp::Ies { scale: c, .. } => c,
        };
        if !colour.iter().all(|c| *c >= 0.0 && *c < 1e12) {
            return Err(Error::Light("a lamp shines less than nothing or without limit"));
        }
        let emitter = match lamp {
            Lamp::Area { centre, half_u, half_v, radiance } => {
                let length = |d: &DVec3| (*d / units.scale).as_vec3();
                let (u, v) = (length(half_u), length(half_v));
                let area = 4.0 * u.cross(v).length();
                let normal = u.cross(v).try_normalize();
                let normal = normal.ok_or(Error::Light("an area lamp has no area"))?;
                let centre = units.point(*centre);
                Self::Area {
                    centre,
                    half_u: u,
                    half_v: v,
                    normal,
                    area,
                    radiance: (*radiance).into(),
                }
            }
            Lamp::Sphere { centre, radius, radiance } => {
                if radius.is_nan() || *radius <= 0.0 {
                    return Err(Error::Light("a ball lamp has no radius"));
                }
                let radius = (radius / units.scale) as f32;
                Self::Sphere { centre: units.point(*centre), radius, radiance: (*radiance).into() }
            }
            Lamp::Directional { toward, irradiance, radius } => {
                directional(*toward, (*irradiance).into(), *radius)?
            }
            Lamp::Ies { position, axis, zero, scale, luminaire } => {
                let axis = axis.try_normalize().ok_or(Error::Light("a luminaire has no axis"))?;
                let frame = Basis::along(axis.as_vec3(), zero.as_vec3());
                // Intensity falls with the square of distances in scene units.
                let scale = Vec3::from(*scale) / (units.scale * units.scale) as f32;
                let luminaire = Arc::clone(luminaire);
                Self::Ies { position: units.point(*position), frame, scale, luminaire }
            }
        };
        if emitter.is_finite() { Ok(emitter) } else { Err(Error::Light("a lamp is not finite")) }
    }

    fn is_finite(&self) -> bool {
        match self {
            Self::Area { centre, area, .. } => centre.is_finite() && area.is_finite(),
            Self::Sphere { centre, radius, .. } => centre.is_finite() && radius.is_finite(),
            Self::Directional { radiance, .. } => radiance.is_finite(),
            Self::Hard { irradiance, .. } => irradiance.is_finite(),
            Self::Ies { position, scale, .. } => position.is_finite() && scale.is_finite(),
        }
    }

    /// About how much light it gives a scene of radius one around the origin.
    pub(crate) fn importance(&self) -> f32 {
        let colour = |c: Vec3| c.element_sum() / 3.0;
        match self {
            Self::Area { centre, area, radiance, .. } => {
                colour(*radiance) * area / centre.length_squared().max(1.0)
            }
            Self::Sphere { centre, radius, radiance } => {
                colour(*radiance) * 3.1 * radius * radius / centre.length_squared().max(1.0)
            }
            Self::Directional { cos, radiance, .. } => colour(*radiance) / cone_pdf(*cos),
            Self::Hard { irradiance, .. } => colour(*irradiance),
            Self::Ies { position, scale, luminaire, .. } => {
                colour(*scale) * luminaire.mean() / position.length_squared().max(1.0)
            }
        }
    }

    /// Light at a point, by a sample.
    pub(crate) fn sample(&self, from: Vec3, place: [f32; 2]) -> Option<Incident> {
        match self {
            Self::Area { centre, half_u, half_v, normal, area, radiance } => {
                let [x, y] = place.map(|p| 2.0 * p - 1.0);
                let way = *centre + *half_u * x + *half_v * y - from;
                let d2 = way.length_squared();
                let distance = d2.sqrt();
                let dir = way / distance;
                let cos = -dir.dot(*normal);
                let pdf = d2 / (cos * area);
                (cos > 1e-6 && pdf.is_finite()).then(|| Incident {
                    dir,
                    distance,
                    weight: *radiance / pdf,
                    pdf: Some(pdf),
                })
            }
            Self::Sphere { centre, radius, radiance } => {
                let way = *centre - from;
                let d2 = way.length_squared();
                if d2 <= radius * radius * 1.000_01 {
                    return None;
                }
                let cos = cos_of_sine2(radius * radius / d2);
                let dir = Basis::around(way.normalize()).world(cone(place, cos)).normalize();
                let along = way.dot(dir);
                let off = (along * along - d2 + radius * radius).max(0.0).sqrt();
                let pdf = cone_pdf(cos);
                Some(Incident {
                    dir,
                    distance: along - off,
                    weight: *radiance / pdf,
                    pdf: Some(pdf),
                })
            }
            Self::Directional { frame, cos, radiance } => {
                let pdf = cone_pdf(*cos);
                let dir = frame.world(cone(place, *cos)).normalize();
                let weight = *radiance / pdf;
                Some(Incident { dir, distance: f32::INFINITY, weight, pdf: Some(pdf) })
            }
            Self::Hard { toward, irradiance } => Some(Incident {
                dir: *toward,
                distance: f32::INFINITY,
                weight: *irradiance,
                pdf: None,
            }),
            Self::Ies { position, frame, scale, luminaire } => {
                let way = *position - from;
                let d2 = way.length_squared();
                let dir = way.try_normalize()?;
                let intensity = luminaire.toward(frame.local(-dir));
                let weight = *scale * (intensity / d2);
                Some(Incident { dir, distance: d2.sqrt(), weight, pdf: None })
            }
        }
    }

    /// Where a ray meets the lamp before `t_max`.
    pub(crate) fn meet(&self, origin: Vec3, dir: Vec3, t_max: f32) -> Option<Met> {
        match self {
            Self::Area { centre, half_u, half_v, normal, area, radiance } => {
                let cos = -dir.dot(*normal);
                if cos <= 1e-6 {
                    return None;
                }
                let t = -(*centre - origin).dot(*normal) / cos;
                if t <= 0.0 || t >= t_max {
                    return None;
                }
                // Coordinates in the skew frame of the edges.
                let at = origin + dir * t - *centre;
                let n2 = half_u.cross(*half_v);
                let x = at.cross(*half_v).dot(n2) / n2.length_squared();
                let y = half_u.cross(at).dot(n2) / n2.length_squared();
                (x.abs() <= 1.0 && y.abs() <= 1.0).then(|| Met {
                    t,
                    radiance: *radiance,
                    pdf: t * t / (cos * area),
                })
            }
            Self::Sphere { centre, radius, radiance } => {
                let way = *centre - origin;
                let along = way.dot(dir);
                // The distance of the ray from the middle, without taking large squares apart.
                let off2 = (way - dir * along).length_squared();
                let d2 = way.length_squared();
                if along <= 0.0 || off2 > radius * radius || d2 <= radius * radius {
                    return None;
                }
                let t = along - (radius * radius - off2).sqrt();
                let cos = cos_of_sine2(radius * radius / d2);
                (t < t_max).then(|| Met { t, radiance: *radiance, pdf: cone_pdf(cos) })
            }
            Self::Directional { frame, cos, radiance } => (t_max == f32::INFINITY
                && dir.dot(frame.normal) > *cos)
                .then(|| Met { t: f32::INFINITY, radiance: *radiance, pdf: cone_pdf(*cos) }),
            Self::Hard { .. } | Self::Ies { .. } => None,
        }
    }
}

fn directional(toward: DVec3, irradiance: Vec3, radius: f64) -> Result<Emitter, Error> {
    let toward = toward.try_normalize().ok_or(Error::Light("a far lamp is in no direction"))?;
    let toward = toward.as_vec3();
    if !(0.0..=1.5).contains(&radius) {
        return Err(Error::Light("a far lamp's radius must lie between 0 and 1.5 rad"));
    }
    // Cones below this are not told from a line in f32.
    if radius < 1e-3 {
        return Ok(Emitter::Hard { toward, irradiance });
    }
    let cos = radius.cos() as f32;
    // Irradiance of the disc: its solid angle times the mean cosine, (1 + cos) / 2.
    let radiance = irradiance * cone_pdf(cos) * 2.0 / (1.0 + cos);
    Ok(Emitter::Directional { frame: Basis::around(toward), cos, radiance })
}

/// Cosine of the angle whose squared sine is given.
fn cos_of_sine2(s: f32) -> f32 {
    (1.0 - s).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units() -> Units {
        Units { centre: DVec3::ZERO, scale: 2.0 }
    }

    fn lamps() -> Vec<Lamp> {
        vec![
            Lamp::Area {
                centre: DVec3::new(0.3, 2.0, 0.1),
                half_u: DVec3::new(0.5, 0.1, 0.0),
                half_v: DVec3::new(0.0, 0.2, 0.6),
                radiance: [2.0; 3],
            },
            Lamp::Sphere { centre: DVec3::new(0.5, 1.0, -0.5), radius: 0.4, radiance: [1.0; 3] },
            Lamp::Directional { toward: DVec3::ONE, irradiance: [3.0; 3], radius: 0.2 },
        ]
    }

    #[test]
    fn light_met_by_chance_is_light_that_sampling_finds() {
        for mut lamp in lamps() {
            if let Lamp::Area { half_u, half_v, .. } = &mut lamp {
                std::mem::swap(half_u, half_v);
            }
            for lamp in [lamp.clone(), flipped(lamp)] {
                let emitter = Emitter::new(&lamp, &units()).unwrap();
                for k in 0..64 {
                    let place = [(k % 8) as f32 / 8.0 + 0.06, (k / 8) as f32 / 8.0 + 0.06];
                    let Some(s) = emitter.sample(Vec3::ZERO, place) else { continue };
                    let met = emitter.meet(Vec3::ZERO, s.dir, f32::INFINITY).unwrap();
                    assert!((met.pdf / s.pdf.unwrap() - 1.0).abs() < 1e-3, "{met:?} {s:?}");
                    assert!((met.radiance.x / met.pdf / s.weight.x - 1.0).abs() < 1e-3);
                    let near = met.t == s.distance || (met.t - s.distance).abs() < 1e-4;
                    assert!(near, "{met:?} {s:?}");
                }
            }
        }
    }

    fn flipped(mut lamp: Lamp) -> Lamp {
        if let Lamp::Area { half_u, .. } = &mut lamp {
            *half_u = -*half_u;
        }
        lamp
    }

    #[test]
    fn densities_integrate_to_one_over_all_directions() {
        for lamp in lamps().into_iter().flat_map(|l| [l.clone(), flipped(l)]) {
            let emitter = Emitter::new(&lamp, &units()).unwrap();
            let n = 1200;
            let mut sum = 0.0_f64;
            for k in 0..n * n {
                let u = [k % n, k / n].map(|x| (x as f32 + 0.5) / n as f32);
                let dir = crate::warp::sphere(u);
                let met = emitter.meet(Vec3::ZERO, dir, f32::INFINITY);
                sum += met.map_or(0.0, |m| f64::from(m.pdf)) * 4.0 * std::f64::consts::PI
                    / f64::from(n * n);
            }
            // An area shines on one side only.
            assert!((sum - 1.0).abs() < 0.02 || sum == 0.0, "{lamp:?} {sum}");
        }
    }

    #[test]
    fn a_far_lamp_gives_the_irradiance_it_promises() {
        let emitter = Emitter::new(&lamps()[2], &units()).unwrap();
        let toward = Vec3::ONE.normalize();
        let sum: f32 = (0..1024)
            .map(|k| [(k % 32) as f32 / 32.0 + 0.015, (k / 32) as f32 / 32.0 + 0.015])
            .filter_map(|u| emitter.sample(Vec3::ZERO, u))
            .map(|s| s.weight.x * s.dir.dot(toward))
            .sum();
        assert!((sum / 1024.0 - 3.0).abs() < 0.01, "{sum}");
    }
}
