//! Strain limiting, the "biphasic" spring (M2; [provot1995], paper A §2).
//!
//! After a step, springs longer than (1 + τ) l₀ are shortened by moving their ends, each by the
//! part its inverse mass has in the pair; a pinned end stays. Velocities follow the corrected
//! positions. Correcting one spring strains its neighbours, so sweeps are repeated; the result
//! depends on the order.

use crate::element::{Kind, Spring};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// In which order springs are corrected within a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they are numbered, each seeing the corrections before it.
    #[default]
    Given,
    /// The most strained first.
    WorstFirst,
    /// All at once from the same positions; the mean of a vertex's corrections is applied. Independent
    /// of the numbering, but means do not conserve momentum as pairs do.
    Jacobi,
}

/// The limit.
///
/// ```
/// use toile_sim::Preset;
/// use toile_sim::strain_limit::StrainLimit;
///
/// let mut settings = Preset::Provot97.settings();
/// settings.strain_limit = StrainLimit { stretch: 0.05, ..StrainLimit::default() };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrainLimit {
    /// Whether there is one.
    pub enabled: bool,
    /// Largest elongation τ.
    pub stretch: f64,
    /// Largest shortening; 1 is none.
    pub compression: f64,
    /// Order of the corrections.
    pub order: Order,
    /// Sweeps per step at most; a sweep that corrects nothing is the last.
    pub sweeps: u32,
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self { enabled: true, stretch: 0.1, compression: 1.0, order: Order::Given, sweeps: 12 }
    }
}

impl StrainLimit {
    /// Corrects positions; returns whether anything moved. `inverse_mass` is zero where pinned.
    pub fn apply(&self, springs: &[Spring], inverse_mass: &[f64], x: &mut [DVec3]) -> bool {
        if !self.enabled {
            return false;
        }
        let limited: Vec<&Spring> = springs.iter().filter(|s| s.kind != Kind::Bend).collect();
        let mut any = false;
        for _ in 0..self.sweeps {
            let moved = match self.order {
                Order::Given => self.sweep(limited.iter().copied(), inverse_mass, x),
                Order::WorstFirst => {
                    let mut sorted = limited.clone();
                    let strain = |s: &Spring| length(s, x) / s.rest;
                    sorted
                        .sort_by(|a, b| strain(b).total_cmp(&strain(a)).then(a.ends.cmp(&b.ends)));
                    self.sweep(sorted.into_iter(), inverse_mass, x)
                }
                Order::Jacobi => self.sweep_at_once(&limited, inverse_mass, x),
            };
            if !moved {
                break;
            }
            any = true;
        }
        any
    }

    fn sweep<'a>(
        &self,
        springs: impl Iterator<Item = &'a Spring>,
        inverse_mass: &[f64],
        x: &mut [DVec3],
    ) -> bool {
        let mut moved = false;
        for s in springs {
            if let Some([da, db]) = self.correction(s, inverse_mass, x) {
                x[s.ends[0] as usize] += da;
                x[s.ends[1] as usize] += db;
                moved = true;
            }
        }
        moved
    }

    fn sweep_at_once(&self, springs: &[&Spring], inverse_mass: &[f64], x: &mut [DVec3]) -> bool {
        let mut sum = vec![(DVec3::ZERO, 0.0); x.len()];
        for s in springs {
            if let Some(d) = self.correction(s, inverse_mass, x) {
                for (end, d) in s.ends.iter().zip(d) {
                    sum[*end as usize].0 += d;
                    sum[*end as usize].1 += 1.0;
                }
            }
        }
        let mut moved = false;
        for (x, (d, n)) in x.iter_mut().zip(sum) {
            if n > 0.0 {
                *x += d / n;
                moved = true;
            }
        }
        moved
    }

    /// How both ends are to move, if the spring is beyond its limits.
    #[inline]
    fn correction(&self, s: &Spring, inverse_mass: &[f64], x: &[DVec3]) -> Option<[DVec3; 2]> {
        let [a, b] = s.ends.map(|v| v as usize);
        let d = x[a] - x[b];
        let length2 = d.length_squared();
        let (longest, shortest) =
            ((1.0 + self.stretch) * s.rest, (1.0 - self.compression) * s.rest);
        // A whisker of tolerance, or rounding would keep sweeps going for ever.
        if length2 <= longest * longest * (1.0 + 1e-9)
            && length2 >= shortest * shortest * (1.0 - 1e-9)
        {
            return None;
        }
        let (wa, wb) = (inverse_mass[a], inverse_mass[b]);
        let length = length2.sqrt();
        if wa + wb == 0.0 || length == 0.0 {
            return None;
        }
        let excess = d * ((length - length.clamp(shortest, longest)) / length / (wa + wb));
        Some([-excess * wa, excess * wb])
    }
}

fn length(s: &Spring, x: &[DVec3]) -> f64 {
    x[s.ends[0] as usize].distance(x[s.ends[1] as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of n springs of rest length 1.
    fn chain(n: u32) -> Vec<Spring> {
        (0..n)
            .map(|i| Spring {
                ends: [i, i + 1],
                kind: Kind::Structural,
                rest: 1.0,
                stiffness: 1.0,
                damping: 0.0,
            })
            .collect()
    }

    #[test]
    fn a_single_overlong_spring_is_cut_to_its_limit_about_its_centre_of_mass() {
        let limit = StrainLimit { sweeps: 1, ..StrainLimit::default() };
        let mut x = [DVec3::ZERO, DVec3::X * 2.0];
        assert!(limit.apply(&chain(1), &[1.0, 0.5], &mut x));
        assert!((x[0].distance(x[1]) - 1.1).abs() < 1e-12);
        // Masses 1 and 2: the centre of mass stays at 4/3.
        assert!(((x[0].x + 2.0 * x[1].x) / 3.0 - 4.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_pinned_end_does_not_move() {
        let limit = StrainLimit::default();
        let mut x = [DVec3::ZERO, DVec3::X * 3.0];
        limit.apply(&chain(1), &[0.0, 1.0], &mut x);
        assert_eq!(x[0], DVec3::ZERO);
        assert!((x[1].x - 1.1).abs() < 1e-9);
    }

    #[test]
    fn all_orders_bring_a_chain_to_its_limit() {
        for order in [Order::Given, Order::WorstFirst, Order::Jacobi] {
            let limit = StrainLimit { order, sweeps: 2000, ..StrainLimit::default() };
            let mut x: Vec<DVec3> = (0..6).map(|i| DVec3::X * f64::from(i) * 1.5).collect();
            limit.apply(&chain(5), &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0], &mut x);
            for w in x.windows(2) {
                assert!(w[0].distance(w[1]) <= 1.1 * (1.0 + 1e-6), "{order:?}");
            }
        }
    }

    #[test]
    fn orders_differ_and_compression_is_limited_on_request() {
        let limit = |order| StrainLimit { order, sweeps: 1, ..StrainLimit::default() };
        let start = [DVec3::ZERO, DVec3::X * 1.2, DVec3::X * 3.0];
        let run = |order| {
            let mut x = start;
            limit(order).apply(&chain(2), &[0.0, 1.0, 1.0], &mut x);
            x
        };
        assert_ne!(run(Order::Given), run(Order::WorstFirst));
        assert_ne!(run(Order::Given), run(Order::Jacobi));
        let mut x = [DVec3::ZERO, DVec3::X * 0.5];
        assert!(!StrainLimit::default().apply(&chain(1), &[1.0, 1.0], &mut x));
        let tight = StrainLimit { compression: 0.1, ..StrainLimit::default() };
        assert!(tight.apply(&chain(1), &[1.0, 1.0], &mut x));
        assert!((x[0].distance(x[1]) - 0.9).abs() < 1e-9);
    }
}
