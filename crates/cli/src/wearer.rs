//! Who wears something, as it is said on the command line.

use toile::Error;
use toile::body::{Figure, Pose};
use toile_pattern::Size;

fn none(what: &str, said: &str, there_are: &str) -> Error {
    let (message, help) =
        (format!("there is no {what} `{said}`"), format!("there are {there_are}"));
    Error::Request { message, help }
}

pub(crate) fn size(said: &str) -> Result<Size, Error> {
    Size::parse(said).ok_or_else(|| none("size", said, "XS, S, M, L, XL and XXL"))
}

pub(crate) fn figure(said: &str) -> Result<Figure, Error> {
    Figure::parse(said).ok_or_else(|| none("figure", said, "female, male and child"))
}

pub(crate) fn pose(said: &str) -> Result<Pose, Error> {
    Pose::parse(said).ok_or_else(|| none("pose", said, "a, t and relaxed"))
}
