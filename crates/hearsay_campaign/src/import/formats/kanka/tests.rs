//! Exports of Kanka that were written for these tests. The id of an entity always differs from the id of the character,
//! place or other record that it belongs to.

use std::io::Write;

use hearsay_model::{Kind, Setting, WorldSetting};

use crate::{
    Format,
    tests::notes::{assert_hushed, kind, numbered_secrets, read, relations, skipped, texts, values},
};

const ANN: &str = r#"{"id": 5, "name": "Ann Oak", "type": "Smith", "title": "Mistress", "age": "40", "is_private": 0, "entry": "<p>Works for [organisation:11|the guild] with [character:12].</p><p>Born in [location:13|page:x].</p>",
  "characterTraits": [{"section_id": 1, "name": "Hair", "entry": "grey", "is_private": 0}],
  "organisationMemberships": [{"id": 1, "organisation_id": 7, "role": "Warden", "is_private": 0}],
  "characterFamilies": [{"family_id": 3}], "characterRaces": [{"race_id": 2}], "location_id": 9,
  "entity": {"id": 10, "is_private": 0, "relationships": [{"owner_id": 10, "target_id": 12, "relation": "Rival", "attitude": -40, "visibility_id": 1}, {"owner_id": 10, "target_id": 14, "relation": "Father", "visibility_id": 5}],
    "entityTags": [{"tag_id": 1}], "reminders": [{"calendar_id": 1, "year": -3, "month": 2, "day": 9, "type_id": 2, "visibility_id": 1}],
    "posts": [{"name": "Rumours", "entry": "<p>She sings.</p>", "visibility_id": 1}], "inventories": [{"item_id": 4, "visibility_id": 1}]}}"#;

fn character(id: u32, entity: u32, name: &str, extra_json: &str) -> String {
    format!(
        r#"{{"id": {id}, "name": "{name}", "is_private": 0, "entry": null, "entity": {{"id": {entity}, "is_private": 0}}{extra_json}}}"#
    )
}

#[test]
fn entities_are_read_with_both_of_their_ids() {
    let bob = character(10, 12, "Bob Elm", r#", "is_dead": true, "type": "NPC""#);
    let old = character(12, 14, "Old Oak", r#", "status_id": 2"#);
    let hero = character(13, 16, "Petra", r#", "type": "Player Character""#);
    let campaign = read(
        &[
            ("campaign.json", r#"{"name": "Oaks"}"#),
            (
                "calendars/c_1.json",
                r#"{"id": 1, "name": "C", "suffix": "AT", "months": "[{\"name\": \"Frost\", \"length\": 30}, {\"name\": \"Rain\", \"length\": 28}]", "entity": {"id": 90}}"#,
            ),
            ("characters/ann_10.json", ANN),
            ("characters/bob_12.json", &bob),
            ("characters/old_14.json", &old),
            ("characters/petra_16.json", &hero),
            (
                "organisations/guild_11.json",
                r#"{"id": 7, "name": "The Guild", "is_private": false, "members": [{"character_id": 10, "role": "Clerk", "is_private": 0, "status_id": 1}], "entity": {"id": 11}}"#,
            ),
            (
                "locations/town_13.json",
                r#"{"id": 9, "name": "Town", "location_id": 8, "entity": {"id": 13, "is_private": 0}}"#,
            ),
            ("locations/vale_15.json", r#"{"id": 8, "name": "Vale", "is_private": 0, "entity": {"id": 15}}"#),
            ("families/oaks_20.json", r#"{"id": 3, "name": "The Oaks", "is_private": 0, "entity": {"id": 20}}"#),
            ("races/dwarf_21.json", r#"{"id": 2, "name": "Dwarf", "is_private": 0, "entity": {"id": 21}}"#),
            (
                "items/key_22.json",
                r#"{"id": 4, "name": "Key", "is_private": 0, "character_id": 12, "entity": {"id": 22}}"#,
            ),
            (
                "quests/hunt_23.json",
                r#"{"id": 1, "name": "Hunt", "is_private": 0, "instigator_id": 12, "is_completed": true, "elements": [{"entity_id": 10, "role": "Scout", "visibility_id": 1, "description": "<p>She leads.</p>"}], "entity": {"id": 23}}"#,
            ),
            (
                "journals/s_24.json",
                r#"{"id": 1, "name": "Session 2", "type": "Session", "date": "2024-05-01", "is_private": 0, "entry": "<p>They met [character:10|Ann].</p>", "entity": {"id": 24}}"#,
            ),
            ("tags/smiths_25.json", r#"{"id": 1, "name": "Smiths", "is_private": 0, "entity": {"id": 25}}"#),
        ],
        Format::Kanka,
    );
    assert_eq!(
        relations(&campaign),
        [
            "ann-oak CHILD_OF old-oak",
            "ann-oak HOSTILE_TO bob-elm",
            "ann-oak LOCATED_AT town",
            "ann-oak MEMBER_OF the-guild",
            "ann-oak MEMBER_OF the-oaks",
            "ann-oak OWNS key",
            "ann-oak PARTICIPATED_IN hunt",
            "bob-elm MEMBER_OF the-guild",
            "bob-elm QUEST_GIVER hunt",
            "old-oak OWNS key",
            "town PART_OF vale"
        ]
    );
    let hostile = campaign.facts().find(|fact| fact.predicate().as_str() == "HOSTILE_TO").unwrap();
    assert_eq!(hostile.attitude().map(|attitude| attitude.get()), Some(-40));
    let former =
        campaign.facts().find(|fact| fact.subject().as_str() == "bob-elm" && fact.predicate().as_str() == "MEMBER_OF");
    assert!(former.unwrap().validity().is_closed(), "who is no longer a member was one");
    assert_eq!(kind(&campaign, "petra"), Some(Kind::Player));
    assert_eq!(values(&campaign, "bob-elm", "condition"), ["dead"]);
    assert_eq!(values(&campaign, "old-oak", "condition"), ["missing"]);
    assert_eq!(values(&campaign, "ann-oak", "species"), ["Dwarf"]);
    assert_eq!(values(&campaign, "ann-oak", "tag"), ["Smiths"]);
    assert_eq!(values(&campaign, "ann-oak", "date"), ["-3-2-9"]);
    let born = campaign.facts().find(|fact| fact.predicate().as_str() == "date").unwrap();
    let calendar = campaign.settings.iter().find_map(|setting| match setting {
        Setting::World(WorldSetting::Calendar(calendar)) => Some(calendar),
        _ => None,
    });
    let time = born.validity().from.as_ref().and_then(|date| date.time);
    assert_eq!(time.map(|time| calendar.unwrap().format(time)).as_deref(), Some("9 Rain -3 AT"));
    let texts = texts(&campaign);
    for text in ["Ann Oak| Works for the guild with Bob Elm.", "Ann Oak| Born in Town.", "Ann Oak: Rumours| She sings."]
    {
        assert!(texts.iter().any(|found| found == text), "{text} in {texts:#?}");
    }
    assert!(campaign.findings.dangling.is_empty(), "{:?}", campaign.findings.dangling);
}

/// Tests every field in which Kanka hides content from players.
#[test]
fn private_content_stays_private() {
    let ann = r#"{"id": 5, "name": "Ann", "is_private": 0, "is_personality_visible": 0, "entry": "<p>Open, with [character:12] and [character:12|Hush].</p>",
      "characterTraits": [{"section_id": 1, "name": "Looks", "entry": "hush one", "is_private": 1}, {"section_id": 2, "name": "Fears", "entry": "hush two", "is_private": 0}],
      "organisationMemberships": [{"organisation_id": 7, "role": "Hush", "is_private": 1}], "race_id": 2,
      "entity": {"id": 10, "is_private": 0, "is_attributes_private": 0,
        "relationships": [{"owner_id": 10, "target_id": 13, "relation": "hush three", "visibility_id": 2}, {"owner_id": 10, "target_id": 13, "relation": "hush four", "visibility_id": 3}, {"owner_id": 10, "target_id": 13, "relation": "hush five", "visibility_id": 4}, {"owner_id": 10, "target_id": 12, "relation": "hush six", "visibility_id": 1}, {"owner_id": 10, "target_id": 13, "relation": "hush wrong", "visibility_id": [1]}],
        "posts": [{"name": "P", "entry": "<p>Hush seven.</p>", "visibility_id": 2}, {"name": "GM secrets", "entry": "<p>Hush eight.</p>", "visibility_id": 1}, {"name": "Q", "entry": "<p>Hush old.</p>", "visibility": "admin"}],
        "entityAttributes": [{"name": "Weakness", "value": "hush nine", "is_private": 1}, {"name": "Debt", "value": "hush ten", "is_hidden": true}],
        "entityTags": [{"tag_id": 1}], "reminders": [{"year": 1, "month": 1, "day": 1, "comment": "Hush eleven", "visibility_id": 2}],
        "assets": [{"type_id": 3, "name": "Hush Alias", "visibility_id": 2}], "inventories": [{"item_id": 4, "visibility_id": 2}]}}"#;
    let bob = r#"{"id": 10, "name": "Hush Bob", "is_private": 1, "entry": "<p>Hush twelve.</p>", "location_id": 9, "entity": {"id": 12}}"#;
    let cob = r#"{"id": 11, "name": "Cob", "is_private": 0, "entity": {"id": 13, "is_private": 0, "is_attributes_private": 1, "entityAttributes": [{"name": "Age", "value": "hush thirteen", "is_private": 0}]}}"#;
    let campaign = read(
        &[
            ("characters/ann_10.json", ann),
            ("characters/bob_12.json", bob),
            ("characters/cob_13.json", cob),
            (
                "organisations/o_11.json",
                r#"{"id": 7, "name": "Hush Order", "is_private": 0, "members": [], "entity": {"id": 11, "is_private": 1}}"#,
            ),
            ("locations/l_14.json", r#"{"id": 9, "name": "Inn", "is_private": 0, "entity": {"id": 14}}"#),
            ("races/r_15.json", r#"{"id": 2, "name": "Hush Race", "is_private": 1, "entity": {"id": 15}}"#),
            ("tags/t_16.json", r#"{"id": 1, "name": "Hush Tag", "is_private": 1, "entity": {"id": 16}}"#),
            ("items/i_17.json", r#"{"id": 4, "name": "Hush Blade", "is_private": 1, "entity": {"id": 17}}"#),
            (
                "quests/q_18.json",
                r#"{"id": 1, "name": "Errand", "is_private": 0, "elements": [{"entity_id": 12, "role": "x", "visibility_id": 1, "description": "<p>Hush fourteen.</p>"}, {"entity_id": 10, "name": "y", "visibility_id": 2, "description": "<p>Hush fifteen.</p>"}], "entity": {"id": 18}}"#,
            ),
        ],
        Format::Kanka,
    );
    assert_hushed(
        &campaign,
        &numbered_secrets(
            15,
            &["hush old", "hush order", "hush race", "hush tag", "hush blade", "hush alias", "hush wrong"],
        ),
        &[],
    );
}

#[test]
fn an_export_is_read_from_its_archive() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let bomb = " ".repeat(3 << 20);
    let files = [
        ("characters/ann_10.json", character(5, 10, "Ann", "")),
        ("characters/bad_11.json", "{".to_owned()),
        ("characters/bomb_12.json", bomb),
        ("../characters/out_13.json", character(6, 13, "Out", "")),
    ];
    for (name, text) in files {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    std::fs::write(&path, bytes).unwrap();
    let campaign = crate::read_any(&path, &Default::default(), &Default::default()).unwrap();
    assert_eq!(campaign.findings.format, Some(Format::Kanka));
    let ids: Vec<_> = campaign.entities().keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["ann"]);
    let skipped = skipped(&campaign);
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    assert!(
        skipped[0].contains("points outside the archive")
            && skipped[1].contains("unexpected end")
            && skipped[2].contains("compressed by more than"),
        "{skipped:?}"
    );
}

#[test]
fn wrong_types_leave_the_rest() {
    let malformed = r#"{"id": {}, "name": "Ann", "is_private": "x", "entry": 4, "characterTraits": 7, "organisationMemberships": {"a": 1}, "entity": {"id": "10", "relationships": "x", "posts": [3, null], "entityAttributes": [[]], "reminders": [{"year": []}]}}"#;
    let campaign =
        read(&[("characters/ann_10.json", malformed.as_bytes()), ("characters/no_11.json", b"[]")], Format::Kanka);
    assert_eq!(kind(&campaign, "ann"), Some(Kind::Npc));
    assert_eq!(skipped(&campaign).len(), 1);
}
