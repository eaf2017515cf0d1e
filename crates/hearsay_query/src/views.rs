//! Cache of the views of recently queried knowers. After a write, each cached view is updated at its next query.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use hearsay_belief::{Known, View, ViewImpact};
use hearsay_model::{
    EntityId, FactId, GameTime, Key, Knower, Predicate, State, StateVersion, Vocabulary, attribute, text,
};
use hearsay_recall::EntityLinker;

use crate::{QueryError, ids::require_entities};

/// Maximum number of cached views. This number is large enough for a scene in which a game asks many characters at
/// once.
const MAX_VIEWS: usize = 128;

/// Maximum number of changed records that a cached view collects until the next query. With more changes, the view is
/// computed again.
const MAX_PENDING: usize = 64;

/// View of one knower, with the names that the view contains.
#[derive(Debug, Clone)]
pub struct CachedView {
    /// The view.
    pub view: View,
    /// Entity linker, which finds the entity that a name in the view refers to.
    pub names: EntityLinker,
    /// Identity of the names, kinds, descriptions and pronouns in the view. If one of them changes, the view gets a new
    /// identity. Data that was computed from them is valid for all views with the same identity.
    pub names_identity: Arc<()>,
    /// Each fact that states a name, with the normalized name, in the order of the view. Computed at the first search
    /// by name.
    normalized_names: OnceLock<Vec<(FactId, String)>>,
}

impl CachedView {
    fn new(view: View) -> Self {
        let names = EntityLinker::new(&view);
        Self { names, view, names_identity: Arc::default(), normalized_names: OnceLock::new() }
    }

    /// Updates the view for changed records. Returns `false` if the view cannot be updated and must be computed again.
    fn update(&mut self, state: &State, records: &[Key]) -> bool {
        let Some(changed) = self.view.update(state, records) else { return false };
        let vocabulary = self.view.vocabulary();
        if changed.iter().any(|fact| identifies_subject(vocabulary, fact.predicate())) {
            self.names_identity = Arc::default();
        }
        if changed.iter().any(|fact| EntityLinker::reads(vocabulary, fact.predicate())) {
            self.names = EntityLinker::new(&self.view);
            self.normalized_names.take();
        }
        true
    }

    /// Returns every name and alias in the view. Each item contains the fact that states the name, and the normalized
    /// name.
    pub fn normalized_names(&self) -> impl Iterator<Item = (&Known, &str)> {
        let normalized_names = self.normalized_names.get_or_init(|| {
            let names = self.view.facts().filter(|known| known.is_name());
            names.filter_map(|known| Some((known.id(), text::normalize(known.object().text()?)))).collect()
        });
        normalized_names.iter().filter_map(|(id, name)| Some((self.view.fact(*id)?, name.as_str())))
    }
}

/// Returns whether facts with this predicate state a name, a kind, a description or pronouns, by which a reader of a text
/// recognizes their subject.
pub fn identifies_subject(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
    [attribute::NAME, attribute::ALIAS, attribute::KIND].contains(&predicate.as_str())
        || vocabulary.behavior(predicate).reference.is_some()
}

/// Knower and game time of a view. Without a knower, the DM's view.
type ViewKey = (Option<Knower>, Option<GameTime>);

/// A view in the cache.
#[derive(Debug, Clone)]
struct Entry {
    key: ViewKey,
    view: Arc<CachedView>,
    /// Records that changed since the view was computed or updated.
    pending: Vec<Key>,
}

impl Entry {
    /// Collects the changed records that affect the view. Returns `false` if the view must be computed again.
    fn follow(&mut self, state: &State, touched: &[Key]) -> bool {
        match self.view.view.impact(state, touched) {
            ViewImpact::Unchanged => true,
            ViewImpact::Records(records) => {
                self.pending.extend(records);
                self.pending.len() <= MAX_PENDING
            }
            ViewImpact::Whole => false,
        }
    }

    /// Returns the view of the current state; `None` if the view must be computed again.
    fn updated(mut self, state: &State) -> Option<Arc<CachedView>> {
        let is_current = self.pending.is_empty() || Arc::make_mut(&mut self.view).update(state, &self.pending);
        is_current.then_some(self.view)
    }
}

/// Cache of views. After a change of the state, each cached view is updated at its next query.
#[derive(Debug, Clone, Default)]
pub struct ViewCache {
    at: StateVersion,
    entries: VecDeque<Entry>,
}

impl ViewCache {
    /// Records a change of the state, so that each cached view is updated at its next query. If you do not call this
    /// function after a change, each view is computed anew at its next query, which takes longer.
    ///
    /// `before` is the version of the state before the change. `touched` contains the keys of all records whose value
    /// or visibility changed.
    pub fn follow(&mut self, before: StateVersion, state: &State, touched: &[Key]) {
        if self.at == before {
            self.entries.retain_mut(|entry| entry.follow(state, touched));
            self.at = state.version();
        }
    }

    /// Returns the view of a knower at a game time, from the cache if possible. If no knower is given, returns the view
    /// of the DM, who knows everything.
    ///
    /// `state` must be the same state as in the previous call, or a later state of the same campaign.
    pub fn get_or_compute(
        &mut self,
        state: &State,
        knower: Option<&Knower>,
        as_of: Option<GameTime>,
    ) -> Arc<CachedView> {
        if self.at != state.version() {
            self.entries.clear();
            self.at = state.version();
        }
        let key = (knower.cloned(), as_of);
        let cached = self.entries.iter().position(|entry| entry.key == key).and_then(|at| self.entries.remove(at));
        let cached_view = cached.and_then(|entry| entry.updated(state)).unwrap_or_else(|| {
            let view = knower.map_or_else(|| View::of_dm(state), |knower| View::new(state, knower, as_of));
            Arc::new(CachedView::new(view))
        });
        if self.entries.len() == MAX_VIEWS {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { key, view: Arc::clone(&cached_view), pending: Vec::new() });
        cached_view
    }
}

/// Returns the view of a knower. Returns `None` if `knower` is `None`.
///
/// # Errors
/// Returns an error if the knower does not exist.
pub fn view_of(state: &State, knower: Option<&EntityId>, as_of: Option<GameTime>) -> Result<Option<View>, QueryError> {
    require_entities(state, knower)?;
    Ok(knower.map(|id| View::new(state, &Knower::Entity(id.clone()), as_of)))
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, EntityId, Fact, KnowledgeEdge, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn the_views_of_a_hundred_characters_stay_cached() {
        let id = |n: usize| EntityId::new(format!("npc-{n}")).unwrap();
        let changes = (0..100).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
        let state = State::fold([Operation::new(Author::Dm, "add", changes)]).unwrap();
        let mut cache = ViewCache::default();
        let mut views = || -> Vec<Arc<CachedView>> {
            (0..100).map(|n| cache.get_or_compute(&state, Some(&Knower::Entity(id(n))), None)).collect()
        };
        let (computed, cached) = (views(), views());
        assert!(computed.iter().zip(&cached).all(|(one, other)| Arc::ptr_eq(one, other)));
    }

    #[test]
    fn the_names_of_a_view_keep_their_identity_until_one_of_them_changes() {
        let ann = EntityId::new("ann").unwrap();
        let add = Change::AddEntity(Entity::new(ann.clone()));
        let mut state = State::fold([Operation::new(Author::Dm, "add", vec![add])]).unwrap();
        let (mut cache, knower) = (ViewCache::default(), Knower::Entity(ann.clone()));
        let mut identity = Arc::clone(&cache.get_or_compute(&state, Some(&knower), None).names_identity);
        for (attribute, value, is_same) in [
            ("lore", "Ann mends nets.", true),
            ("name", "Ann Dover", false),
            ("lore", "Ann swims.", true),
            ("kind", "npc", false),
            ("pronouns", "she/her", false),
        ] {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let fact = Fact::attribute(&ann, attribute, value, provenance).unwrap().statement(value).build();
            let fact = Arc::new(fact.unwrap());
            let learn = Change::Learn(Arc::new(KnowledgeEdge::authored(knower.clone(), fact.id())));
            let before = state.version();
            let operation = Operation::new(Author::Dm, "learn", vec![Change::AssertFact(fact), learn]);
            let touched = state.apply(operation).unwrap().touched;
            cache.follow(before, &state, &touched);
            let view = cache.get_or_compute(&state, Some(&knower), None);
            assert_eq!(view.view, View::new(&state, &knower, None), "{attribute}");
            assert_eq!(Arc::ptr_eq(&view.names_identity, &identity), is_same, "{attribute}");
            identity = Arc::clone(&view.names_identity);
        }
    }
}
