//! Notes about names in a new line of narration that no entity has, and about a character who perhaps says the line.

use hearsay_commands::session::LogLine;
use hearsay_model::{EntityId, FactId, FactStatus, Passage, State, slug, spelling, text};
use hearsay_query::review::{extracted_names, is_unconfirmed_entity};

use super::session_option;
use crate::{args, display_names::DisplayNames, output::Output, speakers::quote};

/// A name in a line without a speaker that no entity has, or the name of a character who perhaps says the line.
pub(super) enum UnknownName {
    /// The line tells what this character does, and then perhaps what it says.
    PossibleSpeaker(EntityId),
    /// The name before the colon is probably a misspelling of the name of this character.
    SimilarSpeaker(EntityId),
    /// The name before the colon.
    Speaker(String),
    /// The name before the colon, which probably is the name of a new character that waits for review.
    WaitingSpeaker(String, WaitingCharacter),
    /// The name with which the line begins, which is probably a misspelling of the name of this character.
    Actor(String, EntityId),
    /// The name with which the line begins, before a description of the person.
    NewActor(String),
}

/// A new character that was found in a text and waits for review.
pub(super) struct WaitingCharacter {
    id: EntityId,
    name: String,
    /// Fact that states the name.
    fact: FactId,
}

impl WaitingCharacter {
    /// Finds the character of whose name or first name a text is perhaps a misspelling.
    fn find(written: &str, state: &State) -> Option<Self> {
        let written = text::words(written);
        let is_similar = |name: &str| {
            let name = text::words(name);
            let first = &name[..name.len().min(1)];
            written == name || [&name[..], first].into_iter().any(|name| spelling::is_misspelling(&written, name))
        };
        let ids = state.entities().map(|entity| &entity.id).filter(|id| is_unconfirmed_entity(state, id));
        let mut names = ids.flat_map(|id| extracted_names(state, id));
        let fact =
            names.find(|fact| fact.status() == FactStatus::Proposed && fact.object().text().is_some_and(is_similar))?;
        let name = fact.object().text()?.to_owned();
        Some(Self { id: fact.subject().clone(), name, fact: fact.id() })
    }
}

impl UnknownName {
    /// Finds the name in a line. `has_asked` states whether the user already answered that the name before the colon is no
    /// misspelling.
    pub(super) fn find(line: &LogLine, state: &State, has_asked: bool) -> Option<Self> {
        let similar = line.similar_speaker(state).filter(|_| !has_asked).map(Self::SimilarSpeaker);
        let speaker = || {
            line.unknown_speaker(state).map(|name| match WaitingCharacter::find(&name, state) {
                Some(waiting) => Self::WaitingSpeaker(name, waiting),
                None => Self::Speaker(name),
            })
        };
        let actor = || line.misspelled_actor(state).map(|(name, id)| Self::Actor(name, id));
        let new_actor = || line.unknown_actor(state).map(Self::NewActor);
        let possible = || line.possible_speaker(state).map(Self::PossibleSpeaker);
        similar.or_else(speaker).or_else(actor).or_else(new_actor).or_else(possible)
    }

    /// Returns the recorded character who perhaps says the line.
    pub(super) fn possible_speaker(&self) -> Option<&EntityId> {
        match self {
            Self::PossibleSpeaker(id) | Self::SimilarSpeaker(id) => Some(id),
            _ => None,
        }
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
            (Self::PossibleSpeaker(id), passage) => {
                let name = display.name(id);
                let correction = match passage {
                    Some(passage) => format!("run `{}`", correct(passage, id.as_str())),
                    None => format!("repeat the command with `--by {id}`"),
                };
                format!("this line is narration. If {name} says the words at its end, {correction}.")
            }
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
            (Self::WaitingSpeaker(name, WaitingCharacter { id, name: waiting, fact }), Some(passage)) => {
                let accept = args.campaign.command(&format!("review accept {}", fact.short()));
                format!(
                    "no character is called \"{name}\", so this line is narration. {waiting} waits for review. If this \
                     character says the line, run `{accept}`, and then `{}`.",
                    correct(passage, id.as_str())
                )
            }
            (Self::Speaker(name), Some(passage)) => {
                let add = add_command(args, name, Some(passage));
                format!(
                    "no character is called \"{name}\", so this line is narration. If a character of the campaign says the \
                     line, run `{}`. If {name} is a new character, run `{add}`, and then `{}`.",
                    correct(passage, "NAME"),
                    correct(passage, &slug(name))
                )
            }
            (Self::NewActor(name), passage) => {
                let add = add_command(args, name, passage);
                format!("no character is called \"{name}\". If {name} is a new character, run `{add}`.")
            }
            (Self::Speaker(name) | Self::WaitingSpeaker(name, _), None) => {
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

/// Returns the command that adds a character with a name, at the place of a line.
fn add_command(args: &args::SessionLog, name: &str, passage: Option<&Passage>) -> String {
    let place = passage.and_then(|passage| passage.place.as_ref());
    let place = place.map_or_else(String::new, |place| format!(" --at {place}"));
    args.campaign.command(&format!("entity add {}{place}", quote(name)))
}
