//! GarmentCode.
use crate::{Error, Pattern};
pub(crate) fn from_value(_v: serde_json::Value, name: &str) -> Result<Pattern, Error> {
    Err(Error::Parse { name: name.into(), message: String::new() })
}
