//! `new`: a campaign directory to begin with.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use hearsay_memory::{SETTINGS_FILE, Settings};
use serde_json::json;

use crate::{args, output::Output};

pub(crate) fn run(args: &args::New, output: &mut Output) -> Result<()> {
    let directory = &args.campaign;
    let occupied = fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        bail!("{}: this directory is not empty; name one that is, or that does not exist yet", directory.display());
    }
    let of_directory = || directory.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or_else(of_directory).unwrap_or_else(|| "My campaign".into());
    fs::create_dir_all(directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    // JSON strings are YAML strings, so any name comes out as it went in.
    let quoted = serde_json::to_string(&name)?;
    write(&directory.join("campaign.yaml"), &format!("{HEAD}campaign:\n  name: {quoted}\n{TAIL}"))?;
    write(&directory.join(SETTINGS_FILE), Settings::TEMPLATE)?;
    let shown = directory.display();
    output.data(&json!({ "campaign": directory, "name": name }))?;
    output.line(format!("{shown}/campaign.yaml   the campaign: write on here"))?;
    output.line(format!("{shown}/{SETTINGS_FILE}    settings, with their defaults"))?;
    output.line(format!("Try: hearsay ask {shown} --as ann \"What is below the cellar?\""))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

const HEAD: &str = "\
# A Hearsay campaign. crates/hearsay_campaign/FORMAT.md says all that can be written here;
# campaigns/tiny-tavern shows every part of it once.
";

const TAIL: &str = "\
  description: A town by the sea.

entities:
  - name: The Anchor
    kind: location
    description: A tavern with low beams.

  - name: Ann
    kind: npc
    home: The Anchor
    attributes:
      occupation: innkeeper
    secrets:
      - text: There is a tunnel below the cellar of The Anchor.
        about: [The Anchor]
";
