//! Recorded facts that a spoken line states. This module recognizes and prints these facts, and asks the user about
//! doubtful facts.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    sync::Arc,
};

use anyhow::Result;
use hearsay_commands::fact_matching::{FactMatch, SpokenLine};
use hearsay_engine::Memory;
use hearsay_model::{Fact, FactId, Knower, State, escape};
use hearsay_query::preview::Preview;
use serde::Serialize;

use crate::{display_names::DisplayNames, output::Output, texts};

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

/// The recorded facts that a line states, and those that it may state.
#[derive(Debug, Default, Serialize)]
pub(crate) struct LineFacts {
    states: Vec<StatedRow>,
    may_state: Vec<FactMatch>,
}

/// Finds the recorded facts that a line states. On a terminal, asks the user about the facts that it may state.
pub(crate) fn recognize(memory: &Memory, line: SpokenLine, output: &Output) -> Result<LineFacts> {
    let mut facts = find(memory, line)?;
    if !output.is_json() && io::stdin().is_terminal() && io::stderr().is_terminal() {
        let mut screen = io::stderr().lock();
        let mut confirmed = std::mem::take(&mut facts.may_state);
        confirmed.retain(|fact| confirm(fact, &mut io::stdin().lock(), &mut screen));
        facts.states.extend(confirmed.into_iter().map(StatedRow::new));
    }
    Ok(facts)
}

/// Finds the recorded facts that a line states or may state, without asking the user.
pub(crate) fn find(memory: &Memory, line: SpokenLine) -> Result<LineFacts> {
    texts::wait_until_ready(memory)?;
    let matches = memory.match_facts(line)?.wait()?;
    Ok(LineFacts { states: matches.states.into_iter().map(StatedRow::new).collect(), may_state: matches.may_state })
}

/// Asks whether a line states a fact. Only an answer that begins with "y" means yes.
fn confirm(fact: &FactMatch, input: &mut impl BufRead, screen: &mut impl Write) -> bool {
    let question = format!("is this \"{}\": \"{}\"? [y/N] ", fact.reference(), escape::line(&fact.statement));
    let mut answer = String::new();
    let asked = write!(screen, "{question}").and_then(|()| screen.flush());
    asked.is_ok() && input.read_line(&mut answer).is_ok() && answer.trim().to_lowercase().starts_with('y')
}

impl LineFacts {
    /// Creates the facts that the user names.
    pub(crate) fn given(state: &State, ids: &[FactId]) -> Self {
        let fact_match = |fact: &Arc<Fact>| FactMatch {
            fact: fact.id(),
            handle: fact.handle().map(str::to_owned),
            statement: fact.statement().to_owned(),
            score: 1.0,
        };
        let facts = ids.iter().filter_map(|id| state.fact(*id));
        Self { states: facts.map(|fact| StatedRow::new(fact_match(fact))).collect(), may_state: Vec::new() }
    }

    /// Returns whether the line states no fact.
    pub(crate) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns the facts that the line states.
    pub(crate) fn ids(&self) -> Vec<FactId> {
        self.states.iter().map(|row| row.fact.fact).collect()
    }

    /// Treats all facts as facts that the line may state.
    pub(crate) fn doubt_all(&mut self) {
        self.may_state.splice(0..0, self.states.drain(..).map(|row| row.fact));
    }

    /// Sets who learns the facts, from a preview of the operation that records the line.
    pub(crate) fn set_learned_by(&mut self, preview: &Preview) {
        for row in &mut self.states {
            let lessons =
                preview.lessons.iter().filter(|lesson| lesson.fact == row.fact.fact && lesson.before.is_none());
            row.learned_by = lessons.map(|lesson| lesson.knower.clone()).collect();
        }
    }

    /// Prints the facts.
    pub(crate) fn print(&self, names: &DisplayNames, output: &mut Output) -> Result<()> {
        for StatedRow { fact, learned_by } in &self.states {
            let learned_by = match &learned_by[..] {
                [] => "nobody new".to_owned(),
                knowers => names.list_knowers(knowers),
            };
            output.line(format!("  states: {}: \"{}\"; learned by: {learned_by}", fact.reference(), fact.statement))?;
        }
        for fact in &self.may_state {
            let (reference, statement) = (fact.reference(), &fact.statement);
            output.line(format!(
                "  may state: {reference}: \"{statement}\" (to confirm, repeat the line with --states {reference})"
            ))?;
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
        let fact = FactMatch { fact: fact.id(), handle: Some("odo-fear".into()), statement, score: 0.6 };
        let mut screen = Vec::new();
        let mut answer = |typed: &str| confirm(&fact, &mut typed.as_bytes(), &mut screen);
        assert!(answer("y\n") && answer("Yes\n"));
        assert!(!answer("\n") && !answer("n\n") && !answer(""));
        let screen = String::from_utf8(screen).unwrap();
        assert!(screen.starts_with("is this \"odo-fear\": \"Odo fears the sea.\"? [y/N] "), "{screen}");
    }
}
