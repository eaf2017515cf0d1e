//! Tests of notes in natural sentences: claims, lies, stays, nicknames and deaths.

use hearsay_model::{EntityId, Kind};

use super::{super::read, joined};

const NATURAL: &str = "\
# Salt Houses

## People

### Ada Brook

Head of House Voss (\"the Grey Lady\"). Lives and works in the tall house. Her brother Rafe died in the fire. She says she \
was in the Gull that night (a lie).

### Odo Marsh

Innkeeper, fat. Everybody calls him Old Odo. He raised Tim.

**Secret:** Tim is Rafe Voss's son and the heir of House Voss. Only Odo knows. Tim has no idea.

### Tim

Stable boy. Usually hangs about the fish market.

### Vela Crane

Factor of House Crane. Staying at the Gull for the fair.

**What she says:** that she was at the fish market all night, with her sick mother. (A lie - her mother is dead.)

## Places

### The Gull

An inn.

### The Fish Market

Noise.

### The Tall House

A house of brick.

## Factions

- House Voss - old money.

## News

Rumour in the town: the well of the Gull is dry. Vela denies it. (It's false, the chain broke.) Tim has heard it.

## Tonight

- The party arrives at the Gull.
";

#[test]
fn what_a_person_says_is_a_lie_or_a_rumour_and_no_fact() {
    let made = read(NATURAL, None, "town");
    let told = super::told(&made);
    for expected in [
        "ada-brook > : Ada Brook was in the Gull that night.",
        "vela-crane > : Vela Crane was at the fish market all night, with her sick mother.",
        "false > tim: The well of the Gull is dry. Vela denies it.",
    ] {
        assert!(told.iter().any(|told| told.ends_with(expected)), "{expected}: {told:?}");
    }
    let facts: Vec<String> = made.draft.entities.iter().map(|entity| joined(&entity.description)).collect();
    for false_text in ["that night", "sick mother", "is dry"] {
        assert!(!facts.join(" ").contains(false_text), "{false_text}: {facts:?}");
    }
    let texts = joined(&made.draft.texts);
    assert!(texts.contains("Her mother is dead.") && texts.contains("The chain broke."), "{texts}");

    let other = "# Town\n\n## People\n\n### Odo Marsh\n\nA ferryman.\n\n**What he says:** that he never drinks.\n\n\
                 ### Ada Brook\n\nA clerk.\n\n**She claims:** She is poor.\n\n**Truth:** She is rich.\n";
    let made = read(other, None, "town");
    let told = super::told(&made);
    assert!(told[0].ends_with("ada-brook > : Ada Brook is poor."), "{told:?}");
    assert!(told[1].ends_with("unknown > odo-marsh: Odo Marsh never drinks."), "{told:?}");
    let ada = made.draft.entities.iter().find(|entity| entity.id.as_str() == "ada-brook").unwrap();
    assert_eq!(ada.secrets[0].text, "Ada Brook is rich.");
}

#[test]
fn homes_stays_nicknames_and_deaths_of_natural_notes_are_understood() {
    let made = read(NATURAL, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    let place = |id: Option<&EntityId>| id.map(|id| id.as_str().to_owned()).unwrap_or_default();
    let places = |id: &str| (place(entity(id).home.as_ref()), place(entity(id).location.as_ref()), entity(id).is_guest);
    assert_eq!(places("ada-brook"), ("the-tall-house".to_owned(), String::new(), false));
    assert_eq!(places("vela-crane"), (String::new(), "the-gull".to_owned(), true));
    assert_eq!(places("tim"), (String::new(), "the-fish-market".to_owned(), true));
    assert_eq!(entity("ada-brook").aliases, ["the Grey Lady"]);
    assert_eq!(entity("odo-marsh").aliases, ["Old Odo"]);
    let people: Vec<&str> = made.draft.of_kind(&Kind::Npc).map(|npc| npc.id.as_str()).collect();
    let rafe: Vec<&&str> = people.iter().filter(|id| id.starts_with("rafe")).collect();
    assert!(rafe.len() <= 1 && !people.contains(&"old-odo"), "{people:?}");
    if let Some(rafe) = rafe.first() {
        assert_eq!(entity(rafe).condition.as_deref(), Some("dead"));
    }
    let secret = &entity("odo-marsh").secrets[0];
    assert_eq!(secret.text, "Tim is Rafe Voss's son and the heir of House Voss.");
    assert!(!secret.is_unknown_to_owner && secret.known_by.is_empty(), "{secret:?}");
    assert!(!made.draft.entities.iter().any(|entity| entity.name == "Tonight"));
    assert!(joined(&made.dm_only).contains("arrives at the Gull"));
}

const PASS: &str = "\
# Stonepass

## Players
- **Ilse Varga** (Jo) - ex-soldier, she, called \"Sarge\" by everybody

## Places
- The Lamp and Pick - the inn. Low beams, one stove, smells of wet wool.
- Shaft Nine - the old mine, closed.
- Assay Office - where the ore is weighed.

## People
- **Marta Kolb** - innkeeper, she. Is at the inn.
- **Aldous Crane** - overseer, he.
- **Dobrin \"Dob\" Hask** - old miner, he, drinks at the inn every night.
- **Tilly Fenn** - girl of 12. Nosy. At the inn tonight.
- **Emeric Sool** - the town doctor, he. Lives above the Assay Office.

## Secret
Sool knows that the men in Shaft Nine were alive. Only he knows it (and Crane, who gave the order).

## Lie
Crane blew up Shaft Nine with black powder. He tells everybody it was firedamp.

## Rumour
A white stag leads lost people home. Dob tells it, Tilly has heard it too.

## Start
Evening, snowstorm. The party comes into the Lamp and Pick. Crane and Sool are in the Assay Office.
";

#[test]
fn a_page_in_the_words_of_a_dm_is_read() {
    let made = read(PASS, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    let id = |id: &str| EntityId::new(id).unwrap();
    // "Low beams" names no place, and the sentence describes the inn.
    let places: Vec<&str> = made.draft.of_kind(&Kind::Location).map(|place| place.id.as_str()).collect();
    assert_eq!(places, ["the-lamp-and-pick", "shaft-nine", "assay-office"]);
    assert!(joined(&entity("the-lamp-and-pick").description).contains("Low beams"));
    for npc in ["marta-kolb", "dobrin-hask", "tilly-fenn"] {
        assert_eq!(entity(npc).location, Some(id("the-lamp-and-pick")), "{npc}");
    }
    assert_eq!(entity("ilse-varga").aliases, ["Sarge"]);
    // The scene with which the play begins.
    assert_eq!(entity("ilse-varga").location, Some(id("the-lamp-and-pick")));
    assert_eq!((&entity("aldous-crane").location, entity("aldous-crane").is_guest), (&Some(id("assay-office")), true));
    assert_eq!(entity("emeric-sool").home, Some(id("assay-office")));
    let secret = &entity("emeric-sool").secrets[0];
    assert_eq!(secret.text, "The men in Shaft Nine were alive.");
    assert_eq!((secret.is_unknown_to_owner, &secret.known_by[..]), (false, &[id("aldous-crane")][..]));
    // The sentence before the lie is the truth behind it.
    assert_eq!(entity("aldous-crane").secrets[0].text, "Crane blew up Shaft Nine with black powder.");
    assert_eq!(made.draft.lies.len(), 1, "{:?}", made.draft.lies);
    let lie = &made.draft.lies[0];
    assert_eq!((lie.by.as_str(), lie.text.text.as_str()), ("aldous-crane", "It was firedamp."));
    assert_eq!(made.draft.rumours.len(), 1, "{:?}", made.draft.rumours);
    let rumour = &made.draft.rumours[0];
    assert_eq!(rumour.text.text, "A white stag leads lost people home.");
    assert_eq!(rumour.heard_by, [id("dobrin-hask"), id("tilly-fenn")]);
}

#[test]
fn a_noun_without_article_describes_the_entity_of_the_text() {
    let page = "\
# Gannet Rock

## Places

- The Dry Lantern: Tavern at the quay.

### The Wet Lantern
Inn in the harbour of Gannet Rock.

### The Spire
Tower, ruined.

## NPCs

### Silas Vane
Lighthouse keeper, half deaf.

### Jory Pask
Fisherman, young, nervous.

### Edda Crane
Revenue officer, staying at the Wet Lantern.

### Bram Hale
Lighthouse keeper.

### Nan Rook
Half deaf, never sober.
";
    let made = read(page, None, "town");
    let places: Vec<&str> = made.draft.of_kind(&Kind::Location).map(|place| place.id.as_str()).collect();
    assert!(!places.iter().any(|place| ["inn", "tower", "tavern"].contains(place)), "{places:?}");
    let people: Vec<(&str, Option<&str>)> =
        made.draft.of_kind(&Kind::Npc).map(|npc| (npc.name.as_str(), npc.occupation.as_deref())).collect();
    let expected = [
        ("Silas Vane", Some("lighthouse keeper")),
        ("Jory Pask", Some("fisherman")),
        ("Edda Crane", Some("revenue officer")),
        ("Bram Hale", Some("lighthouse keeper")),
        ("Nan Rook", None),
    ];
    assert_eq!(people, expected);
    let lantern = made.draft.entities.iter().find(|entity| entity.id.as_str() == "the-wet-lantern").unwrap();
    assert_eq!(joined(&lantern.description), "Inn in the harbour of Gannet Rock.");
}

const PROSE_OF_A_DM: &str = "\
# Salt and Ash

Players: Rhea Dunn (Jo), Tobin Ash (Mo)

Rhea is a deserter from the fleet and Tobin is a travelling locksmith.

We start in the Green Pike, an inn in Hale. Hale is a fishing village under the cliff.

Above the village is the abbey of Saint Ursa. Its bishop is Emmerich, a quiet old man who never sleeps. Sister Alba was \
the cook of the abbey.

The foreman is Gerd Pohl, big, sings alone. He lives in Hale with his son Tomas, whom everybody calls Tomi. Lotte Brand is \
a smuggler who sells lamp oil. She lives in Hale. Old Wenna (Rowena Zeller) is the herb woman. She lives in Hale and hates \
the bishop.

The Wakeful are a brotherhood in the village which keeps a fire.

Secret: Bishop Emmerich drowned Sister Alba in the cistern below the abbey. Only Emmerich knows this.

The bishop tells everybody that Sister Alba went home. That is a lie.
";

#[test]
fn prose_with_other_names_and_pronouns_is_read() {
    let made = read(PROSE_OF_A_DM, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    assert_eq!(joined(&entity("rhea-dunn").description), "Rhea is a deserter from the fleet.");
    assert_eq!(joined(&entity("tobin-ash").description), "Tobin is a travelling locksmith.");
    let wenna = joined(&entity("old-wenna").description);
    assert_eq!(wenna, "Old Wenna is the herb woman. She lives in Hale and hates the bishop.");
    assert!(!joined(&entity("lotte-brand").description).contains("hates"));
    assert_eq!(entity("old-wenna").aliases, ["Rowena Zeller"]);
    assert_eq!(entity("tomas").aliases, ["Tomi"]);
    assert_eq!(entity("emmerich").aliases, ["Bishop Emmerich"]);
    let ids: Vec<&str> = made.draft.entities.iter().map(|entity| entity.id.as_str()).collect();
    for absent in ["rowena-zeller", "tomi", "bishop-emmerich", "saint-ursa"] {
        assert!(!ids.contains(&absent), "{ids:?}");
    }
    assert_eq!(entity("the-abbey-of-saint-ursa").kind, Kind::Location);
    assert_eq!(entity("the-wakeful").kind, Kind::Faction);
}

#[test]
fn a_sentence_that_calls_a_statement_a_lie_makes_a_lie() {
    let made = read(PROSE_OF_A_DM, None, "town");
    assert_eq!(made.draft.lies.len(), 1, "{:?}", made.draft.lies);
    let lie = &made.draft.lies[0];
    assert_eq!((lie.by.as_str(), lie.text.text.as_str()), ("emmerich", "Sister Alba went home."));
    assert_eq!(lie.told_to, [EntityId::new("hale").unwrap()]);
    // The lie and the secret are about the same person, so the secret is the truth behind the lie.
    let emmerich = made.draft.entities.iter().find(|entity| entity.id.as_str() == "emmerich").unwrap();
    assert!(lie.truth_is.is_some() && lie.truth_is == emmerich.secrets[0].id, "{lie:?}");
    let page =
        "# Town\n\n## People\n\n- Odo Marsh, a clerk.\n\n## Notes\n\nOdo Marsh says that he is rich. He is kind.\n";
    assert!(read(page, None, "town").draft.lies.is_empty());
}

#[test]
fn roles_homes_and_deaths_in_a_list_are_fields() {
    let page = "\
# Tan

We start in the Vat House.

## People

**Bera Holt** - master tanner, runs the Vat House and lives there. Loud.

**Carsten Thule** - the new Reeve of Hale, nephew of Odo Thule.

**Odo Thule** (dead) - the old Reeve.

## Places

**The Vat House** - an old inn in Hale.

**Hale** - a town on a river.
";
    let made = read(page, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    assert_eq!(entity("bera-holt").home, Some(EntityId::new("the-vat-house").unwrap()));
    assert_eq!(entity("carsten-thule").occupation.as_deref(), Some("new Reeve"));
    assert!(!made.draft.entities.iter().any(|entity| entity.id.as_str().starts_with("reeve")));
    // The people of the town know that Odo is dead.
    let odo = entity("odo-thule");
    assert_eq!(
        (odo.condition.as_deref(), &odo.condition_known_in),
        (Some("dead"), &Some(EntityId::new("hale").unwrap()))
    );
    assert_eq!(entity("bera-holt").condition_known_in, None);
}
