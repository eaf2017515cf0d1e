//! What can be typed.

mod ask;
mod db;
mod edit;
mod extract;
mod files;
mod happen;
mod history;
mod know;
mod look;
mod review;
mod session;
mod story;
mod tidy;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use hearsay_model::Standing;

pub(crate) use ask::{Ask, Search};
pub(crate) use db::Db;
pub(crate) use edit::{Add, Correct, FactArgs, Relate, Remove, Set};
pub(crate) use extract::Extract;
pub(crate) use files::{Clear, Export, Import, New, Out, Restore};
pub(crate) use happen::{Circumstances, Deduce, Forget, NewFact, Read, Refute, Retcon, Reveal, Say, Tell, Witness};
pub(crate) use history::{AuthorArg, History, Undo};
pub(crate) use know::{Believes, Knows, Missed, Secrets, When, WhoAndFact, WhoKnows};
pub(crate) use look::{DirectionArg, Facts, Neighbours, Path, Show, Status, Walk};
pub(crate) use review::{DecisionArg, Review};
pub(crate) use session::{
    Few, NewSession, Recap, Session, SessionAttend, SessionEnd, SessionImport, SessionLog, SessionShow, SessionStart,
    Threads,
};
pub(crate) use story::{Flag, GossipArgs};
pub(crate) use tidy::{Duplicates, DuplicatesWhat, Health, Learn, LearnWhat, Merge, Prune, Split};

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
    /// Read texts for facts: those that wait for it, or a text of yours to see what would be found
    #[command(after_help = "\
What is said, logged or imported is read for facts by itself, without a language
model: what is surely said is recorded, what is doubtful waits for review. This
command reads what waits (after an interrupted import, or with `enabled = false`
under [extraction] in hearsay.toml), or everything again. With a text, a file or
`-` it shows what would be found there, and records nothing.

Examples:
  hearsay extract campaigns/gullhaven
  hearsay extract campaigns/gullhaven --again
  hearsay extract campaigns/gullhaven --text \"Odo told Mirela that the ferry belongs to Bram.\"
  hearsay extract campaigns/gullhaven notes.md --lore --json
  hearsay extract campaigns/gullhaven --by pell --text \"I think she owes him money.\"")]
    Extract(Extract),
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
    /// Import campaign files of any tool, or an export; again, to take over what changed
    #[command(after_help = "\
Read are Hearsay's own YAML, Markdown (an Obsidian vault, a folder of notes),
Foundry VTT, Kanka (zip), Roll20, World Anvil, Glyphoxa, and any JSON, YAML or
CSV by a mapping file. The format is found by looking at the files.

  hearsay import CAMPAIGN SOURCE    files from elsewhere, into a campaign
  hearsay import CAMPAIGN           the campaign's own folder; other commands do
                                    that by themselves where it is in YAML

See first with --dry-run what would come of it: what is new, which links lead
nowhere, what was not understood and where, who would know what.

One import is one operation: `undo` takes it back. Several sources stand side by
side; give them names, where their own are the same. Imported again, a source
changes only what changed in its files: what you said stays, what you both
changed waits for review, and what notes of other tools leave out is proposed to
you to withdraw. Entities of one name are never merged: see `duplicates`.

Examples:
  hearsay import campaigns/gullhaven --dry-run
  hearsay import campaigns/mine ~/vault --dry-run --json
  hearsay import campaigns/mine ~/vault --watch
  hearsay import campaigns/mine npcs.csv --mapping npcs.mapping.yaml --name npcs
  hearsay import campaigns/restored gullhaven.jsonl")]
    Import(Import),
    /// Write everything out: JSON Lines, YAML, an Obsidian vault, graphs, a players' handbook, a backup
    #[command(after_help = "\
JSON Lines, YAML and Obsidian come back with `import`, with nothing lost. All but
the handbook hold the secrets. The handbook is made from what the players'
characters know, and leaves out what one of them keeps to itself.

Examples:
  hearsay export campaigns/gullhaven --output gullhaven.jsonl
  hearsay export campaigns/gullhaven | grep '\"type\":\"fact\"'
  hearsay export campaigns/gullhaven --format obsidian --output vault
  hearsay export campaigns/gullhaven --format dot | dot -Tsvg -o gullhaven.svg
  hearsay export campaigns/gullhaven --format handbook --output handbook.md
  hearsay export campaigns/gullhaven --format backup --output gullhaven.backup")]
    Export(Export),
    /// Restore a backup, with its history and undo
    #[command(after_help = "\
Example:
  hearsay restore gullhaven.backup campaigns/gullhaven")]
    Restore(Restore),
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
  hearsay review campaigns/gullhaven accept 3fa91c02 77be1d40
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
Examples:
  hearsay health campaigns/gullhaven
  hearsay health campaigns/gullhaven --check orphans --check no_evidence --limit 100")]
    Health(Health),
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
    /// Show the status of the store, encoder and queues
    #[command(after_help = "\
Examples:
  hearsay status campaigns/gullhaven --json
  hearsay status campaigns/gullhaven --wait")]
    Status(Status),
    /// Check, repair and maintain the memory's database
    #[command(
        subcommand,
        after_help = "\
Examples:
  hearsay db check campaigns/gullhaven
  hearsay db repair campaigns/gullhaven
  hearsay db embed campaigns/gullhaven"
    )]
    Db(Db),
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
    let says = |c: char| !c.is_whitespace() && !hearsay_model::escape::is_hostile(c);
    if given.contains(says) { Ok(given.to_owned()) } else { Err("it is empty".into()) }
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
pub(crate) struct Model {
    /// The model's directory [default: HEARSAY_MODEL_DIR, and the usual places]
    pub(crate) directory: Option<PathBuf>,
    /// Tell how near two sentences are in meaning
    #[arg(long, num_args = 2, value_names = ["SENTENCE", "SENTENCE"])]
    pub(crate) compare: Vec<String>,
}
