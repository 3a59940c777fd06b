//! Who wears something, as it is said on the command line.

use std::path::PathBuf;
use toile::Error;
use toile::body::{Figure, Pose};
use toile_pattern::{Measurements, Size};

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

/// Measurements that differ from those of a size.
#[derive(clap::Args)]
pub(crate) struct ToMeasure {
    /// Made to measure: a TOML file of measurements [cm] that differ from those of the size.
    #[arg(long, value_name = "FILE")]
    pub(crate) measurements: Option<PathBuf>,
}

impl ToMeasure {
    /// The measurements of the size `m` with those of the file and of `NAME=CM` in their places; nothing if there are none.
    pub(crate) fn apply(
        &self,
        mut m: Measurements,
        changes: &[(String, String)],
    ) -> Result<Option<Measurements>, Error> {
        let refuse =
            |e: toile_pattern::Error| Error::Request { message: e.to_string(), help: e.help() };
        if let Some(path) = &self.measurements {
            let text = toile::read_text(path)?;
            m = m.with_toml(&text, &path.display().to_string()).map_err(refuse)?;
        }
        for (name, value) in changes {
            let value = value.parse().map_err(|_| Error::Request {
                message: format!("`{name}={value}`: a number of centimetres is needed"),
                help: "as in --set waist_girth=74".into(),
            })?;
            m = m.with(name, value).map_err(refuse)?;
        }
        Ok((self.measurements.is_some() || !changes.is_empty()).then_some(m))
    }
}

/// A measurement or an option of a design as it is said on the command line.
pub(crate) fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as NAME=VALUE, for example waist_girth=74 or ease=0.12".into()),
    }
}
