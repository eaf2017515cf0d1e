//! Passages such as letters, books, notices and songs.

use hearsay_model::{Audience, EntityId, Evidence, Knower, Passage};

use super::{drafts::Context, fields::Fields, holders::Usual, reader::CampaignReader};
use crate::{
    campaign::{Reach, Text},
    error::Place,
    keys,
};

impl CampaignReader {
    pub(super) fn passage(&mut self, f: &Fields) {
        if let Some(id) = self.text(f, "id") {
            let at = f.get("id").map_or(f.at, |node| node.at);
            if let Some(first) = self.passage_ids.insert(id.to_owned(), at) {
                let message = format!("duplicate id `{id}`: it is already used at {}", self.faults.spot(first));
                self.faults.add(at, &f.below("id"), message, "give one of them another `id`");
            }
        }
        let about = self.refers(f, "about");
        let document = self.refer(f, "document");
        let place = self.refer(f, "place");
        let known_by: Vec<Knower> =
            self.holders(f, "known_by", &Usual::authored()).into_iter().map(|holder| holder.knower).collect();
        let (common, secret) = (self.flag(f, "common") == Some(true), self.flag(f, "secret") == Some(true));
        let audience = self.audience(f, "audience");
        if secret && (common || audience.is_some()) {
            let hint = "remove `secret`, or remove `common` and `audience`";
            self.faults.add(f.at, &f.path, "a secret is known only to the knowers in `known_by`", hint);
        }
        let reach = match audience {
            _ if common => Reach::Only(Audience::Common),
            Some(audience) => Reach::Only(audience),
            None if secret || !known_by.is_empty() => Reach::Named,
            None => Reach::Rules,
        };
        let Some(text) = self.needed(f, "text", "a passage") else { return };
        let mut passage = Passage::new(text.trim());
        passage.title = self.owned(f, "title");
        passage.heard_by = known_by;
        passage.mentions = self.mentions(text, about.iter().chain(&document).cloned());
        passage.evidence.push(self.evidence(f.at, &f.path));
        let subject = about.into_iter().next().or_else(|| document.clone()).or_else(|| place.clone());
        passage.document = document;
        passage.place = place;
        let context = Context {
            reach: Reach::Named,
            passage: Some((passage.id(), passage.text.clone())),
            ..Context::about(None)
        };
        let number = self.passages.len();
        self.passages.push(Text { passage, reach, subject, facts: Vec::new() });
        for f in self.maps(f, "facts", &keys::STATED) {
            if self.is_reference(&f) {
                if let Some(mut later) = self.later(&f, "fact") {
                    later.read_in = Some(number);
                    self.later.push(later);
                }
            } else if let Some(fact) = self.entry(&f, &context) {
                self.passages[number].facts.push(fact);
            }
        }
    }

    /// Returns whether an entry of a passage refers to a fact that is written elsewhere in the files.
    pub(super) fn is_reference(&mut self, f: &Fields) -> bool {
        if f.get("fact").is_none() {
            return false;
        }
        for (key, _) in f.entries().iter().filter(|(key, _)| !["fact", "credence"].contains(&&*key.text)) {
            let message =
                format!("`{}` is not allowed together with `fact`, which refers to a fact written elsewhere", key.text);
            self.faults.add(key.at, &f.below(&key.text), message, "move it to the entry of that fact");
        }
        true
    }

    pub(super) fn evidence(&self, at: Place, path: &str) -> Evidence {
        Evidence::File { path: self.faults.path(at).to_owned(), line: at.line, field: path.to_owned() }
    }

    /// Returns the entities in `given`, and the entities whose open names occur in the text.
    pub(super) fn mentions(&self, text: &str, given: impl IntoIterator<Item = EntityId>) -> Vec<EntityId> {
        let mut mentions = self.index.found_in(text);
        mentions.extend(given);
        mentions.sort();
        mentions.dedup();
        mentions
    }
}
