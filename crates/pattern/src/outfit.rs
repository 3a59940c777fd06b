//! Several patterns as one, and parts of it: what is worn together is meshed, sewn and simulated together.

use crate::meshing::{PatternMesh, SewnBy, Stitching};
use crate::pattern::Pattern;
use std::ops::Range;

/// What stands between the name of a garment and that of its panel or seam.
const SEPARATOR: char = '/';

impl Pattern {
    /// The panels and seams of several garments as one pattern, those of a garment together and in the order given. A panel `front` of
    /// a garment `shirt` is called `shirt/front`. Where panels belong is told by the names in their own patterns.
    pub fn of_garments<'a>(
        name: impl Into<String>,
        garments: impl IntoIterator<Item = (&'a str, &'a Self)>,
    ) -> Self {
        let mut whole = Self::new(name);
        for (garment, pattern) in garments {
            let pattern = pattern.with_hints();
            let rename = |name: &mut String| *name = format!("{garment}{SEPARATOR}{name}");
            whole.panels.extend(pattern.panels.into_iter().map(|mut panel| {
                rename(&mut panel.name);
                panel
            }));
            whole.seams.extend(pattern.seams.into_iter().map(|mut seam| {
                rename(&mut seam.name);
                let parts = seam.a.iter_mut().chain(&mut seam.b);
                parts.for_each(|part| rename(&mut part.panel));
                seam
            }));
        }
        whole
    }

    /// Some of its panels, and the seams between them.
    pub fn part(&self, panels: Range<usize>) -> Self {
        let kept = &self.panels[panels];
        let is_kept = |part: &crate::EdgePart| kept.iter().any(|p| p.name == part.panel);
        let seams = self.seams.iter().filter(|s| s.a.iter().chain(&s.b).all(is_kept));
        Self {
            name: self.name.clone(),
            description: self.description.clone(),
            panels: kept.to_vec(),
            seams: seams.cloned().collect(),
        }
    }
}

impl PatternMesh {
    /// The meshes of some of the panels, and how they are sewn to each other. [`SewnBy`] is counted as in [`Pattern::part`] of the same panels.
    pub fn part(&self, panels: Range<usize>) -> Self {
        let inside =
            |s: &&Stitching| s.pairs.iter().flatten().all(|v| panels.contains(&(v.panel as usize)));
        let mut kept: Vec<Stitching> = self.stitchings.iter().filter(inside).cloned().collect();
        let mut seams: Vec<usize> = kept.iter().filter_map(|s| seam(&s.by)).collect();
        seams.sort_unstable();
        for stitching in &mut kept {
            match &mut stitching.by {
                SewnBy::Seam(i) => *i = seams.binary_search(i).unwrap_or(*i),
                SewnBy::Closure { panel, .. } => *panel -= panels.start,
            }
            let ends = stitching.pairs.iter_mut().flatten();
            ends.for_each(|v| v.panel -= panels.start as u32);
        }
        Self { panels: self.panels[panels].to_vec(), stitchings: kept }
    }
}

/// The seam that a row of stitches comes from, if it is one.
fn seam(by: &SewnBy) -> Option<usize> {
    match by {
        SewnBy::Seam(i) => Some(*i),
        SewnBy::Closure { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;
    use crate::{Figure, Measurements, Size, meshing};

    #[test]
    fn garments_as_one_pattern_are_meshed_and_sewn_as_each_alone() {
        let m = Measurements::of(Figure::Female, Size::M);
        let drafts = ["trousers", "tshirt"].map(|d| Design::find(d).expect("a design").draft(&m));
        let names = ["trousers", "tshirt"].into_iter().zip(&drafts);
        let whole = Pattern::of_garments("both", names);
        assert!(whole.check().is_usable(), "{:?}", whole.check());
        let mesh = meshing::mesh(&whole, 0.04).expect("it is meshed");
        let first = drafts[0].panels.len();
        for (range, draft) in [0..first, first..whole.panels.len()].into_iter().zip(&drafts) {
            let (part, alone) = (mesh.part(range.clone()), meshing::mesh(draft, 0.04).unwrap());
            assert_eq!(part.sewn_pairs(), alone.sewn_pairs());
            assert!(part.panels.iter().zip(&alone.panels).all(|(a, b)| a.mesh == b.mesh));
            let by =
                |m: &PatternMesh| m.stitchings.iter().map(|s| s.by.clone()).collect::<Vec<_>>();
            assert_eq!(by(&part), by(&alone));
            assert_eq!(whole.part(range).seams.len(), draft.seams.len());
        }
    }
}
