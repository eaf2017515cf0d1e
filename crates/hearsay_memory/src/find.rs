//! Searching for a DM or a tool: by name, along relations, by words and meaning; and never empty-handed.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use hearsay_belief::{Heard, Known, View};
use hearsay_model::{EntityId, Fact, GameTime, Kind, Knower, Passage, Predicate, SessionId, Standing, State, text};
use hearsay_recall::{
    Channels, DocId, Explanation, Index, Names, Query, Ranked, Ranking, Receipt, Receipts, Scope, Weights,
    graph::{Walk, identity, neighbours},
};
use serde::Serialize;

use crate::{
    MemoryError,
    edit::resolve,
    mind::{Mind, Minds},
    query::find_session,
};

/// Entities that a search finds at most.
pub const MOST_ENTITIES: usize = 20;

/// Facts and passages that a search finds by itself at most, each.
pub const MOST_HITS: usize = 10;

/// Relations that are told of each entity at most.
pub const MOST_RELATIONS: usize = 5;

/// Names that a search suggests at most.
pub const MOST_HINTS: usize = 10;

/// The furthest that a search walks from an entity that it found.
pub const DEEPEST: usize = 3;

/// How alike a name must be to be meant, and to be suggested; by Jaro and Winkler, 0.0–1.0.
const ALIKE: f64 = 0.88;
const NEAR: f64 = 0.6;

/// How many names are suggested though none is near.
const FARTHER: usize = 3;

/// A search over what somebody knows, or over everything.
///
/// Entities are found by name and alias, the beginning of one, and spelling that is nearly right; `*` lists all. From
/// those the relations are followed, [two](Search::depth) far and never further than [`DEEPEST`]. Facts and passages are
/// found by words, meaning and graph. Where all that finds nothing, the nearest names that there are come as hints, so that
/// nobody is left empty-handed.
///
/// At most [`MOST_ENTITIES`] entities with [`MOST_RELATIONS`] relations each, [`MOST_HITS`] facts and as many passages
/// (unless [another limit](Search::limit) is given), [`MOST_HINTS`] hints. What is filtered is filtered before it is
/// counted.
#[derive(Debug, Clone)]
pub struct Search {
    /// What is searched for; `*` for everything.
    pub text: String,
    /// Whose knowledge is searched: an id or a name. All that is part of the world, when nobody is named.
    pub knower: Option<String>,
    /// As of when the knower knows it.
    pub as_of: Option<GameTime>,
    /// Whom and what it is about: ids or names. Only entities that are one of these or at most one relation away, and only
    /// facts and passages that concern them. Everything, when nothing is said.
    pub about: Vec<String>,
    /// Only entities of this kind, and facts about them.
    pub kind: Option<Kind>,
    /// Only facts with this predicate, and only such relations are followed.
    pub predicate: Option<Predicate>,
    /// Only facts and passages of this session: its id or number.
    pub session: Option<String>,
    /// Only facts of this standing. For the DM: a knower does not know what stands.
    pub standing: Option<Standing>,
    /// Only facts that hold in the world at this moment. For the DM.
    pub holds_at: Option<GameTime>,
    /// How far relations are followed from the entities that were found by name: 0 to [`DEEPEST`]. Default 2.
    pub depth: usize,
    /// How many facts and how many passages at most. Default [`MOST_HITS`].
    pub limit: usize,
    /// After how long it is answered without meaning.
    pub deadline: Option<Duration>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            text: String::new(),
            knower: None,
            as_of: None,
            about: Vec::new(),
            kind: None,
            predicate: None,
            session: None,
            standing: None,
            holds_at: None,
            depth: 2,
            limit: MOST_HITS,
            deadline: None,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// Entities: those found by name first, then those that they lead to. At most [`MOST_ENTITIES`].
    pub entities: Vec<EntityHit>,
    /// Facts, the best first.
    pub facts: Vec<Hit>,
    /// Passages, the best first.
    pub passages: Vec<Hit>,
    /// The names that are most like what was searched for, when nothing was found. At most [`MOST_HINTS`].
    pub hints: Vec<Hint>,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityHit {
    /// Its id.
    pub id: EntityId,
    /// What it is called; the id, where the knower has no name for it.
    pub name: String,
    /// What it is, as far as that is known.
    pub kind: Option<Kind>,
    /// By what it was found.
    pub by: Match,
    /// Relations between it and one that was found by name: 0 for those.
    pub distance: usize,
    /// Sentences that tell its relations. At most [`MOST_RELATIONS`].
    pub relations: Vec<String>,
}

/// By what an entity was found. The surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// By a name, an alias or the id.
    Name,
    /// By a name that stands in what was searched for.
    Mentioned,
    /// By the beginning of a name.
    Prefix,
    /// By the beginning of a word in a name.
    Word,
    /// By a name that is nearly so.
    Spelling,
    /// Everything was asked for.
    Everything,
    /// By relations from one that was found otherwise.
    Relation,
}

/// A name that is like what was searched for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    /// Whose name.
    pub id: EntityId,
    /// The name.
    pub name: String,
}

/// A fact or a passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// `fact` or `passage`.
    pub what: &'static str,
    /// Its id.
    pub id: String,
    /// The statement or the text.
    pub text: String,
    /// Its place on the scale 0.0–1.0.
    pub score: f32,
    /// What each channel said.
    pub channels: Channels,
    /// The same in full: level by level, and the walk through the graph that led there.
    pub explanation: Explanation,
    /// The facts by which that walk came there, as sentences.
    pub path: Vec<String>,
    /// How it is known.
    pub receipt: Receipt,
}

impl Search {
    /// A search with the usual limits.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// What is found in a state other than the present one: by words and graph alone. Every text is indexed for it, so do
    /// it beside the worker.
    ///
    /// # Errors
    /// When nobody and no session is called so, or a knower is asked what stands.
    pub fn found_in(&self, state: &State) -> Result<Found, MemoryError> {
        self.found(state, &Index::of(state), &mut Minds::default(), None, true)
    }

    pub(crate) fn found(
        &self,
        state: &State,
        index: &Index,
        minds: &mut Minds,
        vector: Option<&[f32]>,
        graph: bool,
    ) -> Result<Found, MemoryError> {
        let knower = self.knower.as_deref().map(|knower| resolve(state, knower)).transpose()?;
        if knower.is_some() && (self.standing.is_some() || self.holds_at.is_some()) {
            return Err(MemoryError::KnowerOfStanding);
        }
        let session = self.session.as_deref().map(|session| find_session(state, session)).transpose()?;
        let about = self.about.iter().map(|name| resolve(state, name)).collect::<Result<Vec<_>, _>>()?;
        let mind = minds.of(state, knower.clone().map(Knower::Entity).as_ref(), self.as_of);
        let Mind { view, names, .. } = &*mind;
        let scope = (!about.is_empty()).then(|| Scope::around(view, names, &about));
        let finder = Finder {
            search: self,
            state,
            mind: &mind,
            view,
            names,
            knower: knower.as_ref(),
            session: session.map(|session| session.id.clone()),
            scope: scope.map(|scope| if knower.is_none() { scope.with_notes() } else { scope }),
        };
        let mut found = Found { entities: finder.entities(), ..Found::default() };
        if self.text.trim() != "*" {
            let mut named = names.mentioned(&self.text);
            let scope = finder.scope.clone();
            if let Some(scope) = &scope {
                scope.join(&mut named);
            }
            let query = Query { text: &self.text, vector, named, graph, scope, weights: Weights::default() };
            let mut ranking = Ranking::of(view, index, &query);
            let facts = ranking.facts(self.limit, |known| finder.lets_fact_through(known) && finder.is_of_kind(known));
            let lets_through = |heard: &Heard| finder.lets_passage_through(&heard.passage);
            let passages = ranking.passages(self.limit, |id| view.passage(id).is_some_and(lets_through));
            found.facts = facts.iter().filter_map(|ranked| finder.hit(ranked)).collect();
            found.passages = passages.iter().filter_map(|ranked| finder.hit(ranked)).collect();
        }
        if found.entities.is_empty() && found.facts.is_empty() && found.passages.is_empty() {
            found.hints = finder.hints();
        }
        Ok(found)
    }
}

/// Carries out a search over one view.
struct Finder<'a> {
    search: &'a Search,
    state: &'a State,
    mind: &'a Mind,
    view: &'a View,
    names: &'a Names,
    /// Whose it is; the DM's, who sees all, when it is nobody's.
    knower: Option<&'a EntityId>,
    session: Option<SessionId>,
    scope: Option<Scope>,
}

impl<'a> Finder<'a> {
    fn walk(&self) -> Walk<'a> {
        let predicates = self.search.predicate.iter().cloned().collect();
        Walk { view: Some(self.view), predicates, ..Walk::default() }
    }

    fn entities(&self) -> Vec<EntityHit> {
        let mut found: BTreeMap<&EntityId, Match> = BTreeMap::new();
        let mut note = |id: &'a EntityId, by| {
            let best = found.entry(id).or_insert(by);
            *best = (*best).min(by);
        };
        let wanted = text::normal(&self.search.text);
        let mentioned = self.names.mentioned(&self.search.text);
        for (known, name) in self.mind.called() {
            let id = known.subject();
            if wanted == "*" {
                note(id, Match::Everything);
            } else if !wanted.is_empty()
                && let Some(by) = fits(&wanted, name, id)
            {
                note(id, by);
            }
            if let Some(named) = mentioned.iter().find(|named| named.id == *id) {
                note(id, if named.nearly.is_some() { Match::Spelling } else { Match::Mentioned });
            }
        }
        let mut direct: Vec<(Match, &EntityId)> = found.into_iter().map(|(id, by)| (by, id)).collect();
        direct.sort();
        let shown = direct.iter().filter_map(|(by, id)| self.entity(id, *by, 0));
        let mut hits: Vec<EntityHit> = shown.take(MOST_ENTITIES).collect();
        let depth = self.search.depth.min(DEEPEST);
        if wanted != "*" && depth > 0 && hits.len() < MOST_ENTITIES {
            let mut seen: BTreeSet<EntityId> = direct.iter().map(|(_, id)| (*id).clone()).collect();
            let mut further = Vec::new();
            for (_, id) in direct {
                for neighbour in neighbours(self.state, id, &self.walk(), depth, 10 * MOST_ENTITIES) {
                    if seen.insert(neighbour.id.clone()) {
                        further.extend(self.entity(neighbour.id, Match::Relation, neighbour.distance));
                    }
                }
            }
            further.sort_by(|a, b| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
            hits.extend(further);
            hits.truncate(MOST_ENTITIES);
        }
        hits
    }

    /// An entity as it is shown, unless it is filtered out.
    fn entity(&self, id: &EntityId, by: Match, distance: usize) -> Option<EntityHit> {
        if self.scope.as_ref().is_some_and(|scope| !scope.holds(id)) {
            return None;
        }
        let identity = identity(self.state, id, &self.walk());
        if self.search.kind.is_some() && identity.kind != self.search.kind {
            return None;
        }
        let name = self.names.name(id).unwrap_or(id.as_str()).to_owned();
        let fits = |fact: &&&Fact| self.view.fact(fact.id()).is_some_and(|known| self.lets_fact_through(known));
        let relations = identity.relations.iter().filter(fits).take(MOST_RELATIONS);
        let relations = relations.map(|fact| fact.statement().to_owned()).collect();
        Some(EntityHit { id: id.clone(), name, kind: identity.kind, by, distance, relations })
    }

    /// A result as it is shown.
    fn hit(&self, ranked: &Ranked) -> Option<Hit> {
        let receipts = Receipts { names: self.names, calendar: self.state.calendar(), knower: self.knower };
        let (what, id, text, receipt) = match ranked.doc {
            DocId::Fact(id) => {
                let known = self.view.fact(id)?;
                ("fact", id.to_string(), known.statement().to_owned(), receipts.of_fact(known))
            }
            DocId::Passage(id) => {
                let heard = self.view.passage(id)?;
                ("passage", id.to_string(), heard.passage.text.clone(), receipts.of_passage(id, heard))
            }
        };
        let Ranked { score, channels, explanation, .. } = ranked.clone();
        let path = explanation.way(self.view);
        Some(Hit { what, id, text, score, channels, explanation, path, receipt })
    }

    fn lets_fact_through(&self, known: &Known) -> bool {
        let Search { predicate, standing, holds_at, .. } = self.search;
        let recorded = |fits: &dyn Fn(&Fact) -> bool| self.state.fact(known.id()).is_some_and(|fact| fits(fact));
        let whole = self.knower.is_none();
        predicate.as_ref().is_none_or(|predicate| known.predicate() == predicate)
            && self.session.as_ref().is_none_or(|session| known.session() == Some(session))
            && (!whole || standing.is_none_or(|standing| recorded(&|fact| fact.standing() == standing)))
            && (!whole || holds_at.is_none_or(|at| recorded(&|fact| fact.validity().holds_at(Some(at)))))
    }

    fn is_of_kind(&self, known: &Known) -> bool {
        let kind = |id| identity(self.state, id, &Walk { view: Some(self.view), ..Walk::default() }).kind;
        self.search.kind.is_none() || self.search.kind == kind(known.subject())
    }

    /// A passage has no predicate, kind or standing.
    fn lets_passage_through(&self, passage: &Passage) -> bool {
        let Search { kind, predicate, standing, holds_at, .. } = self.search;
        let of_facts = predicate.is_some() || standing.is_some() || kind.is_some() || holds_at.is_some();
        !of_facts && self.session.as_ref().is_none_or(|session| passage.session.as_ref() == Some(session))
    }

    /// The names that are most like what was searched for, each entity once.
    fn hints(&self) -> Vec<Hint> {
        let wanted = text::normal(&self.search.text);
        let likeness = |name: &str| {
            let words = name.split(' ').map(|word| strsim::jaro_winkler(&wanted, word));
            words.fold(strsim::jaro_winkler(&wanted, name), f64::max)
        };
        let scored =
            self.mind.called().filter_map(|(known, normal)| Some((likeness(normal), known, known.object().text()?)));
        let mut scored: Vec<(f64, &EntityId, &str)> =
            scored.map(|(likeness, known, name)| (likeness, known.subject(), name)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        let mut seen = BTreeSet::new();
        scored.retain(|(_, id, _)| seen.insert(*id));
        // Where nothing is near, a few that are there say more than nothing.
        let near = scored.iter().take_while(|(likeness, ..)| *likeness >= NEAR).count().max(FARTHER);
        scored.truncate(near);
        let hint = |(_, id, name): (f64, &EntityId, &str)| Hint { id: id.clone(), name: name.to_owned() };
        scored.into_iter().take(MOST_HINTS).map(hint).collect()
    }
}

/// By what a name in its normal form fits what is searched for.
fn fits(wanted: &str, name: &str, id: &EntityId) -> Option<Match> {
    if name == wanted || id.as_str() == wanted {
        return Some(Match::Name);
    }
    if name.starts_with(wanted) {
        return Some(Match::Prefix);
    }
    if name.split(' ').any(|word| word.starts_with(wanted)) {
        return Some(Match::Word);
    }
    // Of words as short as these, nearly all are alike.
    let long = wanted.chars().count() > 3;
    let alike = |word: &str| long && strsim::jaro_winkler(wanted, word) >= ALIKE;
    (alike(name) || name.split(' ').any(alike)).then_some(Match::Spelling)
}
