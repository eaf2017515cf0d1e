//! `model`: shows which sentence encoder is in use, and fetches the models.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use hearsay_embed::{DEFAULT_MODEL, Encoder, EncoderOptions, LookupEnvironment, MODEL_DIR_VAR, dot, find_model};
use serde_json::json;

use crate::{
    args::{self, ModelCommand},
    model_files::{ModelFile, ModelSource, listed_files},
    output::{CliError, FILE_ERROR, Output, USAGE_ERROR, count},
};

/// Name of the environment variable that contains the source of the models.
const MIRROR_VAR: &str = "HEARSAY_MODEL_MIRROR";

pub(crate) fn run(command: &ModelCommand, output: &mut Output) -> Result<()> {
    match command {
        ModelCommand::Show(args) => show(args, output),
        ModelCommand::Fetch(args) => fetch(args, output),
    }
}

fn show(args: &args::ShowModel, output: &mut Output) -> Result<()> {
    let encoder = Encoder::open(args.directory.as_deref(), EncoderOptions::default())?;
    let info = encoder.info();
    let texts: Vec<&str> = args.compare.iter().map(String::as_str).collect();
    let vectors = encoder.encode(&texts)?;
    let similarity = match vectors.as_slice() {
        [a, b] => Some(dot(a, b)),
        _ => None,
    };
    output.data(&json!({ "model": info, "directory": info.directory, "similarity": similarity }))?;
    output.line(format!("{} ({} numbers per vector, {} tokens per text)", info.id, info.dimension, info.max_tokens))?;
    output.line(match &info.directory {
        Some(directory) => format!("from {}", directory.display()),
        None => "compiled into the program".to_owned(),
    })?;
    if let Some(similarity) = similarity {
        output.line(format!("similarity {similarity:.3}"))?;
    }
    Ok(())
}

fn fetch(args: &args::FetchModels, output: &mut Output) -> Result<()> {
    let files = listed_files()?;
    let directory = target_directory(args.to.as_deref())?;
    let mut missing: Vec<&ModelFile> = Vec::new();
    for file in &files {
        if !file.is_in(&directory)? {
            missing.push(file);
        }
    }
    let paths: Vec<&str> = missing.iter().map(|file| file.path.as_str()).collect();
    let bytes: u64 = missing.iter().map(|file| file.bytes).sum();
    let size = format!("{} ({:.1} MB)", count(missing.len(), "file", "files"), bytes as f64 / 1e6);
    let report = |source: Option<&ModelSource>, is_fetched: bool| {
        let source = source.map(ToString::to_string);
        let directory = directory.display().to_string();
        json!({ "directory": directory, "source": source, "files": paths, "bytes": bytes, "fetched": is_fetched })
    };
    if missing.is_empty() {
        output.data(&report(None, false))?;
        return output.line(format!("The models in {} are complete.", directory.display()));
    }
    let source = source(args.from.as_deref())?;
    if args.dry_run {
        output.data(&report(Some(&source), false))?;
        let target = directory.display();
        return output.line(format!("Dry run, nothing is changed: {size} would be fetched from {source} to {target}"));
    }
    let bar = output.byte_progress("fetching the models", bytes);
    let fetched = missing.iter().try_for_each(|file| source.fetch(file, &directory, &bar));
    bar.finish_and_clear();
    fetched?;
    output.data(&report(Some(&source), true))?;
    output.line(format!("{size} fetched from {source} to {}", directory.display()))?;
    let encoder = directory.join(DEFAULT_MODEL);
    if !find_model(None).is_ok_and(|found| is_same_directory(&found, &encoder)) {
        output.note(format!("to use these models, set {MODEL_DIR_VAR} to {}", encoder.display()));
    }
    Ok(())
}

/// Returns the absolute path of the directory to which the models are fetched.
fn target_directory(given: Option<&Path>) -> Result<PathBuf> {
    let directory = given.map(Path::to_owned).or_else(|| LookupEnvironment::from_process().user_models_dir());
    let directory = directory.ok_or_else(|| {
        CliError::new(
            FILE_ERROR,
            "the data directory of the user is unknown; pass the directory for the models with --to",
        )
    })?;
    std::path::absolute(&directory).with_context(|| format!("the directory `{}` cannot be used", directory.display()))
}

/// Returns the source of the models: the argument of `--from`, or else the value of the environment variable.
fn source(given: Option<&Path>) -> Result<ModelSource> {
    let variable = || env::var_os(MIRROR_VAR).filter(|value| !value.is_empty()).map(PathBuf::from);
    let source = given.map(Path::to_owned).or_else(variable).ok_or_else(|| {
        let message = format!(
            "no source of the models is set; pass a mirror or a directory with --from, or set the environment variable \
             {MIRROR_VAR}. A mirror is the address of a web server with the content of `assets/models` of Hearsay's \
             repository. A directory is a copy of `assets/models`, or `models` of a release archive"
        );
        CliError::new(USAGE_ERROR, message)
    })?;
    ModelSource::new(&source)
}

fn is_same_directory(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
