//! Work against precision, figures 9, 11 and 13 of the tutorial (N11).
//!
//! Each method runs over each problem with 2, 3, 4, 6, 8, … steps; the error is that of the state at the
//! end, ‖Y − y(t_end)‖. The tutorial counts floating-point operations; see [`super::solve`] for
//! what is counted here.
//!
//! Errata of the tutorial that show here: example 2 is y'' = −5/2 y − 5 y' (printed with −5 y), the
//! wave equation is y'' = −5 y (printed once without the sign).

use super::Effort;
use super::curve::Curve;
use super::page::{Claim, Page, Picture, Table, number};
use super::solve::{Method, largest_step, largest_step_in_theory, size};
use crate::plot::{Figure, Plot};
use toile::Error;
use toile_sim::papers::integrate::problems::Problem;

/// How near a slope must come to the order.
const NEAR: f64 = 0.1;

const WORK: &str = "The error is that of the state at the end. Work is the number of force \
evaluations, matrices and linear solutions, each counted as one.";

/// The problems of figures 9 and 11, with the letter of their panel.
fn examples() -> [(&'static str, Problem); 4] {
    [
        ("(a) y' = 2y", Problem::dahlquist(2.0)),
        ("(b) y' = −15y", Problem::dahlquist(-15.0)),
        ("(c) y'' = −5y' − 5/2 y", Problem::overdamped()),
        ("(d) damped spring", Problem::damped_spring()),
    ]
}

/// A panel: a problem and the curves of its methods.
struct Panel {
    name: &'static str,
    problem: Problem,
    curves: Vec<Curve>,
}

impl Panel {
    fn all<const N: usize>(
        problems: [(&'static str, Problem); N],
        methods: &[Method],
        effort: Effort,
    ) -> Vec<Self> {
        let panel = |(name, problem): (_, Problem)| {
            let methods = methods.iter().filter(|m| Curve::applies(&problem, **m));
            let curves = methods.map(|m| Curve::measure(&problem, *m, effort)).collect();
            Self { name, problem, curves }
        };
        problems.into_iter().map(panel).collect()
    }

    fn damped(&self) -> bool {
        self.problem.damping != 0.0
    }

    /// The diagram down to the least error, with a dashed line for each order that occurs.
    fn plot(&self, least: f64) -> Plot {
        let mut plot = Plot::new(self.name)
            .x("work [evaluations + matrices + solutions]")
            .log_x()
            .y("error at the end")
            .log_y()
            .x_range(1.0, 1e6)
            .y_range(least, 1e4);
        for curve in &self.curves {
            plot = plot.line(curve.method.name(), &curve.data());
        }
        let mut orders: Vec<u32> =
            self.curves.iter().map(|c| c.method.order(self.damped())).collect();
        orders.sort_unstable();
        orders.dedup();
        // At the upper right, where no curve comes.
        for order in orders {
            plot = plot.slope(format!("order {order}"), -f64::from(order), (2e4, 1e3));
        }
        plot
    }
}

fn picture(id: &str, title: &str, panels: &[Panel]) -> Picture {
    let figure = Figure::grid(2, panels.iter().map(|p| p.plot(1e-14))).title(title);
    Picture { file: format!("{id}.svg"), svg: figure.panel_size(480.0, 380.0).to_svg() }
}

/// Slope, and work for some errors relative to the solution, of every curve.
fn slopes(panels: &[Panel]) -> Table {
    let columns =
        ["problem", "method", "order", "slope", "work to 1 %", "to 1e-4", "to 1e-6", "ns a step"];
    let mut table = Table::new("Slopes, and work until the relative error is small", columns);
    for panel in panels {
        for curve in &panel.curves {
            let work = |part: f64| curve.work_for(part * curve.scale).map(|w| w.round() as u64);
            let finest = curve.points.last();
            let step = finest.map(|p| (1e9 * p.cost.seconds / f64::from(p.steps)).round() as u64);
            table.push([
                panel.name.into(),
                curve.method.name().into(),
                u64::from(curve.method.order(panel.damped())).into(),
                curve.slope().into(),
                work(1e-2).into(),
                work(1e-4).into(),
                work(1e-6).into(),
                step.into(),
            ]);
        }
    }
    table
}

/// Largest stable steps of the methods that have one.
fn limits(panels: &[Panel], methods: &[Method]) -> (Table, f64) {
    let columns = ["problem", "method", "theory [s]", "measured [s]"];
    let mut table = Table::new("Largest step that stays bounded", columns);
    let mut off = 0.0_f64;
    for panel in panels.iter().filter(|p| p.problem.damping >= 0.0) {
        for method in methods.iter().filter(|m| Curve::applies(&panel.problem, **m)) {
            let theory = largest_step_in_theory(&panel.problem, *method);
            let measured = largest_step(&panel.problem, *method);
            off = off.max(match (theory, measured) {
                (Some(a), Some(b)) => (b / a - 1.0).abs(),
                (None, None) => 0.0,
                _ => f64::INFINITY,
            });
            table.push([panel.name.into(), method.name().into(), theory.into(), measured.into()]);
        }
    }
    (table, off)
}

/// Largest distance of a slope from a wanted one, over the curves that are chosen.
fn off(panels: &[Panel], chosen: impl Fn(Method) -> bool, damped: Option<bool>) -> f64 {
    let mut off = 0.0_f64;
    for panel in panels {
        for curve in panel.curves.iter().filter(|c| chosen(c.method)) {
            let order = f64::from(curve.method.order(damped.unwrap_or(panel.damped())));
            off = off.max(curve.slope().map_or(f64::INFINITY, |s| (s - order).abs()));
        }
    }
    off
}

/// Largest and least of the largest errors, in sizes of the state at the beginning.
fn worst(panels: &[Panel], chosen: impl Fn(Method) -> bool) -> [f64; 2] {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for panel in panels {
        let p = &panel.problem;
        let start = size(p, p.y, p.velocity);
        for curve in panel.curves.iter().filter(|c| chosen(c.method)) {
            // An error that is no number anymore is as large as can be.
            let worst = curve.worst() / start;
            let worst = if worst.is_nan() { f64::INFINITY } else { worst };
            (least, most) = (least.min(worst), most.max(worst));
        }
    }
    [least, most]
}

fn within(off: f64) -> String {
    format!("the slopes are within {} of the orders", number(off))
}

/// Figure 9: explicit methods.
pub(super) fn fig9(effort: Effort) -> Result<Page, Error> {
    let methods = [Method::EULER, Method::MIDPOINT, Method::RK4];
    let panels = Panel::all(examples(), &methods, effort);
    let (limits, misses) = limits(&panels, &methods);
    let growing = off(&panels[..1], |_| true, None);
    let stiff = off(&panels[1..], |_| true, None);
    let [least, _] = worst(&panels[1..], |_| true);
    let euler = largest_step(&panels[1].problem, Method::EULER).unwrap_or(f64::NAN);
    let claims = vec![
        Claim::new(
            "(a): the slopes of the curves exactly match the orders 1, 2 and 4",
            within(growing),
            growing < NEAR,
        ),
        Claim::new(
            "(b) to (d): the same, but only after an initial phase of completely wrong results",
            format!(
                "the coarsest runs miss by {} times the initial state or more; then {}",
                number(least),
                within(stiff)
            ),
            least > 2.0 && stiff < NEAR,
        ),
        Claim::new(
            "the bends are where hλ enters the stability region",
            format!("the largest bounded steps are those of |R(hλ)| = 1 to {}", number(misses)),
            misses < 0.01,
        ),
        Claim::new(
            "forward Euler converges only when h < 1/|λ|, which is 0.0667 for λ = −15",
            format!("it stays bounded up to h = {}", number(euler)),
            (euler * 15.0 - 1.0).abs() < 0.01,
        )
        .because(
            "|1 + hλ| < 1, as the paper says a few lines before, is h < 2/|λ| = 0.1333. Between \
             the two values the solution changes sign at every step, but decays.",
        ),
    ];
    Ok(Page {
        id: "t04-fig9",
        title: "error against work of explicit methods (tutorial 2004, figure 9)".into(),
        text: WORK.into(),
        tables: vec![slopes(&panels), limits],
        claims,
        pictures: vec![picture("t04-fig9", "Explicit methods: error against work", &panels)],
        ..Page::default()
    })
}

const IMPLICIT: [Method; 3] = [Method::IMPLICIT_EULER, Method::IMPLICIT_MIDPOINT, Method::BDF2];

/// Figure 11: implicit methods and Verlet, with explicit Euler for comparison.
pub(super) fn fig11(effort: Effort) -> Result<Page, Error> {
    let methods = [&IMPLICIT[..], &[Method::Verlet, Method::EULER]].concat();
    let panels = Panel::all(examples(), &methods, effort);
    let (limits, misses) = limits(&panels, &[Method::Verlet, Method::EULER]);
    let implicit = off(&panels, Method::is_implicit, None);
    let [_, most] = worst(&panels[1..], Method::is_implicit);
    let [_, explicit] = worst(&panels[1..], |m| m == Method::EULER);
    let second = off(&panels, |m| m == Method::Verlet, Some(false));
    let first = off(&panels, |m| m == Method::Verlet, Some(true));
    let bdf2 = off(&panels, |m| m == Method::BDF2, None);
    let claims = vec![
        Claim::new(
            "implicit methods never lose stability and do not miss by orders of magnitude, even \
             with large steps",
            format!(
                "the worst error is {} times the initial state; of explicit Euler {}",
                number(most),
                number(explicit)
            ),
            most < 2.0 && explicit > 1e3,
        ),
        Claim::new(
            "after an uneven phase they converge with a slope given by their order",
            within(implicit),
            implicit < NEAR,
        ),
        Claim::new(
            "all methods end with a slope given by their order; 2 for Verlet, also with f(xₙ, vₙ₋₁)",
            format!("its slope is 1, to {}", number(first)),
            second < NEAR,
        )
        .because(
            "the velocity it sees is half a step old, an error of first order in the damping \
             force; the paper mentions a loss of stability only",
        ),
        Claim::new(
            "Verlet is not unconditionally stable with damping",
            format!(
                "its largest steps are those of h²ω² + 2hc = 4 to {} (c = d/m)",
                number(misses)
            ),
            misses < 0.01,
        ),
        Claim::new(
            "BDF methods of k + 1 points have order k + 1: 3 for BDF2",
            format!("BDF2 has slope 2, to {}", number(bdf2)),
            bdf2 > 1.0 - NEAR,
        )
        .because("three points are two steps, and k steps give order k; a misprint"),
    ];
    Ok(Page {
        id: "t04-fig11",
        title: "error against work of implicit methods (tutorial 2004, figure 11)".into(),
        text: format!(
            "{WORK} An implicit step on these linear problems is one evaluation, one matrix and \
             one solution. BDF2 begins with a midpoint step. Verlet needs a position, so (a) and \
             (b) are without it."
        ),
        tables: vec![slopes(&panels), limits],
        claims,
        pictures: vec![picture("t04-fig11", "Implicit methods: error against work", &panels)],
        ..Page::default()
    })
}

/// Figure 13: the wave equation without damping.
pub(super) fn fig13(effort: Effort) -> Result<Page, Error> {
    let methods = [&IMPLICIT[..], &[Method::Verlet, Method::EULER]].concat();
    let panels = Panel::all([("y'' = −5y", Problem::undamped())], &methods, effort);
    let (limits, misses) = limits(&panels, &[Method::Verlet, Method::EULER]);
    let slope = off(&panels, |_| true, None);
    // Who is cheapest for errors from 1 to 10⁻⁵, and by how much.
    let columns = ["error", "Verlet", "next best", "work", "saved"];
    let mut race = Table::new("Work until the error stays below a bound", columns);
    let mut least = f64::INFINITY;
    for k in 0..=5 {
        let bound = libm::pow(10.0, -f64::from(k));
        let work = |c: &&Curve| c.work_for(bound).unwrap_or(f64::INFINITY);
        let verlet = panels[0].curves.iter().find(|c| c.method == Method::Verlet);
        let others = panels[0].curves.iter().filter(|c| c.method != Method::Verlet);
        let best = others.min_by(|a, b| work(a).total_cmp(&work(b)));
        let (Some(verlet), Some(best)) = (verlet, best) else { continue };
        let saved = work(&best) / work(&verlet);
        least = least.min(saved);
        race.push([
            bound.into(),
            work(&verlet).into(),
            best.method.name().into(),
            work(&best).into(),
            format!("{}×", number(saved)).into(),
        ]);
    }
    let limit = largest_step(&panels[0].problem, Method::Verlet);
    let claims = vec![
        Claim::new(
            "Verlet is clearly one of the best choices over a wide range of accuracy",
            format!(
                "for errors of 1 to 1e-5 every other method needs {} times its work or more",
                number(least)
            ),
            least > 1.0,
        ),
        Claim::new(
            "Verlet is bounded for any h > 0 on purely oscillating equations",
            limit.map_or("no limit was found".into(), |h| {
                format!("it is bounded up to h = {}, and not beyond", number(h))
            }),
            limit.is_none(),
        )
        .because(
            "the step must satisfy hω < 2: on y'' = −5y, h < 2/√5 = 0.8944. What it keeps for all \
             smaller h is its amplitude, undamped.",
        ),
        Claim::new(
            "all curves end with a slope given by the order",
            format!("{}; stability limits are right to {}", within(slope), number(misses)),
            slope < NEAR && misses < 0.01,
        ),
    ];
    let picture = Picture {
        file: "t04-fig13.svg".into(),
        svg: Figure::row(panels.iter().map(|p| p.plot(1e-8))).panel_size(620.0, 440.0).to_svg(),
    };
    Ok(Page {
        id: "t04-fig13",
        title: "error against work on the wave equation (tutorial 2004, figure 13)".into(),
        text: format!("{WORK} The text prints y'' = 5y, the caption y'' = −5y, which oscillates."),
        tables: vec![slopes(&panels), race, limits],
        claims,
        pictures: vec![picture],
        ..Page::default()
    })
}
