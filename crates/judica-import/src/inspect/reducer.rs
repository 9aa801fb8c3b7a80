//! How the epochs of an item are reduced.

use super::value::Given;

/// How the epochs of an item become one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reducer {
    Mean,
    Median,
    Mode,
    Majority,
    Max,
    AtLeast(usize),
    PassAt(usize),
    PassK(usize),
}

impl Reducer {
    /// The one of this name.
    pub fn named(name: &str) -> Option<Reducer> {
        let k = |prefix: &str| name.strip_prefix(prefix)?.parse().ok();
        match name {
            "mean" => Some(Reducer::Mean),
            "median" => Some(Reducer::Median),
            "mode" => Some(Reducer::Mode),
            "majority" => Some(Reducer::Majority),
            "max" => Some(Reducer::Max),
            _ => k("at_least_")
                .map(Reducer::AtLeast)
                .or_else(|| k("pass_at_").map(Reducer::PassAt))
                .or_else(|| k("pass_k_").map(Reducer::PassK)),
        }
    }

    /// The value of some epochs of `all`, at least one; none: unscored.
    pub fn of(self, given: &[&Given], all: usize) -> Option<f64> {
        // Lists are reduced place by place, to a list, which is scored and counts as 0.
        if given.iter().any(|given| matches!(given, Given::List(_))) {
            return Some(0.0);
        }
        let mut values: Vec<f64> = given.iter().map(|given| given.counted()).collect();
        let n = values.len();
        let right = values.iter().filter(|value| **value >= 1.0).count();
        // Of several that stand equally often, the first that was met.
        let most = || {
            let often = |one: &Given| given.iter().filter(|other| other.same(one)).count();
            let found = given.iter().rev().max_by_key(|one| often(one));
            found.map(|found| (found.counted(), often(found)))
        };
        match self {
            Reducer::Mean => Some(values.iter().sum::<f64>() / n as f64),
            Reducer::Median => {
                values.sort_by(f64::total_cmp);
                Some((values[(n - 1) / 2] + values[n / 2]) / 2.0)
            }
            Reducer::Mode => most().map(|(value, _)| value),
            Reducer::Majority => most().filter(|(_, n)| n * 2 > all).map(|(value, _)| value),
            Reducer::Max => values.into_iter().max_by(f64::total_cmp),
            Reducer::AtLeast(k) => Some(f64::from(u8::from(right >= k))),
            Reducer::PassAt(k) => (n >= k).then(|| 1.0 - ratio(n - right, n, k)),
            Reducer::PassK(k) => (n >= k).then(|| ratio(right, n, k)),
        }
    }
}

/// C(some, k) / C(all, k).
fn ratio(some: usize, all: usize, k: usize) -> f64 {
    match some < k {
        true => 0.0,
        false => (0..k)
            .map(|i| (some - i) as f64 / (all - i) as f64)
            .product(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduce(name: &str, given: &[Given], all: usize) -> Option<f64> {
        Reducer::named(name)
            .unwrap()
            .of(&given.iter().collect::<Vec<_>>(), all)
    }

    #[test]
    fn reducers_by_hand() {
        let letters = |text: &str| -> Vec<Given> {
            text.chars().map(|c| Given::Text(c.to_string())).collect()
        };
        let epochs = letters("CIPC");
        assert_eq!(reduce("mean", &epochs, 4), Some(2.5 / 4.0));
        assert_eq!(reduce("median", &epochs, 4), Some(0.75));
        assert_eq!(reduce("mode", &epochs, 4), Some(1.0));
        assert_eq!(reduce("majority", &epochs, 4), None);
        assert_eq!(reduce("majority", &letters("CCI"), 3), Some(1.0));
        assert_eq!(reduce("majority", &letters("CC"), 4), None);
        // A tie: the first that was met.
        assert_eq!(reduce("mode", &letters("ICPICP"), 6), Some(0.0));
        assert_eq!(reduce("max", &letters("IP"), 2), Some(0.5));
        assert_eq!(reduce("at_least_2", &epochs, 4), Some(1.0));
        assert_eq!(reduce("at_least_3", &epochs, 4), Some(0.0));
        // C(2, 2) / C(4, 2) = 1/6 are wrong both times.
        assert_eq!(reduce("pass_at_2", &epochs, 4), Some(1.0 - 1.0 / 6.0));
        assert_eq!(reduce("pass_k_2", &epochs, 4), Some(1.0 / 6.0));
        assert_eq!(reduce("pass_at_5", &epochs, 4), None);
        assert_eq!(reduce("pass_k_3", &epochs, 4), Some(0.0));
        assert_eq!(Reducer::named("collect"), None);
        let lists = ["[1,2]", "[3,4]"].map(|list| Given::List(list.to_owned()));
        for reducer in ["mean", "majority", "max", "pass_at_3", "at_least_1"] {
            assert_eq!(reduce(reducer, &lists, 2), Some(0.0), "{reducer}");
        }
    }
}
