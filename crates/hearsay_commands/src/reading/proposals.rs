//! Conversion of the findings in a passage into proposals, and the operation that records them.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{StateViews, is_dead, learn::Sincerity, place_at};
use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Date, Entity, EntityId, Evidence, ExtractionStage, Fact, FactId,
    FactStatus, Factuality, History, Knower, Object, OpenThread, Operation, Passage, Predicate, PredicateRole,
    ReferringExpression, SessionId, Span, State, Timestamp, Validity, attribute, spelling, text,
    words::{self, PersonalPronouns},
};
use hearsay_query::review::is_unconfirmed_entity;

use super::{
    Findings,
    name_lookup::{NameLookup, candidate_ids},
    passing::is_passing,
    promises::with_words_of_text,
};
use crate::{
    CommandError,
    lie::is_only_mentioned,
    policy::{Policy, StatementSource, TextOrigin},
    proposal::{Proposal, ProposalCounts, ProposalRules, TextSource, propose},
};

/// The confidence of a fact about a new entity is limited to the lowest threshold minus this amount, so that the fact
/// waits for review.
const REVIEW_MARGIN: f64 = 0.01;

/// Returns the operation that records the facts and entities found in a passage; `None` if there is nothing to record.
/// Also returns the number of proposals with each outcome, including dropped proposals.
pub fn operation(
    state: &State,
    rules: &ProposalRules,
    findings: &Findings,
    now: Timestamp,
) -> Result<(Option<Operation>, ProposalCounts), CommandError> {
    let passage = &findings.passage;
    if state.passage(passage.id()).is_none() {
        // The passage was removed after the extraction.
        return Ok((None, ProposalCounts::default()));
    }
    let (policy, model) = (rules.policy, findings.model.as_deref());
    let text = (passage.text.as_str(), passage.speaker.is_none());
    let facts = with_words_of_text(state.vocabulary(), text, &findings.extraction.facts, policy.floor);
    let statements = facts.iter().filter_map(|fact| match &fact.subject {
        Mention::Known(subject) => is_statement(fact, policy).then_some((subject, fact.span)),
        Mention::New(_) => None,
    });
    let mut builder = ProposalBuilder {
        state,
        policy,
        passage,
        model,
        statements: statements.collect(),
        new: BTreeMap::new(),
        misspelled: BTreeMap::new(),
        changes: Vec::new(),
    };
    let (mut proposals, mut dropped_count) = (Vec::new(), 0);
    for fact in &facts {
        // A new name is added only if a fact that refers to it is added.
        let is_above_floor = fact.confidence >= policy.floor;
        let is_new = |mention: &Mention| matches!(mention, Mention::New(_));
        let has_new_name = is_new(&fact.subject)
            || matches!(&fact.object, FactObject::Entity(mention) if is_new(mention))
            || fact.stated_by.as_ref().is_some_and(is_new);
        // In play, such a fact only says that a line names two entities.
        let is_vague = passage.session.is_some() && fact.is_unspecified_relation();
        let is_over = is_passing(state, policy, passage, fact) || builder.is_place_of_dead(fact, &facts);
        if has_new_name && !is_above_floor || is_vague || is_over || builder.is_about_departed(fact) {
            dropped_count += 1;
            continue;
        }
        let Some(subject) = builder.entity(&findings.extraction, &fact.subject, fact.stage, &mut proposals) else {
            continue;
        };
        let object = match &fact.object {
            FactObject::Value(value) => Object::Value(value.as_str().into()),
            FactObject::Entity(mention) => {
                match builder.entity(&findings.extraction, mention, fact.stage, &mut proposals) {
                    Some(id) => Object::Entity(id),
                    None => continue,
                }
            }
        };
        let stated_by = match &fact.stated_by {
            Some(mention) => match builder.entity(&findings.extraction, mention, fact.stage, &mut proposals) {
                Some(id) => Some(id),
                None => continue,
            },
            None => None,
        };
        proposals.extend(builder.proposal(fact, subject, object, stated_by));
    }
    let added_entities = builder.changes;
    let (operation, mut counts) = propose(state, rules, &proposals, &Author::Extractor, now)?;
    counts.dropped += dropped_count;
    let operation = operation.map(|mut operation| {
        operation.changes.splice(0..0, added_entities);
        let words: String = passage.text.chars().take(60).collect();
        operation.summary = format!("read \u{201C}{words}\u{201D}: {}", operation.summary);
        operation
    });
    Ok((operation, counts))
}

/// Returns whether words contain a word of one of the given texts that is no stop word.
fn contains_word_of(words: &[String], texts: Vec<&str>) -> bool {
    texts.into_iter().flat_map(text::words).any(|word| !spelling::is_stop_word(&word) && words.contains(&word))
}

/// Returns whether a fact is a statement that is certain enough to be recorded.
fn is_statement(fact: &ExtractedFact, policy: &Policy) -> bool {
    fact.stage == ExtractionStage::Statements && fact.confidence >= policy.floor
}

/// State while the findings of one passage are turned into proposals.
struct ProposalBuilder<'a> {
    state: &'a State,
    policy: &'a Policy,
    passage: &'a Passage,
    model: Option<&'a str>,
    /// Subjects and positions of the statements that the extraction found in the passage.
    statements: Vec<(&'a EntityId, Span)>,
    /// Entity for each new name, by the normal form of the name; `None` for a name that is not added.
    new: BTreeMap<String, Option<EntityId>>,
    /// Names that are probably misspelled, with their entities.
    misspelled: BTreeMap<String, EntityId>,
    /// Changes that add the new entities.
    changes: Vec<Change>,
}

impl ProposalBuilder<'_> {
    /// Returns the mentioned entity. For a new name, adds an entity that waits for the DM's decision. `stage` is the
    /// stage that found the fact with the mention.
    fn entity(
        &mut self,
        extraction: &Extraction,
        mention: &Mention,
        stage: ExtractionStage,
        proposals: &mut Vec<Proposal>,
    ) -> Option<EntityId> {
        let index = match mention {
            Mention::Known(id) => return self.state.entity(id).map(|_| id.clone()),
            Mention::New(index) => *index,
        };
        let entity = extraction.entities.get(index)?;
        let name = text::normalize(&entity.name);
        if let Some(known) = self.new.get(&name) {
            return known.clone();
        }
        let id = match NameLookup::find(self.state, &entity.name, self.passage) {
            NameLookup::Known(id) => Some(id),
            NameLookup::Misspelled(id) => {
                self.misspelled.insert(entity.name.clone(), id.clone());
                Some(id)
            }
            NameLookup::Unusable => None,
            NameLookup::Unknown if entity.confidence < self.policy.floor => None,
            NameLookup::Unknown => self.unused_id(&entity.name),
        };
        self.new.insert(name, id.clone());
        let id = id?;
        if self.state.entity(&id).is_none() {
            self.changes.push(Change::AddEntity(Entity::new(id.clone())));
            let evidence = vec![self.evidence(entity.span)];
            let attribute_proposal = |name: &str, value: String| {
                let name = Predicate::new(name).ok()?;
                // The name is not confirmed yet, so the statement about the name must not use it as its subject.
                let subject_name = if name.as_str() == attribute::NAME { "Somebody" } else { &entity.name };
                let statement = Some(self.state.vocabulary().sentence(&name, subject_name, &value));
                let proposal = Proposal::new(id.clone(), name, Object::Value(value.into()));
                Some(Proposal {
                    evidence: evidence.clone(),
                    statement,
                    stage: Some(stage),
                    ..self.with_passage_details(proposal, entity.confidence)
                })
            };
            proposals.extend(attribute_proposal(attribute::NAME, entity.name.clone()));
            proposals.extend(
                entity.kind.as_ref().and_then(|kind| attribute_proposal(attribute::KIND, kind.as_str().to_owned())),
            );
        }
        Some(id)
    }

    fn unused_id(&self, name: &str) -> Option<EntityId> {
        let is_unused = |id: &EntityId| {
            self.state.entity(id).is_none() && !self.new.values().flatten().any(|used_id| used_id == id)
        };
        candidate_ids(name).find(is_unused)
    }

    fn evidence(&self, span: Span) -> Evidence {
        let quote = self.passage.text.get(span.start..span.end).unwrap_or_default().to_owned();
        Evidence::Passage { passage: self.passage.id(), span, quote }
    }

    /// Returns words of the passage with the open names of the entities whose names are misspelled. The hearers can learn the
    /// words, so a secret name must not occur in them.
    fn with_known_names(&self, words: &str) -> String {
        let replace = |words: String, (written, id): (&String, &EntityId)| match self.state.open_names(id).first() {
            Some(name) => words.replace(written, name),
            None => words,
        };
        self.misspelled.iter().fold(words.to_owned(), replace)
    }

    /// Adds the hearers, time and source of the passage to a proposal. Limits the confidence of facts about new
    /// entities and about entities with a misspelled name, so that these facts wait for the DM's decision.
    fn with_passage_details(&self, proposal: Proposal, confidence: Confidence) -> Proposal {
        let passage = self.passage;
        let is_naming = [attribute::NAME, attribute::ALIAS, attribute::KIND].contains(&proposal.predicate.as_str());
        let acquisition = match (&passage.session, &passage.document) {
            // A hearer of the name of a place need not be at the place.
            (Some(_), _) if is_naming => Acquisition::told(None),
            (Some(_), _) => Acquisition::Witnessed,
            (None, Some(document)) => Acquisition::Read { document: Some(document.clone()) },
            (None, None) => Acquisition::Authored,
        };
        let is_added = |id: &EntityId| self.state.entity(id).is_none();
        let is_misspelled = |id: &EntityId| self.misspelled.values().any(|other| other == id);
        let is_new_entity = |id: &EntityId| is_added(id) || is_misspelled(id) || is_unconfirmed_entity(self.state, id);
        let concerns_new_entity =
            is_new_entity(&proposal.subject) || proposal.object.entity().is_some_and(is_new_entity);
        let origin = TextOrigin::from_passage(passage);
        // A claim never needs a higher confidence than canon.
        let threshold = self.policy.record_threshold(StatementSource::Character, Some(origin));
        let max_confidence = Confidence::new(threshold.get() - REVIEW_MARGIN).unwrap_or(self.policy.floor);
        Proposal {
            confidence: if concerns_new_entity { confidence.min(max_confidence) } else { confidence },
            heard_by: passage.heard_by.clone(),
            session: passage.session.clone(),
            model: self.model.map(str::to_owned),
            text: Some(TextSource {
                origin,
                time: passage.time.clone(),
                acquisition: Some(acquisition),
                citing: None,
                alias: passage.speaker_alias.clone(),
                sincerity: Sincerity::from_lie_mark(passage.lie),
                is_private: self.is_private(),
            }),
            ..proposal
        }
    }

    /// Returns whether the passage was said in private: to one character, or so that others who are present do not hear
    /// it.
    fn is_private(&self) -> bool {
        let passage = self.passage;
        let is_character = |knower: &Knower| knower.entity().is_some_and(|id| self.state.is_character(id));
        let hearer_count = passage.heard_by.iter().filter(|knower| knower.entity() != passage.speaker.as_ref()).count();
        passage.speaker.is_some()
            && passage.heard_by.iter().all(is_character)
            && (hearer_count <= 1 || passage.confidential)
    }

    fn proposal(
        &self,
        fact: &ExtractedFact,
        subject: EntityId,
        object: Object,
        stated_by: Option<EntityId>,
    ) -> Option<Proposal> {
        let (subject, name, object) = self.to_defined_predicate(subject, &fact.predicate, object);
        let refutes = match fact.denied {
            true => Some(self.find_recorded_fact(&subject, &name, &object)?),
            false => None,
        };
        let mut participants = fact.participants.clone();
        let object = match object.text() {
            Some(words) if name.as_str() == attribute::LORE => Object::Value(self.with_known_names(words).into()),
            _ => object,
        };
        let (mut name, mut object, mut statement) = (name, object, self.with_known_names(&fact.statement));
        if let Some(past) = self.past_position(fact, &subject, &name) {
            participants.extend(object.entity().cloned());
            (name, object) = (Predicate::new(attribute::LORE).ok()?, Object::Value(past.clone().into()));
            statement = past;
        }
        let proposal = Proposal::new(subject, name, object);
        let mut proposal = self.with_passage_details(proposal, fact.confidence);
        proposal.statement = Some(statement);
        proposal.participants = participants;
        proposal.factuality = fact.factuality;
        proposal.stage = Some(fact.stage);
        proposal.evidence = vec![self.evidence(fact.span)];
        proposal.refutes = refutes;
        if fact.ended {
            proposal.validity = Validity { from: None, until: Some(Date { raw: String::new(), time: None }) };
        }
        // Nobody tells of their own death, so an attribution to the dead is wrong.
        let behavior = self.state.vocabulary().behavior(&proposal.predicate);
        let dead = behavior.dead_entity(&proposal.subject, &proposal.object);
        let stated_by = stated_by.filter(|teller| dead != Some(teller));
        // If the passage attributes the statement to somebody other than its speaker, the speaker cites that other
        // entity.
        let (speaker, citing) = match (&self.passage.speaker, stated_by) {
            (Some(speaker), Some(stated_by_other)) if *speaker != stated_by_other => {
                (Some(speaker.clone()), Some(stated_by_other))
            }
            (Some(speaker), _) => (Some(speaker.clone()), None),
            (None, stated_by_other) => (stated_by_other, None),
        };
        let direct_hearers = fact.told_to.iter().filter_map(|mention| match mention {
            Mention::Known(id) => Some(Knower::from(id.clone())),
            Mention::New(_) => None,
        });
        proposal.heard_by.extend(direct_hearers);
        let promisee = self.promisee(fact, &proposal, speaker.as_ref()).filter(|_| !proposal.heard_by.is_empty());
        proposal.heard_by.extend(promisee);
        proposal.heard_by.sort();
        proposal.heard_by.dedup();
        self.leave_out_strangers(fact, &mut proposal.heard_by);
        // The narration of a session tells what happens at that time. The same deed at another time is another fact. A
        // value that changes often, such as a location, is true from that time on.
        let (vocabulary, predicate) = (self.state.vocabulary(), &proposal.predicate);
        let is_deed = vocabulary.is_deed(predicate) || vocabulary.behavior(predicate).fatal;
        let is_asserted = fact.factuality == Factuality::Asserted && !fact.denied && !fact.ended;
        let is_present_value = is_asserted && vocabulary.history(predicate) != History::Full;
        if self.passage.session.is_some() && speaker.is_none() && (is_deed || is_present_value) {
            proposal.validity.from.clone_from(&self.passage.time);
        }
        proposal.speaker = speaker;
        let is_mentioned = |subject| is_only_mentioned(self.passage, subject, fact.span, &self.statements);
        if let Some(text) = &mut proposal.text {
            text.citing = citing;
            if matches!(&fact.subject, Mention::Known(subject) if is_mentioned(subject)) {
                text.sincerity = Sincerity::Sincere;
            }
        }
        Some(proposal)
    }

    /// Leaves out the hearers of narration who must not learn a fact: the fact is about a character who spoke last under a
    /// secret name, the words do not name the character, and the hearer does not know whose name it is. "He draws a knife"
    /// would tell the hearer who the masked man is.
    fn leave_out_strangers(&self, fact: &ExtractedFact, hearers: &mut Vec<Knower>) {
        let passage = self.passage;
        let (Some(session), None) = (&passage.session, &passage.speaker) else { return };
        let secret_name = |id: &EntityId| {
            let lines = self.state.passages_in_session(Some(session)).map(|(_, line)| line);
            let said = lines.filter(|line| line.line < passage.line && line.speaker.as_ref() == Some(id));
            said.max_by_key(|line| line.line)?.speaker_alias.as_deref()
        };
        let unnamed = self.unnamed(fact).into_iter();
        let masked: Vec<(&EntityId, &str)> = unnamed.filter_map(|id| Some((id, secret_name(id)?))).collect();
        if masked.is_empty() {
            return;
        }
        let (views, moment) = (StateViews::new(self.state), passage.said_at());
        hearers.retain(|hearer| {
            let view = views.get(hearer, moment);
            masked.iter().all(|(id, name)| view.knows_name(id, name))
        });
    }

    /// Returns the entities of a fact, and the character who states it, as far as the words of the fact do not name them.
    fn unnamed<'f>(&self, fact: &'f ExtractedFact) -> Vec<&'f EntityId> {
        let object = match &fact.object {
            FactObject::Entity(mention) => Some(mention),
            FactObject::Value(_) => None,
        };
        let mentions = [Some(&fact.subject), object, fact.stated_by.as_ref()].into_iter().flatten();
        let known = mentions.filter_map(|mention| match mention {
            Mention::Known(id) => Some(id),
            Mention::New(_) => None,
        });
        let quoted = self.quoted_words(fact);
        let is_named = |id: &EntityId| contains_word_of(&quoted, self.state.open_names(id));
        known.chain(&fact.participants).filter(|id| !is_named(id)).collect()
    }

    /// Returns the words in which a fact was found.
    fn quoted_words(&self, fact: &ExtractedFact) -> Vec<String> {
        text::words(self.passage.text.get(fact.span.start..fact.span.end).unwrap_or_default())
    }

    /// Returns the values of the attributes with which a text can refer to a character, such as its pronouns.
    fn references(&self, id: &EntityId, expression: ReferringExpression) -> Vec<&str> {
        let vocabulary = self.state.vocabulary();
        let attributes = vocabulary.attributes().map(|attribute| &attribute.name);
        let referring = attributes.filter(|name| vocabulary.behavior(name).reference == Some(expression));
        referring.flat_map(|name| self.state.values(id, name)).filter_map(|fact| fact.object().text()).collect()
    }

    /// Returns whether a line says where a character is who is dead, or who dies according to one of the facts found in the
    /// line. The words say where the body is, so the character does not come to the place.
    fn is_place_of_dead(&self, fact: &ExtractedFact, found: &[ExtractedFact]) -> bool {
        let Mention::Known(subject) = &fact.subject else { return false };
        let is_position = PredicateRole::Location.is(&fact.predicate) && !fact.denied && !fact.ended;
        let states_death = |other: &ExtractedFact| {
            other.factuality == Factuality::Asserted
                && other.confidence >= self.policy.floor
                && other.dead_entity(self.state.vocabulary()) == Some(&fact.subject)
        };
        self.passage.session.is_some()
            && is_position
            && self.state.is_character(subject)
            && (found.iter().any(states_death) || is_dead(self.state, subject, self.passage.said_at()))
    }

    /// Returns whether narration calls a character who has left only "him" or "her". The pronoun means somebody else: "Odo
    /// gives him the letter" does not mean Pell, who left before. "Odo tells her of the captain" can mean the captain who
    /// left, because the words describe him, and the pronoun does not fit him.
    fn is_about_departed(&self, fact: &ExtractedFact) -> bool {
        let passage = self.passage;
        let (Some(session), None, Some(place)) = (&passage.session, &passage.speaker, &passage.place) else {
            return false;
        };
        let quoted = self.quoted_words(fact);
        let is_object = |pronouns: &PersonalPronouns| quoted.contains(&pronouns.object);
        let is_called = |id: &EntityId| {
            let mut recorded = self.references(id, ReferringExpression::Pronoun).into_iter();
            match recorded.find_map(PersonalPronouns::from_recorded) {
                Some(pronouns) => is_object(pronouns),
                None => words::english().personal_pronouns.iter().any(|one| !one.genders.is_empty() && is_object(one)),
            }
        };
        let is_described =
            |id: &EntityId| contains_word_of(&quoted, self.references(id, ReferringExpression::Description));
        let mut unnamed = self.unnamed(fact).into_iter();
        unnamed.any(|id| is_called(id) && !is_described(id) && self.has_left(session, place, id))
    }

    /// Returns whether an entity heard an earlier line of a session, but does not hear the passage and is not at its place.
    fn has_left(&self, session: &SessionId, place: &EntityId, id: &EntityId) -> bool {
        let (passage, knower) = (self.passage, Knower::from(id.clone()));
        let moment = passage.said_at();
        let is_absent = !passage.heard_by.is_empty()
            && !passage.heard_by.contains(&knower)
            && place_at(self.state, id, moment).as_ref() != Some(place);
        let mut lines = self.state.passages_in_session(Some(session)).map(|(_, line)| line);
        is_absent && lines.any(|line| line.line < passage.line && line.heard_by.contains(&knower))
    }

    /// Returns the character to whom a promise is made, if narration or the promiser tells of it. This character knows of
    /// the promise.
    fn promisee(&self, fact: &ExtractedFact, proposal: &Proposal, speaker: Option<&EntityId>) -> Option<Knower> {
        let thread = self.state.vocabulary().behavior(&proposal.predicate).thread;
        let is_promise = thread == Some(OpenThread::Promise) && !fact.denied;
        let is_own_word = speaker.is_none_or(|speaker| *speaker == proposal.subject);
        let object = proposal.object.entity().filter(|_| is_promise && is_own_word)?;
        let is_character = self.state.is_character(object);
        is_character.then(|| Knower::from(object.clone()))
    }

    /// If a character says where somebody was in the past, returns the statement in the past tense. Such words say nothing
    /// about the present, so they must not be recorded as a position.
    fn past_position(&self, fact: &ExtractedFact, subject: &EntityId, name: &Predicate) -> Option<String> {
        let quote = self.passage.text.get(fact.span.start..fact.span.end)?;
        let is_past = text::words(quote).iter().any(|word| words::is_past_form(word));
        if !is_past || fact.denied || self.passage.speaker.is_none() || !PredicateRole::Location.is(name) {
            return None;
        }
        words::past_tense(&fact.statement, self.state.name(subject)?)
    }

    /// Returns a relation under its defined predicate. If `name` is the inverse of a predicate, swaps subject and
    /// object.
    fn to_defined_predicate(
        &self,
        subject: EntityId,
        name: &Predicate,
        object: Object,
    ) -> (EntityId, Predicate, Object) {
        match (self.state.vocabulary().inverse_of(name), object) {
            (Some(def), Object::Entity(object)) => (object, def.name.clone(), Object::Entity(subject)),
            (_, object) => (subject, name.clone(), object),
        }
    }

    /// Returns whether a fact was stated before the passage. A passage can deny only earlier facts, not facts from a
    /// later text or from a text of unknown order. The result of reading a passage therefore does not depend on when or
    /// how often it is read.
    fn comes_before(&self, fact: &Fact) -> bool {
        let (state, provenance) = (self.state, fact.provenance());
        let session_number = |passage: &Passage| state.session(passage.session.as_ref()?)?.number;
        let is_earlier = |passage: &Passage| match (session_number(passage), session_number(self.passage)) {
            (Some(one), Some(other)) if one != other => one < other,
            _ => {
                let text_source = |passage: &Passage| (passage.session.clone(), passage.document.clone());
                text_source(passage) == text_source(self.passage) && passage.line < self.passage.line
            }
        };
        let is_in_earlier_passage = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, .. } => state.passage(*passage).is_some_and(|passage| is_earlier(passage)),
            Evidence::File { .. } | Evidence::Excerpt(_) => false,
        };
        provenance.author != Author::Extractor
            || provenance.confirmed
            || provenance.evidence.iter().any(is_in_earlier_passage)
    }

    /// Returns the recorded fact with this subject, predicate and object, if it was stated before the passage.
    fn find_recorded_fact(&self, subject: &EntityId, name: &Predicate, object: &Object) -> Option<FactId> {
        let symmetric = self.state.vocabulary().predicate(name).is_some_and(|def| def.symmetric);
        let is_same_fact = |fact: &&Arc<Fact>| {
            let forward = fact.subject() == subject && fact.object() == object;
            let backward = object.entity() == Some(fact.subject()) && fact.object().entity() == Some(subject);
            let is_not_rejected =
                matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed | FactStatus::Proposed);
            fact.predicate() == name
                && (forward || (symmetric && backward))
                && is_not_rejected
                && fact.fact_relation().is_none()
        };
        let matching_facts = self.state.facts_of(subject).filter(is_same_fact).filter(|fact| self.comes_before(fact));
        matching_facts.map(|fact| fact.id()).min()
    }
}
