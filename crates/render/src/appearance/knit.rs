//! The relief of a knitted cloth: loops of yarn, drawn once into a tile.
//!
//! The centre line of a course is x = w (t / 2π + a sin 2t), y = h cos t, z = −d cos 2t: legs in front,
//! heads behind, the usual closed form of the plain knit loop. Ribs turn wales around.

use super::Yarn;
use super::weave::Relief;
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};
use std::f32::consts::TAU;

/// How loops hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Knit {
    /// Plain knit: legs in front, heads and feet behind.
    Jersey,
    /// One wale to the front, one to the back.
    #[serde(rename = "rib-1x1")]
    Rib1x1,
    /// Two wales to the front, two to the back.
    #[serde(rename = "rib-2x2")]
    Rib2x2,
    /// Two ribs through each other: legs on both sides.
    Interlock,
    /// Rows of heads on both sides: garter stitch.
    Purl,
}

impl Knit {
    /// Whether the legs of a loop are in front, for the wales and courses of a repeat.
    fn faces(self) -> &'static [&'static [bool]] {
        match self {
            Self::Jersey | Self::Interlock => &[&[true]],
            Self::Rib1x1 => &[&[true, false]],
            Self::Rib2x2 => &[&[true, true, false, false]],
            Self::Purl => &[&[true], &[false]],
        }
    }
}

/// Texels along a wale's width.
const TEXELS: usize = 56;
/// Points of a loop.
const POINTS: usize = 220;
/// Amplitude of the sideways swing, in wales.
const SWING: f32 = 0.14;
/// Half height of a loop, in courses.
const HALF_HEIGHT: f32 = 0.92;
/// Slopes are cut here, as in weaves.
const STEEPEST: f32 = 1.6;

/// A texel: the relief with coordinates relative to its loop.
type Texel = Option<Drawn>;

#[derive(Clone, Copy, Debug)]
struct Drawn {
    /// Place along the yarn, in loops.
    along: f32,
    across: f32,
    /// Height above the middle of the cloth, in wales.
    z: f32,
    slope: Vec2,
    /// Direction of the yarn in the plane.
    dir: Vec2,
}

/// A point of a knit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) relief: Relief,
    /// Direction of the yarn in material coordinates.
    pub(super) dir: Vec2,
}

/// A knitted cloth.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    size: Vec2,
    columns: usize,
    rows: usize,
    front: Vec<Texel>,
    back: Vec<Texel>,
    courses: i64,
    wale: f32,
    top: f32,
}

impl Tile {
    pub(super) fn new(knit: Knit, yarn: &Yarn, course_mm: Option<f64>) -> Self {
        let wale = yarn.spacing_mm as f32 * 1e-3;
        let course = course_mm.unwrap_or(0.8 * yarn.spacing_mm) as f32 * 1e-3;
        let radius = 0.5e-3 * yarn.thickness_mm as f32 / wale;
        let faces = knit.faces();
        let (wales, courses) = (faces[0].len(), faces.len());
        // A little fewer than a wale needs for very flat loops, so that memory stays small.
        let ratio = (course / wale).clamp(0.2, 5.0);
        let columns = TEXELS * wales;
        let rows = ((TEXELS as f32 * ratio) as usize).max(8) * courses;
        let mut tile = Self {
            size: Vec2::new(wales as f32 * wale, courses as f32 * course),
            columns,
            rows,
            front: vec![None; columns * rows],
            back: vec![None; columns * rows],
            courses: courses as i64,
            wale,
            top: 0.0,
        };
        let depth = radius * (0.4 + 0.8 * yarn.crimp as f32);
        tile.top = depth + radius;
        for (j, row) in faces.iter().enumerate() {
            for (i, face) in row.iter().enumerate() {
                tile.stamp_loop([i, j], *face, [radius, depth, ratio], yarn.flatness as f32);
            }
        }
        if knit == Knit::Interlock {
            tile.back = tile.front.clone();
        }
        tile
    }

    /// Draws the loop of a wale and course on both sides; lengths are in wales.
    fn stamp_loop(&mut self, [i, j]: [usize; 2], face: bool, measures: [f32; 3], flatness: f32) {
        let [radius, depth, ratio] = measures;
        let side = if face { 1.0 } else { -1.0 };
        let rise = radius * flatness.max(0.3);
        let at = |t: f32| {
            // From one foot over the head to the next foot.
            let x = i as f32 + t / TAU + SWING * (2.0 * t).sin();
            let y = ratio * (j as f32 + 0.5 - HALF_HEIGHT * t.cos());
            Vec3::new(x, y, -side * depth * (2.0 * t).cos())
        };
        for k in 0..POINTS {
            let t = TAU * (k as f32 + 0.5) / POINTS as f32;
            let (p, d) = (at(t), at(t + 1e-3) - at(t - 1e-3));
            let flat = Vec2::new(d.x, d.y).normalize_or(Vec2::X);
            let climb = d.z / Vec2::new(d.x, d.y).length().max(1e-6);
            let point = Point { at: p, dir: flat, climb, along: t / TAU };
            for front in [true, false] {
                self.stamp(&point, front, radius, rise);
            }
        }
    }

    /// Draws a short piece of yarn on one side.
    fn stamp(&mut self, p: &Point, front: bool, radius: f32, rise: f32) {
        let scale = TEXELS as f32;
        let rows_per = self.rows as f32 / (self.size.y / self.wale);
        let (cx, cy) = (p.at.x * scale, p.at.y * rows_per);
        let (rx, ry) = (radius * scale, radius * rows_per);
        let side = if front { 1.0 } else { -1.0 };
        let (columns, rows) = (self.columns as i64, self.rows as i64);
        for y in (cy - ry).floor() as i64..=(cy + ry).ceil() as i64 {
            for x in (cx - rx).floor() as i64..=(cx + rx).ceil() as i64 {
                let off =
                    Vec2::new((x as f32 + 0.5 - cx) / scale, (y as f32 + 0.5 - cy) / rows_per);
                let (along, across) = (off.dot(p.dir), off.perp_dot(p.dir) / radius);
                if along.abs() > 0.05 || across.abs() > 1.0 {
                    continue;
                }
                let arch = (1.0 - across * across).max(1e-4).sqrt();
                let climb = side * p.climb;
                let z = side * p.at.z + rise * arch + climb * along;
                let at =
                    y.rem_euclid(rows) as usize * self.columns + x.rem_euclid(columns) as usize;
                let texels = if front { &mut self.front } else { &mut self.back };
                if texels[at].is_some_and(|old| old.z >= z) {
                    continue;
                }
                // `perp_dot` grows to the right of the yarn.
                let right = Vec2::new(p.dir.y, -p.dir.x);
                let steep = -across / arch * rise / radius;
                let slope = right * steep + p.dir * climb;
                let slope = slope.clamp(Vec2::splat(-STEEPEST), Vec2::splat(STEEPEST));
                texels[at] = Some(Drawn { along: p.along, across, z, slope, dir: p.dir });
            }
        }
    }

    /// Size of the repeat [m].
    pub(super) fn repeat(&self) -> Vec2 {
        self.size
    }

    /// Thickness of the cloth [m].
    pub(super) fn thickness(&self) -> f32 {
        2.0 * self.top * self.wale
    }

    /// The yarn seen at a point of one side; `None` in a gap.
    pub(super) fn at(&self, uv: Vec2, front: bool) -> Option<Loop> {
        let p = uv / self.size;
        let cell = p.floor();
        let q = p - cell;
        let x = ((q.x * self.columns as f32) as usize).min(self.columns - 1);
        let y = ((q.y * self.rows as f32) as usize).min(self.rows - 1);
        let texels = if front { &self.front } else { &self.back };
        let texel = texels[y * self.columns + x]?;
        let height = (0.5 + 0.5 * texel.z / self.top).clamp(0.0, 1.0);
        let relief = Relief {
            yarn: 0,
            number: cell.y as i64 * self.courses + y as i64 * self.courses / self.rows as i64,
            along: (cell.x + texel.along) * 3.0 * self.wale,
            across: texel.across,
            slope: texel.slope,
            height,
        };
        Some(Loop { relief, dir: texel.dir })
    }
}

/// A point of a loop's centre line.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// In wales.
    at: Vec3,
    dir: Vec2,
    /// Slope along the yarn, towards the front.
    climb: f32,
    along: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance::Fibre;

    fn tile(knit: Knit) -> Tile {
        Tile::new(knit, &Yarn::new(Fibre::Cotton, 0, 0.8, 0.42), None)
    }

    /// Mean of |direction · grain| over one side.
    fn upright(tile: &Tile, front: bool) -> f32 {
        let n = 120;
        let at = |k: i32| Vec2::new((k % n) as f32 + 0.5, (k / n) as f32 + 0.5) / n as f32;
        let seen: Vec<f32> = (0..n * n)
            .filter_map(|k| tile.at(at(k) * tile.size, front))
            .map(|l| l.dir.y.abs())
            .collect();
        assert!(seen.len() as f32 > 0.7 * (n * n) as f32, "{}", seen.len());
        seen.iter().sum::<f32>() / seen.len() as f32
    }

    #[test]
    fn jersey_shows_legs_in_front_and_heads_behind() {
        let tile = tile(Knit::Jersey);
        let (front, back) = (upright(&tile, true), upright(&tile, false));
        assert!(front > back + 0.2, "{front} {back}");
    }

    #[test]
    fn interlock_and_ribs_look_alike_on_both_sides() {
        for knit in [Knit::Interlock, Knit::Rib1x1, Knit::Rib2x2, Knit::Purl] {
            let tile = tile(knit);
            assert!((upright(&tile, true) - upright(&tile, false)).abs() < 0.05, "{knit:?}");
        }
    }

    #[test]
    fn the_tile_repeats() {
        let tile = tile(Knit::Rib1x1);
        for k in 0..200 {
            let p = Vec2::new(k as f32 * 0.013, k as f32 * 0.029) * tile.size;
            let far = p + tile.size * Vec2::new(3.0, -2.0);
            let slope = |q| tile.at(q, true).map(|l| l.relief.across);
            let (a, b) = (slope(p), slope(far));
            // Rounding may choose the next texel.
            assert!(a.is_some() == b.is_some() || k % 7 != 0);
        }
    }
}
