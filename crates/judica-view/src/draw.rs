//! Small drawings.
/// An interval.
pub fn interval(_name: &str, _value: f64, _ci: Option<[f64; 2]>, _axis: [f64; 2]) -> String {
    String::new()
}
/// A limit.
pub fn against_limit(_name: &str, _observed: f64, _limit: f64, _beyond: bool) -> String {
    String::new()
}
