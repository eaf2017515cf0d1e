//! The behavior of a predicate that a campaign defines.

use hearsay_model::{Attitude, Behavior, Belonging, EventPart, OpenThread, ReferringExpression};

use super::{fields::Fields, reader::CampaignReader};
use crate::keys;

impl CampaignReader {
    /// Reads the `behavior` of a definition. If there is none, the predicate keeps its present behavior.
    pub(super) fn behavior(&mut self, f: &Fields) -> Option<Behavior> {
        let f = &self.fields(f.get("behavior")?, &f.below("behavior"), &keys::BEHAVIOR)?;
        let belongings = [("member", Belonging::Member), ("resident", Belonging::Resident), ("part", Belonging::Part)];
        let threads = [("promise", OpenThread::Promise), ("debt", OpenThread::Debt), ("quest", OpenThread::Quest)];
        let parts = [("place", EventPart::Place), ("participant", EventPart::Participant)];
        let references = [("description", ReferringExpression::Description), ("pronoun", ReferringExpression::Pronoun)];
        Some(Behavior {
            belonging: self.choice(f, "belonging", &belongings),
            thread: self.choice(f, "thread", &threads),
            event: self.choice(f, "event", &parts),
            attitude: self.implied(f, "attitude"),
            object_attitude: self.implied(f, "object_attitude"),
            vague: self.flag(f, "vague").unwrap_or(false),
            notable: self.flag(f, "notable").unwrap_or(false),
            minor: self.flag(f, "minor").unwrap_or(false),
            identity: self.position(f, "identity"),
            scenery: self.position(f, "scenery"),
            comparison: self.position(f, "comparison"),
            reference: self.choice(f, "reference", &references),
            dead_values: self.texts(f, "dead_values"),
            ended_values: self.texts(f, "ended_values"),
        })
    }

    /// Reads a value that must be one of the words in `choices`.
    fn choice<T: Copy>(&mut self, f: &Fields, key: &str, choices: &[(&'static str, T)]) -> Option<T> {
        let (node, path) = (f.get(key)?, f.below(key));
        let written = self.text_of(node, &path)?;
        let found = choices.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let message = format!("`{written}` is not a value of `{key}`");
            self.faults.add(node.at, &path, message, keys::hint(written, words.iter().copied()));
        }
        found.map(|(_, value)| *value)
    }

    fn implied(&mut self, f: &Fields, key: &str) -> Option<Attitude> {
        let number = self.whole(f, key)?;
        self.scaled(f, key, Attitude::new(number))
    }

    /// Reads a position in an order, which is a number from 0 to 255.
    fn position(&mut self, f: &Fields, key: &str) -> Option<u8> {
        let (number, at) = (self.whole(f, key)?, f.get(key).map_or(f.at, |node| node.at));
        let message = format!("expected a position from 0 to {}, not {number}", u8::MAX);
        u8::try_from(number).map_err(|_| self.faults.add(at, &f.below(key), message, "")).ok()
    }
}
