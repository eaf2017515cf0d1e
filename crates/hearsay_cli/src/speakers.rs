//! Speakers of a transcript whom the campaign does not identify. This module lists these speakers with the proposed
//! characters. On a terminal, it asks the user for their characters.

use std::io::{self, BufRead, Write};

use anyhow::Result;
use hearsay_commands::session::{
    AssignedSpeaker, SpeakerAssignment, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    TranscriptReport, is_speaker_label,
};
use hearsay_model::{EntityId, SpeakerRole, State, attribute, escape, text, words};
use hearsay_query::resolve::resolve_character;

use crate::{
    ctrl_c,
    output::{CliError, count},
};

/// Exit code for a dialogue that the user ended before the last answer.
const NO_ANSWER: u8 = 1;

/// Answer for a speaker who does not take part in the game.
const NOBODY: &str = "nobody";

/// Describes who a speaker is. For an unidentified speaker, names the option that identifies the speaker.
pub(crate) fn describe(row: &SpeakerRow) -> String {
    let identity = match &row.is {
        SpeakerIdentity::Character(id) => return id.to_string(),
        SpeakerIdentity::Dm => return "the DM: narration".to_owned(),
        SpeakerIdentity::Nobody => return "nobody: the name stays part of the text".to_owned(),
        SpeakerIdentity::Ambiguous(candidates) => {
            let ids: Vec<&str> = candidates.iter().map(|id| id.as_str()).collect();
            format!("ambiguous ({})", ids.join(", "))
        }
        SpeakerIdentity::Unknown => "no such character".to_owned(),
    };
    let proposal = row.proposal.as_ref().map_or(String::new(), |proposal| format!(", {}", describe_proposal(proposal)));
    format!("{identity}{proposal}: the name stays part of the text; to change this, add {}", option(row))
}

fn describe_proposal(proposal: &SpeakerProposal) -> String {
    let reason = match proposal.evidence {
        SpeakerEvidence::SimilarName => "the names are similar",
        SpeakerEvidence::Introduction => "introduces this character",
        SpeakerEvidence::Conversation => "answers to this name",
        SpeakerEvidence::Elimination => "nobody else plays this character",
        SpeakerEvidence::MostWords => "says the most",
    };
    format!("probably {} ({reason})", name_identity(&proposal.is))
}

/// Returns a proposed identity as the user sees it and can type it.
fn name_identity(identity: &SpeakerIdentity) -> String {
    match identity {
        SpeakerIdentity::Character(id) => id.to_string(),
        SpeakerIdentity::Dm => "the DM".to_owned(),
        _ => NOBODY.to_owned(),
    }
}

/// Returns the option of `session import` that identifies a speaker. Without a proposal, `CHARACTER` stands for the id
/// or name of the character.
pub(crate) fn option(row: &SpeakerRow) -> String {
    let player = if is_speaker_label(&row.name) { "--speaker" } else { "--player" };
    match row.proposal.as_ref().map(|proposal| &proposal.is) {
        Some(SpeakerIdentity::Dm) => format!("--dm {}", quote(&row.name)),
        Some(SpeakerIdentity::Character(id)) => format!("{player} {}", quote(&format!("{}={id}", row.name))),
        _ => {
            let player = format!("{player} {}", quote(&format!("{}=CHARACTER", row.name)));
            format!("{player} or --nobody {}", quote(&row.name))
        }
    }
}

/// Quotes an argument for a shell.
pub(crate) fn quote(argument: &str) -> String {
    match argument.contains(['"', '$', '`', '\\', '!']) {
        true => format!("'{}'", argument.replace('\'', "'\\''")),
        false => format!("\"{argument}\""),
    }
}

/// Asks the user who each unidentified speaker is. The campaign keeps the answers, except those about labels such as
/// `Speaker 1`, which can mean another person in the next transcript.
///
/// # Errors
/// Returns an error if the input ends before the last answer.
pub(crate) fn ask(report: &TranscriptReport, state: &State) -> Result<Vec<SpeakerAssignment>> {
    read_answers(report, state, &mut io::stdin().lock(), &mut io::stderr())
}

fn read_answers(
    report: &TranscriptReport,
    state: &State,
    input: &mut impl BufRead,
    screen: &mut impl Write,
) -> Result<Vec<SpeakerAssignment>> {
    let rows: Vec<&SpeakerRow> = report.speakers.iter().filter(|row| row.is.is_unidentified()).collect();
    write_question(report, &rows, state, screen)?;
    let mut assignments = Vec::new();
    for row in rows {
        let is = read_answer(row, state, input, screen)?;
        assignments.push(SpeakerAssignment { name: row.name.clone(), is, remember: !is_speaker_label(&row.name) });
    }
    Ok(assignments)
}

/// Writes the unidentified speakers with the proposals, the player characters, and the possible answers.
fn write_question(
    report: &TranscriptReport,
    rows: &[&SpeakerRow],
    state: &State,
    screen: &mut impl Write,
) -> io::Result<()> {
    let (file, speakers) = (escape::line(&report.file), count(rows.len(), "speaker", "speakers"));
    writeln!(screen, "The campaign does not know {speakers} of {file}:")?;
    for row in rows {
        let proposal =
            row.proposal.as_ref().map_or(String::new(), |proposal| format!(": {}", describe_proposal(proposal)));
        let line = format!("  {} ({}){proposal}", row.name, count(row.lines, "line", "lines"));
        writeln!(screen, "{}", escape::line(&line))?;
    }
    let characters: Vec<String> =
        hearsay_belief::player_characters(state).iter().map(|id| describe_character(state, id)).collect();
    if !characters.is_empty() {
        writeln!(screen, "Player characters: {}", escape::line(&characters.join(", ")))?;
    }
    writeln!(screen, "Answer with the id or name of a character, with `dm`, or with `{NOBODY}`. Enter accepts the")?;
    writeln!(screen, "answer in brackets.")
}

/// Names a character and the person who plays it.
fn describe_character(state: &State, id: &EntityId) -> String {
    match state.newest(id, attribute::PLAYER).and_then(|fact| fact.object().text()) {
        Some(player) => format!("{id} (played by {player})"),
        None => id.to_string(),
    }
}

/// Asks who a speaker is, until the answer is valid.
fn read_answer(
    row: &SpeakerRow,
    state: &State,
    input: &mut impl BufRead,
    screen: &mut impl Write,
) -> Result<AssignedSpeaker> {
    let default = row.proposal.as_ref().map_or_else(|| NOBODY.to_owned(), |proposal| name_identity(&proposal.is));
    let question = format!("Who is {}? [{default}] ", row.name);
    loop {
        write!(screen, "{}", escape::line(&question))?;
        screen.flush()?;
        let Some(line) = ctrl_c::read_answer(input)? else {
            writeln!(screen)?;
            let message = format!("no answer for the speaker {}; nothing was imported", row.name);
            return Err(CliError::new(NO_ANSWER, message).into());
        };
        let answer = if line.trim().is_empty() { default.as_str() } else { line.trim() };
        match parse_answer(answer, state) {
            Ok(speaker) => return Ok(speaker),
            Err(message) => writeln!(screen, "{}", escape::line(&message))?,
        }
    }
}

/// Returns the character or person that an answer names, or the reason why it names none.
fn parse_answer(answer: &str, state: &State) -> Result<AssignedSpeaker, String> {
    let normal = text::normalize(answer);
    let title = normal.strip_prefix("the ").unwrap_or(&normal);
    if words::contains_word(&words::english().narrators, title) {
        return Ok(AssignedSpeaker::Role(SpeakerRole::Dm));
    }
    if normal == NOBODY {
        return Ok(AssignedSpeaker::Role(SpeakerRole::Nobody));
    }
    match resolve_character(state, answer) {
        Ok(id) => Ok(AssignedSpeaker::Character(id)),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use hearsay_campaign::Transcript;
    use hearsay_commands::{
        edit::{Edit, FactOptions},
        session::{NewSession, TranscriptImport},
    };
    use hearsay_model::{Author, Kind, Timestamp};

    use super::*;

    const TALK: &str = "\
Anna: The chapel is dark, and water drips from the roof onto the old stones. Wren, what do you do?
Ben: I look under the altar.
Anna: You find a box, Wren.
Ben: I open it.
Crew: (cheering)
Speaker 1: Where are we?
";

    /// Returns a state with two player characters, one of which has a player, and the report of an import.
    fn table() -> (State, TranscriptReport) {
        let mut state = State::default();
        let add = |name: &str| Edit::Add { name: name.into(), kind: Kind::Player, id: None, place: None };
        let player = Edit::Set {
            entity: EntityId::new("dorric-stane").unwrap(),
            attribute: attribute::PLAYER.into(),
            value: "Cleo".into(),
            options: FactOptions::default(),
        };
        for edit in [add("Wren Oake"), add("Dorric Stane"), player] {
            let operation = edit.operation(&state, Author::Dm, Timestamp(0)).unwrap();
            state.apply(operation).unwrap();
        }
        let import = TranscriptImport {
            name: "evening.txt".into(),
            transcript: Transcript::read("evening.txt", TALK.as_bytes()).unwrap(),
            session: None,
            new: NewSession::default(),
            speakers: Vec::new(),
            first_line: None,
        };
        let (report, _) = import.plan(&state).unwrap();
        (state, report)
    }

    /// Returns the answers to a dialogue in which the user types these lines, and the text on the screen.
    fn answer(typed: &str) -> (Result<Vec<SpeakerAssignment>>, String) {
        let (state, report) = table();
        let mut screen = Vec::new();
        let assignments = read_answers(&report, &state, &mut typed.as_bytes(), &mut screen);
        (assignments, String::from_utf8(screen).unwrap())
    }

    fn assign(name: &str, is: AssignedSpeaker, remember: bool) -> SpeakerAssignment {
        SpeakerAssignment { name: name.into(), is, remember }
    }

    fn character(id: &str) -> AssignedSpeaker {
        AssignedSpeaker::Character(EntityId::new(id).unwrap())
    }

    #[test]
    fn enter_accepts_the_proposals() {
        let (assignments, screen) = answer("\n\n\n\n");
        let expected = [
            assign("Anna", AssignedSpeaker::Role(SpeakerRole::Dm), true),
            assign("Ben", character("wren-oake"), true),
            assign("Crew", AssignedSpeaker::Role(SpeakerRole::Nobody), true),
            assign("Speaker 1", AssignedSpeaker::Role(SpeakerRole::Nobody), false),
        ];
        assert_eq!(assignments.unwrap(), expected);
        let expected_screen = "\
The campaign does not know 4 speakers of evening.txt:
  Anna (2 lines): probably the DM (says the most)
  Ben (2 lines): probably wren-oake (answers to this name)
  Crew (1 line)
  Speaker 1 (1 line)
Player characters: dorric-stane (played by Cleo), wren-oake
Answer with the id or name of a character, with `dm`, or with `nobody`. Enter accepts the
answer in brackets.
Who is Anna? [the DM] Who is Ben? [wren-oake] Who is Crew? [nobody] Who is Speaker 1? [nobody] ";
        assert_eq!(screen, expected_screen);
    }

    #[test]
    fn another_answer_replaces_a_proposal() {
        let (assignments, screen) = answer("nobody\nEve\n Dorric Stane \nThe GM\nwren-oake\n");
        let expected = [
            assign("Anna", AssignedSpeaker::Role(SpeakerRole::Nobody), true),
            assign("Ben", character("dorric-stane"), true),
            assign("Crew", AssignedSpeaker::Role(SpeakerRole::Dm), true),
            assign("Speaker 1", character("wren-oake"), false),
        ];
        assert_eq!(assignments.unwrap(), expected);
        assert!(screen.contains("no entity is called `Eve`"), "an unknown name asks again: {screen}");
    }

    #[test]
    fn a_dialogue_without_an_end_assigns_nothing() {
        let (assignments, _) = answer("\n\n");
        assert_eq!(assignments.unwrap_err().to_string(), "no answer for the speaker Crew; nothing was imported");
    }

    #[test]
    fn each_unidentified_speaker_has_an_option() {
        let (_, report) = table();
        let options: Vec<String> = report.speakers.iter().map(option).collect();
        let expected = [
            "--dm \"Anna\"",
            "--player \"Ben=wren-oake\"",
            "--player \"Crew=CHARACTER\" or --nobody \"Crew\"",
            "--speaker \"Speaker 1=CHARACTER\" or --nobody \"Speaker 1\"",
        ];
        assert_eq!(options, expected);
        assert_eq!(quote("Ben \"$1\" O'Hara"), "'Ben \"$1\" O'\\''Hara'");
        let described: Vec<String> = report.speakers.iter().map(describe).collect();
        assert_eq!(
            described[1],
            "no such character, probably wren-oake (answers to this name): the name stays part of the text; to change \
             this, add --player \"Ben=wren-oake\""
        );
    }
}
