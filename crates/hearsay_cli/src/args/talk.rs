//! Arguments of `hearsay talk`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{
    campaign::Campaign,
    names::{entities, name},
    values::text,
};

/// Help after the options of `hearsay talk`.
pub(crate) const TALK: &str = "\
The character answers with words that a language model or a template writes. Hearsay
checks each sentence before it shows it: the words reveal no secret that the character
keeps from the listeners, do not contradict what the character knows, and contain no
name that the character does not know.

Without TEXT, you talk to the character line by line. An empty line ends the talk.

For the DM only: --verbose and --json show drafts that were not said, and their secrets.

The language model is a GGUF file of a Llama, SmolLM2, Mistral, Qwen 2 or Qwen 3 model
for chats. Hearsay contains none: name your file with --model, or as `model` under
[speech] in hearsay.toml. Without a language model, templates answer with one fact.

Examples:
  hearsay talk mirela-voss --by wren-oake \"Where is the ledger?\"
  hearsay talk pell --by wren-oake --model models/SmolLM2-135M-Instruct.gguf
  hearsay talk odo-brandt --by wren-oake \"Where were you that night?\" --verbose";

#[derive(Debug, ClapArgs)]
pub(crate) struct Talk {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who answers, by id or name
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Words to the character [default: read lines from standard input]
    #[arg(value_parser = text)]
    pub(crate) text: Option<String>,
    /// Character who talks to the character, by id or name
    #[arg(long = "by", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) listener: String,
    /// Another character who hears the talk; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) with: Vec<String>,
    /// Place of the talk [default: the place where the character is]
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// GGUF file of the language model [default: the file in hearsay.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Record the words and the replies: the listeners hear them, and learn the facts that the replies state
    #[arg(long)]
    pub(crate) record: bool,
    /// Show for the DM who wrote each reply, the facts that it states, and the drafts that were not said
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
}
