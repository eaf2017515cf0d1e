//! Reads an entity's page from the state.

use std::{cmp::Reverse, collections::BTreeMap};

use hearsay_belief::{AccessPath, BeliefStatus, Known, RevealEvaluation, Trust, View, evaluate_reveals_for};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{
    EntityId, Fact, FactId, FactStatus, Kind, Knower, Passage, PassageId, Predicate, Secrecy, State, attribute,
    words::join_names,
};
use hearsay_query as query;
use hearsay_query::{
    facts::is_secret,
    portrait::{ContactKind, Meeting},
    session::ThreadKind,
    table::PlayersView,
};

use super::model::{
    AliasLine, ConditionLine, EntityModel, EntityRequest, FactSection, FeelingsLine, KnowsLine, MAX_LISTED,
    MeetingLine, PassageLine, SecretLine, TimeLine, UnsettledLine, WordsLine,
};
use crate::{names::NamedEntity, panels::fact::FactModel};

impl EntityModel {
    /// Reads an entity's page. Call this function on a background thread, because it computes the view of each player
    /// character and visits every passage.
    ///
    /// # Errors
    /// Currently never returns an error. If the entity does not exist, `exists` is false.
    pub fn load(snapshot: &ReadSnapshot, request: &EntityRequest) -> Result<Self, MemoryError> {
        let (state, id) = (&*snapshot.state, &request.id);
        let mut model = Self { id: Some(id.clone()), name: id.to_string(), ..Self::default() };
        if state.entity(id).is_none() {
            return Ok(model);
        }
        let page = Page {
            state,
            id,
            players_view: PlayersView::new(state, None),
            view: View::new(state, &id.clone().into(), None),
        };
        model.exists = true;
        model.clock = state.clock().map(|time| state.calendar().format(time));
        model.name = state.name_or_id(id).to_owned();
        model.kind = state.kind(id);
        page.meetings(&mut model)?;
        model.feelings = page.feelings(model.kind.as_ref())?;
        page.facts(&mut model);
        page.knows(&mut model);
        model.secrets = page.secrets();
        model.timeline = page.timeline();
        page.passages(&mut model);
        Ok(model)
    }
}

/// The data from which each part of a page is read.
struct Page<'a> {
    state: &'a State,
    id: &'a EntityId,
    players_view: PlayersView<'a>,
    view: View,
}

impl Page<'_> {
    fn name(&self, id: &EntityId) -> String {
        self.state.name_or_id(id).to_owned()
    }

    fn meetings(&self, model: &mut EntityModel) -> Result<(), MemoryError> {
        let meetings = query::portrait::meetings(self.state, self.id)?;
        let to_line = |meeting: Meeting| {
            let acquisition = match meeting.acquisition {
                ContactKind::Named => "Only mentioned",
                ContactKind::Visited => "Visited",
                ContactKind::Present => "Present",
                ContactKind::Spoke => "Spoke",
                ContactKind::Played => "Played",
            };
            let place = meeting.place.as_ref().filter(|place| *place != self.id).map(|place| self.name(place));
            let parts: Vec<String> = [meeting.title, meeting.when, place].into_iter().flatten().collect();
            MeetingLine { acquisition: acquisition.into(), text: parts.join(" \u{00B7} "), session: meeting.session }
        };
        model.first_met = meetings.first.map(to_line);
        model.last_seen = meetings.last.map(to_line);
        model.last_words = meetings.words.map(|words| {
            let title = words.session.as_ref().and_then(|session| query::table::session_title(self.state, session));
            let parts: Vec<String> = [title, words.when].into_iter().flatten().collect();
            WordsLine { text: words.text, when: parts.join(" \u{00B7} "), session: words.session }
        });
        let unsettled = query::session::open_threads_of(self.state, self.id).into_iter();
        model.unsettled = unsettled
            .map(|thread| {
                let kind = match thread.kind {
                    ThreadKind::Quest => "Quest",
                    ThreadKind::Promise => "Promise",
                    ThreadKind::Debt => "Debt",
                    ThreadKind::Secret => "Secret",
                };
                let session =
                    thread.session.as_ref().and_then(|session| query::table::session_title(self.state, session));
                let since = thread.since.map(|since| format!("since {since}"));
                let parts = since.into_iter().chain(session).chain(thread.details);
                UnsettledLine {
                    kind: kind.into(),
                    text: thread.description,
                    details: parts.collect::<Vec<_>>().join(" \u{00B7} "),
                    fact: thread.fact,
                    quest: thread.quest,
                }
            })
            .collect();
        Ok(())
    }

    fn feelings(&self, kind: Option<&Kind>) -> Result<Vec<FeelingsLine>, MemoryError> {
        if !kind.is_some_and(Kind::is_character) {
            return Ok(Vec::new());
        }
        let rows = query::feelings::feelings(self.state, self.id, None, None)?;
        let to_line = |row: query::feelings::FeelingsRow| FeelingsLine {
            towards: NamedEntity::new(self.state, &row.towards),
            words: join_names(&row.words),
            causes: row.baseline.into_iter().chain(row.causes).map(|cause| cause.statement).collect(),
        };
        Ok(rows.into_iter().map(to_line).collect())
    }

    fn facts(&self, model: &mut EntityModel) {
        let mut facts: Vec<&Fact> = self.state.facts_of(self.id).map(AsRef::as_ref).collect();
        facts.retain(|fact| fact.status() != FactStatus::Rejected);
        facts.sort_by_key(|fact| (fact.validity().is_closed(), fact.predicate(), fact.id()));
        let mut sections: BTreeMap<SectionKind, Vec<&Fact>> = BTreeMap::new();
        for fact in facts {
            let is_own = fact.subject() == self.id;
            let predicate = fact.predicate();
            let section_kind = match () {
                () if fact.status() == FactStatus::Proposed => SectionKind::InReview,
                () if is_own && is_name(predicate) => {
                    if *predicate == *attribute::ALIAS && fact.status() == FactStatus::Canon {
                        let text = fact.object().text().unwrap_or_default().to_owned();
                        let secret = fact.secrecy() == Secrecy::Secret;
                        model.aliases.push(AliasLine { text, secret, fact: fact.id() });
                    }
                    SectionKind::Names
                }
                () if fact.status() == FactStatus::False => SectionKind::Untrue,
                () if is_own && *predicate == *attribute::DESCRIPTION => SectionKind::Description,
                () if is_own && *predicate == *attribute::LORE => SectionKind::Lore,
                () if is_own && !predicate.is_relation() => SectionKind::Attributes,
                () if is_own || fact.object().entity() == Some(self.id) => SectionKind::Relations,
                () => SectionKind::Mentioned,
            };
            sections.entry(section_kind).or_default().push(fact);
        }
        let to_section = |(section_kind, facts): (SectionKind, Vec<&Fact>)| FactSection {
            title: section_kind.title().into(),
            more: facts.len().saturating_sub(MAX_LISTED),
            facts: facts
                .into_iter()
                .take(MAX_LISTED)
                .map(|fact| FactModel::from_fact(self.state, &self.players_view, fact))
                .collect(),
        };
        model.sections = sections.into_iter().map(to_section).collect();
    }

    fn knows(&self, model: &mut EntityModel) {
        if !model.kind.as_ref().is_none_or(Kind::can_know) {
            return;
        }
        let is_own_knowledge = |known: &&Known| {
            let edges = if known.is_made_up() { known.shared() } else { known.known_edges() };
            !is_name(known.predicate()) && edges.iter().any(|edge| edge.access_path != AccessPath::Common)
        };
        let mut known: Vec<&Known> = self.view.facts().filter(is_own_knowledge).collect();
        known.sort_by_key(|known| (Reverse(known.learned()), known.id()));
        model.knows_total = known.len();
        let name_of = |id: &EntityId| self.name(id);
        let to_line = |known: &Known| {
            let belief = self.view.belief(known);
            let edge = known.known_edges().first().or(known.shared().first());
            let acquisition =
                edge.map_or_else(String::new, |edge| query::knowledge::describe_edge_with_names(edge, &name_of));
            let since = known.learned().map(|time| self.state.calendar().format(time));
            let parts: Vec<String> =
                [Some(acquisition), since].into_iter().flatten().filter(|part| !part.is_empty()).collect();
            KnowsLine {
                fact: known.id(),
                statement: known.statement().to_owned(),
                belief_status: belief_status_text(belief.status).into(),
                credence: belief.credence.get(),
                acquisition: parts.join(", "),
                conceals: known.conceals(),
                secret: known.is_secret(),
                known_to_party: self.players_view.learned(known.id()),
            }
        };
        model.knows = known.into_iter().take(MAX_LISTED).map(to_line).collect();
    }

    /// Returns the secrets that the entity keeps, followed by the secrets about the entity that it does not know.
    fn secrets(&self) -> Vec<SecretLine> {
        let held_secrets = self.view.facts().filter(|known| known.is_secret() || known.conceals());
        let held_secrets = held_secrets.filter_map(|known| self.state.fact(known.id())).map(|fact| (fact, true));
        let unknown_secrets = self.state.facts_of(self.id).filter(|fact| self.view.fact(fact.id()).is_none());
        let unknown_secrets = unknown_secrets
            .filter(|fact| fact.status().is_knowable() && is_secret(self.state, fact))
            .map(|fact| (fact, false));
        let mut facts: Vec<_> = held_secrets.chain(unknown_secrets).collect();
        facts.sort_by_key(|(fact, is_holder)| {
            (!is_holder, fact.subject() != self.id, fact.predicate().clone(), fact.id())
        });
        facts.truncate(MAX_LISTED);
        let players: Vec<EntityId> = self.players_view.players().cloned().collect();
        // Evaluate the conditions of all reveals together, and only if any of these secrets has a reveal.
        let has_reveal = facts.iter().any(|(fact, _)| self.state.reveals_of(fact.id()).next().is_some());
        let revealable = match has_reveal {
            true => evaluate_reveals_for(self.state, &players, &|truster, trustee| {
                Trust::between(self.state, truster, trustee).level()
            }),
            false => Vec::new(),
        };
        facts.into_iter().map(|(fact, is_holder)| self.secret(fact, is_holder, &revealable)).collect()
    }

    fn secret(&self, fact: &Fact, is_holder: bool, revealable: &[RevealEvaluation]) -> SecretLine {
        let mut edges: Vec<_> =
            self.state.known_by(fact.id()).filter(|edge| edge.acquisition.gives_knowledge()).collect();
        edges.sort_by_key(|edge| (edge.learned_at(), edge.knower.clone(), edge.id()));
        let name_of = |id: &EntityId| self.name(id);
        let tellings = edges.iter().filter(|edge| edge.acquisition.is_told()).map(|edge| {
            let to = edge.knower.entity().map_or_else(|| "Everybody".to_owned(), name_of);
            let when = crate::panels::fact::date(self.state, edge.learned.as_ref());
            let parts = [
                Some(format!("{to}: {}", query::facts::describe_acquisition_with_names(&edge.acquisition, &name_of))),
                when,
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        });
        let mut known_by: Vec<NamedEntity> =
            edges.iter().filter_map(|edge| Some(NamedEntity::new(self.state, edge.knower.entity()?))).collect();
        known_by.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        known_by.dedup();
        let conditions = revealable.iter().filter(|revealable| revealable.fact == fact.id());
        let conditions = conditions.map(|revealable| ConditionLine {
            holder: NamedEntity::new(self.state, &revealable.holder),
            is_met: revealable.judgement.holds,
            missing: revealable.judgement.missing.clone(),
            note: self
                .state
                .reveals()
                .find(|reveal| reveal.id == revealable.reveal)
                .and_then(|reveal| reveal.note.clone()),
        });
        SecretLine {
            fact: fact.id(),
            statement: fact.statement().to_owned(),
            is_holder,
            tellings: tellings.collect(),
            known_by,
            known_to_party: self.players_view.knows(fact.id()).is_some(),
            conditions: conditions.collect(),
        }
    }

    fn timeline(&self) -> Vec<TimeLine> {
        let mut lines: Vec<TimeLine> = Vec::new();
        let print = |time| self.state.calendar().format(time);
        for fact in self.state.facts_of(self.id).filter(|fact| fact.status() == FactStatus::Canon) {
            let mut add_line = |time: hearsay_model::GameTime, text: String| {
                lines.push(TimeLine {
                    time: time.0,
                    when: print(time),
                    text,
                    fact: Some(fact.id()),
                    session: fact.provenance().session.clone(),
                    secret: fact.secrecy() == Secrecy::Secret,
                });
            };
            if let Some(start) = fact.validity().start() {
                add_line(start, fact.statement().to_owned());
            }
            if let Some(end) = fact.validity().end() {
                add_line(end, format!("Ended: {}", fact.statement()));
            }
        }
        let knower = Knower::Entity(self.id.clone());
        let took_part = |passage: &Passage| !passage.is_out_of_character() && passage.has_participant(&knower);
        let mut sessions: Vec<_> = self.state.sessions().filter(|session| session.present.contains(self.id)).collect();
        let spoken_sessions = self.state.passages().filter(|(_, passage)| took_part(passage));
        let spoken_sessions = spoken_sessions.filter_map(|(_, passage)| self.state.session(passage.session.as_ref()?));
        sessions.extend(spoken_sessions);
        sessions.sort_by_key(|session| session.id.clone());
        sessions.dedup_by_key(|session| session.id.clone());
        for session in sessions {
            let Some(time) = session.started_at() else { continue };
            lines.push(TimeLine {
                time: time.0,
                when: print(time),
                text: format!(
                    "Present in {}",
                    query::table::session_title(self.state, &session.id).unwrap_or_default()
                ),
                fact: None,
                session: Some(session.id.clone()),
                secret: false,
            });
        }
        lines.sort_by(|a, b| (a.time, a.fact, &a.text).cmp(&(b.time, b.fact, &b.text)));
        lines.truncate(MAX_LISTED);
        lines
    }

    fn passages(&self, model: &mut EntityModel) {
        let is_own = |passage: &Passage| passage.speaker.as_ref() == Some(self.id);
        let is_about =
            |passage: &Passage| passage.document.as_ref() == Some(self.id) || passage.mentions.contains(self.id);
        let is_shown = |passage: &Passage| !passage.is_out_of_character() && (is_own(passage) || is_about(passage));
        let passages = self.state.passages().filter(|(_, passage)| is_shown(passage));
        let time = |passage: &Passage| passage.said_at();
        let number =
            |passage: &Passage| self.state.session(passage.session.as_ref()?).and_then(|session| session.number);
        let mut passages: Vec<(PassageId, &Passage)> = passages.map(|(id, passage)| (id, &**passage)).collect();
        passages.sort_by_key(|(id, passage)| (Reverse((number(passage), time(passage), passage.line)), *id));
        model.passages_total = passages.len();
        let to_line = |(id, passage): (PassageId, &Passage)| {
            let title = passage.session.as_ref().and_then(|session| query::table::session_title(self.state, session));
            let document = passage.document.as_ref().filter(|document| *document != self.id);
            let when = crate::panels::fact::date(self.state, passage.time.as_ref());
            let place = passage.place.as_ref().map(|place| self.name(place));
            let parts = [title, passage.title.clone(), document.map(|document| self.name(document)), when, place];
            PassageLine {
                id,
                speaker: passage.speaker.as_ref().map(|speaker| NamedEntity::new(self.state, speaker)),
                text: passage.text.clone(),
                place: parts.into_iter().flatten().collect::<Vec<_>>().join(" \u{00B7} "),
                is_speaker: is_own(passage),
            }
        };
        model.passages = passages.into_iter().take(MAX_LISTED).map(to_line).collect();
    }
}

/// The sections of a page, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SectionKind {
    InReview,
    Description,
    Attributes,
    Relations,
    Lore,
    Mentioned,
    Names,
    Untrue,
}

impl SectionKind {
    fn title(self) -> &'static str {
        match self {
            Self::InReview => "Waiting for review",
            Self::Description => "Description",
            Self::Attributes => "Attributes",
            Self::Relations => "Relations",
            Self::Lore => "Lore",
            Self::Mentioned => "Facts that mention it",
            Self::Names => "Names and kind",
            Self::Untrue => "Untrue, but believed by some",
        }
    }
}

/// Returns whether an attribute is a name, an alias or a kind.
fn is_name(predicate: &Predicate) -> bool {
    [attribute::NAME, attribute::ALIAS, attribute::KIND].contains(&predicate.as_str())
}

/// Formats whether a knower believes a fact.
pub(crate) fn belief_status_text(status: BeliefStatus) -> &'static str {
    match status {
        BeliefStatus::Believed => "believes it",
        BeliefStatus::Doubted => "doubts it",
        BeliefStatus::Ended(_) => "knows that it ended",
        BeliefStatus::Superseded(_) => "knows a newer value",
        BeliefStatus::Outweighed(_) => "believes a conflicting fact more",
    }
}

/// Returns the subject of a fact. The page of the subject shows the fact.
pub(super) fn subject_of(world: &ReadSnapshot, fact: FactId) -> Option<EntityId> {
    world.state.fact(fact).map(|fact| fact.subject().clone())
}
