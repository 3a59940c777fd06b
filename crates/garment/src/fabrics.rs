//! What a garment is made of.

use toile_pattern::Pattern;
use toile_sim::Fabric;

/// The fabric of a garment, and those of panels that are of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabrics {
    main: Fabric,
    /// Panels by their number in the pattern, ascending.
    others: Vec<(usize, Fabric)>,
}

impl From<&Fabric> for Fabrics {
    fn from(main: &Fabric) -> Self {
        Self { main: main.clone(), others: Vec::new() }
    }
}

impl From<&Self> for Fabrics {
    fn from(fabrics: &Self) -> Self {
        fabrics.clone()
    }
}

impl Fabrics {
    /// The fabric of a garment, and for panels that name one their own, which `find` looks up.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn of_pattern<E>(
        pattern: &Pattern,
        main: &Fabric,
        mut find: impl FnMut(&str) -> Result<Fabric, E>,
    ) -> Result<Self, E> {
        let mut fabrics = Self::from(main);
        for (i, panel) in pattern.panels.iter().enumerate() {
            if let Some(name) = &panel.fabric {
                fabrics.others.push((i, find(name)?));
            }
        }
        Ok(fabrics)
    }

    /// The fabric of what names none.
    pub fn main(&self) -> &Fabric {
        &self.main
    }

    /// The fabric of a panel, by its number in the pattern.
    pub fn of(&self, panel: usize) -> &Fabric {
        let own = self.others.binary_search_by_key(&panel, |o| o.0);
        own.map_or(&self.main, |k| &self.others[k].1)
    }

    /// Panels that are of another fabric, ascending, with it.
    pub fn others(&self) -> &[(usize, Fabric)] {
        &self.others
    }

    /// All of them; the main one first, also where no panel is of it.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Fabric> {
        std::iter::once(&self.main).chain(self.others.iter().map(|o| &o.1))
    }
}
