//! The logs of an import: in the order in which they were made, without those that cannot be
//! read.

use chrono::{DateTime, Utc};
use judica_data::foreign::Reads;
use judica_data::ordered::Told;
use judica_data::work_error::WorkError;
use judica_model::text::on_one_line;

use crate::import::ImportRequest;
use crate::keys::{Keys, Rank};
use crate::log::{Asked, Found, Log, RefusedSample};
use crate::open::Chosen;
use crate::report::{LeftOut, LogReport};
use crate::survey::Survey;
use crate::writing::{name, twice};

/// So many logs are kept open between the passes.
const MOST_OPEN: usize = 64;

/// The logs in the order in which they were made, as far as they say it.
pub(crate) struct Logs<'r> {
    request: &'r ImportRequest<'r>,
    logs: Vec<(&'r Chosen, Option<Box<dyn Log + 'r>>)>,
    /// What becomes of each.
    pub reports: Vec<LogReport>,
    /// Those that cannot be read.
    pub left_out: Vec<LeftOut>,
}

/// When a log was made, wherever in the world; without an offset it is UTC. Names of files
/// have `-` where times have `:`.
fn made_at(stamp: &str) -> Option<DateTime<Utc>> {
    let (date, time) = stamp.trim().split_once(['T', ' '])?;
    let time = match time.contains(':') {
        true => time.to_owned(),
        false => time.replace('-', ":"),
    };
    let zoned = format!("{date}T{time}");
    let read = DateTime::parse_from_rfc3339(&zoned);
    let read = read.or_else(|_| DateTime::parse_from_rfc3339(&(zoned + "Z")));
    read.ok().map(|made| made.to_utc())
}

impl<'r> Logs<'r> {
    /// Opens them.
    pub fn open(request: &'r ImportRequest<'r>) -> Result<Self, WorkError> {
        let mut all = Logs {
            request,
            logs: Vec::new(),
            reports: Vec::new(),
            left_out: request.left_out.clone(),
        };
        let (mut logs, mut broken) = (Vec::new(), Vec::new());
        for chosen in &request.logs {
            match chosen.open(&request.how, request.workers) {
                Ok(log) => {
                    let report = LogReport::of(chosen.name(), log.about());
                    let made = made_at(&log.about().stamp);
                    let log = Some(log).filter(|_| request.logs.len() <= MOST_OPEN);
                    logs.push((made, (chosen, log), report));
                }
                Err(error) => broken.push((chosen, error)),
            }
        }
        // Of those made at once, or who knows when, the one given later is the later one.
        logs.sort_by_key(|(made, ..)| *made);
        for (_, log, report) in logs {
            all.logs.push(log);
            all.reports.push(report);
        }
        all.leave_out(broken)?;
        Ok(all)
    }

    /// Goes on without logs that are broken, if there are others and nobody asked for all.
    fn leave_out(&mut self, broken: Vec<(&'r Chosen, WorkError)>) -> Result<(), WorkError> {
        let is_broken = |log: &Chosen| broken.iter().any(|(known, _)| std::ptr::eq(*known, log));
        let kept: Vec<bool> = self.logs.iter().map(|(log, _)| !is_broken(log)).collect();
        let goes_on = kept.contains(&true) && !self.request.strict;
        for (chosen, error) in broken {
            let why = match error {
                WorkError::BadInput(why) | WorkError::BadArtifact(why) if goes_on => why,
                WorkError::Data(error) if goes_on && !error.is_environment() => error.to_string(),
                error => return Err(error),
            };
            let (path, why) = (chosen.name().to_owned(), on_one_line(&why));
            self.left_out.push(LeftOut { path, why });
        }
        let mut stays = kept.iter();
        self.logs.retain(|_| stays.next() == Some(&true));
        let mut stays = kept.iter();
        self.reports.retain(|_| stays.next() == Some(&true));
        Ok(())
    }

    /// The first pass; none where a log turned out to be broken and was left out.
    pub fn survey(&mut self, told: &Told) -> Result<Option<(Keys, Survey, u64)>, WorkError> {
        let request = self.request;
        let mut keys = Keys::new(request.how.keep_all);
        let mut survey = Survey::default();
        let mut all = 0;
        let (mut broken, mut asked) = (Vec::new(), Vec::new());
        self.each(|number, chosen, log, _| {
            let harness = log.about().harness;
            // Whether what ends the log is ours to say, and no fault of it.
            let mut ended = false;
            let mut look = |found: Found| {
                request.workers.go_on()?;
                all += 1;
                told(all, None);
                let mut sample = match found {
                    Found::Sample(sample) => sample,
                    Found::Refused(refusal) if request.strict => return Err(strict(&refusal)),
                    Found::Refused(_) => return Ok(false),
                };
                name(&mut sample, &request.target.options);
                survey.take(harness, &sample, request.how.cluster.as_deref());
                if let Some(why) = survey.complaint() {
                    let file = &sample.place.file;
                    return Err(WorkError::BadInput(format!("{file}: {why}")));
                }
                let epoch = keys.epoch(number, &sample);
                match keys.take(number, &sample, epoch) {
                    Rank::Duplicate if request.strict => Err(strict(&twice(&sample))),
                    rank => Ok(rank != Rank::Duplicate),
                }
            };
            let looked = log.samples(&mut |found| {
                let taken = look(found);
                ended |= taken.is_err();
                taken
            });
            match looked {
                Err(error) if !ended => broken.push((chosen, error)),
                looked => {
                    looked?;
                    asked.push((chosen, log.metrics_asked().to_vec()));
                }
            }
            survey.settle(log);
            Ok(())
        })?;
        if broken.is_empty() {
            none_lacks(&asked)?;
            return Ok(Some((keys, survey, all)));
        }
        self.leave_out(broken)?;
        Ok(None)
    }

    /// Looks at each.
    pub fn each(
        &mut self,
        mut look: impl FnMut(u32, &'r Chosen, &mut dyn Log, &mut LogReport) -> Result<(), WorkError>,
    ) -> Result<(), WorkError> {
        let ImportRequest { how, workers, .. } = self.request;
        let logs = self.logs.iter_mut().zip(&mut self.reports);
        for (number, ((chosen, open), report)) in (0..).zip(logs) {
            match open {
                Some(log) => look(number, chosen, &mut **log, report)?,
                None => look(number, chosen, &mut *chosen.open(how, *workers)?, report)?,
            }
        }
        Ok(())
    }

    /// What they are called.
    pub fn names(&self) -> Vec<String> {
        let names = self.logs.iter().map(|(log, _)| log.name().to_owned());
        names.collect()
    }

    /// The logs in the order in which they were given.
    pub fn given(&self) -> Vec<&'r Chosen> {
        let stays = |log: &&Chosen| {
            self.logs
                .iter()
                .any(|(known, _)| std::ptr::eq(*known, *log))
        };
        self.request.logs.iter().filter(stays).collect()
    }
}

/// Fails if a metric that was asked for has no number in any log: what one lacks another may have.
fn none_lacks(logs: &[(&Chosen, Vec<Asked>)]) -> Result<(), WorkError> {
    let metrics = logs.iter().map(|(_, asked)| asked.len()).max();
    for at in 0..metrics.unwrap_or(0) {
        let told = logs
            .iter()
            .filter_map(|(log, asked)| Some((log, asked.get(at)?.as_ref()?)));
        let lacking = told
            .clone()
            .find_map(|(log, it)| Some((log, it.as_ref().err()?)));
        if let (Some((log, why)), true) = (lacking, told.clone().all(|(_, it)| it.is_err())) {
            let error = WorkError::BadInput(format!("{}: {why}", log.name()));
            return Err(match log.files.first() {
                Some(file) => error.explained(&file.path, Reads::JsonOrTable),
                None => error,
            });
        }
    }
    Ok(())
}

fn strict(refusal: &RefusedSample) -> WorkError {
    WorkError::Refused {
        file: refusal.file.to_owned(),
        line: refusal.line,
        reason: refusal.reason,
        detail: refusal.detail.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_ordered_by_when_they_were_made_not_by_how_that_is_written() {
        let stamps = [
            "yesterday",
            "2026-11-15T22:30:00+02:00",
            "2026-11-15 21:29:09",
            "2026-11-15T21-29-09.710859",
            "2026-11-15T21:29:09.8Z",
            "2026-11-15T18:00:00.000-05:00",
        ];
        let made = stamps.map(made_at);
        assert_eq!(made[0], None);
        assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
        assert_eq!(made_at("2026-11-15T21:29:09Z"), made[2]);
    }
}
