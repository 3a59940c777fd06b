//! What moves the cloth of a world.

use crate::barrier::{ContactSetup, Solver};
use crate::body::{Body, Collider};
use crate::error::Error;
use crate::model::Model;
#[cfg(feature = "papers")]
use crate::papers::PaperSystem;
use crate::settings::{Method, Settings};
use crate::sheet::Sheet;
use glam::DVec3;

/// The method of a world with its memory.
#[derive(Debug)]
pub(super) enum Engine {
    /// The default solver.
    Barrier(Box<Solver>),
    /// A system of the papers.
    #[cfg(feature = "papers")]
    Paper(Box<PaperSystem>),
}

impl Engine {
    /// `gravity` is an acceleration [m/s²], `separation` the distance kept between features [m].
    pub(super) fn new(
        settings: &Settings,
        model: &Model,
        colliders: Vec<Collider>,
        gravity: DVec3,
        separation: f64,
    ) -> Result<Self, Error> {
        if settings.method == Method::Barrier {
            return Self::barrier(settings, model, colliders, separation);
        }
        #[cfg(feature = "papers")]
        return PaperSystem::new(settings, model, colliders, gravity, separation)
            .map(|system| Self::Paper(Box::new(system)));
        #[cfg(not(feature = "papers"))]
        {
            let _ = gravity;
            let reason =
                "is a system of the papers, which this build was made without: take \"barrier\"";
            Err(Error::Setting { key: "solver.method", reason: reason.into() })
        }
    }

    fn barrier(
        settings: &Settings,
        model: &Model,
        bodies: Vec<Collider>,
        thickness: f64,
    ) -> Result<Self, Error> {
        let (cloths, limit) = (&model.cloths(), &settings.strain_limit);
        let elongation = (limit.enabled && limit.stretch > 0.0).then_some(limit.stretch);
        let sheet = Sheet::dissipative(cloths, settings.stretch, settings.bend, elongation)?;
        let collision = &settings.collision;
        let (self_contact, tree) = (collision.self_collision, collision.tree);
        let setup = ContactSetup { thickness, self_contact, tree };
        let solver = Solver::new(settings.barrier, sheet, cloths, model, bodies, &setup)?;
        Ok(Self::Barrier(Box::new(solver)))
    }
}

/// Bodies as the method meets them.
pub(super) fn colliders(
    bodies: &[Body],
    settings: &Settings,
    separation: f64,
) -> Result<Vec<Collider>, Error> {
    #[cfg(feature = "papers")]
    if settings.method != Method::Barrier {
        return crate::papers::colliders(bodies, &settings.collision, separation);
    }
    let _ = (settings, separation);
    Ok(bodies.iter().map(Collider::new).collect())
}
