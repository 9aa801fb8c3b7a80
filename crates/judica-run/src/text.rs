//! What was answered, as it stands in the input: found by its place, and shown only if it is
//! still what it was.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use judica_data::fingerprint::fingerprint;
use judica_data::source::Source;
use judica_model::run::Place;

/// The bytes of a record's output, or why they cannot be shown.
pub fn output_row(
    run: &Path,
    place: &Place,
    input_folder: Option<&Path>,
) -> Result<String, String> {
    let (Some(offset), Some(bytes), Some(hash)) = (place.offset, place.bytes, place.hash) else {
        return Err("the run does not say which bytes it is".to_owned());
    };
    let mut changed = false;
    for path in candidates(place.file, run, input_folder) {
        if !path.is_file() {
            continue;
        }
        match row(&path, offset, bytes) {
            Ok(row) if fingerprint(&row) == hash => {
                return Ok(String::from_utf8_lossy(&row).into_owned());
            }
            _ => changed = true,
        }
    }
    Err(match changed {
        true => "the input has changed since the run".to_owned(),
        false => "the input is not there; --inputs DIR names a folder to look in".to_owned(),
    })
}

fn row(path: &Path, offset: u64, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    let read = file.read(&mut magic)?;
    let packed = magic[..read].starts_with(&[0x1f, 0x8b])
        || magic[..read].starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let mut row = Vec::new();
    if packed {
        let mut source = Source::open_unhashed(path).map_err(std::io::Error::other)?;
        std::io::copy(&mut (&mut source).take(offset), &mut std::io::sink())?;
        source.take(bytes).read_to_end(&mut row)?;
    } else {
        // A mark at the beginning that says "UTF-8" is not part of the decompressed stream.
        let mark = u64::from(magic.starts_with(&[0xef, 0xbb, 0xbf])) * 3;
        file.seek(SeekFrom::Start(offset + mark))?;
        file.take(bytes).read_to_end(&mut row)?;
    }
    Ok(row)
}

/// Where an input may stand now: where it was, beside the run folder, or in a folder that
/// the user names, with its folders or without.
pub fn candidates(recorded: &str, run: &Path, input_folder: Option<&Path>) -> Vec<PathBuf> {
    let recorded = PathBuf::from(recorded);
    let mut found = vec![recorded.clone(), run.join(&recorded)];
    let names: Vec<_> = recorded
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .map(|part| part.as_os_str().to_owned())
        .collect();
    for folder in [input_folder, Some(run), run.parent()]
        .into_iter()
        .flatten()
    {
        found.extend((0..names.len()).map(|from| {
            let end: PathBuf = names[from..].iter().collect();
            folder.join(end)
        }));
    }
    found
}
