//! Campaigns of Glyphoxa that were written for these tests.

use hearsay_model::Kind;

use crate::{
    Format,
    tests::notes::{assert_hushed, kind, known, read, relations, skipped, texts, values},
};

#[test]
fn both_shapes_are_read() {
    let first = "campaign:\n  name: The Mill\n  system: dnd5e\n  description: Small.\nentities:\n  - id: e1\n    name: Ann Oak\n    type: npc\n    description: A miller.\n    properties: {race: dwarf, occupation: miller}\n    relationships:\n      - {target_name: Millford, type: lives_in}\n      - {target_id: e3, type: allied_with, bidirectional: true}\n    tags: [miller]\n    visibility: []\n  - name: Millford\n    type: location\n  - id: e3\n    name: Bob\n    type: npc\n";
    let second = "entities:\n  - {name: Sails, type: faction, attributes: {leader: Ann Oak}}\nrelationships:\n  - {source: Bob, target: Sails, type: member_of}\n  - {source: e1, target: Bob, type: married_to}\n  - {source: Nobody, target: Bob, type: knows}\n";
    let campaign = read(&[("a.yaml", first), ("b.yaml", second)], Format::Glyphoxa);
    assert_eq!(
        relations(&campaign),
        [
            "ann-oak ALLIED_WITH bob",
            "ann-oak MARRIED_TO bob",
            "ann-oak MEMBER_OF sails",
            "ann-oak RESIDENT_OF millford",
            "bob MEMBER_OF sails"
        ]
    );
    assert_eq!(kind(&campaign, "sails"), Some(Kind::Faction));
    assert_eq!(values(&campaign, "ann-oak", "species"), ["dwarf"]);
    assert_eq!(values(&campaign, "ann-oak", "occupation"), ["miller"]);
    assert!(texts(&campaign).contains(&"Ann Oak| A miller.".to_owned()));
    assert!(campaign.warnings().iter().any(|warning| warning.message.contains("`Nobody`") && warning.line == 6));
}

#[test]
fn private_content_stays_private() {
    let yaml = "campaign: {name: Test}\nentities:\n  - id: ann\n    name: Ann\n    type: npc\n    description: Open.\n    secret_knowledge: [Hush one.]\n    behavior_rules: Hush two.\n    properties: {gm_note: hush three, age: 40}\n    relationships:\n      - {target_id: cult, type: member_of, secret: true}\n      - {target_id: bob, type: hush_four, visibility: [dm]}\n  - {id: cult, name: Hush Cult, type: faction, description: Hush five., visibility: [bob]}\n  - {id: plan, name: Hush Plan, type: lore, visibility: gm}\n  - {id: odd, name: Hush Odd, type: lore, visibility: {a: b}}\n  - {id: bob, name: Bob, type: npc}\nrelationships:\n  - {source: bob, target: cult, type: founded}\n";
    let campaign = read(&[("a.yaml", yaml)], Format::Glyphoxa);
    let secrets =
        ["hush one", "hush two", "hush three", "hush four", "hush five", "hush cult", "hush plan", "hush odd"];
    assert_hushed(&campaign, &secrets, &["ann", "bob"]);
    for (knower, words) in known(&campaign).into_iter().filter(|(_, words)| words.contains("hush")) {
        let may_know = match knower.as_str() {
            "ann" => words.contains("hush one"),
            _ => words.contains("hush-cult") || words.contains("hush five"),
        };
        assert!(may_know, "{knower} knows {words}");
    }
}

#[test]
fn bad_files_leave_the_rest() {
    let good = "campaign: {name: Test}\nentities:\n  - {name: Ann, type: npc}\n  - {type: npc}\n  - 7\n  - {name: Ann, type: npc, relationships: 3, properties: [], tags: {a: b}}\n";
    let campaign = read(&[("a.yaml", good), ("b.yaml", "entities: [{"), ("c.yaml", "x: 1\n")], Format::Glyphoxa);
    assert_eq!(campaign.entities().len(), 2, "one name, two people");
    assert_eq!(skipped(&campaign).len(), 2);
}
