//! Records as a Parquet table: flat columns for what people filter and group by, the
//! evidence as one nested column.
//!
//! * [`columns`]: which columns there are
//! * [`mod@write`]: evaluated records → a row group

pub mod columns;
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

/// The table's metadata: it says by itself what its records mean.
pub fn metadata_of(
    protocol: &crate::protocol::Protocol,
    trace: &judica_model::record::Trace,
) -> Vec<(String, String)> {
    vec![
        (metadata::SCHEMA.to_owned(), SCHEMA_VERSION.to_owned()),
        (metadata::PROTOCOL.to_owned(), protocol.source.clone()),
        (
            metadata::TRACE.to_owned(),
            serde_json::to_string(trace).unwrap_or_default(),
        ),
    ]
}

#[cfg(test)]
#[path = "sheet_tests.rs"]
mod tests;
