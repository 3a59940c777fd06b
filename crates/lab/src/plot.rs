//! Diagrams as SVG: lines, points and bars on linear or logarithmic axes.
//!
//! One small writer serves all of toile's diagrams: benchmarks, textile tests, work against
//! precision. It needs no font metrics and no dependency; widths of texts are estimated.
//!
//! ```
//! use toile_lab::plot::{Figure, Plot};
//!
//! let error = [(10.0, 1e-1), (100.0, 1e-3), (1000.0, 1e-5)];
//! let plot = Plot::new("Convergence")
//!     .x("steps")
//!     .log_x()
//!     .y("error [m]")
//!     .log_y()
//!     .line("midpoint", &error)
//!     .slope("order 2", -2.0, (10.0, 0.2));
//! let svg = Figure::row([plot]).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("midpoint"));
//! ```
//!
//! Values that are not finite, and values ≤ 0 on a logarithmic axis, are left out; a line is broken
//! there. An empty plot is still a valid picture.
//!
//! Colours are those of Okabe and Ito, which the colour-blind can tell apart, and every series also
//! has its own mark. Series of one name share colour and mark, in all panels of a figure. The
//! picture is light, and dark where the reader's browser asks for it.

mod axis;
mod draw;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Line,
    Points,
    Bars,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    kind: Kind,
    data: Vec<(f64, f64)>,
}

/// A dashed line that is not data.
#[derive(Clone, Debug)]
enum Reference {
    /// y = y₀ (x / x₀)^order.
    Slope { name: String, order: f64, through: (f64, f64) },
    /// The same y everywhere.
    Level { name: String, y: f64 },
}

impl Reference {
    fn name(&self) -> &str {
        match self {
            Self::Slope { name, .. } | Self::Level { name, .. } => name,
        }
    }

    fn at(&self, x: f64) -> f64 {
        match self {
            Self::Slope { order, through, .. } => through.1 * (x / through.0).powf(*order),
            Self::Level { y, .. } => *y,
        }
    }
}

/// What is written at an axis, and how it runs.
#[derive(Clone, Debug, Default)]
struct AxisStyle {
    label: String,
    log: bool,
    range: Option<(f64, f64)>,
}

/// One diagram.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    title: String,
    x: AxisStyle,
    y: AxisStyle,
    categories: Vec<String>,
    series: Vec<Series>,
    references: Vec<Reference>,
}

impl Plot {
    /// An empty diagram.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Label of the x axis, with its unit: `"time [s]"`.
    #[must_use]
    pub fn x(mut self, label: impl Into<String>) -> Self {
        self.x.label = label.into();
        self
    }

    /// Label of the y axis, with its unit.
    #[must_use]
    pub fn y(mut self, label: impl Into<String>) -> Self {
        self.y.label = label.into();
        self
    }

    /// Makes the x axis logarithmic.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.x.log = true;
        self
    }

    /// Makes the y axis logarithmic.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.y.log = true;
        self
    }

    /// Bounds of the x axis instead of those of the data; ignored if they make no sense.
    #[must_use]
    pub fn x_range(mut self, lo: f64, hi: f64) -> Self {
        self.x.range = Some((lo, hi));
        self
    }

    /// Bounds of the y axis instead of those of the data; ignored if they make no sense.
    #[must_use]
    pub fn y_range(mut self, lo: f64, hi: f64) -> Self {
        self.y.range = Some((lo, hi));
        self
    }

    /// Names for x = 0, 1, 2, …: a bar chart of things that are not numbers.
    #[must_use]
    pub fn categories<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// A line through points, in their order. Few points are marked as well. A series without a
    /// name is not in the legend.
    #[must_use]
    pub fn line(self, name: impl Into<String>, data: &[(f64, f64)]) -> Self {
        self.with(name, Kind::Line, data)
    }

    /// Points without a line.
    #[must_use]
    pub fn points(self, name: impl Into<String>, data: &[(f64, f64)]) -> Self {
        self.with(name, Kind::Points, data)
    }

    /// Bars from zero, or from the bottom of a logarithmic axis. Several series stand side by side.
    #[must_use]
    pub fn bars(self, name: impl Into<String>, data: &[(f64, f64)]) -> Self {
        self.with(name, Kind::Bars, data)
    }

    /// A dashed reference y = y₀ (x / x₀)^`order` through (x₀, y₀); straight when both axes are
    /// logarithmic. It does not widen the axes.
    #[must_use]
    pub fn slope(mut self, name: impl Into<String>, order: f64, through: (f64, f64)) -> Self {
        self.references.push(Reference::Slope { name: name.into(), order, through });
        self
    }

    /// A dashed reference at the height `y`. It does not widen the axes.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, y: f64) -> Self {
        self.references.push(Reference::Level { name: name.into(), y });
        self
    }

    fn with(mut self, name: impl Into<String>, kind: Kind, data: &[(f64, f64)]) -> Self {
        self.series.push(Series { name: name.into(), kind, data: data.to_vec() });
        self
    }

    /// The picture of this diagram alone.
    pub fn to_svg(&self) -> String {
        Figure::row([self.clone()]).to_svg()
    }
}

/// Several diagrams in one picture.
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    columns: usize,
    panel: (f64, f64),
    plots: Vec<Plot>,
}

impl Figure {
    /// Panels side by side.
    pub fn row(plots: impl IntoIterator<Item = Plot>) -> Self {
        Self::grid(usize::MAX, plots)
    }

    /// Panels below one another.
    pub fn column(plots: impl IntoIterator<Item = Plot>) -> Self {
        Self::grid(1, plots)
    }

    /// Panels row by row, `columns` in each.
    pub fn grid(columns: usize, plots: impl IntoIterator<Item = Plot>) -> Self {
        let plots: Vec<Plot> = plots.into_iter().collect();
        let columns = columns.clamp(1, plots.len().max(1));
        Self { title: String::new(), columns, panel: (460.0, 340.0), plots }
    }

    /// A title above all panels.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Size of each panel [px]; at least 200 × 160.
    #[must_use]
    pub fn panel_size(mut self, width: f64, height: f64) -> Self {
        // Also the size that is not a number becomes the least one.
        let size = |v: f64, least: f64| if v >= least { v.min(1e4) } else { least };
        self.panel = (size(width, 200.0), size(height, 160.0));
        self
    }

    /// The picture.
    pub fn to_svg(&self) -> String {
        draw::figure(self)
    }
}

#[cfg(test)]
mod tests;
