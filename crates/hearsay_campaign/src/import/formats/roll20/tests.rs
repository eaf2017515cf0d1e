//! Exports of Roll20 that were written for these tests.

use hearsay_model::Kind;

use crate::{
    Format,
    tests::notes::{assert_hushed, kind, known, numbered_secrets, read, skipped, texts, values},
};

const CAMPAIGN: &str = r#"{"schema_version": 3, "campaign_title": "Harbour",
  "journalfolder": "[{\"n\": \"Places\", \"i\": [\"-h1\"]}, {\"n\": \"GM only\", \"i\": [\"-h4\"]}, \"-c1\"]",
  "characters": [
    {"id": "-c1", "name": "Petra", "bio": "<p>Came by sea.</p>", "gmnotes": "<p>Hush one.</p>", "inplayerjournals": "all", "controlledby": "-p1", "attribs": [{"name": "race", "current": "Gnome"}, {"name": "strength", "current": "12"}]},
    {"id": "-c2", "name": "Innkeeper Ott", "bio": "<p>Pours for <a href=\"http://journal.roll20.net/character/-c1\">her</a>.</p>", "gmnotes": "%3Cp%3EHush%20two.%3C/p%3E", "inplayerjournals": ["all"], "controlledby": "", "attributes": [{"name": "alignment", "current": "neutral"}]},
    {"id": "-c3", "name": "Hush Spy", "bio": "<p>Hush three.</p>", "gmnotes": "", "inplayerjournals": "", "controlledby": "", "attribs": []},
    {"id": "-c4", "name": "Hush Friend", "bio": "<p>Hush four.</p>", "gmnotes": "<p>Hush five.</p>", "inplayerjournals": "-p1", "controlledby": "", "attribs": []}],
  "handouts": [
    {"id": "-h1", "name": "Lighthouse", "notes": "<p>White.</p>", "gmnotes": "<p>Hush six.</p>", "inplayerjournals": "all"},
    {"id": "-h2", "name": "A letter", "notes": "<p>Come home.</p>", "gmnotes": "", "inplayerjournals": "all"},
    {"id": "-h3", "name": "Hush Map", "notes": "<p>Hush seven.</p>", "gmnotes": "", "inplayerjournals": ""},
    {"id": "-h4", "name": "Hush Plan", "notes": "<p>Hush eight.</p>", "gmnotes": "", "inplayerjournals": "all"}]}"#;

#[test]
fn characters_and_handouts_are_read() {
    let campaign = read(&[("campaign.json", CAMPAIGN)], Format::Roll20);
    assert_eq!(kind(&campaign, "petra"), Some(Kind::Player), "who controls it plays it");
    assert_eq!(kind(&campaign, "innkeeper-ott"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "lighthouse"), Some(Kind::Location), "by its folder");
    assert_eq!(kind(&campaign, "a-letter"), Some(Kind::Document));
    assert_eq!(values(&campaign, "petra", "species"), ["Gnome"]);
    assert!(values(&campaign, "petra", "strength").is_empty(), "numbers of the rules are left out");
    assert!(texts(&campaign).contains(&"Innkeeper Ott| Pours for her.".to_owned()));
    let pours = campaign.passages().find(|passage| passage.text.contains("Pours")).unwrap();
    assert!(pours.mentions.iter().any(|id| id.as_str() == "petra"));
}

#[test]
fn private_content_stays_private() {
    let campaign = read(&[("campaign.json", CAMPAIGN)], Format::Roll20);
    let secrets = numbered_secrets(8, &["hush spy", "hush friend", "hush map", "hush plan"]);
    assert_hushed(&campaign, &secrets, &["petra"]);
    let of_petra = known(&campaign).into_iter().filter(|(_, words)| words.contains("hush"));
    for (knower, words) in of_petra {
        assert!(knower == "petra" && words.contains("hush-friend") && !words.contains("hush five"), "{words}");
    }
}

#[test]
fn single_exports_and_bad_files() {
    let campaign = read(
        &[
            (
                "a.json",
                r#"{"schema_version": 1, "type": "character", "character": {"oldId": "-x", "name": "Ann", "bio": "Hi.", "gmnotes": "hush", "attribs": [], "inplayerjournals": "all"}}"#,
            ),
            (
                "b.json",
                r#"{"type": "handout", "name": "Deed", "notes": "Signed.", "gmnotes": "", "inplayerjournals": "all"}"#,
            ),
            (
                "c.json",
                r#"{"characters": [{"name": 3}, 4, {"name": "Wrong", "bio": [], "gmnotes": {}, "attribs": "x", "inplayerjournals": 7, "controlledby": {}}]}"#,
            ),
            ("d.json", r#"{"characters": ["#),
        ],
        Format::Roll20,
    );
    assert_eq!(kind(&campaign, "ann"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "deed"), Some(Kind::Document));
    assert_eq!(kind(&campaign, "wrong"), Some(Kind::Npc));
    assert_eq!(skipped(&campaign).len(), 1);
    assert_hushed(&campaign, &[], &[]);
}
