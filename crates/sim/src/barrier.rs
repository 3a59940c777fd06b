//! The default solver: steps of least incremental potential, never an intersection.
//!
//! A step is the minimum of
//! `½ (x − x̂)ᵀ M (x − x̂)/h² + E(x) + B(x) + D(x)`, x̂ = x_t + h v + h² a [li2020ipc]: inertia, the
//! elastic energy of a [`Sheet`](crate::sheet::Sheet), a barrier B that grows without bound where features
//! come as near as the fabric is thick, and friction D, lagged. It is found by projected Newton; every
//! direction is cut by continuous collision detection before the first vertex passes anything, and then
//! until the potential falls. So every accepted state is free of intersections. That is implicit Euler; other rules of time change
//! x̂ and what h² stands for ([`Rule`]).
//!
//! Pins and bodies go their way within the iteration: each direction carries them the rest of it, and
//! a step is over when they have arrived.

mod contact;
mod direction;
mod friction;
mod impact;
mod law;
mod newton;
mod pairs;
mod renew;
mod room;
mod rule;
mod seam;
mod settings;
mod stiffness;
mod truncation;

pub use friction::Anchors;
pub use law::{Law, Value};
pub(crate) use newton::{Ended, Failure, Outer, Start};
pub use newton::{Solver, Stepped};
pub use rule::Rule;
pub use seam::Seam;
pub use settings::Barrier;
