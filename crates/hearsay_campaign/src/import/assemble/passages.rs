//! Creates passages from paragraphs about an entity and from the lines of a session.

use std::collections::HashMap;

use hearsay_model::{EntityId, Knower, Passage, Session, SessionId, slug, words::upper_first};

use super::{assembly::Assembly, entity_names::sort_and_dedup};
use crate::{
    campaign::{AudienceSource, CampaignPassage},
    import::{
        Block, Note, NoteLink, Origin, Visibility,
        knowers::{SecretKnowers, split_knowers},
        quote, truth,
    },
};

impl Assembly<'_> {
    /// Adds the texts of a note as passages. A text without a subject and without a visibility mark has no reader. If a
    /// text ends with a remark that says whether the text is true, only the DM can read the text with the remark.
    pub(super) fn add_texts(&mut self, subject: Option<&EntityId>, note: &Note) {
        let mut line_counts: HashMap<(Option<String>, &str), u32> = HashMap::new();
        let mut add = |block: &Block, text: &str, line: u32, title: Option<String>| {
            let passage = Passage { title, line, ..Passage::new(text) };
            self.add_text(subject, note, block, passage, Vec::new());
        };
        for block in &note.texts {
            let title = passage_title(note, block);
            let mut line = |text| {
                let count = line_counts.entry((title.clone(), text)).or_default();
                *count += 1;
                *count - 1
            };
            let text = block.text.text.as_str();
            let remark = truth::split_remark(text).filter(|(_, remark)| truth::split_verdict(remark).is_some());
            let Some((statement, _)) = remark else {
                add(block, text, line(text), title.clone());
                continue;
            };
            let is_stated = |link: &&NoteLink| link.label.as_deref().is_some_and(|label| statement.contains(label));
            let links = block.links.iter().filter(is_stated).cloned().collect();
            let origin = Origin { quote: quote(statement).into(), ..block.origin.clone() };
            add(&Block { links, origin, ..block.clone() }, statement, line(statement), title.clone());
            let visibility = Visibility::SECRET.within(&block.visibility);
            add(&Block { visibility, ..block.clone() }, text, line(text), title.clone());
        }
    }

    fn add_text(
        &mut self,
        subject: Option<&EntityId>,
        note: &Note,
        block: &Block,
        mut passage: Passage,
        present: Vec<Knower>,
    ) {
        if passage.text.trim().is_empty() {
            return;
        }
        let visibility = block.visibility.within(&note.visibility);
        let named_knowers = match &visibility {
            Visibility::Secret(holders) if holders.is_empty() => self.take_knowers(&mut passage),
            _ => Vec::new(),
        };
        let mut mentions = self.mentions.find_in_text(&passage.text);
        // The hidden entities that the text links to, each with whether the text contains its name.
        let mut contains_name_cache: HashMap<EntityId, bool> = HashMap::new();
        mentions.extend(subject.cloned());
        for link in &block.links {
            let link_visibility = link.visibility.within(&visibility);
            let target = self.resolve_target(&link.target, link.label.as_deref(), note, &link.origin, &link_visibility);
            // If the text does not contain a secret name, the passage must not mention the entity with that name.
            let Some(id) = target else { continue };
            let may_mention = visibility.is_secret() || !self.is_hidden(&id) || {
                let names = || contains_name(&passage.text, self.entity_name(&id));
                *contains_name_cache.entry(id.clone()).or_insert_with(names)
            };
            mentions.extend(may_mention.then_some(id));
        }
        passage.mentions = sort_and_dedup(mentions);
        passage.evidence = vec![self.excerpt_evidence(&block.origin, &note.key)];
        let audience_source = match &visibility {
            Visibility::Secret(holders) => {
                let holders = self.resolve_holders(holders).into_iter().map(|entry| entry.knower);
                passage.heard_by = holders.chain(named_knowers).collect();
                AudienceSource::NamedKnowers
            }
            Visibility::Marked(audience) => AudienceSource::Stated(*audience),
            Visibility::Unmarked if subject.is_some() => AudienceSource::Rules,
            Visibility::Unmarked => {
                passage.heard_by = present;
                AudienceSource::NamedKnowers
            }
        };
        passage.heard_by.sort();
        passage.heard_by.dedup();
        self.passages.push(CampaignPassage { passage, audience_source, subject: subject.cloned(), facts: Vec::new() });
    }

    /// Removes the words of a secret text that say who knows it, such as "Known only to Odo". Returns these knowers. If the
    /// words name no entity, the text keeps them.
    fn take_knowers(&self, passage: &mut Passage) -> Vec<Knower> {
        let SecretKnowers { text, knowers: Some(names), .. } = split_knowers(&passage.text) else { return Vec::new() };
        let mut named = self.mentions.find_in_text(&names);
        named.retain(|id| self.kinds.get(id).is_some_and(hearsay_model::Kind::can_know));
        if !named.is_empty() {
            passage.text = upper_first(&text);
        }
        named.into_iter().map(Knower::Entity).collect()
    }

    pub(super) fn entity_name<'n>(&'n self, id: &'n EntityId) -> &'n str {
        self.names.get(id).map_or(id.as_str(), String::as_str)
    }

    /// Returns whether the existence of an entity is secret.
    pub(super) fn is_hidden(&self, id: &EntityId) -> bool {
        self.secret_entities.contains(id)
    }

    /// Adds a session log. Each text of the log becomes a line of the session. All characters who were present heard
    /// it.
    pub(super) fn add_session(&mut self, note: &Note) {
        let info = note.session.clone().unwrap_or_default();
        let mut id = info.number.map_or_else(|| slug(&note.name), |number| format!("session-{number}"));
        if self.session_ids.contains(&id) {
            id = slug(&format!("{id} {}", note.name));
        }
        let base = if id.is_empty() { "session".to_owned() } else { id };
        let mut id = base.clone();
        for count in 2.. {
            if !self.session_ids.contains(&id) {
                break;
            }
            id = format!("{base}-{count}");
        }
        self.session_ids.insert(id.clone());
        let Ok(id) = SessionId::new(&id) else { return };
        let mut present = Vec::new();
        for target in &info.present {
            present.extend(self.resolve_target(target, None, note, &note.origin, &note.visibility));
        }
        present.retain(|id| self.kinds.get(id).is_some_and(hearsay_model::Kind::can_know));
        let present = sort_and_dedup(present);
        let start = info.start.as_deref().map(|date| self.parse_date(date, None));
        let end = info.end.as_deref().map(|date| self.parse_date(date, None));
        let title = if note.name.is_empty() { id.to_string() } else { note.name.clone() };
        let hearers: Vec<Knower> = present.iter().cloned().map(Knower::Entity).collect();
        for (line, block) in (1..).zip(&note.texts) {
            let mut passage = Passage::new(&block.text.text);
            passage.title = block.headings.last().cloned();
            passage.session = Some(id.clone());
            passage.line = line;
            passage.time.clone_from(&start);
            if let Some(speaker) = &block.speaker {
                passage.speaker = self.resolve_target(speaker, None, note, &block.origin, &block.visibility);
            }
            self.add_text(None, note, block, passage, hearers.clone());
        }
        self.sessions.push(Session { id, number: info.number, title, date: info.date, start, end, present });
    }
}

fn passage_title(note: &Note, block: &Block) -> Option<String> {
    let name = note.name.trim();
    let heading = block.headings.iter().rev().find(|heading| heading.trim() != name);
    match (name.is_empty(), heading) {
        (true, heading) => heading.cloned(),
        (false, None) => Some(name.to_owned()),
        (false, Some(heading)) => Some(format!("{name}: {heading}")),
    }
}

fn contains_name(passage: &str, name: &str) -> bool {
    hearsay_model::text::contains_name(&hearsay_model::text::words(passage), &hearsay_model::text::words(name))
}
