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
A language model or a template writes the replies of the character. Hearsay shows a
sentence only if it reveals no secret that the character keeps from the listeners, does not
contradict the knowledge of the character, and contains no name that the character does not
know.

Without TEXT, you talk to the character line by line. An empty line ends the talk.

The options --verbose and --json are for the DM only: they also show rejected drafts, which
can contain secrets.

The language model must be a GGUF file of a Llama, SmolLM2, Mistral, Qwen 2 or Qwen 3 chat
model. Hearsay includes no language model. Pass the path of your file with --model, or set
`model` under [speech] in hearsay.toml. Instead of a file, you can use a server with an
OpenAI-compatible API, such as Ollama: set `server` under [speech]. Without a language
model, a template writes the reply, and the reply states up to three facts.

Examples:
  hearsay talk mirela-voss --by wren-oake \"Where is the ledger?\"
  hearsay talk pell --by wren-oake --model models/SmolLM2-135M-Instruct.gguf
  hearsay talk odo-brandt --by wren-oake \"Where were you that night?\" --verbose";

#[derive(Debug, ClapArgs)]
pub(crate) struct Talk {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who answers (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Words that you say to the character [default: read lines from standard input]
    #[arg(value_parser = text)]
    pub(crate) text: Option<String>,
    /// Character who speaks to the answering character (id or name)
    #[arg(long = "by", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) listener: String,
    /// Another character who hears the talk; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) with: Vec<String>,
    /// Place of the talk [default: the place where the character is]
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// GGUF file of the language model [default: the model in hearsay.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Record the conversation; the listeners hear your words and the replies, and learn the facts that the replies
    /// state
    #[arg(long)]
    pub(crate) record: bool,
    /// For the DM: show whether the language model or a template wrote each reply, the facts that the reply states, and
    /// the rejected drafts
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,
}
