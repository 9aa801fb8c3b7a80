//! Columns as they are read back: the owned mirror of what was handed in.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, StructArray};

use super::{ColumnData, ColumnKind, ColumnSpec, TableError, Values};

/// Values of one column, one entry per slot; null slots hold a filler.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedValues {
    /// One byte per slot, 0 or 1.
    Boolean(Vec<u8>),
    /// 32-bit integers.
    Int32(Vec<i32>),
    /// 64-bit integers.
    Int64(Vec<i64>),
    /// 64-bit floats.
    Double(Vec<f64>),
    /// Strings, one after another, and where each of them ends. Strings that
    /// were written by dictionary are read back this way too.
    Utf8 {
        /// All strings.
        text: String,
        /// End of each slot's string in `text`.
        ends: Vec<u32>,
    },
}

/// A column that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedColumn {
    /// The column's name.
    pub name: String,
    /// Its values.
    pub values: OwnedValues,
    /// One byte per slot, 0 for null; `None` if no slot is null.
    pub present: Option<Vec<u8>>,
}

/// The list column of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedList {
    /// The list column's name.
    pub name: String,
    /// How many elements each row has.
    pub lengths: Vec<u32>,
    /// The columns inside that were asked for, all rows' elements one after
    /// another.
    pub elements: Vec<OwnedColumn>,
}

/// Rows of one row group, with the columns that were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroup {
    /// How many rows these are.
    pub rows: usize,
    /// Flat columns.
    pub flat: Vec<OwnedColumn>,
    /// The list column, if there is one and any of it was asked for.
    pub list: Option<OwnedList>,
}

impl RowGroup {
    /// A flat column by its name.
    pub fn column(&self, name: &str) -> Option<&OwnedColumn> {
        self.flat.iter().find(|column| column.name == name)
    }

    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), TableError> {
        self.rows += batch.num_rows();
        for column in &mut self.flat {
            let array = batch.column_by_name(&column.name);
            column.push(array.map(AsRef::as_ref))?;
        }
        let Some(list) = &mut self.list else {
            return Ok(());
        };
        let odd = || TableError::column(&list.name, "is not a list of structs");
        let array = batch.column_by_name(&list.name).ok_or_else(odd)?;
        let array = array.as_list_opt::<i32>().ok_or_else(odd)?;
        let offsets = array.value_offsets();
        for (start, end) in offsets.iter().zip(offsets.iter().skip(1)) {
            list.lengths.push((end - start).unsigned_abs());
        }
        let first = offsets.first().map_or(0, |at| at.unsigned_abs() as usize);
        let last = offsets.last().map_or(0, |at| at.unsigned_abs() as usize);
        let elements: Option<&StructArray> = array.values().as_struct_opt();
        let elements = elements.ok_or_else(odd)?.slice(first, last - first);
        for column in &mut list.elements {
            let array = elements.column_by_name(&column.name);
            column.push(array.map(AsRef::as_ref))?;
        }
        Ok(())
    }
}

impl OwnedList {
    /// A column inside the list by its name.
    pub fn column(&self, name: &str) -> Option<&OwnedColumn> {
        self.elements.iter().find(|column| column.name == name)
    }
}

impl OwnedColumn {
    pub(super) fn new(spec: &ColumnSpec) -> Self {
        let values = match spec.kind {
            ColumnKind::Boolean => OwnedValues::Boolean(Vec::new()),
            ColumnKind::Int32 => OwnedValues::Int32(Vec::new()),
            ColumnKind::Int64 => OwnedValues::Int64(Vec::new()),
            ColumnKind::Double => OwnedValues::Double(Vec::new()),
            ColumnKind::Utf8 => OwnedValues::Utf8 {
                text: String::new(),
                ends: Vec::new(),
            },
        };
        Self {
            name: spec.name.clone(),
            values,
            present: None,
        }
    }

    /// Slots in the column.
    pub fn len(&self) -> usize {
        match &self.values {
            OwnedValues::Boolean(values) => values.len(),
            OwnedValues::Int32(values) => values.len(),
            OwnedValues::Int64(values) => values.len(),
            OwnedValues::Double(values) => values.len(),
            OwnedValues::Utf8 { ends, .. } => ends.len(),
        }
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot holds a value; a slot beyond the end does not.
    pub fn is_present(&self, slot: usize) -> bool {
        let marked = |present: &Vec<u8>| present.get(slot) == Some(&1);
        slot < self.len() && self.present.as_ref().is_none_or(marked)
    }

    /// A slot's string, if it has one.
    pub fn text(&self, slot: usize) -> Option<&str> {
        let OwnedValues::Utf8 { text, ends } = &self.values else {
            return None;
        };
        if !self.is_present(slot) {
            return None;
        }
        let before = slot.checked_sub(1).and_then(|before| ends.get(before));
        let start = before.map_or(0, |end| *end as usize);
        text.get(start..*ends.get(slot)? as usize)
    }

    /// The column as something that can be written again.
    pub fn data(&self) -> ColumnData<'_> {
        let values = match &self.values {
            OwnedValues::Boolean(values) => Values::Boolean(values),
            OwnedValues::Int32(values) => Values::Int32(values),
            OwnedValues::Int64(values) => Values::Int64(values),
            OwnedValues::Double(values) => Values::Double(values),
            OwnedValues::Utf8 { text, ends } => Values::Utf8 {
                bytes: text.as_bytes(),
                ends,
            },
        };
        ColumnData {
            values,
            present: self.present.as_deref(),
        }
    }

    fn push(&mut self, array: Option<&dyn Array>) -> Result<(), TableError> {
        let slots = self.len();
        let Some(array) = array else {
            return Err(TableError::column(&self.name, "is missing"));
        };
        if self.values.push(array).is_none() {
            let reason = format!("cannot be read as declared, or is too long: {array:?}");
            return Err(TableError::column(&self.name, reason));
        }
        if array.null_count() > 0 || self.present.is_some() {
            let present = self.present.get_or_insert_with(|| vec![1; slots]);
            match array.nulls() {
                Some(nulls) => present.extend(nulls.iter().map(u8::from)),
                None => present.resize(slots + array.len(), 1),
            }
        }
        Ok(())
    }
}

impl OwnedValues {
    /// Takes in an array's values; `None` if it is of another type, or if a
    /// column's text outgrows its offsets.
    fn push(&mut self, array: &dyn Array) -> Option<()> {
        match self {
            Self::Boolean(values) => {
                values.extend(array.as_boolean_opt()?.values().iter().map(u8::from));
            }
            Self::Int32(values) => {
                values.extend_from_slice(array.as_primitive_opt::<Int32Type>()?.values());
            }
            Self::Int64(values) => {
                values.extend_from_slice(array.as_primitive_opt::<Int64Type>()?.values());
            }
            Self::Double(values) => {
                values.extend_from_slice(array.as_primitive_opt::<Float64Type>()?.values());
            }
            Self::Utf8 { text, ends } => {
                for value in array.as_string_opt::<i32>()? {
                    text.push_str(value.unwrap_or_default());
                    ends.push(u32::try_from(text.len()).ok()?);
                }
            }
        }
        Some(())
    }
}
