//! The program `hearsay_eval`: measures Hearsay, and prints reproducible tables.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hearsay_embed::{Encoder, EncoderOptions, find_model};
use hearsay_eval::{
    beliefs::{self, Disagreement},
    crash, encoder, extraction, figures, frames, latency, leaks, learn, panel_frames, readers,
    recall::{Corpus, Method, Run},
    soak, speed, stories, tasks,
    vector_cache::VectorCache,
    weights,
};
use serde::Serialize;

/// Measures Hearsay: retrieval, extraction, beliefs, leaks, durability and speed.
#[derive(Debug, Parser)]
#[command(name = "hearsay_eval", version)]
struct Args {
    /// Print one JSON object per line
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare beliefs with a set of stories
    #[command(after_help = "\
FILE holds stories in ToMi's format, as plain text or gzip: numbered sentences,
then a question, a tab and the answer. Each story is played as operations, and
the engine answers from what those in the room saw.

Example:
  hearsay_eval beliefs stories.txt.gz --disagreements 5")]
    Beliefs(Beliefs),
    /// Search for leaks: ask in generated worlds, and again without everything that the asker cannot know
    #[command(after_help = "\
Everything that is neither in a character's view nor in the source chains of its
edges is removed from the world; its answers must be the same, byte for byte.
The first differences are printed, and the exit code is 1 if there are any.

Example:
  hearsay_eval leaks --worlds 1000 --seed 7")]
    Leaks(Leaks),
    /// Measure the extractor on labelled sentences
    #[command(after_help = "\
FILE holds scenes and labelled sentences, as EXTRACTION.md describes: how many of
the accepted facts are right, how many of the labelled are found at once or wait
for review, and how far confidence can be trusted. With --text, the facts that are
read out of any text are listed; --names is a file with a line of JSON like that of
a scene.

Example:
  hearsay_eval extraction crates/hearsay_eval/data/extraction-dev.jsonl --misses")]
    Extraction(Extraction),
    /// Measure durability: kill programs while they write, and damage their storage and files
    #[command(after_help = "\
Each run is a program that opens a directory, compares it with what was
acknowledged, and writes small and large operations, undo, graph tables, derived
files and snapshots until it is killed, its storage fails (a write is refused or
short, a sync fails, a task in the background fails), or its disk is full (where a
disk can be mounted: on Linux, as root). Memtables are small, so that the log of
the database rotates in most runs. Then a file of each kind is damaged in copies of
the directory: it must be reported or do no harm, and a repair must save the rest.
The exit code is 1 if anything was lost, half there, different or not reported.

Example:
  hearsay_eval crash --runs 1000 --json")]
    Crash(Crash),
    /// The program that `crash` kills
    #[command(hide = true, name = crash::CHILD_COMMAND)]
    CrashChild,
    /// Measure the sentence encoder: a question of 17 tokens, documents of 36 in batches of 32
    #[command(after_help = "\
The model is looked up as the programs do, unless --model names its directory.

Example:
  hearsay_eval encoder --threads 2")]
    Encoder(EncoderSpeed),
    /// Measure time and memory of a game and a DM in a generated world
    #[command(after_help = "\
Work by work: how often it was done, and how long it took in microseconds. A
durable write stands beside an fsync of the same bytes: the ratio counts, the
disk does not. Without a model, the query is not embedded.

Example:
  hearsay_eval speed --entities 1000 --facts 5000")]
    Speed(Speed),
    /// Measure directory size and load after months of play
    #[command(after_help = "\
A village whose people move and talk, in a durable directory. Without --paced, all is
written as fast as possible: then the directory and the time to open it stand beside
those of a directory into which what holds at the end was written once. With --paced,
the village is played at the speed of a game: how long changes wait for their commit
at the beginning and the end, and the worker's processor time for one move.

Examples:
  hearsay_eval soak --moves 500000 --talk 20000 --json
  hearsay_eval soak --paced --minutes 15")]
    Soak(Soak),
    /// Measure durable writes while four panels and an export read
    #[command(after_help = "\
A generated campaign is written to a temporary directory. Each write waits for its
commit; then the same again while four panels read four times a second, and an
export reads all the time. The ratio is that of the 99th percentiles.

Example:
  hearsay_eval readers --facts 100000")]
    Readers(Readers),
    /// Measure the response times of an open campaign
    #[command(after_help = "\
The campaign is opened without a model, searched, and one of its characters is asked.
Nothing is written to it.

Example:
  hearsay_eval latency campaigns/gullhaven --knower mirela-voss \"Where is the ledger?\"")]
    Latency(Latency),
    /// Print the memory of a program that has opened a world; `speed` runs it
    #[command(hide = true)]
    Hold {
        /// Directory of the world
        directory: PathBuf,
    },
    /// Measure the cost of the Bevy plugin on the main thread, per frame
    #[command(after_help = "\
Two games without a window run in turn at 60 frames a second: one with the plugin,
one without. Both make the same changes: most go elsewhere, some get another
occupation or name, join or leave a group. The cost is what the first takes more
than the median of the second; what changes, and the worker's work, is real. Before,
a game that keeps by hand lists of who is where and who moved, and nothing else, is
measured likewise: the least that following moves can cost. The first line is of
games in which nothing changes.

Example:
  hearsay_eval frames --npcs 10000 --changes 100 --questions 100")]
    Frames(Frames),
    /// Measure the cost of the DM's panels on the main thread, per frame, in a large campaign
    #[command(after_help = "\
A generated campaign, with facts that wait for review, is put on the desk without
a window; each panel in turn is in front for so many frames, of which all count.
Unhindered is without the time in which others had the processor. 60 frames a
second leave 16.7 ms for everything.

Example:
  hearsay_eval panel-frames --entities 20000 --facts 100000")]
    PanelFrames(PanelFrames),
    /// Measure retrieval tasks
    #[command(after_help = "\
DIR is a task folder (corpus.jsonl, queries.jsonl, perhaps facts.jsonl), or holds
such folders, which are then also counted as one. A question is put as a search by
the DM; time is counted from the question with its vector to the ranking. Figures
are means over questions, low and high the ends of 95 % bootstrap intervals.
Behind them stands how far `hearsay` is ahead of the better of `dense` and `bm25`
on the same questions.

Example:
  hearsay_eval recall data/retrieval/locomo data/retrieval/musique --method all")]
    Recall(Recall),
}

#[derive(Debug, ClapArgs)]
struct Recall {
    /// Task folders
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Ranking method
    #[arg(long, value_enum, default_value_t = Which::All)]
    method: Which,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// File for vectors between runs [default: in the system's cache directory]
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Cosine only: the best part of each group
    Dense,
    /// BM25 only: each group as one text
    Bm25,
    /// Dense and BM25 fused by reciprocal ranks, for comparison
    Rrf,
    /// Graph walk only
    Graph,
    /// The ranking that a game uses
    Hearsay,
    /// All methods
    All,
}

impl Which {
    fn methods(self) -> Vec<Method> {
        match self {
            Self::Dense => vec![Method::Dense],
            Self::Bm25 => vec![Method::Bm25],
            Self::Rrf => vec![Method::Rrf],
            Self::Graph => vec![Method::Graph],
            Self::Hearsay => vec![Method::Hearsay],
            Self::All => Method::ALL.to_vec(),
        }
    }
}

/// The lead of `hearsay` over the better of dense and BM25, in one figure.
#[derive(Debug, Serialize)]
struct Lead<'a> {
    set: &'a str,
    method: Method,
    against: Method,
    figure: &'static str,
    n: usize,
    ahead: f64,
    ahead_low: f64,
    ahead_high: f64,
}

#[derive(Debug, ClapArgs)]
struct Crash {
    /// Number of programs to start
    #[arg(long, default_value_t = 1_000)]
    runs: u64,
    /// Seed for the written data and the times of the kills
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

#[derive(Debug, ClapArgs)]
struct Beliefs {
    /// File with the stories
    file: PathBuf,
    /// Maximum number of disagreements between engine and set to list, with the engine's reasons
    #[arg(long, value_name = "N", default_value_t = 0)]
    disagreements: usize,
}

/// The classifier to train.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum TrustCalibration {
    /// Relation between two entities in one sentence
    Relations,
    /// Attribute that words state about an entity
    Attributes,
    /// Whether a statement is past or doubtful
    Meanings,
}

#[derive(Debug, ClapArgs)]
struct Extraction {
    /// Labelled files
    #[arg(required_unless_present = "text", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List wrong and missed facts
    #[arg(long)]
    misses: bool,
    /// Fit the weights of the extractor to the files, and print them as a table of its data file
    #[arg(long)]
    fit: bool,
    /// Train one of the extractor's classifiers on the files, and print its data file
    #[arg(long, value_name = "WHICH", conflicts_with = "fit")]
    learn: Option<TrustCalibration>,
    /// Use words and patterns only
    #[arg(long)]
    without_model: bool,
    /// Extract from this text instead, and list its facts
    #[arg(long, value_name = "FILE", requires = "names")]
    text: Option<PathBuf>,
    /// File with the names that the text may use
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
struct Leaks {
    /// Number of worlds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    worlds: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, ClapArgs)]
struct Speed {
    /// Number of entities in the world
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts, including names and kinds
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of encoder threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
struct Soak {
    /// Number of people in the village
    #[arg(long, value_name = "N", default_value_t = 200)]
    people: usize,
    /// Number of moves
    #[arg(long, value_name = "N", default_value_t = 100_000, conflicts_with = "paced")]
    moves: usize,
    /// Number of game events in which people say, tell or see something
    #[arg(long, value_name = "N", default_value_t = 4_000, conflicts_with = "paced")]
    talk: usize,
    /// Play at the speed of a game
    #[arg(long)]
    paced: bool,
    /// Moves per second
    #[arg(long, value_name = "N", default_value_t = 800, requires = "paced")]
    moves_per_second: usize,
    /// Duration in minutes
    #[arg(long, value_name = "N", default_value_t = 15.0, requires = "paced")]
    minutes: f64,
    /// Directory to fill and keep [default: a temporary directory]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
struct Readers {
    /// Number of entities in the campaign
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of measured writes
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    writes: usize,
}

#[derive(Debug, ClapArgs)]
struct Latency {
    /// Directory of the campaign, which must have been opened before
    campaign: PathBuf,
    /// Text to search for and to ask
    question: String,
    /// Character to ask
    #[arg(long, value_name = "ID")]
    knower: String,
    /// Number of repetitions
    #[arg(long, value_name = "N", default_value_t = 50)]
    times: usize,
}

#[derive(Debug, ClapArgs)]
struct PanelFrames {
    /// Number of entities
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entities: usize,
    /// Number of facts
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    facts: usize,
    /// Number of facts that wait for review
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    rows: usize,
    /// Number of counted frames per panel
    #[arg(long, value_name = "F", default_value_t = 240)]
    frames: usize,
}

#[derive(Debug, ClapArgs)]
struct Frames {
    /// Number of characters
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    npcs: usize,
    /// Number of changes per frame
    #[arg(long, value_name = "K", default_value_t = 100)]
    changes: usize,
    /// Number of counted frames
    #[arg(long, value_name = "F", default_value_t = 600)]
    frames: usize,
    /// Number of questions in flight at any time
    #[arg(long, value_name = "Q", default_value_t = 0)]
    questions: usize,
}

#[derive(Debug, ClapArgs)]
struct EncoderSpeed {
    /// Number of encoder threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut out = Output { json: args.json, out: io::BufWriter::new(io::stdout()) };
    let result = match &args.command {
        Command::Beliefs(command) => measure_beliefs(command, &mut out),
        Command::Leaks(command) => look_for_leaks(command, &mut out),
        Command::Extraction(command) => measure_extraction(command, &mut out),
        Command::Crash(command) => kill_programs(command, &mut out),
        Command::CrashChild => {
            crash::child();
            Ok(ExitCode::SUCCESS)
        }
        Command::Encoder(command) => time_encoder(command, &mut out),
        Command::Speed(command) => time_engine(command, &mut out),
        Command::Hold { directory } => hold(directory, &mut out),
        Command::Soak(command) => soak_village(command, &mut out),
        Command::Readers(command) => time_readers(command, &mut out),
        Command::Latency(command) => time_answers(command, &mut out),
        Command::Frames(command) => time_frames(command, &mut out),
        Command::PanelFrames(command) => time_panels(command, &mut out),
        Command::Recall(command) => measure_recall(command, &mut out),
    };
    match result.and_then(|code| Ok(out.out.flush().map(|()| code)?)) {
        Ok(code) => code,
        // The reader closed the pipe on purpose, so the program succeeded.
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
    /// Prints an object on one line, with `--json`.
    fn data(&mut self, data: &impl Serialize) -> Result<()> {
        if self.json {
            writeln!(self.out, "{}", serde_json::to_string(data)?)?;
        }
        Ok(())
    }

    /// Prints a line of text, without `--json`.
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

fn kill_programs(command: &Crash, out: &mut Output) -> Result<ExitCode> {
    let figures = crash::run(command.runs, command.seed, |done| {
        if io::stderr().is_terminal() {
            let _ = write!(io::stderr(), "\r{done} of {} runs", command.runs);
        }
    })?;
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr());
    }
    out.data(&figures)?;
    let crash::Figures {
        runs,
        storage_faults,
        full_disks,
        damaged_files,
        mishandled_damage,
        lost,
        half,
        graph_differences,
        unopened,
        rotations_forced,
        rotations,
        operations,
    } = figures;
    for (name, count) in [
        ("runs", runs),
        ("storage faults", storage_faults),
        ("full disks", full_disks),
        ("damaged files", damaged_files),
        ("damage mishandled", mishandled_damage),
        ("lost", lost),
        ("half there", half),
        ("graph differences", graph_differences),
        ("not opened again", unopened),
        ("runs with a rotation", rotations_forced),
        ("rotations", rotations),
        ("operations", operations),
    ] {
        out.line(format!("{name:22}{count:>10}"))?;
    }
    Ok(if figures.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure_extraction(command: &Extraction, out: &mut Output) -> Result<ExitCode> {
    let model = (!command.without_model).then(|| find_model(command.model.as_deref()));
    let encoder = match model {
        Some(Ok(directory)) => Some(Encoder::load(directory, EncoderOptions { threads: processors() })?),
        Some(Err(error)) if command.model.is_some() => return Err(error.into()),
        _ => None,
    };
    let meaning = encoder.as_ref().map(extraction::EncoderMeaning::new);
    let meaning = meaning.as_ref().map(|meaning| meaning as &dyn hearsay_extract::Meaning);
    if let (Some(text), Some(names)) = (&command.text, &command.names) {
        for line in extraction::list(text, names, meaning)? {
            out.data(&line)?;
            out.line(format!("{}\n    {}", line.fact, line.quote))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let labelled = extraction::read(&command.files)?;
    if let Some(which) = command.learn {
        let rows = extraction::rows(&labelled);
        let rows = match which {
            TrustCalibration::Relations => rows.pairs,
            TrustCalibration::Attributes => rows.values,
            TrustCalibration::Meanings => rows.meanings,
        };
        let learned = learn::learn(rows.iter());
        out.data(&learned)?;
        out.line(learned.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    if command.fit {
        let fitted = weights::fit(&labelled, meaning);
        out.data(&fitted)?;
        out.line(format!(
            "# {} facts; {:.3} of those accepted in scenes left out are right",
            fitted.n, fitted.precision
        ))?;
        out.line(format!("# ({} are), loss {:.4}\n[confidence]", fitted.right, fitted.loss))?;
        for (mark, weight) in &fitted.weights {
            out.line(format!("{mark} = {weight:.2}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let report = extraction::measure(&labelled, meaning);
    out.data(&report)?;
    let names = ["n", "precision", "recall", "review_recall", "review_precision", "ece", "ms"];
    out.line(names.map(|name| format!("{name:>10}")).join(" "))?;
    let extraction::Report { n, precision, recall, review_recall, review_precision, ece, ms, .. } = report;
    let shares = [precision, recall, review_recall, review_precision, ece, ms];
    let figures = names[1..].iter().zip(shares).map(|(name, share)| format!(" {share:>w$.3}", w = name.len().max(10)));
    out.line(format!("{n:>10}{}", figures.collect::<String>()))?;
    out.line(format!("\n{:>10}{:>6}{:>8}", "confidence", "n", "right"))?;
    for extraction::Bin { n, confidence, right } in &report.bins {
        out.line(format!("{confidence:>10.2}{n:>6}{right:>8.2}"))?;
    }
    out.line(format!("\n{:14}{:>5}{:>10}{:>7}{:>10}{:>7}", "tag", "n", "accepted", "right", "labelled", "found"))?;
    for (tag, tally) in &report.tags {
        let extraction::Tally { n, accepted, right, labelled, found } = tally;
        out.line(format!("{tag:14}{n:>5}{accepted:>10}{right:>7}{labelled:>10}{found:>7}"))?;
    }
    for miss in report.misses.iter().filter(|_| command.misses) {
        out.data(miss)?;
        out.line(format!("\n{}: {}", miss.id, miss.text))?;
        for wrong in &miss.wrong {
            out.line(format!("    wrong  {wrong}"))?;
        }
        for missed in &miss.missed {
            out.line(format!("    missed {missed}"))?;
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
        // With `--json`, only data goes to standard output. The explanation goes to standard error.
        let text = format!("\n{difference}");
        if out.json { writeln!(io::stderr(), "{text}")? } else { out.line(text)? }
    }
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn time_engine(command: &Speed, out: &mut Output) -> Result<ExitCode> {
    let model = find_model(command.model.as_deref());
    if let Err(error) = &model {
        writeln!(io::stderr(), "without a model: {error}")?;
    }
    let options = EncoderOptions { threads: command.threads };
    let encoder = model.ok().map(|directory| Encoder::load(directory, options)).transpose()?;
    let directory = tempfile::tempdir()?;
    out.line(format!("{:30}{:>8}{:>14}{:>14}{:>14}", "work", "n", "p50 \u{B5}s", "p95 \u{B5}s", "p99 \u{B5}s"))?;
    let mut tell = |timing: &speed::Timing| {
        let speed::Timing { work, n, p50_us, p95_us, p99_us } = timing;
        out.data(timing)?;
        out.line(format!("{work:30}{n:>8}{p50_us:>14.1}{p95_us:>14.1}{p99_us:>14.1}"))?;
        Ok(out.out.flush()?)
    };
    let room = speed::measure(command.entities, command.facts, directory.path(), encoder.as_ref(), &mut tell)?;
    out.data(&room)?;
    let speed::Room { entities, facts, held, bytes_per_fact } = room;
    out.line(format!("\n{entities} entities, {facts} facts; {bytes_per_fact:.0} bytes per fact on disk"))?;
    if let Some(speed::Held { program, opened, indexed, embedded }) = held {
        let mib = |bytes: u64| bytes >> 20;
        out.line(format!(
            "A program that opens it holds {} MiB; with the words of all texts {}, with their vectors {}; before that {}",
            mib(opened), mib(indexed), mib(embedded), mib(program)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn hold(directory: &Path, out: &mut Output) -> Result<ExitCode> {
    serde_json::to_writer(&mut out.out, &speed::hold(directory)?)?;
    Ok(ExitCode::SUCCESS)
}

fn time_encoder(command: &EncoderSpeed, out: &mut Output) -> Result<ExitCode> {
    let speed = encoder::measure(command.model.as_deref(), command.threads)?;
    out.data(&speed)?;
    let encoder::Speed { threads, query_ms_p50, query_ms_p95, documents_per_s } = speed;
    out.line(format!("{:>8}{:>14}{:>14}{:>17}", "threads", "query ms p50", "query ms p95", "documents per s"))?;
    out.line(format!("{threads:>8}{query_ms_p50:>14.2}{query_ms_p95:>14.2}{documents_per_s:>17.0}"))?;
    Ok(ExitCode::SUCCESS)
}

fn time_readers(command: &Readers, out: &mut Output) -> Result<ExitCode> {
    let directory = tempfile::tempdir()?;
    let found = readers::measure(directory.path(), command.entities, command.facts, command.writes)?;
    out.data(&found)?;
    let line =
        |what: &str, waits: readers::Waits| format!("{what}: p50 {:.2} ms, p99 {:.2} ms", waits.p50_ms, waits.p99_ms);
    out.line(line("writes alone", found.alone))?;
    out.line(line("writes with four panels and an export", found.read))?;
    out.line(format!("{:.2} times as long at p99; {} readings", found.ratio, found.readings))?;
    Ok(ExitCode::SUCCESS)
}

fn time_answers(command: &Latency, out: &mut Output) -> Result<ExitCode> {
    let found = latency::measure(&command.campaign, &command.knower, &command.question, command.times)?;
    out.data(&found)?;
    let latency::Latency { operations, texts, open_ms, first_search_ms, search, ask } = found;
    out.line(format!("{operations} operations, {texts} texts: open after {open_ms:.0} ms"))?;
    let line =
        |what: &str, waits: readers::Waits| format!("{what} p50 {:.1} ms, p99 {:.1} ms", waits.p50_ms, waits.p99_ms);
    out.line(format!("first search {first_search_ms:.1} ms, {}", line("then", search)))?;
    out.line(line("question", ask))?;
    Ok(ExitCode::SUCCESS)
}

fn soak_village(command: &Soak, out: &mut Output) -> Result<ExitCode> {
    let temporary = tempfile::tempdir()?;
    let directory = command.directory.as_deref().unwrap_or(temporary.path());
    if command.paced {
        let seconds = (command.minutes * 60.0).max(1.0) as u64;
        let plan = soak::PacedPlan { people: command.people, moves_per_second: command.moves_per_second, seconds };
        let mut told = 0;
        let is_terminal = io::stderr().is_terminal();
        let paced = soak::measure_paced(plan, directory, &mut |moves| {
            if is_terminal && moves >= told + 10_000 {
                told = moves;
                let _ = write!(io::stderr(), "\r{moves} moves");
            }
        })?;
        out.data(&paced)?;
        let mega = |bytes: u64| bytes as f64 / 1e6;
        out.line(format!("{} moves and {} times talk in {:.0} s", paced.moves, paced.talk, paced.seconds))?;
        out.line(format!(
            "commit lag: at first p50 {:.0} ms, p99 {:.0} ms; at the end p50 {:.0} ms, p99 {:.0} ms",
            paced.lag_ms_p50_begin, paced.lag_ms_p99_begin, paced.lag_ms_p50_end, paced.lag_ms_p99_end
        ))?;
        for (moves, cost) in &paced.worker_us_per_move {
            out.line(format!("one move after {moves:>7}: {cost:.1} \u{B5}s of the worker"))?;
        }
        if let Some((begin, end)) = paced.resident_bytes {
            out.line(format!("resident: {:.0} MB at first, {:.0} MB at the end", mega(begin), mega(end)))?;
        }
        out.line(format!("directory: {:.1} MB, opened in {:.0} ms", mega(paced.directory_bytes), paced.open_ms))?;
        return Ok(ExitCode::SUCCESS);
    }
    let soaked =
        soak::measure(soak::Plan { people: command.people, moves: command.moves, talk: command.talk }, directory)?;
    out.data(&soaked)?;
    let mega = |bytes: u64| bytes as f64 / 1e6;
    out.line(format!("{} moves and {} times talk in {:.0} s", soaked.moves, soaked.talk, soaked.played_s))?;
    out.line(format!("directory: {:.1} MB, opened in {:.0} ms", mega(soaked.directory_bytes), soaked.open_ms))?;
    out.line(format!("written once: {:.1} MB, opened in {:.0} ms", mega(soaked.once_bytes), soaked.once_open_ms))?;
    out.line(format!("ratios: {:.2} in size, {:.2} in time", soaked.bytes_ratio, soaked.open_ratio))?;
    out.line(format!("talk kept: {} of {}", soaked.talk_kept, soaked.talk))?;
    out.line(format!("undo works: {}; slots work: {}", soaked.undo_works, soaked.slot_works))?;
    let whole = soaked.talk_kept == soaked.talk && soaked.undo_works && soaked.slot_works;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn time_frames(command: &Frames, out: &mut Output) -> Result<ExitCode> {
    let Frames { npcs, changes, frames, questions } = *command;
    let directory = tempfile::tempdir()?;
    let head = ["npcs", "changes", "questions", "p50 \u{B5}s", "p99 \u{B5}s", "worst \u{B5}s", "dropped", "lag ms p99"];
    let rest = ["answered", "unhindered: p50", "p99", "worst", "by hand: p50", "p99", "game: p50", "p99"];
    let row = |cells: &[String]| cells.iter().map(|cell| format!("{cell:>11}")).collect::<Vec<_>>().join(" ");
    out.line(row(&head.iter().chain(&rest).map(ToString::to_string).collect::<Vec<_>>()))?;
    let mut tell = |cost: &frames::Cost| {
        out.data(cost)?;
        let counts = [cost.npcs, cost.changes, cost.questions].map(|count| count.to_string());
        let times = [cost.frame_us_p50, cost.frame_us_p99, cost.worst_us].map(|time| format!("{time:.1}"));
        let ends = [cost.dropped.to_string(), format!("{:.0}", cost.commit_lag_ms_p99), cost.answered.to_string()];
        let unhindered = [cost.unhindered_us_p50, cost.unhindered_us_p99, cost.unhindered_worst_us];
        let unhindered = unhindered.map(|time| time.map_or("unknown".to_owned(), |time| format!("{time:.1}")));
        let peers = [cost.by_hand_us_p50, cost.by_hand_us_p99, cost.game_us_p50, cost.game_us_p99];
        let peers = peers.map(|time| format!("{time:.1}"));
        out.line(row(&[&counts[..], &times, &ends, &unhindered, &peers].concat()))?;
        Ok(out.out.flush()?)
    };
    frames::measure(frames::Plan { npcs, changes, frames, questions }, directory.path(), &mut tell)?;
    Ok(ExitCode::SUCCESS)
}

fn time_panels(command: &PanelFrames, out: &mut Output) -> Result<ExitCode> {
    let PanelFrames { entities, facts, rows, frames } = *command;
    let row = |name: &str, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>9}")).collect();
        format!("{name:<28}{}", cells.concat())
    };
    let head = ["frames", "p50 ms", "p99", "worst", "own p50", "p99", "worst"];
    out.line(row("panel", &head.map(str::to_owned)))?;
    let mut tell = |cost: &panel_frames::Cost| {
        out.data(cost)?;
        let whole = [cost.ms_p50, cost.ms_p99, cost.worst_ms].map(|time| format!("{time:.2}"));
        let own = [cost.unhindered_ms_p50, cost.unhindered_ms_p99, cost.unhindered_worst_ms];
        let own = own.map(|time| time.map_or("unknown".to_owned(), |time| format!("{time:.2}")));
        out.line(row(&cost.panel, &[&[cost.frames.to_string()][..], &whole, &own].concat()))?;
        Ok(out.out.flush()?)
    };
    panel_frames::measure(panel_frames::Plan { entities, facts, rows, frames }, &mut tell)?;
    Ok(ExitCode::SUCCESS)
}

fn measure_recall(command: &Recall, out: &mut Output) -> Result<ExitCode> {
    let methods = command.method.methods();
    let encoder = Encoder::load(find_model(command.model.as_deref())?, EncoderOptions { threads: processors() })?;
    let file = command.cache.clone().map_or_else(VectorCache::default_file, Ok)?;
    let mut cache = VectorCache::open(&file, &encoder.info().id, encoder.info().dimension)?;
    let mut runs: Vec<(String, BTreeMap<Method, Run>)> = Vec::new();
    for dir in &command.dirs {
        let tasks = tasks::read(dir)?;
        let mut pooled: BTreeMap<Method, Run> = BTreeMap::new();
        for task in &tasks {
            let mut corpus = Corpus::of(task)?;
            let texts: Vec<_> = corpus.texts().collect();
            let wanted: BTreeSet<String> = texts.iter().map(|(_, text)| text.clone()).collect();
            let questions = task.queries.iter().map(|query| query.text.clone());
            let told = |left| progress(&format!("{}: {left} texts to encode ", task.name));
            cache.fill(&wanted.into_iter().chain(questions).collect(), &encoder, told)?;
            for (doc, text) in &texts {
                if let Some(vector) = cache.get(text) {
                    corpus.set_vector(*doc, vector);
                }
            }
            let mut measured = BTreeMap::new();
            for &method in &methods {
                let run = corpus.run(task, method, |text| cache.get(text).map(<[f32]>::to_vec));
                pooled.entry(method).or_default().pool(&run);
                measured.insert(method, run);
            }
            runs.push((task.name.clone(), measured));
        }
        if let [first, _, ..] = &tasks[..] {
            let name = first.name.split('/').next().unwrap_or_default();
            runs.push((format!("{name} pooled"), pooled));
        }
    }
    progress("");
    let head = ["set", "method", "n", "hit1", "r2", "r5", "r10", "ndcg5", "ms p50", "ms p95", "index s"];
    let table = |cells: &[String]| {
        let cells = cells.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("{cell:22}"),
            1 => format!("{cell:8}"),
            2 => format!("{cell:>5}"),
            8.. => format!("{cell:>9}"),
            _ => format!("{cell:>20}"),
        });
        cells.collect::<String>().trim_end().to_owned()
    };
    out.line(table(&head.map(str::to_owned)))?;
    for (set, measured) in &runs {
        for (&method, run) in measured {
            let row = run.row(set, method);
            out.data(&row)?;
            let f = &row.figures;
            let ends = [
                (f.hit1_low, f.hit1_high),
                (f.r2_low, f.r2_high),
                (f.r5_low, f.r5_high),
                (f.r10_low, f.r10_high),
                (f.ndcg5_low, f.ndcg5_high),
            ];
            let shown =
                f.means().into_iter().zip(ends).map(|(mean, (low, high))| format!("{mean:.3} ({low:.3}-{high:.3})"));
            let times = [row.query_ms_p50, row.query_ms_p95, row.index_s].map(|time| format!("{time:.2}"));
            let first = [set.clone(), method.as_str().to_owned(), row.n.to_string()];
            out.line(table(&first.into_iter().chain(shown).chain(times).collect::<Vec<_>>()))?;
        }
    }
    for (set, measured) in &runs {
        compare(set, measured, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the lead of `hearsay` over the better of dense and BM25, by figure.
fn compare(set: &str, measured: &BTreeMap<Method, Run>, out: &mut Output) -> Result<()> {
    let of = |method| measured.get(&method).map(|run| run.scores.as_slice());
    let (Some(hearsay), Some(dense), Some(bm25)) = (of(Method::Hearsay), of(Method::Dense), of(Method::Bm25)) else {
        return Ok(());
    };
    let against = [(Method::Dense, figures::ahead(hearsay, dense)), (Method::Bm25, figures::ahead(hearsay, bm25))];
    out.line(format!("\n{set}: hearsay against the better of dense and bm25"))?;
    for (at, figure) in figures::NAMES.into_iter().enumerate() {
        // The better method is the one with the smaller lead.
        let [a, b] = &against;
        let (against, ahead) = if a.1[at].mean <= b.1[at].mean { a } else { b };
        let figures::Interval { mean, low, high } = ahead[at];
        let n = hearsay.len();
        let lead = Lead {
            set,
            method: Method::Hearsay,
            against: *against,
            figure,
            n,
            ahead: mean,
            ahead_low: low,
            ahead_high: high,
        };
        out.data(&lead)?;
        out.line(format!("  {figure:6} {:6}{mean:>+8.3} ({low:+.3} to {high:+.3})", against.as_str()))?;
    }
    Ok(())
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Prints a line on the terminal that the next one replaces.
fn progress(text: &str) {
    let mut err = io::stderr();
    if err.is_terminal() {
        // Progress is optional, so errors are ignored.
        let _ = write!(err, "\r\x1b[2K{text}").and_then(|()| err.flush());
    }
}
