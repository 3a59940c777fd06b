//! Words that the crates have given up for those of the field; the glossary has the terms.

use std::path::Path;

/// Identifiers and phrases that must not come back, and what to say.
const GIVEN_UP: [(&str, &str); 22] = [
    ("by_eights", "dispatch"),
    ("Foreseen", "Majorised"),
    ("Rub", "FrictionContact"),
    ("Gauge", "ContactModel"),
    ("Bond", "ContactBlock"),
    ("heaped", "dense self-contact"),
    ("no way on was found", "no feasible step"),
    ("begin of a step", "start of a step"),
    ("begin of the step", "start of the step"),
    ("moving picture", "animation"),
    ("hands wind cloth up", "twisted by its boundary conditions"),
    ("leave it away", "omit it"),
    ("leeway", "max_approach"),
    ("second_opinion", "nearer_of"),
    ("sift", "filter"),
    ("sifted", "filtered"),
    ("set_slips", "set_slider_positions"),
    ("FARTHEST", "MAX_COORDINATE"),
    ("ENOUGH", "the name of the quantity"),
    ("STRAY", "the name of the quantity"),
    ("TORN", "the name of the quantity"),
    ("give_back_large_lists", "set_mmap_threshold"),
];

/// Whether `line` has `words`, not as a part of longer ones.
fn has(line: &str, words: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(words).any(|(at, _)| {
        let (before, behind) = (&line[..at], &line[at + words.len()..]);
        !joins(before.chars().next_back()) && !joins(behind.chars().next())
    })
}

/// Adds file, line and remedy of every such word in the sources of a folder.
fn search(folder: &Path, found: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            search(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            for (number, line) in std::fs::read_to_string(&path)?.lines().enumerate() {
                for (words, say) in GIVEN_UP.iter().filter(|(words, _)| has(line, words)) {
                    let (file, number) = (path.display(), number + 1);
                    found.push(format!("{file}:{number}: `{words}`; say `{say}`"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn no_word_comes_back() {
    let (mut found, mut crates) = (Vec::new(), 0);
    for entry in std::fs::read_dir(crate::root().join("crates")).unwrap() {
        search(&entry.unwrap().path().join("src"), &mut found).unwrap();
        crates += 1;
    }
    assert!(crates > 10, "{crates} crates");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn words_are_found_whole() {
    assert!(has("let leeway = 0.1;", "leeway") && has("the begin of a step.", "begin of a step"));
    assert!(!has("drift", "sift") && !has("Ruby", "Rub") && !has("set_slips_of", "set_slips"));
}
