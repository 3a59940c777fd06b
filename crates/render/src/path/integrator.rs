//! One path from the camera to the lights.

mod direct;
mod surfel;

use self::surfel::Surfel;
use super::Background;
use super::world::{Prepared, World};
use crate::bsdf::Bsdf;
use crate::bvh::{Hit, Ray, Stack};
use crate::sampler::Sampler;
use crate::warp::power_heuristic;
use glam::Vec3;

/// How far rays start above the surface, in scene units: above f32 rounding, below any gap.
const LIFT: f32 = 3e-5;
/// The camera sees this deep into the floor, so that cloth resting on it is not cut by rounding.
const FLOOR_DEPTH: f32 = 1e-3;
/// Most gaps of cloth that one ray passes.
const MAX_GAPS: usize = 32;
/// First use of sample points by bounces, and the uses of each.
const FIRST_DIMENSION: u32 = 3;
const DIMENSIONS: u32 = 6;
/// Bounces before a path may be ended at random.
const SURE_BOUNCES: u32 = 1;
/// Tangent of the half angle that a pixel's cone has after a bounce: details no longer matter.
const SCATTERED_SPREAD: f32 = 0.25;

/// What one camera ray found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Light that came back; that on a catcher, if it is one.
    pub(crate) light: Vec3,
    /// On a catcher: the light without anything in its path.
    pub(crate) open: Option<Vec3>,
    pub(crate) albedo: Vec3,
    /// Shading normal, facing the camera; zero if nothing was met.
    pub(crate) normal: Vec3,
    pub(crate) position: Vec3,
    pub(crate) depth: f32,
    /// Index of the surface plus one; 0 for the floor and for nothing. Of sheer cloth that the ray passed, the first.
    pub(crate) material: u32,
    /// Whether the light comes from a surface, and not from what is seen beside or through all of them.
    pub(crate) covered: bool,
}

impl Seen {
    /// The camera ray met a surface, `skip` after its start at the latest.
    fn meet(&mut self, surfel: &Surfel, skip: f32) {
        self.normal = surfel.frame.normal;
        self.position = surfel.position;
        self.depth = skip + surfel.t;
        self.material = surfel.item + 1;
    }
}

/// Where a path has come to.
#[derive(Clone, Copy, Debug)]
struct Walk {
    ray: Ray,
    /// Least distance of the next hit.
    t_min: f32,
    throughput: Vec3,
    /// Density of the last direction; `None` for camera rays.
    pdf: Option<f32>,
    /// Width of what the ray stands for where it starts, and its growth with distance.
    width: f32,
    spread: f32,
}

/// What a ray meets first.
enum Met<'a> {
    Nothing,
    Lamp { radiance: Vec3, pdf: f32 },
    Floor(Surfel),
    Surface(Surfel, Bsdf<'a>),
}

/// Sample points of one bounce.
#[derive(Clone, Copy, Debug)]
struct Points {
    sampler: Sampler,
    first: u32,
}

impl Points {
    fn new(sampler: Sampler, bounce: u32) -> Self {
        Self { sampler, first: FIRST_DIMENSION + DIMENSIONS * bounce }
    }
    /// Which lamp, and which lobe of a BSDF.
    fn choice(self) -> [f32; 2] {
        self.sampler.at(self.first)
    }
    fn lamp(self) -> [f32; 2] {
        self.sampler.at(self.first + 1)
    }
    fn scatter(self) -> [f32; 2] {
        self.sampler.at(self.first + 2)
    }
    /// Place within the footprint of the ray on cloth.
    fn footprint(self) -> [f32; 2] {
        self.sampler.at(self.first + 3)
    }
    /// The same for shadow rays.
    fn shadow(self) -> [f32; 2] {
        self.sampler.at(self.first + 4)
    }
    fn survival(self) -> f32 {
        self.sampler.at(self.first + 5)[0]
    }
}

impl World {
    /// Traces a camera ray. `spread` is the width of a pixel at distance one.
    pub(crate) fn trace(
        &self,
        ray: &Ray,
        spread: f32,
        sampler: Sampler,
        stack: &mut Stack,
    ) -> Seen {
        // From afar, start near the scene: distances from the eye would eat up the precision.
        let skip = (ray.origin.length() - 2.0).max(0.0);
        let skip = if self.emitters.is_empty() { skip } else { 0.0 };
        let near = Ray::new(ray.at(skip), ray.dir).with_time(ray.time);
        let mut walk = Walk {
            ray: near,
            t_min: 0.0,
            throughput: Vec3::ONE,
            pdf: None,
            width: spread * skip,
            spread,
        };
        let mut seen = Seen {
            light: Vec3::ZERO,
            open: None,
            albedo: Vec3::ONE,
            normal: Vec3::ZERO,
            position: ray.dir * 1e3,
            depth: 0.0,
            material: 0,
            covered: false,
        };
        for bounce in 0..=self.bounces {
            let points = Points::new(sampler, bounce);
            let mut veil = None;
            let met = self.meet(&walk, bounce, points, stack, &mut veil);
            if let Some(veil) = veil.filter(|_| bounce == 0) {
                seen.meet(&veil, skip);
            }
            let light = match met {
                Met::Nothing => self.far_light(walk.ray.dir, walk.pdf),
                Met::Lamp { radiance, pdf } => {
                    radiance * walk.pdf.map_or(1.0, |p| power_heuristic(p, pdf))
                }
                Met::Floor(surfel) => {
                    let light =
                        self.floor_vertex(&mut walk, &mut seen, &surfel, bounce, points, stack);
                    self.gain(&mut seen, light, bounce);
                    if walk.throughput == Vec3::ZERO {
                        break;
                    }
                    continue;
                }
                Met::Surface(surfel, bsdf) => {
                    if bounce == 0 {
                        seen.covered = true;
                        seen.albedo = bsdf.albedo();
                        if veil.is_none() {
                            seen.meet(&surfel, skip);
                        }
                    }
                    let direct = self.direct(&surfel, &bsdf, walk.ray.time, points, stack);
                    let light = walk.throughput * direct;
                    self.gain(&mut seen, light, bounce);
                    if bounce == self.bounces
                        || !self.scatter(&mut walk, &surfel, &bsdf, bounce, points)
                    {
                        break;
                    }
                    continue;
                }
            };
            let light = walk.throughput * light;
            self.gain(&mut seen, light, bounce.saturating_sub(1));
            break;
        }
        if let Some(albedo) = self.veil_albedo(ray, &seen, spread) {
            seen.albedo = albedo;
        }
        seen
    }

    /// The albedo of sheer cloth in front whose yarns are not told apart. What each sample saw in it or through it is
    /// chance: all of them are then smoothed as one surface.
    fn veil_albedo(&self, ray: &Ray, seen: &Seen, spread: f32) -> Option<Vec3> {
        let Prepared::Cloth(fabric) = &self.materials[seen.material.checked_sub(1)? as usize]
        else {
            return None;
        };
        let front = seen.normal.dot(ray.dir) < 0.0;
        fabric.veil_albedo(seen.depth * spread * self.scale, front)
    }

    /// Adds light that came by `bounce` bounces beyond the first vertex.
    fn gain(&self, seen: &mut Seen, light: Vec3, bounce: u32) {
        let most = light.max_element();
        let factor = if bounce > 0 && most > self.clamp { self.clamp / most } else { 1.0 };
        if most.is_finite() {
            seen.light += light * factor;
        }
    }

    /// Light from beyond everything.
    fn far_light(&self, dir: Vec3, pdf: Option<f32>) -> Vec3 {
        let Some(pdf) = pdf else {
            return match &self.background {
                Background::Paper(paper) => crate::preview::paper(paper, dir.y),
                Background::Environment => self.environment.radiance(dir),
                Background::Nothing => Vec3::ZERO,
            };
        };
        let (radiance, chosen) = self.environment.radiance_and_pdf(dir);
        let mut light = radiance * power_heuristic(pdf, self.environment_share * chosen);
        for (emitter, share) in self.emitters.iter().zip(&self.shares) {
            if let Some(met) = emitter.meet(Vec3::ZERO, dir, f32::INFINITY)
                && met.t == f32::INFINITY
            {
                light += met.radiance * power_heuristic(pdf, share * met.pdf);
            }
        }
        light
    }

    /// The first thing on a ray that does not let it pass; `veil` becomes the first that does.
    fn meet(
        &self,
        walk: &Walk,
        bounce: u32,
        points: Points,
        stack: &mut Stack,
        veil: &mut Option<Surfel>,
    ) -> Met<'_> {
        let floor = self.meet_floor(&walk.ray);
        let mut t_min = walk.t_min;
        let reach = |t: Option<f32>| t.unwrap_or(f32::INFINITY);
        for _ in 0..MAX_GAPS {
            let hit = self.bvh.closest(&walk.ray, t_min, f32::INFINITY, stack);
            let depth = if bounce == 0 { FLOOR_DEPTH / -walk.ray.dir.y.min(-1e-3) } else { 0.0 };
            let hit = hit.filter(|h| h.t < reach(floor) + depth);
            let limit = hit.map(|h| h.t).or(floor);
            if let Some((radiance, pdf)) = self.meet_lamp(&walk.ray, reach(limit)) {
                return Met::Lamp { radiance, pdf };
            }
            let Some(hit) = hit else {
                return match floor {
                    Some(t) => Met::Floor(Surfel::floor(&walk.ray, t)),
                    None => Met::Nothing,
                };
            };
            let surfel = self.surfel(&walk.ray, &hit);
            let width = walk.width + walk.spread * hit.t;
            if let Some(bsdf) = self.bsdf(&surfel, width, bounce, points) {
                return Met::Surface(surfel, bsdf);
            }
            veil.get_or_insert(surfel);
            t_min = hit.t + LIFT;
        }
        Met::Nothing
    }

    /// The nearest lamp on a ray: its radiance and the density of sampling it.
    fn meet_lamp(&self, ray: &Ray, t_max: f32) -> Option<(Vec3, f32)> {
        let mut best = None;
        let mut limit = t_max;
        for (emitter, share) in self.emitters.iter().zip(&self.shares) {
            if let Some(met) = emitter.meet(ray.origin, ray.dir, limit)
                && met.t < f32::INFINITY
            {
                limit = met.t;
                best = Some((met.radiance, share * met.pdf));
            }
        }
        best
    }

    /// Distance to the floor, if the ray meets it from above.
    fn meet_floor(&self, ray: &Ray) -> Option<f32> {
        let above = ray.origin.y - self.floor?.height;
        (above > 0.0 && ray.dir.y < 0.0).then(|| above / -ray.dir.y)
    }

    /// Sends the path on from a vertex; false if it ends.
    fn scatter(
        &self,
        walk: &mut Walk,
        surfel: &Surfel,
        bsdf: &Bsdf<'_>,
        bounce: u32,
        points: Points,
    ) -> bool {
        let view = surfel.frame.local(surfel.view);
        let Some(drawn) = bsdf.sample(view, points.choice()[1], points.scatter()) else {
            return false;
        };
        let dir = surfel.frame.world(drawn.dir).normalize();
        if !surfel.is_consistent(dir, drawn.dir.z) {
            return false;
        }
        walk.throughput *= drawn.weight;
        let most = walk.throughput.max_element();
        if bounce >= SURE_BOUNCES {
            let survives = most.clamp(0.05, 0.95);
            if points.survival() >= survives {
                return false;
            }
            walk.throughput /= survives;
        }
        walk.width += walk.spread * surfel.t;
        walk.spread = SCATTERED_SPREAD;
        walk.ray = Ray::new(surfel.origin(drawn.dir.z > 0.0), dir).with_time(walk.ray.time);
        walk.t_min = 0.0;
        walk.pdf = Some(drawn.pdf);
        true
    }

    /// A vertex on the floor: a catcher for camera rays, a matte plane for others. Gives the direct light.
    fn floor_vertex(
        &self,
        walk: &mut Walk,
        seen: &mut Seen,
        surfel: &Surfel,
        bounce: u32,
        points: Points,
        stack: &mut Stack,
    ) -> Vec3 {
        let plane = self.floor.map_or(Vec3::ZERO, |f| f.colour);
        let (sure, bsdf) = self.floor_bsdf(if bounce == 0 { Vec3::ONE } else { plane });
        if bounce == 0 {
            seen.albedo = self.far_light(walk.ray.dir, None);
            if seen.material == 0 {
                seen.normal = Vec3::Y;
                seen.position = surfel.position;
            }
        }
        let time = walk.ray.time;
        let (lit, open) = self.direct_and_open(surfel, &bsdf, time, points, stack);
        let light = walk.throughput * lit;
        let before = walk.throughput;
        if !sure || bounce == self.bounces || !self.scatter(walk, surfel, &bsdf, bounce, points) {
            walk.throughput = Vec3::ZERO;
        }
        if bounce == 0 {
            // What the scattered ray would meet on an empty floor.
            let mut open = before * open;
            if let Some(pdf) = walk.pdf.filter(|_| walk.throughput != Vec3::ZERO) {
                open += walk.throughput * self.empty_light(&walk.ray, pdf);
            }
            seen.open = Some(open);
        }
        light
    }

    /// Light along a ray if there were lamps and the environment alone.
    fn empty_light(&self, ray: &Ray, pdf: f32) -> Vec3 {
        match self.meet_lamp(ray, f32::INFINITY) {
            Some((radiance, chosen)) => radiance * power_heuristic(pdf, chosen),
            None => self.far_light(ray.dir, Some(pdf)),
        }
    }

    /// The hit as a surface element.
    fn surfel(&self, ray: &Ray, hit: &Hit) -> Surfel {
        Surfel::new(ray, hit, &self.triangles[hit.triangle as usize], self.moving)
    }
}
