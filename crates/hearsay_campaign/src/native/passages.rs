//! Passages such as letters, books, notices and songs.

use hearsay_model::{Audience, EntityId, Evidence, Knower, Passage};

use super::{drafts::Context, fields::Fields, knowers::KnowerDefaults, reader::CampaignReader};
use crate::{
    campaign::{AudienceSource, CampaignPassage},
    error::SourcePosition,
    keys,
};

impl CampaignReader {
    pub(super) fn read_passage(&mut self, f: &Fields) {
        if let Some(id) = self.read_text(f, "id") {
            let at = f.get("id").map_or(f.at, |node| node.at);
            if let Some(first_position) = self.passage_ids.insert(id.to_owned(), at) {
                let message = format!(
                    "duplicate id `{id}`: it is already used at {}",
                    self.diagnostics.format_position(first_position)
                );
                self.diagnostics.add(at, &f.child_path("id"), message, "give one of the two texts another `id`");
            }
        }
        let about = self.read_references(f, "about");
        let document = self.read_reference(f, "document");
        let place = self.read_reference(f, "place");
        let known_by: Vec<Knower> = self
            .read_knower_entries(f, "known_by", &KnowerDefaults::authored())
            .into_iter()
            .map(|holder| holder.knower)
            .collect();
        let (is_common_knowledge, is_secret) =
            (self.read_flag(f, "common") == Some(true), self.read_flag(f, "secret") == Some(true));
        let audience = self.read_audience(f, "audience");
        if is_secret && (is_common_knowledge || audience.is_some()) {
            let hint = "remove `secret`, or remove `common` and `audience`";
            self.diagnostics.add(f.at, &f.path, "a secret is known only to the knowers in `known_by`", hint);
        }
        let audience_source = match audience {
            _ if is_common_knowledge => AudienceSource::Stated(Audience::Common),
            Some(audience) => AudienceSource::Stated(audience),
            None if is_secret || !known_by.is_empty() => AudienceSource::NamedKnowers,
            None => AudienceSource::Rules,
        };
        let Some(text) = self.read_required_text(f, "text", "a passage") else { return };
        let mut passage = Passage::new(text.trim());
        passage.title = self.read_trimmed_text(f, "title");
        passage.heard_by = known_by;
        passage.mentions = self.find_mentions(text, about.iter().chain(&document).cloned());
        passage.evidence.push(self.file_evidence(f.at, &f.path));
        let subject = about.into_iter().next().or_else(|| document.clone()).or_else(|| place.clone());
        passage.document = document;
        passage.place = place;
        let context = Context {
            audience_source: AudienceSource::NamedKnowers,
            passage: Some((passage.id(), passage.text.clone())),
            ..Context::for_subject(None)
        };
        let index = self.passages.len();
        self.passages.push(CampaignPassage { passage, audience_source, subject, facts: Vec::new() });
        for f in self.read_maps(f, "facts", &keys::STATED) {
            if self.is_fact_reference(&f) {
                if let Some(mut reference) = self.read_handle_reference(&f, "fact") {
                    reference.passage_index = Some(index);
                    self.handle_references.push(reference);
                }
            } else if let Some(fact) = self.read_fact(&f, &context) {
                self.passages[index].facts.push(fact);
            }
        }
    }

    /// Returns whether an entry of a passage refers to a fact that is written elsewhere in the files.
    pub(super) fn is_fact_reference(&mut self, f: &Fields) -> bool {
        if f.get("fact").is_none() {
            return false;
        }
        for (key, _) in f.entries().iter().filter(|(key, _)| !["fact", "credence"].contains(&&*key.text)) {
            let message =
                format!("`{}` is not allowed together with `fact`, which refers to a fact written elsewhere", key.text);
            self.diagnostics.add(key.at, &f.child_path(&key.text), message, "move this key to the entry of that fact");
        }
        true
    }

    pub(super) fn file_evidence(&self, at: SourcePosition, path: &str) -> Evidence {
        Evidence::File { path: self.diagnostics.path(at).to_owned(), line: at.line, field: path.to_owned() }
    }

    /// Returns the entities in `given_entities`, and the entities whose open names occur in the text.
    pub(super) fn find_mentions(
        &self,
        text: &str,
        given_entities: impl IntoIterator<Item = EntityId>,
    ) -> Vec<EntityId> {
        let mut mentions = self.index.find_in_text(text);
        mentions.extend(given_entities);
        mentions.sort();
        mentions.dedup();
        mentions
    }
}
