//! Open lines that meet at their ends become closed ones.

use super::{Polyline, Vertex};
use glam::DVec2;

/// Ends nearer than this meet [m].
const MERGE_DISTANCE: f64 = 2e-4;

/// Most open lines that are joined: each is compared with all others.
const MAX_LINES: usize = 2000;

/// Joins open lines end to end. Lines that close are marked so; the rest stays open.
pub(crate) fn join(lines: Vec<Polyline>) -> Vec<Polyline> {
    let (mut done, mut open): (Vec<_>, Vec<_>) = lines.into_iter().partition(closes);
    done.iter_mut().for_each(close);
    if open.len() > MAX_LINES {
        done.append(&mut open);
        return done;
    }
    let mut rest = std::mem::take(&mut open);
    while !rest.is_empty() {
        let mut line = rest.remove(0);
        while !closes(&line) {
            let end = line.vertices[line.vertices.len() - 1].at;
            let meets = |p: DVec2| p.distance(end) < MERGE_DISTANCE;
            let next = rest.iter().position(|l| ends(l).iter().any(|p| meets(*p)));
            let Some(next) = next.map(|k| rest.remove(k)) else { break };
            let next = if meets(ends(&next)[0]) { next } else { reversed(&next) };
            // The joint is the first vertex of the next line, whose bulge is of what follows it.
            line.vertices.pop();
            line.vertices.extend(next.vertices);
        }
        if closes(&line) {
            close(&mut line);
        }
        done.push(line);
    }
    done
}

fn ends(line: &Polyline) -> [DVec2; 2] {
    [line.vertices[0].at, line.vertices[line.vertices.len() - 1].at]
}

fn closes(line: &Polyline) -> bool {
    let [a, b] = ends(line);
    line.closed || (line.vertices.len() > 2 && a.distance(b) < MERGE_DISTANCE)
}

/// Marks a line as closed and drops an end that repeats its beginning.
fn close(line: &mut Polyline) {
    line.closed = true;
    let [a, b] = ends(line);
    if line.vertices.len() > 2 && a.distance(b) < MERGE_DISTANCE {
        line.vertices.pop();
    }
}

/// The same line walked the other way.
fn reversed(line: &Polyline) -> Polyline {
    let n = line.vertices.len();
    let vertex = |k: usize| {
        // The bulge belongs to the stretch that begins at a vertex.
        let bulge = if k > 0 { -line.vertices[k - 1].bulge } else { 0.0 };
        Vertex { bulge, ..line.vertices[k] }
    };
    Polyline { vertices: (0..n).rev().map(vertex).collect(), closed: line.closed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Kind;

    fn line(points: &[[f64; 2]]) -> Polyline {
        let vertex = |p: &[f64; 2]| Vertex { at: DVec2::from(*p), bulge: 0.0, kind: Kind::Unknown };
        Polyline { vertices: points.iter().map(vertex).collect(), closed: false }
    }

    #[test]
    fn four_lines_in_any_direction_are_one_closed_line() {
        let lines = vec![
            line(&[[0.0, 0.0], [1.0, 0.0]]),
            line(&[[1.0, 1.0], [1.0, 0.0]]),
            line(&[[0.0, 1.0], [0.0, 0.0]]),
            line(&[[5.0, 1.0], [6.0, 0.0]]),
            line(&[[0.0, 1.0], [1.0, 1.0]]),
        ];
        let joined = join(lines);
        let closed: Vec<_> = joined.iter().filter(|l| l.closed).collect();
        assert_eq!((joined.len(), closed.len()), (2, 1));
        assert_eq!(closed[0].vertices.len(), 4);
    }

    #[test]
    fn a_reversed_arc_bulges_the_other_way() {
        let mut half = line(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
        half.vertices[0].bulge = 0.5;
        let back = reversed(&half);
        let bulges: Vec<f64> = back.vertices.iter().map(|v| v.bulge).collect();
        assert_eq!(bulges, [0.0, -0.5, 0.0]);
    }
}
