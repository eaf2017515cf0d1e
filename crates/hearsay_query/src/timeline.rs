//! Timeline of a campaign: events, starts and ends of facts, sessions and scenes, sorted by game time.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use hearsay_model::{
    Date, EntityId, EventPart, Fact, FactId, FactStatus, GameTime, Kind, Knower, Passage, Precision, Predicate,
    Session, SessionId, State, attribute, words,
};
use serde::{Deserialize, Serialize};

use crate::{
    QueryError,
    dates::date_text,
    facts::{is_label, is_secret},
    ids::require_entities,
    session::is_private,
    table::PlayersView,
};

/// Kind of a moment (an entry of a timeline).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MomentKind {
    /// A session begins.
    Session,
    /// An event of the campaign.
    Event,
    /// A fact becomes true.
    Began,
    /// A fact ceases to be true.
    Ended,
    /// A scene: consecutive lines in the log of a session at the same place.
    Scene,
}

impl MomentKind {
    /// All kinds of moments.
    pub const ALL: [Self; 5] = [Self::Session, Self::Event, Self::Began, Self::Ended, Self::Scene];
}

/// Filter for a timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineFilter {
    /// The timeline contains only moments of these kinds. If the list is empty, the timeline contains moments of all
    /// kinds.
    pub kinds: Vec<MomentKind>,
    /// The timeline contains only moments that concern this entity. `None` means no restriction.
    pub about: Option<EntityId>,
    /// The timeline contains only moments within the year, month or day that contains this game time. `None` means no
    /// restriction.
    pub within: Option<(GameTime, Precision)>,
    /// Unit of the counts of moments: years, months or days.
    pub by: Precision,
    /// Maximum number of dated moments. The same limit applies to undated moments. If there are more moments, the
    /// timeline contains only the latest moments.
    pub limit: usize,
}

impl Default for TimelineFilter {
    fn default() -> Self {
        Self { kinds: Vec::new(), about: None, within: None, by: Precision::Year, limit: 500 }
    }
}

/// Moments of a campaign in chronological order, with counts per year, month or day.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// Years, months or days that contain moments, in order.
    pub spans: Vec<SpanRow>,
    /// Moments in order, up to the limit of the filter.
    pub moments: Vec<MomentRow>,
    /// Total number of dated moments.
    pub all: usize,
    /// Events, starts of facts and ends of facts without a known date.
    pub undated: Vec<MomentRow>,
    /// Total number of undated moments.
    pub all_undated: usize,
}

/// A year, month or day that contains moments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanRow {
    /// Text that names the span, such as `412 HR`.
    pub label: String,
    /// First minute of the span.
    pub first: GameTime,
    /// Number of moments in the span.
    pub count: usize,
    /// Number of moments in the span that may be shown to the players.
    pub open: usize,
}

/// A moment: an entry of a timeline, such as an event or the start of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MomentRow {
    /// Kind of the moment.
    pub kind: MomentKind,
    /// Game time of the moment; `None` if it is unknown.
    pub time: Option<GameTime>,
    /// Game time as text, with the precision of the original date, such as a year or a month.
    pub when: String,
    /// Sentence that describes the moment.
    pub description: String,
    /// Fact that begins or ends. For an event, the fact that states the date of the event. `None` for other moments.
    pub fact: Option<FactId>,
    /// Entity of the event; `None` if the moment is not an event.
    pub event: Option<EntityId>,
    /// Session of the moment; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Place of the moment; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// Participants in the event, witnesses of the fact, or hearers of the scene. Sorted.
    pub there: Vec<EntityId>,
    /// Status of the fact that begins or ends. For an event: the status of the fact that states its date.
    pub status: FactStatus,
    /// Whether the moment is secret. A scene is secret if a character who was present in the session did not hear all
    /// its lines.
    pub secret: bool,
    /// Whether players may see the moment: `true` if the moment is not secret and all player characters know it.
    pub safe: bool,
}

/// Returns the timeline of a campaign. The function reads every fact and passage, so call it on a background thread.
///
/// # Errors
/// Returns an error if the entity does not exist.
pub fn timeline(state: &State, filter: &TimelineFilter) -> Result<Timeline, QueryError> {
    require_entities(state, &filter.about)?;
    let players_view = PlayersView::new(state, None);
    let is_wanted = |kind| filter.kinds.is_empty() || filter.kinds.contains(&kind);
    let mut found: Vec<MomentSource> = Vec::new();
    if is_wanted(MomentKind::Session) {
        found.extend(state.sessions().filter_map(|session| session_moment(state, session)).map(MomentSource::Row));
    }
    if is_wanted(MomentKind::Event) {
        let events = state.entities().map(|entity| &entity.id).filter(|id| state.kind(id) == Some(Kind::Event));
        found.extend(events.map(|id| MomentSource::Row(event_moment(state, &players_view, id))));
    }
    if is_wanted(MomentKind::Began) || is_wanted(MomentKind::Ended) {
        for fact in state.facts().filter(|fact| is_listed(fact)) {
            let validity = fact.validity();
            let boundaries = [(MomentKind::Began, &validity.from), (MomentKind::Ended, &validity.until)];
            let dated = boundaries.into_iter().filter(|(kind, _)| is_wanted(*kind));
            found.extend(
                dated.filter_map(|(kind, date)| Some(MomentSource::FactBoundary { kind, fact, date: date.as_ref()? })),
            );
        }
    }
    if is_wanted(MomentKind::Scene) {
        found.extend(scenes(state).into_iter().map(MomentSource::Row));
    }
    if let Some(about) = &filter.about {
        found.retain(|moment| moment.concerns(state, about));
    }
    let (mut dated, mut undated): (Vec<_>, Vec<_>) = found.into_iter().partition(|moment| moment.time().is_some());
    if let Some((time, precision)) = filter.within {
        let window = state.calendar().span_around(time, precision);
        dated.retain(|moment| moment.time().is_some_and(|time| window.first <= time && time <= window.last));
    }
    dated.sort_by(MomentSource::order);
    undated.sort_by(MomentSource::order);
    let (all, all_undated) = (dated.len(), undated.len());
    let spans = spans(state, &players_view, &dated, filter.by);
    let rows = |moments: Vec<MomentSource>| {
        let skipped = moments.len().saturating_sub(filter.limit);
        moments.into_iter().skip(skipped).map(|moment| moment.row(state, &players_view)).collect()
    };
    Ok(Timeline { spans, moments: rows(dated), all, undated: rows(undated), all_undated })
}

/// A moment before its row is built. A row for a fact is built only if it is listed, because there are many facts.
enum MomentSource<'a> {
    Row(MomentRow),
    FactBoundary { kind: MomentKind, fact: &'a Fact, date: &'a Date },
}

impl MomentSource<'_> {
    fn time(&self) -> Option<GameTime> {
        match self {
            Self::Row(row) => row.time,
            Self::FactBoundary { date, .. } => date.time,
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        let kind_of = |moment: &Self| match moment {
            Self::Row(row) => row.kind,
            Self::FactBoundary { kind, .. } => *kind,
        };
        let fact_of = |moment: &Self| match moment {
            Self::Row(row) => row.fact,
            Self::FactBoundary { fact, .. } => Some(fact.id()),
        };
        let description = |moment: &Self| match moment {
            Self::Row(row) => row.description.clone(),
            Self::FactBoundary { .. } => String::new(),
        };
        let by_time_kind_and_fact =
            (self.time(), kind_of(self), fact_of(self)).cmp(&(other.time(), kind_of(other), fact_of(other)));
        by_time_kind_and_fact.then_with(|| description(self).cmp(&description(other)))
    }

    fn is_safe(&self, players_view: &PlayersView) -> bool {
        match self {
            Self::Row(row) => row.safe,
            Self::FactBoundary { fact, .. } => players_view.may_see(fact),
        }
    }

    fn concerns(&self, state: &State, about: &EntityId) -> bool {
        match self {
            Self::Row(row) => {
                let fact = || row.fact.and_then(|fact| state.fact(fact));
                row.there.iter().chain(&row.event).chain(&row.place).any(|id| id == about)
                    || fact().is_some_and(|fact| fact.entities().any(|id| id == about))
            }
            Self::FactBoundary { kind, fact, .. } => {
                fact.entities().any(|id| id == about) || witnesses(state, fact, *kind).any(|id| id == about)
            }
        }
    }

    fn row(self, state: &State, players_view: &PlayersView) -> MomentRow {
        match self {
            Self::Row(row) => row,
            Self::FactBoundary { kind, fact, date } => fact_moment(state, players_view, fact, kind, date),
        }
    }
}

fn spans(state: &State, players_view: &PlayersView, dated: &[MomentSource], by: Precision) -> Vec<SpanRow> {
    let mut spans: Vec<SpanRow> = Vec::new();
    let mut last = None;
    for moment in dated {
        let Some(time) = moment.time() else { continue };
        if last.is_none_or(|last| time > last) {
            let span = state.calendar().span_around(time, by);
            last = Some(span.last);
            let label = state.calendar().format_with_precision(time, by);
            spans.push(SpanRow { label, first: span.first, count: 0, open: 0 });
        }
        if let Some(span) = spans.last_mut() {
            span.count += 1;
            span.open += usize::from(moment.is_safe(players_view));
        }
    }
    spans
}

/// Returns whether a timeline shows the start and end of a fact. A timeline omits facts that state names, kinds,
/// aliases and tags.
fn is_listed(fact: &Fact) -> bool {
    fact.status().is_knowable() && !is_label(fact.predicate())
}

fn session_moment(state: &State, session: &Session) -> Option<MomentRow> {
    let start = session.start.as_ref()?;
    Some(MomentRow {
        kind: MomentKind::Session,
        time: start.time,
        when: date_text(state, Some(start)).unwrap_or_default(),
        description: match session.number {
            Some(number) if !session.title.starts_with("Session") => format!("Session {number}: {}", session.title),
            _ => session.title.clone(),
        },
        fact: None,
        event: None,
        session: Some(session.id.clone()),
        place: None,
        there: session.present.clone(),
        status: FactStatus::Canon,
        secret: false,
        safe: true,
    })
}

fn event_moment(state: &State, players_view: &PlayersView, id: &EntityId) -> MomentRow {
    let values_of = |name: &str| Predicate::new(name).map(|name| state.values(id, &name)).unwrap_or_default();
    let dates = values_of("date");
    let date = dates.first().map(|fact| (fact.object().to_string(), *fact));
    let time = date.as_ref().and_then(|(raw, _)| state.calendar().parse(raw).ok()?.time);
    let name = state.name_or_id(id).to_owned();
    let outcome_facts = values_of("outcome");
    let outcome = outcome_facts.first().map(|fact| format!(": {}", fact.object()));
    let (mut participants, mut place) = (BTreeSet::new(), None);
    for link in state.links(id).filter(|link| link.fact().status().is_knowable()) {
        match state.vocabulary().behavior(link.fact().predicate()).event {
            Some(EventPart::Place) if link.is_forward() => place = Some(link.other().clone()),
            Some(EventPart::Participant) => _ = participants.insert(link.other().clone()),
            Some(EventPart::Place) | None => {}
        }
    }
    // Everyone who knows of an event knows its name. An event with a secret name is therefore secret.
    let names = values_of(attribute::NAME);
    MomentRow {
        kind: MomentKind::Event,
        time,
        when: date.as_ref().map(|(raw, _)| raw.clone()).unwrap_or_default(),
        description: format!("{name}{}", outcome.unwrap_or_default()),
        fact: date.as_ref().map(|(_, fact)| fact.id()),
        event: Some(id.clone()),
        session: date.as_ref().and_then(|(_, fact)| fact.provenance().session.clone()),
        place,
        there: participants.into_iter().collect(),
        status: date.as_ref().map_or(FactStatus::Canon, |(_, fact)| fact.status()),
        secret: names.iter().chain(&dates).any(|fact| is_secret(state, fact)),
        safe: names.iter().chain(&dates).chain(&outcome_facts).all(|fact| players_view.may_see(fact)),
    }
}

/// Returns the witnesses of a fact and the characters who were present. Returns no entities unless the moment is the
/// start of the fact.
fn witnesses<'a>(state: &'a State, fact: &Fact, kind: MomentKind) -> impl Iterator<Item = &'a EntityId> {
    let witness_edges =
        state.known_by(fact.id()).filter(move |edge| edge.acquisition.is_witnessed() && kind == MomentKind::Began);
    witness_edges.flat_map(|edge| edge.knower.entity().into_iter().chain(&edge.co_present))
}

fn fact_moment(state: &State, players_view: &PlayersView, fact: &Fact, kind: MomentKind, date: &Date) -> MomentRow {
    let witness_ids: BTreeSet<EntityId> = witnesses(state, fact, kind).cloned().collect();
    MomentRow {
        kind,
        time: date.time,
        when: date_text(state, Some(date)).unwrap_or_default(),
        description: fact.statement().to_owned(),
        fact: Some(fact.id()),
        event: None,
        session: fact.provenance().session.clone(),
        place: None,
        there: witness_ids.into_iter().collect(),
        status: fact.status(),
        secret: is_secret(state, fact),
        safe: players_view.may_see(fact),
    }
}

/// Returns the scenes of each session: consecutive lines at the same place.
fn scenes(state: &State) -> Vec<MomentRow> {
    let mut lines: BTreeMap<&SessionId, Vec<&Passage>> = BTreeMap::new();
    for (_, passage) in state.passages().filter(|(_, passage)| !passage.is_out_of_character()) {
        if let Some(session) = &passage.session {
            lines.entry(session).or_default().push(passage);
        }
    }
    let mut found: Vec<MomentRow> = Vec::new();
    for (session, mut lines) in lines {
        let Some(session) = state.session(session) else { continue };
        lines.sort_by_key(|passage| passage.line);
        let mut current_scene: Option<(&Option<EntityId>, usize)> = None;
        for passage in lines {
            let Some(date) = &passage.time else { continue };
            let hearers = passage.heard_by.iter().filter_map(Knower::entity).cloned();
            let is_private_line = is_private(session, passage);
            match (current_scene, found.last_mut()) {
                (Some((place, count)), Some(scene)) if *place == passage.place => {
                    current_scene = Some((place, count + 1));
                    let hearers: BTreeSet<EntityId> = scene.there.drain(..).chain(hearers).collect();
                    scene.there = hearers.into_iter().collect();
                    (scene.secret, scene.safe) = (scene.secret || is_private_line, scene.safe && !is_private_line);
                    scene.description = describe_scene(state, place.as_ref(), count + 1);
                }
                _ => {
                    current_scene = Some((&passage.place, 1));
                    let hearers: BTreeSet<EntityId> = hearers.collect();
                    found.push(MomentRow {
                        kind: MomentKind::Scene,
                        time: date.time,
                        when: date_text(state, Some(date)).unwrap_or_default(),
                        description: describe_scene(state, passage.place.as_ref(), 1),
                        fact: None,
                        event: None,
                        session: Some(session.id.clone()),
                        place: passage.place.clone(),
                        there: hearers.into_iter().collect(),
                        status: FactStatus::Canon,
                        secret: is_private_line,
                        safe: !is_private_line,
                    });
                }
            }
        }
    }
    found
}

fn describe_scene(state: &State, place: Option<&EntityId>, lines: usize) -> String {
    let place = place.map_or("Somewhere", |place| state.name_or_id(place));
    format!("{place}: {}", words::count(lines, "line", "lines"))
}
