#![no_main]

#[allow(dead_code, reason = "each target uses its own part")]
#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::detector(data));
