//! Reads sessions, their reports and their recaps.

use hearsay_belief::{is_dead, player_characters};
use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, State};
use hearsay_query::{
    facts::is_secret,
    session::{
        LineRow, RecapFor, SessionReport, SessionRow, ThreadKind, last_place, session_lines, session_recap,
        session_report, sessions,
    },
};

use super::model::{
    ChangedModel, FirstModel, LearnedModel, LearnerModel, LineModel, Next, OpenModel, Part, PartModel, PartRequest,
    Playing, RecapModel, ReportModel, SessionLine, SessionModel,
};
use crate::{
    names::Named,
    text::{Linked, counted},
};

/// Maximum number of log lines shown. From a longer log, only the last lines are shown.
const LINES: usize = 2_000;

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
        let playing = state.playing().map(|playing| Playing {
            id: playing.session.clone(),
            title: title(state, &playing.session),
            place: playing.place.as_ref().map(|id| Named::of(state, id)),
            time: playing
                .time
                .as_ref()
                .and_then(|date| date.time)
                .max(state.clock())
                .map(|time| state.calendar().print(time)),
            here: playing.here.iter().map(|id| Named::of(state, id)).collect(),
            away: players.iter().filter(|id| !playing.here.contains(id)).map(|id| Named::of(state, id)).collect(),
        });
        let next = Next {
            number: latest.unwrap_or(count).saturating_add(1),
            players: players.iter().map(|id| Named::of(state, id)).collect(),
            place: last_place(state).map(|id| Named::of(state, &id)),
            clock: state.clock().map(|time| state.calendar().print(time)),
        };
        Ok(Self { sessions: rows.into_iter().rev().map(|row| line(state, row)).collect(), playing, next })
    }
}

fn title(state: &State, id: &hearsay_model::SessionId) -> String {
    state.session(id).map_or_else(|| id.to_string(), |session| session.title.clone())
}

fn line(state: &State, row: SessionRow) -> SessionLine {
    let time = match (row.start, row.end) {
        (Some(start), Some(end)) => format!("{start} \u{2013} {end}"),
        (Some(start), None) => start,
        (None, Some(end)) => format!("until {end}"),
        (None, None) => String::new(),
    };
    SessionLine {
        recaps: (state.recap(&row.id, false).is_some(), state.recap(&row.id, true).is_some()),
        id: row.id,
        number: row.number,
        title: row.title,
        date: row.date,
        time,
        present: row.present.iter().map(|id| Named::of(state, id)).collect(),
        lines: row.lines,
    }
}

impl PartModel {
    /// Reads a part of a session. Call this function on a background thread, because it visits every line and knowledge
    /// edge.
    ///
    /// # Errors
    /// Returns an error if the session does not exist.
    pub fn load(world: &ReadSnapshot, request: &PartRequest) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let id = request.session.as_str();
        Ok(match request.part {
            Part::Log => {
                let (_, lines, all) = session_lines(state, Some(id), LINES)?;
                let before = all - lines.len();
                Self::Log(log(state, lines), before)
            }
            Part::Report => Self::Report(Box::new(ReportModel::of(state, &session_report(state, Some(id))?))),
            Part::Recap => {
                let whom = if request.players { RecapFor::Players } else { RecapFor::Dm };
                let recap = session_recap(state, Some(id), &whom, request.words)?;
                let lines: Vec<&str> = recap.recap.lines.iter().map(|line| line.text.as_str()).collect();
                Self::Recap(RecapModel {
                    players: request.players,
                    kept: state.recap(&request.session, request.players).map(str::to_owned),
                    made: lines.join("\n"),
                    of: (lines.len(), recap.recap.of),
                    title: recap.title,
                })
            }
        })
    }
}

/// Converts log lines for display. Time and place are set only on lines where they change.
fn log(state: &State, lines: Vec<LineRow>) -> Vec<LineModel> {
    let (mut time, mut at) = (None, None);
    let model = |row: LineRow| {
        let new = |last: &mut Option<String>, now: Option<String>| {
            let changed = now.is_some() && *last != now;
            last.clone_from(&now);
            now.filter(|_| changed)
        };
        LineModel {
            line: row.line,
            speaker: row.speaker.as_ref().map(|id| Named::of(state, id)),
            text: row.text,
            when: new(&mut time, row.when),
            place: new(&mut at, row.place),
            heard_by: row.heard_by.join(", "),
            private: row.private,
        }
    };
    lines.into_iter().map(model).collect()
}

impl ReportModel {
    /// Converts the engine's report for display.
    pub fn of(state: &State, report: &SessionReport) -> Self {
        let fact = |id: FactId| state.fact(id);
        let what = |id: FactId, statement: &str| {
            fact(id).map_or_else(|| Linked::plain(statement), |fact| Linked::fact(state, fact))
        };
        let secret = |id: FactId| fact(id).is_none_or(|fact: &std::sync::Arc<Fact>| is_secret(state, fact));
        let counts = &report.counts;
        let mut told = vec![
            counted(counts.lines, "line", "lines"),
            counted(counts.speakers, "speaker", "speakers"),
            counted(counts.facts, "fact recorded", "facts recorded"),
            counted(counts.learned, "fact learned", "facts learned"),
        ];
        told.extend((counts.waiting > 0).then(|| counted(counts.waiting, "fact to review", "facts to review")));
        let learned = report.learned.iter().map(|row| LearnerModel {
            who: row.who.entity().map(|id| Named::of(state, id)),
            player: row.player,
            facts: row
                .facts
                .iter()
                .map(|row| LearnedModel {
                    fact: row.fact,
                    what: what(row.fact, &row.statement),
                    acquisition: match &row.when {
                        Some(when) => format!("{}, {when}", row.acquisition),
                        None => row.acquisition.clone(),
                    },
                    status: row.status,
                    secret: secret(row.fact),
                })
                .collect(),
        });
        let changed = report.changed.iter().map(|row| ChangedModel {
            kind: row.what,
            fact: row.fact,
            what: what(row.fact, &row.statement),
            when: row.when.clone(),
            secret: secret(row.fact),
        });
        let threads = report.threads.iter().map(|thread| OpenModel {
            kind: match thread.kind {
                ThreadKind::Quest => "quest",
                ThreadKind::Promise => "promise",
                ThreadKind::Debt => "debt",
                ThreadKind::Secret => "untold secret",
            },
            what: match thread.quest {
                Some(_) => Linked::of(state, &thread.what, thread.quest.iter().chain(&thread.who)),
                None => thread.fact.map_or_else(|| Linked::plain(&thread.what), |id| what(id, &thread.what)),
            },
            fact: thread.fact,
            secret: thread.kind == ThreadKind::Secret || thread.fact.is_some_and(secret),
        });
        let review = report.review.iter().map(|row| FirstModel {
            fact: row.fact,
            what: what(row.fact, &row.statement),
            status: row.status,
            confidence: row.confidence,
            why: row.why.join(", "),
        });
        Self {
            counts: told,
            learned: learned.collect(),
            changed: changed.collect(),
            threads: threads.collect(),
            review: review.collect(),
        }
    }
}
