//! Inputs that stand in memory, under names that only the work at hand knows: a program that
//! calls a command hands over its tables, and paths in the arguments mean them.
//!
//! The names hang on the thread that does the work and on those it starts, so that several
//! calls at once do not see each other's. A table is read by the same door as Parquet and
//! Arrow files; whoever wants its bytes is given its rows as JSON lines, and so is its hash.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::table::{RowWriter, unwritable};

/// How an input from memory is told from a file in what a run says of its inputs.
pub const IN_MEMORY: &str = "in memory";
/// So many bytes of rows are written at a time.
const PIECE: usize = 256 * 1024;

/// An input in memory.
#[derive(Clone)]
pub enum Held {
    /// Rows of a table.
    Table(Arc<HeldTable>),
    /// The bytes of a file of JSON lines.
    Lines(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

/// A table in memory.
#[derive(Debug)]
pub struct HeldTable {
    /// Its columns.
    pub schema: SchemaRef,
    /// Its rows.
    pub batches: Vec<RecordBatch>,
}

/// Inputs by the paths that mean them.
pub type Inputs = Arc<BTreeMap<PathBuf, Held>>;

thread_local! {
    static HERE: RefCell<Option<Inputs>> = const { RefCell::new(None) };
}

/// Does work to which these inputs are known.
pub fn among<T>(inputs: Option<Inputs>, work: impl FnOnce() -> T) -> T {
    let _until = Until(HERE.replace(inputs));
    work()
}

/// The inputs that are known to this thread.
pub fn here() -> Option<Inputs> {
    HERE.with_borrow(Clone::clone)
}

/// Whether a path means an input in memory, and no file.
pub fn is_held(path: &Path) -> bool {
    HERE.with_borrow(|inputs| {
        inputs
            .as_ref()
            .is_some_and(|known| known.contains_key(path))
    })
}

/// The input that a path means.
pub(crate) fn held(path: &Path) -> Option<Held> {
    HERE.with_borrow(|inputs| inputs.as_ref()?.get(path).cloned())
}

/// Puts back what was known before, also where work panics.
struct Until(Option<Inputs>);

impl Drop for Until {
    fn drop(&mut self) {
        HERE.set(self.0.take());
    }
}

impl Held {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> Box<dyn Read + Send> {
        match self {
            Held::Lines(bytes) => Box::new(Bytes {
                bytes: Arc::clone(bytes),
                given: 0,
            }),
            Held::Table(table) => Box::new(Rows {
                table: Arc::clone(table),
                writer: RowWriter::new(&table.schema),
                next: (0, 0),
                lines: Vec::new(),
                given: 0,
            }),
        }
    }
}

struct Bytes {
    bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    given: usize,
}

impl Read for Bytes {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = (&(*self.bytes).as_ref()[self.given..]).read(buf)?;
        self.given += n;
        Ok(n)
    }
}

/// The rows of a table as JSON lines.
struct Rows {
    table: Arc<HeldTable>,
    writer: RowWriter,
    /// The batch and the row in it that come next.
    next: (usize, usize),
    lines: Vec<u8>,
    given: usize,
}

impl Read for Rows {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.given == self.lines.len() {
            if let Some(why) = unwritable(&self.table.schema) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
            self.lines.clear();
            self.given = 0;
            while self.lines.len() < PIECE
                && let Some(batch) = self.table.batches.get(self.next.0)
            {
                if self.next.1 == batch.num_rows() {
                    self.next = (self.next.0 + 1, 0);
                    continue;
                }
                self.writer.write(batch, self.next.1, &mut self.lines);
                self.lines.push(b'\n');
                self.next.1 += 1;
            }
        }
        let n = (&self.lines[self.given..]).read(buf)?;
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests;
