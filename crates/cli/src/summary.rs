//! What a run says to people when it ends.

use crate::print_line;
use std::path::Path;
use toile::garment::FitReport;
use toile::{GarmentReport, Report};

/// Prints the main numbers of a report, and the files.
pub(crate) fn print(report: &Report, out: &Path, picture: bool) {
    match &report.garment {
        Some(garment) => print_garment(report, garment),
        None => print_scene(report),
    }
    audited(report);
    print_line(&format!(
        "  largest stretch {:.1} %, {:.3} m to {:.3} m high, moving at {:.3} m/s",
        100.0 * report.max_strain,
        report.lowest,
        report.highest,
        report.rms_speed_final
    ));
    for warning in &report.warnings {
        print_line(&format!("  note: {warning}"));
    }
    if let Some(garment) = &report.garment {
        print_fit(garment);
    }
    let failed: Vec<_> = report.failures().collect();
    if !report.expect.is_empty() && failed.is_empty() {
        print_line(&format!("  all {} expectations of the scene hold", report.expect.len()));
    }
    for verdict in failed {
        print_line(&format!("  NOT AS EXPECTED: {verdict}"));
    }
    print_line(&format!("  state {}, results in {}", report.state_hash, out.display()));
    if report.garment.is_some() {
        if picture {
            print_line(&format!("picture     {}", out.join("final.png").display()));
        }
        let page = out.join("fit.html");
        print_line(&format!("fit report  {} (open it in a browser)", page.display()));
    }
}

/// What a garment is, and whether it is sewn and at rest.
fn print_garment(report: &Report, garment: &GarmentReport) {
    print_line(&format!(
        "{} {}, {}: {} vertices, {} steps, {:.1} s, seams closed to {:.1} mm{}",
        garment.garment,
        garment.size,
        garment.materials(),
        report.vertices,
        report.steps,
        report.wall_seconds,
        1e3 * garment.seam_gap_max,
        if garment.at_rest { "" } else { "; NOT AT REST yet" },
    ));
    if let Some(repairs) = garment.body_repairs.as_ref().filter(|r| !r.is_nothing()) {
        print_line(&format!("  note: the body was repaired: {}", crate::body::said(repairs)));
    }
    if let Some(note) = &garment.coordinates_note {
        print_line(&format!("  {note}"));
    }
    if let Some(open) = &garment.open_seam {
        print_line(&format!("  {open}"));
    }
}

/// How a garment fits.
fn print_fit(garment: &GarmentReport) {
    for girth in &garment.fit.girths {
        print_line(&format!("  {}", FitReport::line(girth)));
    }
    for verdict in &garment.fit.complaints {
        print_line(&format!("  {verdict}"));
    }
    if let Some([_, reason]) = &garment.fit.best_size {
        print_line(&format!("  best size {reason}"));
    }
}

/// What a scene is, and what it took.
fn print_scene(report: &Report) {
    print_line(&format!(
        "{}: {} vertices, {} triangles, {:.3} s in {} steps ({})",
        report.scene,
        report.vertices,
        report.triangles,
        report.simulated_seconds,
        report.steps,
        report.preset
    ));
    print_line(&format!(
        "  took {:.1} s on {} threads{}",
        report.wall_seconds,
        report.threads,
        report
            .peak_rss_bytes
            .map_or(String::new(), |b| format!(", {:.0} MB of memory", b as f64 / 1e6))
    ));
    if let Some(effort) = &report.effort {
        print_line(&format!(
            "  {} Newton and {} linear iterations, {} halvings, {} detections; {:.0} contacts, {} at most",
            effort.newton_iterations,
            effort.linear_iterations,
            effort.halvings,
            effort.detections,
            effort.contacts_mean,
            effort.contacts_max
        ));
    }
    if let Some(undone) = &report.untangle {
        print_line(&format!(
            "  untangled in {} iterations: {} pairs of triangles and {} triangles inside bodies at the start, \
             {} and {} left; moved by {:.1} mm, {:.1} mm at most",
            undone.iterations,
            undone.intersections_before,
            undone.body_penetrations_before,
            undone.intersections_after,
            undone.body_penetrations_after,
            1e3 * undone.mean_displacement,
            1e3 * undone.largest_displacement
        ));
    }
}

/// What the audit has found.
fn audited(report: &Report) {
    match (report.intersections_max, report.body_penetrations_max) {
        (Some(0), Some(0)) => {
            print_line(&format!("  no intersection in any of {} audited frames", report.frames));
        }
        (Some(0), None) => print_line(&format!(
            "  no self-intersection in any of {} audited frames; cloth inside bodies: unknown, one is open",
            report.frames
        )),
        (Some(i), p) => {
            let known = |n: Option<u64>| n.map_or("an unknown number of".into(), |n| n.to_string());
            print_line(&format!(
                "  INTERSECTIONS: up to {i} pairs of triangles, up to {} triangles inside bodies \
                 (at the end {} and {})",
                known(p),
                known(report.intersections_final),
                known(report.body_penetrations_final)
            ));
        }
        (None, _) => print_line("  not audited"),
    }
}
