//! What a camera ray sees: direct light, sky and one bounce.
//!
//! A surface of colour c shows c · (K · V · d(n, l) + E) + fuzz, where K is the key light, V its
//! visibility through one ray into its disc, d the rough diffuse reflection of [fujii2012], a closed
//! form of [oren1994], and E the light of sky and surroundings. The sky's radiance S(d) = s (1 + d·g)
//! is linear, so without occluders E(n) = s (1 + ⅔ n·g) exactly; a ray that hits something only adds
//! the difference between what it hit and the sky behind. Open surfaces therefore have no noise.
//!
//! Shadow rays start from the smooth surface that the normals describe instead of the flat triangle
//! [hanika2021], which keeps the facets of coarse meshes out of their own shade.
//!
//! Limits: light bounces once; what is lit by the bounce of a bounce gets a guess by distance.

use crate::bvh::{Bvh, Hit, Ray, Stack};
use crate::geometry::{Triangle, Units, gather, measure};
use crate::sampler::Sampler;
use crate::warp::{cosine_direction, disc};
use crate::{Error, Item, Material, Scene};
use glam::{Vec2, Vec3};

/// How far rays start above the surface, in scene units: above f32 rounding, below any gap.
const LIFT: f32 = 3e-5;
/// The camera sees this deep into the ground, so that cloth resting on it is not cut by rounding.
const GROUND_DEPTH: f32 = 1e-3;
/// Shadows on the ground fade out between these distances from the scene, in scene units.
const GROUND_FADE: [f32; 2] = [4.0, 9.0];
/// Distance at which half of the light reaches the place from where light bounces.
const BOUNCE_OPENS: f32 = 0.12;

/// Uses of sample points.
const DIMENSION_KEY: u32 = 1;
const DIMENSION_SKY: u32 = 2;
const DIMENSION_BOUNCE: u32 = 3;

/// What one camera ray found. The picture shows `albedo · light`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Colour of the surface.
    pub(crate) albedo: Vec3,
    /// Light it sends to the camera, per unit of colour.
    pub(crate) light: Vec3,
    /// Shading normal.
    pub(crate) normal: Vec3,
    /// Where.
    pub(crate) position: Vec3,
    /// −1 for the backdrop, 0 for the ground, 1 + i for item i.
    pub(crate) id: f32,
}

/// A scene ready to be looked at.
#[derive(Debug)]
pub(crate) struct World {
    triangles: Vec<Triangle>,
    bvh: Bvh,
    materials: Vec<Material>,
    ground: Option<f32>,
    key: Vec3,
    toward: Vec3,
    /// Two directions across the key light, as long as the sine of its angular radius.
    across: [Vec3; 2],
    /// Sine of the angular radius of the key light.
    radius: f32,
    sky: Vec3,
    gradient: Vec3,
    floor: Vec3,
    wall: Vec3,
    /// Metres per scene unit.
    scale: f32,
}

impl World {
    /// Checks and converts a scene.
    pub(crate) fn new(scene: &Scene<'_>) -> Result<(Self, Units), Error> {
        for (item, Item { material, mesh, colours }) in scene.items.iter().enumerate() {
            check_material(item, material)?;
            let sound = |c: &[[f32; 3]]| c.iter().flatten().all(|x| *x >= 0.0 && *x < 1e6);
            if colours.is_some_and(|c| c.len() != mesh.positions.len() || !sound(c)) {
                return Err(Error::Material { item });
            }
        }
        check_light(scene)?;
        let units = measure(&scene.items, scene.camera.target)?;
        let triangles = gather(&scene.items, &units);
        let corners: Vec<_> = triangles.iter().map(|t| t.corners).collect();
        let toward = scene.light.toward.normalize().as_vec3();
        let radius = scene.light.softness.min(1.5).sin() as f32;
        let (a, b) = toward.any_orthonormal_pair();
        let world = Self {
            bvh: Bvh::new(&corners),
            triangles,
            materials: scene.items.iter().map(|i| i.material).collect(),
            ground: scene.ground.map(|y| units.height(y)),
            key: scene.light.key.into(),
            toward,
            across: [a * radius, b * radius],
            radius,
            sky: scene.light.sky.into(),
            gradient: scene.light.gradient.clamp_length_max(1.0).as_vec3(),
            floor: scene.backdrop.floor.into(),
            wall: scene.backdrop.wall.into(),
            scale: units.scale as f32,
        };
        Ok((world, units))
    }

    /// What a camera ray sees. `spread` is the width of a pixel at distance one.
    pub(crate) fn look(&self, ray: &Ray, sampler: Sampler, spread: f32, stack: &mut Stack) -> Seen {
        // From afar, start near the scene: distances from the eye would eat up the precision.
        let skip = (ray.origin.length() - 2.0).max(0.0);
        let near = Ray::new(ray.at(skip), ray.dir);
        let hit = self.bvh.closest(&near, 0.0, f32::INFINITY, stack);
        let ground = self.meet_ground(&near);
        match (hit, ground) {
            (Some(hit), ground) if ground.is_none_or(|t| hit.t < t + GROUND_DEPTH / -ray.dir.y) => {
                let footprint = spread * (hit.t + skip) * self.scale;
                self.surface(&near, &hit, sampler, footprint, stack)
            }
            (_, Some(t)) => self.ground(&near, t, sampler, stack),
            _ => Seen {
                albedo: self.backdrop(ray.dir),
                light: Vec3::ONE,
                normal: -ray.dir,
                position: ray.dir * 1e3,
                id: -1.0,
            },
        }
    }

    /// Distance to the ground, if the ray meets it from above.
    fn meet_ground(&self, ray: &Ray) -> Option<f32> {
        let above = ray.origin.y - self.ground?;
        (above > 0.0 && ray.dir.y < 0.0).then(|| above / -ray.dir.y)
    }

    /// Colour of the paper in a direction.
    fn backdrop(&self, dir: Vec3) -> Vec3 {
        paper(self.floor, self.wall, dir.y)
    }

    fn sky(&self, dir: Vec3) -> Vec3 {
        self.sky * (1.0 + dir.dot(self.gradient))
    }

    /// Light of an open sky on a surface with normal `n`.
    fn open_sky(&self, n: Vec3) -> Vec3 {
        self.sky * (1.0 + 2.0 / 3.0 * n.dot(self.gradient))
    }

    /// Light on open ground.
    fn open_ground(&self) -> Vec3 {
        self.key * self.toward.y.max(0.0) + self.open_sky(Vec3::Y)
    }

    /// The ground shows the backdrop, times the share of light that still reaches it.
    fn ground(&self, ray: &Ray, t: f32, sampler: Sampler, stack: &mut Stack) -> Seen {
        let position = ray.at(t);
        let mut seen = Seen {
            albedo: self.backdrop(ray.dir),
            light: Vec3::ONE,
            normal: Vec3::Y,
            position,
            id: 0.0,
        };
        let far = smoothstep(GROUND_FADE[0], GROUND_FADE[1], position.length());
        if far < 1.0 {
            let origin = position + Vec3::Y * LIFT;
            let mut lost = self.occlusion(origin, Vec3::Y, sampler, stack);
            if self.toward.y > 0.0 && self.shaded::<DIMENSION_KEY>(origin, Vec3::Y, sampler, stack)
            {
                lost += self.key * self.toward.y;
            }
            let open = self.open_ground().max(Vec3::splat(1e-6));
            seen.light = (Vec3::ONE - lost / open * (1.0 - far)).max(Vec3::ZERO);
        }
        seen
    }

    /// A point of a mesh.
    fn surface(
        &self,
        ray: &Ray,
        hit: &Hit,
        sampler: Sampler,
        footprint: f32,
        stack: &mut Stack,
    ) -> Seen {
        let triangle = &self.triangles[hit.triangle as usize];
        let material = &self.materials[triangle.item as usize];
        let view = -ray.dir;
        let front = triangle.normal.dot(view) > 0.0;
        let side = if front { 1.0 } else { -1.0 };
        let flat = triangle.normal * side;
        let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let n = face_viewer(side * blend(triangle.normals, weights), view, flat);
        let position = ray.at(hit.t);
        let origin = smooth_point(triangle, weights, side) + flat * LIFT;

        let cos_view = n.dot(view).max(0.0);
        let albedo = {
            let side = Vec3::from(if front { material.front } else { material.back });
            // On an edge a weight may be negative by rounding; a colour below zero would have no root.
            let painted = |paint| blend(paint, weights).max(Vec3::ZERO);
            let plain = triangle.paint.map_or(side, painted);
            let uv = blend_uv(triangle.uv, weights);
            plain * check(material, uv, footprint / flat.dot(view).max(0.05))
        };

        // The edge of a wide light sets gradually.
        let cos_light = soft_clamp(n.dot(self.toward), self.radius);
        let mut key = Vec3::ZERO;
        if cos_light > 0.0 && !self.shaded::<DIMENSION_KEY>(origin, n, sampler, stack) {
            key = self.key;
        }
        let diffuse = rough_diffuse(cos_light, cos_view, self.toward.dot(view), material.roughness);
        let sky = (self.open_sky(n) - self.occlusion(origin, n, sampler, stack)).max(Vec3::ZERO);

        // Fuzz: fibres stand up from the cloth and catch light at grazing angles.
        let fuzz = material.sheen * (1.0 - cos_view).powi(3);
        let fibre = Vec3::new(albedo.x.sqrt(), albedo.y.sqrt(), albedo.z.sqrt());
        let fuzzy = fibre * fuzz * (sky + key * (0.3 + 0.7 * cos_light) * 0.6);
        let base = albedo.max(Vec3::splat(0.01));
        let light = key * diffuse + sky + fuzzy / base;
        Seen { albedo: base, light, normal: n, position, id: triangle.item as f32 + 1.0 }
    }

    /// Whether a ray to a random point of the key light is blocked.
    fn shaded<const DIMENSION: u32>(
        &self,
        origin: Vec3,
        n: Vec3,
        s: Sampler,
        stack: &mut Stack,
    ) -> bool {
        let [x, y] = s.point::<DIMENSION>();
        let [px, py] = disc(x, y);
        let mut dir = (self.toward + self.across[0] * px + self.across[1] * py).normalize();
        // Light below the horizon is already left out by the soft clamp.
        let below = dir.dot(n);
        if below < 0.0 {
            dir -= 2.0 * below * n;
        }
        let ray = Ray::new(origin, dir);
        self.meet_ground(&ray).is_some() || self.bvh.occluded(&ray, 0.0, f32::INFINITY, stack)
    }

    /// Light of the sky that does not arrive, less what the occluders reflect instead.
    fn occlusion(&self, origin: Vec3, n: Vec3, sampler: Sampler, stack: &mut Stack) -> Vec3 {
        let [x, y] = sampler.point::<DIMENSION_SKY>();
        let dir = cosine_direction(n, x, y);
        let ray = Ray::new(origin, dir);
        let ground = self.meet_ground(&ray);
        let limit = ground.unwrap_or(f32::INFINITY);
        let (t, normal, colour) = match self.bvh.closest(&ray, 0.0, limit, stack) {
            Some(hit) => {
                let triangle = &self.triangles[hit.triangle as usize];
                let material = &self.materials[triangle.item as usize];
                let front = triangle.normal.dot(dir) < 0.0;
                let side = Vec3::from(if front { material.front } else { material.back });
                let colour = triangle.paint.map_or(side, |[a, b, c]| (a + b + c) / 3.0);
                (hit.t, if front { triangle.normal } else { -triangle.normal }, colour)
            }
            None => match ground {
                Some(t) => (t, Vec3::Y, self.floor / self.open_ground().max(Vec3::splat(1e-6))),
                None => return Vec3::ZERO,
            },
        };
        let mut light = self.open_sky(normal) * (t / (t + BOUNCE_OPENS));
        let cos_light = normal.dot(self.toward);
        if cos_light > 0.0 {
            let place = ray.at(t) + normal * LIFT;
            if !self.shaded::<DIMENSION_BOUNCE>(place, normal, sampler, stack) {
                light += self.key * cos_light;
            }
        }
        self.sky(dir) - colour * light
    }
}

fn check_material(item: usize, material: &Material) -> Result<(), Error> {
    let numbers = material.front.iter().chain(&material.back);
    let all = numbers.chain([&material.sheen, &material.roughness]).all(|x| *x >= 0.0 && *x < 1e6);
    let check = material.check.is_none_or(|c| c > 0.0 && c.is_finite());
    if all && check && material.crease.is_finite() { Ok(()) } else { Err(Error::Material { item }) }
}

fn check_light(scene: &Scene<'_>) -> Result<(), Error> {
    let (light, backdrop) = (&scene.light, &scene.backdrop);
    if !light.gradient.is_finite() || light.toward.try_normalize().is_none() {
        return Err(Error::Light("a direction is zero or not finite"));
    }
    if !(light.softness >= 0.0 && light.softness.is_finite()) {
        return Err(Error::Light("softness is negative or not finite"));
    }
    let colours = [light.key, light.sky, backdrop.floor, backdrop.wall];
    if !colours.iter().flatten().all(|x| *x >= 0.0 && *x < 1e6) {
        return Err(Error::Light("a colour is negative or not finite"));
    }
    if !(0.0..=1.0).contains(&backdrop.vignette) {
        return Err(Error::Light("vignette must lie between 0 and 1"));
    }
    if scene.ground.is_some_and(|y| !y.is_finite()) {
        return Err(Error::Light("the ground is not finite"));
    }
    Ok(())
}

/// Colour of the paper in a direction of height `y`.
pub(super) fn paper(floor: Vec3, wall: Vec3, y: f32) -> Vec3 {
    floor.lerp(wall, smoothstep(-0.45, 0.3, y))
}

fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// max(x, 0) with a rounded corner of radius `r`: a disc that sets behind the horizon.
fn soft_clamp(x: f32, r: f32) -> f32 {
    if x >= r {
        x
    } else if x <= -r {
        0.0
    } else {
        (x + r) * (x + r) / (4.0 * r)
    }
}

/// Rough diffuse reflection times the cosine of the light.
fn rough_diffuse(cos_light: f32, cos_view: f32, light_view: f32, roughness: f32) -> f32 {
    let s = light_view - cos_light * cos_view;
    let t = if s > 0.0 { cos_light.max(cos_view).max(1e-3) } else { 1.0 };
    let a = 1.0 / (1.0 + (0.5 - 2.0 / (3.0 * std::f32::consts::PI)) * roughness);
    (cos_light * a * (1.0 + roughness * s / t)).max(0.0)
}

/// A shading normal that the viewer can see.
fn face_viewer(n: Vec3, view: Vec3, flat: Vec3) -> Vec3 {
    let n = n.normalize_or(flat);
    let cos = n.dot(view);
    if cos > 0.02 { n } else { (n + view * (0.02 - cos)).normalize_or(flat) }
}

fn blend(values: [Vec3; 3], w: [f32; 3]) -> Vec3 {
    values[0] * w[0] + values[1] * w[1] + values[2] * w[2]
}

fn blend_uv(values: [Vec2; 3], w: [f32; 3]) -> Vec2 {
    values[0] * w[0] + values[1] * w[1] + values[2] * w[2]
}

/// The point of the smooth surface above a point of a triangle: its projections onto the tangent
/// planes of the corners, where these lie outside, blended.
fn smooth_point(triangle: &Triangle, w: [f32; 3], side: f32) -> Vec3 {
    let p = blend(triangle.corners, w);
    let lifted = [0, 1, 2].map(|k| {
        let n = side * triangle.normals[k];
        p - n * (p - triangle.corners[k]).dot(n).min(0.0)
    });
    blend(lifted, w)
}

/// Brightness of a woven check: stripes of weft and warp, each averaged over the pixel.
fn check(material: &Material, uv: Vec2, footprint: f32) -> f32 {
    let Some(width) = material.check else { return 1.0 };
    let width = width as f32;
    let stripes = stripe(uv.x / width, footprint / width) + stripe(uv.y / width, footprint / width);
    1.0 - 0.22 * stripes
}

/// Average of a square wave of period 2 over an interval of width `w` about `x`.
fn stripe(x: f32, w: f32) -> f32 {
    let w = w.max(1e-4);
    // Its integral: one for each whole period, rising in the first half of each.
    let integral = |x: f32| (0.5 * x).floor() + (x - 2.0 * (0.5 * x).floor()).min(1.0);
    ((integral(x + 0.5 * w) - integral(x - 0.5 * w)) / w).clamp(0.0, 1.0)
}
