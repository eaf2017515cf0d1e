//! `hearsay say --check`: checks words before a character says them.

use anyhow::Result;
use hearsay_commands::reply::{DraftReply, ReplyFinding};

use crate::{
    args,
    campaign::{self, Access},
    names::Names,
    output::{Output, count},
    style::Line,
    texts,
};

pub(crate) fn check(args: &args::Say, output: &mut Output) -> Result<()> {
    let memory = campaign::open_for_speech(&args.campaign, Access::Read, output)?;
    let names = Names::read(&memory, output)?;
    let (speaker, listeners) = (names.speaker(&args.speaker)?.id, names.entities(&args.to)?);
    texts::wait_until_ready(&memory)?;
    let draft = DraftReply {
        heard: args.question.iter().cloned().collect(),
        for_dm: true,
        ..DraftReply::new(speaker, listeners, args.text.clone())
    };
    let check = memory.check_reply(draft)?.wait()?;
    output.data(&check)?;
    for finding in &check.findings {
        print_finding(finding, &names, output)?;
    }
    let problems = check.findings.iter().filter(|finding| finding.is_problem).count();
    output.line(match problems {
        0 => "The check found no problem.".to_owned(),
        problems => format!("The check found {}.", count(problems, "problem", "problems")),
    })?;
    Ok(())
}

/// Prints a finding with the facts to which it refers.
pub(crate) fn print_finding(finding: &ReplyFinding, names: &Names, output: &mut Output) -> Result<()> {
    let kind = finding.kind.as_str().replace('_', " ");
    let mark = if finding.is_problem { "problem" } else { "ok" };
    output.line(format!("{mark}: {kind}: \u{201C}{}\u{201D}", finding.words))?;
    for cited in &finding.facts {
        let reference = cited.handle.clone().unwrap_or_else(|| cited.fact.short());
        output.line(
            Line::from(format!("    {}", cited.statement)).id(format!("  [{} \u{B7} {reference}]", cited.how_known)),
        )?;
    }
    if finding.facts.is_empty() {
        output.line(format!("    {}", finding.reason))?;
    }
    if !finding.not_for.is_empty() {
        let listeners: Vec<&str> = finding.not_for.iter().map(|id| names.state().name_or_id(id)).collect();
        output.line(format!("    must not be told to: {}", listeners.join(", ")))?;
    }
    for detail in &finding.for_dm {
        output.line(format!("    {detail}"))?;
    }
    Ok(())
}
