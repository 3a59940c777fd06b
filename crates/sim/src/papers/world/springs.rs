//! Forces of springs and air, for explicit steps.

use crate::element::Spring;
use crate::papers::integrate::Dynamics;
use crate::settings::Damping;
use crate::world::World;
use glam::DVec3;
use rayon::prelude::*;

/// Below this many elements a loop stays on one thread.
const CHUNK: usize = 2048;

/// For each vertex, the springs that end there.
#[derive(Clone, Debug, Default)]
pub(super) struct Gather {
    offsets: Vec<u32>,
    /// Twice the spring's number, plus one at its second end.
    ends: Vec<u32>,
}

impl Gather {
    pub(super) fn new(vertices: usize, springs: &[Spring]) -> Self {
        let mut offsets = vec![0_u32; vertices + 1];
        for end in springs.iter().flat_map(|s| s.ends) {
            offsets[end as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut ends = vec![0; springs.len() * 2];
        for (i, s) in springs.iter().enumerate() {
            for (side, end) in s.ends.iter().enumerate() {
                ends[next[*end as usize] as usize] = (2 * i + side) as u32;
                next[*end as usize] += 1;
            }
        }
        Self { offsets, ends }
    }

    fn of(&self, v: usize) -> &[u32] {
        &self.ends[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

/// The forces of a world, as an integrator sees them.
pub(super) struct Forces<'a> {
    pub(super) world: &'a World,
    pub(super) gather: &'a Gather,
    pub(super) inverse_mass: &'a [f64],
}

impl Dynamics for Forces<'_> {
    /// Forces of springs and triangles first, each by itself, then summed at each vertex in fixed
    /// order: the sum does not depend on threads.
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let w = self.world;
        let damping = w.settings.damping;
        let springs: Vec<DVec3> = w
            .model
            .springs
            .par_iter()
            .with_min_len(CHUNK)
            .map(|s| {
                let (x, v) = (s.ends.map(|i| x[i as usize]), s.ends.map(|i| v[i as usize]));
                let damping = match damping {
                    Damping::Projected => s.damping_projected(x, v),
                    Damping::Isotropic => s.damping_isotropic(v),
                };
                damping - s.gradient(x)[0]
            })
            .collect();
        let air: Option<Vec<DVec3>> = w.wind.map(|wind| {
            let triangles = w.model.mesh.triangles.par_iter().with_min_len(CHUNK);
            triangles
                .map(|tri| {
                    let velocity = tri.iter().map(|i| v[*i as usize]).sum::<DVec3>() / 3.0;
                    wind.force(tri.map(|i| x[i as usize]), velocity, t) / 3.0
                })
                .collect()
        });
        a.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, a)| {
            let inverse_mass = self.inverse_mass[i];
            if inverse_mass == 0.0 {
                *a = DVec3::ZERO;
                return;
            }
            let mut force = DVec3::ZERO;
            for end in self.gather.of(i) {
                let f = springs[(end / 2) as usize];
                force += if end % 2 == 0 { f } else { -f };
            }
            if let Some(air) = &air {
                for t in w.model.topology.triangles_of(i as u32) {
                    force += air[*t as usize];
                }
            }
            *a = w.gravity + force * inverse_mass;
        });
    }
}
