//! Corrections of a recorded line: its speaker and its hearers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{
    Occasion, StateViews, is_dead,
    learn::{self, HeardStatement, LearnError, Sincerity},
};
use hearsay_model::{
    Acquisition, Author, Change, Credence, EntityId, Evidence, Fact, FactId, FactStatus, Knower, KnowledgeEdge,
    KnowledgeId, Operation, Passage, PassageId, SessionId, State, TalkKind, Timestamp, attribute, words,
};
use hearsay_query::{
    ids::require_entities,
    preview::state_after,
    resolve::Speaker,
    review::{extracted_names, is_unconfirmed_entity},
    session::session_or_latest,
};

use super::{
    LogLine, confirmed_findings::ConfirmedFindings, extracted_facts::cites, is_table_line,
    joined_operation::joined_operation, stated_facts::stated_facts,
};
use crate::{
    CommandError,
    game_event::{mentioned_entities, secret_name},
    presence::require_speaker,
};

/// The DM's correction of the speaker or the hearers of a recorded line of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineCorrection {
    /// Session of the line. `None` means the session being played, or the latest session if no session is being played.
    pub session: Option<SessionId>,
    /// Number of the line in the session.
    pub line: u32,
    /// Correct speaker; `None` if the speaker does not change. The hearers of the line do not change, unless the text of
    /// a narrated line names them.
    pub speaker: Option<Speaker>,
    /// Characters that also hear the line.
    pub with: Vec<EntityId>,
    /// Characters that do not hear the line.
    pub without: Vec<EntityId>,
    /// Recorded facts that the line states in the words of its correct speaker. Ignored if the speaker does not change.
    pub states: Vec<FactId>,
}

/// Returns a recorded line of a session. If no line number is given, returns the last line. If no session is given, the
/// session is the session being played, or the latest session if no session is being played.
///
/// # Errors
/// Returns an error if the session or the line does not exist.
pub fn recorded_line<'s>(
    state: &'s State,
    session: Option<&SessionId>,
    line: Option<u32>,
) -> Result<(PassageId, &'s Arc<Passage>), CommandError> {
    let session = &session_or_latest(state, session)?.id;
    let lines = state.passages_in_session(Some(session)).filter(|(_, passage)| is_table_line(passage));
    let is_meant = |passage: &Passage| line.is_none_or(|line| line == passage.line);
    let found = lines.filter(|(_, passage)| is_meant(passage)).max_by_key(|(_, passage)| passage.line);
    found.ok_or_else(|| CommandError::NoLine { session: session.clone(), line: line.unwrap_or(1) })
}

impl LineCorrection {
    /// Returns the correction after which only the given characters and the speaker hear the line. Characters in `with` also
    /// hear it.
    ///
    /// # Errors
    /// Returns an error if the session or the line does not exist.
    pub fn heard_only_by(mut self, hearers: &[EntityId], state: &State) -> Result<Self, CommandError> {
        let (_, recorded) = recorded_line(state, self.session.as_ref(), Some(self.line))?;
        self.with.extend_from_slice(hearers);
        let speaker = self.speaker.as_ref().map(|speaker| &speaker.id).or(recorded.speaker.as_ref());
        let others = recorded.heard_by.iter().filter_map(Knower::entity);
        let others = others.filter(|id| !self.with.contains(id) && speaker != Some(*id));
        self.without.extend(others.cloned().collect::<Vec<_>>());
        Ok(self)
    }

    /// Returns the corrected line. If the text of a narrated line begins with a name that no character has, the name is
    /// the misspelled name of the speaker, and is removed from the text.
    ///
    /// # Errors
    /// Returns an error if the session, the line or a character does not exist, if the speaker cannot speak, if the name of
    /// the speaker waits for review, or if a new hearer is dead.
    pub fn passage(&self, state: &State) -> Result<Passage, CommandError> {
        let (_, recorded) = recorded_line(state, self.session.as_ref(), Some(self.line))?;
        require_entities(state, self.with.iter().chain(&self.without))?;
        let moment = recorded.said_at();
        if let Some(dead) = self.with.iter().find(|id| is_dead(state, id, moment)) {
            return Err(LearnError::Dead(dead.clone()).into());
        }
        let mut passage = Passage::clone(recorded);
        // A speaker that was only found in a text disappears with this text.
        passage.heard_by.retain(|knower| knower.entity().is_none_or(|id| state.entity(id).is_some()));
        let is_unknown = |speaker: &EntityId| state.entity(speaker).is_none();
        if self.speaker.is_none() && passage.speaker.as_ref().is_some_and(is_unknown) {
            (passage.speaker, passage.speaker_alias, passage.lie) = (None, None, false);
            if passage.talk_kind == Some(TalkKind::InCharacter) {
                passage.talk_kind = Some(TalkKind::Narration);
            }
        }
        if let Some(speaker) = &self.speaker {
            require_speaker(state, &speaker.id)?;
            require_confirmed(state, &speaker.id)?;
            if recorded.speaker.is_none() {
                let line = LogLine::spoken_by(speaker, &recorded.text, state)?;
                passage.talk_kind = line.known_talk_kind(false);
                passage.text = line.text.trim().to_owned();
                passage.mentions = mentioned_entities(state, &passage.text);
                if !line.heard_by.is_empty() {
                    passage.heard_by = line.heard_by.into_iter().map(Knower::Entity).collect();
                }
            }
            passage.speaker_alias = secret_name(state, speaker)?.map(str::to_owned);
            passage.speaker = Some(speaker.id.clone());
        }
        let is_hearer = |knower: &Knower| knower.entity().is_none_or(|id| !self.without.contains(id));
        passage.heard_by.retain(is_hearer);
        let added = self.with.iter().chain(&passage.speaker).cloned().map(Knower::Entity);
        passage.heard_by.extend(added);
        passage.heard_by.sort();
        passage.heard_by.dedup();
        Ok(passage)
    }

    /// Returns the operation that corrects the line. If the speaker changes, the corrected line replaces the recorded
    /// line, and the extraction reads it. Facts and entities from the line that the DM confirmed stay recorded. If only the
    /// hearers change, the new hearers learn the facts that all other hearers know from the line, and the removed hearers
    /// lose the facts that they know from this line alone.
    ///
    /// # Errors
    /// Returns the errors of [`passage`](Self::passage). Also returns an error if nothing would change, or if a fact does
    /// not exist.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let (id, recorded) = recorded_line(state, self.session.as_ref(), Some(self.line))?;
        let passage = self.passage(state)?;
        if passage == **recorded {
            return Err(CommandError::SameLine { line: self.line });
        }
        let summary = self.summary(state, recorded, &passage);
        let has_same_speaker = passage.id() == id;
        let mut changes = match has_same_speaker {
            true => hearer_changes(state, id, recorded, &passage),
            false => replacement_changes(state, id, recorded, &passage)?,
        };
        if !has_same_speaker && !self.states.is_empty() {
            // The correct speaker may know a fact only from the wrong speaker.
            let before = match changes.is_empty() {
                true => state.clone(),
                false => state_after(state, Operation::new(Author::Dm, summary.as_str(), changes.clone()))?,
            };
            changes.extend(stated_facts(&StateViews::new(&before), &self.states, passage.lie, &passage)?);
        }
        let replaced = (!has_same_speaker).then_some(Change::RemovePassage(id));
        changes.splice(0..0, replaced.into_iter().chain([Change::AddPassage(Arc::new(passage))]));
        Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
    }

    /// Returns one operation that makes several corrections. Lines that need no change are left out.
    ///
    /// # Errors
    /// Returns the errors of [`operation`](Self::operation). Returns [`CommandError::SameLine`] if no line would change.
    pub fn operation_for_all(corrections: &[Self], state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        // A line that was corrected before stays as it is.
        let is_nothing = |error: &CommandError| matches!(error, CommandError::SameLine { .. });
        let operation = |correction: &Self, state: &State| correction.operation(state, now);
        let joined = joined_operation(corrections, state, now, operation, is_nothing)?;
        joined
            .ok_or_else(|| CommandError::SameLine { line: corrections.first().map_or(1, |correction| correction.line) })
    }

    fn summary(&self, state: &State, recorded: &Passage, corrected: &Passage) -> String {
        let mut parts = Vec::new();
        if let Some(speaker) = corrected.speaker.as_ref().filter(|_| recorded.id() != corrected.id()) {
            let name = corrected.speaker_alias.as_deref().unwrap_or_else(|| state.name_or_id(speaker));
            parts.push(format!("{name} says the line"));
        }
        let changed = |given: &[EntityId], hears: bool| -> Option<String> {
            let is_changed = |id: &&EntityId| {
                let knower = Knower::Entity(EntityId::clone(id));
                corrected.heard_by.contains(&knower) == hears && recorded.heard_by.contains(&knower) != hears
            };
            let names: Vec<&str> = given.iter().filter(is_changed).map(|id| state.name_or_id(id)).collect();
            (!names.is_empty()).then(|| words::join_names(&names))
        };
        parts.extend(changed(&self.with, true).map(|names| format!("also heard by {names}")));
        parts.extend(changed(&self.without, false).map(|names| format!("not heard by {names}")));
        let session = recorded.session.as_ref().map_or("", SessionId::as_str);
        format!("{session}: line {} corrected: {}", self.line, parts.join("; "))
    }
}

/// Checks that the name of a new speaker does not wait for review. The correction removes the name before the words, and a
/// character that was only found in this name would disappear with it.
fn require_confirmed(state: &State, id: &EntityId) -> Result<(), CommandError> {
    let waiting = extracted_names(state, id).find(|name| name.status() == FactStatus::Proposed);
    match waiting.filter(|_| is_unconfirmed_entity(state, id)) {
        Some(fact) => {
            let name = fact.object().text().unwrap_or(id.as_str()).to_owned();
            Err(CommandError::SpeakerWaits { name, fact: fact.id() })
        }
        None => Ok(()),
    }
}

/// Returns the edges by which the hearers of a line, and its speaker, know facts that were recorded as stated together
/// with the line.
fn told_edges(state: &State, id: PassageId, line: &Passage) -> Vec<KnowledgeId> {
    let is_told = |edge: &KnowledgeEdge| match line.speaker.is_some() && edge.knower.entity() == line.speaker.as_ref() {
        true => edge.session.is_some() && matches!(edge.acquisition, Acquisition::Authored | Acquisition::Shared),
        false => gives_to_hearer(line, edge),
    };
    let edges = line.heard_by.iter().flat_map(|knower| state.edges_of(knower));
    let told = edges.filter(|(edge_id, edge)| is_told(edge) && state.is_recorded_with(*edge_id, id));
    told.map(|(edge_id, _)| edge_id).collect()
}

/// Returns whether a hearer of a line knows a fact in the way in which lines of this kind teach facts: told by the speaker
/// of the line, or witnessed in narration. Narration also tells names.
fn gives_to_hearer(line: &Passage, edge: &KnowledgeEdge) -> bool {
    match (&line.speaker, &edge.acquisition) {
        (Some(speaker), Acquisition::Told { by, .. }) => by.as_ref().is_none_or(|teller| teller == speaker),
        (None, Acquisition::Told { by, .. }) => by.is_none(),
        (None, Acquisition::Witnessed) => true,
        _ => false,
    }
}

/// Returns whether a knower learned a fact in the session and at the time of a line.
fn is_same_occasion(line: &Passage, edge: &KnowledgeEdge) -> bool {
    edge.session == line.session && edge.learned == line.time
}

/// Returns the facts that a line states: the facts that cite the line, and the facts that were recorded as stated
/// together with the line.
fn facts_in_line<'s>(state: &'s State, id: PassageId, passage: &Passage) -> Vec<&'s Arc<Fact>> {
    let told = told_edges(state, id, passage).into_iter().filter_map(|edge| state.knowledge(edge));
    let stated = told.filter_map(|edge| state.fact(edge.fact));
    let cited = state.facts_citing(id).filter(|fact| fact.status() != FactStatus::Rejected);
    let facts: BTreeMap<FactId, &Arc<Fact>> = cited.chain(stated).map(|fact| (fact.id(), fact)).collect();
    facts.into_values().collect()
}

/// Returns the changes of knowledge if the hearers of a line change.
fn hearer_changes(state: &State, id: PassageId, recorded: &Passage, corrected: &Passage) -> Vec<Change> {
    if recorded.is_out_of_character() {
        return Vec::new();
    }
    let without = |passage: &Passage, other: &Passage| -> Vec<Knower> {
        passage.heard_by.iter().filter(|knower| !other.heard_by.contains(knower)).cloned().collect()
    };
    let (added, removed) = (without(corrected, recorded), without(recorded, corrected));
    let views = StateViews::new(state);
    let mut changes = Vec::new();
    for fact in facts_in_line(state, id, recorded) {
        // The DM may have named the knowers of the fact.
        let is_known_to = |knower: &Knower| {
            knower.entity() == recorded.speaker.as_ref()
                || state.recorded_knowledge(fact.id()).any(|edge| edge.knower == *knower)
        };
        if !added.is_empty() && recorded.heard_by.iter().all(is_known_to) {
            changes.extend(lessons(&views, id, recorded, fact, &added));
        }
        changes.extend(losses(state, id, recorded, fact, &removed));
    }
    changes
}

/// Returns the changes of facts and knowledge if a corrected line replaces a line. The hearers lose the facts that were
/// recorded as stated together with the replaced line. The facts that the DM confirmed stay recorded, and the hearers know
/// them from the corrected line.
fn replacement_changes(
    state: &State,
    id: PassageId,
    recorded: &Passage,
    corrected: &Passage,
) -> Result<Vec<Change>, CommandError> {
    let mut changes: Vec<Change> = told_edges(state, id, recorded).into_iter().map(Change::Unlearn).collect();
    let findings = ConfirmedFindings::new(state, id, corrected, &changes)?;
    changes.extend(findings.changes);
    if corrected.is_out_of_character() {
        return Ok(changes);
    }
    let views = StateViews::new(&findings.state);
    for fact in &findings.facts {
        // In the words of another speaker, "I" does not mean the former speaker.
        let former = recorded.speaker.as_ref().filter(|former| fact.provenance().speaker.as_ref() == Some(*former));
        if former.is_some_and(|former| fact.entities().any(|entity| entity == former)) {
            continue;
        }
        let is_known_to = |knower: &Knower| state.recorded_knowledge(fact.id()).any(|edge| edge.knower == *knower);
        let is_known_to_all = recorded.heard_by.iter().all(is_known_to);
        let learns = |knower: &&Knower| is_known_to(knower) || (is_known_to_all && !recorded.heard_by.contains(knower));
        let hearers: Vec<Knower> = corrected.heard_by.iter().filter(learns).cloned().collect();
        if !hearers.is_empty() {
            changes.extend(lessons(&views, corrected.id(), corrected, fact, &hearers));
        }
    }
    Ok(changes)
}

/// Returns the changes by which new hearers of a line learn a fact from the line.
fn lessons(views: &StateViews, id: PassageId, line: &Passage, fact: &Arc<Fact>, hearers: &[Knower]) -> Vec<Change> {
    let state = views.state();
    let provenance = fact.provenance();
    let is_extracted = provenance.author == Author::Extractor && !provenance.confirmed && cites(fact, id);
    let certainty = match is_extracted {
        true => Credence::new(provenance.confidence.get()).unwrap_or(Credence::NONE),
        false => Credence::FULL,
    };
    let (time, place, session) = (line.time.clone(), line.place.clone(), line.session.clone());
    let Some(speaker) = &line.speaker else {
        let is_label = fact.is_name() || fact.predicate().as_str() == attribute::KIND;
        let acquisition = if is_label { Acquisition::told(None) } else { Acquisition::Witnessed };
        let edge = |knower: &Knower| KnowledgeEdge {
            acquisition: acquisition.clone(),
            learned: time.clone(),
            session: session.clone(),
            credence: certainty,
            ..KnowledgeEdge::authored(knower.clone(), fact.id())
        };
        return hearers.iter().map(|knower| Change::Learn(Arc::new(edge(knower)))).collect();
    };
    let occasion = Occasion { time, place, session };
    let view = views.get(&Knower::Entity(speaker.clone()), occasion.moment());
    // The new hearers hear the same source as the other hearers.
    let told = state.recorded_knowledge(fact.id()).filter(|edge| gives_to_hearer(line, edge));
    let mut sources =
        told.filter(|edge| is_same_occasion(line, edge)).filter_map(|edge| edge.acquisition.cited_source());
    let statement = HeardStatement {
        speaker,
        view: &view,
        alias: line.speaker_alias.as_deref(),
        citing: sources.find(|source| !hearers.iter().any(|hearer| hearer.entity() == Some(*source))),
        hearers,
        fact,
        restates: None,
        sincerity: Sincerity::from_lie_mark(line.lie),
        certainty,
    };
    let mut changes = learn::overhear(views, &statement, &occasion).changes;
    // The recorded edges of the speaker do not change.
    let is_recorded = |edge: &KnowledgeEdge| {
        let mut recorded = state.recorded_edges(edge.fact);
        edge.knower.entity() == Some(speaker) && recorded.any(|(recorded_id, _)| recorded_id == edge.id())
    };
    changes.retain(|change| change.edge().is_none_or(|edge| !is_recorded(edge)));
    changes
}

/// Returns the lines that an operation recorded or read. The operation recorded the facts of these lines.
fn lines_of(operation: &Operation) -> BTreeSet<PassageId> {
    let recorded = operation.changes.iter().filter_map(|change| match change {
        Change::AddPassage(passage) => Some(passage.id()),
        Change::SetTalkKind { passage, .. } => Some(*passage),
        _ => None,
    });
    recorded.chain(operation.extracted_from()).collect()
}

/// Returns the changes by which characters who did not hear a line lose a fact that they know from the line, and by
/// which nobody remembers that they heard it. They keep a fact that another line told them on the same occasion.
fn losses(state: &State, id: PassageId, line: &Passage, fact: &Fact, removed: &[Knower]) -> Vec<Change> {
    let mut changes = Vec::new();
    let removed_ids: Vec<&EntityId> = removed.iter().filter_map(Knower::entity).collect();
    let cited: BTreeSet<PassageId> = fact.provenance().evidence.iter().filter_map(Evidence::passage).collect();
    let is_told_elsewhere = |edge_id: KnowledgeId, knower: &Knower| {
        let others = state.operations_recording(edge_id).map(lines_of).filter(|lines| !lines.contains(&id)).flatten();
        let mut others = others.chain(cited.iter().copied()).filter(|other| *other != id);
        others.any(|other| state.passage(other).is_some_and(|other| other.received_at(knower).is_some()))
    };
    for (edge_id, edge) in state.recorded_edges(fact.id()).filter(|(_, edge)| is_same_occasion(line, edge)) {
        if removed.contains(&edge.knower) {
            let is_lost = gives_to_hearer(line, edge) && !is_told_elsewhere(edge_id, &edge.knower);
            changes.extend(is_lost.then_some(Change::Unlearn(edge_id)));
        } else if edge.co_present.iter().any(|other| removed_ids.contains(&other))
            && state.dependent_edges(edge_id).next().is_none()
        {
            let mut edge = KnowledgeEdge::clone(edge);
            edge.co_present.retain(|other| !removed_ids.contains(&other));
            changes.push(Change::Unlearn(edge_id));
            // An edge that only lists listeners needs at least one listener.
            let is_empty_record = !edge.acquisition.gives_knowledge() && edge.co_present.is_empty();
            changes.extend((!is_empty_record).then(|| Change::Learn(Arc::new(edge))));
        }
    }
    changes
}
