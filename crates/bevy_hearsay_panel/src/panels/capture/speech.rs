//! Logs lines that characters and players say, and narration. Waits until the memory has found the speaker of a line,
//! its kind of talk, and the facts or secrets that it states. Asks the DM about doubtful facts and about secrets.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use egui::Ui;
use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches},
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    line_reading::{LineReading, UnrecordedLine},
    session::{Log, LogLine},
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, real_time};
use hearsay_model::{Author, EntityId, Operation, Passage, State, TalkKind};
use hearsay_query::resolve::Speaker;

use crate::{
    commands,
    direction::visual_order,
    panel::{DeskCommand, DisplayContext, Request},
    text::shorten,
    widgets::{command_button_without_keys, weak_label},
};

/// Maximum time to wait until a line is read. After this time, the line is logged without facts. Tests wait longer, because
/// they run at the same time as others.
const MAX_WAIT: Duration = Duration::from_secs(if cfg!(test) { 60 } else { 2 });

/// Text that is shown after a line that is out of character.
const OUT_OF_CHARACTER: &str = "Out of character: kept in the log, nobody in the world hears it. To log the words of a \
                                character, begin the line with @ and the name of the character.";

/// Maximum length of a fact in a question, in characters.
const MAX_FACT_CHARS: usize = 120;

/// Lines that wait to be logged, and the question about the line that was logged last.
#[derive(Debug, Default)]
pub(super) struct SpokenLines {
    /// Lines in the order in which they were typed.
    waiting: VecDeque<WaitingLine>,
    question: Option<Question>,
    /// Facts that the last line states.
    stated: Vec<FactMatch>,
    /// Whether the last line is out of character.
    is_out_of_character: bool,
    /// Command that answers a question, not yet sent.
    confirmed: Option<DeskCommand>,
}

#[derive(Debug)]
struct WaitingLine {
    log: Log,
    since: Instant,
    ticket: Option<Ticket<LineReading>>,
    /// Result of reading the line; `None` while it is not known.
    reading: Option<LineReading>,
    /// Commands that were typed after this line and before the next one.
    following: Vec<DeskCommand>,
}

/// A fact that a logged line possibly states. The DM answers whether the line states it. If the line is narration, the
/// fact is a secret, and the DM answers whether the secret comes out.
#[derive(Debug, Clone)]
struct Question {
    log: Log,
    /// Speaker of the line; `None` for narration.
    speaker: Option<EntityId>,
    text: String,
    fact: FactMatch,
}

impl SpokenLines {
    /// Adds a line to be logged.
    pub(super) fn push(&mut self, log: Log) {
        let (ticket, reading, following) = (None, None, Vec::new());
        self.waiting.push_back(WaitingLine { log, since: Instant::now(), ticket, reading, following });
    }

    /// Returns a command that was typed, if no line waits to be logged. Otherwise, the command follows the waiting lines:
    /// for example, a line that was typed before a move is logged at the earlier place.
    pub(super) fn after_lines(&mut self, command: DeskCommand) -> Option<DeskCommand> {
        match self.waiting.back_mut() {
            Some(line) => {
                line.following.push(command);
                None
            }
            None => Some(command),
        }
    }

    /// Returns whether a line waits to be logged.
    pub(super) fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.confirmed.is_some()
    }

    /// Asks the memory to read the waiting lines, and receives its answers. `memory` is `None` if players can see the
    /// screen. Lines are then logged without facts, because the facts can be secrets.
    pub(super) fn update(&mut self, memory: Option<&Memory>) {
        for line in self.waiting.iter_mut().filter(|line| line.reading.is_none()) {
            let answer = line.ticket.as_ref().and_then(Ticket::try_take);
            let is_late = line.since.elapsed() > MAX_WAIT;
            match (answer, &line.log.lines[..]) {
                (Some(answer), [own]) => line.reading = Some(answer.unwrap_or_else(|_| unread(own))),
                (None, [own]) if !is_late && memory.is_some() => {
                    if line.ticket.is_none() {
                        // If the queue of the memory is full, the next frame tries again.
                        let unrecorded = UnrecordedLine::new(own.clone());
                        line.ticket = memory.and_then(|memory| memory.read_line(unrecorded).ok());
                    }
                }
                (_, lines) => line.reading = Some(lines.first().map(unread).unwrap_or_default()),
            }
        }
    }

    /// Returns the commands for the lines that were read, and for an answered question.
    pub(super) fn take_due(&mut self) -> Vec<Request> {
        let mut due: Vec<DeskCommand> = self.confirmed.take().into_iter().collect();
        while self.waiting.front().is_some_and(|line| line.reading.is_some()) {
            let Some(WaitingLine { mut log, reading, following, .. }) = self.waiting.pop_front() else { break };
            if let ([own], Some(reading)) = (&mut log.lines[..], reading) {
                let (line, FactMatches { states, may_state }) = reading.into_log_line();
                let speaker = line.speaker.as_ref().map(|speaker| speaker.id.clone());
                let text = line.text.trim().to_owned();
                self.is_out_of_character = line.talk_kind == Some(TalkKind::OutOfCharacter);
                *own = line;
                let question = |fact| Question { log: log.clone(), speaker, text, fact };
                self.question = may_state.into_iter().next().map(question);
                self.stated = states;
            }
            due.push(DeskCommand::Log(log));
            due.extend(following);
        }
        due.into_iter().map(Request::Execute).collect()
    }

    /// Answers the question. If the answer is yes, the hearers of the line learn the fact from its speaker, or witness
    /// the secret.
    pub(super) fn answer(&mut self, is_stated: bool) {
        let question = self.question.take().filter(|_| is_stated);
        self.confirmed = question.map(|question| {
            DeskCommand::custom("record the fact", move |world: &ReadSnapshot| question.telling(&world.state))
        });
    }

    /// Draws the question, or the facts that the last line states.
    pub(super) fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) {
        let mut answer = None;
        if let Some(question) = &self.question {
            ui.horizontal_wrapped(|ui| {
                let fact = shorten(&question.fact.statement, MAX_FACT_CHARS);
                let text = match question.speaker {
                    Some(_) if question.fact.unknown_to_speaker => format!(
                        "Does this line state a fact that its speaker does not know yet: \u{201C}{fact}\u{201D}?"
                    ),
                    Some(_) => format!("Does this line state a known fact: \u{201C}{fact}\u{201D}?"),
                    None => format!(
                        "Does this secret come out: \u{201C}{fact}\u{201D}? If not, nobody hears the line, unless all \
                         hearers know the secret."
                    ),
                };
                ui.label(visual_order(&text).into_owned());
                for (command, is_stated) in [(&commands::CONFIRM_FACT, true), (&commands::DENY_FACT, false)] {
                    if command_button_without_keys(ui, display, command).clicked() {
                        answer = Some(is_stated);
                    }
                }
            });
        } else if !self.stated.is_empty() {
            let statements = self.stated.iter().map(|fact| shorten(&fact.statement, MAX_FACT_CHARS));
            let text = format!("The line states: {}", statements.collect::<Vec<_>>().join("; "));
            weak_label(ui, display, &visual_order(&text));
        } else if self.is_out_of_character {
            weak_label(ui, display, OUT_OF_CHARACTER);
        }
        if let Some(is_stated) = answer {
            self.answer(is_stated);
        }
    }
}

/// Returns the reading of a line that the memory did not read. The log finds the speaker of such a line.
fn unread(line: &LogLine) -> LineReading {
    let marked_kind = line.is_marked_out_of_character().then_some(TalkKind::OutOfCharacter);
    LineReading { line: line.clone(), talk_kind: line.talk_kind.or(marked_kind), facts: FactMatches::default() }
}

impl Question {
    /// Returns the operation with which the hearers of the line learn the fact.
    fn telling(&self, state: &State) -> Result<Operation, MemoryError> {
        let Some(speaker) = &self.speaker else {
            let mut log = self.log.clone();
            log.lines.iter_mut().for_each(|line| line.states = vec![self.fact.fact]);
            return Ok(log.operation(state, Author::Dm, real_time())?);
        };
        let passage = self.logged_line(state);
        // The speaker must learn the fact too.
        if let Some(passage) = passage.filter(|_| self.fact.unknown_to_speaker) {
            let (recorded_line, states) = (Some(passage.line), vec![self.fact.fact]);
            let lines = vec![LogLine { recorded_line, states, ..LogLine::default() }];
            let log = Log { session: passage.session.clone(), lines, ..Log::default() };
            return Ok(log.operation(state, Author::Dm, real_time())?);
        }
        let listed = |passage: &Passage| {
            let hearers = passage.heard_by.iter().filter_map(|knower| knower.entity());
            Hearers::Listed(hearers.filter(|id| *id != speaker).cloned().collect())
        };
        let circumstances = passage.map_or_else(Circumstances::default, |passage| Circumstances {
            place: passage.place.clone(),
            time: passage.time.as_ref().map(|date| date.raw.clone()),
            session: passage.session.clone(),
        });
        let alias = passage.and_then(|passage| passage.speaker_alias.clone());
        let telling = GameEvent::Tell {
            teller: Speaker { id: speaker.clone(), alias },
            fact: Stated::Recorded(self.fact.fact),
            hearers: passage.map_or(Hearers::AtPlace, listed),
            retold: None,
            lie: self.fact.lie,
            citing: None,
            credence: None,
            circumstances,
        };
        Ok(telling.operation(state, Author::Dm, real_time())?)
    }

    /// Returns the latest line of the session being played with the words and the speaker of the question.
    fn logged_line<'a>(&self, state: &'a State) -> Option<&'a Passage> {
        let session = &state.active_session()?.session;
        let passages = state.passages_in_session(Some(session)).map(|(_, passage)| &**passage);
        let same = passages.filter(|passage| passage.speaker == self.speaker && passage.text == self.text);
        same.max_by_key(|passage| passage.line)
    }
}
