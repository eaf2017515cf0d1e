//! Reads the scene from the state.

use std::collections::BTreeMap;

use hearsay_belief::{Hold, Reason, View, is_dead, present};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, Kind, Knower, PredicateRole, Secrecy, State, attribute};
use hearsay_query as query;
use hearsay_query::{ask::Answer, table::Table};
use hearsay_recall::{Detail, Form, Source};

use super::model::{
    AnswerLine, AnswerModel, AnswerSection, Mind, MindFact, MindLine, MindsModel, MindsRequest, PresentLine, SaidLine,
    StageModel, StageRequest, WhyNotModel, WhyNotSource,
};
use crate::{
    names::Named,
    panels::{entity::hold, fact::date},
    text::Linked,
};

/// Maximum number of recent lines shown.
const LATELY: usize = 6;

/// Maximum number of sources shown.
const SOURCES: usize = 8;

impl StageModel {
    /// Reads the characters present, the place and the time. Call this function on a background thread, because it
    /// computes the view of each player character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &StageRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let playing = state.playing();
        let place = request.place.clone().or_else(|| playing.and_then(|playing| playing.place.clone()));
        let place = place.or_else(|| {
            let speaker = request.speaker.as_ref()?;
            state.newest(speaker, PredicateRole::Location.name())?.object().entity().cloned()
        });
        let table = Table::of(state, None);
        // If no place is set, the scene is at the place of the player characters.
        let place = place.or_else(|| whereabouts(state, &table)).filter(|place| state.entity(place).is_some());
        let logged = playing.and_then(|playing| playing.time.clone());
        let moment = state.clock().max(logged.as_ref().and_then(|date| date.time));
        let mut here: Vec<EntityId> = playing.map(|playing| playing.here.clone()).unwrap_or_default();
        here.extend(place.iter().flat_map(|place| present(state, place, moment)));
        here.extend(request.added.iter().filter(|id| state.entity(id).is_some()).cloned());
        here.retain(|id| !request.left_out.contains(id) && (request.added.contains(id) || !is_dead(state, id, moment)));
        let is_known = |id: &EntityId| table.may_name(id);
        let line = |id: &EntityId| {
            let value = |name: &str| {
                let fact = state.newest(id, name)?;
                Some(fact.object().to_string())
            };
            let manner: Vec<String> = ["emotional_state", "speaking_style"].into_iter().filter_map(value).collect();
            PresentLine {
                who: Named::of(state, id),
                player: state.kind(id) == Some(Kind::Player),
                role: value("occupation").or_else(|| value("role")),
                manner: (!manner.is_empty()).then(|| manner.join("; ")),
                safe: is_known(id),
            }
        };
        let mut lines: Vec<PresentLine> = here.iter().map(line).collect();
        lines.sort_by(|a, b| (!a.player, &a.who).cmp(&(!b.player, &b.who)));
        lines.dedup_by(|a, b| a.who.id == b.who.id);
        lines.sort_by(|a, b| (!a.player, &a.who.name, &a.who.id).cmp(&(!b.player, &b.who.name, &b.who.id)));
        let description = place.as_ref().and_then(|place| {
            let fact = state.newest(place, attribute::DESCRIPTION)?;
            Some(fact.object().to_string())
        });
        Ok(Self {
            description,
            time: moment.map(|time| state.calendar().print(time)).or_else(|| date(state, logged.as_ref())),
            session: playing.map(|playing| playing.session.clone()),
            session_title: playing.and_then(|playing| query::table::session_title(state, &playing.session)),
            present: lines,
            lately: lately(state, &table, place.as_ref()),
            place_safe: place.as_ref().is_some_and(is_known),
            place: place.map(|place| Named::of(state, &place)),
        })
    }
}

/// Returns the sections in the order of the panel: first the sections about the question, then the description of the
/// speaker. A prompt begins with the description instead.
fn in_reading_order(sections: &[hearsay_recall::Section]) -> impl Iterator<Item = &hearsay_recall::Section> {
    let bears = |section: &&hearsay_recall::Section| ["knowledge", "others", "lately"].contains(&section.name);
    sections.iter().filter(bears).chain(sections.iter().filter(move |section| !bears(section)))
}

/// Returns the place of most player characters.
fn whereabouts(state: &State, table: &Table) -> Option<EntityId> {
    let mut places: BTreeMap<EntityId, usize> = BTreeMap::new();
    for player in table.players() {
        let place =
            state.newest(player, PredicateRole::Location.name()).and_then(|fact| fact.object().entity().cloned());
        place.into_iter().for_each(|place| *places.entry(place).or_default() += 1);
    }
    places.into_iter().rev().max_by_key(|(_, count)| *count).map(|(place, _)| place)
}

/// Returns the last lines of the current session. Without a current session, returns the last lines at the place.
fn lately(state: &State, table: &Table, place: Option<&EntityId>) -> Vec<SaidLine> {
    let session = state.playing().map(|playing| &playing.session);
    let here = |passage: &hearsay_model::Passage| match session {
        Some(session) => passage.session.as_ref() == Some(session),
        None => passage.session.is_some() && place.is_some() && passage.place.as_ref() == place,
    };
    let mut said: Vec<_> = state.passages().filter(|(_, passage)| here(passage)).collect();
    let number = |session| state.session(session).and_then(|session| session.number);
    said.sort_by_key(|(id, passage)| (passage.session.as_ref().and_then(number), passage.line, *id));
    let line = |(id, passage): &(hearsay_model::PassageId, &std::sync::Arc<hearsay_model::Passage>)| SaidLine {
        speaker: passage.speaker.as_ref().map(|speaker| Named::of(state, speaker)),
        text: passage.text.clone(),
        safe: table.all_heard(*id),
    };
    said[said.len().saturating_sub(LATELY)..].iter().map(line).collect()
}

impl AnswerModel {
    /// Converts an answer for display. Adds whether each fact is secret or may be shown to players.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn of(world: &ReadSnapshot, answer: &Answer) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let table = Table::of(state, None);
        let context = &answer.context;
        let line = |line: &hearsay_recall::Line| {
            let fact = match line.citation.source {
                Source::Fact(id) => Some(id),
                Source::Passage(_) | Source::Scene => None,
            };
            let safe = match line.citation.source {
                Source::Fact(id) => state.fact(id).is_some_and(|fact| table.may_see(fact)),
                Source::Passage(id) => table.all_heard(id),
                Source::Scene => true,
            };
            let also = line.also.iter().map(|also| format!("also {}", also.line()));
            AnswerLine {
                text: line.text.clone(),
                note: line.note.clone(),
                citation: std::iter::once(line.citation.line()).chain(also).collect::<Vec<_>>().join("; "),
                conceals: line.citation.conceals,
                secret: fact.and_then(|id| state.fact(id)).is_some_and(|fact| fact.secrecy() == Secrecy::Secret),
                fact,
                safe,
            }
        };
        let section = |section: &hearsay_recall::Section| AnswerSection {
            title: section.title.clone(),
            lines: section.lines.iter().map(line).collect(),
        };
        let mut summary = vec![format!("{} of {} tokens", context.tokens, context.budget)];
        summary.extend((context.omitted > 0).then(|| format!("{} more did not fit", context.omitted)));
        summary.extend(
            (!context.meaning && !context.question.is_empty()).then(|| "found by keyword and graph only".to_owned()),
        );
        summary
            .extend((answer.pending_vectors > 0).then(|| format!("{} texts not embedded yet", answer.pending_vectors)));
        Ok(Self {
            speaker: Some(Named::of(state, &context.speaker)),
            question: context.question.clone(),
            sections: in_reading_order(&context.sections).map(section).collect(),
            summary: summary.join(" \u{00B7} "),
            prompt: context.render(Form::Prompt, Detail::Plain),
            with_citations: context.render(Form::Prompt, Detail::Citations),
        })
    }
}

impl MindsModel {
    /// Reads what everyone present knows about the facts. Call this function on a background thread, because it
    /// computes the view of each character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &MindsRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let table = Table::of(state, None);
        let of = |id: &EntityId| View::of(state, &Knower::Entity(id.clone()), None);
        let views: Vec<(Named, View)> = request.present.iter().map(|id| (Named::of(state, id), of(id))).collect();
        let facts = request.facts.iter().filter_map(|id| state.fact(*id));
        let facts = facts.map(|fact| MindFact {
            fact: fact.id(),
            statement: Linked::fact(state, fact),
            status: fact.status(),
            secret: fact.secrecy() == Secrecy::Secret,
            safe: table.may_see(fact),
            table: table.knows(fact.id()).map(|knows| crate::panels::fact::table_line(state, knows).text),
            minds: views.iter().map(|(who, view)| mind(state, who, view, fact, &request.present)).collect(),
        });
        Ok(Self { question: request.question.clone(), facts: facts.collect() })
    }
}

/// Reads a character's knowledge of a fact.
fn mind(state: &State, who: &Named, view: &View, fact: &Fact, present: &[EntityId]) -> MindLine {
    let line = |mind, acquisition: String, thinks| MindLine { who: who.clone(), mind, acquisition, thinks };
    let Some(known) = view.fact(fact.id()) else {
        // The character does not know this fact. If the character knows a related fact, treat it as another version of
        // this fact.
        let other = view.relations_to(fact.id()).next();
        return match other {
            Some(other) => line(Mind::Otherwise, format!("knows instead: {}", other.statement()), Vec::new()),
            None => line(Mind::Unaware, String::new(), Vec::new()),
        };
    };
    let called = |id: &EntityId| state.name_or_id(id).to_owned();
    let belief = view.belief(known);
    let mind = match belief.hold {
        Hold::Ended(_) | Hold::Superseded(_) | Hold::Outweighed(_) => Mind::Otherwise,
        _ if known.conceals() => Mind::Hides,
        Hold::Doubted => Mind::Doubts,
        Hold::Believed => Mind::Knows,
    };
    let way = known.known_edges().first().or(known.shared().first());
    let acquisition = way.map_or_else(String::new, |way| query::knowledge::way_called(way, &called));
    let since = known.learned().map(|time| state.calendar().print(time));
    let held = match belief.hold {
        Hold::Believed if belief.credence.get() >= 0.995 => None,
        Hold::Believed => Some(format!("believes it ({:.0} %)", belief.credence.get() * 100.0)),
        other => Some(format!("{}, {:.0} %", hold(other), belief.credence.get() * 100.0)),
    };
    let parts: Vec<String> =
        [Some(acquisition), since, held].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let thinks = present.iter().filter(|other| **other != who.id).filter_map(|other| {
        let reason = &view.attributes(other, known).first()?.reason.clone();
        let name = called(other);
        Some(match reason {
            Reason::Common => return None,
            Reason::Belongs(group) => format!("thinks that {name} knows it, as one of {}", called(group)),
            Reason::ToldByMe => format!("has told {name}"),
            Reason::Present => format!("thinks that {name}, who was present, knows it"),
            Reason::WasThere(place) => {
                format!("thinks that {name}, who was at {} at the time, knows it", called(place))
            }
            Reason::ToldMe => format!("heard it from {name}"),
        })
    });
    line(mind, parts.join(", "), thinks.collect())
}

impl WhyNotModel {
    /// Explains why a character does not know a fact. Call this function on a background thread, because it computes
    /// the view of each possible source.
    ///
    /// # Errors
    /// Returns an error if one of the characters no longer exists.
    pub fn load(world: &ReadSnapshot, who: &EntityId, fact: FactId) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let why = query::secrets::why_not(state, who.as_str(), &fact.to_string(), None)?;
        let called = |id: &EntityId| state.name_or_id(id).to_owned();
        let source = |row: query::secrets::SourceRow| {
            let shares: Vec<String> = row.shares.iter().map(called).collect();
            let shares = (!shares.is_empty()).then(|| format!("both belong to {}", shares.join(", ")));
            let tie: Vec<String> = [row.acquainted, shares].into_iter().flatten().collect();
            let tie = if tie.is_empty() { "they do not know each other".into() } else { tie.join("; ") };
            WhyNotSource { who: Named::of(state, &row.knower), tie, conceals: row.conceals }
        };
        let condition = |row: query::secrets::ConditionRow| {
            let when = if row.holds {
                "may tell it now".to_owned()
            } else {
                format!("tells it when: {}", row.missing.join("; "))
            };
            let note = row.note.map(|note| format!(" ({note})")).unwrap_or_default();
            format!("{} {when}{note}", called(&row.holder))
        };
        let knows = why.knows.map(|row| {
            let since = row.since.map(|since| format!(", since {since}")).unwrap_or_default();
            format!("{}{since}", row.acquisition.first().cloned().unwrap_or_default())
        });
        Ok(Self {
            who: Named::of(state, who),
            fact,
            statement: why.statement,
            knows,
            reasons: why.reasons.iter().map(|reason| reason.called(&called)).collect(),
            sources: why.sources.into_iter().take(SOURCES).map(source).collect(),
            conditions: why.conditions.into_iter().map(condition).collect(),
        })
    }
}
