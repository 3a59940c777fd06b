//! SVG in true scale: a group for each piece, with its curves. [`crate::svg::from_svg`] reads it again.

use super::sheet::{Sheet, Stroke};
use super::{Graded, Options, prepared};
use crate::svg::escape;
use glam::DVec2;
use std::fmt::Write;

/// Width of a sheet [mm]: usual cloth.
const WIDTH: f64 = 1500.0;

/// Writes sizes of a pattern on one sheet.
pub fn to_svg(sizes: &[Graded], options: &Options) -> String {
    let sizes = prepared(sizes, options);
    let sheet = Sheet::new(&sizes, options, WIDTH);
    let DVec2 { x: width, y: height } = sheet.size.max(DVec2::splat(10.0)) + DVec2::new(0.0, 20.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.2}mm\" height=\"{height:.2}mm\" \
         viewBox=\"0 0 {width:.2} {height:.2}\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n",
        escape(&sheet.title())
    );
    let place = |p: DVec2| DVec2::new(p.x, height - p.y);
    let groups = sheet.groups();
    for (k, lines) in groups.iter().enumerate() {
        let name = sheet.pieces.get(k).map_or("", |p| p.0.as_str());
        let name = name.split_once(". ").map_or(name, |n| n.1);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<g id=\"{}\">", escape(name));
        for line in lines {
            let points: Vec<String> = line
                .points
                .iter()
                .map(|p| place(*p))
                .map(|p| format!("{:.3} {:.3}", p.x, p.y))
                .collect();
            let closed = line.points.len() > 2 && line.points.first() == line.points.last();
            let (class, style) = style(line.stroke);
            let body =
                if closed { points[..points.len() - 1].join("L") + "Z" } else { points.join("L") };
            let _ = writeln!(text, "<path class=\"{class}\" d=\"M{body}\" fill=\"none\" {style}/>");
        }
        let _ = writeln!(text, "</g>");
    }
    for t in &sheet.texts {
        let (p, weight) = (place(t.at), if t.is_bold { "bold" } else { "normal" });
        let _ = writeln!(
            text,
            "<text x=\"{:.2}\" y=\"{:.2}\" font-size=\"{:.1}\" font-weight=\"{weight}\">{}</text>",
            p.x,
            p.y,
            t.size,
            escape(&t.text)
        );
    }
    for (k, graded) in sizes.iter().enumerate().filter(|(_, g)| !g.size.is_empty()) {
        let (x, (_, style)) = (12.0 + 60.0 * k as f64, style(Stroke::Cut(k)));
        let _ = writeln!(
            text,
            "<path class=\"legend\" d=\"M{x} 12h30\" fill=\"none\" {style}/>\n<text x=\"{}\" y=\"14\" font-size=\"6\">{}</text>",
            x + 33.0,
            escape(&graded.size)
        );
    }
    text + "</svg>\n"
}

fn style(stroke: Stroke) -> (&'static str, String) {
    const SIZES: [(&str, &str); 6] = [
        ("#000", ""),
        ("#b91c1c", "6 2"),
        ("#1d4ed8", "3 1.5"),
        ("#15803d", "8 2 1 2"),
        ("#86198f", "1.5 1.5"),
        ("#b45309", "10 2 1 1.5 1 2"),
    ];
    let line = |colour: &str, width: f64, dash: &str| {
        let dash =
            if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        format!("stroke=\"{colour}\" stroke-width=\"{width}\"{dash}")
    };
    match stroke {
        Stroke::Cut(n) => ("cut", line(SIZES[n % 6].0, 0.4, SIZES[n % 6].1)),
        Stroke::Sew => ("sew", line("#555", 0.3, "3 2")),
        Stroke::Mark => ("line", line("#555", 0.3, "1.5 1.5")),
        Stroke::Notch => ("notch", line("#000", 0.6, "")),
        Stroke::Grain => ("grain", line("#000", 0.3, "")),
    }
}
