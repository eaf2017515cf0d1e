//! Writing the log of a session: lines that become passages with their hearers.

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
    game_event::mentioned,
    query::find_session,
};

/// Lines to write to the log of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// Session: its id or number. Default: the session being played.
    pub session: Option<String>,
    /// Session to create for these lines, as for a transcript. It ends as soon as they are written.
    pub new: Option<NewSession>,
    /// The lines, in order.
    pub lines: Vec<LogLine>,
    /// File of the lines. Earlier passages from this file that are not among the lines are withdrawn.
    pub source: Option<LogSource>,
}

/// A file with lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSource {
    /// File name, without its directories.
    pub name: String,
    /// Hash of the contents, and of the way in which they are read.
    pub digest: String,
}

/// A line of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogLine {
    /// Words of the line.
    pub text: String,
    /// Speaker: an id or a name; `None` for narration.
    pub speaker: Option<String>,
    /// Place of the scene from this line on. Default: unchanged.
    pub place: Option<String>,
    /// Game time. Default: the latest time of the log or the game clock.
    pub time: Option<String>,
    /// Hearers besides the speaker. Default: the characters present.
    pub heard_by: Vec<String>,
    /// Hearers in addition to the characters present.
    pub with: Vec<String>,
    /// Number of the line in the [source](Log::source), from 1.
    pub number: Option<u32>,
}

impl LogLine {
    /// Creates a line of narration with default place, time and hearers.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Current position of the log.
struct Scene<'a> {
    state: &'a State,
    session: Session,
    here: Vec<EntityId>,
    place: Option<EntityId>,
    time: Option<Date>,
}

impl Log {
    /// Returns the key of the source among the imports.
    pub(crate) fn key(name: &str) -> String {
        format!("transcript {name}")
    }

    /// Returns the operation that writes the lines.
    ///
    /// # Errors
    /// When there is no such session. When a name or date is invalid, or a line is empty; the error names the line.
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

    /// Returns the number before the first new line: the last existing number, or the base of an earlier import of the
    /// same file.
    fn base(&self, state: &State, session: &Session, before: Option<&[PassageId]>) -> u32 {
        let earlier = before.into_iter().flatten().filter_map(|id| state.passage(*id));
        let begun = earlier.filter_map(|passage| match &passage.evidence[..] {
            [Evidence::File { line, .. }, ..] => Some(passage.line.saturating_sub(*line)),
            _ => None,
        });
        begun.min().unwrap_or_else(|| next_line(state, Some(&session.id)) - 1)
    }
}

/// Returns the passages of a session from an earlier import of a file.
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
    /// Makes the passage of a line, without its number.
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

    /// Returns the hearers of a line said aloud: the characters at the table, and the other characters in the scene.
    /// The character of an absent player hears nothing, even if it is at that place.
    fn there(&self) -> Vec<EntityId> {
        let moment = self.time.as_ref().and_then(|date| date.time);
        let mut there = self.place.as_ref().map(|place| present(self.state, place, moment)).unwrap_or_default();
        there.retain(|id| self.state.kind(id) != Some(Kind::Player));
        there.extend(self.here.iter().cloned());
        there
    }
}
