//! View of one knower, with the names in this view. You can use it to find an entity or a fact with only the knowledge
//! of the knower.

use std::collections::BTreeSet;

use hearsay_belief::{Known, View};
use hearsay_model::{EntityId, FactId, GameTime, Kind, Knower, Resolution, State, attribute, spelling, text};
use hearsay_recall::EntityLinker;

use crate::{
    QueryError,
    referring::{is_referring, noun_phrase},
    resolve::{MAX_CANDIDATES, NameSource, Wanted, facts_with_function_words, facts_with_statement, resolve_in},
};

/// Minimum number of digits of an abbreviated fact id.
const MIN_ID_DIGITS: usize = 4;

/// View of a character, with the names that the character knows.
///
/// For an entity or fact that the character does not know, the results are the same as if the entity or fact did not
/// exist.
#[derive(Debug, Clone)]
pub struct NamedView {
    knower: EntityId,
    view: View,
    names: EntityLinker,
    /// Entities that the knower knows, sorted by id: the knower itself, and the subjects and objects of known facts.
    entities: BTreeSet<EntityId>,
}

impl NamedView {
    /// Computes the view of a knower at a game time. If `as_of` is `None`, the view contains all knowledge so far.
    pub fn new(state: &State, knower: &EntityId, as_of: Option<GameTime>) -> Self {
        Self::from_view(knower, View::new(state, &Knower::Entity(knower.clone()), as_of))
    }

    /// Collects the names in the view of a knower.
    pub fn from_view(knower: &EntityId, view: View) -> Self {
        let mut entities = BTreeSet::from([knower.clone()]);
        for known in view.facts() {
            entities.extend(std::iter::once(known.subject()).chain(known.object().entity()).cloned());
        }
        Self { knower: knower.clone(), names: EntityLinker::new(&view), view, entities }
    }

    /// Returns the knower of the view.
    pub fn knower(&self) -> &EntityId {
        &self.knower
    }

    /// Returns the view of the knower.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the names that the knower knows.
    pub fn names(&self) -> &EntityLinker {
        &self.names
    }

    /// Returns whether the knower knows a fact with this entity as subject or object.
    pub fn knows_entity(&self, id: &EntityId) -> bool {
        self.entities.contains(id)
    }

    /// Finds an entity like [`resolve`](crate::resolve::resolve()), but searches only entities and names that the
    /// knower knows.
    ///
    /// # Errors
    /// Returns an error if the knower knows no entity with this name, or several entities with this name. The error
    /// contains only ids and names that the knower knows.
    pub fn resolve(&self, name: &str) -> Result<EntityId, QueryError> {
        self.resolve_wanted(name, Wanted::Any)
    }

    /// Finds an entity like [`resolve_character`](crate::resolve::resolve_character()), but searches only entities and
    /// names that the knower knows.
    ///
    /// # Errors
    /// Returns the same errors as [`resolve`](Self::resolve).
    pub fn resolve_character(&self, name: &str) -> Result<EntityId, QueryError> {
        self.resolve_wanted(name, Wanted::Character)
    }

    /// Finds a place like [`resolve_place`](crate::resolve::resolve_place()), but searches only entities and names that
    /// the knower knows.
    ///
    /// # Errors
    /// Returns the same errors as [`resolve`](Self::resolve).
    pub fn resolve_place(&self, name: &str) -> Result<EntityId, QueryError> {
        self.resolve_wanted(name, Wanted::Place)
    }

    /// Finds an entity like [`resolve_named`](crate::resolve::resolve_named()), but searches only entities and names
    /// that the knower knows.
    ///
    /// # Errors
    /// Returns the same errors as [`resolve`](Self::resolve).
    pub fn resolve_named(&self, name: &str) -> Result<EntityId, QueryError> {
        self.resolve_wanted(name, Wanted::Named)
    }

    fn resolve_wanted(&self, name: &str, wanted: Wanted) -> Result<EntityId, QueryError> {
        resolve_in(self, name, wanted).map_err(|error| match error {
            QueryError::Unknown { name, nearest } => {
                QueryError::UnknownToKnower { knower: self.knower.clone(), name, nearest }
            }
            error => error,
        })
    }

    /// Finds an entity by its id or by a complete name or alias. Searches only entities and names that the knower
    /// knows.
    pub fn find_exact(&self, name: &str) -> Resolution {
        if let Some(id) = EntityId::new(name.trim()).ok().filter(|id| self.knows_entity(id)) {
            return Resolution::One(id);
        }
        let normal = text::normalize(name);
        let has_name = |known: &&Known| known.object().text().is_some_and(|own| text::normalize(own) == normal);
        let name_facts = self.view.facts().filter(|known| known.is_name());
        let mut named: Vec<EntityId> = name_facts.filter(has_name).map(|known| known.subject().clone()).collect();
        named.sort_unstable();
        named.dedup();
        match named.len() {
            0 => Resolution::None,
            1 => Resolution::One(named.swap_remove(0)),
            _ => Resolution::Ambiguous(named),
        }
    }

    /// Finds a fact that the knower knows. `given` is the id of the fact, the first digits of its id (at least four),
    /// or two or more words of its statement. If `given` is the whole statement of a fact, finds this fact.
    ///
    /// # Errors
    /// Returns an error if the knower knows no matching fact, or several matching facts.
    pub fn find_fact(&self, given: &str) -> Result<&Known, QueryError> {
        let given = given.trim();
        if let Some(known) = given.parse().ok().and_then(|id: FactId| self.view.fact(id)) {
            return Ok(known);
        }
        let mut found: Vec<&Known> = Vec::new();
        if given.chars().count() >= MIN_ID_DIGITS {
            found = self.view.facts().filter(|known| known.id().to_string().starts_with(given)).collect();
        }
        if found.is_empty() {
            found = self.facts_with_words(given);
        }
        match found[..] {
            [known] => Ok(known),
            [] => Err(QueryError::FactUnknownToKnower { knower: self.knower.clone(), given: given.to_owned() }),
            _ => {
                let candidates = found.iter().take(MAX_CANDIDATES);
                Err(QueryError::FactReference {
                    given: given.to_owned(),
                    count: found.len(),
                    candidates: candidates.map(|known| (known.id(), known.statement().to_owned())).collect(),
                })
            }
        }
    }

    /// Finds a fact like [`find_fact`](Self::find_fact), and also finds a fact by its handle. Use this function only
    /// for the DM, because characters do not know handles.
    ///
    /// # Errors
    /// Returns the same errors as [`find_fact`](Self::find_fact).
    pub fn find_fact_or_handle(&self, state: &State, given: &str) -> Result<&Known, QueryError> {
        let known: Vec<&Known> =
            state.facts_by_handle(given.trim()).filter_map(|fact| self.view.fact(fact.id())).collect();
        match known[..] {
            [known] => Ok(known),
            _ => self.find_fact(given),
        }
    }

    fn facts_with_words(&self, given: &str) -> Vec<&Known> {
        let mut content_words = text::words(given);
        content_words.retain(|word| !spelling::is_stop_word(word));
        if !given.contains(char::is_whitespace) || content_words.is_empty() {
            return Vec::new();
        }
        let contains_all = |known: &&Known| {
            let words = text::words(known.statement());
            content_words.iter().all(|word| words.contains(word))
        };
        let found: Vec<&Known> = self.view.facts().filter(contains_all).collect();
        let found = facts_with_function_words(found, given, |known| known.statement());
        let same = facts_with_statement(&found, given, |known| known.statement());
        if same.is_empty() { found } else { same }
    }

    /// Returns the facts that concern an entity. The entity is the subject or object of the fact, or the statement
    /// contains a name of the entity that the knower knows. Sorted by id.
    pub fn facts_naming<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let linked = self.names.linked_entity(id);
        self.view.facts().filter(move |known| {
            known.subject() == id
                || known.object().entity() == Some(id)
                || linked.is_named_in(&text::words(known.statement()))
        })
    }
}

impl NameSource for NamedView {
    fn find_exact(&self, name: &str) -> Resolution {
        Self::find_exact(self, name)
    }

    fn entity_ids(&self) -> impl Iterator<Item = &EntityId> {
        self.entities.iter()
    }

    fn names_of(&self, id: &EntityId) -> Vec<&str> {
        let facts = self.view.facts_with_subject(id).filter(|known| known.is_name());
        facts.filter_map(|known| known.object().text()).collect()
    }

    fn open_names_of(&self, id: &EntityId) -> Vec<&str> {
        let facts = self.view.facts_with_subject(id).filter(|known| known.is_name() && !known.is_secret());
        facts.filter_map(|known| known.object().text()).collect()
    }

    fn noun_phrases_of(&self, id: &EntityId) -> Vec<Vec<String>> {
        let names = self.names_of(id);
        let vocabulary = self.view.vocabulary();
        let facts = self.view.facts_with_subject(id).filter(|known| is_referring(vocabulary, known.predicate()));
        facts.filter_map(|known| Some(noun_phrase(known.predicate(), known.object().text()?, &names))).collect()
    }

    fn kind_of(&self, id: &EntityId) -> Option<Kind> {
        let kinds = self.view.facts_with_subject(id).filter(|known| known.predicate().as_str() == attribute::KIND);
        let kind = kinds.min_by_key(|known| (known.is_secret(), known.id())).and_then(|known| known.object().text());
        kind.map(Kind::from)
    }

    fn description(&self, id: &EntityId) -> String {
        let name = self.names.name(id).unwrap_or(id.as_str());
        self.kind_of(id).map_or_else(|| name.to_owned(), |kind| format!("{name} ({})", kind.noun()))
    }
}
