//! Settings of the systems that integrate first and then respond to collisions: springs, explicit integrators, impacts.

use serde::{Deserialize, Serialize};

/// How cloth is made of springs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Springs {
    /// Structural, shear and bend springs of a regular grid (M1) [provot1995]. Cloths that are no
    /// grids get the springs of triangles.
    #[default]
    Grid,
    /// Springs along the edges of a triangle mesh and across them (M4).
    Triangles,
    /// No springs: the elements that `stretch` and `bend` choose. The strain limit still follows
    /// the threads.
    Elements,
}

/// Which relative motion of a spring's ends is damped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Damping {
    /// Only along the spring: turning is free.
    #[default]
    Projected,
    /// In all directions: also slows rigid rotation.
    Isotropic,
}

/// Where the springs' stiffness comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stiffness {
    /// The fabric's own.
    Fabric,
    /// The fabric's own, but not more than an explicit step can bear; the strain limit holds what
    /// the springs then cannot [provot1995].
    #[default]
    Stable,
}

/// What an impact does to velocities (R1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Every particle of the pair by itself, in the frame of their centre of mass, as printed
    /// [provot1997, eq. 4]. Does not conserve tangential momentum.
    Provot,
    /// One impulse at the point of contact, shared by the weights: conserves linear and angular
    /// momentum [bridson2002].
    #[default]
    Impulse,
}

/// What becomes of collisions that single impacts cannot resolve (R2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zones {
    /// Zones of impact move as rigid bodies: momentum, inertia tensor, exact rotation.
    #[default]
    Rigid,
    /// The mean angular velocity and straight motion as printed [provot1997, §4.3]. Neither
    /// conserves angular momentum nor keeps distances; for comparison.
    Printed,
    /// No zones: what is left after the impacts stays.
    Off,
}

/// What is done about collisions with bodies, and in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Impacts change velocities, then zones of impact (R1, R2) [provot1997].
    #[default]
    Impacts,
    /// Vertices are moved out of bodies (R4); cloth does not collide with cloth.
    Geometric,
    /// Motion along the normal is constrained in the solve, if the method is `implicit` (R6) [baraff1998], and what repels cloth from
    /// cloth is a force of it; impacts of cloth with cloth as above.
    Constraints,
}

/// How cloth queries bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyQuery {
    /// By vertices, edges and faces, continuously (D1, D2).
    #[default]
    Features,
    /// By a signed distance field (D7) [fuhrmann2003].
    Field,
    /// By depth and normal maps from six sides (D8) [vassilev2001].
    DepthMaps,
    /// By an octree of free, surface and interior cells (D9) [meyer2000].
    Voxels,
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Integrator {
    /// Explicit Euler: positions move with the old velocity (N1, order 1).
    ExplicitEuler,
    /// Euler with the new velocity, as Provot steps: constant velocity within the step (order 1,
    /// symplectic).
    #[default]
    SymplecticEuler,
    /// Explicit midpoint (N2, order 2).
    Midpoint,
    /// The classical Runge–Kutta method (N3, order 4).
    Rk4,
    /// Leapfrog, kick–drift–kick (N5, order 2).
    Leapfrog,
    /// Verlet in positions with damping, `x⁺ = x + (1 − K)(x − x⁻) + h² a` (N5; paper A).
    Verlet {
        /// Damping K, 0 to 1.
        #[serde(default)]
        damping: f64,
    },
}

impl Integrator {
    /// Its order of accuracy without damping.
    pub fn order(self) -> u32 {
        match self {
            Self::ExplicitEuler | Self::SymplecticEuler => 1,
            Self::Midpoint | Self::Leapfrog | Self::Verlet { .. } => 2,
            Self::Rk4 => 4,
        }
    }

    /// Largest h·ω for which an undamped oscillation does not grow; explicit Euler has none and
    /// lives on damping, so half of the symplectic bound is taken for it.
    pub fn stability(self) -> f64 {
        match self {
            Self::ExplicitEuler | Self::Midpoint => 1.0,
            Self::SymplecticEuler | Self::Leapfrog | Self::Verlet { .. } => 2.0,
            Self::Rk4 => 2.828,
        }
    }

    /// Whether the velocity after a step is the mean velocity over it, (x⁺ − x)/h.
    pub fn ends_with_mean_velocity(self) -> bool {
        matches!(self, Self::SymplecticEuler | Self::Verlet { .. })
    }
}
