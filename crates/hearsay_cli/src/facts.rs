//! Functions for commands about facts: reading the state at a date, resolving predicates, and printing facts.

use std::collections::BTreeSet;

use anyhow::Result;
use hearsay_engine::{Memory, MemoryError};
use hearsay_model::{FactStatus, GameTime, Position, State};
use hearsay_query::{as_of::AsOf, facts::FactRow};

use crate::{
    args::When,
    output::{Fault, NO_SUCH, Output, WRONG_LINE},
    style::Line,
};

impl From<&When> for AsOf {
    fn from(when: &When) -> Self {
        Self { time: when.as_of.clone(), recorded: when.recorded.map(Position) }
    }
}

/// Reads the state at the journal position of `when` on a background thread. `reading` receives this state and the
/// requested game time.
pub(crate) fn read<T: Send + 'static>(
    memory: &Memory,
    when: &When,
    reading: impl FnOnce(&State, Option<GameTime>) -> Result<T, MemoryError> + Send + 'static,
) -> Result<T> {
    let as_of = AsOf::from(when);
    let ticket = memory.read_in_background(move |world| {
        let state = as_of.state(&world.state)?;
        let moment = as_of.moment(&state)?;
        reading(&state, moment)
    })?;
    Ok(ticket.wait()?)
}

/// Returns an error if `when` has a date but no knower is given, because only a knower's view depends on a date.
pub(crate) fn needs_knower(when: &When, knower: Option<&String>) -> Result<()> {
    if when.as_of.is_some() && knower.is_none() {
        let what = "--as-of needs --as, because it shows the knowledge of one character at a date; use --recorded for earlier records";
        return Err(Fault::new(WRONG_LINE, what).into());
    }
    Ok(())
}

/// Returns the predicate to which the user's text refers. Ignores case, and treats spaces, `-` and `_` alike. The
/// predicate must be in the vocabulary or in a recorded fact.
pub(crate) fn known_predicate(state: &State, given: &str) -> Result<String, Fault> {
    let plain = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let wanted = plain(given);
    let vocabulary = state.vocabulary();
    let mut known: BTreeSet<&str> = state.facts().map(|fact| fact.predicate().as_str()).collect();
    known.extend(vocabulary.predicates().map(|def| def.name.as_str()));
    known.extend(vocabulary.attributes().map(|def| def.name.as_str()));
    if known.contains(given) {
        return Ok(given.to_owned());
    }
    if let Some(name) = known.iter().find(|name| plain(name) == wanted) {
        return Ok((*name).to_owned());
    }
    let alike: Vec<_> = known.iter().filter(|name| shares_word(&plain(name), &wanted)).take(5).copied().collect();
    let hint = if alike.is_empty() {
        "`hearsay db stats` lists the predicates in use".to_owned()
    } else {
        format!("did you mean {}?", alike.join(", "))
    };
    Err(Fault::new(NO_SUCH, format!("no fact has the predicate `{given}`; {hint}")))
}

fn shares_word(a: &str, b: &str) -> bool {
    a.split('_').any(|word| word.len() > 3 && b.split('_').any(|other| word == other))
}

/// Prints a fact in one line: id, statement, and properties such as its status.
pub(crate) fn fact_line(before: &str, row: &FactRow, output: &mut Output) -> Result<()> {
    let mut marks = vec![row.predicate.to_string()];
    if row.status != FactStatus::Canon {
        marks.push(row.status.to_string());
    }
    if row.secrecy != "open" {
        marks.push(row.secrecy.to_owned());
    }
    marks.extend(row.until.as_ref().map(|until| format!("until {until}")));
    // Omits the field in parentheses, which the full page of a fact shows.
    let short = |evidence: &String| evidence.split_once(" (").map_or(evidence.clone(), |(place, _)| place.to_owned());
    marks.extend(row.evidence.first().map(short));
    let line = Line::from(before).id(row.id.short()).plain(format!("  {}", row.statement));
    output.line(line.id(format!("  [{}]", marks.join(" \u{00B7} "))))
}
