//! The default solver: implicit steps as minima of an incremental potential, free of intersections [li2020ipc].
//!
//! A step is the minimum of
//! `½ (x − x̂)ᵀ M (x − x̂)/h² + E(x) + V(x) + B(x) + D(x)`, x̂ = x_t + h v + h² a: inertia, the
//! elastic energy of a [`Sheet`](crate::sheet::Sheet) with the friction between its threads, its
//! [`Viscosity`](crate::sheet::Viscosity), a barrier B that grows without bound where features
//! come as near as the fabric is thick, and lagged friction D. It is found by projected Newton; every
//! search direction is limited by continuous collision detection before the first vertex passes anything, and then
//! by a line search. So every accepted state is free of intersections. That is implicit Euler; other integration rules change
//! x̂ and what h² stands for ([`Rule`]).
//!
//! Pins and bodies move within the iteration: each direction carries them the rest of their displacement, and
//! a step is over when they have arrived.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `newton.rs` | the step: Newton iterations, termination, line search |
//! | `direction.rs`, `system.rs` | search directions with their largest feasible step, and the linear system |
//! | `potential.rs`, `rule.rs` | the incremental potential, and the integration rules |
//! | `candidates.rs`, `candidate_update.rs` | pairs of features that may touch, by the broad phase |
//! | `contact.rs`, `law.rs`, `stiffness.rs` | active contacts, the barrier, its stiffness |
//! | `contact_list.rs` | the contacts of a state, for readers |
//! | `friction.rs` | Coulomb friction with stored tangential displacements |
//! | `step_limit.rs`, `truncation.rs` | continuous collision detection along a direction, for all vertices and for single ones |
//! | `feasibility.rs` | whether a start keeps the minimum separation |
//! | `precise.rs`, `strain.rs` | linear systems in double precision, and residual forces that strain the cloth |
//! | `seam.rs` | seams that draw vertices together |

mod candidate_update;
mod candidates;
mod contact;
mod contact_list;
mod direction;
mod feasibility;
mod friction;
mod iterate;
mod law;
mod newton;
mod potential;
mod precise;
mod rule;
mod seam;
mod settings;
mod solver;
mod statistics;
mod step_limit;
mod stiffness;
mod strain;
mod system;
#[cfg(test)]
mod test_sheets;
mod truncation;

pub use contact_list::Contact;
pub use feasibility::Infeasible;
pub use friction::Anchors;
pub(crate) use iterate::{Blocker, ExternalAcceleration, StepResult, StepStart};
pub use law::{Law, Value};
pub(crate) use newton::Failure;
pub use rule::{Rule, bdf2_weights};
pub use seam::Seam;
pub use settings::Barrier;
pub(crate) use solver::ContactSetup;
pub use solver::Solver;
pub use statistics::{PhaseSeconds, SolverStatistics};
