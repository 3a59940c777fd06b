//! `toile paper` from outside.

use crate::common;

use common::Toile;

#[test]
fn without_an_item_it_lists_what_there_is() {
    let toile = Toile::new();
    let bare = toile.run(&["paper"]);
    let asked = toile.run(&["paper", "list"]);
    assert_eq!((bare.code, &bare.output), (0, &asked.output));
    for id in ["t04-fig9", "t04-fig10", "t04-fig11", "t04-fig12", "t04-fig13", "orders"] {
        assert!(bare.output.lines().any(|l| l.starts_with(id)), "{}", bare.output);
    }
    let json: serde_json::Value =
        serde_json::from_str(&toile.run(&["paper", "--json"]).output).unwrap();
    assert_eq!(json[0]["id"], "t04-fig9");
}

#[test]
fn an_item_prints_its_claims_and_leaves_a_picture() {
    let toile = Toile::new();
    let done = toile.run(&["paper", "t04-fig12", "--quick"]);
    assert_eq!(done.code, 0, "{}", done.error);
    for word in ["paper:", "measured:", "(agrees)", "(differs)", "why:", "slope"] {
        assert!(done.output.contains(word), "`{word}` is not in: {}", done.output);
    }
    let drawn = std::fs::read(toile.path("out/paper/t04-fig12/t04-fig12.svg")).unwrap();

    let done = toile.run(&["paper", "t04-fig12", "--quick", "--json", "--out", "here"]);
    let json: serde_json::Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(json["claims"][0]["agrees"], true);
    assert_eq!(json["pictures"][0]["file"], "t04-fig12.svg");
    assert_eq!(std::fs::read(toile.path("here/t04-fig12.svg")).unwrap(), drawn);
}

#[test]
fn an_unknown_item_is_refused_with_a_near_one() {
    let toile = Toile::new();
    let done = toile.run(&["paper", "t4-fig10"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("there is no item `t4-fig10`"), "{}", done.error);
    assert!(done.error.contains("did you mean `t04-fig10`?"), "{}", done.error);
    assert!(done.error.contains("`orders`"), "{}", done.error);
    assert!(!toile.path("out").exists());
}
