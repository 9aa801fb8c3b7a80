//! What the answers cost.

use judica_model::price::{ModelPrice, gpu_cost_per_1k_tokens, tokens_per_hour};
use judica_stats::exact_sum;
use serde::Serialize;

use super::facts::Tokens;
use super::time::{Time, no_time, token_mismatch};

/// How a cost was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// Tokens at their price.
    Tokens,
    /// Hours of a GPU at their price.
    GpuHour,
    /// Rows say what they cost.
    Stated,
}

/// Dollars.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CostReport {
    /// How it was computed.
    pub source: Option<CostSource>,
    /// The rows that are counted; those without tokens (or latency) are not.
    pub n: u64,
    /// Per row.
    pub avg_usd: Option<f64>,
    /// Of all rows that are counted.
    pub total_usd: Option<f64>,
    /// Per thousand tokens of both directions.
    pub per_1k_tokens_usd: Option<f64>,
    /// Why there is no cost per thousand tokens where there is a cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_1k_tokens_usd_undefined: Option<String>,
    /// Hours of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours_used: Option<f64>,
    /// Tokens of both directions per hour of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_hour: Option<f64>,
    /// The prices.
    pub prices: Option<ModelPrice>,
    /// Why there is no cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
}

/// The cost of answers. `price` is what a price file says, or why there is none.
pub(super) fn cost(
    price: Result<&ModelPrice, String>,
    tokens: &Tokens,
    time: &Time,
    usd: &[f64],
) -> CostReport {
    match priced(price, tokens, time) {
        unknown if unknown.total_usd.is_none() && !usd.is_empty() => CostReport {
            prices: unknown.prices,
            ..stated(usd)
        },
        known => known,
    }
}

fn priced(price: Result<&ModelPrice, String>, tokens: &Tokens, time: &Time) -> CostReport {
    let price = match price {
        Ok(price) => price,
        Err(why) => return undefined(None, why),
    };
    let by_hour = || by_hour(price, tokens, time);
    let by_token = || by_token(price, tokens);
    let per_token = price.price_input_per_1k.is_some() || price.price_output_per_1k.is_some();
    match (price.gpu_hour_usd.is_some(), per_token) {
        (true, false) => by_hour(),
        (false, true) => by_token(),
        (false, false) => undefined(None, "the price file has no price for it"),
        // What was measured decides; if nothing was, so does the GPU.
        (true, true) => [by_hour(), by_token()]
            .into_iter()
            .find(|cost| cost.total_usd.is_some())
            .unwrap_or_else(by_hour),
    }
}

/// What rows say themselves, where prices say nothing.
fn stated(usd: &[f64]) -> CostReport {
    let total = exact_sum(usd);
    CostReport {
        source: Some(CostSource::Stated),
        n: usd.len() as u64,
        avg_usd: Some(total / usd.len() as f64),
        total_usd: Some(total),
        per_1k_tokens_usd_undefined: Some("the cost was stated, not computed".to_owned()),
        ..CostReport::default()
    }
}

fn by_token(price: &ModelPrice, tokens: &Tokens) -> CostReport {
    if tokens.rows == 0 {
        return undefined(Some(price), "no row has tokens of both question and answer");
    }
    let Some(total) = price.tokens_cost(tokens.input, tokens.output) else {
        let side = match (price.price_input_per_1k, price.price_output_per_1k) {
            (None, _) => "there is no `price_input_per_1k`",
            (_, None) => "there is no `price_output_per_1k`",
            _ => "the cost is beyond all numbers",
        };
        return undefined(Some(price), side);
    };
    let used = tokens.total();
    CostReport {
        source: Some(CostSource::Tokens),
        n: tokens.rows,
        avg_usd: Some(total / tokens.rows as f64),
        total_usd: Some(total),
        per_1k_tokens_usd: (used > 0).then(|| total / used as f64 * 1000.0),
        per_1k_tokens_usd_undefined: (used == 0).then(|| "no tokens were used".to_owned()),
        prices: Some(*price),
        ..CostReport::default()
    }
}

fn by_hour(price: &ModelPrice, tokens: &Tokens, time: &Time) -> CostReport {
    if !time.is_measured() {
        return undefined(Some(price), no_time(time));
    }
    let hours = time.hours();
    let (Some(gpu_hour_usd), Some(total)) = (price.gpu_hour_usd, price.hours_cost(hours)) else {
        return undefined(Some(price), "the cost is beyond all numbers");
    };
    let mismatch = token_mismatch(time, tokens);
    let rate = tokens_per_hour(tokens.total(), hours).filter(|_| mismatch.is_none());
    let per_1k = rate.and_then(|rate| gpu_cost_per_1k_tokens(gpu_hour_usd, rate));
    let why = || mismatch.unwrap_or_else(|| "no tokens were used".to_owned());
    CostReport {
        source: Some(CostSource::GpuHour),
        n: time.rows,
        avg_usd: Some(total / time.rows as f64),
        total_usd: Some(total),
        per_1k_tokens_usd: per_1k,
        per_1k_tokens_usd_undefined: per_1k.is_none().then(why),
        hours_used: Some(hours),
        tokens_per_hour: rate,
        prices: Some(*price),
        undefined: None,
    }
}

fn undefined(price: Option<&ModelPrice>, why: impl Into<String>) -> CostReport {
    CostReport {
        prices: price.copied(),
        undefined: Some(why.into()),
        ..CostReport::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENS: Tokens = Tokens {
        input: 60_000,
        output: 30_000,
        rows: 10,
    };

    fn time(seconds: f64, rows: u64) -> Time {
        Time {
            seconds,
            rows,
            ..Time::default()
        }
    }

    fn price(input: Option<f64>, output: Option<f64>, gpu: Option<f64>) -> ModelPrice {
        ModelPrice {
            price_input_per_1k: input,
            price_output_per_1k: output,
            gpu_hour_usd: gpu,
        }
    }

    #[test]
    fn tokens_worked_by_hand() {
        // 60 · 0.5 + 30 · 2 = 90 dollars for 10 rows and 90,000 tokens.
        let cost = cost(
            Ok(&price(Some(0.5), Some(2.0), None)),
            &TOKENS,
            &Time::default(),
            &[],
        );
        assert_eq!(cost.source, Some(CostSource::Tokens));
        assert_eq!(
            (cost.total_usd, cost.avg_usd, cost.n),
            (Some(90.0), Some(9.0), 10)
        );
        assert_eq!(cost.per_1k_tokens_usd, Some(1.0));
    }

    #[test]
    fn a_gpu_worked_by_hand() {
        // 1.5 hours at 3 dollars; 60,000 tokens an hour; 3 / 60,000 · 1000 = 0.05.
        let cost = cost(
            Ok(&price(None, None, Some(3.0))),
            &TOKENS,
            &time(5400.0, 10),
            &[],
        );
        assert_eq!(cost.source, Some(CostSource::GpuHour));
        assert_eq!((cost.total_usd, cost.avg_usd), (Some(4.5), Some(0.45)));
        assert_eq!(
            (cost.hours_used, cost.tokens_per_hour),
            (Some(1.5), Some(60_000.0))
        );
        assert_eq!(cost.per_1k_tokens_usd, Some(0.05));
    }

    #[test]
    fn the_gpu_goes_before_the_tokens_if_it_was_timed() {
        let both = price(Some(0.0), Some(0.0), Some(3.0));
        assert_eq!(
            cost(Ok(&both), &TOKENS, &time(3600.0, 10), &[9.0]).total_usd,
            Some(3.0)
        );
        let untimed = cost(Ok(&both), &TOKENS, &Time::default(), &[]);
        assert_eq!(
            (untimed.source, untimed.total_usd),
            (Some(CostSource::Tokens), Some(0.0))
        );
        let nothing = cost(Ok(&both), &Tokens::default(), &Time::default(), &[]);
        assert!(nothing.undefined.unwrap().contains("latency_ms"));
    }

    #[test]
    fn what_is_unknown_says_why_and_is_not_0() {
        let why = |price, tokens: &Tokens, time: &Time| {
            let cost = cost(price, tokens, time, &[]);
            assert_eq!(
                (cost.avg_usd, cost.total_usd, cost.source),
                (None, None, None)
            );
            cost.undefined.unwrap()
        };
        let none = (Tokens::default(), Time::default());
        let dear = price(None, None, Some(f64::MAX));
        let unpriced = ModelPrice::default();
        assert_eq!(
            why(Err("no prices".to_owned()), &TOKENS, &none.1),
            "no prices"
        );
        assert_eq!(
            why(Ok(&unpriced), &TOKENS, &none.1),
            "the price file has no price for it"
        );
        let tokens = price(Some(1.0), None, None);
        assert_eq!(
            why(Ok(&tokens), &none.0, &none.1),
            "no row has tokens of both question and answer"
        );
        assert_eq!(
            why(Ok(&tokens), &TOKENS, &none.1),
            "there is no `price_output_per_1k`"
        );
        let gpu = price(None, None, Some(1.0));
        assert!(why(Ok(&gpu), &TOKENS, &none.1).starts_with("no row has a `latency_ms`"));
        assert_eq!(
            why(Ok(&gpu), &TOKENS, &time(0.0, 3)),
            "the measured time is 0"
        );
        assert_eq!(
            why(Ok(&dear), &TOKENS, &time(1e7, 3)),
            "the cost is beyond all numbers"
        );
    }

    #[test]
    fn tokens_and_time_of_different_rows_give_no_rate() {
        let cost = cost(
            Ok(&price(None, None, Some(3.0))),
            &TOKENS,
            &time(3600.0, 12),
            &[],
        );
        assert_eq!((cost.total_usd, cost.avg_usd), (Some(3.0), Some(0.25)));
        assert_eq!((cost.per_1k_tokens_usd, cost.tokens_per_hour), (None, None));
        assert_eq!(
            cost.per_1k_tokens_usd_undefined.unwrap(),
            "tokens are known of 10 rows and time of 12"
        );
    }

    #[test]
    fn rows_without_a_single_token_have_a_cost_but_no_price_per_token() {
        let empty = Tokens {
            input: 0,
            output: 0,
            rows: 4,
        };
        for (price, time) in [
            (price(Some(1.0), Some(1.0), None), Time::default()),
            (price(None, None, Some(1.0)), time(3600.0, 4)),
        ] {
            let cost = cost(Ok(&price), &empty, &time, &[]);
            assert!(cost.total_usd.is_some() && cost.per_1k_tokens_usd.is_none());
            assert_eq!(
                cost.per_1k_tokens_usd_undefined.unwrap(),
                "no tokens were used"
            );
        }
    }
}
