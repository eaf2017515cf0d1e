//! Creates the handbook entries for entities, open threads (such as quests and debts) and texts.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{
    Belonging, EntityId, Evidence, Kind, OpenThread, Passage, PassageId, PredicateRole, attribute, lists::push_new,
    narration, quoting, text, words,
};

use super::{
    builder::Builder,
    content::{ALSO_CALLED, Block, Entry, MENTIONED},
    kinds::dead_entity,
    shared::{Certainty, SharedFact},
    wording::Wording,
};

/// Label of the place where an entity was last seen.
const LAST_SEEN: &str = "Last seen";

/// Label of the larger place or group of which an entity is a part.
const PART_OF: &str = "Part of";

/// Labels of the links to those who belong to an entity.
const BELONGINGS: [(Belonging, &str); 2] = [(Belonging::Member, "Members"), (Belonging::Resident, "Residents")];

/// Label of a list of facts that only the reader knows.
const PRIVATE: &str = "As far as you know, no one else in the party knows this:";

impl Builder<'_> {
    /// Returns the entry of an entity.
    pub(super) fn entry(&self, id: &EntityId) -> Entry {
        let facts = self.facts_under(id);
        let death = self.dead.get(id).map(|date| match date {
            Some(date) => format!("Dead since {}.", self.wording().date(date)),
            None => "Dead.".to_owned(),
        });
        let is_dead = death.is_some();
        let notes = death.into_iter().chain(self.timeline.first_contact(id, self.kinds.get(id)));
        let note = notes.collect::<Vec<_>>().join(" ");
        let mut blocks: Vec<Block> = Vec::new();
        let (mut details, mut sentences, mut private) = (BTreeMap::new(), Vec::new(), Vec::new());
        for fact in facts {
            // The note says that the entity is dead. Who killed the entity is more than this.
            let is_value = fact.known().object().entity().is_none();
            if is_dead && is_value && dead_entity(self.vocabulary(), fact).is_some() {
                continue;
            }
            let is_private = fact.is_private;
            match self.detail(fact).filter(|_| !is_private) {
                // The players know where their own characters are.
                Some((_, label, _)) if label == LAST_SEEN && self.request.party.contains(id) => {}
                Some((order, label, value)) => {
                    let values: &mut Vec<String> = details.entry((order, label)).or_default();
                    push_new(values, value);
                }
                None if !is_private && self.is_description(fact) => {
                    blocks.push(Block::Paragraph(self.wording().sentence(fact, is_dead)));
                }
                None => {
                    let list = if is_private { &mut private } else { &mut sentences };
                    list.push(self.sentence(fact, is_dead));
                }
            }
        }
        // The description says who or what the entity is, so it comes first.
        blocks.extend((!note.is_empty()).then_some(Block::Note(note)));
        if !details.is_empty() {
            let details = details.into_iter().map(|((_, label), values)| (label, values.join(", ")));
            blocks.push(Block::Details(details.collect()));
        }
        // The players know how their own characters speak.
        if sentences.is_empty() && private.is_empty() && !self.request.party.contains(id) {
            blocks.extend(self.first_words(id).map(|text| Block::Quote(vec![text])));
        }
        for (label, items) in [("", sentences), (PRIVATE, private)] {
            if !items.is_empty() {
                blocks.push(Block::List { label: label.to_owned(), items });
            }
        }
        let groups = BELONGINGS.map(|(belonging, label)| (label, self.belonging_to(id, belonging)));
        let is_listed = |other: &&EntityId| groups.iter().any(|(_, ids)| ids.contains(*other));
        let mentioned = self.mentioned_by.get(id).into_iter().flatten().filter(|other| !is_listed(other));
        let mentioned = (MENTIONED, self.links(mentioned));
        let groups = groups.iter().map(|(label, ids)| (*label, self.named_links(ids.iter().copied())));
        for (label, targets) in groups.chain([mentioned]).filter(|(_, targets)| !targets.is_empty()) {
            blocks.push(Block::Links { label: label.to_owned(), targets });
        }
        Entry {
            title: self.names.name(id).unwrap_or_default().to_owned(),
            anchor: self.anchors.get(id).cloned().unwrap_or_default(),
            blocks,
        }
    }

    /// Returns the entities that belong to an entity in one way.
    fn belonging_to(&self, id: &EntityId, belonging: Belonging) -> BTreeSet<&EntityId> {
        let all = self.belongings.get(id).into_iter().flatten();
        all.filter(|(how, _)| *how == belonging).map(|(_, other)| other).collect()
    }

    /// Returns the first line that an entity said to the readers in a session, with quotation marks.
    fn first_words(&self, id: &EntityId) -> Option<String> {
        let passages = self.shared.passages.iter().map(|(_, passage)| passage.as_ref());
        let said = passages.filter(|passage| passage.speaker.as_ref() == Some(id) && passage.session.is_some());
        let first = said.min_by_key(|passage| (passage.said_at(), &passage.session, passage.line, &passage.text))?;
        Some(format!("\u{201C}{}\u{201D}", quoting::spoken(&first.text)))
    }

    /// Returns whether the statement of a fact is its value: a description of the subject.
    fn is_description(&self, fact: &SharedFact) -> bool {
        let known = fact.known();
        Wording::is_plain(fact)
            && known.predicate().as_str() == attribute::DESCRIPTION
            && known
                .object()
                .text()
                .is_some_and(|value| text::normalize(known.statement()).starts_with(&text::normalize(value)))
    }

    /// Returns the position, the label and the value of a fact that needs no sentence, such as an occupation; `None` if
    /// the fact needs a sentence.
    pub(super) fn detail(&self, fact: &SharedFact) -> Option<(u8, String, String)> {
        let known = fact.known();
        let predicate = known.predicate();
        if !Wording::is_plain(fact) || fact.end.is_some() {
            return None;
        }
        if PredicateRole::Location.is(predicate) {
            let place = known.object().entity().and_then(|id| self.names.name(id))?;
            return self.is_generated(fact, place).then(|| (u8::MAX, LAST_SEEN.to_owned(), place.to_owned()));
        }
        if PredicateRole::Part.is(predicate) {
            let whole = known.object().entity().and_then(|id| self.names.name(id))?;
            return self.is_generated(fact, whole).then(|| (u8::MAX, PART_OF.to_owned(), whole.to_owned()));
        }
        if known.object().entity().is_some() {
            return None;
        }
        let value = known.object().to_string();
        if predicate.as_str() == attribute::ALIAS {
            return Some((0, ALSO_CALLED.to_owned(), value));
        }
        let label = words::upper_first(&predicate.as_str().replace('_', " "));
        // A statement that contains only the value needs no label.
        let bare = self.vocabulary().sentence(predicate, "", &value);
        let is_labelled = text::normalize(&bare).trim_end_matches('.') != text::normalize(&value).trim_end_matches('.');
        let order = self.vocabulary().behavior(predicate).identity.unwrap_or(u8::MAX);
        (is_labelled && self.is_generated(fact, &value)).then(|| (order, label, value.trim_end_matches('.').to_owned()))
    }

    /// Returns whether the statement of a fact was made from the phrase of its predicate.
    fn is_generated(&self, fact: &SharedFact, object: &str) -> bool {
        let known = fact.known();
        let sentence = |subject: &str| self.vocabulary().sentence(known.predicate(), subject, object);
        let name = self.names.name(known.subject()).unwrap_or_default();
        text::normalize(known.statement()) == text::normalize(&sentence(name))
    }

    /// Returns whether a fact is a promise or a debt that is still open. The dead keep no promises.
    pub(super) fn is_open_obligation(&self, fact: &SharedFact) -> bool {
        let thread = self.vocabulary().behavior(fact.known().predicate()).thread;
        matches!(thread, Some(OpenThread::Promise | OpenThread::Debt))
            && fact.end.is_none()
            && !fact.is_superseded
            && !(thread == Some(OpenThread::Promise) && (self.is_settled(fact) || self.is_of_dead(fact)))
    }

    /// Returns whether the subject of a fact is dead, as far as the readers know.
    fn is_of_dead(&self, fact: &SharedFact) -> bool {
        self.dead.contains_key(fact.known().subject())
    }

    /// Returns whether the readers know that a promise was kept or broken. If they know several promises of the same entity
    /// to the same entity, it is unclear which of them was kept.
    fn is_settled(&self, promise: &SharedFact) -> bool {
        let (subject, object) = (promise.known().subject(), promise.known().object());
        let is_between_same = |fact: &&SharedFact| fact.known().subject() == subject && fact.known().object() == object;
        let facts: Vec<&SharedFact> = self.shared.facts.iter().filter(is_between_same).collect();
        let predicate = promise.known().predicate();
        let is_other = |fact: &&&SharedFact| fact.known().predicate() == predicate && fact.is_told();
        let settlements = [PredicateRole::KeptPromise, PredicateRole::BrokenPromise];
        let is_settlement = |fact: &&SharedFact| {
            let is_believed = matches!(fact.certainty, Some(Certainty::Certain | Certainty::Likely));
            let is_later = fact.learned() >= promise.learned();
            is_believed && is_later && settlements.iter().any(|role| role.is(fact.known().predicate()))
        };
        facts.iter().filter(is_other).count() == 1 && facts.iter().any(is_settlement)
    }

    /// Returns the quests that the readers know and that, as far as they know, have not ended. Sorted by name.
    pub(super) fn open_quests(&self) -> Vec<EntityId> {
        let quests = self.kinds.iter().filter(|(_, kind)| **kind == Kind::Quest).map(|(id, _)| id);
        let is_known = |id: &EntityId| {
            let facts = self.shared.facts.iter().map(SharedFact::known);
            facts.filter(|known| !known.is_name()).any(|known| {
                known.predicate().as_str() != attribute::KIND
                    && (known.subject() == id || known.object().entity() == Some(id))
            })
        };
        let mut quests: Vec<EntityId> =
            quests.filter(|id| self.names.name(id).is_some() && is_known(id) && !self.has_ended(id)).cloned().collect();
        quests.sort_by_key(|id| (self.names.name(id).map(text::normalize), id.clone()));
        quests
    }

    fn has_ended(&self, quest: &EntityId) -> bool {
        self.shared.facts.iter().filter(|fact| fact.known().subject() == quest && !fact.is_superseded).any(|fact| {
            let ended = &self.vocabulary().behavior(fact.known().predicate()).ended_values;
            let value = fact.known().object().to_string();
            text::words(&value).iter().take(2).any(|word| ended.contains(word))
        })
    }

    /// Returns the entries of open quests, promises and debts.
    pub(super) fn threads(&self, open_quests: &[EntityId]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = open_quests.iter().map(|id| self.entry(id)).collect();
        let mut statements = BTreeSet::new();
        let obligations = self.shared.facts.iter().filter(|fact| fact.is_told() && self.is_open_obligation(fact));
        let sentences: Vec<String> = obligations
            .filter(|fact| statements.insert(text::normalize(fact.known().statement())))
            .map(|fact| self.obligation(fact))
            .collect();
        if !sentences.is_empty() {
            let blocks = vec![Block::List { label: String::new(), items: sentences }];
            entries.push(Entry {
                title: "Promises and debts".to_owned(),
                anchor: "promises-and-debts".to_owned(),
                blocks,
            });
        }
        entries
    }

    /// Returns the entry of the facts that only the reader knows, as far as the reader knows. Whispers in which no such
    /// fact was found are quoted. Returns `None` if there are none, or if the handbook has several readers.
    pub(super) fn private_knowledge(&self) -> Option<Entry> {
        let is_listed = |at: &usize| {
            let fact = &self.shared.facts[*at];
            fact.is_private && (self.homes[*at].is_some() || self.is_open_obligation(fact))
        };
        let listed = self.facts_to_print().into_iter().filter(is_listed);
        let mut facts: Vec<&SharedFact> = listed.map(|at| &self.shared.facts[at]).collect();
        facts.sort_by_key(|fact| (fact.learned().0, fact.known().id()));
        let cited: BTreeSet<PassageId> = facts.iter().flat_map(|fact| fact.known().evidence_passages()).collect();
        let whispers = self.shared.passages.iter().filter(|(id, _)| self.shared.private_whispers.contains(id));
        let mut whispers: Vec<&Passage> =
            whispers.filter(|(id, _)| !cited.contains(id)).map(|(_, line)| line.as_ref()).collect();
        whispers.sort_by_key(|line| (line.said_at(), &line.session, line.line));
        let sentence = |fact: &SharedFact| self.sentence(fact, self.dead.contains_key(fact.known().subject()));
        let mut items: Vec<String> = facts.into_iter().map(sentence).collect();
        items.extend(whispers.into_iter().flat_map(|line| self.quoted_lines(line)));
        (!items.is_empty()).then(|| Entry {
            title: "Unknown to the others".to_owned(),
            anchor: "private".to_owned(),
            blocks: vec![Block::List { label: PRIVATE.to_owned(), items }],
        })
    }

    /// Returns a fact as a sentence. A promise says what was promised.
    pub(super) fn sentence(&self, fact: &SharedFact, is_past: bool) -> String {
        match self.vocabulary().behavior(fact.known().predicate()).thread {
            Some(OpenThread::Promise) => self.obligation(fact),
            _ => self.wording().sentence(fact, is_past),
        }
    }

    /// Returns a promise or debt as a sentence. If the statement does not say what was promised, quotes the sentence of a
    /// line that all readers heard.
    fn obligation(&self, fact: &SharedFact) -> String {
        let (known, sentence) = (fact.known(), self.wording().sentence(fact, false));
        let object = known.object().entity().and_then(|id| self.names.name(id)).unwrap_or_default();
        let is_promise = self.vocabulary().behavior(known.predicate()).thread == Some(OpenThread::Promise);
        let quotes = known.evidence().iter().rev().filter_map(|evidence| match evidence {
            Evidence::Passage { passage, span, .. } => {
                let (_, heard) = self.shared.passages.iter().find(|(id, _)| id == passage)?;
                text::sentence_around(&heard.text, span.start, span.end)
            }
            _ => None,
        });
        let quote =
            Some(quotes).filter(|_| is_promise && self.is_generated(fact, object)).and_then(|mut all| all.next());
        let stated = narration::quoted_infinitive(known.statement()).filter(|_| is_promise);
        let content = quote.and_then(|quote| narration::promised_infinitive(quote, object)).or(stated);
        let name = self.names.name(known.subject()).filter(|_| !object.is_empty());
        let phrase = known.statement().trim_end_matches('.');
        if let (Some(content), Some(name), true) = (content, name, sentence.contains(phrase)) {
            let sentence = sentence.replacen(phrase, &format!("{name} promised {object} {content}"), 1);
            return if sentence.ends_with('.') { sentence } else { format!("{sentence}.") };
        }
        match quote {
            Some(quote) => {
                format!("{}: \u{201C}{}\u{201D}", sentence.trim_end_matches('.'), quoting::spoken(quote))
            }
            None => sentence,
        }
    }

    /// Returns the entries of texts that are not part of a session, such as letters. Texts with the same title are one
    /// entry.
    pub(super) fn texts(&self) -> Vec<Entry> {
        let mut by_title: BTreeMap<String, Vec<&Passage>> = BTreeMap::new();
        let passages = self.shared.passages.iter().map(|(_, passage)| passage.as_ref());
        for passage in passages.filter(|passage| passage.session.is_none()) {
            let document = passage.document.as_ref().and_then(|id| self.names.name(id));
            let is_speech = passage.speaker.is_some() || passage.speaker_alias.is_some();
            let default_title = if is_speech { "Words that were said" } else { "Notes" };
            let title = passage.title.as_deref().or(document).unwrap_or(default_title);
            by_title.entry(title.to_owned()).or_default().push(passage);
        }
        let entry = |(number, (title, mut passages)): (usize, (String, Vec<&Passage>))| {
            passages.sort_by_key(|passage| (passage.said_at(), passage.line, &passage.text));
            let blocks = passages.iter().map(|passage| Block::Quote(self.quoted_lines(passage))).collect();
            Entry { title, anchor: format!("text-{number}"), blocks }
        };
        by_title.into_iter().enumerate().map(entry).collect()
    }

    /// Returns the lines of a text, with the name of the speaker if somebody said it. A line of a session that was typed in
    /// a hurry becomes a sentence. A line in which a player states an action of the own character becomes narration.
    pub(super) fn quoted_lines(&self, passage: &Passage) -> Vec<String> {
        let named = passage.speaker.as_ref().and_then(|id| self.names.name(id)).or(passage.speaker_alias.as_deref());
        let described = || passage.speaker.as_ref().map(|id| self.names.name_or_description(id));
        let text = passage.text.trim();
        let is_logged = passage.session.is_some();
        let player = passage.speaker.as_ref().filter(|id| is_logged && self.request.party.contains(id));
        let declared = player.and_then(|id| {
            narration::declared_action(text, self.names.name_or_description(id), self.names.pronouns(id))
        });
        match named.or_else(described) {
            _ if declared.is_some() => declared.into_iter().collect(),
            Some(speaker) => {
                let said = if is_logged { quoting::spoken(text) } else { text.to_owned() };
                vec![format!("{}: \u{201C}{said}\u{201D}", words::upper_first(speaker))]
            }
            None if is_logged && text.lines().count() == 1 => vec![quoting::narrated_to_players(text)],
            None => passage.text.lines().map(str::to_owned).collect(),
        }
    }
}
