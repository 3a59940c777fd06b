//! How a fabric looks: the table `[appearance]` of its file, or what follows from its weight.

use super::{builtin, is_csv};
use crate::error::{Error, SceneError};
use crate::scene::{Source, from_value, read_text};
use std::path::{Path, PathBuf};
use toile_render::appearance::{Appearance, Colour, Draft, Fibre, Knit, Picture, Print, Yarn, wif};
use toile_sim::Fabric;
use toml::{Table, Value};

/// The key of the table in a fabric file.
pub(super) const KEY: &str = "appearance";

/// How a fabric looks, with what its print needs.
#[derive(Clone, Debug)]
pub struct Look {
    /// Name of the fabric.
    pub name: String,
    /// The table of its file, or one that fits its weight.
    pub appearance: Appearance,
    /// The printed picture, if the print is one.
    pub picture: Option<Picture>,
    /// Whether the file says nothing and the appearance was made up.
    pub is_derived: bool,
}

/// How the fabric that a name or a file means looks; see [`super::find`].
///
/// # Errors
/// If there is no such fabric, or its file or printed picture is damaged.
pub fn look(name: &str) -> Result<Look, Error> {
    let (text, file) = match place(name) {
        Place::File(path) if is_csv(&path) => (String::new(), path),
        Place::File(path) => (read_text(&path)?, path),
        Place::BuiltIn => (
            builtin::text(name).unwrap_or_default().to_owned(),
            PathBuf::from(format!("fabrics/{name}.toml")),
        ),
    };
    let shown = file.display().to_string();
    let source = Source::new(&shown, &text, Vec::new());
    // Syntax errors are told by the reader of the numbers.
    let table: Table = text.parse().unwrap_or_default();
    let fabric = super::find(name)?;
    let (appearance, is_derived) = match table.get(KEY) {
        Some(value) => (parse(value.clone(), &source)?, false),
        None => (derived(&fabric), true),
    };
    let picture = picture(&appearance, &file)?;
    Ok(Look { name: fabric.name, appearance, picture, is_derived })
}

/// How a fabric of a simulation looks: by its name, or else by its weight.
pub(crate) fn appearance(fabric: &Fabric) -> (Appearance, Option<Picture>) {
    let found = look(&fabric.name).ok().filter(|_| !fabric.name.is_empty());
    found.map_or_else(|| (derived(fabric), None), |l| (l.appearance, l.picture))
}

/// Where a fabric is, by the rules of [`super::find`].
enum Place {
    File(PathBuf),
    BuiltIn,
}

fn place(name: &str) -> Place {
    let path = Path::new(name);
    if path.extension().is_some() || path.components().count() > 1 {
        return Place::File(path.into());
    }
    let here = Path::new("fabrics").join(format!("{name}.toml"));
    if !name.is_empty() && here.is_file() { Place::File(here) } else { Place::BuiltIn }
}

/// Reads and checks the table.
pub(super) fn parse(value: Value, source: &Source) -> Result<Appearance, Box<SceneError>> {
    let appearance: Appearance = from_value(KEY, value, source)?;
    appearance.check().map_err(|e| {
        let said = e.to_string();
        let reason = said.strip_prefix("appearance: ").unwrap_or(&said);
        source.error(KEY, &format!("makes no sense: {reason}"), None)
    })?;
    Ok(appearance)
}

/// Reads the printed picture, which lies beside the file.
fn picture(appearance: &Appearance, file: &Path) -> Result<Option<Picture>, Error> {
    let Some(Print::Picture { file: name, .. }) = &appearance.print else { return Ok(None) };
    let path = file.parent().unwrap_or(Path::new("")).join(name);
    let bytes = toile_mesh::io::read_file(&path)?;
    let picture = Picture::read_png(&bytes, &path.display().to_string());
    picture.map(Some).map_err(|e| Error::request(e.to_string(), "print another PNG"))
}

/// The table `[appearance]`, as text, of a weaving draft in the format WIF 1.1.
///
/// # Errors
/// If the file cannot be read or is no draft.
pub fn import_wif(path: &Path) -> Result<String, Error> {
    let bytes = toile_mesh::io::read_file(path)?;
    let appearance = wif::read(&bytes, &path.display().to_string())
        .map_err(|e| Error::request(e.to_string(), "export the draft again as WIF 1.1"))?;
    let mut table = Table::new();
    let value = Value::try_from(&appearance).map_err(|e| Error::Picture(e.to_string()))?;
    table.insert(KEY.into(), value);
    toml::to_string(&table).map_err(|e| Error::Picture(e.to_string()))
}

/// Tensile stiffness below which cloth is a knit [N/m].
const KNIT_STIFFNESS: f64 = 700.0;

/// What cloth of such a weight and stiffness usually looks like: undyed cotton, woven plain or knitted.
///
/// For yarns of cotton d [mm] wide and spaced by s, the linear density is about (d / 0.0357)² tex, and plain cloth weighs
/// 2 tex / s [g/m²]. Usual cloth has s ≈ 1.6 d, and its yarns lie flat and nearly touch.
pub fn derived(fabric: &Fabric) -> Appearance {
    let grams = 1e3 * fabric.density;
    let diameter = (grams / 980.0).clamp(0.04, 1.6);
    let spacing = 1.6 * diameter;
    if fabric.weft.min(fabric.warp) < KNIT_STIFFNESS {
        let wale = (3.2 * diameter).clamp(0.3, 6.0);
        return Appearance::knitted(
            Knit::Jersey,
            Yarn::new(Fibre::Cotton, UNDYED, wale, 0.45 * wale),
        );
    }
    let yarn = Yarn::new(Fibre::Cotton, UNDYED, spacing, 0.97 * spacing);
    match Draft::named("plain") {
        Ok(plain) => Appearance::woven(plain, yarn.clone(), yarn),
        Err(_) => Appearance::knitted(Knit::Jersey, yarn),
    }
}

/// Colour of undyed cotton.
const UNDYED: u32 = Colour(0xd8cfbc).0;

#[cfg(test)]
mod tests {
    use super::super::{built_in, read};
    use super::*;

    #[test]
    fn every_built_in_fabric_says_how_it_looks() {
        for name in super::super::names() {
            let look = look(name).unwrap();
            assert!(!look.is_derived, "{name}");
            assert_eq!(look.name, name);
            assert!(built_in(name).is_some());
        }
        assert!(look("unobtainium").is_err());
    }

    #[test]
    fn a_file_without_appearance_gets_one_of_its_weight() {
        let (poplin, denim) = (super::super::find("cotton-poplin"), super::super::find("denim"));
        let spacing = |f: &Fabric| derived(f).warp.map(|w| w.spacing_mm);
        let [light, heavy] = [poplin.unwrap(), denim.unwrap()].map(|f| spacing(&f).unwrap());
        assert!((0.1..0.35).contains(&light) && heavy > 2.0 * light, "{light} {heavy}");
        let jersey = Fabric { weft: 200.0, ..super::super::find("cotton").unwrap() };
        assert!(derived(&jersey).knit.is_some());
        derived(&jersey).check().unwrap();
    }

    #[test]
    fn mistakes_in_the_table_are_named_with_their_place() {
        let base = builtin::text("denim").unwrap();
        for (from, to, expected) in [
            ("twill-3/1", "tweed", "known are"),
            ("spacing-mm = 0.42", "spacing-mm = -1", "warp: spacing-mm"),
            ("spacing-mm = 0.42", "spaced = 0.42", "spaced"),
        ] {
            assert!(base.contains(from));
            let error = super::super::from_toml(&base.replacen(from, to, 1), "d.toml").unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert!(read::from_toml_at(base, "d.toml").is_ok());
    }
}
