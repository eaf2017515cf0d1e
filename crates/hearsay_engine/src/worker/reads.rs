//! Long reads on background threads.

use std::{collections::VecDeque, thread};

use super::{Internal, ReadJob, Worker};

/// Long reads that wait or run.
pub(super) struct Reads {
    waiting: VecDeque<ReadJob>,
    running: usize,
    /// Maximum number of reads that run at the same time. One processor stays free for writes.
    max_running: usize,
}

impl Default for Reads {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self { waiting: VecDeque::new(), running: 0, max_running: processors.saturating_sub(1).max(1) }
    }
}

impl Reads {
    /// Returns whether no read is waiting to start.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl Worker {
    pub(super) fn read_in_background(&mut self, read: ReadJob) {
        self.reads.waiting.push_back(read);
        self.start_reads();
    }

    pub(super) fn finish_read(&mut self) {
        self.reads.running -= 1;
        self.start_reads();
    }

    /// Starts waiting reads, up to the maximum. Each read uses the state at the time it starts.
    fn start_reads(&mut self) {
        while self.reads.running < self.reads.max_running
            && let Some(read) = self.reads.waiting.pop_front()
        {
            let snapshot = self.snapshot.clone();
            let started = self.run_in_background(move |internal| {
                read(&snapshot);
                drop(snapshot);
                let _ = internal.send(Internal::BackgroundReadDone);
            });
            self.reads.running += usize::from(started);
        }
    }
}
