//! The `know` commands that read: knowledge, beliefs, derivations and secrets.

use anyhow::Result;
use hearsay_model::{EntityId, FactId, FactStatus};
use hearsay_query as query;
use hearsay_query::{
    beliefs::{BeliefReport, DerivationRow},
    knowledge::KnowsFilter,
    secrets::SecretFilter,
};
use serde_json::json;

use crate::{
    args::{self, PointInTime},
    campaign::{self, Access},
    display_names::DisplayNames,
    facts::{belief_remark, format_ids},
    names::Names,
    output::Output,
    style::Line,
    texts::EncoderUse,
};

fn format_since(date: Option<&String>) -> String {
    date.map_or(String::new(), |date| format!(", since {date}"))
}

fn format_marks(fact: FactId, parts: impl IntoIterator<Item = String>) -> String {
    let mut marks: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    marks.push(fact.short());
    format!("[{}]", marks.join(" \u{00B7} "))
}

/// Returns the function that names entities in texts: by name in the text output, and by id in the JSON output.
fn name_in(display: &DisplayNames, is_json: bool) -> impl Fn(&EntityId) -> String {
    move |id: &EntityId| if is_json { id.to_string() } else { display.name(id) }
}

pub(crate) fn knows(args: &args::Knows, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let names = names.in_view_of_optional(args.character.as_ref(), moment)?;
    let filter = KnowsFilter {
        about: names.optional_entity(args.about.as_ref())?,
        predicate: names.optional_predicate(args.predicate.as_ref())?,
        words: args.words.clone(),
        since: args.since.clone(),
        without_labels: !output.is_json(),
        limit: args.limit,
    };
    let Some(knower) = names.knower() else {
        let (rows, total) = query::knowledge::party(names.state(), &filter, moment)?;
        output.data(&json!({ "facts": rows, "all": total }))?;
        if rows.is_empty() {
            output.line("The players know no matching fact.")?;
        }
        for row in &rows {
            let status = if row.status == FactStatus::Canon { String::new() } else { row.status.to_string() };
            output.line(Line::from(&row.statement).id(format!("  {}", format_marks(row.fact, [status]))))?;
            for knower in &row.known_by {
                let concealment = if knower.conceals { ", conceals it" } else { "" };
                let since = format_since(knower.since.as_ref());
                output.line(format!(
                    "    {}: {}, credence {:.2}{since}{concealment}",
                    knower.knower, knower.acquisition, knower.credence
                ))?;
            }
        }
        output.omitted(rows.len(), total)?;
        return Ok(memory.close()?);
    };
    let (rows, total) = query::knowledge::knows(names.state(), &knower, &filter, moment)?;
    output.data(&json!({ "facts": rows, "all": total }))?;
    if rows.is_empty() {
        output.line("The character knows no matching fact.")?;
    }
    for row in &rows {
        let concealment = if row.conceals { "conceals it" } else { "" };
        let hearers = if row.told.is_empty() { String::new() } else { format!("told {}", format_ids(&row.told)) };
        let acquisition =
            format!("{}, credence {:.2}{}", row.acquisition, row.credence, format_since(row.since.as_ref()));
        let session = row.session.as_ref().map_or(String::new(), ToString::to_string);
        let marks = format_marks(
            row.fact,
            [acquisition, belief_remark(&row.hold, row.credence).to_owned(), session, concealment.to_owned(), hearers],
        );
        output.line(&row.statement)?;
        output.line(Line::default().id(format!("    {marks}")))?;
    }
    output.omitted(rows.len(), total)?;
    Ok(memory.close()?)
}

pub(crate) fn believes(args: &args::Believes, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (mut names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let knower = names.character(&args.character)?;
    if !args.truth {
        names = names.in_view_of(&knower, moment);
    }
    let predicate = names.optional_predicate(args.predicate.as_ref())?;
    let (state, predicate) = (names.state(), predicate.as_deref());
    let subject = names.entity(&args.subject)?;
    if let Some(other) = names.optional_entity(args.thinks_of.as_ref())? {
        let rows = query::beliefs::attributed_facts(state, &knower, &other, Some(&subject), predicate, moment)?;
        output.data(&rows)?;
        if rows.is_empty() {
            output.line("The character has no reason to think that the other character knows a matching fact.")?;
        }
        for row in &rows {
            let reasons = format!("{}, credence {:.2}{}", row.because, row.credence, format_since(row.since.as_ref()));
            output.line(Line::from(&row.statement).id(format!("  {}", format_marks(row.fact, [reasons]))))?;
        }
        return Ok(memory.close()?);
    }
    let mut answer = query::beliefs::beliefs(state, &knower, &subject, predicate, moment)?;
    if !args.truth {
        answer = answer.without_truth();
    }
    output.data(&answer)?;
    print_beliefs(&answer, output)?;
    Ok(memory.close()?)
}

fn print_beliefs(answer: &BeliefReport, output: &mut Output) -> Result<()> {
    if answer.answers.is_empty() {
        output.line(format!("{} knows no matching fact.", answer.knower))?;
    }
    for belief in &answer.answers {
        let status = belief.status.filter(|status| *status != FactStatus::Canon);
        let status = status.map_or(String::new(), |status| status.to_string());
        let credence = format!("credence {:.2}", belief.credence);
        let marks =
            format_marks(belief.fact, [credence, belief_remark(&belief.hold, belief.credence).to_owned(), status]);
        output.line(Line::from(&belief.statement).id(format!("  {marks}")))?;
        for reason in &belief.because {
            let session = reason.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
            let since = format_since(reason.since.as_ref());
            output.line(format!("    because: {}{since}{session} ({:.2})", reason.acquisition, reason.credence))?;
        }
        for against in &belief.against {
            let (text, credence, id) = (&against.statement, against.credence, against.fact.short());
            output.line(format!("    contradicted by: {text} ({credence:.2})  [{id}]"))?;
        }
    }
    let truth = answer.truth.as_deref().unwrap_or_default();
    if !truth.is_empty() {
        output.line("")?;
        output.line(Line::heading("The truth"))?;
    }
    for truth in truth {
        let remark = if truth.known { String::new() } else { format!("{} does not know this", answer.knower) };
        output.line(format!("  {}  {}", truth.statement, format_marks(truth.fact, [remark])))?;
    }
    Ok(())
}

pub(crate) fn chain(args: &args::KnowerAndFact, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let (knower, fact) = (names.character(&args.character)?, names.fact(&args.fact)?);
    let display = DisplayNames::read(&memory)?;
    let name_of = name_in(&display, output.is_json());
    let chain = query::beliefs::derivation_with_names(names.state(), &knower, fact, moment, &name_of)?;
    output.data(&chain)?;
    let credence = format!("credence {:.2}", chain.credence);
    output.line(
        Line::from(&chain.statement)
            .id(format!("  {}", format_marks(chain.fact, [display.name(&chain.knower), credence]))),
    )?;
    // Derivations may be deep, so this loop does not use recursion.
    let mut stack: Vec<(usize, &DerivationRow)> =
        chain.known_edges.iter().rev().map(|known_edge| (1, known_edge)).collect();
    while let Some((depth, link)) = stack.pop() {
        let knower = display.knower(&link.knower);
        let learned = link.learned.as_ref().map_or(String::new(), |date| format!(", {date}"));
        let session = link.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
        let with = if link.co_present.is_empty() {
            String::new()
        } else {
            format!(", with {}", display.list(&link.co_present))
        };
        let other = link.other_statement.as_ref().map_or(String::new(), |text| format!(": \u{201C}{text}\u{201D}"));
        let acquisition = format!("{}{learned}{session}{with}", link.acquisition);
        output.line(format!("{}{knower}: {acquisition} ({:.2}){other}", "  ".repeat(depth.min(30)), link.credence))?;
        stack.extend(link.from.iter().rev().map(|link| (depth + 1, link)));
    }
    Ok(memory.close()?)
}

pub(crate) fn who_knows(args: &args::WhoKnows, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let display = DisplayNames::read(&memory)?;
    let name_of = name_in(&display, output.is_json());
    let fact = names.fact(&args.fact)?;
    let result = query::who_knows::who_knows_with_names(names.state(), fact, moment, &name_of)?;
    output.data(&result)?;
    output.line(
        Line::from(&result.statement).id(format!("  {}", format_marks(result.fact, [result.status.to_string()]))),
    )?;
    if result.everybody {
        output.line("  everybody: common lore")?;
    }
    for row in result.groups.iter().chain(&result.characters) {
        let concealment = if row.conceals { ", conceals it" } else { "" };
        let since = format_since(row.since.as_ref());
        let acquisition = row.acquisition.join("; ");
        output.line(format!(
            "  {}: {acquisition}, credence {:.2}{since}{concealment}",
            display.name(&row.knower),
            row.credence
        ))?;
    }
    if !result.everybody && result.groups.is_empty() && result.characters.is_empty() {
        output.line("  Nobody knows this fact.")?;
    }
    if !result.unaware.is_empty() {
        output.line(format!("  not known to the characters that it concerns: {}", display.list(&result.unaware)))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn secrets(args: &args::Secrets, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.optional_character(args.character.as_ref())?;
    let filter = SecretFilter { character, untold: args.untold, limit: args.limit };
    let (rows, total) = query::secrets::secrets(names.state(), &filter, moment)?;
    let display = DisplayNames::read(&memory)?;
    output.data(&json!({ "secrets": rows, "all": total }))?;
    if rows.is_empty() {
        output.line("No matching secret.")?;
    }
    for row in &rows {
        let status = if row.status == FactStatus::Canon { String::new() } else { row.status.to_string() };
        output.line(Line::from(&row.statement).id(format!("  {}", format_marks(row.fact, [status]))))?;
        let holder = |holder: &query::secrets::SecretHolder| match holder.conceals {
            true => format!("{} (conceals it)", display.knower(&holder.knower)),
            false => display.knower(&holder.knower),
        };
        let holders: Vec<_> = row.holders.iter().map(holder).collect();
        let holders = if holders.is_empty() { "nobody".to_owned() } else { holders.join(", ") };
        output.line(format!("    known to {holders}"))?;
        for telling in &row.told {
            output.line(format!("    {}", telling.describe_with_names(&|id| display.name(id))))?;
        }
        if row.untold {
            output.line("    untold: no player character knows it")?;
        }
    }
    output.omitted(rows.len(), total)?;
    Ok(memory.close()?)
}

pub(crate) fn why_not(args: &args::KnowerAndFact, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let (knower, fact) = (names.character(&args.character)?, names.fact(&args.fact)?);
    let answer = query::secrets::why_not(names.state(), &knower, fact, moment)?;
    output.data(&answer)?;
    output.line(
        Line::from(&answer.statement).id(format!("  {}", format_marks(answer.fact, [answer.knower.to_string()]))),
    )?;
    if let Some(knows) = &answer.knows {
        let since = format_since(knows.since.as_ref());
        output.line(format!(
            "  {} knows it: {}, credence {:.2}{since}",
            knows.knower,
            knows.acquisition.join("; "),
            knows.credence
        ))?;
    }
    for reason in &answer.reasons {
        output.line(format!("  {}", reason.describe()))?;
    }
    if !answer.sources.is_empty() {
        output.line(Line::heading("Who knows it"))?;
    }
    for source in &answer.sources {
        let mut connections = Vec::new();
        connections.extend(source.conceals.then(|| "conceals it".to_owned()));
        connections
            .extend((!source.shares.is_empty()).then(|| format!("both belong to {}", format_ids(&source.shares))));
        connections.extend(source.acquainted.clone());
        let connections =
            if connections.is_empty() { "no link between them".to_owned() } else { connections.join("; ") };
        output.line(format!("  {} ({}): {connections}", source.name, source.knower))?;
    }
    if !answer.conditions.is_empty() {
        output.line(Line::heading("Conditions for telling"))?;
    }
    for condition in &answer.conditions {
        let missing = if condition.holds { "nothing is missing".to_owned() } else { condition.missing.join("; ") };
        output.line(format!("  before {} tells it: {missing}", condition.holder))?;
        if let Some(note) = &condition.note {
            output.line(format!("    note: {note}"))?;
        }
    }
    Ok(memory.close()?)
}

pub(crate) fn missed(args: &args::Missed, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let point_in_time = PointInTime { as_of: None, recorded: args.recorded };
    let (names, _) = Names::read_at(&memory, &point_in_time, output)?;
    let (character, session) = (names.character(&args.character)?, names.session(&args.session)?);
    let display = DisplayNames::read(&memory)?;
    let name_of = name_in(&display, output.is_json());
    let missed = query::knowledge::missed_with_names(names.state(), &character, &session, &name_of)?;
    let name = display.name(&missed.character);
    output.data(&missed)?;
    if missed.was_there {
        output.note(format!("{name} attended {}", missed.session));
    }
    if missed.facts.is_empty() && missed.lines.is_empty() {
        output.line(format!("{name} missed nothing of {}.", missed.session))?;
    }
    for row in &missed.facts {
        let since = row.since.as_ref().map_or(String::new(), |date| format!(", {date}"));
        let learned_later =
            row.heard_since.as_ref().map_or(String::new(), |acquisition| format!("knows it since: {acquisition}"));
        let learners = format!("{}{since}", display.list(&row.learned_by));
        output
            .line(Line::from(&row.statement).id(format!("  {}", format_marks(row.fact, [learners, learned_later]))))?;
    }
    if !missed.lines.is_empty() {
        output.line("")?;
        output.line(Line::heading("Lines that were said"))?;
    }
    for line in &missed.lines {
        match &line.speaker {
            Some(speaker) => output.line(format!("  {}: \u{201C}{}\u{201D}", display.name(speaker), line.text))?,
            None => output.line(format!("  {}", line.text))?,
        }
    }
    Ok(memory.close()?)
}
