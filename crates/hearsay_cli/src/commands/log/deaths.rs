//! Notes of `log` about deaths: the dead who speak or act, deaths that wait for review, and deaths that Hearsay did not find.

use std::sync::Arc;

use hearsay_belief::valid_death_fact;
use hearsay_commands::{
    presence::undecided_deaths,
    session::{acting_characters, acting_dead, unread_deaths},
};
use hearsay_model::{EntityId, Fact, FactId, Passage, State};

use crate::{args, output::Output, texts::ExtractedRow};

/// A dead character who speaks or acts in a line, and the fact that states the death.
pub(super) struct DeadCharacter {
    name: String,
    death: Arc<Fact>,
    /// Whether the character speaks.
    speaks: bool,
}

/// Returns the dead who speak or act in new lines. `state` is the state before the lines are written.
pub(super) fn dead_characters(state: &State, passages: &[Arc<Passage>]) -> Vec<DeadCharacter> {
    let new_lines = passages.iter().filter(|line| state.passage(line.id()).is_none());
    new_lines.flat_map(|line| dead_in_line(state, line)).collect()
}

impl DeadCharacter {
    /// Returns whether the character speaks.
    pub(super) fn speaks(&self) -> bool {
        self.speaks
    }
}

fn dead_in_line(state: &State, line: &Passage) -> Vec<DeadCharacter> {
    let dead = |id: EntityId| {
        let death = Arc::clone(valid_death_fact(state, &id, line.said_at())?);
        Some(DeadCharacter { name: state.name_or_id(&id).to_owned(), death, speaks: line.speaker.is_some() })
    };
    acting_dead(state, line).into_iter().filter_map(dead).collect()
}

/// Prints a warning for a dead character who speaks or acts in a line.
pub(super) fn print_death(args: &args::SessionLog, state: &State, dead: &DeadCharacter, output: &Output) {
    let DeadCharacter { name, death, speaks } = dead;
    let session = death.provenance().session.as_ref().and_then(|id| state.session(id));
    let since = session.and_then(|session| session.number).map(|number| format!(" since session {number}"));
    let reference = death.handle().map_or_else(|| death.id().short(), str::to_owned);
    let retract = args.campaign.command(&format!("fact retract {reference} --never-so"));
    let consequence = match speaks {
        true => format!(
            "because a ghost can speak, but {name} hears no lines of other speakers. If another character speaks, undo this \
             line, and log it with the right name."
        ),
        false => {
            "because narration can tell of a ghost or of the past. If another character acts, undo this line, and log \
                  it with the right name."
                .to_owned()
        }
    };
    output.note(format!(
        "warning: {name} is dead{} (fact {reference}: \"{}\"). Hearsay records the line, {consequence} If {name} never \
         died, run `{retract}`.",
        since.unwrap_or_default(),
        death.statement()
    ));
}

/// Prints a note for each character who perhaps dies in the line, if Hearsay found no fact about the death.
pub(super) fn print_unread_deaths(args: &args::SessionLog, state: &State, line: &Passage, output: &Output) {
    let dying = if args.dry_run { Vec::new() } else { unread_deaths(state, line) };
    for name in dying.iter().map(|id| state.name_or_id(id)) {
        let record = args.campaign.command(&format!("log \"{name} is dead.\""));
        output.note(format!("Hearsay found no death in this line; if {name} is dead, run `{record}`"));
    }
}

/// Prints a note for each character with an undecided death who nevertheless speaks or acts in the line.
pub(super) fn print_undecided_deaths(
    args: &args::SessionLog,
    state: &State,
    line: &Passage,
    extracted: &[ExtractedRow],
    output: &Output,
) {
    // The output above contains the deaths that this line states.
    let is_older = |(_, fact): &(EntityId, FactId)| !extracted.iter().any(|row| row.fact == *fact);
    let undecided: Vec<(EntityId, FactId)> = undecided_deaths(state).into_iter().filter(is_older).collect();
    if undecided.is_empty() {
        return;
    }
    let acting = acting_characters(state, line);
    for (id, fact) in undecided.into_iter().filter(|(id, _)| acting.contains(id)) {
        let (name, fact) = (state.name_or_id(&id), fact.short());
        let (accept, reject) = (format!("review accept {fact}"), format!("review reject {fact}"));
        let (accept, reject) = (args.campaign.command(&accept), args.campaign.command(&reject));
        output.note(format!("{name} hears nothing until you decide on the death: `{accept}` or `{reject}`"));
    }
}
