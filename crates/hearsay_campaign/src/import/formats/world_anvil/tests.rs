//! Articles of World Anvil that were written for these tests.

use hearsay_model::Kind;

use crate::{
    Format,
    tests::notes::{assert_hushed, kind, numbered_secrets, read, relations, skipped, texts, values},
};

#[test]
fn articles_are_read() {
    let ann = r#"{"id": "u-1", "title": "Ann Oak", "templateType": "person", "state": "public", "tags": "smith, guild",
      "content": "[h2]Youth[/h2][p]Born near @[The Vale](settlement:u-2) &amp; raised by @[Old Oak](person:u-9).[/p]",
      "sections": {"history": {"content": "Left at ten.\n\nCame back."}, "age": {"content": "40"}},
      "relations": {"currentLocation": {"items": [{"id": "u-2", "title": "The Vale", "relationshipType": "article"}]}, "organization": {"items": {"id": "u-3", "title": "Guild"}}, "species": {"items": [{"id": "u-8", "title": "Dwarf"}]}, "siblings": {"items": [{"title": "Bess", "relationshipType": "sister"}]}, "portrait": {"items": [{"id": 4, "title": "ann.png"}]}}}"#;
    let campaign = read(
        &[
            ("ann.json", ann),
            (
                "vale.json",
                r#"{"id": "u-2", "title": "The Vale", "templateType": "settlement", "state": "public", "content": "[ul][li]Green[/li][/ul]"}"#,
            ),
            (
                "guild.json",
                r#"{"id": "u-3", "title": "Guild", "templateType": "organization", "state": "public", "content": ""}"#,
            ),
            (
                "plot.json",
                r#"{"id": "u-4", "title": "The Theft", "templateType": "plot", "state": "public", "content": "Who did it?"}"#,
            ),
            (
                "note.json",
                r#"{"id": "u-5", "title": "About", "templateType": "article", "state": "public", "content": "A world."}"#,
            ),
            ("cut.json", r#"{"title": "Cut", "content"#),
            (
                "wrong.json",
                r#"{"id": 7, "title": "Wrong", "templateType": 3, "content": [], "sections": [1], "relations": {"a": 3, "b": {"items": "x"}}, "tags": 5}"#,
            ),
        ],
        Format::WorldAnvil,
    );
    assert_eq!(kind(&campaign, "ann-oak"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "the-vale"), Some(Kind::Location));
    assert_eq!(kind(&campaign, "the-theft"), Some(Kind::Quest));
    assert_eq!(kind(&campaign, "about"), None, "a page of no kind is a text");
    assert_eq!(values(&campaign, "ann-oak", "age"), ["40"]);
    assert_eq!(values(&campaign, "ann-oak", "species"), ["Dwarf"]);
    assert_eq!(
        relations(&campaign),
        ["ann-oak LOCATED_AT the-vale", "ann-oak MEMBER_OF guild", "ann-oak SIBLING_OF bess"]
    );
    let texts = texts(&campaign);
    for text in
        ["Ann Oak: Youth| Born near The Vale & raised by Old Oak.", "Ann Oak: History| Left at ten.", "The Vale| Green"]
    {
        assert!(texts.iter().any(|found| found == text), "{text} in {texts:#?}");
    }
    assert_eq!(skipped(&campaign).len(), 1);
}

#[test]
fn private_content_stays_private() {
    let ann = r#"{"id": "u-1", "title": "Ann", "templateType": "person", "state": "public",
      "content": "Open with @[Hush Spy](person:u-2). [spoiler]Hush one.[/spoiler] [secret:77]Hush two.[/secret] Open.",
      "seeded": "Hush three.",
      "sections": {"ggmnotes": {"content": "Hush four."}, "ggmSecretPlan": {"content": "hush five"}, "secrets": {"content": "Hush six."}, "history": {"content": "Fine."}},
      "relations": {"ggmallies": {"items": [{"title": "Hush Ally"}]}, "organization": {"items": [{"id": "u-3", "title": "Hush Order"}]}}}"#;
    let campaign = read(
        &[
            ("ann.json", ann),
            (
                "spy.json",
                r#"{"id": "u-2", "title": "Hush Spy", "templateType": "person", "state": "private", "content": "Hush seven."}"#,
            ),
            (
                "order.json",
                r#"{"id": "u-3", "title": "Hush Order", "templateType": "organization", "state": "public", "isDraft": true, "content": "Hush eight."}"#,
            ),
            (
                "circle.json",
                r#"{"id": "u-4", "title": "Hush Circle", "templateType": "organization", "state": "public", "subscriberGroups": [{"id": 1}], "content": "Hush nine."}"#,
            ),
            (
                "odd.json",
                r#"{"id": "u-5", "title": "Hush Odd", "templateType": "item", "state": 4, "content": "Hush ten."}"#,
            ),
        ],
        Format::WorldAnvil,
    );
    let secrets = numbered_secrets(10, &["hush ally", "hush order", "hush spy", "hush circle", "hush odd"]);
    assert_hushed(&campaign, &secrets, &[]);
}
