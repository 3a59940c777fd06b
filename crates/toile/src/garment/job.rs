//! Runs of garments: sewn and draped by the same loop as scenes.

use super::moving::Moving;
use super::report::{self, FitReport};
use super::{Cut, MeasuredWearer, Order, caught, colours, judged, panel_fabrics};
use crate::audit::audit;
use crate::body::four_views;
use crate::error::Error;
use crate::export::{self, Coordinates, Space};
use crate::look::preview::{self, Coloured};
use crate::output::hash::Fnv;
use crate::output::{OutputFolder, Plan};
use crate::picture::{Camera, Part, Studio};
use crate::run::job::Job;
use crate::run::{
    Format, GarmentReport, Momentum, Options, Progress, Saved, Stage, Statistics, StopFlag,
    check_amount,
};
use crate::simulation::Simulation;
use glam::DVec3;
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;
use toile_garment::fit::{Worn, assess};
use toile_garment::{Fabrics, PanelRange, Tailor};
use toile_mesh::TriMesh;
use toile_mesh::io::{self, Model};
use toile_pattern::meshing::PatternMesh;
use toile_pattern::{Pattern, Severity};
use toile_render::{Image, Material};
use toile_sim::body::Shape;
use toile_sim::{Body, Fabric, StepReport, World};

/// Most steps from flat panels to rest, for each garment.
const MAX_STEPS: u64 = 400;

/// Rays per pixel of the picture of the panels.
const SAMPLES_PER_PIXEL: u32 = 4;

/// Where frames are filmed from [degrees].
const CAMERA: [f64; 2] = [25.0, 8.0];

/// Steps over which the decay of the speed is measured, to estimate how many are left.
const SPEED_HISTORY: usize = 8;
/// Speed at which kinetic damping ends to see whether a garment stays [m/s].
const RELEASE_SPEED: f64 = 2.5e-3;
/// Steps for which it is observed then.
const OBSERVATION_STEPS: f64 = 20.0;

/// A garment on its way onto a body.
pub(super) struct GarmentJob<'a> {
    order: &'a Order,
    cut: &'a Cut,
    pattern: &'a Pattern,
    mesh: &'a PatternMesh,
    fabrics: Fabrics,
    wearer: &'a MeasuredWearer,
    /// What the body does when it is dressed.
    pub(super) moving: Option<Moving>,
    /// Whether it does that now.
    is_moving: bool,
    /// Nothing until it is arranged or restored.
    tailor: Option<Tailor<'a>>,
    /// Steps taken, over coarse and fine triangles.
    step: u64,
    /// The panels of the pattern, flat; frames of pictures move their vertices.
    panels: TriMesh,
    /// The colour of each panel.
    colours: Vec<usize>,
    /// The picture of the arranged panels, until there is a folder for it.
    arranged: Option<Vec<u8>>,
    /// When the work on it began.
    started: Instant,
    /// Whether pictures are wanted.
    pictures: bool,
    /// What gives up the step under way.
    stop: StopFlag,
    /// Speeds after the last steps of draping [m/s].
    speeds: Vec<f64>,
}

impl<'a> GarmentJob<'a> {
    pub(super) fn new(
        order: &'a Order,
        cut: &'a Cut,
        mesh: &'a PatternMesh,
        fabrics: Fabrics,
        wearer: &'a MeasuredWearer,
        started: Instant,
    ) -> Self {
        let pattern = &cut.pattern;
        Self {
            order,
            cut,
            pattern,
            mesh,
            fabrics,
            wearer,
            moving: None,
            is_moving: false,
            tailor: None,
            step: 0,
            panels: mesh.joined(|_, p| p),
            colours: colours(order, pattern),
            arranged: None,
            started,
            pictures: false,
            stop: StopFlag::default(),
            speeds: Vec::new(),
        }
    }

    /// Puts the panels around the body, and draws them if pictures are wanted.
    pub(super) fn arrange(&mut self, options: &Options) -> Result<(), Error> {
        let (body, landmarks) = (&self.wearer.body, &self.wearer.landmarks);
        let edge = self.order.edge_length;
        let (pattern, dressing, mesh) = (self.pattern, &self.cut.dressing, self.mesh);
        let fabrics = &self.fabrics;
        let tailor = Tailor::of_outfit(pattern, dressing, mesh, edge, body, landmarks, fabrics)?;
        self.tailor = Some(tailor);
        self.pictures = options.picture;
        if options.picture {
            self.arranged = Some(self.picture_of_panels()?);
        }
        Ok(())
    }

    fn tailor(&self) -> &Tailor<'a> {
        self.tailor.as_ref().expect("a run begins with arranged panels or a saved state")
    }

    /// The body as it is now.
    fn body(&self) -> Cow<'_, TriMesh> {
        match &self.moving {
            Some(moving) if self.is_moving => {
                Cow::Owned(moving.mesh(&self.wearer.body, self.world().state().time))
            }
            _ => Cow::Borrowed(&self.wearer.body),
        }
    }

    /// Whether it hangs, or has been given all the time there is.
    fn is_draped(&self) -> bool {
        let tailor = self.tailor();
        tailor.is_done() || tailor.is_dressed() && self.step >= self.max_steps()
    }

    /// Most steps from flat panels to rest.
    fn max_steps(&self) -> u64 {
        MAX_STEPS * self.cut.dressing.len() as u64
    }

    /// Lets the body begin to move, or resume its motion.
    fn animate(&mut self, resumed: bool) -> Result<(), Error> {
        let Some(moving) = &self.moving else { return Ok(()) };
        let tailor = self.tailor.as_mut().expect("it is draped");
        tailor.animate(moving.deformation(), moving.step, resumed)?;
        tailor.stop_with(self.stop.shared());
        self.is_moving = true;
        Ok(())
    }

    /// How many steps are left, if it can be estimated: the speed of what settles decays by a factor in each step.
    fn steps_left(&self) -> Option<f64> {
        if let Some(moving) = self.moving.as_ref().filter(|_| self.is_moving) {
            return Some(moving.steps.saturating_sub(self.world().state().step) as f64);
        }
        let (last, first) = (*self.speeds.last()?, *self.speeds.first()?);
        if self.speeds.len() < SPEED_HISTORY || last <= 0.0 || last >= first {
            return None;
        }
        let decay = libm::log(first / last) / (self.speeds.len() - 1) as f64;
        let settling = (libm::log(last / RELEASE_SPEED) / decay).max(0.0);
        Some((settling + OBSERVATION_STEPS).min(self.max_steps().saturating_sub(self.step) as f64))
    }

    /// The fabric of the panels with a number of [`Self::colours`].
    fn fabric(&self, colour: usize) -> &Fabric {
        let panel = self.colours.iter().position(|c| *c == colour);
        panel.map_or(self.fabrics.main(), |panel| self.fabrics.of(panel))
    }

    /// A PNG of the panels around the body from four sides, in the colours of their fabrics.
    fn picture_of_panels(&self) -> Result<Vec<u8>, Error> {
        let fitting = self.tailor().fitting();
        let whole = fitting.mesh();
        let part = |colour: usize| {
            let own = fitting.panels().iter().zip(&self.colours).filter(|(_, c)| **c == colour);
            let triangles = own.flat_map(|(panel, _)| panel.triangles.clone());
            let triangles = triangles.map(|t| whole.triangles[t as usize]).collect();
            let material = preview::material(&preview::simple(self.fabric(colour)));
            (TriMesh::new(whole.positions.clone(), triangles), material)
        };
        let last = self.colours.iter().copied().max().unwrap_or(0);
        let parts: Vec<(TriMesh, Material)> = (0..=last).map(part).collect();
        let worn = parts.iter().filter(|(mesh, _)| !mesh.triangles.is_empty());
        let worn: Vec<(&TriMesh, Material)> = worn.map(|(mesh, m)| (mesh, *m)).collect();
        png(&four_views(&self.wearer.body, &worn, SAMPLES_PER_PIXEL)?)
    }

    /// A PNG of the garment on its body from four sides, in the colours of its fabrics.
    fn picture(&self) -> Result<Vec<u8>, Error> {
        let fitting = self.tailor().fitting();
        let coloured = |(panel, colour): (&PanelRange, &usize)| Coloured {
            triangles: panel.triangles.clone(),
            simple: preview::simple(self.fabric(*colour)),
        };
        let parts: Vec<Coloured> =
            fitting.panels().iter().zip(&self.colours).map(coloured).collect();
        png(&preview::sheet(&fitting.mesh(), &parts, &self.body())?)
    }
}

fn png(image: &Image) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(bytes)
}

/// Whether frames of a format are pictures, which can be drawn before the mesh of the garment is what it will be.
fn is_picture(format: Format) -> bool {
    match format {
        Format::Png | Format::Gif | Format::Apng | Format::Sheet => true,
        Format::Pc2 | Format::Obj | Format::Glb | Format::Usda => false,
    }
}

/// Mesh of the panels, whose vertices the point cache behind pictures moves.
const PANELS: &str = "panels.obj";

/// Frames of a body that moves, beside `frames.pc2`; they move the vertices of `body.obj`.
pub(super) const BODY_CACHE: &str = "body.pc2";

/// Whether there is a point cache behind pictures.
fn needs_panels(options: &Options) -> bool {
    options.frames.is_some_and(|f| is_picture(f) && f.numbered().is_none())
}

impl Job for GarmentJob<'_> {
    fn name(&self) -> String {
        self.pattern.name.clone()
    }

    fn plan(&self, options: &Options) -> Plan {
        let mut names = export::final_names(options.unwelded);
        names.extend(["body.obj", "fit.html", "fit.json"]);
        if options.picture {
            names.extend(["arranged.png", "final.png", caught::PICTURE]);
            names.extend(["fit-strain.png", "fit-tension.png", "fit-pressure.png", "fit-gap.png"]);
        }
        if needs_panels(options) {
            names.push(PANELS);
        }
        if self.moving.is_some() && options.frames == Some(Format::Pc2) {
            names.push(BODY_CACHE);
        }
        let named = [&self.order.garment, &self.order.fabric].map(PathBuf::from);
        Plan::new(names).reading(named).reading(self.order.body.clone())
    }

    fn check_frames(&self, options: &Options) -> Result<(), Error> {
        let draping = self.max_steps() as f64 * toile_garment::STEP;
        let seconds = self.moving.as_ref().map_or(draping, |m| m.steps as f64 * m.step);
        let frames = (seconds * self.order.fps).ceil() + 1.0;
        check_amount(options.frames, frames, self.panels.positions.len())
    }

    fn stop_with(&mut self, stop: &StopFlag) {
        self.stop = stop.clone();
        if let Some(tailor) = &mut self.tailor {
            tailor.stop_with(stop.shared());
        }
    }

    fn fingerprint(&self) -> u64 {
        use std::fmt::Write;
        let mut hash = Fnv::of_program();
        hash.add_mesh(&self.panels);
        hash.add_mesh(&self.wearer.body);
        // Debug prints every number with all its digits; writing to a hash does not fail.
        let _ = write!(hash, "{:?}{:?}", self.mesh.sewn_pairs(), self.fabrics);
        let _ = write!(hash, "{:?}{:?}", self.order.edge_length, self.order.fps);
        let _ = write!(hash, "{:?}", self.wearer.space);
        if self.cut.dressing.len() > 1 {
            let _ = write!(hash, "{:?}", self.cut.dressing);
        }
        if let Some(moving) = &self.moving {
            let _ = write!(hash, "{:?}{:?}", moving.deformation(), moving.step);
        }
        hash.0
    }

    fn world(&self) -> &World {
        self.tailor().fitting().world()
    }

    fn world_mut(&mut self) -> &mut World {
        let tailor = self.tailor.as_mut();
        tailor.expect("a run begins with arranged panels or a saved state").world_mut()
    }

    fn fps(&self) -> f64 {
        self.order.fps
    }

    fn progress(&self) -> Progress {
        let Some(tailor) = &self.tailor else { return Progress::at(Stage::Arranging, 0, 0.0) };
        let fitting = tailor.fitting();
        if self.is_moving {
            let state = fitting.world().state();
            return Progress {
                steps_left: self.steps_left(),
                speed: Some(state.rms_speed()),
                ..Progress::at(Stage::Moving, self.step, state.time)
            };
        }
        let sewing = tailor.is_coarse() || fitting.stage() == toile_garment::Stage::Sewing;
        let stage = if sewing { Stage::Sewing } else { Stage::Draping };
        let time = self.step as f64 * fitting.world().settings().step;
        Progress {
            steps_left: self.steps_left(),
            seam_gap: Some(fitting.widest_gap()),
            speed: Some(fitting.world().state().rms_speed()),
            ..Progress::at(stage, self.step, time)
        }
    }

    fn is_finished(&self) -> bool {
        match &self.moving {
            Some(moving) => self.is_moving && moving.is_finished(self.world().state()),
            None => self.is_draped(),
        }
    }

    fn first_frame_step(&self) -> Option<u64> {
        match (&self.moving, self.is_moving) {
            (None, _) => Some(0),
            (Some(_), true) => Some(self.step - self.world().state().step),
            (Some(_), false) => None,
        }
    }

    fn start(&mut self, statistics: &mut Statistics) -> Result<(), Error> {
        statistics.wall_seconds += self.started.elapsed().as_secs_f64();
        let check = self.pattern.check();
        let warnings = check.faults.iter().filter(|f| f.severity == Severity::Warning);
        let mut notes: Vec<String> = warnings.map(|f| format!("pattern: {f}")).collect();
        notes.extend(self.wearer.note.clone());
        notes.extend(self.wearer.space_note.clone());
        statistics.note(&notes);
        let world = self.world_mut();
        statistics.energy_initial = world.energy();
        statistics.momentum_initial = Momentum::of(world);
        Ok(())
    }

    fn step(&mut self) -> Result<StepReport, Error> {
        let tailor = self.tailor.as_mut().expect("a run begins with arranged panels");
        let report = tailor.step()?;
        self.step += 1;
        let draping = tailor.is_sewn();
        let speed = tailor.fitting().world().state().rms_speed();
        match draping {
            true => self.speeds.push(speed),
            false => self.speeds.clear(),
        }
        if self.speeds.len() > SPEED_HISTORY {
            self.speeds.remove(0);
        }
        if !self.is_moving && self.is_draped() {
            self.animate(false)?;
        }
        Ok(report)
    }

    fn max_strain(&self) -> f64 {
        // Basted material is narrower than it was cut: its strain is none of the fabric's.
        if self.tailor().is_basted() { 0.0 } else { self.world().max_strain() }
    }

    fn saved(&self) -> Saved {
        let state = self.world().state().clone();
        let garment = Some((self.step, self.tailor().saved()));
        Saved { state, garment, is_moving: self.is_moving }
    }

    fn restore(&mut self, saved: Saved) -> Result<(), Error> {
        let (step, tailor) =
            saved.garment.ok_or(Error::from(toile_garment::Error::OtherGarment))?;
        let (body, landmarks) = (&self.wearer.body, &self.wearer.landmarks);
        let (edge, fabrics) = (self.order.edge_length, &self.fabrics);
        let mut tailor = Tailor::restored(
            self.pattern,
            self.mesh,
            edge,
            body,
            landmarks,
            fabrics,
            tailor,
            saved.state,
        )?;
        tailor.stop_with(self.stop.shared());
        (self.step, self.tailor) = (step, Some(tailor));
        if saved.is_moving {
            self.animate(true)?;
        }
        Ok(())
    }

    fn frame(&self, format: Format) -> Option<Vec<DVec3>> {
        let tailor = self.tailor();
        if is_picture(format) {
            return Some(tailor.panel_positions());
        }
        tailor.is_sewn().then(|| self.world().state().x.clone())
    }

    fn frame_mesh(&self, format: Format) -> TriMesh {
        if is_picture(format) { self.panels.clone() } else { self.tailor().fitting().mesh() }
    }

    fn model(&self, with_bodies: bool, times: Option<&[f64]>) -> Model {
        let fitting = self.tailor().fitting();
        let named = |(panel, colour): (&PanelRange, &usize)| io::Part {
            name: panel.name.clone(),
            triangles: panel.triangles.clone(),
            material: *colour as u32,
        };
        let parts = fitting.panels().iter().zip(&self.colours).map(named).collect();
        let last = self.colours.iter().copied().max().unwrap_or(0);
        let materials = (0..=last).map(|c| export::cloth_material(self.fabric(c))).collect();
        let mut model = export::cloth_model("garment", fitting.mesh(), parts, materials);
        if with_bodies {
            let now = [self.world().state().time];
            export::add_bodies(&mut model, self.world().bodies(), times.unwrap_or(&now));
        }
        model
    }

    fn body_cache(&self) -> Option<&'static str> {
        self.moving.as_ref().map(|_| BODY_CACHE)
    }

    fn space(&self) -> Space {
        self.wearer.space
    }

    fn keeps_last_frame(&self) -> bool {
        self.moving.is_none()
    }

    fn frame_studio(&self) -> Studio<'_> {
        let mut first = 0;
        let parts = self.mesh.panels.iter().zip(&self.colours).map(|(panel, colour)| {
            let triangles = first..first + panel.mesh.triangles.len() as u32;
            first = triangles.end;
            let material = preview::material(&preview::simple(self.fabric(*colour)));
            Part { triangles, material }
        });
        let [azimuth, elevation] = CAMERA;
        let frame = self.wearer.body.bounds().map(|(lo, hi)| [lo, hi]);
        let studio = Studio::of_parts(&self.panels, parts.collect(), self.world().bodies());
        let studio = studio.filmed(Camera { azimuth, elevation, frame }, self.order.fps);
        if self.is_moving { studio.following(&self.wearer.body) } else { studio }
    }

    fn first_files(&mut self) -> Vec<(&'static str, Vec<u8>)> {
        self.arranged.take().map(|bytes| ("arranged.png", bytes)).into_iter().collect()
    }

    fn failed_files(&self, _: &Error) -> Vec<(&'static str, Vec<u8>)> {
        // Who wants no pictures has no picture of the panels either.
        let (true, Some(tailor)) = (self.pictures, &self.tailor) else { return Vec::new() };
        // A picture that cannot be drawn must not hide what went wrong.
        caught::picture(tailor.fitting(), &self.wearer.body)
            .map_or(Vec::new(), |bytes| vec![(caught::PICTURE, bytes)])
    }

    fn finish(
        &mut self,
        folder: &mut OutputFolder,
        options: &Options,
        tell: &mut dyn FnMut(Stage),
    ) -> Result<Option<GarmentReport>, Error> {
        tell(Stage::Measuring);
        let cloth = self.tailor().fitting().mesh();
        let body = &*self.body();
        let worn = Worn {
            pattern: self.pattern,
            panels: self.mesh,
            cloth: &cloth,
            fabrics: &self.fabrics,
            body,
            tapes: &self.wearer.tapes,
        };
        let fit = assess(&worn)?;
        let mut judged = judged(self.order, &worn, fit.clone(), self.wearer.name.clone());
        judged.notes.extend(self.wearer.note.clone());
        if let Some(outfit) = &self.cut.outfit {
            judged.fabric = super::materials(outfit);
        }
        if self.tailor().fitting().grip() == toile_garment::Grip::Elastic {
            let note = "it slid down, and is held up by an elastic along its highest rim that the pattern does not have";
            judged.notes.push(note.into());
        }
        let mut garment = self.report(&judged);
        tell(Stage::Writing);
        let (space, note) = self.safe_space()?;
        if space.is_metres() {
            garment.coordinates = Coordinates::Toile;
        }
        garment.coordinates_note = note.or(garment.coordinates_note);
        self.write_meshes(folder, options, space)?;
        garment.motion = self.moving.as_ref().map(Moving::report);
        if needs_panels(options) {
            folder.write_mesh(PANELS, &self.panels)?;
        }
        tell(Stage::Drawing);
        let picture = options.picture.then(|| self.picture()).transpose()?;
        if let Some(bytes) = &picture {
            folder.write_bytes("final.png", bytes)?;
        }
        report::write(folder, &judged, &fit, (&cloth, body), picture)?;
        Ok(Some(garment))
    }

    fn simulation(&self) -> Option<&Simulation> {
        None
    }
}

impl GarmentJob<'_> {
    /// Writes cloth and body as they are in the end.
    fn write_meshes(
        &self,
        folder: &mut OutputFolder,
        options: &Options,
        space: Space,
    ) -> Result<(), Error> {
        let mut all = space.model(self.model(true, None));
        let body = Model { objects: all.objects.split_off(1), materials: all.materials.clone() };
        folder.write_model("body.obj", &body, Some(export::MATERIALS))?;
        if options.with_body || self.moving.is_some() {
            all.objects.extend(body.objects);
        }
        export::write_final(folder, &all, options.unwelded)
    }

    /// The coordinates of results, if the cloth is free of intersections there: rounding could make it touch.
    fn safe_space(&self) -> Result<(Space, Option<String>), Error> {
        let space = self.wearer.space;
        if space.is_metres() {
            return Ok((space, None));
        }
        let count = |space: Space| {
            let cloth = space.mesh(self.tailor().fitting().mesh());
            let body = Body::new("body", Shape::Mesh(space.mesh(self.body().into_owned())));
            let found = audit(&cloth.positions, &cloth.triangles, &[body], 0.0)?;
            Ok::<u64, Error>(found.self_intersections + found.body_penetrations)
        };
        let (here, there) = (count(Space::default())?, count(space)?);
        if there <= here {
            return Ok((space, None));
        }
        let note = format!(
            "{there} triangles would intersect in the coordinates of the body, by rounding: final.obj, final.glb, body.obj are in \
             metres, and body_transform says where the file is; frames are in the coordinates of the body"
        );
        Ok((Space::default(), Some(note)))
    }

    /// What the report says of the garment.
    fn report(&self, judged: &FitReport) -> GarmentReport {
        let fitting = self.tailor().fitting();
        GarmentReport {
            garment: self.pattern.name.clone(),
            size: self.order.size.name().to_owned(),
            fabric: self.order.fabric.clone(),
            panel_fabrics: panel_fabrics(self.pattern),
            outfit: self.cut.outfit.clone(),
            at_rest: self.tailor().is_done(),
            rms_speed: fitting.world().state().rms_speed(),
            seam_gap_max: fitting.widest_gap(),
            open_seam: fitting.open().map(|open| open.to_string()),
            body_repairs: self.wearer.repairs.clone(),
            body_transform: self.wearer.repairs.as_ref().map(|r| r.placement.matrix()),
            coordinates: Coordinates::Body,
            coordinates_note: self.wearer.space_note.clone(),
            fit: judged.short(),
            motion: None,
        }
    }
}
