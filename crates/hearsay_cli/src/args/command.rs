//! Command line of the program: its commands, its global options and its help.

use std::path::PathBuf;

use clap::{
    Arg, ColorChoice, CommandFactory, Parser, Subcommand,
    error::{ContextKind, ContextValue},
};

use super::{
    EntityCommand, EventCommand, FactCommand, KnowCommand, SAY, SimulateCommand,
    ask::{Ask, Search},
    db::Db,
    event::Say,
    files::{Export, Import, New, Sync},
    history::Undo,
    inspect::{Status, Vocabulary},
    maintenance::Trust,
    mcp::Mcp,
    model::ModelCommand,
    review::Review,
    serve::Serve,
    session::{LOG, Session, SessionLog},
    shell::{Completions, Man},
    talk::{TALK, Talk},
};

/// The help of the program, written by hand because clap cannot group commands.
const HELP: &str = "\
{about}

Usage: hearsay [-C DIR] <COMMAND>

Everyday:
  ask          Ask a question, and show the facts that a character knows about it
  search       Search entities, facts and recorded texts (passages)
  talk         Talk to a character; the replies use only the knowledge of this character
  say          Record words that a character says when no session is played, or check words
  log          Add a line to the session's log
  review       List facts that wait for your decision, and decide on them
  undo         Undo an operation, such as an edit or an import
  status       Show the status of the database, sentence encoder and queues
  mcp          Run an MCP server that answers as one character or as the DM
  serve        Serve the campaign to other machines, MCP clients and HTTP clients

Files:
  new          Create a campaign directory
  import       Import files of other tools, or a file that Hearsay exported
  sync         Import changes from the campaign's own YAML files
  vocabulary   List relations and attributes, with their meanings and audiences
  export       Export the campaign as data, a graph, a players' handbook or a backup

Groups (`hearsay help GROUP` lists their commands):
  entity       Add, change, show, merge and split characters, places and things
  fact         List, add, correct, retract and extract facts
  know         Show what characters know, believe, feel, conceal and forget
  event        Record what characters see, tell, read, deduce and refute
  session      Start, end, import and summarize sessions
  simulate     Simulate gossip between characters, and set story flags
  db           Check, repair, restore and maintain the database
  model        Show the sentence encoder, and fetch the models

Options:
{options}{after-help}";

const AFTER: &str = "\
Refer to an entity by its id (mirela-voss), its name, an alias, or a unique part of its name.
Refer to a fact by its handle (club-alibi), the start of its id, or words of its statement.
Example: hearsay -C campaigns/gullhaven ask --as mirela-voss \"Where is the ledger?\"

Exit codes: 1 command failed, 2 invalid command line, 3 unknown or ambiguous name,
4 invalid or missing file, 5 campaign in use by another program, 130 stopped by Ctrl-C";

/// The output of `hearsay --version`.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nLicence: ",
    env!("CARGO_PKG_LICENSE"),
    "; for the licences of SurrealDB and all other dependencies, run `hearsay licences`"
);

/// NPC memory: who knows what, who told them, and how sure they are.
#[derive(Debug, Parser)]
#[command(name = "hearsay", version, long_version = LONG_VERSION, help_template = HELP, after_help = AFTER)]
pub(crate) struct Args {
    /// Campaign directory [env: HEARSAY_CAMPAIGN] [default: the campaign in the working directory or in the
    /// nearest directory above it]
    #[arg(long, short = 'C', global = true, value_name = "DIR", help_heading = GLOBAL)]
    pub(crate) campaign: Option<PathBuf>,
    /// Do not import changed campaign files
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_sync: bool,
    /// Print the result as one JSON document, and print errors as JSON
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Do not print progress or notes on standard error
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    /// When to use colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true, help_heading = GLOBAL)]
    pub(crate) color: ColorChoice,
    /// Do not show long output in a pager
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_pager: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// Line in the help of a command that replaces the global options.
const GLOBAL_HINT: &str = "`hearsay help` lists the options that every command has, such as -C and --json.";

/// Returns the definition of the command line. The help of a command does not list the global options, so that it fits
/// on one screen.
pub(crate) fn command_line() -> clap::Command {
    let command = Args::command();
    let globals = command.get_arguments().filter(|argument| argument.is_global_set());
    let globals: Vec<Arg> = globals.map(|argument| argument.clone().hide(true)).collect();
    command.mut_subcommands(|subcommand| with_short_help(subcommand, &globals))
}

/// Adds the groups of commands to the error of an unknown command that a group contains: `who-knows` is `know who-knows`.
pub(crate) fn with_groups(mut error: clap::Error, command_line: &clap::Command) -> clap::Error {
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) {
        let groups = command_line.get_subcommands().filter(|group| group.find_subcommand(name).is_some());
        let found: Vec<String> = groups.map(|group| format!("{} {name}", group.get_name())).collect();
        if !found.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
        }
    }
    error
}

/// Hides the global options in the help of a command and of its subcommands.
fn with_short_help(command: clap::Command, globals: &[Arg]) -> clap::Command {
    let after_help = match command.get_after_help() {
        Some(own) => format!("{GLOBAL_HINT}\n\n{own}"),
        None => GLOBAL_HINT.to_owned(),
    };
    // An argument of the command can replace a global option.
    let is_replaced = |global: &&Arg| command.get_arguments().any(|own| own.get_id() == global.get_id());
    let hidden: Vec<Arg> = globals.iter().filter(|global| !is_replaced(global)).cloned().collect();
    command.after_help(after_help).args(hidden).mut_subcommands(|subcommand| with_short_help(subcommand, globals))
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a question, and show the facts that a character knows about it
    #[command(after_help = "\
The output is a context: a list of facts that this character knows. The facts describe the
character, its relations or the scene, or they are relevant to the question. The citation
of each fact shows how the character knows the fact, how strongly the character believes
the fact (the credence), and where the fact was recorded.

Examples:
  hearsay ask --as mirela-voss \"Where is the harbour ledger?\"
  hearsay ask --as pell --at salt-quay --with roz-keel \"Who was out?\"
  hearsay ask --as odo-brandt --form prompt --budget 400 \"Who is the Grey Lady?\"")]
    Ask(Ask),
    /// Search entities, facts and recorded texts (passages)
    #[command(after_help = "\
The start of a name is enough to find an entity. The search tolerates small spelling
mistakes.

Examples:
  hearsay search mirel
  hearsay search \"*\" --kind faction
  hearsay search \"who saw the boat\" --as pell --limit 3 --verbose
  hearsay search ledger --about mirela-voss")]
    Search(Search),
    /// Talk to a character; the replies use only the knowledge of this character
    #[command(after_help = TALK)]
    Talk(Talk),
    /// Record words that a character says when no session is played, or check words
    #[command(after_help = SAY)]
    Say(Say),
    /// Add a line to the session's log
    #[command(after_help = LOG)]
    Log(SessionLog),
    /// List facts that wait for your decision, and decide on them
    #[command(after_help = "\
`accept` makes a fact canon (true in the campaign), and `edit` corrects it first. `false`
marks a fact as false; characters can still believe it. `reject` is for a misread text:
no character knows the fact any more, and Hearsay does not propose it again. Hearsay learns
from your decisions: see `hearsay help trust`.

Examples:
  hearsay review
  hearsay review --more
  hearsay review accept 3fa91c02 77be1d40
  hearsay review edit 3fa91c02 --statement \"Pell saw a boat, not a ship.\"")]
    Review(Review),
    /// Undo an operation, such as an edit or an import
    #[command(after_help = "\
An undo is an operation too. To redo an operation that you undid, undo the undo. If you
undo the import of campaign files, Hearsay ignores these files until you run `hearsay sync`.

Before Hearsay undoes an import, an operation on which later operations depend, or several
operations (--to), it shows the effects and asks for your confirmation. Without a terminal
or with --json, Hearsay cannot ask. In these cases, pass --yes to confirm.

Examples:
  hearsay undo --dry-run
  hearsay undo 4
  hearsay undo --to 12
  hearsay undo --author import --yes")]
    Undo(Undo),
    /// Show the status of the database, sentence encoder and queues
    Status(Status),
    /// Run an MCP server that answers as one character or as the DM
    #[command(after_help = "\
A language-model client starts this command, and communicates with it over standard input
and output in the Model Context Protocol (MCP). If you pass a character with --as, every
answer contains only what this character knows, and the client cannot choose another
character. While the command runs, other programs can use the campaign too, unless you set
`share = false` under [store] in hearsay.toml.

Examples:
  hearsay mcp campaigns/gullhaven --as mirela-voss
  hearsay mcp campaigns/gullhaven --as dm")]
    Mcp(Mcp),
    /// Serve the campaign to other machines, MCP clients and HTTP clients
    #[command(after_help = "\
While the server runs, programs on other machines use the campaign like a campaign on their
own machine. They need the address of the server in hearsay.toml, and the name and password
of a user. MCP clients and HTTP clients need a token, which decides whether they get the
answers of one character or of the DM. Programs on this machine need neither.

Without a certificate, the server accepts only programs on this machine, unless you pass
--insecure. Press Ctrl-C to stop the server.

Examples:
  hearsay serve campaigns/gullhaven
  hearsay serve --listen 0.0.0.0:4801 --tls-cert cert.pem --tls-key key.pem
  hearsay serve user add anna
  hearsay serve token add mirela-voss")]
    Serve(Serve),
    /// Create a campaign directory
    #[command(after_help = "\
On a terminal, Hearsay asks you for the name of the campaign, the player characters, the
first place, the NPCs at this place, and a secret. Hearsay creates the campaign from your
answers. Without a terminal, with --json or with --template, Hearsay asks no questions, and
writes an example campaign.

With --from, Hearsay creates the campaign from a page of notes, or from all pages of a
folder. For a folder with one note for each entity, use `hearsay import`. Headings and names
become entities. A sentence becomes a fact about the entity that the sentence names
first. A heading such as People, Places, Factions, Secrets, Lies, Rumours or Quests decides
what the text below it becomes: for example, the text below Lies becomes lies. Text with
words such as \"Secret:\" or \"secretly\" becomes a secret. Words such as \"lives at the Ibex\"
set homes and groups. Only the DM sees text that belongs to no entity, and notes such as
\"(TODO: name him)\". Hearsay copies the page to the campaign directory.

Examples:
  hearsay new my-town
  hearsay new my-town --template --name \"My Town\"
  hearsay new my-town --from notes.md
  hearsay new my-town --from notes")]
    New(New),
    /// Import files of other tools, or a file that Hearsay exported
    #[command(after_help = "\
Hearsay detects the format of the files. It reads its own YAML files, Markdown (an
Obsidian vault or a folder of notes), Foundry VTT, Kanka (zip), Roll20, World Anvil and
Glyphoxa. With a mapping file, it also reads any other JSON, YAML or CSV file.

--dry-run shows the new entities and facts, and who would know each fact. It also shows
links without a target, and the location of each text that Hearsay did not understand.

Each import is one operation, which you can revert with `hearsay undo`. If you import a
source again, Hearsay applies the changes in the source and keeps your own edits. If a
change in the source contradicts your edit, the conflict waits for your review. If a fact
disappears from the notes of another tool, Hearsay proposes to remove the fact. If exactly
one entity of the campaign has the name and kind of a note, the note describes this entity.
Otherwise, the note becomes a new entity. Files that only list people, places, secrets, lies
or rumours become no entities; `hearsay new --from` reads such files. To find entities with
the same name, run `hearsay entity duplicates`.

Examples:
  hearsay import ~/vault --dry-run --json
  hearsay import ~/vault --watch
  hearsay import npcs.csv --mapping npcs.mapping.yaml --name npcs
  hearsay -C restored import gullhaven.jsonl")]
    Import(Import),
    /// Import changes from the campaign's own YAML files
    #[command(after_help = "\
Commands that change the campaign first import its changed YAML files. To prevent this
import, pass --no-sync. Commands that only read the campaign do not import changed files.
Instead, they print a note that files have changed. The first command on a new campaign
always imports the campaign files, even if the command only reads.

Examples:
  hearsay sync --dry-run
  hearsay sync --watch")]
    Sync(Sync),
    /// List relations and attributes, with their meanings and audiences
    #[command(after_help = "\
The list contains the built-in relations and attributes, and those that your campaign
defines. The audience of a relation or attribute decides who knows its facts. There are two
exceptions: only the holders of a secret know the secret, and a single fact can have an
audience of its own. The audiences are:
  common   everyone
  local    the subject, the object, and the residents of the subject's place
  parties  the subject and the object
  private  the subject
If the relation of a fact is not in the list, only the subject and the object know the fact.

With --speech, the command prints the names of the campaign instead of the vocabulary.
Give these names to a speech recognition program as its prompt, so that the program
spells the names correctly. The names of the player characters and of the entities in
their scene come first. Secret names are omitted.

Examples:
  hearsay vocabulary
  hearsay vocabulary love
  hearsay vocabulary --speech --limit 60")]
    Vocabulary(Vocabulary),
    /// Export the campaign as data, a graph, a players' handbook or a backup
    #[command(after_help = "\
All formats except handbooks contain secrets. A handbook tells the players the story of each
session, the open quests, promises and debts, and the people, places and factions that the
characters met or heard of. By default, it contains only what all player characters know.

Examples:
  hearsay export --output gullhaven.jsonl
  hearsay export --format obsidian --output vault
  hearsay export --format dot | dot -Tsvg -o gullhaven.svg
  hearsay export --format handbook --as wren-oake --output wren.md
  hearsay export --format handbook-html --each --output handbooks
  hearsay export --format backup --output gullhaven.backup")]
    Export(Export),
    /// Print a script with which your shell completes `hearsay` command lines
    #[command(
        hide = true,
        after_help = "\
The script completes commands, options, and the names in your campaign.

Examples:
  echo 'source <(hearsay completions bash)' >> ~/.bashrc
  echo 'source <(hearsay completions zsh)' >> ~/.zshrc
  echo 'hearsay completions fish | source' >> ~/.config/fish/config.fish"
    )]
    Completions(Completions),
    /// Write the manual pages to a directory
    #[command(hide = true)]
    Man(Man),
    /// List the licences of Hearsay, SurrealDB and all other dependencies
    #[command(
        hide = true,
        alias = "licenses",
        after_help = "\
Examples:
  hearsay licences
  hearsay licences --json"
    )]
    Licences,
    /// Add, change, show, merge and split characters, places and things
    #[command(
        subcommand,
        after_help = "To list entities, run `hearsay search \"*\"`, for example with the option `--kind npc`."
    )]
    Entity(EntityCommand),
    /// List, add, correct, retract and extract facts
    #[command(subcommand)]
    Fact(FactCommand),
    /// Show what characters know, believe, feel, conceal and forget
    #[command(subcommand)]
    Know(KnowCommand),
    /// Record what characters see, tell, read, deduce and refute
    #[command(
        subcommand,
        after_help = "\
To record the words of a character, run `hearsay log` during a session, and `hearsay say`
otherwise."
    )]
    Event(EventCommand),
    /// Start, end, import and summarize sessions
    #[command(subcommand)]
    Session(Session),
    /// Simulate gossip between characters, and set story flags
    #[command(subcommand)]
    Simulate(SimulateCommand),
    /// Show or reset the trust in sources, which Hearsay learns from your decisions
    #[command(
        hide = true,
        after_help = "\
Hearsay learns how much to trust each source, predicate and extraction method. If you
accept a proposed fact, the trust in its source, predicate and extraction method rises. If
you reject the fact, this trust falls. If you mark the fact as false, only the trust in its
source falls. Trust changes the confidence of later proposals, and `hearsay review` shows
the change. `hearsay trust reset` forgets all decisions. `hearsay undo` reverts the reset.

For the trust between characters, see `hearsay know trust`.

Examples:
  hearsay trust
  hearsay trust history --limit 5
  hearsay trust off"
    )]
    Trust(Trust),
    /// Check, repair, restore and maintain the database
    #[command(subcommand)]
    Db(Db),
    /// Show the sentence encoder, and fetch the models
    #[command(subcommand)]
    Model(ModelCommand),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_says_that_words_name_a_fact() {
        fn check(command: &clap::Command) {
            for help in command.get_arguments().filter_map(clap::Arg::get_help) {
                let help = help.to_string();
                assert!(!help.contains("handle") || help.contains("words of"), "{}: {help}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Args::command());
    }

    #[test]
    fn the_help_lists_every_command() {
        let command = Args::command();
        command.clone().debug_assert();
        command_line().debug_assert();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        for name in visible.map(clap::Command::get_name) {
            assert!(HELP.contains(&format!("\n  {name:<11}  ")), "{name}");
        }
    }
}
