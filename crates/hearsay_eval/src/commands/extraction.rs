//! `hearsay_eval extraction`.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Args, ValueEnum};
use hearsay_embed::EncoderOptions;
use hearsay_eval::{
    end_to_end::{
        Engine, Episode, Figures, Models, Reader, ServerModel, masked_entities, measure_episodes, measure_sentences,
        read_episodes,
    },
    extraction::{self, EncoderMeaning, Labelled, SceneEntity},
    mask::{Mask, episode_mask, shared_name_mask},
    table_talk::{self, CorpusPart},
};
use hearsay_extract::{ReadingModel, SentenceEncoder};
use hearsay_model::ExtractionStage;
use serde::Serialize;

use super::{patterns::open_encoder, statements::EpisodeSet};
use crate::{
    output::{Output, progress},
    precision::WeightPrecisionArg,
    threads::processor_count,
};

/// Measure how well Hearsay extracts facts from texts, both accepted facts and facts that wait for review
#[derive(Debug, Args)]
#[command(after_help = "\
FILE contains labelled sentences. The directory of --text contains real summaries and
transcripts. EXTRACTION.md describes both formats. The measurement reads the texts as
`hearsay` does with its default settings: with patterns, reading model, policy and
review queue. It replaces names that occur in the training data by invented names.
With --json, each row also contains the figures of the reliability diagram.

Examples:
  hearsay_eval extraction --text ../shared/data/crd3-dev
  hearsay_eval extraction crates/hearsay_eval/data/extraction-test{,2}.jsonl --ablation")]
pub(crate) struct Extraction {
    /// Files with labelled sentences
    #[arg(value_name = "FILE", required_unless_present = "text")]
    files: Vec<PathBuf>,
    /// Directory of real summaries and transcripts
    #[arg(long, value_name = "DIR")]
    text: Option<PathBuf>,
    /// Directory with the labels of the real texts and the list of characters
    #[arg(long, value_name = "DIR", default_value = "training")]
    training: PathBuf,
    /// Directory with the sentences on which the patterns were trained
    #[arg(long, value_name = "DIR", default_value = "crates/hearsay_eval/data")]
    sentences: PathBuf,
    /// Episodes to measure
    #[arg(long, value_name = "PART", default_value = "test")]
    on: EpisodeSet,
    /// Engine to measure; may be repeated [default: all engines whose models are available]
    #[arg(long, value_name = "ENGINE")]
    engine: Vec<EngineArg>,
    /// Read only the labelled lines of transcripts. The measurement is then faster, but fewer facts compete for places
    /// in the review queue
    #[arg(long)]
    only_labelled: bool,
    /// Do not replace the names that occur in the training data
    #[arg(long)]
    real_names: bool,
    /// Also measure the extraction without each of its stages, one stage at a time
    #[arg(long)]
    ablation: bool,
    /// Directory of the sentence encoder
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Directory of the reading model
    #[arg(long, value_name = "DIR", default_value = "assets/models/hearsay-reader")]
    reading_model: PathBuf,
    /// Precision of the reading model
    #[arg(long, value_enum, default_value_t = WeightPrecisionArg::Int8)]
    precision: WeightPrecisionArg,
    /// Address of the server of a language model
    #[arg(long, value_name = "URL", requires = "llm_model")]
    llm: Option<String>,
    /// Name of the language model on the server
    #[arg(long, value_name = "NAME", requires = "llm")]
    llm_model: Option<String>,
}

/// The engine to measure.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EngineArg {
    /// Patterns alone
    Patterns,
    /// Reading model and patterns
    Model,
    /// Language model, reading model and patterns; needs --llm
    LanguageModel,
}

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Self {
        match engine {
            EngineArg::Patterns => Self::Patterns,
            EngineArg::Model => Self::Model,
            EngineArg::LanguageModel => Self::LanguageModel,
        }
    }
}

/// A row of the table.
#[derive(Serialize)]
struct Row<'a> {
    set: &'static str,
    engine: Engine,
    /// Stage that was switched off.
    without: Option<ExtractionStage>,
    #[serde(flatten)]
    figures: &'a Figures,
}

/// The texts to measure, with masked names.
struct Texts {
    sentences: Labelled,
    episodes: Vec<Episode>,
    entities: Vec<SceneEntity>,
}

impl Extraction {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let encoder = open_encoder(self.model.as_deref())?;
        let meaning = encoder.as_ref().map(EncoderMeaning::new);
        let options = EncoderOptions { threads: processor_count(), precision: self.precision.into() };
        let reading_model = match self.reading_model.is_dir() {
            true => Some(ReadingModel::load(&self.reading_model, &options)?),
            false => None,
        };
        let language_model = match (&self.llm, &self.llm_model) {
            (Some(url), Some(name)) => Some(ServerModel::new(url, name)?),
            _ => None,
        };
        let models = Models {
            encoder: meaning.as_ref().map(|meaning| meaning as &dyn SentenceEncoder),
            reading_model: reading_model.as_ref(),
            language_model: language_model.as_ref(),
        };
        let engines = self.available_engines(models)?;
        let texts = self.read_texts()?;
        let local_stages = ExtractionStage::ALL.into_iter().filter(|stage| *stage != ExtractionStage::LanguageModel);
        let disabled_stages: Vec<Option<ExtractionStage>> = match self.ablation {
            true => [None].into_iter().chain(local_stages.map(Some)).collect(),
            false => vec![None],
        };
        print_header(output)?;
        for engine in engines {
            for disabled_stage in &disabled_stages {
                if let Some(reader) = Reader::new(engine, models, *disabled_stage) {
                    self.measure(&texts, &reader, *disabled_stage, output)?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the engines to measure. An engine that the user did not name is left out if its models are missing.
    ///
    /// # Errors
    ///
    /// A model of an engine that the user named is missing.
    fn available_engines(&self, models: Models<'_>) -> Result<Vec<Engine>> {
        let is_available = |engine: Engine| Reader::new(engine, models, None).is_some();
        if self.engine.is_empty() {
            let all = [Engine::Patterns, Engine::Model, Engine::LanguageModel];
            return Ok(all.into_iter().filter(|engine| is_available(*engine)).collect());
        }
        let engines: Vec<Engine> = self.engine.iter().map(|engine| (*engine).into()).collect();
        if let Some(engine) = engines.iter().find(|engine| !is_available(**engine)) {
            let advice = match models.reading_model {
                None => format!("no reading model at {}; pass --reading-model DIR", self.reading_model.display()),
                Some(_) => "pass --llm URL and --llm-model NAME".to_owned(),
            };
            anyhow::bail!("the engine `{}` cannot be measured: {advice}", engine.as_str());
        }
        Ok(engines)
    }

    /// Reads the texts and their labels, and replaces the names that occur in the training data.
    fn read_texts(&self) -> Result<Texts> {
        let mut texts = Texts { sentences: Labelled::default(), episodes: Vec::new(), entities: Vec::new() };
        if !self.files.is_empty() {
            let mask = if self.real_names { Mask::default() } else { self.sentence_mask()? };
            texts.sentences = extraction::read_masked(&self.files, &mask)?;
        }
        if let Some(text) = &self.text {
            let labels = self.training.join("labels");
            let episodes = table_talk::read_episode_names(&self.training, self.on.list_name())?;
            let entities = extraction::read_cast(&self.training.join("cast.json"))?.entities;
            let mask = match self.real_names {
                true => Mask::default(),
                false => episode_mask(
                    entities.iter().flat_map(|entity| &entity.names),
                    &table_talk::read_label_names(&labels, &episodes)?,
                ),
            };
            texts.episodes = read_episodes(text, &labels, &episodes, &mask)?;
            texts.entities = masked_entities(&entities, &mask);
        }
        Ok(texts)
    }

    /// Returns the mask for the names that the labelled sentences share with the sentences for training.
    fn sentence_mask(&self) -> Result<Mask> {
        let mut training_files = Vec::new();
        for directory in [self.sentences.clone(), self.sentences.join("extraction-train")] {
            for entry in fs::read_dir(directory)? {
                training_files.push(entry?.path());
            }
        }
        let is_training_file = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".jsonl") && !name.starts_with("extraction-test")
        };
        training_files.retain(is_training_file);
        let (names, training_names) = (extraction::read_names(&self.files)?, extraction::read_names(&training_files)?);
        Ok(shared_name_mask(&names, &training_names))
    }

    fn measure(
        &self,
        texts: &Texts,
        reader: &Reader<'_>,
        without: Option<ExtractionStage>,
        output: &mut Output,
    ) -> Result<()> {
        let mut print = |set: &'static str, figures: &Figures| {
            print_row(&Row { set, engine: reader.engine, without, figures }, output)
        };
        for (set, part) in [("summaries", CorpusPart::Written), ("transcripts", CorpusPart::Spoken)] {
            if !texts.episodes.is_empty() {
                progress(&format!("{set}, {}", reader.engine.as_str()));
                let (episodes, entities) = (&texts.episodes, &texts.entities);
                print(set, &measure_episodes(episodes, part, entities, self.only_labelled, reader)?)?;
            }
        }
        if !self.files.is_empty() {
            progress(&format!("sentences, {}", reader.engine.as_str()));
            print("sentences", &measure_sentences(&texts.sentences, reader)?)?;
        }
        progress("");
        Ok(())
    }
}

fn print_header(output: &mut Output) -> Result<()> {
    output.line(format!(
        "{:12}{:15}{:>6}{:>9}{:>9}{:>7}{:>7}{:>7}{:>6}{:>7}{:>7}{:>6}{:>7}{:>8}  without",
        "text",
        "engine",
        "texts",
        "labelled",
        "accepted",
        "right",
        "queued",
        "right",
        "held",
        "found",
        "shown",
        "talk",
        "ece",
        "seconds"
    ))
}

fn print_row(row: &Row<'_>, output: &mut Output) -> Result<()> {
    output.data(row)?;
    let figures = row.figures;
    let share = |part: usize, total: usize| match total {
        0 => "-".to_owned(),
        total => format!("{:.2}", part as f64 / total as f64),
    };
    output.line(format!(
        "{:12}{:15}{:>6}{:>9}{:>9}{:>7}{:>7}{:>7}{:>6}{:>7}{:>7}{:>6}{:>7.3}{:>8.1}  {}",
        row.set,
        row.engine.as_str(),
        figures.texts,
        figures.labelled,
        figures.accepted,
        share(figures.accepted_right, figures.accepted),
        figures.queued,
        share(figures.queued_right, figures.queued),
        figures.held_back,
        share(figures.labelled_accepted, figures.labelled_certain),
        share(figures.labelled_shown, figures.labelled),
        share(figures.talk_right, figures.talk),
        figures.ece,
        figures.seconds,
        row.without.map_or("", ExtractionStage::as_str),
    ))
}
