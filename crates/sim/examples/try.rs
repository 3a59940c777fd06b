#![allow(missing_docs, clippy::print_stdout)]
use glam::DVec3;
use toile_mesh::shape::*;
use toile_sim::body::Shape;
use toile_sim::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let kind = args[1].as_str();
    let law = args.get(2).map(|s| s.as_str()).unwrap_or("provot");
    let h: f64 = args.get(3).map(|s| s.parse().unwrap()).unwrap_or(1e-3);
    let rounds: u32 = args.get(4).map(|s| s.parse().unwrap()).unwrap_or(4);
    let secs: f64 = args.get(5).map(|s| s.parse().unwrap()).unwrap_or(2.0);
    let mut seed = 12345u64;
    let mut rnd = || { seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (seed >> 11) as f64 / (1u64 << 53) as f64 * 2e-4 - 1e-4 };
    let floor = Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
    let (mesh, g, bodies) = match kind {
        "sphere" => (grid(1.0, 1.0, 50, 50, Diagonals::Alternating).map_positions(|p| p + DVec3::Y * (0.85 + rnd())), [50, 50], vec![Body::new("ball", Shape::Sphere { centre: DVec3::Y * 0.5, radius: 0.3 }), floor]),
        "table" => (grid(1.0, 1.0, 50, 50, Diagonals::Alternating).map_positions(|p| p + DVec3::Y * (0.55 + rnd())), [50, 50], vec![Body::new("table", Shape::Cuboid { centre: DVec3::Y * 0.45, half: DVec3::new(0.25, 0.05, 0.25), rotation: glam::DMat3::IDENTITY }), floor]),
        _ => (grid(0.1, 2.0, 10, 200, Diagonals::Alternating).map_positions(|p| DVec3::new(p.x, -p.z + 1.05, rnd())), [10, 200], vec![floor]),
    };
    let mut s = Preset::Provot97.settings();
    s.step = h;
    s.collision.impact_rounds = rounds;
    s.collision.law = if law == "provot" { Law::Provot } else { Law::Impulse };
    let cloth = Cloth { name: "c".into(), mesh, grid: Some(g), fabric: Fabric::default() };
    let mut w = World::new(vec![cloth], Surroundings { bodies, ..Default::default() }, s).unwrap();
    println!("{:?} sep {}", w.warnings(), w.separation());
    let steps = (secs / h).round() as u64;
    let clock = std::time::Instant::now();
    let mut st = StageSeconds::default();
    let (mut det, mut tested, mut imp, mut zmax, mut subs) = (0, 0, 0, 0, 0);
    for i in 0..steps {
        match w.step() {
            Ok(r) => { st.add(&r.seconds); det += r.detections; tested += r.tested; imp += r.impacts; zmax = zmax.max(r.largest_zone); subs += r.warnings.len(); }
            Err(e) => { println!("{e}"); break; }
        }
        if (i + 1) % (steps / 10).max(1) == 0 {
            let e = w.energy();
            println!("t {:.2} wall {:.1} det {det} tested {tested} impacts {imp} zmax {zmax} subs {subs} strain {:.3} speed {:.3} E {:.4} kin {:.4} low {:.4}", w.state().time, clock.elapsed().as_secs_f64(), w.max_strain(), w.state().rms_speed(), e.total(), e.kinetic, w.state().lowest());
            (det, tested, imp, zmax, subs) = (0, 0, 0, 0, 0);
        }
    }
    println!("{st:?} hash {:x}", w.state().hash());
    let mut m = w.model().mesh.clone(); m.positions = w.state().x.clone();
    let mut out = String::new();
    for p in &m.positions { out += &format!("v {} {} {}\n", p.x, p.y, p.z); }
    for t in &m.triangles { out += &format!("f {} {} {}\n", t[0]+1, t[1]+1, t[2]+1); }
    std::fs::write(format!("/tmp/{kind}-{law}.obj"), out).unwrap();
}
