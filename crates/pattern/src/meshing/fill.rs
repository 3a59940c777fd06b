//! Points inside an outline, and the triangles between them.

use glam::DVec2;
use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation,
};

/// Points of the lattice keep this distance from the outline, in edge lengths.
const LATTICE_CLEARANCE: f64 = 0.6;

/// Points of the lattice are moved at random by up to this, in edge lengths: rows of equal triangles would
/// make cloth bend along them more easily than across.
const JITTER: f64 = 0.3;

/// The lattice is turned by this angle [rad] against the axes, so that its rows are neither warp nor weft.
const LATTICE_ANGLE: f64 = 0.23;

/// Angle that the first refinement aims at [degrees]; smoothing does the rest with fewer points.
const REFINEMENT_ANGLE: f64 = 20.0;

/// Rounds of smoothing.
const SMOOTHING_ROUNDS: usize = 4;

/// Rounds of repair, each only if an angle is smaller than [`REPAIR_ANGLE`] degrees.
const MAX_REPAIRS: usize = 6;

/// No move of a point may leave an angle smaller than this [rad].
const MIN_ANGLE: f64 = 0.05;

/// Angles smaller than this are repaired where the outline allows it [degrees].
const REPAIR_ANGLE: f64 = 25.0;

/// A triangulated panel.
pub(super) struct Filled {
    /// Points [m]: first those of the rings, in order.
    pub(super) points: Vec<DVec2>,
    /// Counterclockwise triangles.
    pub(super) triangles: Vec<[u32; 3]>,
}

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// Fills rings (cloth on their left) with triangles of edge length h, along lines where there are some.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn fill(rings: &[Vec<DVec2>], lines: &[Vec<DVec2>], h: f64) -> Result<Filled, String> {
    if rings.iter().any(|r| r.len() < 3) {
        return Err("a closed line has fewer than three points".into());
    }
    let mut next = Vec::new();
    for ring in rings {
        let first = next.len();
        next.extend((first + 1..first + ring.len()).chain([first]));
    }
    let mut points: Vec<DVec2> = rings.iter().flatten().copied().collect();
    let border = Border::new(&points, &next, h);
    let mut domain = Domain { next, lines: Vec::new(), fixed: 0 };
    add_lines(&mut points, &mut domain, &border, lines, h);
    domain.fixed = points.len();
    lattice(&mut points, &border, &domain, h);
    refine(&mut points, &domain, REFINEMENT_ANGLE)?;
    let mut triangles = domain.triangulate(&points)?;
    for _ in 0..SMOOTHING_ROUNDS {
        domain.smooth(&mut points, &triangles, false);
        triangles = domain.triangulate(&points)?;
    }
    for k in 0..MAX_REPAIRS {
        if domain.least_angle(&points, &triangles) >= REPAIR_ANGLE.to_radians() {
            break;
        }
        // Mostly moving is enough; now and then a point is missing.
        if k % 2 == 1 {
            refine(&mut points, &domain, REPAIR_ANGLE)?;
            triangles = domain.triangulate(&points)?;
        }
        domain.smooth(&mut points, &triangles, true);
        triangles = domain.triangulate(&points)?;
    }
    Ok(Filled { points, triangles })
}

/// What every triangulation must respect.
struct Domain {
    /// The next point around the ring, for each point of a ring.
    next: Vec<usize>,
    /// Edges along lines.
    lines: Vec<[usize; 2]>,
    /// Points before this index do not move.
    fixed: usize,
}

impl Domain {
    fn constraints(&self, lines: bool) -> Vec<[usize; 2]> {
        let ring = self.next.iter().enumerate().map(|(i, &j)| [i, j]);
        let lines = if lines { &self.lines[..] } else { &[] };
        ring.chain(lines.iter().copied()).collect()
    }

    fn cdt(&self, points: &[DVec2], lines: bool) -> Result<Cdt, String> {
        // Numbers too small for the exact predicates are zero.
        let tidy = |x: f64| if x.abs() < 1e-40 { 0.0 } else { x };
        let vertices: Vec<_> = points.iter().map(|p| Point2::new(tidy(p.x), tidy(p.y))).collect();
        let mut broken = false;
        let rings = self.next.len();
        let on_ring = |[i, j]: [usize; 2]| {
            (i < rings && self.next[i] == j) || (j < rings && self.next[j] == i)
        };
        let made = Cdt::try_bulk_load_cdt(vertices, self.constraints(lines), |e| {
            broken |= on_ring(e);
        });
        let made = made.map_err(|e| e.to_string())?;
        if broken || made.num_vertices() != points.len() {
            return Err("its outline, divided so, meets itself".into());
        }
        Ok(made)
    }

    /// The triangles inside, found by walking from the rings inwards.
    fn triangulate(&self, points: &[DVec2]) -> Result<Vec<[u32; 3]>, String> {
        let cdt = self.cdt(points, true)?;
        let rings = self.next.len();
        let mut inside = vec![false; cdt.num_all_faces()];
        let mut open = Vec::new();
        for i in 0..rings {
            let [from, to] = [i, self.next[i]].map(spade::handles::FixedVertexHandle::from_index);
            let edge = cdt.get_edge_from_neighbors(from, to);
            let edge = edge.ok_or("its outline, divided so, passes through a point")?;
            if let Some(face) = edge.face().as_inner()
                && !std::mem::replace(&mut inside[face.fix().index()], true)
            {
                open.push(face.fix());
            }
        }
        while let Some(face) = open.pop() {
            for edge in cdt.face(face).adjacent_edges() {
                let (i, j) = (edge.from().index(), edge.to().index());
                let border = i < rings && self.next[i] == j;
                if let Some(other) = edge.rev().face().as_inner()
                    && !border
                    && !std::mem::replace(&mut inside[other.fix().index()], true)
                {
                    open.push(other.fix());
                }
            }
        }
        let triangles = cdt
            .inner_faces()
            .filter(|f| inside[f.fix().index()])
            .map(|f| f.vertices().map(|v| v.index() as u32))
            .collect();
        Ok(triangles)
    }

    /// The smallest angle of triangles with a corner that can move [rad].
    fn least_angle(&self, points: &[DVec2], triangles: &[[u32; 3]]) -> f64 {
        let free = triangles.iter().filter(|t| t.iter().any(|&i| i as usize >= self.fixed));
        free.map(|t| smallest_angle(t.map(|i| points[i as usize]))).fold(f64::MAX, f64::min)
    }

    /// Moves every free point to the mean of the circumcentres around it, weighted by area, if its triangles
    /// stay upright; with `guarded`, only if the smallest angle around it grows.
    fn smooth(&self, points: &mut [DVec2], triangles: &[[u32; 3]], guarded: bool) {
        let mut sum = vec![(DVec2::ZERO, 0.0); points.len()];
        for t in triangles {
            let [a, b, c] = t.map(|i| points[i as usize]);
            let area = 0.5 * (b - a).perp_dot(c - a);
            let middle = (a + b + c) / 3.0;
            // The circumcentre of an obtuse triangle lies outside; halfway is as far as is safe.
            let centre = circumcentre(a, b, c).unwrap_or(middle);
            let reach = a.distance(middle).max(b.distance(middle)).max(c.distance(middle));
            let centre = middle + (centre - middle).clamp_length_max(0.5 * reach);
            for &i in t {
                sum[i as usize].0 += area * centre;
                sum[i as usize].1 += area;
            }
        }
        let old = points.to_vec();
        let target: Vec<DVec2> = sum
            .iter()
            .enumerate()
            .map(|(i, s)| if i < self.fixed || s.1 <= 0.0 { old[i] } else { s.0 / s.1 })
            .collect();
        // Smallest angle around each point, before and after it alone has moved.
        let mut angles = vec![[f64::MAX; 2]; points.len()];
        for t in triangles {
            let corners = t.map(|i| old[i as usize]);
            let before = smallest_angle(corners);
            for k in 0..3 {
                let mut moved = corners;
                moved[k] = target[t[k] as usize];
                let angle = &mut angles[t[k] as usize];
                *angle = [angle[0].min(before), angle[1].min(smallest_angle(moved))];
            }
        }
        for i in self.fixed..points.len() {
            let [before, after] = angles[i];
            if if guarded { after > before } else { after > MIN_ANGLE } {
                points[i] = target[i];
            }
        }
    }
}

/// The smallest angle of a triangle [rad]; negative if it is inverted.
fn smallest_angle([a, b, c]: [DVec2; 3]) -> f64 {
    let at = |p: DVec2, q: DVec2, r: DVec2| {
        let (u, v) = (q - p, r - p);
        libm::atan2(u.perp_dot(v), u.dot(v))
    };
    at(a, b, c).min(at(b, c, a)).min(at(c, a, b))
}

fn circumcentre(a: DVec2, b: DVec2, c: DVec2) -> Option<DVec2> {
    let (u, v) = (b - a, c - a);
    let d = 2.0 * u.perp_dot(v);
    let (uu, vv) = (u.length_squared(), v.length_squared());
    let centre = a + DVec2::new(v.y * uu - u.y * vv, u.x * vv - v.x * uu) / d;
    centre.is_finite().then_some(centre)
}

/// Puts points of inner lines where there is room.
fn add_lines(
    points: &mut Vec<DVec2>,
    domain: &mut Domain,
    border: &Border,
    lines: &[Vec<DVec2>],
    h: f64,
) {
    let rings = domain.next.len();
    for line in lines {
        let mut last: Option<usize> = None;
        for (k, &p) in line.iter().enumerate() {
            let at_end = k == 0 || k + 1 == line.len();
            let found = points
                .iter()
                .enumerate()
                .map(|(i, q)| (q.distance(p), i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let index = match found {
                // Where a line comes near to a point that is there already, it uses it.
                Some((d, i)) if d < 0.5 * h && (at_end || i >= rings) => i,
                _ if border.distance(p) < 0.35 * h || !border.contains(p) => continue,
                _ => {
                    points.push(p);
                    points.len() - 1
                }
            };
            if let Some(from) = last
                && from != index
            {
                domain.lines.push([from, index]);
            }
            last = Some(index);
        }
    }
}

/// Fills the inside with points of a jittered hexagonal lattice.
fn lattice(points: &mut Vec<DVec2>, border: &Border, domain: &Domain, h: f64) {
    let on_lines: Vec<DVec2> = points[domain.next.len()..].to_vec();
    let (sin, cos) = libm::sincos(LATTICE_ANGLE);
    let axis = DVec2::new(cos, sin);
    let (low, high) =
        points.iter().fold((DVec2::MAX, DVec2::MIN), |(l, h), &p| (l.min(p), h.max(p)));
    let middle = 0.5 * (low + high);
    let reach = 0.5 * (high - low).length() + h;
    let row_height = 0.75_f64.sqrt() * h;
    let rows = (reach / row_height).ceil() as i64;
    let columns = (reach / h).ceil() as i64 + 1;
    for j in -rows..=rows {
        for i in -columns..=columns {
            let shift = if j % 2 == 0 { 0.0 } else { 0.5 };
            let random = JITTER * h * noise(i, j);
            let p = middle
                + axis.rotate(DVec2::new((i as f64 + shift) * h, j as f64 * row_height) + random);
            let room = border.distance(p) > LATTICE_CLEARANCE * h
                && on_lines.iter().all(|q| q.distance(p) > LATTICE_CLEARANCE * h);
            if room && border.contains(p) {
                points.push(p);
            }
        }
    }
}

/// Two numbers from −1 to 1 that depend on nothing but the place in the lattice.
fn noise(i: i64, j: i64) -> DVec2 {
    // The finaliser of MurmurHash3, a good mixer of 64 bits.
    let mix = |mut x: u64| {
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        x ^ (x >> 33)
    };
    let seed = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (j as u64).rotate_left(32);
    let unit = |x: u64| (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    DVec2::new(unit(mix(seed)), unit(mix(seed ^ 0x5555)))
}

/// Adds points where angles are small.
fn refine(points: &mut Vec<DVec2>, domain: &Domain, degrees: f64) -> Result<(), String> {
    let mut cdt = domain.cdt(points, false)?;
    let parameters = RefinementParameters::<f64>::new()
        .exclude_outer_faces(true)
        .keep_constraint_edges()
        .with_angle_limit(AngleLimit::from_deg(degrees))
        .with_max_additional_vertices(points.len() + 1000);
    cdt.refine(parameters);
    let new = cdt.vertices().skip(points.len()).map(|v| v.position());
    let new: Vec<DVec2> = new.map(|p| DVec2::new(p.x, p.y)).collect();
    points.extend(new);
    Ok(())
}

/// The rings, in cells for quick distances.
struct Border {
    pieces: Vec<[DVec2; 2]>,
    low: DVec2,
    size: f64,
    columns: usize,
    rows: usize,
    /// Pieces in each cell and those around it.
    cells: Vec<Vec<u32>>,
    /// Pieces that cross each row of cells, for the test of what is inside.
    levels: Vec<Vec<u32>>,
}

impl Border {
    fn new(points: &[DVec2], next: &[usize], size: f64) -> Self {
        let pieces: Vec<[DVec2; 2]> =
            next.iter().enumerate().map(|(i, &j)| [points[i], points[j]]).collect();
        let (low, high) =
            points.iter().fold((DVec2::MAX, DVec2::MIN), |(l, h), &p| (l.min(p), h.max(p)));
        let columns = ((high.x - low.x) / size) as usize + 1;
        let rows = ((high.y - low.y) / size) as usize + 1;
        let mut border = Self {
            pieces,
            low,
            size,
            columns,
            rows,
            cells: vec![Vec::new(); columns * rows],
            levels: vec![Vec::new(); rows],
        };
        for k in 0..border.pieces.len() {
            let [a, b] = border.pieces[k];
            let ((i0, j0), (i1, j1)) = (border.cell(a.min(b)), border.cell(a.max(b)));
            for j in j0.saturating_sub(1)..=(j1 + 1).min(rows - 1) {
                for i in i0.saturating_sub(1)..=(i1 + 1).min(columns - 1) {
                    border.cells[j * columns + i].push(k as u32);
                }
            }
            (j0..=j1).for_each(|j| border.levels[j].push(k as u32));
        }
        border
    }

    fn cell(&self, p: DVec2) -> (usize, usize) {
        let q = ((p - self.low) / self.size).max(DVec2::ZERO);
        ((q.x as usize).min(self.columns - 1), (q.y as usize).min(self.rows - 1))
    }

    /// Distance to the rings [m], or the size of a cell if that is less.
    fn distance(&self, p: DVec2) -> f64 {
        let (i, j) = self.cell(p);
        let near = self.cells[j * self.columns + i].iter().map(|&k| {
            let [a, b] = self.pieces[k as usize];
            let d = b - a;
            let t = (p - a).dot(d) / d.length_squared().max(f64::MIN_POSITIVE);
            p.distance(a + t.clamp(0.0, 1.0) * d)
        });
        near.fold(self.size, f64::min)
    }

    /// Whether a point is inside (even–odd rule).
    fn contains(&self, p: DVec2) -> bool {
        let (_, j) = self.cell(p);
        let mut inside = false;
        for &k in &self.levels[j] {
            let [a, b] = self.pieces[k as usize];
            if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
                inside = !inside;
            }
        }
        inside
    }
}
