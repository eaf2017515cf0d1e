//! The groups of commands that change and query entities, facts, knowledge and the story.

use clap::Subcommand;

use super::*;

/// `hearsay entity`.
#[derive(Debug, Subcommand)]
pub(crate) enum EntityCommand {
    /// Add an entity
    #[command(after_help = "\
Examples:
  hearsay entity add Bram --at salt-quay
  hearsay entity add \"The Blue Buoy\" --kind location --at harbour-ward")]
    Add(Add),
    /// Set an attribute of an entity
    #[command(after_help = "\
Examples:
  hearsay entity set pell occupation \"net-mender\"
  hearsay entity set pell goals \"Leave by the next boat.\" --secret --known-by roz-keel")]
    Set(Set),
    /// Show an entity in full, or the view that a character has of it
    #[command(after_help = "\
Examples:
  hearsay entity show mirela-voss
  hearsay entity show mirela-voss --as odo-brandt")]
    Show(Show),
    /// List the entities around an entity
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
Compares entities of one kind by name, alias, sound and neighbourhood, and with
--meaning by their descriptions. Nothing is merged unless you say so, or
hearsay.toml does.

Examples:
  hearsay entity duplicates
  hearsay entity duplicates --facts
  hearsay entity duplicates not-the-same pell roz-keel")]
    Duplicates(Duplicates),
    /// Merge an entity into another one
    #[command(after_help = "\
Facts and knowledge of the first entity move to the second, and the first name
becomes an alias. Of two conflicting values the one with the higher confidence
stays; the other becomes a claim for review. `entity split` reverts the merge.

Example:
  hearsay entity merge pell roz-keel --dry-run")]
    Merge(Merge),
    /// Split two entities that were merged
    #[command(after_help = "\
Both entities are restored. Facts recorded since the merge move back where that
is known. The two are not proposed as duplicates again.")]
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
    /// Show a fact in full: who knows it, and where it was recorded
    Show(Show),
    /// Add a relation between two entities
    #[command(after_help = "\
Examples:
  hearsay fact add pell OWES mirela-voss --secret --known-by mirela-voss
  hearsay fact add pell LIKES roz-keel --attitude 60 --since \"3 Rainmoon 412\"")]
    Add(Relate),
    /// Correct a fact; its knowers know the corrected one
    #[command(after_help = "\
Examples:
  hearsay fact correct 3fa91c02 --object salt-quay
  hearsay fact correct jory-found-the-ledger --statement \"Jory found the ledger in a wall.\"")]
    Correct(Correct),
    /// Retract a fact, or end its validity at a date
    #[command(after_help = "\
Examples:
  hearsay fact retract club-alibi --never-so --dry-run
  hearsay fact retract club-new-store --until \"4 Rainmoon 412\"")]
    Retract(Retcon),
    /// Remove a fact that was recorded by mistake
    Remove(RemoveFact),
    /// Extract facts from texts that wait for it, or preview them for a text
    #[command(after_help = "\
Lines that are said, logged or imported are processed automatically, without a
language model: sure facts are recorded, doubtful ones wait for review. Without
arguments, this command processes texts that are still waiting. With a file,
--text or `-` it previews the facts and records nothing.

Examples:
  hearsay fact extract
  hearsay fact extract --text \"Odo told Mirela that the ferry belongs to Bram.\"
  hearsay fact extract notes.md --lore --json")]
    Extract(Extract),
    /// Retract facts by confidence, age or status
    #[command(after_help = "\
Only facts that wait for review are retracted, unless you give a status. Facts
that you stated or confirmed stay. `hearsay undo` brings the facts back. A
rejected fact blocks similar proposals: prune those with care.

Examples:
  hearsay fact prune --below 0.4 --dry-run
  hearsay fact prune --older-than 90 --status proposed --status claimed")]
    Prune(Prune),
}

/// `hearsay know`.
#[derive(Debug, Subcommand)]
pub(crate) enum KnowCommand {
    /// List what a character, or the players, know; newest first
    #[command(after_help = "\
Examples:
  hearsay know knows mirela-voss --about odo-brandt
  hearsay know knows pell --as-of \"4 Rainmoon 412\" --words boat
  hearsay know knows --players --since session-2")]
    Knows(Knows),
    /// Show what a character believes about an entity, and why
    #[command(after_help = "\
The belief comes first, with the sources that support it and the known facts
that contradict it. The truth follows below.

Examples:
  hearsay know believes captain-rusk jory-penhale
  hearsay know believes pell odo-brandt LOCATED_AT --as-of session-1
  hearsay know believes wren-oake jory-penhale --thinks-of dorric-stane")]
    Believes(Believes),
    /// Explain why a character does not know a fact, and who could tell it
    #[command(after_help = "\
Example:
  hearsay know why pell jory-found-the-ledger")]
    Why(WhoAndFact),
    /// Show how a character came to know a fact, back to the witnesses
    #[command(after_help = "\
Example:
  hearsay know chain tamsin-reed jory-found-the-ledger")]
    Chain(WhoAndFact),
    /// List who knows a fact: groups, places and characters
    #[command(after_help = "\
Examples:
  hearsay know who-knows jory-found-the-ledger
  hearsay know who-knows sweet-water --as-of session-1")]
    WhoKnows(WhoKnows),
    /// List secrets: their holders, and who was told
    #[command(after_help = "\
Examples:
  hearsay know secrets mirela-voss
  hearsay know secrets --untold --limit 10")]
    Secrets(Secrets),
    /// List secrets with conditions, and which conditions are missing
    Conditions(Campaign),
    /// List what others learned in a session that an absent character missed
    #[command(after_help = "\
Example:
  hearsay know missed kestrel-vane session-2")]
    Missed(Missed),
    /// Remove a fact from what a character learned, with everything that depends on it
    #[command(after_help = "\
Example:
  hearsay know forget tamsin-reed jory-found-the-ledger --dry-run")]
    Forget(Forget),
}

/// `hearsay event`.
#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Record that those present see something happen
    #[command(after_help = "\
A new fact is canon. A newer state ends the older one: a character seen at a
place is no longer at the previous place.

Examples:
  hearsay event witness pell-saw-three-men --by wren-oake
  hearsay event witness --at salt-quay --about salt-quay \"A boat burned at Salt Quay.\"
  hearsay event witness --by pell --that odo-brandt LOCATED_AT salt-quay --dry-run")]
    Witness(Witness),
    /// Record a line that a character says aloud
    #[command(after_help = SAY)]
    Say(Say),
    /// Record that a character tells others a fact
    #[command(after_help = "\
A character tells a fact that it knows, or a new one (--about, --that). A fact
that is retold wrongly becomes a fact of its own.

Examples:
  hearsay event tell --by bettony-lark odo-left-the-gull --to pell
  hearsay event tell --by bettony-lark odo-left-the-gull --to pell --retold \"Odo fled.\"
  hearsay event tell --by pell --that odo-brandt LOCATED_AT salt-quay --lie --dry-run")]
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
    /// Record that a character tells or sees that a fact is wrong
    #[command(after_help = "\
Examples:
  hearsay event refute club-alibi --by tamsin-reed --to captain-rusk
  hearsay event refute club-alibi --seen-by wren-oake")]
    Refute(Refute),
    /// Record that a holder tells a secret
    #[command(after_help = "\
Examples:
  hearsay event reveal --by mirela-voss mirela-hid-the-ledger --to wren-oake --session 4
  hearsay event reveal --by tamsin-reed lucans-wet-shirt --to wren-oake --openly")]
    Reveal(Reveal),
}

/// `hearsay simulate`.
#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// Let characters who meet pass on news for some days
    #[command(after_help = "\
Who tells whom depends on relation, trust and talkativeness. Secrets and
concealed facts are not told. The game clock advances. The same seed gives the
same result.

Examples:
  hearsay simulate gossip --days 3 --dry-run
  hearsay simulate gossip --tellings --seed 7")]
    Gossip(GossipArgs),
    /// List the story flags, or set one
    #[command(after_help = "\
Examples:
  hearsay simulate flag
  hearsay simulate flag lucan-arrested yes
  hearsay simulate flag lamps-lit 3 --declare")]
    Flag(Flag),
}

/// Examples of `say`.
pub(crate) const SAY: &str = "\
Everyone in earshot hears the line. Their credence follows from their trust in
the speaker and from how certain the speaker is.

Examples:
  hearsay say --by bettony-lark \"He left at ten.\" --states odo-left-the-gull
  hearsay say --by odo-brandt \"I was in.\" --about odo-brandt \"Odo was in.\" --lie";
