//! `session follow`: records a transcript while another program writes it.

use std::{
    collections::BTreeSet,
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use anyhow::Result;
use hearsay_campaign::{LiveTranscript, TranscriptWriter};
use hearsay_commands::{
    fact_matching::FactMatch,
    line_reading::UnrecordedLine,
    session::{LogLine, NewSession, SpeakerAssignment, TranscriptImport, TranscriptReport, transcript_passages},
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, real_time};
use hearsay_model::{Author, EntityId, SessionId, TalkKind, text};
use hearsay_query::session::{EntityCard, LineEffects, line_effects};
use serde::Serialize;

use super::{
    live_input::{LiveInput, POLL_TIME},
    report::contradiction_line,
    transcript::{assigned_speakers, new_session, read_state},
};
use crate::{
    args,
    campaign::{self, Access},
    commands::log::{print_hearers, print_out_of_character},
    display_names::DisplayNames,
    interrupt,
    names::Names,
    output::{CliError, Output, USAGE_ERROR, count},
    reveals::{format_reveal, revealable},
    speakers,
    stated_facts::{self, LineFacts, confirmation, repeated_confirmation},
    style::Line,
    texts,
};

/// If the other program has not written anything for this time, its last utterance counts as finished.
const PAUSE: Duration = Duration::from_secs(2);

/// Maximum number of new lines that are shown one by one. More lines arrive at once only if they were written before the
/// command started.
const MAX_LIVE_LINES: usize = 8;

/// Maximum number of new lines whose words are compared with the recorded facts, because each comparison takes time. Of
/// lines that are not shown one by one, only the lines that state or may state a fact are shown.
const MAX_READ_LINES: usize = 64;

/// Number of earlier lines that help to decide whether a line is in character.
const CONTEXT_LINES: usize = 16;

/// One line of the transcript with its effects, as the command prints it.
#[derive(Serialize)]
struct FollowedLine {
    /// Number of the line in the file.
    line: u32,
    speaker: Option<EntityId>,
    text: String,
    #[serde(flatten)]
    facts: LineFacts,
    #[serde(flatten)]
    effects: Option<LineEffects>,
}

/// Lines that were written before the command started, as the command prints them.
#[derive(Serialize)]
struct EarlierLines {
    /// Number of recorded lines.
    recorded: usize,
}

/// State of the command.
struct Follower<'a> {
    memory: &'a Memory,
    args: &'a args::SessionFollow,
    /// Name that identifies the transcript.
    name: String,
    transcript: LiveTranscript,
    session: Option<SessionId>,
    /// Whether the session was being played when the last line was recorded.
    was_playing: bool,
    new: NewSession,
    speakers: Vec<SpeakerAssignment>,
    /// Speakers and texts of the last lines.
    context: Vec<(Option<EntityId>, String)>,
    /// Number of recorded lines.
    recorded: usize,
    /// Entities whose card was shown.
    shown: BTreeSet<EntityId>,
    /// Speakers about whom a note was printed.
    noted: BTreeSet<String>,
}

pub(super) fn follow(args: &args::SessionFollow, output: &mut Output) -> Result<()> {
    if output.is_json() {
        let message = "`session follow` prints a result for each line; use --jsonl instead of --json";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if args.jsonl {
        output.use_json_lines();
    }
    let input = LiveInput::open(&args.file)?;
    let memory = campaign::open_for_speech(&args.campaign, Access::Write, output)?;
    let mut follower = Follower::new(&memory, args, input.name.clone(), output)?;
    output.note(format!("following {}; press Ctrl-C to stop", input.name));
    output.flush()?;
    // Time of the last text, until the pause after it was noticed.
    let mut last_write = None::<Instant>;
    while !interrupt::is_requested() {
        match input.chunks.recv_timeout(POLL_TIME) {
            Ok(chunk) => {
                follower.transcript.push(&chunk?);
                last_write = Some(Instant::now());
                follower.record(TranscriptWriter::Writing, output)?;
            }
            Err(RecvTimeoutError::Timeout) if last_write.is_some_and(|at| at.elapsed() >= PAUSE) => {
                last_write = None;
                follower.record(TranscriptWriter::Paused, output)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    follower.record(TranscriptWriter::Ended, output)?;
    let (recorded, session) = (follower.recorded, follower.session);
    output.line(format!("{} recorded", count(recorded, "line", "lines")))?;
    if let Some(session) = session.filter(|_| recorded > 0) {
        let command = args.campaign.command(&format!("session show {session}"));
        output.line(format!("  `{command}` shows the report of the session"))?;
    }
    Ok(memory.close()?)
}

impl<'a> Follower<'a> {
    fn new(memory: &'a Memory, args: &'a args::SessionFollow, name: String, output: &Output) -> Result<Self> {
        let names = Names::read(memory, output)?;
        let state = names.state();
        let playing = state.active_session().map(|playing| playing.session.clone());
        let session = names.optional_session(args.session.as_ref())?.or_else(|| playing.clone());
        let recorded = transcript_passages(state, &name, 0);
        let text = |id| state.passage(id).map(|passage| passage.text.clone());
        let recorded = recorded.into_iter().filter_map(|(line, id)| Some((line, text(id)?))).collect();
        let transcript = LiveTranscript::new(&name, recorded);
        Ok(Self {
            memory,
            args,
            transcript,
            was_playing: playing.is_some() && session == playing,
            session,
            new: new_session(&args.new, &names)?,
            speakers: assigned_speakers(&args.speakers, &names)?,
            name,
            context: Vec::new(),
            recorded: 0,
            shown: BTreeSet::new(),
            noted: BTreeSet::new(),
        })
    }

    /// Records the finished utterances, and prints them.
    fn record(&mut self, writer: TranscriptWriter, output: &mut Output) -> Result<()> {
        let Some(update) = self.transcript.new_utterances(writer).map_err(MemoryError::from)? else {
            return Ok(());
        };
        let present: BTreeSet<String> =
            update.transcript.speakers().iter().map(|(name, _)| text::normalize(name)).collect();
        let is_present = |assignment: &&SpeakerAssignment| present.contains(&text::normalize(&assignment.name));
        let import = TranscriptImport {
            name: self.name.clone(),
            speakers: self.speakers.iter().filter(is_present).cloned().collect(),
            transcript: update.transcript,
            session: self.session.clone(),
            new: self.new.clone(),
            first_line: Some(update.first_line),
        };
        let unsaved = import.unsaved_speakers(&*read_state(self.memory)?).map_err(MemoryError::from)?;
        if !unsaved.is_empty() {
            self.memory.remember_speakers(unsaved)?.wait()?;
        }
        let (report, mut log) = import.plan(&*read_state(self.memory)?).map_err(MemoryError::from)?;
        self.note_unidentified_speakers(&report, output);
        // The other notes are about the file.
        report.notes.iter().skip(import.transcript.notes.len()).for_each(|note| output.note(note));
        self.note_ended_session(output)?;
        let is_live = log.lines.len() <= MAX_LIVE_LINES && !interrupt::is_requested();
        let is_read = log.lines.len() <= MAX_READ_LINES;
        let mut facts: Vec<LineFacts> = Vec::new();
        for line in &mut log.lines {
            facts.push(match is_read && !interrupt::is_requested() {
                true => self.recognize(line)?,
                false => LineFacts::default(),
            });
        }
        let author = Author::Importer(self.name.clone());
        let build_operation = {
            let log = log.clone();
            move |world: &ReadSnapshot| Ok(log.operation(&world.state, author.clone(), real_time())?)
        };
        if facts.iter().any(|facts| !facts.is_empty()) {
            let preview = self.memory.preview(build_operation.clone())?.wait()?;
            facts.iter_mut().for_each(|facts| facts.set_learned_by(&preview));
        }
        self.memory.write(build_operation)?.wait()?;
        self.recorded += log.lines.len();
        if interrupt::is_requested() {
            // The next command that records texts extracts the facts.
            return Ok(());
        }
        if texts::is_extraction_enabled(&self.args.campaign.campaign)? {
            texts::extract_texts(self.memory, false, output)?;
        }
        let mut lines: Vec<(&LogLine, LineFacts)> = log.lines.iter().zip(facts).collect();
        if !is_live {
            print_earlier(lines.len(), is_read, output)?;
            lines.retain(|(_, facts)| facts.has_any());
        }
        self.print_lines(lines, output)?;
        output.flush()
    }

    /// Prints a note, once, if the session to which the lines are added has ended.
    fn note_ended_session(&mut self, output: &Output) -> Result<()> {
        let playing = read_state(self.memory)?.active_session().map(|playing| playing.session.clone());
        let ended = self.session.clone().filter(|session| self.was_playing && playing.as_ref() != Some(session));
        if let Some(session) = ended {
            self.was_playing = false;
            output.note(format!(
                "{session} has ended, but this command adds further lines to it; press Ctrl-C to stop. To add the \
                 lines to a new session, run `hearsay session start`, and start this command again."
            ));
        }
        Ok(())
    }

    /// Prints a note about each speaker whom the campaign does not identify, once.
    fn note_unidentified_speakers(&mut self, report: &TranscriptReport, output: &Output) {
        for row in report.speakers.iter().filter(|row| row.is.is_unidentified()) {
            if self.noted.insert(row.name.clone()) {
                output.note(format!("{}: {}", row.name, speakers::describe(row)));
            }
        }
    }

    /// Decides the talk kind of a line before it is recorded. Also finds the recorded facts that the line states, and adds
    /// them to the line. Nobody learns a fact from a line unless the reading model finds that the line is in character.
    fn recognize(&mut self, line: &mut LogLine) -> Result<LineFacts> {
        let before = self.context.clone();
        self.context.push((line.speaker.as_ref().map(|speaker| speaker.id.clone()), line.text.clone()));
        let excess = self.context.len().saturating_sub(CONTEXT_LINES);
        self.context.drain(..excess);
        let reading = stated_facts::read_line(self.memory, UnrecordedLine { line: line.clone(), before })?;
        line.talk_kind = reading.talk_kind;
        if line.speaker.is_none() {
            // The facts are secrets that narration may state, but the players have already heard the line.
            return Ok(LineFacts::default());
        }
        let facts = LineFacts::from(reading.facts);
        line.states = facts.ids();
        Ok(facts)
    }

    /// Prints lines with their effects.
    fn print_lines(&mut self, lines: Vec<(&LogLine, LineFacts)>, output: &mut Output) -> Result<()> {
        let Some((first, _)) = lines.first() else { return Ok(()) };
        let (name, first) = (self.name.clone(), first.number.unwrap_or_default());
        let read = self.memory.read_in_background(move |world| {
            let state = &world.state;
            let passages = transcript_passages(state, &name, first);
            let session = passages.first().and_then(|(_, id)| state.passage(*id)?.session.clone());
            let effects = passages.into_iter().map(|(line, id)| Ok((line, line_effects(state, id)?)));
            Ok((session, effects.collect::<Result<Vec<_>, MemoryError>>()?))
        })?;
        let (session, mut effects) = read.wait()?;
        self.session = self.session.take().or(session);
        let names = DisplayNames::read(self.memory)?;
        for (line, facts) in lines {
            let number = line.number.unwrap_or_default();
            let own = effects.iter().position(|(line, _)| *line == number);
            let mut effects = own.and_then(|own| effects.remove(own).1);
            if let Some(effects) = &mut effects {
                effects.cards.retain(|card| self.shown.insert(card.id.clone()));
            }
            let speaker = line.speaker.as_ref().map(|speaker| speaker.id.clone());
            let followed = FollowedLine { line: number, speaker, text: line.text.clone(), facts, effects };
            print_line(&followed, self.session.as_ref(), &names, &self.args.campaign, output)?;
        }
        for row in revealable(self.memory)? {
            output.line(format!("  {}", format_reveal(&row)))?;
        }
        Ok(())
    }
}

/// Prints the number of lines that were recorded together. `is_read` tells whether their words were compared with the
/// recorded facts.
fn print_earlier(recorded: usize, is_read: bool, output: &mut Output) -> Result<()> {
    if !is_read {
        output.note(format!(
            "more than {MAX_READ_LINES} lines were written before the command started, so their words were not compared \
             with the recorded facts"
        ));
    }
    output.line(format!("{} recorded", count(recorded, "earlier line", "earlier lines")))?;
    output.data(&EarlierLines { recorded })
}

/// Prints a line with its effects.
fn print_line(
    line: &FollowedLine,
    session: Option<&SessionId>,
    names: &DisplayNames,
    campaign: &args::Campaign,
    output: &mut Output,
) -> Result<()> {
    output.data(line)?;
    let text = match &line.speaker {
        Some(speaker) => Line::heading(names.name(speaker)).plain(format!(": {}", line.text)),
        None => Line::from(line.text.as_str()),
    };
    output.line(text)?;
    let Some(effects) = &line.effects else { return line.facts.print(names, repeated_confirmation, output) };
    if effects.talk_kind == Some(TalkKind::OutOfCharacter) {
        let command = campaign.command(&format!("session mark {} in-character", effects.number));
        return print_out_of_character(&format!("`{command}`"), output);
    }
    print_hearers(&effects.heard_by, names, output)?;
    let confirmation = |fact: &FactMatch| confirmation(campaign, effects.number, session.map(SessionId::as_str), fact);
    line.facts.print(names, confirmation, output)?;
    for fact in &effects.found {
        output.line(format!("  found: {}  [{} \u{00B7} {}]", fact.statement, fact.status, fact.fact.short()))?;
    }
    for contradiction in &effects.contradictions {
        output.line(format!("  contradiction: {}", contradiction_line(contradiction)))?;
    }
    for promise in &effects.promises {
        output.line(format!("  promise: {}", promise.description))?;
    }
    effects.cards.iter().try_for_each(|card| print_card(card, output))
}

fn print_card(card: &EntityCard, output: &mut Output) -> Result<()> {
    let kind = card.kind.as_ref().map_or(String::new(), |kind| format!(" ({kind})"));
    output.line(format!("  about {}{kind}: {}", card.name, card.statements.join(" ")))?;
    for (label, texts) in [("hides", &card.secrets), ("open", &card.threads)] {
        if !texts.is_empty() {
            output.line(format!("    {label}: {}", texts.join(" ")))?;
        }
    }
    Ok(())
}
