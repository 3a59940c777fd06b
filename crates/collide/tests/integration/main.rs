//! Collision detection: all integration tests in one program, which links once.

mod attacks;
mod contour;
mod degenerate;
mod doubtful;
mod exact;
mod exact_ccd;
mod exact_referee;
mod extremes;
mod field;
mod hostile;
mod image;
mod injective;
mod neighbour_list;
mod panels;
mod pruning;
mod referee;
mod regions;
mod solids;
mod trees;
mod voxel;
