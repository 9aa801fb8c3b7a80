//! Finding one row without decoding the table.

use ::parquet::file::statistics::Statistics;

use super::{Projection, TableError, TableReader};

impl TableReader {
    /// The first row whose flat text column holds `wanted`, as row group and
    /// row within it. Only that column is decoded, and only in row groups
    /// whose bounds admit the text.
    pub fn find_text(
        &mut self,
        column: &str,
        wanted: &str,
    ) -> Result<Option<(usize, usize)>, TableError> {
        let flat = &self.spec().flat;
        let Some(leaf) = flat.iter().position(|held| held.name == column) else {
            return Err(TableError::column(column, "is not a flat column here"));
        };
        for group in 0..self.row_groups() {
            if !self.may_hold(group, leaf, wanted) {
                continue;
            }
            let read = self.read(group, Projection::Columns(&[column]))?;
            let Some(held) = read.column(column) else {
                continue;
            };
            if let Some(row) = (0..read.rows).find(|&row| held.text(row) == Some(wanted)) {
                return Ok(Some((group, row)));
            }
        }
        Ok(None)
    }

    fn may_hold(&self, group: usize, leaf: usize, wanted: &str) -> bool {
        let chunk = self.footer().row_group(group).column(leaf);
        let Some(Statistics::ByteArray(bounds)) = chunk.statistics() else {
            return true;
        };
        let wanted = wanted.as_bytes();
        bounds.min_opt().is_none_or(|least| least.data() <= wanted)
            && bounds.max_opt().is_none_or(|most| most.data() >= wanted)
    }
}
