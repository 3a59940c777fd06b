//! What is in a picture: meshes with materials, light, backdrop and camera.
//!
//! Colours are linear RGB; [`srgb`] converts from the usual hexadecimal notation.

use crate::Camera;
use glam::DVec3;
use toile_mesh::TriMesh;

/// Linear RGB of an sRGB colour such as `0xd9a441`.
pub fn srgb(hex: u32) -> [f32; 3] {
    [16, 8, 0].map(|shift| {
        let c = (hex >> shift & 0xff) as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// Front and back colours (linear RGB) for the `i`-th cloth of a picture; repeats after ten.
pub fn palette(i: usize) -> ([f32; 3], [f32; 3]) {
    const PAIRS: [(u32, u32); 10] = [
        (0x1b4268, 0xc9a66b), // indigo, straw
        (0x7e2626, 0xd9b8a0), // madder, shell
        (0x265643, 0xd8c48a), // bottle green, flax
        (0xa8741f, 0x6b4a2b), // ochre, walnut
        (0x4b3160, 0xc8b0cf), // plum, lilac
        (0x17606a, 0xe0c9a6), // petrol, sand
        (0x94452f, 0x4f6d7a), // terracotta, slate
        (0x2c354b, 0xb9c2cc), // ink, mist
        (0x60673a, 0xe3d9b0), // olive, cream
        (0x843855, 0xe6c7c2), // raspberry, blush
    ];
    let (front, back) = PAIRS[i % PAIRS.len()];
    (srgb(front), srgb(back))
}

/// How a surface looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Colour of the front (where triangles run counter-clockwise), linear RGB.
    pub front: [f32; 3],
    /// Colour of the back, linear RGB.
    pub back: [f32; 3],
    /// Strength of the fuzz that brightens cloth at grazing angles; 0 for none, 1 for velvet.
    pub sheen: f32,
    /// Roughness of the diffuse reflection; 0 is Lambert, 1 flat like the full moon.
    pub roughness: f32,
    /// Edges that bend more than this look sharp [rad]; π smooths everything, 0 nothing.
    pub crease: f64,
    /// Width of the stripes of a woven check in material coordinates [m]; `None` for plain cloth.
    pub check: Option<f64>,
}

impl Material {
    /// Cloth with a front and a back colour: smooth, with a little fuzz.
    pub fn cloth(front: [f32; 3], back: [f32; 3]) -> Self {
        let crease = std::f64::consts::PI;
        Self { front, back, sheen: 0.5, roughness: 0.5, crease, check: None }
    }

    /// Plaster for bodies and furniture: edges beyond 40° are sharp.
    pub fn plaster() -> Self {
        let colour = srgb(0xd7d2cb);
        let crease = 40_f64.to_radians();
        Self { front: colour, back: colour, sheen: 0.0, roughness: 0.3, crease, check: None }
    }

    /// The same with a woven check of stripes `width` wide [m]; needs material coordinates.
    #[must_use]
    pub fn with_check(mut self, width: f64) -> Self {
        self.check = Some(width);
        self
    }
}

/// A mesh and its material.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The surface; both sides are visible.
    pub mesh: &'a TriMesh,
    /// How it looks.
    pub material: Material,
    /// A colour for each vertex, linear RGB, in place of both colours of the material.
    pub colours: Option<&'a [[f32; 3]]>,
}

/// A soft key light and an even sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction to the key light; any length.
    pub toward: DVec3,
    /// Angular radius of the key light [rad]: how soft shadows are.
    pub softness: f64,
    /// What a white surface facing the key light shows of it, linear RGB.
    pub key: [f32; 3],
    /// Mean radiance of the sky, linear RGB.
    pub sky: [f32; 3],
    /// Where the sky is brighter: its radiance along d is sky · (1 + d · gradient). At most 1 long.
    pub gradient: DVec3,
}

impl Light {
    /// A large key light above and left of the camera, and a sky that fills in from above.
    pub fn studio(camera: &Camera) -> Self {
        let back = (camera.eye - camera.target) * DVec3::new(1.0, 0.0, 1.0);
        let back = back.normalize_or(DVec3::Z);
        let right = DVec3::Y.cross(back);
        Self {
            toward: (-0.95 * right + 1.05 * DVec3::Y + 0.30 * back).normalize(),
            softness: 0.14,
            key: [1.24, 1.12, 0.98],
            sky: [0.345, 0.35, 0.36],
            gradient: 0.60 * DVec3::Y - 0.10 * right - 0.25 * back,
        }
    }
}

/// The paper behind everything: floor and wall without a visible horizon.
///
/// The ground takes these colours too, darkened where the scene keeps light from it, so that floor
/// and wall join without a seam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// Colour below the horizon, linear RGB.
    pub floor: [f32; 3],
    /// Colour above the horizon, linear RGB.
    pub wall: [f32; 3],
    /// Darkening towards the corners of the picture; 0 for none.
    pub vignette: f32,
}

impl Default for Backdrop {
    /// Warm off-white.
    fn default() -> Self {
        Self { floor: [1.16, 1.06, 0.94], wall: [0.90, 0.80, 0.695], vignette: 0.16 }
    }
}

/// Everything in a picture.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The meshes.
    pub items: Vec<Item<'a>>,
    /// Height of the ground, the plane y = ground [m]; `None` to float in the air.
    pub ground: Option<f64>,
    /// Who looks.
    pub camera: Camera,
    /// What shines.
    pub light: Light,
    /// What is behind.
    pub backdrop: Backdrop,
}

impl<'a> Scene<'a> {
    /// An empty studio.
    pub fn new(camera: Camera) -> Self {
        let light = Light::studio(&camera);
        Self { items: Vec::new(), ground: None, camera, light, backdrop: Backdrop::default() }
    }

    /// Adds a mesh.
    #[must_use]
    pub fn with_item(mut self, mesh: &'a TriMesh, material: Material) -> Self {
        self.items.push(Item { mesh, material, colours: None });
        self
    }

    /// Adds a mesh painted with a colour for each vertex, linear RGB, blended in between.
    #[must_use]
    pub fn with_painted(
        mut self,
        mesh: &'a TriMesh,
        material: Material,
        colours: &'a [[f32; 3]],
    ) -> Self {
        self.items.push(Item { mesh, material, colours: Some(colours) });
        self
    }

    /// Adds a ground at height `y` [m].
    #[must_use]
    pub fn with_ground(mut self, y: f64) -> Self {
        self.ground = Some(y);
        self
    }
}
