//! External forces: gravity and wind (M12).
//!
//! The force of the air on a triangle of area A with normal n̂ and velocity relative to the air
//! `u = v_air − v`: `F = ½ ρ A |n̂·u| (c_n (n̂·u) n̂ + c_t u_t)`, u_t the part of u along the triangle.
//!
//! Erratum: paper A prints eq. 4 with a cross product. With a dot product and c_n = c_t it is this
//! formula; the absolute value makes the force follow the wind whichever side faces it.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Density of air at 20 °C [kg/m³].
const AIR_DENSITY: f64 = 1.204;

/// Moving air.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::force::Wind;
///
/// let breeze = Wind { velocity: DVec3::X * 3.0, gust: 0.4, ..Wind::default() };
/// let sail = [DVec3::ZERO, DVec3::Y, DVec3::Z]; // one m² halved, across the wind
/// let force = breeze.force(sail, DVec3::ZERO, 0.0);
/// assert!(force.x > 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity [m/s]; still air also slows what moves through it.
    pub velocity: DVec3,
    /// Strength of gusts as a part of the mean velocity: 0 is a steady wind.
    pub gust: f64,
    /// Duration of a typical gust [s].
    pub gust_period: f64,
    /// Size of a typical gust [m]; gusts travel with the wind.
    pub gust_size: f64,
    /// Drag coefficient of air pressing on the surface.
    pub normal_drag: f64,
    /// Drag coefficient of air flowing along it.
    pub tangential_drag: f64,
}

impl Default for Wind {
    fn default() -> Self {
        Self {
            velocity: DVec3::ZERO,
            gust: 0.0,
            gust_period: 1.0,
            gust_size: 1.0,
            normal_drag: 1.2,
            tangential_drag: 0.05,
        }
    }
}

/// Relative frequency, relative wave number, phase and weight of the waves that make up a gust.
/// The frequencies have no short common period, so gusts do not seem to repeat; the weights sum to one.
const WAVES: [[f64; 4]; 4] =
    [[1.0, 1.0, 0.3, 0.4], [1.618, 1.43, 1.9, 0.3], [2.71, 2.24, 4.1, 0.2], [5.19, 3.61, 5.3, 0.1]];

impl Wind {
    /// Velocity of the air at a place and time [m/s].
    pub fn at(&self, x: DVec3, t: f64) -> DVec3 {
        if self.gust == 0.0 {
            return self.velocity;
        }
        let along = self.velocity.normalize_or_zero();
        // Mostly along the wind, a little across, so that a gust's front is not a plane.
        let place = (x.dot(along) + 0.3 * x.dot(DVec3::new(0.61, 0.53, 0.59))) / self.gust_size;
        let mut factor = 1.0;
        for [frequency, number, phase, weight] in WAVES {
            let turns = frequency * t / self.gust_period - number * place;
            factor += self.gust * weight * libm::sin(std::f64::consts::TAU * turns + phase);
        }
        self.velocity * factor
    }

    /// Force on a triangle [N].
    pub fn force(&self, corners: [DVec3; 3], velocity: DVec3, t: f64) -> DVec3 {
        let [a, b, c] = corners;
        let n = (b - a).cross(c - a);
        let twice_area = n.length();
        if twice_area == 0.0 {
            return DVec3::ZERO;
        }
        let n = n / twice_area;
        let u = self.at((a + b + c) / 3.0, t) - velocity;
        let through = n.dot(u);
        let along = u - n * through;
        let pressure = 0.25 * AIR_DENSITY * twice_area * through.abs();
        (n * (self.normal_drag * through) + along * self.tangential_drag) * pressure
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let numbers = [self.gust, self.normal_drag, self.tangential_drag];
        if !self.velocity.is_finite() || numbers.iter().any(|n| !n.is_finite() || *n < 0.0) {
            return Err("has a value that is negative or not a finite number".into());
        }
        for (key, value) in [("gust_period", self.gust_period), ("gust_size", self.gust_size)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(format!("has `{key}` = {value}; it must be above zero"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE_METRE: [DVec3; 3] =
        [DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];

    #[test]
    fn head_on_wind_presses_with_the_dynamic_pressure() {
        let wind = Wind { velocity: DVec3::Z * 10.0, ..Wind::default() };
        let f = wind.force(SQUARE_METRE, DVec3::ZERO, 0.0);
        assert!((f - DVec3::Z * 0.5 * AIR_DENSITY * 1.2 * 100.0).length() < 1e-9);
    }

    #[test]
    fn the_side_that_faces_the_wind_does_not_matter() {
        let wind = Wind { velocity: DVec3::new(3.0, 1.0, -4.0), ..Wind::default() };
        let [a, b, c] = SQUARE_METRE;
        let front = wind.force([a, b, c], DVec3::ZERO, 0.0);
        let back = wind.force([a, c, b], DVec3::ZERO, 0.0);
        assert!((front - back).length() < 1e-12);
        assert!(front.dot(wind.velocity) > 0.0);
    }

    #[test]
    fn still_air_slows_what_moves_and_cloth_at_wind_speed_feels_nothing() {
        let air = Wind::default();
        let v = DVec3::new(0.2, 0.3, 2.0);
        assert!(air.force(SQUARE_METRE, v, 0.0).dot(v) < 0.0);
        let wind = Wind { velocity: v, ..air };
        assert_eq!(wind.force(SQUARE_METRE, v, 0.0), DVec3::ZERO);
    }

    #[test]
    fn gusts_vary_in_time_and_space_around_the_mean() {
        let wind = Wind { velocity: DVec3::X * 5.0, gust: 0.5, ..Wind::default() };
        let speeds: Vec<f64> =
            (0..4000).map(|i| wind.at(DVec3::ZERO, f64::from(i) * 0.05).x).collect();
        let mean = speeds.iter().sum::<f64>() / 4000.0;
        assert!((mean - 5.0).abs() < 0.1, "{mean}");
        assert!(speeds.iter().all(|s| (2.5..=7.5).contains(s)));
        assert!(speeds.iter().copied().fold(0.0, f64::max) > 6.5);
        assert!(wind.at(DVec3::X * 0.3, 1.0) != wind.at(DVec3::ZERO, 1.0));
    }
}
