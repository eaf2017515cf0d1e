//! The command line.

mod ask;
mod db;
mod edit;
mod event;
mod extract;
mod files;
mod groups;
mod history;
mod know;
mod look;
mod review;
mod session;
mod simulate;
mod tidy;

use std::path::PathBuf;

use clap::{ArgMatches, Args as ClapArgs, FromArgMatches, Parser, Subcommand, ValueEnum};
use hearsay_model::FactStatus;

pub(crate) use ask::{Ask, Search};
pub(crate) use db::Db;
pub(crate) use edit::{Add, Correct, FactArgs, Relate, RemoveEntity, RemoveFact, Set};
pub(crate) use event::{Circumstances, Deduce, Forget, NewFact, Read, Refute, Retcon, Reveal, Say, Tell, Witness};
pub(crate) use extract::Extract;
pub(crate) use files::{Clear, Export, Import, ImportOptions, New, Out, Restore, Sync};
pub(crate) use groups::{EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand};
pub(crate) use history::{AuthorArg, History, Undo};
pub(crate) use know::{Believes, Knows, Missed, Secrets, When, WhoAndFact, WhoKnows};
pub(crate) use look::{DirectionArg, Facts, Neighbours, Path, Show, Status, Walk};
pub(crate) use review::{DecisionArg, Review};
pub(crate) use session::{
    Few, NewSession, Recap, Session, SessionAttend, SessionEnd, SessionImport, SessionLog, SessionShow, SessionStart,
    Threads,
};
pub(crate) use simulate::{Flag, GossipArgs};
pub(crate) use tidy::{Duplicates, DuplicatesWhat, Health, Learn, LearnWhat, Merge, Prune, Split};

/// The help of the program: clap cannot group commands.
const HELP: &str = "\
{about}

Usage: hearsay [-C DIR] <COMMAND>

Everyday:
  ask       Ask a character, and print what it may say in the scene
  search    Search entities, facts and passages
  say       Record a line that a character says aloud
  log       Add a line to the session's log
  review    List what waits for the DM, and decide on it
  undo      Revert an operation
  status    Show the status of the database, sentence encoder and queues

Files:
  new       Create a campaign directory
  import    Import files of any tool, or an export
  sync      Import what changed in the campaign's own files
  export    Write JSON Lines, YAML, Obsidian, graphs, a handbook or a backup

Groups (`hearsay help GROUP` lists their commands):
  entity    Add, change, show, merge and split characters, places and things
  fact      List, add, correct, retract and extract facts
  know      Who knows, believes, conceals or missed what, and why
  event     Record what characters say, tell, see, read, deduce and reveal
  session   Start, end, import and recap sessions
  simulate  Let gossip spread, and set story flags
  trust     Show or reset what was learned from your decisions
  db        Check, repair, restore and maintain the database

Options:
{options}
{after-help}";

const AFTER: &str = "
The campaign is the directory given by -C or HEARSAY_CAMPAIGN, or the nearest
one from the working directory upward. Name an entity by id (mirela-voss), name,
alias, or a unique part of its name. Name a fact by the start of its id
(3fa91c02), its handle, or words of its statement (\"ledger chapel\").

Example: hearsay -C campaigns/gullhaven ask --as mirela-voss \"Where is the ledger?\"

Exit codes: 1 failed, 2 wrong command line, 3 unknown or ambiguous name, 4 wrong
or missing file, 5 locked by another process, 130 stopped by Ctrl-C";

/// NPC memory: who knows what, who told them, and how sure they are.
#[derive(Debug, Parser)]
#[command(name = "hearsay", version, help_template = HELP, after_help = AFTER)]
pub(crate) struct Args {
    /// Campaign directory [env: HEARSAY_CAMPAIGN] [default: searched upward]
    #[arg(long, short = 'C', global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) campaign: Option<PathBuf>,
    /// Do not import what changed in the campaign's files
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_sync: bool,
    /// Print one JSON document; errors are JSON on standard error
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Print no progress and no notes
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Heading of the options that every command has.
const GLOBAL: &str = "Global options";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a character, and print what it may say in the scene
    #[command(after_help = "\
The answer contains only what this character knows: who it is, its relations, the
scene, and what is relevant to the question. Each line has a citation: how the
character knows it, its credence, and where it was recorded.

Examples:
  hearsay ask --as mirela-voss \"Where is the harbour ledger?\"
  hearsay ask --as pell --at salt-quay --with roz-keel \"Who was out?\"
  hearsay ask --as odo-brandt --form prompt --budget 400 \"Who is the Grey Lady?\"")]
    Ask(Ask),
    /// Search entities, facts and passages
    #[command(after_help = "\
Names match by their start and with spelling mistakes; `*` lists all entities.

Examples:
  hearsay search mirel
  hearsay search \"*\" --kind faction
  hearsay search \"who saw the boat\" --as pell --limit 3 --verbose
  hearsay search ledger --about mirela-voss")]
    Search(Search),
    /// Record a line that a character says aloud
    #[command(after_help = groups::SAY)]
    Say(Say),
    /// Add a line to the session's log
    #[command(after_help = session::LOG)]
    Log(SessionLog),
    /// List what waits for the DM, and decide on it
    #[command(after_help = "\
Examples:
  hearsay review
  hearsay review accept 3fa91c02 77be1d40
  hearsay review edit 3fa91c02 --statement \"Pell saw a boat, not a ship.\"")]
    Review(Review),
    /// Revert an operation; reverting the revert restores it
    #[command(after_help = "\
If you revert the import of campaign files, the files are ignored until you run
`hearsay sync`.

Examples:
  hearsay undo --dry-run
  hearsay undo 4
  hearsay undo --author import")]
    Undo(Undo),
    /// Show the status of the database, sentence encoder and queues
    Status(Status),
    /// Create a campaign directory
    #[command(after_help = "\
Example:
  hearsay new my-town --name \"My Town\"")]
    New(New),
    /// Import files of any tool, or an export
    #[command(after_help = "\
Reads Hearsay's own YAML, Markdown (an Obsidian vault, a folder of notes), Foundry
VTT, Kanka (zip), Roll20, World Anvil, Glyphoxa, and any JSON, YAML or CSV with a
mapping file. The format is detected.

--dry-run shows what is new, which links lead nowhere, what was not understood and
where, and who would know what.

An import is one operation: `hearsay undo` reverts it. Import a source again to
take over its changes: your own edits stay, conflicts wait for review, and
deletions in notes of other tools are proposed. Entities with the same name are
not merged: see `hearsay entity duplicates`.

Examples:
  hearsay import ~/vault --dry-run --json
  hearsay import ~/vault --watch
  hearsay import npcs.csv --mapping npcs.mapping.yaml --name npcs
  hearsay -C restored import gullhaven.jsonl")]
    Import(Import),
    /// Import what changed in the campaign's own files
    #[command(after_help = "\
Other commands do this by themselves for campaign files in YAML, unless you pass
--no-sync.

Examples:
  hearsay sync --dry-run
  hearsay sync --watch")]
    Sync(Sync),
    /// Write JSON Lines, YAML, Obsidian, graphs, a handbook or a backup
    #[command(after_help = "\
`import` reads JSON Lines, YAML and Obsidian exports without loss. All formats
except the handbook contain secrets. The handbook contains what the player
characters know, without what one of them conceals.

Examples:
  hearsay export --output gullhaven.jsonl
  hearsay export --format obsidian --output vault
  hearsay export --format dot | dot -Tsvg -o gullhaven.svg
  hearsay export --format handbook --output handbook.md
  hearsay export --format backup --output gullhaven.backup")]
    Export(Export),
    /// Add, change, show, merge and split characters, places and things
    #[command(subcommand)]
    Entity(EntityCommand),
    /// List, add, correct, retract and extract facts
    #[command(subcommand)]
    Fact(FactCommand),
    /// Who knows, believes, conceals or missed what, and why
    #[command(subcommand)]
    Know(KnowCommand),
    /// Record what characters say, tell, see, read, deduce and reveal
    #[command(subcommand)]
    Event(EventCommand),
    /// Start, end, import and recap sessions
    #[command(subcommand)]
    Session(Session),
    /// Let gossip spread, and set story flags
    #[command(subcommand)]
    Simulate(SimulateCommand),
    /// Show or reset what was learned from your decisions
    #[command(after_help = "\
A fact that you accept raises the trust in its source, predicate and extraction
method; a rejected fact lowers it. Trust changes the confidence of later
proposals, and is shown with them. A fact marked false lowers the trust in its
source only. `trust reset` forgets all decisions; `hearsay undo` reverts that.

Examples:
  hearsay trust
  hearsay trust history --limit 5
  hearsay trust off")]
    Trust(Learn),
    /// Check, repair, restore and maintain the database
    #[command(subcommand)]
    Db(Db),
}

/// Parses text that is not empty.
fn text(given: &str) -> Result<String, String> {
    let says = |c: char| !c.is_whitespace() && !hearsay_model::escape::is_hostile(c);
    if given.contains(says) { Ok(given.to_owned()) } else { Err("it is empty".into()) }
}

/// Parses the token budget of a scene context.
fn budget(given: &str) -> Result<usize, String> {
    let tokens = given.parse::<usize>().map_err(|error| error.to_string())?;
    if tokens < 64 { Err("at least 64".into()) } else { Ok(tokens) }
}

/// The campaign that a command works on.
#[derive(Debug, Clone)]
pub(crate) struct Campaign {
    /// Its directory.
    pub(crate) campaign: PathBuf,
    /// Do not import what changed in its files.
    pub(crate) no_sync: bool,
}

/// The options of a campaign are global: clap hands their values to each command, which does not define them again.
impl ClapArgs for Campaign {
    fn augment_args(command: clap::Command) -> clap::Command {
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command
    }
}

impl FromArgMatches for Campaign {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_one::<PathBuf>("campaign").cloned();
        let found = given.or_else(|| std::env::var_os("HEARSAY_CAMPAIGN").map(PathBuf::from)).or_else(found_upward);
        let missing = "there is no campaign in this directory or above it; name one with -C DIR or HEARSAY_CAMPAIGN, or \
                       create one with `hearsay new`";
        let campaign =
            found.ok_or_else(|| clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, missing))?;
        Ok(Self { campaign, no_sync: matches.get_flag("no_sync") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The nearest campaign directory from the working directory upward.
fn found_upward() -> Option<PathBuf> {
    let working = std::env::current_dir().ok()?;
    let is_campaign = |directory: &std::path::Path| {
        ["campaign.yaml", "campaign.yml", "hearsay.toml", ".hearsay"].iter().any(|name| directory.join(name).exists())
    };
    working.ancestors().find(|directory| is_campaign(directory)).map(PathBuf::from)
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    Text,
    Markdown,
    Prompt,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StatusArg {
    Proposed,
    Claimed,
    Canon,
    False,
    Rejected,
}

impl From<StatusArg> for FactStatus {
    fn from(arg: StatusArg) -> Self {
        match arg {
            StatusArg::Proposed => Self::Proposed,
            StatusArg::Claimed => Self::Claimed,
            StatusArg::Canon => Self::Canon,
            StatusArg::False => Self::False,
            StatusArg::Rejected => Self::Rejected,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Model {
    /// Directory of the model [default: HEARSAY_MODEL_DIR, and the usual places]
    pub(crate) directory: Option<PathBuf>,
    /// Compare the meaning of two sentences
    #[arg(long, num_args = 2, value_names = ["SENTENCE", "SENTENCE"])]
    pub(crate) compare: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_help_lists_every_command() {
        let command = Args::command();
        command.clone().debug_assert();
        for name in command.get_subcommands().map(clap::Command::get_name) {
            assert!(HELP.contains(&format!("\n  {name:<9} ")), "{name}");
        }
    }
}
