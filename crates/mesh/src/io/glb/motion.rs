//! Animations: transforms of nodes and weights of morph targets over time.

use super::super::Error;
use super::super::error::excerpt;
use super::document::{self, File, Sampler};
use super::scene::{DAMAGED, Local, Scene, unit};
use glam::{DMat4, DVec3};
use std::collections::BTreeSet;

/// Keys farther apart than this are followed between them too, where the path is not straight or
/// something may be passed [s].
const LARGEST_GAP: f64 = 0.05;
/// Time between frames that are put between such keys [s].
const BETWEEN: f64 = 1.0 / 30.0;
/// Most frames that are put between keys.
const MAX_BETWEEN: f64 = 100_000.0;

/// What a channel changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// How values go from key to key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interpolation {
    Step,
    Linear,
    /// Hermite splines; each key is a tangent into it, a value, and a tangent out of it.
    CubicSpline,
}

/// One property of a node over time.
struct Channel {
    node: usize,
    path: Path,
    times: Vec<f64>,
    /// Values for each key, all behind one another.
    values: Vec<f64>,
    /// Numbers of a value.
    width: usize,
    interpolation: Interpolation,
    /// Whether its values differ at all.
    changes: bool,
}

/// An animation of the default scene.
pub(super) struct Motion {
    channels: Vec<Channel>,
    /// Channels of each node.
    of_node: Vec<Vec<usize>>,
    /// Times of the frames \[s\].
    pub(super) times: Vec<f64>,
}

impl Motion {
    /// The animation that moves vertices of the scene, if there is one.
    pub(super) fn new(file: &File<'_>, scene: &Scene) -> Result<Option<Self>, Error> {
        let movers = scene.movers(file);
        let mut numbers = 0;
        let mut found: Vec<(String, Vec<Channel>)> = Vec::new();
        for (k, animation) in file.document.animations.iter().enumerate() {
            let channels = channels(file, scene, &movers, animation, &mut numbers)?;
            if !channels.is_empty() {
                let name = animation.name.as_ref().map(|n| excerpt(n.as_bytes()));
                found.push((name.unwrap_or_else(|| format!("animation {k}")), channels));
            }
        }
        if found.len() > 1 {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).take(5).collect();
            let what = format!("there are {} animations: {}", found.len(), names.join(", "));
            return Err(file.error(what, "export one of them only"));
        }
        let Some((_, channels)) = found.pop() else { return Ok(None) };
        let times = frame_times(file, &channels)?;
        let mut of_node = vec![Vec::new(); file.document.nodes.len()];
        channels.iter().enumerate().for_each(|(k, c)| of_node[c.node].push(k));
        Ok(Some(Self { channels, of_node, times }))
    }

    /// Transforms of all nodes at a time.
    pub(super) fn transforms(&self, file: &File<'_>, scene: &Scene, time: f64) -> Vec<DMat4> {
        scene.transforms(file, |node, local| {
            let own = self.of_node[node].iter().map(|k| &self.channels[*k]);
            own.fold(local, |local, channel| channel.changed(local, time))
        })
    }

    /// Transforms of all nodes a part of the way from where they are when nothing is animated to where they are at a time.
    pub(super) fn transforms_toward(
        &self,
        file: &File<'_>,
        scene: &Scene,
        time: f64,
        s: f64,
    ) -> Vec<DMat4> {
        scene.transforms(file, |node, local| {
            let own = self.of_node[node].iter().map(|k| &self.channels[*k]);
            local.toward(own.fold(local, |local, channel| channel.changed(local, time)), s)
        })
    }

    /// Weights of the morph targets of a node at a time.
    pub(super) fn weights(&self, node: usize, time: f64) -> Option<Vec<f64>> {
        let mut own = self.of_node[node].iter().map(|k| &self.channels[*k]);
        own.find(|c| c.path == Path::Weights).map(|c| c.at(time))
    }
}

impl Channel {
    /// The transform of a node with this property at a time.
    fn changed(&self, local: Local, time: f64) -> Local {
        let Local::Parts { mut translation, mut rotation, mut scale } = local else {
            return local;
        };
        match self.path {
            Path::Translation => translation = DVec3::from_slice(&self.at(time)),
            Path::Scale => scale = DVec3::from_slice(&self.at(time)),
            Path::Rotation => {
                let q = self.at(time);
                rotation = unit([q[0], q[1], q[2], q[3]]);
            }
            Path::Weights => {}
        }
        Local::Parts { translation, rotation, scale }
    }

    /// The value at a time; before the first and after the last key it stays.
    fn at(&self, time: f64) -> Vec<f64> {
        let after = self.times.partition_point(|t| *t <= time);
        if after == 0 {
            return self.value(0).to_vec();
        }
        let k = after - 1;
        let stays = self.interpolation == Interpolation::Step || self.times[k] == time;
        if stays || after == self.times.len() {
            return self.value(k).to_vec();
        }
        let span = self.times[after] - self.times[k];
        let s = (time - self.times[k]) / span;
        let (a, b) = (self.value(k), self.value(after));
        if self.interpolation == Interpolation::CubicSpline {
            let (out, into) = (self.row(3 * k + 2), self.row(3 * after));
            let (s2, s3) = (s * s, s * s * s);
            let basis =
                [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
            let mix = |i: usize| {
                basis[0] * a[i]
                    + span * basis[1] * out[i]
                    + basis[2] * b[i]
                    + span * basis[3] * into[i]
            };
            return (0..self.width).map(mix).collect();
        }
        if self.path == Path::Rotation {
            let ends = [a, b].map(|q| unit([q[0], q[1], q[2], q[3]]));
            return ends[0].slerp(ends[1], s).to_array().to_vec();
        }
        a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect()
    }

    /// The value at key `k`.
    fn value(&self, k: usize) -> &[f64] {
        match self.interpolation {
            Interpolation::CubicSpline => self.row(3 * k + 1),
            Interpolation::Step | Interpolation::Linear => self.row(k),
        }
    }

    fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.width..(k + 1) * self.width]
    }

    /// Whether frames at the keys alone may miss something between times `a` and `b`. Straight
    /// paths of morph targets count as frames of a film, which has nothing between them.
    fn moves_between(&self, a: f64, b: f64) -> bool {
        let straight = self.path == Path::Weights && self.interpolation == Interpolation::Linear;
        let [first, last] = [self.times[0], self.times[self.times.len() - 1]];
        let is_jump = straight || self.interpolation == Interpolation::Step;
        self.changes && !is_jump && a < last && b > first
    }
}

/// The channels of an animation that move vertices. Many channels may share their data: `numbers`
/// counts how many they unfold to.
fn channels(
    file: &File<'_>,
    scene: &Scene,
    movers: &[bool],
    animation: &document::Animation,
    numbers: &mut u64,
) -> Result<Vec<Channel>, Error> {
    let mut channels: Vec<Channel> = Vec::new();
    let mut known = BTreeSet::new();
    for channel in &animation.channels {
        let path = match channel.target.path.as_str() {
            "translation" => Path::Translation,
            "rotation" => Path::Rotation,
            "scale" => Path::Scale,
            "weights" => Path::Weights,
            other => {
                let what = format!("an animation of `{}`", excerpt(other.as_bytes()));
                return Err(file.error(what, "export animations of nodes and shape keys only"));
            }
        };
        // The format tells readers to ignore channels without a node.
        let Some(index) = channel.target.node else { continue };
        let node = file.item(&file.document.nodes, index, "node")?;
        let part = scene.parts.iter().find(|p| p.node == index);
        let matters = match path {
            Path::Weights => part.is_some(),
            _ => movers[index],
        };
        if !matters {
            continue;
        }
        if !known.insert((index, path)) {
            let what = format!("two channels of an animation move node {index} in the same way");
            return Err(file.error(what, DAMAGED));
        }
        if path != Path::Weights && node.matrix.is_some() {
            let what = format!("node {index} has a matrix and is animated");
            return Err(file.error(what, "animated nodes have translation, rotation and scale"));
        }
        let width = match path {
            Path::Weights => part.map_or(0, |p| p.targets.len()),
            Path::Rotation => 4,
            Path::Translation | Path::Scale => 3,
        };
        let sampler = file.item(&animation.samplers, channel.sampler, "sampler")?;
        let keys = file.count(sampler.input)?.saturating_add(file.count(sampler.output)?);
        *numbers = numbers.saturating_add(keys.saturating_mul(4));
        file.check_size(*numbers)?;
        channels.push(sampled(file, sampler, index, path, width)?);
    }
    Ok(channels)
}

/// Keys and values of a channel.
fn sampled(
    file: &File<'_>,
    sampler: &Sampler,
    node: usize,
    path: Path,
    width: usize,
) -> Result<Channel, Error> {
    let interpolation = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let what = format!("the interpolation `{}` is unknown", excerpt(other.as_bytes()));
            return Err(file.error(what, "use LINEAR, STEP or CUBICSPLINE"));
        }
    };
    let times = file.values(sampler.input, 1)?;
    let items = if path == Path::Weights { 1 } else { width };
    let values = file.values(sampler.output, items)?;
    let rows = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let needed = times.len().checked_mul(rows * width);
    let is_ordered = times.is_sorted() && times.iter().all(|t| t.is_finite());
    if times.is_empty() || width == 0 || !is_ordered || Some(values.len()) != needed {
        let (t, n) = (times.len(), values.len());
        let what = match path {
            Path::Weights => format!("{n} weights at {t} times for {width} morph targets"),
            _ => format!("{n} numbers at {t} times for the {path:?} of node {node}").to_lowercase(),
        };
        return Err(file.error(what, DAMAGED));
    }
    if values.iter().any(|v| !v.is_finite()) {
        return Err(file.error(format!("a key of node {node} is not finite"), DAMAGED));
    }
    let changes = values.chunks(width).any(|row| row != &values[..width]);
    Ok(Channel { node, path, times, values, width, interpolation, changes })
}

/// Times of the frames: all keys, and times between keys that are far apart.
fn frame_times(file: &File<'_>, channels: &[Channel]) -> Result<Vec<f64>, Error> {
    let mut keys: Vec<f64> = channels.iter().flat_map(|c| c.times.iter().copied()).collect();
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let mut times = Vec::with_capacity(keys.len());
    let mut between = 0.0;
    for (k, key) in keys.iter().enumerate() {
        times.push(*key);
        let Some(next) = keys.get(k + 1) else { break };
        let gap = next - key;
        if gap > LARGEST_GAP && channels.iter().any(|c| c.moves_between(*key, *next)) {
            let parts = (gap / BETWEEN).ceil();
            between += parts;
            if between > MAX_BETWEEN {
                let what = format!("the animation lasts {:.0} s", keys[keys.len() - 1] - keys[0]);
                return Err(file.error(what, "export a shorter part of it"));
            }
            times.extend((1..parts as u32).map(|i| key + gap * (f64::from(i) / parts)));
        }
    }
    Ok(times)
}
