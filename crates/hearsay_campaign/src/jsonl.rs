//! Export and import of a whole state as JSON Lines, with one record per line.
//!
//! The first line is `{"type":"hearsay","format":2}`. Every other line is an object with a `type`: `setting`, `entity`,
//! `session`, `fact`, `knowledge_edge` or `passage`. The lines are sorted by type, in the order of this list, and then
//! by id. Equal states therefore give equal bytes.
//!
//! A line of the type `setting` has the setting in the field `setting`. Any other line has the fields of the
//! `hearsay_model` type to which its `type` refers. A record may name an entity or session that was removed. For
//! example, a passage may mention a removed entity. In this case, the removed entity or session also has a line, which
//! contains `"removed":true`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufRead, Write},
    sync::Arc,
};

use hearsay_model::{
    ActiveSession, Change, EditedRecap, Entity, EntityId, Fact, GameSetting, Knower, KnowledgeEdge, KnowledgeId,
    Passage, Reveal, Session, SessionId, SessionSetting, Setting, State,
};
use serde::{Deserialize, Serialize};

use crate::{CampaignError, CampaignErrors, line_reader};

const FORMAT: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Hearsay {
        format: u32,
    },
    Setting {
        setting: Setting,
    },
    Entity {
        #[serde(flatten)]
        entity: Entity,
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    },
    Session {
        #[serde(flatten)]
        session: Session,
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    },
    Fact(Arc<Fact>),
    KnowledgeEdge(Arc<KnowledgeEdge>),
    Passage(Arc<Passage>),
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Writes a whole state as JSON Lines. The journal is not written, so an import of the lines gives a single operation.
///
/// # Errors
/// Returns an error if `writer` cannot be written to.
pub fn export_jsonl(state: &State, mut writer: impl Write) -> io::Result<()> {
    let mut write_line = |line: &Line| -> io::Result<()> {
        serde_json::to_writer(&mut writer, line)?;
        writer.write_all(b"\n")
    };
    write_line(&Line::Hearsay { format: FORMAT })?;
    for setting in state.settings() {
        write_line(&Line::Setting { setting: setting.as_ref().clone() })?;
    }
    let references = References::from_state(state);
    let entities: BTreeMap<&EntityId, Option<&Arc<Entity>>> = references
        .entities
        .iter()
        .map(|id| (*id, state.entity(id)))
        .chain(state.entities().map(|e| (&e.id, Some(e))))
        .collect();
    for (id, entity) in entities {
        let removed = entity.is_none();
        let entity = entity.map_or_else(|| Entity::new(id.clone()), |entity| entity.as_ref().clone());
        write_line(&Line::Entity { entity, removed })?;
    }
    let sessions: BTreeSet<&SessionId> =
        references.sessions.iter().copied().chain(state.sessions().map(|session| &session.id)).collect();
    for id in sessions {
        let (session, removed) = match state.session(id) {
            Some(session) => (session.as_ref().clone(), false),
            None => (empty_session(id), true),
        };
        write_line(&Line::Session { session, removed })?;
    }
    for fact in state.facts() {
        write_line(&Line::Fact(Arc::clone(fact)))?;
    }
    let edges: BTreeMap<KnowledgeId, &Arc<KnowledgeEdge>> =
        state.facts().flat_map(|fact| edges_to(state, fact)).map(|edge| (edge.id(), edge)).collect();
    for edge in edges.into_values() {
        write_line(&Line::KnowledgeEdge(Arc::clone(edge)))?;
    }
    for (_, passage) in state.passages() {
        write_line(&Line::Passage(Arc::clone(passage)))?;
    }
    writer.flush()
}

/// Returns the edges that lead to a fact from knowers that still exist.
fn edges_to<'a>(state: &'a State, fact: &Fact) -> impl Iterator<Item = &'a Arc<KnowledgeEdge>> {
    let exists = |edge: &&Arc<KnowledgeEdge>| edge.knower.entity().is_none_or(|id| state.entity(id).is_some());
    state.recorded_knowledge(fact.id()).filter(exists)
}

fn empty_session(id: &SessionId) -> Session {
    let title = id.to_string();
    Session { id: id.clone(), number: None, title, date: None, start: None, end: None, present: Vec::new() }
}

/// The entities and sessions that records of a state name. It is possible that some of these entities and sessions were
/// removed.
#[derive(Default)]
struct References<'a> {
    entities: BTreeSet<&'a EntityId>,
    sessions: BTreeSet<&'a SessionId>,
}

impl<'a> References<'a> {
    fn from_state(state: &'a State) -> Self {
        let mut references = Self::default();
        for session in state.sessions() {
            references.entities.extend(&session.present);
        }
        for fact in state.facts() {
            references.add_fact(fact);
            edges_to(state, fact).for_each(|edge| references.add_edge(edge));
        }
        for (_, passage) in state.passages() {
            references.add_passage(passage);
        }
        references
    }

    fn add_fact(&mut self, fact: &'a Fact) {
        self.entities.extend(fact.entities().chain(&fact.provenance().speaker));
        self.sessions.extend(&fact.provenance().session);
    }

    fn add_edge(&mut self, edge: &'a KnowledgeEdge) {
        self.entities.extend(edge.acquisition.entities().chain(&edge.co_present));
        self.sessions.extend(&edge.session);
    }

    fn add_passage(&mut self, passage: &'a Passage) {
        self.entities.extend(passage.entities().chain(passage.knowers().filter_map(Knower::entity)));
        self.sessions.extend(&passage.session);
    }
}

/// Reads JSON Lines, and returns the changes that recreate the written state from an empty state. You can apply the
/// changes in this order as one operation. The header must be the first line. All other lines may be in any order.
///
/// # Errors
/// Returns an error if a line is not a record, or if it names an entity, session or fact that has no line. Errors
/// contain the line number and the expected input; `file` is empty.
pub fn read_jsonl(reader: impl BufRead) -> Result<Vec<Change>, CampaignErrors> {
    let mut record_reader = RecordReader::default();
    let mut line_number = 0;
    for text in line_reader::bounded_lines(reader) {
        line_number += 1;
        match text {
            Ok(text) => record_reader.read_line(line_number, &text),
            Err(error) => {
                record_reader.add_error(line_number, format!("cannot be read: {error}"), "the file must be UTF-8 text");
                break;
            }
        }
    }
    if line_number == 0 {
        record_reader.add_error(1, "the file is empty", HEADER);
    }
    record_reader.finish()
}

const HEADER: &str = "the first line must be {\"type\":\"hearsay\",\"format\":2}";
const TYPES: &str =
    "expected an object with \"type\": setting, entity, session, fact, knowledge_edge or passage, and its fields";
const MAX_ERRORS: usize = 50;

#[derive(Default)]
struct RecordReader {
    settings: Vec<Setting>,
    reveals: Vec<(u32, Reveal)>,
    playing: Option<(u32, ActiveSession)>,
    recaps: Vec<(u32, EditedRecap)>,
    entities: BTreeMap<EntityId, (Entity, bool)>,
    sessions: BTreeMap<SessionId, (u32, Session, bool)>,
    facts: Vec<(u32, Arc<Fact>)>,
    edges: Vec<(u32, Arc<KnowledgeEdge>)>,
    passages: Vec<(u32, Arc<Passage>)>,
    errors: Vec<CampaignError>,
    omitted_errors: usize,
}

impl RecordReader {
    fn add_error(&mut self, line: u32, message: impl Into<String>, hint: &str) {
        if self.errors.len() >= MAX_ERRORS {
            self.omitted_errors += 1;
            return;
        }
        let (message, hint) = (message.into(), hint.to_owned());
        self.errors.push(CampaignError { file: String::new(), line, field: String::new(), message, hint });
    }

    fn read_line(&mut self, line_number: u32, text: &str) {
        if text.trim().is_empty() && line_number > 1 {
            return;
        }
        let line = match serde_json::from_str::<Line>(text) {
            Ok(line) => line,
            Err(error) => {
                let hint = if line_number == 1 { HEADER } else { TYPES };
                return self.add_error(line_number, error.to_string(), hint);
            }
        };
        match (line_number, line) {
            (1, Line::Hearsay { format: FORMAT }) => {}
            (1, Line::Hearsay { format }) => {
                self.add_error(1, format!("unknown format {format}"), "use a newer version of this program");
            }
            (1, _) => self.add_error(1, "the header is missing", HEADER),
            (_, Line::Hearsay { .. }) => self.add_error(
                line_number,
                "the header is repeated",
                "the file has two exports; write each of them to a file of its own",
            ),
            (_, Line::Setting { setting: Setting::Game(GameSetting::Reveal(reveal)) }) => {
                self.reveals.push((line_number, reveal))
            }
            (_, Line::Setting { setting: Setting::Session(SessionSetting::Playing(playing)) }) => {
                self.playing = Some((line_number, playing))
            }
            (_, Line::Setting { setting: Setting::Session(SessionSetting::Recap(recap)) }) => {
                self.recaps.push((line_number, recap))
            }
            (_, Line::Setting { setting }) => self.settings.push(setting),
            (_, Line::Entity { entity, removed }) => {
                if let Some((entity, _)) = self.entities.insert(entity.id.clone(), (entity, removed)) {
                    self.add_error(
                        line_number,
                        format!("the entity `{}` is listed twice", entity.id),
                        "remove one of the two lines",
                    );
                }
            }
            (_, Line::Session { session, removed }) => {
                if let Some((_, session, _)) = self.sessions.insert(session.id.clone(), (line_number, session, removed))
                {
                    self.add_error(
                        line_number,
                        format!("the session `{}` is listed twice", session.id),
                        "remove one of the two lines",
                    );
                }
            }
            (_, Line::Fact(fact)) => self.facts.push((line_number, fact)),
            (_, Line::KnowledgeEdge(edge)) => self.edges.push((line_number, edge)),
            (_, Line::Passage(passage)) => self.passages.push((line_number, passage)),
        }
    }

    /// Checks that there is a line for each record that another record names.
    fn check_references(&mut self) {
        let facts: BTreeSet<_> = self.facts.iter().map(|(_, fact)| fact.id()).collect();
        let mut missing: Vec<(u32, String)> = Vec::new();
        let mut add_missing = |line: u32, references: &References| {
            let entities = references.entities.iter().filter(|id| !self.entities.contains_key(**id));
            missing.extend(entities.map(|id| (line, format!("the file has no line for the entity `{id}`"))));
            let sessions = references.sessions.iter().filter(|id| !self.sessions.contains_key(**id));
            missing.extend(sessions.map(|id| (line, format!("the file has no line for the session `{id}`"))));
        };
        for (line, session, _) in self.sessions.values() {
            add_missing(*line, &References { entities: session.present.iter().collect(), sessions: BTreeSet::new() });
        }
        for (line, fact) in &self.facts {
            let mut references = References::default();
            references.add_fact(fact);
            add_missing(*line, &references);
        }
        for (line, passage) in &self.passages {
            let mut references = References::default();
            references.add_passage(passage);
            add_missing(*line, &references);
        }
        for (line, edge) in &self.edges {
            add_missing(
                *line,
                &References { entities: edge.knower.entity().into_iter().collect(), sessions: BTreeSet::new() },
            );
        }
        if let Some((line, playing)) = &self.playing {
            add_missing(*line, &References { entities: BTreeSet::new(), sessions: BTreeSet::from([&playing.session]) });
        }
        for (line, recap) in &self.recaps {
            add_missing(*line, &References { entities: BTreeSet::new(), sessions: BTreeSet::from([&recap.session]) });
        }
        for (line, reveal) in &self.reveals {
            add_missing(*line, &References { entities: reveal.entities().collect(), sessions: BTreeSet::new() });
        }
        let flags: BTreeSet<&str> = self
            .settings
            .iter()
            .filter_map(|setting| match setting {
                Setting::Game(GameSetting::Flag { name, .. }) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        for (line, reveal) in &self.reveals {
            let unknown = reveal.facts().filter(|fact| !facts.contains(fact));
            missing.extend(unknown.map(|fact| (*line, format!("the file has no line for the fact {fact}"))));
            let unknown = reveal.when.flags().filter(|(name, _)| !flags.contains(name));
            missing.extend(unknown.map(|(name, _)| (*line, format!("the file has no line for the flag `{name}`"))));
        }
        let unknown = self.edges.iter().filter(|(_, edge)| !facts.contains(&edge.fact));
        missing.extend(unknown.map(|(line, edge)| (*line, format!("the file has no line for the fact {}", edge.fact))));
        missing.sort();
        for (line, message) in missing {
            self.add_error(line, message, "add the missing line, or remove this line");
        }
    }

    fn finish(mut self) -> Result<Vec<Change>, CampaignErrors> {
        if self.errors.is_empty() {
            self.check_references();
        }
        if !self.errors.is_empty() {
            return Err(CampaignErrors { errors: self.errors, omitted_errors: self.omitted_errors });
        }
        let mut changes: Vec<Change> = self.settings.into_iter().map(Change::Set).collect();
        let mut removals = Vec::new();
        for (id, (entity, removed)) in self.entities {
            changes.push(Change::AddEntity(entity));
            removals.extend(removed.then_some(Change::RemoveEntity(id)));
        }
        for (id, (_, session, removed)) in self.sessions {
            changes.push(Change::SetSession(session));
            removals.extend(removed.then_some(Change::RemoveSession(id)));
        }
        changes
            .extend(self.playing.map(|(_, playing)| Change::Set(Setting::Session(SessionSetting::Playing(playing)))));
        changes.extend(
            self.recaps.into_iter().map(|(_, recap)| Change::Set(Setting::Session(SessionSetting::Recap(recap)))),
        );
        changes.extend(self.facts.into_iter().map(|(_, fact)| Change::AssertFact(fact)));
        changes.extend(self.edges.into_iter().map(|(_, edge)| Change::Learn(edge)));
        changes.extend(
            self.reveals.into_iter().map(|(_, reveal)| Change::Set(Setting::Game(GameSetting::Reveal(reveal)))),
        );
        changes.extend(self.passages.into_iter().map(|(_, passage)| Change::AddPassage(passage)));
        changes.extend(removals);
        Ok(changes)
    }
}
