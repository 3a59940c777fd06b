//! `toile methods`.

use crate::{End, print_json, print_line};
use serde::Serialize;
use toile::{Error, Preset};

/// List what there is to choose from: presets, methods and fabrics.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile methods
  toile methods --settings provot97
  toile methods --schema > scene.schema.json")]
pub(crate) struct Args {
    /// Print the JSON Schema of scene files, for editors.
    #[arg(long)]
    schema: bool,
    /// Print all settings of a preset, as they can stand under [solver].
    #[arg(long, value_name = "PRESET")]
    settings: Option<String>,
}

#[derive(Serialize)]
struct Method {
    id: &'static str,
    name: &'static str,
    setting: &'static str,
}

const fn method(id: &'static str, name: &'static str, setting: &'static str) -> Method {
    Method { id, name, setting }
}

/// Methods with their ids, and how a scene chooses them.
const METHODS: &[Method] = &[
    method("M1", "mass-spring grid (Provot 1995)", "solver.springs = \"grid\", solver.damping"),
    method("M2", "strain limit, three orders", "solver.strain_limit.order"),
    method(
        "M3",
        "particle grid, Kawabata's curves",
        "solver.stretch = \"kes\", .bend = \"angles\"",
    ),
    method("M4", "mass-spring triangles", "solver.springs = \"triangles\""),
    method("M5", "particle triangles (Volino)", "solver.stretch = \"volino\""),
    method("M6", "stretch and shear conditions", "solver.stretch = \"baraff-witkin\""),
    method(
        "M7",
        "continuum on a particle grid",
        "solver.stretch = \"continuum\", .bend = \"plate\"",
    ),
    method("M8", "corotational elements", "solver.stretch = \"corotational\""),
    method(
        "M9",
        "measured curves, viscosity, hysteresis",
        "solver.stretch = \"stvk\", curves of the fabric",
    ),
    method("M10", "elastic surface on a grid", "solver.method = \"avoidance\""),
    method("M11", "bending: plate, hinges, moments", "solver.bend"),
    method("M12", "gravity, wind with gusts", "gravity, [wind]"),
    method("M13", "pinned and keyframed vertices", "cloth.pins"),
    method("N1", "explicit and symplectic Euler", "solver.integrator.type = \"explicit-euler\""),
    method("N2", "explicit midpoint", "solver.integrator.type = \"midpoint\""),
    method("N3", "classical Runge-Kutta", "solver.integrator.type = \"rk4\""),
    method(
        "N4",
        "Runge-Kutta 5(4), adaptive",
        "library: toile_sim::papers::integrate::DormandPrince",
    ),
    method("N5", "leapfrog and Verlet", "solver.integrator.type = \"leapfrog\" or \"verlet\""),
    method("N6-N9", "implicit rules, Newton's variants", "solver.method = \"implicit\", .implicit"),
    method("N6-N8", "Euler, midpoint, BDF2, quasi-static", "solver.barrier.rule"),
    method(
        "N10",
        "conjugate gradients, preconditioners, Cholesky",
        "solver.implicit.solve, solver.barrier.linear_tolerance",
    ),
    method("D1", "vertex-face, continuous, three methods", "solver.collision.ccd"),
    method("D2", "edge-edge, continuous, three methods", "solver.collision.ccd"),
    method("D3", "boxes and k-DOPs swept over the step", "solver.collision.tree.volume"),
    method("D4a", "hierarchy in material space", "solver.collision.tree.build = \"texture-space\""),
    method("D4b", "hierarchy of octants", "solver.collision.tree.build = \"octant\""),
    method(
        "D4c",
        "hierarchy along the longest axis",
        "solver.collision.tree.build = \"longest-axis\"",
    ),
    method("D4d", "hierarchy of merged regions", "solver.collision.tree.build = \"region-merge\""),
    method("D5", "three refits, inflation", "solver.collision.tree.refit, .inflation"),
    method("D6a", "normal cones", "solver.collision.tree.prune = \"cones\", .cone_limit"),
    method(
        "D6b-d",
        "direction sets, contours, adjacency",
        "solver.collision.tree.prune = \"directions\"",
    ),
    method("D7", "signed distance fields", "solver.collision.bodies = \"field\""),
    method("D8", "depth maps, layered depth images", "solver.collision.bodies = \"depth-maps\""),
    method("D9", "voxel octree", "solver.collision.bodies = \"voxels\""),
    method("D10", "all pairs nearer than a thickness", "library: toile_collide::proximity"),
    method("R1", "impacts with restitution and friction", "solver.collision.law"),
    method("R2", "zones of impact", "solver.collision.zones"),
    method("R3", "boxes kept apart by limits", "solver.method = \"avoidance\", .avoidance"),
    method("R4", "vertices moved out of bodies", "solver.collision.response = \"geometric\""),
    method("R5", "proximity repulsion", "solver.collision.repulsion"),
    method("R6", "bodies as constraints", "solver.collision.response = \"constraints\""),
    method("R7", "barrier: log, two-stage or cubic", "solver.method = \"barrier\", .barrier.law"),
    method("R8", "friction that sticks", "solver.method = \"barrier\", .barrier.epsu"),
];

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    if args.schema {
        print_json(&toile::schema());
        return Ok(End::Good);
    }
    if let Some(name) = args.settings {
        let Some(preset) = Preset::from_name(&name) else {
            return Err(Error::Request {
                message: format!("there is no preset `{name}`"),
                help: format!("presets: {}", Preset::ALL.map(Preset::name).join(", ")),
            });
        };
        if json {
            print_json(&preset.settings());
        } else {
            print_line(toile::settings_as_toml(preset)?.trim_end());
        }
        return Ok(End::Good);
    }
    if json {
        let presets = Preset::ALL.map(|p| {
            serde_json::json!({ "name": p.name(), "summary": p.summary(), "methods": p.methods() })
        });
        print_json(&serde_json::json!({
            "presets": presets,
            "methods": METHODS,
            "fabrics": toile::fabric::names(),
        }));
        return Ok(End::Good);
    }
    print_line("Presets (preset = \"…\" in a scene, or --preset):");
    for p in Preset::ALL {
        print_line(&format!(
            "  {:15} {}\n{:18}{}",
            p.name(),
            p.summary(),
            "",
            p.methods().join(" ")
        ));
    }
    print_line("\nMethods:");
    for m in METHODS {
        print_line(&format!("  {:5} {:52} {}", m.id, m.name, m.setting));
    }
    print_line(&format!(
        "\nFabrics (fabric = \"…\" of a cloth):\n  {}",
        toile::fabric::names().join(", ")
    ));
    Ok(End::Good)
}
