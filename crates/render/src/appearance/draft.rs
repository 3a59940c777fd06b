//! How warp and weft cross.

use serde::{Deserialize, Serialize};

/// Most rows and columns of a draft.
pub const MAX_SIDE: usize = 4096;

/// One repeat of a weave: for each weft, counted upwards, and each warp whether the warp is on top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Draft {
    name: Option<String>,
    columns: usize,
    /// Row by row from the first weft.
    up: Vec<bool>,
}

/// A draft as files have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Name(String),
    Rows(Vec<String>),
}

impl Draft {
    /// A weave by name: `plain`, `basket-2`, `twill-3/1` (warp over 3, under 1; append `-left` for lines
    /// that rise to the left), `herringbone-2/2`, `satin-5`, `satin-8` (warp on top), `sateen-5`, `crepe`.
    ///
    /// # Errors
    /// Lists what is known.
    pub fn named(name: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "unknown weave {name:.30}; known are plain, basket-N, twill-A/B, twill-A/B-left, \
                 herringbone-A/B, satin-N, sateen-N and crepe, or give rows such as [\"10\", \"01\"]"
            )
        };
        let (kind, rest) = name.split_once('-').unwrap_or((name, ""));
        let pair = |text: &str| -> Option<(usize, usize)> {
            let (a, b) = text.split_once('/')?;
            let within = |x: &usize| (1..=16).contains(x);
            Some((a.parse().ok().filter(within)?, b.parse().ok().filter(within)?))
        };
        let draft = match kind {
            "plain" if rest.is_empty() => Self::from_fn(2, 2, |i, j| (i + j) % 2 == 0),
            "basket" => {
                let n: usize = rest.parse().map_err(|_| unknown())?;
                if !(1..=16).contains(&n) {
                    return Err(unknown());
                }
                Self::from_fn(2 * n, 2 * n, |i, j| (i / n + j / n).is_multiple_of(2))
            }
            "twill" => {
                let (text, left) = match rest.strip_suffix("-left") {
                    Some(text) => (text, true),
                    None => (rest, false),
                };
                let (over, under) = pair(text).ok_or_else(unknown)?;
                let n = over + under;
                Self::from_fn(n, n, |i, j| (if left { i + j } else { n + j - i }) % n < over)
            }
            "herringbone" => {
                let (over, under) = pair(rest).ok_or_else(unknown)?;
                let n = over + under;
                Self::from_fn(4 * n, n, |i, j| {
                    let turned = if i < 2 * n { i % n } else { (4 * n - 1 - i) % n };
                    (n + j - turned) % n < over
                })
            }
            "satin" | "sateen" => {
                let n: usize = rest.parse().map_err(|_| unknown())?;
                let step = match n {
                    5 => 2,
                    7 | 8 => 3,
                    _ => return Err(unknown()),
                };
                let warp = kind == "satin";
                Self::from_fn(n, n, |i, j| (i == (j * step) % n) != warp)
            }
            "crepe" if rest.is_empty() => {
                let rows = ["10110100", "01001011", "11010010", "00101101"];
                let rows = rows.iter().chain(&["10010110", "01101001", "01011010", "10100101"]);
                Self::from_rows(&rows.map(ToString::to_string).collect::<Vec<_>>())?
            }
            _ => return Err(unknown()),
        };
        Ok(Self { name: Some(name.into()), ..draft })
    }

    /// A weave from rows of `1` (warp on top) and `0`, from the top row down.
    ///
    /// # Errors
    /// If the rows are not a rectangle of `0` and `1` of sound size.
    pub fn from_rows(rows: &[String]) -> Result<Self, String> {
        let columns = rows.first().map_or(0, String::len);
        if columns == 0 || columns > MAX_SIDE || rows.len() > MAX_SIDE {
            return Err(format!("a weave has from 1 to {MAX_SIDE} rows and columns"));
        }
        let mut up = Vec::with_capacity(rows.len() * columns);
        for (k, row) in rows.iter().enumerate().rev() {
            if row.len() != columns || !row.bytes().all(|b| matches!(b, b'0' | b'1')) {
                return Err(format!("row {} of the weave: write {columns} digits 0 or 1", k + 1));
            }
            up.extend(row.bytes().map(|b| b == b'1'));
        }
        Ok(Self { name: None, columns, up })
    }

    fn from_fn(columns: usize, rows: usize, up: impl Fn(usize, usize) -> bool) -> Self {
        let up = (0..rows * columns).map(|k| up(k % columns, k / columns)).collect();
        Self { name: None, columns, up }
    }

    /// Warp yarns of a repeat.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Weft yarns of a repeat.
    pub fn rows(&self) -> usize {
        self.up.len() / self.columns
    }

    /// Whether the warp is on top where warp `i` meets weft `j`; repeats without end.
    pub fn is_up(&self, i: i64, j: i64) -> bool {
        let i = i.rem_euclid(self.columns as i64) as usize;
        let j = j.rem_euclid(self.rows() as i64) as usize;
        self.up[j * self.columns + i]
    }
}

impl TryFrom<Written> for Draft {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Name(name) => Self::named(&name),
            Written::Rows(rows) => Self::from_rows(&rows),
        }
    }
}

impl From<Draft> for Written {
    fn from(draft: Draft) -> Self {
        if let Some(name) = draft.name {
            return Self::Name(name);
        }
        let text = |row: &[bool]| row.iter().map(|b| if *b { '1' } else { '0' }).collect();
        Self::Rows(draft.up.chunks(draft.columns).rev().map(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_up(draft: &Draft) -> f64 {
        draft.up.iter().filter(|u| **u).count() as f64 / draft.up.len() as f64
    }

    #[test]
    fn weaves_show_as_much_warp_as_their_name_says() {
        for (name, share) in [
            ("plain", 0.5),
            ("twill-3/1", 0.75),
            ("twill-1/3", 0.25),
            ("twill-2/2-left", 0.5),
            ("herringbone-2/2", 0.5),
            ("satin-5", 0.8),
            ("sateen-8", 0.125),
            ("basket-2", 0.5),
            ("crepe", 0.5),
        ] {
            let draft = Draft::named(name).unwrap();
            assert!((share_up(&draft) - share).abs() < 1e-9, "{name}");
            // No yarn floats for ever.
            for k in 0..draft.columns() as i64 {
                let column: Vec<bool> =
                    (0..draft.rows() as i64).map(|j| draft.is_up(k, j)).collect();
                assert!(column.contains(&true) && column.contains(&false), "{name} {k}");
            }
        }
    }

    #[test]
    fn twill_lines_rise_to_the_right() {
        let draft = Draft::named("twill-3/1").unwrap();
        for i in 0..4 {
            for j in 0..4 {
                assert_eq!(draft.is_up(i, j), draft.is_up(i + 1, j + 1));
            }
        }
    }

    #[test]
    fn rows_are_read_from_the_top_and_written_as_they_were() {
        let rows = vec!["110".to_string(), "011".into()];
        let draft = Draft::from_rows(&rows).unwrap();
        assert!(draft.is_up(0, 1) && !draft.is_up(0, 0) && !draft.is_up(-1, 1));
        let Written::Rows(again) = Written::from(draft) else { panic!() };
        assert_eq!(again, rows);
    }

    #[test]
    fn bad_weaves_are_refused_with_what_is_known() {
        for name in
            ["", "twill", "twill-0/1", "twill-99/1", "satin-6", "basket-", "plain-2", "tweed"]
        {
            assert!(Draft::named(name).unwrap_err().contains("known are"), "{name}");
        }
        for rows in [vec![], vec!["".into()], vec!["10".into(), "1".into()], vec!["1x".into()]] {
            assert!(Draft::from_rows(&rows).is_err());
        }
    }
}
