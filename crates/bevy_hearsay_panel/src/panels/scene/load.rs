//! Reads the scene from the state.

use std::collections::BTreeMap;

use hearsay_belief::{AttributionReason, BeliefStatus, View, characters_at, is_dead};
use hearsay_commands::presence::scene_characters;
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, Kind, Knower, PredicateRole, Secrecy, State, attribute};
use hearsay_query as query;
use hearsay_query::{ask::Answer, table::PlayersView};
use hearsay_recall::{Detail, Form, Line, Section, SectionKind, Source};

use super::model::{
    AnswerLine, AnswerModel, AnswerSection, CharacterKnowledge, FactKnowledge, KnowledgeCategory, KnowledgeModel,
    KnowledgeRequest, PresentLine, RecentLine, SceneSettingModel, SceneSettingRequest, WhyNotModel, WhyNotSource,
};
use crate::{
    names::NamedEntity,
    panels::{entity::belief_status_text, fact::date},
    text::LinkedText,
};

/// Maximum number of recent lines shown.
const MAX_RECENT_LINES: usize = 6;

/// Maximum number of sources shown.
const MAX_SOURCES: usize = 8;

impl SceneSettingModel {
    /// Reads the characters present, the place and the time. Call this function on a background thread, because it
    /// computes the view of each player character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &SceneSettingRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let playing = state.active_session();
        let place = request.place.clone().or_else(|| playing.and_then(|playing| playing.place.clone()));
        let place = place.or_else(|| {
            let speaker = request.speaker.as_ref()?;
            state.newest(speaker, PredicateRole::Location.name())?.object().entity().cloned()
        });
        let players_view = PlayersView::new(state, None);
        // If no place is set, the scene is at the place of the player characters.
        let place = place.or_else(|| party_place(state, &players_view)).filter(|place| state.entity(place).is_some());
        let logged = playing.and_then(|playing| playing.time.clone());
        let game_time = state.clock().max(logged.as_ref().and_then(|date| date.time));
        let mut present_ids: Vec<EntityId> = match playing {
            Some(playing) => scene_characters(state, playing, place.as_ref(), game_time),
            None => place.iter().flat_map(|place| characters_at(state, place, game_time)).collect(),
        };
        present_ids.extend(request.added.iter().filter(|id| state.entity(id).is_some()).cloned());
        present_ids.retain(|id| {
            !request.removed.contains(id) && (request.added.contains(id) || !is_dead(state, id, game_time))
        });
        let to_line = |id: &EntityId| {
            let value = |name: &str| {
                let fact = state.newest(id, name)?;
                Some(fact.object().to_string())
            };
            let manner: Vec<String> = ["emotional_state", "speaking_style"].into_iter().filter_map(value).collect();
            PresentLine {
                character: NamedEntity::new(state, id),
                player: state.kind(id) == Some(Kind::Player),
                role: value("occupation").or_else(|| value("role")),
                manner: (!manner.is_empty()).then(|| manner.join("; ")),
            }
        };
        let mut lines: Vec<PresentLine> = present_ids.iter().map(to_line).collect();
        lines.sort_by(|a, b| (!a.player, &a.character).cmp(&(!b.player, &b.character)));
        lines.dedup_by(|a, b| a.character.id == b.character.id);
        lines.sort_by(|a, b| {
            (!a.player, &a.character.name, &a.character.id).cmp(&(!b.player, &b.character.name, &b.character.id))
        });
        let description = place.as_ref().and_then(|place| {
            let fact = state.newest(place, attribute::DESCRIPTION)?;
            Some(fact.object().to_string())
        });
        Ok(Self {
            description,
            time: game_time.map(|time| state.calendar().format(time)).or_else(|| date(state, logged.as_ref())),
            session: playing.map(|playing| playing.session.clone()),
            session_title: playing.and_then(|playing| query::table::session_title(state, &playing.session)),
            present: lines,
            recent_lines: recent_lines(state, place.as_ref()),
            place: place.map(|place| NamedEntity::new(state, &place)),
        })
    }
}

/// Returns the sections in the order of the panel: first the sections about the question, then the description of the
/// speaker. A prompt begins with the description instead.
fn in_reading_order(sections: &[Section]) -> impl Iterator<Item = &Section> {
    let is_about_question =
        |section: &&Section| matches!(section.kind, SectionKind::Knowledge | SectionKind::RecentTalk);
    sections.iter().filter(is_about_question).chain(sections.iter().filter(move |section| !is_about_question(section)))
}

/// Returns the place of most player characters. A character without a location counts at its home.
fn party_place(state: &State, players_view: &PlayersView) -> Option<EntityId> {
    let mut places: BTreeMap<EntityId, usize> = BTreeMap::new();
    for player in players_view.players() {
        let place_in = |role: PredicateRole| state.newest(player, role.name())?.object().entity().cloned();
        let place = place_in(PredicateRole::Location).or_else(|| place_in(PredicateRole::Residence));
        place.into_iter().for_each(|place| *places.entry(place).or_default() += 1);
    }
    places.into_iter().rev().max_by_key(|(_, count)| *count).map(|(place, _)| place)
}

/// Returns the last lines of the current session. Without a current session, returns the last lines at the place.
fn recent_lines(state: &State, place: Option<&EntityId>) -> Vec<RecentLine> {
    let session = state.active_session().map(|playing| &playing.session);
    let is_recent = |passage: &hearsay_model::Passage| match session {
        Some(session) => passage.session.as_ref() == Some(session),
        None => passage.session.is_some() && place.is_some() && passage.place.as_ref() == place,
    };
    let is_story = |passage: &hearsay_model::Passage| !passage.is_out_of_character();
    let mut passages: Vec<_> =
        state.passages().filter(|(_, passage)| is_recent(passage) && is_story(passage)).collect();
    let number = |session| state.session(session).and_then(|session| session.number);
    passages.sort_by_key(|(id, passage)| (passage.session.as_ref().and_then(number), passage.line, *id));
    let to_line = |(_, passage): &(hearsay_model::PassageId, &std::sync::Arc<hearsay_model::Passage>)| RecentLine {
        speaker: passage.speaker.as_ref().map(|speaker| NamedEntity::new(state, speaker)),
        text: passage.text.clone(),
    };
    passages[passages.len().saturating_sub(MAX_RECENT_LINES)..].iter().map(to_line).collect()
}

impl AnswerModel {
    /// Converts an answer for display. Marks the facts that are secret.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn from_answer(world: &ReadSnapshot, answer: &Answer) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let context = &answer.context;
        let to_line = |line: &Line| {
            let fact = match line.citation.source {
                Source::Fact(id) => Some(id),
                Source::Passage(_) | Source::Scene => None,
            };
            let also = line.also.iter().map(|also| format!("also {}", also.line()));
            AnswerLine {
                text: line.text.clone(),
                note: line.note(),
                citation: std::iter::once(line.citation.line()).chain(also).collect::<Vec<_>>().join("; "),
                secrecy: line.secrecy.clone(),
                secret: fact.and_then(|id| state.fact(id)).is_some_and(|fact| fact.secrecy() == Secrecy::Secret),
                fact,
            }
        };
        let to_section = |section: &Section| AnswerSection {
            title: section.title.clone(),
            lines: section.lines.iter().map(to_line).collect(),
        };
        let mut summary = vec![format!("{} of {} tokens", context.tokens, context.budget)];
        summary.extend((context.omitted > 0).then(|| format!("{} more did not fit", context.omitted)));
        summary.extend(
            (!context.meaning && !context.question.is_empty()).then(|| "found by keyword and graph only".to_owned()),
        );
        summary
            .extend((answer.pending_vectors > 0).then(|| format!("{} texts not embedded yet", answer.pending_vectors)));
        Ok(Self {
            speaker: Some(NamedEntity::new(state, &context.speaker)),
            question: context.question.clone(),
            sections: in_reading_order(&context.unique_sections()).map(to_section).collect(),
            summary: summary.join(" \u{00B7} "),
            prompt: context.render(Form::Prompt, Detail::Plain),
            with_citations: context.render(Form::Prompt, Detail::Citations),
        })
    }
}

impl KnowledgeModel {
    /// Reads the knowledge that everyone present has about the facts. Call this function on a background thread,
    /// because it computes the view of each character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot, request: &KnowledgeRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let players_view = PlayersView::new(state, None);
        let view_of = |id: &EntityId| View::new(state, &Knower::Entity(id.clone()), None);
        let views: Vec<(NamedEntity, View)> =
            request.present.iter().map(|id| (NamedEntity::new(state, id), view_of(id))).collect();
        let facts = request.facts.iter().filter_map(|id| state.fact(*id));
        let facts = facts.map(|fact| FactKnowledge {
            fact: fact.id(),
            statement: LinkedText::from_fact(state, fact),
            status: fact.status(),
            secret: fact.secrecy() == Secrecy::Secret,
            party_knowledge: players_view
                .knows(fact.id())
                .map(|party_knows| crate::panels::fact::party_knowledge(state, party_knows).text),
            characters: views
                .iter()
                .map(|(character, view)| character_knowledge(state, character, view, fact, &request.present))
                .collect(),
        });
        Ok(Self { question: request.question.clone(), facts: facts.collect() })
    }
}

/// Reads a character's knowledge of a fact.
fn character_knowledge(
    state: &State,
    character: &NamedEntity,
    view: &View,
    fact: &Fact,
    present: &[EntityId],
) -> CharacterKnowledge {
    let line = |category, acquisition: String, assumptions| CharacterKnowledge {
        character: character.clone(),
        category,
        acquisition,
        assumptions,
    };
    let Some(known) = view.fact(fact.id()) else {
        // The character does not know this fact. If the character knows a related fact, treat it as another version of
        // this fact.
        let other = view.relations_to(fact.id()).next();
        return match other {
            Some(other) => {
                line(KnowledgeCategory::BelievesOtherwise, format!("knows instead: {}", other.statement()), Vec::new())
            }
            None => line(KnowledgeCategory::Unaware, String::new(), Vec::new()),
        };
    };
    let name_of = |id: &EntityId| state.name_or_id(id).to_owned();
    let belief = view.belief(known);
    let category = match belief.status {
        BeliefStatus::Ended(_) | BeliefStatus::Superseded(_) | BeliefStatus::Outweighed(_) => {
            KnowledgeCategory::BelievesOtherwise
        }
        _ if known.conceals() => KnowledgeCategory::Conceals,
        BeliefStatus::Doubted => KnowledgeCategory::Doubts,
        BeliefStatus::Believed => KnowledgeCategory::Knows,
    };
    let edge = known.known_edges().first().or(known.shared().first());
    let acquisition = edge.map_or_else(String::new, |edge| query::knowledge::describe_edge_with_names(edge, &name_of));
    let since = known.learned().map(|time| state.calendar().format(time));
    let belief_text = match belief.status {
        BeliefStatus::Believed if belief.credence.get() >= 0.995 => None,
        BeliefStatus::Believed => Some(format!("believes it ({:.0} %)", belief.credence.get() * 100.0)),
        other => Some(format!("{}, {:.0} %", belief_status_text(other), belief.credence.get() * 100.0)),
    };
    let parts: Vec<String> =
        [Some(acquisition), since, belief_text].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let assumptions = present.iter().filter(|other| **other != character.id).filter_map(|other| {
        let reason = &view.attribution_reasons(other, known).first()?.reason.clone();
        let name = name_of(other);
        Some(match reason {
            AttributionReason::Common => return None,
            AttributionReason::Belongs(group) => format!("thinks that {name} knows it, as one of {}", name_of(group)),
            AttributionReason::ToldByMe => format!("has told {name}"),
            AttributionReason::Present => format!("thinks that {name}, who was present, knows it"),
            AttributionReason::AtPlaceOfArrival(place) => {
                format!("thinks that {name}, who was at {} at the time, knows it", name_of(place))
            }
            AttributionReason::ToldMe => format!("heard it from {name}"),
        })
    });
    line(category, parts.join(", "), assumptions.collect())
}

impl WhyNotModel {
    /// Explains why a character does not know a fact. Call this function on a background thread, because it computes
    /// the view of each possible source.
    ///
    /// # Errors
    /// Returns an error if one of the characters no longer exists.
    pub fn load(world: &ReadSnapshot, character: &EntityId, fact: FactId) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let explanation = query::secrets::why_not(state, character, fact, None)?;
        let name_of = |id: &EntityId| state.name_or_id(id).to_owned();
        let to_source = |row: query::secrets::SourceRow| {
            let shared_groups: Vec<String> = row.shares.iter().map(name_of).collect();
            let shared_groups =
                (!shared_groups.is_empty()).then(|| format!("both belong to {}", shared_groups.join(", ")));
            let relationship: Vec<String> = [row.acquainted, shared_groups].into_iter().flatten().collect();
            let relationship =
                if relationship.is_empty() { "they do not know each other".into() } else { relationship.join("; ") };
            WhyNotSource { character: NamedEntity::new(state, &row.knower), relationship, conceals: row.conceals }
        };
        let to_condition = |row: query::secrets::ConditionRow| {
            let status_text = if row.holds {
                "may tell it now".to_owned()
            } else {
                format!("tells it when: {}", row.missing.join("; "))
            };
            let note = row.note.map(|note| format!(" ({note})")).unwrap_or_default();
            format!("{} {status_text}{note}", name_of(&row.holder))
        };
        let knows = explanation.knows.map(|row| {
            let since = row.since.map(|since| format!(", since {since}")).unwrap_or_default();
            format!("{}{since}", row.acquisition.first().cloned().unwrap_or_default())
        });
        Ok(Self {
            character: NamedEntity::new(state, character),
            fact,
            statement: explanation.statement,
            knows,
            reasons: explanation.reasons.iter().map(|reason| reason.describe_with_names(&name_of)).collect(),
            sources: explanation.sources.into_iter().take(MAX_SOURCES).map(to_source).collect(),
            conditions: explanation.conditions.into_iter().map(to_condition).collect(),
        })
    }
}
