//! JSON Schema of the scene file, for editors.

use serde_json::Value;

/// The schema.
pub fn schema() -> Value {
    Value::Null
}
