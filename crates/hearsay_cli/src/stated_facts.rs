//! Recorded facts that a spoken line states, and secrets that narration states. This module recognizes and prints these
//! facts, and asks the user about doubtful facts and about secrets.

use std::{
    collections::BTreeSet,
    io::{self, BufRead, Write},
    sync::Arc,
};

use anyhow::Result;
use hearsay_belief::{Known, View};
use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches, SpokenLine},
    line_reading::{LineReading, UnrecordedLine},
};
use hearsay_engine::Memory;
use hearsay_model::{Fact, FactId, Knower, Passage, PassageId, State, escape};
use hearsay_query::{facts::is_secret, preview::Preview};
use serde::Serialize;

use crate::{args::Campaign, choice, display_names::DisplayNames, output::Output, texts};

/// A recorded fact that a line states, with the knowers who learn it from the line.
#[derive(Debug, Serialize)]
struct StatedRow {
    #[serde(flatten)]
    fact: FactMatch,
    learned_by: Vec<Knower>,
}

impl StatedRow {
    fn new(fact: FactMatch) -> Self {
        Self { fact, learned_by: Vec::new() }
    }
}

/// A secret that narration may state and that does not come out, with the hearers of the line that do not know it.
#[derive(Debug, Serialize)]
struct WithheldRow {
    #[serde(flatten)]
    fact: FactMatch,
    unknown_to: Vec<Knower>,
}

/// The recorded facts that a line states, and those that it may state.
#[derive(Debug, Default, Serialize)]
pub(crate) struct LineFacts {
    states: Vec<StatedRow>,
    may_state: Vec<FactMatch>,
    /// Secrets because of which no character hears the line.
    withheld: Vec<WithheldRow>,
}

/// Finds the recorded facts that a line states. On a terminal, asks the user about the facts that it may state.
pub(crate) fn recognize(memory: &Memory, line: SpokenLine, output: &Output) -> Result<LineFacts> {
    texts::wait_until_ready(memory)?;
    let mut facts = LineFacts::from(memory.match_facts(line)?.wait()?);
    facts.confirm(output);
    Ok(facts)
}

/// Finds the speaker of a line that is not recorded yet, its kind of talk, and the recorded facts that it states.
pub(crate) fn read_line(memory: &Memory, line: UnrecordedLine) -> Result<LineReading> {
    texts::wait_until_ready(memory)?;
    Ok(memory.read_line(line)?.wait()?)
}

/// Sorts the secrets that narration may state. `hearers_without` returns the hearers of the line that do not know a
/// secret; a secret that all hearers know is dropped. On a terminal, asks the user whether each secret comes out.
pub(crate) fn confirm_secrets(
    found: FactMatches,
    hearers_without: impl Fn(FactId) -> Vec<Knower>,
    output: &Output,
) -> LineFacts {
    let mut facts = LineFacts::default();
    for fact in found.states.into_iter().chain(found.may_state) {
        let unknown_to = hearers_without(fact.fact);
        if unknown_to.is_empty() {
            continue;
        }
        let reference = fact.reference();
        let question =
            format!("does the secret \"{reference}\" come out: \"{}\"? [y/N] ", escape::line(&fact.statement));
        if output.is_confirmed(&question) {
            facts.states.push(StatedRow::new(fact));
        } else {
            facts.withheld.push(WithheldRow { fact, unknown_to });
        }
    }
    facts
}

/// Returns the recorded secrets that the extraction found in a line, each with the knowers that learned it from the
/// line. `earlier` is the state before the line was logged.
pub(crate) fn extracted_secrets(memory: &Memory, passages: &[Arc<Passage>], earlier: Arc<State>) -> Result<LineFacts> {
    let ids: Vec<PassageId> = passages.iter().map(|passage| passage.id()).collect();
    let read = memory.read(move |world| {
        let state = &world.state;
        let facts = ids.iter().flat_map(|id| state.facts_citing(*id));
        let secrets = facts.filter(|fact| earlier.fact(fact.id()).is_some() && is_secret(state, fact));
        let row = |fact: &Arc<Fact>| {
            let is_new = |knower: &Knower| earlier.known_by(fact.id()).all(|edge| edge.knower != *knower);
            let knowers = state.known_by(fact.id()).map(|edge| edge.knower.clone());
            let learned_by: BTreeSet<Knower> = knowers.filter(is_new).collect();
            StatedRow { learned_by: learned_by.into_iter().collect(), ..StatedRow::new(recorded_fact(fact)) }
        };
        let states = secrets.map(row).filter(|row| !row.learned_by.is_empty());
        Ok(LineFacts { states: states.collect(), ..LineFacts::default() })
    })?;
    Ok(read.wait()?)
}

/// Returns a recorded fact as a certain match.
fn recorded_fact(fact: &Arc<Fact>) -> FactMatch {
    FactMatch {
        fact: fact.id(),
        handle: fact.handle().map(str::to_owned),
        statement: fact.statement().to_owned(),
        score: 1.0,
        lie: false,
        unknown_to_speaker: false,
    }
}

/// Returns the reference and the sentence of a fact, whether the speaker lies about it, and whether the speaker does not
/// know it yet.
fn described(fact: &FactMatch) -> String {
    let remark = match (fact.lie, fact.unknown_to_speaker) {
        (true, _) => ", which the speaker does not believe: a lie",
        (false, true) => ", which the speaker does not know yet",
        (false, false) => "",
    };
    format!("{}: \"{}\"{remark}", fact.reference(), fact.statement)
}

/// Returns the command with which the DM confirms that a recorded line states a fact.
pub(crate) fn confirmation(campaign: &Campaign, line: u32, session: Option<&str>, fact: &FactMatch) -> String {
    let session = session.map(|session| format!(" --session {session}")).unwrap_or_default();
    let command = campaign.command(&format!("log --line {line} --states {}{session}", fact.reference()));
    format!("run `{command}`")
}

/// Returns the option with which the DM confirms that a line states a fact, for a line that is not recorded yet.
pub(crate) fn repeated_confirmation(fact: &FactMatch) -> String {
    format!("repeat the command with --states {}", fact.reference())
}

/// Asks whether a line states a fact.
fn confirm(fact: &FactMatch, input: &mut impl BufRead, screen: &mut impl Write) -> bool {
    let remark = if fact.unknown_to_speaker { " (the speaker does not know it yet)" } else { "" };
    let question = format!("is this \"{}\": \"{}\"{remark}? [y/N] ", fact.reference(), escape::line(&fact.statement));
    choice::is_confirmed(&question, input, screen)
}

impl From<FactMatches> for LineFacts {
    fn from(matches: FactMatches) -> Self {
        let states = matches.states.into_iter().map(StatedRow::new).collect();
        Self { states, may_state: matches.may_state, ..Self::default() }
    }
}

impl LineFacts {
    /// On a terminal, asks the user about the facts that the line may state.
    pub(crate) fn confirm(&mut self, output: &Output) {
        if !output.can_ask() {
            return;
        }
        let mut screen = io::stderr();
        let mut confirmed = std::mem::take(&mut self.may_state);
        confirmed.retain(|fact| confirm(fact, &mut io::stdin().lock(), &mut screen));
        self.states.extend(confirmed.into_iter().map(StatedRow::new));
    }

    /// Creates the facts that the user names.
    pub(crate) fn given(state: &State, ids: &[FactId]) -> Self {
        let facts = ids.iter().filter_map(|id| state.fact(*id));
        Self { states: facts.map(|fact| StatedRow::new(recorded_fact(fact))).collect(), ..Self::default() }
    }

    /// Adds the facts of another recognition of the same line.
    pub(crate) fn extend(&mut self, other: Self) {
        self.states.extend(other.states);
        self.may_state.extend(other.may_state);
        self.withheld.extend(other.withheld);
    }

    /// Returns whether the line states no fact.
    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns whether the line states or may state a fact.
    pub(crate) fn has_any(&self) -> bool {
        !self.states.is_empty() || !self.may_state.is_empty()
    }

    /// Returns whether the line may state a fact that the user has not confirmed.
    pub(crate) fn may_state_any(&self) -> bool {
        !self.may_state.is_empty()
    }

    /// Returns the facts that the line states.
    pub(crate) fn ids(&self) -> Vec<FactId> {
        self.states.iter().map(|row| row.fact.fact).collect()
    }

    /// Returns the secrets that do not come out.
    pub(crate) fn withheld_ids(&self) -> Vec<FactId> {
        self.withheld.iter().map(|row| row.fact.fact).collect()
    }

    /// Marks the facts that the speaker of the line does not believe at all. `speaker` is the view of the speaker.
    pub(crate) fn mark_lies(&mut self, speaker: &View) {
        for row in &mut self.states {
            row.fact.lie = speaker.fact(row.fact.fact).is_some_and(Known::is_disbelieved);
        }
    }

    /// Sets who learns the facts, from a preview of the operation that records the line.
    pub(crate) fn set_learned_by(&mut self, preview: &Preview) {
        for row in &mut self.states {
            let lessons =
                preview.lessons.iter().filter(|lesson| lesson.fact == row.fact.fact && lesson.before.is_none());
            row.learned_by = lessons.map(|lesson| lesson.knower.clone()).collect();
        }
    }

    /// Prints the facts. `confirmation` returns the command with which a fact that the line may state is confirmed.
    pub(crate) fn print(
        &self,
        names: &DisplayNames,
        confirmation: impl Fn(&FactMatch) -> String,
        output: &mut Output,
    ) -> Result<()> {
        for StatedRow { fact, learned_by } in &self.states {
            let learned_by = match &learned_by[..] {
                [] => "nobody new".to_owned(),
                knowers => names.list_knowers(knowers),
            };
            output.line(format!("  states: {}; learned by: {learned_by}", described(fact)))?;
        }
        for WithheldRow { fact, unknown_to } in &self.withheld {
            let unknown_to = names.list_knowers(unknown_to);
            output.line(format!(
                "  secret: {}: \"{}\"; not known to: {unknown_to}",
                fact.reference(),
                fact.statement
            ))?;
        }
        for fact in &self.may_state {
            output.line(format!("  may state: {} (to confirm, {})", described(fact), confirmation(fact)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use hearsay_model::{Author, EntityId, Fact, Method, Provenance};

    use super::*;

    #[test]
    fn only_yes_confirms_a_fact() {
        let odo = EntityId::new("odo").unwrap();
        let provenance = Provenance::new(Method::Stated, Author::Dm);
        let fact = Fact::attribute(&odo, "lore", "Odo fears the sea.", provenance).unwrap().build().unwrap();
        let statement = "Odo fears the sea.".to_owned();
        let handle = Some("odo-fear".into());
        let (fact, score) = (fact.id(), 0.6);
        let fact = FactMatch { fact, handle, statement, score, lie: false, unknown_to_speaker: false };
        let mut screen = Vec::new();
        let mut answer = |typed: &str| confirm(&fact, &mut typed.as_bytes(), &mut screen);
        assert!(answer("y\n") && answer("Yes\n"));
        assert!(!answer("\n") && !answer("n\n") && !answer(""));
        let screen = String::from_utf8(screen).unwrap();
        assert!(screen.starts_with("is this \"odo-fear\": \"Odo fears the sea.\"? [y/N] "), "{screen}");
    }
}
