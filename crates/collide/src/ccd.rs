//! Continuous collision detection of one feature pair (D1, D2).
//!
//! All methods answer the same question: when do a vertex and a face, or two edges, first meet
//! while their vertices move along straight lines from `[0]` at t = 0 to `[1]` at t = 1? Most pairs
//! that are asked about do not meet, so a [`Filter`] goes before the method.

mod additive;
mod coplanarity;
mod cubic;
mod filter;
mod precise;
mod separating;

pub use filter::Filter;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How the time of impact is found.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::ccd::{Ccd, Separation};
///
/// // A vertex falls through a face at rest.
/// let vertex = [DVec3::new(0.2, 1.0, 0.2), DVec3::new(0.2, -1.0, 0.2)];
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Z].map(|p| [p, p]);
/// let impact = Ccd::Separating.vertex_face(vertex, face, Separation::gap(1e-3));
/// let impact = impact.expect("they meet");
/// assert!(impact.time <= 0.5 && impact.time > 0.49);
/// assert!(impact.normal.y > 0.99);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ccd {
    /// Provot's coplanarity cubic, roots in floating point [provot1997, §1]. Knows no thickness
    /// and misses some degenerate impacts; kept as the historical method.
    Cubic,
    /// Advancement from one separating plane to the next. Reports every approach below the
    /// separation: its rounding errors are bounded and only ever add reports.
    #[default]
    Separating,
    /// Additive advancement: as far at a time as the distance and the largest speed allow
    /// [li2021]. Reports also pairs that only come near, for it stops short of contact.
    Additive,
}

impl Ccd {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cubic, Self::Separating, Self::Additive];
}

/// Which features a query's four vertices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pair {
    /// A vertex, and a face of three.
    VertexFace,
    /// Two edges of two each.
    EdgeEdge,
}

/// Four moving vertices: each at the start and at the end of the step.
pub type Query = [[DVec3; 2]; 4];

/// How near two features may come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Sum of the radii of the two features [m]; a sphere is a vertex with a radius.
    pub radius: f64,
    /// Gap to be kept beyond the radii [m].
    pub gap: f64,
    /// Largest fraction of its initial gap by which a pair may approach; 1 − η for the conservative rescaling η of IPC.
    pub max_approach: f64,
    /// How much of the radius is a body's own [m]. Times are found to a part of what lies beyond it: a ball does not become
    /// coarse by being large.
    pub body: f64,
}

impl Separation {
    /// Approach of a pair that need not be stopped at once: a tenth of its gap.
    pub const LOOSE: f64 = 0.1;

    /// Approach that only covers rounding: every approach of a pair that is too near is reported.
    pub const STRICT: f64 = 1e-6;

    /// Features without radius, with [`Self::LOOSE`].
    pub fn gap(gap: f64) -> Self {
        Self { radius: 0.0, gap, max_approach: Self::LOOSE, body: 0.0 }
    }

    /// Distance that must not be undercut by a pair that begins `start` apart.
    ///
    /// A pair that is already nearer than the separation may stay and may leave; it must not come nearer
    /// by more than `max_approach` of its gap. So a touching pair is not reported for ever.
    pub fn threshold(&self, start: f64) -> f64 {
        let wanted = self.radius + self.gap;
        if start > self.radius {
            wanted.min(self.radius + (1.0 - self.max_approach) * (start - self.radius))
        } else {
            start * (1.0 - Self::STRICT)
        }
    }
}

/// A pair that comes too near within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a fraction of the step.
    pub time: f64,
    /// Unit direction from the second feature to the first, at the start of the step.
    ///
    /// Above a face it is the face's normal and for crossing edges their cross product, as
    /// [provot1997] has it; elsewhere it is the direction between the nearest points, along which
    /// the two features are separated as a whole.
    pub normal: DVec3,
    /// Distance at the start of the step [m].
    pub distance: f64,
    /// Signed weights of the four vertices at the time of impact; the first feature's sum to 1, the
    /// second's to −1.
    pub weights: [f64; 4],
}

impl Ccd {
    /// A vertex against a face.
    pub fn vertex_face(
        self,
        p: [DVec3; 2],
        face: [[DVec3; 2]; 3],
        separation: Separation,
    ) -> Option<Impact> {
        self.time_of_impact(
            Pair::VertexFace,
            &[p, face[0], face[1], face[2]],
            separation,
            Filter::Hull,
        )
    }

    /// An edge against an edge.
    pub fn edge_edge(
        self,
        a: [[DVec3; 2]; 2],
        b: [[DVec3; 2]; 2],
        separation: Separation,
    ) -> Option<Impact> {
        self.time_of_impact(Pair::EdgeEdge, &[a[0], a[1], b[0], b[1]], separation, Filter::Hull)
    }

    /// Time of impact of one query.
    pub fn time_of_impact(
        self,
        pair: Pair,
        x: &Query,
        separation: Separation,
        filter: Filter,
    ) -> Option<Impact> {
        let [apart] = match pair {
            Pair::VertexFace => {
                let mut one = filter::VertexFace::<1>::new();
                one.set::<1>(0, x, separation);
                one.dismiss(filter)
            }
            Pair::EdgeEdge => {
                let mut one = filter::EdgeEdge::<1>::new();
                one.set::<2>(0, x, separation);
                one.dismiss(filter)
            }
        };
        if apart { None } else { self.decide(pair, x, separation) }
    }

    /// Times of impact of many queries of one kind, several at a time: `query` gives the vertices of the one
    /// with a number below `count`, or none if it need not be queried; `found` sees the impacts, in
    /// order. Each answer is the same as that of [`Self::time_of_impact`].
    pub fn times_of_impact(
        self,
        pair: Pair,
        count: usize,
        separation: Separation,
        filter: Filter,
        query: impl FnMut(usize) -> Option<Query>,
        found: impl FnMut(usize, Impact),
    ) {
        let mut found = found;
        filter_queries(pair, count, separation, filter, query, |i, x| {
            if let Some(impact) = self.decide(pair, x, separation) {
                found(i, impact);
            }
        });
    }

    /// The method itself.
    fn decide(self, pair: Pair, x: &Query, separation: Separation) -> Option<Impact> {
        // A radius is beyond the cubic.
        let method = match self {
            Self::Cubic if separation.radius > 0.0 => Self::Separating,
            method => method,
        };
        let [p, q, r, s] = *x;
        match (method, pair) {
            (Self::Cubic, Pair::VertexFace) => cubic::vertex_face(p, [q, r, s]),
            (Self::Cubic, Pair::EdgeEdge) => cubic::edge_edge([p, q], [r, s]),
            (Self::Separating, Pair::VertexFace) => {
                separating::vertex_face(p, [q, r, s], separation)
            }
            (Self::Separating, Pair::EdgeEdge) => separating::edge_edge([p, q], [r, s], separation),
            (Self::Additive, Pair::VertexFace) => additive::vertex_face(p, [q, r, s], separation),
            (Self::Additive, Pair::EdgeEdge) => additive::edge_edge([p, q], [r, s], separation),
        }
    }
}

/// Whether a plane with this unit normal, from the second feature to the first, keeps them farther apart than `distance`
/// on all their way. No rounding makes it say so of features that come nearer.
pub fn is_separated(pair: Pair, x: &Query, normal: DVec3, distance: f64) -> bool {
    let [p, q, r, s] = *x;
    match pair {
        Pair::VertexFace => separating::is_separated(&[p], &[q, r, s], normal, distance),
        Pair::EdgeEdge => separating::is_separated(&[p, q], &[r, s], normal, distance),
    }
}

/// Finds the queries that a filter does not dismiss: those that may come nearer than the separation.
/// `query` gives the vertices of the one with a number below `count`, or none if it need not be queried;
/// `kept` sees what is left, in order.
pub fn filter_queries(
    pair: Pair,
    count: usize,
    separation: Separation,
    filter: Filter,
    query: impl FnMut(usize) -> Option<Query>,
    kept: impl FnMut(usize, &Query),
) {
    match pair {
        Pair::VertexFace => filter_blocks::<6, 1>(count, separation, filter, query, kept),
        Pair::EdgeEdge => filter_blocks::<8, 2>(count, separation, filter, query, kept),
    }
}

#[inline]
fn filter_blocks<const D: usize, const FIRST: usize>(
    count: usize,
    separation: Separation,
    filter: Filter,
    mut query: impl FnMut(usize) -> Option<Query>,
    mut kept: impl FnMut(usize, &Query),
) {
    // Most queries end at the first direction; what is left over is gathered anew.
    let (mut first, mut second) = (Lanes::<D>::new(), Lanes::<D>::new());
    for i in 0..=count {
        if i < count
            && let Some(x) = query(i)
        {
            first.push::<FIRST>(i, x, separation);
        }
        if !(first.is_full() || i == count) {
            continue;
        }
        let apart = match filter {
            Filter::Hull => first.block.dismiss_by_mean(),
            _ => [false; filter::LANES],
        };
        for lane in (0..first.len).filter(|l| !apart[*l]) {
            let (number, x) = first.waiting[lane];
            second.push::<FIRST>(number, x, separation);
            if second.is_full() {
                second.empty(filter, &mut kept);
            }
        }
        first.len = 0;
    }
    second.empty(filter, &mut kept);
}

/// The same as [`filter_queries`] by [`Filter::Hull`] where most queries are expected to be left over.
pub(crate) fn filter_nearby_queries(
    pair: Pair,
    count: usize,
    separation: Separation,
    query: impl Fn(usize) -> Query,
    kept: impl FnMut(usize),
) {
    match pair {
        Pair::VertexFace => filter_all::<6, 1>(count, separation, query, kept),
        Pair::EdgeEdge => filter_all::<8, 2>(count, separation, query, kept),
    }
}

#[inline]
fn filter_all<const D: usize, const FIRST: usize>(
    count: usize,
    separation: Separation,
    query: impl Fn(usize) -> Query,
    mut kept: impl FnMut(usize),
) {
    let mut lanes = Lanes::<D>::new();
    for i in 0..count {
        lanes.push::<FIRST>(i, query(i), separation);
        if lanes.is_full() || i + 1 == count {
            lanes.empty(Filter::Hull, &mut |i, _: &Query| kept(i));
        }
    }
}

/// Queries that wait to be looked at together.
struct Lanes<const D: usize> {
    block: filter::Block<D, { filter::LANES }>,
    /// Number and vertices of each.
    waiting: [(usize, Query); filter::LANES],
    len: usize,
}

impl<const D: usize> Lanes<D> {
    fn new() -> Self {
        let nothing = (0, [[DVec3::ZERO; 2]; 4]);
        Self { block: filter::Block::new(), waiting: [nothing; filter::LANES], len: 0 }
    }

    #[inline]
    fn push<const FIRST: usize>(&mut self, number: usize, x: Query, separation: Separation) {
        self.block.set::<FIRST>(self.len, &x, separation);
        self.waiting[self.len] = (number, x);
        self.len += 1;
    }

    fn is_full(&self) -> bool {
        self.len == filter::LANES
    }

    /// Gives on what the filter does not dismiss.
    fn empty(&mut self, filter: Filter, kept: &mut impl FnMut(usize, &Query)) {
        let apart = self.block.dismiss(filter);
        for (number, x) in self.waiting[..self.len].iter().zip(apart).filter(|w| !w.1).map(|w| w.0)
        {
            kept(*number, x);
        }
        self.len = 0;
    }
}

/// Position of each moving point at time `t`.
#[inline]
fn at<const N: usize>(points: &[[DVec3; 2]; N], t: f64) -> [DVec3; N] {
    std::array::from_fn(|i| points[i][0] + t * (points[i][1] - points[i][0]))
}

#[cfg(test)]
mod tests;
