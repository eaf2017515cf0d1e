//! Tests which entities a question names.

use super::*;

/// Returns an entity linker for entities whose names and aliases everybody knows. `names` pairs entity ids with names.
fn linker_for(names: &[(&str, &str)]) -> EntityLinker {
    let mut world = World::default();
    for (entity, name) in names {
        if world.0.entity(&id(entity)).is_none() {
            world.apply(vec![Change::AddEntity(Entity::new(id(entity)))]);
            world.attribute(entity, "name", name, "*");
        } else {
            world.attribute(entity, "alias", name, "*");
        }
    }
    EntityLinker::new(&View::of_dm(&world.0))
}

fn check(names: &EntityLinker, text: &str, expected: &[&str]) {
    let found: Vec<_> = names.mentioned_entities(text).into_iter().map(|named| named.id).collect();
    assert_eq!(found, expected.iter().map(|text| id(text)).collect::<Vec<_>>(), "{text}");
}

#[test]
fn names_are_recognised_as_words() {
    let world = World::tavern();
    let names = EntityLinker::new(&View::of_dm(&world.0));
    let check = |text: &str, expected: &[&str]| check(&names, text, expected);
    check("What of Odo's debt?", &["odo"]);
    check("Is the gilded gull open?", &["gull"]);
    check("Do you know the Drowned Chapel?", &["chapel"]);
    check("Is the innkeeper in?", &["mirela"]);
    check("An odour of gullible ledgers", &[]);
}

fn town() -> EntityLinker {
    linker_for(&[
        ("grimjaw", "Grimjaw Ironhand"),
        ("grimjaw", "Grimjaw"),
        ("mirela", "Mirela Voss"),
        ("lyra", "Lyra"),
        ("art", "Art"),
        ("watch", "the Harbour Watch"),
        ("inn", "Day\u{2019}s End"),
        ("muller", "J\u{F6}rg M\u{FC}ller"),
        ("reed", "Tamsin Reed"),
        ("rook", "Tamsin Rook"),
        ("wells", "Wells"),
        ("vessa", "Vessa"),
        ("deck", "Deck Seventeen"),
        ("gate7", "Gateway77"),
        ("katherine", "Katherine"),
        ("vera", "\u{412}\u{435}\u{440}\u{430}"),
    ])
}

#[test]
fn what_is_spelt_nearly_right_is_meant() {
    let names = town();
    let check = |text: &str, expected: &[&str]| check(&names, text, expected);
    check("Where is Grim Jaw?", &["grimjaw"]);
    check("Did Grimjaws hammer break?", &["grimjaw"]);
    check("Grimjaw\u{2019}s forge, and Grimjaw's debts", &["grimjaw"]);
    check("where is grimjow", &["grimjaw"]);
    check("what about grimmjau ironhand", &["grimjaw"]);
    check("Does Mirella Vos own an inn?", &["mirela"]);
    check("and mirella?", &["mirela"]);
    check("Ask the harbor watch", &["watch"]);
    check("Was he at day's end?", &["inn"]);
    check("Was he at Days End?", &["inn"]);
    check("What of Jorg Muller", &["muller"]);
    check("Has Tamsyn Read paid?", &["reed"]);
    check("catherine's letter", &["katherine"]);
    check("\u{412}\u{435}\u{440}\u{430}?", &["vera"]);
    check("Grimjow told Mirella of the watch", &["grimjaw", "mirela", "watch"]);
}

#[test]
fn what_only_looks_like_a_name_is_none() {
    let names = town();
    let check = |text: &str, expected: &[&str]| check(&names, text, expected);
    check("Did they lure him out?", &[]);
    check("Lira and Lura", &[]);
    check("When did it start, and whose party was it? A smart art lover's?", &["art"]);
    check("When did it start?", &[]);
    check("Is there a harbour match today?", &[]);
    check("Where is the well? Who digs wells?", &["wells"]);
    check("A vessel came in", &[]);
    check("What of Tamsyn?", &[]);
    check("gateway78", &[]);
    check("a grim jest", &[]);
    check("Is the harbour frozen?", &[]);
    check("Is the watch out?", &["watch"]);
    check("", &[]);
}

#[test]
fn an_exact_name_wins() {
    let names = linker_for(&[("mirela", "Mirela"), ("mirella", "Mirella"), ("other", "Marwen Voss")]);
    let check = |text: &str, expected: &[&str]| check(&names, text, expected);
    check("Mirela?", &["mirela"]);
    check("Mirella?", &["mirella"]);
    check("Mirelo?", &["mirela"]);
    check("Mirelaa?", &[]);
    check("Marwin?", &["other"]);
}

#[test]
fn a_name_that_the_asker_does_not_know_is_not_meant() {
    let mut world = World::tavern();
    world.attribute("ledger", "alias", "Marrowick", "mirela");
    let mentioned = |knower: &str| {
        let view = View::new(&world.0, &Knower::Entity(id(knower)), None);
        EntityLinker::new(&view)
            .mentioned_entities("Where is Marrowik?")
            .into_iter()
            .map(|named| named.id)
            .collect::<Vec<_>>()
    };
    assert_eq!((mentioned("mirela"), mentioned("odo")), (vec![id("ledger")], vec![]));
}

#[test]
fn a_name_that_is_nearly_right_leads_to_what_is_said_of_it() {
    let world = World::tavern();
    let answer = |question: &str| knowledge(&world.context("mirela", question, 1000)).join("\n");
    let misspelt_answer = answer("What does Odo Brant owe?");
    assert!(misspelt_answer.starts_with("Odo Brandt owes Mirela Voss forty crowns."), "{misspelt_answer}");
    assert_eq!(misspelt_answer, answer("What does Odo Brandt owe?"));
}
