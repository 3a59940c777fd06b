use super::*;

/// Checks that tags are well nested, attributes quoted and all text escaped; counts the elements
/// of a name. A small reader of the part of XML that is written here.
fn elements(svg: &str, name: &str) -> usize {
    let (mut open, mut count, mut rest) = (Vec::new(), 0, svg);
    while let Some(start) = rest.find('<') {
        let (words, tag) = rest.split_at(start);
        assert!(!words.contains('>'), "text is not escaped: {words}");
        for entity in words.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            assert!(known.iter().any(|k| entity.starts_with(k)), "bad entity: &{entity}");
        }
        let end = tag.find('>').expect("a tag that does not end");
        let inner = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(closed) = inner.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "tags cross");
            continue;
        }
        let closes = inner.ends_with('/');
        let inner = inner.trim_end_matches('/');
        let word = inner.split(' ').next().unwrap_or("");
        assert_eq!(inner.matches('"').count() % 2, 0, "quotes do not match: {inner}");
        count += usize::from(word == name);
        if !closes {
            open.push(word);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    for number in ["NaN", "inf"] {
        assert!(!svg.contains(number), "a number is not finite");
    }
    count
}

#[test]
fn an_empty_plot_is_a_valid_picture() {
    assert_eq!(elements(&Plot::new("").to_svg(), "svg"), 2);
    assert_eq!(elements(&Figure::row([]).to_svg(), "svg"), 1);
    let logs = Plot::new("nothing").log_x().log_y().line("a", &[]).bars("b", &[]).to_svg();
    assert_eq!(elements(&logs, "svg"), 2);
}

#[test]
fn text_is_escaped() {
    let svg = Plot::new("a < b & \"c\" > 'd'\u{1}\n").line("<script>", &[(0.0, 1.0)]).to_svg();
    elements(&svg, "svg");
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot; &gt; &apos;d&apos; "));
    assert!(!svg.contains("<script>") && !svg.contains('\u{1}'));
}

#[test]
fn a_line_is_broken_where_a_value_has_no_place() {
    let data = [(1.0, 1.0), (2.0, 2.0), (3.0, f64::NAN), (4.0, 0.0), (5.0, 5.0), (6.0, 6.0)];
    let strokes = |plot: &Plot| {
        let svg = plot.to_svg();
        elements(&svg, "svg");
        let line = svg.lines().find(|l| l.contains("stroke-linejoin")).unwrap();
        (line.matches('M').count(), line.matches('L').count())
    };
    let linear = Plot::new("").line("", &data);
    assert_eq!(strokes(&linear), (2, 3), "only the NaN breaks");
    assert_eq!(strokes(&linear.log_y()), (2, 2), "zero has no logarithm");
}

#[test]
fn every_point_that_has_a_place_gets_a_mark() {
    let data = [(1.0, 1.0), (f64::INFINITY, 2.0), (-1.0, 1.0), (3.0, 4.0)];
    let svg = Plot::new("").points("", &data).to_svg();
    assert_eq!(elements(&svg, "circle"), 3);
    let svg = Plot::new("").log_x().points("", &data).to_svg();
    assert_eq!(elements(&svg, "circle"), 2);
    let svg = Plot::new("").x_range(0.0, 2.0).points("", &data).to_svg();
    assert_eq!(elements(&svg, "circle"), 1, "what is outside the range is not drawn");
}

#[test]
fn bars_of_several_series_stand_side_by_side() {
    let svg = Plot::new("")
        .categories(["one", "two"])
        .bars("a", &[(0.0, 1.0), (1.0, 2.0)])
        .bars("b", &[(0.0, 3.0), (1.0, -1.0)])
        .to_svg();
    // Paper, two in the legend, four bars.
    assert_eq!(elements(&svg, "rect"), 7);
    let left = |colour: &str| -> Vec<f64> {
        let bars = svg.lines().filter(|l| l.starts_with("<rect x") && l.contains(colour));
        let x = |l: &str| l.split('"').nth(1).unwrap().parse::<f64>().unwrap();
        bars.skip(1).map(x).collect()
    };
    let (a, b) = (left("#0072b2"), left("#d55e00"));
    assert!(a[0] < b[0] && b[0] < a[1] && a[1] < b[1], "{a:?} {b:?}");
}

#[test]
fn a_name_has_one_colour_in_all_panels() {
    let one = Plot::new("1").line("a", &[(0.0, 0.0), (1.0, 1.0)]).line("b", &[(0.0, 1.0)]);
    let two = Plot::new("2").line("b", &[(0.0, 0.0), (1.0, 1.0)]);
    let svg = Figure::grid(1, [one, two]).title("both").to_svg();
    elements(&svg, "svg");
    let lines: Vec<&str> = svg.lines().filter(|l| l.contains("stroke-linejoin")).collect();
    assert!(lines[0].contains("#0072b2") && lines[2].contains("#d55e00"));
}

#[test]
fn a_slope_goes_through_its_point() {
    let plot = Plot::new("").log_x().log_y().x_range(1.0, 100.0).y_range(1.0, 1e4);
    let svg = plot.slope("order 2", 2.0, (10.0, 100.0)).points("p", &[(10.0, 100.0)]).to_svg();
    elements(&svg, "svg");
    let path = svg.lines().find(|l| l.contains("stroke-linejoin")).unwrap();
    let middle = path.split(['M', 'L', '"']).nth(2 + 32).unwrap();
    let circle = svg.lines().rfind(|l| l.starts_with("<circle")).unwrap();
    let words: Vec<&str> = circle.split('"').collect();
    assert_eq!(middle, format!("{} {}", words[1], words[3]));
}

#[test]
fn any_numbers_give_a_valid_picture() {
    let odd = [f64::NAN, f64::INFINITY, -1e308, 1e308, 5e-324, 0.0, -0.0, 1e-300, 3.0];
    let data: Vec<(f64, f64)> = odd.iter().flat_map(|x| odd.map(|y| (*x, y))).collect();
    for (x, y) in data.clone() {
        let plot = Plot::new("t").line("l", &data).points("p", &data).bars("b", &data);
        let plot = plot.slope("s", x, (y, x)).level("v", y).x_range(x, y).y_range(y, x);
        elements(&plot.to_svg(), "svg");
        elements(&plot.log_x().log_y().to_svg(), "svg");
    }
    let alone = Plot::new("t").line("l", &data).bars("b", &data);
    elements(&alone.to_svg(), "svg");
    let size = Figure::row([alone]).panel_size(f64::NAN, 0.0).to_svg();
    elements(&size, "svg");
}
