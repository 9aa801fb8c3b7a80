//! Bringing a long file to disk while it is still being written.
//!
//! A file of gigabytes that is synced only at its end keeps the disk idle while it is
//! made and the processor idle afterwards. Syncing now and then on a thread of its own
//! lets the two overlap; the final sync then has little left to do.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Bytes written between two syncs.
const EVERY: u64 = 64 << 20;

/// Syncs one file from time to time.
#[derive(Debug, Default)]
pub struct BackgroundSync {
    since_last: u64,
    thread: Option<(SyncSender<()>, JoinHandle<io::Result<()>>)>,
}

impl BackgroundSync {
    /// To be called with the number of bytes just written to `file`.
    pub fn wrote(&mut self, file: &File, bytes: usize) -> io::Result<()> {
        self.since_last += bytes as u64;
        if self.since_last < EVERY {
            return Ok(());
        }
        self.since_last = 0;
        if self.thread.is_none() {
            let file = file.try_clone()?;
            // One request can wait while one is being served; more would say nothing new.
            let (sender, requests) = sync_channel::<()>(1);
            let thread =
                std::thread::spawn(move || requests.iter().try_for_each(|()| file.sync_data()));
            self.thread = Some((sender, thread));
        }
        match &self.thread {
            Some((sender, _)) => match sender.try_send(()) {
                Ok(()) | Err(TrySendError::Full(())) => Ok(()),
                // The thread ended early, so a sync failed; say how.
                Err(TrySendError::Disconnected(())) => self.finish(),
            },
            None => Ok(()),
        }
    }

    /// Waits for the thread; an error that any sync met is reported here, because the
    /// system may report it only once.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.thread.take() {
            None => Ok(()),
            Some((sender, thread)) => {
                drop(sender);
                thread
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("the syncing thread panicked")))
            }
        }
    }
}
