//! Knowledge of the players: the facts that the player characters and their parties know.

use hearsay_belief::{AccessPath, View};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, GameTime, Knower, SessionId, State};
use serde::Serialize;

use crate::{
    facts::is_secret,
    knowledge::{PartyKnower, describe_edge_with_names, known_edges, players, time_text},
};

/// Returns the number and title of a session as text.
pub fn session_title(state: &State, session: &SessionId) -> Option<String> {
    let session = state.session(session)?;
    Some(match session.number {
        Some(number) if session.title == format!("Session {number}") => session.title.clone(),
        Some(number) => format!("Session {number}, {}", session.title),
        None => session.title.clone(),
    })
}

/// The player characters and their parties, with their views. Create this value on a background thread, because its
/// creation reads every entity and computes many views.
#[derive(Debug)]
pub struct PlayersView<'s> {
    state: &'s State,
    views: Vec<(EntityId, View)>,
    characters: usize,
}

/// Player characters and parties that know a fact, and the time at which the first of them learned the fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayersKnowledge {
    /// Game time at which the first of the knowers learned the fact, as text; `None` if a knower always knew the fact.
    pub since: Option<String>,
    /// Session in which the first of the knowers learned the fact; `None` if there is no session.
    pub session: Option<SessionId>,
    /// Number and title of the session in which the first of the knowers learned the fact; `None` if there is no
    /// session.
    pub title: Option<String>,
    /// Whether all player characters know the fact.
    pub all: bool,
    /// Player characters and parties that know the fact. The [`acquisition`](PartyKnower::acquisition) text of each
    /// knower contains names instead of ids.
    pub known_by: Vec<PartyKnower>,
}

impl<'s> PlayersView<'s> {
    /// Computes the views at a game time. If `moment` is `None`, the views contain all knowledge so far.
    pub fn new(state: &'s State, moment: Option<GameTime>) -> Self {
        let view = |id: EntityId| (id.clone(), View::new(state, &Knower::Entity(id), moment));
        let views: Vec<_> = players(state).into_iter().map(view).collect();
        let characters = views.iter().filter(|(id, _)| state.is_character(id)).count();
        Self { state, views, characters }
    }

    /// Returns the player characters and their parties. Sorted by id.
    pub fn players(&self) -> impl Iterator<Item = &EntityId> {
        self.views.iter().map(|(id, _)| id)
    }

    /// Returns the player characters and parties that know a fact. Returns `None` if no player character or party knows
    /// the fact.
    pub fn knows(&self, fact: FactId) -> Option<PlayersKnowledge> {
        let state = self.state;
        let mut earliest: Option<(Option<GameTime>, Option<SessionId>)> = None;
        let (mut known_by, mut characters) = (Vec::new(), 0);
        for (id, view) in &self.views {
            let Some(known) = view.fact(fact) else { continue };
            let learned = known.learned();
            let session = known_edges(known).iter().find_map(|known_edge| known_edge.edge.session.clone());
            let session = session.or_else(|| session_at(state, learned));
            if earliest.as_ref().is_none_or(|(earliest_time, _)| learned < *earliest_time) {
                earliest = Some((learned, session));
            }
            characters += usize::from(state.is_character(id));
            known_by.push(PartyKnower {
                knower: id.clone(),
                credence: view.belief(known).credence.get(),
                acquisition: known_edges(known)
                    .first()
                    .map_or_else(String::new, |known_edge| describe_edge_with_names(known_edge, &name_fn(state))),
                since: time_text(state, learned),
                conceals: known.conceals(),
            });
        }
        let (learned, session) = earliest?;
        Some(PlayersKnowledge {
            since: time_text(state, learned),
            title: session.as_ref().and_then(|session| session_title(state, session)),
            session,
            all: characters == self.characters,
            known_by,
        })
    }

    /// Returns whether all player characters know a fact. Returns `false` if there are no player characters.
    pub fn all_know(&self, fact: FactId) -> bool {
        let knows = |(id, view): &&(EntityId, View)| self.state.is_character(id) && view.fact(fact).is_some();
        self.characters > 0 && self.views.iter().filter(knows).count() == self.characters
    }

    /// Returns whether a fact may appear on a screen that players see. The fact must be canon or claimed, and all
    /// player characters must know the fact. The fact must not be secret, and no knower may conceal the fact.
    pub fn may_see(&self, fact: &Fact) -> bool {
        let is_open = matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed) && !is_secret(self.state, fact);
        is_open && self.all_know(fact.id())
    }

    /// Returns whether a player character or party learned a fact. Common lore is ignored.
    pub fn learned(&self, fact: FactId) -> bool {
        let learned_in_view = |view: &View| {
            let known = view.fact(fact);
            known.is_some_and(|known| {
                known_edges(known).iter().any(|known_edge| known_edge.access_path != AccessPath::Common)
            })
        };
        self.views.iter().any(|(_, view)| learned_in_view(view))
    }
}

/// Returns the session that covers a game time.
fn session_at(state: &State, moment: Option<GameTime>) -> Option<SessionId> {
    let moment = moment?;
    let covers_moment = |session: &&std::sync::Arc<hearsay_model::Session>| {
        let (start, end) = (session.started_at(), session.ended_at());
        start.is_some_and(|start| start <= moment) && end.is_some_and(|end| moment <= end)
    };
    state.sessions().find(covers_moment).map(|session| session.id.clone())
}

pub(crate) fn name_fn(state: &State) -> impl Fn(&EntityId) -> String {
    |id| state.name_or_id(id).to_owned()
}
