//! `toile pattern`.

mod export;
mod seams;

use crate::wearer::{ToMeasure, parse_pair};
use crate::{End, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::Error;
use toile_pattern::design::{Design, DesignOption};
use toile_pattern::{Figure, Measurements, Pattern, Size, file, meshing, svg};

/// Sewing patterns: draft a design to measure, draw, check and mesh patterns.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile pattern options tshirt
  toile pattern make tshirt --size M --with ease=0.12 -o tshirt.toml
  toile pattern make dress --measurements me.toml --set waist_girth=74 -o dress.toml
  toile pattern show tshirt.toml -o tshirt.svg
  toile pattern show dress.toml --true-scale -o print.svg
  toile pattern check shirt_specification.json
  toile pattern seams shirt.dxf --write -o seams.svg
  toile pattern export tshirt --sizes S-XL --paper a4 -o tshirt.pdf
  toile pattern mesh tshirt.toml --edge 0.01 -o tshirt.obj")]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// List the built-in designs.
    List,
    /// Show what can be chosen about a design: options with unit, range and default.
    Options {
        /// A built-in design.
        design: String,
    },
    /// Show the panels and seams of a pattern; draw them as SVG. Where a file has no seams, proposals are shown.
    Show {
        /// A pattern file (TOML, JSON, GarmentCode, FreeSewing, DXF or SVG), or a built-in design.
        #[arg(value_name = "FILE|DESIGN")]
        pattern: String,
        #[command(flatten)]
        source: Source,
        /// Where to write the drawing.
        #[arg(short, long, value_name = "SVG")]
        out: Option<PathBuf>,
        /// Draw a centimetre as a centimetre, for printing.
        #[arg(long)]
        true_scale: bool,
    },
    /// Check patterns: every fault with its panel, edge and remedy. The exit status is 1 if one cannot be sewn.
    Check {
        /// Pattern files or built-in designs.
        #[arg(required = true, value_name = "FILE|DESIGN")]
        patterns: Vec<String>,
        #[command(flatten)]
        source: Source,
    },
    /// Mesh a pattern, panels laid flat side by side.
    Mesh {
        /// A pattern file or a built-in design.
        #[arg(value_name = "FILE|DESIGN")]
        pattern: String,
        #[command(flatten)]
        source: Source,
        /// Length of the edges of the triangles [m].
        #[arg(long, default_value_t = 0.01, allow_negative_numbers = true, value_name = "M")]
        edge: f64,
        /// Where to write the mesh: OBJ, PLY or GLB.
        #[arg(short, long)]
        out: PathBuf,
        /// Where to write the pairs of vertices that are sewn together, as JSON.
        #[arg(long, value_name = "JSON")]
        pairs: Option<PathBuf>,
    },
    /// Propose seams for a pattern that has none (DXF, SVG, FreeSewing), and write them to a file to be corrected.
    Seams(seams::Args),
    /// Print or convert a pattern: PDF in true scale on A4 or Letter, SVG, DXF, GarmentCode.
    Export(export::Args),
    /// Draft a built-in design to a size or to measure.
    Make(Make),
    /// Print the JSON Schema of pattern files, for editors.
    Schema,
}

/// What a file of another program does not tell.
#[derive(clap::Args, Clone, Default)]
struct Source {
    /// The size to read from a file that has several, or of a built-in design.
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// The unit of a DXF or SVG that does not say its own: mm, cm, m or in.
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

#[derive(clap::Args)]
struct Make {
    /// tshirt, skirt, circle-skirt, trousers or dress.
    design: String,
    /// XS, S, M, L, XL or XXL.
    #[arg(long, default_value = "M")]
    size: String,
    /// Whose sizes: female or male.
    #[arg(long, default_value = "female")]
    figure: String,
    #[command(flatten)]
    to_measure: ToMeasure,
    /// A measurement [cm] that differs from that of the size.
    #[arg(long, value_name = "NAME=CM", value_parser = parse_pair)]
    set: Vec<(String, String)>,
    /// An option of the design, lengths in metres, such as ease=0.12 or neckband=true; see `toile pattern options`.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    with: Vec<(String, String)>,
    /// Where to write the pattern, TOML or JSON; standard output if not given.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    match args.task {
        Task::List => list(json),
        Task::Options { design } => options(&design, json),
        Task::Show { pattern, source, out, true_scale } => {
            let options = svg::Options { true_scale, ..svg::Options::default() };
            show(&load(&pattern, &source)?, out.as_deref(), options, json)
        }
        Task::Check { patterns, source } => check(&patterns, &source, json),
        Task::Mesh { pattern, source, edge, out, pairs } => {
            mesh(&load(&pattern, &source)?, edge, &out, pairs.as_deref(), json)
        }
        Task::Seams(args) => seams::run(&args, json),
        Task::Export(args) => export::run(&args, json),
        Task::Make(make) => draft(&make, json),
        Task::Schema => {
            print_json(&toile_pattern::schema());
            Ok(End::Good)
        }
    }
}

fn request(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Request { message: message.into(), help: help.into() }
}

fn failed(error: toile_pattern::Error) -> Error {
    request(error.to_string(), error.help())
}

/// A pattern file, or a built-in design.
fn load(name: &str, source: &Source) -> Result<Pattern, Error> {
    if let Some(design) = Design::find(name).filter(|_| !Path::new(name).exists()) {
        let size = source.size.as_deref().map_or(Ok(Size::default()), crate::wearer::size)?;
        return Ok(design.draft(&Measurements::of(Figure::default(), size)));
    }
    let unit = match source.unit.as_deref().map(|u| (u, file::Unit::find(u))) {
        Some((text, None)) => {
            return Err(request(
                format!("there is no unit `{text}`"),
                "there are mm, cm, m and in",
            ));
        }
        Some((_, unit)) => unit,
        None => None,
    };
    let options = file::Options { size: source.size.clone(), unit };
    file::read_with(name, &options).map_err(failed)
}

/// A built-in design by its name.
fn design(name: &str) -> Result<Design, Error> {
    Design::find(name).ok_or_else(|| {
        let names: Vec<&str> = Design::all().iter().map(Design::name).collect();
        request(format!("there is no design `{name}`"), toile::suggest(name, &names))
    })
}

/// Shows what can be chosen about a design.
fn options(name: &str, json: bool) -> Result<End, Error> {
    let design = design(name)?;
    if json {
        let row = |o: &DesignOption| {
            serde_json::json!({
                "name": o.name, "meaning": o.meaning, "unit": o.kind.unit(),
                "range": o.kind.range(), "default": design.value(o.name),
            })
        };
        print_json(&design.options().iter().map(row).collect::<Vec<_>>());
        return Ok(End::Good);
    }
    print_line(&format!("{}: {}\n", design.name(), design.summary()));
    print_line(&format!("{:14} {:>8} {:>16}  meaning", "option", "default", "range"));
    for o in design.options() {
        let default = design.value(o.name).unwrap_or_default().to_string();
        let range = match o.kind.range() {
            Some([min, max]) if o.kind.unit() == "m" => format!("{min} to {max} m"),
            Some([min, max]) => format!("{min} to {max}"),
            None => "true or false".into(),
        };
        print_line(&format!("{:14} {default:>8} {range:>16}  {}", o.name, o.meaning));
    }
    print_line(&format!("\nfor example: toile drape {name} --with {}", example(&design)));
    Ok(End::Good)
}

/// The first option of a design at the end of its range.
fn example(design: &Design) -> String {
    let first = design.options().first();
    first.map_or_else(String::new, |o| match o.kind.range() {
        Some([_, max]) => format!("{}={max}", o.name),
        None => format!("{}=true", o.name),
    })
}

fn list(json: bool) -> Result<End, Error> {
    let designs = Design::all();
    if json {
        let rows: Vec<_> = designs
            .iter()
            .map(|d| serde_json::json!({ "name": d.name(), "summary": d.summary(), "options": d }))
            .collect();
        print_json(&rows);
    } else {
        designs.iter().for_each(|d| print_line(&format!("{:14} {}", d.name(), d.summary())));
    }
    Ok(End::Good)
}

fn show(
    pattern: &Pattern,
    out: Option<&Path>,
    options: svg::Options,
    json: bool,
) -> Result<End, Error> {
    if pattern.seams.is_empty() && pattern.panels.len() > 1 {
        return show_proposals(pattern, out, options, json);
    }
    let check = pattern.check();
    if let Some(path) = out {
        write(path, &svg::draw(pattern, &check, options))?;
    }
    let seams: Vec<_> = pattern.seams.iter().map(|s| (s, pattern.seam_lengths(s))).collect();
    let chain = |side: &[toile_pattern::EdgePart]| {
        side.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")
    };
    if json {
        let panels: Vec<_> = pattern
            .panels
            .iter()
            .map(|p| {
                serde_json::json!({
                    "name": p.name,
                    "edges": p.edges.iter().map(|e| &e.name).collect::<Vec<_>>(),
                    "area": p.signed_area(),
                    "darts": p.darts.len(),
                })
            })
            .collect();
        let seams: Vec<_> = seams
            .iter()
            .map(|(s, lengths)| {
                serde_json::json!({
                    "name": s.name, "a": chain(&s.a), "b": chain(&s.b),
                    "lengths": lengths, "gather": s.gather, "order": s.order,
                })
            })
            .collect();
        print_json(&serde_json::json!({
            "name": pattern.name, "panels": panels, "seams": seams,
            "faults": check.faults, "drawing": out,
        }));
    } else {
        print_line(&pattern.name);
        print_line(&format!("\n{:20} {:>6} {:>6} {:>10}", "panel", "edges", "darts", "area/cm²"));
        for p in &pattern.panels {
            let area = 1e4 * p.signed_area();
            print_line(&format!(
                "{:20} {:>6} {:>6} {area:>10.0}",
                p.name,
                p.edges.len(),
                p.darts.len()
            ));
        }
        print_line(&format!("\n{:20} {:>7} {:>7}  {}", "seam", "a/cm", "b/cm", "edges"));
        for (s, [a, b]) in seams {
            let edges = format!("{} – {}", chain(&s.a), chain(&s.b));
            print_line(&format!("{:20} {:>7.1} {:>7.1}  {edges}", s.name, 100.0 * a, 100.0 * b));
        }
        tell(&check);
        if let Some(path) = out {
            print_line(&format!("\ndrawn in {}", path.display()));
        }
    }
    Ok(if check.is_usable() { End::Good } else { End::Bad })
}

/// Shows a pattern without seams with those that are proposed.
fn show_proposals(
    pattern: &Pattern,
    out: Option<&Path>,
    options: svg::Options,
    json: bool,
) -> Result<End, Error> {
    let sewn = toile_pattern::sidecar::sew(pattern);
    let check = sewn.pattern.check();
    if let Some(path) = out {
        write(path, &svg::draw_proposals(&sewn, &check, options))?;
    }
    if json {
        print_json(&serde_json::json!({
            "name": pattern.name, "panels": sewn.pattern.panels.iter().map(|p| &p.name).collect::<Vec<_>>(),
            "proposed": seams::value(&pattern.name, &sewn, None), "faults": check.faults, "drawing": out,
        }));
    } else {
        seams::tell(&pattern.name, &sewn);
        tell(&check);
        if let Some(path) = out {
            print_line(&format!("\ndrawn in {}", path.display()));
        }
    }
    Ok(if check.is_usable() { End::Good } else { End::Bad })
}

fn check(names: &[String], source: &Source, json: bool) -> Result<End, Error> {
    let mut good = true;
    let mut rows = Vec::new();
    for name in names {
        let check = load(name, source)?.check();
        good &= check.is_usable();
        if json {
            rows.push(serde_json::json!({ "file": name, "good": check.is_usable(), "faults": check.faults }));
        } else {
            let verdict = if check.is_usable() { "can be sewn" } else { "cannot be sewn" };
            print_line(&format!("{name}: {verdict}"));
            tell(&check);
        }
    }
    if json {
        print_json(&serde_json::json!({ "files": rows, "good": good }));
    }
    Ok(if good { End::Good } else { End::Bad })
}

/// Lists faults for people.
fn tell(check: &toile_pattern::Check) {
    check.errors().for_each(|f| print_line(&format!("  error: {f}")));
    check.warnings().for_each(|f| print_line(&format!("  warning: {f}")));
}

fn mesh(
    pattern: &Pattern,
    edge: f64,
    out: &Path,
    pairs: Option<&Path>,
    json: bool,
) -> Result<End, Error> {
    let made = meshing::mesh(pattern, edge).map_err(failed)?;
    let flat = made.laid_flat(0.05);
    toile_mesh::io::write_mesh(out, &flat)?;
    let sewn = made.sewn_pairs();
    if let Some(path) = pairs {
        write(path, &serde_json::to_string(&sewn).unwrap_or_default())?;
    }
    let (vertices, triangles) = (flat.positions.len(), flat.triangles.len());
    if json {
        print_json(&serde_json::json!({
            "output": out, "panels": made.panels.len(), "vertices": vertices,
            "triangles": triangles, "sewn_pairs": sewn.len(), "pairs": pairs,
        }));
    } else {
        let panels = made.panels.len();
        print_line(&format!(
            "{}: {panels} panels, {vertices} vertices, {triangles} triangles, {} pairs to sew",
            out.display(),
            sewn.len()
        ));
    }
    Ok(End::Good)
}

fn draft(make: &Make, json: bool) -> Result<End, Error> {
    let design = design(&make.design)?;
    let with = |design: Design, (name, value): &(String, String)| design.with(name, value);
    let design = make.with.iter().try_fold(design, with).map_err(failed)?;
    let size = crate::wearer::size(&make.size)?;
    let figure = match make.figure.as_str() {
        "female" => Figure::Female,
        "male" => Figure::Male,
        other => {
            return Err(request(
                format!("there is no figure `{other}`"),
                "there are female and male",
            ));
        }
    };
    let of_size = Measurements::of(figure, size);
    let measured = make.to_measure.apply(of_size, &make.set)?;
    let (m, to_measure) = (measured.unwrap_or(of_size), measured.is_some());
    let mut pattern = design.draft(&m);
    let size = if to_measure {
        format!("made to measure from size {} {}", size.name(), make.figure)
    } else {
        format!("size {} {}", size.name(), make.figure)
    };
    pattern.description = format!("{}, {size}, drafted by toile.", design.summary());
    // A strange body can ask for what cannot be cut.
    let check = pattern.check();
    match &make.out {
        Some(path) => {
            file::write(path, &pattern).map_err(failed)?;
            if json {
                print_json(&serde_json::json!({
                    "output": path, "design": design, "measurements": m, "faults": check.faults,
                }));
            } else {
                print_line(&format!("{}: {}, {size}", path.display(), pattern.name));
                tell(&check);
            }
        }
        None if json => print_line(file::to_json(&pattern).trim_end()),
        None => print_line(file::to_toml(&pattern).trim_end()),
    }
    Ok(if check.is_usable() { End::Good } else { End::Bad })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    toile_mesh::io::write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    Ok(())
}
