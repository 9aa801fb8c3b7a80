//! Turning borrowed columns into a finished row group.

use std::ops::Range;

use ::parquet::basic::{Compression, Encoding, ZstdLevel};
use ::parquet::column::page::{CompressedPage, Page, PageWriter};
use ::parquet::column::writer::ColumnCloseResult;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use ::parquet::schema::types::ColumnDescPtr;
use bytes::Bytes;
use zstd::zstd_safe::CParameter;

use super::column::ColumnData;
use super::levels::Shape;
use super::page::{Scratch, push_dictionary, push_values};
use super::stats::statistics;
use super::{Codec, ColumnSpec, CompiledSpec, TableError};

/// Pages are kept below this size, levels aside, wherever rows allow it.
const PAGE_LIMIT: usize = 64 << 20;

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

    /// Bytes the group takes in the file, the footer aside.
    pub fn size(&self) -> usize {
        self.bytes.len()
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

    /// Encodes `rows` rows: one entry of `flat` per flat column, the length
    /// of each row's list, and one entry of `elements` per column inside the
    /// list, all rows' elements one after another.
    ///
    /// A table without a list takes empty `list_lengths` and `elements`.
    pub fn encode(
        &mut self,
        spec: &CompiledSpec,
        rows: usize,
        flat: &[ColumnData],
        list_lengths: &[u32],
        elements: &[ColumnData],
    ) -> Result<EncodedRowGroup, TableError> {
        let table = spec.spec();
        check_counts(spec, rows, flat, list_lengths, elements)?;

        let mut sink = TrackedWrite::new(Vec::with_capacity(self.room));
        let mut columns = Vec::with_capacity(flat.len() + elements.len());
        let shape = Shape::flat(rows);
        for (column, data) in table.flat.iter().zip(flat) {
            let target = Target {
                spec: column,
                descriptor: spec.schema().column(columns.len()),
                flat: true,
            };
            columns.push(self.chunk(&mut sink, &target, data, &shape)?);
        }
        let shape = Shape::list(list_lengths);
        for (column, data) in spec.elements().iter().zip(elements) {
            let target = Target {
                spec: column,
                descriptor: spec.schema().column(columns.len()),
                flat: false,
            };
            columns.push(self.chunk(&mut sink, &target, data, &shape)?);
        }
        let bytes = sink.into_inner()?;
        // Row groups of a table are much alike, the last one least of all.
        self.room = self.room.max(bytes.len());
        Ok(EncodedRowGroup {
            rows,
            bytes: Bytes::from(bytes),
            columns,
        })
    }

    /// Writes one column of the group and describes it.
    fn chunk(
        &mut self,
        sink: &mut TrackedWrite<Vec<u8>>,
        target: &Target,
        column: &ColumnData,
        shape: &Shape,
    ) -> Result<ColumnCloseResult, TableError> {
        column.check(target.spec, shape.slots)?;
        let compression = match target.spec.codec {
            Codec::Zstd(level) => {
                self.compressor
                    .set_parameter(CParameter::CompressionLevel(level))?;
                Compression::ZSTD(ZstdLevel::default())
            }
            Codec::Uncompressed => Compression::UNCOMPRESSED,
        };
        let mut chunk = Chunk::default();
        let mut pages = SerializedPageWriter::new(sink);

        self.raw.clear();
        let dictionary = push_dictionary(&mut self.raw, &mut self.scratch, target.spec, column);
        if let Some(entries) = dictionary {
            let num_values = count(target.spec, entries)?;
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
        if target.flat
            && let Some(statistics) = statistics(column, shape.slots)
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
        shape: &Shape,
        slots: Range<usize>,
        dictionary: Option<usize>,
    ) -> Result<(), TableError> {
        if shape.rows > 1 && column.values.raw_size(&slots) > self.page_limit {
            let (before, after) = shape.halves();
            let middle = slots.start + before.slots;
            let first = slots.start..middle;
            self.pages(pages, chunk, target, column, &before, first, dictionary)?;
            let second = middle..slots.end;
            return self.pages(pages, chunk, target, column, &after, second, dictionary);
        }

        self.raw.clear();
        let (raw, scratch) = (&mut self.raw, &mut self.scratch);
        shape.push_levels(
            raw,
            &mut scratch.bytes,
            target.spec.nullable,
            column,
            &slots,
        );
        let encoding = push_values(raw, scratch, target.spec, column, &slots, dictionary)?;
        let num_values = count(target.spec, shape.entries)?;
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
        let buffer = match target.spec.codec {
            Codec::Zstd(_) => {
                self.compressed.clear();
                self.compressed
                    .reserve(zstd::zstd_safe::compress_bound(uncompressed));
                self.compressor
                    .compress_to_buffer(&self.raw, &mut self.compressed)?;
                &mut self.compressed
            }
            Codec::Uncompressed => &mut self.raw,
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
    spec: &'a ColumnSpec,
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
fn count(spec: &ColumnSpec, values: usize) -> Result<u32, TableError> {
    i32::try_from(values)
        .map(i32::unsigned_abs)
        .map_err(|_| TableError::column(&spec.name, "too many values for a page"))
}

fn check_counts(
    spec: &CompiledSpec,
    rows: usize,
    flat: &[ColumnData],
    list_lengths: &[u32],
    elements: &[ColumnData],
) -> Result<(), TableError> {
    let table = spec.spec();
    let list_rows = if table.list.is_some() { rows } else { 0 };
    // Compared before anything is laid out, as lengths can claim any amount.
    let inside: u64 = list_lengths.iter().copied().map(u64::from).sum();
    let held = elements.first().map_or(0, |column| column.values.slots());
    for (what, held, needed) in [
        ("flat columns", flat.len(), table.flat.len()),
        ("list columns", elements.len(), spec.elements().len()),
        ("list lengths", list_lengths.len(), list_rows),
    ] {
        if held != needed {
            let reason = format!("{held} {what} were given, but {needed} are needed");
            return Err(TableError::Spec(reason));
        }
    }
    if inside != held as u64 {
        let reason = format!("the lists hold {inside} elements, but {held} were given");
        return Err(TableError::Spec(reason));
    }
    Ok(())
}
