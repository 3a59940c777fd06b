//! Cusick's drape meter: how much of the light a hanging cloth stops.
//!
//! A round specimen lies between two smaller discs; what is outside them hangs down in folds. The drape
//! coefficient is `DC = (A_shadow − A_disc)/(A_specimen − A_disc)`, A_shadow the area of its shadow straight
//! below: 1 for a plate, 0 for a cloth without stiffness [cusick1965; ISO 9073-9]. The discs have 18 cm, the
//! specimen 30 cm, or 24 for limp and 36 for stiff fabrics.
//!
//! The ring that hangs is cut into triangles on staggered circles, clamped level at the disc, and brought
//! to equilibrium under its weight ([`Equilibrium`]) from a start with small waves of random height. Which
//! folds a cloth takes depends on how it was laid down; so it is laid down from several seeds, and the drape of
//! least energy counts, which a cloth finds when it is shaken. It comes to rest on a
//! coarse mesh first, then on finer ones from there: the same folds, so that what the mesh changes can be told
//! ([`Drape::change`]). Limp fabrics need fine meshes: triangles much longer than a third of the bending length
//! cannot fold sharply enough without stretching.
//!
//! Limits: no contact of folds with each other (see [`Drape::crossings`]), no friction in the fabric.

mod view;

use super::Failure;
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use toile::Generator;
use toile_mesh::TriMesh;
use toile_sim::fabric::STANDARD_GRAVITY;
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Clamp, Sheet, Stretch};
use toile_sim::statics::{Equilibrium, Statics, StaticsError};
use toile_sim::{Cloth, Fabric};

/// Angles at which the radius of the shadow is taken.
const ANGLES: usize = 720;
/// Iterations after which the shadow is looked at, and most of all.
const ROUND: u32 = 50;
const MAX_ITERATIONS: u32 = 2000;
/// A shadow that changes less than this in a round has settled, in parts of the ring.
const STILL: f64 = 3e-4;
/// The coarsest mesh to begin on.
const COARSEST: usize = 6;
/// A fold stands out of the shadow by this part of the ring at least.
const FOLD: f64 = 0.03;

/// A drape meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meter {
    /// Radius of the specimen [m].
    pub specimen: f64,
    /// Radius of the discs [m].
    pub disc: f64,
    /// Cells between the disc and the edge of the specimen.
    pub rings: usize,
    /// Seed of the start.
    pub seed: u64,
    /// Waves of the start around the disc, from the fewest to the most.
    pub waves: [u32; 2],
    /// Height of each at most, in widths of the ring.
    pub height: f64,
    /// Gravity [m/s²].
    pub gravity: f64,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            specimen: 0.15,
            disc: 0.09,
            rings: 16,
            seed: 0,
            waves: [3, 8],
            height: 0.15,
            gravity: STANDARD_GRAVITY,
        }
    }
}

/// A draped specimen.
#[derive(Clone, Debug)]
pub struct Drape {
    /// The drape coefficient, 0 to 1.
    pub coefficient: f64,
    /// Number of folds.
    pub folds: usize,
    /// Radius of the shadow [m] at equal angles from the weft.
    pub outline: Vec<f64>,
    /// The ring that hangs; the vertices at the disc come first.
    pub mesh: TriMesh,
    /// How many those are.
    pub around: u32,
    /// Elastic energy and that of its height [J].
    pub energy: f64,
    /// Iterations of Newton's method, on all meshes.
    pub iterations: u32,
    /// How much the last refinement of the mesh, from three quarters of the cells, changed the coefficient; none
    /// if there was none.
    pub change: Option<f64>,
}

impl Drape {
    /// The outline of the shadow as points [cm], closed.
    pub fn outline_points(&self) -> Vec<(f64, f64)> {
        let n = self.outline.len();
        (0..=n)
            .map(|k| {
                let (turn, r) = (TAU * k as f64 / n as f64, 100.0 * self.outline[k % n]);
                (r * libm::cos(turn), r * libm::sin(turn))
            })
            .collect()
    }

    /// Pairs of triangles that cross each other; a drape that has some is not one of cloth.
    pub fn crossings(&self) -> usize {
        let pairs = toile_audit::self_intersections(&self.mesh.positions, &self.mesh.triangles);
        pairs.map_or(usize::MAX, |p| p.len())
    }
}

/// Drape coefficients [%] that were measured on fabrics of this kind; 0 to 100 if none are known.
pub fn band(name: &str) -> [f64; 2] {
    const BANDS: [(&str, [f64; 2]); 10] = [
        // What was measured is cotton for shirts and dresses.
        ("cotton-drill", [0.0, 100.0]),
        ("cotton-voile", [0.0, 100.0]),
        ("cotton-jersey", [0.0, 100.0]),
        ("cotton-interlock", [0.0, 100.0]),
        ("cotton", [60.0, 76.0]),
        ("silk", [20.0, 40.0]),
        ("wool-flannel", [0.0, 100.0]),
        ("wool", [40.0, 70.0]),
        ("denim", [70.0, 90.0]),
        ("leather", [47.0, 70.0]),
    ];
    BANDS.iter().find(|(kind, _)| name.starts_with(kind)).map_or([0.0, 100.0], |(_, band)| *band)
}

/// Cells along the bending length of a mesh that is fine enough.
const CELLS_PER_LENGTH: f64 = 5.5;
/// Fewest and most cells over the ring that [`Meter::for_fabric`] takes.
const RINGS: [usize; 2] = [12, 32];

impl Meter {
    /// The usual meter with a mesh that is fine enough for a fabric, by its bending length.
    pub fn for_fabric(fabric: &Fabric) -> Self {
        let meter = Self::default();
        let [weft, warp] = fabric.bending_lengths();
        let cells = CELLS_PER_LENGTH * (meter.specimen - meter.disc) / weft.min(warp);
        // A fabric without any bending stiffness takes the most.
        let rings = cells.min(RINGS[1] as f64).ceil() as usize;
        Self { rings: rings.max(RINGS[0]), ..meter }
    }

    /// Lays a fabric on the disc and lets it hang.
    ///
    /// # Errors
    /// If the fabric is none, or no equilibrium is found.
    pub fn drape(&self, fabric: &Fabric) -> Result<Drape, Failure> {
        let coarser = [self.rings / 2, 3 * self.rings / 4].into_iter().filter(|r| *r >= COARSEST);
        let mut hung: Option<(Self, Drape)> = None;
        for rings in coarser.chain([self.rings]) {
            let meter = Self { rings, ..*self };
            let (mesh, around) = meter.ring();
            let mut x = mesh.positions.clone();
            match &hung {
                None => self.ruffle(&mut x),
                Some((meter, drape)) => {
                    for x in &mut x[around..] {
                        *x += meter.moved(&drape.mesh, *x);
                    }
                }
            }
            let mut next = meter.hang(fabric, (mesh, around), x)?;
            if let Some((_, before)) = &hung {
                next.change = Some(next.coefficient - before.coefficient);
                next.iterations += before.iterations;
            }
            hung = Some((meter, next));
        }
        hung.map(|(_, drape)| drape).ok_or(Failure::NoConvergence("the drape"))
    }

    /// Lets a ring hang from where its vertices are.
    fn hang(
        &self,
        fabric: &Fabric,
        (mesh, around): (TriMesh, usize),
        mut x: Vec<DVec3>,
    ) -> Result<Drape, Failure> {
        let cloth = Cloth {
            name: "specimen".into(),
            mesh,
            grid: None,
            fabric: fabric.clone(),
            pieces: Vec::new(),
        };
        let clamps: Vec<Clamp> = (0..around as u32)
            .map(|k| {
                let edge = [k, (k + 1) % around as u32];
                let middle = 0.5 * (x[edge[0] as usize] + x[edge[1] as usize]);
                // The same plane, whatever the distance: here the centre of the disc.
                Clamp { cloth: 0, edge, point: middle * 0.5 }
            })
            .collect();
        let held: Vec<(u32, Constraint)> =
            (0..around as u32).map(|k| (k, Constraint::Fixed)).collect();
        let weight: Vec<DVec3> = areas(&cloth.mesh)
            .into_iter()
            .map(|a| DVec3::NEG_Y * (a * fabric.density * self.gravity))
            .collect();
        let mut sheet =
            Sheet::new(std::slice::from_ref(&cloth), Stretch::Stvk, Bend::Morley, &clamps)?;
        let statics = Statics { tolerance: 1e-7, max_iterations: ROUND };
        // Far from equilibrium, rough directions do.
        let mut solver = Equilibrium::new(statics, &sheet)?.with_linear_tolerance(0.05);
        let (mut iterations, mut before) = (0, f64::INFINITY);
        let mut mesh = cloth.mesh;
        let (outline, coefficient, energy) = loop {
            let settled = solver.settle(&mut sheet, &weight, &held, &mut x);
            mesh.positions.clone_from(&x);
            let outline = self.shadow(&mesh);
            let coefficient = self.coefficient(&outline);
            match settled {
                Ok(report) => {
                    iterations += report.iterations;
                    break (outline, coefficient, report.energy);
                }
                Err(StaticsError::NoConvergence { iterations: made, .. })
                    if iterations + made < MAX_ITERATIONS =>
                {
                    iterations += made;
                    // What still creeps does not change the shadow any more.
                    if (coefficient - before).abs() < STILL {
                        let hung: f64 = x.iter().zip(&weight).map(|(x, f)| x.dot(*f)).sum();
                        break (outline, coefficient, sheet.energy(&x) - hung);
                    }
                    before = coefficient;
                }
                Err(e) => return Err(e.into()),
            }
        };
        let folds = peaks(&outline, FOLD * (self.specimen - self.disc));
        Ok(Drape {
            coefficient,
            folds,
            outline,
            mesh,
            around: around as u32,
            energy,
            iterations,
            change: None,
        })
    }

    /// The drape coefficient of a shadow.
    fn coefficient(&self, outline: &[f64]) -> f64 {
        let area = |r: f64| PI * r * r;
        let shadow = outline.iter().map(|r| area(*r)).sum::<f64>() / outline.len() as f64;
        let disc = area(self.disc);
        (shadow - disc) / (area(self.specimen) - disc)
    }

    /// The ring outside the disc, flat, and its number of vertices around. The first of them are those at
    /// the disc.
    fn ring(&self) -> (TriMesh, usize) {
        let step = (self.specimen - self.disc) / self.rings as f64;
        let middle = 0.5 * (self.specimen + self.disc);
        // Triangles in the middle of the ring have equal sides.
        let around = (TAU * middle * 0.75_f64.sqrt() / step).round() as usize;
        let mut mesh = TriMesh::default();
        for i in 0..=self.rings {
            let r = self.disc + step * i as f64;
            for k in 0..around {
                let turn = TAU * (k as f64 + 0.5 * (i % 2) as f64) / around as f64;
                let p = DVec2::new(r * libm::cos(turn), r * libm::sin(turn));
                mesh.uv.push(p);
                mesh.positions.push(DVec3::new(p.x, 0.0, -p.y));
            }
        }
        let at = |i: usize, k: usize| (i * around + k % around) as u32;
        for i in 0..self.rings {
            for k in 0..around {
                let (near, far) = ([at(i, k), at(i, k + 1)], [at(i + 1, k), at(i + 1, k + 1)]);
                // The outer circle is ahead by half a step on every other one.
                let two = if i % 2 == 0 {
                    [[near[0], far[0], near[1]], [near[1], far[0], far[1]]]
                } else {
                    [[near[0], far[0], far[1]], [near[0], far[1], near[1]]]
                };
                mesh.triangles.extend(two);
            }
        }
        mesh.uv_triangles = mesh.triangles.clone();
        (mesh, around)
    }

    /// How far a hanging ring of this meter has moved at a place of the flat one, between its vertices.
    fn moved(&self, mesh: &TriMesh, flat: DVec3) -> DVec3 {
        let around = mesh.positions.len() / (self.rings + 1);
        let (r, turn) = (flat.length(), libm::atan2(-flat.z, flat.x) / TAU);
        let out = (r - self.disc) / (self.specimen - self.disc) * self.rings as f64;
        let near = (out.max(0.0) as usize).min(self.rings - 1);
        let at = |i: usize, k: f64| {
            let v = i * around + k.rem_euclid(around as f64) as usize % around;
            mesh.positions[v] - DVec3::new(mesh.uv[v].x, 0.0, -mesh.uv[v].y)
        };
        let circle = |i: usize| {
            let k = turn * around as f64 - 0.5 * (i % 2) as f64;
            let before = k.floor();
            at(i, before).lerp(at(i, before + 1.0), k - before)
        };
        circle(near).lerp(circle(near + 1), out - near as f64)
    }

    /// Waves of random height and place around the disc.
    fn ruffle(&self, x: &mut [DVec3]) {
        let mut dice = Generator::new(self.seed);
        let width = self.specimen - self.disc;
        let waves: Vec<(f64, f64, f64)> = (self.waves[0]..=self.waves[1])
            .map(|n| (f64::from(n), dice.uniform(-1.0, 1.0), dice.uniform(0.0, TAU)))
            .collect();
        for p in x {
            let (r, turn) = (DVec2::new(p.x, p.z).length(), libm::atan2(-p.z, p.x));
            let out = (r - self.disc) / width;
            let wave: f64 = waves.iter().map(|(n, a, phase)| a * libm::cos(n * turn + phase)).sum();
            p.y += self.height * width * out * out * wave;
        }
    }

    /// Radius of the shadow at equal angles: the furthest point of any edge in that direction.
    fn shadow(&self, mesh: &TriMesh) -> Vec<f64> {
        let mut radius = vec![self.disc; ANGLES];
        let flat: Vec<DVec2> = mesh.positions.iter().map(|p| DVec2::new(p.x, -p.z)).collect();
        for t in &mesh.triangles {
            for k in 0..3 {
                cast(flat[t[k] as usize], flat[t[(k + 1) % 3] as usize], &mut radius);
            }
        }
        radius
    }
}

/// Lets rays from the origin meet a segment.
fn cast(a: DVec2, b: DVec2, radius: &mut [f64]) {
    let cross = a.perp_dot(b);
    if cross == 0.0 {
        return;
    }
    let (a, b) = if cross > 0.0 { (a, b) } else { (b, a) };
    let unit = TAU / radius.len() as f64;
    let from = libm::atan2(a.y, a.x).rem_euclid(TAU);
    let span = libm::atan2(a.perp_dot(b), a.dot(b));
    let first = libm::ceil(from / unit) as usize;
    let last = libm::floor((from + span) / unit) as usize;
    for k in first..=last {
        let turn = unit * k as f64;
        let d = DVec2::new(libm::cos(turn), libm::sin(turn));
        let across = d.perp_dot(b - a);
        if across > 0.0 {
            let r = a.perp_dot(b - a) / across;
            let place = &mut radius[k % ANGLES];
            *place = place.max(r);
        }
    }
}

/// A third of the triangles around each vertex [m²].
pub(super) fn areas(mesh: &TriMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.uv.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners_uv(t);
        for v in triangle {
            areas[*v as usize] += (b - a).perp_dot(c - a).abs() / 6.0;
        }
    }
    areas
}

/// Maxima of a closed curve that stand out by `least` from the minima beside them.
fn peaks(outline: &[f64], least: f64) -> usize {
    let n = outline.len();
    let lowest = (0..n).min_by(|a, b| outline[*a].total_cmp(&outline[*b])).unwrap_or(0);
    let (mut count, mut rising) = (0, true);
    let (mut low, mut high) = (outline[lowest], outline[lowest]);
    for k in 1..=n {
        let r = outline[(lowest + k) % n];
        if rising {
            high = high.max(r);
            if r < high - least && high > low + least {
                (count, rising, low) = (count + 1, false, r);
            }
        } else {
            low = low.min(r);
            if r > low + least {
                (rising, high) = (true, r);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coarse() -> Meter {
        Meter { rings: 5, ..Meter::default() }
    }

    fn fabric(stiffness: f64) -> Fabric {
        let even = Fabric { weft: 300.0, warp: 300.0, shear: 60.0, ..Fabric::default() };
        Fabric { bend_weft: stiffness, bend_warp: stiffness, ..even }
    }

    #[test]
    fn the_drape_coefficient_grows_with_bending_and_goes_from_almost_none_to_one() {
        let found: Vec<f64> = [1e-6, 1e-5, 1e-4, 1e-2]
            .map(|b| coarse().drape(&fabric(b)).unwrap().coefficient)
            .to_vec();
        assert!(found.windows(2).all(|w| w[1] > w[0]), "{found:?}");
        assert!(found[3] > 0.99, "a plate has the shadow of a plate: {found:?}");
    }

    #[test]
    fn a_fabric_twice_as_heavy_and_twice_as_stiff_hangs_the_same() {
        let light = fabric(2e-5);
        let heavy = Fabric {
            density: 2.0 * light.density,
            weft: 2.0 * light.weft,
            warp: 2.0 * light.warp,
            shear: 2.0 * light.shear,
            bend_weft: 2.0 * light.bend_weft,
            bend_warp: 2.0 * light.bend_warp,
            ..light.clone()
        };
        let [a, b] = [light, heavy].map(|f| coarse().drape(&f).unwrap());
        let far = a.mesh.positions.iter().zip(&b.mesh.positions);
        let far = far.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(far < 1e-6, "{far}");
        assert_eq!(a.folds, b.folds);
    }

    #[test]
    fn a_finer_ring_begins_where_the_coarser_one_hung() {
        let coarse = Meter { rings: 6, ..Meter::default() };
        let (mut mesh, _) = coarse.ring();
        // A map that is linear in the radius, and slow around the disc.
        let push = |p: DVec3| DVec3::new(0.1 * p.x, 0.2 * (p.length() - 0.09), 0.1 * p.z);
        mesh.positions.iter_mut().for_each(|p| *p += push(*p));
        let (fine, _) = Meter { rings: 9, ..coarse }.ring();
        for p in fine.positions {
            assert!(coarse.moved(&mesh, p).distance(push(p)) < 1e-4, "{p}");
        }
    }

    #[test]
    fn the_mesh_hardly_changes_the_drape_of_a_stiff_fabric() {
        let drape = Meter { rings: 8, ..Meter::default() }.drape(&fabric(8e-5)).unwrap();
        assert!(drape.change.unwrap().abs() < 0.01, "{:?}", drape.change);
        assert!((3..=8).contains(&drape.folds) && drape.crossings() == 0, "{}", drape.folds);
    }

    #[test]
    fn the_ring_is_sound_and_the_shadow_of_a_flat_one_is_all_of_it() {
        let meter = coarse();
        let (mesh, _) = meter.ring();
        assert!(mesh.validate().is_clean());
        let exact = PI * (0.15_f64.powi(2) - 0.09_f64.powi(2));
        assert!((mesh.area() / exact - 1.0).abs() < 0.01);
        for t in 0..mesh.triangles.len() {
            assert!(mesh.area_normal(t).y > 0.0, "{t}");
        }
        let shadow = meter.shadow(&mesh);
        assert!(shadow.iter().all(|r| *r > 0.149 && *r < 0.150_001));
    }

    #[test]
    fn limp_fabrics_get_finer_meshes() {
        let rings = [1e-3, 1e-5, 1e-6, 0.0].map(|b| Meter::for_fabric(&fabric(b)).rings);
        assert_eq!([rings[0], rings[3]], RINGS);
        assert!(rings[1] > rings[0] && rings[2] > rings[1], "{rings:?}");
    }

    #[test]
    fn folds_are_counted_where_they_stand_out() {
        let wavy = |n: f64, height: f64| -> Vec<f64> {
            (0..720)
                .map(|k| 0.12 + height * libm::cos(n * TAU * f64::from(k) / 720.0 + 0.4))
                .collect()
        };
        assert_eq!(peaks(&wavy(6.0, 0.01), 0.002), 6);
        assert_eq!(peaks(&wavy(1.0, 0.01), 0.002), 1);
        assert_eq!(peaks(&wavy(9.0, 0.0005), 0.002), 0);
    }
}
