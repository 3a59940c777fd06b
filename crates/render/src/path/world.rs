//! A scene ready to be traced, and the camera in it, in scene units.

use super::integrator::Seen;
use super::{Background, Lens, Material, Projection, Scene, Settings, Surface};
use crate::appearance::Fabric;
use crate::bsdf::coated::{Coat, Substance};
use crate::bvh::{Bvh, Ray, Stack};
use crate::environment::Environment;
use crate::geometry::{Triangle, Units, gather, measure};
use crate::light::Emitter;
use crate::sampler::Sampler;
use crate::warp::{disc, tent};
use crate::{Backdrop, Error, Item};
use glam::Vec3;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

/// Radius of the tent that blends samples into pixels [px].
const FILTER_RADIUS: f32 = 0.9;
/// Uses of sample points; those of the bounces follow.
const DIMENSION_PIXEL: u32 = 0;
const DIMENSION_LENS: u32 = 1;
const DIMENSION_TIME: u32 = 2;

/// A material with its tables.
#[derive(Clone, Debug)]
pub(crate) enum Prepared {
    Matte { front: Vec3, back: Vec3, roughness: f32 },
    Coated { coat: Box<Coat>, colour: Vec3 },
    Cloth(Arc<Fabric>),
    Catcher { colour: Vec3 },
}

/// A floor in scene units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) height: f32,
    pub(crate) colour: Vec3,
}

/// Surfaces and lights.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) bvh: Bvh,
    pub(crate) materials: Vec<Prepared>,
    pub(crate) emitters: Vec<Emitter>,
    /// How often each emitter is sampled; the rest falls to the environment.
    pub(crate) shares: Vec<f32>,
    pub(crate) environment: Environment,
    pub(crate) environment_share: f32,
    pub(crate) background: Background,
    pub(crate) floor: Option<Plane>,
    /// Whether light passes straight through some surface.
    pub(crate) porous: bool,
    pub(crate) moving: bool,
    /// Metres per scene unit.
    pub(crate) scale: f32,
    pub(crate) bounces: u32,
    pub(crate) clamp: f32,
}

/// The meshes as the gathering of triangles wants them.
fn items<'a>(surfaces: &[Surface<'a>]) -> Vec<Item<'a>> {
    let item = |s: &Surface<'a>| Item {
        mesh: s.mesh,
        material: crate::Material { crease: s.crease, ..crate::Material::plaster() },
        colours: s.colours,
    };
    surfaces.iter().map(item).collect()
}

impl World {
    pub(super) fn new(
        scene: &Scene<'_>,
        settings: &Settings,
        units: &Units,
    ) -> Result<Self, Error> {
        let mut materials = Vec::new();
        for (item, surface) in scene.surfaces.iter().enumerate() {
            materials.push(prepare(item, surface)?);
        }
        let triangles = gather(&items(&scene.surfaces), units);
        let corners: Vec<_> = triangles.iter().map(|t| t.corners).collect();
        let moving = scene.surfaces.iter().any(|s| s.end.is_some());
        let bvh = if moving {
            Bvh::moving(&corners, &end_corners(scene, &triangles, units)?)
        } else {
            Bvh::new(&corners)
        };
        let mut emitters = Vec::new();
        for lamp in &scene.lamps {
            emitters.push(Emitter::new(lamp, units)?);
        }
        let mut shares: Vec<f32> = emitters.iter().map(Emitter::importance).collect();
        let environment = scene.environment.importance();
        let sum: f32 = shares.iter().sum::<f32>() + environment;
        let lights = shares.len() as f32 + if environment > 0.0 { 1.0 } else { 0.0 };
        // Every light gets a little, however dim it seems from the middle.
        let share = |s: f32| if sum > 0.0 { 0.9 * s / sum + 0.1 / lights } else { 0.0 };
        shares.iter_mut().for_each(|s| *s = share(*s));
        let floor =
            scene.floor.map(|f| Plane { height: units.height(f.height), colour: f.colour.into() });
        if floor.is_some_and(|f| !f.height.is_finite() || !sound(f.colour)) {
            return Err(Error::Light("the floor is not finite"));
        }
        let porous = materials.iter().any(|m| matches!(m, Prepared::Cloth(f) if f.is_porous()));
        Ok(Self {
            bvh,
            triangles,
            materials,
            environment_share: if environment > 0.0 { share(environment) } else { 0.0 },
            emitters,
            shares,
            environment: scene.environment.clone(),
            background: scene.background.clone(),
            floor,
            porous,
            moving,
            scale: units.scale as f32,
            bounces: settings.bounces,
            clamp: settings.clamp,
        })
    }
}

fn sound(c: Vec3) -> bool {
    c.is_finite() && c.min_element() >= 0.0 && c.max_element() <= 1.0
}

/// Checks a material and makes its tables.
fn prepare(item: usize, surface: &Surface<'_>) -> Result<Prepared, Error> {
    let unsound = Err(Error::Material { item });
    if !surface.crease.is_finite() {
        return unsound;
    }
    if let Some(colours) = surface.colours
        && (colours.len() != surface.mesh.positions.len()
            || !colours.iter().all(|c| sound((*c).into())))
    {
        return unsound;
    }
    let unit = |x: f32| (0.0..=1.0).contains(&x);
    Ok(match &surface.material {
        Material::Matte { front, back, roughness } => {
            let (front, back) = (Vec3::from(*front), Vec3::from(*back));
            if !(sound(front) && sound(back) && unit(*roughness)) {
                return unsound;
            }
            Prepared::Matte { front, back, roughness: *roughness }
        }
        Material::Lacquer { colour, roughness, ior } => {
            let colour = Vec3::from(*colour);
            if !(sound(colour) && unit(*roughness) && (1.0..=4.0).contains(ior)) {
                return unsound;
            }
            let coat = Box::new(Coat::new(*roughness, Substance::Dielectric(*ior)));
            Prepared::Coated { coat, colour }
        }
        Material::Metal { colour, roughness } => {
            let colour = Vec3::from(*colour);
            if !(sound(colour) && unit(*roughness)) {
                return unsound;
            }
            Prepared::Coated { coat: Box::new(Coat::new(*roughness, Substance::Metal)), colour }
        }
        Material::Cloth(fabric) => {
            if !surface.mesh.has_uv() {
                return Err(Error::NoCoordinates { item });
            }
            Prepared::Cloth(Arc::clone(fabric))
        }
        Material::Catcher { colour } => {
            if !sound((*colour).into()) {
                return unsound;
            }
            Prepared::Catcher { colour: (*colour).into() }
        }
    })
}

/// Where the triangles are when the shutter closes.
fn end_corners(
    scene: &Scene<'_>,
    triangles: &[Triangle],
    units: &Units,
) -> Result<Vec<[Vec3; 3]>, Error> {
    for (item, surface) in scene.surfaces.iter().enumerate() {
        let Some(end) = surface.end else { continue };
        if end.len() != surface.mesh.positions.len() {
            return Err(Error::Motion { item });
        }
        if let Some(vertex) = end.iter().position(|p| !p.is_finite()) {
            return Err(Error::NotFinite { item, vertex: vertex as u32 });
        }
    }
    let corners = |t: &Triangle| {
        let surface = &scene.surfaces[t.item as usize];
        match surface.end {
            Some(end) => {
                surface.mesh.triangles[t.face as usize].map(|v| units.point(end[v as usize]))
            }
            None => t.corners,
        }
    };
    Ok(triangles.iter().map(corners).collect())
}

/// The camera in scene units.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) units: Units,
    pub(crate) paper: Option<Backdrop>,
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Width of a pixel at distance one.
    spread: f32,
    aperture: f32,
    focus: f32,
    projection: Projection,
    /// Where the axis meets the picture [px].
    axis: [f32; 2],
    width: u32,
    height: u32,
    samples: u32,
}

impl View {
    pub(super) fn new(scene: &Scene<'_>, settings: &Settings) -> Result<Self, Error> {
        let [right, up, forward] = scene.camera.frame()?;
        let units = measure(&items(&scene.surfaces), scene.camera.target)?;
        let eye = units.point(scene.camera.eye);
        let Lens { aperture, focus, projection, shift } = scene.lens;
        let focus = focus.unwrap_or((scene.camera.target - scene.camera.eye).length());
        if !eye.is_finite() {
            return Err(Error::Camera("too far away"));
        }
        if !(aperture >= 0.0 && aperture.is_finite() && focus > 0.0 && focus.is_finite()) {
            return Err(Error::Camera("aperture or focus is negative or not finite"));
        }
        if !shift.iter().all(|s| s.abs() <= 10.0) {
            return Err(Error::Camera("its axis is far outside the picture"));
        }
        let (w, h) = (f64::from(settings.width), f64::from(settings.height));
        let axis = [0.5 * w + shift[0] * h, 0.5 * h + shift[1] * h].map(|x| x as f32);
        let spread = (2.0 * (0.5 * scene.camera.fov_y).tan() / f64::from(settings.height)) as f32;
        Ok(Self {
            paper: match &scene.background {
                Background::Paper(paper) => Some(*paper),
                Background::Environment | Background::Nothing => None,
            },
            units,
            eye,
            right: right.as_vec3(),
            up: up.as_vec3(),
            forward: forward.as_vec3(),
            spread,
            aperture: (aperture / units.scale) as f32,
            focus: (focus / units.scale) as f32,
            projection,
            axis,
            width: settings.width,
            height: settings.height,
            samples: settings.samples,
        })
    }

    /// Width of a pixel at a place.
    pub(super) fn width_at(&self, position: Vec3) -> f32 {
        self.spread * position.distance(self.eye)
    }

    /// Traces one sample of a pixel.
    pub(super) fn shoot(&self, world: &World, x: u32, y: u32, s: u32, stack: &mut Stack) -> Seen {
        let sampler = Sampler::new(x, y, s, self.samples);
        let [jx, jy] = sampler.point::<DIMENSION_PIXEL>().map(|u| FILTER_RADIUS * tent(u));
        let (px, py) = (x as f32 + 0.5 + jx, y as f32 + 0.5 + jy);
        let (mut origin, mut dir) = (self.eye, self.toward(px, py));
        if self.aperture > 0.0 && self.projection == Projection::Perspective {
            let [a, b] = sampler.point::<DIMENSION_LENS>();
            let [a, b] = disc(a, b).map(|c| c * self.aperture);
            let sharp = self.eye + dir * (self.focus / dir.dot(self.forward));
            origin = self.eye + self.right * a + self.up * b;
            dir = (sharp - origin).normalize();
        }
        let time = if world.moving { sampler.point::<DIMENSION_TIME>()[0] } else { 0.0 };
        let ray = Ray::new(origin, dir).with_time(time);
        let mut seen = world.trace(&ray, self.spread, sampler, stack);
        seen.depth *= dir.dot(self.forward) * world.scale;
        seen
    }

    /// Direction through a point of the picture [px].
    fn toward(&self, px: f32, py: f32) -> Vec3 {
        let (w, h) = (self.width as f32, self.height as f32);
        match self.projection {
            Projection::Perspective => {
                let x = (px - self.axis[0]) * self.spread;
                let y = (self.axis[1] - py) * self.spread;
                (self.forward + self.right * x + self.up * y).normalize()
            }
            Projection::Panorama => {
                let phi = TAU * (px / w - 0.5);
                let (st, ct) = (PI * (py / h).clamp(0.0, 1.0)).sin_cos();
                let (sp, cp) = phi.sin_cos();
                Vec3::new(st * sp, ct, -st * cp)
            }
        }
    }
}
