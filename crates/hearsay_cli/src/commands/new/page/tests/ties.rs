//! Tests of relations between characters, families, other names, and remarks in brackets.

use hearsay_model::{EntityId, Kind};

use super::{
    super::{PageDraft, read},
    entity, ids, joined, told,
};

fn ties(made: &PageDraft, id: &str) -> Vec<String> {
    entity(made, id).ties.iter().map(|tie| format!("{} {}", tie.relation, tie.other)).collect()
}

const KIN: &str = "\
# Grey Water

## People

- Sabra Quill: weaver. Daughter of Osk Quill. Apprentice to Tove Marl.
- Osk Quill: miller. Brother of Tove Marl's husband.
- Tove Marl: dyer. Sister of Renn Marl.
- Renn Marl: steward of Lady Ashe. Brother of Tove Marl.
- Lady Ashe: widow of Captain Dorn.
- Captain Dorn: a soldier.
- Hale Stott: possibly the son of Osk Quill.
";

#[test]
fn descriptions_state_relations_between_characters() {
    let made = read(KIN, None, "town");
    assert_eq!(ties(&made, "sabra-quill"), ["CHILD_OF osk-quill", "EMPLOYED_BY tove-marl"]);
    // The relation to the husband is none to Tove.
    assert_eq!(ties(&made, "osk-quill"), [""; 0]);
    // A symmetric relation is written once.
    assert_eq!(ties(&made, "tove-marl"), ["SIBLING_OF renn-marl"]);
    assert_eq!(ties(&made, "renn-marl"), ["EMPLOYED_BY lady-ashe"]);
    assert_eq!(entity(&made, "captain-dorn").condition.as_deref(), Some("dead"));
    assert_eq!(entity(&made, "lady-ashe").condition, None);
    assert_eq!(ties(&made, "hale-stott"), [""; 0], "the notes are not sure");
}

#[test]
fn a_role_can_follow_a_relation() {
    let page = "\
# Grey Water

## Places

- The Long Oar - an inn.

## People

- Sabra Quill, landlady of the Long Oar.
- Joss Quill, Sabra's son, errand boy at the Long Oar. He is shy.
- Renn Marl, Sabra's nephew, a cook at the Long Oar.
";
    let made = read(page, None, "town");
    for (id, occupation, tie) in
        [("joss-quill", "errand boy", "CHILD_OF sabra-quill"), ("renn-marl", "cook", "RELATIVE_OF sabra-quill")]
    {
        let person = entity(&made, id);
        assert_eq!(person.occupation.as_deref(), Some(occupation), "{id}");
        assert_eq!(person.home.as_ref().map(EntityId::as_str), Some("the-long-oar"), "{id}");
        assert_eq!(ties(&made, id), [tie], "{id}");
    }
}

#[test]
fn a_family_is_a_group() {
    let page = "\
# Grey Water

Osk Quill is a miller in Larkmoor. Sabra Quill is a weaver. The Quills own the ford. The Quill family fears the Herons.
";
    let made = read(page, None, "town");
    assert_eq!(ids(&made, &Kind::Faction), ["the-quills"]);
    let family = entity(&made, "the-quills");
    assert_eq!(family.aliases, ["the Quill family"]);
    let description = joined(&family.description);
    assert!(description.contains("own the ford") && description.contains("fears the Herons"), "{description}");
    assert!(!joined(&entity(&made, "sabra-quill").description).contains("Herons"));
    for kind in [Kind::Npc, Kind::Location] {
        assert!(!ids(&made, &kind).iter().any(|id| id.contains("quills") || id.contains("family")), "{kind}");
    }
}

#[test]
fn another_name_in_a_sentence_is_no_second_person() {
    let page = "\
# Grey Water

Osk Quill is a poacher known as Grey Tam. Renn Marl is a smith. Everybody calls Renn Marl the Badger. Sabra is a weaver. Sabra, \
niece of Osk Quill, known as the Thrush, sings.
";
    let made = read(page, None, "town");
    for (id, alias) in [("osk-quill", "Grey Tam"), ("renn-marl", "the Badger"), ("sabra", "the Thrush")] {
        assert_eq!(entity(&made, id).aliases, [alias], "{id}");
    }
    assert_eq!(ids(&made, &Kind::Npc), ["osk-quill", "renn-marl", "sabra"]);
    assert_eq!(made.unrecognized, [""; 0]);
}

#[test]
fn remarks_in_brackets_do_not_hide_a_lie() {
    let page = "\
# Grey Water

We start in Larkmoor, a fort in the Sour Hills.

Osk Quill is a miller. Renn Marl is a smith.

Osk Quill (58, lame, the oldest man of the whole ford) tells everybody (falsely) that the ford is safe.

## Lies

- Renn Marl (the smith) tells Osk Quill (his neighbour) that the iron is spent.
";
    let made = read(page, None, "town");
    let expected = ["7 osk-quill > the-sour-hills: The ford is safe.", "11 renn-marl > osk-quill: The iron is spent."];
    assert_eq!(told(&made), expected);
    assert!(!joined(&entity(&made, "osk-quill").description).contains("safe"));
    let texts = joined(&made.draft.texts);
    assert!(texts.contains("58, lame") && texts.contains("his neighbour"), "{texts}");
    let start = entity(&made, "larkmoor");
    assert_eq!((&start.kind, made.draft.start.as_ref()), (&Kind::Location, Some(&start.id)));
    assert_eq!(start.part_of.as_ref().map(hearsay_model::EntityId::as_str), Some("the-sour-hills"));
}

#[test]
fn the_last_part_of_an_entry_can_be_secret() {
    let page = "\
# Grey Water

## People

- Osk Quill - miller - takes bribes from the smugglers (secret, known to Renn Marl)
- Renn Marl - smith - secretly the son of Osk Quill
- Tove Marl - dyer - loud
";
    let made = read(page, None, "town");
    let (osk, renn) = (entity(&made, "osk-quill"), entity(&made, "renn-marl"));
    assert_eq!(joined(&osk.description), "Osk Quill - miller");
    assert_eq!(joined(&renn.description), "Renn Marl - smith");
    assert_eq!(joined(&entity(&made, "tove-marl").description), "Tove Marl - dyer - loud");
    assert_eq!(osk.secrets[0].text, "Osk Quill takes bribes from the smugglers");
    assert_eq!(osk.secrets[0].known_by, std::slice::from_ref(&renn.id));
    assert!(renn.secrets[0].text.ends_with("the son of Osk Quill") && renn.secrets[0].known_by.is_empty());
    assert_eq!(ties(&made, "renn-marl"), [""; 0], "the relation is secret");
}

#[test]
fn a_sentence_lists_the_player_characters_without_their_players() {
    let made = read("# Grey Water\n\nThe four heroes are Ilse, Bram, Tamsin and Coll. They are poor.\n", None, "town");
    assert_eq!(ids(&made, &Kind::Player), ["ilse", "bram", "tamsin", "coll"]);
    for text in ["The heroes are brave and poor.", "The players are Ilse and Bram."] {
        let made = read(&format!("# Grey Water\n\n{text}\n"), None, "town");
        assert_eq!(ids(&made, &Kind::Player), [""; 0], "{text}");
    }
}

#[test]
fn the_parent_of_another_person_is_read_in_the_text_about_the_parent() {
    let page = "\
# Hollow Quay

## People

- Wend Harrow: miller. Is the father of Tilo.
- Tilo: cook.
- Sanne Deem - smith. She is the mother of Ottil Deem and Jan Deem.
- Ottil Deem - nun.
- Jan Deem - clerk.
- Karel Orr - fisher. Fears Wend Harrow, father of Jan Deem.
- Bryn Vahl - weaver. The mother of Karel Orr hates her.
";
    let made = read(page, None, "town");
    assert_eq!(ties(&made, "tilo"), ["CHILD_OF wend-harrow"]);
    for child in ["ottil-deem", "jan-deem"] {
        assert_eq!(ties(&made, child), ["CHILD_OF sanne-deem"], "{child}");
    }
    assert!(!ties(&made, "karel-orr").iter().any(|tie| tie.starts_with("CHILD_OF")), "{:?}", ties(&made, "karel-orr"));
}

#[test]
fn places_members_and_ranks_of_a_mountain_are_read() {
    let page = "\
# Snow

## Places

- The Split Keg. An inn on the Harnberg.
- Lamp Spire. A watchtower on the Harnberg. It is old.
- Saint Ulla. A convent on the Harnberg, above the inn.

## People

- Abbess Renn, head of Saint Ulla. Lives in Saint Ulla.
- Dov Karr, head of the Long Watch. Lives in Lamp Spire.
- Bela Orth, head of the Split Keg.
- Pim Sauer, a smith. Lives in the Split Keg.

## Factions

- The Long Watch. Rangers. Bela Orth and Pim Sauer are members.

## Rumours

- A white hound walks between the convent and the watchtower.
";
    let made = read(page, None, "town");
    let part_of = |id: &str| entity(&made, id).part_of.as_ref().map(EntityId::as_str);
    for place in ["the-split-keg", "lamp-spire", "saint-ulla"] {
        assert_eq!(part_of(place), Some("the-harnberg"), "{place}");
    }
    for (id, occupation) in [
        ("abbess-renn", Some("abbess")),
        ("dov-karr", None),
        ("bela-orth", Some("head of the Split Keg")),
        ("pim-sauer", Some("smith")),
    ] {
        assert_eq!(entity(&made, id).occupation.as_deref(), occupation, "{id}");
    }
    assert_eq!(entity(&made, "bela-orth").home.as_ref().map(EntityId::as_str), Some("the-split-keg"));
    for member in ["bela-orth", "pim-sauer"] {
        let groups = &entity(&made, member).groups;
        assert!(groups.iter().any(|group| group.group.as_str() == "the-long-watch"), "{member}: {groups:?}");
    }
    assert_eq!(joined(&entity(&made, "the-long-watch").description), "The Long Watch. Rangers.");
    let pim = joined(&entity(&made, "pim-sauer").description);
    assert!(pim.ends_with("Pim Sauer is a member of The Long Watch."), "{pim}");
    let about: Vec<&str> = made.draft.rumours[0].about.iter().map(EntityId::as_str).collect();
    assert_eq!(about, ["saint-ulla", "lamp-spire"]);
}
