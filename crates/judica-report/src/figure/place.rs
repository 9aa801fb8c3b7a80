//! Names beside points, where they cover nothing.

use super::canvas::Point;

/// A rectangle that something stands in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// A square around a point.
    pub fn around((x, y): Point, reach: f64) -> Self {
        Area::between((x, y), (x, y)).grown(reach)
    }

    /// The smallest that holds two points.
    pub fn between(a: Point, b: Point) -> Self {
        Area {
            left: a.0.min(b.0),
            top: a.1.min(b.1),
            right: a.0.max(b.0),
            bottom: a.1.max(b.1),
        }
    }

    pub fn grown(self, by: f64) -> Self {
        Area {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn within(&self, other: &Area) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }

    fn holds(&self, (x, y): Point) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Whether a line goes through it.
    fn crossed(&self, [from, to]: [Point; 2]) -> bool {
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (start, step, lo, hi) in [
            (from.0, to.0 - from.0, self.left, self.right),
            (from.1, to.1 - from.1, self.top, self.bottom),
        ] {
            if step == 0.0 {
                if start <= lo || start >= hi {
                    return false;
                }
                continue;
            }
            let (a, b) = ((lo - start) / step, (hi - start) / step);
            enters = enters.max(a.min(b));
            leaves = leaves.min(a.max(b));
        }
        enters < leaves
    }
}

/// Where a name stands, and the line that leads to it where it stands apart.
pub(super) struct Placed {
    pub area: Area,
    pub leader: Option<[Point; 2]>,
}

/// How far from a point its name is tried, from near to far.
const RINGS: [f64; 8] = [4.0, 10.0, 18.0, 28.0, 40.0, 58.0, 80.0, 110.0];
/// Directions of a name beside its point, the best ones first.
const BESIDE: [Point; 8] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.71, -0.71),
    (0.71, 0.71),
    (-0.71, -0.71),
    (-0.71, 0.71),
];
/// Directions of one that stands apart: a slanting line, if that can be, is no part of a
/// frontier or a whisker.
const APART: [Point; 14] = [
    (0.71, -0.71),
    (0.71, 0.71),
    (-0.71, -0.71),
    (-0.71, 0.71),
    (0.92, -0.38),
    (0.92, 0.38),
    (-0.92, -0.38),
    (-0.92, 0.38),
    (0.38, -0.92),
    (0.38, 0.92),
    (-0.38, -0.92),
    (-0.38, 0.92),
    (0.0, -1.0),
    (0.0, 1.0),
];

/// How much of a name lies beyond where its line ends: all, three quarters, half, a quarter.
const MOVES: [f64; 4] = [1.0, 0.5, 0.0, -0.5];

/// What stands in a plane already.
pub(super) struct Plane {
    inside: Area,
    points: Vec<Area>,
    /// Whiskers, and whatever joins points.
    lines: Vec<Area>,
    names: Vec<Area>,
    leaders: Vec<[Point; 2]>,
}

impl Plane {
    pub fn new(inside: Area, points: Vec<Area>, lines: Vec<Area>) -> Self {
        Plane {
            inside,
            points,
            lines,
            names: Vec::new(),
            leaders: Vec::new(),
        }
    }

    /// The first place near a point of this `radius` where a name of this size covers nothing;
    /// if need be its line goes through whiskers and the like, but through no point and no
    /// name. None if there is no such place.
    pub fn name(&mut self, point: Point, radius: f64, size: Point) -> Option<Placed> {
        let found = self.search(point, radius, size, false);
        found.or_else(|| self.search(point, radius, size, true))
    }

    fn search(
        &mut self,
        point: Point,
        radius: f64,
        (wide, high): Point,
        through: bool,
    ) -> Option<Placed> {
        for (ring, reach) in RINGS.into_iter().enumerate() {
            let reach = reach + radius;
            let ways: &[Point] = if ring == 0 { &BESIDE } else { &APART };
            let tried = ways.iter().flat_map(|way| {
                // Above or below its point a name that stands apart may be moved along.
                let above = ring > 0 && side(way.1) > 0.0;
                let moves: &[f64] = if above { &MOVES } else { &MOVES[..1] };
                moves.iter().map(move |along| (*way, *along))
            });
            for ((across, down), along) in tried {
                let end = (point.0 + across * reach, point.1 + down * reach);
                let middle = (
                    end.0 + across.signum() * side(across) * along * wide / 2.0,
                    end.1 + down.signum() * side(down) * high / 2.0,
                );
                let area = Area {
                    left: middle.0 - wide / 2.0,
                    top: middle.1 - high / 2.0,
                    right: middle.0 + wide / 2.0,
                    bottom: middle.1 + high / 2.0,
                };
                let leader = (ring > 0).then_some([point, end]);
                if self.free(&area, leader, through) {
                    self.names.push(area);
                    self.leaders.extend(leader);
                    return Some(Placed { area, leader });
                }
            }
        }
        None
    }

    fn free(&self, area: &Area, leader: Option<[Point; 2]>, through: bool) -> bool {
        let clear = area.grown(1.0);
        let lines: &[Area] = if through { &[] } else { &self.lines };
        let all = |lines| self.points.iter().chain(&self.names).chain(lines);
        area.within(&self.inside)
            && !all(self.lines.as_slice()).any(|other| clear.meets(other))
            && !self.leaders.iter().any(|line| clear.crossed(*line))
            && leader.is_none_or(|line| {
                // What the line begins in is its own.
                let other = |area: &&Area| !area.holds(line[0]);
                !all(lines).filter(other).any(|area| area.crossed(line))
            })
    }
}

/// Along a direction a name begins at its end; across it, it is centred.
fn side(part: f64) -> f64 {
    if part.abs() < 0.3 { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_point_find_places_of_their_own_until_none_is_left() {
        let inside = Area::around((50.0, 50.0), 60.0);
        let points = vec![Area::around((50.0, 50.0), 5.0)];
        let mut plane = Plane::new(inside, points, Vec::new());
        let mut found: Vec<Area> = Vec::new();
        while let Some(placed) = plane.name((50.0, 50.0), 5.0, (40.0, 12.0)) {
            assert!(placed.area.within(&inside));
            assert!(found.iter().all(|other| !other.meets(&placed.area)));
            found.push(placed.area);
        }
        assert!(found.len() >= 4, "{}", found.len());
    }

    #[test]
    fn a_line_is_seen_only_where_it_goes() {
        let area = Area::around((10.0, 10.0), 5.0);
        assert!(area.crossed([(0.0, 0.0), (20.0, 20.0)]));
        assert!(area.crossed([(10.0, 0.0), (10.0, 7.0)]));
        assert!(!area.crossed([(0.0, 0.0), (4.0, 4.0)]));
        assert!(!area.crossed([(0.0, 16.0), (20.0, 16.0)]));
        assert!(!area.crossed([(0.0, 12.0), (12.0, 30.0)]));
    }
}
