//! `hearsay session`: sessions, recaps and open threads.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use hearsay_model::TalkKind;
use hearsay_query::session::ThreadKind;

use super::{
    campaign::Campaign,
    names::{entities, facts, known_entities, name, sessions},
    values::{budget, text},
};

/// `hearsay session`.
#[derive(Debug, Subcommand)]
pub(crate) enum Session {
    /// Start a session; until the session ends, everything that you record belongs to it
    #[command(after_help = "\
With --at, the attending characters move to this place. They stay there after the session.
NPCs that you name with --present move with the party. Other NPCs stay at their places.

Example:
  hearsay session start --title \"The red ledger\" --at the-gilded-gull \\
      --present wren-oake --present dorric-stane")]
    Start(SessionStart),
    /// Record that characters arrive late or leave early
    #[command(after_help = "\
A character who leaves hears no more lines. An NPC who arrives stays at the place if the
party moves on. An NPC who leaves goes home; if its home is unknown, its location is unknown.
An NPC who lives at the place hears lines there again after the session, or if it arrives.
With --gone, the NPC is at no place, also not at home in later sessions, until it arrives at
a scene, speaks in it, or its new place is recorded.

Example:
  hearsay session attend --arrive kestrel-vane --leave sister-ilva")]
    Attend(SessionAttend),
    /// Correct the kind of talk of a line in the log: narration, in character or out of character
    #[command(after_help = "\
No character hears an out-of-character line, and Hearsay extracts no facts from it.
`hearsay session show --log` lists the lines with their numbers.

Examples:
  hearsay session mark 12 in-character
  hearsay session mark 7 out-of-character --session 2")]
    Mark(SessionMark),
    /// End the session and print its report
    End(SessionEnd),
    /// List sessions
    List(Campaign),
    /// Show a session's report, its log, or a summary of its log
    #[command(after_help = "\
The report lists the facts that characters learned, the facts that changed, the open threads
(quests, promises, debts and untold secrets), and the most important proposals for review.
--log prints every line of the log, and who heard a line that not all attending player characters
heard. --summary prints the most important lines within a token budget.

Examples:
  hearsay session show 2 --log
  hearsay session show 2 --summary --question \"Who drowned Jory?\" --budget 300")]
    Show(SessionShow),
    /// Import a transcript as the log of a session
    #[command(after_help = "\
The command reads lines of the form `Speaker: text`, chat exports, WebVTT, SubRip, and
JSON lines with the keys `text` and `speaker`. A line such as `[at The Gilded Gull]` moves
the scene to this place. If you import a file again, Hearsay imports only its changes.

Hearsay finds the character of a speaker by name, alias, first name, or the name of the
player. On a terminal, the command asks you who each unknown speaker is. Otherwise, it
prints the options that assign characters to these speakers. The campaign stores your
answers, and the names of --player, --dm and --nobody, for later transcripts.

Examples:
  hearsay session import evening.txt --dry-run
  hearsay session import evening.vtt --dm Anna --player \"Ben=wren-oake\" --nobody Crew
  hearsay session import evening.srt --session 2 --speaker \"Speaker 1=wren-oake\"")]
    Import(SessionImport),
    /// Follow a transcript while a speech recognition program writes it
    #[command(after_help = "\
The command adds each line to the log as soon as the line is finished. For each line, it
prints the hearers, the known facts that the line states, new facts, contradictions and
promises. It also prints a short description of each person and place that the line names.
To end the command, press Ctrl-C. The command also ends at the end of standard input. If
you start the command again, it continues after the last recorded line.

The command reads lines of the form `Speaker: text`, WebVTT, and JSON lines with the
keys `text` and `speaker`. Give the output of `hearsay vocabulary --speech` to the speech
recognition program, so that the program spells the names of the campaign correctly. The
campaign stores the names of --player, --dm and --nobody for later transcripts.

Examples:
  hearsay session follow evening.vtt --dm Anna --player \"Ben=wren-oake\"
  my-speech-recognition | hearsay session follow - --jsonl")]
    Follow(SessionFollow),
    /// Summarize a session for the DM, the players or one character
    #[command(after_help = "\
The recap quotes the most important lines and facts in chronological order. By default,
Hearsay does not use a language model to write the recap.

Examples:
  hearsay session recap session-2 --players --words 150
  hearsay session recap 2 --as kestrel-vane
  hearsay session recap 2 --compress --question \"Who drowned Jory?\" --budget 300")]
    Recap(Recap),
    /// List open quests, promises, debts and untold secrets
    #[command(after_help = "\
A quest is open until its attribute `stage` has a value such as done, finished or failed.
A promise or debt is open until the date at which it ends. A secret is open until a player
character knows it.

Examples:
  hearsay session threads --kind debt --kind promise
  hearsay session threads --about mirela-voss
  hearsay session threads --session 2 --json")]
    Threads(Threads),
}

/// Explanation and examples of `log`.
pub(crate) const LOG: &str = "\
Without --to, the characters in the scene hear the line: the attending characters, and the
non-player characters at the place. A character who speaks is in the scene from then on.

  Odo whispers to Mirela: ...         only Odo and Mirela hear the line
  Odo hides. Mirela doesn't see it.   Mirela does not hear the line
  ((brb))                             nobody hears the line: it is out of character

If narration may state a secret, Hearsay asks on a terminal whether the secret comes out.
Until you say yes, the line is withheld: nobody hears it. `log --line N --yes` says yes later.

Examples:
  hearsay log \"The bell of the chapel rings at low water.\"
  hearsay log --by odo-brandt --at the-gilded-gull --to mirela-voss,hob-carrow \"Not a word.\"
  hearsay log --lie \"Odo: I was in all night.\"
  hearsay log --yes
  hearsay log --line 12 --by odo-brandt --without pell";

#[derive(Debug, ClapArgs)]
pub(crate) struct NewSession {
    /// Title of the session [default: `Session` followed by its number]
    #[arg(long, value_parser = text)]
    pub(crate) title: Option<String>,
    /// Number of the session [default: the next number]
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u32>,
    /// Id of the session [default: `session-` followed by its number]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Date of the session in the real world
    #[arg(long, value_name = "DATE", value_parser = text)]
    pub(crate) date: Option<String>,
    /// Date on the campaign's calendar at which the session starts [default: the current game time]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Place of the first scene (id or name)
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Character who attends the session; may be repeated [default: all player characters; for a transcript, its
    /// speakers]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) present: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionStart {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    #[command(flatten)]
    pub(crate) new: NewSession,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionAttend {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Characters who arrive; you can also name them with --arrive
    #[arg(value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) characters: Vec<String>,
    /// Character who arrives; may be repeated
    #[arg(long, value_name = "CHARACTER", required_unless_present_any = ["leave", "departing", "characters"], value_parser = name, add = entities())]
    pub(crate) arrive: Vec<String>,
    /// Character who leaves; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) leave: Vec<String>,
    /// NPC who leaves for an unknown place; may be repeated
    #[arg(long = "gone", value_name = "CHARACTER", conflicts_with_all = ["arrive", "leave", "characters"], value_parser = name, add = entities())]
    pub(crate) departing: Vec<String>,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionLog {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Text of the line
    pub(crate) text: Option<String>,
    /// Recorded line to correct or confirm, or several lines, such as 7,9-12
    #[arg(long, value_name = "N", conflicts_with_all = ["text", "at", "time"], value_parser = line_numbers)]
    pub(crate) line: Option<LineNumbers>,
    /// Say yes to everything that `log` asked about a line [default: the last line, with the characters who come or
    /// leave in it]
    #[arg(long, conflicts_with_all = ["text", "by", "at", "time", "to", "with", "without", "states", "lie", "in_character"])]
    pub(crate) yes: bool,
    /// Speaker (id or name), or the player of the speaker [default: the name at the start of the text; otherwise,
    /// narration]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) by: Option<String>,
    /// Place where the line is said; the scene moves to this place
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Date of the line on the campaign's calendar [default: the current game time or the date of the last line,
    /// whichever is later]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Character who hears the line; may be repeated [default: the attending characters, and the non-player characters
    /// at the place]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) to: Vec<String>,
    /// Additional character who hears the line; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) with: Vec<String>,
    /// Character who does not hear the line; may be repeated
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) without: Vec<String>,
    /// Fact that the line states: its handle (short name), the start of its id, or words of its statement; may be
    /// repeated [default: the facts that Hearsay recognizes in the words of a speaker]
    #[arg(long, value_name = "FACT", value_parser = name, add = facts())]
    pub(crate) states: Vec<String>,
    /// Record the line as a lie: its facts are false, and the speaker does not believe them
    #[arg(long)]
    pub(crate) lie: bool,
    /// Record the line as part of the story [default: Hearsay decides whether the line is out of character]
    #[arg(long, conflicts_with = "line")]
    pub(crate) in_character: bool,
    /// Session that receives the line, even if it has ended (id or number) [default: the session being played]
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Show who would hear the line, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl SessionLog {
    /// Returns whether the command line contains the words of a new line, or selects a recorded line.
    pub(crate) fn has_line(&self) -> bool {
        self.yes || self.line.is_some() || self.text.as_deref().is_some_and(|words| text(words).is_ok())
    }
}

/// Numbers of recorded lines. At least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineNumbers(pub(crate) Vec<u32>);

/// Maximum number of lines in one command.
const MAX_LINES: usize = 1_000;

/// Parses numbers of lines and ranges of numbers: `7,9-12`.
fn line_numbers(given: &str) -> Result<LineNumbers, String> {
    let invalid = || format!("expected numbers of lines, such as 7 or 7,9-12, not `{given}`");
    let mut numbers = Vec::new();
    for part in given.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| invalid());
        let (first, last) = (number(first)?, number(last)?);
        if first > last || (last - first) as usize >= MAX_LINES {
            return Err(invalid());
        }
        numbers.extend(first..=last);
    }
    Ok(LineNumbers(numbers))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TalkKindArg {
    Narration,
    InCharacter,
    #[value(alias = "ooc")]
    OutOfCharacter,
}

impl From<TalkKindArg> for TalkKind {
    fn from(arg: TalkKindArg) -> Self {
        match arg {
            TalkKindArg::Narration => Self::Narration,
            TalkKindArg::InCharacter => Self::InCharacter,
            TalkKindArg::OutOfCharacter => Self::OutOfCharacter,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionMark {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Number of the line in the log
    pub(crate) line: u32,
    /// Kind of talk to record for the line
    pub(crate) kind: TalkKindArg,
    /// Session of the line (id or number) [default: the session being played, or else the latest]
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionEnd {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Date on the campaign's calendar at which the session ends [default: the current game time or the date of the
    /// last line, whichever is later]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Show what the command would change, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Options of a summary.
#[derive(Debug, ClapArgs)]
pub(crate) struct SummaryOptions {
    /// Summarize this document instead of a session
    #[arg(long, value_name = "DOCUMENT", conflicts_with = "session", value_parser = name, add = known_entities())]
    pub(crate) document: Option<String>,
    /// Question that the summary should help to answer
    #[arg(long, value_parser = text)]
    pub(crate) question: Option<String>,
    /// Maximum size of the summary in tokens [default: a tenth of the size of the log]
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub(crate) budget: Option<usize>,
    /// Do not compare meanings with the sentence encoder; compare the lines with the question only by keywords
    #[arg(long)]
    pub(crate) no_meaning: bool,
}

impl SummaryOptions {
    /// Returns whether any option for a summary is given.
    pub(crate) fn is_given(&self) -> bool {
        self.document.is_some() || self.question.is_some() || self.budget.is_some()
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionShow {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Session (id or number) [default: the session being played, or else the latest]
    #[arg(add = sessions())]
    pub(crate) session: Option<String>,
    /// Print the whole log
    #[arg(long, conflicts_with = "summary")]
    pub(crate) log: bool,
    /// Print a summary of the log
    #[arg(long)]
    pub(crate) summary: bool,
    /// Use only what this character knows; the command rejects names that this character does not know [default: use
    /// the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", requires = "summary", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    #[command(flatten)]
    pub(crate) summary_options: SummaryOptions,
    /// Maximum number of entries in each part of the report
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
}

/// Speakers of a transcript.
#[derive(Debug, ClapArgs)]
pub(crate) struct Speakers {
    /// Name of a player in the transcript, and the character of this player, such as "Anna=lyra"; may be repeated
    #[arg(long, value_name = "SPEAKER=CHARACTER", value_parser = speaker)]
    pub(crate) player: Vec<(String, String)>,
    /// Name of the DM in the transcript; the lines of the DM are narration; may be repeated
    #[arg(long, value_name = "SPEAKER", value_parser = text)]
    pub(crate) dm: Vec<String>,
    /// Name of a speaker who does not play, such as a guest; may be repeated
    #[arg(long, value_name = "SPEAKER", value_parser = text)]
    pub(crate) nobody: Vec<String>,
    /// Name of a speaker, and the character of this speaker in this transcript, such as "Speaker 1=lyra"; may be
    /// repeated
    #[arg(long, value_name = "SPEAKER=CHARACTER", value_parser = speaker)]
    pub(crate) speaker: Vec<(String, String)>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionFollow {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Transcript that another program is writing, or `-` for standard input
    pub(crate) file: PathBuf,
    /// Session that receives the lines (id or number) [default: the session being played; otherwise, the session with
    /// earlier lines of this file; otherwise, a new session]
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) speakers: Speakers,
    #[command(flatten)]
    pub(crate) new: NewSession,
    /// Print each recorded line, with its effects, as one line of JSON
    #[arg(long)]
    pub(crate) jsonl: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SessionImport {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Transcript to import
    pub(crate) file: PathBuf,
    /// Session that receives the lines (id or number) [default: the session of the previous import of this file;
    /// otherwise, a new session]
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) speakers: Speakers,
    /// Do not ask about unknown speakers
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) new: NewSession,
    /// Show the speaker and the character of each line, and the proposals for unknown speakers, without changing
    /// anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn speaker(given: &str) -> Result<(String, String), String> {
    let (speaker, character) = given.split_once('=').unwrap_or_default();
    match (speaker.trim(), character.trim()) {
        ("", _) | (_, "") => Err("expected the speaker and a character, such as \"Anna=lyra\"".into()),
        (speaker, character) => Ok((speaker.to_owned(), name(character)?)),
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Recap {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Session (id or number) [default: the session being played, or else the latest]
    #[arg(add = sessions())]
    pub(crate) session: Option<String>,
    /// Use only facts that all attending characters know, so that you can read the recap aloud
    #[arg(long = "players", alias = "player-safe", conflicts_with = "knower")]
    pub(crate) player_safe: bool,
    /// Use only what this character knows; the command rejects names that this character does not know [default: use
    /// the whole campaign]
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) knower: Option<String>,
    /// Maximum number of words of the recap
    #[arg(long, value_name = "N", default_value_t = 250)]
    pub(crate) words: usize,
    /// Print the source (citation) of each line of the recap
    #[arg(long)]
    pub(crate) citations: bool,
    /// Instead of the recap, print a prompt that asks a language model to write the recap
    #[arg(long, conflicts_with = "citations")]
    pub(crate) prompt: bool,
    /// Let a language model write the recap; set the language model in [extraction.llm] in hearsay.toml
    #[arg(long, conflicts_with_all = ["citations", "prompt", "compress"])]
    pub(crate) written: bool,
    /// Instead of the recap, print a summary of the log, which you can add to the prompt of a language model
    #[arg(long, conflicts_with_all = ["prompt", "citations", "player_safe"])]
    pub(crate) compress: bool,
    #[command(flatten)]
    pub(crate) summary_options: SummaryOptions,
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
    /// List only threads of this kind; may be repeated
    #[arg(long, value_enum)]
    pub(crate) kind: Vec<ThreadArg>,
    /// List only threads about this entity (id or name)
    #[arg(long, value_name = "ENTITY", value_parser = name, add = entities())]
    pub(crate) about: Option<String>,
    /// List only threads that were recorded in this session (id or number), or whose entities this session mentions
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}
