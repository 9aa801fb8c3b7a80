//! `/episode`: the steps of one episode as a strip, with what was seen before each.

use std::io::Read;
use std::path::{Path, PathBuf};

use judica_model::chart::{StepState, Strip, StripRow};
use judica_report::figure::look::Look;
use judica_report::figure::{Figure, strip};
use judica_run::family::Step;
use judica_run::index::Index;
use judica_run::show::looked_at;
use maud::{Markup, html};
use serde_json::json;

use super::{severity, shown_item, verdict};
use crate::asked::address;
use crate::refusal::Refusal;
use crate::route::{Answer, Page, Visit, drawing};
use crate::viewer::Growing;
use crate::words::{name, sentence};

/// Steps that are shown.
const STEPS: usize = 300;
/// The largest screenshot that is sent.
const LARGEST: u64 = 20 << 20;

/// What is known of one episode.
struct Episode {
    row: u64,
    item: String,
    subject: String,
    verdict: Option<judica_model::run::Verdict>,
    steps: Vec<Step>,
    /// What failed at which step.
    failed: Vec<(Option<i32>, String, String, String)>,
}

fn read(visit: &mut Visit, index: &Index) -> Result<Episode, Refusal> {
    let row = visit.asked.number("row")?.unwrap_or(0);
    let run = &visit.opened.run;
    let Some(steps) = visit.viewer.family(run).and_then(|family| family.steps) else {
        let command = &run.manifest.command;
        return Err(Refusal::nothing(format!(
            "`judica {command}` has no episodes"
        )));
    };
    let mut found = None;
    index.record(row, &mut |record, _| {
        let failed = record
            .evidence
            .iter()
            .filter(|atom| !atom.pass)
            .map(|atom| {
                let seen = atom.text.map_or_else(|| looked_at(atom), str::to_owned);
                (
                    atom.step,
                    atom.rule.to_owned(),
                    atom.severity.to_owned(),
                    seen,
                )
            });
        found = Some(Episode {
            row,
            item: record.item.to_owned(),
            subject: record.subject.to_owned(),
            verdict: record.verdict,
            steps: steps(run, record, visit.viewer.inputs.as_deref())?,
            failed: failed.collect(),
        });
        Ok(())
    })?;
    found.ok_or_else(|| {
        Refusal::nothing(format!("`row={row}`: the run has {} records", index.len()))
    })
}

pub fn make(visit: &mut Visit) -> Result<Page, Refusal> {
    let index = match visit.opened.index()? {
        Growing::Ready(index) => index,
        Growing::Percent(percent) => return Ok(Page::growing("Episode", percent)),
    };
    let episode = read(visit, index)?;
    visit.asked.end()?;
    let row = [("row", episode.row.to_string())];
    let here = || visit.run().into_iter().chain(row.clone());
    let to = |row: u64| {
        let row = [("row", row.to_string())];
        address("/episode", visit.run().into_iter().chain(row))
    };
    let shots = episode
        .steps
        .iter()
        .filter(|step| step.screenshot.is_some())
        .count();
    let allowed = visit.viewer.screenshots.is_some();
    let states: Vec<&str> = episode.steps.iter().map(|step| word(step.state)).collect();
    let json = json!({
        "row": episode.row,
        "item": episode.item,
        "subject": episode.subject,
        "steps": episode.steps.iter().zip(&states).map(|(step, state)| json!({
            "state": state, "expected": step.expected, "screenshot": step.screenshot,
        })).collect::<Vec<_>>(),
    });
    let body = html! {
        h1 { (shown_item(&episode.item)) " · " (name(&episode.subject)) }
        nav.steps aria-label="Episodes" {
            @if episode.row > 0 { a rel="prev" href=(to(episode.row - 1)) { "← Previous" } }
            @if episode.row + 1 < index.len() { a rel="next" href=(to(episode.row + 1)) { "Next →" } }
            (verdict(episode.verdict))
            a rel="up" href=(address("/record", here())) { "The record" }
        }
        @if episode.steps.is_empty() { p { "Nothing is known of its steps." } } @else {
            (drawing("/episode.svg", here(), &format!("Steps in order: {}", states.join(", "))))
        }
        @if shots > 0 && !allowed {
            p.note { "Screenshots are shown where you allow it: " code { "--screenshots DIR" } " names the folder they lie in." }
        }
        @for (at, step) in episode.steps.iter().take(STEPS).enumerate() {
            (one(visit, &episode, at, step, allowed))
        }
        @if episode.steps.len() > STEPS { p.note { "… and " (episode.steps.len() - STEPS) " more" } }
        @let whole: Vec<_> = episode.failed.iter().filter(|(step, ..)| step.is_none()).collect();
        @if !whole.is_empty() {
            h2 { "The episode as a whole" }
            @for (_, rule, bad, seen) in whole { p { (severity(bad)) " " (name(rule)) ": " (sentence(seen)) } }
        }
    };
    let title = format!("{} · {}", episode.item, episode.subject);
    Ok(Page::new(title, json, body))
}

fn one(visit: &Visit, episode: &Episode, at: usize, step: &Step, allowed: bool) -> Markup {
    let failed = episode
        .failed
        .iter()
        .filter(|(of, ..)| *of == Some(at as i32));
    let class = match step.state {
        StepState::Right | StepState::LeftOut => "info",
        StepState::Missed => "warning",
        StepState::WrongType | StepState::Absent => "critical",
    };
    let of = [("row", episode.row.to_string()), ("step", at.to_string())];
    let folder = visit.viewer.screenshots.as_deref().filter(|_| allowed);
    let has_shot = folder.zip(step.screenshot.as_deref());
    let has_shot = has_shot.is_some_and(|(folder, given)| shot(folder, given).is_some());
    let src = address("/screenshot", visit.run().into_iter().chain(of));
    html! {
        div.atom.(class) id=(format!("step-{at}")) {
            p { strong { "Step " (at) } ": " (word(step.state)) }
            @if let Some(expected) = &step.expected { p { "expected " code { (sentence(expected)) } } }
            @for (_, rule, bad, seen) in failed { p { (severity(bad)) " " (name(rule)) ": " (sentence(seen)) } }
            @if has_shot {
                p.shots { img src=(src) alt=(format!("Screenshot before step {at}")) loading="lazy"; }
            }
        }
    }
}

fn word(state: StepState) -> &'static str {
    match state {
        StepState::Right => "right",
        StepState::Missed => "missed its target",
        StepState::WrongType => "wrong type of action",
        StepState::Absent => "no action",
        StepState::LeftOut => "left out",
    }
}

/// The strip, drawn.
pub fn draw(visit: &mut Visit, look: &Look) -> Result<Figure, Refusal> {
    let index = visit.opened.whole_index()?;
    let episode = read(visit, index)?;
    visit.asked.end()?;
    let drawn = Strip {
        title: name(&episode.item),
        rows: vec![StripRow {
            label: name(&episode.item),
            steps: episode.steps.iter().map(|step| step.state).collect(),
        }],
        left_out: 0,
    };
    Ok(strip::draw(&drawn, look))
}

/// A screenshot. The path comes from the recorded episode, never from the request, and leads
/// nowhere but into the folder that the user allowed.
pub fn screenshot(visit: &mut Visit) -> Result<Answer, Refusal> {
    let index = visit.opened.whole_index()?;
    let episode = read(visit, index)?;
    let step = visit.asked.number("step")?.unwrap_or(0);
    visit.asked.end()?;
    let none = || Refusal::nothing("there is no such screenshot");
    let folder = visit.viewer.screenshots.as_deref().ok_or_else(none)?;
    let step = usize::try_from(step)
        .ok()
        .and_then(|at| episode.steps.get(at));
    let given = step
        .and_then(|step| step.screenshot.as_deref())
        .ok_or_else(none)?;
    let (path, kind) = shot(folder, given).ok_or_else(none)?;
    let bytes = std::fs::read(path).map_err(|_| none())?;
    Ok(Answer::image(kind, bytes))
}

/// An image that may be shown, and its kind.
fn shot(folder: &Path, given: &str) -> Option<(PathBuf, &'static str)> {
    let path = within(folder, given)?;
    let mut begin = Vec::new();
    let file = std::fs::File::open(&path).ok()?;
    file.take(16).read_to_end(&mut begin).ok()?;
    Some((path, image(&begin)?))
}

/// The file that is meant, if it lies in the folder, whatever links lead there.
fn within(folder: &Path, given: &str) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    [folder.join(given), PathBuf::from(given)]
        .into_iter()
        .filter_map(|path| path.canonicalize().ok())
        .find(|path| {
            let file = path.metadata().ok().filter(|file| file.is_file());
            path.starts_with(&folder) && file.is_some_and(|file| file.len() <= LARGEST)
        })
}

/// What kind of image it is, by its first bytes: nothing else is sent.
fn image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let place = std::env::temp_dir().join(format!("judica-shots-{}", std::process::id()));
        let folder = place.join("shots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.png"), b"\x89PNG").unwrap();
        std::fs::write(place.join("secret.png"), b"\x89PNG").unwrap();
        assert!(within(&folder, "a.png").is_some());
        assert!(within(&folder, folder.join("a.png").to_str().unwrap()).is_some());
        let secret = place.join("secret.png");
        for given in [
            "../secret.png",
            secret.to_str().unwrap(),
            "",
            ".",
            "b.png",
            "a.png\0",
        ] {
            assert_eq!(within(&folder, given), None, "{given}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, folder.join("link.png")).unwrap();
            assert_eq!(within(&folder, "link.png"), None);
        }
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(image(b"<svg onload=x>"), None);
        assert_eq!(image(b"\x89PNG"), Some("image/png"));
    }
}
