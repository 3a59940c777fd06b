//! Bodies: mannequins made to measure, and a tape measure for human meshes.
//!
//! [`Mannequin::new`] makes a shop mannequin of a woman, a man or a child from
//! [`toile_pattern::Measurements`], in one of three poses, with skeleton and skin weights. [`measure()`] lays a tape
//! around any human mesh and finds its [`Landmarks`]; [`repair()`] makes meshes from elsewhere stand upright in metres.
//! [`motion`] moves mannequins.
//!
//! ```
//! use toile_body::{Figure, Mannequin, Part, Pose};
//! use toile_pattern::Size;
//!
//! let m = Figure::Female.measurements(Size::M);
//! let body = Mannequin::new(&m, Figure::Female, Pose::A)?;
//! let waist = body.measured.get("waist_girth").expect("every body has a waist");
//! assert!((waist - m.waist_girth).abs() < 0.005);
//!
//! let around = body.girth_section(Part::LeftArm, 0.5)?;
//! assert!(around.girth(glam::DVec3::Y) > 0.2);
//! # Ok::<(), toile_body::Error>(())
//! ```
//!
//! Units are metres, y is up, the body faces +z and its left is +x. Of pairs, the left comes first.

mod anatomy;
mod arms;
mod atlas;
mod bounds;
mod build;
mod cage;
mod error;
mod figure;
mod find;
mod foot;
mod hand;
mod head;
mod landmarks;
mod limbs;
mod mannequin;
mod measure;
pub mod motion;
mod parts;
mod placement;
mod pose;
mod proportions;
mod relief;
mod repair;
mod section;
mod skeleton;
mod slice;
mod torso;

pub use error::Error;
pub use figure::{Figure, Pose};
pub use find::Landmarks;
pub use mannequin::{Body, FITTED, INFLUENCES, Mannequin, fitted};
pub use measure::{Measured, Tape, measure};
pub use parts::{Part, Volume};
pub use placement::Placement;
pub use repair::{Repairs, repair};
pub use skeleton::{BONES, Bone, BonePlace, Skeleton};
pub use slice::{Loop, Plane, length, slice};
