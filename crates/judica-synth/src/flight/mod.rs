//! A light aircraft on endless local flights: climbs, cruises, turns, approaches.
//!
//! A point-mass model at one step per second. It is not an aerodynamics code; it is
//! as much physics as the rules of the flight protocol can see, so that the truth
//! breaks none of them: speeds follow from velocities, altitudes from one height,
//! turn rate from bank, and every control moves with inertia.

mod fields;

use crate::plant::{Field, Plant, blend, quantise, wrap};
use crate::rng::Stream;
use crate::source::Task;
pub(crate) use fields::N;
use fields::{
    BARO_ALT, FIELDS, GPS_ALT, GS, HEADING, IAS, LAT, LATERAL_G, LON, NORMAL_G, PITCH,
    PRESSURE_ALT, ROLL, SLIP, TASKS, TRACK, TURN_RATE, VE, VN, VS, VU,
};

const KNOT: f64 = 1852.0 / 3600.0;
const FPM_PER_MS: f64 = 60.0 / 0.3048;
const FEET_PER_METRE: f64 = 1.0 / 0.3048;
const GRAVITY: f64 = 9.806_65;
const METRES_PER_DEGREE: f64 = 111_320.0;
/// A made-up airfield in hilly country, where the magnetic variation is 7.7 degrees west.
const HOME: (f64, f64) = (40.52, 116.21);
const VARIATION_WEST: f64 = 7.7;
/// The aircraft turns home beyond this distance, so an endless flight stays local.
const FAR: f64 = 9_000.0;
const FLOOR_FT: f64 = 1_900.0;
const CEILING_FT: f64 = 4_400.0;

/// What the pilot is doing for the next while.
struct Leg {
    seconds: u32,
    heading: f64,
    max_bank: f64,
    climb: f64,
    airspeed: f64,
}

/// The aircraft between two seconds.
pub(crate) struct Flight {
    lat: f64,
    lon: f64,
    height_ft: f64,
    /// True heading in degrees.
    heading: f64,
    airspeed: f64,
    roll: f64,
    /// Vertical velocity in m/s.
    climb: f64,
    wind: (f64, f64),
    leg: Leg,
    slip: f64,
    /// Lag of the vertical speed indicator, in fpm.
    indicator: f64,
    /// Slow error of the GPS altitude, in feet.
    gps_error: f64,
    /// Height error of the altimeter setting, and of the standard setting.
    baro_offset: f64,
    pressure_offset: f64,
}

impl Flight {
    /// Chooses the next leg: home when far, up when low, down when high, else anything.
    fn next_leg(&self, rng: &mut Stream) -> Leg {
        let north = (HOME.0 - self.lat) * METRES_PER_DEGREE;
        let east = (HOME.1 - self.lon) * METRES_PER_DEGREE * libm::cos(self.lat.to_radians());
        let heading = if libm::hypot(east, north) > FAR {
            libm::atan2(east, north).to_degrees() + rng.between(-30.0, 30.0)
        } else if rng.chance(0.5) {
            self.heading + rng.between(-150.0, 150.0)
        } else {
            self.heading
        };
        // 0 climb, 1 cruise, 2 descent, 3 approach.
        let phase = match self.height_ft {
            h if h < FLOOR_FT => 0,
            h if h > CEILING_FT => 2,
            _ => rng.below(4),
        };
        let (climb, airspeed) = match phase {
            0 => (rng.between(2.2, 4.6), rng.between(66.0, 78.0)),
            1 => (rng.between(-0.3, 0.3), rng.between(78.0, 95.0)),
            2 => (rng.between(-4.5, -2.0), rng.between(76.0, 92.0)),
            _ => (rng.between(-3.2, -2.2), rng.between(62.0, 70.0)),
        };
        Leg {
            seconds: rng.count(25, 90),
            heading,
            max_bank: rng.between(12.0, 26.0),
            climb,
            airspeed,
        }
    }

    /// Moves the controls, each with its own inertia.
    fn fly(&mut self, rng: &mut Stream) {
        if self.leg.seconds == 0 {
            self.leg = self.next_leg(rng);
        }
        self.leg.seconds -= 1;
        // The floor overrides the leg: a long descent begun just above it must end.
        let climb = if self.height_ft < FLOOR_FT - 250.0 {
            self.leg.climb.max(2.5)
        } else {
            self.leg.climb
        };
        let error = wrap(self.leg.heading - self.heading + 180.0) - 180.0;
        let bank = (1.2 * error).clamp(-self.leg.max_bank, self.leg.max_bank);
        self.roll += (0.3 * (bank - self.roll)).clamp(-6.0, 6.0) + rng.gust(0.5);
        self.climb += 0.12 * (climb - self.climb) + rng.gust(0.22);
        self.airspeed += 0.1 * (self.leg.airspeed - self.airspeed) + rng.gust(0.5);
        self.wind.0 += 0.01 * (-3.0 - self.wind.0) + rng.gust(0.12);
        self.wind.1 += 0.01 * (2.0 - self.wind.1) + rng.gust(0.12);
        self.slip = 0.8 * self.slip + rng.gust(0.06);
        self.indicator = 0.7 * self.indicator + rng.gust(40.0);
        self.gps_error = 0.97 * self.gps_error + rng.gust(3.0);
    }

    /// True airspeed in m/s: two percent above the indicated one per thousand feet.
    fn true_airspeed(&self) -> f64 {
        self.airspeed * KNOT * (1.0 + 0.02 * self.height_ft / 1000.0)
    }
}

/// Degrees per second of a coordinated turn at this bank and speed.
fn coordinated(roll_deg: f64, speed: f64) -> f64 {
    (GRAVITY * libm::tan(roll_deg.to_radians()) / speed).to_degrees()
}

impl Plant<N> for Flight {
    const DOMAIN: u64 = 1;
    const FIELDS: &'static [Field; N] = &FIELDS;
    const TASKS: &'static [Task] = &TASKS;
    const HAZARDS: usize = 4;

    fn start(rng: &mut Stream) -> Self {
        let mut flight = Self {
            lat: HOME.0 + rng.between(-0.04, 0.04),
            lon: HOME.1 + rng.between(-0.04, 0.04),
            height_ft: rng.between(2_200.0, 3_600.0),
            heading: rng.between(0.0, 360.0),
            airspeed: rng.between(70.0, 88.0),
            roll: 0.0,
            climb: 0.0,
            wind: (-3.0, 2.0),
            leg: Leg {
                seconds: 0,
                heading: 0.0,
                max_bank: 0.0,
                climb: 0.0,
                airspeed: 0.0,
            },
            slip: 0.0,
            indicator: 0.0,
            gps_error: 0.0,
            baro_offset: rng.between(-190.0, -60.0),
            pressure_offset: rng.between(150.0, 420.0),
        };
        flight.leg = flight.next_leg(rng);
        flight
    }

    fn step(&mut self, rng: &mut Stream) -> [f64; N] {
        let before = self.climb;
        self.fly(rng);
        let speed = self.true_airspeed();
        let turn_rate = coordinated(self.roll, speed);
        self.heading = wrap(self.heading + turn_rate);
        let (sin, cos) = libm::sincos(self.heading.to_radians());
        let east = speed * sin + self.wind.0;
        let north = speed * cos + self.wind.1;
        self.lat += north / METRES_PER_DEGREE;
        self.lon += east / (METRES_PER_DEGREE * libm::cos(self.lat.to_radians()));
        self.height_ft += self.climb * FEET_PER_METRE;

        let path = libm::atan2(self.climb, speed).to_degrees();
        // Slower flight needs a larger angle between the nose and the path.
        let attack = 2.0 + 0.12 * (75.0 - self.airspeed);
        let lift = 1.0 / libm::cos(self.roll.to_radians());

        let mut state = [0.0; N];
        state[LAT] = self.lat;
        state[LON] = self.lon;
        state[GPS_ALT] = self.height_ft + self.gps_error;
        state[HEADING] = self.heading + VARIATION_WEST;
        state[VE] = east;
        state[VN] = north;
        state[VU] = self.climb + rng.gust(0.08);
        state[ROLL] = self.roll;
        state[PITCH] = path + attack + rng.gust(0.25);
        state[TURN_RATE] = turn_rate + rng.gust(0.3);
        state[SLIP] = self.slip + 0.05;
        state[NORMAL_G] = lift + (self.climb - before) / GRAVITY + rng.gust(0.025);
        state[LATERAL_G] = 0.15 * self.slip + rng.gust(0.01);
        state[VS] = self.climb * FPM_PER_MS + self.indicator;
        state[IAS] = self.airspeed;
        state[BARO_ALT] = self.height_ft + self.baro_offset;
        state[PRESSURE_ALT] = self.height_ft + self.baro_offset + self.pressure_offset;
        Self::reconcile(&mut state);
        quantise(&FIELDS, &mut state);
        state
    }

    fn reconcile(state: &mut [f64; N]) {
        state[GS] = libm::hypot(state[VE], state[VN]) / KNOT;
        state[TRACK] = wrap(libm::atan2(state[VE], state[VN]).to_degrees());
    }

    fn endanger(hazard: usize, by: f64, side: f64, state: &mut [f64; N]) {
        match hazard {
            // A dive: everything agrees with it, and no pilot would fly it.
            0 => {
                blend(&mut state[VS], -3_400.0, by);
                blend(&mut state[VU], -3_400.0 / FPM_PER_MS, by);
                blend(&mut state[PITCH], -12.0, by);
                for alt in [GPS_ALT, BARO_ALT, PRESSURE_ALT] {
                    state[alt] -= 50.0 * by;
                }
            }
            // Slow, nose high, sinking.
            1 => {
                blend(&mut state[IAS], 44.0, by);
                blend(&mut state[PITCH], 19.0, by);
                blend(&mut state[VS], -350.0, by);
                blend(&mut state[VU], -350.0 / FPM_PER_MS, by);
            }
            // Rolled beyond the envelope, with the turn rate and load that go with it.
            2 => {
                blend(&mut state[ROLL], 69.0 * side, by);
                blend(&mut state[TURN_RATE], 33.0 * side, by);
                blend(&mut state[NORMAL_G], 2.7, by);
            }
            // Below the sea and out of the instruments' range, from one second to the next.
            _ => {
                blend(&mut state[GPS_ALT], -180.0, by);
                blend(&mut state[BARO_ALT], -1_150.0, by);
                blend(&mut state[VS], -4_600.0, by);
            }
        }
    }

    fn sudden(hazard: usize) -> bool {
        hazard == 3
    }
}
