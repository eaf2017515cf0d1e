//! Measures extraction on labelled sentences.

use std::time::Instant;

use hearsay_extract::{ExtractedFact, TextType};
use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Kind, Knower, Operation, Passage, PassageId, Session, SessionId, State,
};

use super::{
    figures::{Figures, Tally, Verdict},
    reader::{EndToEndError, Outcome, Reader},
};
use crate::extraction::{Example, Labelled, LabelledFact, facts_match};

/// Id of the session or document that contains the sentence.
const SOURCE: &str = "measured-text";

/// Measures extraction on labelled sentences. Each sentence is recorded in its own campaign, with the entities of its
/// scene. Talk and narration are recorded as a line of a session during play. Lore is recorded as a text of a campaign
/// file.
///
/// # Errors
/// Returns an error if a text cannot be recorded, or if the language model does not answer.
pub fn measure_sentences(labelled: &Labelled, reader: &Reader<'_>) -> Result<Figures, EndToEndError> {
    let mut tally = Tally::default();
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let mut state = scene.state.clone();
        let passages = record_example(&mut state, example)?;
        let Some(own_passage) = passages.last().copied() else { continue };
        // The lines before a line of a session are its context, and were read before.
        let is_lore = example.form == TextType::Lore;
        let to_read = if is_lore { &passages[..] } else { std::slice::from_ref(&own_passage) };
        let started = Instant::now();
        let findings = reader.read(&mut state, to_read)?;
        tally.figures.seconds += started.elapsed().as_secs_f64();
        tally.figures.texts += 1;
        let recorded_facts = reader.recorded_facts(&state);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; example.facts.len()];
        for findings in findings.iter().filter(|findings| findings.passage.id() == own_passage) {
            let extraction = &findings.extraction;
            let matches = |fact: &ExtractedFact, label: &LabelledFact| {
                facts_match(fact, label, extraction, &reader.extractor, &reader.vocabulary)
            };
            let recorded = extraction.facts.iter().filter(|fact| !fact.denied);
            let recorded = recorded.filter_map(|fact| Some((fact, recorded_facts.find(own_passage, fact)?)));
            for (fact, recorded) in recorded {
                let labels = 0..example.facts.len();
                let matching: Vec<usize> = labels.filter(|label| matches(fact, &example.facts[*label])).collect();
                tally.add_fact(recorded, verdict(matching.iter().map(|label| &example.facts[*label])));
                for label in matching {
                    outcomes[label] = outcomes[label].max(Some(recorded.outcome));
                }
            }
        }
        for (label, outcome) in example.facts.iter().zip(outcomes) {
            tally.add_label(!label.doubt, outcome);
        }
        tally.end_campaign();
    }
    Ok(tally.finish())
}

/// Returns the verdict on a fact that agrees with these labels.
fn verdict<'a>(labels: impl Iterator<Item = &'a LabelledFact>) -> Verdict {
    let verdicts = labels.map(|label| if label.doubt { Verdict::Doubtful } else { Verdict::Right });
    verdicts.max().unwrap_or(Verdict::Wrong)
}

/// Records an example and the texts before it. Returns the ids of their passages, in order.
fn record_example(state: &mut State, example: &Example) -> Result<Vec<PassageId>, EndToEndError> {
    let is_lore = example.form == TextType::Lore;
    let invalid = |error: hearsay_model::IdError| EndToEndError::Entities(error.to_string());
    let document = EntityId::new(SOURCE).map_err(invalid)?;
    let session = SessionId::new(SOURCE).map_err(invalid)?;
    let hearers = hearers(state, example);
    let mut changes = vec![match is_lore {
        true => Change::AddEntity(Entity::new(document.clone())),
        false => Change::SetSession(Session {
            number: Some(1),
            title: "Session 1".to_owned(),
            ..Session::new(session.clone())
        }),
    }];
    let texts = example.before.iter().map(String::as_str).chain([example.text.as_str()]);
    let mut ids = Vec::new();
    for (line, text) in (1..).zip(texts) {
        let is_own_text = line as usize == example.before.len() + 1;
        let passage = match is_lore {
            true => Passage {
                document: Some(document.clone()),
                evidence: vec![Evidence::File { path: "lore.md".into(), line, field: "text".into() }],
                line,
                ..Passage::new(text)
            },
            false => Passage {
                session: Some(session.clone()),
                speaker: example.speaker.clone().filter(|_| is_own_text),
                place: example.place.clone(),
                heard_by: hearers.clone(),
                line,
                ..Passage::new(text)
            },
        };
        ids.push(passage.id());
        changes.push(Change::AddPassage(passage.into()));
    }
    state.apply(Operation::new(Author::Dm, "a measured text", changes))?;
    Ok(ids)
}

/// Returns the hearers of an example: the speaker and the characters present. If the example names neither, returns the
/// player characters of the scene.
fn hearers(state: &State, example: &Example) -> Vec<Knower> {
    let named: Vec<EntityId> = example.present.iter().chain(&example.speaker).cloned().collect();
    let players = state.entities().map(|entity| &entity.id).filter(|id| state.kind(id) == Some(Kind::Player));
    let mut hearers: Vec<Knower> = match named.is_empty() {
        true => players.cloned().map(Knower::from).collect(),
        false => named.into_iter().map(Knower::from).collect(),
    };
    hearers.sort();
    hearers.dedup();
    hearers
}
