//! The distance between two directions.

/// The shorter way round between two angles, in degrees, in `[0, 180]`.
///
/// `d = |a - b| mod 360`, then `min(d, 360 - d)`: the geodesic distance on the
/// circle (Mardia and Jupp, *Directional Statistics*, 2000, section 2.3.2).
/// `None` if either angle is not finite.
///
/// ```
/// assert_eq!(judica_stats::shortest_arc(350.0, 10.0), Some(20.0));
/// ```
#[inline]
pub fn shortest_arc(a: f64, b: f64) -> Option<f64> {
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let mut apart = (a - b).abs();
    if !apart.is_finite() {
        // Only angles near the end of the double range overflow here; reducing
        // them first is exact, and their difference is small.
        apart = (a % 360.0 - b % 360.0).abs();
    }
    // The remainder of less than a turn is itself; most differences are, and the
    // division behind a remainder is slow.
    let d = if apart < 360.0 { apart } else { apart % 360.0 };
    Some(d.min(360.0 - d))
}

#[cfg(test)]
mod tests {
    use super::shortest_arc;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!(shortest_arc(350.0, 10.0), Some(20.0)); // 340 -> 360 - 340
        assert_eq!(shortest_arc(10.0, 350.0), Some(20.0));
        assert_eq!(shortest_arc(0.0, 180.0), Some(180.0));
        assert_eq!(shortest_arc(0.0, 181.0), Some(179.0));
        assert_eq!(shortest_arc(-90.0, 270.0), Some(0.0));
        assert_eq!(shortest_arc(730.0, 0.0), Some(10.0)); // 730 mod 360 = 10
        assert_eq!(shortest_arc(0.5, 0.25), Some(0.25));
    }

    #[test]
    fn not_finite_is_undefined() {
        assert_eq!(shortest_arc(f64::NAN, 0.0), None);
        assert_eq!(shortest_arc(0.0, f64::INFINITY), None);
    }

    #[test]
    fn a_difference_beyond_the_range_of_doubles_is_exact() {
        // The largest double is 128 more than whole turns, 1e308 is 296 more: 256 and 424 apart.
        assert_eq!(shortest_arc(f64::MAX, f64::MIN), Some(104.0));
        assert_eq!(shortest_arc(f64::MAX, -1e308), Some(64.0));
    }

    proptest! {
        #[test]
        fn symmetric_and_within_half_a_turn(a: f64, b: f64) {
            prop_assume!(a.is_finite() && b.is_finite());
            let arc = shortest_arc(a, b);
            prop_assert_eq!(arc, shortest_arc(b, a));
            prop_assert!(arc.is_some_and(|d| (0.0..=180.0).contains(&d)));
        }

        #[test]
        fn whole_turns_do_not_matter(a in -3600i32..3600, b in -3600i32..3600, turns in -9i32..9) {
            let (a, b, full) = (f64::from(a), f64::from(b), f64::from(turns * 360));
            prop_assert_eq!(shortest_arc(a + full, b), shortest_arc(a, b));
        }
    }
}
