//! Strain of edges: ε = l / l₀ − 1 with l the length and l₀ the rest length.

use crate::Error;
use glam::DVec3;

/// The most strained edges of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EdgeStrain {
    /// Largest l / l₀ − 1, or 0 if no edge is longer than at rest.
    pub extension: f64,
    /// The edge of the largest extension.
    pub longest: Option<u32>,
    /// Largest 1 − l / l₀, or 0 if no edge is shorter than at rest.
    pub compression: f64,
    /// The edge of the largest compression.
    pub shortest: Option<u32>,
}

impl EdgeStrain {
    /// Largest |l / l₀ − 1|.
    pub fn largest(&self) -> f64 {
        self.extension.max(self.compression)
    }
}

/// Lengths of edges [m], for use as rest lengths.
///
/// # Errors
/// If an edge uses a vertex that does not exist.
pub fn edge_lengths(positions: &[DVec3], edges: &[[u32; 2]]) -> Result<Vec<f64>, Error> {
    edges
        .iter()
        .enumerate()
        .map(|(e, [a, b])| match (positions.get(*a as usize), positions.get(*b as usize)) {
            (Some(a), Some(b)) => Ok(a.distance(*b)),
            _ => {
                Err(Error::NoSuchVertexOfEdge { edge: e as u32, vertices: positions.len() as u32 })
            }
        })
        .collect()
}

/// The largest extension and compression of edges.
///
/// # Errors
/// If there are not as many rest lengths as edges, if a rest length is not positive, if a length
/// is not finite, or if an edge uses a vertex that does not exist.
pub fn max_edge_strain(
    rest_lengths: &[f64],
    positions: &[DVec3],
    edges: &[[u32; 2]],
) -> Result<EdgeStrain, Error> {
    if rest_lengths.len() != edges.len() {
        return Err(Error::RestLengths { lengths: rest_lengths.len(), edges: edges.len() });
    }
    let mut worst = EdgeStrain::default();
    for (e, (rest, length)) in rest_lengths.iter().zip(edge_lengths(positions, edges)?).enumerate()
    {
        let strain = length / rest - 1.0;
        if !strain.is_finite() || *rest <= 0.0 {
            return Err(Error::NoStrain { edge: e as u32, rest: *rest, length });
        }
        if strain > worst.extension {
            (worst.extension, worst.longest) = (strain, Some(e as u32));
        }
        if -strain > worst.compression {
            (worst.compression, worst.shortest) = (-strain, Some(e as u32));
        }
    }
    Ok(worst)
}
