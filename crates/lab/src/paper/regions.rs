//! Stability regions, figure 10 of the tutorial (N11).
//!
//! A method is stable at z = hλ if |R(z)| < 1, where R is the growth of y' = λ y over a step. The
//! closed forms are in [`Scheme`]; here they are set beside the growth of the integrators
//! themselves: y'' = −|λ|² y + 2 Re λ y' has the solutions e^{λt} and its conjugate, and
//! w = y' − λ̄ y follows y' = λ y alone.
//!
//! BDF2 looks back two steps: w₊ = α w + β w₋. α and β are found from four steps, and the larger root
//! of r² = α r + β is its growth.

use super::page::{Claim, Page, Picture, Table, number};
use super::solve::{Method, failed, run_problem};
use super::{Cell, Effort};
use crate::plot::{Figure, Plot};
use toile::Error;
use toile_sim::papers::integrate::problems::{Problem, Scheme};

/// The methods, with their stability functions.
const METHODS: [(Method, Scheme); 6] = [
    (Method::EULER, Scheme::Explicit(1)),
    (Method::MIDPOINT, Scheme::Explicit(2)),
    (Method::RK4, Scheme::Explicit(4)),
    (Method::IMPLICIT_EULER, Scheme::Theta(1.0)),
    (Method::IMPLICIT_MIDPOINT, Scheme::Theta(0.5)),
    (Method::BDF2, Scheme::Bdf2),
];

/// What is shown of the plane: |Re z| and |Im z|.
const VIEW: (f64, f64) = (4.8, 3.6);

/// h ω of the table of growth on the imaginary axis.
pub(super) const OMEGAS: [f64; 5] = [0.1, 0.5, 1.0, 2.0, 10.0];

/// A complex number.
#[derive(Clone, Copy)]
struct Z(f64, f64);

impl Z {
    fn times(self, o: Self) -> Self {
        Self(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }

    fn over(self, o: Self) -> Self {
        let size = o.0 * o.0 + o.1 * o.1;
        self.times(Self(o.0 / size, -o.1 / size))
    }

    fn plus(self, o: Self, scale: f64) -> Self {
        Self(self.0 + scale * o.0, self.1 + scale * o.1)
    }

    fn abs(self) -> f64 {
        libm::hypot(self.0, self.1)
    }

    fn sqrt(self) -> Self {
        let part = |s: f64| libm::sqrt((0.5 * (self.abs() + s * self.0)).max(0.0));
        Self(part(1.0), libm::copysign(part(-1.0), self.1))
    }
}

/// Growth of an integrator over one step with hλ = re + i im, by running it; im must not be 0.
pub(super) fn measured(method: Method, re: f64, im: f64) -> Result<f64, Error> {
    let problem = Problem::new("λ", [1.0, re * re + im * im, -2.0 * re, 0.0], [0.3, 1.0, 4.0]);
    let mut w = vec![Z(problem.velocity - re * problem.y, im * problem.y)];
    run_problem(&problem, method, (4.0, 4), |x, v| {
        w.push(Z(v[0].x - re * x[0].x, im * x[0].x));
    })
    .map_err(|e| failed(method, &e))?;
    if method != Method::BDF2 {
        return Ok(w[1].abs() / w[0].abs());
    }
    let det = |a: Z, b: Z, c: Z, d: Z| a.times(d).plus(b.times(c), -1.0);
    let all = det(w[1], w[0], w[2], w[1]);
    let alpha = det(w[2], w[0], w[3], w[1]).over(all);
    let beta = det(w[1], w[2], w[2], w[3]).over(all);
    let root = alpha.times(alpha).plus(beta, 4.0).sqrt();
    Ok(0.5 * alpha.plus(root, 1.0).abs().max(alpha.plus(root, -1.0).abs()))
}

/// The boundary |R| = 1 in the view as short pieces, by marching squares over log |R|.
fn boundary(scheme: Scheme, cells: u32) -> Vec<[(f64, f64); 2]> {
    let (nx, ny) = (4 * cells, 3 * cells);
    // Even counts and half a cell of offset: no corner lies on an axis, where |R| may be 1 exactly.
    let x = |i: u32| VIEW.0 * (2.0 * (f64::from(i) + 0.5) / f64::from(nx) - 1.0);
    let y = |j: u32| VIEW.1 * (2.0 * (f64::from(j) + 0.5) / f64::from(ny) - 1.0);
    let value = |p: (f64, f64)| libm::log(scheme.amplification(p.0, p.1));
    let mut pieces = Vec::new();
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let corners =
                [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| (x(i), y(j)));
            let values = corners.map(value);
            let mut cut = Vec::new();
            for k in 0..4 {
                let (a, b) = (values[k], values[(k + 1) % 4]);
                if (a < 0.0) != (b < 0.0) {
                    let (p, q, t) = (corners[k], corners[(k + 1) % 4], a / (a - b));
                    cut.push((p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1)));
                }
            }
            pieces.extend(cut.chunks_exact(2).map(|c| [c[0], c[1]]));
        }
    }
    pieces
}

/// The region in the view as horizontal strokes.
fn strokes(scheme: Scheme, rows: u32, samples: u32) -> Vec<[(f64, f64); 2]> {
    let mut strokes = Vec::new();
    for j in 0..rows {
        let y = VIEW.1 * (2.0 * (f64::from(j) + 0.5) / f64::from(rows) - 1.0);
        let x = |i: u32| VIEW.0 * (2.0 * f64::from(i) / f64::from(samples) - 1.0);
        let stable = |x: f64| scheme.amplification(x, y) < 1.0;
        // Where between two samples the region begins or ends.
        let edge = |mut a: f64, mut b: f64| {
            let first = stable(a);
            for _ in 0..30 {
                let middle = 0.5 * (a + b);
                *(if stable(middle) == first { &mut a } else { &mut b }) = middle;
            }
            0.5 * (a + b)
        };
        let mut from = stable(x(0)).then(|| x(0));
        for i in 0..samples {
            match (from, stable(x(i + 1))) {
                (None, true) => from = Some(edge(x(i), x(i + 1))),
                (Some(begin), false) => {
                    strokes.push([(begin, y), (edge(x(i), x(i + 1)), y)]);
                    from = None;
                }
                _ => {}
            }
        }
        strokes.extend(from.map(|begin| [(begin, y), (VIEW.0, y)]));
    }
    strokes
}

/// Pieces as one line, broken between them.
fn broken(pieces: &[[(f64, f64); 2]]) -> Vec<(f64, f64)> {
    pieces.iter().flat_map(|[a, b]| [*a, *b, (f64::NAN, f64::NAN)]).collect()
}

fn plot((method, scheme): (Method, Scheme), effort: Effort) -> Plot {
    let (cells, rows) = if effort == Effort::Full { (36, 48) } else { (16, 24) };
    Plot::new(method.name())
        .x("Re hλ")
        .y("Im hλ")
        .x_range(-VIEW.0, VIEW.0)
        .y_range(-VIEW.1, VIEW.1)
        .line("stable: |R| < 1", &broken(&strokes(scheme, rows, 160)))
        .line("|R| = 1", &broken(&boundary(scheme, cells)))
}

/// Where |R| comes to exceed 1 on a ray from 0; 0 if at once, `None` if nowhere up to 10⁶.
fn reach(scheme: Scheme, direction: (f64, f64)) -> Option<f64> {
    // Rounding of |R| where it is 1 on the whole ray.
    let stable = |s: f64| scheme.amplification(s * direction.0, s * direction.1) < 1.0 + 1e-12;
    let ladder: Vec<f64> =
        (0..=800).map(|k| 0.01 * libm::pow(10.0, f64::from(k) / 100.0)).collect();
    let first = ladder.iter().position(|s| !stable(*s))?;
    if first == 0 {
        return Some(0.0);
    }
    let (mut lo, mut hi) = (ladder[first - 1], ladder[first]);
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        *(if stable(middle) { &mut lo } else { &mut hi }) = middle;
    }
    Some(lo)
}

/// Largest difference of measured growth and |R| over the view, relative where |R| is large.
fn deviation(method: Method, scheme: Scheme) -> Result<f64, Error> {
    let mut off = 0.0_f64;
    for i in 0..24 {
        for j in 0..18 {
            let part = |k: u32, n: u32| (2.0 * f64::from(k) + 0.93) / f64::from(2 * n) * 2.0 - 1.0;
            let (re, im) = (VIEW.0 * part(i, 24), VIEW.1 * part(j, 18));
            let theory = scheme.amplification(re, im);
            off = off.max((measured(method, re, im)? - theory).abs() / theory.max(1.0));
        }
    }
    Ok(off)
}

/// Largest measured growth in the left half-plane, from |z| = 0.01 to 10⁴.
fn left_half_plane(method: Method) -> Result<f64, Error> {
    let mut most = 0.0_f64;
    for k in 0..=24 {
        for angle in 1..=15 {
            let r = libm::pow(10.0, -2.0 + 0.25 * f64::from(k));
            let phi = std::f64::consts::FRAC_PI_2 * (1.0 + f64::from(angle) / 16.0);
            most = most.max(measured(method, r * libm::cos(phi), r * libm::sin(phi))?);
        }
    }
    Ok(most)
}

/// Figure 10.
pub(super) fn fig10(effort: Effort) -> Result<Page, Error> {
    let columns =
        ["method", "real axis to", "imaginary axis to", "left half-plane", "|R| − measured"];
    let mut edges = Table::new("Where the regions end", columns);
    let columns = ["method", "hω = 0.1", "0.5", "1", "2", "10"];
    let mut growth = Table::new("Measured growth over a step of y' = iωy", columns);
    let (mut off, mut left) = (0.0_f64, Vec::new());
    for (method, scheme) in METHODS {
        let (deviation, most) = (deviation(method, scheme)?, left_half_plane(method)?);
        off = off.max(deviation);
        left.push(most);
        let end =
            |d: (f64, f64)| reach(scheme, d).map(|s| if d.0 < 0.0 && s > 0.0 { -s } else { s });
        let end = |d| end(d).map_or(Cell::from("no end"), Cell::from);
        let all = if most <= 1.0 + 1e-9 { "all" } else { "a part" };
        let name = method.name();
        edges.push([name.into(), end((-1.0, 0.0)), end((0.0, 1.0)), all.into(), deviation.into()]);
        let mut row = vec![Cell::from(name)];
        for w in OMEGAS {
            row.push(format!("{:.6}", measured(method, 0.0, w)?).into());
        }
        growth.rows.push(row);
    }
    // The explicit Euler region is a disc: how far is its boundary from the circle?
    let circle = boundary(Scheme::Explicit(1), 36).into_iter().flatten();
    let disc = circle.map(|z| (libm::hypot(z.0 + 1.0, z.1) - 1.0).abs()).fold(0.0, f64::max);
    let claims = vec![
        Claim::new(
            "explicit Euler is stable for hλ in the unit disc around −1",
            format!("its boundary is that circle to {}, the width of a drawn line", number(disc)),
            disc < 1e-2,
        ),
        Claim::new(
            "the explicit methods are not A-stable",
            format!(
                "in the left half-plane they grow by up to {} a step",
                left[..3].iter().map(|g| number(*g)).collect::<Vec<_>>().join(", ")
            ),
            left[..3].iter().all(|g| *g > 1.0),
        ),
        Claim::new(
            "implicit Euler and implicit midpoint are A-stable",
            format!("their largest growth there is {} and {}", number(left[3]), number(left[4])),
            left[3] <= 1.0 && left[4] <= 1.0,
        ),
        Claim::new(
            "BDF methods are stable in a sector of the left half-plane",
            format!("for BDF2 the sector is all of it: largest growth {}", number(left[5])),
            left[5] <= 1.0,
        ),
        Claim::new(
            "R(z) is 1 + z, 1/(1 − z), (1 + z/2)/(1 − z/2) for the Euler and implicit midpoint rules",
            format!("the integrators grow by |R| to {}, these and the others", number(off)),
            off < 1e-9,
        ),
    ];
    let figure = Figure::grid(3, METHODS.map(|m| plot(m, effort)));
    let svg = figure.title("Stability regions").panel_size(400.0, 390.0).to_svg();
    Ok(Page {
        id: "t04-fig10",
        title: "stability regions (tutorial 2004, figure 10)".into(),
        text: "The regions come from the closed forms; the integrators themselves were run at 432 \
               points of the view and 375 of the left half-plane."
            .into(),
        tables: vec![edges, growth],
        claims,
        pictures: vec![Picture { file: "t04-fig10.svg".into(), svg }],
        ..Page::default()
    })
}
