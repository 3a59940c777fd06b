//! What does not change during a run: meshes, masses, springs.

use crate::element::spring::{self, Kind, Spring};
use crate::error::Error;
use crate::fabric::Fabric;
use crate::settings::Springs;
use glam::DVec2;
use std::ops::Range;
use std::sync::Arc;
use toile_collide::Surface;
use toile_mesh::{Topology, TriMesh};

/// One piece of cloth.
///
/// ```
/// use toile_mesh::shape;
/// use toile_sim::{Cloth, Fabric};
///
/// let mesh = shape::grid(1.0, 1.0, 10, 10, shape::Diagonals::Alternating);
/// let heavy = Fabric { density: 0.4, ..Fabric::default() };
/// let cloth = Cloth { fabric: heavy, ..Cloth::new("curtain", mesh) };
/// assert!(cloth.grid.is_none()); // any mesh
/// ```
#[derive(Clone, Debug)]
pub struct Cloth {
    /// What it is called.
    pub name: String,
    /// Its mesh: positions where it begins, material coordinates where it is at rest. Without
    /// material coordinates it is at rest where it begins.
    pub mesh: TriMesh,
    /// Cells along u and v if the mesh is a grid of [`toile_mesh::shape::grid`].
    pub grid: Option<[usize; 2]>,
    /// What it is made of.
    pub fabric: Fabric,
    /// Parts of it that are of another fabric, by ascending triangles; triangles by [`Stretch::Stvk`] and bending by
    /// [`Bend::Morley`] know of them.
    ///
    /// [`Stretch::Stvk`]: crate::sheet::Stretch::Stvk
    /// [`Bend::Morley`]: crate::sheet::Bend::Morley
    pub pieces: Vec<Piece>,
}

/// A part of a cloth that is of another fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its triangles.
    pub triangles: Range<u32>,
    /// What it is made of.
    pub fabric: Fabric,
}

impl Cloth {
    /// A cloth of any mesh, of the default fabric, cotton.
    pub fn new(name: impl Into<String>, mesh: TriMesh) -> Self {
        Self { name: name.into(), mesh, grid: None, fabric: Fabric::default(), pieces: Vec::new() }
    }

    /// Stretches of triangles that are of one fabric, in order.
    pub(crate) fn stretches(&self) -> Vec<(Range<usize>, &Fabric)> {
        let (mut all, mut done) = (Vec::new(), 0);
        for piece in &self.pieces {
            let own = piece.triangles.start as usize..piece.triangles.end as usize;
            all.push((done..own.start, &self.fabric));
            done = own.end;
            all.push((own, &piece.fabric));
        }
        all.push((done..self.mesh.triangles.len(), &self.fabric));
        all.retain(|(range, _)| !range.is_empty());
        all
    }

    /// Fabric of a triangle.
    pub(crate) fn fabric_at(&self, t: usize) -> &Fabric {
        let own = self.pieces.iter().find(|p| p.triangles.contains(&(t as u32)));
        own.map_or(&self.fabric, |p| &p.fabric)
    }
}

/// What vertices have, while cloths are put together.
#[derive(Default)]
struct Lumps {
    mass: Vec<f64>,
    area: Vec<f64>,
    friction: Vec<f64>,
}

/// All cloths of a scene as one system.
#[derive(Clone, Debug)]
pub struct Model {
    /// Names of the cloths.
    pub names: Vec<String>,
    /// Vertices of each cloth.
    pub vertices: Vec<Range<u32>>,
    /// Triangles of each cloth.
    pub triangles: Vec<Range<u32>>,
    /// Fabric of each cloth.
    pub fabrics: Vec<Fabric>,
    /// Parts of each cloth that are of another fabric.
    pub pieces: Vec<Vec<Piece>>,
    /// Cells along u and v of each cloth that is a grid.
    pub grids: Vec<Option<[usize; 2]>>,
    /// All meshes behind one another; positions are those at the start.
    pub mesh: TriMesh,
    /// Its topology.
    pub topology: Topology,
    /// Cloth of each vertex.
    pub cloth_of: Vec<u32>,
    /// Mass of each vertex [kg]; solvers share it.
    pub mass: Arc<[f64]>,
    /// Area each vertex stands for [m²].
    pub area: Arc<[f64]>,
    /// Friction of each vertex: that of its fabric, or the mean of those it joins, by their areas.
    pub friction: Arc<[f64]>,
    /// All springs; none if the cloth is made of elements alone.
    pub springs: Vec<Spring>,
}

impl Model {
    /// Puts cloths together, with springs if they are asked for.
    pub fn new(cloths: Vec<Cloth>, springs: Option<Springs>) -> Result<Self, Error> {
        let mut model = Self {
            names: Vec::new(),
            vertices: Vec::new(),
            triangles: Vec::new(),
            fabrics: Vec::new(),
            pieces: Vec::new(),
            grids: Vec::new(),
            mesh: TriMesh::default(),
            topology: Topology::default(),
            cloth_of: Vec::new(),
            mass: [].into(),
            area: [].into(),
            friction: [].into(),
            springs: Vec::new(),
        };
        let mut lumps = Lumps::default();
        for cloth in cloths {
            model.add(cloth, springs, &mut lumps)?;
        }
        model.mass = lumps.mass.into();
        model.area = lumps.area.into();
        model.friction = lumps.friction.into();
        if model.mesh.triangles.is_empty() {
            return Err(Error::Mesh { name: "scene".into(), reason: "has no cloth".into() });
        }
        model.topology = Topology::new(model.mesh.positions.len(), &model.mesh.triangles);
        Ok(model)
    }

    /// Rest length of each edge [m], found anew: it is asked for once a step, and a list of it would be kept for all of them. On a seam it
    /// is that of the first side.
    pub fn rest_lengths(&self) -> Vec<f64> {
        let mut rest = vec![0.0; self.topology.edges.len()];
        for (t, edges) in self.topology.triangle_edges.iter().enumerate().rev() {
            let uv = self.mesh.corners_uv(t);
            for k in 0..3 {
                rest[edges[k] as usize] = uv[k].distance(uv[(k + 1) % 3]);
            }
        }
        rest
    }

    fn add(
        &mut self,
        mut cloth: Cloth,
        springs: Option<Springs>,
        lumps: &mut Lumps,
    ) -> Result<(), Error> {
        cloth.fabric.validate()?;
        if let Err(fault) = cloth.mesh.check() {
            return Err(Error::Mesh { name: cloth.name, reason: fault.to_string() });
        }
        give_material(&mut cloth.mesh);
        let topology = Topology::new(cloth.mesh.positions.len(), &cloth.mesh.triangles);
        check(&cloth, &topology)?;
        check_pieces(&cloth, springs.is_some())?;
        let first_vertex = self.mesh.positions.len() as u32;
        let first_triangle = self.mesh.triangles.len() as u32;
        let mass = lumped(&cloth, |fabric| fabric.density);
        let (area, friction) = if cloth.pieces.is_empty() {
            let area = mass.iter().map(|m| m / cloth.fabric.density).collect();
            (area, vec![cloth.fabric.friction; mass.len()])
        } else {
            let area = lumped(&cloth, |_| 1.0);
            let friction = lumped(&cloth, |fabric| fabric.friction);
            let mean = friction.iter().zip(&area).map(|(f, a)| f / a).collect();
            (area, mean)
        };
        let mut made = match (springs, cloth.grid) {
            (None, _) => Vec::new(),
            (Some(Springs::Grid), Some([nu, nv])) => {
                spring::of_grid(&cloth.mesh, nu, nv, &cloth.fabric)
            }
            _ => spring::of_triangles(&cloth.mesh, &topology, &cloth.fabric),
        };
        damp(&mut made, &mass, cloth.fabric.damping);
        for s in &mut made {
            s.ends = s.ends.map(|v| v + first_vertex);
        }
        self.springs.extend(made);
        lumps.mass.extend(mass);
        lumps.area.extend::<Vec<f64>>(area);
        lumps.friction.extend::<Vec<f64>>(friction);
        self.mesh.append(&cloth.mesh);
        let (vertices, triangles) =
            (self.mesh.positions.len() as u32, self.mesh.triangles.len() as u32);
        self.cloth_of.resize(vertices as usize, self.names.len() as u32);
        self.vertices.push(first_vertex..vertices);
        self.triangles.push(first_triangle..triangles);
        self.names.push(cloth.name);
        self.fabrics.push(cloth.fabric);
        self.pieces.push(cloth.pieces);
        self.grids.push(cloth.grid);
        Ok(())
    }

    /// The cloths it was put together of.
    pub(crate) fn cloths(&self) -> Vec<Cloth> {
        (0..self.names.len()).map(|c| self.cloth(c)).collect()
    }

    fn cloth(&self, c: usize) -> Cloth {
        let range = |r: &Range<u32>| r.start as usize..r.end as usize;
        let (vertices, triangles) = (range(&self.vertices[c]), range(&self.triangles[c]));
        let less = |t: &[u32; 3], first: u32| t.map(|v| v - first);
        // The material coordinates of a cloth lie together.
        let sides = &self.mesh.uv_triangles[triangles.clone()];
        let first = sides.iter().flatten().copied().min().unwrap_or(0);
        let end = sides.iter().flatten().map(|v| v + 1).max().unwrap_or(first);
        let mesh = TriMesh {
            positions: self.mesh.positions[vertices.clone()].to_vec(),
            triangles: self.mesh.triangles[triangles]
                .iter()
                .map(|t| less(t, vertices.start as u32))
                .collect(),
            uv: self.mesh.uv[first as usize..end as usize].to_vec(),
            uv_triangles: sides.iter().map(|t| less(t, first)).collect(),
        };
        let (name, fabric) = (self.names[c].clone(), self.fabrics[c].clone());
        Cloth { name, mesh, grid: self.grids[c], fabric, pieces: self.pieces[c].clone() }
    }

    /// Features for collision detection.
    pub fn surface(&self) -> Surface {
        Surface::new(self.mesh.positions.len(), &self.mesh.triangles, &self.topology)
    }

    /// Material coordinates of each triangle's corners, and the cloth it belongs to: what the
    /// hierarchy in texture space is built from.
    pub fn texture(&self) -> (Vec<[DVec2; 3]>, Vec<u32>) {
        let cloth = |t: usize| self.cloth_of[self.mesh.triangles[t][0] as usize];
        (0..self.mesh.triangles.len()).map(|t| (self.mesh.corners_uv(t), cloth(t))).unzip()
    }

    /// All fabrics: those of the cloths, and those of their pieces.
    pub fn all_fabrics(&self) -> impl Iterator<Item = &Fabric> {
        self.fabrics.iter().chain(self.pieces.iter().flatten().map(|p| &p.fabric))
    }

    /// Largest thickness of a fabric [m].
    pub fn thickness(&self) -> f64 {
        self.all_fabrics().map(|f| f.thickness).fold(0.0, f64::max)
    }

    /// Softens springs so that no oscillation is faster than `limit` [rad/s], and returns the part
    /// of its stiffness the most softened one kept.
    ///
    /// By Gershgorin, ω² ≤ 2 Σk/m at some vertex, so each vertex can bear Σk = ½ ω² m. Bend springs
    /// may take up half of that before the others are served: nothing makes up for lost bending
    /// stiffness, and cloth without it crumples like foil, while lost tensile stiffness is made up
    /// for by the strain limit. A spring keeps the smaller part of its two ends.
    pub fn soften(&mut self, limit: f64) -> f64 {
        let mut sum = vec![[0.0; 2]; self.mass.len()];
        let class = |s: &Spring| usize::from(s.kind != Kind::Bend);
        for s in &self.springs {
            for end in s.ends {
                sum[end as usize][class(s)] += s.stiffness;
            }
        }
        let bearable: Vec<[f64; 2]> = sum
            .iter()
            .zip(self.mass.iter())
            .map(|([bend, other], mass)| {
                let whole = 0.5 * limit * limit * mass;
                let bends = bend.min((whole - other).max(0.5 * whole));
                let part = |have: f64, want: f64| if have < want { have / want } else { 1.0 };
                [part(bends, *bend), part(whole - bends, *other)]
            })
            .collect();
        let mut least = 1.0_f64;
        for s in &mut self.springs {
            let [a, b] = s.ends.map(|v| bearable[v as usize][class(s)]);
            let factor = a.min(b);
            s.stiffness *= factor;
            s.damping *= factor.sqrt();
            least = least.min(factor);
        }
        least
    }
}

/// Each spring gets a part of the critical damping of its two masses.
fn damp(springs: &mut [Spring], mass: &[f64], part: f64) {
    for s in springs {
        let [a, b] = s.ends.map(|v| mass[v as usize]);
        s.damping = 2.0 * part * (s.stiffness * a * b / (a + b)).sqrt();
    }
}

fn check(cloth: &Cloth, topology: &Topology) -> Result<(), Error> {
    let bad = |reason: String| Err(Error::Mesh { name: cloth.name.clone(), reason });
    if let Some(e) = topology.edges.iter().find(|e| e.valence > 2) {
        return bad(format!(
            "edge {}–{} has {} triangles; cloth is a surface, with at most two at an edge",
            e.vertices[0], e.vertices[1], e.valence
        ));
    }
    if let Some(v) =
        (0..cloth.mesh.positions.len() as u32).find(|v| topology.triangles_of(*v).is_empty())
    {
        return bad(format!("vertex {v} belongs to no triangle and would have no mass; remove it"));
    }
    if let Some(t) = (0..cloth.mesh.triangles.len()).find(|t| rest_area(&cloth.mesh, *t) <= 0.0) {
        return bad(format!(
            "triangle {t} has no area at rest; remove it or move its corners apart"
        ));
    }
    Ok(())
}

/// Refuses pieces that are not of the cloth, or of a cloth made of springs.
fn check_pieces(cloth: &Cloth, springs: bool) -> Result<(), Error> {
    let bad = |reason: &str| Err(Error::Mesh { name: cloth.name.clone(), reason: reason.into() });
    if springs && !cloth.pieces.is_empty() {
        return bad("is of several fabrics, which springs cannot be");
    }
    let mut done = 0;
    for piece in &cloth.pieces {
        piece.fabric.validate()?;
        let own = &piece.triangles;
        if own.start < done || own.end < own.start || own.end as usize > cloth.mesh.triangles.len()
        {
            return bad("has pieces that overlap, are out of order or have triangles it has not");
        }
        done = own.end;
    }
    Ok(())
}

/// A third of what each triangle has, by its fabric and area, at each corner: its mass, if that is the density.
pub(crate) fn lumped(cloth: &Cloth, per_area: impl Fn(&Fabric) -> f64) -> Vec<f64> {
    let mesh = &cloth.mesh;
    let mut sums = vec![0.0; mesh.positions.len()];
    for (range, fabric) in cloth.stretches() {
        for t in range {
            for v in mesh.triangles[t] {
                sums[v as usize] += per_area(fabric) * rest_area(mesh, t) / 3.0;
            }
        }
    }
    sums
}

fn rest_area(mesh: &TriMesh, t: usize) -> f64 {
    let [a, b, c] = mesh.corners_uv(t);
    0.5 * (b - a).perp_dot(c - a).abs()
}

/// Material coordinates for a mesh that has none.
pub(crate) fn give_material(mesh: &mut TriMesh) {
    if !mesh.has_uv() {
        flatten_each_triangle(mesh);
    }
}

/// Every triangle by itself, as it is in space.
fn flatten_each_triangle(mesh: &mut TriMesh) {
    mesh.uv.clear();
    mesh.uv_triangles.clear();
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t);
        let (ab, ac) = (b - a, c - a);
        let base = ab.length();
        let along = if base > 0.0 { ac.dot(ab) / base } else { 0.0 };
        let height = if base > 0.0 { ab.cross(ac).length() / base } else { 0.0 };
        let first = mesh.uv.len() as u32;
        mesh.uv.extend([DVec2::ZERO, DVec2::new(base, 0.0), DVec2::new(along, height)]);
        mesh.uv_triangles.push([first, first + 1, first + 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use toile_mesh::shape::{Diagonals, grid};

    fn sheet() -> Cloth {
        Cloth {
            name: "sheet".into(),
            mesh: grid(1.0, 0.5, 8, 4, Diagonals::Alternating),
            grid: Some([8, 4]),
            fabric: Fabric::default(),
            pieces: Vec::new(),
        }
    }

    fn model(cloths: Vec<Cloth>) -> Result<Model, Error> {
        Model::new(cloths, Some(Springs::Grid))
    }

    #[test]
    fn the_masses_sum_to_density_times_area() {
        let m = model(vec![sheet(), sheet()]).unwrap();
        assert!((m.mass.iter().sum::<f64>() - 2.0 * 0.1).abs() < 1e-12);
        assert_eq!(m.vertices[1], 45..90);
        assert_eq!(m.fabrics[1].density, 0.2);
    }

    #[test]
    fn a_mesh_without_material_coordinates_is_at_rest_where_it_is() {
        let mut cloth = sheet();
        cloth.mesh.uv.clear();
        cloth.mesh.uv_triangles.clear();
        let m = model(vec![cloth]).unwrap();
        for (edge, rest) in m.topology.edges.iter().zip(m.rest_lengths()) {
            let [a, b] = edge.vertices.map(|v| m.mesh.positions[v as usize]);
            assert!((a.distance(b) - rest).abs() < 1e-12);
        }
    }

    #[test]
    fn a_cloth_of_two_fabrics_weighs_and_rubs_as_its_pieces_do() {
        let mut cloth = sheet();
        let half = cloth.mesh.triangles.len() as u32 / 2;
        let heavy = Fabric { density: 0.6, friction: 0.9, thickness: 2e-3, ..Fabric::default() };
        cloth.pieces = vec![Piece { triangles: half..2 * half, fabric: heavy.clone() }];
        let m = Model::new(vec![cloth.clone()], None).unwrap();
        let plain = Fabric::default();
        assert!((m.mass.iter().sum::<f64>() - 0.25 * (plain.density + 0.6)).abs() < 1e-12);
        assert!((m.area.iter().sum::<f64>() - 0.5).abs() < 1e-12);
        // The first and the last vertex are within one fabric each; in between it is both.
        assert!((m.friction[0] - plain.friction).abs() < 1e-12);
        assert!((m.friction[44] - 0.9).abs() < 1e-12);
        let mixed = m.friction.iter().filter(|f| (**f - 0.9).abs() > 0.05 && **f > 0.4).count();
        assert!(mixed > 0, "{:?}", m.friction);
        assert_eq!(m.thickness(), 2e-3);
        assert_eq!(m.cloths()[0].pieces, cloth.pieces);
        // What cannot be is refused.
        assert!(model(vec![cloth.clone()]).unwrap_err().to_string().contains("springs"));
        cloth.pieces.push(Piece { triangles: 0..half, fabric: heavy });
        let refused = Model::new(vec![cloth], None).unwrap_err().to_string();
        assert!(refused.contains("sheet: has pieces that overlap"), "{refused}");
    }

    #[test]
    fn softened_springs_are_stable_and_say_by_how_much() {
        let mut m = model(vec![sheet()]).unwrap();
        let limit = 500.0;
        let kept = m.soften(limit);
        assert!(kept < 1.0);
        let mut sum = vec![0.0; m.mass.len()];
        for s in &m.springs {
            for e in s.ends {
                sum[e as usize] += s.stiffness;
            }
        }
        let fastest =
            sum.iter().zip(m.mass.iter()).map(|(k, m)| 2.0 * k / m).fold(0.0, f64::max).sqrt();
        assert!(fastest <= limit * (1.0 + 1e-12));
        assert_eq!(m.soften(limit * 1.0001), 1.0);
    }

    #[test]
    fn meshes_that_are_no_cloth_are_refused_with_the_place() {
        let mut book = sheet();
        book.mesh.triangles.push([0, 1, 30]);
        book.mesh.triangles.push([1, 0, 31]);
        book.mesh.uv_triangles = book.mesh.triangles.clone();
        book.grid = None;
        assert!(model(vec![book]).unwrap_err().to_string().contains("sheet: edge 0–1 has"));
        let mut stray = sheet();
        stray.mesh.positions.push(DVec3::ONE);
        stray.grid = None;
        assert!(model(vec![stray]).unwrap_err().to_string().contains("vertex 45"));
        assert!(model(vec![]).unwrap_err().to_string().contains("no cloth"));
    }
}
