//! Scales and their ticks: which range an axis shows, where its marks stand and what they say.

/// Magnitudes beyond this are left out: their differences would overflow.
const LARGEST: f64 = 1e300;

/// A mark on an axis; a minor one has no label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

impl Tick {
    fn minor(at: f64) -> Self {
        Self { at, label: String::new() }
    }

    pub(super) fn is_minor(&self) -> bool {
        self.label.is_empty()
    }
}

/// The range of an axis and its marks.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    log: bool,
    lo: f64,
    hi: f64,
    pub(super) ticks: Vec<Tick>,
}

/// What an axis is asked to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) log: bool,
    /// Bounds set by hand; ignored if they make no sense.
    pub(super) range: Option<(f64, f64)>,
    /// Whether zero must be seen, as below bars.
    pub(super) zero: bool,
    /// How many labels there is room for.
    pub(super) room: usize,
}

/// Whether a value has a place on an axis.
pub(super) fn shows(log: bool, v: f64) -> bool {
    v.abs() <= LARGEST && (!log || v >= 1.0 / LARGEST)
}

impl Axis {
    /// An axis that holds all values that have a place on it.
    pub(super) fn fit(values: impl Iterator<Item = f64>, wish: Wish) -> Self {
        let shown = values.filter(|v| shows(wish.log, *v));
        let data = shown.fold(None, |range: Option<(f64, f64)>, v| {
            Some(range.map_or((v, v), |(lo, hi)| (lo.min(v), hi.max(v))))
        });
        let by_hand = wish
            .range
            .filter(|(lo, hi)| shows(wish.log, *lo) && shows(wish.log, *hi) && is_wide(*lo, *hi));
        let (lo, hi) = match (by_hand, data) {
            (Some(range), _) => range,
            (None, Some(range)) if wish.log => around_log(range),
            (None, Some(range)) => around_linear(range, wish.zero, wish.room),
            (None, None) if wish.log => (1.0, 10.0),
            (None, None) => (0.0, 1.0),
        };
        let ticks =
            if wish.log { log_ticks(lo, hi, wish.room) } else { linear_ticks(lo, hi, wish.room) };
        Self { log: wish.log, lo, hi, ticks }
    }

    /// An axis of named places 0, 1, 2, …
    pub(super) fn of_names(names: &[String]) -> Self {
        let ticks = names
            .iter()
            .enumerate()
            .map(|(i, n)| Tick { at: i as f64, label: n.clone() })
            .collect();
        Self { log: false, lo: -0.5, hi: names.len().max(1) as f64 - 0.5, ticks }
    }

    /// Where a value lies between the ends (0 to 1, or beyond); `None` if it has no place.
    pub(super) fn place(&self, v: f64) -> Option<f64> {
        // Ticks may lie a little beyond the largest value.
        if !v.is_finite() || (self.log && v <= 0.0) {
            return None;
        }
        let scale = |v: f64| if self.log { v.log10() } else { v };
        let (lo, hi) = (scale(self.lo), scale(self.hi));
        // Halves first: the whole span may be twice the largest value.
        Some((0.5 * scale(v) - 0.5 * lo) / (0.5 * hi - 0.5 * lo))
    }

    pub(super) fn is_log(&self) -> bool {
        self.log
    }

    /// Smallest and largest value.
    pub(super) fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }
}

/// Whether a range can be told from a point by the digits of its ticks.
fn is_wide(lo: f64, hi: f64) -> bool {
    hi - lo > (1e-12 * lo.abs().max(hi.abs())).max(1.0 / LARGEST)
}

/// The range of a linear axis around the data: zero included when near, ends on ticks.
fn around_linear((mut lo, mut hi): (f64, f64), zero: bool, room: usize) -> (f64, f64) {
    // A third of the height is not too much for seeing how far from zero the values are.
    let near_zero = |near: f64, far: f64| near.signum() == far.signum() && near / far < 0.35;
    if zero || near_zero(lo, hi) {
        lo = lo.min(0.0);
    }
    if zero || near_zero(hi, lo) {
        hi = hi.max(0.0);
    }
    if !is_wide(lo, hi) {
        let half = if lo.abs() < 10.0 / LARGEST { 1.0 } else { 0.1 * lo.abs() };
        (lo, hi) = (lo - half, hi + half);
    }
    let step = step_of(lo, hi, room);
    ((lo / step + 1e-9).floor() * step, (hi / step - 1e-9).ceil() * step)
}

/// The range of a logarithmic axis around the data: ends on 1, 2 or 5 times a power of ten.
fn around_log((lo, hi): (f64, f64)) -> (f64, f64) {
    let mut range = (0.0, 0.0);
    for e in exponent(lo) - 1..=exponent(hi) + 1 {
        for m in [1.0, 2.0, 5.0] {
            let v = m * ten_to(e);
            if v <= lo * (1.0 + 1e-9) {
                range.0 = v;
            }
            if range.1 < hi * (1.0 - 1e-9) {
                range.1 = v;
            }
        }
    }
    if range.0 < range.1 { range } else { (0.5 * lo, 2.0 * hi) }
}

/// The step 1, 2 or 5 times a power of ten that gives at most `room` intervals.
fn step_of(lo: f64, hi: f64, room: usize) -> f64 {
    let rough = hi / room.max(1) as f64 - lo / room.max(1) as f64;
    let ten = ten_to(exponent(rough));
    let m = [1.0, 2.0, 5.0].into_iter().find(|m| m * ten >= rough * (1.0 - 1e-9));
    m.unwrap_or(10.0) * ten
}

fn linear_ticks(lo: f64, hi: f64, room: usize) -> Vec<Tick> {
    let step = step_of(lo, hi, room);
    let first = (lo / step - 1e-9).ceil();
    let count = ((hi / step + 1e-9).floor() - first) as usize + 1;
    let values: Vec<f64> = (0..count).map(|i| (first + i as f64) * step).collect();
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    values.into_iter().map(|at| Tick { at, label: number(at, step, largest) }).collect()
}

fn log_ticks(lo: f64, hi: f64, room: usize) -> Vec<Tick> {
    let inside = |v: f64| v >= lo * (1.0 - 1e-9) && v <= hi * (1.0 + 1e-9);
    let exponents = exponent(lo) - 1..=exponent(hi) + 1;
    let powers: Vec<i32> = exponents.clone().filter(|e| inside(ten_to(*e))).collect();
    if powers.len() >= 2 {
        let skip = powers.len().div_ceil(room.max(1)) as i32;
        let plain = powers.iter().all(|e| (-3..=5).contains(e));
        let mut ticks = Vec::new();
        for e in exponents {
            let at = ten_to(e);
            if inside(at) {
                let label = if plain { decimal(at, (-e).max(0) as usize) } else { power(e) };
                let labelled = e.rem_euclid(skip) == 0;
                ticks.push(if labelled { Tick { at, label } } else { Tick::minor(at) });
            }
            if powers.len() <= 8 {
                let between = (2..10).map(|m| f64::from(m) * at).filter(|v| inside(*v));
                ticks.extend(between.map(Tick::minor));
            }
        }
        return ticks;
    }
    // Less than a decade or so: label 1, 2 and 5, or go on as on a linear axis.
    let mut ticks = Vec::new();
    for e in exponents {
        for m in 1..10 {
            let at = f64::from(m) * ten_to(e);
            if inside(at) {
                let label = number(at, ten_to(e), at);
                let labelled = matches!(m, 1 | 2 | 5);
                ticks.push(if labelled { Tick { at, label } } else { Tick::minor(at) });
            }
        }
    }
    let labelled = ticks.iter().filter(|t| !t.is_minor()).count();
    if labelled >= 2 { ticks } else { linear_ticks(lo, hi, room) }
}

fn ten_to(e: i32) -> f64 {
    // Parsing rounds correctly; powers by multiplication do not, and 10⁻³ must read 0.001.
    format!("1e{e}").parse().unwrap_or(0.0)
}

/// The power of ten at or below a positive value.
fn exponent(v: f64) -> i32 {
    let e = v.log10().floor() as i32;
    // The logarithm of a power of ten may be rounded to below it.
    if ten_to(e + 1) <= v { e + 1 } else { e }
}

/// A tick's value with the digits that its step needs.
fn number(v: f64, step: f64, largest: f64) -> String {
    let digits = (-exponent(step)).max(0) as usize;
    if (1e-4..1e6).contains(&largest) || largest == 0.0 {
        return decimal(v, digits);
    }
    if v == 0.0 {
        return "0".into();
    }
    let e = exponent(largest);
    let digits = (e - exponent(step)).max(0) as usize;
    let mantissa = decimal(v / ten_to(e), digits);
    if mantissa == "1" { power(e) } else { format!("{mantissa}·{}", power(e)) }
}

/// A power of ten, 10⁻³.
fn power(e: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        c => char::from_u32('⁰' as u32 + c as u32 - '0' as u32).unwrap_or(c),
    };
    if e == 0 {
        "1".into()
    } else {
        format!("10{}", e.to_string().chars().map(digit).collect::<String>())
    }
}

/// A decimal number with a true minus sign, and thousands set apart from five digits on.
fn decimal(v: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", v.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    if v < 0.0 && text.chars().any(|c| c.is_ascii_digit() && c != '0') {
        out.push('−');
    }
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && whole.len() >= 5 && (whole.len() - i) % 3 == 0 {
            out.push('\u{202f}'); // narrow space that does not break
        }
        out.push(c);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], log: bool) -> Vec<String> {
        let wish = Wish { log, range: None, zero: false, room: 6 };
        let axis = Axis::fit(values.iter().copied(), wish);
        axis.ticks.into_iter().filter(|t| !t.is_minor()).map(|t| t.label).collect()
    }

    #[test]
    fn linear_ticks_step_by_one_two_or_five() {
        assert_eq!(labels(&[0.0, 1.0], false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&[3.0, 27.0], false), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(labels(&[-2.0, 2.0], false), ["−2", "−1", "0", "1", "2"]);
        assert_eq!(labels(&[100.2, 100.6], false), ["100.2", "100.3", "100.4", "100.5", "100.6"]);
    }

    #[test]
    fn powers_of_ten_are_labelled_and_the_rest_is_minor() {
        assert_eq!(labels(&[0.001, 10.0], true), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&[1e-9, 1e-7], true), ["10⁻⁹", "10⁻⁸", "10⁻⁷"]);
        let wish = Wish { log: true, range: None, zero: false, room: 6 };
        let axis = Axis::fit([1.0, 100.0].into_iter(), wish);
        assert_eq!(axis.ticks.len(), 19, "1, 2 … 9, 10, 20 … 90, 100");
        // Many decades: not more labels than there is room for.
        assert!(labels(&[1e-20, 1e20], true).len() <= 6);
    }

    #[test]
    fn less_than_a_decade_is_still_labelled() {
        assert_eq!(labels(&[2.1, 7.0], true), ["2", "5", "10"]);
        assert!(labels(&[3.1, 3.2], true).len() >= 2);
    }

    #[test]
    fn large_and_small_numbers_get_a_power_and_a_true_minus() {
        let ticks = labels(&[0.0, 2e7], false);
        assert_eq!(ticks, ["0", "0.5·10⁷", "1.0·10⁷", "1.5·10⁷", "2.0·10⁷"]);
        assert_eq!(labels(&[0.0, 4e-6], false), ["0", "10⁻⁶", "2·10⁻⁶", "3·10⁻⁶", "4·10⁻⁶"]);
        assert_eq!(decimal(-26_000.0, 0), "−26\u{202f}000");
        assert_eq!(decimal(-0.0001, 2), "0.00");
        assert_eq!(decimal(9000.0, 0), "9000");
    }

    #[test]
    fn any_values_give_an_axis_with_a_width_and_ticks_inside() {
        let odd: [&[f64]; 9] = [
            &[],
            &[f64::NAN, f64::INFINITY],
            &[0.0],
            &[-3.0],
            &[5e-324],
            &[1e300, -1e300],
            &[1e308],
            &[1e-300, 1e300],
            &[1e15, 1e15 + 0.125],
        ];
        for values in odd {
            for log in [false, true] {
                let wish = Wish { log, range: Some((f64::NAN, 1.0)), zero: false, room: 6 };
                let axis = Axis::fit(values.iter().copied(), wish);
                let (lo, hi) = axis.range();
                assert!(lo < hi, "{values:?}");
                assert!(!axis.ticks.is_empty(), "{values:?}");
                for t in &axis.ticks {
                    let at = axis.place(t.at).unwrap();
                    assert!((-1e-6..=1.0 + 1e-6).contains(&at), "{values:?} {t:?}");
                }
                for v in values.iter().filter(|v| shows(log, **v)) {
                    assert!((0.0..=1.0).contains(&axis.place(*v).unwrap()), "{values:?} {v}");
                }
            }
        }
    }
}
