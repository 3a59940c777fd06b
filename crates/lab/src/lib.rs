//! What judges toile: nothing that a simulation needs is here.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`laboratory`] | virtual textile tests with exact answers, and the instruments of textile laboratories |
//! | [`fit`] | numbers of a fabric from measured curves, found with these instruments |
//! | [`paper`] | figures and tables of the source papers, computed anew |
//! | [`compare`] | one scene with several presets, side by side |
//! | [`bench`] | benchmarks of collision detection |
//! | [`ccd`] | continuous collision detection judged by files of queries with known answers |
//! | [`plot`] | diagrams as SVG |

pub mod bench;
pub mod ccd;
pub mod compare;
mod fabric_plot;
pub mod fit;
pub mod laboratory;
pub mod paper;
pub mod plot;

pub use fabric_plot::draw_fabric;
