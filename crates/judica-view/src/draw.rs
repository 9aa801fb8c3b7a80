//! Small drawings.
/// An interval.
pub fn interval(_value: f64, _ci: [f64; 2], _axis: [f64; 2]) -> String {
    String::new()
}
/// A limit.
pub fn limit(_observed: f64, _limit: f64) -> String {
    String::new()
}
