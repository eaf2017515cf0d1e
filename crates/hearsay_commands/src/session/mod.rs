//! Sessions: start, attendance, log and end.
//!
//! At most one session is being played. [`State::active_session`](hearsay_model::State::active_session) returns this
//! session and the characters that are present. All records that are added while the session is being played belong to
//! this session, unless another session is given. Like an [`Edit`](crate::edit::Edit), a [`SessionStep`] computes one
//! operation from the current state, but does not apply it.

mod arrival;
mod attendance;
mod confirmed_findings;
mod extracted_facts;
mod joined_operation;
mod line_confirmation;
mod line_correction;
mod line_numbers;
mod log;
mod log_line;
mod new;
mod party;
mod position;
mod recap;
mod stated_facts;
mod step;
mod table_talk;
mod talk;
#[cfg(test)]
mod tests;
mod transcript;
mod transcript_lines;

pub use attendance::{
    AttendanceChange, AttendanceHint, SuggestedAttendance, acting_characters, acting_dead, excepted_characters,
    leaving_party, suggested_attendance, unread_deaths,
};
pub use line_confirmation::LineConfirmation;
pub use line_correction::{LineCorrection, recorded_line};
pub use log::{Log, LogSource, hearers_without};
pub use log_line::LogLine;
pub use new::NewSession;
pub use recap::save_recap;
pub use stated_facts::is_told_to_all;
pub use step::{SessionStep, end_imported_session};
pub(crate) use table_talk::{has_game_phrase, is_greeting};
pub use talk::TalkCorrection;
pub(crate) use transcript::without_confidential_asides;
pub use transcript::{
    AssignedSpeaker, PreviewRow, SpeakerAssignment, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    TranscriptImport, TranscriptReport, begins_on_way, is_speaker_label, opening_place, remember_speakers,
    speaker_or_player, unknown_speakers,
};
pub use transcript_lines::{is_table_line, transcript_passages, transcript_session, transcript_talk};
