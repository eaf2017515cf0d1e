//! Tests of text that few may know: false names, secret memberships, and several secrets in one text.

use hearsay_model::{EntityId, Kind};

use super::{
    super::{PageDraft, read},
    entity, ids, joined,
};

/// Returns the text of each secret of an entity, whether the entity knows it, and the other knowers.
fn secrets(made: &PageDraft, id: &str) -> Vec<(String, bool, Vec<String>)> {
    let others = |ids: &[EntityId]| ids.iter().map(EntityId::to_string).collect::<Vec<_>>();
    let secrets = entity(made, id).secrets.iter();
    secrets.map(|secret| (secret.text.clone(), !secret.is_unknown_to_owner, others(&secret.known_by))).collect()
}

fn groups(made: &PageDraft, id: &str) -> Vec<String> {
    entity(made, id).groups.iter().map(|group| group.group.to_string()).collect()
}

#[test]
fn a_false_name_is_a_secret_name_and_a_cover_story() {
    let page = "\
# Hollow Quay

## People

- Ilka Storr - dyer. Lives in the Vat. Passes as a widow named Brenna; only Joost knows.
- Joost Pell - ferryman. Lives in the Vat.
- Ruben Karst - tanner. He poses as the son of a count.

## Places

- The Vat - a house.
";
    let made = read(page, None, "town");
    assert_eq!(ids(&made, &Kind::Npc), ["ilka-storr", "joost-pell", "ruben-karst"]);
    assert!(!made.unrecognized.contains(&"Brenna".to_owned()), "{:?}", made.unrecognized);
    let ilka = entity(&made, "ilka-storr");
    assert_eq!(joined(&ilka.description), "Ilka Storr - dyer. Lives in the Vat.");
    assert!(ilka.aliases.is_empty(), "the false name is no open alias: {:?}", ilka.aliases);
    let names: Vec<(&str, &str)> =
        ilka.secret_names.iter().map(|name| (name.name.as_str(), name.known_by[0].as_str())).collect();
    assert_eq!(names, [("Brenna", "joost-pell")]);
    let known = &secrets(&made, "ilka-storr")[0];
    assert_eq!((known.1, &known.2[..]), (true, &["joost-pell".to_owned()][..]), "{known:?}");
    assert_eq!(joined(&entity(&made, "ruben-karst").description), "Ruben Karst - tanner.");
    let lies = made.draft.lies.iter().map(|lie| (lie.by.as_str(), lie.text.text.as_str(), lie.truth_is.is_some()));
    let expected =
        [("ilka-storr", "Brenna is a widow.", true), ("ruben-karst", "Ruben Karst is the son of a count.", true)];
    assert_eq!(lies.collect::<Vec<_>>(), expected);
    // Nobody believes a cover story until the notes name the hearers.
    assert!(made.draft.lies.iter().all(|lie| lie.told_to.is_empty()), "{:?}", made.draft.lies);
}

const OARS: &str = "\
# Hollow Quay

## People

- Ilka Storr - dyer, leader of the Pale Oars. Lives in the Vat.
- Joost Pell - ferryman. Member of the Pale Oars.

## Places

- The Vat - a house.

## Factions

- The Pale Oars - smugglers. Led by Ilka Storr. Members: Joost Pell, Ilka Storr.
";

#[test]
fn a_membership_that_a_secret_states_is_not_open() {
    let made = read(OARS, None, "town");
    assert_eq!(groups(&made, "ilka-storr"), ["the-pale-oars"], "without a secret, the membership is open");
    let page = format!("{OARS}\n## Secrets\n\n- Nobody knows that Ilka leads the Pale Oars.\n");
    let made = read(&page, None, "town");
    assert_eq!(groups(&made, "ilka-storr"), [""; 0]);
    assert_eq!(groups(&made, "joost-pell"), ["the-pale-oars"], "the secret is not about Joost");
    let ilka = entity(&made, "ilka-storr");
    assert_eq!(joined(&ilka.description), "Ilka Storr - dyer. Lives in the Vat.");
    assert_eq!(ilka.home.as_ref().map(EntityId::as_str), Some("the-vat"));
    assert!(secrets(&made, "ilka-storr").iter().all(|(_, knows, others)| *knows && others.is_empty()));
    assert_eq!(joined(&entity(&made, "the-pale-oars").description), "The Pale Oars - smugglers.");
    let hidden = secrets(&made, "the-pale-oars");
    assert_eq!(hidden.len(), 2, "{hidden:?}");
    assert!(hidden.iter().all(|(_, knows, others)| !knows && others.is_empty()), "{hidden:?}");
}

#[test]
fn the_knowers_of_one_secret_do_not_know_the_next() {
    let page = "\
# Hollow Quay

## People

- Ilka Storr - dyer.
- Joost Pell - ferryman.
- Ruben Karst - tanner.

## Background

Only Joost knows that Ilka burned the quay. Nobody knows that Ruben robs the dead.
";
    let made = read(page, None, "town");
    let ilka = secrets(&made, "ilka-storr");
    assert_eq!(ilka, [("Ilka burned the quay.".to_owned(), false, vec!["joost-pell".to_owned()])]);
    let ruben = secrets(&made, "ruben-karst");
    assert_eq!(ruben.len(), 1, "{ruben:?}");
    assert!(ruben[0].0.contains("robs the dead") && ruben[0].2.is_empty(), "{ruben:?}");
}

#[test]
fn marks_of_secrecy_within_an_entry_hide_what_they_stand_beside() {
    let page = "\
# Hollow Quay

## People

- Ilka Storr: dyer. Robs the boats at night (secret). Loud.
- Joost Pell: ferryman. Known as the Stork (secret). Fat.
- Ruben Karst: tanner, Pale Oars member - only Joost knows

## Factions

- The Pale Oars: smugglers.
";
    let made = read(page, None, "town");
    assert_eq!(joined(&entity(&made, "ilka-storr").description), "Ilka Storr: dyer.");
    let ilka = secrets(&made, "ilka-storr");
    assert!(ilka.iter().any(|(text, ..)| text.contains("Ilka Storr robs the boats")), "{ilka:?}");
    let joost = entity(&made, "joost-pell");
    assert_eq!((joined(&joost.description).as_str(), joost.aliases.len()), ("Joost Pell: ferryman.", 0), "{joost:?}");
    assert_eq!(joined(&entity(&made, "ruben-karst").description), "Ruben Karst: tanner");
    assert_eq!(groups(&made, "ruben-karst"), [""; 0]);
    let ruben = secrets(&made, "ruben-karst");
    assert_eq!(ruben.len(), 1, "{ruben:?}");
    assert!(ruben[0].0.contains("Pale Oars member") && ruben[0].2 == ["joost-pell"], "{ruben:?}");
}

#[test]
fn a_sentence_about_the_unnamed_party_describes_no_place() {
    let page = "\
# Hollow Quay

Players: Wren Oake (Ben), Pia Stane (Cleo)

The two of them arrive in Hollow Quay at dusk. The party starts in the Vat, an inn in Hollow Quay.

Ilka Storr is a dyer. Joost Pell is a ferryman. Both of them fear the tide.

## Places

- Hollow Quay - a port.
- The Vat - an inn in Hollow Quay.
";
    let made = read(page, None, "town");
    assert_eq!(joined(&entity(&made, "hollow-quay").description), "Hollow Quay - a port.");
    assert_eq!(made.draft.start.as_ref().map(EntityId::as_str), Some("the-vat"));
    let game = joined(&made.dm_only);
    assert!(game.contains("The two of them arrive") && !game.contains("Both of them"), "{game}");
}

#[test]
fn a_labelled_lie_with_a_pronoun_is_told_by_the_person_of_the_entry() {
    let page = "\
# Hollow Quay

## People

### Ilka Storr

A dyer. Lives in the Vat.

**Lie:** She tells everybody that the vats are clean.

### Joost Pell

**Occupation:** ferryman
**Home:** the Vat
Hates the dyer.

## Places

- The Vat - a house.
";
    let made = read(page, None, "town");
    assert_eq!(super::told(&made), ["9 ilka-storr > the-vat: The vats are clean."]);
    let joost = entity(&made, "joost-pell");
    assert_eq!(joost.home.as_ref().map(EntityId::as_str), Some("the-vat"));
    assert!(joined(&joost.description).ends_with(" / Hates the dyer."), "{:?}", joost.description);
}

#[test]
fn a_secret_begins_with_the_name_of_its_person_who_knows_its_own_deeds() {
    let page = "\
# Hollow Quay

## People

### Ilka Storr

Dyer, thin. Secretly sells the ferry ledgers. Only Joost Pell knows.

### Joost Pell

Ferryman. Leads the Pale Oars in secret; nobody knows it but Ruben Karst.

### Ruben Karst

Tanner.

**Secret:** Inherits the quay when the reeve dies. Ilka alone knows.

### Mette Orr

Fishwife.

**Truth:** She killed the reeve. No one except Ruben knows this.

### Sanne Deem

Smith. Her brother Tam drinks.

**Secret:** He stole the anvil.

## Factions

- The Pale Oars: smugglers.
";
    let made = read(page, None, "town");
    for (id, text, knows, others) in [
        ("ilka-storr", "Ilka Storr secretly sells the ferry ledgers.", true, Some("joost-pell")),
        ("joost-pell", "Joost Pell leads the Pale Oars in secret.", true, Some("ruben-karst")),
        ("ruben-karst", "Ruben Karst inherits the quay when the reeve dies.", false, Some("ilka-storr")),
        ("mette-orr", "Mette Orr killed the reeve.", true, Some("ruben-karst")),
        // The pronoun means the brother.
        ("sanne-deem", "He stole the anvil.", true, None),
    ] {
        let others: Vec<String> = others.into_iter().map(str::to_owned).collect();
        assert_eq!(secrets(&made, id), [(text.to_owned(), knows, others)], "{id}");
    }
}

#[test]
fn secrets_in_brackets_and_implied_knowers_are_read() {
    let page = "\
# Hollow Quay

## People

- Ilka Storr - dyer. Warm and loud. (secret: she sells names to the Pale Oars)
- Joost Pell \u{2013} street surgeon. On the take [GM: the reeve pays him]. Drinks.
- Ruben Karst - tanner. He had the quay burned by Joost Pell. Only the two of them know.

## Factions

### The Pale Oars

Smugglers. Secretly led by Ruben Karst.
";
    let made = read(page, None, "town");
    assert_eq!(joined(&entity(&made, "ilka-storr").description), "Ilka Storr - dyer. Warm and loud.");
    let joost = joined(&entity(&made, "joost-pell").description);
    assert!(joost.ends_with("On the take. Drinks."), "{joost}");
    for (id, text, knows, others) in [
        ("ilka-storr", "Ilka Storr sells names to the Pale Oars", true, None),
        ("joost-pell", "The reeve pays him", true, None),
        ("ruben-karst", "Ruben Karst had the quay burned by Joost Pell.", true, Some("joost-pell")),
        ("the-pale-oars", "The Pale Oars: Secretly led by Ruben Karst.", false, Some("ruben-karst")),
    ] {
        let others: Vec<String> = others.into_iter().map(str::to_owned).collect();
        assert_eq!(secrets(&made, id), [(text.to_owned(), knows, others)], "{id}");
    }
}

#[test]
fn a_sentence_that_begins_with_in_truth_is_secret() {
    let page = "\
# Hollow Quay

Joost Pell is a ferryman. The truth is that he snores.

Ilka Storr is a dyer. She is loud. In truth she is hunting the reeve. Only Joost knows.
";
    let made = read(page, None, "town");
    assert_eq!(joined(&entity(&made, "ilka-storr").description), "Ilka Storr is a dyer. She is loud.");
    let expected = ("Ilka Storr is hunting the reeve.".to_owned(), true, vec!["joost-pell".to_owned()]);
    assert_eq!(secrets(&made, "ilka-storr"), [expected]);
    assert!(entity(&made, "joost-pell").secrets.is_empty(), "{:?}", entity(&made, "joost-pell").secrets);
}
