//! Maps of a fit, drawn on the garment from four sides, with their legends.

use super::ramp;
use crate::error::Error;
use glam::DVec3;
use toile_garment::fit::Fit;
use toile_mesh::TriMesh;
use toile_render as render;
use toile_render::label;
use toile_render::{Image, Material};

/// Sides that a garment is seen from, and their directions around the vertical axis [degrees].
const SIDES: [(&str, f64); 4] = [("front", 0.0), ("back", 180.0), ("left", 90.0), ("right", 270.0)];
/// Height of a view, and its least and largest width [px].
const TALL: u32 = 330;
const WIDE: [f64; 2] = [160.0, 300.0];
/// Room around the garment, as a part of its size.
const ROOM: f64 = 0.08;
/// Rays per pixel of a map; colours matter here, not shadows.
const SAMPLES_PER_PIXEL: u32 = 4;
/// Part of the cloth that has colours of its own; what is beyond takes the last.
const SHOWN: f64 = 0.98;
/// Ink of labels.
const INK: [u8; 3] = [46, 50, 56];

/// A quantity on a garment.
#[derive(Clone, Debug)]
pub(super) struct Map {
    /// Its name in files.
    pub(super) key: &'static str,
    /// What it is.
    pub(super) title: &'static str,
    /// Its unit.
    pub(super) unit: &'static str,
    /// What it tells.
    pub(super) about: &'static str,
    /// Value at each vertex of the cloth, in that unit.
    values: Vec<f64>,
    /// Value of the last colour; the first is zero.
    most: f64,
}

impl Map {
    fn new(
        [key, title, unit, about]: [&'static str; 4],
        values: &[f64],
        scale: f64,
        least: f64,
    ) -> Self {
        let values: Vec<f64> = values.iter().map(|v| scale * v).collect();
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (SHOWN * sorted.len() as f64) as usize;
        let top = sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0);
        Self { key, title, unit, about, values, most: round_up(top.max(least)) }
    }

    fn colours(&self) -> Vec<[f32; 3]> {
        self.values.iter().map(|v| ramp::linear(v / self.most)).collect()
    }

    /// Values at the beginning, the middle and the end of the legend.
    pub(super) fn marks(&self) -> [String; 3] {
        let middle = 0.5 * self.most;
        let whole = |digits: &i32| {
            let scaled = middle * libm::pow(10.0, f64::from(*digits));
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        };
        let digits = (0..4).find(whole).unwrap_or(4) as usize;
        let text = |value: f64| format!("{value:.digits$}");
        ["0".into(), text(middle), text(self.most) + "+"]
    }
}

/// All maps of a fit.
pub(super) fn maps(fit: &Fit) -> [Map; 4] {
    let m = &fit.maps;
    [
        Map::new(
            ["strain", "Strain", "%", "largest elongation of the cloth in any direction"],
            &m.strain,
            100.0,
            1.0,
        ),
        Map::new(
            ["tension", "Tension", "N/m", "largest pull in the cloth, per width"],
            &m.tension,
            1.0,
            1.0,
        ),
        Map::new(
            ["pressure", "Pressure", "kPa", "what the garment presses on the body with"],
            &m.pressure,
            1.0,
            0.05,
        ),
        Map::new(["gap", "Gap", "mm", "distance between body and cloth"], &m.gap, 1e3, 10.0),
    ]
}

/// The next larger of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
fn round_up(value: f64) -> f64 {
    const STEPS: [f64; 9] = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(value)));
    let step = STEPS.into_iter().find(|s| s * power >= value * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// The garment from four sides, painted by a map.
pub(super) fn views(cloth: &TriMesh, body: &TriMesh, map: &Map) -> Result<Image, Error> {
    let failed = |e: render::Error| Error::Picture(e.to_string());
    let nothing = || Error::Picture("there is nothing to see".into());
    let (lo, hi) = cloth.bounds().ok_or_else(nothing)?;
    let (ground, _) = body.bounds().ok_or_else(nothing)?;
    let (middle, size) = (0.5 * (lo + hi), (1.0 + ROOM) * (hi - lo));
    let reach = size.x.max(size.z);
    let width = (f64::from(TALL) * reach / size.y.max(1e-3)).clamp(WIDE[0], WIDE[1]).round();
    let colours = map.colours();
    let mut images = Vec::new();
    for (name, azimuth) in SIDES {
        // A box without depth: all views show the garment in the same size.
        let (sine, cosine) = azimuth.to_radians().sin_cos();
        let half = DVec3::new(cosine.abs() * reach, size.y, sine.abs() * reach) * 0.5;
        let aspect = width / f64::from(TALL);
        let (lo, hi) = (middle - half, middle + half);
        let camera = render::Camera::framing(lo, hi, azimuth.to_radians(), 0.04, aspect);
        let mut scene = render::Scene::new(camera).with_item(body, Material::plaster());
        scene = scene.with_ground(ground.y);
        let plain = Material { sheen: 0.0, ..Material::plaster() };
        scene =
            scene.with_painted(cloth, Material { crease: std::f64::consts::PI, ..plain }, &colours);
        // Even light, so that colours are those of the legend.
        scene.light.key = [0.34; 3];
        scene.light.sky = [0.62; 3];
        let samples = SAMPLES_PER_PIXEL;
        let settings = render::Settings { samples, ..render::Settings::new(width as u32, TALL) };
        let mut image = render::render(&scene, &settings).map_err(failed)?;
        label::write_at(&mut image, [8, 8], 2, name, INK);
        images.push(image);
    }
    Image::contact_sheet(&images, SIDES.len()).map_err(failed)
}

/// The picture of a map with its legend below it.
pub(super) fn with_legend(image: &Image, map: &Map) -> Image {
    const STRIP: u32 = 46;
    let mut all = Image::filled(image.width, image.height + STRIP, [255; 4]);
    all.rgba[..image.rgba.len()].copy_from_slice(&image.rgba);
    let top = image.height + 8;
    let title = format!("{} {}", map.title, map.unit);
    label::write_at(&mut all, [10, top + 4], 2, &title, INK);
    let left = 10 + label::width("pressure  kpa  ", 2);
    let wide = image.width.saturating_sub(left + 60).clamp(80, 720);
    for x in 0..wide {
        let colour = ramp::srgb(f64::from(x) / f64::from(wide - 1));
        label::fill(&mut all, [left + x, top], [1, 14], colour);
    }
    for (k, mark) in (0_u32..).zip(map.marks()) {
        let at = left + k * (wide - 1) / 2;
        label::fill(&mut all, [at, top + 14], [1, 4], INK);
        let half = label::width(&mark, 2) / 2;
        label::write_at(&mut all, [at - half.min(at), top + 21], 2, &mark, INK);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_end_at_round_numbers_above_nearly_all_values() {
        for (value, wanted) in
            [(0.9, 1.0), (1.01, 1.5), (23.0, 30.0), (0.071, 0.08), (100.0, 100.0)]
        {
            assert!((round_up(value) / wanted - 1.0).abs() < 1e-9, "{value} {}", round_up(value));
        }
        assert_eq!([round_up(0.0), round_up(f64::NAN)], [1.0; 2]);
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let map = Map::new(["gap", "Gap", "mm", ""], &values, 1.0, 1.0);
        assert_eq!(map.most, 1000.0);
        assert_eq!(map.marks(), ["0", "500", "1000+"]);
        assert_eq!(
            Map::new(["p", "P", "kPa", ""], &[], 1.0, 0.05).marks(),
            ["0", "0.025", "0.050+"]
        );
    }
}
