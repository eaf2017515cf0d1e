//! Measures replies that a language model in this process writes, and their effect on the frames of a game.
//!
//! The questions are those of the labelled drafts for Gullhaven (see [`dialogue`]). Each question is
//! asked twice. At the second time, the language model has read the whole prompt before.

use std::{
    hint::black_box,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use hearsay_engine::Memory;
use hearsay_query::ask::Ask;
use hearsay_speech::{
    CharacterReply, GenerationLimits, LocalModel, LocalModelOptions, ReplyRequest, ReplyWriter, Speech,
};
use serde::Serialize;

use crate::{
    dialogue::{self, LabelledDraft},
    readers::TimeQuantiles,
};

/// Time between the starts of two frames.
const FRAME: Duration = Duration::from_micros(16_667);

/// Work of the simulated game in each frame.
const FRAME_WORK: Duration = Duration::from_millis(4);

/// Time for which the frames are measured without speech.
const QUIET_TIME: Duration = Duration::from_secs(5);

/// Speed and outcome of replies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeechFigures {
    /// Name of the language model.
    pub model: String,
    /// Number of replies.
    pub replies: usize,
    /// Number of replies that the language model wrote in its first draft.
    pub by_model: usize,
    /// Number of replies that the language model wrote in its second draft.
    pub by_repair: usize,
    /// Number of replies that a template wrote.
    pub by_template: usize,
    /// Mean number of tokens of a prompt.
    pub prompt_tokens: f64,
    /// Mean number of tokens of a prompt that were known when a question was asked for the first time.
    pub known_tokens: f64,
    /// Time until the first token, for a question that is asked for the first time.
    pub first_token: TimeQuantiles,
    /// Time until the first token, for a prompt that the language model has read before.
    pub first_token_known: TimeQuantiles,
    /// Tokens that the language model wrote per second.
    pub tokens_per_second: f64,
    /// Time from the question to the end of the reply, for a question that is asked for the first time.
    pub reply: TimeQuantiles,
    /// Time of the work of a frame without speech.
    pub frame_quiet: TimeQuantiles,
    /// Time of the work of a frame while characters speak.
    pub frame_speaking: TimeQuantiles,
}

/// Asks characters of a campaign at most `questions` questions from the drafts in a directory. `prompt_tokens` is the
/// maximum number of tokens of a scene context; `None` for the setting.
///
/// # Errors
/// Returns an error if the language model or the campaign cannot be loaded.
pub fn measure(
    model: &Path,
    (campaign, drafts): (&Path, &Path),
    questions: usize,
    prompt_tokens: Option<usize>,
    mut progress: impl FnMut(usize, usize),
) -> Result<SpeechFigures> {
    let memory = dialogue::open(campaign)?;
    let mut drafts = dialogue::read_drafts(drafts)?;
    drafts.retain(|draft| Some(draft.campaign.as_ref()) == campaign.file_name());
    drafts.dedup_by(|a, b| (&a.speaker, &a.question) == (&b.speaker, &b.question));
    drafts.truncate(questions);
    let (path, limits) = (model.to_owned(), GenerationLimits::from_settings(&memory.settings().speech));
    let speech = Speech::start(move || LocalModel::load(path, LocalModelOptions::default()), limits, None)?;
    let name = speech.wait_until_loaded(|| anyhow::Ok(()))?.unwrap_or_default();
    let budget = prompt_tokens.unwrap_or(memory.settings().speech.prompt_tokens);
    let frame_quiet = frames(|is_running| {
        thread::sleep(QUIET_TIME);
        is_running.store(false, Ordering::Relaxed);
        Ok(())
    })?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let frame_speaking = frames(|is_running| {
        for (number, draft) in drafts.iter().enumerate() {
            progress(number, drafts.len());
            first.push(reply(&memory, &speech, draft, budget)?);
            second.push(reply(&memory, &speech, draft, budget)?);
        }
        is_running.store(false, Ordering::Relaxed);
        Ok(())
    })?;
    drop(speech);
    memory.close()?;
    figures(name, &first, &second, frame_quiet, frame_speaking)
}

fn figures(
    model: String,
    first: &[CharacterReply],
    second: &[CharacterReply],
    frame_quiet: TimeQuantiles,
    frame_speaking: TimeQuantiles,
) -> Result<SpeechFigures> {
    ensure!(!first.is_empty(), "there are no questions");
    let written_by = |writer| first.iter().chain(second).filter(|reply| reply.writer == writer).count();
    // A second draft has another prompt, so only first drafts are compared.
    let is_first_draft = |reply: &&CharacterReply| reply.rejected.is_empty();
    let stats = |replies: &[CharacterReply]| -> Vec<_> {
        replies.iter().filter(is_first_draft).filter_map(|reply| reply.stats).collect()
    };
    let (first_stats, second_stats) = (stats(first), stats(second));
    let count = first_stats.len().max(1) as f64;
    let all = || first_stats.iter().chain(&second_stats);
    let writing: f64 = all().map(|stats| (stats.total - stats.first_token).as_secs_f64()).sum();
    let tokens: usize = all().map(|stats| stats.generated_tokens.saturating_sub(1)).sum();
    let first_tokens = |stats: &[hearsay_speech::GenerationStats]| {
        TimeQuantiles::from_times(stats.iter().map(|stats| stats.first_token).collect())
    };
    Ok(SpeechFigures {
        model,
        replies: first.len() + second.len(),
        by_model: written_by(ReplyWriter::Model),
        by_repair: written_by(ReplyWriter::Repair),
        by_template: written_by(ReplyWriter::Template),
        prompt_tokens: first_stats.iter().map(|stats| stats.prompt_tokens as f64).sum::<f64>() / count,
        known_tokens: first_stats.iter().map(|stats| stats.cached_tokens as f64).sum::<f64>() / count,
        first_token: first_tokens(&first_stats),
        first_token_known: first_tokens(&second_stats),
        tokens_per_second: tokens as f64 / writing.max(1e-9),
        reply: TimeQuantiles::from_times(first.iter().map(|reply| reply.time).collect()),
        frame_quiet,
        frame_speaking,
    })
}

fn reply(memory: &Memory, speech: &Speech, draft: &LabelledDraft, budget: usize) -> Result<CharacterReply> {
    let ask = Ask {
        present: draft.listeners.clone(),
        budget: Some(budget),
        ..Ask::new(draft.speaker.clone(), &draft.question)
    };
    let request = ReplyRequest { listeners: draft.listeners.clone(), ..ReplyRequest::default() };
    Ok(speech.reply(memory.ask(ask)?, request).wait(memory, |_| true)?)
}

/// Runs the frames of a simulated game on a thread of its own while `run` works. `run` ends the game with the flag.
fn frames(run: impl FnOnce(&AtomicBool) -> Result<()>) -> Result<TimeQuantiles> {
    let is_running = AtomicBool::new(true);
    let rounds = rounds_of_frame_work();
    thread::scope(|scope| {
        let game = scope.spawn(|| {
            let mut times = Vec::new();
            while is_running.load(Ordering::Relaxed) {
                let start = Instant::now();
                work(rounds);
                times.push(start.elapsed());
                thread::sleep(FRAME.saturating_sub(start.elapsed()));
            }
            times
        });
        let result = run(&is_running);
        is_running.store(false, Ordering::Relaxed);
        let times = game.join().ok().context("the simulated game panicked")?;
        result?;
        Ok(TimeQuantiles::from_times(times))
    })
}

/// Returns the number of rounds of [`work`] that take the time of a frame's work.
fn rounds_of_frame_work() -> u64 {
    let start = Instant::now();
    let rounds = 2_000_000;
    work(rounds);
    (rounds as f64 * FRAME_WORK.as_secs_f64() / start.elapsed().as_secs_f64()) as u64
}

fn work(rounds: u64) {
    let mut number: u64 = 1;
    for _ in 0..rounds {
        number = black_box(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
}
