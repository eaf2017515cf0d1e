//! Search in a campaign, for the DM or a tool. The search finds entities by name and along relations, and finds facts
//! and passages by keywords, meaning and graph. If the search finds nothing, it suggests similar names.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use hearsay_belief::{
    Known, ReceivedPassage, View,
    graph::{Traversal, identity, neighbours},
};
use hearsay_model::{
    EntityId, Fact, FactStatus, GameTime, Kind, Knower, Passage, Predicate, SessionId, State, TalkKind, text,
};
use hearsay_recall::{
    Channels, Citation, Citations, DocId, EntityLinker, Explanation, Index, Query, Ranked, Ranking, Scope, Weights,
};
use serde::Serialize;

use crate::{
    QueryError,
    ids::{require_entities, require_session},
    views::{CachedView, ViewCache},
};

/// Maximum number of entities in a search result.
pub const MAX_ENTITIES: usize = 20;

/// Default maximum number of facts in a search result. The same limit applies to passages.
pub const MAX_HITS: usize = 10;

/// Maximum number of relations per entity in a search result.
pub const MAX_RELATIONS: usize = 5;

/// Maximum number of suggested names.
pub const MAX_HINTS: usize = 10;

/// Maximum number of steps along relations from an entity found by name.
pub const MAX_DEPTH: usize = 3;

/// Minimum Jaro–Winkler similarity at which a name matches, 0.0–1.0.
const MIN_MATCH_SIMILARITY: f64 = 0.88;
/// Minimum Jaro–Winkler similarity at which a name is suggested, 0.0–1.0.
const MIN_HINT_SIMILARITY: f64 = 0.6;

/// Number of names to suggest if none is similar.
const MIN_HINTS: usize = 3;

/// A search in one knower's knowledge, or in the whole campaign.
///
/// The search finds entities by name and alias, by the beginning of a name, and by similar spelling. The text `*` finds
/// all entities. From these entities, the search follows relations for [`depth`](Search::depth) steps, two by default.
/// The search finds facts and passages by keywords, meaning and graph. If the search finds nothing, the result contains
/// the most similar names as hints.
///
/// A result has at most [`MAX_ENTITIES`] entities with [`MAX_RELATIONS`] relations each, and at most [`MAX_HINTS`]
/// hints. By default, it has at most [`MAX_HITS`] facts and [`MAX_HITS`] passages. The field [`limit`](Search::limit)
/// sets another maximum.
#[derive(Debug, Clone)]
pub struct Search {
    /// Text to search for. The text `*` finds everything.
    pub text: String,
    /// Knower whose knowledge is searched. If `None`, the search covers the whole campaign.
    pub knower: Option<EntityId>,
    /// Game time of the knower's view. If `None`, the view contains everything that the knower has learned so far.
    pub as_of: Option<GameTime>,
    /// The search finds only results that concern these entities or their direct neighbours. If the list is empty, the
    /// results may concern any entity.
    pub about: Vec<EntityId>,
    /// The search finds only entities of this kind, and facts about these entities. A search with this filter finds no
    /// passages. `None` means no restriction.
    pub kind: Option<Kind>,
    /// The search finds only facts with this predicate, and entities to which relations with this predicate lead. A
    /// search with this filter finds no passages. `None` means no restriction.
    pub predicate: Option<Predicate>,
    /// The search finds only facts and passages of this session. `None` means no restriction.
    pub session: Option<SessionId>,
    /// The search finds only facts with this status. This field cannot be combined with `knower`, because only the DM
    /// may see the status of a fact. `None` means no restriction.
    pub status: Option<FactStatus>,
    /// The search finds only facts that are true at this game time. This field cannot be combined with `knower`. `None`
    /// means no restriction.
    pub holds_at: Option<GameTime>,
    /// Maximum number of steps along relations from an entity found by name: 0 to [`MAX_DEPTH`]. Default 2.
    pub depth: usize,
    /// Maximum number of facts. The same limit applies to passages. Default [`MAX_HITS`].
    pub limit: usize,
    /// Maximum time, counted from the call of `Memory::search`, to wait for the vector of the text. If the sentence
    /// encoder needs more time, results are ranked by keywords and graph only. `None` means the value in the settings.
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
            status: None,
            holds_at: None,
            depth: 2,
            limit: MAX_HITS,
            deadline: None,
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SearchResults {
    /// Entities found by name, followed by entities reached along relations. The list has at most [`MAX_ENTITIES`]
    /// entities.
    pub entities: Vec<EntityHit>,
    /// Facts, highest score first.
    pub facts: Vec<SearchHit>,
    /// Passages, highest score first.
    pub passages: Vec<SearchHit>,
    /// Names that are most similar to the search text, at most [`MAX_HINTS`]. Empty if the search found something.
    pub hints: Vec<Hint>,
}

/// An entity in a search result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityHit {
    /// Id of the entity.
    pub id: EntityId,
    /// Name of the entity, or its id if the knower knows no name.
    pub name: String,
    /// Kind of the entity; `None` if the searched view does not contain the kind.
    pub kind: Option<Kind>,
    /// How the entity was found.
    pub by: Match,
    /// Number of steps from the nearest entity found by name; 0 for an entity found by name.
    pub distance: usize,
    /// Sentences that state the entity's relations. At most [`MAX_RELATIONS`].
    pub relations: Vec<String>,
}

/// How an entity was found. The variants are ordered from the most certain match to the least certain match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The search text is a name, an alias or the id of the entity.
    Name,
    /// The search text mentions the entity by name.
    Mentioned,
    /// The search text is the beginning of a name of the entity.
    Prefix,
    /// The search text is the beginning of a word in a name of the entity.
    Word,
    /// The search text is similar in spelling to a name of the entity.
    Spelling,
    /// The search text is `*`, which lists all entities.
    Everything,
    /// The entity was reached along relations from an entity found by name.
    Relation,
}

/// A name that is similar to the search text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    /// Entity with this name.
    pub id: EntityId,
    /// The name.
    pub name: String,
}

/// A fact or a passage in a search result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// Kind of the result: `fact` or `passage`.
    pub kind: &'static str,
    /// Id of the fact or passage.
    pub id: String,
    /// Statement of the fact, or text of the passage.
    pub text: String,
    /// Score of the result, 0.0–1.0.
    pub score: f32,
    /// Scores by keywords, by meaning and by graph, from which `score` is computed.
    pub channels: Channels,
    /// Explanation of the score, with the path through the graph.
    pub explanation: Explanation,
    /// Sentences that state the facts on the path through the graph to this result.
    pub path: Vec<String>,
    /// Citation of the fact or passage.
    pub citation: Citation,
    /// Kind of talk of the passage; `None` for a fact, or if the kind is unknown. Only the DM finds out-of-character
    /// lines.
    pub talk_kind: Option<TalkKind>,
}

impl Search {
    /// Creates a search with the default limits.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Searches in `state`, which may be an earlier state. Results are ranked by keywords and graph, but not by
    /// meaning. The function indexes every text of the state, so call it on a background thread.
    ///
    /// # Errors
    /// Returns an error if an entity or the session does not exist, or if `knower` is combined with `status` or
    /// `holds_at`.
    pub fn results_in_state(&self, state: &State) -> Result<SearchResults, QueryError> {
        self.results(state, &Index::new(state.corpus()), &mut ViewCache::default(), None, true)
    }

    /// Searches the given state and index.
    ///
    /// # Errors
    /// Returns an error if an entity or the session does not exist, or if `knower` is combined with `status` or
    /// `holds_at`.
    pub fn results(
        &self,
        state: &State,
        index: &Index,
        view_cache: &mut ViewCache,
        vector: Option<&[f32]>,
        graph: bool,
    ) -> Result<SearchResults, QueryError> {
        require_entities(state, self.knower.iter().chain(&self.about))?;
        let knower = self.knower.as_ref();
        if knower.is_some() && (self.status.is_some() || self.holds_at.is_some()) {
            return Err(QueryError::DmOnlyFilter);
        }
        if let Some(session) = &self.session {
            require_session(state, session)?;
        }
        let knower_of_view = knower.cloned().map(Knower::Entity);
        let cached_view = view_cache.get_or_compute(state, knower_of_view.as_ref(), self.as_of);
        let CachedView { view, names, .. } = &*cached_view;
        let scope = (!self.about.is_empty()).then(|| Scope::around(view, names, &self.about));
        let view_search = ViewSearch {
            search: self,
            state,
            cached_view: &cached_view,
            view,
            names,
            knower,
            session: self.session.as_ref(),
            scope: scope.map(|scope| if knower.is_none() { scope.with_annotations() } else { scope }),
        };
        let mut results = SearchResults { entities: view_search.entities(), ..SearchResults::default() };
        if self.text.trim() != "*" {
            let mut named = names.mentioned_entities(&self.text);
            let scope = view_search.scope.clone();
            if let Some(scope) = &scope {
                scope.add_to(&mut named);
            }
            let now = self.as_of.or_else(|| state.clock());
            let query = Query { text: &self.text, vector, named, graph, scope, weights: Weights::default(), now };
            let mut ranking = Ranking::new(view, index, &query);
            let facts =
                ranking.facts(self.limit, |known| view_search.matches_fact(known) && view_search.is_of_kind(known));
            let passes_filters = |heard: &ReceivedPassage| view_search.matches_passage(&heard.passage);
            let passages = ranking.passages(self.limit, |id| view.passage(id).is_some_and(passes_filters));
            results.facts = facts.iter().filter_map(|ranked| view_search.hit(ranked)).collect();
            results.passages = passages.iter().filter_map(|ranked| view_search.hit(ranked)).collect();
        }
        if results.entities.is_empty() && results.facts.is_empty() && results.passages.is_empty() {
            results.hints = view_search.hints();
        }
        Ok(results)
    }
}

/// A search in the view of one knower or of the DM.
struct ViewSearch<'a> {
    search: &'a Search,
    state: &'a State,
    cached_view: &'a CachedView,
    view: &'a View,
    names: &'a EntityLinker,
    /// Knower of the view; `None` for the DM, who sees everything.
    knower: Option<&'a EntityId>,
    session: Option<&'a SessionId>,
    scope: Option<Scope>,
}

impl<'a> ViewSearch<'a> {
    fn traversal(&self) -> Traversal<'a> {
        let predicates = self.search.predicate.iter().cloned().collect();
        Traversal { view: Some(self.view), predicates, ..Traversal::default() }
    }

    fn entities(&self) -> Vec<EntityHit> {
        let mut matches: BTreeMap<&EntityId, Match> = BTreeMap::new();
        let mut record_match = |id: &'a EntityId, match_kind| {
            let best = matches.entry(id).or_insert(match_kind);
            *best = (*best).min(match_kind);
        };
        let query_text = text::normalize(&self.search.text);
        let mentioned = self.names.mentioned_entities(&self.search.text);
        for (known, name) in self.cached_view.normalized_names() {
            let id = known.subject();
            if query_text == "*" {
                record_match(id, Match::Everything);
            } else if !query_text.is_empty()
                && let Some(match_kind) = match_name(&query_text, name, id)
            {
                record_match(id, match_kind);
            }
            if let Some(linked) = mentioned.iter().find(|linked| linked.id == *id) {
                record_match(id, if linked.corrected_name.is_some() { Match::Spelling } else { Match::Mentioned });
            }
        }
        let mut direct: Vec<(Match, &EntityId)> =
            matches.into_iter().map(|(id, match_kind)| (match_kind, id)).collect();
        direct.sort();
        let direct_hits = direct.iter().filter_map(|(match_kind, id)| self.entity(id, *match_kind, 0));
        let mut hits: Vec<EntityHit> = direct_hits.take(MAX_ENTITIES).collect();
        let depth = self.search.depth.min(MAX_DEPTH);
        if query_text != "*" && depth > 0 && hits.len() < MAX_ENTITIES {
            let mut seen_ids: BTreeSet<EntityId> = direct.iter().map(|(_, id)| (*id).clone()).collect();
            let mut indirect = Vec::new();
            for (_, id) in direct {
                for neighbour in neighbours(self.state, id, &self.traversal(), depth, 10 * MAX_ENTITIES) {
                    if seen_ids.insert(neighbour.id.clone()) {
                        indirect.extend(self.entity(neighbour.id, Match::Relation, neighbour.distance));
                    }
                }
            }
            indirect.sort_by(|a, b| (a.distance, &a.id).cmp(&(b.distance, &b.id)));
            hits.extend(indirect);
            hits.truncate(MAX_ENTITIES);
        }
        hits
    }

    /// Returns the row for an entity, or `None` if the filters exclude the entity.
    fn entity(&self, id: &EntityId, match_kind: Match, distance: usize) -> Option<EntityHit> {
        if self.scope.as_ref().is_some_and(|scope| !scope.contains(id)) {
            return None;
        }
        let identity = identity(self.state, id, &self.traversal());
        if self.search.kind.is_some() && identity.kind != self.search.kind {
            return None;
        }
        let name = self.names.name(id).unwrap_or(id.as_str()).to_owned();
        let passes_filters = |fact: &&&Fact| self.view.fact(fact.id()).is_some_and(|known| self.matches_fact(known));
        let relations = identity.relations.iter().filter(passes_filters).take(MAX_RELATIONS);
        let relations = relations.map(|fact| fact.statement().to_owned()).collect();
        Some(EntityHit { id: id.clone(), name, kind: identity.kind, by: match_kind, distance, relations })
    }

    /// Returns the row for a ranked fact or passage.
    fn hit(&self, ranked: &Ranked) -> Option<SearchHit> {
        let citations = Citations { names: self.names, calendar: self.state.calendar(), knower: self.knower };
        let (kind, id, text, citation, talk_kind) = match ranked.doc {
            DocId::Fact(id) => {
                let known = self.view.fact(id)?;
                ("fact", id.to_string(), known.statement().to_owned(), citations.fact_citation(known), None)
            }
            DocId::Passage(id) => {
                let heard = self.view.passage(id)?;
                let citation = citations.passage_citation(id, heard);
                ("passage", id.to_string(), heard.passage.text.clone(), citation, heard.passage.talk_kind)
            }
        };
        let Ranked { score, channels, explanation, .. } = ranked.clone();
        let path = explanation.graph_path(self.view);
        Some(SearchHit { kind, id, text, score, channels, explanation, path, citation, talk_kind })
    }

    fn matches_fact(&self, known: &Known) -> bool {
        let Search { predicate, status, holds_at, .. } = self.search;
        let fact_satisfies =
            |condition: &dyn Fn(&Fact) -> bool| self.state.fact(known.id()).is_some_and(|fact| condition(fact));
        let sees_everything = self.knower.is_none();
        predicate.as_ref().is_none_or(|predicate| known.predicate() == predicate)
            && self.session.is_none_or(|session| known.session() == Some(session))
            && (!sees_everything || status.is_none_or(|status| fact_satisfies(&|fact| fact.status() == status)))
            && (!sees_everything
                || holds_at.is_none_or(|at| fact_satisfies(&|fact| fact.validity().holds_at(Some(at)))))
    }

    fn is_of_kind(&self, known: &Known) -> bool {
        let kind = |id| identity(self.state, id, &Traversal { view: Some(self.view), ..Traversal::default() }).kind;
        self.search.kind.is_none() || self.search.kind == kind(known.subject())
    }

    /// Returns whether a passage passes the filters. A filter by predicate, kind, status or validity applies to facts,
    /// so it excludes all passages.
    fn matches_passage(&self, passage: &Passage) -> bool {
        let Search { kind, predicate, status, holds_at, .. } = self.search;
        let has_fact_filter = predicate.is_some() || status.is_some() || kind.is_some() || holds_at.is_some();
        !has_fact_filter && self.session.is_none_or(|session| passage.session.as_ref() == Some(session))
    }

    /// Returns the names most similar to the text, one per entity.
    fn hints(&self) -> Vec<Hint> {
        let query_text = text::normalize(&self.search.text);
        let similarity = |name: &str| {
            let words = name.split(' ').map(|word| strsim::jaro_winkler(&query_text, word));
            words.fold(strsim::jaro_winkler(&query_text, name), f64::max)
        };
        let scored = self
            .cached_view
            .normalized_names()
            .filter_map(|(known, normal)| Some((similarity(normal), known, known.object().text()?)));
        let mut scored: Vec<(f64, &EntityId, &str)> =
            scored.map(|(similarity, known, name)| (similarity, known.subject(), name)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        let mut seen_ids = BTreeSet::new();
        scored.retain(|(_, id, _)| seen_ids.insert(*id));
        // Without a similar name, a few names are more useful than an empty list.
        let hint_count =
            scored.iter().take_while(|(similarity, ..)| *similarity >= MIN_HINT_SIMILARITY).count().max(MIN_HINTS);
        scored.truncate(hint_count);
        let hint = |(_, id, name): (f64, &EntityId, &str)| Hint { id: id.clone(), name: name.to_owned() };
        scored.into_iter().take(MAX_HINTS).map(hint).collect()
    }
}

/// Returns how a normalized name matches the text.
fn match_name(query_text: &str, name: &str, id: &EntityId) -> Option<Match> {
    if name == query_text || id.as_str() == query_text {
        return Some(Match::Name);
    }
    if name.starts_with(query_text) {
        return Some(Match::Prefix);
    }
    if name.split(' ').any(|word| word.starts_with(query_text)) {
        return Some(Match::Word);
    }
    // Words of three letters or fewer are almost all similar to each other.
    let is_long = query_text.chars().count() > 3;
    let is_similar = |word: &str| is_long && strsim::jaro_winkler(query_text, word) >= MIN_MATCH_SIMILARITY;
    (is_similar(name) || name.split(' ').any(is_similar)).then_some(Match::Spelling)
}
