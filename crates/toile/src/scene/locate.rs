//! From a key to its place in the file, and from a misspelt key to the one that was meant.

use crate::error::SceneError;
use miette::NamedSource;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Most bytes of a file that an error shows: a few lines of a file for people, and not the one
/// line of megabytes that a machine may have written.
const WIDEST: usize = 4000;

/// Where a scene was read from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The file; empty for a scene made in code.
    name: Arc<str>,
    text: Arc<str>,
    /// Keys that were set from outside, which therefore have no place in the file.
    set: Vec<String>,
}

impl Source {
    /// The path of the file; empty for a scene made in code.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn new(name: &str, text: &str, set: Vec<String>) -> Self {
        Self { name: name.into(), text: text.into(), set }
    }

    /// The bytes of the value at a dotted path such as `cloth.0.shape`, or of the nearest thing
    /// around it that exists.
    fn span(&self, path: &str) -> Option<Range<usize>> {
        let root = DeTable::parse(&self.text).ok()?;
        let mut best = None;
        let mut here = Node::Table(root.get_ref());
        for part in path.split('.').filter(|p| !p.is_empty()) {
            let Some((span, next)) = here.child(part) else { break };
            best = Some(span);
            here = next;
        }
        best
    }

    /// The bytes of a key in the table at a path.
    fn key_span(&self, path: &str, key: &str) -> Option<Range<usize>> {
        let root = DeTable::parse(&self.text).ok()?;
        let mut here = Node::Table(root.get_ref());
        for part in path.split('.').filter(|p| !p.is_empty()) {
            here = here.child(part)?.1;
        }
        let Node::Table(table) = here else { return None };
        table.iter().find(|(k, _)| k.get_ref() == key).map(|(k, _)| k.span())
    }

    /// An error at a dotted path.
    pub(crate) fn error(&self, path: &str, reason: &str, help: Option<String>) -> Box<SceneError> {
        let message = match pretty(path) {
            p if p.is_empty() => reason.to_owned(),
            p => format!("`{p}` {reason}"),
        };
        self.at(self.span(path), path, message, help)
    }

    /// An error that serde found: unknown keys and variants get a suggestion.
    pub(crate) fn serde_error(&self, path: &str, message: &str) -> Box<SceneError> {
        let message = message.trim();
        if let Some((found, known)) = unknown(message, "unknown field ") {
            let help = suggest(found, &known);
            let span = self.key_span(path, found).or_else(|| self.span(path));
            let place =
                if path.is_empty() { String::new() } else { format!(" in `{}`", pretty(path)) };
            return self.at(span, path, format!("unknown key `{found}`{place}"), Some(help));
        }
        if let Some((found, known)) = unknown(message, "unknown variant ") {
            let help = suggest(found, &known);
            return self.error(path, &format!("cannot be `{found}`"), Some(help));
        }
        // The words of people for the types of Rust.
        let message = message
            .replace("expected f64", "expected a number")
            .replace("expected u64", "expected a whole number")
            .replace("expected u32", "expected a whole number")
            .replace(
                "invalid type: unit variant, expected string only",
                "it must be a name in quotes",
            )
            .replace("expected struct ", "expected a table for ");
        self.error(path, &format!("is wrong: {message}"), None)
    }

    /// An error of syntax.
    pub(crate) fn syntax_error(
        &self,
        span: Option<Range<usize>>,
        message: &str,
    ) -> Box<SceneError> {
        let help = Some("a scene is a TOML file; see https://toml.io".to_owned());
        self.at(span, "", format!("this is not TOML: {}", message.trim()), help)
    }

    /// Whether the lines about a place are short enough to be printed.
    fn can_be_shown(&self, place: &Range<usize>) -> bool {
        let bytes = self.text.as_bytes();
        let end = place.end.min(bytes.len());
        let start = place.start.min(end);
        let two_lines = |bytes: &mut dyn Iterator<Item = &u8>| {
            let mut ends = 0;
            bytes
                .take_while(|b| {
                    ends += usize::from(**b == b'\n');
                    ends < 2
                })
                .take(WIDEST)
                .count()
        };
        let before = two_lines(&mut bytes[..start].iter().rev());
        let behind = two_lines(&mut bytes[end..].iter());
        before + (end - start) + behind < WIDEST
    }

    fn at(
        &self,
        span: Option<Range<usize>>,
        path: &str,
        message: String,
        help: Option<String>,
    ) -> Box<SceneError> {
        let inside = |key: &String| path == *key || path.starts_with(&format!("{key}."));
        if let Some(key) = self.set.iter().find(|key| inside(key)) {
            let message = format!("{message} (`{}` was set on the command line)", pretty(key));
            return Box::new(SceneError {
                message,
                source_code: None,
                span: None,
                label: String::new(),
                help,
            });
        }
        let in_file = !self.name.is_empty();
        let message = match &span {
            None if in_file => format!("{}: {message}", self.name),
            Some(place) if in_file && !self.can_be_shown(place) => {
                let before = &self.text.as_bytes()[..place.start.min(self.text.len())];
                let line = 1 + before.iter().filter(|b| **b == b'\n').count();
                format!("{}:{line}: {message}", self.name)
            }
            _ => message,
        };
        let span = span.filter(|place| self.can_be_shown(place));
        Box::new(SceneError {
            source_code: (in_file && span.is_some())
                .then(|| NamedSource::new(&*self.name, self.text.to_string())),
            span: span.filter(|_| in_file).map(Into::into),
            label: "here".into(),
            message,
            help,
        })
    }
}

/// A table or something in one.
enum Node<'a> {
    Table(&'a DeTable<'a>),
    Value(&'a DeValue<'a>),
}

impl<'a> Node<'a> {
    /// What `part` names, and its place.
    fn child(&self, part: &str) -> Option<(Range<usize>, Node<'a>)> {
        let value = match self {
            Self::Table(table) => table.iter().find(|(k, _)| k.get_ref() == part).map(|(_, v)| v),
            Self::Value(DeValue::Array(array)) => array.get(part.parse::<usize>().ok()?),
            Self::Value(_) => None,
        }?;
        Some(match value.get_ref() {
            DeValue::Table(table) => (value.span(), Node::Table(table)),
            other => (value.span(), Node::Value(other)),
        })
    }
}

/// `cloth.0.shape` as `cloth[0].shape`.
fn pretty(path: &str) -> String {
    let mut out = String::new();
    for part in path.split('.').filter(|p| !p.is_empty()) {
        if part.bytes().all(|b| b.is_ascii_digit()) {
            out.push_str(&format!("[{part}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(part);
        }
    }
    out
}

/// Takes serde's message apart: what was found, and what is known.
fn unknown<'m>(message: &'m str, prefix: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(prefix)?;
    let mut words = rest.split('`').skip(1).step_by(2);
    Some((words.next()?, words.collect()))
}

/// What may have been meant.
pub fn suggest(found: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|k| (strsim::levenshtein(found, k), *k)).min();
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    match nearest {
        Some((d, k)) if d <= 1 + found.chars().count() / 3 => {
            format!("did you mean `{k}`? (known: {list})")
        }
        Some(_) => format!("known here: {list}"),
        None => "nothing can be given here".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "duration = 1\n[[cloth]]\nshape = { type = \"grid\", width = -1 }\n";

    #[test]
    fn a_value_is_found_by_its_path() {
        let source = Source::new("a.toml", TEXT, Vec::new());
        assert_eq!(&TEXT[source.span("cloth.0.shape.width").unwrap()], "-1");
        assert_eq!(&TEXT[source.span("duration").unwrap()], "1");
        assert_eq!(&TEXT[source.key_span("cloth.0.shape", "width").unwrap()], "width");
        assert_eq!(source.key_span("", "nothing"), None);
    }

    #[test]
    fn a_missing_key_points_at_the_table_it_is_missing_in() {
        let source = Source::new("a.toml", TEXT, Vec::new());
        assert!(TEXT[source.span("cloth.0.shape.height").unwrap()].starts_with("{ type"));
    }

    #[test]
    fn a_line_of_megabytes_is_not_printed() {
        let text = format!("name = \"a\"\nx = {}", "[".repeat(1 << 20));
        let source = Source::new("a.toml", &text, Vec::new());
        let error = source.syntax_error(Some(1000..1001), "too deep");
        assert_eq!(error.span, None);
        assert!(error.message.starts_with("a.toml:2: this is not TOML"), "{}", error.message);
        let first = source.syntax_error(Some(0..4), "no");
        assert_eq!(first.span, None, "the next line would be shown too");
    }

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert!(suggest("durration", &["duration", "fps"]).contains("did you mean `duration`"));
        assert!(!suggest("xyz", &["duration", "fps"]).contains("did you mean"));
    }

    #[test]
    fn a_key_from_outside_has_no_place_in_the_file() {
        let source = Source::new("a.toml", TEXT, vec!["cloth.0.shape".into()]);
        let error = source.error("cloth.0.shape.width", "is -1", None);
        assert_eq!(error.span, None);
        assert!(error.message.contains("command line"), "{}", error.message);
    }
}
