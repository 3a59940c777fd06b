//! The pairs of lines that a DXF file consists of: a code, and a value.

/// Longest value that is kept [bytes].
const LONGEST: usize = 500;

/// A pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Group<'a> {
    pub(super) code: i32,
    pub(super) value: &'a str,
    /// The line of the value, from 1.
    pub(super) line: usize,
}

impl Group<'_> {
    /// The value as a number.
    pub(super) fn number(&self) -> Result<f64, String> {
        match self.value.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(format!("line {}: `{}` is not a number", self.line, self.value)),
        }
    }

    /// The value as a whole number; 0 if it is none.
    pub(super) fn flags(&self) -> i64 {
        self.value.parse::<f64>().map_or(0, |x| x.clamp(-1e9, 1e9) as i64)
    }
}

/// All pairs of a file.
pub(super) fn groups(text: &str) -> Result<Vec<Group<'_>>, String> {
    if text.starts_with("AutoCAD Binary DXF") {
        return Err("it is a binary DXF; save it as text (ASCII, R12)".into());
    }
    let mut lines = text.lines().enumerate();
    let mut all = Vec::new();
    while let Some((_, code)) = lines.next() {
        let code = code.trim();
        let Some((k, value)) = lines.next() else {
            // A last line without a value is left by some editors.
            break;
        };
        let Ok(code) = code.parse::<i32>() else {
            let shown: String = code.chars().take(40).collect();
            return Err(format!("line {k}: `{shown}` is not the code of a group; it is no DXF"));
        };
        let mut value = value.trim();
        if value.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|k| value.is_char_boundary(*k)).unwrap_or(0);
            value = &value[..end];
        }
        // 999 is a comment.
        if code != 999 {
            all.push(Group { code, value, line: k + 1 });
        }
    }
    if !all.iter().any(|g| g.code == 0 && g.value == "SECTION") {
        return Err("it has no section; it is no DXF".into());
    }
    Ok(all)
}
