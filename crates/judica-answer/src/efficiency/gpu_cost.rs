//! What an hour of a GPU of one's own costs.
//!
//! What it cost to buy, spread over the hours in which it does something, plus the
//! electricity of an hour, plus a share of everything around it.

use serde::Serialize;

use super::OutOfRange;

/// What is known of a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuCostInput {
    /// What it cost, in dollars.
    pub gpu_price_usd: f64,
    /// How many years it lasts.
    pub lifespan_years: f64,
    /// In which share of its hours it is used.
    pub utilization: f64,
    /// How many watts it draws while it is.
    pub avg_watts: f64,
    /// What a kilowatt-hour costs, in dollars.
    pub electricity_usd_per_kwh: f64,
    /// What is added for shared infrastructure, as a share of the rest; 0.1 to 0.3 is usual.
    pub overhead: f64,
}

/// Dollars per hour, and what they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GpuCost {
    /// `gpu_price_usd / (lifespan_years · 365 · 24 · utilization)`.
    pub gpu_amort_hour: f64,
    /// `avg_watts / 1000 · electricity_usd_per_kwh`.
    pub power_hour: f64,
    /// The overhead: that share of the two above.
    pub overhead_hour: f64,
    /// The sum: what to write into a price file.
    pub gpu_hour_usd: f64,
}

/// The cost of an hour.
pub fn gpu_cost(input: &GpuCostInput) -> Result<GpuCost, OutOfRange> {
    let amount = "a number from 0 up";
    let is_amount = |value: f64| value.is_finite() && value >= 0.0;
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    let (price, years, used) = (input.gpu_price_usd, input.lifespan_years, input.utilization);
    let (watts, kwh) = (input.avg_watts, input.electricity_usd_per_kwh);
    let overhead = input.overhead;
    let share = "a share above 0, up to 1 (0.6 for 60 %)";
    let share_or_none = "a share from 0 to 1 (0.2 for 20 %)";
    for (name, found, fits, expected) in [
        ("gpu_price_usd", price, is_amount(price), amount),
        (
            "lifespan_years",
            years,
            is_positive(years),
            "a number above 0",
        ),
        ("utilization", used, is_share(used) && used > 0.0, share),
        ("avg_watts", watts, is_amount(watts), amount),
        ("electricity_usd_per_kwh", kwh, is_amount(kwh), amount),
        ("overhead", overhead, is_share(overhead), share_or_none),
    ] {
        if !fits {
            return Err(OutOfRange {
                name,
                found,
                expected,
            });
        }
    }
    let gpu_amort_hour = price / (years * 365.0 * 24.0 * used);
    let power_hour = watts / 1000.0 * kwh;
    let overhead_hour = (gpu_amort_hour + power_hour) * overhead;
    let gpu_hour_usd = gpu_amort_hour + power_hour + overhead_hour;
    if !gpu_hour_usd.is_finite() {
        return Err(OutOfRange {
            name: "the cost of an hour",
            found: gpu_hour_usd,
            expected: "a longer life or a lower price",
        });
    }
    Ok(GpuCost {
        gpu_amort_hour,
        power_hour,
        overhead_hour,
        gpu_hour_usd,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: GpuCostInput = GpuCostInput {
        gpu_price_usd: 17_520.0,
        lifespan_years: 4.0,
        utilization: 0.5,
        avg_watts: 400.0,
        electricity_usd_per_kwh: 0.25,
        overhead: 0.2,
    };

    #[test]
    fn worked_by_hand() {
        // 17,520 / (4 · 8760 · 0.5) = 1; 0.4 kW at 0.25 are 0.1; 20 % of 1.1 are 0.22.
        let cost = gpu_cost(&GPU).unwrap();
        assert_eq!((cost.gpu_amort_hour, cost.power_hour), (1.0, 0.1));
        assert!((cost.overhead_hour - 0.22).abs() < 1e-15);
        assert!((cost.gpu_hour_usd - 1.32).abs() < 1e-15);
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let refused = |change: fn(&mut GpuCostInput)| {
            let mut input = GPU;
            change(&mut input);
            gpu_cost(&input).unwrap_err().name
        };
        assert_eq!(refused(|gpu| gpu.gpu_price_usd = -1.0), "gpu_price_usd");
        assert_eq!(refused(|gpu| gpu.lifespan_years = 0.0), "lifespan_years");
        assert_eq!(refused(|gpu| gpu.utilization = 0.0), "utilization");
        assert_eq!(refused(|gpu| gpu.utilization = 60.0), "utilization");
        assert_eq!(refused(|gpu| gpu.avg_watts = f64::NAN), "avg_watts");
        assert_eq!(
            refused(|gpu| gpu.electricity_usd_per_kwh = f64::INFINITY),
            "electricity_usd_per_kwh"
        );
        assert_eq!(refused(|gpu| gpu.overhead = 20.0), "overhead");
        assert_eq!(refused(|gpu| gpu.overhead = -0.1), "overhead");
        assert_eq!(
            refused(|gpu| gpu.lifespan_years = 1e-320),
            "the cost of an hour"
        );
        let mut input = GPU;
        input.overhead = 20.0;
        assert_eq!(
            gpu_cost(&input).unwrap_err().to_string(),
            "overhead is 20, a share from 0 to 1 (0.2 for 20 %) is needed"
        );
    }
}
