//! `hearsay log --line` with `--by`, `--to`, `--with` or `--without`: corrects the speaker or the hearers of a recorded line.

use std::sync::Arc;

use anyhow::Result;
use hearsay_commands::{
    fact_matching::SpokenLine,
    reading::Draft,
    session::{LineCorrection, recorded_line},
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, real_time};
use hearsay_model::{Passage, State};

use super::{LogOutput, print_hearers, print_line_and_speaker};
use crate::{
    args,
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::{print_written, write_or_preview},
    names::Names,
    output::{CliError, Output, USAGE_ERROR},
    reveals::print_with_reveals,
    stated_facts::{LineFacts, recognize},
    texts::{self, EncoderUse, extracted_facts, print_extracted_facts},
};

/// Returns whether the command line corrects the speaker or the hearers of a recorded line.
pub(super) fn is_correction(args: &args::SessionLog) -> bool {
    let changes_hearers = [&args.to, &args.with, &args.without].iter().any(|hearers| !hearers.is_empty());
    args.line.is_some() && (args.by.is_some() || changes_hearers)
}

/// Corrects the speaker or the hearers of a recorded line.
pub(super) fn correct(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    if args.lie || !args.states.is_empty() {
        let message =
            "--line with --by, --to, --with or --without corrects the line; pass --states or --lie in another command";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if let Some(args::LineNumbers(lines)) = args.line.as_ref().filter(|lines| lines.0.len() > 1) {
        return correct_lines(args, lines, output);
    }
    let memory = campaign::open_for_speech(&args.campaign, Access::for_dry_run(args.dry_run), output)?;
    let names = Names::read(&memory, output)?;
    let line = super::only_line(args)?.unwrap_or_default();
    let mut correction = correction(args, &names, line)?;
    let passage = Arc::new(correction.passage(names.state()).map_err(MemoryError::from)?);
    let draft = draft_of_replacement(args, &correction, &passage, names.state(), output)?;
    drop(names);
    let mut facts = spoken_facts(&memory, &correction, &passage, output)?;
    correction.states = facts.ids();
    let (line, speaker) = (correction.line, correction.speaker.clone());
    let build_operation = move |world: &ReadSnapshot| Ok(correction.operation(&world.state, real_time())?);
    if !facts.is_empty() {
        facts.set_learned_by(&memory.preview(build_operation.clone())?.wait()?);
    }
    let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? else {
        if let Some(draft) = draft {
            texts::print_drafted_facts(&memory, draft, output)?;
        }
        return Ok(memory.close()?);
    };
    print_written(&written, output)?;
    let found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
    let display = DisplayNames::read(&memory)?;
    print_line_and_speaker(Some(line), speaker, &display, output)?;
    let heard_by = if passage.is_out_of_character() { Vec::new() } else { passage.heard_by.clone() };
    print_hearers(&heard_by, &display, output)?;
    facts.print(&display, |fact| super::confirmation(args, Some(line), fact), output)?;
    drop(display);
    let talk_kind = passage.talk_kind;
    let extracted = extracted_facts(&memory, &[passage])?;
    print_extracted_facts(&extracted, &args.campaign, output)?;
    let result = LogOutput { written: Some(written), line: Some(line), talk_kind, heard_by, facts, found, extracted };
    print_with_reveals(&memory, result, output)?;
    Ok(memory.close()?)
}

/// In a dry run, returns a draft of the corrected line, if the correction replaces the recorded line, so that the extraction
/// would read it. Returns `None` if nothing prints the facts.
fn draft_of_replacement(
    args: &args::SessionLog,
    correction: &LineCorrection,
    corrected: &Passage,
    state: &State,
    output: &Output,
) -> Result<Option<Draft>> {
    if !args.dry_run || output.is_json() || !texts::is_extraction_enabled(&args.campaign.campaign)? {
        return Ok(None);
    }
    let recorded = recorded_line(state, correction.session.as_ref(), Some(correction.line));
    let (replaced, _) = recorded.map_err(MemoryError::from)?;
    let is_read = replaced != corrected.id() && !corrected.is_out_of_character();
    Ok(is_read.then(|| texts::line_draft(state, corrected)))
}

/// Returns the correction of a line that the command line describes.
fn correction(args: &args::SessionLog, names: &Names, line: u32) -> Result<LineCorrection> {
    let speaker = args.by.as_ref().map(|name| names.speaker_or_player(name)).transpose()?;
    let correction = LineCorrection {
        session: names.optional_session(args.session.as_ref())?,
        line,
        speaker: speaker.map(|(speaker, _)| speaker),
        with: names.characters(&args.with)?,
        without: names.characters(&args.without)?,
        ..LineCorrection::default()
    };
    if args.to.is_empty() {
        return Ok(correction);
    }
    let hearers = names.characters(&args.to)?;
    Ok(correction.heard_only_by(&hearers, names.state()).map_err(MemoryError::from)?)
}

/// Finds the recorded facts that a line states in the words of its correct speaker. `passage` is the corrected line.
fn spoken_facts(memory: &Memory, correction: &LineCorrection, passage: &Passage, output: &Output) -> Result<LineFacts> {
    match correction.speaker.is_some() && !passage.is_out_of_character() {
        true => recognize(memory, SpokenLine::from_passage(passage), output),
        false => Ok(LineFacts::default()),
    }
}

/// Corrects several recorded lines in one operation.
fn correct_lines(args: &args::SessionLog, lines: &[u32], output: &mut Output) -> Result<()> {
    let access = Access::for_dry_run(args.dry_run);
    let memory = match args.by {
        Some(_) => campaign::open_for_speech(&args.campaign, access, output)?,
        None => campaign::open(&args.campaign, access, EncoderUse::Disabled, output)?,
    };
    let names = Names::read(&memory, output)?;
    let (mut corrections, mut passages, mut line_facts) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let mut correction = correction(args, &names, *line)?;
        let passage = correction.passage(names.state()).map_err(MemoryError::from)?;
        let facts = spoken_facts(&memory, &correction, &passage, output)?;
        correction.states = facts.ids();
        corrections.push(correction);
        passages.push(Arc::new(passage));
        line_facts.push((*line, facts));
    }
    drop(names);
    let build_operation =
        move |world: &ReadSnapshot| Ok(LineCorrection::operation_for_all(&corrections, &world.state, real_time())?);
    if line_facts.iter().any(|(_, facts)| !facts.is_empty()) {
        let preview = memory.preview(build_operation.clone())?.wait()?;
        line_facts.iter_mut().for_each(|(_, facts)| facts.set_learned_by(&preview));
    }
    if let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? {
        print_written(&written, output)?;
        if args.by.is_some() {
            texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
            let display = DisplayNames::read(&memory)?;
            for (line, facts) in &line_facts {
                facts.print(&display, |fact| super::confirmation(args, Some(*line), fact), output)?;
            }
            drop(display);
            print_extracted_facts(&extracted_facts(&memory, &passages)?, &args.campaign, output)?;
        }
        print_with_reveals(&memory, written, output)?;
    }
    Ok(memory.close()?)
}
