//! The samples file: what was asked, and what came to be.

use std::io::{self, Write};

use crate::SynthOptions;
use crate::plan::{plan, sample_id};
use crate::plant::Plant;
use crate::text::{escaped, fixed, integer};
use crate::truth::Truth;

/// Bytes collected before they are handed to the writer.
pub(crate) const CHUNK: usize = 1 << 16;

/// Writes every sample of the data set and returns their number.
pub(crate) fn write<const N: usize, P: Plant<N>>(
    options: &SynthOptions,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let mut buffer = Vec::with_capacity(CHUNK + 4096);
    let mut written = 0;
    for share in plan::<N, P>(options)? {
        let mut truth = Truth::<N, P>::start(options.seed, share.index);
        for index in 0..share.samples {
            buffer.extend_from_slice(b"{\"sample_id\":\"");
            sample_id(&mut buffer, share.task, index);
            buffer.extend_from_slice(b"\",\"task_id\":\"");
            buffer.extend_from_slice(share.task.name.as_bytes());
            buffer.extend_from_slice(b"\",\"context\":{\"question\":\"");
            escaped(&mut buffer, share.task.question.as_bytes());
            buffer.extend_from_slice(b"\",\"current_state\":");
            state::<N, P>(&mut buffer, std::slice::from_ref(truth.now()), false);
            buffer.extend_from_slice(b",\"record_idx\":");
            integer(&mut buffer, u64::from(index));
            let array = share.task.horizon > 0;
            let key: &[u8] = if array { b"T+1" } else { b"next_second" };
            buffer.extend_from_slice(b"},\"gold\":{\"");
            buffer.extend_from_slice(key);
            buffer.extend_from_slice(b"\":");
            state::<N, P>(&mut buffer, truth.next(), array);
            buffer.extend_from_slice(b",\"available\":true}}\n");
            if buffer.len() >= CHUNK {
                out.write_all(&buffer)?;
                buffer.clear();
            }
            truth.advance();
            written += 1;
        }
    }
    out.write_all(&buffer)?;
    Ok(written)
}

fn state<const N: usize, P: Plant<N>>(out: &mut Vec<u8>, states: &[[f64; N]], array: bool) {
    let mut separator: &[u8] = b"{\"";
    for (i, field) in P::FIELDS.iter().enumerate() {
        out.extend_from_slice(separator);
        separator = b",\"";
        out.extend_from_slice(field.name.as_bytes());
        out.extend_from_slice(b"\":");
        for (step, state) in states.iter().enumerate() {
            if array {
                out.push(if step == 0 { b'[' } else { b',' });
            }
            fixed(out, state[i], field.decimals);
        }
        if array {
            out.push(b']');
        }
    }
    out.push(b'}');
}
