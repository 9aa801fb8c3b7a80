//! The numbers of a log from its samples: epochs of an item are reduced, items that have no
//! value left are dropped, the metric is taken over the rest.

use std::collections::{BTreeMap, BTreeSet};

use judica_stats::student::t_quantile;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::columns::ScorerColumns;
use super::header::{EvalMetric, EvalScore, Header};
use super::lenient::Scalar;
use super::reducer::Reducer;
use super::value::Given;
use crate::bare::endless;
use crate::log::{Aggregate, Check};

/// What null under a key is where Inspect counts it: 0, and not the same as any number. NaN,
/// which it does not count, is read as null, too; so whichever fits its numbers is taken.
static NULL: Given = Given::Text(String::new());

/// What samples gave, as far as numbers follow from it.
#[derive(Default)]
pub(super) struct Tally {
    items: FxHashMap<String, u32>,
    /// By the keys that are needed, of each item's first epoch.
    metadata: Vec<(i32, Vec<Option<Scalar>>)>,
    /// By scorer: item, epoch, value.
    scores: BTreeMap<String, Vec<(u32, i32, Given)>>,
    /// Samples that have no error.
    pub completed: u64,
    /// Values that are neither numbers nor words that mean one.
    pub words: u64,
    /// Samples that somebody took back.
    pub invalidated: u64,
}

/// What of a sample the log's numbers are made of.
pub(super) struct Counted {
    pub item: String,
    pub epoch: i32,
    /// Its values of the keys that are needed.
    pub metadata: Vec<Option<Scalar>>,
    /// Whether it has no error.
    pub completed: bool,
    /// Values that are neither numbers nor words that mean one.
    pub words: u64,
    /// Samples that somebody took back.
    pub invalidated: u64,
    /// What each scorer gave.
    pub scores: Vec<(String, Given)>,
}

impl Tally {
    /// Takes a sample.
    pub fn take(&mut self, sample: Counted) {
        let (next, epoch) = (self.items.len() as u32, sample.epoch);
        let number = *self.items.entry(sample.item).or_insert(next);
        match self.metadata.get_mut(number as usize) {
            Some(before) if before.0 > epoch => *before = (epoch, sample.metadata),
            Some(_) => {}
            None => self.metadata.push((epoch, sample.metadata)),
        }
        self.completed += u64::from(sample.completed);
        self.words += sample.words;
        self.invalidated += sample.invalidated;
        for (scorer, value) in sample.scores {
            let values = self.scores.entry(scorer).or_default();
            values.push((number, epoch, value));
        }
    }

    /// The log's numbers, and what they are.
    pub fn aggregates(&self, header: &Header, columns: &mut ScorerColumns) -> Vec<Aggregate> {
        let completed = header.results.as_ref().and_then(|r| r.completed_samples);
        let missing = completed.filter(|n| *n > self.completed as f64).map(|n| {
            format!(
                "the log holds {} of {n} samples that were completed",
                self.completed
            )
        });
        let mut found = Vec::new();
        for score in header.scores() {
            let (scorer, key) = score.of();
            let column = columns.name(scorer, key);
            let checked = |null| {
                let reduced = match &missing {
                    Some(why) => Err(why.clone()),
                    None => self.reduced(header, score, null),
                };
                self.checked(header, score, &column, reduced)
            };
            let differs = |checked: &Vec<Aggregate>| {
                let mut checked = checked.iter();
                checked.any(|aggregate| aggregate.verdict == Check::Different)
            };
            let unscored = checked(&Given::None);
            let counted = differs(&unscored).then(|| checked(&NULL));
            let fitting = counted.filter(|counted| !differs(counted));
            found.extend(fitting.unwrap_or(unscored));
        }
        found
    }

    /// The numbers of a scorer, by what its items came to.
    fn checked(
        &self,
        header: &Header,
        score: &EvalScore,
        column: &str,
        reduced: Result<Vec<(u32, Option<f64>)>, String>,
    ) -> Vec<Aggregate> {
        let keys = header.metadata();
        let group = score.reducer.as_deref();
        let mut found = Vec::new();
        let whole = [
            ("scored_samples", score.scored_samples),
            ("unscored_samples", score.unscored_samples),
        ];
        for (name, logged) in whole.into_iter().filter(|(_, logged)| logged.is_some()) {
            let counted = reduced.as_ref().map(|reduced| {
                let scored = reduced.iter().filter(|(_, value)| value.is_some()).count();
                let of = if name == "scored_samples" {
                    scored
                } else {
                    reduced.len() - scored
                };
                Some(of as f64)
            });
            found.push(aggregate(column, group, name, logged, counted));
        }
        for (key, metric) in &score.metrics.0 {
            let mut logged = metric.value.as_f64();
            let mut value = match &reduced {
                Ok(reduced) => self.metric(metric, reduced, &keys),
                Err(why) => Err(&**why),
            };
            // Inspect 0.3.60 did not leave out what has no value, and NaN came of it.
            let unscored = || {
                self.given(score, &Given::None)
                    .any(|(.., given)| *given == Given::None)
            };
            if metric.value.is_null() && matches!(value, Ok(Some(_))) && unscored() {
                value = Err("NaN in the log: samples without a value were counted there");
            }
            // A report holds no infinity: where both are it, that is all there is to say.
            if let Ok(Some(again)) = value
                && !again.is_finite()
            {
                let said = match &metric.value {
                    Value::Null => Some(f64::NAN),
                    Value::String(text) => endless(text).or(text.parse().ok()),
                    _ => logged,
                };
                let same = |said: f64| said == again || said.is_nan() && again.is_nan();
                value = match said.is_some_and(same) {
                    true => Ok(None),
                    false => Err("a value is not finite"),
                };
                logged = logged.filter(|logged| logged.is_finite());
            }
            let mut checked = aggregate(column, group, key, logged, value);
            if checked.verdict == Check::Different && self.has_hidden_limit(score) {
                let why = "the log does not say from which value on an epoch counts";
                checked = Aggregate::unchecked(column, group, key, logged, why);
            }
            found.push(checked);
        }
        found
    }

    /// Whether epochs count from a value on that may be another than 1, and that matters.
    fn has_hidden_limit(&self, score: &EvalScore) -> bool {
        let reducer = score.reducer.as_deref().and_then(Reducer::named);
        let counts = matches!(
            reducer,
            Some(Reducer::AtLeast(_) | Reducer::PassAt(_) | Reducer::PassK(_))
        );
        let mut given = self
            .given(score, &Given::None)
            .map(|(.., given)| given.counted());
        counts && given.any(|value| value != 0.0 && value != 1.0)
    }

    /// What samples were given, by item and epoch, and what null under a key stands for.
    fn given<'t>(
        &'t self,
        score: &EvalScore,
        null: &'t Given,
    ) -> impl Iterator<Item = (u32, i32, &'t Given)> {
        let (scorer, _) = score.of();
        let values = self.scores.get(scorer).into_iter().flatten();
        values.map(move |(item, epoch, given)| {
            let given = match given {
                Given::Dict(entries) => {
                    let entry = entries.iter().find(|(key, _)| *key == score.name);
                    match entry {
                        Some((_, Given::None)) => null,
                        Some((_, value)) => value,
                        None => given,
                    }
                }
                given => given,
            };
            (*item, *epoch, given)
        })
    }

    /// The value of each item, or of each epoch where they are not reduced.
    fn reduced(
        &self,
        header: &Header,
        score: &EvalScore,
        null: &Given,
    ) -> Result<Vec<(u32, Option<f64>)>, String> {
        let mut values: Vec<(u32, i32, &Given)> = self.given(score, null).collect();
        values.sort_by_key(|(item, epoch, _)| (*item, *epoch));
        let is_scored = |given: &Given| *given != Given::None;
        if header.is_unreduced(score) {
            let each = values.into_iter();
            let each =
                each.map(|(item, _, given)| (item, is_scored(given).then(|| given.counted())));
            return Ok(each.collect());
        }
        let reducer = score.reducer.as_deref().unwrap_or("mean");
        let reducer = Reducer::named(reducer)
            .ok_or_else(|| format!("the reducer `{reducer}` is not known"))?;
        let items = values.chunk_by(|a, b| a.0 == b.0);
        let items = items.map(|epochs| {
            let given: Vec<&Given> = epochs.iter().map(|(_, _, given)| *given).collect();
            let scored: Vec<&Given> = given.iter().copied().filter(|g| is_scored(g)).collect();
            let value = match scored.is_empty() {
                true => None,
                false => reducer.of(&scored, given.len()),
            };
            (epochs[0].0, value)
        });
        Ok(items.collect())
    }

    fn metric<'m>(
        &self,
        metric: &'m EvalMetric,
        reduced: &[(u32, Option<f64>)],
        keys: &[String],
    ) -> Result<Option<f64>, &'m str> {
        let scored = reduced
            .iter()
            .filter_map(|(item, value)| Some((*item, (*value)?)));
        let scored: Vec<(u32, f64)> = scored.collect();
        let own = |params: Option<&Value>| {
            let own = |key| params.is_some_and(|params| params.get(key).is_some());
            own("to_float") || own("value_to_float")
        };
        let said = |item: u32, key: &str| {
            let at = keys.iter().position(|known| known == key)?;
            self.metadata[item as usize].1[at].as_ref()
        };
        let over = |name: &str, cluster: Option<&str>, values: &[(u32, f64)]| {
            let plain: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            let clusters = cluster.map(|key| {
                let said = values.iter().map(|(item, _)| said(*item, key));
                said.map(|said| said.map(Scalar::key)).collect::<Vec<_>>()
            });
            number(name, &plain, clusters.as_deref())
        };
        if metric.param("to_float").is_some() {
            return Err("it has a conversion of its own");
        }
        let cluster = metric.param("cluster").and_then(Value::as_str);
        let Some(group_key) = metric.param("group_key").and_then(Value::as_str) else {
            return match metric.group.as_deref() {
                None => over(&metric.name, cluster, &scored),
                // Over nothing Inspect writes 0, or NaN, which it wrote once.
                Some("ci") if scored.is_empty() => Ok(metric.value.is_number().then_some(0.0)),
                Some("ci") if metric.param("method").is_none_or(|how| how == "t") => {
                    let keys = scored.iter().map(|(item, _)| said(*item, cluster?));
                    let groups: BTreeSet<_> = keys.map(|said| said.map(Scalar::key)).collect();
                    let [mean, se] = ["mean", "stderr"].map(|name| {
                        let cluster = cluster.filter(|_| name == "stderr");
                        over(name, cluster, &scored)
                    });
                    let n = cluster.map_or(scored.len(), |_| groups.len());
                    let level = metric
                        .param("level")
                        .and_then(Value::as_f64)
                        .unwrap_or(0.95);
                    let t = t_quantile((1.0 + level) / 2.0, (n.max(2) - 1) as f64);
                    let half = se?.zip(t).map_or(0.0, |(se, t)| se * t);
                    Ok(mean?.map(|mean| mean + if metric.name == "lower" { -half } else { half }))
                }
                Some(_) => Err("its metric gives several numbers at once"),
            };
        };
        let inner = metric
            .param("metric")
            .ok_or("its inner metric is not named")?;
        let name = inner
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let params = inner.get("params").or(inner.get("options"));
        if own(params) {
            return Err("it has a conversion of its own");
        }
        let cluster = params
            .and_then(|params| params.get("cluster"))
            .and_then(Value::as_str);
        let template = metric.param("name_template").and_then(Value::as_str);
        let template = template.unwrap_or("{group_name}");
        let of = |item: u32| said(item, group_key).map_or("None".to_owned(), Scalar::shown);
        let label = metric
            .param("all_label")
            .and_then(Value::as_str)
            .unwrap_or("all");
        if metric.name != label {
            let mut members = scored.clone();
            members.retain(|(item, _)| template.replace("{group_name}", &of(*item)) == metric.name);
            return match members.is_empty() {
                true => Err("no sample says that it is in this group"),
                false => over(name, cluster, &members),
            };
        }
        if metric.param("all").and_then(Value::as_str) != Some("groups") {
            return over(name, cluster, &scored);
        }
        let mut groups: BTreeMap<String, Vec<(u32, f64)>> = BTreeMap::new();
        for (item, value) in scored {
            groups.entry(of(item)).or_default().push((item, value));
        }
        let mut values = Vec::new();
        for members in groups.values() {
            values.push(over(name, cluster, members)?.unwrap_or(0.0));
        }
        number("mean", &values, None)
    }
}

fn aggregate(
    scorer: &str,
    group: Option<&str>,
    metric: &str,
    logged: Option<f64>,
    value: Result<Option<f64>, impl AsRef<str>>,
) -> Aggregate {
    match value {
        Ok(value) => Aggregate::checked(scorer, group, metric, logged, value),
        Err(why) => Aggregate::unchecked(scorer, group, metric, logged, why.as_ref()),
    }
}

/// A metric over values; none where there is none.
fn number<'m>(
    name: &str,
    values: &[f64],
    clusters: Option<&[Option<String>]>,
) -> Result<Option<f64>, &'m str> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = || match values.len() < 2 {
        true => 0.0,
        false => values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0),
    };
    if values.is_empty() {
        return Ok(None);
    }
    // The metric of another package may be called the same.
    Ok(Some(
        match (name.strip_prefix("inspect_ai/").unwrap_or(name), clusters) {
            ("accuracy" | "mean", _) => mean,
            ("std", _) => variance().sqrt(),
            ("var", _) => variance(),
            ("stderr", None) => variance().sqrt() / n.sqrt(),
            ("stderr", Some(clusters)) => {
                let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
                for (cluster, value) in clusters.iter().zip(values) {
                    let cluster = cluster.as_deref().ok_or("a sample has no cluster")?;
                    *sums.entry(cluster).or_default() += value - mean;
                }
                let g = sums.len() as f64;
                match sums.len() < 2 {
                    true => 0.0,
                    false => {
                        let squares = sums.values().map(|sum| sum * sum).sum::<f64>();
                        (squares * g / (g - 1.0)).sqrt() / n
                    }
                }
            }
            ("bootstrap_stderr", _) => return Err("resampled without a seed"),
            _ => return Err("a metric that is not known here"),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_clusters_by_hand() {
        let clusters: Vec<_> = ["a", "a", "b"].map(|c| Some(c.to_owned())).into();
        // Deviations from 2/3: a: 1/3 + 1/3, b: −2/3. √((4/9 + 4/9) · 2) / 3.
        let found = number("stderr", &[1.0, 1.0, 0.0], Some(&clusters))
            .unwrap()
            .unwrap();
        assert!((found - (16.0f64 / 9.0).sqrt() / 3.0).abs() < 1e-15);
        assert_eq!(
            number("stderr", &[1.0], Some(&clusters[..1])),
            Ok(Some(0.0))
        );
        assert_eq!(number("inspect_ai/std", &[3.0], None), Ok(Some(0.0)));
        assert_eq!(number("mean", &[], None), Ok(None));
        assert!(number("f1", &[1.0], None).is_err());
        assert!(number("mypkg/mean", &[1.0], None).is_err());
    }
}
