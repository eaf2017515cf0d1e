//! What a fact says, apart from who says it and in which words: two facts of one claim are no two things to decide.

use std::collections::BTreeSet;

use hearsay_model::{Bearing, EntityId, Fact, GameTime, Object, Predicate, Validity, Vocabulary, predicate, text};
use hearsay_recall::stems;

/// What a fact says. A relation read backwards is the same claim, and so is a symmetric one from its other end; a value
/// is compared by the stems of its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    subject: EntityId,
    predicate: Predicate,
    object: String,
    /// From when until when, of what is over.
    over: Option<(Option<GameTime>, Option<GameTime>)>,
    /// That something is not so is another claim than that it is.
    bearing: Option<Bearing>,
}

/// The share of words that two sentences have in common, from which on one is the other in other words. How near they are
/// in meaning does not tell: by the encoder, that somebody hid a ledger and that she found it are nearer (0.93) than that a
/// cellar is flooded and that there is water in it (0.86).
const SAME_WORDS: f64 = 0.8;

impl Claim {
    /// What a fact says.
    pub fn of(vocabulary: &Vocabulary, fact: &Fact) -> Self {
        let parts = (fact.subject(), fact.predicate(), fact.object());
        Self { bearing: fact.bearing(), ..Self::new(vocabulary, parts, fact.statement(), fact.validity()) }
    }

    /// What subject, predicate and object say, at the time given.
    pub fn new(
        vocabulary: &Vocabulary,
        parts: (&EntityId, &Predicate, &Object),
        statement: &str,
        validity: &Validity,
    ) -> Self {
        let (subject, predicate, object) = canonical(vocabulary, parts);
        let object = match &object {
            // That two have something to do with each other is said of many things.
            Object::Entity(id) if is_vague(&predicate) => format!("{id} {}", words(statement)),
            Object::Entity(id) => id.to_string(),
            Object::Value(value) => words(&value.to_string()),
        };
        let over = validity.is_closed().then(|| (validity.start(), validity.end()));
        Self { subject, predicate, object, over, bearing: None }
    }

    /// Whom it is about: of a symmetric relation, the one with the smaller id.
    pub fn subject(&self) -> &EntityId {
        &self.subject
    }
}

/// A relation under its own name, not under that of its inverse; a symmetric one from the end with the smaller id.
pub(crate) fn canonical(
    vocabulary: &Vocabulary,
    (subject, predicate, object): (&EntityId, &Predicate, &Object),
) -> (EntityId, Predicate, Object) {
    let as_it_is = || (subject.clone(), predicate.clone(), object.clone());
    let Object::Entity(other) = object else { return as_it_is() };
    let backwards = |name: &Predicate| (other.clone(), name.clone(), Object::Entity(subject.clone()));
    match (vocabulary.predicate(predicate), vocabulary.inverse_of(predicate)) {
        (Some(def), _) if def.symmetric && other < subject => backwards(predicate),
        (None, Some(def)) => backwards(&def.name),
        _ => as_it_is(),
    }
}

/// Whether a relation alone does not tell what is said.
fn is_vague(predicate: &Predicate) -> bool {
    *predicate == predicate::RELATED_TO
}

/// The words that say something, each once, and whether they deny it.
fn words(text: &str) -> String {
    let mut stems = stems(text);
    stems.sort_unstable();
    stems.dedup();
    if denies(text) {
        stems.push("not".into());
    }
    if stems.is_empty() { text::normal(text) } else { stems.join(" ") }
}

/// Whether an odd number of words turn what a sentence says into its contrary.
fn denies(text: &str) -> bool {
    let negates = |word: &&String| matches!(word.as_str(), "not" | "no" | "never" | "without") || word.ends_with("n't");
    text::words(text).iter().filter(negates).count() % 2 == 1
}

/// Whether two facts, or a fact and what is proposed, say the same: one claim, or one attribute in other words.
pub(crate) fn says_the_same(vocabulary: &Vocabulary, (claim, statement): (&Claim, &str), fact: &Fact) -> bool {
    // Words are compared where the rest agrees: to stem them takes long.
    let (subject, predicate, _) = canonical(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    if (&subject, &predicate) != (&claim.subject, &claim.predicate) {
        return false;
    }
    let other = Claim::of(vocabulary, fact);
    if other == *claim {
        return true;
    }
    let free = !claim.predicate.is_relation() && !vocabulary.is_functional(&claim.predicate);
    let same = claim.over == other.over && claim.bearing == other.bearing;
    let (free, vague) = (free && same, is_vague(&claim.predicate) && same);
    if !free && !vague {
        return false;
    }
    // The id before the words.
    let of = |claim: &Claim| claim.object.split(' ').next().unwrap_or_default().to_owned();
    if vague && of(claim) != of(&other) {
        return false;
    }
    let numbers = |text: &str| -> Vec<String> {
        text::words(text).into_iter().filter(|word| word.contains(char::is_numeric)).collect()
    };
    if denies(statement) != denies(fact.statement()) || numbers(statement) != numbers(fact.statement()) {
        return false;
    }
    shared(&claim.object, &other.object) >= SAME_WORDS
}

/// Whether a fact says no more than another does: that somebody is a leader, who is a bandit leader.
pub(crate) fn says_no_more(vocabulary: &Vocabulary, fact: &Fact, than: &Fact) -> bool {
    let parts = |fact: &'_ Fact| (fact.subject().clone(), fact.predicate().clone());
    let is_free = !fact.predicate().is_relation() && !vocabulary.is_functional(fact.predicate());
    let (Some(less), Some(more)) = (fact.object().text(), than.object().text()) else { return false };
    if !is_free || parts(fact) != parts(than) || denies(less) != denies(more) {
        return false;
    }
    let over = |fact: &Fact| (fact.validity().is_closed(), fact.bearing());
    let (less, more) = (stems(less), stems(more));
    // The last word says what it is, those before it of what sort.
    over(fact) == over(than)
        && less.last().is_some_and(|word| more.last() == Some(word))
        && less.iter().all(|word| more.contains(word))
}

fn shared(a: &str, b: &str) -> f64 {
    let (a, b): (BTreeSet<&str>, BTreeSet<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Method, Provenance};

    use super::*;

    #[test]
    fn the_same_in_other_words_is_one_claim() {
        let vocabulary = Vocabulary::default();
        let id = |id: &str| EntityId::new(id).unwrap();
        let fact = |subject: &str, predicate: &str, object: &str, statement: &str| {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let builder = match predicate.chars().all(|letter| letter.is_uppercase() || letter == '_') {
                true => Fact::relation(&id(subject), predicate, &id(object), provenance),
                false => Fact::attribute(&id(subject), predicate, object, provenance),
            };
            builder.unwrap().statement(statement).build().unwrap()
        };
        let check = |a: (&str, &str, &str, &str), b: (&str, &str, &str, &str), expected: bool| {
            let (a, b) = (fact(a.0, a.1, a.2, a.3), fact(b.0, b.1, b.2, b.3));
            let claim = Claim::of(&vocabulary, &a);
            assert_eq!(says_the_same(&vocabulary, (&claim, a.statement()), &b), expected, "{a:?} {b:?}");
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
            let of = |trade: &str| fact("ann", "occupation", trade, "x");
            assert_eq!(says_no_more(&vocabulary, &of(less), &of(more)), expected, "{less} {more}");
        };
        check("leader", "bandit leader", true);
        check("a leader", "feared leader", true);
        check("bandit leader", "leader", false);
        check("bandit", "bandit leader", false);
        check("leader", "no leader", false);
    }
}
