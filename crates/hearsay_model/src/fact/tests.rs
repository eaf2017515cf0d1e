use super::*;
use crate::{Author, Date, EntityId, GameTime, Method, Provenance, Validity};

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

#[test]
fn the_id_follows_content_and_source() {
    let build = |object: &str, author: Author| {
        let provenance = Provenance::new(Method::Authored, author);
        Fact::relation(&id("a"), "OWES", &id(object), provenance).unwrap().build().unwrap()
    };
    let fact = build("b", Author::Dm);
    assert_eq!(fact.id(), build("b", Author::Dm).id());
    assert_ne!(fact.id(), build("c", Author::Dm).id());
    assert_ne!(fact.id(), build("b", Author::Game).id());
    let false_one = fact.to_builder().status(FactStatus::False).build().unwrap();
    assert_eq!(fact.id(), false_one.id(), "standing is no part of the content");
}

#[test]
fn invalid_facts_are_refused() {
    let relation = || Fact::relation(&id("a"), "OWES", &id("b"), provenance()).unwrap();
    assert_eq!(relation().statement(" ").build(), Err(FactError::NoStatement));
    let wrong = Fact::relation(&id("a"), "owes", &id("b"), provenance()).unwrap().build();
    assert!(matches!(wrong, Err(FactError::WrongObject { .. })), "{wrong:?}");
    let empty = Fact::attribute(&id("a"), "name", " ", provenance()).unwrap().build();
    assert!(matches!(empty, Err(FactError::EmptyValue(_))));
    let at = |minute| Some(Date::at(GameTime(minute)));
    let backwards = relation().validity(Validity { from: at(5), until: at(4) }).build();
    assert!(matches!(backwards, Err(FactError::EndBeforeStart { .. })));
    assert!(Number::new(f64::NAN).is_err());
}

#[test]
fn reading_checks_again() {
    let fact = Fact::attribute(&id("a"), "name", "Ann", provenance()).unwrap().build().unwrap();
    let json = serde_json::to_string(&fact).unwrap();
    assert_eq!(serde_json::from_str::<Fact>(&json).unwrap(), fact);
    let damaged = json.replace("\"statement\":\"a name Ann\"", "\"statement\":\"\"");
    assert_ne!(json, damaged);
    assert!(serde_json::from_str::<Fact>(&damaged).is_err());
}

#[test]
fn values_come_from_numbers_and_booleans() {
    assert_eq!(Value::from(3_i32), Value::from(3_i64));
    assert_eq!(Value::from(3_i64).as_number(), Some(3.0));
    assert_eq!(Value::from(true).as_flag(), Some(true));
    assert_eq!(Value::from("sour").as_text(), Some("sour"));
    assert_eq!(Value::try_from(0.5_f64).unwrap().as_number(), Some(0.5));
    for number in [f64::NAN, f64::INFINITY] {
        assert_eq!(Value::try_from(number), Err(FactError::NotFinite));
    }
    let value = Value::from("sour");
    assert_eq!((value.as_number(), value.as_flag(), Value::from(1).as_text()), (None, None, None));
}
