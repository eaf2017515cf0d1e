//! Transcripts: who of the campaign is meant by the speakers of a file, and what its import would write.

use std::collections::BTreeMap;

use hearsay_campaign::{Transcript, TranscriptFormat};
use hearsay_model::{EntityId, Evidence, Resolution, SessionId, State, text};
use serde::Serialize;

use super::{Log, LogLine, LogSource, NewSession};
use crate::{MemoryError, edit::resolve, query::find_session};

/// A transcript that is to become the log of a session.
#[derive(Debug, Clone)]
pub struct TranscriptImport {
    /// What the file is called, without the directories above it: by this name it is known when it is imported again.
    pub name: String,
    /// What was read from it.
    pub transcript: Transcript,
    /// To which session the lines belong: its id or number. The one that the file was imported to before, or else a new
    /// one, when nothing is said.
    pub session: Option<String>,
    /// The new session, where there is none.
    pub new: NewSession,
    /// Whom a speaker plays: the speaker as written, and an id or a name.
    pub speakers: Vec<(String, String)>,
    /// The speaker who runs the game: what it says is narration.
    pub dm: Option<String>,
}

/// What an import of a transcript would write, or has written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptReport {
    /// The file.
    pub file: String,
    /// How it is written.
    pub format: TranscriptFormat,
    /// The session that the lines belong to; nothing, when it is a new one whose number is not known before.
    pub session: Option<SessionId>,
    /// How many lines there are.
    pub lines: usize,
    /// The speakers as written, who speaks first first.
    pub speakers: Vec<SpeakerRow>,
    /// Whether all of it was imported before.
    pub unchanged: bool,
    /// What was not quite right, each with its line.
    pub notes: Vec<String>,
    /// The lines as they are understood.
    pub preview: Vec<PreviewRow>,
}

/// A speaker of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeakerRow {
    /// As written.
    pub name: String,
    /// How often it speaks.
    pub lines: usize,
    /// Who is meant.
    pub is: SpeakerIs,
}

/// Who is meant by a speaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerIs {
    /// A character of the campaign.
    Character(EntityId),
    /// The one who runs the game.
    Dm,
    /// Any of several.
    Ambiguous(Vec<EntityId>),
    /// Nobody whom the campaign knows: the name is kept in the text.
    Unknown,
}

/// A line of a transcript as it is understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreviewRow {
    /// The line of the file.
    pub line: u32,
    /// Who says it; nobody, when it is narration.
    pub speaker: Option<EntityId>,
    /// The words.
    pub text: String,
}

/// What people call themselves who run the game.
const DM: [&str; 6] = ["dm", "gm", "dungeon master", "game master", "narrator", "storyteller"];

impl TranscriptImport {
    /// What the import writes: a report for people, and the lines, for [`Memory::log`](crate::Memory::log).
    ///
    /// # Errors
    /// When there is no such session, or a speaker that is given is not in the file or plays nobody.
    pub fn plan(&self, state: &State) -> Result<(TranscriptReport, Log), MemoryError> {
        let (known, first) = (self.known(state)?, first_names(state));
        let speakers: Vec<SpeakerRow> = self
            .transcript
            .speakers()
            .into_iter()
            .map(|(name, lines)| {
                let is = known.get(&text::normal(name)).cloned().unwrap_or_else(|| self.meant(state, &first, name));
                SpeakerRow { name: name.to_owned(), lines, is }
            })
            .collect();
        let by_name: BTreeMap<&str, &SpeakerIs> = speakers.iter().map(|row| (row.name.as_str(), &row.is)).collect();
        let lines: Vec<LogLine> = self
            .transcript
            .utterances
            .iter()
            .map(|said| {
                let is = said.speaker.as_deref().and_then(|name| Some((name, *by_name.get(name)?)));
                let (speaker, text) = match is {
                    // Who speaks under a secret name is not to be known by its id.
                    Some((name, SpeakerIs::Character(id))) => {
                        let written = state.secret_name(id, name).unwrap_or(id.as_str());
                        (Some(written.to_owned()), said.text.clone())
                    }
                    Some((_, SpeakerIs::Dm)) | None => (None, said.text.clone()),
                    Some((name, _)) => (None, format!("{name}: {}", said.text)),
                };
                LogLine { speaker, number: Some(said.line), ..LogLine::new(text) }
            })
            .collect();
        let before = self.imported_to(state);
        let session = match (&self.session, before) {
            (Some(given), _) => Some(find_session(state, given)?.id.clone()),
            (None, before) => before,
        };
        let mut digest = self.transcript.digest.clone();
        // Read otherwise, it is another log.
        for row in &speakers {
            digest.push_str(&format!(" {}={:?}", row.name, row.is));
        }
        let source = LogSource { name: self.name.clone(), digest };
        let written = session.as_ref().is_some_and(|session| self.is_in(state, session));
        let unchanged = written && state.imported(&Log::key(&source.name)) == Some(&source.digest);
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
                SpeakerIs::Character(id) => Some(id),
                _ => None,
            });
            let players = characters.filter(|id| state.kind(id) == Some(hearsay_model::Kind::Player));
            players.map(ToString::to_string).collect::<Vec<_>>()
        };
        let new = session.is_none().then(|| {
            let given = !self.new.present.is_empty();
            NewSession { present: if given { self.new.present.clone() } else { present() }, ..self.new.clone() }
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

    /// Whom the caller says the speakers to be, by normal name.
    fn known(&self, state: &State) -> Result<BTreeMap<String, SpeakerIs>, MemoryError> {
        let mut known = BTreeMap::new();
        let written: Vec<String> = self.transcript.speakers().iter().map(|(name, _)| text::normal(name)).collect();
        let mut note = |name: &str, is: SpeakerIs| {
            let name = text::normal(name);
            if !written.contains(&name) {
                let nearest = self.transcript.speakers().iter().map(|(name, _)| (*name).to_owned()).collect();
                return Err(MemoryError::NoSpeaker { name, speakers: nearest });
            }
            known.insert(name, is);
            Ok(())
        };
        for (name, plays) in &self.speakers {
            note(name, SpeakerIs::Character(resolve(state, plays)?))?;
        }
        if let Some(name) = &self.dm {
            note(name, SpeakerIs::Dm)?;
        }
        Ok(known)
    }

    /// Who is meant by a speaker of whom the caller says nothing: by name or alias, also where a player's name, a number or
    /// a note in brackets stands beside it.
    fn meant(&self, state: &State, first: &FirstNames, name: &str) -> SpeakerIs {
        if DM.contains(&text::normal(name).as_str()) {
            return SpeakerIs::Dm;
        }
        let bare = name.split(['(', '[', '#', '/']).next().unwrap_or(name).trim();
        let inner = name.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')')).trim();
        for name in [name, bare, inner].into_iter().filter(|name| !name.is_empty()) {
            match state.resolve(name) {
                Resolution::One(id) => return SpeakerIs::Character(id),
                Resolution::Ambiguous(candidates) => return SpeakerIs::Ambiguous(candidates),
                Resolution::None => {}
            }
        }
        if DM.contains(&text::normal(bare).as_str()) || DM.contains(&text::normal(inner).as_str()) {
            return SpeakerIs::Dm;
        }
        match first.get(&text::normal(bare)).map(Vec::as_slice) {
            None | Some([]) => SpeakerIs::Unknown,
            Some([one]) => SpeakerIs::Character(one.clone()),
            Some(several) => SpeakerIs::Ambiguous(several.to_vec()),
        }
    }

    /// The session that a file of this name was imported to before.
    fn imported_to(&self, state: &State) -> Option<SessionId> {
        state.imported(&Log::key(&self.name))?;
        let mut sessions = state.sessions().map(|session| &session.id);
        sessions.find(|session| self.is_in(state, session)).cloned()
    }

    fn is_in(&self, state: &State, session: &SessionId) -> bool {
        let mut of_session = state.passages_in_session(Some(session));
        of_session.any(|(_, passage)| passage.evidence.iter().any(|evidence| self.wrote(evidence)))
    }

    fn wrote(&self, evidence: &Evidence) -> bool {
        matches!(evidence, Evidence::File { path, field, .. } if *path == self.name && field == "transcript")
    }
}

/// Characters by their first names, in normal form.
type FirstNames = BTreeMap<String, Vec<EntityId>>;

fn first_names(state: &State) -> FirstNames {
    let mut names = FirstNames::new();
    let characters = state.entities().map(|entity| &entity.id);
    for id in characters.filter(|id| state.kind(id).is_some_and(|kind| kind.is_character())) {
        let called = state.open_name(id).map(text::words).unwrap_or_default();
        if let Some(first) = called.into_iter().next() {
            names.entry(first).or_default().push(id.clone());
        }
    }
    names
}
