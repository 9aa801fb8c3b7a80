//! Gates that a command holds by itself, and those of a user's file beside them.

use judica_model::gate::GateResult;

/// Takes gates of the user's own: one of the same name takes a gate's place, others come
/// after.
pub(crate) fn override_gates(gates: &mut Vec<GateResult>, own: Vec<GateResult>) {
    for gate in own {
        match gates.iter_mut().find(|known| known.name == gate.name) {
            Some(known) => *known = gate,
            None => gates.push(gate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::override_gates;
    use judica_model::gate::{Bound, GateResult};
    use judica_model::metric::MetricValue;

    #[test]
    fn a_gate_of_the_same_name_takes_the_place() {
        let gate = |name: &str, threshold: f64| {
            let value = MetricValue::new(0.5, 10);
            GateResult::hold(name, "m", &value, Bound::AtLeast, threshold, false)
        };
        let mut gates = vec![gate("a", 0.9), gate("b", 0.1)];
        override_gates(&mut gates, vec![gate("c", 0.2), gate("a", 0.3)]);
        let names: Vec<&str> = gates.iter().map(|gate| gate.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(gates.iter().all(|gate| gate.pass));
    }
}
