//! The program, as a user calls it: all integration tests in one program, which links once.

mod bad_input;
mod bench;
mod body;
mod common;
mod compare;
mod export;
mod fabric;
mod lab;
mod paper;
mod pattern;
mod program;
mod read;
mod resume;
mod users_files;
