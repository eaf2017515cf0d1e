//! Functions for commands about facts: resolving predicates, and printing facts.

use std::collections::BTreeSet;

use anyhow::Result;
use hearsay_belief::BeliefStatus;
use hearsay_model::{EntityId, FactStatus, Position, Vocabulary};
use hearsay_query::{as_of::AsOf, facts::FactRow, known_facts::ViewFactRow};

use crate::{
    args::PointInTime,
    output::{CliError, NOT_FOUND, Output, USAGE_ERROR},
    style::Line,
};

impl From<&PointInTime> for AsOf {
    fn from(point_in_time: &PointInTime) -> Self {
        Self { time: point_in_time.as_of.clone(), recorded: point_in_time.recorded.map(Position) }
    }
}

/// Returns an error if `point_in_time` has a date but no knower is given, because only a knower's view depends on a
/// date.
pub(crate) fn require_knower(point_in_time: &PointInTime, knower: Option<&String>) -> Result<()> {
    if point_in_time.as_of.is_some() && knower.is_none() {
        let message = "--as-of works only together with --as, because it selects what a character knew at a date; \
                       to see the campaign after an earlier operation, use --recorded";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    Ok(())
}

/// Returns the predicate to which the user's text refers. Ignores case, and treats spaces, `-` and `_` alike. The
/// predicate must be in the vocabulary or among the predicates of `facts`.
pub(crate) fn known_predicate<'a>(
    vocabulary: &'a Vocabulary,
    facts: impl Iterator<Item = &'a str>,
    given: &str,
) -> Result<String, CliError> {
    let normalize = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
    let normalized = normalize(given);
    let mut known: BTreeSet<&str> = facts.collect();
    known.extend(vocabulary.predicates().map(|def| def.name.as_str()));
    known.extend(vocabulary.attributes().map(|def| def.name.as_str()));
    if known.contains(given) {
        return Ok(given.to_owned());
    }
    if let Some(name) = known.iter().find(|name| normalize(name) == normalized) {
        return Ok((*name).to_owned());
    }
    let similar: Vec<_> =
        known.iter().filter(|name| have_common_word(&normalize(name), &normalized)).take(5).copied().collect();
    let hint = if similar.is_empty() {
        "`hearsay db stats` lists the predicates in use".to_owned()
    } else {
        format!("did you mean {}?", similar.join(", "))
    };
    Err(CliError::new(NOT_FOUND, format!("no fact has the predicate `{given}`; {hint}")))
}

fn have_common_word(a: &str, b: &str) -> bool {
    a.split('_').any(|word| word.len() > 3 && b.split('_').any(|other| word == other))
}

/// Prints a fact in one line: id, statement, and properties such as its status.
pub(crate) fn print_fact_line(prefix: &str, row: &FactRow, output: &mut Output) -> Result<()> {
    let mut details = vec![row.predicate.to_string()];
    if row.status != FactStatus::Canon {
        details.push(row.status.to_string());
    }
    if row.secrecy != "open" {
        details.push(row.secrecy.to_owned());
    }
    details.extend(row.until.as_ref().map(|until| format!("until {until}")));
    // Omits the field in parentheses, which the full page of a fact shows.
    let citation_place =
        |evidence: &String| evidence.split_once(" (").map_or(evidence.clone(), |(place, _)| place.to_owned());
    details.extend(row.evidence.first().map(citation_place));
    let line = Line::from(prefix).id(row.id.short()).plain(format!("  {}", row.statement));
    output.line(line.id(format!("  [{}]", details.join(" \u{00B7} "))))
}

/// Prints a fact in one line, as one character knows it: id, statement, and how the character knows it.
pub(crate) fn print_view_fact_line(prefix: &str, row: &ViewFactRow, output: &mut Output) -> Result<()> {
    let mut details = vec![row.predicate.to_string()];
    details.extend(row.secret.then(|| "secret".to_owned()));
    details.extend(row.until.as_ref().map(|until| format!("until {until}")));
    details.push(row.citation.describe_acquisition());
    details.extend(Some(belief_remark(&row.hold, row.credence)).filter(|remark| !remark.is_empty()).map(str::to_owned));
    details.extend(row.citation.file.clone());
    let line = Line::from(prefix).id(row.id.short()).plain(format!("  {}", row.statement));
    output.line(line.id(format!("  [{}]", details.join(" \u{00B7} "))))
}

/// Maximum credence of a fact that its knower doubts. With a higher credence, the knower has only heard of the fact.
const MAX_DOUBTED: f64 = 0.35;

/// Returns a remark about how a knower regards a fact; empty if the knower simply believes it.
pub(crate) fn belief_remark(status: &BeliefStatus, credence: f64) -> &'static str {
    match status {
        BeliefStatus::Believed => "",
        BeliefStatus::Doubted if credence > MAX_DOUBTED => "is not sure of it",
        BeliefStatus::Doubted => "doubts it",
        BeliefStatus::Ended(_) => "knows that it ended",
        BeliefStatus::Superseded(_) => "knows a newer value",
        BeliefStatus::Outweighed(_) => "believes otherwise",
    }
}

/// Formats the ids of entities as a list.
pub(crate) fn format_ids(ids: &[EntityId]) -> String {
    ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", ")
}
