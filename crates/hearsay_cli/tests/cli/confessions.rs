//! Tests of secrets that a character tells in other words, in a campaign whose open facts share the important words.

use super::*;

const DYEWORKS: &str = r#"
format: 1
campaign: {name: The Dyeworks, start: day 1}
entities:
  - {id: dyeworks, name: The Dyeworks, kind: location}
  - {id: jorun, name: Jorun Vesk, kind: npc, home: dyeworks}
  - {id: amsel, name: Lady Amsel, kind: npc, home: dyeworks}
  - {id: petra, name: Petra, kind: npc, home: dyeworks}
  - {id: greta, name: Greta, kind: npc, home: dyeworks}
  - {id: holm, name: Sergeant Holm, kind: npc, home: dyeworks}
  - {id: tilda, name: Tilda, kind: player, player: Eva, location: dyeworks}
facts:
  - {id: will, text: "Jorun Vesk falsified the Regent's will for Lady Amsel.", about: [jorun, amsel], secret: true, known_by: [jorun, amsel]}
  - {id: earl, text: "A wounded earl is kept alive in the vat house behind the indigo.", about: [petra], secret: true, known_by: [petra]}
  - {id: mill, text: "Greta saw Sergeant Holm leave the fulling mill in the night.", about: [greta, holm], secret: true, known_by: [greta, petra]}
  - {text: "The Regent signed the charter of the dyers.", about: [dyeworks]}
  - {text: "Jorun Vesk wrote letters for the Regent.", about: [jorun]}
  - {text: "Lady Amsel danced with the Regent at the fair.", about: [amsel]}
  - {text: "Petra stirs the indigo in the vat house.", about: [petra]}
  - {text: "Sergeant Holm guards the fulling mill.", about: [holm]}
"#;

#[test]
fn the_dm_is_asked_about_an_own_secret_in_other_words() {
    let test_dir = TestDir::new();
    test_dir.write("hall/campaign.yaml", DYEWORKS);
    test_dir.ok(&["-C", "hall", "session", "start", "--at", "dyeworks"]);
    let asked = |speaker: &str, words: &str| {
        let logged = test_dir.json(&["-C", "hall", "log", "--dry-run", "--by", speaker, words]);
        let facts = logged["may_state"].as_array().unwrap_or_else(|| panic!("{words}: {logged}"));
        // Open facts have no handle.
        facts.iter().filter_map(|fact| fact["handle"].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    for (speaker, words, secret) in [
        ("jorun", "It was me, that testament is my hand! The Regent never saw it.", "will"),
        ("amsel", "Jorun sold me a forged testament of the Regent.", "will"),
        ("petra", "There is a living earl in the vat house, behind the indigo.", "earl"),
        ("petra", "It was you, Sergeant Holm! She saw you that night!", "mill"),
    ] {
        assert_eq!(asked(speaker, words), [secret], "{speaker}: {words}");
    }
    for (speaker, words) in [
        ("jorun", "It was me who greeted the Regent."),
        ("jorun", "It was me, I broke the lamp."),
        ("petra", "The indigo in the vat house is ready."),
        ("petra", "It was you, Sergeant Holm, who drank my beer!"),
        // These speakers do not know the secrets.
        ("holm", "It was me, that testament is my hand!"),
    ] {
        assert_eq!(asked(speaker, words), [""; 0], "{speaker}: {words}");
    }
}
