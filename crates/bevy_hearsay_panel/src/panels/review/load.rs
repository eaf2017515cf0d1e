//! Reads the data that the review panel displays.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_engine::ReadSnapshot;
use hearsay_model::{
    Author, EntityId, Evidence, Fact, FactId, FactStatus, Factuality, Kind, Knower, Method, Object, Secrecy, State,
    attribute,
};
use hearsay_query::{
    contradictions::Clash,
    duplicates::Duplicate,
    facts::recorded_edges,
    review::{ReviewItem, ReviewQueue, facts_decided_together, is_unconfirmed_entity, review_queue, stake},
    trust::{TrustCategory, confidence_boost},
};

use super::model::{
    CardDetail, CardKey, CardSummary, EntitySummary, FactDetail, Learner, ObjectModel, OtherFact, ReviewModel,
    ReviewTriage, SourceQuote,
};
use crate::{
    names::NamedEntity,
    text::{LinkedText, shorten},
};

/// Maximum number of stubs that are listed. When some of the listed stubs have been decided, further stubs are listed.
const MAX_STUBS: usize = 200;

/// Maximum number of similar facts that a card lists. `MAX_LEARNERS` is the maximum number of listed characters that
/// would learn the fact.
const MAX_SIMILAR: usize = 4;
const MAX_LEARNERS: usize = 8;

/// Number of letters of a quote to show before and after the words that state the fact.
const EXCERPT_CONTEXT_CHARS: usize = 160;

impl ReviewModel {
    /// Reads the cards without their details. Call this function on a background thread, because it reads every fact.
    pub fn load(world: &ReadSnapshot, duplicates: &[Duplicate], triage: ReviewTriage) -> Self {
        let state = &*world.state;
        let ReviewQueue { queued: mut items, held_back } = review_queue(state, triage.settings);
        let held_back_count = held_back.len();
        if triage.shows_held_back {
            items.extend(held_back);
        }
        let contradicting: BTreeSet<FactId> = items
            .iter()
            .flat_map(|item| match item {
                ReviewItem::Contradiction { facts, .. } => facts.clone(),
                _ => Vec::new(),
            })
            .collect();
        let mut cards: Vec<CardSummary> =
            items.iter().filter_map(|item| card_summary(state, item, &contradicting)).collect();
        cards
            .extend(duplicates.iter().filter(|pair| is_undecided(state, pair)).map(|pair| duplicate_card(state, pair)));
        let (stubs, more_stubs) = stubs(state);
        cards.extend(stubs);
        cards.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        let (position, details) = (state.position().0, BTreeMap::new());
        let indexes = cards.iter().enumerate().map(|(index, card)| (card.key.clone(), index)).collect();
        Self {
            position,
            cards,
            held_back: held_back_count,
            more_stubs,
            is_read: true,
            read_at: hearsay_engine::real_time(),
            details,
            indexes,
        }
    }
}

fn is_undecided(state: &State, pair: &Duplicate) -> bool {
    state.entity(&pair.one).is_some()
        && state.entity(&pair.other).is_some()
        && !state.are_distinct(&pair.one, &pair.other)
}

/// Returns the source of a fact for display: a speaker, a file or an author.
fn source(state: &State, fact: &Fact) -> String {
    let provenance = fact.provenance();
    let file = provenance.evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, .. } => Some(path.clone()),
        Evidence::Excerpt(excerpt) => Some(excerpt.path.to_string()),
        Evidence::Passage { .. } => None,
    });
    match (&provenance.speaker, file) {
        (Some(speaker), _) => state.name_or_id(speaker).to_owned(),
        (None, Some(path)) => path,
        (None, None) => author_text(&provenance.author),
    }
}

/// Formats the author of a fact for display.
fn author_text(author: &Author) -> String {
    match author {
        Author::Extractor => "read in a text".into(),
        other => other.to_string(),
    }
}

fn session_title(state: &State, fact: &Fact) -> Option<String> {
    let id = fact.provenance().session.as_ref()?;
    Some(state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone()))
}

fn related_entities(state: &State, fact: &Fact) -> Vec<NamedEntity> {
    let entity_ids = std::iter::once(fact.subject()).chain(fact.object().entity());
    entity_ids.map(|id| NamedEntity::new(state, id)).collect()
}

fn card_summary(state: &State, item: &ReviewItem, contradicting: &BTreeSet<FactId>) -> Option<CardSummary> {
    match item {
        ReviewItem::Doubtful { fact, .. } => {
            let fact = state.fact(*fact)?;
            let (score, reasons) = stake(state, fact, contradicting.contains(&fact.id()));
            let confidence = fact.provenance().confidence.get();
            Some(CardSummary {
                key: CardKey::Fact(fact.id()),
                statement: fact.statement().to_owned(),
                confidence,
                score,
                reasons,
                source: source(state, fact),
                session: session_title(state, fact),
                recorded: fact.provenance().recorded.0,
                about: related_entities(state, fact),
                secret: fact.secrecy() == Secrecy::Secret,
            })
        }
        ReviewItem::Contradiction { subject, clash, facts } => {
            let facts: Vec<&Fact> = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| &**fact).collect();
            let stakes: Vec<(f64, Vec<String>)> = facts.iter().map(|fact| stake(state, fact, true)).collect();
            let (score, mut reasons) = stakes.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
            reasons.retain(|reason| !reason.contains("contradicts"));
            reasons.insert(0, contradiction_text(state, clash));
            let confidence_of = |fact: &&Fact| fact.provenance().confidence.get();
            let min_confidence = facts.iter().map(confidence_of).min_by(f64::total_cmp)?;
            let newest = facts.iter().max_by_key(|fact| fact.provenance().recorded)?;
            let mut entities = vec![NamedEntity::new(state, subject)];
            entities
                .extend(facts.iter().filter_map(|fact| fact.object().entity()).map(|id| NamedEntity::new(state, id)));
            entities.dedup();
            let first = facts.first().map_or("", |fact| fact.statement());
            let alternatives: Vec<&str> =
                facts.iter().map(|fact| distinct_suffix(fact.statement(), first).trim_end_matches('.')).collect();
            Some(CardSummary {
                key: CardKey::Contradiction(facts.iter().map(|fact| fact.id()).collect()),
                statement: format!("{}?", alternatives.join(", or ")),
                confidence: min_confidence,
                score,
                reasons,
                source: source(state, newest),
                session: session_title(state, newest),
                recorded: newest.provenance().recorded.0,
                about: entities,
                secret: facts.iter().any(|fact| fact.secrecy() == Secrecy::Secret),
            })
        }
        ReviewItem::Duplicate(pair) => Some(duplicate_card(state, pair)),
    }
}

/// Returns a sentence without the leading words that it shares with the sentence `first`.
fn distinct_suffix<'a>(sentence: &'a str, first: &str) -> &'a str {
    let mut start = 0;
    for (one, other) in sentence.split_inclusive(' ').zip(first.split_inclusive(' ')) {
        if one != other {
            break;
        }
        start += one.len();
    }
    // If no words remain, the two sentences are equal: return the complete sentence.
    sentence.get(start..).filter(|rest| !rest.is_empty()).unwrap_or(sentence)
}

fn contradiction_text(state: &State, clash: &Clash) -> String {
    match clash {
        Clash::OneAtATime(predicate) => {
            format!("Only one of them can be true at a time ({})", predicate.as_str().to_lowercase().replace('_', " "))
        }
        Clash::Opposites(id) => format!("Opposite relations to {}", state.name_or_id(id)),
        Clash::Refuted(_) => "One refutes the other".into(),
    }
}

fn duplicate_card(state: &State, pair: &Duplicate) -> CardSummary {
    let degree = |id: &EntityId| state.links(id).count() as f64;
    CardSummary {
        key: CardKey::Duplicate(pair.one.clone(), pair.other.clone()),
        statement: format!("{} and {} may be the same", pair.names[0], pair.names[1]),
        confidence: pair.similarity.get(),
        score: ((1.0 + degree(&pair.one) + degree(&pair.other)).ln() + 2.0) * pair.similarity.get(),
        reasons: similarity_reasons(pair),
        source: "similar names".into(),
        session: None,
        recorded: 0,
        about: vec![NamedEntity::new(state, &pair.one), NamedEntity::new(state, &pair.other)],
        secret: false,
    }
}

fn similarity_reasons(pair: &Duplicate) -> Vec<String> {
    let mut reasons = vec![format!("similarity of names {:.2}", pair.name.get())];
    reasons.extend(pair.sounds_alike.then(|| "they sound the same".to_owned()));
    let shared = pair.neighbours.filter(|share| share.get() > 0.0);
    reasons.extend(shared.map(|share| format!("{:.0} % of their related entities are the same", 100.0 * share.get())));
    reasons.extend(pair.meaning.map(|meaning| format!("similarity of descriptions {:.2}", meaning.get())));
    reasons.extend(pair.related.then(|| "but a fact relates them to each other".to_owned()));
    reasons
}

/// Returns cards for stubs, and the number of further stubs that are not listed. A stub is an entity with a name and no
/// other facts. An import creates a stub for each name that the import cannot resolve.
fn stubs(state: &State) -> (Vec<CardSummary>, usize) {
    let naming_attributes = [attribute::NAME, attribute::KIND, attribute::ALIAS];
    let is_other_fact =
        |fact: &Fact| !naming_attributes.contains(&fact.predicate().as_str()) && fact.status() != FactStatus::Rejected;
    let is_stub = |id: &EntityId| !state.facts_of(id).any(|fact| is_other_fact(fact));
    // Skip entities that the DM has not confirmed yet, because they already have another card.
    let is_listed_stub = |id: &&EntityId| !is_unconfirmed_entity(state, id) && is_stub(id);
    let mut stub_ids: Vec<&EntityId> = state.entities().map(|entity| &entity.id).filter(is_listed_stub).collect();
    stub_ids.sort();
    let omitted_count = stub_ids.len().saturating_sub(MAX_STUBS);
    let to_card = |id: &EntityId| {
        let entity = NamedEntity::new(state, id);
        let recorded = state.newest(id, attribute::NAME).map_or(0, |fact| fact.provenance().recorded.0);
        let origin = state.newest(id, attribute::NAME).map_or_else(|| "unknown".into(), |fact| source(state, fact));
        CardSummary {
            key: CardKey::Stub(id.clone()),
            statement: format!("{} has only a name", entity.name),
            confidence: 0.0,
            score: 0.0,
            reasons: vec!["no facts about it yet".into()],
            source: origin,
            session: None,
            recorded,
            about: vec![entity],
            secret: false,
        }
    };
    (stub_ids.into_iter().take(MAX_STUBS).map(to_card).collect(), omitted_count)
}

/// Reads the details of a card. Returns `None` if the card no longer exists. This function is fast.
pub fn detail(world: &ReadSnapshot, key: &CardKey) -> Option<CardDetail> {
    let state = &*world.state;
    Some(match key {
        CardKey::Fact(id) => CardDetail::Facts(vec![fact_detail(world, state.fact(*id)?, &[*id])]),
        CardKey::Contradiction(ids) => {
            let facts: Vec<FactDetail> =
                ids.iter().filter_map(|id| state.fact(*id)).map(|fact| fact_detail(world, fact, ids)).collect();
            (!facts.is_empty()).then_some(CardDetail::Facts(facts))?
        }
        CardKey::Duplicate(one, other) => {
            state.entity(one).and(state.entity(other))?;
            CardDetail::Duplicate(Box::new([entity_summary(state, one), entity_summary(state, other)]), Vec::new())
        }
        CardKey::Stub(id) => CardDetail::Stub(state.entity(id).map(|_| entity_summary(state, id))?),
    })
}

fn entity_summary(state: &State, id: &EntityId) -> EntitySummary {
    let names = state.names(id);
    let mut facts: Vec<&str> = state
        .facts_of(id)
        .filter(|fact| fact.is_in_effect() && ![attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
        .map(|fact| fact.statement())
        .collect();
    facts.sort_unstable();
    EntitySummary {
        entity: NamedEntity::new(state, id),
        aliases: names.into_iter().skip(1).map(str::to_owned).collect(),
        fact_count: facts.len(),
        facts: facts.into_iter().take(5).map(str::to_owned).collect(),
    }
}

fn fact_detail(world: &ReadSnapshot, fact: &Fact, card_facts: &[FactId]) -> FactDetail {
    let state = &*world.state;
    let provenance = fact.provenance();
    let (learners, more_learners) = learners(state, fact);
    let (similar, more_similar) = similar_facts(state, fact, card_facts);
    FactDetail {
        id: fact.id(),
        statement: LinkedText::from_fact(state, fact),
        subject: NamedEntity::new(state, fact.subject()),
        predicate: fact.predicate().as_str().to_owned(),
        object: match fact.object() {
            Object::Entity(id) => ObjectModel::Entity(NamedEntity::new(state, id)),
            Object::Value(value) => ObjectModel::Value(value.to_string()),
        },
        status: fact.status().as_str().to_owned(),
        factuality: (fact.factuality() != Factuality::Asserted).then(|| fact.factuality().to_string()),
        secret: fact.secrecy() == Secrecy::Secret,
        confidence: provenance.confidence.get(),
        extracted: provenance.extracted.map(|extracted| extracted.get()),
        trust: trust_reasons(world, fact),
        method: method_name(provenance.method).to_owned(),
        author: author_text(&provenance.author),
        stage: provenance.stage.map(|stage| stage.to_string()),
        speaker: provenance.speaker.as_ref().map(|id| NamedEntity::new(state, id)),
        session: session_title(state, fact),
        when: validity_text(state, fact),
        quotes: provenance.evidence.iter().filter_map(|evidence| source_quote(state, evidence)).take(3).collect(),
        contradicts: contradicting_facts(state, fact, card_facts),
        similar,
        more_similar,
        other_proposals: other_proposals(state, fact),
        learners,
        more_learners,
    }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Witnessed => "witnessed",
        Method::Stated => "stated",
        Method::Inferred => "inferred",
        Method::Authored => "authored",
        Method::Imported => "imported",
    }
}

/// Returns a text for the source to which a trust value applies.
fn trust_source_text(state: &State, trust: &TrustCategory) -> String {
    let author_source = |author: &Author| match author {
        Author::Dm => "what you entered".to_owned(),
        Author::Game => "what the game reported".into(),
        Author::Player(name) => format!("what {name} entered"),
        Author::Importer(source) => format!("what was imported from {source}"),
        Author::Extractor => "what was extracted from texts".into(),
    };
    match trust {
        TrustCategory::Speaker(id) => format!("Statements by {}", state.name_or_id(id)),
        TrustCategory::File(path) => format!("Facts from {path}"),
        TrustCategory::Author(author) => format!("Facts from {}", author_source(author)),
        TrustCategory::Predicate(predicate) => format!("Other {predicate} facts"),
        TrustCategory::Extraction(_, _, Some(model)) => format!("Facts extracted by {model}"),
        TrustCategory::Extraction(Author::Extractor, Method::Stated, None) => "Facts extracted from speech".into(),
        TrustCategory::Extraction(Author::Extractor, _, None) => "Facts extracted from writing".into(),
        TrustCategory::Extraction(author, method, None) => {
            format!("Facts from {}, {}", author_source(author), method_name(*method))
        }
    }
}

fn trust_reasons(world: &ReadSnapshot, fact: &Fact) -> Vec<String> {
    let state = &*world.state;
    let reasons = world.learned.reasons(fact.provenance(), fact.predicate());
    let to_text = |reason: &hearsay_query::trust::Reason| {
        let (yes, no) = (reason.counts.confirmed, reason.counts.rejected);
        format!("{}: you accepted {yes}, and rejected {no}", trust_source_text(state, &reason.trust))
    };
    let mut texts: Vec<String> = reasons.iter().map(to_text).collect();
    if let Some(lift) = confidence_boost(state, fact)
        && let Some(similar_fact) = state.fact(lift.like)
    {
        texts.push(format!("like \u{201C}{}\u{201D}, which you confirmed", similar_fact.statement()));
    }
    texts
}

fn validity_text(state: &State, fact: &Fact) -> Option<String> {
    let date = |date: Option<&hearsay_model::Date>| {
        let date = date?;
        Some(if date.raw.is_empty() { state.calendar().format(date.time?) } else { date.raw.clone() })
    };
    let validity = fact.validity();
    match (date(validity.from.as_ref()), date(validity.until.as_ref())) {
        (None, None) => None,
        (Some(from), None) => Some(format!("since {from}")),
        (None, Some(until)) => Some(format!("until {until}")),
        (Some(from), Some(until)) => Some(format!("{from} to {until}")),
    }
}

fn source_quote(state: &State, evidence: &Evidence) -> Option<SourceQuote> {
    match evidence {
        Evidence::File { path, line, field } => {
            Some(SourceQuote { text: String::new(), highlighted: 0..0, place: format!("{path}:{line} ({field})") })
        }
        Evidence::Excerpt(excerpt) => {
            let place = format!("{}:{} ({})", excerpt.path, excerpt.line, excerpt.field);
            let highlighted = 0..excerpt.quote.len();
            Some(SourceQuote { text: excerpt.quote.to_string(), highlighted, place })
        }
        Evidence::Passage { passage, span, quote } => {
            let Some(passage) = state.passage(*passage) else {
                let highlighted = 0..quote.len();
                return Some(SourceQuote { text: quote.clone(), highlighted, place: "a deleted text".into() });
            };
            let (text, highlighted) = excerpt_around(&passage.text, span.start..span.end);
            let session = passage
                .session
                .as_ref()
                .map(|id| state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone()));
            let speaker = passage.speaker.as_ref().map(|id| format!("{}, ", state.name_or_id(id)));
            let location = match (session, &passage.title) {
                (Some(session), _) => format!("{session}, line {}", passage.line),
                (None, Some(title)) => title.clone(),
                (None, None) => format!("line {}", passage.line),
            };
            let place = format!("{}{location}", speaker.unwrap_or_default());
            Some(SourceQuote { text, highlighted, place })
        }
    }
}

/// Cuts a text to the part around a byte range. Returns the part, and the byte range within the part.
fn excerpt_around(text: &str, highlighted: std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    let highlighted = crate::widgets::clamp_span(text, &highlighted);
    let start = text[..highlighted.start].char_indices().rev().nth(EXCERPT_CONTEXT_CHARS).map_or(0, |(at, _)| at);
    let end = text[highlighted.end..]
        .char_indices()
        .nth(EXCERPT_CONTEXT_CHARS)
        .map_or(text.len(), |(at, _)| highlighted.end + at);
    let (before, after) = (if start > 0 { "\u{2026}" } else { "" }, if end < text.len() { "\u{2026}" } else { "" });
    let offset = before.len();
    let excerpt = format!("{before}{}{after}", &text[start..end]);
    (excerpt, highlighted.start - start + offset..highlighted.end - start + offset)
}

fn other_fact(fact: &Fact, reason: &str) -> OtherFact {
    OtherFact {
        id: fact.id(),
        statement: shorten(fact.statement(), 160).into_owned(),
        status: fact.status().as_str().to_owned(),
        reason: reason.to_owned(),
        secret: fact.secrecy() == Secrecy::Secret,
    }
}

/// Returns the facts that contradict a fact, except for the facts in `card_facts`.
fn contradicting_facts(state: &State, fact: &Fact, card_facts: &[FactId]) -> Vec<OtherFact> {
    let vocabulary = state.vocabulary();
    let is_accepted = |other: &&std::sync::Arc<Fact>| {
        matches!(other.status(), FactStatus::Canon | FactStatus::Claimed) && other.id() != fact.id()
    };
    let mut contradicting = Vec::new();
    for existing in state.facts_of(fact.subject()).filter(is_accepted) {
        if card_facts.contains(&existing.id()) || existing.subject() != fact.subject() {
            continue;
        }
        let overlap = existing.validity().overlaps(fact.validity());
        if existing.predicate() == fact.predicate()
            && state.is_functional(fact.predicate())
            && existing.object() != fact.object()
            && overlap
        {
            contradicting.push(other_fact(existing, "only one can be true at a time"));
        } else if fact.object().entity().is_some()
            && existing.object() == fact.object()
            && vocabulary.are_opposites(existing.predicate(), fact.predicate())
        {
            contradicting.push(other_fact(existing, "the opposite"));
        } else if fact.fact_relation().is_some_and(|fact_relation| fact_relation.fact() == existing.id()) {
            contradicting
                .push(other_fact(existing, fact.fact_relation().map_or("", |fact_relation| fact_relation.as_str())));
        }
    }
    contradicting.truncate(MAX_SIMILAR);
    contradicting
}

/// Returns similar facts, and the number of further similar facts that are not listed. A similar fact is about the same
/// two entities, or has the same subject and predicate.
fn similar_facts(state: &State, fact: &Fact, card_facts: &[FactId]) -> (Vec<OtherFact>, usize) {
    let mut candidates: Vec<(u8, &Fact)> = state
        .facts_of(fact.subject())
        .filter(|other| !card_facts.contains(&other.id()) && other.id() != fact.id())
        .filter_map(|other| {
            let same_ends = fact.object().entity().is_some() && other.object().entity().is_some() && {
                let ends = |fact: &Fact| {
                    let mut ends = [Some(fact.subject().clone()), fact.object().entity().cloned()];
                    ends.sort();
                    ends
                };
                ends(fact) == ends(other)
            };
            let same_predicate = other.subject() == fact.subject() && other.predicate() == fact.predicate();
            match (same_ends, same_predicate) {
                (true, true) => Some((0, &**other)),
                (true, false) => Some((1, &**other)),
                (false, true) => Some((2, &**other)),
                (false, false) => None,
            }
        })
        .collect();
    candidates.sort_by_key(|(rank, fact)| (*rank, fact.id()));
    let omitted_count = candidates.len().saturating_sub(MAX_SIMILAR);
    let reason_for = |rank| {
        ["the same fact from another source", "about the same two entities", "another value of the same predicate"]
            [usize::from(rank)]
    };
    (
        candidates.into_iter().take(MAX_SIMILAR).map(|(rank, fact)| other_fact(fact, reason_for(rank))).collect(),
        omitted_count,
    )
}

/// Returns descriptions of the other proposals on which the DM decides together with a fact.
fn other_proposals(state: &State, fact: &Fact) -> Vec<String> {
    let others = facts_decided_together(state, fact).into_iter().filter_map(|id| state.fact(id));
    others.take(MAX_SIMILAR).map(|other| format!("{}: {}", source(state, other), other.statement())).collect()
}

/// Returns the knowers that would learn a fact if it were accepted, player characters first. Also returns the number of
/// omitted knowers. No knower of a secret is omitted, because the DM can keep the secret from each of them.
fn learners(state: &State, fact: &Fact) -> (Vec<Learner>, usize) {
    let mut knowers: Vec<(bool, String, Knower)> = recorded_edges(state, fact.id())
        .iter()
        .map(|edge| match &edge.knower {
            Knower::World => (false, "everybody".to_owned(), Knower::World),
            Knower::Entity(id) => {
                let is_played = matches!(state.kind(id), Some(Kind::Player | Kind::Party));
                (!is_played, state.name_or_id(id).to_owned(), edge.knower.clone())
            }
        })
        .collect();
    knowers.sort();
    knowers.dedup();
    let limit = if fact.secrecy() == Secrecy::Secret { knowers.len() } else { MAX_LEARNERS };
    let omitted_count = knowers.len().saturating_sub(limit);
    let listed = knowers.into_iter().take(limit).map(|(_, name, knower)| Learner { knower, name });
    (listed.collect(), omitted_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_is_told_without_saying_the_same_twice() {
        let first = "Pell is at Council Hall.";
        assert_eq!(distinct_suffix("Pell is at The Gilded Gull.", first), "The Gilded Gull.");
        assert_eq!(distinct_suffix("Odo is at Council Hall.", first), "Odo is at Council Hall.");
        assert_eq!(distinct_suffix(first, first), first);
    }
}
