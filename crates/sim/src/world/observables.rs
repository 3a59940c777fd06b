//! What can be read off a world, computed when it is asked for.

use super::World;
use super::engine::Engine;
use crate::barrier::Contact;
use crate::error::Error;
use crate::report::Energy;
use crate::state::State;

impl World {
    /// All contacts now: pairs of features within the activation distance, with their barrier forces. Other methods than the
    /// default solver keep no list, and have none.
    ///
    /// # Errors
    /// If a position is not finite, or the solver cannot be set up.
    pub fn contacts(&mut self) -> Result<&[Contact], Error> {
        self.ensure_engine()?;
        self.contacts.clear();
        if let Some(Engine::Barrier(solver)) = &mut self.engine {
            let (State { x, v, time, .. }, h) = (&self.state, self.settings.step);
            let found = solver.list_contacts(x, v, *time, h);
            self.contacts = found.map_err(|failure| self.diagnose(failure, self.state.time))?;
        }
        Ok(&self.contacts)
    }

    /// Energy of each cloth now [J]. The method `avoidance` knows only the sum of the elastic energies: with several cloths that part is
    /// not a number.
    pub fn energies(&mut self) -> &[Energy] {
        let awake = self.ensure_engine().is_ok();
        let (x, v, m) = (&self.state.x, &self.state.v, &self.model.mass);
        let kinetic_and_potential = |own: &std::ops::Range<u32>| {
            let mut energy = Energy::default();
            for i in own.start as usize..own.end as usize {
                energy.kinetic += 0.5 * m[i] * v[i].length_squared();
                energy.potential -= m[i] * self.gravity.dot(x[i]);
            }
            energy
        };
        self.energies.clear();
        self.energies.extend(self.model.vertices.iter().map(kinetic_and_potential));
        let elastic = match &mut self.engine {
            Some(Engine::Barrier(solver)) => {
                let sheet = solver.sheet_mut();
                sheet.set_slider_positions(&self.state.slider_positions);
                sheet.energies(x)
            }
            #[cfg(feature = "papers")]
            Some(Engine::Paper(system)) => system.elastic_energies(x, &self.model),
            None => Vec::new(),
        };
        self.energies.iter_mut().zip(elastic).for_each(|(energy, own)| energy.elastic = own);
        if !awake {
            self.energies.iter_mut().for_each(|energy| energy.elastic = f64::NAN);
        }
        &self.energies
    }
}
