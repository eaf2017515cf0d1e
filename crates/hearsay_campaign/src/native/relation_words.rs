//! The words of a relation that a campaign defines.

use hearsay_model::{ListDirections, RelationWords};

use super::{fields::Fields, reader::CampaignReader};
use crate::keys;

impl CampaignReader {
    /// Reads the `words` of a definition. If there are none, the relation keeps its current words.
    pub(super) fn read_relation_words(&mut self, f: &Fields) -> Option<RelationWords> {
        let f = &self.read_fields(f.get("words")?, &f.child_path("words"), &keys::RELATION_WORDS)?;
        let directions = [("both", ListDirections::Both), ("inverse", ListDirections::Inverse)];
        Some(RelationWords {
            fields: self.read_texts(f, "fields"),
            inverse_fields: self.read_texts(f, "inverse_fields"),
            lists: self.read_choice(f, "lists", &directions),
            nouns: self.read_texts(f, "nouns"),
            inverse_nouns: self.read_texts(f, "inverse_nouns"),
            verbs: self.read_texts(f, "verbs"),
            inverse_verbs: self.read_texts(f, "inverse_verbs"),
        })
    }
}
