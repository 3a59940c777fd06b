//! What importers of drawings share: lines of points become edges, and lines with marks become panels.

mod chain;
mod curves;
mod piece;

pub(crate) use chain::join;
pub(crate) use curves::{Kind, MAX_VERTICES, Polyline, Vertex, edges};
pub(crate) use piece::{Copies, Piece, contour_allowance, tidy, unfold_at, unique};
