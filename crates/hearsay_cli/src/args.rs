//! The command line: the arguments of each command, and the command groups.
//!
//! To add a command to a group, add an entry to the enum of the group below, define the arguments in a module of this
//! folder, and call the function of the command in [`run`](crate::commands::run).

mod ask;
mod campaign;
mod command;
mod complete;
mod db;
mod edit;
mod event;
mod extract;
mod files;
mod history;
mod inspect;
mod know;
mod maintenance;
mod mcp;
mod model;
mod names;
mod review;
#[cfg_attr(not(feature = "serve"), allow(dead_code))]
mod serve;
mod session;
mod shell;
mod simulate;
mod talk;
mod values;

use clap::Subcommand;

pub(crate) use {
    ask::*, campaign::*, command::*, db::*, edit::*, event::*, extract::*, files::*, history::*, inspect::*, know::*,
    maintenance::*, mcp::*, model::*, review::*, serve::*, session::*, shell::*, simulate::*, talk::*, values::*,
};

/// `hearsay entity`.
#[derive(Debug, Subcommand)]
pub(crate) enum EntityCommand {
    /// Add an entity
    #[command(after_help = "\
Examples:
  hearsay entity add Bram --at salt-quay
  hearsay entity add \"The Blue Buoy\" --kind location --at harbour-ward")]
    Add(Add),
    /// Set an attribute, the home or another field of an entity
    #[command(after_help = "\
The fields have the same meaning as in campaign files. A new value ends the old value only
if the field has one value at a time. An unknown field becomes a new attribute.

Examples:
  hearsay entity set pell occupation \"net-mender\"
  hearsay entity set pell home salt-quay
  hearsay entity set pell location none
  hearsay entity set pell goals \"Leave by the next boat.\" --secret --known-by roz-keel")]
    Set(Set),
    /// Show everything about an entity, or only what one character knows about it
    #[command(after_help = "\
With --as, the command gives the same error for a name that the character does not know
and for a name that does not exist.

Examples:
  hearsay entity show mirela-voss
  hearsay entity show mirela-voss --as odo-brandt")]
    Show(Show),
    /// List the entities that are related to an entity
    #[command(after_help = "\
Examples:
  hearsay entity neighbours mirela-voss --direction in
  hearsay entity neighbours lantern-club --depth 2 --predicate MEMBER_OF")]
    Neighbours(Neighbours),
    /// Find the shortest path between two entities
    #[command(after_help = "\
Example:
  hearsay entity path pell aldous-crane --as tuck --max 4")]
    Path(Path),
    /// List entities or facts that may be duplicates
    #[command(after_help = "\
Hearsay compares entities of the same kind by their names, their aliases, the sound of
their names, and their related entities. With --meaning, it also compares their
descriptions. Hearsay merges two entities only if you run `hearsay entity merge`, or if
hearsay.toml allows automatic merging.

Examples:
  hearsay entity duplicates
  hearsay entity duplicates --facts
  hearsay entity duplicates not-the-same pell roz-keel")]
    Duplicates(Duplicates),
    /// Merge an entity into another entity
    #[command(after_help = "\
The facts and knowledge of the first entity move to the second entity. The name of
the first entity becomes an alias of the second entity. If two values conflict, the
value with the higher confidence stays, and the other value becomes a claim (a fact that
the campaign does not treat as true). `hearsay entity split` reverts the merge.

The command asks for confirmation if the two entities have different kinds, if both have a
description, or if they have different values of an attribute that allows one value.
Without a terminal, pass --yes.

Example:
  hearsay entity merge pell roz-keel --dry-run")]
    Merge(Merge),
    /// Split two entities that were merged
    #[command(after_help = "\
Hearsay restores both entities, with their facts and knowledge, and keeps later changes
to these facts. Facts that were added after the merge stay with the entity that the merge
kept. Afterwards, Hearsay does not propose the two entities as duplicates again.")]
    Split(Split),
    /// Remove an entity and all facts about it
    Remove(RemoveEntity),
}

/// `hearsay fact`.
#[derive(Debug, Subcommand)]
pub(crate) enum FactCommand {
    /// List facts, with their sources
    #[command(after_help = "\
Examples:
  hearsay fact list --subject mirela-voss
  hearsay fact list --predicate MEMBER_OF --object harbour-watch
  hearsay fact list --status false")]
    List(Facts),
    /// Show a fact with its details, its knowers and its sources
    Show(Show),
    /// Show how a rumour changed: a fact and all distorted versions of it, as a tree
    #[command(after_help = "\
The tree begins with the original, even if you name a later version. It shows who told
each version first, and how many knowers learned it.

A rumour changes during gossip if a campaign file contains `minds: {distortion: mild}`.
To record a changed version yourself, use `hearsay event tell --retold`.

Example: hearsay fact versions wolves-took-jory")]
    Versions(FactVersions),
    /// Add a relation between two entities
    #[command(after_help = "\
Examples:
  hearsay fact add pell OWES mirela-voss --secret --known-by mirela-voss
  hearsay fact add pell LIKES roz-keel --attitude 60 --since \"3 Rainmoon 412\"")]
    Add(Relate),
    /// Correct a fact; all characters who know the fact then know the corrected fact
    #[command(after_help = "\
Examples:
  hearsay fact correct 3fa91c02 --object salt-quay
  hearsay fact correct jory-found-the-ledger --statement \"Jory found the ledger in a wall.\"")]
    Correct(Correct),
    /// Make a recorded fact secret, or open again
    #[command(after_help = "\
The characters who know a secret still know it. Those who know it from the campaign files
or from an edit conceal it from then on. Places, groups and the world forget it, with their
residents and members. Nobody tells a secret as gossip.

With --open, the fact is no longer secret, and nobody conceals it any more. Nobody learns it
from this command. To record that a character tells a secret, use `hearsay event tell`.

Examples:
  hearsay fact secret 3fa91c02
  hearsay fact secret club-alibi --open --dry-run")]
    Secret(MakeSecret),
    /// Retract a fact that was never true, or end a fact at a date
    #[command(
        alias = "remove",
        after_help = "\
  this was never true                    hearsay fact retract FACT --never-so
  this was true until a date             hearsay fact retract FACT --until DATE
  this character does not know it        hearsay know forget CHARACTER FACT
  Hearsay misread a text                 hearsay review reject FACT

Examples:
  hearsay fact retract club-alibi --never-so --dry-run
  hearsay fact retract club-new-store --until \"4 Rainmoon 412\""
    )]
    Retract(Retcon),
    /// Extract facts from texts that wait for extraction, or preview the facts of one text
    #[command(after_help = "\
Hearsay extracts facts from the lines that you record or import. It does not need a
language model. Hearsay records facts with a high confidence. Doubtful facts wait for your
review. Without arguments, this command processes the texts that wait for extraction. With
a file, with --text or with `-`, it shows the facts of this text and records nothing.

Examples:
  hearsay fact extract
  hearsay fact extract --text \"Odo told Mirela that the ferry belongs to Bram.\"
  hearsay fact extract notes.md --lore --json")]
    Extract(Extract),
    /// Retract facts that you select by confidence, age or status
    #[command(after_help = "\
By default, this command retracts only facts that wait for review. To retract other facts,
pass --status. The command never retracts facts that you stated or confirmed. `hearsay undo`
restores the retracted facts. Be careful when you prune rejected facts: while a rejected
fact exists, Hearsay does not propose similar facts.

Examples:
  hearsay fact prune --below 0.4 --dry-run
  hearsay fact prune --older-than 90 --status proposed --status claimed")]
    Prune(Prune),
}

/// `hearsay know`.
#[derive(Debug, Subcommand)]
pub(crate) enum KnowCommand {
    /// List the facts that a character or the players know, newest first
    #[command(after_help = "\
If you name a character, the command rejects names that this character does not know. With
--players, the command accepts all names of the campaign. Names and kinds are listed only
with --json, or with --predicate name and --predicate kind.

Examples:
  hearsay know knows mirela-voss --about odo-brandt
  hearsay know knows pell --as-of \"4 Rainmoon 412\" --words boat
  hearsay know knows --players --since session-2")]
    Knows(Knows),
    /// Show what a character believes about an entity, and why
    #[command(after_help = "\
For each belief, the output shows the sources that support the belief. It also shows facts
that contradict the belief, if the character knows them. With --truth, the output also
shows what is true in the campaign.

Examples:
  hearsay know believes captain-rusk jory-penhale
  hearsay know believes captain-rusk jory-penhale --truth
  hearsay know believes pell odo-brandt LOCATED_AT --as-of session-1
  hearsay know believes wren-oake jory-penhale --thinks-of dorric-stane")]
    Believes(Believes),
    /// Explain why a character does not know a fact, and who could tell the character
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Example:
  hearsay know why pell jory-found-the-ledger")]
    Why(KnowerAndFact),
    /// Show from whom a character learned a fact, back to the first witnesses
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Example:
  hearsay know chain tamsin-reed jory-found-the-ledger")]
    Chain(KnowerAndFact),
    /// List the groups, places and characters that know a fact
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Examples:
  hearsay know who-knows jory-found-the-ledger
  hearsay know who-knows sweet-water --as-of session-1")]
    WhoKnows(WhoKnows),
    /// Show what a character feels for other characters, and why
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Feelings come from relations, such as LIKES, and from deeds that the character knows, such
as HELPED and THREATENED. Each number is from -100 to 100. The output lists the facts
behind each feeling: relations set the baseline, and deeds change the feeling.

Examples:
  hearsay know feelings pell
  hearsay know feelings pell --towards odo-brandt --as-of session-1")]
    Feelings(Feelings),
    /// Show whom a character trusts, how much, and why
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Trust is a number from 0 to 1. It starts with a first impression, which comes from a TRUSTS
fact, or else from relations and deeds. It rises when the character sees that a statement of
the other character is true, and falls when the character sees that a statement is untrue.

Examples:
  hearsay know trust pell
  hearsay know trust captain-rusk --towards odo-brandt --as-of session-1")]
    Trust(CharacterTrust),
    /// List the facts that fade from a character's memory
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Characters forget only if the campaign file turns on forgetting, for example with
`minds: {forgetting: mild}`.

Examples:
  hearsay know memory pell
  hearsay know memory pell --all --as-of \"4 Rainmoon 412\"")]
    Memory(CharacterMemory),
    /// List secrets, with their holders and with the characters who heard them
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Examples:
  hearsay know secrets mirela-voss
  hearsay know secrets --untold --limit 10")]
    Secrets(Secrets),
    /// List secrets that have a reveal condition, with the parts of the condition that are not met yet
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.")]
    Conditions(Campaign),
    /// List the facts that a character missed while absent from a session
    #[command(after_help = "\
This command is for the DM only, because it uses all facts and names of the campaign.

Example:
  hearsay know missed kestrel-vane session-2")]
    Missed(Missed),
    /// Remove a fact from a character's knowledge, together with all knowledge that depends on the fact
    #[command(after_help = "\
The fact itself does not change, and the other characters still know it, unless they know it
only from this character. If the fact was never true, use `hearsay fact retract --never-so`.

Example:
  hearsay know forget tamsin-reed jory-found-the-ledger --dry-run")]
    Forget(Forget),
}

/// `hearsay event`.
#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Record that characters see something happen
    #[command(after_help = "\
Hearsay records a new fact as canon (true in the campaign). Some predicates, such as the
location of a character, allow only one value at a time. A new fact with one of these
predicates ends the earlier fact.

Examples:
  hearsay event witness pell-saw-three-men --by wren-oake
  hearsay event witness --at salt-quay --about salt-quay \"A boat burned at Salt Quay.\"
  hearsay event witness --by pell --that odo-brandt LOCATED_AT salt-quay --dry-run")]
    Witness(Witness),
    /// Record that a character tells others a fact, for example a secret
    #[command(
        alias = "reveal",
        after_help = "\
The teller tells a fact that it knows, such as a secret, or a new fact (--about, --that).
Hearsay records a distorted version (--retold, --retold-object) as a separate fact.

Examples:
  hearsay event tell --by bettony-lark odo-left-the-gull --to pell --retold \"Odo fled.\"
  hearsay event tell --by tamsin-reed lucans-wet-shirt --to wren-oake --openly
  hearsay event tell --by pell --that odo-brandt LOCATED_AT salt-quay --lie --dry-run"
    )]
    Tell(Tell),
    /// Record that a character reads a document
    #[command(after_help = "\
Example:
  hearsay event read customs-notice --by wren-oake --session 4")]
    Read(Read),
    /// Record a conclusion that a character draws from known facts
    #[command(after_help = "\
Example:
  hearsay event deduce --by pell --from pell-saw-three-men --about pell \"It was arson.\"")]
    Deduce(Deduce),
    /// Record that a character says or sees that a fact is wrong
    #[command(after_help = "\
Examples:
  hearsay event refute club-alibi --by tamsin-reed --to captain-rusk
  hearsay event refute club-alibi --seen-by wren-oake")]
    Refute(Refute),
}

/// `hearsay simulate`.
#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// Simulate days in which characters meet and pass on news
    #[command(after_help = "\
The relations, the trust and the talkativeness of the characters decide which facts they
tell, and to whom. Characters do not tell secrets or other facts that they conceal. The
simulation advances the game clock. Two simulations with the same seed give the same result.

Examples:
  hearsay simulate gossip --days 3 --dry-run
  hearsay simulate gossip --tellings --seed 7")]
    Gossip(GossipArgs),
    /// List the story flags, or set a flag
    #[command(after_help = "\
Examples:
  hearsay simulate flag
  hearsay simulate flag lucan-arrested yes
  hearsay simulate flag lamps-lit 3 --declare")]
    Flag(Flag),
}

/// Explanation and examples of `say`.
pub(crate) const SAY: &str = "\
During a session, use `hearsay log`. To record that a character tells a recorded fact, in
whatever words, use `hearsay event tell`.

Without --to, all characters who are present hear the line: during a session, the characters
in the scene; otherwise, or if --at names another place, the characters at the place.

Examples:
  hearsay say --by bettony-lark \"He left at ten.\" --states odo-left-the-gull
  hearsay say --by odo-brandt \"I was in.\" --about odo-brandt \"Odo was in.\" --lie";
