//! Light, backdrop and lens: what stands around the garment.

use crate::error::Error;
use glam::{DVec3, Vec3};
use std::path::Path;
use std::sync::Arc;
use toile_render::environment::Environment;
use toile_render::environment::room::{Room, room};
use toile_render::environment::sky::Sky;
use toile_render::light::Lamp;
use toile_render::light::ies::Luminaire;

/// Samples per pixel of rooms.
const ROOM_SAMPLES: u32 = 256;
/// Which arrangement of goods the shop has.
const SEED: u32 = 7;

/// Light around the garment.
#[derive(Clone, Debug)]
pub struct Set {
    /// Light from all around, for a camera that looks along −z.
    pub environment: Environment,
    /// The sun, if there is one.
    pub sun: Option<Lamp>,
    /// Whether it turns with the camera, as a studio does.
    pub turns: bool,
}

impl Set {
    /// Names of the environments that toile makes.
    pub const NAMES: [&'static str; 6] = ["studio", "shop", "entrance", "sky", "overcast", "dark"];

    /// An environment by its name, or from a picture of the whole sphere.
    ///
    /// # Errors
    /// If there is neither, or the picture is damaged.
    pub fn find(name: &str) -> Result<Self, Error> {
        let failed = |e: toile_render::Error| {
            Error::request(e.to_string(), "give a .hdr or .exr twice as wide as high")
        };
        let still = |environment| Self { environment, sun: None, turns: false };
        Ok(match name {
            "studio" => Self { turns: true, ..still(Environment::studio()) },
            "shop" => still(room(Room::Shop, SEED, ROOM_SAMPLES).map_err(failed)?),
            "entrance" => still(room(Room::Entrance, SEED, ROOM_SAMPLES).map_err(failed)?),
            "sky" => {
                let light = Sky::default().light().map_err(failed)?;
                Self { sun: Some(light.sun), ..still(light.environment) }
            }
            "dark" => still(Environment::uniform([0.0; 3])),
            "overcast" => still(overcast().map_err(failed)?),
            file => {
                let path = Path::new(file);
                if !path.is_file() {
                    let message = format!("there is no environment `{file}`");
                    let help = format!(
                        "there are {}, or give a .hdr or .exr file",
                        Self::NAMES.join(", ")
                    );
                    return Err(Error::request(message, help));
                }
                let bytes = toile_mesh::io::read_file(path)?;
                still(Environment::read(&bytes, file).map_err(failed)?)
            }
        })
    }

    /// The same with so much light that a white page in front of the camera is as bright as in the studio.
    pub(super) fn levelled(mut self) -> Self {
        let page = |e: &Environment| e.irradiance(Vec3::new(0.0, 0.5, 0.85).normalize());
        let mut own = page(&self.environment);
        // Half of the sun: it may come from any side.
        if let Some(Lamp::Directional { irradiance, .. }) = &self.sun {
            own += 0.5 * irradiance[1];
        }
        if own > 0.0 {
            let factor = page(&Environment::studio()) / own;
            self.environment = self.environment.scaled(factor);
            if let Some(Lamp::Directional { irradiance, .. }) = &mut self.sun {
                *irradiance = irradiance.map(|c| c * factor);
            }
        }
        self
    }
}

/// A luminaire at a place, aimed at a garment, so bright that a page there that faces it is as bright as in the studio.
pub(super) fn hung(luminaire: &Arc<Luminaire>, position: DVec3, target: DVec3) -> Lamp {
    let axis = target - position;
    let page = Environment::studio().irradiance(Vec3::new(0.0, 0.5, 0.85).normalize());
    // Some shine to the sides and not along their axis.
    let mean = luminaire.lumens() as f32 / (4.0 * std::f32::consts::PI);
    let intensity = luminaire.toward(Vec3::Z).max(mean).max(1e-6);
    let scale = page * axis.length_squared() as f32 / intensity;
    let zero = axis.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
    Lamp::Ies { position, axis, zero, scale: [scale; 3], luminaire: Arc::clone(luminaire) }
}

/// The standard overcast sky of the CIE: three times as bright in the zenith as at the horizon.
fn overcast() -> Result<Environment, toile_render::Error> {
    Environment::of(128, 64, |d| {
        let sky = (1.0 + 2.0 * d.y.max(0.0)) / 3.0;
        let ground = 0.2 * 7.0 / 9.0;
        let t = ((d.y + 0.02) / 0.04).clamp(0.0, 1.0);
        Vec3::new(0.96, 1.0, 1.06) * (sky * t + ground * (1.0 - t))
    })
}

/// Writes an environment as a Radiance picture or OpenEXR, by the extension of the file.
///
/// # Errors
/// If there is no such environment, or nothing can be written.
pub fn make_environment(name: &str, out: &Path) -> Result<Set, Error> {
    let set = Set::find(name)?;
    let image = set.environment.image();
    let bytes = super::film::hdr_bytes(out, image)?;
    toile_mesh::io::write_atomically(out, |file| file.write_all(&bytes))?;
    Ok(set)
}
