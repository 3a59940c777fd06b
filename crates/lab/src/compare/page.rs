//! A comparison as one page of HTML, with its pictures in it.

use super::{Comparison, Row, measure};
use std::fmt::Write;
use toile::Error;
use toile::html::{escape, png_uri};

const STYLE: &str = "
:root{color-scheme:light dark;--paper:#fcfcfb;--ink:#1d2126;--pale:#5c656f;--rule:#d8dce0;--bad:#c0392b}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e4e7eb;--pale:#9aa3ad;--rule:#2d333b;--bad:#ff7b6b}}
body{background:var(--paper);color:var(--ink);max-width:76rem;margin:2rem auto;padding:0 1rem;
font:16px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}
h1{font-size:1.7rem}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;margin:1rem 0}
th,td{text-align:right;padding:.2rem .7rem .2rem 0;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
.sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:1rem}
figure{margin:0}img{width:100%;height:auto;display:block;border-radius:4px}figcaption,.note{color:var(--pale)}
.bad{color:var(--bad);font-weight:600}
";

/// The page.
pub(super) fn page(c: &Comparison) -> Result<String, Error> {
    let title = escape(&c.scene);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>toile compare: {title}</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p>The same scene with {} presets. Times are milliseconds of one step; crossings \
         (pairs of triangles) and triangles in bodies are the worst of all audited frames.</p>\n",
        c.rows.len()
    );
    table(&mut out, c);
    out += "<div class=\"sheet\">\n";
    for row in &c.rows {
        figure(&mut out, row)?;
    }
    Ok(out + "</div>\n</body></html>\n")
}

fn table(out: &mut String, c: &Comparison) {
    let table = c.table();
    *out += "<div class=\"wide\"><table><tr>";
    for column in &table.columns {
        let _ = write!(out, "<th>{}</th>", escape(column));
    }
    *out += "</tr>\n";
    for (row, cells) in c.rows.iter().zip(&table.rows) {
        *out += "<tr>";
        for (column, cell) in table.columns.iter().zip(cells) {
            let bad = match column.as_str() {
                "crossings" => row.intersections_max > 0,
                "in bodies" => row.body_penetrations_max != Some(0),
                "reached" => row.failure.is_some(),
                _ => false,
            };
            let class = if bad { " class=\"bad\"" } else { "" };
            let _ = write!(out, "<td{class}>{}</td>", escape(&cell.to_string()));
        }
        *out += "</tr>\n";
    }
    *out += "</table></div>\n";
}

fn figure(out: &mut String, row: &Row) -> Result<(), Error> {
    *out += "<figure>";
    if let Some(image) = &row.picture {
        let bytes = measure::png(image)?;
        let name = escape(row.preset);
        let _ = write!(out, "<img alt=\"{name}\" src=\"{}\">", png_uri(&bytes));
    }
    let _ =
        write!(out, "<figcaption><b>{}</b> at {:.3} s", escape(row.preset), row.simulated_seconds);
    if let Some(failure) = &row.failure {
        let _ = write!(out, "<br><span class=\"bad\">{}</span>", escape(failure));
    }
    for warning in &row.warnings {
        let _ = write!(out, "<br><span class=\"note\">{}</span>", escape(warning));
    }
    *out += "</figcaption></figure>\n";
    Ok(())
}
