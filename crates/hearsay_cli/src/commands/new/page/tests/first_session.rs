//! Tests of notes for the first session: sentences about the game, player characters, lies with their truth, and headings
//! with remarks.

use hearsay_model::{EntityId, Kind};

use super::{
    super::{PageDraft, read},
    joined,
};
use crate::commands::new::draft::DraftSecret;

fn facts(made: &PageDraft) -> String {
    let facts: Vec<String> = made.draft.entities.iter().map(|entity| joined(&entity.description)).collect();
    facts.join(" / ")
}

/// Returns the secrets of an entity, each with the other knowers.
fn secrets(made: &PageDraft, id: &str) -> Vec<String> {
    let entity = made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    let secret = |secret: &DraftSecret| {
        let others: Vec<&str> = secret.known_by.iter().map(EntityId::as_str).collect();
        let owner = if secret.is_unknown_to_owner { "" } else { id };
        format!("{owner} {} > {}", others.join(" "), secret.text)
    };
    entity.secrets.iter().map(secret).collect()
}

fn kinds(made: &PageDraft) -> Vec<String> {
    made.draft.entities.iter().map(|entity| format!("{} {}", entity.id, entity.kind)).collect()
}

#[test]
fn sentences_about_the_game_are_no_facts() {
    let page = "\
# Hollow Ferry

The campaign takes place in Saltwick, a port town.

## Places

### The Wet Goose - tavern
The adventure opens here.

## People

### Nan Rook - landlady of the Wet Goose
The players should like her. She hums. Roll a d6 for her mood.

### Pell Arden
A ferryman. If the party asks about the flood, he leaves.

Ideas for later: Nan finds a letter.
";
    let made = read(page, None, "town");
    let (facts, dm_only) = (facts(&made), joined(&made.dm_only));
    for text in ["The campaign", "players", "d6", "party", "adventure", "letter"] {
        assert!(!facts.contains(text) && dm_only.contains(text), "{text}: {facts} | {dm_only}");
    }
    assert!(facts.contains("Saltwick is a port town.") && facts.contains("She hums."), "{facts}");
    assert_eq!(made.draft.start.as_ref().map(EntityId::as_str), Some("the-wet-goose"));
    assert!(made.not_understood.is_empty(), "{:?}", made.not_understood);
}

#[test]
fn a_heading_such_as_start_here_is_understood() {
    let page = "\
Players: Wren Oake (Ben)

## Places

- The Gull - an inn

## Start here

The party starts at the Gull, on the night of the fair.
";
    let made = read(page, None, "town");
    assert!(made.not_understood.is_empty(), "{:?}", made.not_understood);
    assert_eq!(made.draft.entities[0].location.as_ref().map(EntityId::as_str), Some("the-gull"));
    assert!(!facts(&made).contains("night"), "{}", facts(&made));
}

#[test]
fn a_contradicted_statement_is_a_lie_and_a_secret() {
    let page = "\
# Town

## People

- Odo Brandt, a ferryman. He claims that he is a priest, but he robs the dead.
- Mirela Voss, the landlady. She pretends to be poor but owns three ships.

## Lies

- Odo says that thieves took the bell, but he sold it.
";
    let made = read(page, None, "town");
    let expected = [
        "5 odo-brandt > : Odo Brandt is a priest.",
        "6 mirela-voss > : Mirela Voss is poor.",
        "10 odo-brandt > : Thieves took the bell.",
    ];
    assert_eq!(super::told(&made), expected);
    let expected = ["odo-brandt  > Odo Brandt robs the dead.", "odo-brandt  > Odo Brandt sold it."];
    assert_eq!(secrets(&made, "odo-brandt"), expected);
    assert_eq!(secrets(&made, "mirela-voss"), ["mirela-voss  > Mirela Voss owns three ships."]);
    assert!(!facts(&made).contains("priest") && !facts(&made).contains("ships"), "{}", facts(&made));
}

#[test]
fn a_sentence_that_a_character_does_not_know_is_secret() {
    let page = "\
# Town

## People

- Ulla Reed, a weaver. She knows that Tam is not her son. Odo Marsh knows it as well. Tam has no idea.
- Tam Reed, a boy.
- Odo Marsh, a smith.
";
    let made = read(page, None, "town");
    assert_eq!(secrets(&made, "ulla-reed"), ["ulla-reed odo-marsh > Ulla Reed knows that Tam is not her son."]);
    assert!(!facts(&made).contains("her son"), "{}", facts(&made));
}

#[test]
fn player_characters_stand_in_tables_and_sentences() {
    for page in [
        "## The party\n\n| Character | Player | Class |\n|---|---|---|\n| Wren Oake | Ben | ranger |\n\
         | Dorric Stane | Cleo | monk |\n",
        "## The party\n\n| Player | Character | Class |\n|---|---|---|\n| Ben | Wren Oake | ranger |\n\
         | Cleo | Dorric Stane | monk |\n",
        "The player characters are Wren Oake (Ben), a ranger, and Dorric Stane (Cleo). They are poor.\n",
        "## Players\n\nBen plays Wren Oake, a ranger. Cleo plays Dorric Stane.\n",
        "## Players\n\n- Wren Oake - Ben - a ranger\n- Dorric Stane - Cleo\n",
    ] {
        let made = read(page, None, "town");
        let players = made.draft.of_kind(&Kind::Player);
        let players: Vec<(&str, Option<&str>)> =
            players.map(|player| (player.name.as_str(), player.player.as_deref())).collect();
        assert_eq!(players, [("Wren Oake", Some("Ben")), ("Dorric Stane", Some("Cleo"))], "{page}");
        assert_eq!(made.draft.entities.len(), 2, "{page}: {:?}", kinds(&made));
    }
}

#[test]
fn text_after_the_players_names_no_players() {
    let page = "\
Hill Town

Players
Ben plays Wren Oake.

Odo Marsh is the smith, uncle of Wren. He says that wolves obey him (they do not).

Scene 1: The session starts in the forge. Odo Marsh waits.
";
    let made = read(page, None, "town");
    assert_eq!(kinds(&made), ["wren-oake player", "odo-marsh npc"]);
    assert_eq!(super::told(&made), ["6 odo-marsh > : Wolves obey him."]);
    assert!(joined(&made.dm_only).contains("Odo Marsh waits."), "{:?}", made.dm_only);
}

#[test]
fn headings_and_entries_can_have_remarks() {
    let page = "\
# Verd

## NPCs

### General Ros Kast - commander of the Iron Watch
Loud.

### Pim - street kid
Sleeps in the yard.

## Groups

**The Sons of Ash** - a band of outlaws. Led by Ros Kast.
**The Hollow Choir** - cult in the hills. Nobody knows that Pim is a member.
";
    let made = read(page, None, "town");
    let mut kinds = kinds(&made);
    kinds.sort();
    assert_eq!(kinds, ["general-ros-kast npc", "pim npc", "the-hollow-choir faction", "the-sons-of-ash faction"]);
    assert_eq!(secrets(&made, "pim"), ["pim  > Nobody knows that Pim is a member."]);
    let kast = made.draft.entities.iter().find(|entity| entity.id.as_str() == "general-ros-kast").unwrap();
    assert_eq!(joined(&kast.description), "General Ros Kast: commander of the Iron Watch. / Loud.");
    assert_eq!(kast.groups[0].rank.as_deref(), Some("leader"));
}

#[test]
fn numbered_rumours_have_hearers() {
    let page = "\
# Town

## People

- Odo Brandt, a ferryman

## Places

- The Mill

## Rumours (d4)

1 - The mill is cursed.
2 - Odo heard that the bridge will fall.
";
    let made = read(page, None, "town");
    assert_eq!(
        super::told(&made),
        ["13 unknown > : The mill is cursed.", "14 unknown > odo-brandt: The bridge will fall."]
    );
}

#[test]
fn places_lie_in_larger_places_and_people_live_where_they_work() {
    let page = "\
# Coast

## Places

- The Gull - an old inn in Saltwick.
- Saltwick - a port town.
- The Mill: a ruin. Part of Saltwick.

## People

- Odo Brandt: innkeeper of the Gull. His lieutenant is Vela Crane.
- Vela Crane, who hates the innkeeper of the Gull.
";
    let made = read(page, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    for place in ["the-gull", "the-mill"] {
        assert_eq!(entity(place).part_of.as_ref().map(EntityId::as_str), Some("saltwick"), "{place}");
    }
    let odo = entity("odo-brandt");
    assert_eq!((odo.home.as_ref().map(EntityId::as_str), odo.is_home_workplace), (Some("the-gull"), true));
    assert_eq!(odo.occupation.as_deref(), Some("innkeeper"));
    let vela = entity("vela-crane");
    assert!(vela.location.is_none() && vela.home.is_none());
}
