//! What a run says to people when it ends.

use crate::say;
use std::path::Path;
use toile::Report;

/// Prints the main numbers of a report, and the files.
pub(crate) fn print(report: &Report, out: &Path) {
    say(&format!(
        "{}: {} vertices, {} triangles, {:.3} s in {} steps ({})",
        report.scene,
        report.vertices,
        report.triangles,
        report.simulated_seconds,
        report.steps,
        report.preset
    ));
    say(&format!(
        "  took {:.1} s on {} threads{}",
        report.wall_seconds,
        report.threads,
        report
            .peak_rss_bytes
            .map_or(String::new(), |b| format!(", {:.0} MB of memory", b as f64 / 1e6))
    ));
    if let Some(effort) = &report.effort {
        say(&format!(
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
        say(&format!(
            "  untangled in {} iterations: {} pairs of triangles and {} triangles inside bodies at the begin, \
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
    match (report.intersections_max, report.body_penetrations_max) {
        (Some(0), Some(0)) => {
            say(&format!("  no intersection in any of {} audited frames", report.frames));
        }
        (Some(i), Some(p)) => say(&format!(
            "  INTERSECTIONS: up to {i} pairs of triangles, up to {p} triangles inside bodies \
             (at the end {} and {})",
            report.intersections_final.unwrap_or(0),
            report.body_penetrations_final.unwrap_or(0)
        )),
        _ => say("  not audited"),
    }
    say(&format!(
        "  largest stretch {:.1} %, {:.3} m to {:.3} m high, moving at {:.3} m/s",
        100.0 * report.max_strain,
        report.lowest,
        report.highest,
        report.rms_speed_final
    ));
    for warning in &report.warnings {
        say(&format!("  note: {warning}"));
    }
    let failed: Vec<_> = report.failures().collect();
    if !report.expect.is_empty() && failed.is_empty() {
        say(&format!("  all {} expectations of the scene hold", report.expect.len()));
    }
    for verdict in failed {
        say(&format!("  NOT AS EXPECTED: {verdict}"));
    }
    say(&format!("  state {}, results in {}", report.state_hash, out.display()));
}
