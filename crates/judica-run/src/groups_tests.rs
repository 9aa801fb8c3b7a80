use super::*;
use judica_model::run::Label;

fn estimator(name: &str, level: Option<&str>) -> Estimator {
    Estimator {
        name: name.to_owned(),
        level: level.map(str::to_owned),
        raters: Vec::new(),
        categories: Vec::new(),
    }
}

/// Rows of `rater=value` labels.
fn labels(rows: &[&str]) -> Labels {
    let mut labels = Labels::default();
    for (cluster, row) in (0..).zip(rows) {
        let said = row
            .split_whitespace()
            .filter_map(|said| said.split_once('='));
        let said: Vec<Label> = said.map(|(rater, value)| Label { rater, value }).collect();
        labels.push(cluster, &said);
    }
    labels
}

#[test]
fn items_are_grouped_and_drawn() {
    // Cohen's κ: 3 of 4 common items agree; by chance 3/4 · 1/2 + 1/4 · 1/2 = 1/2.
    let labels = labels(&["a=x b=x", "b=x a=x", "a=y b=y", "a=x b=y", "a=y", ""]);
    let groups = Groups::new(&estimator("cohen_kappa", None), &labels).unwrap();
    assert_eq!(groups.value(), Ok(0.5));
    assert_eq!(
        groups.of_items(),
        [Some(0), Some(0), Some(2), Some(1), None, None]
    );
    let drawn = groups.coefficient().estimate(&[2, 0, 2]);
    assert_eq!(drawn, Ok(1.0));
    let percent = Groups::new(&estimator("percent_agreement", None), &labels).unwrap();
    assert_eq!(percent.value(), Ok(0.75));
    assert_eq!(percent.of_items()[5], None);
}

#[test]
fn only_the_raters_asked_for_count() {
    let labels = labels(&["a=1 b=1 c=z", "a=2 b=1 c=z", "a=2 b=2"]);
    let two = Estimator {
        raters: vec!["a".into(), "silent".into(), "b".into()],
        ..estimator("krippendorff_alpha", Some("interval"))
    };
    let groups = Groups::new(&two, &labels).unwrap();
    assert_eq!(groups.values, [1.0, 2.0]);
    // Observed 1/3 of one step; by chance 2 · 3 · 3 of 30 pairs differ: 1 - 1/3 / (3/5).
    assert!((groups.value().unwrap() - 4.0 / 9.0).abs() < 1e-15);
    let all = estimator("cohen_kappa", None);
    let why = Groups::new(&all, &labels).unwrap().value();
    assert_eq!(why, Err(Undefined::NotTwoRaters { raters: 3 }));
    let nobody = Estimator {
        raters: vec!["x".into()],
        ..all
    };
    let nobody = Groups::new(&nobody, &labels).unwrap();
    assert_eq!(nobody.value(), Err(Undefined::NoItems));
    assert!(nobody.sizes().is_empty());
}

#[test]
fn values_are_in_their_order() {
    let of = |listed: &[&str], rows: &[&str]| {
        let asked = Estimator {
            categories: listed.iter().map(|name| name.to_string()).collect(),
            ..estimator("gwet_ac2", Some("linear"))
        };
        Groups::new(&asked, &labels(rows)).map(|groups| groups.values)
    };
    assert_eq!(of(&[], &["a=10 b=9", "a=9.0"]).unwrap(), [9.0, 10.0]);
    assert_eq!(of(&[], &["a=10 b=ten"]).unwrap(), [1.0, 2.0]);
    assert_eq!(of(&["3", "2"], &["a=2 b=3"]).unwrap(), [1.0, 2.0]);
    assert_eq!(of(&["2", "5"], &["a=2"]).unwrap(), [2.0, 5.0]);
    // Two identifiers that are one double stay two.
    let long = ["a=9007199254740992 b=9007199254740993"];
    assert_eq!(of(&[], &long).unwrap(), [1.0, 2.0]);
    let near = ["a=0.1 b=0.10000000000000000001", "a=0.10 b=1e-1"];
    assert_eq!(of(&[], &near).unwrap(), [1.0, 2.0]);
    let error = of(&["low"], &["a=high"]).unwrap_err();
    assert_eq!(error, "`high` is none of the categories of `gwet_ac2`");
}

#[test]
fn what_cannot_be_estimated_is_told() {
    let none = labels(&[]);
    for (name, level) in [
        ("kappa", None),
        ("krippendorff_alpha", None),
        ("krippendorff_alpha", Some("metric")),
        ("gwet_ac2", Some("heavy")),
        ("scott_pi", Some("nominal")),
    ] {
        assert!(
            Groups::new(&estimator(name, level), &none).is_err(),
            "{name}"
        );
    }
    let twice = labels(&["a=x b=x", "a=x a=y"]);
    let error = Groups::new(&estimator("gwet_ac1", None), &twice).err();
    assert_eq!(error.as_deref(), Some("`a` labels record 2 twice"));
    let empty = Groups::new(&estimator("gwet_ac1", None), &none).unwrap();
    assert_eq!(empty.value(), Err(Undefined::NoItems));
}
