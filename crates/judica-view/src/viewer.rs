//! The runs that are looked at, and what is known of them so far.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use judica_model::table::Table;
use judica_run::WorkError;
use judica_run::compare::CompareRequest;
use judica_run::family::Family;
use judica_run::index::Index;
use judica_run::index::query::Dimension;
use judica_run::layout::head;
use judica_run::manifest::name;
use judica_run::open::Run;
use judica_run::raters::Raters;
use judica_run::values::{self, MetricOf};

use crate::pages::compare::Compared;
use crate::refusal::Refusal;
use crate::route::Page;
use judica_model::text::shell_word;

/// How long a page waits for an index that is nearly there, so that small runs never say that
/// they are being indexed.
const PATIENCE: Duration = Duration::from_millis(150);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(5);

/// Comparisons that are kept.
const COMPARISONS: usize = 8;

/// All that pages are made of.
pub struct Viewer {
    /// The run, and a second one where it is compared.
    pub(crate) runs: Vec<Opened>,
    /// All commands that leave runs.
    families: &'static [&'static Family],
    /// Where inputs may stand that have moved.
    pub(crate) inputs: Option<PathBuf>,
    /// The folder whose screenshots may be shown.
    pub(crate) screenshots: Option<PathBuf>,
    threads: usize,
    /// Comparisons that somebody has asked for.
    compared: Mutex<Vec<(Vec<String>, Arc<Compared>)>>,
}

/// One run.
pub struct Opened {
    /// As it was given.
    pub(crate) name: String,
    pub(crate) run: Run,
    /// Its manifest as it stood when it was opened.
    manifest: Vec<u8>,
    pub(crate) tables: Vec<Table>,
    /// How many records the index knows.
    known: AtomicU64,
    index: OnceLock<Result<Index, String>>,
    /// The first page, once the index is there: everybody comes back to it.
    pub(crate) overview: OnceLock<Page>,
    metrics: OnceLock<Result<Vec<MetricOf>, String>>,
    raters: OnceLock<Result<Raters, String>>,
}

/// An index, or how far it has come.
pub enum Growing<'v> {
    /// It is there.
    Ready(&'v Index),
    /// So many percent of it are.
    Percent(u64),
}

impl Opened {
    /// Opens a run under the name that the user gave.
    pub fn open(path: PathBuf) -> Result<Self, WorkError> {
        let manifest = std::fs::read(path.join(name::MANIFEST)).unwrap_or_default();
        let run = Run::open(&path)?;
        Ok(Opened {
            name: path.display().to_string(),
            manifest,
            tables: run.tables()?,
            run,
            known: AtomicU64::new(0),
            index: OnceLock::new(),
            overview: OnceLock::new(),
            metrics: OnceLock::new(),
            raters: OnceLock::new(),
        })
    }

    /// An error if the run is another one by now, or gone: what is kept of it and what would be
    /// read of it do not belong together.
    pub fn unchanged(&self) -> Result<(), Refusal> {
        let now = std::fs::read(self.run.path.join(name::MANIFEST));
        if now.is_ok_and(|now| now == self.manifest) {
            return Ok(());
        }
        Err(Refusal::changed(&self.name))
    }

    /// The index, or how far it has come.
    pub fn index(&self) -> Result<Growing<'_>, Refusal> {
        let mut waited = Duration::ZERO;
        loop {
            match self.index.get() {
                Some(Ok(index)) => return Ok(Growing::Ready(index)),
                Some(Err(why)) => return Err(damaged(why)),
                None if waited >= PATIENCE => break,
                None => std::thread::sleep(LOOK),
            }
            waited += LOOK;
        }
        let all = self.run.manifest.counts.records.max(1);
        let known = self.known.load(Ordering::Relaxed);
        Ok(Growing::Percent((100 * known / all).min(99)))
    }

    /// Of parameters those that this run has something for.
    pub fn kept<'p>(&self, mut pairs: Vec<(&'p str, String)>) -> Vec<(&'p str, String)> {
        let index = self.index.get().and_then(|index| index.as_ref().ok());
        let metrics = &self.run.manifest.metrics;
        let measured = |name: &str| metrics.iter().any(|spec| spec.name == name);
        let lacks_metric = pairs
            .iter()
            .any(|(name, value)| *name == "metric" && !measured(value));
        pairs.retain(|(name, value)| match *name {
            "metric" | "min" | "max" => !lacks_metric,
            "sort" => {
                let by = value.strip_prefix('-').unwrap_or(value);
                by == head::SCORE || measured(by)
            }
            _ => match Dimension::ALL.into_iter().find(|of| of.name() == *name) {
                None | Some(Dimension::Verdict) => true,
                // A name by its number is another one in another run.
                Some(of) => index.is_some_and(|index| index.known(of, value).is_some()),
            },
        });
        pairs
    }

    /// The index, whenever it is there.
    pub fn whole_index(&self) -> Result<&Index, Refusal> {
        match self.index.wait() {
            Ok(index) => Ok(index),
            Err(why) => Err(damaged(why)),
        }
    }

    /// The metrics with their intervals; computed when somebody asks for the first time.
    pub fn metrics(&self, threads: usize) -> Result<&[MetricOf], Refusal> {
        let found = self.metrics.get_or_init(|| {
            values::usual_values(&self.run, threads).map_err(|error| error.to_string())
        });
        found.as_deref().map_err(|why| damaged(why))
    }

    /// What those say of each other who labelled its records, likewise.
    pub fn raters(&self, threads: usize) -> Result<&Raters, Refusal> {
        let found = self
            .raters
            .get_or_init(|| Raters::read(&self.run, threads).map_err(|error| error.to_string()));
        found.as_ref().map_err(|why| damaged(why))
    }
}

fn damaged(why: &str) -> Refusal {
    Refusal {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        why: why.to_owned(),
    }
}

impl Viewer {
    /// For one run or two.
    pub fn new(
        runs: Vec<Opened>,
        families: &'static [&'static Family],
        inputs: Option<PathBuf>,
        screenshots: Option<PathBuf>,
        threads: usize,
    ) -> Self {
        Viewer {
            runs,
            families,
            inputs,
            screenshots,
            threads,
            compared: Mutex::default(),
        }
    }

    /// A comparison, as it was made before or made now.
    pub fn compared(
        &self,
        request: &CompareRequest,
        make: impl FnOnce() -> Result<Compared, Refusal>,
    ) -> Result<Arc<Compared>, Refusal> {
        // Who asks for another one waits: two at a time would take twice the memory.
        let mut known = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(of, _)| *of == request.subjects) {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(make()?);
        if known.len() >= COMPARISONS {
            known.remove(0);
        }
        known.push((request.subjects.clone(), Arc::clone(&made)));
        Ok(made)
    }

    /// Indexes the runs, one after the other, until told to stop.
    pub fn learn(self: &Arc<Self>, stop: Arc<AtomicBool>) {
        let viewer = Arc::clone(self);
        std::thread::spawn(move || {
            for opened in &viewer.runs {
                let progress = |known| opened.known.store(known, Ordering::Relaxed);
                let index = Index::build(&opened.run, viewer.threads, &progress, &stop);
                let _ = opened.index.set(index.map_err(|error| error.to_string()));
            }
        });
    }

    /// Threads that one page may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The command that made a run.
    pub fn family(&self, run: &Run) -> Option<&'static Family> {
        let command = &run.manifest.command;
        let mut known = self.families.iter();
        known.find(|family| family.command == command).copied()
    }

    /// The command that opens a page elsewhere.
    pub fn command(&self, at: &str) -> String {
        let mut words = vec!["judica view".to_owned()];
        words.extend(self.runs.iter().map(|opened| shell_word(&opened.name)));
        if at != "/" {
            words.extend(["--at".to_owned(), shell_word(at)]);
        }
        words.join(" ")
    }
}
