//! Reads the model of the review panel.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_engine::ReadSnapshot;
use hearsay_model::{
    Author, EntityId, Evidence, Fact, FactId, FactStatus, Kind, Knower, Method, Object, Secrecy, State, attribute,
};
use hearsay_query::{
    contradictions::Clash,
    duplicates::Duplicate,
    facts::{is_secret, would_learn},
    review::{ReviewItem, is_newcomer, review_items, stake},
    table::Table,
    trust::{TrustOf, lift},
};

use super::model::{CardKey, Detail, FactDetail, Head, OtherFact, ReviewModel, Target, Twin, Words};
use crate::{
    names::Named,
    text::{Linked, shortened},
};

/// Maximum number of stubs that are listed. When some of them have been decided, further stubs are listed.
const MOST_STUBS: usize = 200;

/// Maximum number of similar facts shown. `MOST_LEARNERS` limits the characters shown who would learn the fact.
const MOST_SIMILAR: usize = 4;
const MOST_LEARNERS: usize = 8;

/// Number of letters of a quote to show before and after the words that state the fact.
const AROUND: usize = 160;

impl ReviewModel {
    /// Reads the cards without their details. Call this function on a background thread, because it reads every fact.
    pub fn load(world: &ReadSnapshot, duplicates: &[Duplicate]) -> Self {
        let state = &*world.state;
        let items = review_items(state);
        let table = Table::of(state, None);
        let clashing: BTreeSet<FactId> = items
            .iter()
            .flat_map(|item| match item {
                ReviewItem::Contradiction { facts, .. } => facts.clone(),
                _ => Vec::new(),
            })
            .collect();
        let mut heads: Vec<Head> = items.iter().filter_map(|item| head(state, &table, item, &clashing)).collect();
        heads.extend(duplicates.iter().filter(|pair| is_open(state, pair)).map(|pair| twins(state, &table, pair)));
        let (stubs, more_stubs) = stubs(state, &table);
        heads.extend(stubs);
        heads.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        let (position, details) = (state.position().0, BTreeMap::new());
        let places = heads.iter().enumerate().map(|(place, head)| (head.key.clone(), place)).collect();
        Self { position, heads, more_stubs, is_read: true, read_at: hearsay_engine::real_time(), details, places }
    }
}

fn is_open(state: &State, pair: &Duplicate) -> bool {
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
        (None, None) => brought_by(&provenance.author),
    }
}

/// Formats the author of a fact for display.
fn brought_by(author: &Author) -> String {
    match author {
        Author::Extractor => "read in a text".into(),
        other => other.to_string(),
    }
}

fn session_title(state: &State, fact: &Fact) -> Option<String> {
    let id = fact.provenance().session.as_ref()?;
    Some(state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone()))
}

fn about(state: &State, fact: &Fact) -> Vec<Named> {
    let ends = std::iter::once(fact.subject()).chain(fact.object().entity());
    ends.map(|id| Named::of(state, id)).collect()
}

/// Returns whether players may see a waiting fact. They may if all player characters know the fact, or heard the text
/// from which it was extracted.
fn is_safe(state: &State, table: &Table, fact: &Fact) -> bool {
    let heard =
        |evidence: &Evidence| matches!(evidence, Evidence::Passage { passage, .. } if table.all_heard(*passage));
    let evidence = &fact.provenance().evidence;
    !is_secret(state, fact) && (table.all_know(fact.id()) || !evidence.is_empty() && evidence.iter().all(heard))
}

fn head(state: &State, table: &Table, item: &ReviewItem, clashing: &BTreeSet<FactId>) -> Option<Head> {
    match item {
        ReviewItem::Doubtful { fact, .. } => {
            let fact = state.fact(*fact)?;
            let (score, why) = stake(state, fact, clashing.contains(&fact.id()));
            let confidence = fact.provenance().confidence.get();
            Some(Head {
                key: CardKey::Fact(fact.id()),
                statement: fact.statement().to_owned(),
                confidence,
                score,
                why,
                source: source(state, fact),
                session: session_title(state, fact),
                recorded: fact.provenance().recorded.0,
                about: about(state, fact),
                secret: fact.secrecy() == Secrecy::Secret,
                safe: is_safe(state, table, fact),
            })
        }
        ReviewItem::Contradiction { subject, clash, facts } => {
            let facts: Vec<&Fact> = facts.iter().filter_map(|id| state.fact(*id)).map(|fact| &**fact).collect();
            let weighed: Vec<(f64, Vec<String>)> = facts.iter().map(|fact| stake(state, fact, true)).collect();
            let (score, mut why) = weighed.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
            why.retain(|why| !why.contains("contradicts"));
            why.insert(0, clash_in_words(state, clash));
            let sure = |fact: &&Fact| fact.provenance().confidence.get();
            let least = facts.iter().map(sure).min_by(f64::total_cmp)?;
            let newest = facts.iter().max_by_key(|fact| fact.provenance().recorded)?;
            let mut named = vec![Named::of(state, subject)];
            named.extend(facts.iter().filter_map(|fact| fact.object().entity()).map(|id| Named::of(state, id)));
            named.dedup();
            let first = facts.first().map_or("", |fact| fact.statement());
            let told: Vec<&str> =
                facts.iter().map(|fact| unlike(fact.statement(), first).trim_end_matches('.')).collect();
            Some(Head {
                key: CardKey::Clash(facts.iter().map(|fact| fact.id()).collect()),
                statement: format!("{}?", told.join(", or ")),
                confidence: least,
                score,
                why,
                source: source(state, newest),
                session: session_title(state, newest),
                recorded: newest.provenance().recorded.0,
                about: named,
                secret: facts.iter().any(|fact| fact.secrecy() == Secrecy::Secret),
                safe: facts.iter().all(|fact| is_safe(state, table, fact)),
            })
        }
        ReviewItem::Duplicate(pair) => Some(twins(state, table, pair)),
    }
}

/// Returns a sentence without the leading words that it shares with the sentence `first`.
fn unlike<'a>(sentence: &'a str, first: &str) -> &'a str {
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

fn clash_in_words(state: &State, clash: &Clash) -> String {
    match clash {
        Clash::OneAtATime(predicate) => {
            format!("Only one of them can be true at a time ({})", predicate.as_str().to_lowercase().replace('_', " "))
        }
        Clash::Opposites(id) => format!("Opposite relations to {}", state.name_or_id(id)),
        Clash::Refuted(_) => "One refutes the other".into(),
    }
}

fn twins(state: &State, table: &Table, pair: &Duplicate) -> Head {
    let degree = |id: &EntityId| state.links(id).count() as f64;
    Head {
        key: CardKey::Twins(pair.one.clone(), pair.other.clone()),
        statement: format!("{} and {} may be the same", pair.names[0], pair.names[1]),
        confidence: pair.whole.get(),
        score: ((1.0 + degree(&pair.one) + degree(&pair.other)).ln() + 2.0) * pair.whole.get(),
        why: alike(pair),
        source: "similar names".into(),
        session: None,
        recorded: 0,
        about: vec![Named::of(state, &pair.one), Named::of(state, &pair.other)],
        secret: false,
        safe: table.may_name(&pair.one) && table.may_name(&pair.other),
    }
}

fn alike(pair: &Duplicate) -> Vec<String> {
    let mut why = vec![format!("similarity of names {:.2}", pair.name.get())];
    why.extend(pair.sounds_alike.then(|| "they sound the same".to_owned()));
    let shared = pair.neighbours.filter(|share| share.get() > 0.0);
    why.extend(shared.map(|share| format!("{:.0} % of their related entities are the same", 100.0 * share.get())));
    why.extend(pair.meaning.map(|meaning| format!("similarity of descriptions {:.2}", meaning.get())));
    why.extend(pair.related.then(|| "but a fact relates them to each other".to_owned()));
    why
}

/// Returns cards for stubs, and the number of further stubs that are not listed. A stub is an entity with a name and no
/// other facts. Imports create stubs for names that they cannot resolve.
fn stubs(state: &State, table: &Table) -> (Vec<Head>, usize) {
    let plain = [attribute::NAME, attribute::KIND, attribute::ALIAS];
    let says_more = |fact: &Fact| !plain.contains(&fact.predicate().as_str()) && fact.status() != FactStatus::Rejected;
    let is_stub = |id: &EntityId| !state.facts_of(id).any(|fact| says_more(fact));
    // Skip entities that the DM has not confirmed yet, because they already have another card.
    let is_one = |id: &&EntityId| !is_newcomer(state, id) && is_stub(id);
    let mut found: Vec<&EntityId> = state.entities().map(|entity| &entity.id).filter(is_one).collect();
    found.sort();
    let more = found.len().saturating_sub(MOST_STUBS);
    let head = |id: &EntityId| {
        let named = Named::of(state, id);
        let recorded = state.newest(id, attribute::NAME).map_or(0, |fact| fact.provenance().recorded.0);
        let origin = state.newest(id, attribute::NAME).map_or_else(|| "unknown".into(), |fact| source(state, fact));
        Head {
            key: CardKey::Stub(id.clone()),
            statement: format!("{} has only a name", named.name),
            confidence: 0.0,
            score: 0.0,
            why: vec!["no facts about it yet".into()],
            source: origin,
            session: None,
            recorded,
            about: vec![named],
            secret: false,
            safe: table.may_name(id),
        }
    };
    (found.into_iter().take(MOST_STUBS).map(head).collect(), more)
}

/// Reads the details of a card, if it still exists. This is fast.
pub fn detail(world: &ReadSnapshot, key: &CardKey) -> Option<Detail> {
    let state = &*world.state;
    Some(match key {
        CardKey::Fact(id) => Detail::Facts(vec![fact_detail(world, state.fact(*id)?, &[*id])]),
        CardKey::Clash(ids) => {
            let facts: Vec<FactDetail> =
                ids.iter().filter_map(|id| state.fact(*id)).map(|fact| fact_detail(world, fact, ids)).collect();
            (!facts.is_empty()).then_some(Detail::Facts(facts))?
        }
        CardKey::Twins(one, other) => {
            state.entity(one).and(state.entity(other))?;
            Detail::Twins(Box::new([twin(state, one), twin(state, other)]), Vec::new())
        }
        CardKey::Stub(id) => Detail::Stub(state.entity(id).map(|_| twin(state, id))?),
    })
}

fn twin(state: &State, id: &EntityId) -> Twin {
    let names = state.names(id);
    let mut facts: Vec<&str> = state
        .facts_of(id)
        .filter(|fact| fact.stands() && ![attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
        .map(|fact| fact.statement())
        .collect();
    facts.sort_unstable();
    Twin {
        named: Named::of(state, id),
        aliases: names.into_iter().skip(1).map(str::to_owned).collect(),
        fact_count: facts.len(),
        facts: facts.into_iter().take(5).map(str::to_owned).collect(),
    }
}

fn fact_detail(world: &ReadSnapshot, fact: &Fact, among: &[FactId]) -> FactDetail {
    let state = &*world.state;
    let provenance = fact.provenance();
    let (learners, more_learners) = learners(state, fact);
    let (similar, more_similar) = similar(state, fact, among);
    FactDetail {
        id: fact.id(),
        statement: Linked::fact(state, fact),
        subject: Named::of(state, fact.subject()),
        predicate: fact.predicate().as_str().to_owned(),
        object: match fact.object() {
            Object::Entity(id) => Target::Entity(Named::of(state, id)),
            Object::Value(value) => Target::Value(value.to_string()),
        },
        status: fact.status().as_str().to_owned(),
        secret: fact.secrecy() == Secrecy::Secret,
        confidence: provenance.confidence.get(),
        extracted: provenance.extracted.map(|extracted| extracted.get()),
        trust: trust(world, fact),
        method: method(provenance.method).to_owned(),
        author: brought_by(&provenance.author),
        speaker: provenance.speaker.as_ref().map(|id| Named::of(state, id)),
        session: session_title(state, fact),
        when: when(state, fact),
        words: provenance.evidence.iter().filter_map(|evidence| words(state, evidence)).take(3).collect(),
        contradicts: contradicts(state, fact, among),
        similar,
        more_similar,
        also: also(state, fact),
        learners,
        more_learners,
    }
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Witnessed => "witnessed",
        Method::Stated => "stated",
        Method::Inferred => "inferred",
        Method::Authored => "authored",
        Method::Imported => "imported",
    }
}

/// Formats the source that a trust value applies to, for display.
fn source_of_trust(state: &State, trust: &TrustOf) -> String {
    let brought = |author: &Author| match author {
        Author::Dm => "what you entered".to_owned(),
        Author::Game => "what the game reported".into(),
        Author::Player(name) => format!("what {name} entered"),
        Author::Importer(source) => format!("what was imported from {source}"),
        Author::Extractor => "what was extracted from texts".into(),
    };
    match trust {
        TrustOf::Speaker(id) => format!("Statements by {}", state.name_or_id(id)),
        TrustOf::File(path) => format!("Facts from {path}"),
        TrustOf::Author(author) => format!("Facts from {}", brought(author)),
        TrustOf::Predicate(predicate) => format!("Other {predicate} facts"),
        TrustOf::Extraction(_, _, Some(model)) => format!("Facts extracted by {model}"),
        TrustOf::Extraction(Author::Extractor, Method::Stated, None) => "Facts extracted from speech".into(),
        TrustOf::Extraction(Author::Extractor, _, None) => "Facts extracted from writing".into(),
        TrustOf::Extraction(author, way, None) => format!("Facts from {}, {}", brought(author), method(*way)),
    }
}

fn trust(world: &ReadSnapshot, fact: &Fact) -> Vec<String> {
    let state = &*world.state;
    let reasons = world.learned.reasons(fact.provenance(), fact.predicate());
    let said = |reason: &hearsay_query::trust::Reason| {
        let (yes, no) = (reason.counts.confirmed, reason.counts.rejected);
        format!("{}: you accepted {yes}, and rejected {no}", source_of_trust(state, &reason.trust))
    };
    let mut trust: Vec<String> = reasons.iter().map(said).collect();
    if let Some(lift) = lift(state, fact)
        && let Some(like) = state.fact(lift.like)
    {
        trust.push(format!("like \u{201C}{}\u{201D}, which you confirmed", like.statement()));
    }
    trust
}

fn when(state: &State, fact: &Fact) -> Option<String> {
    let date = |date: Option<&hearsay_model::Date>| {
        let date = date?;
        Some(if date.raw.is_empty() { state.calendar().print(date.time?) } else { date.raw.clone() })
    };
    let validity = fact.validity();
    match (date(validity.from.as_ref()), date(validity.until.as_ref())) {
        (None, None) => None,
        (Some(from), None) => Some(format!("since {from}")),
        (None, Some(until)) => Some(format!("until {until}")),
        (Some(from), Some(until)) => Some(format!("{from} to {until}")),
    }
}

fn words(state: &State, evidence: &Evidence) -> Option<Words> {
    match evidence {
        Evidence::File { path, line, field } => {
            Some(Words { text: String::new(), marked: 0..0, place: format!("{path}:{line} ({field})"), private: false })
        }
        Evidence::Excerpt(excerpt) => {
            let place = format!("{}:{} ({})", excerpt.path, excerpt.line, excerpt.field);
            let marked = 0..excerpt.quote.len();
            Some(Words { text: excerpt.quote.to_string(), marked, place, private: false })
        }
        Evidence::Passage { passage, span, quote } => {
            let Some(passage) = state.passage(*passage) else {
                let marked = 0..quote.len();
                return Some(Words { text: quote.clone(), marked, place: "a deleted text".into(), private: false });
            };
            let (text, marked) = cut(&passage.text, span.start..span.end);
            let session = passage
                .session
                .as_ref()
                .map(|id| state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone()));
            let speaker = passage.speaker.as_ref().map(|id| format!("{}, ", state.name_or_id(id)));
            let what = match (session, &passage.title) {
                (Some(session), _) => format!("{session}, line {}", passage.line),
                (None, Some(title)) => title.clone(),
                (None, None) => format!("line {}", passage.line),
            };
            let place = format!("{}{what}", speaker.unwrap_or_default());
            Some(Words { text, marked, place, private: !passage.heard_by.is_empty() })
        }
    }
}

/// Cuts a text to the part around a byte range. Returns the part, and the byte range within the part.
fn cut(text: &str, marked: std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    let marked = crate::widgets::within(text, &marked);
    let start = text[..marked.start].char_indices().rev().nth(AROUND).map_or(0, |(at, _)| at);
    let end = text[marked.end..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| marked.end + at);
    let (before, after) = (if start > 0 { "\u{2026}" } else { "" }, if end < text.len() { "\u{2026}" } else { "" });
    let offset = before.len();
    let part = format!("{before}{}{after}", &text[start..end]);
    (part, marked.start - start + offset..marked.end - start + offset)
}

fn other(fact: &Fact, why: &str) -> OtherFact {
    OtherFact {
        id: fact.id(),
        statement: shortened(fact.statement(), 160).into_owned(),
        status: fact.status().as_str().to_owned(),
        why: why.to_owned(),
        secret: fact.secrecy() == Secrecy::Secret,
    }
}

/// Returns the facts that contradict a fact, except for the facts in `among`.
fn contradicts(state: &State, fact: &Fact, among: &[FactId]) -> Vec<OtherFact> {
    let vocabulary = state.vocabulary();
    let stands = |other: &&std::sync::Arc<Fact>| {
        matches!(other.status(), FactStatus::Canon | FactStatus::Claimed) && other.id() != fact.id()
    };
    let mut found = Vec::new();
    for held in state.facts_of(fact.subject()).filter(stands) {
        if among.contains(&held.id()) || held.subject() != fact.subject() {
            continue;
        }
        let overlap = held.validity().overlaps(fact.validity());
        if held.predicate() == fact.predicate()
            && state.is_functional(fact.predicate())
            && held.object() != fact.object()
            && overlap
        {
            found.push(other(held, "only one can be true at a time"));
        } else if fact.object().entity().is_some()
            && held.object() == fact.object()
            && vocabulary.are_opposites(held.predicate(), fact.predicate())
        {
            found.push(other(held, "the opposite"));
        } else if fact.fact_relation().is_some_and(|fact_relation| fact_relation.fact() == held.id()) {
            found.push(other(held, fact.fact_relation().map_or("", |fact_relation| fact_relation.as_str())));
        }
    }
    found.truncate(MOST_SIMILAR);
    found
}

/// Returns similar facts, and the number of further similar facts that are not listed. A similar fact is about the same
/// two entities, or has the same subject and predicate.
fn similar(state: &State, fact: &Fact, among: &[FactId]) -> (Vec<OtherFact>, usize) {
    let mut found: Vec<(u8, &Fact)> = state
        .facts_of(fact.subject())
        .filter(|other| !among.contains(&other.id()) && other.id() != fact.id())
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
    found.sort_by_key(|(rank, fact)| (*rank, fact.id()));
    let more = found.len().saturating_sub(MOST_SIMILAR);
    let why = |rank| {
        ["the same fact from another source", "about the same two entities", "another value of the same predicate"]
            [usize::from(rank)]
    };
    (found.into_iter().take(MOST_SIMILAR).map(|(rank, fact)| other(fact, why(rank))).collect(), more)
}

/// Returns descriptions of other proposals with the same content. A decision on the fact also applies to these
/// proposals.
fn also(state: &State, fact: &Fact) -> Vec<String> {
    if fact.status() != FactStatus::Proposed {
        return Vec::new();
    }
    let claim = hearsay_query::duplicates::Claim::of(state.vocabulary(), fact);
    let same = state.facts_of(fact.subject()).filter(|other| {
        other.id() != fact.id()
            && other.status() == FactStatus::Proposed
            && hearsay_query::duplicates::Claim::of(state.vocabulary(), other) == claim
    });
    same.take(MOST_SIMILAR).map(|other| format!("{}: {}", source(state, other), other.statement())).collect()
}

/// Returns the names of the characters that would learn a fact if it were accepted, player characters first. Also
/// returns the number of omitted characters.
fn learners(state: &State, fact: &Fact) -> (Vec<String>, usize) {
    let mut knowers: Vec<(bool, String)> = would_learn(state, fact.id())
        .iter()
        .map(|edge| match &edge.knower {
            Knower::World => (false, "everybody".to_owned()),
            Knower::Entity(id) => {
                let played = matches!(state.kind(id), Some(Kind::Player | Kind::Party));
                (!played, state.name_or_id(id).to_owned())
            }
        })
        .collect();
    knowers.sort();
    knowers.dedup();
    let more = knowers.len().saturating_sub(MOST_LEARNERS);
    (knowers.into_iter().take(MOST_LEARNERS).map(|(_, name)| name).collect(), more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_is_told_without_saying_the_same_twice() {
        let first = "Pell is at Council Hall.";
        assert_eq!(unlike("Pell is at The Gilded Gull.", first), "The Gilded Gull.");
        assert_eq!(unlike("Odo is at Council Hall.", first), "Odo is at Council Hall.");
        assert_eq!(unlike(first, first), first);
    }
}
