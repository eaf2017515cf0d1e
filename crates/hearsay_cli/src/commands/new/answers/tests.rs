//! Tests of the answers.

use super::*;

/// Returns the names and remarks in an answer, as `name|remark`.
fn names(answer: &str) -> Vec<String> {
    let described = |item: Item| {
        let parts = [Some(item.name), item.parentheses, item.remark];
        parts.into_iter().flatten().collect::<Vec<_>>().join("|")
    };
    items(answer).into_iter().map(described).collect()
}

#[test]
fn names_are_separated_from_remarks() {
    for (answer, expected) in [
        (
            "Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks",
            &["Mirela Voss|the landlady", "Odo Brandt|a ferryman who drinks"][..],
        ),
        (
            "Mirela Voss, the landlady, and Odo Brandt, a ferryman",
            &["Mirela Voss|the landlady", "Odo Brandt|a ferryman"],
        ),
        (
            "Mirela Voss, the landlady and Odo Brandt, a ferryman",
            &["Mirela Voss|the landlady", "Odo Brandt|a ferryman"],
        ),
        ("Mirela the landlady and Odo who drinks", &["Mirela|the landlady", "Odo|who drinks"]),
        ("Ysolde Fenn the landlady, who hates the bailiff", &["Ysolde Fenn|the landlady, who hates the bailiff"]),
        ("The inn by the mill, a ruin", &["The inn by the mill|a ruin"]),
        (
            "Odo the Red, a smuggler from Salt Quay and Gullhaven",
            &["Odo the Red|a smuggler from Salt Quay and Gullhaven"],
        ),
        ("Mirela (landlady), Odo - a ferryman.", &["Mirela|landlady", "Odo|a ferryman"]),
        ("mirela voss, the landlady, odo", &["Mirela Voss|the landlady", "Odo"]),
        (
            "Žofie: keeps bees; 宿屋; D'Arcy \"the Knife\" Bell",
            &["Žofie|keeps bees", "宿屋", "D'Arcy \"the Knife\" Bell"],
        ),
        (
            "\"The Voice: Echo; or not\", a ghost; Ludwig van der Hoek",
            &["The Voice: Echo; or not|a ghost", "Ludwig van der Hoek"],
        ),
        ("a hooded stranger; Mr. Jones Jr.", &["The hooded stranger", "Mr. Jones Jr."]),
        ("Keeper of the Bell, drunk and cheerful", &["Keeper of the Bell|drunk and cheerful"]),
        ("Unbalanced (Ben, Odo \"the Knife", &["Unbalanced (Ben", "Odo \"the Knife"]),
        (" , ; ", &[]),
    ] {
        assert_eq!(names(answer), expected, "{answer}");
    }
}

#[test]
fn player_characters_have_players() {
    let played = |answer: &str| {
        let text = |character: PlayedCharacter| {
            let (player, remark) = (character.player.unwrap_or_default(), character.remark.unwrap_or_default());
            format!("{}|{player}|{remark}", character.name)
        };
        players(answer).into_iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(played("Wren Oake (Ben), Dorric Stane (Cleo)"), ["Wren Oake|Ben|", "Dorric Stane|Cleo|"]);
    // The longer name is the character, because players are named by their first names.
    assert_eq!(played("Mara: Nyssa Vale, Tom: Kash Orlo"), ["Nyssa Vale|Mara|", "Kash Orlo|Tom|"]);
    assert_eq!(played("Nyssa Vale: Mara, Kash: Tom"), ["Nyssa Vale|Mara|", "Kash|Tom|"]);
    assert_eq!(played("Mara: Nyssa Vale, a thief"), ["Nyssa Vale|Mara|a thief"]);
    assert_eq!(played("Wren Oake (Ben) and Dorric Stane (Cleo)"), ["Wren Oake|Ben|", "Dorric Stane|Cleo|"]);
    assert_eq!(played("Wren Oake (Ben), an elf ranger; Dorric"), ["Wren Oake|Ben|an elf ranger", "Dorric||"]);
    assert_eq!(played("Wren (Ben, an elf), Dorric played by Cleo"), ["Wren|Ben|an elf", "Dorric|Cleo|"]);
    assert_eq!(played("Ben plays Wren Oake and Cleo plays Dorric"), ["Wren Oake|Ben|", "Dorric|Cleo|"]);
    assert_eq!(played("Wren: Ben; Dorric - Cleo"), ["Wren|Ben|", "Dorric|Cleo|"]);
    assert_eq!(played("Wren Oake - Ben - a ranger, shy"), ["Wren Oake|Ben|a ranger, shy"]);
    assert_eq!(played("wren (ben), dorric"), ["Wren|Ben|", "Dorric||"]);
}

#[test]
fn a_place_can_lie_in_a_larger_place() {
    let found = |answer: &str| {
        let place = place(answer);
        format!("{}|{}|{}", place.name, place.remark.unwrap_or_default(), place.within.unwrap_or_default())
    };
    assert_eq!(found("the Gilded Gull, an inn in Gullhaven"), "The Gilded Gull|an inn in Gullhaven|Gullhaven");
    assert_eq!(found("We begin in the Gilded Gull, an inn"), "The Gilded Gull|an inn|");
    assert_eq!(found("The session starts at Salt Quay"), "Salt Quay||");
    assert_eq!(found("The heroes arrive at Fen Gate, a toll house"), "Fen Gate|a toll house|");
    assert_eq!(found("They meet inside Fen Gate"), "Fen Gate||");
    assert_eq!(found("We start aboard the Salt Wren"), "The Salt Wren||");
    assert_eq!(found("in the Gilded Gull in Gullhaven"), "The Gilded Gull|in Gullhaven|Gullhaven");
    assert_eq!(found("The Gilded Gull, Gullhaven"), "The Gilded Gull||Gullhaven");
    assert_eq!(
        found("an inn called the Gilded Gull in Port Sable."),
        "The Gilded Gull|an inn in Port Sable|Port Sable"
    );
    assert_eq!(
        found("the Gull, an inn in the town of Port Sable, by the sea"),
        "The Gull|an inn in the town of Port Sable, by the sea|Port Sable"
    );
    assert_eq!(found("a ruined mill by the river"), "The ruined mill|by the river|");
    assert_eq!(found("Gullhaven"), "Gullhaven||");
    assert_eq!(found("The Gull (an inn)"), "The Gull|an inn|");
}

#[test]
fn a_secret_can_name_its_knower() {
    let found = |answer: &str| {
        let secret = secret(answer);
        (secret.text, secret.knower)
    };
    assert_eq!(found("Mirela hid the ledger"), ("Mirela hid the ledger.".into(), None));
    assert_eq!(found("Odo knows that Mirela hid the ledger"), ("Mirela hid the ledger.".into(), Some("Odo".into())));
    assert_eq!(found("Odo knows where it is"), ("Odo knows where it is.".into(), Some("Odo".into())));
    let both = ("The mayor is a wolf.".into(), Some("Mirela and Odo".into()));
    assert_eq!(found("Mirela and Odo both know that the mayor is a wolf"), both);
    assert_eq!(found("nobody here knows that it burned"), ("Nobody here knows that it burned.".into(), None));
}

#[test]
fn remarks_become_sentences() {
    assert_eq!(describe("Odo Brandt", "a ferryman who drinks"), "Odo Brandt is a ferryman who drinks.");
    assert_eq!(describe("Odo Brandt", "who drinks"), "Odo Brandt drinks.");
    assert_eq!(describe("Odo Brandt", "landlady"), "Odo Brandt: landlady.");
    assert_eq!(describe("The Gull", "in Gullhaven"), "The Gull is in Gullhaven.");
}
