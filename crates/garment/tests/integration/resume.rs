//! A garment that was saved and restored goes on in the same bits, at any stage.

use toile_body::{Figure, Mannequin, Pose};
use toile_garment::{Error, Fabrics, Fitting, STEP, Stage, Tailor, arrange};
use toile_pattern::design::Design;
use toile_pattern::{Size, meshing};
use toile_sim::Fabric;

/// Short enough that it is sewn with coarse triangles first.
const EDGE: f64 = 0.015;

/// Steps that are compared after a restore.
const STEPS: usize = 3;

#[test]
fn a_restored_garment_takes_the_same_steps_while_coarse_sewn_and_draped() -> Result<(), Error> {
    let m = Figure::Female.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Female, Pose::A)?;
    let pattern = Design::find("skirt").expect("a design").draft(&m);
    let mesh = meshing::mesh(&pattern, EDGE).expect("a mesh");
    let fabrics = Fabrics::from(&Fabric::default());
    let mut tailor = Tailor::new(&pattern, &mesh, EDGE, &body.mesh, &body.landmarks, &fabrics)?;
    assert!(tailor.is_coarse());
    let mut seen = Vec::new();
    for _ in 0..120 {
        let moment = (tailor.is_coarse(), tailor.fitting().stage(), tailor.is_sewn());
        if !seen.contains(&moment) {
            seen.push(moment);
            let (saved, state) = (tailor.saved(), tailor.fitting().world().state().clone());
            let mut again = Tailor::restored(
                &pattern,
                &mesh,
                EDGE,
                &body.mesh,
                &body.landmarks,
                &fabrics,
                saved,
                state,
            )?;
            assert_eq!(again.panel_positions(), tailor.panel_positions(), "{moment:?}");
            for step in 0..STEPS {
                tailor.step()?;
                again.step()?;
                let [a, b] = [&tailor, &again].map(|t| t.fitting().world().state().hash());
                assert_eq!(a, b, "{moment:?}, step {step}");
                assert_eq!(tailor.saved(), again.saved(), "{moment:?}, step {step}");
            }
        }
        if tailor.is_sewn() && seen.len() >= 3 {
            break;
        }
        tailor.step()?;
    }
    assert!(seen.contains(&(true, Stage::Sewing, false)), "{seen:?}");
    assert!(seen.contains(&(false, Stage::Draping, true)), "{seen:?}");
    Ok(())
}

#[test]
fn a_garment_with_frames_takes_shorter_steps_while_stitches_are_far_and_resumes_in_them()
-> Result<(), Error> {
    let m = Figure::Female.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Female, Pose::A)?;
    let pattern = Design::find("tshirt").expect("a design").draft(&m);
    let mesh = meshing::mesh(&pattern, 0.05).expect("a mesh");
    let fabrics = Fabrics::from(&Fabric::default());
    let mut arranged = arrange(&pattern, &mesh, &body.mesh, &body.landmarks)?;
    arranged.is_framed = true;
    let mut fitting = Fitting::new(&mesh, &arranged, &body.mesh, &fabrics)?;
    let mut lengths = Vec::new();
    for step in 0..24 {
        fitting.step()?;
        lengths.push(fitting.world().settings().step);
        if step % 6 != 1 {
            continue;
        }
        let (saved, state) = (fitting.saved(), fitting.world().state().clone());
        let mut again = Fitting::restored(&mesh, saved, state, &body.mesh, &fabrics)?;
        for _ in 0..STEPS {
            fitting.step()?;
            again.step()?;
            let [a, b] = [&fitting, &again].map(|f| f.world().state().hash());
            assert_eq!(a, b, "step {step}");
        }
        assert_eq!(fitting.saved(), again.saved(), "step {step}");
    }
    assert!(lengths[0] < STEP, "{lengths:?}");
    assert!(lengths.iter().any(|l| *l > 0.99 * STEP), "{lengths:?}");
    Ok(())
}

#[test]
fn a_state_of_another_garment_is_refused() -> Result<(), Error> {
    let m = Figure::Female.measurements(Size::M);
    let body = Mannequin::new(&m, Figure::Female, Pose::A)?;
    let fabrics = Fabrics::from(&Fabric::default());
    let [skirt, shirt] = ["skirt", "tshirt"].map(|name| {
        let pattern = Design::find(name).expect("a design").draft(&m);
        let mesh = meshing::mesh(&pattern, 0.05).expect("a mesh");
        (pattern, mesh)
    });
    let tailor = Tailor::new(&skirt.0, &skirt.1, 0.05, &body.mesh, &body.landmarks, &fabrics)?;
    let (saved, state) = (tailor.saved(), tailor.fitting().world().state().clone());
    let other = Tailor::restored(
        &shirt.0,
        &shirt.1,
        0.05,
        &body.mesh,
        &body.landmarks,
        &fabrics,
        saved,
        state,
    );
    assert!(matches!(other, Err(Error::OtherGarment)));
    Ok(())
}
