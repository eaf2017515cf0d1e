//! Measures beliefs of characters: compares the engine's answers to questions about stories with the answers of a data
//! set.

use std::{collections::BTreeMap, path::Path};

use hearsay_belief::{BeliefStatus, View};
use hearsay_model::{EntityId, GameTime, PredicateRole, State};
use serde::Serialize;

use crate::{
    recorded_story::RecordedStory,
    stories::{QuestionKind, Story, StoryError, StoryQuestion},
};

/// The kinds of questions, in the order of the report.
pub const KINDS: [&str; 4] = ["memory", "reality", "first_order", "second_order"];

/// The engine's accuracy on one kind of question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tally {
    /// `memory`, `reality`, `first_order` or `second_order`.
    pub kind: &'static str,
    /// The number of questions of this kind.
    pub n: usize,
    /// The share of questions for which the engine and the data set give the same answer, from 0 to 1. If there are no
    /// questions, the share is 0.
    pub accuracy: f64,
}

/// A question to which the engine and the data set give different answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// The line number of the question in the file, counted from 1.
    pub line: usize,
    /// The kind of question: one of [`KINDS`].
    pub kind: &'static str,
    /// The sentences of the story.
    pub story: Vec<String>,
    /// The text of the question.
    pub question: String,
    /// The answer of the data set: the id of a location.
    pub expected: String,
    /// The answer of the engine: the id of a location, or `None` if the engine knows no location.
    pub engine_answer: Option<String>,
    /// The engine's reasons for its answer, most important first.
    pub reasons: Vec<String>,
}

/// The engine's accuracy on a set of stories, with examples of disagreements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// One tally for each kind, in the order of [`KINDS`].
    pub tallies: Vec<Tally>,
    /// The first disagreements, in the order of the stories. The argument of [`measure`] sets their maximum number.
    pub disagreements: Vec<Disagreement>,
}

/// Records the events of stories as operations, and has the engine answer the questions about the stories. The report
/// lists at most `disagreements` disagreements. `file` is the path that errors name.
///
/// # Errors
/// Returns an error if a sentence of a story is impossible, for example because a character leaves a room without being
/// in it.
pub fn measure(stories: &[Story], file: &Path, disagreements: usize) -> Result<Report, StoryError> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut report = Report::default();
    for story in stories {
        let recorded = RecordedStory::from_sentences(story.sentences.iter().map(|(_, sentence)| sentence)).map_err(
            |(index, error)| {
                let line = story.sentences.get(index).map_or(0, |(line, _)| *line);
                StoryError::Line { file: file.to_owned(), line, problem: error.to_string() }
            },
        )?;
        for question in &story.questions {
            let (engine_answer, reasons) = answer(&recorded, question);
            let is_correct = engine_answer.as_ref() == Some(&question.answer);
            let count = counts.entry(kind_name(&question.kind)).or_default();
            count.0 += 1;
            count.1 += usize::from(is_correct);
            if !is_correct && report.disagreements.len() < disagreements {
                report.disagreements.push(Disagreement {
                    line: question.line,
                    kind: kind_name(&question.kind),
                    story: story.text.clone(),
                    question: question.text.clone(),
                    expected: question.answer.to_string(),
                    engine_answer: engine_answer.map(|place| place.to_string()),
                    reasons,
                });
            }
        }
    }
    report.tallies = KINDS
        .iter()
        .map(|kind| {
            let (n, correct) = counts.get(kind).copied().unwrap_or_default();
            Tally { kind, n, accuracy: correct as f64 / n.max(1) as f64 }
        })
        .collect();
    Ok(report)
}

fn kind_name(kind: &QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Memory => KINDS[0],
        QuestionKind::Reality => KINDS[1],
        QuestionKind::FirstOrder(_) => KINDS[2],
        QuestionKind::SecondOrder(..) => KINDS[3],
    }
}

/// Returns the engine's answer and its reasons.
fn answer(recorded: &RecordedStory, question: &StoryQuestion) -> (Option<EntityId>, Vec<String>) {
    let (state, thing, now) = (recorded.state(), &question.thing, Some(recorded.now()));
    let located = PredicateRole::Location.predicate();
    let location_in = |state: &State| state.newest(thing, PredicateRole::Location.name())?.object().entity().cloned();
    match &question.kind {
        QuestionKind::Memory => {
            let initial_state = recorded.first_position(thing).and_then(|position| state.at(position).ok());
            (initial_state.as_ref().and_then(location_in), vec!["the state when the thing first had a location".into()])
        }
        QuestionKind::Reality => (location_in(state), vec!["the state".into()]),
        QuestionKind::FirstOrder(character) => {
            let view = View::new(state, &character.clone().into(), now);
            let beliefs = view.beliefs(thing, located);
            let believed = beliefs.iter().find(|belief| belief.status == BeliefStatus::Believed);
            let place = believed.and_then(|belief| belief.known.object().entity().cloned());
            let reasons = beliefs.iter().map(|belief| {
                let since = belief.known.known_edges().iter().map(|known_edge| known_edge.since).max().flatten();
                format!("{}: {:?}, last learned {}", belief.known.object(), belief.status, format_time(since))
            });
            (place, reasons.collect())
        }
        QuestionKind::SecondOrder(character, other) => {
            let view = View::new(state, &character.clone().into(), now);
            let attributed_beliefs = view.attributed_beliefs(other, thing, located);
            let place = attributed_beliefs.first().and_then(|(known, _)| known.object().entity().cloned());
            let reasons = attributed_beliefs.iter().flat_map(|(known, reasons)| {
                reasons
                    .iter()
                    .map(|reason| format!("{}: {:?}, {}", known.object(), reason.reason, format_time(reason.since)))
            });
            (place, reasons.collect())
        }
    }
}

fn format_time(time: Option<GameTime>) -> String {
    time.map_or_else(|| "at an unknown time".into(), |GameTime(minute)| format!("at minute {minute}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stories::parse;

    /// Checks the engine's answers to questions about one story. `expected` contains the answers of a human.
    fn check(story: &str, expected: &[(&str, &str)]) {
        let mut text = String::new();
        let lines = story.split_inclusive(". ").map(str::trim);
        for (number, line) in (1..).zip(lines.clone()) {
            text.push_str(&format!("{number} {line}\n"));
        }
        for (question, answer) in expected {
            text.push_str(&format!("9 {question}\t{answer}\t1\n"));
        }
        let report = measure(&parse(&text).unwrap(), Path::new("story"), 99).unwrap();
        assert_eq!(report.disagreements, []);
        assert_eq!(report.tallies.iter().map(|tally| tally.n).sum::<usize>(), expected.len());
    }

    #[test]
    fn the_engine_answers_as_a_person_in_the_room_would() {
        // Rosa does not see that Hugo moves the coin. Hugo knows that she did not see it.
        check(
            "Hugo entered the loft. Rosa entered the loft. The coin is in the jar. Rosa exited the loft. \
             Hugo moved the coin to the boot.",
            &[
                ("Where was the coin at the beginning?", "jar"),
                ("Where is the coin really?", "boot"),
                ("Where will Hugo look for the coin?", "boot"),
                ("Where will Rosa look for the coin?", "jar"),
                ("Where does Hugo think that Rosa searches for the coin?", "jar"),
                ("Where does Rosa think that Hugo searches for the coin?", "jar"),
            ],
        );
        // Rosa comes back while Hugo is there. Each sees that the other sees the coin.
        check(
            "Hugo entered the loft. Rosa entered the loft. The coin is in the jar. Rosa exited the loft. \
             Hugo moved the coin to the boot. Rosa entered the loft.",
            &[
                ("Where does Hugo think that Rosa searches for the coin?", "boot"),
                ("Where does Rosa think that Hugo searches for the coin?", "boot"),
            ],
        );
        // Rosa comes back after Hugo left. Hugo cannot know that she has seen the new location.
        check(
            "Hugo entered the loft. Rosa entered the loft. The coin is in the jar. Rosa exited the loft. \
             Hugo moved the coin to the boot. Hugo exited the loft. Rosa entered the loft.",
            &[
                ("Where will Rosa look for the coin?", "boot"),
                ("Where does Hugo think that Rosa searches for the coin?", "jar"),
                ("Where does Rosa think that Hugo searches for the coin?", "boot"),
            ],
        );
        // Both left before a third character moved the coin. Each knows that the other did not see the move.
        check(
            "Hugo entered the loft. Rosa entered the loft. Ivo entered the loft. The coin is in the jar. Hugo exited the loft. \
             Rosa exited the loft. Ivo moved the coin to the boot. Rosa entered the loft.",
            &[("Where does Rosa think that Hugo searches for the coin?", "jar")],
        );
        // Characters do not see other rooms.
        check(
            "Hugo entered the loft. Rosa entered the loft. The coin is in the jar. Rosa exited the loft. \
             Rosa entered the barn. Hugo moved the coin to the boot.",
            &[("Where will Rosa look for the coin?", "jar")],
        );
    }

    #[test]
    fn errors_in_a_story_name_their_line() {
        let check = |text: &str, line: usize, expected: &str| {
            let found = match parse(text) {
                Err((line, problem)) => format!("{line}: {problem}"),
                Ok(stories) => match measure(&stories, Path::new("story"), 0) {
                    Err(StoryError::Line { line, problem, .. }) => format!("{line}: {problem}"),
                    other => format!("{other:?}"),
                },
            };
            assert!(found.starts_with(&format!("{line}: ")) && found.contains(expected), "{found}");
        };
        check("1 Hugo flew.\n", 1, "is not a sentence of a story");
        check("Hugo entered the loft.\n", 1, "expected a number");
        check("1 Hugo entered the loft.\n2 Where is Hugo?\tloft\t1\n", 2, "is not a known question");
        check("1 Hugo exited the loft.\n2 Where is the coin really?\tjar\t1\n", 1, "hugo is not in the loft");
        check("1 The coin is in the jar.\n2 Where is the coin really?\tjar\t1\n", 1, "no character has entered");
    }

    #[test]
    fn disagreements_are_listed_with_the_reasons_of_the_engine() {
        let text = "1 Hugo entered the loft.\n2 The coin is in the jar.\n3 Where is the coin really?\tboot\t1\n\
                    1 Hugo entered the loft.\n2 The coin is in the jar.\n3 Where will Hugo look for the coin?\tboot\t1\n";
        let report = measure(&parse(text).unwrap(), Path::new("story"), 1).unwrap();
        assert_eq!(report.tallies[1], Tally { kind: "reality", n: 1, accuracy: 0.0 });
        assert_eq!(report.disagreements.len(), 1, "lists only the requested number of disagreements");
        assert_eq!(report.disagreements[0].engine_answer.as_deref(), Some("jar"));
        let report = measure(&parse(text).unwrap(), Path::new("story"), 9).unwrap();
        assert_eq!(report.disagreements[1].reasons, ["jar: Believed, last learned at minute 2"]);
    }
}
