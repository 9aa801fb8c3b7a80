//! Hostile Parquet: a footer that says anything.

use judica_data::table::Tables;
use serde_json::{Map, Value};

use super::door;

const MARK: &[u8] = b"PAR1";

/// A file is read or refused; what is read are objects. Bytes that do not begin like a file are
/// taken for pages and footer, with the marks and the length that belong around them: a 16-bit
/// number in front says how long the footer is.
pub fn run(data: &[u8]) {
    let built = match data.split_first_chunk() {
        Some((length, body)) if !data.starts_with(MARK) => {
            let length = usize::from(u16::from_le_bytes(*length)).min(body.len()) as u32;
            [MARK, body, &length.to_le_bytes(), MARK].concat()
        }
        _ => data.to_vec(),
    };
    let (rows, _) = door::rows(&built, &Tables::default());
    if !built.starts_with(MARK) || !built.ends_with(MARK) {
        return;
    }
    for (_, row) in rows {
        // What only begins like a table is handed on as it stands, and refused line by line.
        let stands = |row: &[u8]| built.windows(row.len().max(1)).any(|here| here == row);
        if let Ok(row) = row
            && !stands(&row)
        {
            serde_json::from_slice::<Map<String, Value>>(&row).expect("a row is an object");
        }
    }
}
