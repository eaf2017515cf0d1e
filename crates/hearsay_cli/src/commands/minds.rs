//! The commands about feelings, memory and rumours.

use anyhow::Result;
use hearsay_model::Degree;
use hearsay_query as query;
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    names::Names,
    output::{Output, count},
    style::Line,
    texts::EncoderUse,
};

pub(crate) fn feelings(args: &args::Feelings, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.entity(&args.character)?;
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
        for cause in &row.causes {
            output.line(Line::from(format!("  {}", cause.statement)).id(format!("  [{}]", cause.fact.short())))?;
        }
    }
    Ok(memory.close()?)
}

pub(crate) fn memory(args: &args::CharacterMemory, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (names, moment) = Names::read_at(&memory, &args.point_in_time, output)?;
    let character = names.entity(&args.character)?;
    let result = query::memory::memory(names.state(), &character, args.all, moment)?;
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
            .chain([count(version.knowers, "knower", "knowers"), version.status.to_string(), version.fact.short()])
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
