//! A fit as one page of HTML, with its pictures in it.

use super::maps::Map;
use super::ramp;
use super::report::FitReport;
use crate::html::{escape, png_uri};
use std::fmt::Write;
use toile_garment::fit::{Girth, LIMITS, Spread, Verdict};

const STYLE: &str = "
:root{color-scheme:light dark;--paper:#fcfcfb;--ink:#1d2126;--pale:#5c656f;--rule:#d8dce0;
--good:#1a7f4b;--bad:#c0392b;--other:#8a6d1a}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e4e7eb;--pale:#9aa3ad;--rule:#2d333b;
--good:#4cc38a;--bad:#ff7b6b;--other:#d8b44a}}
body{background:var(--paper);color:var(--ink);max-width:76rem;margin:1.5rem auto;padding:0 1rem;
font:16px/1.45 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}
h1{font-size:1.6rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.6rem 0 .4rem}
p{margin:.4rem 0}.pale,figcaption,.about{color:var(--pale)}
.wide{overflow-x:auto}.best{font-size:1.1rem}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;margin:.4rem 0}
th,td{text-align:right;padding:.2rem .9rem .2rem 0;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child,td:first-child,td.word{text-align:left}
.good,.free{color:var(--good)}.tight,.pressing{color:var(--bad);font-weight:600}
.close,.loose,.felt,.askew{color:var(--other);font-weight:600}
figure{margin:.8rem 0}img{width:100%;height:auto;display:block;border-radius:4px}
.sheet{display:grid;grid-template-columns:repeat(auto-fit,minmax(28rem,1fr));gap:1rem}
svg{width:100%;max-width:26rem;height:auto;display:block;margin-top:.3rem}svg text{fill:var(--ink);font-size:11px}
@media (max-width:32rem){.sheet{grid-template-columns:1fr}}
@media print{body{font-size:11px;margin:0}.sheet{grid-template-columns:1fr 1fr}}
";

/// A picture of the page.
pub(super) struct Picture {
    /// The file.
    pub(super) png: Vec<u8>,
    /// What it is painted by.
    pub(super) map: Option<Map>,
}

/// The page.
pub(super) fn page(report: &FitReport, pictures: &[Picture]) -> String {
    let title = format!("{} {}", escape(&report.garment), escape(&report.size));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Fit of {title}</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>Fit of {title}</h1>\n<p class=\"pale\">{} on {}.</p>\n",
        escape(&report.fabric),
        escape(&report.wearer)
    );
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"tight\">{}</p>", escape(note));
    }
    if let Some(best) = &report.best_size {
        let _ = writeln!(
            out,
            "<p class=\"best\">Best size: <b>{}</b> <span class=\"pale\">— {}</span></p>",
            escape(&best.size),
            escape(&best.reason)
        );
    }
    for picture in pictures.iter().filter(|p| p.map.is_none()) {
        let source = png_uri(&picture.png);
        let _ = writeln!(
            out,
            "<figure><img alt=\"The garment from front, back, left and right\" \
             src=\"{source}\"></figure>"
        );
    }
    girths(&mut out, report);
    remarks(&mut out, report);
    out += "<h2>Maps</h2>\n<div class=\"sheet\">\n";
    for picture in pictures {
        if let Some(map) = &picture.map {
            figure(&mut out, map, &picture.png);
        }
    }
    out += "</div>\n";
    numbers(&mut out, report);
    about(&mut out);
    out + "</body></html>\n"
}

fn girths(out: &mut String, report: &FitReport) {
    *out += "<h2>Girths</h2>\n<div class=\"wide\"><table><tr><th>at</th><th>body [cm]</th>\
             <th>garment [cm]</th><th>ease [cm]</th><th>worn [cm]</th><th>stretch [%]</th>\
             <th>gap [mm]</th><th>pressure [kPa]</th><th>folds [%]</th><th></th></tr>\n";
    for g in &report.girths {
        let said = report.verdicts.iter().find(|v| v.place == g.title());
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{:.1}</td><td>{:.1}</td><td>{:.1}</td>\
             <td>{:.0}</td><td>{:.2}</td><td>{:.0}</td>{}</tr>",
            place(g),
            1e2 * g.body,
            1e2 * g.garment,
            1e2 * g.ease + 0.0,
            1e2 * g.worn,
            1e2 * g.stretch,
            1e3 * g.gap,
            g.pressure,
            1e2 * g.folds,
            said.map(word).unwrap_or_default()
        );
    }
    *out += "</table></div>\n";
    if report.girths.is_empty() {
        *out += "<p class=\"pale\">The garment goes around no place that was measured.</p>\n";
    }
}

fn word(said: &Verdict) -> String {
    format!("<td class=\"word {0}\">{0}</td>", said.word)
}

/// Where a girth was measured.
fn place(g: &Girth) -> String {
    let title = escape(&g.title());
    if g.moved.abs() < 1e-9 {
        return title;
    }
    let side = if g.moved < 0.0 { "below" } else { "above" };
    format!("{title} <span class=\"pale\">({:.1} cm {side})</span>", 1e2 * g.moved.abs())
}

fn remarks(out: &mut String, report: &FitReport) {
    let bad: Vec<&Verdict> = report.verdicts.iter().filter(|v| !v.is_good()).collect();
    if bad.is_empty() {
        *out +=
            "<p class=\"good\">Nothing is tight, loose or pressing beyond the limits below.</p>\n";
        return;
    }
    *out += "<ul>\n";
    for v in bad {
        let _ = writeln!(out, "<li class=\"{}\">{}</li>", v.word, escape(&v.text));
    }
    *out += "</ul>\n";
}

fn figure(out: &mut String, map: &Map, png: &[u8]) {
    let _ = writeln!(
        out,
        "<figure><img alt=\"{title} from front, back, left and right\" \
         src=\"{}\">{}<figcaption><b>{title}</b> [{}]: {}</figcaption></figure>",
        png_uri(png),
        legend(map),
        map.unit,
        escape(map.about),
        title = map.title,
    );
}

/// A bar with the colours of a map and its values.
fn legend(map: &Map) -> String {
    const STOPS: u32 = 16;
    let mut out = format!(
        "<svg viewBox=\"0 0 400 34\" role=\"img\" aria-label=\"0 to {} {}\"><defs>\
         <linearGradient id=\"{}\">",
        map.marks()[2],
        map.unit,
        map.key
    );
    for k in 0..=STOPS {
        let place = f64::from(k) / f64::from(STOPS);
        let [r, g, b] = ramp::srgb(place);
        let _ = write!(out, "<stop offset=\"{place:.4}\" stop-color=\"#{r:02x}{g:02x}{b:02x}\"/>");
    }
    let _ = write!(
        out,
        "</linearGradient></defs><rect x=\"10\" y=\"2\" width=\"360\" height=\"13\" fill=\"url(#{})\"/>",
        map.key
    );
    for (k, mark) in map.marks().iter().enumerate() {
        let x = 10 + 180 * k;
        let _ = write!(out, "<text x=\"{x}\" y=\"29\" text-anchor=\"middle\">{mark}</text>");
    }
    let _ = write!(out, "<text x=\"376\" y=\"13\">{}</text></svg>", map.unit);
    out
}

fn numbers(out: &mut String, report: &FitReport) {
    let s = &report.summary;
    *out += "<h2>Numbers</h2>\n<div class=\"wide\"><table><tr><th></th><th>least</th><th>mean</th>\
             <th>95 % have less</th><th>largest</th></tr>\n";
    let mut row = |name: &str, scale: f64, digits: usize, x: &Spread| {
        let cell = |v: f64| format!("<td>{:.*}</td>", digits, scale * v + 0.0);
        let cells = [x.min, x.mean, x.p95, x.max].map(cell).concat();
        let _ = writeln!(out, "<tr><td>{name}</td>{cells}</tr>");
    };
    row("strain along the weft [%]", 1e2, 1, &s.strain_weft);
    row("strain along the warp [%]", 1e2, 1, &s.strain_warp);
    row("shear [°]", 1.0_f64.to_degrees(), 1, &s.shear);
    row("tension [N/m]", 1.0, 1, &s.tension);
    row("pressure where it touches [kPa]", 1.0, 3, &s.pressure);
    row("gap [mm]", 1e3, 1, &s.gap);
    let _ = writeln!(
        out,
        "</table></div>\n<p>{:.0} % of the cloth touch the body. The cloth is bent by {:.1} /m on average.</p>",
        1e2 * s.touching,
        report.curvature
    );
}

fn about(out: &mut String) {
    let _ = writeln!(
        out,
        "<h2>What is meant</h2>\n<p class=\"about\">Girths are sections of garment and body in the plane of the tape: \
         <b>garment</b> is the length of the cloth before it is stretched, <b>worn</b> as it is on the body, <b>ease</b> the garment \
         less the body. <b>Stretch</b>: worn over garment. <b>Folds</b>: how much longer the worn line is than a tape around it. \
         Strain is nominal elongation; tension is force per present width, by the curves of the fabric; pressure is what balances \
         tension and weight where the cloth is near the body. Of limbs the left is measured.</p>\n\
         <p class=\"about\"><b>tight</b>: ease below zero. <b>close</b>, <b>loose</b>: ease more than {:.0} cm off what the design \
         wants (without a design, loose from {:.0} cm). <b>free</b>: the design lets it hang there. <b>felt</b> from {:.0} kPa, \
         <b>pressing</b> from {:.0} kPa on a twentieth of where it touches; <b>askew</b> from {:.0}° of shear. These limits are \
         rules of thumb.</p>",
        1e2 * LIMITS.ease,
        1e2 * LIMITS.loose,
        LIMITS.felt,
        LIMITS.too_much,
        LIMITS.shear.to_degrees()
    );
}
