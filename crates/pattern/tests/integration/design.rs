//! Built-in designs fit the body they are drafted to, in every size.

use glam::DVec2;
use toile_pattern::design::{CircleSkirt, Design, Dress, Skirt, Trousers, Tshirt};
use toile_pattern::{Figure, Measurements, Panel, Pattern, Size, file, meshing};

fn bodies() -> Vec<(String, Measurements)> {
    let mut all = Vec::new();
    for figure in [Figure::Female, Figure::Male] {
        for size in Size::ALL {
            all.push((format!("{figure:?} {}", size.name()), Measurements::of(figure, size)));
        }
        for size in [0.5, 1.3, 4.7] {
            all.push((format!("{figure:?} {size}"), Measurements::interpolated(figure, size)));
        }
    }
    all
}

/// Width of the cloth of a panel at a height, darts taken off.
fn width_at(panel: &Panel, y: f64) -> f64 {
    let mut cuts = Vec::new();
    for ring in panel.loops() {
        let mut points: Vec<DVec2> = Vec::new();
        for segment in &ring {
            points.extend(segment.edge.flatten(1e-5));
        }
        for i in 0..points.len() {
            let (a, b) = (points[i], points[(i + 1) % points.len()]);
            if (a.y > y) != (b.y > y) {
                cuts.push(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
            }
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.chunks_exact(2).map(|c| c[1] - c[0]).sum()
}

fn panel<'a>(pattern: &'a Pattern, name: &str) -> &'a Panel {
    pattern.panel(name).unwrap_or_else(|| panic!("no panel {name}"))
}

#[test]
fn every_design_is_sound_in_every_size() {
    for design in Design::all() {
        for (who, m) in bodies() {
            let check = design.draft(&m).check();
            assert!(check.is_clean(), "{} for {who}: {:?}", design.name(), check.faults);
        }
    }
}

#[test]
fn seam_partners_match_within_the_stated_ease() {
    for design in Design::all() {
        for (who, m) in bodies() {
            let pattern = design.draft(&m);
            for seam in &pattern.seams {
                let [a, b] = pattern.seam_lengths(seam);
                let (short, long) = (a.min(b), a.max(b));
                let off = (long - seam.gather * short).abs();
                // Five millimetres or one in a hundred: what any seam takes up.
                assert!(
                    off < (0.01 * long).max(0.005),
                    "{} for {who}, {}: {a} and {b}, stated {}",
                    design.name(),
                    seam.name,
                    seam.gather
                );
            }
        }
    }
}

#[test]
fn a_tshirt_has_the_girth_of_the_body_and_its_ease() {
    for (who, m) in bodies() {
        let design = Tshirt::default();
        let pattern = design.draft(&m);
        let [front, back] = ["front", "back"].map(|n| panel(&pattern, n));
        // Just below the underarm.
        let y = front.edge("armhole-left").expect("an edge").from.y - 1e-4;
        let girth = width_at(front, y) + width_at(back, y);
        let wanted = m.bust_girth + design.ease;
        assert!((girth - wanted).abs() < 1e-3, "{who}: {girth} for {wanted}");
        let sleeve = panel(&pattern, "sleeve-left");
        let girth = width_at(sleeve, -1e-5);
        let wanted = m.upper_arm_girth + design.sleeve_ease;
        assert!((girth - wanted).abs() < 1e-3, "{who}: sleeve {girth} for {wanted}");
        // The neckline goes over the neck without a gap of more than a hand.
        let neck: f64 = ["neck-left", "neck-right"]
            .iter()
            .flat_map(|e| [front.edge(e), back.edge(e)])
            .map(|e| e.expect("an edge").length())
            .sum();
        assert!(neck > m.neck_girth && neck < m.neck_girth + 0.16, "{who}: neckline {neck}");
    }
}

#[test]
fn the_cap_of_the_sleeve_is_the_armhole_and_its_ease() {
    for (who, m) in bodies() {
        let design = Tshirt { cap_ease: 0.02, ..Tshirt::default() };
        let pattern = design.draft(&m);
        for (cap, body) in [("cap-front", "front"), ("cap-back", "back")] {
            let cap = panel(&pattern, "sleeve-right").edge(cap).expect("an edge").length();
            let hole = panel(&pattern, body).edge("armhole-right").expect("an edge").length();
            assert!((cap / hole - 1.02).abs() < 1e-6, "{who} {body}: {cap} in {hole}");
        }
        let sleeve = panel(&pattern, "sleeve-left");
        let height = sleeve.edge("cap-back").expect("an edge").to.y;
        assert!((0.06..0.22).contains(&height), "{who}: a cap of {height}");
    }
}

#[test]
fn a_neckband_is_stretched_to_the_neckline() {
    for (who, m) in bodies() {
        let pattern = Tshirt { neckband: true, ..Tshirt::default() }.draft(&m);
        assert!(pattern.check().is_clean(), "{who}: {:?}", pattern.check().faults);
        let band = panel(&pattern, "neckband").edge("bottom").expect("an edge").length();
        assert!(band < m.neck_girth + 0.07 && band > 0.9 * m.neck_girth, "{who}: {band}");
    }
}

#[test]
fn skirts_have_the_girths_of_the_body_and_their_ease() {
    for (who, m) in bodies() {
        let design = Skirt::default();
        let pattern = design.draft(&m);
        let [front, back] = ["front", "back"].map(|n| panel(&pattern, n));
        let hip = width_at(front, -m.waist_to_hip) + width_at(back, -m.waist_to_hip);
        assert!((hip - m.hip_girth - design.hip_ease).abs() < 2e-3, "{who}: hip {hip}");
        let waist = panel(&pattern, "waistband").edges[0].length();
        let wanted = m.waist_girth + design.waist_ease;
        assert!((waist - wanted).abs() < 1e-6, "{who}: waist {waist} for {wanted}");
        let round = CircleSkirt { circle: 0.75, ..CircleSkirt::default() };
        let waist = panel(&round.draft(&m), "waistband").edges[0].length();
        assert!((waist - m.waist_girth - round.waist_ease).abs() < 1e-9, "{who}: circle {waist}");
    }
}

#[test]
fn a_full_circle_skirt_is_a_full_circle() {
    let m = Measurements::of(Figure::Female, Size::M);
    let pattern = CircleSkirt::default().draft(&m);
    let hem: f64 = ["front", "back"]
        .iter()
        .flat_map(|p| ["hem-left", "hem-right"].map(|e| panel(&pattern, p).edge(e)))
        .map(|e| e.expect("an edge").length())
        .sum();
    let waist = panel(&pattern, "waistband").edges[0].length();
    let length = panel(&pattern, "front").edge("side-left").expect("an edge").length();
    assert!((hem - waist - std::f64::consts::TAU * length).abs() < 1e-9);
}

#[test]
fn trousers_have_the_girths_of_the_body_and_their_ease() {
    for (who, m) in bodies() {
        let design = Trousers::default();
        let pattern = design.draft(&m);
        let waist = panel(&pattern, "waistband").edges[0].length();
        let wanted = m.waist_girth + design.waist_ease;
        assert!((waist - wanted).abs() < 1e-6, "{who}: waist {waist} for {wanted}");
        // Across the thigh, a little below the crotch, with room to move but not like a skirt.
        let y = -(m.body_rise + 0.05);
        let thigh =
            width_at(panel(&pattern, "front-left"), y) + width_at(panel(&pattern, "back-left"), y);
        let ease = thigh - m.thigh_girth;
        assert!((0.02..0.20).contains(&ease), "{who}: ease of the thigh {ease}");
        let y = -m.waist_to_knee;
        let knee = width_at(panel(&pattern, "front-right"), y)
            + width_at(panel(&pattern, "back-right"), y);
        let wanted = m.knee_girth + design.knee_ease;
        assert!((knee - wanted).abs() < 2e-3, "{who}: knee {knee} for {wanted}");
        // The seat seam reaches around the body from waist to waist.
        let rise: f64 = ["front-left", "back-left"]
            .iter()
            .map(|p| panel(&pattern, p).edge("rise").expect("an edge").length())
            .sum();
        assert!(rise > 2.0 * m.body_rise + 0.08, "{who}: rise {rise}");
    }
}

#[test]
fn a_dress_has_the_girths_of_the_body_and_their_ease() {
    for (who, m) in bodies() {
        let design = Dress::default();
        let pattern = design.draft(&m);
        let [front, back] = ["front", "back"].map(|n| panel(&pattern, n));
        // The lower end of an edge, whichever way it runs.
        let at = |panel: &Panel, edge: &str| {
            let e = panel.edge(edge).expect("an edge");
            e.from.y.min(e.to.y)
        };
        let girth = |edge: &str| width_at(front, at(front, edge)) + width_at(back, at(back, edge));
        let waist = girth("side-upper-left");
        let bigger = |body: f64, ease: f64| body + ease;
        let wanted = bigger(m.waist_girth, design.waist_ease);
        // A man's waist may be wider than what the chest allows the darts to take.
        if m.bust_girth + design.bust_ease > wanted {
            assert!((waist - wanted).abs() < 2e-3, "{who}: waist {waist} for {wanted}");
        }
        let hip = girth("side-hip-left");
        assert!((hip - bigger(m.hip_girth, design.hip_ease)).abs() < 2e-3, "{who}: hip {hip}");
        let underarm = |panel: &Panel| {
            let e = panel.edge("armhole-left").expect("an edge");
            e.from.x.abs().max(e.to.x.abs())
        };
        let bust = 2.0 * (underarm(front) + underarm(back));
        assert!((bust - bigger(m.bust_girth, design.bust_ease)).abs() < 1e-6, "{who}: bust {bust}");
        let dart = front.darts.iter().find(|d| d.name == "bust-left");
        assert_eq!(dart.is_some(), m.front_length > m.back_length + 0.025, "{who}: bust dart");
    }
}

#[test]
fn designs_are_meshed_well() {
    for design in Design::all() {
        for size in [Size::Xs, Size::M, Size::Xxl] {
            let pattern = design.draft(&Measurements::of(Figure::Female, size));
            let made = meshing::mesh(&pattern, 0.02).expect("meshed");
            for m in &made.panels {
                let mut least = f64::MAX;
                for t in 0..m.mesh.triangles.len() {
                    let c = m.mesh.corners(t);
                    for k in 0..3 {
                        let (a, b) = (c[(k + 1) % 3] - c[k], c[(k + 2) % 3] - c[k]);
                        least = least.min(a.angle_between(b).to_degrees());
                    }
                }
                // Darts end in points of a few degrees, but those are outside; the cloth there is blunt.
                assert!(least > 20.0, "{} {} {}: {least}°", design.name(), size.name(), m.name);
            }
        }
    }
}

#[test]
fn a_drafted_pattern_survives_its_file() {
    for design in Design::all() {
        let pattern = design.draft(&Measurements::of(Figure::Male, Size::L));
        let again = file::from_toml(&file::to_toml(&pattern), "again").expect("its own file");
        assert!(again.check().is_clean(), "{}: {:?}", design.name(), again.check().faults);
        assert_eq!(again.panels.len(), pattern.panels.len());
    }
}

#[test]
fn strange_bodies_are_still_drafted() {
    // A slim waist over wide hips, and a barrel: what clothes are altered for.
    let m = Measurements::of(Figure::Female, Size::M);
    for (waist, hip, bust) in [(58.0, 115.0, 84.0), (110.0, 104.0, 108.0), (76.0, 100.0, 125.0)] {
        let mut body = m;
        (body.waist_girth, body.hip_girth, body.bust_girth) =
            (0.01 * waist, 0.01 * hip, 0.01 * bust);
        for design in Design::all() {
            let check = design.draft(&body).check();
            assert!(check.is_usable(), "{} {waist}/{hip}/{bust}: {check}", design.name());
        }
    }
}
