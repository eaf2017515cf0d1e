//! `new`: creates a campaign directory with example files.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use hearsay_engine::{SETTINGS_FILE, Settings};
use serde_json::json;

use crate::{
    args,
    output::{CliError, FILE_ERROR, Output},
};

const TEMPLATE: &str = include_str!("../../data/campaign.yaml");

pub(crate) fn run(args: &args::New, output: &mut Output) -> Result<()> {
    let directory = &args.campaign;
    let path = directory.display();
    if !is_vacant(directory) {
        let problem = if directory.is_dir() { "this directory is not empty" } else { "this is a file" };
        let message = format!("{path}: {problem}; name an empty directory, or one that does not exist yet");
        return Err(CliError::new(FILE_ERROR, message).into());
    }
    let directory_name = || directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or_else(directory_name).unwrap_or_else(|| "My campaign".into());
    fs::create_dir_all(directory).with_context(|| format!("{path} cannot be created"))?;
    // A JSON string is also a valid YAML string, so any name can be written this way.
    let text = TEMPLATE.replace("{name}", &serde_json::to_string(&name)?);
    write(&directory.join("campaign.yaml"), &text)?;
    write_settings(directory)?;
    output.data(&json!({ "campaign": directory, "name": name }))?;
    output.columns(&[
        [format!("{path}/campaign.yaml"), "the campaign; add your entities here".into()],
        [format!("{path}/{SETTINGS_FILE}"), "settings, with their defaults".into()],
    ])?;
    output.line("Ann knows a secret that Bo does not know. Ask both:")?;
    let question = "What is below the cellar?";
    output.line(format!("  hearsay -C {path} ask --as ann \"{question}\""))?;
    output.line(format!("  hearsay -C {path} ask --as bo \"{question}\""))
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
