//! Any file at all, where rows are expected: lines, lists, one value after the other, tables,
//! packed or not.

use judica_data::table::Tables;
use serde_json::Value;

use super::door;

/// However it is cut into pieces, its rows are the same; a list of objects has as many rows as
/// members, each of them as it stands there.
pub fn run(data: &[u8]) {
    let (rows, ended) = door::rows(data, &Tables::default());
    let Ok(Value::Array(list)) = serde_json::from_slice(data) else {
        return;
    };
    ended.expect("a list can be read");
    let read = rows.iter().map(|(_, row)| {
        let row = row.as_ref().expect("whole");
        serde_json::from_slice::<Value>(row).expect("JSON")
    });
    assert_eq!(read.collect::<Vec<_>>(), list);
}
