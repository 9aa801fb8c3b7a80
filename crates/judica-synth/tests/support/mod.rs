//! Shared by the tests: data sets as values, and a small referee for the flight rules.
//!
//! The referee repeats the numbers of the flight contract on purpose. It shares no code
//! with the evaluator, so a data set that it finds good is good by the contract itself.

#![allow(dead_code, reason = "each test file uses a part of it")]

use judica_synth::{Domain, SynthOptions, write_outputs, write_samples};
use serde_json::{Map, Value};

/// Name, lowest, highest, largest jump per second, whether it is an angle.
pub type Spec = (&'static str, f64, f64, f64, bool);

#[rustfmt::skip]
pub const FLIGHT: [Spec; 19] = [
    ("Latitude (WGS84 deg)", -90.0, 90.0, 0.002, false),
    ("Longitude (WGS84 deg)", -180.0, 180.0, 0.002, false),
    ("GPS Altitude (WGS84 ft)", 0.0, 10_000.0, 67.0, false),
    ("GPS Ground Track (deg true)", 0.0, 360.0, 30.0, true),
    ("Magnetic Heading (deg)", 0.0, 360.0, 30.0, true),
    ("GPS Velocity E (m/s)", -130.0, 130.0, 10.0, false),
    ("GPS Velocity N (m/s)", -130.0, 130.0, 10.0, false),
    ("GPS Velocity U (m/s)", -25.0, 25.0, 5.0, false),
    ("GPS Ground Speed (kt)", 0.0, 250.0, 10.0, false),
    ("Roll (deg)", -180.0, 180.0, 30.0, false),
    ("Pitch (deg)", -90.0, 90.0, 15.0, false),
    ("Turn Rate (deg/sec)", -30.0, 30.0, 10.0, false),
    ("Slip/Skid", -5.0, 5.0, 2.0, false),
    ("Normal Acceleration (G)", -3.0, 6.0, 1.0, false),
    ("Lateral Acceleration (G)", -2.0, 2.0, 0.5, false),
    ("Vertical Speed (fpm)", -4_000.0, 4_000.0, 1_500.0, false),
    ("Indicated Airspeed (kt)", 0.0, 250.0, 10.0, false),
    ("Baro Altitude (ft)", -1_000.0, 10_000.0, 67.0, false),
    ("Pressure Altitude (ft)", -1_000.0, 15_000.0, 67.0, false),
];

pub fn options(samples: u32, models: u32, seed: u64) -> SynthOptions {
    SynthOptions {
        samples,
        models,
        seed,
        tasks: Vec::new(),
    }
}

pub fn samples(domain: Domain, options: &SynthOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_samples(domain, options, &mut out).expect("a vector takes every write");
    out
}

pub fn outputs(domain: Domain, options: &SynthOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_outputs(domain, options, &mut out, &mut |_| {}).expect("a vector takes every write");
    out
}

/// Every line as JSON; a line that is not makes the test fail.
pub fn rows(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

/// The states a sample's gold holds, one per predicted second.
pub fn gold(sample: &Value, fields: &[&str]) -> Vec<Vec<f64>> {
    let gold = &sample["gold"];
    if let Some(next) = gold.get("next_second") {
        vec![numbers(next, fields)]
    } else {
        let arrays = &gold["T+1"];
        let length = arrays[fields[0]].as_array().expect("an array").len();
        (0..length)
            .map(|step| {
                fields
                    .iter()
                    .map(|f| arrays[*f][step].as_f64().expect("a number"))
                    .collect()
            })
            .collect()
    }
}

pub fn numbers(state: &Value, fields: &[&str]) -> Vec<f64> {
    assert_eq!(state.as_object().map(Map::len), Some(fields.len()));
    fields
        .iter()
        .map(|field| state[*field].as_f64().expect("a number"))
        .collect()
}

pub fn arc(a: f64, b: f64) -> f64 {
    ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs()
}

pub fn distance(spec: &Spec, a: f64, b: f64) -> f64 {
    if spec.4 { arc(a, b) } else { (a - b).abs() }
}

/// Failed checks by severity, each named by its rule.
#[derive(Debug, Default)]
pub struct Findings {
    pub critical: Vec<&'static str>,
    pub warning: Vec<&'static str>,
}

impl Findings {
    fn add(&mut self, rule: &'static str, critical: bool, warning: bool) {
        if critical {
            self.critical.push(rule);
        } else if warning {
            self.warning.push(rule);
        }
    }

    fn above(&mut self, rule: &'static str, value: f64, warning: f64, critical: f64) {
        self.add(rule, value > critical, value > warning);
    }
}

/// The rules about one second: limits, consistency, physics, safety.
pub fn check_state(v: &[f64], found: &mut Findings) {
    for ((_, lo, hi, _, _), x) in FLIGHT.iter().zip(v) {
        let outside = (lo - x).max(x - hi) / (hi - lo);
        found.above("range", outside, 0.0, 0.5);
    }
    let (gps, track, ve, vn, vu, gs) = (v[2], v[3], v[5], v[6], v[7], v[8]);
    let (roll, pitch, vs, ias, baro) = (v[9], v[10], v[15], v[16], v[17]);
    let speed = libm::hypot(ve, vn);
    found.above("altitude", (gps - baro).abs(), 500.0, 1000.0);
    found.above("speed", (gs - speed * 3600.0 / 1852.0).abs(), 5.0, 15.0);
    if speed >= 1.0 {
        let direction = libm::atan2(ve, vn).to_degrees();
        found.above("track", arc(track, direction), 10.0, 30.0);
    }
    let vertical = if gps < 1000.0 { 2000.0 } else { 5000.0 };
    found.above("vertical", vs.abs(), vertical, 1.5 * vertical);
    found.add(
        "attitude",
        roll.abs() > 60.0 || pitch.abs() > 60.0,
        pitch.abs() > 15.0 && vu.abs() < 0.3 * (pitch.abs() / 30.0 * 5.0),
    );
    found.add("descent", vs < -3000.0, vs < -2000.0);
    found.add("airspeed", !(30.0..=270.0).contains(&ias), ias > 180.0);
    found.add("height", gps < 0.0, false);
    found.add("stall", ias < 50.0 && pitch > 15.0 && vs < 500.0, false);
}

/// The jump between two consecutive seconds.
pub fn check_jump(before: &[f64], after: &[f64], found: &mut Findings) {
    for ((spec, a), b) in FLIGHT.iter().zip(before).zip(after) {
        found.above("jump", distance(spec, *a, *b), spec.3, 1.5 * spec.3);
    }
}
