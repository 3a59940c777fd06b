//! What HTML pages need: escaped text, and pictures within the page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Text with the characters escaped that HTML gives a meaning.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The bytes of a PNG file as a `data:` URI.
pub fn png_uri(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png))
}
