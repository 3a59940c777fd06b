//! Degenerate queries: what contact detection is asked where shapes are made by people and not by noise.
//!
//! [`assemblies`] puts solids onto each other after [erleben2018]: spikes, wedges, holes, cracks, cliffs and
//! floors with edges inside, which touch exactly at vertices and edges or miss by the last digit.
//! [`single`] has one pair at a time, each made to vanish in some determinant. Everything is the same on every machine.

mod assemblies;
mod single;

use crate::exact::cases::Random;
use glam::DVec3;
use toile_collide::ccd::Pair;

/// Four vertices, each at t = 0 and t = 1.
pub(crate) type Four = [[DVec3; 2]; 4];

/// Queries of one origin.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) queries: Vec<Four>,
}

/// All queries about one kind of pair.
pub(crate) fn families(pair: Pair) -> Vec<Family> {
    let mut all = assemblies::families(pair);
    all.extend(single::families(pair));
    all
}

/// Where a query is put: turned, scaled, then moved. All but powers of two round.
#[derive(Clone, Copy, Debug)]
struct Frame {
    turned: bool,
    scale: f64,
    offset: f64,
}

impl Frame {
    /// As designed; turned out of the axes; at sizes that are no powers of two; far from the origin.
    const ALL: [Self; 6] = [
        Self { turned: false, scale: 1.0, offset: 0.0 },
        Self { turned: true, scale: 1.0, offset: 0.0 },
        Self { turned: false, scale: 0.1, offset: 0.0 },
        Self { turned: true, scale: 0.001, offset: 0.0 },
        Self { turned: false, scale: 1.0, offset: 1e3 },
        Self { turned: true, scale: 1.0, offset: 1e6 },
    ];

    fn place(self, p: DVec3) -> DVec3 {
        // By the angles of the triangles 3, 4, 5 and 5, 12, 13: a rational rotation.
        let p = if self.turned {
            let q = DVec3::new(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z);
            DVec3::new(q.x, (5.0 * q.y - 12.0 * q.z) / 13.0, (12.0 * q.y + 5.0 * q.z) / 13.0)
        } else {
            p
        };
        p * self.scale + DVec3::new(1.0, -0.5, 0.75) * self.offset
    }

    /// About the last digit of a coordinate, before it is put there.
    fn ulp(self) -> f64 {
        f64::EPSILON * (1.0 + self.offset / self.scale)
    }

    fn any(random: &mut Random) -> Self {
        Self::ALL[random.below(Self::ALL.len() as u64) as usize]
    }
}
