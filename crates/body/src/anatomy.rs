//! What is laid over the cage: the strokes of relief of a figure.

mod face;
mod limbs;
mod trunk;

use crate::proportions::Proportions;
use crate::relief::Stroke;

/// All strokes of the left half; `reach` is how far the breasts stand out [m].
pub(crate) fn strokes(p: &Proportions, reach: f64) -> Vec<Stroke> {
    let mut all = trunk::chest(p, reach);
    all.extend(trunk::front(p));
    all.extend(trunk::back(p));
    all.extend(limbs::arm(p));
    all.extend(limbs::leg(p));
    all.extend(limbs::foot(p));
    all.extend(face::head(p));
    all
}
