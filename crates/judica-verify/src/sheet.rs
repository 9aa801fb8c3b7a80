//! Records as a Parquet table: flat columns for what people filter and group by, the
//! evidence as one nested column.
//!
//! * [`columns`]: which columns there are
//! * [`write`]: evaluated records → a row group
//! * [`read`]: rows → records, with every atom as it was

pub mod columns;
pub mod read;
pub mod write;

/// Version of the table's shape, kept in the file's metadata.
pub const SCHEMA_VERSION: &str = "judica.records/1";
/// Metadata keys.
pub mod metadata {
    /// Version of the table's shape.
    pub const SCHEMA: &str = "judica.schema_version";
    /// The protocol file, whole.
    pub const PROTOCOL: &str = "judica.protocol";
    /// The trace of every record, as JSON.
    pub const TRACE: &str = "judica.trace";
}
