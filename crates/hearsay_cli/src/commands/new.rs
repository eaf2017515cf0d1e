//! `new`: creates a campaign directory, from the answers to five questions, from notes, or with an example.

mod answers;
mod draft;
mod english;
mod next_steps;
mod notes;
mod page;
mod questions;
mod report;
mod sentences;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
mod yaml;

use std::{fs, io, path::Path};

use anyhow::{Context, Result};
use hearsay_engine::{SETTINGS_FILE, Settings};
use hearsay_model::words::upper_first;
use serde_json::json;

use crate::{
    args, ctrl_c,
    output::{CliError, FILE_ERROR, Output, USAGE_ERROR},
};
use draft::Draft;

const TEMPLATE: &str = include_str!("../../data/campaign.yaml");

/// Name of the campaign file in a new campaign.
const CAMPAIGN_FILE: &str = "campaign.yaml";

pub(crate) fn run(args: &args::New, output: &mut Output) -> Result<()> {
    let directory = &args.campaign;
    let path = directory.display();
    if !is_vacant(directory) {
        let problem = if directory.is_dir() { "this directory is not empty" } else { "this is a file" };
        let message = format!("{path}: {problem}; pass an empty directory, or a directory that does not exist yet");
        return Err(CliError::new(FILE_ERROR, message).into());
    }
    let directory_name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let directory_name = directory_name.filter(|name| draft::id_for(name).is_ok());
    let directory_name = directory_name.unwrap_or_else(|| "My campaign".into());
    let name = args.name.as_deref();
    if let Some(Err(reason)) = name.map(draft::id_for) {
        return Err(CliError::new(USAGE_ERROR, format!("--name: {reason}")).into());
    }
    if let Some(file) = &args.from {
        return create_from_notes(directory, file, name, &directory_name, output);
    }
    if !args.template && output.can_ask() {
        let ask = || questions::ask(name, &title(&directory_name), &mut io::stdin().lock(), &mut io::stderr());
        let draft = ctrl_c::end_immediately_during(ctrl_c::NOTHING_WRITTEN, ask)?;
        if !draft.entities.is_empty() {
            return create_from_answers(directory, &draft, output);
        }
        output.line("You named no characters and no places, so the campaign contains an example.")?;
        return create_template(directory, &draft.name, output);
    }
    create_template(directory, name.unwrap_or(&directory_name), output)
}

/// Makes a name of the name of a directory: `my-town` becomes `My town`. A name with capital letters is unchanged.
fn title(directory_name: &str) -> String {
    match directory_name.chars().any(char::is_uppercase) {
        true => directory_name.to_owned(),
        false => upper_first(&directory_name.replace(['-', '_'], " ")),
    }
}

/// Creates a campaign with an example.
fn create_template(directory: &Path, name: &str, output: &mut Output) -> Result<()> {
    let path = directory.display();
    // A JSON string is also a valid YAML string, so any name can be written this way.
    let text = TEMPLATE.replace("{name}", &serde_json::to_string(name)?);
    create(directory, &text)?;
    output.data(&json!({ "campaign": directory, "name": name }))?;
    report::print_files(directory, "the campaign; add your entities here", None, output)?;
    output.line("Ann knows a secret that Bo does not know. Ask both:")?;
    let question = "What is below the cellar?";
    output.line(format!("  hearsay -C {path} ask --as ann \"{question}\""))?;
    output.line(format!("  hearsay -C {path} ask --as bo \"{question}\""))
}

/// Creates a campaign from the answers to the questions.
fn create_from_answers(directory: &Path, draft: &Draft, output: &mut Output) -> Result<()> {
    create(directory, &yaml::write(draft))?;
    report::print_files(directory, &report::summarize(draft), None, output)?;
    report::print_next_steps(directory, draft, output)
}

/// Creates a campaign from a page of notes, or from a folder with pages. A copy of the page is a part of the campaign
/// directory.
fn create_from_notes(
    directory: &Path,
    path: &Path,
    name: Option<&str>,
    default_name: &str,
    output: &mut Output,
) -> Result<()> {
    let default_name = title(default_name);
    let notes = notes::read(path, name.unwrap_or(&default_name))?;
    let made = page::read(&notes.text, name, &default_name);
    create(directory, &yaml::write(&made.draft))?;
    let copy = directory.join(notes.copy_name);
    fs::write(&copy, &notes.bytes).with_context(|| format!("{} cannot be written", copy.display()))?;
    report::print_page(directory, &copy, &notes, &made, output)?;
    if notes.left_to_import.is_empty() {
        return Ok(());
    }
    let (directory, path) = (directory.display(), path.display());
    output.line(format!(
        "Notes with front matter, each about one entity (`hearsay -C {directory} import {path}` reads them): {}",
        notes.left_to_import.join(", ")
    ))
}

/// Creates the directory with the campaign file and the settings.
fn create(directory: &Path, campaign: &str) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
    write(&directory.join(CAMPAIGN_FILE), campaign)?;
    write_settings(directory)
}

/// Returns whether a campaign can be created at a path: nothing exists there, or it is an empty directory.
pub(crate) fn is_vacant(directory: &Path) -> bool {
    match fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !directory.exists(),
    }
}

/// Writes a settings file that contains every default.
pub(crate) fn write_settings(directory: &Path) -> Result<()> {
    write(&directory.join(SETTINGS_FILE), Settings::TEMPLATE)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
