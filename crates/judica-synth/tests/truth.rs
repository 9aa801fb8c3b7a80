//! The truth breaks no rule: a rule that the truth breaks would be a broken rule.

mod support;

use judica_synth::Domain;
use support::{FLIGHT, Findings, arc, check_jump, check_state, gold, numbers, options};

/// Every task's seconds in order: the current state and the last predicted one of
/// each sample, which move through the same trajectory.
fn trajectories(domain: Domain, fields: &[&str], seed: u64) -> Vec<Vec<Vec<f64>>> {
    let rows = support::rows(&support::samples(domain, &options(9_000, 0, seed)));
    let mut tasks: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
    for row in &rows {
        let task = row["task_id"].as_str().expect("a task");
        if tasks.last().is_none_or(|(name, _)| name != task) {
            tasks.push((task.to_owned(), Vec::new()));
        }
        let now = numbers(&row["context"]["current_state"], fields);
        let next = gold(row, fields);
        let seconds = &mut tasks.last_mut().expect("just pushed").1;
        if seconds.is_empty() {
            seconds.push(now);
            seconds.extend(next);
        } else {
            // Neighbouring samples overlap in all but their last second.
            let from = seconds.len() - next.len();
            assert_eq!(seconds[from], now);
            assert_eq!(seconds[from + 1..], next[..next.len() - 1]);
            seconds.extend(next.last().cloned());
        }
    }
    tasks.into_iter().map(|(_, seconds)| seconds).collect()
}

#[test]
fn flight_stays_inside_every_rule() {
    let fields = FLIGHT.map(|spec| spec.0);
    for seed in [0, 1, 20_250_119] {
        let tasks = trajectories(Domain::Flight, &fields, seed);
        assert_eq!(tasks.len(), 3);
        for seconds in tasks {
            let mut found = Findings::default();
            seconds.iter().for_each(|v| check_state(v, &mut found));
            seconds
                .windows(2)
                .for_each(|pair| check_jump(&pair[0], &pair[1], &mut found));
            assert!(found.critical.is_empty(), "{:?}", found.critical);
            assert!(found.warning.is_empty(), "{:?}", found.warning);
        }
    }
}

#[test]
fn flight_is_physical_beyond_what_the_rules_see() {
    let fields = FLIGHT.map(|spec| spec.0);
    for seconds in trajectories(Domain::Flight, &fields, 5) {
        for v in &seconds {
            // Rounding leaves half a unit of the last digit.
            let speed = libm::hypot(v[5], v[6]) * 3600.0 / 1852.0;
            assert!((v[8] - speed).abs() < 0.2);
            assert!(arc(v[3], libm::atan2(v[5], v[6]).to_degrees()) < 0.8);
            // Heading less variation, and a drift angle that a breeze explains.
            assert!(arc(v[4] - 7.7, v[3]) < 25.0, "{v:?}");
            assert!((v[15] - v[7] * 196.85).abs() < 500.0);
            assert!((v[2] - v[17]).abs() < 300.0);
            assert!(v[16] > 52.0 && v[10].abs() < 13.0, "{v:?}");
        }
        for pair in seconds.windows(2) {
            // Position is the integral of velocity, heading that of turn rate.
            let north = (pair[1][0] - pair[0][0]) * 111_320.0;
            assert!((north - pair[1][6]).abs() < 0.2);
            let turned = arc(pair[1][4], pair[0][4]);
            assert!((turned - pair[1][11].abs()).abs() < 1.2);
        }
        let heights = || seconds.iter().map(|v| v[2]);
        let lowest = heights().fold(f64::MAX, f64::min);
        let highest = heights().fold(f64::MIN, f64::max);
        assert!(
            lowest > 1_000.0 && highest < 6_000.0,
            "{lowest} to {highest}"
        );
        assert!(highest - lowest > 500.0, "it climbs and descends");
    }
}

/// Name, lowest, highest and largest jump of the battery protocol.
#[rustfmt::skip]
const BATTERY: [(&str, f64, f64, f64); 12] = [
    ("Pack Voltage (V)", 240.0, 420.0, 20.0),
    ("Pack Current (A)", -400.0, 500.0, 120.0),
    ("Pack Power (kW)", -150.0, 190.0, 45.0),
    ("State of Charge (%)", 0.0, 100.0, 1.0),
    ("Cell Voltage Min (V)", 2.0, 4.4, 0.3),
    ("Cell Voltage Mean (V)", 2.5, 4.3, 0.25),
    ("Cell Voltage Max (V)", 2.5, 4.5, 0.3),
    ("Cell Temperature Min (degC)", -30.0, 70.0, 5.0),
    ("Cell Temperature Max (degC)", -30.0, 90.0, 5.0),
    ("Coolant Temperature (degC)", -30.0, 70.0, 5.0),
    ("Internal Resistance (mOhm)", 30.0, 300.0, 10.0),
    ("Heat Loss (kW)", 0.0, 40.0, 6.0),
];

#[test]
fn battery_obeys_circuit_and_safety() {
    let fields = BATTERY.map(|spec| spec.0);
    for seed in [0, 1, 20_250_119] {
        for seconds in trajectories(Domain::Battery, &fields, seed) {
            for v in &seconds {
                for ((name, lo, hi, _), x) in BATTERY.iter().zip(v) {
                    assert!((lo..=hi).contains(&x), "{name} {x}");
                }
                let [volts, amps, power, soc, min, mean, max] = v[..7] else {
                    panic!("twelve fields")
                };
                let (t_min, t_max, coolant) = (v[7], v[8], v[9]);
                let (resistance, heat) = (v[10], v[11]);
                let s = soc / 100.0;
                let open = 3.42 + 0.66 * s + 0.08 * s * s * s - 0.45 * libm::exp(-18.0 * s);
                assert!((power - volts * amps / 1000.0).abs() < 0.1, "{v:?}");
                assert!((volts - 96.0 * mean).abs() < 0.2, "{v:?}");
                assert!((mean - open + amps * resistance / 96_000.0).abs() < 0.005);
                assert!((heat - amps * amps * resistance / 1e6).abs() < 0.1);
                assert!(min <= mean && mean <= max && max - min < 0.1, "{v:?}");
                assert!(t_min <= t_max && t_max - t_min < 12.0);
                assert!(heat < 1.0 || coolant - t_max < 6.0);
                assert!(t_max < 55.0 && t_min > 0.0, "{v:?}");
                assert!((-200.0..300.0).contains(&amps) && soc > 15.0, "{v:?}");
                assert!(min > 2.8 && max < 4.25, "{v:?}");
            }
            for pair in seconds.windows(2) {
                for (i, (name, _, _, jump)) in BATTERY.iter().enumerate() {
                    assert!((pair[0][i] - pair[1][i]).abs() < *jump, "{name}");
                }
            }
        }
    }
}
