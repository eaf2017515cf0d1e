//! Transcripts and typed lines: the links from the names of speakers and hearers to characters, and the preview of an
//! import.

mod acting;
mod hearers;
mod import;
mod introduction;
mod motion;
mod name_phrases;
mod proposals;
mod remember;
mod speakers;
#[cfg(test)]
mod tests;
mod typed;
mod unnoticed;

pub use acting::opening_place;
pub(super) use acting::{Actor, NarratedScene, actors, addressees};
pub use import::{PreviewRow, TranscriptImport, TranscriptReport};
pub use remember::remember_speakers;
pub(super) use speakers::SpeakerNames;
pub use speakers::{
    AssignedSpeaker, SpeakerAssignment, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    is_speaker_label, speaker_or_player,
};
pub use typed::unknown_speakers;
