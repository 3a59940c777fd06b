//! Thin plates under an even load: squares and a disk.

use super::exact::{CLAMPED_DISK, CLAMPED_SQUARE, supported_square};
use super::specimen::{NEAR, Specimen, on_all_meshes, with_poisson};
use super::{Compare, Failure, Model, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::{DVec2, DVec3};
use toile_sim::linear::Constraint;
use toile_sim::sheet::Bend;

/// Poisson's ratio of all plates.
const POISSON: f64 = 0.3;
/// Stiffness in the plane: of a plate as thick as 1/30 of its side. It hardly matters for small loads.
const STIFFNESS: f64 = 1e4;
/// The load: deflections are 1e-5 of the side, a thousandth of the thickness.
const LOAD: f64 = 1e-2;

pub(super) const CLAMPED: Test = Test {
    id: "plate-clamped",
    title: "Clamped square plate",
    about: "A square plate whose edges are clamped, under a small even load. Its middle sinks.",
    formula: "w = 0.00126532 q a⁴/D at any ν (finite differences, extrapolated; Timoshenko and \
              Woinowsky-Krieger).",
    compare: Compare::Bending,
    run: |setup| read(setup, Support::Clamped),
    draw,
};

pub(super) const SUPPORTED: Test = Test {
    id: "plate-supported",
    title: "Simply supported square plate",
    about: "A square plate whose edges are held but may turn, under a small even load. Its middle sinks.",
    formula: "w = 16 q a⁴/(π⁶ D) Σ (−1)^((m+n)/2−1)/(m n (m² + n²)²), m and n odd (Navier): \
              0.00406235 q a⁴/D.",
    compare: Compare::Bending,
    run: |setup| read(setup, Support::Simple),
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const DISK: Test = Test {
    id: "plate-disk",
    title: "Clamped round plate",
    about: "A disk whose edge is clamped, under a small even load. Its middle sinks. No edge of the mesh \
            is straight.",
    formula: "w = q R⁴/(64 D) (Poisson).",
    compare: Compare::Default,
    run: |setup| read(setup, Support::Disk),
    draw: |_, _| Ok(Vec::new()),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Support {
    Clamped,
    Simple,
    Disk,
}

impl Support {
    fn exact(self) -> f64 {
        match self {
            Self::Clamped => CLAMPED_SQUARE,
            Self::Simple => supported_square(),
            Self::Disk => CLAMPED_DISK,
        }
    }
}

fn read(setup: &Setup, support: Support) -> Result<Vec<Reading>, Failure> {
    let (cells, tolerance) = setup.pick((40, 0.02), (16, 0.1));
    let value = sink(setup, support, cells, LOAD)?;
    let name = if support == Support::Disk { "w D/(q R⁴)" } else { "w D/(q a⁴)" };
    Ok(vec![Reading::new(name, value, support.exact(), tolerance)])
}

/// How far the middle sinks for a load of one, with `cells` along a side, an even number.
fn sink(setup: &Setup, support: Support, cells: usize, load: f64) -> Result<f64, Failure> {
    let place = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
    let fabric = with_poisson(STIFFNESS, 1.0, POISSON);
    let moments = setup.model.bend == Bend::Morley;
    let middle = |p: DVec2| p.length() < NEAR;
    let mut plate = match support {
        Support::Disk => {
            let mesh = setup.mesh.disk(cells);
            let mut plate = Specimen::new(setup.model, (mesh, None), fabric, place);
            let rim = |p: DVec2| p.length() > 1.0 - NEAR;
            plate.hold(Constraint::Fixed, rim);
            plate.clamp(rim, |middle| 2.0 * middle);
            plate
        }
        Support::Clamped if !moments => {
            // Two rows of vertices, half a cell before and behind each edge: see the clamped strip.
            let cell = 1.0 / (cells as f64 - 1.0);
            let side = 1.0 + cell;
            let rim = |p: DVec2| p.abs().max_element() > 0.5 * side - cell - NEAR;
            let still = |p: DVec2| rim(p) || middle(p);
            let mesh = setup.mesh.rectangle([side; 2], [cells; 2], still);
            let mut plate = Specimen::new(setup.model, mesh, fabric, place);
            plate.hold(Constraint::Fixed, rim);
            plate
        }
        Support::Clamped | Support::Simple => {
            let mesh = setup.mesh.rectangle([1.0; 2], [cells; 2], middle);
            let mut plate = Specimen::new(setup.model, mesh, fabric, place);
            let rim = |p: DVec2| p.abs().max_element() > 0.5 - NEAR;
            plate.hold(Constraint::Fixed, rim);
            if support == Support::Clamped {
                plate.clamp(rim, |middle| 2.0 * middle);
            }
            plate
        }
    };
    plate.load(DVec3::NEG_Y * load);
    let mut sheet = plate.sheet()?;
    plate.settle(&mut sheet)?;
    Ok(-plate.mean(&plate.vertices(middle)).y / load)
}

fn draw(setup: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let sizes: &[usize] = setup.pick(&[8, 16, 32, 64], &[6, 12]);
    let panel = |title: &str, support: Support, bends: &[Bend]| {
        let mut plot =
            Plot::new(title).x("cells along a side").log_x().y("error of the deflection").log_y();
        for bend in bends {
            for setup in on_all_meshes(setup) {
                let model = Model { bend: *bend, ..Model::default() };
                let setup = Setup { model, ..setup };
                let errors: Vec<(f64, f64)> = sizes
                    .iter()
                    .filter_map(|n| {
                        let value = sink(&setup, support, *n, LOAD).ok()?;
                        Some((*n as f64, (value / support.exact() - 1.0).abs()))
                    })
                    .collect();
                plot = plot.line(format!("{}, {}", bend.name(), setup.mesh.name()), &errors);
            }
        }
        plot.slope("order 2", -2.0, (sizes[0] as f64, 0.3))
    };
    let both = [Bend::Morley, Bend::Hinge];
    let figure = Figure::grid(
        2,
        [
            panel("Clamped square", Support::Clamped, &both),
            panel("Supported square", Support::Simple, &both),
            panel("Clamped disk", Support::Disk, &[Bend::Morley]),
        ],
    );
    Ok(vec![Picture::new(
        "lab-plates",
        "Errors of plates while the mesh is refined. Morley bending converges with second order on every \
         mesh; hinges go to wrong values.",
        &figure,
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_so_small_that_its_size_does_not_matter() {
        let setup = Setup { mesh: super::super::Mesh::Delaunay, ..Setup::default() };
        let of = |load: f64| sink(&setup, Support::Simple, 8, load).unwrap();
        assert!((of(LOAD) / of(0.1 * LOAD) - 1.0).abs() < 1e-5);
        // Two times the thickness is no small deflection: the plate stiffens.
        assert!(of(1500.0 * LOAD) < 0.9 * of(LOAD));
    }
}
