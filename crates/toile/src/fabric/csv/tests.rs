//! Sheets of laboratories, good and bad.

use super::*;

const SHEET: &str = "property,weft,warp\n# a shirt\nname,poplin\nW,12.1\nB,0.062,0.091\nG,1.1,1.2\n\
                     EM,5.2,4.1\nLT,0.8,0.82\nT0,0.31\nSMD,3.1,2.9\n";

fn refused(text: &str) -> String {
    let error = read(text, "bad.csv").expect_err(text);
    let Error::Scene(e) = error else { panic!("{error}") };
    let spot = e.span.map(|s| text[s.offset()..s.offset() + s.len()].to_owned());
    format!("{} | {} | {}", e.message, spot.unwrap_or_default(), e.help.unwrap_or_default())
}

#[test]
fn a_sheet_is_the_fabric_of_the_same_table() {
    let (fabric, notes) = read(SHEET, "poplin.csv").unwrap();
    let toml = "name = \"poplin\"\nconfidence = \"measured\"\nprovenance = \"Kawabata's tests, imported from poplin.csv.\"\n\
        [kes]\nW = 12.1\nB = { weft = 0.062, warp = 0.091 }\nG = { weft = 1.1, warp = 1.2 }\n\
        EM = { weft = 5.2, warp = 4.1 }\nLT = { weft = 0.8, warp = 0.82 }\nT0 = 0.31\n";
    assert_eq!(fabric, super::super::from_toml(toml, "poplin.toml").unwrap());
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("SMD"));
    use toile_sim::fabric::Confidence;
    assert_eq!(fabric.confidence_of("bend_weft"), Confidence::Measured);
    assert_eq!(fabric.confidence_of("friction"), Confidence::Estimated);
}

#[test]
fn separators_decimal_commas_and_the_order_of_columns_do_not_matter() {
    let (fabric, _) = read(SHEET, "a.csv").unwrap();
    let semicolons = SHEET.replace(',', ";").replace('.', ",");
    let tabs = SHEET.replace(',', "\t").replace('\n', "\r\n");
    let swapped = SHEET
        .replace("weft,warp", "warp,weft")
        .replace("0.062,0.091", "0.091,0.062")
        .replace("5.2,4.1", "4.1,5.2")
        .replace("0.8,0.82", "0.82,0.8");
    for text in [semicolons, tabs, swapped] {
        assert_eq!(read(&text, "a.csv").unwrap().0, fabric, "{text}");
    }
    let units = SHEET.replace("W,12.1", "W,121 g/m²");
    assert!((read(&units, "a.csv").unwrap().0.density - 0.121).abs() < 1e-12);
}

#[test]
fn mistakes_are_shown_in_their_row() {
    let says = |text: &str, words: &[&str]| {
        let said = refused(text);
        words.iter().for_each(|w| assert!(said.contains(w), "`{w}` is not in: {said}"));
    };
    says(&SHEET.replace("B,0.062", "B,-0.062"), &["`B.weft` is -0.062", "| B,-0.062,0.091 |"]);
    says(&SHEET.replace("B,0.062", "B,nan"), &["`B.weft` is nan", "above zero"]);
    says(&SHEET.replace("B,0.062", "B,abc"), &["`B.weft` is `abc`"]);
    says(&SHEET.replace("B,", "Bend,"), &["`Bend` is no figure", "| Bend,0.062,0.091 |"]);
    says(&SHEET.replace("LT,", "EM,"), &["`EM` is given twice"]);
    says(&SHEET.replace("W,12.1\n", ""), &["bad.csv: `density` is missing", "W under"]);
    says(&SHEET.replace("0.091", "0.091,4"), &["`B` has 3 values"]);
    says(&SHEET.replace("T0,0.31", "T0"), &["`T0` has 0 values"]);
    says(&SHEET.replace("name,poplin", "confidence,sure"), &["sure"]);
    says("B,0.1,0.1\n", &["does not name the columns", "property,weft,warp"]);
    says("", &["no figure"]);
    says(&"\u{0}\"".repeat(5000), &["bad.csv"]);
}
