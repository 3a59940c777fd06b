//! Figures of the papers, computed anew.
//!
//! An [`Item`] is one figure or table of a paper. It runs the computation, draws what the figure
//! shows, and sets each of the paper's statements beside what was measured. Where they differ, it
//! says why.
//!
//! | item | shows |
//! | --- | --- |
//! | `t04-fig9`, `t04-fig11`, `t04-fig13` | error against work on the tutorial's test problems |
//! | `t04-fig10` | stability regions |
//! | `t04-fig12` | the staggered grids of Verlet's method |
//! | `orders` | the order of every integrator, on an oscillator and on cloth |
//! | `t04-kdop`, `t04-selfcollision` | what hierarchies cost, against directions, children and triangles |
//! | `p97-fig5`, `p97-garment` | the ribbon and the garments of Provot |
//! | `a-realtime` | frames per second on a mannequin, with trees, fields, maps and voxels |
//! | `l98-table1`, `l98-table2` | iterations and times of three ways to avoid self-collision |
//!
//! T04 is the Eurographics tutorial of 2004 [eg2004garments]. Work is counted, not timed, so that
//! every picture is the same on every run; seconds stand in the tables. L98 is Liu, Ko and Chang [liu1998], P97
//! Provot [provot1997], A the paper on cloth against solids in real time.
//!
//! To add an item, write a function from [`Effort`] to [`Page`] and name it in [`ITEMS`].

mod coarse;
mod curve;
mod detection;
mod liu;
mod orders;
mod page;
mod patch;
mod precision;
mod provot;
mod realtime;
mod regions;
mod solve;
mod staggered;

pub use page::{Cell, Claim, Page, Picture, Table};

use serde::Serialize;
use toile::Error;

/// How much is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Everything the figure shows.
    #[default]
    Full,
    /// Fewer steps and coarser pictures: a first look, and enough for tests.
    Quick,
}

/// A figure or table that can be computed anew.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Item {
    /// What it is called.
    pub id: &'static str,
    /// What it shows, in a line.
    pub summary: &'static str,
    #[serde(skip)]
    make: fn(Effort) -> Result<Page, Error>,
}

/// All of them.
pub const ITEMS: [Item; 13] = [
    Item {
        id: "t04-fig9",
        summary: "error against work: explicit Euler, midpoint and Runge-Kutta",
        make: precision::fig9,
    },
    Item {
        id: "t04-fig10",
        summary: "stability regions of six methods, measured and in closed form",
        make: regions::fig10,
    },
    Item {
        id: "t04-fig11",
        summary: "error against work: implicit Euler, midpoint, BDF2 and Verlet",
        make: precision::fig11,
    },
    Item {
        id: "t04-fig12",
        summary: "Verlet's staggered grids, filled with numbers",
        make: staggered::fig12,
    },
    Item {
        id: "t04-fig13",
        summary: "error against work on the wave equation without damping",
        make: precision::fig13,
    },
    Item {
        id: "orders",
        summary: "measured order of every integrator, on an oscillator and on cloth",
        make: orders::orders,
    },
    Item {
        id: "p97-fig5",
        summary: "a ribbon of 4000 triangles crumples: time and interpenetration",
        make: provot::fig5,
    },
    Item {
        id: "p97-garment",
        summary: "shirt and trousers on a mannequin: polygons and time",
        make: provot::garment,
    },
    Item {
        id: "a-realtime",
        summary: "cloth on a mannequin: frames per second, four ways to ask a body",
        make: realtime::realtime,
    },
    Item {
        id: "l98-table1",
        summary: "cloth falling on a table: three ways to avoid self-collision",
        make: liu::table1,
    },
    Item {
        id: "l98-table2",
        summary: "cloth falling to the ground: three ways to avoid self-collision",
        make: liu::table2,
    },
    Item {
        id: "t04-kdop",
        summary: "k-DOPs: directions and children against tests and time",
        make: detection::kdop,
    },
    Item {
        id: "t04-selfcollision",
        summary: "regions looked at in self-collision, against discretisation",
        make: detection::self_collision,
    },
];

impl Item {
    /// The item of a name.
    ///
    /// # Errors
    /// If there is none; the error names those there are.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        ITEMS.into_iter().find(|item| item.id == name).ok_or_else(|| {
            let known = ITEMS.map(|item| item.id);
            let message = format!("there is no item `{name}`");
            Error::request(message, toile::suggest(name, &known))
        })
    }

    /// Computes it.
    ///
    /// # Errors
    /// If an integrator fails where it should not.
    pub fn run(&self, effort: Effort) -> Result<Page, Error> {
        let clock = std::time::Instant::now();
        let mut page = (self.make)(effort)?;
        page.seconds = clock.elapsed().as_secs_f64();
        Ok(page)
    }
}

#[cfg(test)]
mod tests;
