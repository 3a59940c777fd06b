//! How cloth of a fabric is sewn.

use super::Colour;
use crate::Error;
use serde::{Deserialize, Serialize};

/// How hems and seams of a fabric are made, as far as it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Sewing {
    /// Colour of the thread; that of the cloth if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<Colour>,
    /// Width of the thread [mm].
    pub thread_mm: f64,
    /// From hole to hole [mm].
    pub stitch_mm: f64,
    /// Width of a hem [mm]; 0 leaves edges raw.
    pub hem_mm: f64,
    /// Rows of stitches along a hem.
    pub rows: u32,
    /// Whether seams are topstitched.
    pub topstitch: bool,
}

impl Default for Sewing {
    fn default() -> Self {
        Self {
            thread: None,
            thread_mm: 0.3,
            stitch_mm: 2.6,
            hem_mm: 18.0,
            rows: 1,
            topstitch: false,
        }
    }
}

impl Sewing {
    pub(super) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let within = |x: f64, lo: f64, hi: f64| (lo..=hi).contains(&x);
        let what = if !within(self.thread_mm, 0.05, 5.0) {
            "sewing: thread-mm must lie between 0.05 and 5"
        } else if !within(self.stitch_mm, 0.5, 50.0) {
            "sewing: stitch-mm must lie between 0.5 and 50"
        } else if !within(self.hem_mm, 0.0, 200.0) || self.rows > 4 {
            "sewing: hem-mm must lie between 0 and 200, and a hem has at most 4 rows"
        } else {
            return Ok(());
        };
        Err(Error::Appearance(what.into()))
    }
}
