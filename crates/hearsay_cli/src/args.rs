//! What can be typed.

mod happen;
mod know;
mod session;
mod story;
mod tidy;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hearsay_model::{EntityId, Standing};

pub(crate) use happen::{Circumstances, Deduce, Forget, NewFact, Read, Refute, Retcon, Reveal, Say, Tell, Witness};
pub(crate) use know::{Believes, Knows, Missed, Secrets, When, WhoAndFact, WhoKnows};
pub(crate) use session::{
    Few, NewSession, Recap, Session, SessionAttend, SessionEnd, SessionImport, SessionLog, SessionShow, SessionStart,
    Threads,
};
pub(crate) use story::{Flag, GossipArgs};
pub(crate) use tidy::{Duplicates, DuplicatesWhat, Learn, LearnWhat, Merge, Prune, Split};

const AFTER: &str = "\
A campaign is a directory of YAML files. Every command first takes over what
changed in them (not with --no-import). What is written by hand, and what was
undone, lies beside them in `.hearsay`.

Entities are named by id (mirela-voss), name or alias; facts by the beginning
of their id (3fa91c02) or by their handle.

Begin with:
  hearsay ask campaigns/gullhaven --as mirela-voss \"Where is the harbour ledger?\"
  hearsay new my-town

Exit codes:
  0    done
  1    something failed
  2    the command line is wrong
  3    nothing, or more than one thing, has that name, id or handle
  4    a file or directory is wrong or missing: campaign, settings, export or model
  5    another process holds the campaign
  130  stopped by Ctrl-C";

/// NPC memory: who knows what, who told them, and how sure they are.
#[derive(Debug, Parser)]
#[command(name = "hearsay", version, after_help = AFTER)]
pub(crate) struct Args {
    /// Print data: one JSON document on standard output, errors as JSON on standard error
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(crate) json: bool,
    /// No progress and no notes
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Over the options that every command has.
const EVERYWHERE: &str = "Options of every command";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a character: prints what it may say in the scene, with receipts
    #[command(after_help = "\
The answer holds what this character knows and nothing else: who it is, its
relations, the scene, and what bears on the question. Every line has a receipt:
how it knows this, how far it believes it, and where it is written.

Examples:
  hearsay ask campaigns/gullhaven --as mirela-voss \"Where is the harbour ledger?\"
  hearsay ask campaigns/gullhaven --as pell --at salt-quay --with roz-keel \"Who was out?\"
  hearsay ask campaigns/gullhaven --as mirela-voss --about pell --receipts \"What do you hear?\"
  hearsay ask campaigns/gullhaven --as odo-brandt --form prompt --budget 400 \"Who is the Grey Lady?\"")]
    Ask(Ask),
    /// Search for names, along relations, by words and meaning
    #[command(after_help = "\
Names are found by their beginning too, and when they are nearly right; `*` lists
all. Up to 20 entities, each with 5 relations, 10 facts and 10 passages; and when
there is nothing, up to 10 names that are most like it. What is filtered is
filtered before it is counted.

Examples:
  hearsay search campaigns/gullhaven mirel
  hearsay search campaigns/gullhaven \"*\" --kind faction
  hearsay search campaigns/gullhaven \"who saw the boat\"
  hearsay search campaigns/gullhaven \"who saw the boat\" --knower pell --limit 3 --explain
  hearsay search campaigns/gullhaven ledger --about mirela-voss")]
    Search(Search),
    /// List facts, with where they are written
    #[command(after_help = "\
Examples:
  hearsay facts campaigns/gullhaven --subject mirela-voss
  hearsay facts campaigns/gullhaven --predicate MEMBER_OF --object harbour-watch
  hearsay facts campaigns/gullhaven --standing false --knower pell")]
    Facts(Facts),
    /// Show an entity or a fact in full: what it is, who knows it, where it is written
    #[command(after_help = "\
Examples:
  hearsay show campaigns/gullhaven mirela-voss
  hearsay show campaigns/gullhaven mirela-voss --knower odo-brandt
  hearsay show campaigns/gullhaven jory-found-the-ledger")]
    Show(Show),
    /// List the entities around one
    #[command(after_help = "\
Examples:
  hearsay neighbours campaigns/gullhaven mirela-voss --direction in
  hearsay neighbours campaigns/gullhaven lantern-club --depth 2 --predicate MEMBER_OF")]
    Neighbours(Neighbours),
    /// Find the shortest path between two entities
    #[command(after_help = "\
Examples:
  hearsay path campaigns/gullhaven pell aldous-crane
  hearsay path campaigns/gullhaven pell aldous-crane --knower tuck --max 4")]
    Path(Path),
    /// List what somebody knows, or what the players know, the newest first
    #[command(after_help = "\
Examples:
  hearsay knows campaigns/gullhaven mirela-voss --about odo-brandt
  hearsay knows campaigns/gullhaven pell --as-of \"4 Rainmoon 412\" --words boat
  hearsay knows campaigns/gullhaven --players --since session-2
  hearsay knows campaigns/gullhaven --players --as-of session-2")]
    Knows(Knows),
    /// Tell what somebody believes of something, and why; or what it thinks that another believes
    #[command(after_help = "\
What it takes to be so stands first, with the ways in which it knows it and what
it knows that speaks against it; below it stands what is so.

Examples:
  hearsay believes campaigns/gullhaven captain-rusk jory-penhale
  hearsay believes campaigns/gullhaven pell odo-brandt LOCATED_AT --as-of session-1
  hearsay believes campaigns/gullhaven wren-oake jory-penhale --thinks-of dorric-stane")]
    Believes(Believes),
    /// Tell how somebody comes to know a fact, back to those who were there
    #[command(after_help = "\
Example:
  hearsay chain campaigns/gullhaven tamsin-reed jory-found-the-ledger")]
    Chain(WhoAndFact),
    /// List who knows a fact: groups, places and characters, since when and how
    #[command(after_help = "\
Examples:
  hearsay who-knows campaigns/gullhaven jory-found-the-ledger
  hearsay who-knows campaigns/gullhaven sweet-water --as-of session-1")]
    WhoKnows(WhoKnows),
    /// List secrets: who holds them, and to whom they were told, by whom, in which session
    #[command(after_help = "\
Examples:
  hearsay secrets campaigns/gullhaven mirela-voss
  hearsay secrets campaigns/gullhaven --untold --limit 10")]
    Secrets(Secrets),
    /// Tell why somebody does not know a fact, and from whom it could hear it
    #[command(after_help = "\
Examples:
  hearsay why-not campaigns/gullhaven pell jory-found-the-ledger
  hearsay why-not campaigns/gullhaven dorric-stane watch-password")]
    WhyNot(WhoAndFact),
    /// List what others learned in a session, and somebody who was absent did not
    #[command(after_help = "\
Example:
  hearsay missed campaigns/gullhaven kestrel-vane session-2")]
    Missed(Missed),
    /// Let those present see something happen
    #[command(after_help = "\
What is new is canon. A newer state ends the older: whoever is seen somewhere is
no longer where it was.

Examples:
  hearsay witness campaigns/gullhaven pell-saw-three-men --by wren-oake
  hearsay witness campaigns/gullhaven --at salt-quay --about salt-quay \"A boat burned at Salt Quay.\"
  hearsay witness campaigns/gullhaven --by pell --that odo-brandt LOCATED_AT salt-quay --dry-run")]
    Witness(Witness),
    /// Say a line aloud: all in earshot hear it, and take up what it states
    #[command(after_help = "\
How far they believe it follows from how far they trust the speaker, and from how
sure the speaker is.

Examples:
  hearsay say campaigns/gullhaven bettony-lark \"He left at ten.\" --states odo-left-the-gull
  hearsay say campaigns/gullhaven odo-brandt \"I was in.\" --about odo-brandt \"Odo was in.\" --lie")]
    Say(Say),
    /// Let somebody tell others what it knows
    #[command(after_help = "\
Somebody can tell what it knows (a fact), or say something first (--about,
--that). Retold wrongly, it becomes a fact of its own.

Examples:
  hearsay tell campaigns/gullhaven bettony-lark odo-left-the-gull --to pell
  hearsay tell campaigns/gullhaven bettony-lark odo-left-the-gull --to pell --retold \"Odo fled.\"
  hearsay tell campaigns/gullhaven pell --that odo-brandt LOCATED_AT salt-quay --lie --dry-run")]
    Tell(Tell),
    /// Let somebody read a document: its words, and what they state
    #[command(after_help = "\
Example:
  hearsay read campaigns/gullhaven customs-notice --by wren-oake --session 4")]
    Read(Read),
    /// Let somebody conclude something from what it knows
    #[command(after_help = "\
Example:
  hearsay deduce campaigns/gullhaven pell --from pell-saw-three-men --about pell \"It was arson.\"")]
    Deduce(Deduce),
    /// Let somebody tell or see that something is not so
    #[command(after_help = "\
Examples:
  hearsay refute campaigns/gullhaven club-alibi --teller tamsin-reed --to captain-rusk
  hearsay refute campaigns/gullhaven club-alibi --seen-by wren-oake")]
    Refute(Refute),
    /// Let a holder tell a secret; from others it stays concealed
    #[command(after_help = "\
Examples:
  hearsay reveal campaigns/gullhaven mirela-voss mirela-hid-the-ledger --to wren-oake --session 4
  hearsay reveal campaigns/gullhaven tamsin-reed lucans-wet-shirt --to wren-oake --openly")]
    Reveal(Reveal),
    /// Withdraw what somebody learned: it never happened, and what rests on it falls
    #[command(after_help = "\
What somebody made up it never learned: then it has never told it.

Example:
  hearsay forget campaigns/gullhaven tamsin-reed jory-found-the-ledger --dry-run")]
    Forget(Forget),
    /// Take a fact back: it never was so, or no longer since a date
    #[command(after_help = "\
Examples:
  hearsay retcon campaigns/gullhaven club-alibi --never-so --dry-run
  hearsay retcon campaigns/gullhaven club-new-store --until \"4 Rainmoon 412\"")]
    Retcon(Retcon),
    /// Let people talk for some days: news travels from mouth to mouth
    #[command(after_help = "\
Those who meet at a place tell each other news: by relation, trust and how
talkative they are. What is secret or concealed is not told. The game clock
goes on to the end. The same seed gives the same talk.

Examples:
  hearsay gossip campaigns/gullhaven --days 3 --dry-run
  hearsay gossip campaigns/gullhaven --tellings --seed 7")]
    Gossip(GossipArgs),
    /// List the flags of the game, or set one
    #[command(after_help = "\
Examples:
  hearsay flag campaigns/gullhaven
  hearsay flag campaigns/gullhaven lucan-arrested yes
  hearsay flag campaigns/gullhaven lamps-lit 3 --declare")]
    Flag(Flag),
    /// List the secrets that are told under conditions, and what is missing
    #[command(after_help = "\
Example:
  hearsay reveals campaigns/gullhaven")]
    Reveals(Campaign),
    /// Play a session: begin it, write its log, end it; list and show sessions; import transcripts
    #[command(
        subcommand,
        after_help = "\
One session is played at a time. What is recorded meanwhile, by whatever
command, carries it, and those who are there hear what is said.

Examples:
  hearsay session start campaigns/gullhaven --title \"The red ledger\" --at the-gilded-gull
  hearsay session log campaigns/gullhaven --by mirela-voss \"The ledger is gone.\"
  hearsay session attend campaigns/gullhaven --leave kestrel-vane
  hearsay session end campaigns/gullhaven
  hearsay session import campaigns/gullhaven evening.vtt --dm Anna --dry-run"
    )]
    Session(Session),
    /// Tell what happened in a session, in few lines: for the DM, the players or one character
    #[command(after_help = "\
The lines and facts that carried the session, in the order in which they
happened, as they were said: no language model is asked. --prompt prints what
one is given that is to write it.

With --player-safe the recap is made from what the characters know who were
there, and nothing else has a part in it: read it aloud.

Examples:
  hearsay recap campaigns/gullhaven
  hearsay recap campaigns/gullhaven session-2 --player-safe --words 150
  hearsay recap campaigns/gullhaven 2 --as kestrel-vane
  hearsay recap campaigns/gullhaven 2 --compress --question \"Who drowned Jory?\" --budget 300")]
    Recap(Recap),
    /// List what is open: quests, promises, debts, untold secrets
    #[command(after_help = "\
A quest is open until its `stage` says otherwise (done, finished, failed, …), a
promise or debt as long as it holds, a secret until somebody was told.

Examples:
  hearsay threads campaigns/gullhaven
  hearsay threads campaigns/gullhaven --kind debt --kind promise
  hearsay threads campaigns/gullhaven --about mirela-voss
  hearsay threads campaigns/gullhaven --session 2 --json")]
    Threads(Threads),
    /// Make a new campaign directory
    #[command(after_help = "\
Example:
  hearsay new my-town --name \"My Town\"")]
    New(New),
    /// Import campaign files, or an export (`.jsonl`); again, to take over what changed
    #[command(after_help = "\
Other commands import the campaign's own files by themselves. Use `import` to
see first what it would do (--dry-run), to bring in files from elsewhere, or to
take over files again whose import was undone.

Examples:
  hearsay import campaigns/gullhaven --dry-run
  hearsay import campaigns/restored gullhaven.jsonl")]
    Import(Import),
    /// Write everything as JSON Lines, which `import` reads
    #[command(after_help = "\
Examples:
  hearsay export campaigns/gullhaven --output gullhaven.jsonl
  hearsay export campaigns/gullhaven | grep '\"type\":\"fact\"'")]
    Export(Export),
    /// Add an entity: canon at once
    #[command(after_help = "\
Examples:
  hearsay add campaigns/gullhaven Bram --at salt-quay
  hearsay add campaigns/gullhaven \"The Blue Buoy\" --kind location --at harbour-ward")]
    Add(Add),
    /// Set an attribute of an entity: canon at once
    #[command(after_help = "\
Examples:
  hearsay set campaigns/gullhaven pell occupation \"net-mender\"
  hearsay set campaigns/gullhaven pell goals \"Leave by the next boat.\" --secret --known-by roz-keel")]
    Set(Set),
    /// Relate two entities: canon at once
    #[command(after_help = "\
Examples:
  hearsay relate campaigns/gullhaven pell OWES mirela-voss --secret --known-by mirela-voss
  hearsay relate campaigns/gullhaven pell LIKES roz-keel --attitude 60 --since \"3 Rainmoon 412\"")]
    Relate(Relate),
    /// Correct a fact that was recorded wrongly; those who knew it know the right one
    #[command(after_help = "\
Examples:
  hearsay correct campaigns/gullhaven 3fa91c02 --object salt-quay
  hearsay correct campaigns/gullhaven jory-found-the-ledger --statement \"Jory found the ledger in a wall.\"")]
    Correct(Correct),
    /// Remove a fact that never was so, or an entity with all that is said of it
    #[command(after_help = "\
Examples:
  hearsay remove campaigns/gullhaven --fact 3fa91c02
  hearsay remove campaigns/gullhaven --entity pell")]
    Remove(Remove),
    /// Decide on what waits for the DM; without a decision, list it
    #[command(after_help = "\
Examples:
  hearsay review campaigns/gullhaven
  hearsay review campaigns/gullhaven accept 3fa91c02
  hearsay review campaigns/gullhaven edit 3fa91c02 --statement \"Pell saw a boat, not a ship.\"")]
    Review(Review),
    /// Tell what is learned from your decisions: how far sources and predicates are trusted
    #[command(after_help = "\
What you accept in review makes its source, its predicate and the way it was
extracted trusted more, what you reject less. That moves the confidence of what
is proposed next, and is shown with it. Marking false speaks against the source
alone: it was understood rightly. `reset` forgets; `undo` takes that back.

Examples:
  hearsay learn campaigns/gullhaven
  hearsay learn campaigns/gullhaven history --limit 5
  hearsay learn campaigns/gullhaven off")]
    Learn(Learn),
    /// List entities that may be one, or facts that say the same
    #[command(after_help = "\
Entities of one kind are compared by their names and aliases, by how those sound,
and by who is around them; with --meaning by their descriptions too. Near-certain
ones come first. Nothing is merged without you, unless hearsay.toml says so.
`merge` makes one of two; `not-the-same` is remembered.

Examples:
  hearsay duplicates campaigns/gullhaven
  hearsay duplicates campaigns/gullhaven --facts
  hearsay duplicates campaigns/gullhaven not-the-same pell roz-keel")]
    Duplicates(Duplicates),
    /// Merge an entity into another that it was all along
    #[command(after_help = "\
What was said of the first is said of the second from now on, and who knew it
knows it still. The first name becomes another name of the second. Of two values
that cannot both be so the surer stands, and the other is a claim that waits for
review. `split` takes it back.

Examples:
  hearsay merge campaigns/gullhaven pell roz-keel --dry-run
  hearsay merge campaigns/gullhaven pell roz-keel")]
    Merge(Merge),
    /// Split two entities that were merged
    #[command(after_help = "\
Both are as they were, and what was written since to what had moved is written to
where that was before. What was said since of the one that was left stays with
it. They are not proposed as one again.

Example:
  hearsay split campaigns/gullhaven pell")]
    Split(Split),
    /// Withdraw facts by confidence, age or standing; lists them first
    #[command(after_help = "\
Only facts that wait for review go, unless you name a standing. What you said or
confirmed yourself never does. `undo` brings them back. Facts that you rejected
keep their like from being proposed again: prune those with care.

Examples:
  hearsay prune campaigns/gullhaven --below 0.4
  hearsay prune campaigns/gullhaven --older-than 90 --standing proposed --standing claimed --apply")]
    Prune(Prune),
    /// Tell what is amiss in the record: orphans, facts without evidence, what waits
    #[command(after_help = "\
Example:
  hearsay health campaigns/gullhaven")]
    Health(Campaign),
    /// List the operations of the journal, the newest first
    #[command(after_help = "\
Example:
  hearsay history campaigns/gullhaven --limit 5")]
    History(History),
    /// Undo an operation; nothing is lost, and undoing the undo brings it back
    #[command(after_help = "\
The files of an import that was undone stay as they are; they are left out
until you say `hearsay import` again.

Examples:
  hearsay undo campaigns/gullhaven --preview
  hearsay undo campaigns/gullhaven 4
  hearsay undo campaigns/gullhaven --author import")]
    Undo(Undo),
    /// How the memory stands
    #[command(after_help = "\
Example:
  hearsay status campaigns/gullhaven --json")]
    Status(Campaign),
    /// Count entities by kind and facts by predicate, standing and source
    #[command(after_help = "\
Example:
  hearsay stats campaigns/gullhaven")]
    Stats(Campaign),
    /// Delete the memory of a campaign; its files stay
    #[command(after_help = "\
Example:
  hearsay clear campaigns/gullhaven --force")]
    Clear(Clear),
    /// Tell which sentence encoder is used, and from where
    #[command(after_help = "\
Examples:
  hearsay model
  hearsay model --compare \"the harbour burned\" \"a fire at the docks\"")]
    Model(Model),
}

/// Text that says something.
fn text(given: &str) -> Result<String, String> {
    if given.trim().is_empty() { Err("it is empty".into()) } else { Ok(given.to_owned()) }
}

/// Tokens of a scene context; as few as hearsay.toml allows, at least.
fn budget(given: &str) -> Result<usize, String> {
    let tokens = given.parse::<usize>().map_err(|error| error.to_string())?;
    if tokens < 64 { Err("at least 64".into()) } else { Ok(tokens) }
}

#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Campaign {
    /// The campaign directory
    pub(crate) campaign: PathBuf,
    /// Do not take over what changed in the campaign's files
    #[arg(long, help_heading = EVERYWHERE)]
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
    #[arg(long = "as", value_name = "NPC", value_parser = text)]
    pub(crate) speaker: String,
    /// What is asked
    #[arg(value_parser = text)]
    pub(crate) question: String,
    /// Where: an id or a name [default: where the speaker is]
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Who else is there; repeat it [default: those whom the speaker knows to be there]
    #[arg(long, value_name = "NPC")]
    pub(crate) with: Vec<String>,
    /// Only what concerns this entity, or is one relation away from it; repeat it
    #[arg(long, value_name = "ENTITY", value_parser = text)]
    pub(crate) about: Vec<String>,
    /// The session that is played: its id or number. The last lines said in it are told
    #[arg(long, value_name = "SESSION", value_parser = text)]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
    /// Tokens that the context may have [default: as hearsay.toml says, 1200]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
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
    /// Put receipts into the prompt form too, and say in any form why a line is there
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
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Whose knowledge: an id or a name [default: everything in the world]
    #[arg(long, value_name = "NPC")]
    pub(crate) knower: Option<String>,
    /// Only entities of this kind, such as npc, and facts about them
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only what concerns this entity, or is one relation away from it; repeat it
    #[arg(long, value_name = "ENTITY", value_parser = text)]
    pub(crate) about: Vec<String>,
    /// Only facts with this predicate, and only such relations are followed
    #[arg(long)]
    pub(crate) predicate: Option<String>,
    /// Only facts and passages of this session: its id or number
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only facts of this standing
    #[arg(long, value_enum, conflicts_with = "knower")]
    pub(crate) standing: Option<StandingArg>,
    /// Only what is so in the world at this date, or at the end of this session: `4 Rainmoon 412`, `yesterday`
    #[arg(long, value_name = "DATE|SESSION", conflicts_with = "knower", value_parser = text, allow_hyphen_values = true)]
    pub(crate) holds_at: Option<String>,
    /// How far relations are followed from what is found by name
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) depth: u8,
    #[command(flatten)]
    pub(crate) when: When,
    /// Facts at most, and passages at most
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Say of each result what words, meaning and graph gave it, how it is known, and the way through the graph
    #[arg(long, short = 'v')]
    pub(crate) explain: bool,
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
    /// With this predicate, such as MEMBER_OF or occupation; `hearsay stats` lists them
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
    /// So in the world at this date, or at the end of this session: `4 Rainmoon 412`, `yesterday`
    #[arg(long, value_name = "DATE|SESSION", value_parser = text, allow_hyphen_values = true)]
    pub(crate) holds_at: Option<String>,
    #[command(flatten)]
    pub(crate) when: When,
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
    #[command(flatten)]
    pub(crate) when: When,
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
    #[command(flatten)]
    pub(crate) when: When,
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
    /// The campaign directory; with a source from elsewhere it may be one that does not exist yet
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
    /// The file to write [default: standard output, in JSON Lines with or without --json]
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
    #[arg(value_parser = text)]
    pub(crate) name: String,
    /// What it is: npc, player, location, faction, party, item, document, event, quest, concept, or a word of your own
    #[arg(long, default_value = "npc")]
    pub(crate) kind: String,
    /// Its id [default: made from the name]
    #[arg(long, value_parser = |id: &str| EntityId::new(id))]
    pub(crate) id: Option<EntityId>,
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
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) since: Option<String>,
    /// Until when it was so
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
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
    #[arg(value_parser = text)]
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
    /// The relation, such as OWES or EMPLOYED_BY; or words of your own, which become one: "sails with" is SAILS_WITH
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
    Import,
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
