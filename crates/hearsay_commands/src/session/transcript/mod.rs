//! Transcripts and typed lines: the links from the names of speakers and hearers to characters, and the preview of an
//! import.

mod acting;
mod hearers;
mod import;
mod introduction;
mod motion;
mod name_phrases;
mod places;
mod proposals;
mod remember;
mod reported_whispers;
mod speakers;
mod stage_directions;
mod subjects;
#[cfg(test)]
mod tests;
mod typed;
mod unnoticed;

pub(super) use acting::{Actor, NarratedScene, actors, addressees, excepted, only_moves};
pub use import::{PreviewRow, TranscriptImport, TranscriptReport};
pub(crate) use introduction::without_confidential_asides;
pub use places::opening_place;
pub use remember::remember_speakers;
pub(super) use speakers::SpeakerNames;
pub use speakers::{
    AssignedSpeaker, SpeakerAssignment, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    is_speaker_label, speaker_or_player,
};
pub use typed::unknown_speakers;
