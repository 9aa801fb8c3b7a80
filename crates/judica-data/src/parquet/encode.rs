//! Turning a batch of Arrow arrays into a finished row group.

use std::ops::Range;

use ::parquet::basic::{Compression, Encoding, ZstdLevel};
use ::parquet::column::page::{CompressedPage, Page, PageWriter};
use ::parquet::column::writer::ColumnCloseResult;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use ::parquet::schema::types::ColumnDescPtr;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use zstd::zstd_safe::CParameter;

use super::column::ColumnData;
use super::levels::PageRows;
use super::page::{Scratch, push_dictionary, push_values};
use super::schema::{Column, Leaf};
use super::stats::statistics;
use super::{TableError, TableSchema};

/// Pages are kept below this size, levels aside, wherever rows allow it.
const PAGE_LIMIT: usize = 64 << 20;

/// Zstandard's quickest level above zero.
const LEVEL: i32 = 1;

/// A row group as it will stand in the file, ready to be appended.
#[derive(Debug)]
pub struct EncodedRowGroup {
    pub(super) rows: usize,
    pub(super) bytes: Bytes,
    pub(super) columns: Vec<ColumnCloseResult>,
}

impl EncodedRowGroup {
    /// Rows in the group.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// Working memory for encoding, to be kept by each thread. What it has
/// encoded before never shows in what it encodes next.
pub struct Encoder {
    compressor: zstd::bulk::Compressor<'static>,
    page_limit: usize,
    room: usize,
    raw: Vec<u8>,
    scratch: Scratch,
    compressed: Vec<u8>,
}

impl Encoder {
    /// An encoder with empty working memory.
    pub fn new() -> Self {
        Self {
            compressor: zstd::bulk::Compressor::default(),
            page_limit: PAGE_LIMIT,
            room: 0,
            raw: Vec::new(),
            scratch: Scratch::default(),
            compressed: Vec::new(),
        }
    }

    /// Smaller pages, for looking at how rows are split among them.
    #[cfg(test)]
    pub(super) fn with_page_limit(mut self, limit: usize) -> Self {
        self.page_limit = limit;
        self
    }

    /// Encodes batches, one after the other, whose columns are those of the table, in order. A
    /// text or int32 column may come as a dictionary array, the same in all batches, and is
    /// then written as that dictionary; of text that is said to recur, each may have its own, as
    /// of doubles.
    pub fn encode(
        &mut self,
        schema: &TableSchema,
        batches: &[RecordBatch],
    ) -> Result<EncodedRowGroup, TableError> {
        for batch in batches {
            let given = batch.schema_ref().fields().iter().map(|field| field.name());
            if !given.eq(schema.columns.iter().map(Column::name)) {
                let reason = "the batch has other columns than the table".to_owned();
                return Err(TableError::Spec(reason));
            }
        }
        let mut sink = TrackedWrite::new(Vec::with_capacity(self.room));
        let mut columns = Vec::with_capacity(schema.parquet.num_columns());
        let row_count = batches.iter().map(RecordBatch::num_rows).sum();
        let rows = PageRows::flat(row_count);
        for (at, column) in schema.columns.iter().enumerate() {
            let arrays: Vec<&dyn Array> = batches.iter().map(|b| &**b.column(at)).collect();
            match column {
                Column::Flat(leaf) => {
                    let target = Target {
                        leaf,
                        descriptor: schema.parquet.column(columns.len()),
                        flat: true,
                    };
                    columns.push(self.chunk(&mut sink, &target, &arrays, &rows)?);
                }
                Column::List(name, leaves) => {
                    let odd = || TableError::column(name, "is not a list of structs without nulls");
                    let mut lengths: Vec<u32> = Vec::with_capacity(row_count);
                    let mut parts = Vec::with_capacity(arrays.len());
                    for array in arrays {
                        let list = array.as_list_opt::<i32>().ok_or_else(odd)?;
                        let elements = list.values().as_struct_opt().ok_or_else(odd)?;
                        let (names, nulls) = (elements.column_names(), list.null_count());
                        if nulls + elements.null_count() > 0
                            || !names.into_iter().eq(leaves.iter().map(|leaf| &*leaf.name))
                        {
                            return Err(odd());
                        }
                        let offsets = list.value_offsets();
                        lengths.extend(offsets.windows(2).map(|ends| (ends[1] - ends[0]) as u32));
                        let (first, last) = (offsets[0], offsets[list.len()]);
                        parts.push(elements.slice(first as usize, (last - first) as usize));
                    }
                    let shape = PageRows::list(&lengths);
                    for (at, leaf) in leaves.iter().enumerate() {
                        let target = Target {
                            leaf,
                            descriptor: schema.parquet.column(columns.len()),
                            flat: false,
                        };
                        let arrays: Vec<&dyn Array> = parts
                            .iter()
                            .map(|elements| &**elements.column(at))
                            .collect();
                        columns.push(self.chunk(&mut sink, &target, &arrays, &shape)?);
                    }
                }
            }
        }
        let bytes = sink.into_inner()?;
        // Row groups of a table are much alike, the last one least of all.
        self.room = self.room.max(bytes.len());
        Ok(EncodedRowGroup {
            rows: row_count,
            bytes: Bytes::from(bytes),
            columns,
        })
    }

    /// Writes one column of the group and describes it.
    fn chunk(
        &mut self,
        sink: &mut TrackedWrite<Vec<u8>>,
        target: &Target,
        arrays: &[&dyn Array],
        shape: &PageRows,
    ) -> Result<ColumnCloseResult, TableError> {
        let column = ColumnData::of(target.leaf, arrays)?;
        self.write_chunk(sink, target, &column, shape)
    }

    fn write_chunk(
        &mut self,
        sink: &mut TrackedWrite<Vec<u8>>,
        target: &Target,
        column: &ColumnData,
        shape: &PageRows,
    ) -> Result<ColumnCloseResult, TableError> {
        let compression = match target.leaf.compressed {
            true => Compression::ZSTD(ZstdLevel::try_new(LEVEL)?),
            false => Compression::UNCOMPRESSED,
        };
        let mut chunk = Chunk::default();
        let mut pages = SerializedPageWriter::new(sink);

        self.raw.clear();
        let dictionary = push_dictionary(
            &mut self.raw,
            &mut self.scratch,
            target.leaf,
            column,
            shape.slots,
        );
        if let Some(entries) = dictionary {
            let num_values = count(target.leaf, entries)?;
            let page = |buf| Page::DictionaryPage {
                buf,
                num_values,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let offset = self.write(&mut pages, &mut chunk, target, page)?;
            chunk.dictionary_offset = Some(offset);
        }
        let slots = 0..shape.slots;
        self.pages(
            &mut pages, &mut chunk, target, column, shape, slots, dictionary,
        )?;

        let mut builder = ColumnChunkMetaData::builder(target.descriptor.clone())
            .set_compression(compression)
            .set_encodings(chunk.encodings(dictionary.is_some()))
            .set_num_values(shape.entries as i64)
            .set_total_compressed_size(chunk.compressed as i64)
            .set_total_uncompressed_size(chunk.uncompressed as i64)
            .set_data_page_offset(chunk.data_offset.unwrap_or(0))
            .set_dictionary_page_offset(chunk.dictionary_offset);
        let distinct = dictionary.map(|_| self.scratch.distinct());
        if target.flat
            && let Some(statistics) = statistics(target.leaf, column, shape.slots, distinct)
        {
            builder = builder.set_statistics(statistics);
        }
        Ok(ColumnCloseResult {
            bytes_written: chunk.compressed as u64,
            rows_written: shape.rows as u64,
            metadata: builder.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        })
    }

    /// Writes some rows of a column: as one page if they fit, else by halves,
    /// so that every page begins with a row.
    #[allow(clippy::too_many_arguments)]
    fn pages(
        &mut self,
        pages: &mut SerializedPageWriter<Vec<u8>>,
        chunk: &mut Chunk,
        target: &Target,
        column: &ColumnData,
        shape: &PageRows,
        slots: Range<usize>,
        dictionary: Option<usize>,
    ) -> Result<(), TableError> {
        if shape.rows > 1
            && column.raw_size(target.leaf, &slots, dictionary.is_some()) > self.page_limit
        {
            let (before, after) = shape.halves();
            let middle = slots.start + before.slots;
            let first = slots.start..middle;
            self.pages(pages, chunk, target, column, &before, first, dictionary)?;
            let second = middle..slots.end;
            return self.pages(pages, chunk, target, column, &after, second, dictionary);
        }

        self.raw.clear();
        let (raw, scratch) = (&mut self.raw, &mut self.scratch);
        shape.push_levels(raw, target.leaf.nullable, column, &slots);
        let encoding = push_values(raw, scratch, target.leaf, column, &slots, dictionary)?;
        let num_values = count(target.leaf, shape.entries)?;
        let page = |buf| Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let offset = self.write(pages, chunk, target, page)?;
        chunk.data_offset.get_or_insert(offset);
        chunk.encoding = Some(encoding);
        Ok(())
    }

    /// Compresses what lies in `raw`, writes it as a page, and tells where
    /// that page begins.
    fn write(
        &mut self,
        pages: &mut SerializedPageWriter<Vec<u8>>,
        chunk: &mut Chunk,
        target: &Target,
        page: impl FnOnce(Bytes) -> Page,
    ) -> Result<i64, TableError> {
        let uncompressed = self.raw.len();
        // Pages must own their bytes. Lending them a buffer and taking it
        // back once the page is gone saves faulting in fresh memory each time.
        let buffer = match target.leaf.compressed {
            true => {
                self.compressed.clear();
                self.compressed
                    .reserve(zstd::zstd_safe::compress_bound(uncompressed));
                let level = CParameter::CompressionLevel(LEVEL);
                self.compressor.set_parameter(level)?;
                self.compressor
                    .compress_to_buffer(&self.raw, &mut self.compressed)?;
                &mut self.compressed
            }
            false => &mut self.raw,
        };
        let lent = Bytes::from(std::mem::take(buffer));
        let page = CompressedPage::new(page(lent.clone()), uncompressed);
        let written = pages.write_page(page)?;
        *buffer = Vec::from(lent);

        chunk.compressed += written.compressed_size;
        chunk.uncompressed += written.uncompressed_size;
        Ok(written.offset as i64)
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Which column is being written.
struct Target<'a> {
    leaf: &'a Leaf,
    descriptor: ColumnDescPtr,
    flat: bool,
}

/// What the footer will say about a column of the group.
#[derive(Default)]
struct Chunk {
    compressed: usize,
    uncompressed: usize,
    dictionary_offset: Option<i64>,
    data_offset: Option<i64>,
    encoding: Option<Encoding>,
}

impl Chunk {
    fn encodings(&self, dictionary: bool) -> Vec<Encoding> {
        let mut encodings = vec![Encoding::RLE];
        if dictionary {
            encodings.push(Encoding::PLAIN);
        }
        encodings.extend(self.encoding);
        encodings
    }
}

/// A page's count of values, which the format limits.
fn count(leaf: &Leaf, values: usize) -> Result<u32, TableError> {
    i32::try_from(values)
        .map(i32::unsigned_abs)
        .map_err(|_| TableError::column(&leaf.name, "too many values for a page"))
}
