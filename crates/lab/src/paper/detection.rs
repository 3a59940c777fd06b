//! What the tutorial of 2004 says about hierarchies, measured [eg2004garments].
//!
//! - `t04-kdop`: how many directions a k-DOP should have, and how many children a node (collision detection, §2.4 of the
//!   first part, §3.2.3 of the second).
//! - `t04-selfcollision`: how many regions are looked at when a surface is compared with itself, against its
//!   discretisation (§3 of the first part).
//!
//! Surfaces are those of [`crate::bench`]: cloth that bends but does not stretch, at any resolution.

use super::Effort;
use super::page::{Cell, Claim, Page, Picture, Table, number};
use crate::bench::collide::{Choice, Plan, Row, measure};
use crate::bench::scenes::Kind;
use crate::plot::{Figure, Plot};
use toile::Error;
use toile_collide::prune::Prune;
use toile_collide::tree::Build;
use toile_collide::volume::VolumeKind;
use toile_collide::{Arity, Options};

const VOLUMES: [(VolumeKind, u32); 4] = [
    (VolumeKind::Dop6, 6),
    (VolumeKind::Dop14, 14),
    (VolumeKind::Dop18, 18),
    (VolumeKind::Dop26, 26),
];

/// One triangle a leaf, so that the hierarchy has everything to say.
const SHARP: Options = Options {
    volume: VolumeKind::Dop18,
    build: Build::LongestAxis,
    arity: Arity::Two,
    leaf: 1,
    refit: toile_collide::tree::Refit::BottomUp,
    inflation: 0.0,
    descend: toile_collide::tree::Descend::Larger,
    prune: Prune::Cones,
};

fn choice(group: &str, value: String, options: Options) -> Choice {
    Choice { group: group.into(), value, options }
}

fn rows(scene: Kind, sizes: &[usize], choices: &[Choice], repeats: usize) -> Vec<Row> {
    let plan = Plan {
        scenes: vec![scene],
        sizes: sizes.to_vec(),
        choices: choices.to_vec(),
        repeats,
        budget: f64::INFINITY,
    };
    measure(&plan, |_| {}).rows
}

/// Directions and children.
pub(super) fn kdop(effort: Effort) -> Result<Page, Error> {
    let (size, repeats) = match effort {
        Effort::Full => (20_000, 5),
        Effort::Quick => (2_000, 1),
    };
    let mut choices = Vec::new();
    for arity in Arity::ALL {
        for (volume, k) in VOLUMES {
            let options = Options { volume, arity, ..SHARP };
            choices.push(choice(&u8::from(arity).to_string(), k.to_string(), options));
        }
    }
    let found = rows(Kind::Draped, &[size], &choices, repeats);
    let of = |arity: &str, k: u32| {
        found.iter().find(|r| r.choice.group == arity && r.choice.value == k.to_string())
    };
    let mut table = Table::new(
        format!("A curtain of {size} triangles with itself, normal cones, one triangle a leaf"),
        ["children", "k", "nodes", "node tests", "refit [ms]", "traversal [ms]", "both [ms]"],
    );
    let mut plot = Plot::new("Pairs of nodes compared").x("k").y("node tests");
    let mut best: Option<(f64, String)> = None;
    let mut falls = true;
    for arity in ["2", "4", "8"] {
        let mut line = Vec::new();
        for (_, k) in VOLUMES {
            let Some(r) = of(arity, k) else { continue };
            let both = 1e3 * (r.refit_seconds + r.traverse_seconds);
            table.push([
                arity.into(),
                u64::from(k).into(),
                r.nodes.into(),
                r.node_tests.into(),
                (1e3 * r.refit_seconds).into(),
                (1e3 * r.traverse_seconds).into(),
                both.into(),
            ]);
            falls &= line.last().is_none_or(|(_, n)| r.node_tests as f64 <= *n);
            line.push((f64::from(k), r.node_tests as f64));
            if best.as_ref().is_none_or(|(least, _)| both < *least) {
                best = Some((both, format!("k = {k} with {arity} children")));
            }
        }
        plot = plot.line(format!("{arity} children"), &line);
    }
    let time = |arity: &str| -> f64 {
        let all = VOLUMES.iter().filter_map(|(_, k)| of(arity, *k));
        all.map(|r| 1e3 * (r.refit_seconds + r.traverse_seconds)).sum()
    };
    let (two, four, eight) = (time("2"), time("4"), time("8"));
    let claims = vec![
        Claim::new(
            "more directions fit tighter, but cost more; the best number has to be found by measuring",
            format!(
                "tests {} with k; the quickest is {}",
                if falls { "fall" } else { "do not always fall" },
                best.map_or("none".into(), |b| b.1)
            ),
            falls,
        )
        .because("nodes are split along the longest direction of their volume, so each k has another tree"),
        Claim::new(
            "trees of four or eight children are quicker than binary ones on deformable objects",
            format!("four take {} of the time of two, eight {}", number(four / two), number(eight / two)),
            four.min(eight) < two,
        )
        .because("opening a node of many children compares all of them with the other node"),
    ];
    Ok(Page {
        id: "t04-kdop",
        title: "directions and children of k-DOP hierarchies (tutorial of 2004)".into(),
        text: "Tests are counted over one step; times are medians. The tutorial gives no figures."
            .into(),
        tables: vec![table],
        claims,
        pictures: vec![Picture {
            file: "t04-kdop.svg".into(),
            svg: Figure::row([plot]).panel_size(560.0, 360.0).to_svg(),
        }],
        ..Page::default()
    })
}

/// Regions against discretisation.
pub(super) fn self_collision(effort: Effort) -> Result<Page, Error> {
    let sizes: &[usize] = match effort {
        Effort::Full => &[2_000, 8_000, 32_000, 128_000],
        Effort::Quick => &[2_000, 8_000],
    };
    let regions = Options { build: Build::RegionMerge, prune: Prune::Directions, ..SHARP };
    let choices = [
        choice("pruned by", "directions".into(), regions),
        choice("pruned by", "cones".into(), Options { build: Build::TextureSpace, ..SHARP }),
        choice("pruned by", "nothing".into(), Options { prune: Prune::Nothing, ..regions }),
    ];
    let found = rows(Kind::Hung, sizes, &choices, 1);
    let mut table = Table::new(
        "A curtain in deep pleats that do not touch, with itself",
        [
            "pruned by",
            "triangles",
            "node tests",
            "for each triangle",
            "refit [ms]",
            "traversal [ms]",
        ],
    );
    let mut plot = Plot::new("Regions looked at").x("triangles").log_x().y("node tests").log_y();
    let mut growth = Vec::new();
    for c in &choices {
        let mine: Vec<&Row> = found.iter().filter(|r| r.choice.value == c.value).collect();
        for r in &mine {
            table.push([
                Cell::from(c.value.as_str()),
                (r.triangles as u64).into(),
                r.node_tests.into(),
                (r.node_tests as f64 / r.triangles as f64).into(),
                (1e3 * r.refit_seconds).into(),
                (1e3 * r.traverse_seconds).into(),
            ]);
        }
        let data: Vec<(f64, f64)> =
            mine.iter().map(|r| (r.triangles as f64, r.node_tests as f64)).collect();
        plot = plot.line(c.value.clone(), &data);
        if let (Some(a), Some(b)) = (data.first(), data.last()) {
            growth.push((b.1 / a.1, b.0 / a.0));
        }
    }
    let (ours, finer) = growth.first().copied().unwrap_or((f64::NAN, f64::NAN));
    let bare = growth.last().map_or(f64::NAN, |g| g.0);
    let claim = Claim::new(
        "the regions that are looked at are similar in size and number whatever the discretisation",
        format!(
            "with {} times as many triangles, {} times as many tests ({} times without pruning)",
            number(finer),
            number(ours),
            number(bare)
        ),
        // Similar: no more than the lengths of the folds grow.
        ours <= finer.sqrt(),
    )
    .because("where pleats are sharp, finer meshes follow them farther; the claim is for smooth surfaces");
    Ok(Page {
        id: "t04-selfcollision",
        title: "regions looked at against discretisation (tutorial of 2004)".into(),
        text: "Tests are nodes compared with themselves and pairs of nodes compared, in one step."
            .into(),
        tables: vec![table],
        claims: vec![claim],
        pictures: vec![Picture {
            file: "t04-selfcollision.svg".into(),
            svg: Figure::row([plot]).panel_size(560.0, 360.0).to_svg(),
        }],
        ..Page::default()
    })
}
