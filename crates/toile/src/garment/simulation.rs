//! Garments in code: a pattern, a wearer and a fabric as values, sewn step by step and read as slices.

use crate::error::Error;
use crate::fabric;
use crate::run::StopFlag;
use glam::DVec3;
use std::collections::BTreeMap;
use toile_body::{Figure, Landmarks, Mannequin, Pose, repair};
use toile_garment::{Fabrics, PanelRange, Stage, Tailor};
use toile_mesh::TriMesh;
use toile_pattern::design::Design;
use toile_pattern::{Measurements, Pattern, meshing};
use toile_sim::{Contact, Energy, Fabric, StepReport, World};

/// Length of the edges of the cloth, if none is given [m].
const EDGE_LENGTH: f64 = 0.02;

/// Most steps from flat panels to rest.
const MAX_STEPS: u64 = 400;

/// Somebody who is dressed: a body that can be measured.
///
/// ```
/// use toile::body::{Figure, Pose};
/// use toile::garment::Wearer;
/// use toile::pattern::{Measurements, Size};
///
/// let size = Figure::Female.measurements(Size::S);
/// let measurements = Measurements { waist_girth: 0.70, ..size }; // metres
/// let wearer = Wearer::mannequin(&measurements, Figure::Female, Pose::A)?;
/// let (low, high) = wearer.mesh().bounds().expect("a body");
/// assert!(low.y.abs() < 1e-3 && high.y > 1.5);
/// # Ok::<(), toile::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wearer {
    mesh: TriMesh,
    landmarks: Landmarks,
}

impl Wearer {
    /// A mannequin made to measure.
    ///
    /// # Errors
    /// If no body has these measurements.
    pub fn mannequin(
        measurements: &Measurements,
        figure: Figure,
        pose: Pose,
    ) -> Result<Self, Error> {
        let body = Mannequin::new(measurements, figure, pose)?;
        Ok(Self { mesh: body.mesh, landmarks: body.landmarks })
    }

    /// A body from a mesh in memory, in any unit and upright along any axis: it is set upright on y = 0 in metres, and small holes
    /// are closed.
    ///
    /// # Errors
    /// If it is no body.
    pub fn from_mesh(mesh: &TriMesh) -> Result<Self, Error> {
        let (mesh, _) = repair(mesh)?;
        let landmarks = Landmarks::find(&mesh)?;
        Ok(Self { mesh, landmarks })
    }

    /// Its skin.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Where its parts are.
    pub fn landmarks(&self) -> &Landmarks {
        &self.landmarks
    }
}

/// What is to be sewn: a pattern, the fabric of each panel, and how fine its mesh is.
///
/// ```no_run
/// use toile::body::{Figure, Pose};
/// use toile::garment::{Garment, Wearer};
/// use toile::pattern::{Size, design::Design};
/// use toile::{Fabric, fabric};
///
/// let measurements = Figure::Female.measurements(Size::M);
/// let skirt = Design::find("skirt").expect("a built-in design");
/// let wearer = Wearer::mannequin(&measurements, Figure::Female, Pose::A)?;
/// let mut sewn = Garment::of_design(&skirt, &measurements)
///     .fabric(fabric::find("denim")?)
///     .edge_length(0.015)
///     .on(&wearer)?;
/// sewn.run_to_rest()?;
/// println!("the hem is at {:.2} m", sewn.world().state().lowest());
/// # Ok::<(), toile::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Garment {
    pattern: Pattern,
    fabric: Fabric,
    others: BTreeMap<String, Fabric>,
    edge_length: f64,
}

impl Garment {
    /// A garment of a pattern, of cotton until another fabric is given. Panels that name a fabric are of the built-in one of that
    /// name, or of its file, unless [`Garment::panel_fabric`] gives one.
    pub fn new(pattern: Pattern) -> Self {
        let fabric = Fabric::default();
        Self { pattern, fabric, others: BTreeMap::new(), edge_length: EDGE_LENGTH }
    }

    /// A design, drafted to measure.
    pub fn of_design(design: &Design, measurements: &Measurements) -> Self {
        Self::new(design.draft(measurements))
    }

    /// Makes it of a fabric.
    #[must_use]
    pub fn fabric(mut self, fabric: Fabric) -> Self {
        self.fabric = fabric;
        self
    }

    /// Makes a panel of another fabric, by the name of the panel; a name that the pattern lacks is refused by [`Garment::on`].
    #[must_use]
    pub fn panel_fabric(mut self, panel: impl Into<String>, fabric: Fabric) -> Self {
        self.others.insert(panel.into(), fabric);
        self
    }

    /// Sets the length of the edges of the cloth [m]; 2 cm if not given.
    #[must_use]
    pub fn edge_length(mut self, metres: f64) -> Self {
        self.edge_length = metres;
        self
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Arranges the panels around a body; then it can be stepped.
    ///
    /// # Errors
    /// If the pattern has faults, a panel is not in it, a fabric makes no sense, or the panels cannot be arranged.
    pub fn on(mut self, wearer: &Wearer) -> Result<GarmentSimulation, Error> {
        for name in self.others.keys() {
            let Some(panel) = self.pattern.panels.iter_mut().find(|p| p.name == *name) else {
                let message = format!("the pattern has no panel `{name}`");
                let names: Vec<&str> =
                    self.pattern.panels.iter().map(|p| p.name.as_str()).collect();
                return Err(Error::request(message, format!("it has {}", names.join(", "))));
            };
            panel.fabric = Some(of_panel(name));
        }
        let mesh = meshing::mesh(&self.pattern, self.edge_length)?;
        let given: BTreeMap<String, &Fabric> =
            self.others.iter().map(|(panel, fabric)| (of_panel(panel), fabric)).collect();
        let fabrics = Fabrics::of_pattern(&self.pattern, &self.fabric, |name| {
            given.get(name).map_or_else(|| fabric::find(name), |fabric| Ok(Fabric::clone(fabric)))
        })?;
        let (body, landmarks) = (wearer.mesh.clone(), wearer.landmarks.clone());
        let tailor =
            Tailor::owning(self.pattern, mesh, self.edge_length, body, landmarks, fabrics)?;
        Ok(GarmentSimulation { tailor, steps: 0 })
    }
}

/// Under which name the fabric of a panel is looked up; no file has it.
fn of_panel(panel: &str) -> String {
    format!("of the panel {panel}")
}

/// A garment that is being sewn and comes to rest, step by step.
///
/// Its mesh changes on the way: fine edges are sewn with coarse ones first, and sewn vertices become one. When
/// [`GarmentSimulation::is_sewn`], it stays the same.
#[derive(Debug)]
pub struct GarmentSimulation {
    tailor: Tailor<'static>,
    steps: u64,
}

impl GarmentSimulation {
    /// One step.
    ///
    /// # Errors
    /// If a seam does not close, the garment falls off, or the solver fails.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let report = self.tailor.step()?;
        self.steps += 1;
        Ok(report)
    }

    /// Steps until the garment is at rest, or has taken 400 steps since it began; returns whether it is at rest.
    ///
    /// # Errors
    /// As for [`GarmentSimulation::step`].
    pub fn run_to_rest(&mut self) -> Result<bool, Error> {
        while !self.is_at_rest() && self.steps < MAX_STEPS {
            self.step()?;
        }
        Ok(self.is_at_rest())
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How far it is; [`Stage::Done`] of coarse edges is not the end.
    pub fn stage(&self) -> Stage {
        self.tailor.fitting().stage()
    }

    /// Whether all seams are closed and the mesh stays the same from now on.
    pub fn is_sewn(&self) -> bool {
        self.tailor.is_sewn()
    }

    /// Whether it hangs still by itself.
    pub fn is_at_rest(&self) -> bool {
        self.tailor.is_done()
    }

    /// The widest opening of a seam [m].
    pub fn widest_gap(&self) -> f64 {
        self.tailor.fitting().widest_gap()
    }

    /// Lets a flag give up the step under way.
    pub fn stop_with(&mut self, flag: &StopFlag) {
        self.tailor.stop_with(flag.shared());
    }

    /// Where the vertices are [m].
    pub fn positions(&self) -> &[DVec3] {
        &self.world().state().x
    }

    /// How fast they move [m/s].
    pub fn velocities(&self) -> &[DVec3] {
        &self.world().state().v
    }

    /// Triangles by their vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.world().model().mesh.triangles
    }

    /// Panels, in the order of the pattern, with their triangles.
    pub fn panels(&self) -> &[PanelRange] {
        self.tailor.fitting().panels()
    }

    /// All contacts now, with their forces; body 0 is that of the wearer.
    ///
    /// # Errors
    /// If a position is not finite.
    pub fn contacts(&mut self) -> Result<&[Contact], Error> {
        Ok(self.tailor.world_mut().contacts()?)
    }

    /// Energy now [J].
    pub fn energy(&mut self) -> Energy {
        self.tailor.world_mut().energy()
    }

    /// The garment as it is, with its material coordinates.
    pub fn mesh(&self) -> TriMesh {
        self.tailor.fitting().mesh()
    }

    /// Cloth, body and settings now.
    pub fn world(&self) -> &World {
        self.tailor.fitting().world()
    }

    /// The garment as a world of its own, with its seams, elastics and tapes: to be stepped with other gravity, wind, friction or fabric.
    pub fn into_world(self) -> World {
        self.tailor.into_world()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_pattern::Size;

    fn skirt() -> (Garment, Wearer) {
        let m = Figure::Female.measurements(Size::M);
        let design = Design::find("skirt").unwrap();
        let wearer = Wearer::mannequin(&m, Figure::Female, Pose::A).unwrap();
        (Garment::of_design(&design, &m).edge_length(0.05), wearer)
    }

    #[test]
    fn a_garment_in_code_takes_the_steps_of_the_tailor() {
        let (garment, wearer) = skirt();
        let pattern = garment.pattern().clone();
        let mesh = meshing::mesh(&pattern, 0.05).unwrap();
        let (body, landmarks) = (wearer.mesh(), wearer.landmarks());
        let mut tailor =
            Tailor::new(&pattern, &mesh, 0.05, body, landmarks, &Fabric::default()).unwrap();
        let mut sewn = garment.on(&wearer).unwrap();
        for _ in 0..5 {
            tailor.step().unwrap();
            sewn.step().unwrap();
        }
        assert_eq!(sewn.world().state().hash(), tailor.fitting().world().state().hash());
        assert_eq!((sewn.steps(), sewn.stage()), (5, tailor.fitting().stage()));
        assert_eq!(sewn.positions().len(), sewn.velocities().len());
        assert_eq!(sewn.panels().len(), pattern.panels.len());
        let mut world = sewn.into_world();
        world.set_gravity(DVec3::X).unwrap();
        world.step().unwrap();
    }

    #[test]
    fn panels_are_of_their_own_fabric_or_refused_by_name() {
        let (garment, wearer) = skirt();
        let name = garment.pattern().panels[0].name.clone();
        let heavy = Fabric { density: 1.0, ..Fabric::default() };
        let mass = |g: Garment| {
            let sewn = g.on(&wearer).unwrap();
            sewn.world().model().mass.iter().sum::<f64>()
        };
        let (plain, mixed) =
            (mass(garment.clone()), mass(garment.clone().panel_fabric(name, heavy.clone())));
        assert!(mixed > 1.3 * plain, "{mixed} {plain}");
        let error = garment.panel_fabric("collar", heavy).on(&wearer).unwrap_err();
        assert!(error.to_string().contains("`collar`"), "{error}");
        assert!(error.remedy().is_some_and(|r| r.contains("front")), "{:?}", error.remedy());
    }

    #[test]
    fn a_ball_is_no_wearer() {
        let ball = toile_mesh::shape::sphere(0.5, 4);
        assert!(Wearer::from_mesh(&ball).is_err());
    }
}
