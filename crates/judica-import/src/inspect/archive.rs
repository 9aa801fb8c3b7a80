//! `.eval`: a ZIP whose members are samples, and others that say what the log is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use judica_data::error::DataError;
use judica_data::limits;
use judica_data::ordered::{self, Workers};
use judica_data::place::read_at;
use judica_data::rejects::Raw;
use judica_data::work_error::WorkError;
use serde::de::{DeserializeOwned, DeserializeSeed};
use zip::ZipArchive;
use zip::read::Config;
use zip::unstable::read::ZipIterable;

use super::header::Header;
use super::lenient::{Scalars, plain};
use super::sample::{Attachments, Numbered, RawSample};
use crate::bare::Bare;

/// Members up to this length are held while they are read; longer ones are read as a stream.
const HELD: u64 = 16 << 20;
/// What a member may unpack to.
const MOST: u64 = 16 << 30;
/// Work of a thread at a time: bytes as stored, and members.
const PIECE_BYTES: u64 = 1 << 20;
const PIECE_MEMBERS: usize = 256;

/// An open archive.
pub(super) struct Archive {
    zip: ZipArchive<Handle>,
    /// The members that are samples.
    samples: Vec<usize>,
    /// Entries that stand for a name that comes again.
    pub twice: usize,
}

/// A file that several threads read, each at its own place, and in small steps.
#[derive(Clone)]
struct Handle {
    file: Arc<File>,
    at: u64,
    length: u64,
    /// What was read last, and where it stands.
    piece: Vec<u8>,
    start: u64,
}

/// Bytes that are read at a time.
const STEP: usize = 32 << 10;

impl Read for Handle {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let end = self.start + self.piece.len() as u64;
        if !(self.start..end).contains(&self.at) {
            self.piece.resize(STEP, 0);
            let n = read_at(&self.file, &mut self.piece, self.at)?;
            self.piece.truncate(n);
            self.start = self.at;
        }
        let waiting = &self.piece[(self.at - self.start) as usize..];
        let n = buf.len().min(waiting.len());
        buf[..n].copy_from_slice(&waiting[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// What a member that should be a sample holds.
pub(super) enum Member {
    Sample(Box<RawSample>),
    /// Why it is none.
    Refused(&'static str, String),
}

impl Archive {
    /// Opens an archive, called `name`.
    pub fn open(path: &Path, name: &str) -> Result<Archive, WorkError> {
        let reading = |error| DataError::reading(path, error);
        let file = File::open(path).map_err(reading)?;
        let length = file.metadata().map_err(reading)?.len();
        let handle = Handle {
            file: Arc::new(file),
            at: 0,
            length,
            piece: Vec::new(),
            start: 0,
        };
        let broken = |error: zip::result::ZipError| match error {
            zip::result::ZipError::Io(error)
                if error.kind() != io::ErrorKind::UnexpectedEof
                    && error.raw_os_error().is_some() =>
            {
                WorkError::Data(DataError::reading(path, error))
            }
            error => WorkError::BadInput(format!(
                "{name}: an Inspect log whose ZIP directory cannot be read ({error}): it was cut \
                 short, or is still being written; `inspect log recover` may save its samples"
            )),
        };
        let entries = ZipIterable::try_new(handle.clone(), Config::default());
        let entries = entries.map_err(broken)?.len();
        let zip = ZipArchive::new(handle).map_err(broken)?;
        let samples = (0..zip.len()).filter(|at| {
            let name = zip.name_for_index(*at);
            name.is_some_and(|name| name.is_ok_and(|name| is_sample(&name)))
        });
        Ok(Archive {
            samples: samples.collect(),
            twice: entries.saturating_sub(zip.len()),
            zip,
        })
    }

    /// What the log says of itself, and whether that was written at its end.
    pub fn header(&mut self, name: &str) -> Result<(Header, bool), WorkError> {
        for (member, ended) in [("header.json", true), ("_journal/start.json", false)] {
            let Some(at) = self.zip.index_for_name(member) else {
                continue;
            };
            let stated = self.zip.by_index_data(at).map_or(0, |entry| entry.size());
            if stated > limits::longest() as u64 {
                return Err(limits::too_long(Path::new(name), limits::longest()).into());
            }
            let mut text = Vec::new();
            let read = match read_as(&mut self.zip, at, &mut text) {
                // A list of its values would do as well.
                Ok(_) if text.trim_ascii_start().starts_with(b"[") => {
                    Err("a list, and no header".to_owned())
                }
                read => read,
            };
            return match read {
                Ok(header) => Ok((header, ended)),
                Err(why) => Err(WorkError::BadInput(format!("{name}: {member}: {why}"))),
            };
        }
        Err(WorkError::BadInput(format!(
            "{name}: a ZIP without header.json and _journal/start.json: no Inspect log"
        )))
    }

    /// Hands over every sample with its number, from 1, in the archive's order.
    pub fn samples(
        &self,
        workers: Workers,
        take: &mut (dyn FnMut(u64, Member) -> Result<(), WorkError> + Send),
    ) -> Result<(), WorkError> {
        let mut pieces = self.pieces().into_iter();
        let state = || Ok::<_, WorkError>((self.zip.clone(), Vec::new()));
        ordered::run(
            workers,
            |_| Ok(pieces.next()),
            take,
            state,
            |(zip, buffer), piece, last| {
                let members = self.samples[piece.clone()].iter();
                let members: Vec<Member> = members
                    .map(|at| {
                        let name = zip.name_for_index(*at).and_then(Result::ok);
                        let name = name.map(|name| name.into_owned()).unwrap_or_default();
                        let found = sample(zip, *at, &name, buffer);
                        let refused =
                            |why| Member::Refused("malformed_sample", format!("{name}: {why}"));
                        found.unwrap_or_else(refused)
                    })
                    .collect();
                last.pass(|take| {
                    let numbers = piece.start as u64 + 1..;
                    let mut members = numbers.zip(members);
                    members.try_for_each(|(number, member)| take(number, member))
                })
            },
        )
        .map(drop)
    }

    /// The text of a sample by its number, as far as it can be unpacked and held.
    pub fn text(&self, number: u64) -> Raw {
        let at = (number as usize).checked_sub(1);
        let at = at.and_then(|at| self.samples.get(at));
        let (mut zip, mut text) = (self.zip.clone(), Vec::new());
        if let Some(Ok(member)) = at.map(|at| zip.by_index(*at)) {
            // What comes before the fault is kept.
            let _ = member.take(HELD + 1).read_to_end(&mut text);
        }
        if text.len() as u64 > HELD {
            text.clear();
        }
        text.into()
    }

    /// Pieces of work, by the bytes that are stored.
    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for (at, member) in self.samples.iter().enumerate() {
            let stored = self.zip.by_index_data(*member);
            bytes += stored.map_or(0, |entry| entry.compressed_size());
            if bytes >= PIECE_BYTES || at + 1 - start == PIECE_MEMBERS {
                pieces.push(start..at + 1);
                (start, bytes) = (at + 1, 0);
            }
        }
        if start < self.samples.len() {
            pieces.push(start..self.samples.len());
        }
        pieces
    }
}

/// Samples are `samples/ID_epoch_N.json`, or folders of that name with a `sample.json`. The
/// id may hold anything, `/` as well, and is read from the sample, as the epoch is; so
/// whatever else lies there by itself is one, too.
fn is_sample(name: &str) -> bool {
    let Some(name) = name.strip_prefix("samples/") else {
        return false;
    };
    let whole = name.strip_suffix(".json").unwrap_or_default();
    let parts = name.strip_suffix("/sample.json").unwrap_or_default();
    let has_epoch = |name: &str| {
        let epoch = name.rsplit_once("_epoch_").map(|(_, epoch)| epoch);
        epoch.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    has_epoch(whole) || has_epoch(parts) || !whole.is_empty() && !whole.contains('/')
}

type Zip = ZipArchive<Handle>;

/// Reads a sample, its metadata where that stands beside it, and the texts it refers to.
fn sample(zip: &mut Zip, at: usize, name: &str, buffer: &mut Vec<u8>) -> Result<Member, String> {
    let mut sample: RawSample = read_as(zip, at, buffer)?;
    let folder = name
        .strip_suffix("sample.json")
        .filter(|folder| folder.ends_with('/'));
    let wanted = sample.attachments();
    if let Some(folder) = folder {
        if let Some(at) = zip.index_for_name(&format!("{folder}metadata.json")) {
            let beside: Scalars = read_as(zip, at, buffer)?;
            sample.metadata.0.extend(beside.0);
        }
        sample.resolve(&numbered(zip, folder, &wanted)?);
    } else if !wanted.is_empty() {
        sample.resolve(&read(zip, at, buffer, || Attachments(&wanted))?);
    }
    Ok(match sample.is_cut() {
        true => Member::Refused(
            "text_too_long",
            format!("{name}: a text is longer than the limit (--max-line sets it)"),
        ),
        false => Member::Sample(Box::new(sample)),
    })
}

/// Texts by their number, from lists that follow one another and are named after their first.
fn numbered(
    zip: &mut Zip,
    folder: &str,
    wanted: &[String],
) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    let mut start = 0;
    while found.len() < wanted.len() {
        let Some(at) = zip.index_for_name(&format!("{folder}attachments/{start}.json")) else {
            break;
        };
        let list = || Numbered { wanted, start };
        let (texts, end) = read(zip, at, &mut Vec::new(), list)?;
        found.extend(texts);
        if end == start {
            break;
        }
        start = end;
    }
    Ok(found)
}

fn read_as<T: DeserializeOwned>(
    zip: &mut Zip,
    at: usize,
    buffer: &mut Vec<u8>,
) -> Result<T, String> {
    read(zip, at, buffer, || std::marker::PhantomData::<T>)
}

/// Reads a member. What it says of its length is not believed.
fn read<'s, S: for<'de> DeserializeSeed<'de, Value = V>, V>(
    zip: &mut Zip,
    at: usize,
    buffer: &mut Vec<u8>,
    seed: impl Fn() -> S + 's,
) -> Result<V, String> {
    buffer.clear();
    let member = zip.by_index(at).map_err(|error| error.to_string())?;
    let read = Bare::new(member).take(HELD + 1).read_to_end(buffer);
    read.map_err(|error| error.to_string())?;
    if buffer.len() as u64 <= HELD {
        let mut json = serde_json::Deserializer::from_slice(buffer);
        let value = seed().deserialize(&mut json);
        return value
            .and_then(|value| json.end().map(|()| value))
            .map_err(plain);
    }
    *buffer = Vec::new();
    let member = zip.by_index(at).map_err(|error| error.to_string())?;
    let mut stream = BufReader::new(Bare::new(member)).take(MOST);
    let mut json = serde_json::Deserializer::from_reader(&mut stream);
    let value = seed().deserialize(&mut json);
    let value = value.and_then(|value| json.end().map(|()| value));
    value.map_err(|error| match stream.limit() {
        0 => format!("unpacks to more than {}", limits::shown(MOST)),
        _ => plain(error),
    })
}
