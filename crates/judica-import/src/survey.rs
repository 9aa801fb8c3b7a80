//! The first pass: which scorers and columns the samples have, and what values.

use std::borrow::Cow;

use judica_data::row_keys;
use judica_model::run::{Direction, MetricKind, MetricSpec, OwnValue, Verdict};
use judica_run::layout::{Layout, OwnColumn, OwnKind, head, head_fields};
use rustc_hash::FxHashMap;

use crate::log::{Harness, Log, Own, Sample, Score};

/// Records of a row group: few, since questions and answers can be long.
const GROUP_ROWS: usize = 2048;
/// More columns than this of a log's own are left out.
const MOST_OWN: usize = 256;
/// More scorers than this are no scorers.
const MOST_SCORERS: usize = 4096;

/// What the samples of all logs have.
#[derive(Default)]
pub(crate) struct Survey {
    scorers: Vec<Scorer>,
    by_name: FxHashMap<String, usize>,
    own: Vec<(String, OwnKind)>,
    own_by_name: FxHashMap<String, usize>,
    /// Columns that are left out, since there are too many.
    left_out: u64,
    /// Whether some sample has what it is to be clustered by.
    pub clustered: bool,
}

struct Scorer {
    name: String,
    /// Which way is better, as far as a log says it.
    direction: Option<Direction>,
    /// Whether logs say different things of that.
    disputed: bool,
    /// Whether it is the one that matters most by itself.
    leads: bool,
    /// Whether all values are 0 or 1; whether all lie between.
    binary: bool,
    share: bool,
    /// Whether some value is no number.
    logged: bool,
}

impl Survey {
    /// Looks at a sample.
    pub fn take(&mut self, harness: Harness, sample: &Sample, cluster: Option<&str>) {
        for score in &sample.scores {
            let at = match self.by_name.get(&*score.scorer) {
                Some(at) => *at,
                None => self.add(harness, &score.scorer),
            };
            let scorer = &mut self.scorers[at];
            scorer.logged |= score.logged.is_some();
            if let Some(value) = score.value {
                scorer.binary &= value == 0.0 || value == 1.0;
                scorer.share &= (0.0..=1.0).contains(&value);
            }
        }
        for (name, value) in &sample.own {
            self.clustered |= cluster == Some(&**name);
            // It stands in the head of the record.
            if **name == *row_keys::CLUSTER && cluster.unwrap_or(name) == name {
                continue;
            }
            let kind = match value {
                Own::Boolean(_) => OwnKind::Boolean,
                Own::Number(_) => OwnKind::Number,
                Own::Text(_) => OwnKind::Text,
            };
            match self.own_by_name.get(&**name) {
                Some(at) if self.own[*at].1 != kind => self.own[*at].1 = OwnKind::Text,
                Some(_) => {}
                None if self.own.len() == MOST_OWN => self.left_out += 1,
                None => {
                    let name = name.clone().into_owned();
                    self.own_by_name.insert(name.clone(), self.own.len());
                    self.own.push((name, kind));
                }
            }
        }
    }

    fn add(&mut self, harness: Harness, name: &str) -> usize {
        self.by_name.insert(name.to_owned(), self.scorers.len());
        self.scorers.push(Scorer {
            name: name.to_owned(),
            direction: None,
            disputed: false,
            leads: harness == Harness::Promptfoo && name == "score",
            binary: true,
            share: true,
            logged: false,
        });
        self.scorers.len() - 1
    }

    /// Why the samples cannot be one run, if they cannot.
    pub fn complaint(&self) -> Option<String> {
        (self.scorers.len() > MOST_SCORERS).then(|| {
            let last = &self.scorers[MOST_SCORERS].name;
            format!(
                "more than {MOST_SCORERS} scorers, `{last}` for one: a run has a column for each"
            )
        })
    }

    /// A log was looked at; it knows which way its scorers are better.
    pub fn settle(&mut self, log: &dyn Log) {
        for scorer in &mut self.scorers {
            let Some(said) = log.direction(&scorer.name) else {
                continue;
            };
            scorer.disputed |= scorer.direction.is_some_and(|known| known != said);
            scorer.direction = Some(match scorer.disputed {
                true => Direction::None,
                false => said,
            });
        }
    }

    /// What a person should know of the columns.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.left_out > 0 {
            notes.push(format!(
                "{} values of columns were left out: there are too many of a log's own",
                self.left_out
            ));
        }
        let disputed = self.scorers.iter().filter(|scorer| scorer.disputed);
        notes.extend(disputed.map(|scorer| no_way(&scorer.name, "logs")));
        notes
    }

    /// The columns of the run that the samples make.
    pub fn columns(self, keep_text: bool) -> Columns {
        let mut taken: Vec<String> = head_fields().iter().map(|f| f.name().clone()).collect();
        taken.extend(head::TEXTS.map(str::to_owned));
        let mut free = |name: &str, suffix: &str| {
            let mut name = match name {
                "" => "unnamed".to_owned(),
                name => name.to_owned(),
            };
            while taken.contains(&name) {
                name.push_str(suffix);
            }
            taken.push(name.clone());
            name
        };
        let primary = self.scorers.iter().position(|scorer| scorer.leads);
        let primary = primary.unwrap_or(0);
        let mut own = Vec::new();
        let mut metrics = Vec::new();
        for (at, scorer) in self.scorers.iter().enumerate() {
            let name = free(&scorer.name, "_scorer");
            let kind = match scorer.binary {
                true => MetricKind::Rate,
                false => MetricKind::Mean,
            };
            let metric =
                MetricSpec::column(&name, kind, scorer.direction.unwrap_or(Direction::Higher));
            metrics.push(match at == primary {
                true => metric.primary(),
                false => metric,
            });
            own.push(OwnColumn::new(name, OwnKind::Number));
        }
        let mut logged = Vec::new();
        for (scorer, metric) in self.scorers.iter().zip(&metrics) {
            logged.push(scorer.logged.then(|| {
                let name = free(&format!("{}_logged", metric.name), "_scorer");
                own.push(OwnColumn::new(name, OwnKind::Text));
                own.len() - 1
            }));
        }
        let first_own = own.len();
        for (name, kind) in &self.own {
            own.push(OwnColumn::new(free(name, "_column"), *kind));
        }
        // promptfoo says itself what passes.
        let leads = self.scorers.get(primary).is_some_and(|scorer| scorer.leads);
        let decides = match leads {
            true => self.scorers.iter().position(|scorer| scorer.name == "pass"),
            false => None,
        };
        let mut layout = Layout::new(own, keep_text);
        layout.group_rows = GROUP_ROWS;
        Columns {
            decides: decides.unwrap_or(primary),
            shares: self.scorers.iter().map(|scorer| scorer.share).collect(),
            primary,
            by_name: self.by_name,
            own_by_name: self.own_by_name,
            logged,
            first_own,
            layout,
            metrics,
        }
    }
}

/// The scores of a sample that matter most.
pub(crate) struct Leading<'s> {
    /// The value of the primary metric.
    pub score: Option<f64>,
    /// What decides.
    pub decides: Option<&'s Score<'s>>,
    /// What it comes to.
    pub verdict: Option<Verdict>,
}

/// The columns of a run, and where values go.
pub(crate) struct Columns {
    /// The layout of records.
    pub layout: Layout,
    /// The metrics, one per scorer.
    pub metrics: Vec<MetricSpec>,
    by_name: FxHashMap<String, usize>,
    own_by_name: FxHashMap<String, usize>,
    /// Where what scorers gave goes that is no number.
    logged: Vec<Option<usize>>,
    first_own: usize,
    primary: usize,
    /// The scorer that decides.
    decides: usize,
    /// Of which scorers all values lie between 0 and 1.
    shares: Vec<bool>,
}

impl Columns {
    /// What the scorer gave that matters most of all, and what the scorer gave that decides.
    /// Where that one has no say, the sample's first scorer decides.
    pub fn leading<'s>(&self, sample: &'s Sample) -> Leading<'s> {
        let number = |score: &Score| self.by_name.get(&*score.scorer).copied();
        let of = |at: usize| sample.scores.iter().find(|score| number(score) == Some(at));
        let decides = of(self.decides).or(sample.scores.first());
        Leading {
            score: of(self.primary).and_then(|score| score.value),
            decides,
            verdict: match decides.and_then(|score| Some((number(score)?, score.value?))) {
                Some((at, value)) => self.verdict(at, value),
                None => Some(Verdict::Undecided),
            },
        }
    }

    /// What a value of a scorer means: all of what is good or nothing of what is bad is right.
    /// What lies between is neither right nor wrong, nor is what is neither good nor bad.
    fn verdict(&self, scorer: usize, value: f64) -> Option<Verdict> {
        let [wrong, right] = match self.metrics[scorer].direction {
            Direction::Higher => [0.0, 1.0],
            Direction::Lower => [1.0, 0.0],
            Direction::None => return None,
        };
        match value {
            _ if !self.shares[scorer] => None,
            value if value == right => Some(Verdict::Pass),
            value if value == wrong => Some(Verdict::Fail),
            _ => None,
        }
    }

    /// The columns of a sample. `texts` holds what is to be text and is none in the log.
    pub fn values<'s>(&self, sample: &'s Sample, texts: &'s mut Vec<String>) -> Vec<OwnValue<'s>> {
        let mut values = vec![OwnValue::Null; self.layout.own.len()];
        for score in &sample.scores {
            let Some(&at) = self.by_name.get(&*score.scorer) else {
                continue;
            };
            values[at] = OwnValue::number(score.value);
            if let (Some(at), Some(logged)) = (self.logged[at], &score.logged) {
                values[at] = OwnValue::Text(logged);
            }
        }
        let at = |name: &str| Some(self.first_own + self.own_by_name.get(name)?);
        let is_text = |at: usize| self.layout.own[at].kind == OwnKind::Text;
        // Texts are made first: they are borrowed from then on.
        let mut made = Vec::new();
        for (name, value) in &sample.own {
            let Some(at) = at(name) else { continue };
            values[at] = match value {
                Own::Text(text) => OwnValue::Text(text),
                Own::Boolean(_) | Own::Number(_) if is_text(at) => {
                    texts.push(text_of(value).into_owned());
                    made.push(at);
                    continue;
                }
                Own::Boolean(value) => OwnValue::Boolean(*value),
                Own::Number(value) => OwnValue::Number(*value),
            };
        }
        for (at, text) in made.into_iter().zip(texts.iter()) {
            values[at] = OwnValue::Text(text);
        }
        values
    }
}

/// What is said of a scorer of which it is not clear which way is better.
pub(crate) fn no_way(scorer: &str, who: &str) -> String {
    format!("{who} disagree on which way `{scorer}` is better: a run takes neither for better")
}

/// A value as text.
pub(crate) fn text_of<'s>(value: &'s Own) -> Cow<'s, str> {
    match value {
        Own::Boolean(value) => value.to_string().into(),
        Own::Number(value) => value.to_string().into(),
        Own::Text(text) => Cow::Borrowed(text),
    }
}
