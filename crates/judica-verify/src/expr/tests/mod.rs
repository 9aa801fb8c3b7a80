//! Tests of the expression language.

mod errors;
mod property;
mod terms;
mod values;

use super::{Expr, ExprError, Kind, Scope, Variable};

/// Compiles an expression over numbers.
fn parse_as(source: &str, names: &[&str], kind: Kind) -> Result<Expr, Vec<ExprError>> {
    let variables: Vec<Variable> = names.iter().map(|name| Variable::number(name)).collect();
    let scope = Scope {
        variables: &variables,
        reads: None,
    };
    Expr::parse_as(source, scope, kind)
}

#[test]
fn an_expression_tells_what_it_is() {
    let names = ["a", "b", "c"];
    let sum = Expr::parse(" c + a * c ", &names).expect("valid");
    assert_eq!(sum.kind(), Kind::Number);
    assert_eq!(sum.source(), " c + a * c ");
    assert_eq!(sum.variables(), [0, 2]);
    assert_eq!(sum.constant(), None);

    let test = Expr::parse("1 < 2", &names).expect("valid");
    assert_eq!(test.kind(), Kind::Boolean);
    assert!(test.variables().is_empty());
    assert_eq!(test.constant(), None);

    let constant = Expr::parse("2 * 3 - 1", &[]).expect("valid");
    assert_eq!(constant.constant(), Some(5.0));
}

#[test]
fn either_kind_can_be_read_as_the_other() {
    let test = Expr::parse("a > 1", &["a"]).expect("valid");
    assert_eq!(test.eval_number(&[2.0]), 1.0);
    assert_eq!(test.eval_number(&[0.0]), 0.0);
    let number = Expr::parse("a", &["a"]).expect("valid");
    assert!(number.eval_bool(&[-3.0]));
    assert!(!number.eval_bool(&[0.0]));
    assert!(!number.eval_bool(&[f64::NAN]));
}

#[test]
fn a_missing_slot_reads_as_nan() {
    let expr = Expr::parse("a + b", &["a", "b"]).expect("valid");
    assert!(expr.eval_number(&[1.0]).is_nan());
    assert!(expr.eval_number(&[]).is_nan());
}

#[test]
fn the_first_of_equal_names_counts() {
    let expr = Expr::parse("a", &["a", "a"]).expect("valid");
    assert_eq!(expr.variables(), [0]);
}

#[test]
fn expressions_can_be_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Expr>();
}
