//! The `know` commands that read: knowledge, beliefs, derivations and secrets.

use anyhow::Result;
use hearsay_belief::Hold;
use hearsay_engine::Memory;
use hearsay_model::{EntityId, FactId, FactStatus, Knower};
use hearsay_query as query;
use hearsay_query::{
    beliefs::{Believes, LinkRow},
    knowledge::KnowsFilter,
    secrets::SecretFilter,
};
use serde_json::json;

use crate::{
    args::{self, When},
    campaign::{self, Access},
    facts::{known_predicate, read},
    output::Output,
    style::Line,
    texts::Meaning,
};

/// Resolves the user's predicate with [`known_predicate`] in the current state.
fn predicate(memory: &Memory, given: Option<&String>) -> Result<Option<String>> {
    let Some(given) = given.cloned() else { return Ok(None) };
    Ok(Some(memory.read(move |world| Ok(known_predicate(&world.state, &given)))?.wait()??))
}

fn since(date: Option<&String>) -> String {
    date.map_or(String::new(), |date| format!(", since {date}"))
}

fn marks(fact: FactId, parts: impl IntoIterator<Item = String>) -> String {
    let mut marks: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    marks.push(fact.short());
    format!("[{}]", marks.join(" \u{00B7} "))
}

/// Returns a remark about how a knower regards a fact; empty if the knower simply believes it.
fn held(hold: &Hold) -> &'static str {
    match hold {
        Hold::Believed => "",
        Hold::Doubted => "doubts it",
        Hold::Ended(_) => "knows that it ended",
        Hold::Superseded(_) => "knows a newer value",
        Hold::Outweighed(_) => "believes otherwise",
    }
}

fn more(shown: usize, all: usize, output: &mut Output) -> Result<()> {
    if all > shown { output.line(format!("and {} more: raise --limit", all - shown)) } else { Ok(()) }
}

pub(crate) fn knows(args: &args::Knows, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let filter = KnowsFilter {
        about: args.about.clone(),
        predicate: predicate(&memory, args.predicate.as_ref())?,
        words: args.words.clone(),
        since: args.since.clone(),
        limit: args.limit,
    };
    let Some(who) = args.who.clone() else {
        let (rows, all) =
            read(&memory, &args.when, move |state, moment| Ok(query::knowledge::party(state, &filter, moment)?))?;
        output.data(&json!({ "facts": rows, "all": all }))?;
        if rows.is_empty() {
            output.line("The players know no matching fact.")?;
        }
        for row in &rows {
            let status = if row.status == FactStatus::Canon { String::new() } else { row.status.to_string() };
            output.line(Line::from(&row.statement).id(format!("  {}", marks(row.fact, [status]))))?;
            for knower in &row.known_by {
                let keeps = if knower.conceals { ", conceals it" } else { "" };
                let since = since(knower.since.as_ref());
                output.line(format!(
                    "    {}: {}, credence {:.2}{since}{keeps}",
                    knower.knower, knower.acquisition, knower.credence
                ))?;
            }
        }
        more(rows.len(), all, output)?;
        return Ok(memory.close()?);
    };
    let (rows, all) =
        read(&memory, &args.when, move |state, moment| Ok(query::knowledge::knows(state, &who, &filter, moment)?))?;
    output.data(&json!({ "facts": rows, "all": all }))?;
    if rows.is_empty() {
        output.line("The character knows no matching fact.")?;
    }
    for row in &rows {
        let keeps = if row.conceals { "conceals it" } else { "" };
        let told = if row.told.is_empty() { String::new() } else { format!("told {}", list(&row.told)) };
        let acquisition = format!("{}, credence {:.2}{}", row.acquisition, row.credence, since(row.since.as_ref()));
        let session = row.session.as_ref().map_or(String::new(), ToString::to_string);
        let marks = marks(row.fact, [acquisition, held(&row.hold).to_owned(), session, keeps.to_owned(), told]);
        output.line(&row.statement)?;
        output.line(Line::default().id(format!("    {marks}")))?;
    }
    more(rows.len(), all, output)?;
    Ok(memory.close()?)
}

fn list(ids: &[EntityId]) -> String {
    ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", ")
}

pub(crate) fn believes(args: &args::Believes, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let predicate = predicate(&memory, args.predicate.as_ref())?;
    let (who, subject) = (args.who.clone(), args.subject.clone());
    if let Some(other) = args.thinks_of.clone() {
        let rows = read(&memory, &args.when, move |state, moment| {
            Ok(query::beliefs::thinks(state, &who, &other, Some(&subject), predicate.as_deref(), moment)?)
        })?;
        output.data(&rows)?;
        if rows.is_empty() {
            output.line("The character has no reason to think that the other character knows a matching fact.")?;
        }
        for row in &rows {
            let because = format!("{}, credence {:.2}{}", row.because, row.credence, since(row.since.as_ref()));
            output.line(Line::from(&row.statement).id(format!("  {}", marks(row.fact, [because]))))?;
        }
        return Ok(memory.close()?);
    }
    let answer = read(&memory, &args.when, move |state, moment| {
        Ok(query::beliefs::believes(state, &who, &subject, predicate.as_deref(), moment)?)
    })?;
    output.data(&answer)?;
    tell_beliefs(&answer, output)?;
    Ok(memory.close()?)
}

fn tell_beliefs(answer: &Believes, output: &mut Output) -> Result<()> {
    if answer.answers.is_empty() {
        output.line(format!("{} knows no matching fact.", answer.who))?;
    }
    for belief in &answer.answers {
        let status = if belief.status == FactStatus::Canon { String::new() } else { belief.status.to_string() };
        let credence = format!("credence {:.2}", belief.credence);
        let marks = marks(belief.fact, [credence, held(&belief.hold).to_owned(), status]);
        output.line(Line::from(&belief.statement).id(format!("  {marks}")))?;
        for reason in &belief.because {
            let session = reason.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
            let since = since(reason.since.as_ref());
            output.line(format!("    because: {}{since}{session} ({:.2})", reason.acquisition, reason.credence))?;
        }
        for against in &belief.against {
            let (text, credence, id) = (&against.statement, against.credence, against.fact.short());
            output.line(format!("    contradicted by: {text} ({credence:.2})  [{id}]"))?;
        }
    }
    if !answer.truth.is_empty() {
        output.line("")?;
        output.line(Line::heading("The truth"))?;
    }
    for truth in &answer.truth {
        let known = if truth.known { String::new() } else { format!("{} does not know this", answer.who) };
        output.line(format!("  {}  {}", truth.statement, marks(truth.fact, [known])))?;
    }
    Ok(())
}

pub(crate) fn chain(args: &args::WhoAndFact, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (who, fact) = (args.who.clone(), args.fact.clone());
    let chain = read(&memory, &args.when, move |state, moment| Ok(query::beliefs::chain(state, &who, &fact, moment)?))?;
    output.data(&chain)?;
    let credence = format!("credence {:.2}", chain.credence);
    output
        .line(Line::from(&chain.statement).id(format!("  {}", marks(chain.fact, [chain.who.to_string(), credence]))))?;
    // Derivations may be deep, so this loop does not use recursion.
    let mut open: Vec<(usize, &LinkRow)> = chain.known_edges.iter().rev().map(|way| (1, way)).collect();
    while let Some((depth, link)) = open.pop() {
        let knower = if link.knower == Knower::World { "everybody" } else { link.knower.as_str() };
        let learned = link.learned.as_ref().map_or(String::new(), |date| format!(", {date}"));
        let session = link.session.as_ref().map_or(String::new(), |session| format!(", {session}"));
        let with =
            if link.co_present.is_empty() { String::new() } else { format!(", with {}", list(&link.co_present)) };
        let other = link.other_statement.as_ref().map_or(String::new(), |text| format!(": \u{201C}{text}\u{201D}"));
        let acquisition = format!("{}{learned}{session}{with}", link.acquisition);
        output.line(format!("{}{knower}: {acquisition} ({:.2}){other}", "  ".repeat(depth.min(30)), link.credence))?;
        open.extend(link.from.iter().rev().map(|link| (depth + 1, link)));
    }
    Ok(memory.close()?)
}

pub(crate) fn who_knows(args: &args::WhoKnows, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let fact = args.fact.clone();
    let found = read(&memory, &args.when, move |state, moment| Ok(query::who_knows::who_knows(state, &fact, moment)?))?;
    output.data(&found)?;
    output.line(Line::from(&found.statement).id(format!("  {}", marks(found.fact, [found.status.to_string()]))))?;
    if found.everybody {
        output.line("  everybody: common lore")?;
    }
    for row in found.groups.iter().chain(&found.characters) {
        let keeps = if row.conceals { ", conceals it" } else { "" };
        let since = since(row.since.as_ref());
        let acquisition = row.acquisition.join("; ");
        output.line(format!(
            "  {} ({}): {acquisition}, credence {:.2}{since}{keeps}",
            row.name, row.knower, row.credence
        ))?;
    }
    if !found.everybody && found.groups.is_empty() && found.characters.is_empty() {
        output.line("  Nobody knows this fact.")?;
    }
    if !found.unaware.is_empty() {
        output.line(format!("  not known to the characters that it concerns: {}", list(&found.unaware)))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn secrets(args: &args::Secrets, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let filter = SecretFilter { who: args.who.clone(), untold: args.untold, limit: args.limit };
    let (rows, all) =
        read(&memory, &args.when, move |state, moment| Ok(query::secrets::secrets(state, &filter, moment)?))?;
    output.data(&json!({ "secrets": rows, "all": all }))?;
    if rows.is_empty() {
        output.line("No matching secret.")?;
    }
    for row in &rows {
        let status = if row.status == FactStatus::Canon { String::new() } else { row.status.to_string() };
        output.line(Line::from(&row.statement).id(format!("  {}", marks(row.fact, [status]))))?;
        let holder = |holder: &query::secrets::SecretHolder| match holder.conceals {
            true => format!("{} (conceals it)", holder.knower),
            false => holder.knower.to_string(),
        };
        let holders: Vec<_> = row.holders.iter().map(holder).collect();
        let holders = if holders.is_empty() { "nobody".to_owned() } else { holders.join(", ") };
        output.line(format!("    known to {holders}"))?;
        for telling in &row.told {
            output.line(format!("    {}", telling.in_words()))?;
        }
        if row.told.is_empty() {
            output.line("    untold")?;
        }
    }
    more(rows.len(), all, output)?;
    Ok(memory.close()?)
}

pub(crate) fn why_not(args: &args::WhoAndFact, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (who, fact) = (args.who.clone(), args.fact.clone());
    let answer =
        read(&memory, &args.when, move |state, moment| Ok(query::secrets::why_not(state, &who, &fact, moment)?))?;
    output.data(&answer)?;
    output.line(Line::from(&answer.statement).id(format!("  {}", marks(answer.fact, [answer.who.to_string()]))))?;
    if let Some(knows) = &answer.knows {
        let since = since(knows.since.as_ref());
        output.line(format!(
            "  {} knows it: {}, credence {:.2}{since}",
            knows.knower,
            knows.acquisition.join("; "),
            knows.credence
        ))?;
    }
    for reason in &answer.reasons {
        output.line(format!("  {}", reason.in_words()))?;
    }
    if !answer.sources.is_empty() {
        output.line(Line::heading("Who knows it"))?;
    }
    for source in &answer.sources {
        let mut known = Vec::new();
        known.extend(source.conceals.then(|| "conceals it".to_owned()));
        known.extend((!source.shares.is_empty()).then(|| format!("both belong to {}", list(&source.shares))));
        known.extend(source.acquainted.clone());
        let known = if known.is_empty() { "no link between them".to_owned() } else { known.join("; ") };
        output.line(format!("  {} ({}): {known}", source.name, source.knower))?;
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
    let memory = campaign::open(&args.campaign, Access::Read, Meaning::Without, output)?;
    let (who, session) = (args.who.clone(), args.session.clone());
    let when = When { as_of: None, recorded: args.recorded };
    let missed = read(&memory, &when, move |state, _| Ok(query::knowledge::missed(state, &who, &session)?))?;
    output.data(&missed)?;
    if missed.was_there {
        output.note(format!("{} attended {}", missed.who, missed.session));
    }
    if missed.facts.is_empty() && missed.lines.is_empty() {
        output.line(format!("{} missed nothing of {}.", missed.who, missed.session))?;
    }
    for row in &missed.facts {
        let since = row.since.as_ref().map_or(String::new(), |date| format!(", {date}"));
        let later =
            row.heard_since.as_ref().map_or(String::new(), |acquisition| format!("knows it since: {acquisition}"));
        let by = format!("{}{since}", list(&row.learned_by));
        output.line(Line::from(&row.statement).id(format!("  {}", marks(row.fact, [by, later]))))?;
    }
    if !missed.lines.is_empty() {
        output.line("")?;
        output.line(Line::heading("Lines that were said"))?;
    }
    for line in &missed.lines {
        match &line.speaker {
            Some(speaker) => output.line(format!("  {speaker}: \u{201C}{}\u{201D}", line.text))?,
            None => output.line(format!("  {}", line.text))?,
        }
    }
    Ok(memory.close()?)
}
