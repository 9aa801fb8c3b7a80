//! The outputs file: what every model answered to every sample, model by model.

use std::io::{self, Write};

use crate::SynthOptions;
use crate::personality::Model;
use crate::plan::plan;
use crate::samples::{CHUNK, names};
use crate::source::Source;
use crate::text::{escaped, timestamp};

/// Outputs between two calls of the progress function.
const PROGRESS: u64 = 4096;

/// Writes every output of the data set and returns their number.
pub(crate) fn write(
    source: &dyn Source,
    options: &SynthOptions,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> io::Result<u64> {
    let shares = plan(source, options)?;
    let mut buffer = Vec::with_capacity(CHUNK + 8192);
    let mut reply = Vec::with_capacity(4096);
    let mut written = 0;
    for model in (0..options.models).map(Model::new) {
        let name = model.name();
        // Place of the sample in the samples file: the second at which it was answered.
        let mut place = 0;
        for share in &shares {
            let mut next = source.replies(options.seed, model, share.index);
            for index in 0..share.samples {
                reply.clear();
                next(index, &mut reply);
                buffer.extend_from_slice(b"{\"model_name\":\"");
                buffer.extend_from_slice(name.as_bytes());
                buffer.extend_from_slice(b"\",");
                names(&mut buffer, share.task, index);
                buffer.extend_from_slice(b"\"timestamp\":\"");
                timestamp(&mut buffer, place);
                buffer.extend_from_slice(b"\",\"raw_response_text\":\"");
                escaped(&mut buffer, &reply);
                buffer.extend_from_slice(b"\"}\n");
                if buffer.len() >= CHUNK {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
                place += 1;
                written += 1;
                if written % PROGRESS == 0 {
                    progress(written);
                }
            }
        }
    }
    out.write_all(&buffer)?;
    progress(written);
    Ok(written)
}
