//! Transcripts and typed lines: the links from the names of speakers and hearers to characters, and the preview of an
//! import.
//!
//! A rule about the words of a line belongs to the module that answers its question:
//!
//! | question | module |
//! |---|---|
//! | Who says the line? | `introduction` (a verb of speech), `stage_directions` (a deed), `speakers` (a name) |
//! | To whom does a pronoun before the colon refer? | `referents` |
//! | Who alone hears words that somebody says? | `hearers` (brackets), `introduction`, `reported_whispers` |
//! | Whose thoughts does narration tell? | `thoughts` |
//! | Who does not notice a narrated event, and who alone notices it? | `unnoticed` |
//! | Do the words suggest that only some characters notice the line? | `privacy` |
//! | Where are the clauses of narration, and what are their subjects? | `clauses`, `subjects` |
//! | What do the subjects do, and do they arrive or leave? | `acting`, with the verbs in `motion` |
//! | Who perhaps dies? | `deaths` |
//! | Who moves because of the subjects, to whom do they speak, and to whom do they do something? | `other_persons` |
//! | Where does narration happen? | `places` |

mod acting;
mod clauses;
mod deaths;
mod hearers;
mod import;
mod introduction;
mod motion;
mod name_phrases;
mod narration;
mod other_persons;
mod places;
mod privacy;
mod proposals;
mod referents;
mod remember;
mod reported_whispers;
mod speakers;
mod stage_directions;
mod subjects;
#[cfg(test)]
mod tests;
mod thoughts;
mod typed;
mod unnoticed;

pub(super) use acting::{
    Activity, Actor, Departure, NarratedScene, actors, addressees, excepted, only_moves, place_of_everybody,
};
pub(super) use deaths::possible_deaths;
pub use import::{PreviewRow, TranscriptImport, TranscriptReport};
pub(super) use introduction::named_characters;
pub(crate) use introduction::without_confidential_asides;
pub(super) use narration::before_quotation;
pub(super) use other_persons::is_object;
pub(super) use places::{Opening, opening};
pub use places::{begins_on_way, opening_place};
pub(super) use referents::{Referent, SceneLines, referent};
pub use remember::remember_speakers;
pub(super) use speakers::SpeakerNames;
pub use speakers::{
    AssignedSpeaker, SpeakerAssignment, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    is_speaker_label, speaker_or_player,
};
pub use typed::unknown_speakers;
pub(super) use unnoticed::only_witnesses;
