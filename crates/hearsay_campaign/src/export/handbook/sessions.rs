//! Creates the handbook entries that tell the story of each session.

use std::{cmp::Reverse, collections::BTreeSet};

use hearsay_model::{EntityId, Kind, Passage, PassageId, Precision, Session, words};

use super::{
    HandbookReaders,
    builder::Builder,
    claim::Claim,
    content::{Block, Entry},
    kinds::dead_entity,
    shared::{Certainty, SharedFact},
};

/// Maximum number of lines that are quoted for a session without a summary.
const MAX_LINES: usize = 12;

/// Maximum number of learned facts that are listed for a session.
const MAX_LEARNED: usize = 8;

impl Builder<'_> {
    /// Returns an entry for each session.
    pub(super) fn story(&self) -> Vec<Entry> {
        (0..self.timeline.sessions.len()).map(|session| self.session_entry(session)).collect()
    }

    fn session_entry(&self, at: usize) -> Entry {
        let session = self.timeline.sessions[at];
        let note = self.session_note(session);
        let mut blocks: Vec<Block> = (!note.is_empty()).then_some(Block::Note(note)).into_iter().collect();
        let note_count = blocks.len();
        let mut lines = self.shared.lines();
        lines.retain(|(_, passage)| passage.session.as_ref() == Some(&session.id));
        lines.sort_by_key(|(_, passage)| (passage.line, &passage.text));
        // The summary of a session is a titled passage before the first line.
        let (summary, lines): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|(_, passage)| passage.line == 0 && passage.title.is_some());
        blocks.extend(summary.iter().map(|(_, passage)| Block::Paragraph(passage.text.clone())));
        let quoted = if summary.is_empty() { self.important_lines(lines) } else { Vec::new() };
        let items: Vec<String> = quoted.iter().flat_map(|(_, passage)| self.quoted_lines(passage)).collect();
        blocks.extend((!items.is_empty()).then(|| Block::List { label: String::new(), items }));
        let has_content = blocks.len() > note_count;
        if !has_content && session.present.len() < self.request.party.len() {
            blocks.push(Block::Paragraph("Only those who were there know what happened.".to_owned()));
        }
        let met = self.timeline.meetings.iter().filter(|(_, meeting)| meeting.met == Some(at)).map(|(id, _)| id);
        let (places, others): (Vec<&EntityId>, Vec<&EntityId>) =
            met.partition(|id| self.kinds.get(*id) == Some(&Kind::Location));
        for (label, ids) in [("First met", others), ("First visited", places)] {
            let targets = self.links(ids);
            if !targets.is_empty() {
                blocks.push(Block::Links { label: label.to_owned(), targets });
            }
        }
        let items = self.learned_in(session, &quoted);
        if !items.is_empty() {
            let readers = if self.request.readers == HandbookReaders::Party { "The party" } else { "You" };
            blocks.push(Block::List { label: format!("{readers} learned:"), items });
        }
        Entry { title: self.timeline.session_title(at), anchor: format!("session-{at}"), blocks }
    }

    /// Returns the lines that a handbook quotes for a session. The lines that state a death, harm, a promise, a debt or a
    /// secret always belong to them. Narration that only says what somebody intends never does.
    fn important_lines<'p>(&self, mut lines: Vec<(PassageId, &'p Passage)>) -> Vec<(PassageId, &'p Passage)> {
        let all = self.shared.lines();
        let facts = || self.shared.facts.iter().map(SharedFact::known);
        let evidence: BTreeSet<PassageId> = facts().flat_map(|known| known.evidence_passages()).collect();
        let decisive = facts().filter(|known| known.is_decisive(self.vocabulary()));
        let decisive: BTreeSet<PassageId> = decisive
            .flat_map(|known| {
                let told = known.telling_lines(&all).into_iter().chain(known.recorded_lines(self.state, &all));
                known.evidence_passages().chain(told).chain(known.narrated_lines(&all))
            })
            .collect();
        lines.retain(|(id, passage)| evidence.contains(id) || !passage.is_intention());
        // Lines that name more entities say more about the story.
        lines.sort_by_key(|(id, passage)| Reverse((decisive.contains(id), self.weight(passage))));
        let decisive_count = lines.iter().filter(|(id, _)| decisive.contains(id)).count();
        lines.truncate(MAX_LINES.max(decisive_count));
        lines.sort_by_key(|(_, passage)| (passage.line, &passage.text));
        lines
    }

    /// Returns how much a line says about the story: the number of names in it. If a character outside of the party says the
    /// line, a name that the readers do not know counts more, because the story has not explained it yet.
    fn weight(&self, line: &Passage) -> usize {
        let is_from_others = line.speaker.as_ref().is_some_and(|id| !self.request.party.contains(id));
        let unexplained = if is_from_others { 1 + 2 * self.names.count_unknown(&line.text) } else { 0 };
        self.names.mentions(&line.text).len() + unexplained
    }

    /// Returns the facts that the readers learned in a session as sentences, in the order in which they learned them.
    /// Facts that only one character knows are left out, because another chapter lists them, and facts that a quoted line
    /// of the session says with the same words.
    fn learned_in(&self, session: &Session, quoted: &[(PassageId, &Passage)]) -> Vec<String> {
        let printed = self.shared.facts.iter().zip(&self.homes).filter(|(_, home)| home.is_some());
        let mut facts: Vec<&SharedFact> = printed
            .map(|(fact, _)| fact)
            .filter(|fact| fact.learned().1 == Some(&session.id) && !fact.is_private)
            .filter(|fact| self.detail(fact).is_none() || self.is_untold_death(fact))
            .filter(|fact| !self.is_quoted(fact, quoted))
            .collect();
        facts.sort_by_key(|fact| (!self.is_untold_death(fact), fact.priority()));
        facts.truncate(MAX_LEARNED);
        facts.sort_by_key(|fact| (fact.learned().0, fact.known().id()));
        let is_dead = |fact: &SharedFact| {
            self.dead.contains_key(fact.known().subject()) && dead_entity(self.vocabulary(), fact).is_none()
        };
        facts.into_iter().map(|fact| self.sentence(fact, is_dead(fact))).collect()
    }

    /// Returns whether one of the quoted lines says the same as a fact. A doubt of the readers is more than the line says. The
    /// line in which a promise is given says what was promised.
    fn is_quoted(&self, fact: &SharedFact, quoted: &[(PassageId, &Passage)]) -> bool {
        let is_doubted = matches!(fact.certainty, Some(Certainty::Doubted | Certainty::Untrue));
        let is_thread = self.vocabulary().behavior(fact.known().predicate()).thread.is_some();
        let is_evidence = |id: PassageId| fact.known().evidence_passages().any(|other| other == id);
        let claim = Claim::new(fact, &self.names);
        let says = |(id, line): &(PassageId, &Passage)| {
            is_thread && is_evidence(*id) || claim.is_in_line(*id, line, &self.names)
        };
        !is_doubted && quoted.iter().any(says)
    }

    /// Returns whether a fact states a death, and no line that the readers heard tells it.
    fn is_untold_death(&self, fact: &SharedFact) -> bool {
        let is_quoted = |id: PassageId| self.shared.passages.iter().any(|(other, _)| *other == id);
        dead_entity(self.vocabulary(), fact).is_some() && !fact.known().evidence_passages().any(is_quoted)
    }

    /// Returns the date of a session and the characters who were there.
    fn session_note(&self, session: &Session) -> String {
        let start = session.start.as_ref().map(|date| match date.time {
            Some(time) => self.state.calendar().format_with_precision(time, Precision::Day),
            None => date.raw.clone(),
        });
        let names = |ids: Vec<&EntityId>| -> Vec<String> {
            ids.into_iter().filter_map(|id| self.names.name(id)).map(str::to_owned).collect()
        };
        let is_present = |id: &&EntityId| session.present.contains(*id);
        let present = names(self.request.party.iter().filter(is_present).collect());
        let absent = names(self.request.party.iter().filter(|id| !session.present.contains(id)).collect());
        let sentence = |names: &[String], singular: &str, plural: &str| {
            let refs: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{} {}.", words::join_names(&refs), if names.len() == 1 { singular } else { plural })
        };
        // Somebody who came late or left early was there too.
        let were_there = (!present.is_empty()).then(|| sentence(&present, "was there", "were there"));
        let were_away = (!present.is_empty() && !absent.is_empty()).then(|| sentence(&absent, "was away", "were away"));
        let date = start.map(|start| format!("{}.", words::upper_first(&start)));
        [date, were_there, were_away].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}
