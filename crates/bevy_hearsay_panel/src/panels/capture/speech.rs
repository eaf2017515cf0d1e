//! Logs lines that characters say. Waits until the memory has found the facts that a line states, and asks the DM about
//! doubtful facts.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use egui::Ui;
use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches, SpokenLine},
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    session::Log,
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, real_time};
use hearsay_model::{Author, EntityId, Operation, Passage, State};
use hearsay_query::resolve::Speaker;

use crate::{
    commands,
    direction::visual_order,
    panel::{DeskCommand, DisplayContext, Request},
    text::shorten,
    widgets::{command_button_without_keys, weak_label},
};

/// Maximum time to wait for the facts that a line states. After this time, the line is logged without facts.
const MAX_WAIT: Duration = Duration::from_secs(2);

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
    /// Command that answers a question, not yet sent.
    confirmed: Option<DeskCommand>,
}

#[derive(Debug)]
struct WaitingLine {
    log: Log,
    since: Instant,
    ticket: Option<Ticket<FactMatches>>,
    /// Facts that the line states; `None` while they are not known.
    matches: Option<FactMatches>,
}

/// A fact that a logged line possibly states. The DM answers whether the line states it.
#[derive(Debug, Clone)]
struct Question {
    speaker: EntityId,
    text: String,
    fact: FactMatch,
}

impl SpokenLines {
    /// Adds a line to be logged.
    pub(super) fn push(&mut self, log: Log) {
        self.waiting.push_back(WaitingLine { log, since: Instant::now(), ticket: None, matches: None });
    }

    /// Returns whether a line waits to be logged.
    pub(super) fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.confirmed.is_some()
    }

    /// Asks the memory for the facts that the waiting lines state, and receives its answers. `memory` is `None` if
    /// players can see the screen. Lines are then logged without facts, because the facts can be secrets.
    pub(super) fn update(&mut self, memory: Option<&Memory>) {
        for line in self.waiting.iter_mut().filter(|line| line.matches.is_none()) {
            let answer = line.ticket.as_ref().and_then(Ticket::try_take);
            let is_late = line.since.elapsed() > MAX_WAIT;
            match (answer, spoken_line(&line.log)) {
                (Some(answer), _) => line.matches = Some(answer.unwrap_or_default()),
                (None, Some(spoken)) if !is_late && memory.is_some() => {
                    if line.ticket.is_none() {
                        // If the queue of the memory is full, the next frame tries again.
                        line.ticket = memory.and_then(|memory| memory.match_facts(spoken).ok());
                    }
                }
                _ => line.matches = Some(FactMatches::default()),
            }
        }
    }

    /// Returns the commands for the lines whose facts are known, and for an answered question.
    pub(super) fn take_due(&mut self) -> Vec<Request> {
        let mut due: Vec<DeskCommand> = self.confirmed.take().into_iter().collect();
        while self.waiting.front().is_some_and(|line| line.matches.is_some()) {
            let Some(WaitingLine { mut log, matches, .. }) = self.waiting.pop_front() else { break };
            let FactMatches { states, may_state } = matches.unwrap_or_default();
            if let [line] = &mut log.lines[..] {
                line.states = states.iter().map(|fact| fact.fact).collect();
                let speaker = line.speaker.as_ref().map(|speaker| speaker.id.clone());
                let question = |(speaker, fact)| Question { speaker, text: line.text.trim().to_owned(), fact };
                self.question = speaker.zip(may_state.into_iter().next()).map(question);
                self.stated = states;
            }
            due.push(DeskCommand::Log(log));
        }
        due.into_iter().map(Request::Execute).collect()
    }

    /// Answers the question. If the answer is yes, the hearers of the line learn the fact from its speaker.
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
                ui.label(
                    visual_order(&format!("Does this line state a known fact: \u{201C}{fact}\u{201D}?")).into_owned(),
                );
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
        }
        if let Some(is_stated) = answer {
            self.answer(is_stated);
        }
    }

    /// Removes the facts of the last line from the display.
    pub(super) fn clear_stated(&mut self) {
        self.stated.clear();
    }
}

/// Returns the line to match with facts; `None` if no character says it.
fn spoken_line(log: &Log) -> Option<SpokenLine> {
    let [line] = &log.lines[..] else { return None };
    let speaker = line.speaker.as_ref()?;
    Some(SpokenLine { time: line.time.clone(), ..SpokenLine::new(speaker.id.clone(), &line.text) })
}

impl Question {
    /// Returns the operation with which the hearers of the line learn the fact from its speaker.
    fn telling(&self, state: &State) -> Result<Operation, MemoryError> {
        let passage = self.logged_line(state);
        let listed = |passage: &Passage| {
            let hearers = passage.heard_by.iter().filter_map(|knower| knower.entity());
            Hearers::Listed(hearers.filter(|id| **id != self.speaker).cloned().collect())
        };
        let circumstances = passage.map_or_else(Circumstances::default, |passage| Circumstances {
            place: passage.place.clone(),
            time: passage.time.as_ref().map(|date| date.raw.clone()),
            session: passage.session.clone(),
        });
        let alias = passage.and_then(|passage| passage.speaker_alias.clone());
        let telling = GameEvent::Tell {
            teller: Speaker { id: self.speaker.clone(), alias },
            fact: Stated::Recorded(self.fact.fact),
            hearers: passage.map_or(Hearers::AtPlace, listed),
            retold: None,
            lie: false,
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
        let same =
            passages.filter(|passage| passage.speaker.as_ref() == Some(&self.speaker) && passage.text == self.text);
        same.max_by_key(|passage| passage.line)
    }
}
