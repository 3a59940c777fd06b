//! Pictures of a draped specimen.

use super::Drape;
use crate::laboratory::Picture;
use glam::{DVec2, DVec3};
use std::fmt::Write;
use toile::Error;
use toile::html::png_uri;
use toile_mesh::TriMesh;
use toile_render::{Camera, Image, Material, Scene, Settings, palette, render};

/// Size of each picture [px].
const SIZE: [u32; 2] = [480, 400];
/// Height of the camera above the horizon [°]: from the side, and from above.
const ELEVATIONS: [f64; 2] = [28.0, 89.0];
/// How far below the cloth the table is [m].
const TABLE: f64 = 0.02;

impl Drape {
    /// Draws the specimen from the side and from above.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn draw(&self) -> Result<[Image; 2], Error> {
        let mesh = self.with_cap();
        let (lo, hi) = mesh
            .positions
            .iter()
            .fold((DVec3::MAX, DVec3::MIN), |(lo, hi), p| (lo.min(*p), hi.max(*p)));
        let [width, height] = SIZE;
        let one = |elevation: f64| {
            let aspect = f64::from(width) / f64::from(height);
            let camera = Camera::framing(lo, hi, 0.4, elevation.to_radians(), aspect);
            let (front, back) = palette(0);
            let scene = Scene::new(camera)
                .with_item(&mesh, Material::cloth(front, back))
                .with_ground(lo.y - TABLE);
            let settings = Settings { samples: 6, ..Settings::new(width, height) };
            render(&scene, &settings).map_err(|e| Error::Picture(e.to_string()))
        };
        Ok([one(ELEVATIONS[0])?, one(ELEVATIONS[1])?])
    }

    /// The same side by side in one SVG file, which holds them as they are.
    ///
    /// # Errors
    /// As [`Drape::draw`].
    pub fn picture(&self, name: String, caption: String) -> Result<Picture, Error> {
        let [width, height] = SIZE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" width=\"{}\" \
             height=\"{height}\">\n",
            2 * width,
            2 * width
        );
        for (k, image) in self.draw()?.iter().enumerate() {
            let mut bytes = Vec::new();
            image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
            let _ = writeln!(
                svg,
                "<image x=\"{}\" y=\"0\" width=\"{width}\" height=\"{height}\" \
                 href=\"{}\"/>",
                k as u32 * width,
                png_uri(&bytes)
            );
        }
        svg += "</svg>\n";
        Ok(Picture { name, caption, svg })
    }

    /// The ring with what lies on the disc.
    fn with_cap(&self) -> TriMesh {
        let mut mesh = self.mesh.clone();
        let centre = mesh.positions.len() as u32;
        mesh.positions.push(DVec3::ZERO);
        mesh.uv.push(DVec2::ZERO);
        let fan = (0..self.around).map(|k| [centre, k, (k + 1) % self.around]);
        mesh.triangles.extend(fan);
        mesh.uv_triangles.clone_from(&mesh.triangles);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use crate::laboratory::cusick::Meter;

    #[test]
    fn a_drape_has_a_cap_and_two_pictures() {
        let fabric = toile::fabric::find("denim").unwrap();
        let drape = Meter { rings: 4, ..Meter::default() }.drape(&fabric).unwrap();
        let whole = drape.with_cap();
        assert!(whole.validate().is_clean());
        assert!(whole.area() > drape.mesh.area() + 0.9 * std::f64::consts::PI * 0.09 * 0.09);
        let picture = drape.picture("drape".into(), String::new()).unwrap();
        assert_eq!(picture.svg.matches("data:image/png;base64,iVBORw0KGgo").count(), 2);
    }
}
