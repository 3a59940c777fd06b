//! JSON Schema of the fabric file, for editors.

use super::kes;
use crate::scene::schema::{numbers, object, text};
use serde_json::{Value, json};

/// The schema of a fabric file (JSON Schema, draft 7: what editors understand).
pub fn schema() -> Value {
    let mut schema = object(
        "A fabric of toile: numbers in SI units, or texts with a unit such as \"12 mg/cm²\".",
        &[],
        properties(),
    );
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("toile fabric");
    schema["properties"][super::appearance::KEY] = appearance();
    schema
}

/// How it looks; see `toile_render::appearance`.
fn appearance() -> Value {
    let number = |from: f64, to: f64, what: &str| json!({ "type": "number", "minimum": from, "maximum": to, "description": what });
    let colour = |what: &str| json!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$", "description": what });
    let stripe = object(
        "Yarns of one colour side by side.",
        &["colour", "yarns"],
        json!({ "colour": colour("Their colour."), "yarns": { "type": "integer", "minimum": 1 } }),
    );
    let yarn = object(
        "A yarn.",
        &["fibre", "colour", "spacing-mm", "thickness-mm"],
        json!({
            "fibre": { "enum": ["cotton", "linen", "wool", "silk", "polyester", "polyamide", "viscose"] },
            "colour": colour("Its colour."),
            "stripes": { "type": "array", "items": stripe, "description": "Colours of yarns side by side, repeated." },
            "spacing-mm": number(0.01, 50.0, "From yarn to yarn [mm]; for knits from wale to wale."),
            "thickness-mm": number(0.005, 50.0, "Width as it lies in the cloth [mm]."),
            "flatness": number(0.05, 1.0, "Height over width."),
            "crimp": number(0.0, 1.0, "How far it goes up and down."),
            "twist-deg": number(-60.0, 60.0, "Angle of the fibres to the yarn: positive for Z twist."),
            "plies": { "type": "integer", "minimum": 1, "maximum": 8 },
            "irregularity": number(0.0, 0.5, "How much width and colour vary."),
        }),
    );
    let rows = json!({ "type": "array", "items": { "type": "string", "pattern": "^[01]+$" } });
    object(
        "How it looks: exactly one of weave, knit and sheet.",
        &[],
        json!({
            "weave": { "oneOf": [text("plain, basket-N, twill-A/B, herringbone-A/B, satin-N, sateen-N or crepe."), rows],
                "description": "How warp and weft cross: a name, or rows of 1 (warp on top) and 0 from the top." },
            "knit": { "enum": ["jersey", "rib-1x1", "rib-2x2", "interlock", "purl"] },
            "sheet": object("Leather or film.", &["colour", "back", "roughness"], json!({
                "colour": colour("Of the front."), "back": colour("Of the back."),
                "roughness": number(0.0, 1.0, "0 for a mirror, 1 for chalk.") })),
            "warp": yarn, "weft": yarn, "yarn": yarn,
            "course-mm": number(0.02, 50.0, "From course to course of a knit [mm]."),
            "finish": object("What is done to the cloth.", &[], json!({
                "fuzz": number(0.0, 1.0, "Fibres that stand up from the front."),
                "fuzz-back": number(0.0, 1.0, "The same on the back."),
                "gloss": number(-1.0, 1.0, "Gloss by pressing; below 0 duller.") })),
            "print": { "type": "object", "required": ["kind"], "description": "What is printed on the front.",
                "properties": { "kind": { "enum": ["stripes", "checks", "dots", "picture"] } } },
            "sewing": object("How it is sewn.", &[], json!({
                "thread": colour("Of the thread; that of the cloth if absent."),
                "thread-mm": number(0.05, 5.0, "Width of the thread [mm]."),
                "stitch-mm": number(0.5, 50.0, "From hole to hole [mm]."),
                "hem-mm": number(0.0, 200.0, "Width of a hem [mm]; 0 leaves edges raw."),
                "rows": { "type": "integer", "minimum": 0, "maximum": 4 },
                "topstitch": { "type": "boolean", "description": "Whether seams are topstitched." } })),
        }),
    )
}

/// All keys of a fabric.
pub(crate) fn properties() -> Value {
    let origin = object(
        "Where a number comes from.",
        &["confidence"],
        json!({ "confidence": confidence(), "source": text("The test, the paper or the reasoning.") }),
    );
    json!({
        "name": text("What it is called."),
        "provenance": text("What it is, and where its numbers come from."),
        "confidence": confidence(),
        "density": above("Areal density [kg/m²]."),
        "weft": above("Tensile stiffness along the weft [N/m]."),
        "warp": above("Tensile stiffness along the warp [N/m]."),
        "weft_curve": curve("strain", "Tension [N/m] over strain along the weft."),
        "warp_curve": curve("strain", "Tension [N/m] over strain along the warp."),
        "resilience_weft": part("Part of the tensile work along the weft that is given back."),
        "resilience_warp": part("Part of the tensile work along the warp that is given back."),
        "poisson": ratio("Poisson's ratio, the mean of both directions: C12 = ν √(C11 C22)."),
        "shear": at_least("Shear stiffness [N/m per rad]."),
        "shear_curve": curve("angle", "Shear force [N/m] over the shear angle [rad]."),
        "shear_hysteresis": at_least("Width of the shear loop at 0.5° [N/m]."),
        "shear_hysteresis_wide": at_least("Width of the shear loop at 5° [N/m]."),
        "bend_weft": at_least("Bending rigidity along the weft [N·m]."),
        "bend_warp": at_least("Bending rigidity along the warp [N·m]."),
        "bend_twist": at_least("Twist rigidity [N·m]."),
        "bend_poisson": ratio("Poisson's ratio of bending."),
        "bend_hysteresis_weft": at_least("Width of the bending loop along the weft [N·m/m]."),
        "bend_hysteresis_warp": at_least("Width of the bending loop along the warp [N·m/m]."),
        "thickness": at_least("Thickness [m]."),
        "friction": at_least("Coulomb friction."),
        "damping": part("Part of critical damping of each thread."),
        "viscosity": at_least("Relaxation time of a Kelvin–Voigt sheet [s]."),
        "kes": figures(),
        "origins": { "type": "object", "additionalProperties": origin,
            "description": "Where single numbers come from, by their keys." },
    })
}

fn confidence() -> Value {
    json!({ "description": "How sure the numbers are.",
            "enum": ["measured", "literature", "typical", "estimated"] })
}

/// A number, or a text with a unit; bounds hold for numbers.
fn above(description: &str) -> Value {
    json!({ "type": ["number", "string"], "exclusiveMinimum": 0, "description": description })
}

fn at_least(description: &str) -> Value {
    json!({ "type": ["number", "string"], "minimum": 0, "description": description })
}

fn part(description: &str) -> Value {
    json!({ "type": ["number", "string"], "minimum": 0, "maximum": 1, "description": description })
}

fn ratio(description: &str) -> Value {
    json!({ "type": ["number", "string"], "exclusiveMinimum": -1, "exclusiveMaximum": 1,
            "description": description })
}

fn curve(along: &str, description: &str) -> Value {
    let points = json!({ "type": "array", "minItems": 2, "items": numbers(2, "A point."),
        "description": "Points that ascend, one of them [0, 0]." });
    let units = object(
        "Points in other units.",
        &["points"],
        json!({ along: text("Unit along."), "tension": text("Unit of force."), "points": points }),
    );
    json!({ "description": description, "oneOf": [points, units] })
}

fn figures() -> Value {
    let each = json!({ "oneOf": [
        { "type": ["number", "string"], "description": "Along weft and warp." },
        object("Along each.", &["weft", "warp"], json!({
            "weft": { "type": ["number", "string"] },
            "warp": { "type": ["number", "string"] },
        })),
    ] });
    json!({
        "type": "object",
        "description": "Figures of Kawabata's tests, in Kawabata's units.",
        "propertyNames": { "enum": kes::names() },
        "additionalProperties": each,
    })
}
