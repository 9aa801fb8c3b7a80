//! Who is beaten by whom: the frontier between being right and being cheap or fast.
//!
//! A model is beaten if another is at least as accurate *and* at least as cheap, and better
//! in one of the two. Those that nobody beats are the frontier; who chooses among the
//! others gives something away. Two models with equal numbers do not beat each other.

use serde::Serialize;

/// A model in the plane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Its name.
    pub model: String,
    /// How often it is right; more is better.
    pub accuracy: f64,
    /// What that takes; less is better.
    pub value: f64,
}

/// A model that is beaten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dominated {
    /// Its name.
    pub model: String,
    /// The models of the frontier that beat it, by name.
    pub by: Vec<String>,
}

/// A model that has no place in the plane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub model: String,
    /// Why.
    pub why: String,
}

/// The frontier of one plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Frontier {
    /// What accuracy is set against.
    pub against: &'static str,
    /// Those nobody beats, from the cheapest (or fastest) up, equals by name.
    pub frontier: Vec<Point>,
    /// The others, by name.
    pub dominated: Vec<Dominated>,
    /// Those of whom one of the two is not known, by name.
    pub left_out: Vec<LeftOut>,
}

impl Frontier {
    /// Whether a model is on it.
    pub fn has(&self, model: &str) -> bool {
        self.frontier.iter().any(|point| point.model == model)
    }
}

/// The frontier of points.
pub fn frontier(against: &'static str, points: Vec<Point>, left_out: Vec<LeftOut>) -> Frontier {
    let mut points = points;
    points.sort_by(|a, b| {
        let by_value = a.value.total_cmp(&b.value);
        by_value
            .then(b.accuracy.total_cmp(&a.accuracy))
            .then_with(|| a.model.cmp(&b.model))
    });
    // In this order a point is beaten exactly if an earlier one on the frontier beats it.
    let (mut best, mut beaten): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
    for point in points {
        let is_beaten = best.last().is_some_and(|last| beats(last, &point));
        if is_beaten { &mut beaten } else { &mut best }.push(point);
    }
    let mut dominated: Vec<Dominated> = beaten
        .into_iter()
        .map(|point| {
            let better = best.iter().filter(|other| beats(other, &point));
            let mut by: Vec<String> = better.map(|other| other.model.clone()).collect();
            by.sort();
            Dominated {
                model: point.model,
                by,
            }
        })
        .collect();
    dominated.sort_by(|a, b| a.model.cmp(&b.model));
    Frontier {
        against,
        frontier: best,
        dominated,
        left_out,
    }
}

fn beats(a: &Point, b: &Point) -> bool {
    let no_worse = a.accuracy >= b.accuracy && a.value <= b.value;
    no_worse && (a.accuracy > b.accuracy || a.value < b.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(model: &str, accuracy: f64, value: f64) -> Point {
        Point {
            model: model.to_owned(),
            accuracy,
            value,
        }
    }

    #[test]
    fn worked_by_hand() {
        let found = frontier(
            "cost",
            vec![
                point("dear and good", 0.9, 5.0),
                point("dear and bad", 0.5, 6.0),
                point("cheap", 0.6, 1.0),
                point("same as cheap", 0.6, 1.0),
                point("as good but dearer", 0.6, 2.0),
                point("as cheap but worse", 0.4, 1.0),
            ],
            Vec::new(),
        );
        let names: Vec<&str> = found.frontier.iter().map(|p| p.model.as_str()).collect();
        assert_eq!(names, ["cheap", "same as cheap", "dear and good"]);
        let cheap = ["cheap".to_owned(), "same as cheap".to_owned()];
        assert_eq!(found.dominated[0].model, "as cheap but worse");
        assert_eq!(found.dominated[0].by, cheap);
        assert_eq!(found.dominated[1].by, cheap);
        assert_eq!(
            found.dominated[2].by,
            ["cheap", "dear and good", "same as cheap"]
        );
        assert!(found.has("cheap") && !found.has("dear and bad"));
    }

    #[test]
    fn of_none_and_of_one() {
        assert_eq!(frontier("cost", vec![], vec![]).frontier, []);
        assert_eq!(
            frontier("cost", vec![point("a", 0.0, 0.0)], vec![])
                .frontier
                .len(),
            1
        );
    }

    proptest! {
        #[test]
        fn equals_the_definition(values in prop::collection::vec((0u8..6, 0u8..6), 0..14)) {
            let points: Vec<Point> = values
                .iter()
                .enumerate()
                .map(|(i, &(a, v))| point(&format!("m{i}"), f64::from(a), f64::from(v)))
                .collect();
            let found = frontier("cost", points.clone(), vec![]);
            prop_assert_eq!(found.frontier.len() + found.dominated.len(), points.len());
            for p in &points {
                let beaten = points.iter().any(|other| beats(other, p));
                prop_assert_eq!(found.has(&p.model), !beaten);
            }
            for beaten in &found.dominated {
                prop_assert!(!beaten.by.is_empty());
                prop_assert!(beaten.by.iter().all(|by| found.has(by)));
            }
        }
    }
}
