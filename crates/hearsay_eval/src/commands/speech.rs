//! `hearsay_eval speech`.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Args;
use hearsay_eval::{readers::TimeQuantiles, speech};

use crate::output::{Output, progress};

/// Measure replies that a local language model writes while a game runs
#[derive(Debug, Args)]
#[command(after_help = "\
The program asks characters of Gullhaven the questions of the labelled drafts, each
question twice. Meanwhile, a simulated game with 4 ms of work per frame runs at 60 frames
per second.

Example:
  hearsay_eval speech SmolLM2-135M-Instruct.Q4_1.gguf --questions 20")]
pub(crate) struct Speech {
    /// GGUF file of the language model
    model: PathBuf,
    /// Directory with the drafts
    #[arg(long, value_name = "DIR", default_value = "crates/hearsay_eval/data/dialogue")]
    drafts: PathBuf,
    /// Directory of the campaign
    #[arg(long, value_name = "DIR", default_value = "campaigns/gullhaven")]
    campaign: PathBuf,
    /// Number of questions
    #[arg(long, value_name = "N", default_value_t = 20)]
    questions: usize,
    /// Maximum number of tokens of the scene context in a prompt [default: the default setting]
    #[arg(long, value_name = "N")]
    prompt_tokens: Option<usize>,
}

impl Speech {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let figures = speech::measure(
            &self.model,
            (&self.campaign, &self.drafts),
            self.questions,
            self.prompt_tokens,
            |number, all| {
                progress(&format!("question {} of {all}", number + 1));
            },
        )?;
        progress("");
        output.data(&figures)?;
        let times = |times: TimeQuantiles| format!("p50 {:.0} ms, p99 {:.0} ms", times.p50_ms, times.p99_ms);
        let speech::SpeechFigures { model, replies, by_model, by_repair, by_template, .. } = &figures;
        output.line(format!(
            "{model}: {replies} replies: {by_model} first drafts, {by_repair} second drafts, {by_template} templates"
        ))?;
        output.line(format!(
            "first token: {} (new question: {:.0} of {:.0} tokens known)",
            times(figures.first_token),
            figures.known_tokens,
            figures.prompt_tokens
        ))?;
        output.line(format!("first token: {} (known prompt)", times(figures.first_token_known)))?;
        output.line(format!("writing: {:.1} tokens per second", figures.tokens_per_second))?;
        output.line(format!("whole reply: {}", times(figures.reply)))?;
        let frame = |times: TimeQuantiles| format!("p50 {:.1} ms, p99 {:.1} ms", times.p50_ms, times.p99_ms);
        output.line(format!(
            "work of a frame: {} without speech, {} with speech",
            frame(figures.frame_quiet),
            frame(figures.frame_speaking)
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}
