//! Rooms as environments, lit by path tracing: a shop and an entrance hall.
//!
//! A room is made of boxes and lamps and seen from its middle by a panoramic camera. What stands in the
//! picture later stands where that camera was.

use super::Environment;
use crate::light::Lamp;
use crate::path::{Background, Lens, Material, Projection, Scene, Settings, Surface, render};
use crate::{Camera, Error, srgb};
use glam::DVec3;
use toile_mesh::TriMesh;

/// Which room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A shop: shelves with goods along two walls, panels of light in the ceiling, a window in front.
    Shop,
    /// An entrance hall: high windows on one side, columns on the other, a pale floor.
    Entrance,
}

/// Height of the camera above the floor [m].
const EYE: f64 = 1.3;

/// The environment in the middle of a room; `seed` arranges what stands around, `samples` is that of
/// the path tracer.
///
/// # Errors
/// If the samples are out of range.
pub fn room(room: Room, seed: u32, samples: u32) -> Result<Environment, Error> {
    let mut set = Set { boxes: Vec::new(), lamps: Vec::new(), seed };
    match room {
        Room::Shop => set.shop(),
        Room::Entrance => set.entrance(),
    }
    let camera = Camera {
        eye: DVec3::Y * EYE,
        target: DVec3::new(0.0, EYE, -1.0),
        up: DVec3::Y,
        fov_y: 1.0,
    };
    let mut scene = Scene::studio(camera);
    scene.environment = Environment::uniform([0.0; 3]);
    scene.background = Background::Environment;
    scene.lens = Lens { projection: Projection::Panorama, ..Lens::default() };
    scene.lamps = set.lamps;
    for (mesh, colour) in &set.boxes {
        let material = Material::Matte { front: *colour, back: *colour, roughness: 0.2 };
        scene = scene.with(Surface::new(mesh, material).with_crease(0.5));
    }
    let settings = Settings { samples, bounces: 6, ..Settings::new(256, 128) };
    Environment::new(render(&scene, &settings)?.denoised())
}

/// Things in a room.
struct Set {
    boxes: Vec<(TriMesh, [f32; 3])>,
    lamps: Vec<Lamp>,
    seed: u32,
}

impl Set {
    /// A number in [0, 1).
    fn random(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((self.seed >> ((self.seed >> 28) + 4)) ^ self.seed).wrapping_mul(277_803_737);
        f64::from((word >> 22) ^ word) / 4_294_967_296.0
    }

    fn cuboid(&mut self, lo: [f64; 3], hi: [f64; 3], colour: u32) {
        let (lo, hi) = (DVec3::from(lo), DVec3::from(hi));
        let pick = |c: usize, k: usize| if c >> k & 1 == 1 { hi[k] } else { lo[k] };
        let positions = (0..8).map(|c| DVec3::new(pick(c, 0), pick(c, 1), pick(c, 2))).collect();
        let quads: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let cut = |[a, b, c, d]: &[u32; 4]| [[*a, *b, *c], [*a, *c, *d]];
        let mesh = TriMesh::new(positions, quads.iter().flat_map(cut).collect());
        self.boxes.push((mesh, srgb(colour)));
    }

    fn panel(&mut self, centre: [f64; 3], half_u: [f64; 3], half_v: [f64; 3], light: [f32; 3]) {
        self.lamps.push(Lamp::Area {
            centre: centre.into(),
            half_u: half_u.into(),
            half_v: half_v.into(),
            radiance: light,
        });
    }

    /// Walls around ±`x`, ±`z` and a ceiling.
    fn shell(&mut self, x: f64, z: f64, height: f64, floor: u32, wall: u32) {
        let t = 0.1;
        self.cuboid([-x, -t, -z], [x, 0.0, z], floor);
        self.cuboid([-x, height, -z], [x, height + t, z], 0xe8e6e1);
        self.cuboid([-x - t, 0.0, -z], [-x, height, z], wall);
        self.cuboid([x, 0.0, -z], [x + t, height, z], wall);
        self.cuboid([-x, 0.0, -z - t], [x, height, -z], wall);
        self.cuboid([-x, 0.0, z], [x, height, z + t], wall);
    }

    fn shop(&mut self) {
        self.shell(4.0, 5.0, 3.2, 0x8a6f52, 0xd9d4ca);
        for k in 0..3 {
            for side in [-1.8, 1.8] {
                let z = f64::from(k) * 3.0 - 3.0;
                // Light downwards: the normal of u × v points to the floor.
                self.panel([side, 3.19, z], [0.6, 0.0, 0.0], [0.0, 0.0, 0.6], [9.0, 8.7, 8.0]);
            }
        }
        self.panel([0.0, 1.5, 4.99], [2.2, 0.0, 0.0], [0.0, -1.2, 0.0], [4.6, 5.2, 6.2]);
        let goods = [0x7e2626, 0x1b4268, 0x265643, 0xd9a441, 0xc9c3b6, 0x2c354b, 0x94452f];
        for side in [-1.0_f64, 1.0] {
            for shelf in 0..4 {
                let y = 0.4 + 0.55 * f64::from(shelf);
                let (a, b) = (3.5 * side, 4.0 * side);
                self.cuboid([a.min(b), y - 0.03, -4.5], [a.max(b), y, 3.5], 0x6b4a2b);
                let mut z = -4.4;
                while z < 3.2 {
                    let (width, height) = (0.2 + 0.4 * self.random(), 0.1 + 0.35 * self.random());
                    let colour = goods[(self.random() * goods.len() as f64) as usize % goods.len()];
                    let (p, q) = (3.55 * side, 3.9 * side);
                    self.cuboid([p.min(q), y, z], [p.max(q), y + height, z + width], colour);
                    z += width + 0.05 + 0.2 * self.random();
                }
            }
        }
    }

    fn entrance(&mut self) {
        self.shell(5.0, 8.0, 6.0, 0xc9c2b4, 0xe2dccf);
        for k in 0..4 {
            let z = f64::from(k) * 3.4 - 5.1;
            // Windows on the left, lit by an overcast sky; light towards +x.
            self.panel([-4.99, 3.2, z], [0.0, 1.9, 0.0], [0.0, 0.0, 0.85], [8.5, 9.4, 10.8]);
            self.cuboid([3.2, 0.0, z - 0.25], [3.7, 6.0, z + 0.25], 0xd6cbb4);
        }
        self.panel([0.0, 5.99, 0.0], [0.4, 0.0, 0.0], [0.0, 0.0, 2.5], [4.0, 3.6, 3.0]);
        let (x, turn) = (1.5 + self.random(), self.random());
        self.cuboid([-x, 0.0, -7.0], [x, 1.1, -6.2], 0x5a4632);
        self.cuboid([2.0, 0.0, 4.0 + turn], [2.9, 0.45, 5.8 + turn], 0x7e2626);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn rooms_are_bright_where_their_lamps_are() {
        let shop = room(Room::Shop, 1, 4).unwrap();
        let up = shop.radiance(Vec3::new(1.8, 1.89, 0.0).normalize()).y;
        let down = shop.radiance(Vec3::NEG_Y).y;
        assert!(up > 5.0 * down && down > 0.05, "{up} {down}");
        let hall = room(Room::Entrance, 1, 4).unwrap();
        let window = hall.radiance(Vec3::new(-4.99, 1.9, 1.7).normalize()).z;
        assert!(window > 6.0, "{window}");
    }

    #[test]
    fn the_seed_decides_what_stands_around() {
        let [a, b, c] = [3, 3, 4].map(|seed| room(Room::Shop, seed, 1).unwrap());
        assert_eq!(a.image(), b.image());
        assert_ne!(a.image(), c.image());
    }
}
