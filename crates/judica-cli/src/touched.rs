//! What a command reads and what it writes, told before it does either, so that one check
//! keeps both apart for every command.

use std::fs::DirEntry;
use std::path::{Component, Path, PathBuf};

use judica_data::atomic::{Destination, destination};
use judica_data::identity::{Identity, identity};
use judica_data::{listing, memory};
use judica_gate::check::named_files;
use judica_run::manifest::Manifest;
use judica_run::manifest::name::MANIFEST;

use crate::failure::Failure;

/// Standard input and output.
const STREAM: &str = "-";

/// The files and folders of one command.
#[derive(Debug, Default)]
pub struct Touched {
    reads: Vec<PathBuf>,
    /// Files, and what to call the option that names them.
    writes: Vec<(String, PathBuf)>,
    /// Folders in which files of any name are written.
    fills: Vec<(String, PathBuf)>,
    /// Folders whose runs are replaced as a whole, and what to call the option that names them.
    runs: Vec<(String, PathBuf)>,
    /// Gates files, which are read with the files that their gates name.
    gates: Vec<PathBuf>,
    /// What is read if it is a file, and else is the name of something built in.
    perhaps: Vec<PathBuf>,
    /// Files that somebody else writes, and who.
    kept: Vec<(String, PathBuf)>,
}

impl Touched {
    /// Files, or folders with all they hold, that are read.
    pub fn reads<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let is_file = |path: &&PathBuf| path.as_os_str() != STREAM && !memory::is_held(path);
        let paths = paths.into_iter().filter(is_file);
        self.reads.extend(paths.cloned());
        self
    }

    /// Gates files, with what their gates name.
    pub fn reads_gates<'a>(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
        self.gates.extend(paths.iter().cloned());
        self.reads(&paths)
    }

    /// A file, unless what stands there is a name.
    pub fn reads_if_file(mut self, path: PathBuf) -> Self {
        self.perhaps.push(path);
        self
    }

    /// A file that is written.
    pub fn writes<'a>(mut self, option: &str, path: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let paths = path.into_iter().cloned();
        self.writes
            .extend(paths.map(|path| (option.to_owned(), path)));
        self
    }

    /// A file that is written, where `-` is standard output.
    pub fn writes_or_prints(self, option: &str, path: &PathBuf) -> Self {
        let file = Some(path).filter(|path| path.as_os_str() != STREAM);
        self.writes(option, file)
    }

    /// Files that are written into a folder.
    pub fn writes_in(self, option: &str, folder: &Path, names: &[&str]) -> Self {
        let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        self.writes(option, &paths)
    }

    /// The files of a run, which takes the place of one that stands there.
    pub fn leaves_run(mut self, option: &str, folder: &Path, names: &[&str]) -> Self {
        self.runs.push((option.to_owned(), folder.to_owned()));
        self.writes_in(option, folder, names)
    }

    /// A folder in which files of any name are written.
    pub fn fills(mut self, option: &str, folder: PathBuf) -> Self {
        self.fills.push((option.to_owned(), folder));
        self
    }

    /// The same of a command that is run in a folder, patterns being what they match there.
    pub fn below(mut self, folder: &Path) -> Self {
        let join = |path: &mut PathBuf| *path = folder.join(&*path);
        self.reads.iter_mut().for_each(join);
        self.reads = (self.reads.into_iter())
            .flat_map(|path| listing::matched(&[path]).unwrap_or_default())
            .collect();
        self.gates.iter_mut().for_each(join);
        self.perhaps.iter_mut().for_each(join);
        let named = self.writes.iter_mut().chain(&mut self.fills);
        let named = named.chain(&mut self.runs);
        named.for_each(|(_, path)| join(path));
        self
    }

    /// What another command reads must stay.
    pub fn keeps_inputs_of(mut self, other: &Touched) -> Self {
        self.reads.extend_from_slice(&other.reads);
        self.gates.extend_from_slice(&other.gates);
        self.perhaps.extend_from_slice(&other.perhaps);
        self
    }

    /// What another command writes is written, and said to be somebody's.
    pub fn outputs_of(mut self, who: &str, other: &Touched) -> Self {
        let named = |(option, path): &(String, PathBuf)| (format!("{who} {option}"), path.clone());
        self.writes.extend(other.writes.iter().map(named));
        self.fills.extend(other.fills.iter().map(named));
        self.runs.extend(other.runs.iter().map(named));
        self
    }

    /// What another command writes must stay, but for what some options of it name, unless that
    /// is a run.
    pub fn keeps_outputs_of(mut self, who: &str, other: &Touched, but: &[&str]) -> Self {
        let in_run = |path: &PathBuf| other.runs.iter().any(|(_, run)| path.starts_with(run));
        let stays =
            |(option, path): &&(String, PathBuf)| !but.contains(&option.as_str()) || in_run(path);
        let kept = other.writes.iter().filter(stays);
        self.kept
            .extend(kept.map(|(_, path)| (who.to_owned(), path.clone())));
        self
    }

    /// Refuses outputs that would take the place of an input or of each other, that lie in
    /// a folder of inputs, where the next run would read them as such, or that no file can
    /// take the place of. The loss would be found too late.
    pub fn check(&self) -> Result<(), Failure> {
        let named: Vec<PathBuf> = self.gates.iter().flat_map(|it| named_files(it)).collect();
        let files = self.perhaps.iter().filter(|path| path.is_file());
        let reads: Vec<(&PathBuf, Spot)> = (self.reads.iter().chain(&named).chain(files))
            .map(|path| (path, Spot::of(path)))
            .collect();
        let mut written: Vec<(Spot, &str, &PathBuf)> = Vec::new();
        let removed = self.removed();
        for (option, path) in self.writes.iter().chain(&removed) {
            let refuse = |why: String| {
                let message = format!("{option} {}{why}", path.display());
                Err(Failure::Usage(message))
            };
            if path.as_os_str() == STREAM {
                return refuse(": a file is needed; --json prints the report".to_owned());
            }
            match destination(path) {
                // What goes into a device takes nobody's place.
                Ok(Destination::Stream) if !is_pipe(path) => continue,
                Ok(_) => {}
                // Whether it can be written is told when it is.
                Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                    return refuse(" is a folder; a file is needed".to_owned());
                }
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                    return refuse(format!(": {error}"));
                }
                Err(_) => {}
            }
            let spot = Spot::of(path);
            if let Some(run) = self.run_of(&spot.path) {
                return refuse(format!(
                    " is a file of the run in {}; write it elsewhere",
                    run.display()
                ));
            }
            if let Some((input, _)) = reads.iter().find(|(_, read)| read.is(&spot)) {
                return refuse(format!(" would overwrite the input {}", input.display()));
            }
            if let Some((folder, input)) = folder_over(path, &reads) {
                return Err(Failure::Usage(format!(
                    "{option} {} would overwrite the input {}",
                    folder.display(),
                    input.display()
                )));
            }
            if let Some((input, _)) = reads.iter().find(|(_, read)| read.holds(&spot)) {
                return refuse(format!(
                    " lies in {}, which is read; write it elsewhere",
                    input.display()
                ));
            }
            if let Some((_, other, _)) = written.iter().find(|(other, ..)| other.is(&spot)) {
                let writer = other.trim_end_matches(':');
                return refuse(format!(" would overwrite what {writer} writes"));
            }
            let kept = |(_, kept): &&(String, PathBuf)| Spot::of(kept).is(&spot);
            if let Some((who, _)) = self.kept.iter().find(kept) {
                let who = who.trim_end_matches(':');
                return refuse(format!(" would overwrite what {who} writes"));
            }
            written.push((spot, option, path));
        }
        written.retain(|(spot, ..)| spot.identity.is_some());
        for (_, read) in reads.iter().filter(|_| !written.is_empty()) {
            let hit = read.find_within(|file| {
                let mut there = written.iter();
                there.find(|(spot, ..)| spot.identity == Some(file))
            });
            if let Some((input, (_, option, path))) = hit {
                return Err(Failure::Usage(format!(
                    "{option} {} would overwrite the input {}",
                    path.display(),
                    input.display()
                )));
            }
        }
        for (option, folder) in &self.fills {
            let spot = Spot::of(folder);
            let clash = |read: &Spot| read.is(&spot) || read.holds(&spot) || spot.holds(read);
            if let Some((input, _)) = reads.iter().find(|(_, read)| clash(read)) {
                return Err(Failure::Usage(format!(
                    "{option} would write to {}, where the input {} is; write elsewhere",
                    folder.display(),
                    input.display()
                )));
            }
        }
        Ok(())
    }
}

impl Touched {
    /// The files of runs that are replaced which the new ones do not write: they go.
    fn removed(&self) -> Vec<(String, PathBuf)> {
        let of_run = |(option, folder): &(String, PathBuf)| {
            let earlier = Manifest::read(folder).map(|earlier| earlier.files);
            let names = earlier.unwrap_or_default().into_keys();
            let files = names.map(|name| (option.clone(), folder.join(name)));
            let files = files.filter(|file| !self.writes.contains(file));
            files.collect::<Vec<_>>()
        };
        self.runs.iter().flat_map(of_run).collect()
    }

    /// The finished run that a file belongs to, unless the command replaces that run.
    fn run_of<'p>(&self, file: &'p Path) -> Option<&'p Path> {
        let (folder, name) = (file.parent()?, file.file_name()?.to_str()?);
        let ours = |(_, run): &(String, PathBuf)| whereabouts(run) == folder;
        if !folder.join(MANIFEST).is_file() || self.runs.iter().any(ours) {
            return None;
        }
        let manifest = Manifest::read(folder).ok()?;
        (name == MANIFEST || manifest.files.contains_key(name)).then_some(folder)
    }
}

/// The folder of an output, where it names a file that is an input.
fn folder_over<'a>(
    output: &'a Path,
    reads: &[(&'a PathBuf, Spot)],
) -> Option<(&'a Path, &'a Path)> {
    let folder = output.parent().filter(|folder| folder.is_file())?;
    let spot = Spot::of(folder);
    let (input, _) = reads.iter().find(|(_, read)| read.is(&spot))?;
    Some((folder, input))
}

fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        std::fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A place in the file system, the same however its path is spelt.
struct Spot {
    path: PathBuf,
    /// What the file system calls the file, which is one for all its hard links and all
    /// spellings of its name.
    identity: Option<Identity>,
}

impl Spot {
    fn of(path: &Path) -> Spot {
        // A link to what does not exist yet leads somewhere, too.
        let target = match destination(path) {
            Ok(Destination::File(target)) => target,
            _ => path.to_owned(),
        };
        Spot {
            identity: identity(&target),
            path: whereabouts(&target),
        }
    }

    fn is(&self, other: &Spot) -> bool {
        let same_file = self.identity.is_some() && self.identity == other.identity;
        same_file || self.path == other.path || alike(&self.path, &other.path)
    }

    /// Whether the other place lies in this folder.
    fn holds(&self, other: &Spot) -> bool {
        let folder = self.path.is_dir();
        folder && self.path != other.path && other.path.starts_with(&self.path)
    }

    /// The first file in this folder or below it of which something is `wanted`: a file
    /// there may have another name elsewhere, and a link there leads elsewhere. Hidden
    /// files are nobody's inputs, and links to folders are not followed, so that none leads
    /// round in a circle.
    fn find_within<T>(&self, wanted: impl Fn(Identity) -> Option<T>) -> Option<(PathBuf, T)> {
        let mut waiting = vec![self.path.clone()];
        while let Some(folder) = waiting.pop() {
            let (Some((device, _)), Ok(entries)) = (identity(&folder), folder.read_dir()) else {
                continue;
            };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if entry.file_name().as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                let file = match kind {
                    kind if kind.is_dir() => {
                        waiting.push(entry.path());
                        None
                    }
                    kind if kind.is_symlink() => identity(&entry.path()),
                    _ => listed(device, &entry),
                };
                if let Some(found) = file.and_then(&wanted) {
                    return Some((entry.path(), found));
                }
            }
        }
        None
    }
}

/// The identity of a file in a folder on a device. On Unix a folder tells the numbers of its
/// files, so that nobody has to ask each.
#[cfg(unix)]
fn listed(device: u64, entry: &DirEntry) -> Option<Identity> {
    use std::os::unix::fs::DirEntryExt;
    Some((device, entry.ino()))
}

#[cfg(windows)]
fn listed(_: u64, entry: &DirEntry) -> Option<Identity> {
    identity(&entry.path())
}

/// Whether two names are one where case does not count.
fn alike(one: &Path, other: &Path) -> bool {
    let folds = cfg!(any(windows, target_os = "macos"));
    let folded = |path: &Path| path.to_string_lossy().to_lowercase();
    folds && folded(one) == folded(other)
}

/// A path that is the same however it is written; links are followed as far as they lead,
/// and what does not exist yet is taken as it is written.
fn whereabouts(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut there = path.as_path();
    loop {
        if let Ok(found) = there.canonicalize() {
            // What comes below the part that exists can only be taken as it is written.
            let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
            let mut place = found;
            for part in rest.components() {
                match part {
                    Component::ParentDir => drop(place.pop()),
                    part => place.push(part),
                }
            }
            return place;
        }
        match there.parent() {
            Some(parent) => there = parent,
            None => return path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_many_spellings() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let fails = |touched: Touched| touched.check().is_err();
        let writes = |name: &str| Touched::default().writes("--a", &[at(name)]);
        assert_eq!(
            whereabouts(&at("new/r.json")),
            whereabouts(&at("./new/./r.json"))
        );
        assert_eq!(
            whereabouts(&at("new/r.json")),
            whereabouts(&at("new/../new/r.json"))
        );
        assert_ne!(
            whereabouts(&at("new/r.json")),
            whereabouts(&at("new/s.json"))
        );
        assert!(fails(writes("x/1").writes("--b", &[at("x/./1")])));
        assert!(!fails(writes("x/1").writes("--b", &[at("x/2")])));
        assert!(fails(writes("x/1").reads(&[folder.path().to_owned()])));
        assert!(!fails(writes("x/1").reads(&[at("y")])));
        let stream = PathBuf::from("-");
        assert!(fails(Touched::default().writes("--a", [&stream])));
        assert!(fails(writes(".")));
    }

    #[test]
    fn hard_links_hide_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("data")).unwrap();
        std::fs::write(at("data/in"), "in").unwrap();
        std::fs::hard_link(at("data/in"), at("hard")).unwrap();
        for read in ["data/in", "data"] {
            let writes = |name: &str| {
                let touched = Touched::default().reads(&[at(read)]);
                touched.writes("--out", &[at(name)]).check()
            };
            assert!(writes("hard").is_err(), "{read}");
            assert!(writes("other").is_ok(), "{read}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_hide_nothing() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("data")).unwrap();
        std::fs::write(at("data/in"), "in").unwrap();
        std::fs::hard_link(at("data/in"), at("hard")).unwrap();
        symlink("data/in", at("soft")).unwrap();
        symlink("data", at("way")).unwrap();
        symlink("later", at("dangling")).unwrap();
        let read = || Touched::default().reads(&[at("data/in")]);
        for name in ["data/in", "hard", "soft", "way/in", "data/../data/in"] {
            assert!(
                read().writes("--out", &[at(name)]).check().is_err(),
                "{name}"
            );
        }
        for name in ["way/out", "other", "dangling"] {
            assert!(
                read().writes("--out", &[at(name)]).check().is_ok(),
                "{name}"
            );
        }
        // A folder is read with all it holds, by whatever name.
        std::fs::create_dir_all(at("top/sub/.git")).unwrap();
        for (file, other) in [("kept", "top/sub/.git/x"), ("elsewhere", "top/sub/hard")] {
            std::fs::write(at(file), "").unwrap();
            std::fs::hard_link(at(file), at(other)).unwrap();
        }
        symlink("..", at("top/round")).unwrap();
        std::fs::write(at("far"), "").unwrap();
        symlink("../far", at("top/soft")).unwrap();
        for (name, refused) in [
            ("elsewhere", true),
            ("far", true),
            ("kept", false),
            ("soft", false),
        ] {
            let touched = Touched::default().reads(&[at("top")]);
            let found = touched.writes("--out", &[at(name)]).check();
            assert_eq!(found.is_err(), refused, "{name}");
        }
        let twice = Touched::default().writes("--a", &[at("dangling"), at("later")]);
        assert!(twice.check().is_err());
        assert!(read().fills("--out", at("way")).check().is_err());
        assert!(read().fills("--out", at("elsewhere")).check().is_ok());
        let device = PathBuf::from("/dev/null");
        let null = Touched::default().writes("--a", [&device, &device]);
        assert!(null.check().is_ok());
    }
}
