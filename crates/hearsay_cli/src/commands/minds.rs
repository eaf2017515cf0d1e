//! The commands about feelings, trust, memory and rumours.

use anyhow::Result;
use hearsay_belief::FeelingValues;
use hearsay_model::{Degree, Feeling};
use hearsay_query::{
    self as query,
    character_trust::{TrustReasonKind, character_trust},
    memory::RetentionFilter,
    rumours::RumourVersion,
};
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    names::Names,
    output::{Output, count},
    style::{Line, Style},
    texts::EncoderUse,
};

pub(crate) fn feelings(args: &args::Feelings, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.character(&args.character)?;
    let towards = names.optional_entity(args.towards.as_ref())?;
    let rows = query::feelings::feelings(names.state(), &character, towards.as_ref(), moment)?;
    output.data(&json!({ "character": character, "feelings": rows }))?;
    let name = names.state().name_or_id(&character);
    if rows.is_empty() {
        output.line(format!("{name} has no noticeable feelings."))?;
    }
    for row in &rows {
        let words =
            if row.words.is_empty() { "has no noticeable feelings for".into() } else { row.words.join(" and ") };
        let query::feelings::FeelingsRow { values, .. } = row;
        output.line(Line::from(format!("{name} {words} {}.", row.name)).id(format!(
            "  [affinity {:.0}, respect {:.0}, fear {:.0}, debt {:.0}]",
            values.affinity, values.respect, values.fear, values.debt
        )))?;
        for (label, causes) in [("baseline", &row.baseline), ("deed", &row.causes)] {
            for cause in causes {
                let marks = format!("  [{}{} \u{00B7} {}]", parts(&cause.change), cause.source, cause.fact.short());
                output.line(Line::from(format!("  {label}: {}", cause.statement)).id(marks))?;
            }
        }
    }
    Ok(memory.close()?)
}

/// Returns the parts of feelings that come from a fact: `affinity -45, fear 50 · `. Empty if all of them round to 0.
fn parts(change: &FeelingValues) -> String {
    let part = |feeling: Feeling| {
        let value = change.get(feeling).round();
        (value != 0.0).then(|| format!("{feeling} {value:+}"))
    };
    let parts: Vec<String> = Feeling::ALL.into_iter().filter_map(part).collect();
    if parts.is_empty() { String::new() } else { format!("{} \u{00B7} ", parts.join(", ")) }
}

pub(crate) fn trust(args: &args::CharacterTrust, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.character(&args.character)?;
    let towards = names.optional_entity(args.towards.as_ref())?;
    let result = character_trust(names.state(), &character, towards.as_ref(), moment)?;
    output.data(&json!({ "character": character, "default": result.default, "trust": result.trust }))?;
    let mut table = vec![["trust", "in", "rests on", ""].map(str::to_owned)];
    for row in &result.trust {
        let mut reasons = row.reasons.iter().map(|reason| {
            let kind = match reason.kind {
                TrustReasonKind::Declared => "declared",
                TrustReasonKind::Relation => "relation",
                TrustReasonKind::Deed => "deed",
                TrustReasonKind::FoundTrue => "found out to be true",
                TrustReasonKind::FoundUntrue => "found out to be untrue",
            };
            let source = format!("[{} \u{00B7} {}]", reason.source, reason.fact.short());
            [format!("{kind}: {}", reason.statement), source]
        });
        let [reason, source] = reasons.next().unwrap_or_else(|| ["default for strangers".to_owned(), String::new()]);
        table.push([format!("{:.2}", row.trust), row.name.clone(), reason, source]);
        table.extend(reasons.map(|[reason, source]| [String::new(), String::new(), reason, source]));
    }
    if !result.trust.is_empty() {
        output.table([Style::Plain, Style::Plain, Style::Plain, Style::Id], &table)?;
    }
    if towards.is_none() {
        let name = names.state().name_or_id(&character);
        output.line(format!("{name}'s trust in all others is {:.2}, the default for strangers.", result.default))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn memory(args: &args::CharacterMemory, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.character(&args.character)?;
    let filter = if args.all { RetentionFilter::Fading } else { RetentionFilter::Faded };
    let result = query::memory::memory(names.state(), &character, filter, moment)?;
    output.data(&result)?;
    let name = names.state().name_or_id(&character);
    match (result.forgetting, result.facts.is_empty()) {
        (Degree::Off, _) => output.line(format!(
            "{name} forgets nothing. With `minds: {{forgetting: mild}}` in the campaign file, characters forget."
        ))?,
        (_, true) => output.line(format!("{name} remembers all {} facts well.", result.known))?,
        _ => {}
    }
    for row in &result.facts {
        let practices = if row.practices == 1 { "once".to_owned() } else { format!("{} times", row.practices) };
        let last = row.last_practiced.as_ref().map_or(String::new(), |time| format!(", last {time}"));
        let faded = if row.is_faded { "faded" } else { "remembered" };
        let marks = format!(
            "  [{faded}, retention {:.2}, heard or told {practices}{last} \u{00B7} {}]",
            row.retention,
            row.fact.short()
        );
        output.line(Line::from(&row.statement).id(marks))?;
    }
    Ok(memory.close()?)
}

pub(crate) fn versions(args: &args::FactVersions, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let names = Names::read(&memory, output)?;
    let versions = query::rumours::versions(names.state(), names.fact(&args.fact)?)?;
    output.data(&json!({ "versions": versions }))?;
    for version in &versions {
        let teller =
            version.teller.as_ref().map(|teller| format!("told first by {}", names.state().name_or_id(teller)));
        let marks: Vec<String> = teller
            .into_iter()
            .chain(version.first_learned.clone())
            .chain([
                format!("{}, {} believe it", count(version.knowers, "knower", "knowers"), version.believers),
                version.status.to_string(),
            ])
            .chain(refutation_mark(version).map(str::to_owned))
            .chain([version.fact.short()])
            .collect();
        let indent = "  ".repeat(version.distortions.min(30));
        output.line(
            Line::from(format!("{indent}{}", version.statement)).id(format!("  [{}]", marks.join(" \u{00B7} "))),
        )?;
    }
    if versions.len() == 1 {
        output.note("No character told a distorted version of this fact.");
    }
    Ok(memory.close()?)
}

/// Returns the mark of a version that is refuted, or that comes from a refuted version.
fn refutation_mark(version: &RumourVersion) -> Option<&'static str> {
    if !version.refuted_by.is_empty() {
        return Some("refuted");
    }
    version.is_origin_refuted.then_some("its origin is refuted")
}
