//! A 96-cell traction battery driven, rested and charged without end.
//!
//! An equivalent-circuit model: open-circuit voltage from the state of charge, one
//! resistance, one thermal mass. The current is the only thing that is chosen; voltage,
//! power, heat and temperature follow from it, as the rules of the protocol demand.

mod fields;

use crate::plant::{Field, Plant, blend, quantise};
use crate::rng::Stream;
use crate::source::Task;
pub(crate) use fields::N;
use fields::{
    AMPS, CELL_MAX, CELL_MEAN, CELL_MIN, COOLANT, FIELDS, HEAT, POWER, RESISTANCE, SOC, T_MAX,
    T_MIN, TASKS, VOLTS,
};

const CELLS: f64 = 96.0;
/// Capacity in ampere-seconds: 200 Ah.
const CAPACITY: f64 = 200.0 * 3600.0;
/// Heat the pack takes up per kelvin, in kJ: about 400 kg of cells.
const HEAT_CAPACITY: f64 = 400.0;
/// Heat the coolant carries off per kelvin of difference, in kW.
const COOLING: f64 = 0.35;

/// The pack between two seconds.
pub(crate) struct Battery {
    soc: f64,
    amps: f64,
    /// Mean cell temperature.
    temperature: f64,
    coolant: f64,
    ambient: f64,
    /// Difference of the best and the worst cell from the mean, in volts and kelvin.
    spread: f64,
    gradient: f64,
    /// Resistance of this pack at 25 degC, in milliohms.
    resistance_25: f64,
    charging: bool,
    /// Seconds left of the current manoeuvre, and the current it asks for.
    seconds: u32,
    demand: f64,
}

/// Open-circuit voltage of one cell. The protocol file has the same curve.
fn open_circuit(soc: f64) -> f64 {
    let s = soc / 100.0;
    3.42 + 0.66 * s + 0.08 * s * s * s - 0.45 * libm::exp(-18.0 * s)
}

impl Battery {
    /// Chooses the next manoeuvre; positive current discharges.
    fn choose(&mut self, rng: &mut Stream) {
        // Charging ends and begins at limits far from empty and full, as drivers do.
        if self.charging && self.soc > 85.0 {
            self.charging = false;
        } else if !self.charging && self.soc < 22.0 {
            self.charging = true;
        }
        (self.demand, self.seconds) = if self.charging {
            (rng.between(-150.0, -90.0), rng.count(60, 240))
        } else {
            match rng.below(8) {
                0 => (rng.between(0.5, 3.0), rng.count(5, 30)),
                1 | 2 => (rng.between(130.0, 230.0), rng.count(4, 10)),
                3 => (rng.between(-90.0, -30.0), rng.count(3, 9)),
                _ => (rng.between(25.0, 90.0), rng.count(10, 40)),
            }
        };
    }

    /// Resistance in milliohms: cold and nearly empty cells resist more.
    fn resistance(&self) -> f64 {
        let cold = libm::exp(0.018 * (25.0 - self.temperature));
        let empty = 1.0 + 0.4 * libm::exp(-self.soc / 12.0);
        self.resistance_25 * cold * empty
    }
}

impl Plant<N> for Battery {
    const DOMAIN: u64 = 2;
    const FIELDS: &'static [Field; N] = &FIELDS;
    const TASKS: &'static [Task] = &TASKS;
    const HAZARDS: usize = 4;

    fn start(rng: &mut Stream) -> Self {
        let ambient = rng.between(14.0, 26.0);
        Self {
            soc: rng.between(45.0, 80.0),
            amps: 20.0,
            temperature: ambient + 5.0,
            coolant: ambient + 2.0,
            ambient,
            spread: rng.between(0.006, 0.014),
            gradient: rng.between(1.0, 2.2),
            resistance_25: rng.between(72.0, 92.0),
            charging: false,
            seconds: 0,
            demand: 20.0,
        }
    }

    fn step(&mut self, rng: &mut Stream) -> [f64; N] {
        if self.seconds == 0 {
            self.choose(rng);
        }
        self.seconds -= 1;
        // A driver's foot and a charger are both slower than a switch.
        self.amps += (0.5 * (self.demand - self.amps)).clamp(-55.0, 55.0) + rng.gust(1.5);
        self.soc -= self.amps / CAPACITY * 100.0;
        let resistance = self.resistance();
        let heat = self.amps * self.amps * resistance / 1e6;
        let carried = COOLING * (self.temperature - self.coolant);
        self.temperature += (heat - carried) / HEAT_CAPACITY;
        // The radiator brings the coolant back to ambient while the pack warms it.
        self.coolant += 0.02 * carried - 0.01 * (self.coolant - self.ambient);

        let mut state = [0.0; N];
        state[AMPS] = self.amps;
        state[SOC] = self.soc;
        state[RESISTANCE] = resistance;
        state[CELL_MEAN] = open_circuit(self.soc);
        state[CELL_MIN] = state[CELL_MEAN] - self.spread - rng.gust(0.0006).abs();
        state[CELL_MAX] = state[CELL_MEAN] + self.spread + rng.gust(0.0006).abs();
        state[T_MIN] = self.temperature - self.gradient + rng.gust(0.04);
        state[T_MAX] = self.temperature + self.gradient + rng.gust(0.04);
        state[COOLANT] = self.coolant + rng.gust(0.04);
        Self::reconcile(&mut state);
        quantise(&FIELDS, &mut state);
        state
    }

    fn reconcile(state: &mut [f64; N]) {
        let drop = state[AMPS] * state[RESISTANCE] / 1000.0 / CELLS;
        let mean = open_circuit(state[SOC]) - drop;
        // The worst and best cell keep their distance from the mean.
        let moved = mean - state[CELL_MEAN];
        state[CELL_MEAN] = mean;
        state[CELL_MIN] += moved;
        state[CELL_MAX] += moved;
        state[VOLTS] = CELLS * mean;
        state[POWER] = state[VOLTS] * state[AMPS] / 1000.0;
        state[HEAT] = state[AMPS] * state[AMPS] * state[RESISTANCE] / 1e6;
    }

    fn endanger(hazard: usize, by: f64, side: f64, state: &mut [f64; N]) {
        match hazard {
            // The whole pack overheats.
            0 => {
                blend(&mut state[T_MAX], 69.0, by);
                blend(&mut state[T_MIN], 61.0, by);
                blend(&mut state[COOLANT], 54.0, by);
            }
            // More current than the pack may give, or take.
            1 => {
                let target = if side > 0.0 { 445.0 } else { -335.0 };
                blend(&mut state[AMPS], target, by);
            }
            // One cell collapses while the mean looks healthy.
            2 => state[CELL_MIN] -= 1.5 * by,
            // Thermal runaway: one cell burns, from one second to the next.
            _ => {
                blend(&mut state[T_MAX], 96.0, by);
                state[CELL_MIN] -= 0.2 * by;
            }
        }
    }

    fn sudden(hazard: usize) -> bool {
        hazard == 3
    }
}
