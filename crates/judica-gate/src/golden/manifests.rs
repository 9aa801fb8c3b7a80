//! Whether each step of a run has a manifest, and each manifest a step.

use std::borrow::Cow;

use judica_data::work_error::WorkError;

use super::capped::Capped;
use super::contents::is_json;
use super::folder::Manifests;

/// A step.
#[derive(Debug)]
pub(super) struct StepRecord<'a> {
    /// Its id.
    pub id: Cow<'a, str>,
    /// Whether a manifest stands beside it.
    pub has_manifest: bool,
}

/// What became of a run's steps.
#[derive(Debug, Default)]
pub(super) struct CheckedSteps {
    /// How many there are.
    pub total: u64,
    /// How many have a manifest.
    pub with_manifest: u64,
    /// Steps that have none, and why.
    pub bare: Capped<(String, &'static str)>,
    /// Manifests of no step, by the path within the folder of runs.
    pub strays: Capped<String>,
    /// Whether an id stands for several steps.
    pub repeated: bool,
}

impl CheckedSteps {
    /// Looks for the manifests of steps. A file is read only if the step needs it.
    pub(super) fn of(
        steps: &[StepRecord],
        manifests: Option<&Manifests>,
        buffer: &mut Vec<u8>,
    ) -> Result<Self, WorkError> {
        let mut checked = CheckedSteps::default();
        let mut path = manifests.map(|found| found.folder.path.clone());
        for step in steps {
            checked.total += 1;
            let file = manifests.and_then(|found| found.of(&step.id));
            let problem = match (file, &mut path) {
                _ if step.has_manifest => None,
                (Some(name), Some(path)) => {
                    path.push(name);
                    let parses = is_json(path, buffer)?;
                    path.pop();
                    (!parses).then_some("not_json")
                }
                _ => Some("no_manifest"),
            };
            match problem {
                None => checked.with_manifest += 1,
                Some(problem) => checked
                    .bare
                    .push(|| (step.id.clone().into_owned(), problem)),
            }
        }
        let mut ids: Vec<&str> = steps.iter().map(|step| step.id.as_ref()).collect();
        ids.sort_unstable();
        checked.repeated = ids.windows(2).any(|pair| pair[0] == pair[1]);
        if let Some(found) = manifests {
            for file in &found.files {
                if ids.binary_search(&file.step()).is_err() {
                    checked.strays.push(|| found.folder.shown(file.name()));
                }
            }
        }
        Ok(checked)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::folder;
    use super::*;

    #[test]
    fn a_manifest_stands_beside_the_step_or_in_a_file_that_parses() {
        let folder = tempfile::tempdir().unwrap();
        let manifests = folder.path().join("r/manifests");
        fs::create_dir_all(&manifests).unwrap();
        for (name, text) in [
            ("file.json", "{}"),
            ("both.json", "{ broken, but not needed"),
            ("broken.json", "{"),
            ("two.json", "{} {}"),
            ("stray.json", "{}"),
        ] {
            fs::write(manifests.join(name), text).unwrap();
        }
        let runs = folder::list(folder.path()).unwrap().runs;
        let files = runs[0].files().unwrap();
        let steps = [
            ("inline", true),
            ("both", true),
            ("file", false),
            ("broken", false),
            ("two", false),
            ("../r/manifests/file", false),
            ("none", false),
            ("file", false),
        ]
        .map(|(id, has_manifest)| StepRecord {
            id: Cow::Borrowed(id),
            has_manifest,
        });
        let checked = CheckedSteps::of(&steps, files.manifests.as_ref(), &mut Vec::new()).unwrap();
        assert_eq!((checked.total, checked.with_manifest), (8, 4));
        assert!(checked.repeated);
        let bare: Vec<_> = checked
            .bare
            .first()
            .iter()
            .map(|(id, why)| format!("{id} {why}"))
            .collect();
        assert_eq!(
            bare,
            [
                "broken not_json",
                "two not_json",
                "../r/manifests/file no_manifest",
                "none no_manifest"
            ]
        );
        assert_eq!(checked.strays.first(), ["r/manifests/stray.json"]);
    }
}
