//! Import of a transcript: the preview, and the lines to write.

use std::collections::BTreeMap;

use hearsay_campaign::{Transcript, TranscriptFormat, split_hearers};
use hearsay_model::{EntityId, Kind, SessionId, State, text, words::with_article};
use hearsay_query::{
    ids::{require_entity, require_session},
    resolve::resolve_complete_words,
};
use serde::Serialize;

use super::{
    hearers::resolve_hearers,
    proposals::add_proposals,
    speakers::{AssignedSpeaker, SpeakerAssignment, SpeakerIdentity, SpeakerNames, SpeakerRow},
};
use crate::{
    CommandError,
    session::{Log, LogLine, LogSource, NewSession, transcript_lines::is_from_transcript},
};

/// A transcript to import as the log of a session.
#[derive(Debug, Clone)]
pub struct TranscriptImport {
    /// File name, without its directories. The name identifies the file in later imports.
    pub name: String,
    /// Contents of the file.
    pub transcript: Transcript,
    /// Session that receives the lines. `None` means the session of an earlier import of the file, or a new session if
    /// the file was not imported before.
    pub session: Option<SessionId>,
    /// Session to create if no session is given and the file was not imported before.
    pub new: NewSession,
    /// Assignments of speakers to characters and persons. An assignment overrides the names in the campaign.
    pub speakers: Vec<SpeakerAssignment>,
    /// Number of the first line to write; `None` to write all lines. Set this field for a transcript to which another
    /// program still adds lines. Earlier lines of the file do not change.
    pub first_line: Option<u32>,
}

/// Preview or result of a transcript import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptReport {
    /// Name of the file.
    pub file: String,
    /// Format of the file.
    pub format: TranscriptFormat,
    /// Session that receives the lines; `None` if the import creates a new session.
    pub session: Option<SessionId>,
    /// Number of lines in the file.
    pub lines: usize,
    /// Speakers as written in the file, in the order of their first lines.
    pub speakers: Vec<SpeakerRow>,
    /// Whether the same file was already imported with the same assignment of speakers.
    pub unchanged: bool,
    /// Problems in the file, each with its line number.
    pub notes: Vec<String>,
    /// Lines of the file, with the identified speakers.
    pub preview: Vec<PreviewRow>,
}

/// A line of a transcript, with the identified speaker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreviewRow {
    /// Number of the line in the file.
    pub line: u32,
    /// Speaker; `None` for narration.
    pub speaker: Option<EntityId>,
    /// Text of the line.
    pub text: String,
    /// Place to which the scene moves before the line; `None` if the scene does not move.
    pub place: Option<EntityId>,
}

impl PreviewRow {
    fn new(line: &LogLine) -> Self {
        // The id would reveal whose secret name it is.
        let speaker = line.speaker.as_ref().filter(|speaker| speaker.alias.is_none());
        Self {
            line: line.number.unwrap_or_default(),
            speaker: speaker.map(|speaker| speaker.id.clone()),
            text: line.text.clone(),
            place: line.place.clone(),
        }
    }
}

impl TranscriptImport {
    /// Returns a report of the import, and the lines to write with `Memory::log`.
    ///
    /// # Errors
    /// Returns an error if the given session does not exist, if an assigned speaker is not in the file, if the assigned
    /// character does not exist, or if the session already exists without a character who should attend it.
    pub fn plan(&self, state: &State) -> Result<(TranscriptReport, Log), CommandError> {
        let speakers = self.speaker_rows(state)?;
        let mut notes = self.transcript.notes.clone();
        let lines = self.log_lines(state, &speakers, &mut notes);
        let session = self.target_session(state)?;
        let digest = self.digest(&speakers, &lines);
        let source = LogSource { name: self.name.clone(), digest, appends: self.first_line.is_some() };
        let is_already_written = session.as_ref().is_some_and(|session| self.was_imported_into(state, session));
        let unchanged = is_already_written && state.imported(&Log::key(&source.name)) == Some(&source.digest);
        let new = session.is_none().then(|| self.new_session(state, &speakers));
        let report = TranscriptReport {
            file: self.name.clone(),
            format: self.transcript.format,
            session: session.clone(),
            lines: lines.len(),
            speakers,
            unchanged,
            notes,
            preview: lines.iter().map(PreviewRow::new).collect(),
        };
        Ok((report, Log { session, new, lines, source: Some(source) }))
    }

    /// Returns the lines to write. Adds a note for each wrong name of a place or hearer.
    fn log_lines(&self, state: &State, speakers: &[SpeakerRow], notes: &mut Vec<String>) -> Vec<LogLine> {
        let names = SpeakerNames::new(state);
        let by_name: BTreeMap<&str, &SpeakerIdentity> =
            speakers.iter().map(|row| (row.name.as_str(), &row.is)).collect();
        let first_line = self.first_line.unwrap_or(0);
        let mut earlier_lines = self.transcript.utterances.iter().rev().map(|utterance| utterance.line);
        let mut last_line = earlier_lines.find(|line| *line < first_line).unwrap_or(0);
        let utterances = self.transcript.utterances.iter().filter(|utterance| utterance.line >= first_line);
        utterances
            .map(|utterance| {
                let place = self.marked_place(state, last_line, utterance.line, notes);
                last_line = utterance.line;
                let identity = utterance.speaker.as_deref().and_then(|name| Some((name, *by_name.get(name)?)));
                let line = match identity {
                    Some((name, identity)) => {
                        let heard_by = listed_hearers(state, utterance.line, name, identity, notes);
                        LogLine { heard_by, ..names.line(name, identity, &utterance.text) }
                    }
                    None => LogLine::new(&utterance.text),
                };
                LogLine { number: Some(utterance.line), at_table: true, place, ..line }
            })
            .collect()
    }

    /// Returns the session that receives the lines; `None` if the import creates a new session.
    fn target_session(&self, state: &State) -> Result<Option<SessionId>, CommandError> {
        let session = match &self.session {
            Some(id) => Some(require_session(state, id)?.id.clone()),
            None => self.earlier_session(state),
        };
        if let Some(id) = session.as_ref().filter(|_| self.first_line.is_none()) {
            let recorded = require_session(state, id)?;
            let absent = self.new.present.iter().filter(|id| !recorded.present.contains(id));
            let absent: Vec<String> = absent.map(|id| state.name_or_id(id).to_owned()).collect();
            if !absent.is_empty() {
                return Err(CommandError::AttendanceOfImport { session: id.clone(), absent });
            }
        }
        Ok(session)
    }

    /// Returns the digest of the file and of its reading. It includes the assignment of speakers, the listed hearers and the
    /// places, because other speakers, hearers or places result in a different log.
    fn digest(&self, speakers: &[SpeakerRow], lines: &[LogLine]) -> String {
        let mut digest = self.transcript.digest.clone();
        for row in speakers {
            digest.push_str(&format!(" {}={:?}", row.name, row.is));
        }
        for line in lines.iter().filter(|line| !line.heard_by.is_empty()) {
            digest.push_str(&format!(" {:?}>{:?}", line.number, line.heard_by));
        }
        for (line, place) in lines.iter().filter_map(|line| Some((line, line.place.as_ref()?))) {
            digest.push_str(&format!(" {:?}@{place}", line.number));
        }
        digest
    }

    /// Returns the session to create. If nobody is given, the player characters who speak attend it.
    fn new_session(&self, state: &State, speakers: &[SpeakerRow]) -> NewSession {
        let mut new = self.new.clone();
        if new.present.is_empty() {
            let characters = speakers.iter().filter_map(|row| match &row.is {
                SpeakerIdentity::Character(id) => Some(id),
                _ => None,
            });
            new.present = characters.filter(|id| state.kind(id) == Some(Kind::Player)).cloned().collect();
        }
        new
    }

    /// Returns the assignments to save with [`remember_speakers`](super::remember_speakers): the assignments with
    /// [`remember`](SpeakerAssignment::remember) that the campaign does not contain yet. Each assignment contains the
    /// name of the speaker as written in the file.
    ///
    /// # Errors
    /// Returns an error if an assigned speaker is not in the file, or if the assigned character does not exist.
    pub fn unsaved_speakers(&self, state: &State) -> Result<Vec<SpeakerAssignment>, CommandError> {
        let (identities, names) = (self.assigned_speakers(state)?, SpeakerNames::new(state));
        let speakers = self.transcript.speakers();
        let unsaved = self.speakers.iter().filter(|assignment| assignment.remember).filter_map(|assignment| {
            let normal = text::normalize(&assignment.name);
            let (name, _) = speakers.iter().find(|(name, _)| text::normalize(name) == normal)?;
            let is_saved = names.contains(name, identities.get(&normal)?);
            (!is_saved).then(|| SpeakerAssignment { name: (*name).to_owned(), ..assignment.clone() })
        });
        Ok(unsaved.collect())
    }

    /// Returns the speakers of the transcript, with proposals for those whom the campaign does not identify.
    fn speaker_rows(&self, state: &State) -> Result<Vec<SpeakerRow>, CommandError> {
        let (identities, names) = (self.assigned_speakers(state)?, SpeakerNames::new(state));
        let speakers = self.transcript.speakers().into_iter();
        let mut rows: Vec<SpeakerRow> = speakers
            .map(|(name, lines)| {
                let identity = identities.get(&text::normalize(name)).cloned();
                let is = identity.unwrap_or_else(|| names.identify(name));
                SpeakerRow { name: name.to_owned(), lines, is, proposal: None }
            })
            .collect();
        add_proposals(state, &self.transcript, &mut rows);
        Ok(rows)
    }

    /// Returns the assigned characters and persons by the names of the speakers in normal form.
    fn assigned_speakers(&self, state: &State) -> Result<BTreeMap<String, SpeakerIdentity>, CommandError> {
        let speakers = self.transcript.speakers();
        let mut identities = BTreeMap::new();
        for assignment in &self.speakers {
            let name = text::normalize(&assignment.name);
            if speakers.iter().all(|(speaker, _)| text::normalize(speaker) != name) {
                let speakers = speakers.iter().map(|(speaker, _)| (*speaker).to_owned()).collect();
                return Err(CommandError::NoSpeaker { name: assignment.name.clone(), speakers });
            }
            let identity = match &assignment.is {
                AssignedSpeaker::Character(character) => {
                    require_entity(state, character)?;
                    SpeakerIdentity::Character(character.clone())
                }
                AssignedSpeaker::Role(role) => (*role).into(),
            };
            identities.insert(name, identity);
        }
        Ok(identities)
    }

    /// Returns the place to which the marks after the line `after`, up to the line `line`, move the scene. Returns `None`
    /// if there are no such marks. If the place of a mark does not exist, adds a note, because one wrong name must not
    /// stop the import of a whole evening.
    fn marked_place(&self, state: &State, after: u32, line: u32, notes: &mut Vec<String>) -> Option<EntityId> {
        let mut place = None;
        for mark in self.transcript.places.iter().filter(|mark| mark.line > after && mark.line <= line) {
            match find_place(state, &mark.place) {
                Ok(id) => place = Some(id),
                Err(reason) => notes.push(format!("line {}: the scene stays where it is, because {reason}", mark.line)),
            }
        }
        place
    }

    /// Returns the session of an earlier import of this file.
    fn earlier_session(&self, state: &State) -> Option<SessionId> {
        state.imported(&Log::key(&self.name))?;
        let mut sessions = state.sessions().map(|session| &session.id);
        sessions.find(|session| self.was_imported_into(state, session)).cloned()
    }

    fn was_imported_into(&self, state: &State, session: &SessionId) -> bool {
        let mut session_passages = state.passages_in_session(Some(session));
        session_passages.any(|(_, passage)| is_from_transcript(passage, &self.name))
    }
}

/// Finds the place that a mark names. If there is no such place, returns the reason.
fn find_place(state: &State, name: &str) -> Result<EntityId, String> {
    let id = resolve_complete_words(state, name).map_err(|error| error.to_string())?;
    match state.kind(&id) {
        Some(kind) if kind.is_character() => Err(format!("`{name}` is {}, not a place", with_article(&kind.noun()))),
        _ => Ok(id),
    }
}

/// Returns the hearers whom a transcript lists in brackets after the name of an identified speaker. If a hearer is
/// unknown or ambiguous, adds a note and returns an empty list. The line then has the default hearers, because one wrong
/// name must not stop the import of a whole evening.
fn listed_hearers(
    state: &State,
    line: u32,
    speaker: &str,
    identity: &SpeakerIdentity,
    notes: &mut Vec<String>,
) -> Vec<EntityId> {
    let is_identified = matches!(identity, SpeakerIdentity::Character(_) | SpeakerIdentity::Dm);
    let Some((_, names)) = split_hearers(speaker).filter(|_| is_identified) else { return Vec::new() };
    resolve_hearers(state, names).unwrap_or_else(|error| {
        notes.push(format!("line {line}: all characters who are present hear this line, because {error}"));
        Vec::new()
    })
}
