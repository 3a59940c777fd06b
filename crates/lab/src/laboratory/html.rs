//! The report as one page of HTML, with its pictures in it.

use super::Report;
use super::report::{Section, error, number, verdict};
use std::fmt::Write;
use toile::html::escape;

const STYLE: &str = "
:root{color-scheme:light dark;--paper:#fcfcfb;--ink:#1d2126;--pale:#5c656f;--rule:#d8dce0;
--good:#1a7f4b;--bad:#c0392b;--other:#8a6d1a}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e4e7eb;--pale:#9aa3ad;--rule:#2d333b;
--good:#4cc38a;--bad:#ff7b6b;--other:#d8b44a}}
body{background:var(--paper);color:var(--ink);max-width:62rem;margin:2rem auto;padding:0 1rem;
font:16px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}
h1{font-size:1.7rem}h2{font-size:1.25rem;margin-top:2.5rem;border-top:1px solid var(--rule);padding-top:1rem}
p.formula,figcaption{color:var(--pale)}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;margin:1rem 0}
.wide{overflow-x:auto}
th,td{text-align:left;padding:.2rem .7rem .2rem 0;border-bottom:1px solid var(--rule);white-space:nowrap}
td.n,th.n{text-align:right}
tr.other td{color:var(--pale)}
.PASS{color:var(--good);font-weight:600}.FAIL{color:var(--bad);font-weight:600}.off{color:var(--other)}
figure{margin:1rem 0;overflow-x:auto}svg{max-width:100%;height:auto}
";

/// The page.
pub(super) fn page(report: &Report) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>toile lab</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>The virtual textile laboratory</h1>\n<p>{}.</p>\n",
        escape(&report.summary())
    );
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"FAIL\">{}</p>", escape(note));
    }
    summary(&mut out, report);
    for s in &report.sections {
        section(&mut out, s);
    }
    out + "</body></html>\n"
}

/// One row for each test: how many measurements pass, and the worst.
fn summary(out: &mut String, report: &Report) {
    *out += "<div class=\"wide\"><table><tr><th>test</th><th class=\"n\">measurements</th>\
             <th class=\"n\">largest part of its tolerance</th><th class=\"n\">seconds</th><th></th></tr>\n";
    for s in &report.sections {
        let counted = || s.rows.iter().filter(|r| r.counts);
        let used = counted().map(|r| r.error.abs() / r.tolerance).fold(0.0, f64::max);
        let verdict = match (counted().count(), counted().all(|r| r.pass)) {
            (0, _) => "",
            (_, true) => "PASS",
            (_, false) => "FAIL",
        };
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{}\">{}</a></td><td class=\"n\">{}</td><td class=\"n\">{:.0} %</td>\
             <td class=\"n\">{:.1}</td><td class=\"{verdict}\">{verdict}</td></tr>",
            s.test.id,
            escape(s.test.title),
            counted().count(),
            100.0 * used,
            s.seconds
        );
    }
    *out += "</table></div>\n";
}

fn section(out: &mut String, s: &Section) {
    let test = s.test;
    let _ = writeln!(
        out,
        "<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n<p class=\"formula\">{}</p>",
        test.id,
        escape(test.title),
        escape(test.about),
        escape(test.formula)
    );
    for picture in &s.pictures {
        let _ = writeln!(
            out,
            "<figure>\n{}<figcaption>{}</figcaption></figure>",
            picture.svg,
            escape(&picture.caption)
        );
    }
    *out += "<div class=\"wide\"><table><tr><th>measured</th><th>model</th><th>mesh</th>\
             <th class=\"n\">simulated</th><th class=\"n\">exact</th><th class=\"n\">error</th>\
             <th class=\"n\">tolerance</th><th></th></tr>\n";
    for r in &s.rows {
        let cells = match &r.note {
            Some(note) => format!("<td colspan=\"4\">no answer: {}</td>", escape(note)),
            None => [number(r.value), number(r.expected), error(r.error, r), error(r.tolerance, r)]
                .map(|c| format!("<td class=\"n\">{c}</td>"))
                .concat(),
        };
        let _ = writeln!(
            out,
            "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td>{cells}<td class=\"{v}\">{v}</td></tr>",
            if r.counts { "default" } else { "other" },
            escape(&r.name),
            escape(&r.model),
            r.mesh,
            v = verdict(r)
        );
    }
    *out += "</table></div>\n";
}
