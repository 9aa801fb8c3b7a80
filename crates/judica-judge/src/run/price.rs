//! What tokens cost.

use serde::{Deserialize, Serialize};

use super::error::RunError;

/// What a model's tokens cost, in USD.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// For 1,000 tokens of a question.
    pub input_per_1k: f64,
    /// For 1,000 tokens of an answer.
    pub output_per_1k: f64,
}

impl Price {
    /// What some tokens cost.
    pub fn usd(&self, input_tokens: u64, output_tokens: u64) -> f64 {
        input_tokens as f64 / 1000.0 * self.input_per_1k
            + output_tokens as f64 / 1000.0 * self.output_per_1k
    }

    /// Whether both are amounts of money.
    pub(super) fn check(&self) -> Result<(), RunError> {
        for price in [self.input_per_1k, self.output_per_1k] {
            if !price.is_finite() || price < 0.0 {
                return Err(RunError::BadPrice(price));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_per_thousand() {
        let price = Price {
            input_per_1k: 0.5,
            output_per_1k: 2.0,
        };
        assert_eq!(price.usd(3000, 250), 1.5 + 0.5);
        assert_eq!(price.usd(0, 0), 0.0);
        assert!(price.check().is_ok());
        for bad in [f64::NAN, f64::INFINITY, -0.1] {
            let price = Price {
                output_per_1k: bad,
                ..price
            };
            assert!(matches!(price.check(), Err(RunError::BadPrice(_))));
        }
    }
}
