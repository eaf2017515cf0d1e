//! The log of a session: lines that become passages, with who hears them.

use std::collections::BTreeSet;

use hearsay_belief::present;
use hearsay_model::{
    Author, Change, Date, EntityId, Evidence, Kind, Knower, Operation, Passage, PassageId, Playing, Session, Setting,
    State, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{NewSession, latest, next_line};
use crate::{
    MemoryError,
    edit::{date_of, resolve, resolve_speaker},
    happening::mentioned,
    query::find_session,
};

/// Lines to be written down as a part of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// Which session: its id or number; the one that is being played, when nothing is said.
    pub session: Option<String>,
    /// A session that is made for these lines, over as soon as they are written: that of a transcript.
    pub new: Option<NewSession>,
    /// The lines, in order.
    pub lines: Vec<LogLine>,
    /// The file that they are from. What was written from it before and is not among them is withdrawn.
    pub source: Option<LogSource>,
}

/// A file that lines are from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSource {
    /// What it is called, without the directories above it.
    pub name: String,
    /// A hash of what is in it, and of how it is read.
    pub digest: String,
}

/// A line of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogLine {
    /// The words.
    pub text: String,
    /// Who says it: an id or a name; narration, when nobody does.
    pub speaker: Option<String>,
    /// Where; where the scene is, when nothing is said. From then on the scene is there.
    pub place: Option<String>,
    /// When, in game time; as far as the log or the game clock has come, when nothing is said.
    pub time: Option<String>,
    /// Who hears it, besides the speaker; those who are there, when nobody is named.
    pub heard_by: Vec<String>,
    /// Who hears it besides those who are there.
    pub with: Vec<String>,
    /// Its line in the [source](Log::source), from 1.
    pub number: Option<u32>,
}

impl LogLine {
    /// A line of nothing but its words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Where the log has come to.
struct Scene<'a> {
    state: &'a State,
    session: Session,
    here: Vec<EntityId>,
    place: Option<EntityId>,
    time: Option<Date>,
}

impl Log {
    /// What the source is called among the things that were imported.
    pub(crate) fn key(name: &str) -> String {
        format!("transcript {name}")
    }

    /// The operation that writes the lines down.
    ///
    /// # Errors
    /// When there is no such session; when a name or date cannot be understood, or a line is empty: the error says which.
    pub fn operation(&self, state: &State, author: Author, recorded: Timestamp) -> Result<Operation, MemoryError> {
        if self.lines.is_empty() {
            return Err(MemoryError::EmptyLog);
        }
        let playing = state.playing();
        let (session, begun_at) = match (&self.new, &self.session, playing) {
            (Some(new), ..) => new.session(state)?,
            (None, Some(given), _) => (Session::clone(&*find_session(state, given)?), None),
            (None, None, Some(playing)) => (Session::clone(&*find_session(state, playing.session.as_str())?), None),
            (None, None, None) => return Err(MemoryError::NotPlaying),
        };
        let playing = playing.filter(|playing| playing.session == session.id);
        let mut changes: Vec<Change> = self.new.iter().map(|_| Change::SetSession(session.clone())).collect();
        let mut scene = Scene {
            state,
            here: playing.map_or_else(|| session.present.clone(), |playing| playing.here.clone()),
            place: playing.map_or(begun_at, |playing| playing.place.clone()),
            time: match playing {
                Some(playing) => latest(state, playing.time.clone()),
                None => session.start.clone(),
            },
            session,
        };
        scene.here.retain(|id| state.entity(id).is_some());
        let before = self.source.as_ref().map(|source| written_from(state, &scene.session, source));
        let base = self.base(state, &scene.session, before.as_deref());
        let mut kept = BTreeSet::new();
        for (number, line) in (1..).zip(&self.lines) {
            let passage = scene.passage(line).map_err(|source| {
                let source = Box::new(source);
                MemoryError::LogLine { number: line.number.map_or(number as usize, |number| number as usize), source }
            })?;
            let mut passage = Passage { line: base.saturating_add(line.number.unwrap_or(number)), ..passage };
            if let Some(source) = &self.source {
                let (path, line) = (source.name.clone(), line.number.unwrap_or(number));
                passage.evidence.push(Evidence::File { path, line, field: "transcript".into() });
            }
            let id = passage.id();
            if kept.insert(id) && state.passage(id).is_none_or(|held| **held != passage) {
                changes.push(Change::AddPassage(passage.into()));
            }
        }
        for id in before.into_iter().flatten().filter(|id| !kept.contains(id)) {
            changes.push(Change::RemovePassage(id));
        }
        if let Some(LogSource { name, digest }) = &self.source {
            let source = Self::key(name);
            if state.imported(&source) != Some(digest) {
                changes.push(Change::Set(Setting::Imported { source, digest: digest.clone() }));
            }
        }
        if let Some(playing) = playing {
            let now = Playing { place: scene.place.clone(), time: scene.time.clone(), ..playing.clone() };
            changes.extend((now != *playing).then_some(Change::Set(Setting::Playing(now))));
        }
        let summary = match (&self.lines[..], &self.source) {
            ([line], None) => format!("{}: {}", scene.session.id, shortened(&line.text)),
            (lines, None) => format!("{}: {} lines", scene.session.id, lines.len()),
            ([_], Some(source)) => format!("{}: 1 line of {}", scene.session.id, source.name),
            (lines, Some(source)) => format!("{}: {} lines of {}", scene.session.id, lines.len(), source.name),
        };
        Ok(Operation { author, recorded, summary, changes })
    }

    /// What the numbers of the lines begin after: the lines that are there already, or where the same file began before.
    fn base(&self, state: &State, session: &Session, before: Option<&[PassageId]>) -> u32 {
        let earlier = before.into_iter().flatten().filter_map(|id| state.passage(*id));
        let begun = earlier.filter_map(|passage| match &passage.evidence[..] {
            [Evidence::File { line, .. }, ..] => Some(passage.line.saturating_sub(*line)),
            _ => None,
        });
        begun.min().unwrap_or_else(|| next_line(state, Some(&session.id)) - 1)
    }
}

/// The passages of a session that were written from a file before.
fn written_from(state: &State, session: &Session, source: &LogSource) -> Vec<PassageId> {
    let is_from = |evidence: &Evidence| matches!(evidence, Evidence::File { path, field, .. } if *path == source.name && field == "transcript");
    let of_session = state.passages_in_session(Some(&session.id));
    of_session.filter(|(_, passage)| passage.evidence.iter().any(is_from)).map(|(id, _)| id).collect()
}

fn shortened(text: &str) -> String {
    let mut words = text.trim().chars();
    let mut short: String = words.by_ref().take(60).collect();
    if words.next().is_some() {
        short.push('\u{2026}');
    }
    format!("\u{201C}{short}\u{201D}")
}

impl Scene<'_> {
    /// The passage of a line, without its number.
    fn passage(&mut self, line: &LogLine) -> Result<Passage, MemoryError> {
        let all = |names: &[String]| names.iter().map(|name| resolve(self.state, name)).collect::<Result<Vec<_>, _>>();
        let text = line.text.trim();
        if text.is_empty() {
            return Err(MemoryError::EmptyLog);
        }
        let speaker = line.speaker.as_deref().map(|name| resolve_speaker(self.state, name)).transpose()?;
        let (speaker, speaker_alias) = speaker.unzip();
        let (named, with) = (all(&line.heard_by)?, all(&line.with)?);
        if let Some(name) = &line.place {
            self.place = Some(resolve(self.state, name)?);
        }
        if let Some(raw) = &line.time {
            self.time = Some(date_of(self.state, raw)?);
        }
        let mut hearers = if named.is_empty() { self.there() } else { named };
        hearers.extend(with.into_iter().chain(speaker.clone()));
        let mut heard_by: Vec<Knower> = hearers.into_iter().map(Knower::Entity).collect();
        heard_by.sort();
        heard_by.dedup();
        Ok(Passage {
            speaker,
            speaker_alias: speaker_alias.flatten(),
            session: Some(self.session.id.clone()),
            time: self.time.clone(),
            place: self.place.clone(),
            heard_by,
            mentions: mentioned(self.state, text),
            ..Passage::new(text)
        })
    }

    /// Those who hear what is said aloud: the characters of those at the table, and who else is in the scene. A player's
    /// character whose player is away hears nothing, wherever it stands.
    fn there(&self) -> Vec<EntityId> {
        let moment = self.time.as_ref().and_then(|date| date.time);
        let mut there = self.place.as_ref().map(|place| present(self.state, place, moment)).unwrap_or_default();
        there.retain(|id| self.state.kind(id) != Some(Kind::Player));
        there.extend(self.here.iter().cloned());
        there
    }
}
