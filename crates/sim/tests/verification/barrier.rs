//! The default solver: nothing ever intersects, and friction is Coulomb's.

use crate::scene::{
    G, assert_clean, centre_of_mass, crowd, floor, history, run, sheet, weightless,
};
use glam::DVec3;
use toile_collide::distance;
use toile_sim::barrier::{Law, Seam};
use toile_sim::body::Shape;
use toile_sim::{Body, Motion, Pin, Preset, Settings, Surroundings, World};

fn settings() -> Settings {
    Preset::Toile.settings()
}

#[test]
fn a_sheet_draped_over_a_ball_never_touches_anything() {
    let ball = Body::new("ball", Shape::Sphere { centre: DVec3::Y * 0.2, radius: 0.1 });
    let surroundings = Surroundings { bodies: vec![ball, floor()], ..Surroundings::default() };
    let cloth = sheet(0.5, 20, DVec3::new(0.01, 0.31, 0.02));
    let mut world = World::new(vec![cloth], surroundings, settings()).unwrap();
    for _ in 0..60 {
        let report = world.step().unwrap();
        assert!(report.contacts == 0 || report.gap > 0.0);
        assert_clean(&world, "drape");
    }
    assert!(world.state().lowest() < 0.1, "it hangs: {}", world.state().lowest());
    assert!(world.max_strain() < 0.05, "{}", world.max_strain());
}

#[test]
fn a_limit_of_the_strain_holds_what_the_fabric_would_not() {
    let largest = |enabled: bool| {
        let ball = Body::new("ball", Shape::Sphere { centre: DVec3::Y * 0.2, radius: 0.1 });
        let surroundings = Surroundings { bodies: vec![ball], ..Surroundings::default() };
        let mut settings = settings();
        settings.strain_limit.enabled = enabled;
        settings.strain_limit.stretch = 0.02;
        let cloth = sheet(0.5, 16, DVec3::new(0.01, 0.5, 0.02));
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        (0..40).map(|_| world.step().unwrap().stretch).fold(0.0, f64::max)
    };
    let (free, limited) = (largest(false), largest(true));
    assert!(free > 0.03 && limited < 0.02, "{free} {limited}");
}

#[test]
fn directions_that_end_early_do_not_slow_a_fall() {
    let mut world =
        World::new(vec![sheet(0.5, 16, DVec3::Y)], Surroundings::default(), settings()).unwrap();
    (0..20).for_each(|_| drop(world.step().unwrap()));
    let speed = world.state().rms_speed();
    assert!((speed / (G * 0.2) - 1.0).abs() < 5e-3, "{speed}");
}

#[test]
fn three_sheets_thrown_at_a_spinning_bar_never_intersect_and_any_thread_count_agrees() {
    let play = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = crowd(settings());
            let hashes: Vec<u64> = (0..12)
                .map(|_| {
                    world.step().unwrap();
                    assert_clean(&world, "crowd");
                    world.state().hash()
                })
                .collect();
            hashes
        })
    };
    let one = play(1);
    assert_eq!(play(2), one);
    assert_eq!(play(3), one);
}

#[test]
fn a_restored_state_goes_on_bit_for_bit() {
    let mut world = crowd(settings());
    history(&mut world, 8);
    let mut fresh = crowd(settings());
    fresh.restore(world.state().clone()).unwrap();
    assert_eq!(history(&mut fresh, 4).0, history(&mut world, 4).0);
}

#[test]
fn a_world_that_has_rested_goes_on_bit_for_bit() {
    let (mut world, mut rested) = (crowd(settings()), crowd(settings()));
    assert_eq!(history(&mut rested, 6).0, history(&mut world, 6).0);
    rested.release_solver();
    assert_eq!(rested.energy(), world.energy());
    rested.release_solver();
    assert_eq!(history(&mut rested, 4).0, history(&mut world, 4).0);
}

/// A sheet between two hands that turn and come nearer.
fn hands() -> World {
    let cloth = sheet(0.4, 16, DVec3::ZERO);
    let side = |sign: f64| {
        let x = &cloth.mesh.positions;
        let end = |v: &u32| sign * x[*v as usize].x > 0.199;
        let motion = Motion::Steady {
            velocity: DVec3::X * (-0.1 * sign),
            axis: DVec3::X,
            turns_per_second: -sign,
            centre: DVec3::ZERO,
        };
        Pin { vertices: (0..x.len() as u32).filter(end).collect(), motion, until: f64::INFINITY }
    };
    let surroundings =
        Surroundings { pins: vec![side(-1.0), side(1.0)], ..Surroundings::default() };
    World::new(vec![cloth.clone()], surroundings, settings()).unwrap()
}

#[test]
fn a_strip_twisted_between_two_hands_winds_up_without_an_intersection() {
    let mut world = hands();
    let mut contacts = 0;
    for _ in 0..100 {
        contacts = world.step().unwrap().contacts as usize;
        assert_clean(&world, "twist");
    }
    // From there on pairs are found once a step.
    assert!(contacts > world.state().x.len(), "it is heaped up: {contacts} contacts");
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut fresh = hands();
            fresh.restore(world.state().clone()).unwrap();
            history(&mut fresh, 3).0
        })
    };
    let (two, three) = (end(2), end(3));
    let one = history(&mut world, 3).0;
    assert_eq!((&two, &three), (&one, &one), "threads and a restored state make no difference");
}

/// Presses a vertex onto the face it is nearest to, but for a gap of `left` [m] beyond the thickness.
fn press_shut(world: &mut World, left: f64) {
    let mut state = world.state().clone();
    let triangles = &world.model().mesh.triangles;
    let nearest = |(v, t): (usize, [u32; 3])| {
        let corners = t.map(|p| state.x[p as usize]);
        let w = distance::point_triangle(state.x[v], corners);
        let way = state.x[v] - (corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2]);
        // Well within the face.
        (way, w.iter().all(|w| *w > 0.1))
    };
    let pairs = (0..state.x.len())
        .flat_map(|v| triangles.iter().map(move |t| (v, *t)))
        .filter(|(v, t)| !t.contains(&(*v as u32)) && nearest((*v, *t)).1);
    let length = |pair| nearest(pair).0.length();
    let pair = pairs.min_by(|a, b| length(*a).total_cmp(&length(*b))).unwrap();
    let way = nearest(pair).0;
    state.x[pair.0] -= way * (1.0 - (world.separation() + left) / way.length());
    world.restore(state).unwrap();
}

#[test]
fn a_gap_pressed_shut_in_wound_up_cloth_holds_up_nobody() {
    let mut world = hands();
    run(&mut world, 0.9);
    for left in [1e-9, 1e-10, 1e-11] {
        press_shut(&mut world, left);
        let mut gap = 0.0;
        for _ in 0..3 {
            let report = world.step().unwrap();
            assert_clean(&world, "pressed shut");
            assert!(report.warnings.is_empty(), "{left}: {:?}", report.warnings);
            gap = report.gap;
        }
        // A hundred thousandth of a micrometre may stay as it is, if only all others go on.
        assert!(gap > 1e3 * left || left < 1e-10, "{left}: {gap} m are left");
    }
}

/// A sheet falls on a ball for 0.4 s; how high its lowest vertex is then, and how many steps ended unconverged.
fn falls(cloth: toile_sim::Cloth, step: f64) -> (f64, u32) {
    let ball = Body::new("ball", Shape::Sphere { centre: DVec3::Y * 0.2, radius: 0.15 });
    let surroundings = Surroundings { bodies: vec![ball, floor()], ..Surroundings::default() };
    let mut settings = settings();
    settings.step = step;
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    let steps = (0.4 / step).round() as u32;
    let unconverged = (0..steps).map(|_| world.step().unwrap().unconverged).sum();
    assert_clean(&world, "on the ball");
    (world.state().lowest(), unconverged)
}

#[test]
fn thin_cloth_uneven_meshes_and_long_steps_do_not_freeze_on_a_ball() {
    let flat = || sheet(0.5, 16, DVec3::new(0.003, 0.36, 0.002));
    let (usual, unconverged) = falls(flat(), 0.01);
    assert!(usual < 0.11 && unconverged < 4, "{usual} {unconverged}");
    for thickness in [5e-5, 1e-5, 1e-8] {
        let mut cloth = flat();
        cloth.fabric.thickness = thickness;
        let (lowest, unconverged) = falls(cloth, 0.01);
        assert!(lowest < 0.11 && unconverged < 8, "{thickness}: {lowest} {unconverged}");
    }
    // One edge of a millimetre among those of 31 mm.
    let mut cloth = flat();
    let (middle, next) = (8 * 17 + 8, 9 * 17 + 8);
    let (x, uv) = (&mut cloth.mesh.positions, &mut cloth.mesh.uv);
    x[middle] = x[next] + (x[middle] - x[next]).normalize() * 1e-3;
    uv[middle] = uv[next] + (uv[middle] - uv[next]).normalize() * 1e-3;
    cloth.grid = None;
    let (lowest, _) = falls(cloth, 0.01);
    assert!(lowest < 0.15, "a short edge: {lowest}");
    let (lowest, _) = falls(flat(), 0.1);
    assert!(lowest < 0.2, "long steps: {lowest}");
}

#[test]
fn sheets_far_too_near_to_each_other_part_within_a_step() {
    let (thickness, reach) = (5e-4, 2e-3);
    for part in [1e-5, 1e-6, 1e-7] {
        let above = sheet(0.2, 8, DVec3::new(0.003, thickness + part * reach, 0.002));
        let cloths = vec![sheet(0.2, 8, DVec3::ZERO), above];
        let mut world = World::new(cloths, weightless(), settings()).unwrap();
        let least = world.step().unwrap().gap / reach;
        assert_clean(&world, "too near");
        assert!(least > 1e-4, "{part} of the reach became {least}");
    }
}

/// Height at which the barrier carries the sheet's weight, so that it begins at rest: whatever it won
/// by falling first, friction just above the weight's pull would take seconds to stop.
fn resting_height(angle: f64) -> f64 {
    let (thickness, reach) = (5e-4, 2e-3);
    let (mut low, mut high) = (0.0, reach);
    for _ in 0..60 {
        let gap = 0.5 * (low + high);
        // A hundred times the weight is the pressure of the barrier.
        let carried = -100.0 / reach * Law::Log.evaluate(gap, reach).slope;
        if carried > angle.cos() { low = gap } else { high = gap }
    }
    thickness + low
}

/// How far a sheet slides in a time on a floor tilted by `slope` = tan α, friction ½, and how fast it
/// gets.
fn slide(slope: f64, seconds: f64) -> (f64, f64) {
    let angle = slope.atan();
    let gravity = DVec3::new(angle.sin(), -angle.cos(), 0.0) * G;
    let surroundings = Surroundings { bodies: vec![floor()], gravity, ..Surroundings::default() };
    let mut cloth = sheet(0.2, 4, DVec3::Y * resting_height(angle));
    cloth.fabric.friction = 0.5;
    let mut settings = settings();
    settings.barrier.linear_tolerance = 1e-4;
    settings.barrier.decrement = 1e-8;
    settings.barrier.speed = 1e-7;
    let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
    // The load comes on slowly: put on at once, it would swing beyond what friction can hold.
    for _ in 0..50 {
        run(&mut world, 0.01);
        world.set_velocities(|_, _| DVec3::ZERO);
    }
    let (mass, start) = centre_of_mass(&world);
    let early = world.momentum().0;
    run(&mut world, seconds);
    (centre_of_mass(&world).1.x - start.x, (world.momentum().0 - early).x / mass)
}

#[test]
fn a_sheet_on_a_slope_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let (way, _) = slide(0.5 * 0.999, 1.0);
    assert!(way.abs() < 1e-5, "it sticks, and does not creep: {way}");
    let (way, _) = slide(0.5 * 1.001, 1.0);
    let angle = f64::atan(0.5 * 1.001);
    let exact = 0.5 * G * (angle.sin() - 0.5 * angle.cos());
    assert!(way > 0.5 * exact, "it slides: {way} of {exact}");
    let (_, speed) = slide(0.7, 0.5);
    let angle = f64::atan(0.7);
    let exact = 0.5 * G * (angle.sin() - 0.5 * angle.cos());
    assert!((speed / exact - 1.0).abs() < 5e-3, "{speed} {exact}");
}

#[test]
fn two_sheets_are_sewn_into_a_tube_around_a_post() {
    let post = Shape::Capsule { a: DVec3::Y * -0.5, b: DVec3::Y * 0.5, radius: 0.05 };
    let bodies = vec![Body::new("post", post)];
    let surroundings = Surroundings { bodies, gravity: DVec3::ZERO, ..Surroundings::default() };
    // Upright, before and behind the post.
    let upright = |z: f64| {
        let mut cloth = sheet(0.2, 12, DVec3::ZERO);
        for p in &mut cloth.mesh.positions {
            *p = DVec3::new(p.x, -p.z, z);
        }
        cloth
    };
    let cloths = vec![upright(0.08), upright(-0.08)];
    let n = cloths[0].mesh.positions.len() as u32;
    let sides: Vec<u32> =
        (0..n).filter(|v| cloths[0].mesh.positions[*v as usize].x.abs() > 0.0999).collect();
    assert_eq!(sides.len(), 26);
    let mut world = World::new(cloths, surroundings, settings()).unwrap();
    let pull = |world: &mut World, force: f64| {
        let seam = |v: &u32| Seam { vertices: [*v, *v + n], force, slack: 2e-3, rest: 0.0 };
        world.sew(sides.iter().map(seam).collect()).unwrap();
    };
    let widest =
        |world: &World| world.seams().iter().map(|s| s.gap(&world.state().x)).fold(0.0, f64::max);
    // Gently together, then tight.
    for step in 0..40 {
        pull(&mut world, if step < 30 { 0.1 } else { 1.0 });
        world.set_velocities(|_, _| DVec3::ZERO);
        world.step().unwrap();
        assert_clean(&world, "sewing");
    }
    // The barrier of a mesh as coarse as this reaches 1.7 mm beyond the thickness of half a millimetre.
    assert!(widest(&world) < 4.0 * world.separation(), "{}", widest(&world));
    assert!(world.max_strain() < 0.05, "{}", world.max_strain());
}

#[test]
fn seams_that_cannot_be_are_refused() {
    let cloth = || vec![sheet(0.2, 4, DVec3::ZERO)];
    let mut world = World::new(cloth(), Surroundings::default(), settings()).unwrap();
    let seam = Seam { vertices: [0, 1], force: 1.0, slack: 1e-3, rest: 0.0 };
    for bad in [
        Seam { vertices: [0, 99], ..seam },
        Seam { vertices: [3, 3], ..seam },
        Seam { force: f64::NAN, ..seam },
        Seam { slack: 0.0, ..seam },
        Seam { rest: -1.0, ..seam },
    ] {
        assert!(world.sew(vec![bad]).is_err(), "{bad:?}");
    }
    if cfg!(feature = "papers") {
        let classic = Preset::Provot97.settings();
        let mut world = World::new(cloth(), Surroundings::default(), classic).unwrap();
        assert!(world.sew(vec![seam]).is_err());
    }
}
