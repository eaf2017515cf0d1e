//! Measures extraction on the summaries and transcripts of real sessions.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Instant,
};

use hearsay_campaign::Transcript;
use hearsay_commands::session::{AssignedSpeaker, NewSession, SpeakerAssignment, TranscriptImport};
use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Operation, Passage, PassageId, SpeakerRole, State, TalkKind, Timestamp,
};

use super::{
    agreement::{Agreement, LabelledText},
    figures::{Figures, Tally, Verdict},
    reader::{EndToEndError, Outcome, Reader},
};
use crate::{
    extraction::{SceneEntity, scene_state},
    mask::Mask,
    table_talk::{self, Cast, CorpusPart, DM, Label, TalkLabel},
};

/// The summary or transcript of a session, with labels for some of its lines.
#[derive(Debug)]
pub struct Episode {
    /// Name of the episode.
    pub name: String,
    /// Whether the text was written or spoken.
    pub part: CorpusPart,
    lines: Vec<String>,
    /// Labels by the index of their line.
    labels: BTreeMap<usize, Label>,
}

/// Reads the texts of episodes, and their labels. Replaces the names in the texts and labels by invented names.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a label does not match the text.
pub fn read_episodes(
    text: &Path,
    labels: &Path,
    episodes: &[String],
    mask: &Mask,
) -> Result<Vec<Episode>, EndToEndError> {
    let mut read: Vec<Episode> = Vec::new();
    for chunk in table_talk::read(text, labels, episodes)? {
        let name = chunk.name[..6].to_owned();
        let is_same = |episode: &Episode| episode.name == name && episode.part == chunk.part;
        let index = match read.iter().position(is_same) {
            Some(index) => index,
            None => {
                let lines = table_talk::read_text(text, &name, chunk.part)?;
                let lines = lines.iter().map(|line| mask.apply(line).text).collect();
                read.push(Episode { name, part: chunk.part, lines, labels: BTreeMap::new() });
                read.len() - 1
            }
        };
        let masked = chunk.labels.iter().map(|label| {
            let line = &chunk.lines[label.line];
            (chunk.first_line + label.line, masked_label(label, line, mask))
        });
        read[index].labels.extend(masked);
    }
    Ok(read)
}

/// Returns a label for the line with invented names.
fn masked_label(label: &Label, line: &str, mask: &Mask) -> Label {
    let masked_line = mask.apply(line);
    let mut label = label.clone();
    let move_span = |span: &mut (usize, usize)| {
        *span = (masked_line.position(span.0), masked_line.position(span.1));
    };
    let rename = |name: &mut String| *name = mask.apply(name).text;
    for statement in &mut label.statements {
        move_span(&mut statement.span);
        statement.subject.iter_mut().for_each(rename);
        for (span, name) in &mut statement.references {
            move_span(span);
            rename(name);
        }
        for (_, subject, object) in &mut statement.typed {
            rename(subject);
            rename(object);
        }
    }
    label
}

/// Returns copies of the entities, with invented names.
pub fn masked_entities(entities: &[SceneEntity], mask: &Mask) -> Vec<SceneEntity> {
    let mut entities = entities.to_vec();
    for name in entities.iter_mut().flat_map(|entity| &mut entity.names) {
        *name = mask.apply(name).text;
    }
    entities
}

/// Measures extraction on summaries or transcripts. Each text is imported into its own campaign, which contains the
/// entities. If `only_labelled` is `true`, only the labelled lines are read.
///
/// # Errors
/// Returns an error if a text cannot be recorded, or if the language model does not answer.
pub fn measure_episodes(
    episodes: &[Episode],
    part: CorpusPart,
    entities: &[SceneEntity],
    only_labelled: bool,
    reader: &Reader<'_>,
) -> Result<Figures, EndToEndError> {
    let cast = Cast::from_entities(entities);
    let mut tally = Tally::default();
    for episode in episodes.iter().filter(|episode| episode.part == part) {
        let mut state = scene_state(entities).map_err(|error| EndToEndError::Entities(error.to_string()))?;
        match part {
            CorpusPart::Written => record_summary(&mut state, episode)?,
            CorpusPart::Spoken => record_transcript(&mut state, episode)?,
        }
        // Line numbers of passages are counted from 1.
        let passages = state.passages().map(|(id, passage)| (passage.line.saturating_sub(1) as usize, id));
        let passages: BTreeMap<usize, PassageId> = passages.collect();
        let to_read = passages.iter().filter(|(line, _)| !only_labelled || episode.labels.contains_key(*line));
        let to_read: Vec<PassageId> = to_read.map(|(_, passage)| *passage).collect();
        let started = Instant::now();
        let findings = reader.read(&mut state, &to_read)?;
        tally.figures.seconds += started.elapsed().as_secs_f64();
        let recorded_facts = reader.recorded_facts(&state);
        let agreement = Agreement { cast: &cast, state: &state, vocabulary: &reader.vocabulary };
        let labelled: BTreeMap<PassageId, &Label> =
            episode.labels.iter().filter_map(|(line, label)| Some((*passages.get(line)?, label))).collect();
        let mut outcomes: BTreeMap<(PassageId, usize), Outcome> = BTreeMap::new();
        for findings in &findings {
            let passage = findings.passage.id();
            let Some(label) = labelled.get(&passage) else { continue };
            if let Some(kind) = findings.talk_kind.filter(|_| findings.model.is_none()) {
                tally.figures.talk += 1;
                tally.figures.talk_right += usize::from(kind == talk_kind(label));
            }
            let line = &episode.lines[findings.passage.line.saturating_sub(1) as usize];
            let prefix_bytes = line.trim_end().strip_suffix(findings.passage.text.as_str()).map_or(0, str::len);
            let text = LabelledText { line, prefix_bytes };
            for fact in findings.extraction.facts.iter().filter(|fact| !fact.denied) {
                let Some(recorded) = recorded_facts.find(passage, fact) else { continue };
                let agreeing = (0..)
                    .zip(&label.statements)
                    .filter(|(_, statement)| agreement.agrees(fact, &findings.extraction, statement, &text));
                let agreeing: Vec<usize> = agreeing.map(|(index, _)| index).collect();
                tally.add_fact(recorded, if agreeing.is_empty() { Verdict::Wrong } else { Verdict::Right });
                for index in agreeing {
                    let outcome = outcomes.entry((passage, index)).or_insert(recorded.outcome);
                    *outcome = (*outcome).max(recorded.outcome);
                }
            }
        }
        tally.figures.texts += episode.labels.len();
        for (line, label) in &episode.labels {
            for index in 0..label.statements.len() {
                let outcome = passages.get(line).and_then(|passage| outcomes.get(&(*passage, index)));
                tally.add_label(true, outcome.copied());
            }
        }
        tally.end_campaign();
    }
    Ok(tally.finish())
}

fn talk_kind(label: &Label) -> TalkKind {
    match label.talk {
        TalkLabel::Narration => TalkKind::Narration,
        TalkLabel::InCharacter => TalkKind::InCharacter,
        TalkLabel::OutOfCharacter => TalkKind::OutOfCharacter,
    }
}

/// Records a summary as a text of a campaign file. Each of its lines is a passage.
fn record_summary(state: &mut State, episode: &Episode) -> Result<(), EndToEndError> {
    let document = EntityId::new("summary").map_err(|error| EndToEndError::Entities(error.to_string()))?;
    let mut changes = vec![Change::AddEntity(Entity::new(document.clone()))];
    for (line, text) in (1..).zip(&episode.lines).filter(|(_, text)| !text.trim().is_empty()) {
        let passage = Passage {
            document: Some(document.clone()),
            line,
            evidence: vec![Evidence::File { path: "summary.md".into(), line, field: "text".into() }],
            ..Passage::new(text.trim_end())
        };
        changes.push(Change::AddPassage(passage.into()));
    }
    state.apply(Operation::new(Author::Dm, "a summary", changes))?;
    Ok(())
}

/// Imports a transcript as the log of a session.
fn record_transcript(state: &mut State, episode: &Episode) -> Result<(), EndToEndError> {
    let name = format!("{}.txt", episode.name);
    let transcript = Transcript::read(&name, episode.lines.join("\n").as_bytes())?;
    let in_file: BTreeSet<String> = transcript.speakers().iter().map(|(name, _)| name.to_lowercase()).collect();
    let assignment = |name: String, is: AssignedSpeaker| SpeakerAssignment { name, is, remember: false };
    let players = table_talk::players().into_iter();
    let players = players.map(|(player, id)| assignment(player, AssignedSpeaker::Character(id)));
    let dm = assignment(DM.to_lowercase(), AssignedSpeaker::Role(SpeakerRole::Dm));
    let speakers = players.chain([dm]).filter(|speaker| in_file.contains(&speaker.name)).collect();
    let import =
        TranscriptImport { name, transcript, session: None, new: NewSession::default(), speakers, first_line: None };
    let (_, log) = import.plan(state)?;
    let operation = log.operation(state, Author::Dm, Timestamp(0))?;
    state.apply(operation)?;
    Ok(())
}
