//! Framed panels: what has no shoulders, what lies like a roof, what is rolled around an arm.

use super::frames::{BEFORE_TRUNK, strapless};
use super::*;
use toile_body::{Body, Figure, Mannequin, Pose};
use toile_pattern::{Edge, EdgePart, Frame, Seam, Size};

fn mannequin() -> Body {
    let m = Figure::Female.measurements(Size::M);
    Mannequin::new(&m, Figure::Female, Pose::A).expect("a mannequin")
}

/// A rectangle that stands upright around a point, before (+1) or behind (−1) the body, turned in its plane [rad].
fn upright(name: &str, part: BodyPart, size: [f64; 2], at: DVec3, turn: f64) -> Panel {
    let [x, y] = size.map(|s| 0.5 * s);
    let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| DVec2::new(x, y));
    let edges = (0..4).map(|k| Edge::line(k.to_string(), corners[k], corners[(k + 1) % 4]));
    let mut panel = Panel::new(name, edges.collect());
    let is_front = at.z > 0.0;
    let facing = if is_front { glam::DQuat::IDENTITY } else { glam::DQuat::from_rotation_y(PI) };
    panel.placement.part = Some(part);
    panel.placement.side = Some(if is_front { Side::Front } else { Side::Back });
    let rotation = glam::DQuat::from_rotation_z(turn) * facing;
    panel.placement.frame = Some(Frame { translation: at, rotation });
    panel
}

fn pattern(panels: Vec<Panel>, seams: &[[(&str, &str); 2]]) -> Pattern {
    let mut pattern = Pattern::new("test");
    pattern.panels = panels;
    for (i, sides) in seams.iter().enumerate() {
        let [a, b] = sides.map(|(panel, edge)| EdgePart::new(panel.to_owned(), edge.to_owned()));
        pattern.seams.push(Seam::new(i.to_string(), a, b));
    }
    pattern
}

fn front_and_back() -> Vec<Panel> {
    let put = |name: &str, z: f64| {
        let at = DVec3::new(0.0, 1.2, z);
        upright(name, BodyPart::Torso, [0.5, 0.3], at, 0.0)
    };
    vec![put("front", 0.25), put("back", -0.25)]
}

#[test]
fn a_top_with_side_seams_alone_is_strapless_and_one_with_a_seam_across_or_a_sleeve_is_not() {
    let sides = [[("front", "1"), ("back", "3")], [("front", "3"), ("back", "1")]];
    let top = strapless(&pattern(front_and_back(), &sides)).expect("no shoulders");
    assert!((top - 1.35).abs() < 1e-12, "{top}");
    let shoulder = [sides[0], sides[1], [("front", "2"), ("back", "2")]];
    assert_eq!(strapless(&pattern(front_and_back(), &shoulder)), None);
    let mut with_sleeve = front_and_back();
    let at = DVec3::new(0.4, 1.2, 0.2);
    with_sleeve.push(upright("sleeve", BodyPart::LeftArm, [0.3, 0.3], at, 0.0));
    assert_eq!(strapless(&pattern(with_sleeve, &sides)), None);
}

#[test]
fn a_flat_sleeve_is_put_before_the_trunk_panel_that_it_lies_within_and_only_that() {
    let with_sleeve = |x: f64, z: f64| {
        let mut panels = front_and_back();
        let at = DVec3::new(x, 1.2, z);
        panels.push(upright("sleeve", BodyPart::LeftArm, [0.3, 0.2], at, 0.0));
        pattern(panels, &[])
    };
    assert_eq!(outside_trunk(&with_sleeve(0.3, 0.18), 0), 0.25 + BEFORE_TRUNK);
    assert_eq!(outside_trunk(&with_sleeve(0.6, 0.18), 0), 0.0, "beside the trunk");
    assert_eq!(outside_trunk(&with_sleeve(0.3, 0.18), 1), 0.0, "the other arm");
}

#[test]
fn a_skirt_that_would_close_around_the_arms_lies_like_a_roof_below_the_waist() {
    let body = mannequin();
    let solid = Shape::from(&body.mesh);
    let nothing = TriMesh::default();
    let room = BodyContext {
        body: &body.mesh,
        worn: &nothing,
        landmarks: &body.landmarks,
        solid,
        lift: 0.0,
        ceiling: f64::INFINITY,
        out: [0.0; 2],
    };
    let points = |width: f64| [-0.5, 0.5].map(|x| DVec2::new(x * width, 0.3));
    let roof = |part: BodyPart, width: f64| {
        let at = DVec3::new(0.0, 0.8, 0.25);
        let panel = upright("skirt", part, [width, 0.6], at, 0.0);
        room.roof(&panel, &panel.placement.frame.expect("framed"), &points(width))
    };
    let Some(place) = roof(BodyPart::Hips, 1.6) else { panic!("the hands would be within") };
    let middle = place.point(DVec2::new(0.0, 0.3));
    assert!(middle.y <= body.landmarks.waist.y && middle.z > 0.0, "{middle}");
    assert!(place.point(DVec2::new(0.8, 0.3)).y < middle.y - 0.3, "its sides hang down");
    assert!(roof(BodyPart::Hips, 0.4).is_none(), "it stays clear of the arms");
    assert!(roof(BodyPart::Torso, 1.6).is_none(), "it is no skirt");
}

#[test]
fn framed_sleeves_are_halves_of_a_tube_clear_of_the_arm_beyond_the_trunk() {
    let body = mannequin();
    let marks = &body.landmarks;
    let (shoulder, wrist) = (marks.shoulder[0], marks.wrist[0]);
    let arm = (wrist - shoulder).normalize();
    let size = [0.35, 0.24];
    let half = |name: &str, z: f64| {
        let middle = shoulder + arm * 0.18;
        let turn = libm::atan2(arm.y, arm.x) * 1.0;
        upright(name, BodyPart::LeftArm, size, middle.with_z(z), turn)
    };
    let mut panels = front_and_back();
    panels.extend([half("sleeve_f", 0.2), half("sleeve_b", -0.15)]);
    let pattern = pattern(panels, &[]);
    let flat = |p: &Panel| {
        let frame = p.placement.frame.expect("framed");
        let turned = |v: DVec3| frame.rotation * v;
        let (across, up) = (turned(DVec3::X), turned(DVec3::Y));
        Place::Flat { origin: frame.translation, across, up, away: turned(DVec3::Z) }
    };
    let places: Vec<Place> = pattern.panels.iter().map(flat).collect();
    let rolled = sleeve::rolled(&pattern, &places, &body.mesh, marks, 0.0).expect("arms");
    assert!(rolled[0].is_none() && rolled[1].is_none());
    let [Some(front), Some(back)] = &rolled[2..] else { panic!("both halves are rolled") };
    let far = |p: DVec3| (p - shoulder).reject_from_normalized(arm).length();
    for x in [-0.17, 0.0, 0.17] {
        for y in [-0.12, -0.06, 0.0, 0.06, 0.12] {
            let p = DVec2::new(x, y);
            let (f, b) = (front.point(p), back.point(p));
            assert!(f.x > 0.25 && b.x > 0.25, "beyond the trunk: {f} {b}");
            assert!(far(f) > 0.04 && far(b) > 0.04, "clear of the arm: {f} {b}");
        }
        assert!(front.point(DVec2::new(x, 0.0)).z > back.point(DVec2::new(-x, 0.0)).z + 0.1);
    }
    // Their edges above the arm meet but for the opening, and so do those below where the sleeve is as wide as the arm.
    let above = |place: &Place, x: f64| {
        let ends = [-0.12, 0.12].map(|y| place.point(DVec2::new(x, y)));
        if ends[0].y > ends[1].y { ends[0] } else { ends[1] }
    };
    let gap = above(front, 0.0).distance(above(back, 0.0));
    assert!(gap < 0.05, "{gap}");
}
