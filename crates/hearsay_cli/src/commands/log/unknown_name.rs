//! Notes about names in a new line of narration that no entity has.

use hearsay_commands::session::LogLine;
use hearsay_model::{EntityId, Passage, State, slug};

use super::session_option;
use crate::{args, display_names::DisplayNames, output::Output, speakers::quote};

/// A name in a line without a speaker that no entity has.
pub(super) enum UnknownName {
    /// The name before the colon is probably a misspelling of the name of this character.
    SimilarSpeaker(EntityId),
    /// The name before the colon.
    Speaker(String),
    /// The first word of the line, which is probably a misspelling of the name of this character.
    Actor(String, EntityId),
}

impl UnknownName {
    /// Finds the name in a line. `has_asked` states whether the user already answered that the name before the colon is no
    /// misspelling.
    pub(super) fn find(line: &LogLine, state: &State, has_asked: bool) -> Option<Self> {
        let similar = line.similar_speaker(state).filter(|_| !has_asked).map(Self::SimilarSpeaker);
        let speaker = || line.unknown_speaker(state).map(Self::Speaker);
        let actor = || line.misspelled_actor(state).map(|(name, id)| Self::Actor(name, id));
        similar.or_else(speaker).or_else(actor)
    }

    /// Prints a note that says how to correct the line. `passage` is the recorded line, if the command recorded one.
    pub(super) fn print_note(
        &self,
        args: &args::SessionLog,
        passage: Option<&Passage>,
        display: &DisplayNames,
        output: &Output,
    ) {
        let is_similar = matches!(self, Self::SimilarSpeaker(_));
        if passage.is_some_and(Passage::is_out_of_character) && !is_similar {
            return;
        }
        let repeat = "To correct the name, repeat the command with the right name.".to_owned();
        let correct = |passage: &Passage, speaker: &str| {
            let line = format!("log --line {} --by {speaker}{}", passage.line, session_option(args));
            args.campaign.command(&line)
        };
        output.note(match (self, passage) {
            (Self::SimilarSpeaker(id), passage) => {
                let name = display.name(id);
                let correction = match passage {
                    Some(passage) => format!("If {name} says the line, run `{}`.", correct(passage, id.as_str())),
                    None => repeat,
                };
                format!(
                    "did you mean \"{name}: \u{2026}\"? No character has the name before the colon, so this line is narration. \
                     {correction}"
                )
            }
            (Self::Speaker(name), Some(passage)) => {
                let place = passage.place.as_ref().map_or_else(String::new, |place| format!(" --at {place}"));
                let add = args.campaign.command(&format!("entity add {}{place}", quote(name)));
                format!(
                    "no character is called \"{name}\", so this line is narration. If a character of the campaign says the \
                     line, run `{}`. If {name} is a new character, run `{add}`, and then `{}`.",
                    correct(passage, "NAME"),
                    correct(passage, &slug(name))
                )
            }
            (Self::Speaker(name), None) => {
                format!("no character is called \"{name}\", so this line is narration. {repeat}")
            }
            (Self::Actor(name, id), passage) => {
                let similar = display.name(id);
                let undo = args.campaign.command("undo");
                let correction = match passage {
                    Some(_) => format!("If you mean {similar}, run `{undo}`, and log the line with the right name."),
                    None => repeat,
                };
                format!("no character is called \"{name}\". {correction}")
            }
        });
    }
}
