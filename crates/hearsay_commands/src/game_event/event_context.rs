//! Helpers that determine the characters who are present at a game event, the facts that the event states, and the
//! sources of these facts.

use std::sync::Arc;

use hearsay_belief::{
    Known, Occasion, View, characters_at,
    learn::{self, Learning, Sincerity, Telling},
    place_at,
};
use hearsay_model::{
    ActiveSession, Author, Change, Credence, EntityId, Evidence, Fact, FactBuilder, FactError, FactId, FactRelation,
    FactStatus, Knower, KnowledgeEdge, Method, Object, Passage, Predicate, Provenance, Resolution, Secrecy, Span,
    State, TalkKind, Timestamp, Validity, attribute, text, words,
};
use hearsay_query::{
    dates::clock_date,
    duplicates::known_equivalent,
    ids::{require_entities, require_entity, require_fact, require_session},
    resolve::{Speaker, public_sentence},
    session::{later_time, next_line},
};

use super::parts::{Circumstances, Hearers, Retelling, Stated};
use crate::{
    CommandError,
    edit::{Editor, succession},
    presence::{require_speaker, scene_characters},
};

pub(super) fn quoted(fact: &Fact) -> String {
    format!("\u{201C}{}\u{201D}", fact.statement())
}

/// Maximum number of characters that a summary names.
const MAX_LISTED_NAMES: usize = 4;

/// Source of a new fact.
#[derive(Clone, Copy)]
pub(super) enum FactSource<'a> {
    /// Characters witness the fact.
    World,
    /// A character states the fact.
    Speaker(&'a EntityId, Sincerity),
    /// A character deduces the fact.
    Deduction,
}

impl FactSource<'_> {
    fn status(self) -> FactStatus {
        match self {
            Self::World => FactStatus::Canon,
            Self::Speaker(_, Sincerity::Sincere) | Self::Deduction => FactStatus::Claimed,
            Self::Speaker(_, Sincerity::Lie) => FactStatus::False,
        }
    }
}

/// Outcome of a game event: the data of its [`EventPlan`](super::EventPlan).
pub(super) struct Outcome {
    pub(super) summary: String,
    pub(super) facts: Vec<FactId>,
    /// Characters that perceive the event, in any order.
    pub(super) heard_by: Vec<EntityId>,
    pub(super) learning: Learning,
}

/// Context of one game event.
pub(super) struct EventContext<'a> {
    state: &'a State,
    editor: Editor<'a>,
    pub occasion: Occasion,
}

impl<'a> EventContext<'a> {
    pub(super) fn new(
        state: &'a State,
        author: &Author,
        now: Timestamp,
        circumstances: &Circumstances,
    ) -> Result<Self, CommandError> {
        let Circumstances { place, time, session } = circumstances;
        require_entities(state, place)?;
        let session = session.as_ref().map(|id| require_session(state, id)).transpose()?;
        let end = session.and_then(|session| session.end.clone().or_else(|| session.start.clone()));
        let playing = state.active_session().filter(|_| session.is_none());
        let time = match time {
            Some(raw) => Some(state.calendar().parse(raw)?),
            None => match playing {
                Some(playing) => later_time(state, playing.time.clone()),
                None => end.or_else(|| state.clock().map(|_| clock_date(state))),
            },
        };
        let place = place.clone();
        let session = session.map(|session| session.id.clone()).or_else(|| Some(playing?.session.clone()));
        let occasion = Occasion { time, place, session };
        Ok(Self { state, editor: Editor { state, author: author.clone(), now }, occasion })
    }

    pub(super) fn list_names(&self, ids: &[EntityId]) -> String {
        let names: Vec<_> = ids.iter().map(|id| self.state.name_or_id(id)).collect();
        if names.is_empty() { "nobody".to_owned() } else { words::join_first_names(&names, MAX_LISTED_NAMES) }
    }

    /// Returns the characters that hear or see the event.
    pub(super) fn hearers(&self, hearers: &Hearers, speaker: Option<&EntityId>) -> Result<Vec<EntityId>, CommandError> {
        if let Hearers::Listed(listed) = hearers {
            require_entities(self.state, listed)?;
            return Ok(listed.clone());
        }
        let moment = self.occasion.moment();
        let mut present_characters = match self.scene() {
            Some(scene) => scene_characters(self.state, scene, scene.place.as_ref(), moment),
            None => {
                let place = self.occasion.place.clone().or_else(|| place_at(self.state, speaker?, moment));
                place.map(|place| characters_at(self.state, &place, moment)).unwrap_or_default()
            }
        };
        present_characters.retain(|id| Some(id) != speaker);
        Ok(present_characters)
    }

    /// Returns the session being played if the event happens in its current scene: the event belongs to this session
    /// and names no other place. In a game, the places of the characters decide who is present, so the events of a game
    /// have no such scene.
    fn scene(&self) -> Option<&'a ActiveSession> {
        let playing = self.state.active_session().filter(|_| self.editor.author != Author::Game)?;
        let is_in_session = self.occasion.session.as_ref() == Some(&playing.session);
        let is_at_scene = self.occasion.place.is_none() || self.occasion.place == playing.place;
        (is_in_session && is_at_scene).then_some(playing)
    }

    pub(super) fn telling_summary(&self, verb: &str, teller: &EntityId, hearers: &[EntityId], fact: &Fact) -> String {
        format!("{} {verb} {}: {}", self.state.name_or_id(teller), self.list_names(hearers), quoted(fact))
    }

    fn provenance(&self, source: FactSource, evidence: Option<Evidence>) -> Provenance {
        let (method, speaker) = match source {
            FactSource::World => (Method::Witnessed, None),
            FactSource::Speaker(speaker, _) => (Method::Stated, Some(speaker.clone())),
            FactSource::Deduction => (Method::Inferred, None),
        };
        Provenance {
            session: self.occasion.session.clone(),
            speaker,
            recorded: self.editor.now,
            evidence: evidence.into_iter().collect(),
            ..Provenance::new(method, self.editor.author.clone())
        }
    }

    /// Returns the stated fact, recorded or new, and the changes that end older values. If a speaker states a new fact,
    /// but knows a fact with the same content, or made this fact up before, returns the recorded fact, and the change that
    /// adds the evidence to it.
    pub(super) fn stated_fact(
        &self,
        stated: &Stated,
        source: FactSource,
        evidence: Option<Evidence>,
    ) -> Result<(Arc<Fact>, Vec<Change>), CommandError> {
        let state = self.state;
        let builder = match stated {
            Stated::Recorded(fact) => return Ok((Arc::clone(require_fact(state, *fact)?), Vec::new())),
            Stated::Lore { about, text } => {
                require_entity(state, about)?;
                let lore = Fact::attribute(about, attribute::LORE, text.trim(), self.provenance(source, evidence))?;
                lore.statement(text.trim()).mentions(mentioned_entities(state, text))
            }
            Stated::Parts { subject, predicate, object, statement } => {
                require_entities(state, std::iter::once(subject).chain(object.entity()))?;
                let provenance = self.provenance(source, evidence);
                let (subject, predicate, object) = match object {
                    Object::Value(_) => (subject, Predicate::new(predicate)?, object.clone()),
                    Object::Entity(object) => {
                        let attribute = Predicate::new(predicate).ok();
                        let attribute = attribute.filter(|name| state.vocabulary().attribute(name).is_some());
                        if let Some(predicate) = attribute {
                            return Err(FactError::WrongObject { predicate, expected: "a value" }.into());
                        }
                        let (relation, is_inverse) = self.editor.relation(predicate)?;
                        let (subject, object) = if is_inverse { (object, subject) } else { (subject, object) };
                        (subject, relation, Object::Entity(object.clone()))
                    }
                };
                let generated_statement = || public_sentence(state, subject, &predicate, &object);
                let statement = statement.clone().unwrap_or_else(generated_statement);
                FactBuilder::new(subject.clone(), predicate, object, provenance).statement(statement)
            }
        };
        let mut fact = builder.status(source.status()).build()?;
        if let FactSource::Speaker(speaker, sincerity) = source {
            let view = View::new(state, &speaker.clone().into(), self.occasion.moment());
            let is_lie = sincerity == Sincerity::Lie;
            // A liar repeats its own invention.
            let has_same_truth = |known: &Known| known.is_made_up() == is_lie;
            if let Some(known) = known_equivalent(state, &view, &fact, has_same_truth) {
                let support = with_evidence(known, fact.provenance().evidence.clone())?;
                return Ok((Arc::clone(known), support.into_iter().collect()));
            }
        }
        let mut changes = Vec::new();
        if fact.status() == FactStatus::Canon && state.is_functional(fact.predicate()) {
            // A new value of a predicate that allows one value at a time ends the older value at the time of the event.
            let open_values = state.values(fact.subject(), fact.predicate());
            // A value that is seen again is the recorded fact.
            let holds_already = |value: &&&Fact| {
                let begins_later =
                    value.validity().start().zip(self.occasion.moment()).is_some_and(|(from, now)| from > now);
                value.object() == fact.object() && !begins_later
            };
            if let Some(recorded) = open_values.iter().find(holds_already) {
                return Ok((Arc::clone(require_fact(state, recorded.id())?), changes));
            }
            let mut validity = Validity { from: self.occasion.time.clone(), until: None };
            changes = succession(state, &open_values, fact.predicate(), fact.object(), &mut validity);
            fact = fact.to_builder().validity(validity).build()?;
        } else if fact.status() == FactStatus::Canon
            && (state.vocabulary().is_deed(fact.predicate()) || state.vocabulary().behavior(fact.predicate()).fatal)
        {
            // The same deed at another time is another fact.
            fact = fact.to_builder().validity(Validity { from: self.occasion.time.clone(), until: None }).build()?;
            if let Some(recorded) = self.recorded_deed(&fact) {
                return Ok((Arc::clone(recorded), changes));
            }
        }
        Ok((Arc::new(fact), changes))
    }

    /// Returns the recorded canon fact that states the same deed at the same time, perhaps in other words. Returns `None`
    /// if there is no such fact, or if the time of the deed is unknown.
    fn recorded_deed(&self, deed: &Fact) -> Option<&'a Arc<Fact>> {
        let start = deed.validity().start()?;
        let is_same_deed = |fact: &&Arc<Fact>| {
            (fact.subject(), fact.predicate(), fact.object()) == (deed.subject(), deed.predicate(), deed.object())
                && fact.status() == FactStatus::Canon
                && fact.fact_relation().is_none()
                && fact.validity().start() == Some(start)
        };
        self.state.facts_of(deed.subject()).filter(is_same_deed).min_by_key(|fact| fact.id())
    }

    pub(super) fn witness(&self, facts: &[Stated], witnesses: &Hearers) -> Result<Outcome, CommandError> {
        let witnesses = self.hearers(witnesses, None)?;
        let (mut seen_facts, mut changes) = (Vec::new(), Vec::new());
        for fact in facts {
            let (fact, mut ended_values) = self.stated_fact(fact, FactSource::World, None)?;
            seen_facts.push(fact);
            changes.append(&mut ended_values);
        }
        let mut learning = learn::witness(self.state, &seen_facts, &witnesses, &self.occasion)?;
        changes.append(&mut learning.changes);
        learning.changes = changes;
        let description = match &seen_facts[..] {
            [one] => quoted(one),
            more => format!("{} facts", more.len()),
        };
        let verb = if witnesses.len() == 1 { "sees" } else { "see" };
        let summary = format!("{} {verb} {description}", self.list_names(&witnesses));
        Ok(Outcome { summary, facts: fact_ids(&seen_facts), heard_by: witnesses, learning })
    }

    pub(super) fn say(
        &self,
        speaker: &Speaker,
        text: &str,
        states: &[Stated],
        hearers: &Hearers,
        sincerity: Sincerity,
    ) -> Result<Outcome, CommandError> {
        let alias = secret_name(self.state, speaker)?;
        let speaker = &speaker.id;
        require_speaker(self.state, speaker)?;
        let hearers = self.hearers(hearers, Some(speaker))?;
        let present = self.scene().map(|_| self.hearers(&Hearers::AtPlace, Some(speaker))).transpose()?;
        let confidential = present.is_some_and(|present| present.iter().any(|id| !hearers.contains(id)));
        let session = self.occasion.session.clone();
        // The line number distinguishes the ids of passages with the same words.
        let line = next_line(self.state, session.as_ref());
        let mentions = mentioned_entities(self.state, text);
        let passage = Passage {
            speaker: Some(speaker.clone()),
            speaker_alias: alias.map(str::to_owned),
            session,
            line,
            mentions,
            talk_kind: Some(TalkKind::InCharacter),
            confidential,
            ..Passage::new(text.trim())
        };
        if passage.text.is_empty() {
            return Err(CommandError::Fact(FactError::NoStatement));
        }
        let span = Span { start: 0, end: passage.text.len() };
        let evidence = Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() };
        let source = FactSource::Speaker(speaker, sincerity);
        let stated = states.iter().map(|fact| self.stated_fact(fact, source, Some(evidence.clone())));
        let stated = stated.collect::<Result<Vec<_>, CommandError>>()?;
        let (stated, support): (Vec<Arc<Fact>>, Vec<Vec<Change>>) = stated.into_iter().unzip();
        let summary = format!("{} says: \u{201C}{}\u{201D}", self.state.name_or_id(speaker), passage.text);
        let mut learning = learn::say(self.state, passage, &stated, &hearers, sincerity, &self.occasion)?;
        learning.changes.extend(support.into_iter().flatten());
        let heard_by = hearers.into_iter().filter(|id| id != speaker).collect();
        Ok(Outcome { summary, facts: fact_ids(&stated), heard_by, learning })
    }

    /// Returns the distorted version of a fact.
    pub(super) fn distorted_fact(
        &self,
        fact: &Arc<Fact>,
        retold: &Retelling,
        source: FactSource,
    ) -> Result<Arc<Fact>, CommandError> {
        let state = self.state;
        let provenance = self.provenance(source, None);
        let builder = match &retold.object {
            None => {
                let text = retold.statement.clone().unwrap_or_default();
                let mentions: Vec<EntityId> = fact.entities().cloned().collect();
                let lore = Fact::attribute(fact.subject(), attribute::LORE, text.trim(), provenance)?;
                lore.statement(text.trim()).mentions(mentions).secrecy(fact.secrecy())
            }
            Some(object) => {
                require_entities(state, object.entity())?;
                let generated_statement = || public_sentence(state, fact.subject(), fact.predicate(), object);
                let statement = retold.statement.clone().unwrap_or_else(generated_statement);
                fact.to_builder().object(object.clone()).statement(statement).handle(None).provenance(provenance)
            }
        };
        Ok(Arc::new(builder.status(source.status()).fact_relation(Some(FactRelation::Distorts(fact.id()))).build()?))
    }

    pub(super) fn refute(
        &self,
        fact: &Fact,
        statement: Option<&str>,
        teller: Option<&Speaker>,
        hearers: &Hearers,
        credence: Option<Credence>,
    ) -> Result<Outcome, CommandError> {
        let alias = teller.map(|teller| secret_name(self.state, teller)).transpose()?.flatten();
        let teller = teller.map(|teller| &teller.id);
        teller.into_iter().try_for_each(|teller| require_speaker(self.state, teller))?;
        let hearers = self.hearers(hearers, teller)?;
        let source = teller.map_or(FactSource::World, |teller| FactSource::Speaker(teller, Sincerity::Sincere));
        let refutation = learn::refutation(fact, statement, self.provenance(source, None))?;
        let refutation = Arc::new(refutation.to_builder().status(source.status()).build()?);
        let Some(teller) = teller else {
            let learning = learn::witness(self.state, &[Arc::clone(&refutation)], &hearers, &self.occasion)?;
            let verb = if hearers.len() == 1 { "sees" } else { "see" };
            let summary = format!("{} {verb} {}", self.list_names(&hearers), quoted(&refutation));
            return Ok(Outcome { summary, facts: vec![refutation.id()], heard_by: hearers, learning });
        };
        let telling = Telling {
            teller,
            alias,
            hearers: &hearers,
            fact: &refutation,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence,
        };
        let learning = learn::claim(self.state, &telling, &self.occasion)?;
        let summary = self.telling_summary("tells", teller, &hearers, &refutation);
        Ok(Outcome { summary, facts: vec![refutation.id()], heard_by: hearers, learning })
    }

    pub(super) fn reveal(
        &self,
        holder: &Speaker,
        fact: &Arc<Fact>,
        to: &Hearers,
        openly: bool,
    ) -> Result<Outcome, CommandError> {
        let alias = secret_name(self.state, holder)?;
        let holder = &holder.id;
        let hearers = self.hearers(to, Some(holder))?;
        let telling = Telling {
            teller: holder,
            alias,
            hearers: &hearers,
            fact,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence: None,
        };
        let mut learning = learn::tell(self.state, &telling, &self.occasion)?;
        if openly {
            let concealed_edges = own_edges(self.state, holder, fact).filter(|edge| edge.conceals);
            let revealed_edges =
                concealed_edges.map(|edge| KnowledgeEdge { conceals: false, ..KnowledgeEdge::clone(edge) });
            learning.changes.extend(revealed_edges.map(|edge| Change::Learn(Arc::new(edge))));
        }
        let summary = self.telling_summary("reveals to", holder, &hearers, fact);
        Ok(Outcome { summary, facts: vec![fact.id()], heard_by: hearers, learning })
    }
}

fn fact_ids(facts: &[Arc<Fact>]) -> Vec<FactId> {
    facts.iter().map(|fact| fact.id()).collect()
}

/// Returns the change that adds evidence to a recorded fact; `None` if there is no evidence.
fn with_evidence(fact: &Fact, evidence: Vec<Evidence>) -> Result<Option<Change>, CommandError> {
    if evidence.is_empty() {
        return Ok(None);
    }
    let provenance = Provenance { evidence, ..fact.provenance().clone() };
    Ok(Some(Change::Support(Arc::new(fact.to_builder().provenance(provenance).build()?))))
}

/// Returns the secret name under which a speaker speaks, if it is a secret name of the character.
///
/// # Errors
/// Returns an error if the character does not exist.
pub(crate) fn secret_name<'a>(state: &'a State, speaker: &Speaker) -> Result<Option<&'a str>, CommandError> {
    require_entity(state, &speaker.id)?;
    Ok(speaker.alias.as_deref().and_then(|alias| state.secret_name(&speaker.id, alias)))
}

/// Maximum number of words in a name for [`mentioned_entities`].
const MAX_NAME_WORDS: usize = 5;

/// Returns the entities whose full name occurs in a text. The name must belong to a single entity, and be capitalized
/// except for an article at its start: "the Old Mill" for "The Old Mill". Secret names are ignored, because hearers do not
/// know to whom they belong. Sorted.
pub(crate) fn mentioned_entities(state: &State, text: &str) -> Vec<EntityId> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let words: Vec<&str> = words.into_iter().map(text::without_possessive).collect();
    let is_capitalized = |at: usize| words.get(at).is_some_and(|word| word.starts_with(char::is_uppercase));
    let (mut found, mut index) = (Vec::new(), 0);
    while index < words.len() {
        let has_article = words::contains_word(&words::english().determiners, words[index]);
        let may_begin_name = is_capitalized(index) || (has_article && is_capitalized(index + 1));
        let max_words = if may_begin_name { MAX_NAME_WORDS.min(words.len() - index) } else { 0 };
        let linked =
            (1..=max_words).rev().find_map(|count| match state.resolve(&words[index..index + count].join(" ")) {
                Resolution::One(id) => {
                    is_public_name(state, &id, &words[index..index + count].join(" ")).then_some((id, count))
                }
                _ => None,
            });
        index += linked.as_ref().map_or(1, |(_, count)| *count);
        found.extend(linked.map(|(id, _)| id));
    }
    found.sort();
    found.dedup();
    found
}

/// Returns whether `name` is a name of the entity and is not secret.
fn is_public_name(state: &State, id: &EntityId, name: &str) -> bool {
    let name = text::normalize(name);
    let name_facts = [attribute::NAME, attribute::ALIAS].map(|name| state.facts_with_subject(id, name).all());
    name_facts.into_iter().flatten().any(|fact| {
        let is_open = fact.secrecy() != Secrecy::Secret;
        is_open && fact.object().text().is_some_and(|recorded_name| text::normalize(recorded_name) == name)
    })
}

/// Returns the knower's own edges to a fact, without edges of its groups and places.
fn own_edges<'a>(state: &'a State, knower: &EntityId, fact: &Fact) -> impl Iterator<Item = &'a Arc<KnowledgeEdge>> {
    let knower = Knower::Entity(knower.clone());
    state.known_by(fact.id()).filter(move |edge| edge.knower == knower)
}

pub(super) fn forget_fact(state: &State, knower: &EntityId, fact: &Fact) -> Result<Outcome, CommandError> {
    let learned_edges = own_edges(state, knower, fact).filter(|edge| edge.acquisition.gives_knowledge());
    let mut ids: Vec<_> = learned_edges.map(|edge| edge.id()).collect();
    ids.sort_unstable();
    if ids.is_empty() {
        let view = View::new(state, &knower.clone().into(), None);
        let known = view.fact(fact.id()).is_some();
        return Err(CommandError::NotLearned { knower: knower.clone(), statement: fact.statement().to_owned(), known });
    }
    let changes = hearsay_belief::withdrawal_changes(state, &ids);
    let summary = format!("{} never learned {}", state.name_or_id(knower), quoted(fact));
    let learning = Learning { changes, ..Learning::default() };
    Ok(Outcome { summary, facts: vec![fact.id()], heard_by: Vec::new(), learning })
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Entity, Method, Operation};

    use super::*;

    #[test]
    fn a_name_is_recognized_with_a_lowercase_article() {
        let id = |id: &str| EntityId::new(id).unwrap();
        let name = |entity: &str, name: &str| {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let fact = Fact::attribute(&id(entity), attribute::NAME, name, provenance).unwrap().build().unwrap();
            [Change::AddEntity(Entity::new(id(entity))), Change::AssertFact(Arc::new(fact))]
        };
        let changes = [name("stair", "The Salt Stair"), name("bell", "Cracked Bell"), name("nel", "Nel")];
        let mut state = State::default();
        state.apply(Operation::new(Author::Dm, "names", changes.into_iter().flatten().collect())).unwrap();
        let lines: [(&str, &[&str]); 5] = [
            ("Nel climbs the Salt Stair.", &["nel", "stair"]),
            ("The Salt Stair's rail breaks.", &["stair"]),
            ("She meets Nel at the Cracked Bell.", &["bell", "nel"]),
            ("They carry the salt stair by stair.", &[]),
            ("Her Salt Stair is gone.", &[]),
        ];
        for (text, expected) in lines {
            let expected: Vec<EntityId> = expected.iter().map(|name| id(name)).collect();
            assert_eq!(mentioned_entities(&state, text), expected, "{text}");
        }
    }
}
