//! Linear systems in double precision, where single precision does not resolve the masses.
//!
//! Stiffness over inertia, K h²/m, grows with the stiffness of the fabric and with one over the square of its edges: cotton with edges of
//! 20 mm and steps of 10 ms has 10⁴, with edges of a quarter of a millimetre 10⁸. Single precision ends at 2²⁴, about 10⁷.

use super::iterate::Iterate;
use super::solver::Solver;
use crate::linear::BlockCsr;
use crate::linear::mixed::ContactBlockF64;
use glam::DVec3;

/// Stiffness over inertia from which on systems are solved in double precision: an eighth of what single precision resolves, so that
/// masses keep three bits at least. The rest is left to further iterations.
const MAX_STIFFNESS_OVER_INERTIA: f64 = (1 << 21) as f64;
/// Fraction of the external force that free cloth may lack in a step: what an iteration leaves is far less.
const MAX_MISSING_FORCE: f64 = 0.5;
/// Fraction of its momentum that cloth may lose in a step to what iterations leave.
const MAX_LOST_MOMENTUM: f64 = 0.01;
/// External accelerations below this are not compared [m/s²]: where air drag balances the weight, little is left of it.
const MIN_ACCELERATION: f64 = 1.0;

/// A linear system in double precision.
#[derive(Debug)]
pub(super) struct Precise {
    pub(super) matrix: BlockCsr,
    /// Contacts, friction and seams, as `Solver::contact_blocks`.
    pub(super) contact_blocks_f64: Vec<ContactBlockF64>,
}

impl Solver {
    /// Sets up the system in double precision if single precision would lose the mass of a vertex. `self.matrix` is the
    /// Hessian without inertia at this time, and `at` where the elastic part was taken.
    pub(super) fn choose_precision(&mut self, it: &Iterate<'_>, at: &[DVec3]) {
        if self.stiffness_over_inertia(it) < MAX_STIFFNESS_OVER_INERTIA {
            self.precise = None;
            return;
        }
        let mut precise = self.precise.take().unwrap_or_else(|| {
            Box::new(Precise { matrix: self.sheet.matrix(), contact_blocks_f64: Vec::new() })
        });
        let matrix = &mut precise.matrix;
        self.sheet.hessian(at, true, true, matrix);
        let curvature = f64::from(it.inertia.elastic_hessian_factor());
        matrix.values_mut().iter_mut().for_each(|block| *block *= curvature);
        if let Some(viscosity) = &self.viscosity {
            viscosity.add_hessian(&it.y[..self.masses.len()], matrix);
        }
        matrix.add_to_diagonal(|i| self.masses[i] / it.inertia.gamma2(i));
        self.precise = Some(precise);
    }

    /// The fraction of the external force that is missing on cloth that nothing touches or holds, if that is much. Internal forces sum to
    /// zero, so that its centre of mass must move as the external forces say; if it does not, forces are lost in rounding.
    pub(super) fn missing_force(&self, it: &Iterate<'_>) -> Option<f64> {
        let (start, inertia) = (it.start, &it.inertia);
        if !inertia.reaches_prediction() || !it.pinned.is_empty() || !start.seams.is_empty() {
            return None;
        }
        // Self-contacts sum to zero, too.
        let of_body = |points: [u32; 4]| points.iter().any(|p| *p as usize >= self.masses.len());
        let mut contact_points = self.contacts.iter().map(|c| c.points());
        let mut friction_points = it.friction_contacts.iter().map(|r| r.points());
        if contact_points.any(of_body) || friction_points.any(of_body) {
            return None;
        }
        let mut left = DVec3::ZERO;
        let (mut external_force, mut mass, mut momentum) = (0.0, 0.0, 0.0);
        for (i, m) in self.masses.iter().enumerate() {
            left += (it.y[i] - inertia.inertial_prediction(i)) * (m / inertia.gamma2(i));
            external_force += m * start.external_acceleration.at(i).length();
            mass += m;
            momentum += m * start.v[i].length();
        }
        // Where cloth flies fast into itself, an iteration leaves more than its weight.
        if left.length() < MAX_LOST_MOMENTUM * momentum / start.h {
            return None;
        }
        let missing = left.length() / external_force;
        (external_force > MIN_ACCELERATION * mass && missing > MAX_MISSING_FORCE).then_some(missing)
    }

    /// Largest stiffness of a vertex over its inertia.
    fn stiffness_over_inertia(&self, it: &Iterate<'_>) -> f64 {
        let each = self.masses.iter().enumerate().map(|(i, m)| {
            let [x, y, z] = self.matrix.diagonal(i);
            f64::from(x.x.max(y.y).max(z.z)) * it.inertia.resolved_gamma2(i) / m
        });
        each.fold(0.0, f64::max)
    }
}
