//! `hearsay say --check`: checks words before a character says them.

use anyhow::Result;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers},
    reply::{DraftReply, ReplyFinding},
};
use hearsay_engine::{Memory, real_time};
use hearsay_model::{Author, EntityId};
use hearsay_query::resolve::Speaker;

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
    let (speaker, mut listeners) = (names.speaker(&args.speaker)?, names.characters(&args.to)?);
    texts::wait_until_ready(&memory)?;
    if listeners.is_empty() {
        let place = names.optional_place(args.circumstances.at.as_ref())?;
        listeners = listeners_present(&memory, speaker.clone(), place, &args.text)?;
        let found: Vec<&str> = listeners.iter().map(|id| names.state().name_or_id(id)).collect();
        output.note(match found.is_empty() {
            true => "nobody is known to be present, so the check assumes an unknown listener; name the listeners with \
                     --to"
                .to_owned(),
            false => format!("checked for the characters present: {}", found.join(", ")),
        });
    }
    let draft = DraftReply {
        heard: args.question.iter().cloned().collect(),
        for_dm: true,
        ..DraftReply::new(speaker.id, listeners, args.text.clone())
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

/// Returns the characters who would hear the words, apart from the speaker.
fn listeners_present(memory: &Memory, speaker: Speaker, place: Option<EntityId>, text: &str) -> Result<Vec<EntityId>> {
    let line = GameEvent::Say {
        speaker,
        text: text.to_owned(),
        states: Vec::new(),
        hearers: Hearers::AtPlace,
        lie: false,
        circumstances: Circumstances { place, ..Circumstances::default() },
    };
    let plan = memory.read(move |world| Ok(line.plan(&world.state, Author::Dm, real_time())?))?;
    Ok(plan.wait()?.heard_by)
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
