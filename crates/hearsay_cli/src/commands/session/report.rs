//! Prints the report of a session, and its threads.

use anyhow::Result;
use hearsay_commands::session::unknown_speakers;
use hearsay_query::session::{ContradictionRow, FoundFact, SessionReport, TalkCounts, Thread, ThreadKind};

use crate::{
    args::Campaign,
    display_names::DisplayNames,
    output::{Output, count},
    style::Line,
};

/// How many rows of a list are printed.
#[derive(Clone, Copy)]
struct Extent<'a> {
    /// Maximum number of printed rows.
    limit: usize,
    /// Number of further rows that the report does not contain.
    unlisted: usize,
    /// Command that shows the rows that are not printed.
    command: &'a str,
}

/// Prints a heading, the first rows, the number of remaining rows, and the command that shows them.
fn print_list<T>(
    title: &str,
    rows: &[T],
    extent: Extent,
    output: &mut Output,
    line: impl Fn(&T) -> String,
) -> Result<()> {
    if rows.is_empty() && extent.unlisted == 0 {
        return Ok(());
    }
    output.line(Line::heading(title))?;
    for row in rows.iter().take(extent.limit) {
        output.line(format!("  {}", line(row)))?;
    }
    match rows.len().saturating_sub(extent.limit) + extent.unlisted {
        0 => Ok(()),
        all if rows.is_empty() => output.line(format!("  {all}: see `{}`", extent.command)),
        more => output.line(format!("  and {more} more: `{}`", extent.command)),
    }
}

pub(super) fn print_report(
    report: &SessionReport,
    limit: usize,
    names: &DisplayNames,
    output: &mut Output,
) -> Result<()> {
    let SessionReport { session, counts, .. } = report;
    let number = session.number.map_or(String::new(), |number| format!(", session {number}"));
    output.line(Line::heading(&session.title).id(format!(" ({}{number})", session.id)))?;
    output.line(format!("  present: {}", names.list(&session.present)))?;
    let waiting = if counts.waiting > 0 { format!(", {} for review", counts.waiting) } else { String::new() };
    output.line(format!(
        "  {}, {} recorded{waiting}, {} learned",
        count(counts.lines, "line", "lines"),
        count(counts.facts, "fact", "facts"),
        count(counts.learned, "fact", "facts")
    ))?;
    print_talk(&counts.talk, output)?;
    let thread = |row: &Thread| thread_line(row, names);
    let command = format!("session show {} --limit N", session.id);
    let extent = Extent { limit, unlisted: 0, command: &command };
    let to_confirm = Extent { unlisted: report.omitted_review, command: "review", ..extent };
    print_list("Facts to confirm:", &report.review, to_confirm, output, |row| {
        format!("{}  [{} \u{00B7} {} \u{00B7} {}]", row.statement, row.status, row.reasons.join(", "), row.fact.short())
    })?;
    print_list("Withheld, because they may state a secret:", &report.withheld, extent, output, |row| {
        let (line, session) = (row.line, &session.id);
        format!("line {line}: {}  [the secret comes out: `log --line {line} --yes --session {session}`]", row.text)
    })?;
    print_list("Secrets that came out:", &report.secrets_out, extent, output, |row| {
        let learners: Vec<String> =
            row.learned_by.iter().map(|(knower, how)| format!("{}, {how}", names.knower(knower))).collect();
        format!("{}  [{} \u{00B7} {}]", row.statement, learners.join("; "), row.fact.short())
    })?;
    print_list("Promises made:", &report.promises, extent, output, thread)?;
    print_list("Contradictions:", &report.contradictions, extent, output, contradiction_line)?;
    print_list("Mentioned, without an entity of their own:", &report.new_names, extent, output, |row| {
        format!("{} ({})  [{}]", row.name, count(row.lines, "line", "lines"), row.fact.short())
    })?;
    let unknown: Vec<(String, Vec<u32>)> = unknown_speakers(names.state(), &session.id).into_iter().collect();
    print_list("Names before a colon that no entity has:", &unknown, extent, output, |(name, lines)| {
        let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        format!("{name} ({noun} {})", numbers.join(", "))
    })?;
    for learner in &report.learned {
        let title = format!("{} learned {}:", learner.name, count(learner.facts.len(), "fact", "facts"));
        // Shows only a few facts per NPC; `know knows` lists all of them.
        let knows = format!("know knows {} --since {}", learner.knower, session.id);
        let few = Extent { limit: limit.min(3), command: &knows, ..extent };
        print_list(&title, &learner.facts, if learner.player { extent } else { few }, output, |row| {
            format!("{}  [{} \u{00B7} {}]", row.statement, row.acquisition, row.fact.short())
        })?;
    }
    print_list("Changed:", &report.changed, extent, output, |row| {
        let kind = format!("{:?}", row.kind).to_lowercase();
        format!("{kind}: {}  [{}]", row.statement, row.fact.short())
    })?;
    let open = Extent { unlisted: report.omitted_threads, command: "session threads", ..extent };
    print_list("Open threads:", &report.threads, open, output, thread)
}

/// Prints the commands for what comes after a session: the review, the recaps and the handbook.
pub(super) fn print_next_steps(campaign: &Campaign, report: &SessionReport, output: &mut Output) -> Result<()> {
    let session = &report.session;
    output.line(Line::heading("Next:"))?;
    let mut steps = Vec::new();
    if report.counts.waiting > 0 || !report.contradictions.is_empty() {
        steps.push(("review".to_owned(), "decide on the facts that wait".to_owned()));
    }
    steps.push((format!("session recap {}", session.id), "the recap for you".to_owned()));
    steps.push((format!("session recap {} --players", session.id), "the recap to read aloud".to_owned()));
    let character = session.present.first().map(|character| {
        (format!("session recap {} --as {character}", session.id), "the recap for one character".to_owned())
    });
    steps.extend(character);
    steps.push(("export --format handbook --output handbook.md".to_owned(), "the handbook of the players".to_owned()));
    let rows: Vec<[String; 2]> =
        steps.into_iter().map(|(command, purpose)| [format!("  {}", campaign.command(&command)), purpose]).collect();
    output.columns(&rows)
}

/// Formats a contradiction: its statements with their status.
pub(super) fn contradiction_line(row: &ContradictionRow) -> String {
    let statement = |fact: &FoundFact| format!("{} ({}, {})", fact.statement, fact.status, fact.fact.short());
    row.facts.iter().map(statement).collect::<Vec<_>>().join(" \u{2194} ")
}

/// Prints the number of lines of each kind of talk, unless no kind is known.
pub(super) fn print_talk(talk: &TalkCounts, output: &mut Output) -> Result<()> {
    let TalkCounts { narration, in_character, out_of_character, withheld, unknown } = talk;
    if narration + in_character + out_of_character + withheld == 0 {
        return Ok(());
    }
    let others = [(withheld, "withheld"), (unknown, "unknown")].into_iter().filter(|(number, _)| **number > 0);
    let others: String = others.map(|(number, kind)| format!(", {number} {kind}")).collect();
    output.line(format!(
        "  lines by kind of talk: {narration} narration, {in_character} in character, \
         {out_of_character} out of character{others}"
    ))
}

fn kind_name(kind: ThreadKind) -> &'static str {
    match kind {
        ThreadKind::Quest => "quest",
        ThreadKind::Promise => "promise",
        ThreadKind::Debt => "debt",
        ThreadKind::Secret => "secret",
    }
}

pub(super) fn thread_line(thread: &Thread, names: &DisplayNames) -> String {
    let mut marks: Vec<String> = thread.details.clone();
    if thread.kind == ThreadKind::Secret {
        marks.push(format!("known to {}", names.list(&thread.entities)));
    }
    marks.extend(thread.since.as_ref().map(|since| format!("since {since}")));
    marks.extend(thread.fact.map(|fact| fact.short()));
    format!("{}: {}  [{}]", kind_name(thread.kind), thread.description, marks.join(" \u{00B7} "))
}
