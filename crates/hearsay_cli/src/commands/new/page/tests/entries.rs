//! Tests of entries in all layouts: their labels, lies, secrets and names.

use hearsay_model::{EntityId, Kind};

use super::{super::read, entity, ids, joined};

/// Returns a page with one NPC, in a layout with `NAME` and `TEXT`.
fn page(layout: &str) -> String {
    let text = "foreman of the quarry. Leads the Rope Fellowship. Lives in the Kiln.";
    let entry = layout.replace("NAME", "Berta Holm").replace("TEXT", text);
    format!(
        "# Quarry\n\n## People\n\n{entry}\n\n## Places\n\n- The Kiln - an old tower.\n\n## Factions\n\n- The Rope Fellowship: haulers.\n"
    )
}

#[test]
fn all_layouts_of_an_entry_are_read_alike() {
    let labels = "\nCover story: She was in Dunholt on the night of the theft. (a lie)\nTruth: She took the strongbox of the theft.";
    for layout in
        ["**NAME** - TEXT", "**NAME**, TEXT", "- **NAME** - TEXT", "- NAME, TEXT", "NAME - TEXT", "### NAME\nTEXT"]
    {
        let layout = format!(
            "{layout}{}",
            if layout.starts_with('-') { labels.replace('\n', "\n  ") } else { labels.to_owned() }
        );
        let made = read(&page(&layout), None, "town");
        assert_eq!(ids(&made, &Kind::Faction), ["the-rope-fellowship"], "{layout}");
        let berta = entity(&made, "berta-holm");
        assert_eq!(berta.name, "Berta Holm", "{layout}");
        assert_eq!(berta.groups[0].rank.as_deref(), Some("leader"), "{layout}");
        assert_eq!(berta.home.as_ref().map(EntityId::as_str), Some("the-kiln"), "{layout}");
        assert!(!joined(&berta.description).contains("Dunholt"), "{layout}: {:?}", berta.description);
        let secret = &berta.secrets[0];
        assert!(secret.text.ends_with(" took the strongbox of the theft."), "{layout}: {secret:?}");
        assert!(!secret.is_unknown_to_owner, "{layout}: {secret:?}");
        assert_eq!(made.draft.lies.len(), 1, "{layout}: {:?}", made.draft.lies);
        let lie = &made.draft.lies[0];
        assert_eq!(lie.text.text, "Berta Holm was in Dunholt on the night of the theft.", "{layout}");
        assert_eq!((lie.by.as_str(), &lie.truth_is), ("berta-holm", &secret.id), "{layout}");
        assert!(lie.truth_is.is_some(), "{layout}");
    }
}

#[test]
fn labels_in_a_line_belong_to_the_entry() {
    let page = "\
# Quarry

## People

- Berta Holm, a mason. Cover story: She slept. Truth: She left by the gate.
- Ivo Rand, a smith. Secret: he cannot read. Known by: Berta.

Secret: There is gold below the kiln.
";
    let made = read(page, None, "town");
    assert_eq!(super::told(&made), ["5 berta-holm > : Berta Holm slept."]);
    assert_eq!(made.draft.lies[0].truth_is.as_deref(), Some("berta-holm-truth"));
    let ivo = entity(&made, "ivo-rand");
    assert_eq!((joined(&ivo.description).as_str(), ivo.secrets.len()), ("Ivo Rand, a smith.", 1), "{ivo:?}");
    // A paragraph after a list belongs to no item of the list.
    assert!(!made.draft.entities.iter().any(|entity| entity.secrets.iter().any(|secret| secret.text.contains("gold"))));
}

#[test]
fn a_sentence_ends_a_list_of_players() {
    let page = "\
# Quarry

PCs: Wren Oake (Ben), Dorric Stane (Cleo)
We start on the Grey Otter, a grain barge moored at Dunholt, the morning after the party left the quarry. The two of them
live on the barge.

## People

- Berta Holm, a mason. Her uncle Tam was one of the masons lost in the flood.

## Places

- Dunholt, a town.

## Rumours

- Howlers in the quarry call at night.
";
    let made = read(page, None, "town");
    assert_eq!(ids(&made, &Kind::Player), ["wren-oake", "dorric-stane"]);
    let barge = entity(&made, "the-grey-otter");
    assert_eq!(barge.kind, Kind::Location);
    assert_eq!(barge.part_of.as_ref().map(EntityId::as_str), Some("dunholt"));
    assert_eq!(joined(&barge.description), "The Grey Otter is a grain barge moored at Dunholt.");
    for player in ["wren-oake", "dorric-stane"] {
        assert_eq!(entity(&made, player).home.as_ref(), Some(&barge.id), "{player}");
    }
    let people = ids(&made, &Kind::Npc);
    assert!(!people.contains(&"howlers".to_owned()), "{people:?}");
    if let Some(tam) = made.draft.of_kind(&Kind::Npc).find(|npc| npc.name.starts_with("Tam")) {
        assert_eq!(tam.condition.as_deref(), Some("missing"));
    }
}

#[test]
fn a_real_name_is_a_secret_name() {
    for (people, secrets) in [
        ("- Ilan Voss, an actor. He travels under a false name; his real name is Jorin Hale. Lives in the Kiln.", ""),
        ("- Ilan Voss, an actor. Lives in the Kiln. Secret: his real name is Jorin Hale.", ""),
        ("- Ilan Voss (real name: Jorin Hale), an actor. Lives in the Kiln.", ""),
        ("**Ilan Voss** - an actor. Lives in the Kiln.\nReal name: Jorin Hale.", ""),
        (
            "- Ilan Voss, an actor. Lives in the Kiln.",
            "\n## Secrets\n\n- Ilan Voss is a false name. His real name is Jorin Hale.\n",
        ),
    ] {
        let page = format!("# Quarry\n\n## Places\n\n- The Kiln - a tower.\n\n## People\n\n{people}\n{secrets}");
        let made = read(&page, None, "town");
        assert_eq!(ids(&made, &Kind::Npc), ["ilan-voss"], "{page}");
        let ilan = entity(&made, "ilan-voss");
        let names: Vec<&str> = ilan.secret_names.iter().map(|name| name.name.as_str()).collect();
        assert_eq!(names, ["Jorin Hale"], "{page}");
        assert!(ilan.secret_names[0].known_by.is_empty() && !ilan.secrets[0].is_unknown_to_owner, "{ilan:?}");
        let open = joined(&ilan.description);
        assert!(!open.contains("Jorin") && !open.contains("false name"), "{page}: {open}");
        assert_eq!(ilan.home.as_ref().map(EntityId::as_str), Some("the-kiln"), "{page}");
    }
    let page = "# Quarry\n\n## People\n\n- Ilan Voss, an actor. His real name is Jorin Hale. Only Berta knows.\n- Berta Holm, a mason.\n";
    let made = read(page, None, "town");
    let ilan = entity(&made, "ilan-voss");
    assert_eq!(ilan.secret_names[0].known_by.iter().map(EntityId::as_str).collect::<Vec<_>>(), ["berta-holm"]);
    assert!(!ilan.secrets[0].is_unknown_to_owner, "{ilan:?}");
}

#[test]
fn false_names_and_forms_of_address_are_aliases() {
    for (line, alias) in [
        ("- Jorin Hale, alias Ilan Voss, an actor.", "Ilan Voss"),
        ("- Jorin Hale, an actor. Travels under the name Ilan Voss.", "Ilan Voss"),
        ("- Jorin Hale, an actor, \"Maestro\" to everybody.", "Maestro"),
    ] {
        let made = read(&format!("# Quarry\n\n## People\n\n{line}\n"), None, "town");
        assert_eq!(ids(&made, &Kind::Npc), ["jorin-hale"], "{line}");
        assert_eq!(entity(&made, "jorin-hale").aliases, [alias], "{line}");
        assert!(made.unrecognized.is_empty(), "{line}: {:?}", made.unrecognized);
    }
}

#[test]
fn knowers_and_hearers_can_be_added() {
    let page = "\
# Quarry

## People

- Berta Holm, a mason. Lives in the Kiln.
- Ivo Rand, a smith. Lives in the Kiln.

## Places

- Dunholt - a town.
- The Kiln - a tower in Dunholt.

## Secrets

- Berta sold the quarry gate to pay her debts. Ivo knows it too.

## Lies

- Ivo emptied the strongbox himself. He tells everybody that bandits broke the strongbox.
- Berta says that the debts are paid.
";
    let made = read(page, None, "town");
    let secret = &entity(&made, "berta-holm").secrets[0];
    assert_eq!((secret.is_unknown_to_owner, secret.known_by[0].as_str()), (false, "ivo-rand"));
    let lies: Vec<(&str, Vec<&str>, Option<&str>)> = made
        .draft
        .lies
        .iter()
        .map(|lie| (lie.by.as_str(), lie.told_to.iter().map(EntityId::as_str).collect(), lie.truth_is.as_deref()))
        .collect();
    let expected = [
        ("ivo-rand", vec!["dunholt"], Some("ivo-rand-truth")),
        // The secret of Berta shares a word with her lie.
        ("berta-holm", Vec::new(), Some("berta-holm-truth")),
    ];
    assert_eq!(lies, expected);
}

#[test]
fn trades_and_headings_for_people_make_people() {
    let page = "\
# The Long Sail

## Crew & passengers

### Odile Farr - master of the barge.
Stern.

### Sparks - engineer
Burned hands.

## Rumours

- In Hale they say that the barge is cursed.
- The lamp is haunted. Odile swears it is true.

## Places

### Hale - a port town
";
    let made = read(page, None, "town");
    assert_eq!(ids(&made, &Kind::Npc), ["odile-farr", "sparks"]);
    assert_eq!(joined(&entity(&made, "odile-farr").description), "Odile Farr: master of the barge. / Stern.");
    let expected =
        ["13 unknown > hale: The barge is cursed.", "14 unknown > : The lamp is haunted. Odile swears it is true."];
    assert_eq!(super::told(&made), expected);
    // A trade states a person, also behind a noun for a place, and the trade of several persons a group.
    let made = read(
        "# Fork\n\n* Doc Harl \u{2013} street surgeon. Loud.\n* Captain Ada Renn \u{2013} harbour police.\n",
        None,
        "town",
    );
    assert_eq!(ids(&made, &Kind::Npc), ["doc-harl", "captain-ada-renn"]);
    let made = read("# Fork\n\nThe Reed Hounds are poachers who hunt at night.\n", None, "town");
    assert_eq!(ids(&made, &Kind::Faction), ["the-reed-hounds"]);
}
