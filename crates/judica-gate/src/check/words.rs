//! What the name of a number says about it: whether it is a metric, and whether more of
//! it is better. Guesses, for a file that people go through afterwards.

/// Words of rates, coefficients and averages.
#[rustfmt::skip]
const RATES: &[&str] = &[
    "ac1", "ac2", "accuracy", "agreement", "alpha", "auc", "auroc", "bleu", "brier", "cer",
    "coefficient", "correct", "correlation", "coverage", "ece", "error", "f1", "icc",
    "integrity", "kappa", "latency", "loss", "mae", "match", "mean", "median", "mse", "p50",
    "p90", "p95", "p99", "pct", "pearson", "percent", "percentage", "perplexity", "pi",
    "precision", "probability", "rate", "rates", "ratio", "recall", "rho", "rmse", "rouge",
    "score", "scores", "sensitivity", "share", "similarity", "spearman", "specificity",
    "success", "tau", "wer",
];

/// Words of counts, settings and names: never a metric, whatever stands beside them.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    "bytes", "cap", "ci", "confidence", "confusion", "count", "counts", "gate", "gates", "id",
    "index", "limit", "limits", "max", "min", "n", "rank", "resamples", "schema", "sd", "seed",
    "seeds", "std", "temperature", "threshold", "thresholds", "timestamp", "tokens",
    "undefined", "variance", "version", "weight", "weights", "year",
];

/// Objects with these names hold settings, or gates that were held elsewhere.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "bootstrap", "config", "confusion", "gate_results", "gates", "limits", "manifest",
    "options", "parameters", "prices", "pricing", "settings", "thresholds", "trace", "weights",
];

/// Words of things one wants little of.
#[rustfmt::skip]
const LOWER: &[&str] = &[
    "abstain", "abstained", "abstains", "abstention", "below", "bias", "brier", "cer", "cost",
    "disagreement", "disagreements", "distance", "drop", "duplicate", "duplicates", "ece",
    "error", "errors", "exceedance", "fail", "failed", "fails", "failure", "failures", "false",
    "hallucination", "hallucinations", "incorrect", "invalid", "latency", "loss", "mae", "miss",
    "misses", "missing", "mse", "perplexity", "refusal", "refusals", "refused", "reject",
    "rejected", "rejection", "rejects", "risk", "rmse", "timeout", "timeouts", "toxicity",
    "unsupported", "violation", "violations", "wer", "wrong",
];

/// Words of things one wants much of.
#[rustfmt::skip]
const HIGHER: &[&str] = &[
    "accuracy", "agreement", "auc", "auroc", "availability", "compliance", "correct",
    "coverage", "eligibility", "f1", "integrity", "kappa", "match", "precision", "recall",
    "satisfaction", "score", "scores", "sensitivity", "similarity", "specificity", "success",
];

/// Objects of a summary that hold statistics of a score, whatever they are called.
const SCORES: [&str; 2] = ["conditional_error", "tail_risk"];

/// Whether an object of this name is not looked into.
pub(super) fn is_settings(key: &str) -> bool {
    SETTINGS.contains(&key)
}

/// Whether a plain number of this name, in an object of that name, is a metric.
pub(super) fn is_rate(key: &str, parent: &str) -> bool {
    let own = words(key);
    let counted = own
        .iter()
        .any(|word| has(NEVER, word) || word == "total" && own.len() == 1);
    // A lone `alpha` is the level of a test.
    if counted || key == "alpha" {
        return false;
    }
    let rates = |words: &[String]| {
        words.iter().any(|word| has(RATES, word)) && !words.iter().any(|word| has(NEVER, word))
    };
    rates(&own) || !own.iter().any(|word| word == "total") && rates(&words(parent))
}

/// Whether less of it is better. The last telling word decides: of `abstention_accuracy`
/// one wants much.
pub(super) fn lower_is_better(key: &str, parent: &str) -> bool {
    let telling = |key: &str| {
        let words = words(key);
        let last = words
            .iter()
            .rev()
            .find(|word| has(LOWER, word) || has(HIGHER, word));
        last.map(|word| has(LOWER, word))
    };
    let outside = || telling(parent).filter(|_| !SCORES.contains(&parent));
    telling(key).or_else(outside).unwrap_or(false)
}

fn has(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// The words of a name, in lower case: `errorRate`, `error_rate` and `error-rate` alike.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_told_from_counts() {
        for key in ["kappa", "abstain_rate", "errorRate", "mean_total", "p95"] {
            assert!(is_rate(key, ""), "{key}");
        }
        for key in [
            "n",
            "seed",
            "schema_version",
            "total",
            "n_eligible",
            "alpha",
            "records",
        ] {
            assert!(!is_rate(key, ""), "{key}");
        }
        assert!(is_rate("physics", "compliance_rate"));
        assert!(!is_rate("kappa_threshold", "rates") && !is_rate("total_violations", "rates"));
        assert_eq!(words("HTTPError-rate"), ["httperror", "rate"]);
    }

    #[test]
    fn the_last_telling_word_decides() {
        for key in ["abstain_rate", "error", "violation_share", "score_loss"] {
            assert!(lower_is_better(key, ""), "{key}");
        }
        for key in ["kappa", "abstention_accuracy", "mean_total"] {
            assert!(!lower_is_better(key, ""), "{key}");
        }
        assert!(!lower_is_better("p95", "tail_risk") && lower_is_better("mae_p95", "tail_risk"));
        assert!(lower_is_better("below_50", "exceedance_rates"));
        assert!(!lower_is_better("physics", "compliance_rate"));
    }
}
