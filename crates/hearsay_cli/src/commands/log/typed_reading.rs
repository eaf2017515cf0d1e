//! Notes of `log` about readings of a typed line that can be wrong, with the commands that correct them.

use hearsay_commands::{presence::scene_characters, session::LogLine};
use hearsay_model::{EntityId, Knower, Passage, State};

use super::{presence::repetition, session_option};
use crate::{args, output::Output};

/// How a typed line was read.
pub(super) struct TypedReading {
    /// Whether the line says that its words are whispered, but not to whom.
    is_open_whisper: bool,
    /// Whether the words suggest that only some of the characters in the scene notice the line.
    sounds_private: bool,
    /// Character whose thoughts are all that the line tells.
    thinker: Option<EntityId>,
    /// Whether a pronoun stands in place of the speaker.
    has_pronoun_for_speaker: bool,
    /// Character outside the scene to whom a pronoun of the line probably refers.
    absent_object: Option<EntityId>,
}

impl TypedReading {
    /// Reads a line to which no speaker was added yet.
    pub(super) fn new(line: &LogLine, state: &State) -> Self {
        Self {
            is_open_whisper: line.has_open_whisper(state),
            sounds_private: line.sounds_private(state),
            thinker: line.thinker(state),
            has_pronoun_for_speaker: line.has_pronoun_for_speaker(state),
            absent_object: line.absent_object(state),
        }
    }

    /// Prints the notes. `line` is the new line.
    pub(super) fn print_notes(&self, state: &State, args: &args::SessionLog, line: &Passage, output: &Output) {
        if self.is_open_whisper {
            print_open_whisper(args, line, output);
        } else if self.sounds_private {
            print_private_words(state, args, line, output);
        }
        if let Some(thinker) = &self.thinker {
            print_thought(state, args, line, thinker, output);
        }
        if self.has_pronoun_for_speaker {
            print_guessed_speaker(args, line, output);
        }
        if let Some(character) = &self.absent_object {
            print_absent_object(state, args, line, character, output);
        }
    }
}

/// Prints a note if a line is whispered, but does not say to whom.
fn print_open_whisper(args: &args::SessionLog, line: &Passage, output: &Output) {
    if !line.is_out_of_character() {
        let repetition = repetition(args, "--to CHARACTER");
        output.note(format!(
            "the line does not say to whom the words are whispered, so everybody in the scene hears them; if only one \
             character hears them, {repetition}"
        ));
    }
}

/// Prints a note if the words of a line suggest that only some characters notice it, but everybody in the scene hears it.
fn print_private_words(state: &State, args: &args::SessionLog, line: &Passage, output: &Output) {
    let hearers = line.heard_by.len() + usize::from(line.speaker.is_some());
    if line.is_out_of_character() || line.confidential || hearers <= 2 || !others_in_scene(state, line).is_empty() {
        return;
    }
    let correction = match args.dry_run {
        true => "log the line with `--to CHARACTER`".to_owned(),
        false => {
            let command = format!("log --line {} --to CHARACTER{}", line.line, session_option(args));
            format!("run `{}`", args.campaign.command(&command))
        }
    };
    output.note(format!(
        "the words suggest that only some characters notice this, but everybody in the scene does; if only some do, \
         {correction}"
    ));
}

/// Returns the characters in the scene of a line who neither say nor hear it.
fn others_in_scene(state: &State, line: &Passage) -> Vec<EntityId> {
    let playing = state.active_session().filter(|playing| line.session.as_ref() == Some(&playing.session));
    let moment = line.said_at();
    let mut present =
        playing.map(|playing| scene_characters(state, playing, line.place.as_ref(), moment)).unwrap_or_default();
    present.retain(|id| !line.has_participant(&Knower::Entity(id.clone())));
    present
}

/// Prints a note if a line tells only the thoughts of a character, who therefore is the only one to notice it.
fn print_thought(state: &State, args: &args::SessionLog, line: &Passage, thinker: &EntityId, output: &Output) {
    if line.is_out_of_character() || line.heard_by.is_empty() {
        return;
    }
    let options: String = others_in_scene(state, line).iter().map(|id| format!(" --with {id}")).collect();
    let correction = match (options.is_empty(), args.dry_run) {
        (true, _) => String::new(),
        (false, true) => {
            format!("; if everybody in the scene notices this, log the line with `{}`", options.trim_start())
        }
        (false, false) => {
            let command = format!("log --line {}{options}{}", line.line, session_option(args));
            format!("; if everybody in the scene notices this: `{}`", args.campaign.command(&command))
        }
    };
    let name = state.name_or_id(thinker);
    output.note(format!("heard by: only {name}, because thoughts are not heard{correction}"));
}

/// Prints a note if a new line has a speaker, who is only the person to whom a pronoun probably refers.
fn print_guessed_speaker(args: &args::SessionLog, line: &Passage, output: &Output) {
    if line.speaker.is_none() {
        return;
    }
    let correction = match args.dry_run {
        true => "repeat the command with `--by CHARACTER`".to_owned(),
        false => {
            let command = format!("log --line {} --by CHARACTER{}", line.line, session_option(args));
            format!("run `{}`", args.campaign.command(&command))
        }
    };
    output.note(format!(
        "the speaker is a guess, because only a pronoun names it; if somebody else speaks, {correction}"
    ));
}

/// Prints a note if a pronoun of a line probably means a character who is not in the scene, and who does not hear the line.
fn print_absent_object(state: &State, args: &args::SessionLog, line: &Passage, character: &EntityId, output: &Output) {
    if line.is_out_of_character() || line.has_participant(&Knower::Entity(character.clone())) {
        return;
    }
    let correction = match args.dry_run {
        true => format!("log the line with `--with {character}`"),
        false => {
            let hear = format!("log --line {} --with {character}{}", line.line, session_option(args));
            let arrive = format!("session attend --arrive {character}");
            let (hear, arrive) = (args.campaign.command(&hear), args.campaign.command(&arrive));
            format!("run `{hear}`; to bring the character into the scene: `{arrive}`")
        }
    };
    let name = state.name_or_id(character);
    output.note(format!(
        "a pronoun of the line probably means {name}, who is not in the scene, and does not hear this; if {name} hears it, \
         {correction}"
    ));
}
