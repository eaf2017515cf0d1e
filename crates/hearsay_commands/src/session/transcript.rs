//! Transcripts: links the speakers in a file to characters, and previews the import of the file.

use std::collections::BTreeMap;

use hearsay_campaign::{Transcript, TranscriptFormat};
use hearsay_model::{EntityId, Evidence, Resolution, SessionId, State, text, words};
use hearsay_query::resolve::{find_session, resolve};
use serde::Serialize;

use super::{
    log::{Log, LogLine, LogSource},
    new::NewSession,
};
use crate::CommandError;

/// A transcript to import as the log of a session.
#[derive(Debug, Clone)]
pub struct TranscriptImport {
    /// File name, without its directories. Identifies the file in later imports.
    pub name: String,
    /// Contents of the file.
    pub transcript: Transcript,
    /// Session to which the lines are added: its id or number. Default: the session of an earlier import of the file,
    /// or else a new session.
    pub session: Option<String>,
    /// Session to create if no session is given and the file was not imported before.
    pub new: NewSession,
    /// Assignments of speakers to characters: each pair is a speaker as written in the file, and the id or name of a
    /// character.
    pub speakers: Vec<(String, String)>,
    /// Name of the DM as written in the file. The lines of this speaker are narration.
    pub dm: Option<String>,
}

/// Preview or result of a transcript import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptReport {
    /// Name of the file.
    pub file: String,
    /// Format of the file.
    pub format: TranscriptFormat,
    /// Session to which the lines are added; `None` if the import creates a new session.
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

/// A speaker of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeakerRow {
    /// Name of the speaker as written in the file.
    pub name: String,
    /// Number of lines by this speaker.
    pub lines: usize,
    /// Character or person to whom the name refers.
    pub is: SpeakerIdentity,
}

/// Character or person to whom the name of a speaker refers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerIdentity {
    /// The name refers to this character of the campaign.
    Character(EntityId),
    /// The name refers to the DM.
    Dm,
    /// The name is ambiguous: it can refer to each of these characters.
    Ambiguous(Vec<EntityId>),
    /// The name refers to no character of the campaign. It stays part of the text of the line.
    Unknown,
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
}

/// Returns whether a name refers to the person who runs the game.
fn is_dm(name: &str) -> bool {
    words::contains_word(&words::english().narrators, &text::normalize(name))
}

impl TranscriptImport {
    /// Returns a report of the import, and the lines to write with `Memory::log`.
    ///
    /// # Errors
    /// Returns an error if the given session does not exist, if an assigned speaker is not in the file, or if the
    /// assigned character does not exist.
    pub fn plan(&self, state: &State) -> Result<(TranscriptReport, Log), CommandError> {
        let (assigned_speakers, mut first_names) = (self.assigned_speakers(state)?, characters_by_first_name(state));
        add_players(state, &mut first_names);
        let speakers: Vec<SpeakerRow> = self
            .transcript
            .speakers()
            .into_iter()
            .map(|(name, lines)| {
                let identity = assigned_speakers
                    .get(&text::normalize(name))
                    .cloned()
                    .unwrap_or_else(|| self.identify_speaker(state, &first_names, name));
                SpeakerRow { name: name.to_owned(), lines, is: identity }
            })
            .collect();
        let by_name: BTreeMap<&str, &SpeakerIdentity> =
            speakers.iter().map(|row| (row.name.as_str(), &row.is)).collect();
        let lines: Vec<LogLine> = self
            .transcript
            .utterances
            .iter()
            .map(|utterance| {
                let identity = utterance.speaker.as_deref().and_then(|name| Some((name, *by_name.get(name)?)));
                let (speaker, text) = match identity {
                    // Keeps a secret name as written, because the character's id would reveal whose name it is.
                    Some((name, SpeakerIdentity::Character(id))) => {
                        let name_or_id = state.secret_name(id, name).unwrap_or(id.as_str());
                        (Some(name_or_id.to_owned()), utterance.text.clone())
                    }
                    Some((_, SpeakerIdentity::Dm)) | None => (None, utterance.text.clone()),
                    Some((name, _)) => (None, format!("{name}: {}", utterance.text)),
                };
                LogLine { speaker, number: Some(utterance.line), ..LogLine::new(text) }
            })
            .collect();
        let earlier_session = self.earlier_session(state);
        let session = match (&self.session, earlier_session) {
            (Some(given), _) => Some(find_session(state, given)?.id.clone()),
            (None, earlier_session) => earlier_session,
        };
        let mut digest = self.transcript.digest.clone();
        // The digest includes the assignment of speakers, because a different assignment results in a different log.
        for row in &speakers {
            digest.push_str(&format!(" {}={:?}", row.name, row.is));
        }
        let source = LogSource { name: self.name.clone(), digest };
        let is_already_written = session.as_ref().is_some_and(|session| self.was_imported_into(state, session));
        let unchanged = is_already_written && state.imported(&Log::key(&source.name)) == Some(&source.digest);
        let preview = lines
            .iter()
            .map(|line| PreviewRow {
                line: line.number.unwrap_or_default(),
                speaker: line.speaker.as_deref().and_then(|id| EntityId::new(id).ok()),
                text: line.text.clone(),
            })
            .collect();
        let present = || {
            let characters = speakers.iter().filter_map(|row| match &row.is {
                SpeakerIdentity::Character(id) => Some(id),
                _ => None,
            });
            let players = characters.filter(|id| state.kind(id) == Some(hearsay_model::Kind::Player));
            players.map(ToString::to_string).collect::<Vec<_>>()
        };
        let new = session.is_none().then(|| {
            let has_attendance = !self.new.present.is_empty();
            NewSession {
                present: if has_attendance { self.new.present.clone() } else { present() },
                ..self.new.clone()
            }
        });
        let report = TranscriptReport {
            file: self.name.clone(),
            format: self.transcript.format,
            session: session.clone(),
            lines: lines.len(),
            speakers,
            unchanged,
            notes: self.transcript.notes.clone(),
            preview,
        };
        let session = session.map(|session| session.to_string());
        Ok((report, Log { session, new, lines, source: Some(source) }))
    }

    /// Returns the given assignments of speakers, by normalized name.
    fn assigned_speakers(&self, state: &State) -> Result<BTreeMap<String, SpeakerIdentity>, CommandError> {
        let mut assignments = BTreeMap::new();
        let names_in_file: Vec<String> =
            self.transcript.speakers().iter().map(|(name, _)| text::normalize(name)).collect();
        let mut assign = |name: &str, identity: SpeakerIdentity| {
            let name = text::normalize(name);
            if !names_in_file.contains(&name) {
                let speakers = self.transcript.speakers().iter().map(|(name, _)| (*name).to_owned()).collect();
                return Err(CommandError::NoSpeaker { name, speakers });
            }
            assignments.insert(name, identity);
            Ok(())
        };
        for (name, character) in &self.speakers {
            assign(name, SpeakerIdentity::Character(resolve(state, character)?))?;
        }
        if let Some(name) = &self.dm {
            assign(name, SpeakerIdentity::Dm)?;
        }
        Ok(assignments)
    }

    /// Returns the character or person to whom an unassigned speaker refers. Recognizes names and aliases even if a
    /// player's name, a number or a note in brackets follows.
    fn identify_speaker(&self, state: &State, first_names: &FirstNames, name: &str) -> SpeakerIdentity {
        if is_dm(name) {
            return SpeakerIdentity::Dm;
        }
        let name_without_note = name.split(['(', '[', '#', '/']).next().unwrap_or(name).trim();
        let note = name.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')')).trim();
        for name in [name, name_without_note, note].into_iter().filter(|name| !name.is_empty()) {
            match state.resolve(name) {
                Resolution::One(id) => return SpeakerIdentity::Character(id),
                Resolution::Ambiguous(candidates) => return SpeakerIdentity::Ambiguous(candidates),
                Resolution::None => {}
            }
        }
        if is_dm(name_without_note) || is_dm(note) {
            return SpeakerIdentity::Dm;
        }
        match first_names.get(&text::normalize(name_without_note)).map(Vec::as_slice) {
            None | Some([]) => SpeakerIdentity::Unknown,
            Some([character]) => SpeakerIdentity::Character(character.clone()),
            Some(candidates) => SpeakerIdentity::Ambiguous(candidates.to_vec()),
        }
    }

    /// Returns the session of an earlier import of this file.
    fn earlier_session(&self, state: &State) -> Option<SessionId> {
        state.imported(&Log::key(&self.name))?;
        let mut sessions = state.sessions().map(|session| &session.id);
        sessions.find(|session| self.was_imported_into(state, session)).cloned()
    }

    fn was_imported_into(&self, state: &State, session: &SessionId) -> bool {
        let mut session_passages = state.passages_in_session(Some(session));
        session_passages.any(|(_, passage)| passage.evidence.iter().any(|evidence| self.is_from_this_file(evidence)))
    }

    fn is_from_this_file(&self, evidence: &Evidence) -> bool {
        matches!(evidence, Evidence::File { path, field, .. } if *path == self.name && field == "transcript")
    }
}

/// Characters by normalized first name and by their players' names.
type FirstNames = BTreeMap<String, Vec<EntityId>>;

/// Attribute with the name of the person who plays a character.
const PLAYER_ATTRIBUTE: &str = "player";

/// Adds player characters under their players' full names and first names.
fn add_players(state: &State, names: &mut FirstNames) {
    for id in state.entities().map(|entity| &entity.id) {
        let Some(player) = state.newest(id, PLAYER_ATTRIBUTE).and_then(|fact| fact.object().text()) else { continue };
        let full_name = text::normalize(player);
        let first_name = text::words(player).into_iter().next().filter(|first_name| *first_name != full_name);
        for name in first_name.into_iter().chain([full_name]) {
            let characters = names.entry(name).or_default();
            if !characters.contains(id) {
                characters.push(id.clone());
            }
        }
    }
}

fn characters_by_first_name(state: &State) -> FirstNames {
    let mut names = FirstNames::new();
    let characters = state.entities().map(|entity| &entity.id);
    for id in characters.filter(|id| state.kind(id).is_some_and(|kind| kind.is_character())) {
        let name_words = state.open_name(id).map(text::words).unwrap_or_default();
        if let Some(first_name) = name_words.into_iter().next() {
            names.entry(first_name).or_default().push(id.clone());
        }
    }
    names
}
