//! A mesh in memory drapes over a mesh in memory; positions, contacts and energies are read while it falls.

// An example talks to people.
#![allow(clippy::print_stdout)]

use toile::{Body, Cloth, DVec3, Fabric, Scene, TriMesh, shape};

/// A round tablecloth: rings of triangles around its middle, as another program might make them.
fn disc(radius: f64, rings: u32) -> TriMesh {
    let mut positions = vec![DVec3::ZERO];
    let mut triangles = Vec::new();
    let first = |ring: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    for ring in 1..=rings {
        let r = radius * f64::from(ring) / f64::from(rings);
        for k in 0..6 * ring {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(6 * ring);
            positions.push(DVec3::new(r * angle.cos(), 0.0, -r * angle.sin()));
        }
        for side in 0..6 {
            let outer = |k: u32| first(ring) + (side * ring + k) % (6 * ring);
            let inner =
                |k: u32| first(ring - 1) + (side * (ring - 1) + k) % (6 * (ring - 1)).max(1);
            for k in 0..ring {
                triangles.push([outer(k), outer(k + 1), inner(k)]);
                if k + 1 < ring {
                    triangles.push([inner(k), outer(k + 1), inner(k + 1)]);
                }
            }
        }
    }
    TriMesh::new(positions, triangles)
}

fn main() -> Result<(), toile::Error> {
    let linen = Fabric { density: 0.18, friction: 0.4, ..Fabric::default() };
    let cloth = Cloth::from_mesh(disc(0.35, 10)).fabric(linen).at(0.0, 0.225, 0.0);
    let ball = Body::from_mesh(shape::sphere(0.2, 3)).named("ball");
    let mut sim = Scene::new().with_cloth(cloth).with_body(ball).build()?;

    let begin = sim.energy().total();
    for _ in 0..60 {
        sim.step()?;
    }

    // Slices of what the simulation holds, without a copy: one entry for each vertex, in the order of the mesh.
    let (positions, velocities) = (sim.positions(), sim.velocities());
    assert_eq!((positions.len(), velocities.len()), (331, 331));
    assert!(positions[0].y > 0.2, "the middle lies on the ball");
    assert!(sim.state().lowest() < 0.0, "the rim hangs down");

    let contacts = sim.contacts()?;
    assert!(contacts.iter().all(|c| c.gap > 0.0), "nothing touches, nothing intersects");
    let lift: f64 =
        contacts.iter().filter(|c| c.body == Some(0)).map(|c| c.force * c.normal.y).sum();
    println!("{} contacts lift the cloth with {lift:.2} N", contacts.len());
    assert!(lift > 0.0);

    let energies = sim.energies();
    println!(
        "it moves with {:.3} J and is strained with {:.3} J",
        energies[0].kinetic, energies[0].elastic
    );
    assert!(energies[0].total() < begin, "nothing gains energy");
    Ok(())
}
