//! Tests of name similarity, and of the number of similar pairs that the search misses because of the blocks.

use hearsay_model::{Author, Change, Entity, Method, Operation, Provenance, ReviewSetting, Setting};

use super::*;

/// Applies changes. Returns whether the changes were valid.
fn apply(state: &mut State, changes: Vec<Change>) -> bool {
    state.apply(Operation::new(Author::Dm, "test", changes)).is_ok()
}

fn named(state: &mut State, entity: &str, names: &[&str], kind: &str) {
    let id = EntityId::new(entity).unwrap();
    let mut changes = vec![Change::AddEntity(Entity::new(id.clone()))];
    let attributes = std::iter::once(("kind", kind))
        .chain(names.iter().enumerate().map(|(number, name)| (if number == 0 { "name" } else { "alias" }, *name)));
    for (attribute, value) in attributes {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id, attribute, value, provenance).unwrap().build().unwrap();
        changes.push(Change::AssertFact(Arc::new(fact)));
    }
    assert!(apply(state, changes));
}

fn relate(state: &mut State, subject: &str, predicate: &str, object: &str) {
    let id = |id: &str| EntityId::new(id).unwrap();
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::relation(&id(subject), predicate, &id(object), provenance).unwrap().build().unwrap();
    assert!(apply(state, vec![Change::AssertFact(Arc::new(fact))]));
}

#[test]
fn names_that_are_alike_are_found_and_others_are_not() {
    let check = |a: &[&str], b: &[&str], expected: Option<DuplicateCertainty>| {
        let mut state = State::default();
        named(&mut state, "a", a, "npc");
        named(&mut state, "b", b, "npc");
        let found = duplicates(&state);
        assert_eq!(found.first().map(|one| one.band), expected, "{a:?} {b:?} {found:?}");
    };
    let (certain, possible) = (Some(DuplicateCertainty::NearCertain), Some(DuplicateCertainty::Possible));
    check(&["Mirela Voss"], &["Mirela Voss"], certain);
    check(&["Mirela Voss"], &["Voss, Mirela"], certain);
    check(&["Grimjaw Ironhand"], &["Grimjaw Ironhnad"], certain);
    check(&["Mirela Voss"], &["Mirella Vos"], possible);
    check(&["Alric"], &["Alrik"], possible);
    check(&["Odo Brandt", "Old Odo"], &["Bettony", "Old Otto"], None);
    check(&["Odo Brandt", "the Grey Lady"], &["Bettony", "The Gray Lady"], possible);
    check(&["Harbour Watch"], &["Harbour Wall"], None);
    check(&["Guard 1"], &["Guard 2"], None);
    check(&["Pell"], &["Tell"], None);
    check(&["Mirela Voss"], &["Tamsin Reed"], None);
}

#[test]
fn common_neighbours_raise_the_similarity_and_relations_lower_it() {
    let mut state = State::default();
    for (id, name, kind) in [
        ("a", "Mirela Voss", "npc"),
        ("b", "Mirela Voss", "npc"),
        ("c", "Mirela Voss", "faction"),
        ("inn", "The Gull", "location"),
        ("mill", "The Mill", "location"),
    ] {
        named(&mut state, id, &[name], kind);
    }
    let bands = |state: &State| -> Vec<(String, String, DuplicateCertainty)> {
        duplicates(state).into_iter().map(|one| (one.one.to_string(), one.other.to_string(), one.band)).collect()
    };
    let expected = |band| vec![("a".to_owned(), "b".to_owned(), band)];
    assert_eq!(bands(&state), expected(DuplicateCertainty::NearCertain), "only of one kind");
    relate(&mut state, "a", "LOCATED_AT", "inn");
    relate(&mut state, "b", "LOCATED_AT", "inn");
    assert_eq!(bands(&state), expected(DuplicateCertainty::NearCertain));
    let mut with_relation = state.clone();
    relate(&mut with_relation, "a", "OWES", "b");
    assert_eq!(bands(&with_relation), expected(DuplicateCertainty::Possible), "nobody owes itself");
    let distinct = ReviewSetting::Distinct { one: EntityId::new("a").unwrap(), other: EntityId::new("b").unwrap() };
    assert!(apply(&mut state, vec![Change::Set(Setting::Review(distinct))]));
    assert!(bands(&state).is_empty());
    // The meaning of descriptions counts if they have vectors.
    let mut state = State::default();
    named(&mut state, "a", &["Mirela Voss"], "npc");
    named(&mut state, "b", &["Mirela Voss"], "npc");
    for (entity, text) in [("a", "A smith."), ("b", "A queen.")] {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&EntityId::new(entity).unwrap(), "description", text, provenance).unwrap();
        assert!(apply(&mut state, vec![Change::AssertFact(Arc::new(fact.build().unwrap()))]));
    }
    let found = duplicates(&state).remove(0);
    assert_eq!((found.band, found.meaning), (DuplicateCertainty::NearCertain, None));
    let vectors = [[1.0_f32, 0.0], [0.0, 1.0]];
    let first = state.newest(&found.one, "description").unwrap().id();
    let different_meaning =
        found.clone().with_meaning_similarity(&state, |fact| Some(vectors[usize::from(fact == first)].to_vec()));
    assert_eq!(
        (different_meaning.band, different_meaning.meaning),
        (DuplicateCertainty::Possible, Number::new(0.0).ok())
    );
    let same_meaning = found.with_meaning_similarity(&state, |_| Some(vectors[0].to_vec()));
    assert_eq!((same_meaning.band, same_meaning.meaning), (DuplicateCertainty::NearCertain, Number::new(1.0).ok()));
}

#[test]
fn blocks_lose_next_to_nothing_of_all_pairs() {
    let (first, last) = (
        ["Mirela", "Odo", "Tamsin", "Bettony", "Aldous", "Kestrel", "Dorric", "Wren", "Jory", "Lucan", "Roz", "Pell"],
        ["Voss", "Brandt", "Reed", "Lark", "Crane", "Vane", "Stane", "Oake", "Penhale", "Keel", "Flint", "Marsh"],
    );
    let mut state = State::default();
    let mut names: Vec<String> = Vec::new();
    for (n, first) in first.iter().enumerate() {
        for (m, last) in last.iter().enumerate() {
            let name = match (n + m) % 4 {
                0 => format!("{first} {last}"),
                1 => format!("{first}{} {last}", &first[first.len() - 1..]),
                2 => format!("{last} {first}"),
                _ => format!("{first} {}e", last),
            };
            names.push(format!("{first} {last}"));
            names.push(name);
        }
    }
    for (number, name) in names.iter().enumerate() {
        named(&mut state, &format!("n{number}"), &[name], "npc");
    }
    let found = duplicates(&state);
    let pairs: BTreeSet<(String, String)> =
        found.iter().map(|one| (one.one.to_string(), one.other.to_string())).collect();
    let all = naive(&state);
    let missed: Vec<_> = all.iter().filter(|(a, b, _)| !pairs.contains(&(a.to_string(), b.to_string()))).collect();
    assert!(missed.iter().all(|(_, _, name)| *name < NEAR_CERTAIN_NAME_SIMILARITY), "{missed:?}");
    assert!(missed.len() * 50 <= all.len(), "{} of {}", missed.len(), all.len());
    assert_eq!(found, duplicates(&state));
}

/// Reference implementation: compares all entities of the same kind. Returns the pairs with similar names.
fn naive(state: &State) -> Vec<(EntityId, EntityId, f64)> {
    let named = |id: &EntityId| -> Vec<Name> { state.names(id).into_iter().filter_map(Name::parse).collect() };
    let all: Vec<_> = state.entities().map(|entity| (&entity.id, state.kind(&entity.id), named(&entity.id))).collect();
    let mut pairs = Vec::new();
    for (number, (a, kind, names)) in all.iter().enumerate() {
        for (b, _, others) in all[number + 1..].iter().filter(|(_, other, _)| other == kind) {
            let (best, ..) = most_similar_names(names, others);
            if best >= POSSIBLE_NAME_SIMILARITY {
                pairs.push(((*a).clone(), (*b).clone(), best));
            }
        }
    }
    pairs
}
