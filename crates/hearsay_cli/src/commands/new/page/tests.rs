//! Tests of campaigns from pages.

use super::*;

pub(in super::super) const PROSE: &str = "\
# Salt and Lies

Gullhaven is a port town in the north. The harbour master, Aldous Crane, taxes every boat.

The party begins in the Gilded Gull, an inn in Gullhaven. The landlady is Mirela Voss. She is
kind, but she secretly hides the harbour ledger below the floor. It lists every bribe.

Odo Brandt is a ferryman who drinks. He owes Mirela Voss twelve crowns.

Secret: Odo Brandt saw the murder of Jory Hask on the quay.

Rain falls all week.
";

const SECTIONS: &str = "\
# Salt and Lies

A town full of smugglers.

## NPCs

### Mirela Voss

The landlady of the Gilded Gull.

**Occupation:** landlady

**Secret:** She hid the harbour ledger.

### Odo Brandt

A ferryman who drinks.

- owes Mirela twelve crowns

## Places

### The Gilded Gull

An inn in Gullhaven. %% There is a tunnel below it. %%

## Secrets

- The mayor is a wolf.
";

/// Returns each entity with its kind, description and secrets.
fn entities(made: &PageDraft) -> Vec<String> {
    let describe = |entity: &crate::commands::new::draft::DraftEntity| {
        let secrets: Vec<&str> = entity.secrets.iter().map(|secret| secret.text.as_str()).collect();
        format!("{} ({}): {} | {}", entity.id, entity.kind, entity.description.join(" / "), secrets.join(" / "))
    };
    made.draft.entities.iter().map(describe).collect()
}

#[test]
fn sentences_describe_the_entity_that_they_name() {
    let made = read(PROSE, None, "town");
    assert_eq!(made.draft.name, "Salt and Lies");
    let expected = [
        "gullhaven (location): Gullhaven is a port town in the north. | ",
        "aldous-crane (npc): The harbour master, Aldous Crane, taxes every boat. | ",
        "the-gilded-gull (location): The party begins in the Gilded Gull, an inn in Gullhaven. | ",
        "mirela-voss (npc): The landlady is Mirela Voss. | She is kind, but she secretly hides the harbour ledger below the floor. It lists every bribe.",
        "odo-brandt (npc): Odo Brandt is a ferryman who drinks. He owes Mirela Voss twelve crowns. | Odo Brandt saw the murder of Jory Hask on the quay.",
    ];
    assert_eq!(entities(&made), expected);
    assert_eq!(
        (made.draft.texts.as_slice(), made.unrecognized.as_slice()),
        (&["Rain falls all week.".to_owned()][..], &["Jory Hask".to_owned()][..])
    );
}

#[test]
fn headings_are_entities() {
    let made = read(SECTIONS, Some("Mine"), "town");
    assert_eq!(made.draft.name, "Mine");
    let expected = [
        "mirela-voss (npc): The landlady of the Gilded Gull. / Occupation: landlady | She hid the harbour ledger.",
        "odo-brandt (npc): A ferryman who drinks. / owes Mirela twelve crowns | ",
        "the-gilded-gull (location): An inn in Gullhaven. | There is a tunnel below it.",
        "gullhaven (location):  | ",
    ];
    assert_eq!(entities(&made), expected);
    assert_eq!(made.draft.texts, ["A town full of smugglers.", "The mayor is a wolf."]);
}

#[test]
fn in_doubt_nobody_knows_a_secret() {
    let page = "\
Lord Cassian Thorne seeks his daughter Elise, a young noble. Unbeknownst to Lord Thorne, Elise married a sailor named Dov.

The Drowned Rat stinks.

DM only: Elise has a map of the city of Vell.
";
    let made = read(page, None, "town");
    let secret = |id: &str| {
        let entity = made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
        entity.secrets.iter().map(|secret| (secret.text.as_str(), secret.is_unknown_to_owner)).collect::<Vec<_>>()
    };
    assert_eq!(
        secret("lord-cassian-thorne"),
        [("Unbeknownst to Lord Thorne, Elise married a sailor named Dov.", true)]
    );
    assert_eq!(secret("elise"), [("Elise has a map of the city of Vell.", false)]);
    let kinds: Vec<String> =
        made.draft.entities.iter().map(|entity| format!("{} {}", entity.id, entity.kind)).collect();
    assert_eq!(kinds, ["lord-cassian-thorne npc", "elise npc", "dov npc", "vell location"]);
    assert_eq!(made.unrecognized, ["The Drowned Rat"]);
}

#[test]
fn a_list_of_players_has_player_characters() {
    for page in [
        "Players: Wren Oake (Ben), Dorric Stane (Cleo)\n\nWren Oake is an elf.\n",
        "**Player characters:** Wren Oake (Ben), Dorric Stane (Cleo)\n\nWren Oake is an elf.\n",
        "## The party\n\n- Wren Oake (Ben)\n- Dorric Stane (Cleo)\n\n## World\n\nWren Oake is an elf.\n",
    ] {
        let made = read(page, None, "town");
        assert_eq!(
            entities(&made),
            ["wren-oake (player): Wren Oake is an elf. | ", "dorric-stane (player):  | "],
            "{page}"
        );
        assert_eq!(made.draft.entities[1].player.as_deref(), Some("Cleo"));
    }
}

#[test]
fn player_characters_begin_at_the_first_place() {
    let made = read(&format!("Players: Wren Oake (Ben)\n\n{PROSE}"), None, "town");
    let wren = &made.draft.entities[0];
    let page = "Players: Wren Oake (Ben)\n\nWren Oake is an elf. Secretly, her father is alive.\n";
    let secret = &read(page, None, "town").draft.entities[0].secrets[0];
    assert!(secret.is_unknown_to_owner, "a player character may not know the DM's secret: {secret:?}");
    assert_eq!(wren.location.as_ref().map(hearsay_model::EntityId::as_str), Some("the-gilded-gull"));
}

/// Every word of a page is in the campaign, except its title, its headings and the labels of secrets.
#[test]
fn nothing_of_a_page_is_lost() {
    for page in
        [PROSE, SECTIONS, "One line\n", "Mr. Bell waits.\n\n    indented text\n\n| a | b |\n|---|---|\n| c | d |\n"]
    {
        let draft = read(page, None, "town").draft;
        let descriptions = draft.entities.iter().flat_map(|entity| &entity.description);
        let secrets = draft.entities.iter().flat_map(|entity| entity.secrets.iter().map(|secret| &secret.text));
        let written: Vec<&str> = descriptions.chain(secrets).chain(&draft.texts).map(String::as_str).collect();
        let written = words(&written.join(" "));
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            for word in words(&line.replace("Secret:", "")) {
                assert!(written.contains(&word), "`{word}` of `{line}` is lost: {draft:?}");
            }
        }
    }
}

const SHORT_NOTES: &str = "\
# The Salt Road

PCs:
- Tamsel Brook (Ida)
- Orrin Vale (Max), a dwarf

## The Broken Wheel

A low inn where the road forks. Everybody sleeps badly here.

## People

- Hanna Pike, the landlady. She waters the ale.
- Tobin Reed: the bailiff of the fork
- **Old Mags** sells herbs

## Secrets

- Hanna keeps two sets of books. Known by Hanna and Tobin.
- Only Tobin knows that the mill is empty.
- Orrin's father is alive (known only to Mags).
";

#[test]
fn short_notes_have_places_lists_and_knowers() {
    let made = read(SHORT_NOTES, None, "town");
    let expected = [
        "tamsel-brook (player):  | ",
        "orrin-vale (player): Orrin Vale is a dwarf. | ",
        "hanna-pike (npc): Hanna Pike, the landlady. She waters the ale. | Hanna keeps two sets of books.",
        "tobin-reed (npc): Tobin Reed: the bailiff of the fork | The mill is empty.",
        "the-broken-wheel (location): A low inn where the road forks. Everybody sleeps badly here. | ",
        "old-mags (npc): Old Mags sells herbs | Orrin's father is alive.",
    ];
    assert_eq!(entities(&made), expected);
    let knowers: Vec<(bool, String)> = made
        .draft
        .entities
        .iter()
        .flat_map(|entity| &entity.secrets)
        .map(|secret| {
            let others: Vec<&str> = secret.known_by.iter().map(hearsay_model::EntityId::as_str).collect();
            (secret.is_unknown_to_owner, others.join(", "))
        })
        .collect();
    let expected = [(false, "tobin-reed"), (false, ""), (false, "")];
    assert_eq!(knowers, expected.map(|(unknown, others)| (unknown, others.to_owned())));
}

#[test]
fn a_list_of_knowers_makes_the_sentence_before_secret() {
    let made = read("Odo Brandt is a ferryman. Odo hid the ledger. Known only to Odo.\n", None, "town");
    assert_eq!(entities(&made), ["odo-brandt (npc): Odo Brandt is a ferryman. | Odo hid the ledger."]);
}
