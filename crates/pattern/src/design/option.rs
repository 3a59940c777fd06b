//! What can be chosen about a design: meaning, unit, range and default of every option.

use super::Design;
use crate::check::nearest;
use crate::error::Error;
use serde::Serialize;

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionKind {
    /// A length [m].
    Length {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A fraction, without unit.
    Fraction {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Yes or no.
    Switch,
}

impl OptionKind {
    /// The unit in words, for tables.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Length { .. } => "m",
            Self::Fraction { .. } => "–",
            Self::Switch => "true/false",
        }
    }

    /// Least and largest value; none of a switch.
    pub fn range(self) -> Option<[f64; 2]> {
        match self {
            Self::Length { min, max } | Self::Fraction { min, max } => Some([min, max]),
            Self::Switch => None,
        }
    }
}

/// An option of a design.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DesignOption {
    /// Its name, as in `--with ease=0.1`.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Unit and range.
    pub kind: OptionKind,
}

pub(super) const fn length(
    name: &'static str,
    meaning: &'static str,
    min: f64,
    max: f64,
) -> DesignOption {
    DesignOption { name, meaning, kind: OptionKind::Length { min, max } }
}

pub(super) const fn fraction(
    name: &'static str,
    meaning: &'static str,
    min: f64,
    max: f64,
) -> DesignOption {
    DesignOption { name, meaning, kind: OptionKind::Fraction { min, max } }
}

pub(super) const fn switch(name: &'static str, meaning: &'static str) -> DesignOption {
    DesignOption { name, meaning, kind: OptionKind::Switch }
}

impl Design {
    /// The present value of an option, as it is written.
    pub fn value(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()?.get(name).cloned()
    }

    /// The design with another value of an option, written as `0.12` or `true`.
    ///
    /// ```
    /// use toile_pattern::design::Design;
    ///
    /// let loose = Design::find("tshirt").unwrap().with("ease", "0.12")?;
    /// assert_eq!(loose.value("ease").unwrap(), 0.12);
    /// let error = loose.with("ease", "12").unwrap_err();
    /// assert!(error.help().contains("metres"), "{}", error.help());
    /// # Ok::<(), toile_pattern::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the design has no such option, or the value is none of its range.
    pub fn with(&self, name: &str, value: &str) -> Result<Self, Error> {
        let options = self.options();
        let refuse = |reason: String, help: String| {
            let message = format!("option `{name}` of the design `{}` {reason}", self.name());
            Err(Error::Request { message, help })
        };
        let Some(option) = options.iter().find(|o| o.name == name) else {
            let names: Vec<&str> = options.iter().map(|o| o.name).collect();
            let near = nearest(name, names.iter().copied());
            let meant = near.map_or_else(String::new, |n| format!("did you mean `{n}`? "));
            let help = format!("{meant}There are {}", names.join(", "));
            return refuse("does not exist".into(), help);
        };
        let value: serde_json::Value = match (option.kind, value) {
            (OptionKind::Switch, "true" | "false") => (value == "true").into(),
            (OptionKind::Switch, _) => {
                return refuse(format!("is `{value}`"), "it is true or false".into());
            }
            (kind, text) => {
                let [min, max] = kind.range().unwrap_or_default();
                match text.parse::<f64>() {
                    Ok(x) if x >= min && x <= max => x.into(),
                    _ => {
                        let what = match kind {
                            OptionKind::Length { .. } => " metres",
                            _ => "",
                        };
                        let help = format!("it is {min} to {max}{what}: {}", option.meaning);
                        return refuse(format!("is `{text}`"), help);
                    }
                }
            }
        };
        let changed = serde_json::to_value(self).and_then(|mut all| {
            all[name] = value;
            serde_json::from_value(all)
        });
        match changed {
            Ok(design) => Ok(design),
            Err(error) => refuse(error.to_string(), option.meaning.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::{Figure, Measurements};

    /// Every key of a design as it is saved, but for its type.
    fn keys(design: &Design) -> Vec<String> {
        let value = serde_json::to_value(design).unwrap();
        value.as_object().unwrap().keys().filter(|k| *k != "type").cloned().collect()
    }

    #[test]
    fn every_option_is_described_and_its_default_lies_in_its_range() {
        for design in Design::all() {
            let mut described: Vec<&str> = design.options().iter().map(|o| o.name).collect();
            let mut keys = keys(&design);
            described.sort_unstable();
            keys.sort_unstable();
            assert_eq!(described, keys, "{}", design.name());
            for option in design.options() {
                let value = design.value(option.name).unwrap().to_string();
                assert_eq!(design.with(option.name, &value).unwrap(), design, "{}", option.name);
            }
        }
    }

    #[test]
    fn both_ends_of_every_range_are_patterns_that_can_be_sewn_and_differ() {
        let m = Measurements::of(Figure::Female, crate::Size::default());
        for design in Design::all() {
            for option in design.options() {
                let ends = match option.kind.range() {
                    Some([min, max]) => [min.to_string(), max.to_string()],
                    None => ["false".into(), "true".into()],
                };
                let drafts = ends.map(|end| {
                    let pattern = design.with(option.name, &end).unwrap().draft(&m);
                    let check = pattern.check();
                    let faults: Vec<String> = check.errors().map(ToString::to_string).collect();
                    assert!(
                        faults.is_empty(),
                        "{} {}={end}: {faults:?}",
                        design.name(),
                        option.name
                    );
                    crate::file::to_json(&pattern)
                });
                assert_ne!(drafts[0], drafts[1], "{} {}", design.name(), option.name);
            }
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_would_be_right() {
        let design = Design::find("tshirt").unwrap();
        for (name, value, says) in [
            ("eas", "0.1", "did you mean `ease`?"),
            ("ease", "nan", "metres"),
            ("ease", "-3", "metres"),
            ("ease", "8 cm", "metres"),
            ("neckband", "1", "true or false"),
            ("type", "dress", "There are"),
        ] {
            let error = design.with(name, value).unwrap_err();
            let text = format!("{error}; {}", error.help());
            assert!(text.contains(says), "{text}");
        }
    }
}
