//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hearsay_model::Standing;

const AFTER: &str = "\
Exit codes:
  0  done
  1  something failed
  2  the command line is wrong
  3  nothing, or more than one thing, has that name, id or handle
  4  a file is wrong: campaign, settings, export or model
  5  another process holds the campaign

Begin with:
  hearsay ask campaigns/gullhaven --as mirela-voss \"Where is the harbour ledger?\"";

/// NPC memory: who knows what, who told them, and how sure they are.
#[derive(Debug, Parser)]
#[command(name = "hearsay", version, after_help = AFTER, propagate_version = true)]
pub(crate) struct Args {
    /// Print data: JSON on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress and no notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a character: prints what it may say in the scene, with receipts
    #[command(
        after_help = "Example:\n  hearsay ask campaigns/gullhaven --as mirela-voss --form prompt \"Where is the ledger?\""
    )]
    Ask(Ask),
    /// Search facts and passages by words, meaning and graph
    #[command(after_help = "Example:\n  hearsay search campaigns/gullhaven \"who saw the boat\" --knower pell")]
    Search(Search),
    /// List facts, with who knows them and where they come from
    #[command(
        after_help = "Example:\n  hearsay facts campaigns/gullhaven --predicate MEMBER_OF --object harbour-watch"
    )]
    Facts(Facts),
    /// Show an entity or a fact in full
    #[command(after_help = "Example:\n  hearsay show campaigns/gullhaven mirela-voss --knower odo-brandt")]
    Show(Show),
    /// List the entities around one
    #[command(
        after_help = "Example:\n  hearsay neighbours campaigns/gullhaven lantern-club --depth 2 --predicate MEMBER_OF"
    )]
    Neighbours(Neighbours),
    /// Find the shortest path between two entities
    #[command(after_help = "Example:\n  hearsay path campaigns/gullhaven mirela-voss aldous-crane --max 4")]
    Path(Path),
    /// Make a new campaign directory
    #[command(after_help = "Example:\n  hearsay new campaigns/my-town --name \"My Town\"")]
    New(New),
    /// Import campaign files, or an export (`.jsonl`); again, to take over what changed
    #[command(after_help = "Example:\n  hearsay import campaigns/gullhaven --dry-run")]
    Import(Import),
    /// Write everything as JSON Lines
    #[command(after_help = "Example:\n  hearsay export campaigns/gullhaven --output gullhaven.jsonl")]
    Export(Export),
    /// Add an entity: canon at once
    #[command(after_help = "Example:\n  hearsay add campaigns/gullhaven Bram --kind npc --at salt-quay")]
    Add(Add),
    /// Set an attribute of an entity: canon at once
    #[command(after_help = "Example:\n  hearsay set campaigns/gullhaven bram occupation \"ferryman\"")]
    Set(Set),
    /// Relate two entities: canon at once
    #[command(
        after_help = "Example:\n  hearsay relate campaigns/gullhaven bram OWES mirela-voss --secret --known-by mirela-voss"
    )]
    Relate(Relate),
    /// Correct a fact that was recorded wrongly; those who knew it know the right one
    #[command(after_help = "Example:\n  hearsay correct campaigns/gullhaven 3fa91c02 --object salt-quay")]
    Correct(Correct),
    /// Remove a fact that never was so, or an entity with all that is said of it
    #[command(after_help = "Example:\n  hearsay remove campaigns/gullhaven --fact 3fa91c02")]
    Remove(Remove),
    /// Decide on what waits for the DM; without a decision, list it
    #[command(
        after_help = "Example:\n  hearsay review campaigns/gullhaven\n  hearsay review campaigns/gullhaven accept 3fa91c02"
    )]
    Review(Review),
    /// List the operations of the journal, the newest first
    #[command(after_help = "Example:\n  hearsay history campaigns/gullhaven --limit 5")]
    History(History),
    /// Undo an operation; nothing is lost, and undoing the undo brings it back
    #[command(after_help = "Example:\n  hearsay undo campaigns/gullhaven --preview")]
    Undo(Undo),
    /// How the memory stands
    #[command(after_help = "Example:\n  hearsay status campaigns/gullhaven --json")]
    Status(Campaign),
    /// Count entities by kind and facts by predicate, standing and source
    #[command(after_help = "Example:\n  hearsay stats campaigns/gullhaven")]
    Stats(Campaign),
    /// Delete the memory of a campaign; its files stay
    #[command(after_help = "Example:\n  hearsay clear campaigns/gullhaven --force")]
    Clear(Clear),
    /// Tell which sentence encoder is used, and from where
    #[command(
        after_help = "Example:\n  hearsay model\n  hearsay model --compare \"the harbour burned\" \"a fire at the docks\""
    )]
    Model(Model),
}

/// Which campaign.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Campaign {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Do not take over what changed in the campaign's files
    #[arg(long)]
    pub(crate) no_import: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    Text,
    Markdown,
    Prompt,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who is asked: an id or a name
    #[arg(long = "as", value_name = "NPC")]
    pub(crate) speaker: String,
    /// What is asked
    pub(crate) question: String,
    /// Where: an id or a name [default: where the speaker is]
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Who else is there; repeat it [default: those whom the speaker knows to be there]
    #[arg(long, value_name = "NPC")]
    pub(crate) with: Vec<String>,
    /// As of this date on the campaign's calendar [default: now]
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<String>,
    /// Tokens that the context may have [default: as hearsay.toml says, 1200]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Facts and passages at most [default: as hearsay.toml says, 16]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// In which form
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) form: Form,
    /// Leave the receipts out; the prompt form has none unless --receipts is given
    #[arg(long, conflicts_with = "receipts")]
    pub(crate) no_receipts: bool,
    /// Put receipts into the prompt form too
    #[arg(long)]
    pub(crate) receipts: bool,
    /// Answer by words and graph alone, without the encoder
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Search {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What is searched for
    pub(crate) text: String,
    /// Whose knowledge: an id or a name [default: everything in the world]
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    /// Results at most
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Search by words and graph alone, without the encoder
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StandingArg {
    Proposed,
    Claimed,
    Canon,
    False,
    Rejected,
}

impl From<StandingArg> for Standing {
    fn from(arg: StandingArg) -> Self {
        match arg {
            StandingArg::Proposed => Self::Proposed,
            StandingArg::Claimed => Self::Claimed,
            StandingArg::Canon => Self::Canon,
            StandingArg::False => Self::False,
            StandingArg::Rejected => Self::Rejected,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Facts {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// About this entity: an id or a name
    #[arg(long, value_name = "ENTITY")]
    pub(crate) subject: Option<String>,
    /// With this predicate, such as MEMBER_OF or occupation
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Pointing at this entity, or with these words in the value
    #[arg(long, value_name = "ENTITY|WORDS")]
    pub(crate) object: Option<String>,
    /// Of this standing
    #[arg(long, value_enum)]
    pub(crate) standing: Option<StandingArg>,
    /// Known to this knower: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// An entity by id or name, or a fact by id, beginning of the id, or handle
    pub(crate) what: String,
    /// As this knower sees it: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DirectionArg {
    Out,
    In,
    Both,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Walk {
    /// Which way relations are followed
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) direction: DirectionArg,
    /// Only these relations; repeat it
    #[arg(long, value_name = "PREDICATE")]
    pub(crate) predicate: Vec<String>,
    /// As this knower sees it: an id or a name
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Neighbours {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// From where: an id or a name
    pub(crate) entity: String,
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Hops
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) depth: usize,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Path {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// From where: an id or a name
    pub(crate) from: String,
    /// To where: an id or a name
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Steps at most
    #[arg(long, default_value_t = 6, value_name = "N")]
    pub(crate) max: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct New {
    /// The directory to make
    pub(crate) campaign: PathBuf,
    /// The campaign's name [default: the directory's]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// What to import: a folder, a YAML file, or an export (`.jsonl`) [default: the campaign directory itself]
    pub(crate) source: Option<PathBuf>,
    /// Say what would be imported, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Clear {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Really delete it
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Add {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What it is called
    pub(crate) name: String,
    /// What it is: npc, player, location, faction, party, item, document, event, quest, concept, or a word of your own
    #[arg(long, default_value = "npc")]
    pub(crate) kind: String,
    /// Its id [default: made from the name]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Where it lives and is: an id or a name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
}

/// What may be said of a fact besides its three parts.
#[derive(Debug, ClapArgs)]
pub(crate) struct FactArgs {
    /// The sentence that states it [default: made from the predicate's phrase]
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Only the bearer and --known-by know it
    #[arg(long, conflicts_with = "common")]
    pub(crate) secret: bool,
    /// Everybody knows it
    #[arg(long)]
    pub(crate) common: bool,
    /// Who else knows it; repeat it
    #[arg(long, value_name = "NPC")]
    pub(crate) known_by: Vec<String>,
    /// Since when it is so, on the campaign's calendar
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Until when it was so
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Whose attribute: an id or a name
    pub(crate) entity: String,
    /// Which attribute, such as occupation
    pub(crate) attribute: String,
    /// Its value
    pub(crate) value: String,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Relate {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The subject: an id or a name
    pub(crate) subject: String,
    /// The predicate: OWES, or words such as "works for"
    pub(crate) predicate: String,
    /// The object: an id or a name
    pub(crate) object: String,
    /// How the subject feels about the object, -100 to 100
    #[arg(long, allow_hyphen_values = true, value_name = "N")]
    pub(crate) attitude: Option<i64>,
    #[command(flatten)]
    pub(crate) fact: FactArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Correct {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The fact: id, beginning of the id, or handle
    pub(crate) fact: String,
    /// The object or value that is right
    #[arg(long, required_unless_present = "statement")]
    pub(crate) object: Option<String>,
    /// The sentence that is right
    #[arg(long)]
    pub(crate) statement: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[group(id = "what", required = true, multiple = false)]
pub(crate) struct RemoveWhat {
    /// A fact: id, beginning of the id, or handle
    #[arg(long)]
    pub(crate) fact: Option<String>,
    /// An entity: id or name
    #[arg(long)]
    pub(crate) entity: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Remove {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    #[command(flatten)]
    pub(crate) what: RemoveWhat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DecisionArg {
    /// It is so
    Accept,
    /// It is so in the words or of the object given
    Edit,
    /// It is not so, though some believe it
    False,
    /// It is no part of the world
    Reject,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Review {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What you decide; list what waits, when nothing is given
    #[arg(value_enum, requires = "fact")]
    pub(crate) decision: Option<DecisionArg>,
    /// On which fact: id, beginning of the id, or handle
    pub(crate) fact: Option<String>,
    /// With `edit`: the object or value that is right
    #[arg(long)]
    pub(crate) object: Option<String>,
    /// With `edit`: the sentence that is right
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Items to list at most
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct History {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AuthorArg {
    Dm,
    Game,
    Extractor,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Undo {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The operation's position, as `history` shows it [default: the newest]
    pub(crate) position: Option<u64>,
    /// The newest by this author
    #[arg(long, value_enum, conflicts_with = "position")]
    pub(crate) author: Option<AuthorArg>,
    /// Say what would be lost and what depends on it, and change nothing
    #[arg(long)]
    pub(crate) preview: bool,
    /// Undo it though later operations depend on it
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Model {
    /// The model's directory [default: HEARSAY_MODEL_DIR, and the usual places]
    pub(crate) directory: Option<PathBuf>,
    /// Tell how near two sentences are in meaning
    #[arg(long, num_args = 2, value_names = ["SENTENCE", "SENTENCE"])]
    pub(crate) compare: Vec<String>,
}
