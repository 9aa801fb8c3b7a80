//! The samples file: what was asked, and what came to be.

use std::io::{self, Write};

use crate::SynthOptions;
use crate::plan::{plan, sample_id};
use crate::source::{Source, Task};

/// Bytes collected before they are handed to the writer.
pub(crate) const CHUNK: usize = 1 << 16;

/// Writes every sample of the data set and returns their number.
pub(crate) fn write(
    source: &dyn Source,
    options: &SynthOptions,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let mut buffer = Vec::with_capacity(CHUNK + 4096);
    let mut written = 0;
    for share in plan(source, options)? {
        let mut next = source.samples(options.seed, share.index);
        for index in 0..share.samples {
            buffer.push(b'{');
            names(&mut buffer, share.task, index);
            next(index, &mut buffer);
            buffer.extend_from_slice(b"}\n");
            if buffer.len() >= CHUNK {
                out.write_all(&buffer)?;
                buffer.clear();
            }
            written += 1;
        }
    }
    out.write_all(&buffer)?;
    Ok(written)
}

/// Writes which sample of which task a line is about.
pub(crate) fn names(out: &mut Vec<u8>, task: &Task, index: u32) {
    out.extend_from_slice(b"\"sample_id\":\"");
    sample_id(out, task, index);
    out.extend_from_slice(b"\",\"task_id\":\"");
    out.extend_from_slice(task.name.as_bytes());
    out.extend_from_slice(b"\",");
}
