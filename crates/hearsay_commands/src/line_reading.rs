//! Reading of a line before it is recorded: its speaker, its kind of talk, and the recorded facts that it states.

use hearsay_model::{EntityId, FactId, Kind, State, TalkKind};

use crate::{
    CommandError,
    fact_matching::{FactMatch, FactMatches, SpokenLine},
    presence::require_speaker,
    reading::{ReadingTools, find_talk_kind},
    session::{LogLine, without_confidential_asides},
};

/// A line that is not recorded yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnrecordedLine {
    /// The line.
    pub line: LogLine,
    /// Lines that precede the line, earliest first, each with its speaker. They help to decide whether the line is in
    /// character.
    pub before: Vec<(Option<EntityId>, String)>,
}

/// What a line that is not recorded yet means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineReading {
    /// The line, with its speaker.
    pub line: LogLine,
    /// Kind of talk; `None` if it is unknown, because there is no reading model.
    pub talk_kind: Option<TalkKind>,
    /// Recorded facts that a character states in the line, or secrets that narration states. Empty if the line is out
    /// of character, or if it has a speaker and [`LogLine::states`] already lists its facts.
    pub facts: FactMatches,
}

impl UnrecordedLine {
    /// Creates a line without preceding lines.
    pub fn new(line: LogLine) -> Self {
        Self { line, before: Vec::new() }
    }

    /// Finds the speaker of a typed line. Returns the line with its speaker, and the kind of the speaker.
    ///
    /// # Errors
    /// Returns an error if the speaker cannot speak, or if the line names an ambiguous speaker or an unknown or ambiguous
    /// hearer.
    pub fn with_named_speaker(self, state: &State) -> Result<(Self, Option<Kind>), CommandError> {
        let line = self.line.with_named_speaker(state)?.into_owned();
        let speaker = line.speaker.as_ref().map(|speaker| &speaker.id);
        speaker.map(|speaker| require_speaker(state, speaker)).transpose()?;
        let kind = speaker.and_then(|speaker| state.kind(speaker));
        Ok((Self { line, ..self }, kind))
    }

    /// Returns the kind of talk of the line. `speaker_kind` is the kind of the speaker.
    pub fn talk_kind(&self, speaker_kind: Option<Kind>, tools: &ReadingTools<'_>) -> Option<TalkKind> {
        let line = &self.line;
        let speaker = line.speaker.as_ref().map(|speaker| &speaker.id);
        let found = || find_talk_kind(speaker, speaker_kind, &line.text, &self.before, tools);
        // Players seldom say typed lines that are not part of the story, so such a line is in character in doubt.
        let default = (line.typed && speaker.is_some()).then_some(TalkKind::InCharacter);
        line.known_talk_kind(false).or_else(found).or(default)
    }

    /// Returns the words to compare with recorded facts; `None` if the line is out of character, or if it has a speaker
    /// and already lists its facts. Narration is compared with secrets only. Only the DM may see the result, because it can
    /// contain facts that the speaker does not know.
    pub fn spoken_line(&self, talk_kind: Option<TalkKind>) -> Option<SpokenLine> {
        let LogLine { speaker, text, place, time, lie, states, .. } = &self.line;
        if talk_kind == Some(TalkKind::OutOfCharacter) {
            return None;
        }
        match speaker {
            Some(_) if !states.is_empty() => None,
            Some(speaker) => {
                let (place, time) = (place.clone(), time.clone());
                let line = SpokenLine::new(speaker.id.clone(), text);
                Some(SpokenLine { place, time, lie: *lie, for_dm: true, ..line })
            }
            None => {
                let line = SpokenLine::narration(without_confidential_asides(text));
                Some(SpokenLine { place: place.clone(), ..line })
            }
        }
    }

    /// Returns the result of reading the line. The facts are only possible unless the line is in character.
    pub fn into_reading(self, talk_kind: Option<TalkKind>, mut facts: FactMatches) -> LineReading {
        if talk_kind != Some(TalkKind::InCharacter) {
            facts.doubt_all();
        }
        LineReading { line: self.line, talk_kind, facts }
    }
}

impl LineReading {
    /// Returns the line to record, and the facts that it states or may state. The hearers learn the facts that a speaker
    /// certainly states. Nobody learns the facts that the line may state, unless the DM decides otherwise. The secrets of
    /// narration are facts that it may state, and [`LogLine::secrets`] lists them.
    pub fn into_log_line(self) -> (LogLine, FactMatches) {
        let Self { mut line, talk_kind, mut facts } = self;
        let ids = |facts: &[FactMatch]| facts.iter().map(|fact| fact.fact).collect::<Vec<FactId>>();
        if line.speaker.is_none() {
            facts.doubt_all();
            line.secrets = ids(&facts.may_state);
        }
        line.states.extend(ids(&facts.states));
        (LogLine { talk_kind, ..line }, facts)
    }
}
