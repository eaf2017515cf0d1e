//! Writing of the log of a session. Each line becomes a passage with hearers.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{StateViews, learn::LearnError};
use hearsay_model::{
    ActiveSession, Author, Change, EngineSetting, EntityId, Evidence, FactId, Knower, Operation, Passage, PassageId,
    Session, SessionId, SessionSetting, Setting, State, TalkKind, Timestamp, text,
};
use hearsay_query::{
    ids::require_session,
    session::{later_time, next_line},
};
use serde::{Deserialize, Serialize};

use super::{
    line_numbers::line_numbers,
    log_line::LogLine,
    new::NewSession,
    party::Party,
    position::LogPosition,
    stated_facts::stated_facts,
    transcript_lines::{TRANSCRIPT_FIELD, is_table_line, transcript_lines_in},
};
use crate::{CommandError, lie::mark_line_as_lie, presence::undecided};

/// Lines to write to the log of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// Session whose log receives the lines. If this field and `new` are `None`, the session being played.
    pub session: Option<SessionId>,
    /// Session to create for these lines, for example for a transcript; `None` to create no session. The new session
    /// does not become the session being played, but ends with the last line.
    pub new: Option<NewSession>,
    /// Lines to write, in order.
    pub lines: Vec<LogLine>,
    /// File that contains the lines; `None` if the lines do not come from a file. If the file was imported before,
    /// lines that the file no longer contains are removed from the session. If [`LogSource::appends`] is `true`, no
    /// lines are removed.
    pub source: Option<LogSource>,
}

/// A file that contains the lines of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSource {
    /// File name, without its directories.
    pub name: String,
    /// Hash of the contents of the file and of the assignment of speakers to characters.
    pub digest: String,
    /// Whether the lines continue an earlier import of the file. If `true`, the lines of earlier imports do not change,
    /// and the new lines get the next numbers of the session.
    pub appends: bool,
}

impl Log {
    /// Returns the key of the setting that records the import of a transcript.
    pub fn key(name: &str) -> String {
        format!("transcript {name}")
    }

    /// Returns the operation that writes the lines.
    ///
    /// # Errors
    /// Returns an error if the given session, a character or a place does not exist. Also returns an error if a date is
    /// invalid, a line is empty, a speaker is neither a character nor a group, or a named hearer is dead. If the log has
    /// several lines or a file, the error contains the number of the invalid line.
    pub fn operation(&self, state: &State, author: Author, recorded: Timestamp) -> Result<Operation, CommandError> {
        if self.lines.is_empty() {
            return Err(CommandError::EmptyLog);
        }
        if let Cow::Owned(log) = self.with_named_speakers(state)? {
            return log.operation(state, author, recorded);
        }
        let (mut position, earlier_passages) = self.first_position(state, &author)?;
        let playing = state.active_session().filter(|playing| playing.session == position.session.id);
        let mut changes = Vec::new();
        let confirmed_line = self.confirmed_line(state, &position.session)?;
        let line_numbers = self.line_numbers(state, &position.session, earlier_passages.as_deref());
        let (mut written_ids, mut withheld, views) = (BTreeSet::new(), Vec::new(), StateViews::new(state));
        for ((number, line), line_number) in (1..).zip(&self.lines).zip(line_numbers) {
            let talk_kind = line.known_talk_kind(self.source.is_some());
            let mut passage = match confirmed_line {
                Some(recorded) => Passage { lie: recorded.lie || line.lie, ..Passage::clone(recorded) },
                None => {
                    let passage = position.passage(line, talk_kind).map_err(|source| match &self.lines[..] {
                        [LogLine { number: None, .. }] => source,
                        _ => {
                            let number = line.number.unwrap_or(number) as usize;
                            CommandError::LogLine { number, source: Box::new(source) }
                        }
                    })?;
                    Passage { line: line_number, ..passage }
                }
            };
            if let Some(source) = &self.source {
                let (path, line) = (source.name.clone(), line.number.unwrap_or(number));
                passage.evidence.push(Evidence::File { path, line, field: TRANSCRIPT_FIELD.into() });
            }
            let id = passage.id();
            let recorded_passage = state.passage(id);
            passage.talk_kind = match recorded_passage {
                // The secrets of a withheld line come out.
                Some(recorded) if recorded.speaker.is_none() && !line.states.is_empty() => Some(TalkKind::Narration),
                Some(recorded) => recorded.talk_kind,
                None if talk_kind == Some(TalkKind::Narration) => {
                    let secrets = withheld_secrets(&views, line, &passage);
                    let kind = if secrets.is_empty() { TalkKind::Narration } else { TalkKind::Withheld };
                    withheld.extend(secrets);
                    Some(kind)
                }
                None => talk_kind,
            };
            let mut learned = if line.lie { mark_line_as_lie(&views, &passage) } else { Vec::new() };
            if talk_kind.is_none_or(TalkKind::is_heard) {
                learned.extend(stated_facts(&views, &line.states, line.lie, &passage)?);
            }
            let is_changed = written_ids.insert(id) && recorded_passage.is_none_or(|recorded| **recorded != passage);
            changes.extend(line_change(passage, is_changed, !learned.is_empty()));
            changes.extend(learned);
        }
        for id in earlier_passages.into_iter().flatten().filter(|id| !written_ids.contains(id)) {
            changes.push(Change::RemovePassage(id));
        }
        if let Some(LogSource { name, digest, .. }) = &self.source {
            let source = Self::key(name);
            if state.imported(&source) != Some(digest) {
                changes.push(Change::Set(Setting::Engine(EngineSetting::Imported { source, digest: digest.clone() })));
            }
        }
        changes.extend(position.party.joined_session(&position.session));
        if let Some(playing) = playing {
            let (place, time, here) = (position.place.clone(), position.time.clone(), position.party.attending());
            let absent = position.party.absent.clone();
            let now = ActiveSession { session: playing.session.clone(), here, absent, place, time };
            changes.extend((now != *playing).then_some(Change::Set(Setting::Session(SessionSetting::Playing(now)))));
        }
        let arrival = position.arrival(playing, self.new.is_some(), &author, recorded)?;
        let summary = self.summary(&position, confirmed_line, &withheld, &changes) + &arrival.summary;
        changes.extend(arrival.changes);
        // An operation must not be empty, and a repeated command is no error.
        let unchanged_line = confirmed_line.filter(|_| changes.is_empty());
        changes.extend(unchanged_line.map(|line| Change::AddPassage(Arc::clone(line))));
        if self.new.is_some() {
            changes.insert(0, Change::SetSession(Session { end: position.time, ..position.session }));
        }
        Ok(Operation { author, recorded, summary, changes })
    }

    /// Returns the position before the first line. If the lines replace an earlier import of their file, also returns the
    /// lines of this import.
    fn first_position<'s>(
        &self,
        state: &'s State,
        author: &Author,
    ) -> Result<(LogPosition<'s>, Option<Vec<PassageId>>), CommandError> {
        let playing = state.active_session();
        let (session, first_place) = match (&self.new, &self.session, playing) {
            (Some(new), ..) => new.session(state)?,
            (None, Some(id), _) => (Session::clone(require_session(state, id)?), None),
            (None, None, Some(playing)) => (Session::clone(require_session(state, &playing.session)?), None),
            (None, None, None) => return Err(CommandError::NotPlaying),
        };
        let playing = playing.filter(|playing| playing.session == session.id);
        let replaced_source = self.source.as_ref().filter(|source| !source.appends);
        let earlier_passages = replaced_source.map(|source| transcript_lines_in(state, &session, &source.name));
        let first_place = first_place.or_else(|| self.earlier_place(state, &session, earlier_passages.as_deref()));
        let position = LogPosition {
            state,
            party: Party::new(state, &session, playing, author),
            place: playing.map_or(first_place, |playing| playing.place.clone()),
            time: match playing {
                Some(playing) => later_time(state, playing.time.clone()),
                None => session.start.clone(),
            },
            speakers_join: playing.is_some() && self.source.as_ref().is_none_or(|source| source.appends),
            is_game: *author == Author::Game,
            undecided: undecided(state),
            session,
        };
        Ok((position, earlier_passages))
    }

    /// Returns the position after the lines. Returns `None` if the lines cannot be written.
    pub(super) fn position_after<'s>(&self, state: &'s State) -> Option<LogPosition<'s>> {
        let log = self.with_named_speakers(state).ok()?;
        let (mut position, _) = log.first_position(state, &Author::Dm).ok()?;
        for line in &log.lines {
            position.passage(line, line.known_talk_kind(log.source.is_some())).ok()?;
        }
        Some(position)
    }

    /// Returns the summary of the operation with the given changes. `withheld` contains the secrets because of which
    /// nobody hears a line.
    fn summary(
        &self,
        position: &LogPosition<'_>,
        confirmed_line: Option<&Arc<Passage>>,
        withheld: &[FactId],
        changes: &[Change],
    ) -> String {
        let mut summary = match (&self.lines[..], &self.source) {
            ([line], None) => {
                let text = confirmed_line.map_or(line.text.as_str(), |recorded| recorded.text.as_str());
                format!("{}: {}", position.session.id, quote_beginning(text))
            }
            (lines, None) => format!("{}: {} lines", position.session.id, lines.len()),
            ([_], Some(source)) => format!("{}: 1 line of {}", position.session.id, source.name),
            (lines, Some(source)) => format!("{}: {} lines of {}", position.session.id, lines.len(), source.name),
        };
        for id in &position.party.joined_by_speech {
            summary.push_str(&format!("; {} joins", position.state.name_or_id(id)));
        }
        let removed = changes.iter().filter_map(|change| match change {
            Change::RemovePassage(id) => position.state.passage(*id),
            _ => None,
        });
        let removed: BTreeMap<&str, u32> = removed.map(|passage| (passage.text.as_str(), passage.line)).collect();
        let is_renumbered =
            |passage: &&Arc<Passage>| removed.get(passage.text.as_str()).is_some_and(|line| *line != passage.line);
        match changes.iter().filter_map(Change::passage).filter(is_renumbered).count() {
            0 => {}
            1 => summary.push_str("; 1 recorded line has a new number"),
            count => summary.push_str(&format!("; {count} recorded lines have new numbers")),
        }
        for id in withheld {
            let handle = position.state.fact(*id).and_then(|fact| fact.handle().map(str::to_owned));
            let reference = handle.unwrap_or_else(|| id.short());
            summary.push_str(&format!("; nobody hears it, because it may state the secret {reference}"));
        }
        let withdrawn = changes.iter().filter_map(|change| match change {
            Change::RetractFact(id) => position.state.fact(*id),
            _ => None,
        });
        for fact in withdrawn {
            summary.push_str(&format!("; withdraws {}", quote_beginning(fact.statement())));
        }
        summary
    }

    /// Returns the log with the speakers whose names begin the texts of typed lines, and with the hearers that these
    /// lines name.
    fn with_named_speakers(&self, state: &State) -> Result<Cow<'_, Self>, CommandError> {
        if !self.lines.iter().any(LogLine::may_name_speaker) {
            return Ok(Cow::Borrowed(self));
        }
        // A line that names no speaker is no longer treated as typed.
        let named = |line: &LogLine| -> Result<LogLine, CommandError> {
            Ok(LogLine { typed: false, ..line.with_named_speaker(state)?.into_owned() })
        };
        let lines = self.lines.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        Ok(Cow::Owned(Self { lines, ..self.clone() }))
    }

    /// Returns the recorded line that this log repeats: the latest line of the session with the same speaker and text,
    /// and with the same place and hearers if the log names them. Returns `None` unless the log consists of one line
    /// that adds stated facts or the mark as a lie to the recorded line. A repeated line is not logged again.
    ///
    /// # Errors
    /// Returns an error if the log gives the number of a line that the session does not have, or that nobody speaks.
    fn confirmed_line<'s>(
        &self,
        state: &'s State,
        session: &Session,
    ) -> Result<Option<&'s Arc<Passage>>, CommandError> {
        let [line] = &self.lines[..] else { return Ok(None) };
        let adds_nothing = line.states.is_empty() && !line.lie;
        let passages = || state.passages_in_session(Some(&session.id)).map(|(_, passage)| passage);
        if let Some(number) = line.recorded_line {
            let recorded = passages().find(|passage| passage.line == number && is_table_line(passage));
            let recorded =
                recorded.ok_or_else(|| CommandError::NoLine { session: session.id.clone(), line: number })?;
            if recorded.speaker.is_none() && line.lie {
                return Err(LearnError::NoSpeaker.into());
            }
            return Ok(Some(recorded));
        }
        if adds_nothing || self.source.is_some() {
            return Ok(None);
        }
        let speaker = line.speaker.as_ref().map(|speaker| &speaker.id);
        // A line with another place or other hearers is another line.
        let is_same_scene = |passage: &Passage| {
            let others: Vec<&EntityId> =
                passage.heard_by.iter().filter_map(Knower::entity).filter(|id| Some(*id) != speaker).collect();
            let is_same_place = line.place.as_ref().is_none_or(|place| passage.place.as_ref() == Some(place));
            let has_named_hearers = line.heard_by.iter().chain(&line.with).all(|id| others.contains(&id));
            let names_all = line.heard_by.is_empty() || line.heard_by.len() + line.with.len() == others.len();
            is_same_place && has_named_hearers && names_all
        };
        let is_repeated = |passage: &&Arc<Passage>| {
            passage.text == line.text.trim() && passage.speaker.as_ref() == speaker && is_same_scene(passage)
        };
        Ok(passages().filter(is_repeated).max_by_key(|passage| passage.line))
    }

    /// Returns the place before the first line of a file: the place of the first line that an earlier import of the file
    /// recorded. If the lines continue an earlier import, returns the place of the last line of the session.
    fn earlier_place(
        &self,
        state: &State,
        session: &Session,
        earlier_passages: Option<&[PassageId]>,
    ) -> Option<EntityId> {
        let mut latest_first = state.passages_in_session(Some(&session.id)).map(|(_, passage)| passage).rev();
        let passage = match (&self.source, earlier_passages) {
            (Some(_), Some(earlier)) => {
                earlier.iter().filter_map(|id| state.passage(*id)).min_by_key(|passage| passage.line)
            }
            (Some(_), None) => latest_first.next(),
            (None, _) => None,
        };
        passage?.place.clone()
    }

    /// Returns the numbers of the lines. They follow all lines of the session. If the file of the lines was imported
    /// before, the numbers of its unchanged lines do not change.
    fn line_numbers(&self, state: &State, session: &Session, earlier_passages: Option<&[PassageId]>) -> Vec<u32> {
        let lines = (1..).zip(&self.lines).map(|(number, line)| (line.number.unwrap_or(number), line.text.trim()));
        let lines: Vec<(u32, &str)> = lines.collect();
        let next = next_line(state, Some(&session.id));
        let mut earlier: Vec<&Arc<Passage>> =
            earlier_passages.into_iter().flatten().filter_map(|id| state.passage(*id)).collect();
        earlier.sort_unstable_by_key(|passage| passage.line);
        let recorded: Vec<(u32, &str)> = earlier.iter().map(|passage| (passage.line, passage.text.as_str())).collect();
        let shift = earlier.first().and_then(|passage| match &passage.evidence[..] {
            [Evidence::File { line, .. }, ..] => Some(i64::from(passage.line) - i64::from(*line)),
            _ => None,
        });
        let appends = self.source.as_ref().is_some_and(|source| source.appends);
        let first = lines.first().filter(|_| appends).map_or(1, |(number, _)| *number);
        let shift = shift.unwrap_or_else(|| i64::from(next) - i64::from(first));
        line_numbers(&lines, &recorded, shift)
    }
}

/// Returns the change that records a line: the line itself if it is new or changes, or its kind of talk if its hearers
/// learn facts. A later correction of the line takes back the facts that were recorded together with the line.
fn line_change(passage: Passage, is_changed: bool, teaches: bool) -> Option<Change> {
    let kind = passage.talk_kind.unwrap_or(TalkKind::InCharacter);
    match is_changed {
        true => Some(Change::AddPassage(passage.into())),
        false => teaches.then(|| Change::SetTalkKind { passage: passage.id(), kind }),
    }
}

/// Returns the secrets of a narrated line that do not come out and that at least one hearer does not know.
fn withheld_secrets(views: &StateViews, line: &LogLine, passage: &Passage) -> Vec<FactId> {
    let secrets = line.secrets.iter().filter(|fact| !line.states.contains(fact));
    secrets.copied().filter(|fact| !hearers_without(views, *fact, passage).is_empty()).collect()
}

/// Returns the hearers of a passage that do not know a fact.
pub fn hearers_without(views: &StateViews, fact: FactId, passage: &Passage) -> Vec<Knower> {
    let moment = passage.said_at();
    let is_unknown_to = |knower: &&Knower| views.get(knower, moment).fact(fact).is_none();
    passage.heard_by.iter().filter(is_unknown_to).cloned().collect()
}

fn quote_beginning(quoted: &str) -> String {
    format!("\u{201C}{}\u{201D}", text::shorten(quoted.trim(), 60))
}
