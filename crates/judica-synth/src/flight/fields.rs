//! The nineteen fields of `protocols/flight.toml`, in its order.

use crate::plant::Field;
use crate::source::Task;

/// Number of fields.
pub(crate) const N: usize = 19;

pub(crate) const LAT: usize = 0;
pub(crate) const LON: usize = 1;
pub(crate) const GPS_ALT: usize = 2;
pub(crate) const TRACK: usize = 3;
pub(crate) const HEADING: usize = 4;
pub(crate) const VE: usize = 5;
pub(crate) const VN: usize = 6;
pub(crate) const VU: usize = 7;
pub(crate) const GS: usize = 8;
pub(crate) const ROLL: usize = 9;
pub(crate) const PITCH: usize = 10;
pub(crate) const TURN_RATE: usize = 11;
pub(crate) const SLIP: usize = 12;
pub(crate) const NORMAL_G: usize = 13;
pub(crate) const LATERAL_G: usize = 14;
pub(crate) const VS: usize = 15;
pub(crate) const IAS: usize = 16;
pub(crate) const BARO_ALT: usize = 17;
pub(crate) const PRESSURE_ALT: usize = 18;

/// The fields. A noisy model errs most in altitude and vertical speed: those have the
/// largest numbers, so they decide the mean error that the score curves see.
#[rustfmt::skip]
pub(crate) static FIELDS: [Field; N] = [
    Field::free("Latitude (WGS84 deg)", 7, [0.000_02, 0.000_1, 0.000_3, 0.002_4]),
    Field::free("Longitude (WGS84 deg)", 7, [0.000_02, 0.000_1, 0.000_3, 0.002_4]),
    Field::free("GPS Altitude (WGS84 ft)", 0, [4.0, 12.0, 150.0, 78.0]),
    Field::free("GPS Ground Track (deg true)", 0, [0.5, 4.0, 0.0, 36.0]).angle().derived(),
    Field::free("Magnetic Heading (deg)", 1, [0.8, 5.0, 9.0, 36.0]).angle(),
    Field::free("GPS Velocity E (m/s)", 1, [0.3, 1.0, 2.0, 12.0]),
    Field::free("GPS Velocity N (m/s)", 1, [0.3, 1.0, 2.0, 12.0]),
    Field::free("GPS Velocity U (m/s)", 1, [0.15, 0.6, 0.5, 6.0]),
    Field::free("GPS Ground Speed (kt)", 1, [0.15, 2.2, 0.0, 12.0]).derived(),
    Field::free("Roll (deg)", 2, [0.6, 4.0, 3.0, 36.0]),
    Field::free("Pitch (deg)", 2, [0.3, 2.0, 1.5, 18.0]),
    Field::free("Turn Rate (deg/sec)", 2, [0.25, 1.2, 0.5, 12.0]),
    Field::free("Slip/Skid", 2, [0.02, 0.1, 0.05, 2.4]),
    Field::free("Normal Acceleration (G)", 3, [0.01, 0.06, 0.02, 1.2]),
    Field::free("Lateral Acceleration (G)", 3, [0.005, 0.03, 0.01, 0.6]),
    Field::free("Vertical Speed (fpm)", 0, [25.0, 320.0, 150.0, 1850.0]),
    Field::free("Indicated Airspeed (kt)", 1, [0.5, 1.5, 2.0, 12.0]),
    Field::free("Baro Altitude (ft)", 0, [4.0, 12.0, 150.0, 78.0]),
    Field::free("Pressure Altitude (ft)", 0, [4.0, 12.0, 150.0, 78.0]),
];

/// The tasks of the protocol file.
pub(crate) static TASKS: [Task; 3] = [
    Task {
        name: "S1",
        horizon: 0,
        question: "Given the current flight state, predict the state one second later. \
                   Answer with one JSON object that has every field of the state.",
    },
    Task {
        name: "M1",
        horizon: 0,
        question: "Given the last seconds of the flight, predict the state one second later. \
                   Answer with one JSON object that has every field of the state.",
    },
    Task {
        name: "M3",
        horizon: 3,
        question: "Given the last seconds of the flight, predict the next three seconds. \
                   Answer with one JSON object that maps every field to an array of three numbers.",
    },
];
