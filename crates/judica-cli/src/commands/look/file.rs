//! What a file is.

use std::path::Path;

use judica_data::foreign::fit::{Fit, by_key, encoding, fits, no_use};
use judica_data::foreign::head::{BYTES, Head};
use judica_data::foreign::shapes::known_names;
use judica_data::prices::PriceList;
use judica_data::source::{read_text, read_tree};
use judica_data::work_error::WorkError;
use judica_gate::check::can_be_gated;
use judica_import::open::harness_of;
use judica_model::table::counted;
use judica_verify::protocol::load::load;

use super::Found;

/// What people write by hand is no longer.
const BY_HAND: u64 = 1 << 20;
/// Bytes that are looked at where the first row is long.
const LONG_ROW: usize = 64 << 20;

/// Looks at so many bytes of a file.
pub fn look(path: &Path, bytes: usize) -> Result<Found, WorkError> {
    let mut found = Found {
        usable: true,
        ..Found::default()
    };
    if let Some(fit) = by_hand(path) {
        found.usable = !fit.commands.is_empty();
        found.fits.push(fit);
        return Ok(found);
    }
    let head = match Head::of(path, &known_names(), bytes) {
        // One row may be longer than what is looked at.
        Ok(head) if head.looked == 0 && !head.whole && bytes == BYTES && path.is_file() => {
            return look(path, LONG_ROW);
        }
        Ok(head) => head,
        // A header that no reader takes may be one that is known all the same.
        Err(error) => {
            let head = Head::of(path, &[], bytes);
            let known = head.ok().and_then(|head| no_use(&head));
            found.fits.push(known.ok_or(error)?);
            found.usable = false;
            return Ok(found);
        }
    };
    if let Some(harness) = harness_of(path) {
        let what = format!("a log of {}", harness.title());
        let command = "judica import IN --run a-run";
        found.fits.push(fit("log", what, &[command]));
    } else {
        found.fits = fits(&head);
        // Some reports are read by people alone.
        let mut reports = found.fits.iter_mut().filter(|fit| fit.name == "report");
        if let Some(report) = reports.find(|_| !holds_metrics(path, &head)) {
            report.commands.clear();
            report.advice = Some("It holds no metric that a gate could ask for.".to_owned());
        }
    }
    if found.fits.is_empty() {
        found.usable = unknown(path, &head, &mut found);
    }
    found.notes.extend(notes(&found, &head));
    // Of what is no text there is nothing to show.
    found.head = Some(head).filter(|head| found.usable && head.looked > 0);
    Ok(found)
}

/// What else is worth knowing of what can be read.
fn notes(found: &Found, head: &Head) -> Vec<String> {
    let mut notes = Vec::new();
    if !found.usable {
        return notes;
    }
    if let Some(Fit { what, advice, .. }) = encoding(head) {
        let advice = advice.unwrap_or_default();
        notes.push(format!("Some rows cannot be read: it is {what}.\n{advice}"));
    }
    // Answers in columns of other names look like ratings, or like words beside numbers.
    let texts = head.columns.iter().filter(|column| column.is("text"));
    let texts = texts.count();
    let guessed = |fit: &Fit| match fit.name.as_str() {
        "ratings" => fit.what.starts_with("ratings, wide"),
        "scores" => texts > 2,
        _ => false,
    };
    if !found.fits.is_empty() && found.fits.iter().all(guessed) {
        notes.push(
            "If a column holds the right answers:\njudica match --predictions FILE --gold COLUMN \
             --prediction COLUMN"
                .to_owned(),
        );
    }
    notes
}

/// What has no shape that is known; whether anything can be made of it.
fn unknown(path: &Path, head: &Head, found: &mut Found) -> bool {
    // What rows of a table say, its head does not.
    let is_read = head.table && head.looked > 0;
    if let Some(fit) = no_use(head).filter(|_| !is_read) {
        found.fits.push(fit);
        return false;
    }
    if !head.top.is_empty() && head.within.is_none() {
        if let Some(prices) = prices(path) {
            found.fits.push(prices);
            return true;
        }
        if holds_metrics(path, head) {
            let what = "a JSON document of no kind that is known; as a report it can be gated";
            let command = "judica gate init --report IN --out gates.toml";
            found
                .fits
                .push(fit("document", what.to_owned(), &[command]));
            return true;
        }
        if let Some(rows) = by_key(head) {
            found.fits.push(rows);
            return true;
        }
    }
    if head.table || head.looked > 0 && head.broken * 2 <= head.rows {
        let what = match (head.looked, &head.first_broken) {
            (0, Some(first)) => format!("a table of which no row can be read; {first}"),
            (0, None) => "a table without rows".to_owned(),
            _ if !head.top.is_empty() => "a JSON document of no kind that is known".to_owned(),
            _ => "rows of no kind that is known".to_owned(),
        };
        let mut fit = fit("table", what, &[]);
        let advice = (head.looked > 0).then(|| {
            "Say where things stand. Predictions and their gold: judica match --predictions \
             FILE --gold COLUMN --prediction COLUMN. Ratings: judica agree ratings --input FILE \
             --item COLUMN --rater COLUMN --value COLUMN --level nominal. Scores of any other \
             tool: judica import FILE --as table --item COLUMN --metric COLUMN --run DIR."
                .to_owned()
        });
        fit.advice = advice;
        found.fits.push(fit);
        return head.looked > 0;
    }
    found.fits.push(fit(
        "other",
        "text of no kind that is known".to_owned(),
        &[],
    ));
    false
}

/// Whether a gates file can be made of a document.
fn holds_metrics(path: &Path, head: &Head) -> bool {
    let small = head.bytes.is_some_and(|bytes| bytes <= LONG_ROW as u64);
    match head.whole {
        true => can_be_gated(&head.start),
        false if small => read_tree(path).is_ok_and(|report| can_be_gated(&report)),
        false => false,
    }
}

/// Something that is known.
pub fn fit(name: &str, what: String, commands: &[&str]) -> Fit {
    Fit {
        name: name.to_owned(),
        what,
        why: None,
        options: String::new(),
        commands: commands.iter().map(|said| (*said).to_owned()).collect(),
        advice: None,
    }
}

/// What people write by hand: protocols, gates, releases, prices.
fn by_hand(path: &Path) -> Option<Fit> {
    let small = std::fs::metadata(path).is_ok_and(|there| there.len() <= BY_HAND);
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    if !small || !matches!(end.as_str(), "toml" | "yaml" | "yml") {
        return None;
    }
    if end != "toml" {
        return prices(path).or_else(|| Some(fit("other", "YAML".to_owned(), &[])));
    }
    let text = read_text(path).ok()?;
    let section = |name: &str| text.lines().any(|line| line.trim() == name);
    let eval = "judica eval --protocol IN --samples <samples> --outputs <outputs> --out a-run";
    if section("[[gate]]") {
        let pointers = text.lines().any(|line| {
            let value = line.trim().strip_prefix("metric").map(str::trim_start);
            let value = value.and_then(|rest| rest.strip_prefix('='));
            value.is_some_and(|value| value.trim_start().starts_with("\"/"))
        });
        let command = match pointers {
            true => "judica gate check --report <report> --gates IN",
            false => "judica gate check <run> --gates IN",
        };
        return Some(fit("gates", "a gates file".to_owned(), &[command]));
    }
    if section("[[step]]") {
        let what = "the config of a release".to_owned();
        return Some(fit("release", what, &["judica release --config IN"]));
    }
    match load(&path.to_string_lossy()) {
        Ok(protocol) => {
            let name = &protocol.name;
            let fields = counted(protocol.fields.len() as u64, ["field", "fields"]);
            let rules = counted(protocol.rules.len() as u64, ["rule", "rules"]);
            let what = format!("the protocol `{name}`: {fields}, {rules}");
            Some(fit("protocol", what, &["judica rules --protocol IN", eval]))
        }
        Err(_) => prices(path).or_else(|| {
            let what = "TOML: no gates, no release, no prices; if it is a protocol, this says \
                        what is wrong with it";
            Some(fit(
                "toml",
                what.to_owned(),
                &["judica rules --protocol IN"],
            ))
        }),
    }
}

fn prices(path: &Path) -> Option<Fit> {
    let small = std::fs::metadata(path).is_ok_and(|there| there.len() <= BY_HAND);
    let list = PriceList::open(path).ok().filter(|_| small)?;
    let priced = |name: &&str| matches!(list.of(name), Ok(Some(price)) if !price.is_empty());
    let models = list.names().filter(priced).count();
    let command = "judica efficiency --predictions <predictions> --prices IN";
    let what = format!("prices of {models} models");
    (models > 0).then(|| fit("prices", what, &[command]))
}
