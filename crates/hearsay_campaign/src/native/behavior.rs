//! The behavior of a predicate that a campaign defines.

use hearsay_model::{Attitude, Behavior, Belonging, EventPart, FeelingChanges, OpenThread, ReferringExpression};

use super::{fields::Fields, reader::CampaignReader};
use crate::keys;

impl CampaignReader {
    /// Reads the `behavior` of a definition. If there is none, the predicate keeps its current behavior.
    pub(super) fn read_behavior(&mut self, f: &Fields) -> Option<Behavior> {
        let f = &self.read_fields(f.get("behavior")?, &f.child_path("behavior"), &keys::BEHAVIOR)?;
        let belongings = [("member", Belonging::Member), ("resident", Belonging::Resident), ("part", Belonging::Part)];
        let threads = [("promise", OpenThread::Promise), ("debt", OpenThread::Debt), ("quest", OpenThread::Quest)];
        let parts = [("place", EventPart::Place), ("participant", EventPart::Participant)];
        let references = [("description", ReferringExpression::Description), ("pronoun", ReferringExpression::Pronoun)];
        Some(Behavior {
            belonging: self.read_choice(f, "belonging", &belongings),
            thread: self.read_choice(f, "thread", &threads),
            event: self.read_choice(f, "event", &parts),
            attitude: self.read_implied_attitude(f, "attitude"),
            object_attitude: self.read_implied_attitude(f, "object_attitude"),
            fear: self.read_implied_attitude(f, "fear"),
            fatal: self.read_flag(f, "fatal").unwrap_or(false),
            vague: self.read_flag(f, "vague").unwrap_or(false),
            notable: self.read_flag(f, "notable").unwrap_or(false),
            minor: self.read_flag(f, "minor").unwrap_or(false),
            visible: self.read_flag(f, "visible").unwrap_or(false),
            identity: self.read_order(f, "identity"),
            scenery: self.read_order(f, "scenery"),
            comparison: self.read_order(f, "comparison"),
            reference: self.read_choice(f, "reference", &references),
            dead_values: self.read_texts(f, "dead_values"),
            ended_values: self.read_texts(f, "ended_values"),
            feelings: self.read_feelings(f),
        })
    }

    /// Reads the changes of feelings. A feeling that is missing or wrong does not change.
    fn read_feelings(&mut self, f: &Fields) -> FeelingChanges {
        let Some(node) = f.get("feelings") else { return FeelingChanges::NONE };
        let Some(f) = self.read_fields(node, &f.child_path("feelings"), &keys::FEELINGS) else {
            return FeelingChanges::NONE;
        };
        FeelingChanges {
            affinity: self.read_implied_attitude(&f, "affinity").unwrap_or_default(),
            respect: self.read_implied_attitude(&f, "respect").unwrap_or_default(),
            fear: self.read_implied_attitude(&f, "fear").unwrap_or_default(),
            debt: self.read_implied_attitude(&f, "debt").unwrap_or_default(),
        }
    }

    /// Reads a value that must be one of the words in `choices`.
    pub(super) fn read_choice<T: Copy>(&mut self, f: &Fields, key: &str, choices: &[(&'static str, T)]) -> Option<T> {
        let (node, path) = (f.get(key)?, f.child_path(key));
        let word_text = self.read_text_node(node, &path)?;
        let choice = choices.iter().find(|(word, _)| *word == word_text);
        if choice.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let message = format!("`{word_text}` is not a value of `{key}`");
            self.diagnostics.add(node.at, &path, message, keys::hint(word_text, words.iter().copied()));
        }
        choice.map(|(_, value)| *value)
    }

    fn read_implied_attitude(&mut self, f: &Fields, key: &str) -> Option<Attitude> {
        let number = self.read_integer(f, key)?;
        self.check_scale(f, key, Attitude::new(number))
    }

    /// Reads a position in an order, which is a number from 0 to 255.
    fn read_order(&mut self, f: &Fields, key: &str) -> Option<u8> {
        let (number, at) = (self.read_integer(f, key)?, f.get(key).map_or(f.at, |node| node.at));
        let message = format!("expected a position from 0 to {}, not {number}", u8::MAX);
        u8::try_from(number).map_err(|_| self.diagnostics.add(at, &f.child_path(key), message, "")).ok()
    }
}
