//! What a model costs, per token or per hour of the machine it runs on.
//!
//! Prices are US dollars. Per-token prices are per thousand tokens, as providers publish
//! them; a model on one's own hardware has the price of an hour of its GPU instead.

use serde::Serialize;

/// What is known of a model's price. Nothing is assumed of what is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ModelPrice {
    /// Dollars per thousand tokens that go in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_input_per_1k: Option<f64>,
    /// Dollars per thousand tokens that come out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_output_per_1k: Option<f64>,
    /// Dollars per hour of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_hour_usd: Option<f64>,
}

impl ModelPrice {
    /// Whether there is no price at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What so many tokens cost: `input / 1000 · price_input_per_1k` plus
    /// `output / 1000 · price_output_per_1k`.
    ///
    /// `None` if the price of a side is missing that has tokens, or if the cost is beyond
    /// the range of a double. A side without tokens needs no price: models that only read,
    /// as embedders do, have no price for what they write.
    pub fn tokens_cost(&self, input: u64, output: u64) -> Option<f64> {
        if self.price_input_per_1k.is_none() && self.price_output_per_1k.is_none() {
            return None;
        }
        let side = |tokens: u64, price: Option<f64>| match (tokens, price) {
            (0, _) => Some(0.0),
            (_, None) => None,
            (_, Some(price)) => Some(tokens as f64 / 1000.0 * price),
        };
        let cost = side(input, self.price_input_per_1k)? + side(output, self.price_output_per_1k)?;
        cost.is_finite().then_some(cost)
    }

    /// What so many hours of the GPU cost. `None` without a price per hour, or if the cost
    /// is beyond the range of a double.
    pub fn hours_cost(&self, hours_used: f64) -> Option<f64> {
        let cost = self.gpu_hour_usd? * hours_used;
        cost.is_finite().then_some(cost)
    }
}

/// How many tokens an hour of the GPU handles. `None` if no time was used.
pub fn tokens_per_hour(tokens_total: u64, hours_used: f64) -> Option<f64> {
    let rate = tokens_total as f64 / hours_used;
    (hours_used > 0.0 && rate.is_finite()).then_some(rate)
}

/// What a thousand tokens cost on a GPU of which an hour costs so much and handles so many
/// tokens. `None` if it handles none.
pub fn gpu_cost_per_1k_tokens(gpu_hour_usd: f64, tokens_per_hour: f64) -> Option<f64> {
    let cost = gpu_hour_usd / tokens_per_hour * 1000.0;
    (tokens_per_hour > 0.0 && cost.is_finite()).then_some(cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_token(input: Option<f64>, output: Option<f64>) -> ModelPrice {
        ModelPrice {
            price_input_per_1k: input,
            price_output_per_1k: output,
            gpu_hour_usd: None,
        }
    }

    #[test]
    fn tokens_worked_by_hand() {
        // 2500 / 1000 · 0.5 + 800 / 1000 · 1.5 = 1.25 + 1.2.
        let price = per_token(Some(0.5), Some(1.5));
        assert_eq!(
            price.tokens_cost(2500, 800),
            Some(1.25 + 1.2000000000000002)
        );
        assert_eq!(price.tokens_cost(0, 0), Some(0.0));
    }

    #[test]
    fn a_missing_price_is_no_price_of_zero() {
        assert_eq!(ModelPrice::default().tokens_cost(0, 0), None);
        assert_eq!(per_token(Some(1.0), None).tokens_cost(1000, 1), None);
        assert_eq!(per_token(Some(1.0), None).tokens_cost(1000, 0), Some(1.0));
        assert_eq!(per_token(None, Some(1.0)).tokens_cost(1, 1000), None);
        assert_eq!(per_token(Some(0.0), Some(0.0)).tokens_cost(9, 9), Some(0.0));
        assert_eq!(ModelPrice::default().hours_cost(1.0), None);
    }

    #[test]
    fn a_gpu_worked_by_hand() {
        // 90,000 tokens in 1.5 hours are 60,000 an hour; at 3 dollars an hour a thousand
        // cost 3 / 60,000 · 1000 = 0.05, and all of them 90 · 0.05 = 4.5 = 3 · 1.5.
        let rate = tokens_per_hour(90_000, 1.5).unwrap();
        assert_eq!(rate, 60_000.0);
        assert_eq!(gpu_cost_per_1k_tokens(3.0, rate), Some(0.05));
        let price = ModelPrice {
            gpu_hour_usd: Some(3.0),
            ..ModelPrice::default()
        };
        assert_eq!(price.hours_cost(1.5), Some(4.5));
        assert_eq!(price.tokens_cost(1, 1), None);
    }

    #[test]
    fn nothing_infinite_comes_out() {
        assert_eq!(tokens_per_hour(1, 0.0), None);
        assert_eq!(tokens_per_hour(0, 0.0), None);
        assert_eq!(tokens_per_hour(u64::MAX, 5e-324), None);
        assert_eq!(gpu_cost_per_1k_tokens(1.0, 0.0), None);
        assert_eq!(gpu_cost_per_1k_tokens(f64::MAX, 1e-9), None);
        let dear = per_token(Some(f64::MAX), Some(f64::MAX));
        assert_eq!(dear.tokens_cost(u64::MAX, 1), None);
    }
}
