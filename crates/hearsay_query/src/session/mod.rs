//! Sessions: their logs, reports, recaps and unresolved threads.

mod after_play;
mod learned;
mod line_effects;
mod lines;
mod presence;
mod promises;
mod recap;
mod report;
mod threads;

pub use after_play::{NewName, RevealedSecret};
pub use learned::{LearnedRow, LearnerRow};
pub use line_effects::{
    ContradictionRow, EntityCard, FoundFact, LineEffects, MAX_CARD_STATEMENTS, entity_card, line_effects,
};
pub use lines::{
    LineRow, TalkCounts, attending_in_scene, common_location, is_private, last_place, later_time, next_line,
    scene_moment, session_lines, session_or_latest, sessions_in_order,
};
pub use presence::{
    DepartedResident, departed_residents, is_masked, is_masked_for, living_in_scene, scene_characters, scene_hearers,
    undecided, undecided_deaths,
};
pub use promises::{MatchingPromises, matching_promises};
pub use recap::{RecapAudience, SessionRecap, Summarize, hearing_remark, session_recap};
pub use report::{
    ChangeKind, ChangedRow, MAX_PRIORITY_FACTS, PriorityFact, SessionCounts, SessionReport, SessionRow, WithheldLine,
    session_report, sessions,
};
pub use threads::{Thread, ThreadFilter, ThreadKind, open_threads_of, threads};
