//! Reads sessions, their reports and their recaps.

use hearsay_belief::{is_dead, player_characters};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, Knower, RecapReader, State};
use hearsay_query::{
    facts::is_secret,
    session::{
        LineRow, RecapAudience, SessionReport, SessionRow, Thread, ThreadKind, attending_in_scene, last_place,
        session_lines, session_recap, session_report, sessions,
    },
};

use super::model::{
    ChangedModel, ContradictingModel, CurrentSession, LearnedModel, LearnerModel, LogLineModel, NewNameModel,
    NextSessionDefaults, OpenThreadModel, RecapModel, ReportModel, RevealedSecretModel, ReviewFirstModel, SessionLine,
    SessionModel, SessionPart, SessionPartModel, SessionPartRequest,
};
use crate::{
    names::NamedEntity,
    text::{LinkedText, format_count},
};

/// Maximum number of log lines shown. From a longer log, only the last lines are shown.
const MAX_LOG_LINES: usize = 2_000;

impl SessionModel {
    /// Reads the list of sessions. Call this function on a background thread, because it counts every line.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn load(world: &ReadSnapshot) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let rows = sessions(state);
        let latest = rows.iter().filter_map(|row| row.number).max();
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let players: Vec<EntityId> =
            player_characters(state).into_iter().filter(|id| !is_dead(state, id, state.clock())).collect();
        let current = state.active_session().map(|playing| (playing, attending_in_scene(state, playing)));
        let current = current.map(|(playing, present)| CurrentSession {
            id: playing.session.clone(),
            title: title(state, &playing.session),
            place: playing.place.as_ref().map(|id| NamedEntity::new(state, id)),
            time: playing
                .time
                .as_ref()
                .and_then(|date| date.time)
                .max(state.clock())
                .map(|time| state.calendar().format(time)),
            present: present.iter().map(|id| NamedEntity::new(state, id)).collect(),
            absent: players.iter().filter(|id| !present.contains(id)).map(|id| NamedEntity::new(state, id)).collect(),
        });
        let next = NextSessionDefaults {
            number: latest.unwrap_or(count).saturating_add(1),
            players: players.iter().map(|id| NamedEntity::new(state, id)).collect(),
            place: last_place(state).map(|id| NamedEntity::new(state, &id)),
            clock: state.clock().map(|time| state.calendar().format(time)),
        };
        Ok(Self { sessions: rows.into_iter().rev().map(|row| session_line(state, row)).collect(), current, next })
    }
}

fn title(state: &State, id: &hearsay_model::SessionId) -> String {
    state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone())
}

fn session_line(state: &State, row: SessionRow) -> SessionLine {
    let time = match (row.start, row.end) {
        (Some(start), Some(end)) => format!("{start} \u{2013} {end}"),
        (Some(start), None) => start,
        (None, Some(end)) => format!("until {end}"),
        (None, None) => String::new(),
    };
    SessionLine {
        recaps: (state.recap(&row.id, RecapReader::Dm).is_some(), state.recap(&row.id, RecapReader::Players).is_some()),
        id: row.id,
        number: row.number,
        title: row.title,
        date: row.date,
        time,
        present: row.present.iter().map(|id| NamedEntity::new(state, id)).collect(),
        lines: row.lines,
    }
}

impl SessionPartModel {
    /// Reads a part of a session. Call this function on a background thread, because it visits every line and knowledge
    /// edge.
    ///
    /// # Errors
    /// Returns an error if the session does not exist.
    pub fn load(world: &ReadSnapshot, request: &SessionPartRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let id = &request.session;
        Ok(match request.part {
            SessionPart::Log => {
                let (_, lines, total) = session_lines(state, Some(id), MAX_LOG_LINES)?;
                let omitted_count = total - lines.len();
                Self::Log(log_lines(state, lines), omitted_count)
            }
            SessionPart::Report => {
                Self::Report(Box::new(ReportModel::from_report(state, &session_report(state, Some(id))?)))
            }
            SessionPart::Recap => {
                let audience = match request.reader {
                    RecapReader::Players => RecapAudience::Players,
                    RecapReader::Dm => RecapAudience::Dm,
                };
                let recap = session_recap(state, Some(id), &audience, request.words)?;
                let lines: Vec<&str> = recap.recap.lines.iter().map(|line| line.text.as_str()).collect();
                Self::Recap(RecapModel {
                    reader: request.reader,
                    saved_text: state.recap(&request.session, request.reader).map(str::to_owned),
                    generated_text: lines.join("\n"),
                    counts: (lines.len(), recap.recap.candidate_count),
                    title: recap.title,
                })
            }
        })
    }
}

/// Converts log lines for display. Time and place are set only on lines where they change.
fn log_lines(state: &State, lines: Vec<LineRow>) -> Vec<LogLineModel> {
    let (mut time, mut place) = (None, None);
    let to_model = |row: LineRow| {
        let changed_value = |previous: &mut Option<String>, current: Option<String>| {
            let has_changed = current.is_some() && *previous != current;
            previous.clone_from(&current);
            current.filter(|_| has_changed)
        };
        LogLineModel {
            line: row.line,
            speaker: row.speaker.as_ref().map(|id| NamedEntity::new(state, id)),
            text: row.text,
            when: changed_value(&mut time, row.when),
            place: changed_value(&mut place, row.place),
            heard_by: row.heard_by.join(", "),
            private: row.private,
            talk_kind: row.talk_kind,
        }
    };
    lines.into_iter().map(to_model).collect()
}

impl ReportModel {
    /// Converts the engine's report for display.
    pub fn from_report(state: &State, report: &SessionReport) -> Self {
        let fact = |id: FactId| state.fact(id);
        let linked_statement = |id: FactId, statement: &str| {
            fact(id).map_or_else(|| LinkedText::plain(statement), |fact| LinkedText::from_fact(state, fact))
        };
        let is_secret_fact = |id: FactId| fact(id).is_none_or(|fact: &std::sync::Arc<Fact>| is_secret(state, fact));
        let counts = &report.counts;
        let mut count_texts = vec![
            format_count(counts.lines, "line", "lines"),
            format_count(counts.speakers, "speaker", "speakers"),
            format_count(counts.facts, "fact recorded", "facts recorded"),
            format_count(counts.learned, "fact learned", "facts learned"),
        ];
        let talk_count = counts.talk.out_of_character;
        let talk_text = || format_count(talk_count, "line out of character", "lines out of character");
        count_texts.extend((talk_count > 0).then(talk_text));
        let withheld_count = counts.talk.withheld;
        count_texts
            .extend((withheld_count > 0).then(|| format_count(withheld_count, "line withheld", "lines withheld")));
        count_texts
            .extend((counts.waiting > 0).then(|| format_count(counts.waiting, "fact to review", "facts to review")));
        let learned = report.learned.iter().map(|row| LearnerModel {
            knower: row.knower.entity().map(|id| NamedEntity::new(state, id)),
            player: row.player,
            facts: row
                .facts
                .iter()
                .map(|row| LearnedModel {
                    fact: row.fact,
                    statement: linked_statement(row.fact, &row.statement),
                    acquisition: match &row.when {
                        Some(when) => format!("{}, {when}", row.acquisition),
                        None => row.acquisition.clone(),
                    },
                    status: row.status,
                    secret: is_secret_fact(row.fact),
                })
                .collect(),
        });
        let changed = report.changed.iter().map(|row| ChangedModel {
            kind: row.kind,
            fact: row.fact,
            statement: linked_statement(row.fact, &row.statement),
            when: row.when.clone(),
        });
        let thread_model = |thread: &Thread| OpenThreadModel {
            kind: match thread.kind {
                ThreadKind::Quest => "quest",
                ThreadKind::Promise => "promise",
                ThreadKind::Debt => "debt",
                ThreadKind::Secret => "untold secret",
            },
            description: match thread.quest {
                Some(_) => {
                    LinkedText::with_links(state, &thread.description, thread.quest.iter().chain(&thread.entities))
                }
                None => thread.fact.map_or_else(
                    || LinkedText::plain(&thread.description),
                    |id| linked_statement(id, &thread.description),
                ),
            },
            fact: thread.fact,
            secret: thread.kind == ThreadKind::Secret || thread.fact.is_some_and(is_secret_fact),
        };
        let review = report.review.iter().map(|row| ReviewFirstModel {
            fact: row.fact,
            statement: linked_statement(row.fact, &row.statement),
            status: row.status,
            confidence: row.confidence,
            reason: row.reasons.join(", "),
        });
        let learner_text = |(knower, acquisition): &(Knower, String)| {
            let name = knower.entity().map_or("everybody", |id| state.name_or_id(id));
            format!("{name}: {acquisition}")
        };
        let secrets_out = report.secrets_out.iter().map(|row| RevealedSecretModel {
            fact: row.fact,
            statement: linked_statement(row.fact, &row.statement),
            learned_by: row.learned_by.iter().map(learner_text).collect::<Vec<_>>().join("; "),
        });
        let contradictions = report.contradictions.iter().map(|row| {
            let facts = row.facts.iter().map(|row| ContradictingModel {
                fact: row.fact,
                statement: linked_statement(row.fact, &row.statement),
                status: row.status,
            });
            facts.collect()
        });
        let new_names = report.new_names.iter();
        let new_names = new_names.map(|row| NewNameModel { name: row.name.clone(), fact: row.fact, lines: row.lines });
        Self {
            counts: count_texts,
            review: review.collect(),
            secrets_out: secrets_out.collect(),
            promises: report.promises.iter().map(thread_model).collect(),
            contradictions: contradictions.collect(),
            new_names: new_names.collect(),
            learned: learned.collect(),
            changed: changed.collect(),
            threads: report.threads.iter().map(thread_model).collect(),
        }
    }
}
