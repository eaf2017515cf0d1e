//! Reads sentences about all player characters: "The three of them live on the barge."

use hearsay_campaign::import::party::statement_about_party;
use hearsay_model::Kind;

use super::PageReader;

impl PageReader {
    /// Adds a sentence about the home or the group of all player characters to their descriptions. Returns whether the
    /// sentence is such a sentence.
    pub(super) fn add_party_statement(&mut self, sentence: &str, line: usize) -> bool {
        let Some(statement) = statement_about_party(sentence) else { return false };
        let draft = &self.made.draft;
        let kind = |index: usize| &draft.entities[index].kind;
        let is_about_other = self.subjects.current().is_some_and(|subject| *kind(subject) != Kind::Player);
        let players = (0..draft.entities.len()).filter(|index| *kind(*index) == Kind::Player);
        let players: Vec<usize> = players.filter(|_| !is_about_other).collect();
        for player in &players {
            let text = format!("{} {statement}", self.made.draft.entities[*player].name);
            self.add_sentence(Some(*player), &text, line, false);
        }
        !players.is_empty()
    }
}
