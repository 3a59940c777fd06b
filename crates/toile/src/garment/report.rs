//! What is written about a fit: `fit.json`, `fit.html`, and the pictures.

use super::{maps, page};
use crate::error::Error;
use crate::output::OutputFolder;
use serde::Serialize;
use toile_garment::fit::{self, BestSize, Fit, Girth, Limits, Maps, Summary, Verdict};
use toile_mesh::TriMesh;

/// Version of `fit.json`.
pub const FIT_VERSION: u32 = 1;

/// All that is known about a fit: the contents of `fit.json`.
#[derive(Clone, Debug, Serialize)]
pub struct FitReport {
    /// Version of this report.
    pub version: u32,
    /// The garment.
    pub garment: String,
    /// Its size.
    pub size: String,
    /// Who wears it.
    pub wearer: String,
    /// What it is made of.
    pub fabric: String,
    /// Girths that it goes around.
    pub girths: Vec<Girth>,
    /// What is to be said.
    pub verdicts: Vec<Verdict>,
    /// Where the words begin.
    pub limits: Limits,
    /// The best size, if the garment is a built-in design.
    pub best_size: Option<BestSize>,
    /// What went partly wrong.
    pub notes: Vec<String>,
    /// Strain, tension, pressure and gap in a few numbers.
    pub summary: Summary,
    /// Mean of the absolute mean curvature of the cloth [1/m].
    pub curvature: f64,
    /// Values at the vertices of `final.obj`.
    pub maps: Maps,
}

/// The part of a fit that stands in `report.json`.
#[derive(Clone, Debug, Serialize)]
pub struct FitShort {
    /// Girths that it goes around.
    pub girths: Vec<Girth>,
    /// What is to be said, a sentence each.
    pub verdicts: Vec<String>,
    /// Those of them that are not good.
    #[serde(skip)]
    pub complaints: Vec<String>,
    /// Letters of the best size and its reason.
    pub best_size: Option<[String; 2]>,
    /// 95 % of where it touches the body is pressed with less [kPa].
    pub pressure_p95: f64,
}

impl FitReport {
    /// Puts a fit into words. `wanted` is the ease of the design by the names of tapes [m].
    pub(super) fn new(
        fit: Fit,
        [garment, size, wearer, fabric]: [String; 4],
        best_size: Option<BestSize>,
        wanted: &[(&str, f64)],
    ) -> Self {
        let verdicts = fit::judge(&fit, wanted);
        let Fit { girths, maps, summary, curvature, .. } = fit;
        Self {
            version: FIT_VERSION,
            garment,
            size,
            wearer,
            fabric,
            girths,
            verdicts,
            limits: fit::LIMITS,
            best_size,
            notes: Vec::new(),
            summary,
            curvature,
            maps,
        }
    }

    /// The part for `report.json`.
    pub(super) fn short(&self) -> FitShort {
        FitShort {
            girths: self.girths.clone(),
            verdicts: self.verdicts.iter().map(|v| v.text.clone()).collect(),
            complaints: self
                .verdicts
                .iter()
                .filter(|v| !v.is_good())
                .map(|v| v.text.clone())
                .collect(),
            best_size: self.best_size.as_ref().map(|b| [b.size.clone(), b.reason.clone()]),
            pressure_p95: self.summary.pressure.p95,
        }
    }

    /// A line for a girth, as "waist: body 78.0, garment 82.4, ease 4.4 cm".
    pub fn line(girth: &Girth) -> String {
        format!(
            "{}: body {:.1}, garment {:.1}, ease {:.1} cm",
            girth.title(),
            1e2 * girth.body,
            1e2 * girth.garment,
            1e2 * girth.ease
        )
    }
}

/// Writes `fit.json` and `fit.html`, and with the PNG of the garment one for each map.
pub(super) fn write(
    folder: &mut OutputFolder,
    report: &FitReport,
    fit: &Fit,
    (cloth, body): (&TriMesh, &TriMesh),
    picture: Option<Vec<u8>>,
) -> Result<(), Error> {
    let mut pictures = Vec::new();
    if let Some(png_of_garment) = picture {
        pictures.push(page::Picture { png: png_of_garment, map: None });
        for map in maps::maps(fit) {
            let image = maps::views(cloth, body, &map)?;
            let bytes = png(&maps::with_legend(&image, &map))?;
            folder.write_bytes(&format!("fit-{}.png", map.key), &bytes)?;
            pictures.push(page::Picture { png: png(&image)?, map: Some(map) });
        }
    }
    let html = page::page(report, &pictures);
    folder.write_bytes("fit.html", html.as_bytes())?;
    let json = serde_json::to_string(report).unwrap_or_default();
    folder.write_bytes("fit.json", json.as_bytes())
}

fn png(image: &toile_render::Image) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    image.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(bytes)
}
