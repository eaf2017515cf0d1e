//! Reading: turns the findings of the extractor in a passage into proposals for those who have the passage.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use hearsay_extract::{ExtractedFact, Extraction, Extractor, Form, Lexicon, Meaning, Mention, Stated, Text};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Date, Entity, EntityId, Evidence, Fact, FactId, FactStatus, Knower,
    Object, Operation, Passage, PassageId, Predicate, Resolution, SessionId, State, Timestamp, Validity, attribute,
    text,
};
use serde::Serialize;

use crate::{
    Guide, MemoryError, Policy, Proposal, Proposed, Verdict, Voice, edit::resolve, proposal::TextSource, propose,
};

/// Number of preceding lines that are searched for the referents of pronouns.
const LINES_BEFORE: u32 = 3;

/// Margin below the threshold at which a proposal waits for review.
const JUST_BELOW: f64 = 0.01;

/// A text to try extraction on, without writing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// Words of the text.
    pub text: String,
    /// Form of the text.
    pub form: Form,
    /// Speaker: an id or a name.
    pub speaker: Option<String>,
    /// Entities that are present: ids or names. They narrow down the referents.
    pub present: Vec<String>,
    /// Place: an id or a name.
    pub place: Option<String>,
    /// Preceding lines, latest last.
    pub before: Vec<String>,
}

/// The result of extraction from a draft.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drafted {
    /// Findings in the text.
    #[serde(flatten)]
    pub extraction: Extraction,
    /// Status that the policy gives each fact, by its confidence alone; `None` for dropped facts.
    pub statuses: Vec<Option<FactStatus>>,
}

impl Draft {
    /// Resolves the names of the draft.
    pub(crate) fn resolved(self, state: &State) -> Result<ResolvedDraft, MemoryError> {
        let id = |name: &String| resolve(state, name);
        Ok(ResolvedDraft {
            speaker: self.speaker.as_ref().map(id).transpose()?,
            place: self.place.as_ref().map(id).transpose()?,
            present: self.present.iter().map(id).collect::<Result<_, _>>()?,
            text: self.text,
            form: self.form,
            before: self.before,
        })
    }
}

/// A [`Draft`] with names resolved to ids.
pub(crate) struct ResolvedDraft {
    text: String,
    form: Form,
    speaker: Option<EntityId>,
    present: Vec<EntityId>,
    place: Option<EntityId>,
    before: Vec<String>,
}

impl ResolvedDraft {
    pub(crate) fn read<E>(
        &self,
        policy: &Policy,
        meaning: Option<&dyn Meaning>,
        extract: impl FnOnce(&Text<'_>) -> Result<Extraction, E>,
    ) -> Result<Drafted, E> {
        let before: Vec<&str> = self.before.iter().map(String::as_str).collect();
        let text = Text {
            speaker: self.speaker.as_ref(),
            place: self.place.as_ref(),
            present: &self.present,
            before: &before,
            meaning,
            ..Text::new(&self.text, self.form)
        };
        let extraction = extract(&text)?;
        let status = |fact: &ExtractedFact| {
            let said = self.speaker.is_some() || fact.stated_by.is_some();
            match policy.decide(fact.confidence, if said { Voice::Character } else { Voice::World }) {
                Verdict::Take(status, _) => Some(status),
                Verdict::Drop => None,
            }
        };
        let statuses = extraction.facts.iter().map(status).collect();
        Ok(Drafted { extraction, statuses })
    }
}

/// A passage with the context that the extractor needs.
pub(crate) struct Page {
    pub(crate) passage: Arc<Passage>,
    before: Vec<String>,
}

/// Lines of the session being read, in order. The cache avoids a search through everything ever heard for each line,
/// which would become slower with every session.
#[derive(Debug, Default)]
pub(crate) struct SessionLines {
    session: Option<SessionId>,
    lines: BTreeMap<u32, Vec<PassageId>>,
    line_of: HashMap<PassageId, u32>,
}

impl SessionLines {
    /// Returns the passages of a session in a range of lines.
    fn of(&mut self, state: &State, session: &SessionId, lines: Range<u32>) -> impl Iterator<Item = PassageId> {
        if self.session.as_ref() != Some(session) {
            *self = Self { session: Some(session.clone()), ..Self::default() };
            for (id, passage) in state.passages() {
                self.note(id, Some(passage));
            }
        }
        self.lines.range(lines).flat_map(|(_, ids)| ids).copied()
    }

    /// Updates the cache with a changed or removed passage.
    pub(crate) fn note(&mut self, id: PassageId, passage: Option<&Arc<Passage>>) {
        if self.session.is_none() {
            return;
        }
        if let Some(line) = self.line_of.remove(&id)
            && let Some(ids) = self.lines.get_mut(&line)
        {
            ids.retain(|held| *held != id);
        }
        if let Some(passage) = passage.filter(|passage| passage.session == self.session) {
            self.lines.entry(passage.line).or_default().push(id);
            self.line_of.insert(id, passage.line);
        }
    }
}

/// Findings in a passage.
#[derive(Debug, Clone)]
pub(crate) struct Findings {
    pub(crate) passage: Arc<Passage>,
    pub(crate) extraction: Extraction,
    /// Language model that found them; `None` for the extractor.
    pub(crate) model: Option<String>,
}

impl Page {
    /// Returns a passage with the preceding lines of its session that its speaker, or else its first hearer, heard.
    pub(crate) fn of(state: &State, id: PassageId, lines: &mut SessionLines) -> Option<Self> {
        let passage = Arc::clone(state.passage(id)?);
        let mut before: Vec<(u32, &str)> = Vec::new();
        let listener = passage.speaker.clone().map(Knower::from).or_else(|| passage.heard_by.first().cloned());
        if let (Some(session), Some(listener)) = (&passage.session, &listener) {
            let range = passage.line.saturating_sub(LINES_BEFORE)..passage.line;
            let earlier = lines.of(state, session, range).filter_map(|id| state.passage(id));
            let heard = earlier.filter(|other| other.reached(listener).is_some());
            before.extend(heard.map(|other| (other.line, other.text.as_str())));
        }
        before.sort_unstable();
        Some(Self { before: before.into_iter().map(|(_, text)| text.to_owned()).collect(), passage })
    }

    /// Extracts the findings of the passage.
    pub(crate) fn read(self, extractor: &Extractor, lexicon: &Lexicon, meaning: Option<&dyn Meaning>) -> Findings {
        let passage = &self.passage;
        let present: Vec<EntityId> = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let before: Vec<&str> = self.before.iter().map(String::as_str).collect();
        let text = Text {
            form: form(passage),
            speaker: passage.speaker.as_ref(),
            present: &present,
            place: passage.place.as_ref(),
            before: &before,
            meaning,
            ..Text::new(&passage.text, Form::Lore)
        };
        let extraction = extractor.extract(lexicon, &text);
        Findings { passage: self.passage, extraction, model: None }
    }
}

fn form(passage: &Passage) -> Form {
    match (&passage.speaker, &passage.session) {
        (Some(_), _) => Form::Talk,
        (None, Some(_)) => Form::Narration,
        (None, None) => Form::Lore,
    }
}

/// The referent of a name that the extractor linked to no entity.
pub(crate) enum Newcomer {
    /// An entity that was added since then, or that waits for the DM under this name.
    Known(EntityId),
    /// No entity: the DM rejected the name, or several entities have it.
    Refused,
    /// No entity so far.
    Nobody,
}

impl Newcomer {
    pub(crate) fn of(state: &State, name: &str) -> Self {
        let normal = text::normal(name);
        let is_open = |id: &EntityId| state.open_names(id).iter().any(|open| text::normal(open) == normal);
        match state.resolve(name) {
            // The bearer of a secret name must not be revealed.
            Resolution::One(id) if is_open(&id) => return Self::Known(id),
            Resolution::Ambiguous(_) => return Self::Refused,
            _ => {}
        }
        for id in ids_for(name).take_while(|id| state.entity(id).is_some()) {
            let same = |fact: &&Fact| fact.object().text().is_some_and(|said| text::normal(said) == normal);
            let statuses: Vec<FactStatus> = proposed_names(state, &id).filter(same).map(Fact::status).collect();
            // Without review, a new name is a claim from the start.
            if statuses.iter().any(|status| matches!(status, FactStatus::Proposed | FactStatus::Claimed)) {
                return Self::Known(id);
            }
            if statuses.contains(&FactStatus::Rejected) {
                return Self::Refused;
            }
        }
        Self::Nobody
    }
}

/// Returns the candidate ids for a new entity with this name, simplest first.
fn ids_for(name: &str) -> impl Iterator<Item = EntityId> {
    let first = EntityId::from_name(name).ok();
    let numbered = first
        .clone()
        .into_iter()
        .flat_map(|first| (2..100).filter_map(move |number| EntityId::new(format!("{first}-{number}")).ok()));
    first.into_iter().chain(numbered)
}

/// Returns the names that texts gave to an entity, whatever their status.
fn proposed_names<'a>(state: &'a State, id: &EntityId) -> impl Iterator<Item = &'a Fact> {
    let facts = state.facts_of(id).map(AsRef::as_ref);
    let whose = id.clone();
    facts.filter(move |fact: &&Fact| {
        let by_text = fact.provenance().author == Author::Extractor;
        by_text && *fact.subject() == whose && fact.predicate().as_str() == attribute::NAME
    })
}

/// Whether an entity exists only under names that the DM has not confirmed.
pub fn is_newcomer(state: &State, id: &EntityId) -> bool {
    state.open_name(id).is_none() && proposed_names(state, id).next().is_some()
}

/// Returns the operation for the findings in a passage, or `None` if no finding is worth it.
///
/// The counts include the dropped findings.
pub(crate) fn operation(
    state: &State,
    guide: &Guide,
    findings: &Findings,
    now: Timestamp,
) -> Result<(Option<Operation>, Proposed), MemoryError> {
    let passage = &findings.passage;
    if state.passage(passage.id()).is_none() {
        // The passage was removed since then.
        return Ok((None, Proposed::default()));
    }
    let (policy, model) = (guide.policy, findings.model.as_deref());
    let mut reading = Reading { state, policy, passage, model, new: BTreeMap::new(), changes: Vec::new() };
    let (mut proposals, mut below) = (Vec::new(), 0);
    for fact in &findings.extraction.facts {
        // A new name is only worth adding if a fact that contains it is.
        let is_worth = fact.confidence >= policy.floor;
        let is_new = |mention: &Mention| matches!(mention, Mention::New(_));
        let names_new = is_new(&fact.subject)
            || matches!(&fact.object, Stated::Entity(mention) if is_new(mention))
            || fact.stated_by.as_ref().is_some_and(is_new);
        if names_new && !is_worth {
            below += 1;
            continue;
        }
        let Some(subject) = reading.entity(&findings.extraction, &fact.subject, &mut proposals) else { continue };
        let object = match &fact.object {
            Stated::Value(value) => Object::Value(value.as_str().into()),
            Stated::Entity(mention) => match reading.entity(&findings.extraction, mention, &mut proposals) {
                Some(id) => Object::Entity(id),
                None => continue,
            },
        };
        let stated_by = match &fact.stated_by {
            Some(mention) => match reading.entity(&findings.extraction, mention, &mut proposals) {
                Some(id) => Some(id),
                None => continue,
            },
            None => None,
        };
        proposals.extend(reading.proposal(fact, subject, object, stated_by));
    }
    let added = reading.changes;
    let (operation, mut counts) = propose(state, guide, &proposals, &Author::Extractor, now)?;
    counts.dropped += below;
    let operation = operation.map(|mut operation| {
        operation.changes.splice(0..0, added);
        let words: String = passage.text.chars().take(60).collect();
        operation.summary = format!("read \u{201C}{words}\u{201D}: {}", operation.summary);
        operation
    });
    Ok((operation, counts))
}

/// Reading of one passage.
struct Reading<'a> {
    state: &'a State,
    policy: &'a Policy,
    passage: &'a Passage,
    model: Option<&'a str>,
    /// Entities of new names by index; `None` for names that are not worth adding.
    new: BTreeMap<usize, Option<EntityId>>,
    /// Changes that add them.
    changes: Vec<Change>,
}

impl Reading<'_> {
    /// Returns the mentioned entity. A new name becomes an entity that waits for the DM.
    fn entity(&mut self, found: &Extraction, mention: &Mention, proposals: &mut Vec<Proposal>) -> Option<EntityId> {
        let index = match mention {
            Mention::Known(id) => return self.state.entity(id).map(|_| id.clone()),
            Mention::New(index) => *index,
        };
        if let Some(known) = self.new.get(&index) {
            return known.clone();
        }
        let entity = found.entities.get(index)?;
        let id = match Newcomer::of(self.state, &entity.name) {
            Newcomer::Known(id) => Some(id),
            Newcomer::Refused => None,
            Newcomer::Nobody if entity.confidence < self.policy.floor => None,
            Newcomer::Nobody => self.fresh_id(&entity.name),
        };
        self.new.insert(index, id.clone());
        let id = id?;
        if self.state.entity(&id).is_none() {
            self.changes.push(Change::AddEntity(Entity::new(id.clone())));
            let evidence = vec![self.evidence(entity.span)];
            let said = |name: &str, value: String| {
                let name = Predicate::new(name).ok()?;
                // The entity has no confirmed name yet for a sentence.
                let whose = if name.as_str() == attribute::NAME { "Somebody" } else { &entity.name };
                let statement = Some(self.state.vocabulary().sentence(&name, whose, &value));
                let proposal = Proposal::new(id.clone(), name, Object::Value(value.into()));
                Some(Proposal { evidence: evidence.clone(), statement, ..self.told(proposal, entity.confidence) })
            };
            proposals.extend(said(attribute::NAME, entity.name.clone()));
            proposals.extend(entity.kind.as_ref().and_then(|kind| said(attribute::KIND, kind.as_str().to_owned())));
        }
        Some(id)
    }

    fn fresh_id(&self, name: &str) -> Option<EntityId> {
        let is_free =
            |id: &EntityId| self.state.entity(id).is_none() && !self.new.values().flatten().any(|taken| taken == id);
        ids_for(name).find(is_free)
    }

    fn evidence(&self, span: hearsay_model::Span) -> Evidence {
        let quote = self.passage.text.get(span.start..span.end).unwrap_or_default().to_owned();
        Evidence::Passage { passage: self.passage.id(), span, quote }
    }

    /// Adds hearers, time and source of the passage to a proposal. Facts about newcomers wait for the DM.
    fn told(&self, proposal: Proposal, confidence: Confidence) -> Proposal {
        let passage = self.passage;
        let acquisition = match (&passage.session, &passage.document) {
            (Some(_), _) => Acquisition::Witnessed,
            (None, Some(document)) => Acquisition::Read { document: Some(document.clone()) },
            (None, None) => Acquisition::Authored,
        };
        let added = |id: &EntityId| self.state.entity(id).is_none();
        let about_new = |id: &EntityId| added(id) || is_newcomer(self.state, id);
        let is_new = about_new(&proposal.subject) || proposal.object.entity().is_some_and(about_new);
        let below = Confidence::new(self.policy.threshold.get() - JUST_BELOW).unwrap_or(self.policy.floor);
        Proposal {
            confidence: if is_new { confidence.min(below) } else { confidence },
            heard_by: passage.heard_by.clone(),
            session: passage.session.clone(),
            model: self.model.map(str::to_owned),
            text: Some(TextSource {
                time: passage.time.clone(),
                acquisition: Some(acquisition),
                citing: None,
                alias: passage.speaker_alias.clone(),
            }),
            ..proposal
        }
    }

    fn proposal(
        &self,
        fact: &ExtractedFact,
        subject: EntityId,
        object: Object,
        stated_by: Option<EntityId>,
    ) -> Option<Proposal> {
        let (subject, name, object) = self.forward(subject, &fact.predicate, object);
        let refutes = match fact.denied {
            true => Some(self.on_record(&subject, &name, &object)?),
            false => None,
        };
        let proposal = Proposal::new(subject, name, object);
        let mut proposal = self.told(proposal, fact.confidence);
        proposal.statement = Some(fact.statement.clone());
        proposal.evidence = vec![self.evidence(fact.span)];
        proposal.refutes = refutes;
        if fact.over {
            proposal.validity = Validity { from: None, until: Some(Date { raw: String::new(), time: None }) };
        }
        // The speaker of the whole passage cites the speaker that the words name.
        let (speaker, citing) = match (&self.passage.speaker, stated_by) {
            (Some(speaker), Some(by)) if *speaker != by => (Some(speaker.clone()), Some(by)),
            (Some(speaker), _) => (Some(speaker.clone()), None),
            (None, by) => (by, None),
        };
        let told = fact.told_to.iter().filter_map(|mention| match mention {
            Mention::Known(id) => Some(Knower::from(id.clone())),
            Mention::New(_) => None,
        });
        proposal.heard_by.extend(told);
        proposal.heard_by.sort();
        proposal.heard_by.dedup();
        proposal.speaker = speaker;
        if let Some(text) = &mut proposal.text {
            text.citing = citing;
        }
        Some(proposal)
    }

    /// Returns a relation under its own name if it was given under its inverse name.
    fn forward(&self, subject: EntityId, name: &Predicate, object: Object) -> (EntityId, Predicate, Object) {
        match (self.state.vocabulary().inverse_of(name), object) {
            (Some(def), Object::Entity(object)) => (object, def.name.clone(), Object::Entity(subject)),
            (_, object) => (subject, name.clone(), object),
        }
    }

    /// Whether a fact precedes the passage. A passage cannot deny a fact from a later text, or from a text of unknown
    /// order. The result therefore does not depend on when and how often the passage is read.
    fn comes_before(&self, fact: &Fact) -> bool {
        let (state, said) = (self.state, fact.provenance());
        let number = |passage: &Passage| state.session(passage.session.as_ref()?)?.number;
        let is_earlier = |passage: &Passage| match (number(passage), number(self.passage)) {
            (Some(one), Some(other)) if one != other => one < other,
            _ => {
                let place = |passage: &Passage| (passage.session.clone(), passage.document.clone());
                place(passage) == place(self.passage) && passage.line < self.passage.line
            }
        };
        let in_earlier = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, .. } => state.passage(*passage).is_some_and(|passage| is_earlier(passage)),
            Evidence::File { .. } | Evidence::Excerpt(_) => false,
        };
        said.author != Author::Extractor || said.confirmed || said.evidence.iter().any(in_earlier)
    }

    /// Returns the recorded fact with this content.
    fn on_record(&self, subject: &EntityId, name: &Predicate, object: &Object) -> Option<FactId> {
        let symmetric = self.state.vocabulary().predicate(name).is_some_and(|def| def.symmetric);
        let says_so = |fact: &&Arc<Fact>| {
            let forward = fact.subject() == subject && fact.object() == object;
            let backward = object.entity() == Some(fact.subject()) && fact.object().entity() == Some(subject);
            let stands = matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed | FactStatus::Proposed);
            fact.predicate() == name && (forward || (symmetric && backward)) && stands && fact.fact_relation().is_none()
        };
        let there = self.state.facts_of(subject).filter(says_so).filter(|fact| self.comes_before(fact));
        there.map(|fact| fact.id()).min()
    }
}

#[cfg(test)]
mod tests;
