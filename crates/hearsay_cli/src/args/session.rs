//! What can be typed of sessions, recaps and open threads.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use hearsay_memory::query::ThreadKind;

use super::{Campaign, budget, text};

#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    /// Begin a session: from now on it is played
    #[command(after_help = "\
Example:
  hearsay session start campaigns/gullhaven --title \"The red ledger\" --at the-gilded-gull \\
      --present wren-oake --present dorric-stane")]
    Start(SessionStart),
    /// Let characters come late or leave early
    #[command(after_help = "\
Who is not there hears nothing of what is said.

Example:
  hearsay session attend campaigns/gullhaven --arrive kestrel-vane --leave sister-ilva")]
    Attend(SessionAttend),
    /// Write a line of the session down: what somebody says, or what happens
    #[command(after_help = "\
The characters of those at the table hear it, and who else is at the place of
the scene. With --session, a line of a session that is over.

Examples:
  hearsay session log campaigns/gullhaven \"The bell of the chapel rings at low water.\"
  hearsay session log campaigns/gullhaven --by mirela-voss --at the-gilded-gull \"The ledger is gone.\"
  hearsay session log campaigns/gullhaven --by odo-brandt --to mirela-voss \"Not a word.\"")]
    Log(SessionLog),
    /// End the session that is played, and tell what it brought
    #[command(after_help = "\
Example:
  hearsay session end campaigns/gullhaven")]
    End(SessionEnd),
    /// List the sessions
    #[command(after_help = "\
Example:
  hearsay session list campaigns/gullhaven")]
    List(Campaign),
    /// Show what a session brought, its log, or the log in few tokens
    #[command(after_help = "\
Who learned what, what changed, what is open, and which facts to look at first.
--log prints every line; --compact what carries most of it, or bears on a
question, within a token budget, as a prompt is given it.

Examples:
  hearsay session show campaigns/gullhaven
  hearsay session show campaigns/gullhaven 2 --log
  hearsay session show campaigns/gullhaven 2 --compact --question \"Who drowned Jory?\" --budget 300")]
    Show(SessionShow),
    /// Import a transcript as the log of a session: `Speaker: text`, a chat export, WebVTT or SubRip
    #[command(after_help = "\
Speakers are matched with characters by name, alias or first name; what the DM
says is narration; who is nobody in the campaign is kept as text. Importing the
same file again changes nothing; a changed one takes over what changed. It is
one operation: `hearsay undo` takes all of it back.

Examples:
  hearsay session import campaigns/gullhaven evening.txt --dry-run
  hearsay session import campaigns/gullhaven evening.vtt --dm Anna --speaker \"Ben=wren-oake\"
  hearsay session import campaigns/gullhaven evening.srt --session 2")]
    Import(SessionImport),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct NewSession {
    /// What it is called [default: `Session` and its number]
    #[arg(long, value_parser = text)]
    pub(crate) title: Option<String>,
    /// Its number [default: the next]
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u32>,
    /// Its id [default: `session-` and its number]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// When it is played, in the real world
    #[arg(long, value_name = "DATE", value_parser = text)]
    pub(crate) date: Option<String>,
    /// When it begins in the game, on the campaign's calendar [default: the game clock]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Where the scene is: an id or a name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Whose character is there; repeat it [default: all player characters; of a transcript, those who speak in it]
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) present: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionStart {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    #[command(flatten)]
    pub(crate) new: NewSession,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionAttend {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who comes; repeat it
    #[arg(long, value_name = "CHARACTER", required_unless_present = "leave")]
    pub(crate) arrive: Vec<String>,
    /// Who leaves; repeat it
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) leave: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionLog {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The words
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Who says it: an id or a name [default: it is narration]
    #[arg(long, value_name = "NPC")]
    pub(crate) by: Option<String>,
    /// Where; the scene is there from now on
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// When, on the campaign's calendar [default: how far the log or the game clock has come]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Only these hear it; repeat it [default: those who are there]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// Who hears it besides those who are there; repeat it
    #[arg(long, value_name = "NPC")]
    pub(crate) with: Vec<String>,
    /// In which session: its id or number [default: the one that is played]
    #[arg(long)]
    pub(crate) session: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionEnd {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// When, on the campaign's calendar [default: how far the log or the game clock has come]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
}

/// In few tokens.
#[derive(Debug, ClapArgs)]
pub(crate) struct Few {
    /// Of a document instead of a session: an id or a name
    #[arg(long, value_name = "DOCUMENT", conflicts_with = "session", value_parser = text)]
    pub(crate) document: Option<String>,
    /// What it is wanted for: what bears on it comes first
    #[arg(long, value_parser = text)]
    pub(crate) question: Option<String>,
    /// Tokens at most [default: a tenth of the whole]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub(crate) budget: Option<usize>,
    /// By words and graph alone, without the encoder
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

impl Few {
    /// Whether one of these was typed: then few tokens are wanted.
    pub(crate) fn is_given(&self) -> bool {
        self.document.is_some() || self.question.is_some() || self.budget.is_some()
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionShow {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Which: its id or number [default: the one that is played, or else the latest]
    pub(crate) session: Option<String>,
    /// Print the log
    #[arg(long, conflicts_with = "compact")]
    pub(crate) log: bool,
    /// Print the log in few tokens
    #[arg(long)]
    pub(crate) compact: bool,
    /// Of what this character knows [default: all of it]
    #[arg(long = "as", value_name = "NPC", requires = "compact", value_parser = text)]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) few: Few,
    /// At most so many lines in each part of a report
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionImport {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The transcript
    pub(crate) file: PathBuf,
    /// To which session: its id or number [default: the one it was imported to before, or a new one]
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Who is meant by a speaker, such as "Anna=lyra"; repeat it
    #[arg(long, value_name = "SPEAKER=CHARACTER", value_parser = speaker)]
    pub(crate) speaker: Vec<(String, String)>,
    /// The speaker who runs the game: what it says is narration
    #[arg(long, value_name = "SPEAKER", value_parser = text)]
    pub(crate) dm: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewSession,
    /// Say how the lines are understood, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn speaker(given: &str) -> Result<(String, String), String> {
    let (speaker, plays) = given.split_once('=').unwrap_or_default();
    match (speaker.trim(), plays.trim()) {
        ("", _) | (_, "") => Err("expected the speaker and a character, such as \"Anna=lyra\"".into()),
        (speaker, plays) => Ok((speaker.to_owned(), plays.to_owned())),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Recap {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Which session: its id or number [default: the one that is played, or else the latest]
    pub(crate) session: Option<String>,
    /// For the players: only what the characters know who were there
    #[arg(long, conflicts_with = "knower")]
    pub(crate) player_safe: bool,
    /// For one character: only what it knows
    #[arg(long = "as", value_name = "NPC", value_parser = text)]
    pub(crate) knower: Option<String>,
    /// Words at most
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub(crate) words: usize,
    /// Say of each line why it is there and where it is from
    #[arg(long)]
    pub(crate) receipts: bool,
    /// Print what a language model is given that is to write the recap
    #[arg(long, conflicts_with = "receipts")]
    pub(crate) prompt: bool,
    /// Have the language model write it; see [extraction.llm] in hearsay.toml
    #[arg(long, conflicts_with_all = ["receipts", "prompt", "compress"])]
    pub(crate) written: bool,
    /// The log in few tokens instead, as a prompt is given it
    #[arg(long, conflicts_with_all = ["prompt", "receipts", "player_safe"])]
    pub(crate) compress: bool,
    #[command(flatten)]
    pub(crate) few: Few,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ThreadArg {
    Quest,
    Promise,
    Debt,
    Secret,
}

impl From<ThreadArg> for ThreadKind {
    fn from(arg: ThreadArg) -> Self {
        match arg {
            ThreadArg::Quest => Self::Quest,
            ThreadArg::Promise => Self::Promise,
            ThreadArg::Debt => Self::Debt,
            ThreadArg::Secret => Self::Secret,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Threads {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Only of this kind; repeat it
    #[arg(long, value_enum)]
    pub(crate) kind: Vec<ThreadArg>,
    /// Only what concerns this entity: an id or a name
    #[arg(long, value_name = "ENTITY", value_parser = text)]
    pub(crate) about: Option<String>,
    /// Only what was recorded in this session, or concerns somebody named in it: its id or number
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}
