//! JSON Schema of pattern files, so that editors complete and check them.

use serde_json::{Value, json};

/// The schema of a pattern file (JSON Schema, draft 7: what editors understand).
pub fn schema() -> Value {
    let mut made = object(
        "A sewing pattern of toile: panels and the seams between them.",
        &["unit", "panel"],
        json!({
            "name": text("What it is called; the name of the file if not given."),
            "description": text("What it is, for whom, and where it comes from."),
            "unit": { "description": "Unit of all lengths in this file.", "enum": ["mm", "cm", "m", "in"] },
            "panel": { "type": "array", "minItems": 1, "items": panel() },
            "seam": { "type": "array", "items": seam() },
        }),
    );
    made["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    made["title"] = json!("toile pattern");
    made
}

fn panel() -> Value {
    object(
        "A piece of cloth. Its outline is the sewing line, counterclockwise as seen from the right side.",
        &["name", "start", "edge"],
        json!({
            "name": text("What seams call it; without `.` and `[`."),
            "start": pair("Where the outline begins and ends."),
            "grain": pair("Direction of the warp; [0, 1] if not given."),
            "fold": text("A straight edge on the fold: the other half is its mirror image."),
            "fabric": text("Its fabric, if not that of the garment."),
            "layer": { "type": "integer", "description": "Layers with greater numbers are worn outside." },
            "allowance": number("Width of the seam allowance outside the sewing line."),
            "placement": placement(),
            "edge": edges("The outline; the last edge comes back to `start`."),
            "dart": { "type": "array", "items": dart() },
            "pleat": { "type": "array", "items": pleat() },
            "elastic": { "type": "array", "items": elastic() },
            "notch": { "type": "array", "items": notch() },
            "hole": { "type": "array", "items": path("An opening inside the outline, closed.") },
            "line": { "type": "array", "items": path("A line inside the outline that the mesh follows.") },
        }),
    )
}

fn edge() -> Value {
    object(
        "An edge from the end of the one before: a line, or one of three curves.",
        &["to"],
        json!({
            "name": text("What seams, darts and notches call it; its number if not given."),
            "to": pair("Where it ends."),
            "quadratic": pair("Control point of a quadratic Bézier curve."),
            "cubic": {
                "description": "Control points of a cubic Bézier curve.",
                "type": "array", "minItems": 2, "maxItems": 2, "items": pair("A control point."),
            },
            "arc": pair("A point that an arc of a circle passes through."),
        }),
    )
}

fn edges(description: &str) -> Value {
    json!({ "type": "array", "description": description, "minItems": 1, "items": edge() })
}

fn path(description: &str) -> Value {
    object(
        description,
        &["name", "start", "edge"],
        json!({
            "name": text("What it is called."),
            "start": pair("Where it begins."),
            "edge": edges("Its edges."),
        }),
    )
}

fn dart() -> Value {
    object(
        "A wedge sewn shut: `edge`, `at` and `depth` or `tip`, or else `tips` for a double dart.",
        &["name", "width"],
        json!({
            "name": text("What it is called."),
            "width": number("Width of its mouth, or in the middle of a double dart."),
            "edge": text("The edge it opens at."),
            "at": fraction("Middle of its mouth, as a fraction of the edge."),
            "depth": number("Its depth, square to the edge."),
            "tip": pair("Where it ends, instead of a depth."),
            "tips": {
                "description": "Both ends of a double dart.",
                "type": "array", "minItems": 2, "maxItems": 2, "items": pair("An end."),
            },
        }),
    )
}

fn pleat() -> Value {
    object(
        "A fold held by a seam; twice its depth is taken out of the edge.",
        &["name", "edge", "at", "depth"],
        json!({
            "name": text("What it is called."),
            "edge": text("The edge that holds it."),
            "at": fraction("Its middle, as a fraction of the edge."),
            "depth": number("Depth of the fold."),
        }),
    )
}

fn elastic() -> Value {
    object(
        "A tape of rubber along an edge, drawn to the length of the edge when it is sewn on.",
        &["edge", "ratio"],
        json!({
            "edge": text("The edge."),
            "ratio": number("Its length without tension over that of the edge, from 0.3 to 1."),
            "stiffness": number("Its pull at twice its length [N]; 20 if not given."),
        }),
    )
}

fn notch() -> Value {
    object(
        "A mark on an edge. Notches of one label on both sides of a seam are sewn together.",
        &["edge", "at"],
        json!({
            "edge": text("The edge."),
            "at": fraction("Its place, as a fraction of the edge."),
            "label": text("What it must meet."),
        }),
    )
}

fn placement() -> Value {
    object(
        "Where the panel belongs on the body: hints, none of them needed.",
        &[],
        json!({
            "part": {
                "description": "The part of the body.",
                "enum": ["head", "neck", "torso", "waist", "hips", "left-arm", "right-arm", "left-leg", "right-leg"],
            },
            "side": {
                "description": "The side of that part; left and right are those of the wearer.",
                "enum": ["front", "back", "left", "right", "around"],
            },
            "translation": triple("Where the origin of the panel goes: x left of the wearer, y up, z front."),
            "rotation": triple("Turns about the fixed axes x, y, z, in this order, before it is moved [degrees]."),
        }),
    )
}

fn seam() -> Value {
    let side = json!({
        "description": "`panel.edge`, `panel.edge[0, 0.5]` for a part, or a list of them for a chain.",
        "anyOf": [
            { "type": "string" },
            { "type": "array", "minItems": 1, "items": { "type": "string" } },
        ],
    });
    object(
        "Two chains of edges sewn together.",
        &["a", "b"],
        json!({
            "name": text("What it is called; its number if not given."),
            "a": side,
            "b": side,
            "direction": {
                "description": "`opposite`: the beginning of one side meets the end of the other, as where \
                                both panels show their right side; `same`: beginning meets beginning.",
                "enum": ["opposite", "same"],
            },
            "gather": {
                "type": "number", "minimum": 1, "maximum": crate::MAX_GATHER,
                "description": "Length of the longer side over that of the shorter.",
            },
            "order": { "type": "integer", "description": "Seams of lower order are sewn first." },
        }),
    )
}

fn object(description: &str, required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "description": description,
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "description": description })
}

fn fraction(description: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1, "description": description })
}

fn pair(description: &str) -> Value {
    let item = json!({ "type": "number" });
    json!({ "type": "array", "description": description, "minItems": 2, "maxItems": 2, "items": item })
}

fn triple(description: &str) -> Value {
    let item = json!({ "type": "number" });
    json!({ "type": "array", "description": description, "minItems": 3, "maxItems": 3, "items": item })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{
        DartFile, EdgeFile, ElasticFile, NotchFile, PanelFile, PathFile, PatternFile,
        PlacementFile, PleatFile, SeamFile,
    };

    /// Keys that the reader lists when it is given one it does not know.
    fn known<T: serde::de::DeserializeOwned>() -> Vec<String> {
        let message = serde_json::from_value::<T>(json!({ "no such key": 1 }));
        let message = message.err().expect("must be refused").to_string();
        let mut keys: Vec<String> =
            message.split('`').skip(3).step_by(2).map(str::to_owned).collect();
        keys.sort();
        keys
    }

    fn listed(schema: &Value) -> Vec<String> {
        schema["properties"].as_object().expect("a table").keys().cloned().collect()
    }

    #[test]
    fn the_schema_has_exactly_the_keys_that_the_reader_knows() {
        assert_eq!(listed(&schema()), known::<PatternFile>());
        assert_eq!(listed(&panel()), known::<PanelFile>());
        assert_eq!(listed(&edge()), known::<EdgeFile>());
        assert_eq!(listed(&path("")), known::<PathFile>());
        assert_eq!(listed(&dart()), known::<DartFile>());
        assert_eq!(listed(&pleat()), known::<PleatFile>());
        assert_eq!(listed(&elastic()), known::<ElasticFile>());
        assert_eq!(listed(&notch()), known::<NotchFile>());
        assert_eq!(listed(&placement()), known::<PlacementFile>());
        assert_eq!(listed(&seam()), known::<SeamFile>());
    }

    #[test]
    fn the_words_of_the_schema_are_those_of_the_reader() {
        for part in placement()["properties"]["part"]["enum"].as_array().expect("words") {
            assert!(serde_json::from_value::<crate::BodyPart>(part.clone()).is_ok(), "{part}");
        }
        for side in placement()["properties"]["side"]["enum"].as_array().expect("words") {
            assert!(serde_json::from_value::<crate::Side>(side.clone()).is_ok(), "{side}");
        }
    }
}
