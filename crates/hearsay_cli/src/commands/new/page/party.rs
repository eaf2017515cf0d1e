//! Reads sentences about all player characters: "The three of them live on the barge."

use hearsay_campaign::import::party::{begins_with_number_of_party, statement_about_party};
use hearsay_model::Kind;

use super::PageReader;

impl PageReader {
    /// Adds a sentence about the home or the group of all player characters to their descriptions. Any other sentence about a
    /// number of characters whom the text has not named is about the game: "The four of them arrive in Gullhaven." Returns
    /// whether the sentence is about the player characters.
    pub(super) fn add_party_statement(&mut self, sentence: &str, line: usize) -> bool {
        let Some(statement) = statement_about_party(sentence) else {
            let is_about_party = begins_with_number_of_party(sentence) && self.subjects.current().is_none();
            if is_about_party {
                self.add_dm_text(sentence.to_owned(), line);
            }
            return is_about_party;
        };
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
