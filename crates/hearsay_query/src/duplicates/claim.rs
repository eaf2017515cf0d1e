//! Claims. A claim is the content of a fact, regardless of its source and wording. The DM decides on all facts with the
//! same claim at once.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use hearsay_belief::{Known, View};
use hearsay_model::{EntityId, Fact, FactRelation, GameTime, Object, Predicate, State, Validity, Vocabulary, text};
use hearsay_recall::stems;

/// The content of a fact, without its source and wording. A relation and its inverse have the same claim. Both
/// directions of a symmetric relation also have the same claim. Two values are the same if their content words have the
/// same stems.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    subject: EntityId,
    predicate: Predicate,
    object: String,
    /// Start and end of the validity; `None` if the validity has not ended.
    ended_validity: Option<(Option<GameTime>, Option<GameTime>)>,
    /// Relation to another fact; `None` if the fact has no relation. The relation distinguishes the claim of a
    /// refutation from the claim of the refuted fact.
    fact_relation: Option<FactRelation>,
}

/// Minimum fraction of shared words of two paraphrases, 0 to 1. Similarity of meaning is a worse measure: the encoder
/// rates "somebody hid a ledger" and "she found it" (0.93) as more similar than "a cellar is flooded" and "there is
/// water in it" (0.86).
const MIN_WORD_SIMILARITY: f64 = 0.8;

impl Claim {
    /// Returns the claim of a fact.
    pub fn from_fact(vocabulary: &Vocabulary, fact: &Fact) -> Self {
        let parts = (fact.subject(), fact.predicate(), fact.object());
        Self { fact_relation: fact.fact_relation(), ..Self::new(vocabulary, parts, fact.statement(), fact.validity()) }
    }

    /// Creates the claim of a subject, predicate, object and validity.
    pub fn new(
        vocabulary: &Vocabulary,
        parts: (&EntityId, &Predicate, &Object),
        statement: &str,
        validity: &Validity,
    ) -> Self {
        let (subject, predicate, object) = canonical_relation(vocabulary, parts);
        let object = match &object {
            // A vague relation can express many different things, so the statement is part of the claim.
            Object::Entity(id) if is_vague(vocabulary, &predicate) => format!("{id} {}", normalized_stems(statement)),
            Object::Entity(id) => id.to_string(),
            Object::Value(value) => normalized_stems(&value.to_string()),
        };
        let ended_validity = validity.is_closed().then(|| (validity.start(), validity.end()));
        Self { subject, predicate, object, ended_validity, fact_relation: None }
    }

    /// Returns the subject of the claim. For a symmetric relation, the subject is the entity with the smaller id.
    pub fn subject(&self) -> &EntityId {
        &self.subject
    }
}

/// Returns a relation in its canonical direction. If the predicate is defined as an inverse, the function swaps subject
/// and object, and returns the predicate that defines the inverse. For a symmetric relation, the subject is the entity
/// with the smaller id.
pub fn canonical_relation(
    vocabulary: &Vocabulary,
    (subject, predicate, object): (&EntityId, &Predicate, &Object),
) -> (EntityId, Predicate, Object) {
    let unchanged = || (subject.clone(), predicate.clone(), object.clone());
    let Object::Entity(other) = object else { return unchanged() };
    let inverted = |name: &Predicate| (other.clone(), name.clone(), Object::Entity(subject.clone()));
    match (vocabulary.predicate(predicate), vocabulary.inverse_of(predicate)) {
        (Some(def), _) if def.symmetric && other < subject => inverted(predicate),
        (None, Some(def)) => inverted(&def.name),
        _ => unchanged(),
    }
}

/// Returns whether a predicate is vague: only the statement of a fact conveys its content.
fn is_vague(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
    vocabulary.behavior(predicate).vague
}

/// Returns the stems of the content words, sorted and without duplicates. Appends `not` if the text is negated.
fn normalized_stems(text: &str) -> String {
    let mut stems = stems(text);
    stems.sort_unstable();
    stems.dedup();
    if is_negated(text) {
        stems.push("not".into());
    }
    if stems.is_empty() { text::normalize(text) } else { stems.join(" ") }
}

/// Returns whether a text is negated: it has an odd number of negating words.
pub(super) fn is_negated(text: &str) -> bool {
    let negations = &hearsay_model::words::english().negations;
    let is_negation = |word: &&String| negations.contains(word) || word.ends_with("n't");
    text::words(text).iter().filter(is_negation).count() % 2 == 1
}

/// Returns whether a claim with a statement is equivalent to a fact. They are equivalent if the claim equals the claim
/// of the fact. They are also equivalent if their statements are paraphrases of each other and have the same attribute
/// or the same vague relation.
pub fn is_equivalent(vocabulary: &Vocabulary, (claim, statement): (&Claim, &str), fact: &Fact) -> bool {
    // Compares words only if subject and predicate agree, because stemming is slow.
    let (subject, predicate, _) = canonical_relation(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    if (&subject, &predicate) != (&claim.subject, &claim.predicate) {
        return false;
    }
    let other = Claim::from_fact(vocabulary, fact);
    if other == *claim {
        return true;
    }
    let is_free_text = !claim.predicate.is_relation() && !vocabulary.is_functional(&claim.predicate);
    let same_context = claim.ended_validity == other.ended_validity && claim.fact_relation == other.fact_relation;
    let (is_free_text, has_vague_predicate) =
        (is_free_text && same_context, is_vague(vocabulary, &claim.predicate) && same_context);
    if !is_free_text && !has_vague_predicate {
        return false;
    }
    // The object of a vague claim is the object's id, followed by the words of the statement.
    let object_id = |claim: &Claim| claim.object.split(' ').next().unwrap_or_default().to_owned();
    if has_vague_predicate && object_id(claim) != object_id(&other) {
        return false;
    }
    let numbers = |text: &str| -> Vec<String> {
        text::words(text).into_iter().filter(|word| word.contains(char::is_numeric)).collect()
    };
    if is_negated(statement) != is_negated(fact.statement()) || numbers(statement) != numbers(fact.statement()) {
        return false;
    }
    jaccard_similarity(&claim.object, &other.object) >= MIN_WORD_SIMILARITY
}

/// Returns whether two facts state the same deed at two different times: on different days or, if the day of one deed is
/// unknown, in different sessions. Returns `false` if a fact is the statement of a character, because a character can
/// speak of any earlier deed.
pub fn is_other_occurrence(state: &State, a: &Fact, b: &Fact) -> bool {
    let is_statement = |fact: &Fact| fact.provenance().speaker.is_some();
    if !state.vocabulary().is_deed(a.predicate()) || is_statement(a) || is_statement(b) {
        return false;
    }
    match (deed_day(state, a), deed_day(state, b)) {
        (Some(a), Some(b)) => a != b,
        _ => {
            let sessions = (&a.provenance().session, &b.provenance().session);
            matches!(sessions, (Some(a), Some(b)) if a != b)
        }
    }
}

/// Returns the number of the day on which a deed happened; `None` if the day is unknown or the fact is no deed.
pub(super) fn deed_day(state: &State, fact: &Fact) -> Option<i64> {
    let GameTime(start) = fact.validity().start().filter(|_| state.vocabulary().is_deed(fact.predicate()))?;
    Some(start.div_euclid(state.calendar().minutes_per_day().max(1)))
}

/// Returns whether `fact` adds no information to `other`. For example, `leader` adds no information to `bandit leader`.
pub fn is_implied_by(vocabulary: &Vocabulary, fact: &Fact, other: &Fact) -> bool {
    let key = |fact: &'_ Fact| (fact.subject().clone(), fact.predicate().clone());
    let is_free_text = !fact.predicate().is_relation() && !vocabulary.is_functional(fact.predicate());
    let (Some(own_words), Some(other_words)) = (fact.object().text(), other.object().text()) else { return false };
    if !is_free_text || key(fact) != key(other) || is_negated(own_words) != is_negated(other_words) {
        return false;
    }
    let context = |fact: &Fact| (fact.validity().is_closed(), fact.fact_relation());
    let (own_words, other_words) = (stems(own_words), stems(other_words));
    // The last word is the head noun, and the words before it modify it.
    context(fact) == context(other)
        && own_words.last().is_some_and(|word| other_words.last() == Some(word))
        && own_words.iter().all(|word| other_words.contains(word))
}

/// Returns whether the statement of a fact is a part of the statement of another fact: it names no other entities, and the
/// other statement contains all its words. For example, "Finch buried a coffin" is a part of "Finch buried a coffin, and
/// Ned walked out".
pub fn is_part_of(fact: &Fact, other: &Fact) -> bool {
    let context = |fact: &Fact| (fact.validity().is_closed(), fact.fact_relation(), is_negated(fact.statement()));
    let entities: BTreeSet<&EntityId> = other.entities().collect();
    if context(fact) != context(other) || !fact.entities().all(|id| entities.contains(id)) {
        return false;
    }
    let (words, other_words) = (stems(fact.statement()), stems(other.statement()));
    words.len() > 1 && words.iter().all(|word| other_words.contains(word))
}

/// Returns another fact with the same content as `fact`. The knower must know the other fact, and `is_candidate` must
/// accept it. If there are several such facts, returns the fact in which the knower has the highest credence. Returns
/// `None` if there is no such fact.
///
/// Unlike [`is_equivalent`], this function compares values and sentences literally, because stemming is slow.
pub fn known_equivalent<'s>(
    state: &'s State,
    view: &View,
    fact: &Fact,
    is_candidate: impl Fn(&Known) -> bool,
) -> Option<&'s Arc<Fact>> {
    let others = view.facts_about(fact.subject()).filter(|known| known.id() != fact.id() && is_candidate(known));
    let equivalents = others.filter_map(|known| Some((known.credence(), state.fact(known.id())?)));
    equivalents
        .filter(|(_, other)| has_same_content(state.vocabulary(), fact, other))
        .max_by_key(|(credence, other)| (*credence, Reverse(other.id())))
        .map(|(_, other)| other)
}

/// Returns whether two facts have the same content, in the same words.
fn has_same_content(vocabulary: &Vocabulary, a: &Fact, b: &Fact) -> bool {
    let relation_of = |fact: &Fact| canonical_relation(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    let ((a_subject, a_predicate, a_object), (b_subject, b_predicate, b_object)) = (relation_of(a), relation_of(b));
    let has_same_object = match (&a_object, &b_object) {
        (Object::Value(a), Object::Value(b)) => text::normalize(&a.to_string()) == text::normalize(&b.to_string()),
        _ => a_object == b_object,
    };
    let has_same_statement = || text::normalize(a.statement()) == text::normalize(b.statement());
    (a_subject, &a_predicate) == (b_subject, &b_predicate)
        && has_same_object
        && (!is_vague(vocabulary, &a_predicate) || has_same_statement())
        && (a.fact_relation(), a.validity().is_closed()) == (b.fact_relation(), b.validity().is_closed())
}

fn jaccard_similarity(a: &str, b: &str) -> f64 {
    let (a, b): (BTreeSet<&str>, BTreeSet<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, KnowledgeEdge, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn a_knower_is_asked_for_a_fact_with_the_same_content() {
        let id = |id: &str| EntityId::new(id).unwrap();
        let fact = |subject: &str, predicate: &str, object: &str, author: Author| {
            let builder = Fact::relation(&id(subject), predicate, &id(object), Provenance::new(Method::Stated, author));
            Arc::new(builder.unwrap().build().unwrap())
        };
        let [owes, backwards, allied] = [
            fact("ann", "OWES", "bo", Author::Dm),
            fact("bo", "OWES", "ann", Author::Dm),
            fact("bo", "ALLIED_WITH", "ann", Author::Dm),
        ];
        let mut changes: Vec<Change> = ["ann", "bo", "cid"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
        for known in [&owes, &backwards, &allied] {
            let edge = KnowledgeEdge::authored(id("ann").into(), known.id());
            changes.extend([Change::AssertFact(Arc::clone(known)), Change::Learn(Arc::new(edge))]);
        }
        let mut state = State::default();
        state.apply(Operation::new(Author::Dm, "edit", changes)).unwrap();
        let check = |knower: &str, new: Arc<Fact>, expected: Option<&Arc<Fact>>| {
            let view = View::new(&state, &id(knower).into(), None);
            assert_eq!(known_equivalent(&state, &view, &new, |_| true), expected, "{knower} {new:?}");
        };
        check("ann", fact("ann", "OWES", "bo", Author::Game), Some(&owes));
        check("ann", fact("ann", "ALLIED_WITH", "bo", Author::Game), Some(&allied));
        check("ann", fact("ann", "FEARS", "bo", Author::Game), None);
        check("cid", fact("ann", "OWES", "bo", Author::Game), None);
    }

    #[test]
    fn a_statement_can_be_a_part_of_another() {
        let id = |id: &str| EntityId::new(id).unwrap();
        let fact = |subject: &str, mentions: &[&str], statement: &str| {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let builder = Fact::attribute(&id(subject), "lore", statement, provenance).unwrap().statement(statement);
            builder.mentions(mentions.iter().map(|mention| id(mention))).build().unwrap()
        };
        let secret = fact("finch", &["ned"], "Finch buried an empty coffin: Ned walked out of the parlour.");
        let check = |part: Fact, expected: bool| assert_eq!(is_part_of(&part, &secret), expected, "{part:?}");
        check(fact("finch", &[], "Finch buried an empty coffin."), true);
        check(fact("ned", &[], "Ned walked out of the parlour."), true);
        check(fact("finch", &[], "Finch never buried an empty coffin."), false);
        check(fact("finch", &["lupe"], "Finch buried an empty coffin."), false);
        check(fact("finch", &[], "Finch buried a dog."), false);
    }

    #[test]
    fn the_same_in_other_words_is_one_claim() {
        let vocabulary = Vocabulary::default();
        let id = |id: &str| EntityId::new(id).unwrap();
        let fact = |subject: &str, predicate: &str, object: &str, statement: &str| {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let builder = if predicate.chars().all(|letter| letter.is_uppercase() || letter == '_') {
                Fact::relation(&id(subject), predicate, &id(object), provenance)
            } else {
                Fact::attribute(&id(subject), predicate, object, provenance)
            };
            builder.unwrap().statement(statement).build().unwrap()
        };
        let check = |a: (&str, &str, &str, &str), b: (&str, &str, &str, &str), expected: bool| {
            let (a, b) = (fact(a.0, a.1, a.2, a.3), fact(b.0, b.1, b.2, b.3));
            let claim = Claim::from_fact(&vocabulary, &a);
            assert_eq!(is_equivalent(&vocabulary, (&claim, a.statement()), &b), expected, "{a:?} {b:?}");
        };
        check(("ann", "OWES", "bo", "Ann owes Bo."), ("ann", "OWES", "bo", "Ann is in Bo's debt."), true);
        check(("ann", "OWES", "bo", "Ann owes Bo."), ("bo", "OWES", "ann", "Bo owes Ann."), false);
        check(("ann", "MEMBER_OF", "club", "x"), ("club", "HAS_MEMBER", "ann", "y"), true);
        check(("ann", "ALLIED_WITH", "bo", "x"), ("bo", "ALLIED_WITH", "ann", "y"), true);
        check(("ann", "occupation", "a miller", "x"), ("ann", "occupation", "The miller", "y"), true);
        check(("ann", "occupation", "miller", "x"), ("ann", "occupation", "carter", "y"), false);
        let lore = |text: &'static str| ("ann", "lore", text, text);
        check(lore("Ann hid the ledger in the old mill."), lore("In the old mill, Ann has hidden the ledgers."), false);
        check(lore("Ann hides the ledger in the old mill."), lore("In the old mill Ann hides the ledgers."), true);
        check(lore("Ann has seen the ledger."), lore("Ann has not seen the ledger."), false);
        check(lore("Ann has 3 boats."), lore("Ann has 4 boats."), false);
        let related = |text: &'static str| ("ann", "RELATED_TO", "bo", text);
        check(related("Ann sailed with Bo."), related("Bo sailed with Ann."), true);
        check(related("Ann sailed with Bo."), related("Ann taught Bo to read."), false);
        let check = |less: &str, more: &str, expected: bool| {
            let occupation = |trade: &str| fact("ann", "occupation", trade, "x");
            assert_eq!(is_implied_by(&vocabulary, &occupation(less), &occupation(more)), expected, "{less} {more}");
        };
        check("leader", "bandit leader", true);
        check("a leader", "feared leader", true);
        check("bandit leader", "leader", false);
        check("bandit", "bandit leader", false);
        check("leader", "no leader", false);
    }
}
