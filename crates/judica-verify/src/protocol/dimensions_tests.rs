//! Everything that can be wrong with dimensions, and with a total made of them.

use crate::protocol::load::parse;
use crate::protocol::load::tests::{BASE, mistakes};

const DIMENSIONS: &str = r#"[[dimension]]
name = "A"
kind = "fields"
[[dimension]]
name = "B"
weight = 2
families = ["physics", "range_sanity"]
[[dimension]]
name = "C"
kind = "error"
"#;
const TOTAL: &str = "[scores]\ntotal = \"dimensions\"\ngate = \"A\"\n";

/// The tiny protocol with a total of dimensions.
pub(crate) fn source() -> String {
    let scores = BASE.find("[scores]").unwrap_or(0);
    format!("{}{DIMENSIONS}{TOTAL}", &BASE[..scores])
}

#[track_caller]
fn complains(from: &str, to: &str, wanted: &[&str]) {
    let source = source();
    assert!(source.contains(from), "{from}");
    let found = mistakes(&source.replacen(from, to, 1));
    let words: Vec<&str> = found.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(words, wanted, "{to}");
}

#[test]
fn dimensions_in_place_of_the_three_scores() {
    let protocol = parse(&source(), "tiny").unwrap_or_else(|errors| panic!("{errors}"));
    assert!(protocol.three.is_none());
    assert_eq!(protocol.of_dimensions.and_then(|total| total.gate), Some(0));
    let weights: Vec<f64> = protocol.dimensions.iter().map(|d| d.weight).collect();
    assert_eq!(weights, [1.0, 2.0, 1.0]);
    // Beside the three scores, which then make the total.
    let beside = BASE.replace("[scores]", &format!("{DIMENSIONS}[scores]"));
    let protocol = parse(&beside, "tiny").unwrap_or_else(|errors| panic!("{errors}"));
    assert!(protocol.three.is_some() && protocol.of_dimensions.is_none());
}

#[test]
fn everything_that_can_be_wrong() {
    complains("name = \"B\"", "name = \"A\"", &["duplicate dimension `A`"]);
    complains(
        "name = \"B\"",
        "name = \" \"",
        &["a dimension needs a name"],
    );
    let weight = "the weight of a dimension must be a number of at least 0";
    complains("weight = 2", "weight = -1", &[weight]);
    complains("weight = 2", "weight = inf", &[weight]);
    complains(
        "\"physics\", \"range",
        "\"physic\", \"range",
        &["unknown family `physic`"],
    );
    let families = "a dimension of atoms names the families that they are of";
    complains(
        "families = [\"physics\", \"range_sanity\"]\n",
        "",
        &[families],
    );
    let only = "only a dimension of kind \"atoms\" has families";
    complains(
        "kind = \"error\"",
        "kind = \"error\"\nfamilies = [\"physics\"]",
        &[only],
    );
    complains(
        "gate = \"A\"",
        "gate = \"a\"",
        &["no dimension is called `a`"],
    );
    let gate = "the gate is a dimension of kind \"fields\": it filters what does not parse or lacks a required field";
    complains("gate = \"A\"", "gate = \"B\"", &[gate]);
    let none = "a total of dimensions needs at least one [[dimension]]";
    complains(DIMENSIONS, "", &[none, "no dimension is called `A`"]);
    let missing = [
        "weights",
        "mae_weight",
        "rmse_weight",
        "mae_curve",
        "rmse_curve",
    ]
    .map(|key| format!("missing field `{key}`"));
    let [weights, rest @ ..] = &missing;
    let wanted: Vec<&str> = missing.iter().map(String::as_str).collect();
    complains("total = \"dimensions\"\ngate = \"A\"\n", "", &wanted);
    let kept =
        "weights = { availability = 1, constraint_satisfaction = 0, conditional_error = 0 }\n";
    let wanted: Vec<&str> = rest.iter().map(String::as_str).collect();
    complains("gate = \"A\"\n", kept, &wanted);
    complains(
        "gate = \"A\"\n",
        "mae_weight = 1\nrmse_weight = 0\nmae_curve = [[0, 1]]\nrmse_curve = [[0, 1]]\n",
        &[weights],
    );
    let found = mistakes(&BASE.replace("[scores]", "[scores]\ngate = \"A\""));
    assert_eq!(found[0].message, "`gate` filters a total of dimensions");
    let zero = source()
        .replace("weight = 2", "weight = 0")
        .replace("kind = ", "weight = 0\nkind = ");
    assert_eq!(mistakes(&zero)[0].message, "no dimension has a weight");
}
