//! One recorded step against what was predicted for it.
//!
//! What is measured hangs on the recorded action alone: a click that was answered with a
//! drag in the right place is a mismatch of types *and* a hit.

use crate::action::{Action, Mode, distance, inside, on_screen};
use crate::load::prediction::Did;

/// A click nearer than this is a hit.
pub const HIT_RADIUS: f64 = 0.05;

/// How one step went. `None` where there was nothing to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepScore {
    /// Whether there is a prediction at all.
    pub predicted: bool,
    /// Whether there is one that cannot be read.
    pub unreadable: bool,
    /// Whether it is aimed at a point outside the screen, where one was compared.
    pub outside: bool,
    /// Whether both actions have the same type.
    pub type_match: bool,
    /// How far the prediction is from the target, where both have coordinates.
    pub coord_error: Option<f64>,
    /// Whether that is near enough.
    pub hit: Option<bool>,
    /// Whether the prediction lies in the target's area, where that is known.
    pub bbox_hit: Option<bool>,
    /// Whether the prediction names the target, where that is known.
    pub element_hit: Option<bool>,
    /// Whether all that was asked of the step is right: the type, and the target if it has
    /// one.
    pub full: bool,
}

/// Compares a step.
#[inline]
pub fn judge(mode: Mode, gold: &Action, did: &Did) -> StepScore {
    let predicted = match did {
        Did::Action(action) => Some(action),
        Did::Nothing | Did::Unreadable(_) => None,
    };
    let mut verdict = StepScore {
        predicted: *did != Did::Nothing,
        unreadable: matches!(did, Did::Unreadable(_)),
        type_match: predicted.is_some_and(|predicted| predicted.name == gold.name),
        ..StepScore::default()
    };
    let mut on_target = true;
    if mode.aims(gold.kind) {
        match mode {
            Mode::Coord => {
                let aimed = predicted.and_then(|predicted| predicted.point);
                verdict.coord_error = match (gold.point, aimed) {
                    (Some(target), Some(aimed)) => Some(distance(target, aimed)),
                    _ => None,
                };
                // Nothing outside the screen can be hit, however near it is.
                let seen = aimed.filter(|aimed| on_screen(*aimed));
                verdict.outside = gold.has_target(mode) && aimed.is_some() && seen.is_none();
                let error = verdict.coord_error;
                verdict.hit = error.map(|error| error < HIT_RADIUS && seen.is_some());
                verdict.bbox_hit = gold
                    .area
                    .map(|area| seen.is_some_and(|seen| inside(seen, area)));
                on_target = match (gold.point, verdict.bbox_hit) {
                    (Some(_), _) => verdict.hit == Some(true),
                    (None, Some(hit)) => hit,
                    (None, None) => true,
                };
            }
            Mode::Som => {
                if let Some(element) = &gold.element {
                    let named = predicted.and_then(|predicted| predicted.element.as_ref());
                    on_target = named == Some(element);
                    verdict.element_hit = Some(on_target);
                }
            }
        }
    }
    verdict.full = verdict.type_match && on_target;
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Area, Element, Kind, Point, Unused};
    use crate::load::fault::Fault;

    /// Compares with an action.
    fn against(mode: Mode, gold: &Action, predicted: &Action) -> StepScore {
        judge(mode, gold, &Did::Action(predicted.clone()))
    }

    fn action(name: &str, point: Option<Point>, area: Option<Area>) -> Action<'_> {
        Action {
            name: name.into(),
            kind: Kind::of(name),
            point,
            area,
            element: None,
            unused: Unused::default(),
        }
    }

    #[test]
    fn coordinates() {
        let area = Some([0.4, 0.4, 0.6, 0.6]);
        let gold = action("click", Some([0.5, 0.5]), area);
        let judged = |predicted: &Action| against(Mode::Coord, &gold, predicted);
        let near = judged(&action("click", Some([0.5, 0.53125]), None));
        assert_eq!(near.coord_error, Some(0.03125));
        assert_eq!(
            (near.hit, near.bbox_hit, near.full),
            (Some(true), Some(true), true)
        );
        // Inside the area and too far from its target.
        let far = judged(&action("click", Some([0.6, 0.6]), None));
        assert_eq!(
            (far.hit, far.bbox_hit, far.full),
            (Some(false), Some(true), false)
        );
        let blind = judged(&action("click", None, None));
        assert_eq!((blind.coord_error, blind.hit), (None, None));
        assert_eq!(
            (blind.bbox_hit, blind.type_match, blind.full),
            (Some(false), true, false)
        );
        let other = judged(&action("drag", Some([0.5, 0.5]), None));
        assert_eq!(
            (other.hit, other.type_match, other.full),
            (Some(true), false, false)
        );
        let missing = judge(Mode::Coord, &gold, &Did::Nothing);
        assert_eq!(
            missing,
            StepScore {
                bbox_hit: Some(false),
                ..StepScore::default()
            }
        );
    }

    #[test]
    fn nothing_outside_the_screen_is_hit_and_its_distance_counts() {
        let gold = action("click", Some([0.75, 0.5]), Some([0.5, 0.0, 1.5, 1.0]));
        let far = against(
            Mode::Coord,
            &gold,
            &action("click", Some([1.25, 0.5]), None),
        );
        assert_eq!((far.coord_error, far.hit), (Some(0.5), Some(false)));
        assert_eq!((far.bbox_hit, far.outside), (Some(false), true));
        assert!(far.type_match && !far.full);
        let edge = action("click", Some([1.0, 0.5]), None);
        let near = against(
            Mode::Coord,
            &edge,
            &action("click", Some([1.03125, 0.5]), None),
        );
        assert_eq!((near.coord_error, near.hit), (Some(0.03125), Some(false)));
        assert!(!near.full);
        // Where nothing is compared, nothing is outside.
        let typed = action("type", None, None);
        assert!(!against(Mode::Coord, &typed, &action("type", Some([7.0, 7.0]), None)).outside);
    }

    #[test]
    fn what_cannot_be_read_matches_nothing_and_is_not_missing() {
        let unreadable = Did::Unreadable(Fault::new("wrong_type", "odd"));
        let boxed = action("click", Some([0.5, 0.5]), Some([0.0, 0.0, 1.0, 1.0]));
        let verdict = judge(Mode::Coord, &boxed, &unreadable);
        assert_eq!(
            verdict,
            StepScore {
                predicted: true,
                unreadable: true,
                bbox_hit: Some(false),
                ..StepScore::default()
            }
        );
    }

    #[test]
    fn the_radius_itself_is_no_hit() {
        let gold = action("drag", Some([0.0, 0.0]), None);
        let at = |x: f64| against(Mode::Coord, &gold, &action("drag", Some([x, 0.0]), None));
        assert_eq!(at(HIT_RADIUS).hit, Some(false));
        assert_eq!(at(HIT_RADIUS.next_down()).hit, Some(true));
    }

    #[test]
    fn a_step_without_a_target_asks_for_its_type_only() {
        let point = Some([0.1, 0.1]);
        for gold in [
            action("click", None, None),
            action("double_click", point, None),
            action("type", point, None),
        ] {
            let predicted = action(&gold.name, Some([0.9, 0.9]), None);
            let verdict = against(Mode::Coord, &gold, &predicted);
            assert!(verdict.full && verdict.hit.is_none(), "{gold:?}");
        }
        let boxed = action("click", None, Some([0.0, 0.0, 0.1, 0.1]));
        let verdict = against(Mode::Coord, &boxed, &action("click", point, None));
        assert_eq!(
            (verdict.coord_error, verdict.bbox_hit, verdict.full),
            (None, Some(true), true)
        );
        let verdict = against(Mode::Coord, &boxed, &action("click", None, None));
        assert_eq!((verdict.bbox_hit, verdict.full), (Some(false), false));
    }

    #[test]
    fn marks() {
        let marked = |name: &'static str, element| Action {
            element,
            ..action(name, Some([0.1, 0.1]), Some([0.0, 0.0, 1.0, 1.0]))
        };
        let three = || Some(Element::Index(3));
        for (gold, predicted, hit, full) in [
            (
                marked("type", three()),
                marked("type", three()),
                Some(true),
                true,
            ),
            (
                marked("click", three()),
                marked("click", None),
                Some(false),
                false,
            ),
            (
                marked("drag", three()),
                marked("click", three()),
                Some(true),
                false,
            ),
            (marked("click", None), marked("click", three()), None, true),
            (
                marked("scroll", three()),
                marked("scroll", None),
                None,
                true,
            ),
        ] {
            let verdict = against(Mode::Som, &gold, &predicted);
            assert_eq!((verdict.element_hit, verdict.full), (hit, full), "{gold:?}");
            assert_eq!((verdict.coord_error, verdict.bbox_hit), (None, None));
        }
        let missing = judge(Mode::Som, &marked("type", three()), &Did::Nothing);
        assert_eq!(missing.element_hit, Some(false));
    }
}
