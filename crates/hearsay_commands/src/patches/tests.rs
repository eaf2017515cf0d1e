use super::*;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn new(kind: Kind, name: &str) -> Patch {
    Patch { create: Some(EntityCreation { kind, name: Some(name.to_owned()) }), ..Patch::default() }
}

fn apply(state: &mut State, clock: Option<i64>, patches: Vec<(&str, Patch)>) -> Vec<String> {
    let entities = patches.into_iter().map(|(at, patch)| (id(at), patch)).collect();
    let patches = Patches { entities, clock: clock.map(GameTime), ..Patches::default() };
    let plan = patches.plan(state, Author::Game, Timestamp::default());
    let recorded = state.recorded_transients(&plan.operation);
    let mut operation = plan.operation;
    operation.changes.splice(..0, recorded);
    if !operation.changes.is_empty() {
        state.apply(operation).unwrap();
    }
    state.set_transients(&plan.transients);
    let again = patches.plan(state, Author::Game, Timestamp::default());
    assert_eq!(again.operation.changes, [], "values that the state already has are not written again");
    assert!(again.transients.is_empty(), "values that the state already has are not written again");
    let refused = plan.refused;
    refused.into_iter().map(|refused| format!("{}: {}", refused.entity, refused.why)).collect()
}

fn town() -> State {
    let mut state = State::default();
    let people = vec![
        ("ann", Patch { place: PlaceUpdate::At(id("inn")), ..new(Kind::Npc, "Ann") }),
        ("guild", new(Kind::Faction, "The Guild")),
        ("inn", new(Kind::Location, "The Inn")),
        ("pier", new(Kind::Location, "The Pier")),
    ];
    assert_eq!(apply(&mut state, None, people), [""; 0]);
    state
}

#[test]
fn all_of_one_operation_may_relate_to_each_other() {
    let state = town();
    let ann = Record::from_state(&state, &id("ann")).unwrap();
    assert_eq!((ann.name.as_deref(), ann.kind, ann.place), (Some("Ann"), Some(Kind::Npc), Some(id("inn"))));
    assert_eq!(Record::from_state(&state, &id("nobody")), None);
}

#[test]
fn a_value_takes_the_place_of_another_and_comes_back() {
    let mut state = town();
    let go = |state: &mut State, clock: Option<i64>, place: Option<&str>| {
        let patch = Patch { place: place.map(id).into(), ..Patch::default() };
        assert_eq!(apply(state, clock, vec![("ann", patch)]), [""; 0]);
        Record::from_state(state, &id("ann")).unwrap().place
    };
    for clock in [None, Some(10), Some(20), Some(5)] {
        assert_eq!(go(&mut state, clock, Some("pier")), Some(id("pier")), "{clock:?}");
        assert_eq!(go(&mut state, clock, Some("inn")), Some(id("inn")), "{clock:?}");
        assert_eq!(go(&mut state, clock, None), None, "{clock:?}");
    }
    let occupation = Predicate::new("occupation").unwrap();
    for value in [Some("smith"), Some("spy"), Some("smith"), None] {
        let value = value.map(Value::from);
        let attributes = BTreeMap::from([(occupation.clone(), value.clone())]);
        apply(&mut state, None, vec![("ann", Patch { attributes, ..Patch::default() })]);
        assert_eq!(Record::from_state(&state, &id("ann")).unwrap().attributes.get(&occupation).cloned(), value);
    }
}

#[test]
fn relations_hold_until_they_do_not() {
    let mut state = town();
    let key = (PredicateRole::Membership.predicate().clone(), id("guild"));
    for relation in [Some(None), None, Some(Some(90)), Some(Some(-20)), Some(None), None, Some(Some(5))] {
        let update = relation.map_or(RelationUpdate::End, |attitude| RelationUpdate::Set { attitude });
        let relations = BTreeMap::from([(key.clone(), update)]);
        apply(&mut state, None, vec![("ann", Patch { relations, ..Patch::default() })]);
        assert_eq!(Record::from_state(&state, &id("ann")).unwrap().relations.get(&key).copied(), relation);
    }
    let relations = BTreeMap::from([(key, RelationUpdate::Set { attitude: Some(101) })]);
    let refused = apply(&mut state, None, vec![("ann", Patch { relations, ..Patch::default() })]);
    assert!(refused[0].contains("attitude must be from -100 to 100"), "{refused:?}");
}

/// A new attitude updates the fact, so its knowers still know it.
#[test]
fn a_changed_attitude_keeps_the_knowers() {
    let mut state = town();
    let key = (PredicateRole::Membership.predicate().clone(), id("guild"));
    let mut set = |attitude| {
        let relations = BTreeMap::from([(key.clone(), RelationUpdate::Set { attitude })]);
        apply(&mut state, None, vec![("ann", Patch { relations, ..Patch::default() })]);
        let fact = state.values(&id("ann"), &key.0)[0].id();
        (fact, state.known_by(fact).count())
    };
    let before = set(Some(10));
    assert!(before.1 > 0);
    assert_eq!(set(Some(20)), before);
}

#[test]
fn the_audience_of_an_attribute_may_be_fixed() {
    let gold = Predicate::new("gold").unwrap();
    for (audience, ann_knows, inn_knows) in [
        (None, true, true),
        (Some(Audience::Local), true, true),
        (Some(Audience::Parties), true, false),
        (Some(Audience::Private), true, false),
    ] {
        let mut state = town();
        let attributes = BTreeMap::from([(gold.clone(), Some(Value::from(3)))]);
        let patches = Patches {
            entities: ["ann", "inn"]
                .map(|at| (id(at), Patch { attributes: attributes.clone(), ..Patch::default() }))
                .into(),
            audiences: Arc::new(audience.map(|audience| (gold.clone(), audience)).into_iter().collect()),
            ..Patches::default()
        };
        state.apply(patches.plan(&state, Author::Game, Timestamp::default()).operation).unwrap();
        let fact = |subject: &str| state.values(&id(subject), &gold)[0];
        let knows = |knower: &str| state.known_by(fact("ann").id()).any(|edge| edge.knower == Knower::from(id(knower)));
        assert_eq!((knows("ann"), knows("inn")), (ann_knows, inn_knows), "{audience:?}");
        let is_private = audience == Some(Audience::Private);
        assert_eq!(fact("ann").secrecy() == Secrecy::Secret, is_private, "{audience:?}");
        assert_eq!(state.known_by(fact("inn").id()).next().is_none(), is_private, "a place shares its knowledge");
    }
}

#[test]
fn impossible_changes_are_refused_and_the_rest_is_written() {
    let mut state = town();
    let name = Some("Anne".to_owned());
    let bad = Patch { place: PlaceUpdate::At(id("in")), name, ..Patch::default() };
    let gone = Patch { name: Some("Bob".into()), ..Patch::default() };
    let refused = apply(&mut state, None, vec![("ann", bad), ("bob", gone)]);
    assert_eq!(refused.len(), 2);
    assert!(refused[0].contains("there is no entity `in`; did you mean inn"), "{refused:?}");
    assert!(refused[1].contains("entity `bob` does not exist any more"), "{refused:?}");
    assert_eq!(Record::from_state(&state, &id("ann")).unwrap().name.as_deref(), Some("Anne"));
}

#[test]
fn a_patch_holds_in_a_record_that_says_the_same() {
    let mut state = town();
    let key = (PredicateRole::Membership.predicate().clone(), id("guild"));
    let occupation = Predicate::new("occupation").unwrap();
    let relation = |update| Patch { relations: BTreeMap::from([(key.clone(), update)]), ..Patch::default() };
    let patches = [
        Patch { name: Some("Anne".into()), ..Patch::default() },
        Patch { kind: Some(Kind::Player), ..Patch::default() },
        Patch { place: PlaceUpdate::At(id("pier")), ..Patch::default() },
        Patch { place: PlaceUpdate::Unknown, ..Patch::default() },
        Patch { attributes: BTreeMap::from([(occupation.clone(), Some("spy".into()))]), ..Patch::default() },
        Patch { attributes: BTreeMap::from([(occupation, None)]), ..Patch::default() },
        relation(RelationUpdate::Set { attitude: None }),
        relation(RelationUpdate::Set { attitude: Some(50) }),
        relation(RelationUpdate::End),
    ];
    let record = |state: &State| Record::from_state(state, &id("ann")).unwrap();
    for patch in patches {
        assert!(!patch.holds_in(&record(&state)), "{patch:?}");
        apply(&mut state, None, vec![("ann", patch.clone())]);
        assert!(patch.holds_in(&record(&state)), "{patch:?}");
    }
}

#[test]
fn existing_entities_are_not_created_again() {
    let mut state = town();
    apply(&mut state, None, vec![("ann", new(Kind::Item, "A Doll"))]);
    let ann = Record::from_state(&state, &id("ann")).unwrap();
    assert_eq!((ann.name.as_deref(), ann.kind), (Some("Ann"), Some(Kind::Npc)));
}
