//! The program `hearsay_eval`: measures beliefs and leaks; prints tables that anyone can reproduce.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use clap::{Args as ClapArgs, Parser, Subcommand};
use hearsay_eval::{
    beliefs::{self, Disagreement},
    encoder, leaks, stories,
};
use serde::Serialize;

/// Measures Hearsay: who is thought to believe what, and whether anything leaks.
#[derive(Debug, Parser)]
#[command(name = "hearsay_eval", version)]
struct Args {
    /// Print data: one JSON object per line
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Who believes what: plays the stories of a set and answers its questions
    #[command(after_help = "\
FILE holds stories in ToMi's format, as plain text or gzip: numbered sentences,
then a question, a tab and the answer. Each story is played as operations, and
the engine answers from what those in the room saw.

Example:
  hearsay_eval beliefs stories.txt.gz --disagreements 5")]
    Beliefs(Beliefs),
    /// Whether anything leaks: asks in generated worlds, and again without what the asker cannot know
    #[command(after_help = "\
Everything that is neither in a character's view nor in the source chains of its
edges is removed from the world; its answers must be the same, byte for byte.
The first differences are printed, and the exit code is 1 if there are any.

Example:
  hearsay_eval leaks --worlds 1000 --seed 7")]
    Leaks(Leaks),
    /// How fast the sentence encoder is: a question of 17 tokens, documents of 36 in batches of 32
    #[command(after_help = "\
The model is looked up as the programs do, unless --model names its directory.

Example:
  hearsay_eval encoder --threads 2")]
    Encoder(Speed),
}

#[derive(Debug, ClapArgs)]
struct Beliefs {
    /// The stories
    file: PathBuf,
    /// List up to so many questions that engine and set answer differently, with the engine's reasons
    #[arg(long, value_name = "N", default_value_t = 0)]
    disagreements: usize,
}

#[derive(Debug, ClapArgs)]
struct Leaks {
    /// How many worlds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    worlds: usize,
    /// Where the numbers begin from which worlds are made
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, ClapArgs)]
struct Speed {
    /// How many threads encode
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// The directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut out = Output { json: args.json, out: io::BufWriter::new(io::stdout()) };
    let result = match &args.command {
        Command::Beliefs(command) => measure_beliefs(command, &mut out),
        Command::Leaks(command) => look_for_leaks(command, &mut out),
        Command::Encoder(command) => time_encoder(command, &mut out),
    };
    match result.and_then(|code| Ok(out.out.flush().map(|()| code)?)) {
        Ok(code) => code,
        // Whoever read the output has seen enough.
        Err(error) if error.downcast_ref().is_some_and(|e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

struct Output {
    json: bool,
    out: io::BufWriter<io::Stdout>,
}

impl Output {
    /// An object on a line, where data is wanted.
    fn data(&mut self, data: &impl Serialize) -> Result<()> {
        if self.json {
            writeln!(self.out, "{}", serde_json::to_string(data)?)?;
        }
        Ok(())
    }

    /// A line for people; nothing, where data is wanted.
    fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            writeln!(self.out, "{}", text.as_ref())?;
        }
        Ok(())
    }
}

fn measure_beliefs(command: &Beliefs, out: &mut Output) -> Result<ExitCode> {
    let stories = stories::read(&command.file)?;
    let report = beliefs::measure(&stories, &command.file, command.disagreements)?;
    out.line(format!("{:14}{:>8}{:>12}", "kind", "n", "accuracy"))?;
    for tally in &report.tallies {
        out.data(tally)?;
        out.line(format!("{:14}{:>8}{:>12.4}", tally.kind, tally.n, tally.accuracy))?;
    }
    for disagreement in &report.disagreements {
        out.data(disagreement)?;
        let Disagreement { line, story, question, set, engine, reasons, .. } = disagreement;
        out.line(format!("\nline {line}: {question}"))?;
        for (minute, sentence) in (1..).zip(story) {
            out.line(format!("  {minute:>2} {sentence}"))?;
        }
        out.line(format!("  set: {set}; engine: {}", engine.as_deref().unwrap_or("nowhere")))?;
        for reason in reasons {
            out.line(format!("    {reason}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn look_for_leaks(command: &Leaks, out: &mut Output) -> Result<ExitCode> {
    let found = leaks::look(command.worlds, command.seed);
    out.data(&found.tally)?;
    let leaks::Tally { worlds, questions, differences } = found.tally;
    out.line(format!("{:>8}{:>12}{:>14}", "worlds", "questions", "differences"))?;
    out.line(format!("{worlds:>8}{questions:>12}{differences:>14}"))?;
    for difference in &found.first {
        // Data goes to standard output alone, in the one shape that was promised; what it means to standard error.
        let text = format!("\n{difference}");
        if out.json { writeln!(io::stderr(), "{text}")? } else { out.line(text)? }
    }
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn time_encoder(command: &Speed, out: &mut Output) -> Result<ExitCode> {
    let speed = encoder::measure(command.model.as_deref(), command.threads)?;
    out.data(&speed)?;
    let encoder::Speed { threads, query_ms_p50, query_ms_p95, documents_per_s } = speed;
    out.line(format!("{:>8}{:>14}{:>14}{:>17}", "threads", "query ms p50", "query ms p95", "documents per s"))?;
    out.line(format!("{threads:>8}{query_ms_p50:>14.2}{query_ms_p95:>14.2}{documents_per_s:>17.0}"))?;
    Ok(ExitCode::SUCCESS)
}
