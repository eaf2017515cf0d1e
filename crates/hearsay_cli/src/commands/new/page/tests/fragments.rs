//! Tests of entries in short sentences: names that end with a full stop, and sentences without a subject.

use hearsay_model::{EntityId, Kind};

use super::{super::read, entity, ids, joined, told};

#[test]
fn a_name_ends_with_its_sentence() {
    for mark in ["- ", ""] {
        let page = format!(
            "# Coldharbour\n\n## Factions\n\n{mark}The Eel Hands. Thieves. Led by Tilda. Members: Rolf.\n\n## People\n\n\
             {mark}Rolf Agar. Barber of the Low Gate. Home: the Bell Tower. He fears Tilda.\n\n\
             {mark}Tilda Brandvold. Weaver. Secret: she robbed the barber.\n\n## Places\n\n\
             {mark}The Bell Tower. Part of Coldharbour.\n\n{mark}Coldharbour - a port town.\n"
        );
        let made = read(&page, None, "town");
        assert_eq!(ids(&made, &Kind::Npc), ["rolf-agar", "tilda-brandvold"], "{page}");
        assert_eq!(ids(&made, &Kind::Faction), ["the-eel-hands"], "{page}");
        let tower = entity(&made, "the-bell-tower");
        assert_eq!(tower.part_of.as_ref().map(EntityId::as_str), Some("coldharbour"), "{page}");
        let (rolf, tilda) = (entity(&made, "rolf-agar"), entity(&made, "tilda-brandvold"));
        assert_eq!(rolf.home.as_ref(), Some(&tower.id), "{page}");
        assert_eq!(rolf.occupation.as_deref().map(str::to_lowercase).as_deref(), Some("barber"), "{page}");
        assert_eq!(tilda.groups[0].rank.as_deref(), Some("leader"), "{page}");
        assert_eq!(tilda.secrets.len(), 1, "{page}");
    }
    // A word that is a sentence of its own is no name, and a title is no sentence.
    let page =
        "# Coldharbour\n\n## People\n\n- Rolf Agar. Barber.\n- Trapper. Sells furs.\n- Mr. Prewett. Lamplighter.\n";
    assert_eq!(ids(&read(page, None, "town"), &Kind::Npc), ["rolf-agar", "mr-prewett"]);
}

#[test]
fn a_group_that_names_its_leader_first_makes_no_second_person() {
    let page = "\
# Coldharbour

The Eel Hands rob the quay. Led by Tilda. Rolf fears Tilda.

Rolf Agar - mule driver. Friend of the Eel Hands. He hates Tilda.

Tilda Brandvold - mule driver.
";
    let made = read(page, None, "town");
    assert!(ids(&made, &Kind::Npc).contains(&"tilda-brandvold".to_owned()), "{:?}", ids(&made, &Kind::Npc));
    for absent in ["tilda", "friend-of-the-eel-hands"] {
        assert!(!made.draft.entities.iter().any(|entity| entity.id.as_str() == absent), "{absent}");
    }
}

#[test]
fn sentences_without_a_subject_name_no_entity() {
    let page = "\
# Coldharbour

## Places

- The Copper Eel - a tavern. Low, narrow, the loudest room on the quay.
- Frost Chapel - a chapel above the harbour.
- The Bell Tower: Part of Coldharbour.
- Coldharbour - a port town.

## Landscape

Frost has covered the Marrow Bridge since autumn.
";
    let made = read(page, None, "town");
    let places = ids(&made, &Kind::Location);
    assert!(!places.iter().any(|place| ["low", "narrow"].contains(&place.as_str())), "{places:?}");
    assert_eq!(ids(&made, &Kind::Npc), [""; 0], "\"Part of\" begins no name");
    assert!(joined(&entity(&made, "the-copper-eel").description).contains("Low, narrow"));
    let chapel = joined(&entity(&made, "frost-chapel").description);
    assert!(!chapel.contains("covered"), "{chapel}");
}

#[test]
fn a_person_can_be_introduced_in_the_text_about_a_place() {
    let page = "# Coldharbour\n\n## Places\n\n### The Copper Eel\n\nA tavern. Loud, warm.\n\nHaldis, a smuggler, sleeps here.\n";
    assert_eq!(ids(&read(page, None, "town"), &Kind::Npc), ["haldis"]);
}

#[test]
fn the_owner_of_a_place_is_no_occupation() {
    let page = "\
# Coldharbour

## People

- Ebba Agar, Rolf's aunt, deaf, lives in the Foreman's House.
- Rolf Agar - cooper.
- Tilda Brandvold, cook of the Copper Eel.

## Places

- The Copper Eel - a tavern.
";
    let made = read(page, None, "town");
    assert_eq!(entity(&made, "ebba-agar").occupation, None);
    assert_eq!(entity(&made, "rolf-agar").occupation.as_deref(), Some("cooper"));
    assert_eq!(entity(&made, "tilda-brandvold").occupation.as_deref(), Some("cook"));
    assert_eq!(ids(&made, &Kind::Faction), [""; 0]);
    assert!(ids(&made, &Kind::Location).contains(&"the-foremans-house".to_owned()));
}

#[test]
fn remarks_about_a_statement_are_no_part_of_it() {
    let page = "\
# Coldharbour

## People

- Rolf Agar - barber.
- Ebba Agar - weaver. Secret: she poured lye into the well. Nobody else knows.
- Father Odrin - priest. Secret: he knows that Ebba was robbed.

## Places

- Coldharbour - a port town.

## Rumours in Coldharbour

- The tide took the toll keeper in spring. (False, he fled.) Rolf tells it to everybody.
";
    let made = read(page, None, "town");
    assert_eq!(told(&made), ["15 false > rolf-agar coldharbour: The tide took the toll keeper in spring."]);
    assert!(joined(&made.draft.texts).contains("He fled."), "{:?}", made.draft.texts);
    let ebba = &entity(&made, "ebba-agar").secrets[0];
    assert!(ebba.text.ends_with("poured lye into the well.") && ebba.known_by.is_empty(), "{ebba:?}");
    assert!(!ebba.is_unknown_to_owner, "{ebba:?}");
    let odrin = &entity(&made, "father-odrin").secrets[0];
    assert_eq!((odrin.text.as_str(), odrin.is_unknown_to_owner), ("Ebba was robbed.", false), "{odrin:?}");
}
