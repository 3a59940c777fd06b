//! A sewing pattern: panels and the seams between them.

use crate::panel::Panel;
use crate::seam::Seam;

/// Panels and the seams that make a garment of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// What it is called.
    pub name: String,
    /// What it is, for whom, and where it comes from.
    pub description: String,
    /// Its pieces.
    pub panels: Vec<Panel>,
    /// What is sewn to what.
    pub seams: Vec<Seam>,
}

impl Pattern {
    /// A pattern without panels.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The panel of a name.
    pub fn panel(&self, name: &str) -> Option<&Panel> {
        self.panels.iter().find(|p| p.name == name)
    }

    /// Lengths of both sides of a seam once darts are sewn [m].
    pub fn seam_lengths(&self, seam: &Seam) -> [f64; 2] {
        [&seam.a, &seam.b].map(|side| {
            side.iter()
                .filter_map(|part| {
                    let panel = self.panel(&part.panel)?;
                    let sewn = panel.sewn_length(panel.edge_index(&part.edge)?);
                    Some((part.range[1] - part.range[0]) * sewn)
                })
                // Not `sum`, which makes −0 of nothing.
                .fold(0.0, |sum, length| sum + length)
        })
    }

    /// Indices of the seams in the order in which they are sewn.
    pub fn sewing_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.seams.len()).collect();
        order.sort_by_key(|&i| self.seams[i].order);
        order
    }
}
