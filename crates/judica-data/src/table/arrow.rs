//! Arrow's own format, in a file or as a stream of messages.
//!
//! Its reader asks for as much memory as a file says that it holds. What cannot be had ends the
//! program, so sizes are held against the bytes that are there first.

use std::io::{Read, Seek, SeekFrom, copy, sink};

use arrow_ipc::reader::{FileReader, StreamReader, read_footer_length};
use arrow_ipc::{Buffer, CompressionType, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::get_frame_content_size;

use super::typed::{Batches, Opened};
use crate::guarded::Guarded;

/// No byte of an LZ4 block stands for more than this many.
const LZ4_AT_MOST: u64 = 255;
/// Nor one of Zstandard, whose shortest block has four bytes and stands for 128 KiB.
const ZSTD_AT_MOST: u64 = 32 << 10;
/// As much as tells how long a frame of Zstandard becomes.
const ZSTD_HEAD: u64 = 18;

pub(super) fn arrow_file(mut input: impl Read + Seek + Send + 'static) -> Opened {
    let messages = messages_of_file(&mut input)?;
    let sizes = messages
        .into_iter()
        .try_for_each(|at| check_message(&mut input, at).map(drop));
    input.rewind()?;
    let reader = FileReader::try_new(input, None)?;
    Ok((reader.schema(), unless(sizes, Guarded(reader))))
}

pub(super) fn arrow_stream(mut input: impl Read + Seek + Send + 'static) -> Opened {
    let mut at = Ok(Some(0));
    while let Ok(Some(begins)) = at {
        at = check_message(&mut input, begins);
    }
    input.rewind()?;
    let reader = StreamReader::try_new(input, None)?;
    Ok((reader.schema(), unless(at.map(drop), Guarded(reader))))
}

/// An error in place of batches that have one.
fn unless(
    sizes: Result<(), ArrowError>,
    batches: impl Iterator<Item = <Batches as Iterator>::Item> + Send + 'static,
) -> Batches {
    match sizes {
        Ok(()) => Box::new(batches),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

fn more_than_there_is(what: &str) -> ArrowError {
    ArrowError::ParseError(format!("{what} tells of more than there is"))
}

/// Where the messages of a file begin, unless they end behind it.
fn messages_of_file(input: &mut (impl Read + Seek)) -> Result<Vec<u64>, ArrowError> {
    let damaged = || more_than_there_is("the footer");
    let mut end = [0; 10];
    let length = input.seek(SeekFrom::End(0))?;
    let before_end = length.checked_sub(end.len() as u64).ok_or_else(damaged)?;
    input.seek(SeekFrom::Start(before_end))?;
    input.read_exact(&mut end)?;
    let footer = read_footer_length(end)?;
    let begin = before_end.checked_sub(footer as u64).ok_or_else(damaged)?;
    let mut bytes = vec![0; footer];
    input.seek(SeekFrom::Start(begin))?;
    input.read_exact(&mut bytes)?;
    let footer =
        root_as_footer(&bytes).map_err(|error| ArrowError::ParseError(error.to_string()))?;
    let blocks = [footer.dictionaries(), footer.recordBatches()];
    let blocks = blocks.into_iter().flatten().flatten();
    let begin = blocks.map(|block| {
        let begin = u64::try_from(block.offset()).ok()?;
        let head = u64::try_from(block.metaDataLength()).ok()?;
        let body = u64::try_from(block.bodyLength()).ok()?;
        let end = begin.checked_add(head)?.checked_add(body)?;
        (end <= length).then_some(begin)
    });
    begin.collect::<Option<_>>().ok_or_else(damaged)
}

/// An error if a buffer of a message is said to become longer than it can; else where the message
/// ends, if there is a whole one that can be understood.
fn check_message(input: &mut (impl Read + Seek), at: u64) -> Result<Option<u64>, ArrowError> {
    let mut word = [0; 4];
    input.seek(SeekFrom::Start(at))?;
    if input.read_exact(&mut word).is_err() {
        return Ok(None);
    }
    if word == [0xff; 4] && input.read_exact(&mut word).is_err() {
        return Ok(None);
    }
    let mut head = Vec::new();
    let length = u64::from(u32::from_le_bytes(word));
    input.take(length).read_to_end(&mut head)?;
    let Ok(message) = root_as_message(&head) else {
        return Ok(None);
    };
    let body = input.stream_position()?;
    let dictionary = message.header_as_dictionary_batch();
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| dictionary?.data());
    let compression = |batch: &RecordBatch| Some(batch.compression()?.codec());
    if let Some((batch, codec)) = batch.and_then(|batch| Some((batch, compression(&batch)?))) {
        for buffer in batch.buffers().into_iter().flatten() {
            if becomes_too_long(input, body, buffer, codec).unwrap_or(false) {
                return Err(more_than_there_is("a compressed buffer"));
            }
        }
    }
    let length = u64::try_from(message.bodyLength()).ok();
    Ok(length.and_then(|length| body.checked_add(length)))
}

/// Whether a compressed buffer is said to become longer than it does, if it is there.
fn becomes_too_long(
    input: &mut (impl Read + Seek),
    body: u64,
    buffer: &Buffer,
    codec: CompressionType,
) -> Option<bool> {
    let place = body.checked_add(buffer.offset().try_into().ok()?)?;
    let length = u64::try_from(buffer.length()).ok()?;
    // What is empty has no bytes of its own, not even its length.
    if length == 0 {
        return None;
    }
    let mut becomes = [0; 8];
    input.seek(SeekFrom::Start(place)).ok()?;
    input.read_exact(&mut becomes).ok()?;
    // Less than nothing stands before bytes that are not compressed.
    let becomes = u64::try_from(i64::from_le_bytes(becomes)).ok()?;
    if codec != CompressionType::ZSTD {
        return Some(becomes / LZ4_AT_MOST > length);
    }
    let packed = length.checked_sub(8)?;
    let mut head = Vec::new();
    input
        .take(packed.min(ZSTD_HEAD))
        .read_to_end(&mut head)
        .ok()?;
    // What a frame says itself is held against its bytes where it is unpacked.
    Some(match get_frame_content_size(&head) {
        Ok(Some(said)) => said != becomes || becomes / ZSTD_AT_MOST > length,
        Ok(None) | Err(_) => {
            input.seek(SeekFrom::Start(place + 8)).ok()?;
            let unpacked = Decoder::new(input.take(packed)).ok()?.take(becomes);
            !matches!(copy(&mut { unpacked }, &mut sink()), Ok(length) if length == becomes)
        }
    })
}
