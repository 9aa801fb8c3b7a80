//! Logs of other harnesses: the ZIP of Inspect, and the JSON of all.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use judica_data::ordered::Workers;
use judica_import::log::{Found, Log};
use judica_import::open::{Candidate, FORMATS};
use judica_run::family::Input;
use zip::write::SimpleFileOptions;

/// What stands between the members of an archive that is built here.
const BETWEEN: &[u8] = b"\n---\n";

/// A log that is recognised is opened or refused; its samples are the same at every reading,
/// with one thread and with two. Bytes that begin with `ZIP` are the members of an archive:
/// what the header says, then samples.
pub fn run(data: &[u8]) {
    let built = data.strip_prefix(b"ZIP").map(archive);
    let bytes = built.as_ref().map_or(data, |(bytes, _)| bytes);
    let mut file = tempfile::Builder::new()
        .suffix(".eval")
        .tempfile()
        .expect("a file");
    file.write_all(bytes).expect("written");
    let found = Candidate {
        path: file.path(),
        start: &bytes[..bytes.len().min(64 << 10)],
    };
    for format in FORMATS.iter().filter(|format| (format.recognise)(&found)) {
        let interrupted = AtomicBool::new(false);
        let mut told = Vec::new();
        for threads in [1, 2] {
            let workers = Workers {
                threads,
                interrupted: &interrupted,
            };
            let Ok(mut log) = (format.open)(&[Input::given("log", file.path())], workers) else {
                break;
            };
            told.extend([samples(&mut *log), samples(&mut *log)]);
            log.aggregates()
                .expect("computed")
                .iter()
                .for_each(|aggregate| {
                    assert!(aggregate.recomputed.is_none_or(f64::is_finite));
                });
        }
        assert!(told.windows(2).all(|pair| pair[0] == pair[1]));
        if let (Some((_, members)), Some(Ok(found))) = (&built, told.first()) {
            assert_eq!(found.len(), *members, "every member is a sample or refused");
        }
    }
}

/// Every sample and every refusal of a log in a line, or why it cannot be read.
fn samples(log: &mut dyn Log) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let read = log.samples(&mut |found| {
        lines.push(match found {
            Found::Sample(sample) => {
                assert!(
                    sample
                        .scores
                        .iter()
                        .all(|score| score.value.is_none_or(f64::is_finite))
                );
                let scores = sample
                    .scores
                    .iter()
                    .map(|score| (&score.scorer, score.value));
                format!(
                    "{} {} {:?}",
                    sample.item,
                    sample.epoch,
                    scores.collect::<Vec<_>>()
                )
            }
            Found::Refused(refused) => format!("{} {}", refused.line, refused.reason),
        });
        Ok(true)
    });
    read.map(|()| lines).map_err(|error| error.to_string())
}

/// An archive of such members, and how many of them are samples.
fn archive(members: &[u8]) -> (Vec<u8>, usize) {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut rest = Some(members);
    let mut count = 0;
    while let Some(here) = rest {
        let at = here
            .windows(BETWEEN.len())
            .position(|window| window == BETWEEN);
        let (member, after) = match at {
            Some(at) => (&here[..at], Some(&here[at + BETWEEN.len()..])),
            None => (here, None),
        };
        let name = match count {
            0 => "header.json".to_owned(),
            _ => format!("samples/{count}_epoch_1.json"),
        };
        let packed = [
            zip::CompressionMethod::Stored,
            zip::CompressionMethod::Deflated,
        ];
        let options = SimpleFileOptions::default().compression_method(packed[count % 2]);
        zip.start_file(name, options).expect("begun");
        zip.write_all(member).expect("written");
        (rest, count) = (after, count + 1);
    }
    (zip.finish().expect("closed").into_inner(), count - 1)
}
