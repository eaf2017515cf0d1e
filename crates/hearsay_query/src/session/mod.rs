//! Sessions: their logs, reports, recaps and unresolved threads.

mod lines;
mod recap;
mod report;
mod threads;

pub use lines::{LineRow, TalkCounts, is_private, last_place, later_time, next_line, session_lines, session_or_latest};
pub use recap::{RecapAudience, SessionRecap, Summarize, session_recap};
pub use report::{
    ChangeKind, ChangedRow, LearnedRow, LearnerRow, MAX_PRIORITY_FACTS, PriorityFact, SessionCounts, SessionReport,
    SessionRow, session_report, sessions,
};
pub use threads::{Thread, ThreadFilter, ThreadKind, open_threads_of, threads};
