//! What can be changed between two steps.
//!
//! Gravity, wind and friction are changed in place. Another fabric or other settings need other masses, elements and contacts: the
//! model is put together anew, and the state is kept, with its time. What is refused changes nothing.

use super::World;
use super::engine::Engine;
use crate::deformation::Deformation;
use crate::error::Error;
use crate::fabric::Fabric;
use crate::force::Wind;
use crate::model::Cloth;
use crate::scale;
use crate::settings::Settings;
use crate::world::Surroundings;
use glam::DVec3;
use std::sync::Arc;

/// Largest coefficient of friction, as for bodies and fabrics of scenes.
const MAX_FRICTION: f64 = 100.0;

impl World {
    /// Acceleration of free fall [m/s²].
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Moving air.
    pub fn wind(&self) -> Option<&Wind> {
        self.wind.as_ref()
    }

    /// Another acceleration of free fall [m/s²] from the next step on.
    ///
    /// # Errors
    /// If it is not finite or beyond 1e8 m/s².
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), Error> {
        scale::check_gravity(gravity)?;
        self.gravity = gravity;
        #[cfg(feature = "papers")]
        if let Some(Engine::Paper(system)) = &mut self.engine {
            system.set_gravity(gravity);
        }
        Ok(())
    }

    /// Another wind from the next step on; none stills the air, which then does not drag either.
    ///
    /// # Errors
    /// If it makes no sense.
    pub fn set_wind(&mut self, wind: Option<Wind>) -> Result<(), Error> {
        scale::check_wind(wind.as_ref())?;
        self.wind = wind;
        Ok(())
    }

    /// Another coefficient of friction of a cloth, with itself and with bodies that have none of their own.
    ///
    /// # Errors
    /// If there is no such cloth, or the coefficient is out of range.
    pub fn set_friction(&mut self, cloth: usize, friction: f64) -> Result<(), Error> {
        self.check_cloth(cloth)?;
        check_friction(&self.model.names[cloth], friction)?;
        self.model.fabrics[cloth].friction = friction;
        self.model.pieces[cloth].iter_mut().for_each(|p| p.fabric.friction = friction);
        let mut all = self.model.friction.to_vec();
        let own = &self.model.vertices[cloth];
        all[own.start as usize..own.end as usize].fill(friction);
        self.model.friction = all.into();
        self.renew_friction();
        Ok(())
    }

    /// Another coefficient of friction of a body; that of the fabric if none is given.
    ///
    /// # Errors
    /// If there is no such body, or the coefficient is out of range.
    pub fn set_body_friction(&mut self, body: usize, friction: Option<f64>) -> Result<(), Error> {
        let count = self.bodies.len();
        let Some(changed) = self.bodies.get_mut(body) else {
            let reason = format!("body {body} does not exist; there are {count}");
            return Err(Error::Mesh { name: "body".into(), reason });
        };
        if let Some(friction) = friction {
            check_friction(&changed.name, friction)?;
        }
        changed.friction = friction;
        self.renew_friction();
        Ok(())
    }

    /// Another shape over time for a body, which is a mesh, from the next step on; none stills it.
    ///
    /// # Errors
    /// If there is no such body, or it is no mesh.
    pub fn set_body_deformation(
        &mut self,
        body: usize,
        deformation: Option<Deformation>,
    ) -> Result<(), Error> {
        let mut bodies = self.bodies.clone();
        let count = bodies.len();
        let Some(changed) = bodies.get_mut(body) else {
            let reason = format!("body {body} does not exist; there are {count}");
            return Err(Error::Mesh { name: "body".into(), reason });
        };
        changed.deformation = deformation;
        changed.validate()?;
        self.bodies = bodies;
        self.rebuild(self.model.cloths(), self.settings.clone())
    }

    /// Hands the present coefficients of friction to what uses them.
    fn renew_friction(&mut self) {
        let bodies: Vec<Option<f64>> = self.bodies.iter().map(|b| b.friction).collect();
        match &mut self.engine {
            Some(Engine::Barrier(solver)) => solver.set_friction(&self.model.friction, &bodies),
            #[cfg(feature = "papers")]
            Some(Engine::Paper(system)) => system.set_friction(&self.model.friction, &bodies),
            None => {}
        }
    }

    /// Makes a cloth of another fabric. Its rest shape stays; parts of it that are of other fabrics stay so.
    ///
    /// # Errors
    /// If there is no such cloth, or the fabric makes no sense.
    pub fn set_fabric(&mut self, cloth: usize, fabric: Fabric) -> Result<(), Error> {
        self.check_cloth(cloth)?;
        let mut cloths = self.model.cloths();
        cloths[cloth].fabric = fabric;
        self.rebuild(cloths, self.settings.clone())
    }

    /// Other methods, or other numbers of theirs, also another length of the step.
    ///
    /// # Errors
    /// If they make no sense with what there is.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        if settings == self.settings {
            return Ok(());
        }
        let is_of_other_length = settings.step != self.settings.step;
        self.rebuild(self.model.cloths(), settings)?;
        // Methods over several steps begin anew: the last step was one of another method or length.
        self.state.previous_step = None;
        if is_of_other_length {
            self.since = (self.state.step, self.state.time);
        }
        Ok(())
    }

    /// Puts everything together anew; the state is kept.
    fn rebuild(&mut self, cloths: Vec<Cloth>, settings: Settings) -> Result<(), Error> {
        let surroundings = Surroundings {
            bodies: self.bodies.clone(),
            pins: self.pins.clone(),
            gravity: self.gravity,
            wind: self.wind,
        };
        let mut anew = Self::new(cloths, surroundings, settings)?;
        if !self.seams.is_empty() {
            anew.sew(self.seams.clone())?;
        }
        anew.stop_with(Arc::clone(&self.stop));
        anew.since = self.since;
        anew.state = std::mem::take(&mut self.state);
        *self = anew;
        Ok(())
    }

    fn check_cloth(&self, cloth: usize) -> Result<(), Error> {
        let count = self.model.names.len();
        if cloth < count {
            return Ok(());
        }
        let reason = format!("cloth {cloth} does not exist; there are {count}");
        Err(Error::Mesh { name: "cloth".into(), reason })
    }
}

fn check_friction(name: &str, friction: f64) -> Result<(), Error> {
    if (0.0..=MAX_FRICTION).contains(&friction) {
        return Ok(());
    }
    let reason = format!("friction is {friction:?}; it must be 0 to {MAX_FRICTION:?}");
    Err(Error::Mesh { name: name.into(), reason })
}
