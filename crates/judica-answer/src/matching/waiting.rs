//! What waits until it is known which way of deciding counts for a data set: both versions,
//! in memory as long as they are few, else in files without a name, which are gone when the
//! process is.

use std::io::{self, Seek, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

/// How much waits in memory.
pub(super) const IN_MEMORY: usize = 1 << 20;

pub(super) struct Waiting {
    both: [SpooledTempFile; 2],
    /// Which of the two counts, once that is known.
    settled: Option<usize>,
}

impl Waiting {
    /// Nothing waits; files without a name would stand in this folder.
    pub fn new(folder: &Path) -> Self {
        Waiting {
            both: [0, 1].map(|_| SpooledTempFile::new_in(IN_MEMORY, folder)),
            settled: None,
        }
    }

    /// Which way counts, if that is known.
    pub fn settled(&self) -> Option<usize> {
        self.settled
    }

    /// Lets something wait, as it is by each way of deciding.
    pub fn push(&mut self, both: [&[u8]; 2]) -> io::Result<()> {
        let mut pairs = self.both.iter_mut().zip(both);
        pairs.try_for_each(|(waiting, bytes)| waiting.write_all(bytes))
    }

    /// Settles which way counts; `take` is given what waited for that, if it was not known.
    pub fn settle(
        &mut self,
        way: usize,
        take: impl FnOnce(&mut SpooledTempFile) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.settled.is_some() {
            return Ok(());
        }
        self.settled = Some(way);
        self.both[way].rewind()?;
        take(&mut self.both[way])?;
        for waiting in &mut self.both {
            waiting.rewind()?;
            waiting.set_len(0)?;
        }
        Ok(())
    }

    /// What follows is another data set.
    pub fn next_dataset(&mut self) {
        self.settled = None;
    }
}
