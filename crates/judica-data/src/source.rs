//! One input as a stream of decompressed bytes, hashed as it lies on disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::foreign;
use crate::limits;
use crate::memory::{self, Held, HeldTable, IN_MEMORY};
use crate::sha256::Sha256;

mod raw;
mod utf16;

use raw::RawInput;
use utf16::Utf16;

/// The path that means standard input.
pub const STDIN: &str = "-";

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];
/// Marks of text in pairs of bytes, and whether the high one stands first.
const UTF16_BOMS: [([u8; 2], bool); 2] = [([0xff, 0xfe], false), ([0xfe, 0xff], true)];
/// Compressed bytes are taken from the disk in pieces of this size.
const COMPRESSED_BUFFER: usize = 256 * 1024;
/// Data packed with a larger window (`zstd --long`) needs more memory than an input may
/// take: 128 MiB, what every decoder accepts unless told otherwise.
const ZSTD_WINDOW_LOG: u32 = 27;

/// What identifies an input: where it was and which bytes it held.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputDigest {
    /// The path as it was given.
    pub path: PathBuf,
    /// SHA-256 of the bytes on disk (compressed, if they are), in hex; empty where
    /// nobody asked for it.
    pub sha256: String,
    /// How many bytes that was.
    pub bytes: u64,
    /// How it was read, where it is a table.
    pub read_as: Option<String>,
}

/// Whether a path is a pipe or a device, which gives what it has once: whoever would read it
/// again waits in vain.
pub fn gives_once(path: &Path) -> bool {
    let gives = |there: std::fs::Metadata| !there.is_file() && !there.is_dir();
    !memory::is_held(path) && std::fs::metadata(path).is_ok_and(gives)
}

/// What is said about tables: `a.csv: read as CSV, delimiter ';', 5 columns, 501 rows`.
pub fn read_as(digests: &[InputDigest]) -> Vec<String> {
    let said = digests.iter().filter_map(|digest| {
        let how = digest.read_as.as_ref()?;
        Some(format!("{}: read as {how}", digest.path.display()))
    });
    let mut said: Vec<String> = said.collect();
    said.dedup();
    said
}

/// An open input. Reading it gives the decompressed bytes without a leading
/// UTF-8 byte order mark.
pub struct Source {
    path: PathBuf,
    decoder: Decoder,
    /// The first bytes, which have been looked at and not yet given.
    lead: Vec<u8>,
    /// How much of that has been given by now.
    given: usize,
    /// Set where the text is UTF-16, which is read as UTF-8.
    utf16: Option<Utf16>,
    offset: u64,
    /// Whether the beginning is kept for [`crate::foreign`], since it cannot be read again.
    remembered: bool,
    /// What it is, where it stands in memory.
    held: Option<Held>,
}

enum Decoder {
    Plain(RawInput),
    Gzip(Box<MultiGzDecoder<BufReader<RawInput>>>),
    Zstd(Box<zstd::Decoder<'static, BufReader<RawInput>>>),
}

impl Source {
    /// Opens a file, or standard input for `-`. Whether it is compressed is
    /// told by its first bytes alone: files get renamed, and servers
    /// decompress behind one's back.
    pub fn open(path: &Path) -> Result<Source, DataError> {
        Self::open_with(path, Some(Sha256::new()))
    }

    /// The same without hashing what is read; [`Source::finish`] then gives a digest
    /// without a hash.
    pub fn open_unhashed(path: &Path) -> Result<Source, DataError> {
        Self::open_with(path, None)
    }

    fn open_with(path: &Path, hasher: Option<Sha256>) -> Result<Source, DataError> {
        let held = memory::held(path);
        let inner: Box<dyn Read + Send> = if let Some(held) = &held {
            held.bytes()
        } else if path == Path::new(STDIN) {
            Box::new(io::stdin())
        } else {
            check(path)?;
            Box::new(File::open(path).map_err(|e| DataError::reading(path, e))?)
        };
        let mut source = Self::over(path, inner, hasher)?;
        source.held = held;
        Ok(source)
    }

    fn over(
        path: &Path,
        inner: Box<dyn Read + Send>,
        hasher: Option<Sha256>,
    ) -> Result<Source, DataError> {
        let mut raw = RawInput::new(inner, hasher);
        let reading = |e| DataError::reading(path, e);
        let magic = raw.peek().map_err(reading)?;
        let decoder = if magic.starts_with(GZIP_MAGIC) {
            let buffered = BufReader::with_capacity(COMPRESSED_BUFFER, raw);
            Decoder::Gzip(Box::new(MultiGzDecoder::new(buffered)))
        } else if is_zstd(magic) {
            let buffered = BufReader::with_capacity(COMPRESSED_BUFFER, raw);
            let mut decoder = zstd::Decoder::with_buffer(buffered).map_err(reading)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(reading)?;
            Decoder::Zstd(Box::new(decoder))
        } else if let Some(format) = cut_magic(path, magic) {
            return Err(DataError::malformed(path, Some(0), cut_short(format)));
        } else {
            Decoder::Plain(raw)
        };
        let mut source = Source {
            path: path.to_owned(),
            decoder,
            lead: Vec::new(),
            given: 0,
            utf16: None,
            offset: 0,
            remembered: path == Path::new(STDIN),
            held: None,
        };
        source.strip_bom()?;
        Ok(source)
    }

    /// Lines of a plain file, the first of which begins at this offset: where the file does,
    /// without its byte order mark.
    pub(crate) fn of_range(
        path: &Path,
        lines: impl Read + Send + 'static,
        offset: u64,
    ) -> Result<Source, DataError> {
        let mut source = Source::plain(path, RawInput::new(Box::new(lines), None));
        match offset {
            0 => source.strip_bom()?,
            _ => source.offset = offset,
        }
        Ok(source)
    }

    fn plain(path: &Path, raw: RawInput) -> Source {
        Source {
            path: path.to_owned(),
            decoder: Decoder::Plain(raw),
            lead: Vec::new(),
            given: 0,
            utf16: None,
            offset: 0,
            remembered: false,
            held: None,
        }
    }

    /// What was read of an input, unpacked and as UTF-8, as an input of its own.
    pub(crate) fn held(path: &Path, bytes: Vec<u8>) -> Source {
        Source {
            lead: bytes,
            ..Source::plain(path, RawInput::new(Box::new(io::empty()), None))
        }
    }

    /// What is unusual about how it is written: packed, or in pairs of bytes.
    pub(crate) fn written_as(&self) -> Option<&'static str> {
        match &self.decoder {
            Decoder::Gzip(_) => Some("gzip"),
            Decoder::Zstd(_) => Some("zstd"),
            Decoder::Plain(_) => self.utf16.as_ref().map(|_| "UTF-16"),
        }
    }

    fn strip_bom(&mut self) -> Result<(), DataError> {
        let mut lead = [0; 4];
        let mut len = 0;
        while len < lead.len() {
            match self.decode(&mut lead[len..])? {
                0 => break,
                n => len += n,
            }
        }
        let lead = &lead[..len];
        // What goes on with two zeros is UTF-32, which nobody here reads.
        let utf16 = |(bom, _): &&([u8; 2], bool)| lead.starts_with(bom) && lead[2..] != [0, 0];
        if let Some(rest) = lead.strip_prefix(&BOM) {
            self.offset = BOM.len() as u64;
            self.lead = rest.to_vec();
        } else if let Some((_, high_first)) = UTF16_BOMS.iter().find(utf16) {
            self.utf16 = Some(Utf16::new(*high_first, &lead[2..]));
        } else {
            self.lead = lead.to_vec();
        }
        Ok(())
    }

    /// Whether what is read is what lies on the disk, and can be read again from there.
    pub(crate) fn is_plain_file(&self) -> bool {
        matches!(self.decoder, Decoder::Plain(_))
            && self.held.is_none()
            && self.utf16.is_none()
            && std::fs::metadata(&self.path).is_ok_and(|there| there.is_file())
    }

    /// The table in memory that it is, if nothing of it was read yet.
    pub(crate) fn held_table(&self) -> Option<Arc<HeldTable>> {
        match &self.held {
            Some(Held::Table(table)) if self.given == 0 => Some(Arc::clone(table)),
            _ => None,
        }
    }

    /// Whether it stands in memory, and is no file.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Whether it is hashed as it is read.
    pub(crate) fn is_hashed(&self) -> bool {
        self.raw().hasher.is_some()
    }

    /// Nothing of it is left to be read: another has read and hashed all of it.
    pub(crate) fn was_read(&mut self, hasher: Option<Sha256>, bytes: u64) {
        let mut raw = RawInput::new(Box::new(io::empty()), hasher);
        raw.bytes = bytes;
        self.decoder = Decoder::Plain(raw);
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where in the decompressed stream the next byte stands. A stripped byte
    /// order mark counts, so that offsets are those a hex viewer shows.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes have been read from the disk so far, for progress.
    pub fn raw_bytes(&self) -> u64 {
        self.raw().bytes
    }

    /// So many of its next bytes, or as many as there are; of one that is damaged what can be
    /// read of it.
    pub fn start(&mut self, longest: usize) -> Vec<u8> {
        let mut start = vec![0; longest];
        let mut filled = 0;
        while filled < longest {
            match self.read_bytes(&mut start[filled..]) {
                Ok(0) | Err(_) => break,
                Ok(n) => filled += n,
            }
        }
        start.truncate(filled);
        start
    }

    /// Reads like [`Read::read`], with an error that says whose fault it is.
    pub fn read_bytes(&mut self, buf: &mut [u8]) -> Result<usize, DataError> {
        let waiting = &self.lead[self.given..];
        let n = if waiting.is_empty() {
            self.decode(buf)?
        } else {
            let n = buf.len().min(waiting.len());
            buf[..n].copy_from_slice(&waiting[..n]);
            self.given += n;
            n
        };
        self.offset += n as u64;
        if self.remembered {
            self.remembered = foreign::remember(&buf[..n]);
        }
        Ok(n)
    }

    /// Reads what is left, which is an error if it is more than [`limits::longest`].
    pub fn read_rest(&mut self) -> Result<Vec<u8>, DataError> {
        self.read_at_most(limits::longest())
    }

    /// Gives back what was read, all of it, to be read again.
    pub fn give_back(&mut self, bytes: Vec<u8>) {
        self.offset -= bytes.len() as u64;
        (self.lead, self.given) = (bytes, 0);
    }

    fn read_values(&mut self) -> Result<Vec<u8>, DataError> {
        let bytes = self.read_rest()?;
        limits::check_values(&self.path, &bytes)?;
        Ok(bytes)
    }

    fn read_at_most(&mut self, most: usize) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        let read = self.by_ref().take(most as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| DataError::reading(&self.path, error))?;
        if bytes.len() > most {
            return Err(limits::too_long(&self.path, most));
        }
        Ok(bytes)
    }

    fn decode(&mut self, buf: &mut [u8]) -> Result<usize, DataError> {
        let Some(mut utf16) = self.utf16.take() else {
            return self.unpack(buf);
        };
        let read = loop {
            let given = utf16.give(buf);
            if given > 0 || buf.is_empty() {
                break Ok(given);
            }
            let mut piece = vec![0; COMPRESSED_BUFFER];
            match self.unpack(&mut piece) {
                Ok(0) if utf16.is_whole() => break Ok(0),
                Ok(0) => {
                    let why = "UTF-16 text is cut short";
                    break Err(DataError::malformed(&self.path, Some(self.offset), why));
                }
                Ok(n) => utf16.take(&piece[..n]),
                Err(error) => break Err(error),
            }
        };
        self.utf16 = Some(utf16);
        read
    }

    fn unpack(&mut self, buf: &mut [u8]) -> Result<usize, DataError> {
        let result = match &mut self.decoder {
            Decoder::Plain(raw) => raw.read(buf),
            Decoder::Gzip(gzip) => gzip.read(buf),
            Decoder::Zstd(zstd) => zstd.read(buf),
        };
        result.map_err(|error| self.blame(error))
    }

    /// The decoders report bad data and a failing disk alike as I/O errors;
    /// the raw input knows whether it was the disk.
    fn blame(&self, error: io::Error) -> DataError {
        let format = match self.decoder {
            Decoder::Gzip(_) if !self.raw().failed => "gzip",
            Decoder::Zstd(_) if !self.raw().failed => "zstd",
            _ => return DataError::reading(&self.path, error),
        };
        let reason = if error.kind() == io::ErrorKind::UnexpectedEof {
            cut_short(format)
        } else if error.to_string().contains("too much memory") {
            format!("{format} data needs a window of more than 128 MiB; pack it without --long")
        } else {
            format!("corrupt {format} data: {error}")
        };
        DataError::malformed(&self.path, Some(self.offset), reason)
    }

    fn raw(&self) -> &RawInput {
        match &self.decoder {
            Decoder::Plain(raw) => raw,
            Decoder::Gzip(gzip) => gzip.get_ref().get_ref(),
            Decoder::Zstd(zstd) => zstd.get_ref().get_ref(),
        }
    }

    /// Reads what is left on disk, undecoded, and gives the digest of it all.
    pub fn finish(self) -> Result<InputDigest, DataError> {
        let mut raw = match self.decoder {
            Decoder::Plain(raw) => raw,
            Decoder::Gzip(gzip) => gzip.into_inner().into_inner(),
            Decoder::Zstd(zstd) => zstd.finish().into_inner(),
        };
        io::copy(&mut raw, &mut io::sink()).map_err(|e| DataError::reading(&self.path, e))?;
        Ok(InputDigest {
            path: self.path,
            sha256: raw.hasher.map_or_else(String::new, Sha256::finish_hex),
            bytes: raw.bytes,
            read_as: self.held.map(|_| format!("JSON lines {IN_MEMORY}")),
        })
    }
}

impl Read for Source {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(self.read_bytes(buf)?)
    }
}

/// Some bytes of a file as it is read: decompressed, and as UTF-8. Only where the file itself
/// is that, no byte before them is touched.
pub fn read_part(path: &Path, offset: u64, bytes: u64) -> Result<Vec<u8>, DataError> {
    let reading = |error| DataError::reading(path, error);
    let mut source = Source::open_unhashed(path)?;
    let mut part = Vec::new();
    if source.is_plain_file() {
        let mut file = File::open(path).map_err(reading)?;
        file.seek(SeekFrom::Start(offset)).map_err(reading)?;
        file.take(bytes).read_to_end(&mut part).map_err(reading)?;
    } else {
        let before = offset.saturating_sub(source.offset());
        io::copy(&mut (&mut source).take(before), &mut io::sink()).map_err(reading)?;
        source.take(bytes).read_to_end(&mut part).map_err(reading)?;
    }
    Ok(part)
}

/// A whole file, decompressed and without a byte order mark. One that is longer than
/// [`limits::longest`] is an error.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, DataError> {
    Source::open_unhashed(path)?.read_rest()
}

/// The same for a JSON text that becomes a tree, which may not hold too many values either.
pub fn read_tree(path: &Path) -> Result<Vec<u8>, DataError> {
    Source::open_unhashed(path)?.read_values()
}

/// The same, and its hash, for what gives its bytes once.
pub fn read_tree_hashed(path: &Path) -> Result<(Vec<u8>, InputDigest), DataError> {
    let mut source = Source::open(path)?;
    let bytes = source.read_values()?;
    Ok((bytes, source.finish()?))
}

/// The same for a file that people write by hand, which is not as long.
pub fn read_by_hand(path: &Path) -> Result<Vec<u8>, DataError> {
    Source::open_unhashed(path)?.read_at_most(limits::longest_by_hand())
}

/// The same as text.
pub fn read_text(path: &Path) -> Result<String, DataError> {
    String::from_utf8(read_by_hand(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        DataError::malformed(path, Some(at), "not UTF-8")
    })
}

/// Fails early, and clearly, on a path that is not there or is a folder: on
/// Linux a folder opens well and fails only when read.
pub(crate) fn check(path: &Path) -> Result<(), DataError> {
    if path == Path::new(STDIN) || memory::is_held(path) {
        return Ok(());
    }
    let metadata = std::fs::metadata(path).map_err(|e| DataError::reading(path, e))?;
    if metadata.is_dir() {
        return Err(DataError::reading(path, io::ErrorKind::IsADirectory.into()));
    }
    Ok(())
}

/// The last part of a path, which is the same wherever it lies.
pub fn base_name(path: &Path) -> String {
    if memory::is_held(path) {
        return path.to_string_lossy().into_owned();
    }
    let whole = path.canonicalize();
    let whole = whole.as_deref().unwrap_or(path);
    let name = whole.file_name().unwrap_or(whole.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Whether bytes begin as compressed ones do.
pub fn begins_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP_MAGIC) || bytes.get(..4).is_some_and(is_zstd)
}

/// A zstd frame, or a skippable frame as some parallel compressors begin with.
fn is_zstd(magic: &[u8]) -> bool {
    magic == ZSTD_MAGIC || matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// The one use of the name: a file too short to hold the mark of the format
/// its name claims (an empty `.gz`, say) was cut, and is not an empty input.
fn cut_magic(path: &Path, magic: &[u8]) -> Option<&'static str> {
    let extension = path.extension()?;
    let formats = [
        (["gz", "gzip"], "gzip", GZIP_MAGIC),
        (["zst", "zstd"], "zstd", ZSTD_MAGIC),
    ];
    formats
        .into_iter()
        .find(|(suffixes, _, mark)| {
            suffixes
                .iter()
                .any(|suffix| extension.eq_ignore_ascii_case(suffix))
                && magic.len() < mark.len()
                && mark.starts_with(magic)
        })
        .map(|(_, format, _)| format)
}

fn cut_short(format: &str) -> String {
    format!("{format} data is cut short")
}

#[cfg(test)]
pub(crate) mod tests;
