//! The elements of one cloth.

use super::group::{FrictionTriangles, Group, Many, Threads, Triangles, Turned, Wrinkled};
use super::{Bend, Clamp, Stretch};
use crate::element::bending_friction::BendingFriction;
use crate::element::curve::Response;
use crate::element::hinge::Curvature;
use crate::element::kes::Pull;
use crate::element::morley::{Crease, Moments};
use crate::element::stvk::{Law, Limit};
use crate::element::terzopoulos::Surface;
use crate::element::{Kind, Membrane, Spring, Triangle};
use crate::element::{baraff_witkin, hinge, kes, laplacian, spring};
use crate::element::{continuum::Continuum, volino::Volino};
use crate::error::Error;
use crate::fabric::Fabric;
use crate::linear::{self, Builder};
use crate::model::Cloth;
use glam::DVec3;
use std::ops::Range;
use toile_mesh::{Topology, TriMesh};

/// What a cloth is in the plane.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plane {
    /// An elastic model.
    Elastic(Stretch),
    /// The same with a limit of the elongation in any direction.
    Limited(Stretch, f64),
    /// St. Venant–Kirchhoff with the loops of the fabric, those of tension too.
    Friction,
}

/// What a cloth is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Make {
    /// In the plane.
    pub(super) plane: Plane,
    /// In bending.
    pub(super) bend: Bend,
    /// Whether shear and bending have the loops of the fabric.
    pub(super) loops: bool,
}

/// One cloth.
#[derive(Debug)]
pub(super) struct Part {
    /// Its vertices.
    pub(super) range: Range<usize>,
    /// Its elements.
    pub(super) groups: Vec<Box<dyn Group>>,
    /// Its bending, if by moments.
    pub(super) moments: Option<Moments>,
    /// Numbers of its clamped creases, and of the others if there are any such.
    pub(super) clamped: Vec<u32>,
    inner: Vec<u32>,
}

/// Some creases of a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Creases<'a> {
    /// All of them.
    All,
    /// Those with these numbers.
    Some(&'a [u32]),
}

impl Creases<'_> {
    /// The number of the i-th.
    pub(super) fn number(self, i: u32) -> usize {
        match self {
            Self::All => i as usize,
            Self::Some(numbers) => numbers[i as usize] as usize,
        }
    }
}

impl Part {
    pub(super) fn new(
        cloth: &Cloth,
        first: usize,
        make: Make,
        clamps: &[Clamp],
    ) -> Result<Self, Error> {
        let Make { plane: stretch, bend, loops } = make;
        let mesh = material(cloth);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let mut groups: Vec<Box<dyn Group>> = Vec::new();
        check_pieces(cloth, stretch, bend)?;
        match stretch {
            Plane::Elastic(Stretch::Stvk) => {
                add_laws(&mut groups, cloth, &mesh, loops, Fabric::law)?;
            }
            Plane::Elastic(stretch) => {
                add_stretch(&mut groups, cloth, &mesh, &topology, stretch)?;
                if loops {
                    add_shear_friction(&mut groups, cloth, &mesh)?;
                }
            }
            Plane::Limited(stretch, elongation) => {
                if stretch != Stretch::Stvk {
                    add_stretch(&mut groups, cloth, &mesh, &topology, stretch)?;
                }
                add_laws(&mut groups, cloth, &mesh, loops, |fabric| {
                    let limit = Limit::new(elongation, fabric.weft.max(fabric.warp));
                    // A law that can hold the limit itself needs no second pass over the triangles.
                    Ok(match stretch {
                        Stretch::Stvk => Law { limit: Some(limit), ..fabric.law()? },
                        _ => Law::only(limit),
                    })
                })?;
            }
            Plane::Friction => add_loops(&mut groups, cloth, &mesh)?,
        }
        add_bend(&mut groups, cloth, &mesh, &topology, bend)?;
        if loops && bend != Bend::None {
            add_bending_friction(&mut groups, cloth, &mesh, &topology);
        }
        let moments = match bend {
            Bend::Morley => {
                let bending = |t: usize| cloth.fabric_at(t).bending();
                let clamp = |e: usize| clamp_of(clamps, topology.edges[e].vertices);
                let moments = Moments::of_mesh(&mesh, &topology, bending, clamp);
                Some(moments.map_err(|e| of_fabric(cloth, e))?)
            }
            _ => None,
        };
        let range = first..first + mesh.positions.len();
        let creases = moments.as_ref().map_or(&[][..], Moments::creases);
        let (mut inner, clamped): (Vec<u32>, Vec<u32>) =
            (0..creases.len() as u32).partition(|c| !creases[*c as usize].is_clamped());
        if clamped.is_empty() {
            inner = Vec::new();
        }
        Ok(Self { range, groups, moments, inner, clamped })
    }

    /// Lists of creases that are alike, each a group of elements: the inner ones, and those that are clamped if there are any.
    pub(super) fn creases(&self) -> impl Iterator<Item = Creases<'_>> {
        let inner = if self.clamped.is_empty() { Creases::All } else { Creases::Some(&self.inner) };
        let clamped = (!self.clamped.is_empty()).then_some(Creases::Some(&self.clamped));
        std::iter::once(inner).chain(clamped)
    }

    pub(super) fn add_stencils(&self, mut builder: Builder) -> Result<Builder, linear::Error> {
        let first = self.range.start as u32;
        for group in &self.groups {
            builder = group.add_to(builder, first)?;
        }
        if let Some(moments) = &self.moments {
            let all = moments.creases();
            let of = |crease: &Crease| crease.vertices.map(|v| v + first);
            let inner: Vec<[u32; 4]> = all.iter().filter(|c| !c.is_clamped()).map(of).collect();
            builder = builder.with_elements(&inner)?;
            if !self.clamped.is_empty() {
                let clamped = self.clamped.iter().map(|c| of(&all[*c as usize]));
                let clamped: Vec<[u32; 3]> = clamped.map(|[a, b, c, _]| [a, b, c]).collect();
                builder = builder.with_elements(&clamped)?;
            }
        }
        Ok(builder)
    }

    pub(super) fn energy(&mut self, x: &[DVec3], m: &mut Vec<f64>) -> f64 {
        let x = &x[self.range.clone()];
        let mut energy: f64 = self.groups.iter().map(|g| g.energy(x)).sum();
        if let Some(moments) = &mut self.moments {
            energy += moments.moments(x, m);
        }
        energy
    }
}

/// The mesh of a cloth, with material coordinates.
pub(super) fn material(cloth: &Cloth) -> TriMesh {
    let mut mesh = cloth.mesh.clone();
    crate::model::give_material(&mut mesh);
    mesh
}

/// Names the cloth whose fabric cannot be bent so.
fn of_fabric(cloth: &Cloth, error: Error) -> Error {
    match error {
        Error::Setting { key: "bending", reason } => {
            Error::Mesh { name: cloth.name.clone(), reason: format!("fabric {reason}") }
        }
        other => other,
    }
}

fn clamp_of(clamps: &[Clamp], edge: [u32; 2]) -> Option<DVec3> {
    let same = |c: &&Clamp| c.edge == edge || [c.edge[1], c.edge[0]] == edge;
    clamps.iter().find(same).map(|c| c.point)
}

/// Cells along u and v, or why the model cannot be had.
fn grid_of(cloth: &Cloth, model: &str) -> Result<[usize; 2], Error> {
    cloth.grid.filter(|[nu, nv]| *nu > 0 && *nv > 0).ok_or_else(|| Error::Mesh {
        name: cloth.name.clone(),
        reason: format!("is no regular grid, which the model \"{model}\" needs"),
    })
}

fn springs_of(cloth: &Cloth, mesh: &TriMesh, topology: &Topology, bend: bool) -> Vec<Spring> {
    let mut springs = match cloth.grid {
        Some([nu, nv]) => spring::of_grid(mesh, nu, nv, &cloth.fabric),
        None => spring::of_triangles(mesh, topology, &cloth.fabric),
    };
    springs.retain(|s| (s.kind == Kind::Bend) == bend);
    springs
}

fn add_stretch(
    groups: &mut Vec<Box<dyn Group>>,
    cloth: &Cloth,
    mesh: &TriMesh,
    topology: &Topology,
    stretch: Stretch,
) -> Result<(), Error> {
    let membrane = cloth.fabric.membrane();
    let rest = || Triangle::of_mesh(mesh);
    match stretch {
        Stretch::Springs => {
            groups.push(Box::new(Many::<2, _>(springs_of(cloth, mesh, topology, false))));
        }
        Stretch::Kes => {
            let [nu, nv] = grid_of(cloth, stretch.name())?;
            groups.push(Box::new(Many(threads(cloth, mesh, nu, nv)?)));
            let mut angles = kes::angles_of_grid(mesh, nu, nv, &cloth.fabric);
            angles.retain(|a| !straight(a));
            groups.push(Box::new(Many(angles)));
        }
        Stretch::Volino => groups.push(Box::new(Many(Volino::of_mesh(mesh, &membrane)))),
        Stretch::BaraffWitkin => {
            let law = baraff_witkin::Conditions::of_membrane(&membrane);
            groups.push(Box::new(Many(Triangles { rest: rest(), law })));
        }
        Stretch::Continuum => {
            let [nu, nv] = grid_of(cloth, stretch.name())?;
            let Continuum { threads, corners, .. } =
                Continuum::of_grid(mesh, nu, nv, &cloth.fabric);
            groups.push(Box::new(Many::<2, _>(threads)));
            groups.push(Box::new(Many(corners)));
        }
        Stretch::Corotational => {
            groups.push(Box::new(Many(Triangles { rest: rest(), law: Turned(membrane) })));
        }
        Stretch::Stvk => {
            add_laws(groups, cloth, mesh, false, Fabric::law)?;
        }
        Stretch::TensionField => {
            groups.push(Box::new(Many(Triangles { rest: rest(), law: Wrinkled(membrane) })));
        }
        Stretch::Terzopoulos => {
            let [nu, nv] = grid_of(cloth, stretch.name())?;
            let surface = Surface::of_grid(mesh, nu, nv, &cloth.fabric);
            groups.push(Box::new(Many(surface.edges)));
            groups.push(Box::new(Many(surface.corners)));
        }
    }
    Ok(())
}

/// Triangles by a law, that of each fabric, with the loops of its shear or without.
fn add_laws(
    groups: &mut Vec<Box<dyn Group>>,
    cloth: &Cloth,
    mesh: &TriMesh,
    loops: bool,
    law: impl Fn(&Fabric) -> Result<Law, Error>,
) -> Result<(), Error> {
    for (range, fabric) in cloth.stretches() {
        let all = range.filter_map(|t| Triangle::new(mesh.triangles[t], mesh.corners_uv(t)));
        let mut rest: Vec<Triangle> = all.collect();
        rest.shrink_to_fit();
        let law = law(fabric)?;
        let friction = if loops { fabric.shear_friction()? } else { None };
        groups.push(match friction {
            None => Box::new(Many(Triangles { rest, law })),
            shear => Box::new(Many(FrictionTriangles::new(rest, law, [None, None, shear]))),
        });
    }
    Ok(())
}

/// The loops of shear alone, beside a model that has none.
fn add_shear_friction(
    groups: &mut Vec<Box<dyn Group>>,
    cloth: &Cloth,
    mesh: &TriMesh,
) -> Result<(), Error> {
    let none = Law::linear(&Membrane { c11: 0.0, c12: 0.0, c22: 0.0, c33: 0.0 });
    for (range, fabric) in cloth.stretches() {
        if let Some(grip) = fabric.shear_friction()? {
            let all = range.filter_map(|t| Triangle::new(mesh.triangles[t], mesh.corners_uv(t)));
            let friction = [None, None, Some(grip)];
            groups.push(Box::new(Many(FrictionTriangles::new(
                all.collect(),
                none.clone(),
                friction,
            ))));
        }
    }
    Ok(())
}

/// The loops of bending.
fn add_bending_friction(
    groups: &mut Vec<Box<dyn Group>>,
    cloth: &Cloth,
    mesh: &TriMesh,
    topology: &Topology,
) {
    if cloth.stretches().iter().all(|(_, fabric)| fabric.bend_friction() == [0.0; 2]) {
        return;
    }
    let folds = BendingFriction::of_mesh(mesh, topology, |t| cloth.fabric_at(t).bend_friction());
    groups.push(Box::new(folds));
}

/// Refuses models that take a cloth to be of one fabric where it is not.
fn check_pieces(cloth: &Cloth, stretch: Plane, bend: Bend) -> Result<(), Error> {
    let stvk = match stretch {
        Plane::Elastic(stretch) | Plane::Limited(stretch, _) => stretch == Stretch::Stvk,
        Plane::Friction => false,
    };
    if cloth.pieces.is_empty() || stvk && matches!(bend, Bend::Morley | Bend::None) {
        return Ok(());
    }
    let reason = "is of several fabrics, which only the models \"stvk\" and \"morley\" can have";
    Err(Error::Mesh { name: cloth.name.clone(), reason: reason.into() })
}

/// The mean of loading and unloading, and the friction between them.
fn add_loops(groups: &mut Vec<Box<dyn Group>>, cloth: &Cloth, mesh: &TriMesh) -> Result<(), Error> {
    let rest = Triangle::of_mesh(mesh);
    let loops = cloth.fabric.loops()?;
    groups.push(Box::new(Many(FrictionTriangles::new(rest, loops.mean, loops.friction))));
    Ok(())
}

fn add_bend(
    groups: &mut Vec<Box<dyn Group>>,
    cloth: &Cloth,
    mesh: &TriMesh,
    topology: &Topology,
    bend: Bend,
) -> Result<(), Error> {
    let bending = cloth.fabric.bending();
    match bend {
        Bend::None | Bend::Morley => {}
        Bend::Springs => {
            groups.push(Box::new(Many::<2, _>(springs_of(cloth, mesh, topology, true))));
        }
        Bend::Angles => {
            let [nu, nv] = grid_of(cloth, bend.name())?;
            let mut angles = kes::angles_of_grid(mesh, nu, nv, &cloth.fabric);
            angles.retain(straight);
            groups.push(Box::new(Many(angles)));
        }
        Bend::Plate => {
            let [nu, nv] = grid_of(cloth, bend.name())?;
            let plate = laplacian::of_grid(mesh, nu, nv, &bending);
            groups.push(Box::new(Many(plate.lines)));
            groups.push(Box::new(Many(plate.crosses)));
            groups.push(Box::new(Many(plate.cells)));
        }
        Bend::Laplacian => {
            groups.push(Box::new(Many(laplacian::of_mesh(mesh, topology, &bending))));
        }
        Bend::Hinge => {
            let hinges = hinge::of_mesh(mesh, topology, &bending, Curvature::GaussNewton);
            groups.push(Box::new(Many(hinges)));
        }
        Bend::Terzopoulos => {
            let [nu, nv] = grid_of(cloth, bend.name())?;
            let surface = Surface::of_grid(mesh, nu, nv, &cloth.fabric);
            groups.push(Box::new(Many(surface.nodes)));
        }
    }
    Ok(())
}

/// Whether an angle is that of a straight line, not of a corner.
fn straight(angle: &kes::Angle) -> bool {
    angle.rest > 2.0
}

/// The threads of a grid with the fabric's tensile curves.
fn threads(cloth: &Cloth, mesh: &TriMesh, nu: usize, nv: usize) -> Result<Threads, Error> {
    let springs = spring::of_grid(mesh, nu, nv, &cloth.fabric);
    let [weft, warp] = cloth.fabric.tensions()?;
    let mut pulls = Vec::new();
    let mut threads = Vec::new();
    for s in springs.iter().filter(|s| s.kind == Kind::Structural) {
        let [a, b] = s.ends.map(|v| mesh.uv[v as usize]);
        let along_weft = (b - a).x.abs() > (b - a).y.abs();
        // A spring has k = Y w/l: its width follows from the fabric's own stiffness.
        let stiffness = if along_weft { cloth.fabric.weft } else { cloth.fabric.warp };
        let width = s.stiffness * s.rest / stiffness;
        let response: &Response = if along_weft { &weft } else { &warp };
        let pull = Pull::Measured { response: response.clone(), width };
        let known = pulls.iter().position(|p| *p == pull);
        let number = known.unwrap_or_else(|| {
            pulls.push(pull);
            pulls.len() - 1
        });
        threads.push((s.ends, s.rest, number));
    }
    Ok(Threads { threads, pulls })
}
