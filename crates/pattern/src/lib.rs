//! Sewing patterns: panels and seams, their files, faults, drawings, designs and meshes.
//!
//! A [`Pattern`] is panels with curved edges, and seams between edges. It is read from a file ([`file`]),
//! imported from GarmentCode or FreeSewing ([`garmentcode`], [`freesewing`]), or drafted to measure ([`design`]); checked
//! ([`Pattern::check`]), drawn ([`svg`]), and meshed for the simulation ([`meshing`]).
//!
//! The plane of the pattern is seen from the right side of the cloth; lengths are metres.

mod check;
pub mod design;
pub mod dxf;
mod edge;
mod error;
pub mod export;
pub mod file;
mod format;
pub mod freesewing;
pub mod garmentcode;
mod hint;
mod import;
pub mod infer;
mod measurements;
pub mod meshing;
mod outfit;
mod panel;
mod pattern;
mod schema;
mod seam;
pub mod sidecar;
pub mod svg;

pub use check::{Check, Fault, Kind, MAX_PANEL_SIZE, MIN_EDGE_LENGTH, Mark, Severity};
pub use edge::{ACCURACY, Curve, Edge};
pub use error::Error;
pub use measurements::{Figure, Measurements, Size};
pub use panel::{
    BodyPart, Dart, DartShape, Elastic, Frame, Notch, Panel, Path, Placement, Pleat, Segment, Side,
    Source,
};
pub use pattern::Pattern;
pub use schema::schema;
pub use seam::{
    Chain, Correspondence, Direction, EdgePart, Loops, MAX_GATHER, Seam, SegmentId, Stretch,
};
