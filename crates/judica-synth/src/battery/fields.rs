//! The twelve fields of `protocols/battery.toml`, in its order.

use crate::plant::Field;
use crate::source::Task;

/// Number of fields.
pub(crate) const N: usize = 12;

pub(crate) const VOLTS: usize = 0;
pub(crate) const AMPS: usize = 1;
pub(crate) const POWER: usize = 2;
pub(crate) const SOC: usize = 3;
pub(crate) const CELL_MIN: usize = 4;
pub(crate) const CELL_MEAN: usize = 5;
pub(crate) const CELL_MAX: usize = 6;
pub(crate) const T_MIN: usize = 7;
pub(crate) const T_MAX: usize = 8;
pub(crate) const COOLANT: usize = 9;
pub(crate) const RESISTANCE: usize = 10;
pub(crate) const HEAT: usize = 11;

/// The fields. Current is what a noisy model gets wrong: power, voltage and heat follow
/// it, so that its mistakes are large and yet mostly agree with one another.
#[rustfmt::skip]
pub(crate) static FIELDS: [Field; N] = [
    Field::free("Pack Voltage (V)", 1, [0.1, 0.9, 0.0, 23.0]).derived(),
    Field::free("Pack Current (A)", 1, [1.2, 18.0, 30.0, 140.0]),
    Field::free("Pack Power (kW)", 2, [0.05, 0.45, 0.0, 1.5]).derived(),
    Field::free("State of Charge (%)", 2, [0.02, 0.12, 2.0, 1.2]),
    Field::free("Cell Voltage Min (V)", 3, [0.001, 0.003, 0.0, 0.35]),
    Field::free("Cell Voltage Mean (V)", 3, [0.0004, 0.002, 0.0, 0.03]).derived(),
    Field::free("Cell Voltage Max (V)", 3, [0.001, 0.003, 0.0, 0.35]),
    Field::free("Cell Temperature Min (degC)", 1, [0.1, 0.6, 2.0, 6.0]),
    Field::free("Cell Temperature Max (degC)", 1, [0.1, 0.6, 2.0, 6.0]),
    Field::free("Coolant Temperature (degC)", 1, [0.1, 0.7, 2.5, 6.0]),
    Field::free("Internal Resistance (mOhm)", 1, [0.3, 1.5, 6.0, 12.0]),
    Field::free("Heat Loss (kW)", 3, [0.01, 0.12, 0.0, 0.4]).derived().positive(),
];

/// The tasks of the protocol file.
pub(crate) static TASKS: [Task; 2] = [
    Task {
        name: "NEXT",
        horizon: 0,
        question: "Given the current state of the battery pack, predict the state one second \
                   later. Answer with one JSON object that has every field of the state.",
    },
    Task {
        name: "H5",
        horizon: 5,
        question: "Given the current state of the battery pack, predict the next five seconds. \
                   Answer with one JSON object that maps every field to an array of five numbers.",
    },
];
