//! Recording of a reply that a character said, with the facts that the reply states.

use hearsay_model::FactId;
use hearsay_query::resolve::Speaker;

use super::{DraftReply, FindingKind, ReplyCheck};
use crate::game_event::{Circumstances, GameEvent, Hearers, Stated};

impl ReplyCheck {
    /// Returns the game event that records the reply: the listeners hear the words and learn the facts that the words
    /// state. If the words repeat a lie of the speaker, the event is a lie. Hearsay extracts further facts from the
    /// words later, as from every spoken line.
    pub fn say(&self, draft: &DraftReply, circumstances: Circumstances) -> GameEvent {
        GameEvent::Say {
            speaker: Speaker::from(draft.speaker.clone()),
            text: draft.text.clone(),
            states: self.stated_facts().into_iter().map(Stated::Recorded).collect(),
            hearers: Hearers::listed_or_at_place(draft.listeners.clone()),
            lie: self.is_lie(),
            circumstances,
        }
    }

    /// Returns whether the words repeat a lie of the speaker.
    pub fn is_lie(&self) -> bool {
        self.of_kind(FindingKind::RepeatsLie).next().is_some()
    }

    /// Returns the recorded facts that the listeners learn from the words, sorted and unique. If the words repeat a
    /// lie, the result contains the facts that the speaker invented.
    pub fn stated_facts(&self) -> Vec<FactId> {
        let lie = self.is_lie();
        let is_stated = |kind: FindingKind| match kind {
            FindingKind::RepeatsLie => lie,
            FindingKind::RevealsSecret | FindingKind::KnownToListeners | FindingKind::Supported => !lie,
            FindingKind::Contradicts | FindingKind::UnknownName => false,
        };
        let mut states: Vec<FactId> = self
            .findings
            .iter()
            .filter(|finding| is_stated(finding.kind))
            .filter_map(|finding| finding.facts.first())
            .map(|cited| cited.fact)
            .collect();
        states.sort_unstable();
        states.dedup();
        states
    }
}
