//! Records that were stored: read back from a run folder, whichever format they were
//! written in, with every atom as it was.
//!
//! * [`record`]: one record, owned
//! * [`sheet`]: from `records.parquet`
//! * [`lines`]: from `records.jsonl`
//! * [`folder`]: the run folder as a whole

pub mod folder;
pub mod lines;
pub mod record;
pub mod sheet;
