//! Documents of Foundry that were written for these tests.

use hearsay_model::Kind;

use crate::{
    Campaign, Format, ReadOptions,
    tests::notes::{
        assert_hushed, kind, known, numbered_secrets, read as read_in, read_with, relations, skipped, texts, values,
    },
};

fn read(files: &[(&str, &str)]) -> Campaign {
    read_in(files, Format::Foundry)
}

#[test]
fn exported_documents_are_read() {
    let campaign = read(&[
        (
            "fvtt-Actor-mara.json",
            r#"{"_id": "aaaaaaaaaaaaaaa1", "name": "Mara Voss", "type": "npc", "prototypeToken": {}, "items": [],
            "system": {"details": {"alignment": "Neutral", "race": "elf", "type": {"value": "humanoid"},
              "biography": {"value": "<p>She <em>keeps</em> the lamp &amp; the ledger.</p><p>She owes @UUID[Actor.aaaaaaaaaaaaaaa2]{the smith}.</p>", "public": ""}}}}"#,
        ),
        (
            "fvtt-Actor-hero.json",
            r#"{"_id": "aaaaaaaaaaaaaaa2", "name": "Brannoc", "type": "character", "prototypeToken": {},
            "items": [{"_id": "iiiiiiiiiiiiiii1", "name": "Dwarf", "type": "race", "system": {}}, {"_id": "i2", "name": "Fighter", "type": "class", "system": {}}],
            "system": {"details": {"race": "iiiiiiiiiiiiiii1"}}}"#,
        ),
        (
            "fvtt-Item-lamp.json",
            r#"{"_id": "aaaaaaaaaaaaaaa3", "name": "Storm Lamp", "type": "equipment", "system": {"rarity": "rare", "quantity": 1, "description": {"value": "<p>It never goes out.</p>"}}}"#,
        ),
        (
            "fvtt-Item-fly.json",
            r#"{"_id": "aaaaaaaaaaaaaaa4", "name": "Fly", "type": "spell", "system": {"level": 3}}"#,
        ),
    ]);
    assert_eq!(kind(&campaign, "mara-voss"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "brannoc"), Some(Kind::Player), "a character is a player's");
    assert_eq!(kind(&campaign, "storm-lamp"), Some(Kind::Item));
    assert_eq!(kind(&campaign, "fly"), None, "a spell is a rule");
    assert_eq!(values(&campaign, "mara-voss", "alignment"), ["Neutral"]);
    assert_eq!(values(&campaign, "brannoc", "species"), ["Dwarf"]);
    assert_eq!(values(&campaign, "brannoc", "class"), ["Fighter"]);
    assert_eq!(
        texts(&campaign),
        [
            "Mara Voss| She keeps the lamp & the ledger.",
            "Mara Voss| She owes the smith.",
            "Storm Lamp| It never goes out."
        ]
    );
    let owes = campaign.passages().find(|passage| passage.text.contains("smith")).unwrap();
    assert!(owes.mentions.iter().any(|id| id.as_str() == "brannoc"), "the link is a mention");
    let evidence = format!("{:?}", owes.evidence);
    assert!(
        evidence.contains("fvtt-Actor-mara.json") && evidence.contains("system.details.biography.value"),
        "{evidence}"
    );
}

#[test]
fn a_world_is_read_with_its_folders() {
    let campaign = read(&[(
        "world.export.json",
        r#"{"world": {"title": "Lampfall"},
        "folders": [{"_id": "f1", "name": "Places", "type": "JournalEntry", "folder": null}, {"_id": "f2", "name": "North", "type": "JournalEntry", "folder": "f1"}],
        "users": [], "scenes": [{"_id": "s1", "name": "Map"}],
        "actors": [{"_id": "a1", "name": "Sella", "type": "npc", "items": []}],
        "items": [{"_id": "i1", "name": "Iron Key", "type": "loot", "system": {}}],
        "journal": [
          {"_id": "j1", "name": "Tarn", "folder": "f2", "pages": [{"_id": "p1", "name": "Overview", "type": "text", "text": {"format": 1, "content": "<h2>Docks</h2><p>@UUID[Actor.a1]{Sella} works here.</p>"}}, {"_id": "p2", "name": "History", "type": "text", "text": {"format": 2, "content": "", "markdown": "Built by **giants**."}}]},
          {"_id": "j2", "name": "NPCs", "folder": null, "pages": [{"_id": "p3", "name": "Old Orrin", "type": "text", "text": {"content": "<p>Blind.</p>"}}, {"_id": "p4", "name": "Tib", "type": "text", "text": {"content": "<p>See @UUID[.p3].</p>"}}]},
          {"_id": "j3", "name": "Session 4: The Toll", "pages": [{"_id": "p5", "name": "Log", "type": "text", "text": {"content": "<p>They paid [[/r 2d6]] coins. [[/check ath 15]]{An athletics check}</p>"}}]},
          {"_id": "j4", "name": "House rules", "pages": [{"_id": "p6", "name": "Rest", "type": "text", "text": {"content": "<p>Long rests take a week.</p>"}}]}
        ]}"#,
    )]);
    assert_eq!(campaign.info().name, "Test");
    assert_eq!(kind(&campaign, "tarn"), Some(Kind::Location), "the folder's folder says so");
    assert_eq!(kind(&campaign, "old-orrin"), Some(Kind::Npc), "pages of a journal called NPCs");
    assert_eq!(kind(&campaign, "iron-key"), Some(Kind::Item));
    assert_eq!(kind(&campaign, "house-rules"), None);
    let texts = texts(&campaign);
    for text in [
        "Tarn: Docks| Sella works here.",
        "Tarn: History| Built by giants.",
        "Tib| See Old Orrin.",
        "| They paid 2d6 coins. An athletics check",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text} in {texts:#?}");
    }
    assert!(campaign.entities().keys().all(|id| !id.as_str().contains("check")), "a roll is nobody");
}

#[test]
fn sources_of_compendiums_are_read_and_resolve_across_modules() {
    let journal = "_id: jjjjjjjjjjjjjjj1\nname: Gull Rock\nfolder: ffffffffffffff01\n_key: '!journal!jjjjjjjjjjjjjjj1'\npages:\n  - _id: pppppppppppppp01\n    name: Gull Rock\n    type: text\n    text:\n      format: 1\n      content: >-\n        <p>The keeper is @UUID[Compendium.people.folk.Actor.aaaaaaaaaaaaaa01]{Wen}, who knows\n        @Compendium[people.folk.aaaaaaaaaaaaaa02]{Oda} and casts @UUID[Compendium.dnd5e.spells.Item.xyz]{Light}.</p>\n";
    let campaign = read(&[
        ("isles/module.json", r#"{"id": "isles", "title": "The Isles", "packs": [{"name": "places"}]}"#),
        (
            "isles/packs/_source/places/_folder.yml",
            "_id: ffffffffffffff01\nname: Locations\ntype: JournalEntry\nfolder: null\n_key: '!folders!ffffffffffffff01'\n",
        ),
        ("isles/packs/_source/places/gull-rock.yml", journal),
        ("people/module.json", r#"{"id": "people", "title": "People"}"#),
        (
            "people/packs/_source/folk/wen.json",
            r#"{"_id": "aaaaaaaaaaaaaa01", "name": "Wen Harrow", "type": "npc", "_key": "!actors!aaaaaaaaaaaaaa01", "items": []}"#,
        ),
        (
            "people/packs/_source/folk/oda.json",
            r#"{"_id": "aaaaaaaaaaaaaa02", "name": "Oda", "type": "npc", "_key": "!actors!aaaaaaaaaaaaaa02", "items": []}"#,
        ),
    ]);
    assert_eq!(kind(&campaign, "gull-rock"), Some(Kind::Location));
    let passage = campaign.passages().find(|passage| passage.text.contains("keeper")).unwrap();
    assert_eq!(passage.text, "The keeper is Wen, who knows Oda and casts Light.");
    let mentions: Vec<_> = passage.mentions.iter().map(|id| id.as_str()).collect();
    assert_eq!(mentions, ["gull-rock", "oda", "wen-harrow"], "and a spell of another module is nobody");
    assert!(campaign.findings.stubs.is_empty(), "{:?}", campaign.findings.stubs);
}

#[test]
fn links_to_missing_documents_make_stubs() {
    let campaign = read(&[(
        "a.json",
        r#"{"_id": "a1", "name": "Ann", "type": "npc", "items": [], "system": {"details": {"biography": {"value": "<p>Sister of @UUID[Actor.gone]{Bess}, see @Actor[Old Cob]{him} and @UUID[Actor.lost].</p>"}}}}"#,
    )]);
    let stubs: Vec<_> = campaign.findings.stubs.iter().map(|id| id.as_str()).collect();
    assert_eq!(stubs, ["bess", "old-cob"]);
}

#[test]
fn nedb_is_read_line_by_line() {
    let campaign = read(&[
        (
            "data/actors.db",
            "{\"_id\":\"a1\",\"name\":\"Old\",\"type\":\"npc\",\"data\":{\"details\":{\"biography\":{\"value\":\"<p>First.</p>\"}}},\"permission\":{\"default\":2}}\n{broken\n{\"_id\":\"a1\",\"name\":\"New\",\"type\":\"npc\",\"permission\":{\"default\":2}}\n{\"_id\":\"a2\",\"name\":\"Gone\",\"type\":\"npc\"}\n{\"_id\":\"a2\",\"$$deleted\":true}\n",
        ),
        (
            "data/journal.db",
            "{\"_id\":\"j1\",\"name\":\"Kilnhouse\",\"folder\":\"f1\",\"permission\":{\"default\":2},\"content\":\"<p>Warm. @Actor[a1]{New} bakes.</p>\"}\n",
        ),
        ("data/folders.db", "{\"_id\":\"f1\",\"name\":\"Locations\",\"type\":\"JournalEntry\",\"parent\":null}\n"),
        ("data/scenes.db", "{\"_id\":\"s1\",\"name\":\"Map\",\"permission\":{\"default\":2}}\n"),
    ]);
    let ids: Vec<_> = campaign.entities().keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["kilnhouse", "new"], "the last line of an id counts");
    assert!(campaign.warnings().iter().any(|warning| warning.path == "data/actors.db" && warning.line == 2));
}

#[test]
fn a_compendium_in_leveldb_says_what_to_do() {
    let campaign = read(&[
        ("packs/npcs/CURRENT", "MANIFEST-000001"),
        ("packs/npcs/000005.ldb", "\u{1}\u{2}"),
        ("packs/npcs/MANIFEST-000001", "x"),
    ]);
    let skipped = skipped(&campaign);
    assert_eq!(skipped.len(), 1);
    assert!(
        skipped[0].starts_with("packs/npcs: a compendium in LevelDB") && skipped[0].contains("unpack"),
        "{skipped:?}"
    );
}

/// Tests every field in which Foundry hides content from players.
#[test]
fn private_content_stays_private() {
    let campaign = read(&[(
        "world.json.export.json",
        r#"{"users": [{"_id": "u1", "name": "Pat", "character": "pc1"}, {"_id": "u2", "name": "Sam"}],
        "folders": [{"_id": "dm", "name": "DM Only", "type": "JournalEntry"}, {"_id": "pl", "name": "Places", "type": "JournalEntry"}],
        "actors": [
          {"_id": "pc1", "name": "Petra", "type": "character", "ownership": {"default": 2, "u1": 3}, "items": []},
          {"_id": "n1", "name": "Open Ann", "type": "npc", "ownership": {"default": 2}, "items": [],
           "system": {"details": {"biography": {"value": "<p>Known.</p><section class=\"secret\" id=\"s\"><p>Hush one.</p></section><section class=\"secret revealed\"><p>Told.</p></section>"},
             "privateNotes": "<p>Hush two.</p>", "publicNotes": "<p>Seen by many.</p>", "blurb": "A baker of bread"}}},
          {"_id": "n2", "name": "Hush Three", "type": "npc", "ownership": {"default": 0, "u2": 2}, "items": [], "system": {"details": {"alignment": "hush evil", "biography": {"value": "<p>Hush four.</p>", "public": "<p>Hush five.</p>"}}}},
          {"_id": "n3", "name": "Half Seen", "type": "npc", "ownership": {"default": 1}, "items": [],
           "system": {"details": {"alignment": "hush good", "biography": {"value": "<p>Hush six.</p>", "public": "<p>Tall.</p>"}}}},
          {"_id": "n4", "name": "Exported Ed", "type": "npc", "items": [], "system": {"details": {"biography": {"value": "<p>Hush seven.</p>", "public": "<p>Kind.</p>"}}, "description": {"gm": "<p>Hush eight.</p>"}}},
          {"_id": "n5", "name": "Hush Nine", "type": "npc", "ownership": {"default": 0, "u1": 2}, "items": []},
          {"_id": "n6", "name": "Hush Ten", "type": "npc", "ownership": "hidden", "items": []}],
        "items": [{"_id": "i1", "name": "Hush Ring", "type": "loot", "ownership": {"default": 0}, "system": {"description": {"value": "<p>Hush.</p>"}}}],
        "journal": [
          {"_id": "j1", "name": "Mill", "folder": "pl", "ownership": {"default": 2}, "pages": [
            {"_id": "p1", "name": "Seen", "type": "text", "ownership": {"default": -1}, "text": {"content": "<p>Open. Run by @UUID[Actor.n2].</p>"}},
            {"_id": "p2", "name": "Below", "type": "text", "ownership": {"default": 0}, "text": {"content": "<p>Hush eleven.</p>"}},
            {"_id": "p3", "name": "GM notes", "type": "text", "text": {"content": "<p>Hush twelve.</p>"}}]},
          {"_id": "j2", "name": "Hush Vault", "folder": "pl", "ownership": {"default": 0}, "pages": [{"_id": "p4", "name": "x", "type": "text", "ownership": {"default": 3}, "text": {"content": "<p>Hush thirteen.</p>"}}]},
          {"_id": "j3", "name": "Hush Plot", "folder": "dm", "pages": [{"_id": "p5", "name": "x", "type": "text", "text": {"content": "<p>Hush fourteen.</p>"}}]}
        ]}"#,
    )]);
    assert_hushed(&campaign, &numbered_secrets(14, &["hush ring", "hush vault", "hush evil", "hush good"]), &["petra"]);
    let of_petra: Vec<_> =
        known(&campaign).into_iter().filter(|(knower, words)| knower == "petra" && words.contains("hush")).collect();
    assert!(of_petra.iter().all(|(_, words)| words.contains("hush-nine")) && !of_petra.is_empty(), "{of_petra:?}");
    let known_words = known(&campaign).into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("\n");
    for word in ["known.", "told.", "seen by many", "tall.", "kind.", "open. run by (unknown)"] {
        assert!(known_words.contains(word), "{word} is open");
    }
}

#[test]
fn compendiums_can_be_read_as_open() {
    let files: [(&str, &[u8]); 1] = [(
        "m/packs/_source/npcs/ann.yml",
        b"_id: a1\nname: Ann\ntype: npc\nitems: []\nownership:\n  default: 0\n_key: '!actors!a1'\n",
    )];
    let closed = read_with(&files, &ReadOptions::default());
    assert!(known(&closed).is_empty());
    assert!(closed.warnings().iter().any(|warning| warning.message.contains("open_folders")));
    let open_campaign = read_with(&files, &ReadOptions { open_folders: true, ..ReadOptions::default() });
    assert!(!known(&open_campaign).is_empty());
}

#[test]
fn campaign_codex_keeps_people_and_places() {
    let campaign = read(&[(
        "codex.json",
        r#"{"actors": [{"_id": "a1", "name": "Hesk", "type": "npc", "ownership": {"default": 0}, "items": [], "system": {"details": {"biography": {"value": "<p>Hush one.</p>"}}}}],
        "journal": [
          {"_id": "jn", "name": "Hesk - Journal", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "npc", "data": {"linkedActor": "Actor.a1", "description": "<p>A tanner.</p>", "notes": "<p>Hush two.</p>", "linkedLocations": ["JournalEntry.jl"], "linkedShops": ["JournalEntry.js"], "associates": ["JournalEntry.jm"],
            "quests": [{"id": "q1", "title": "Hush Hides", "description": "x", "visible": false}, {"id": "q2", "title": "Find the Dog", "visible": true}]}}}, "pages": [{"_id": "p", "name": "Overview", "type": "text", "text": {"content": "<h1>Hesk</h1><p>NPC details...</p>"}}]},
          {"_id": "jm", "name": "Mim", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "npc", "data": {"associates": ["JournalEntry.jn"]}}}, "pages": []},
          {"_id": "jl", "name": "Lowtown", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "location", "data": {"linkedNPCs": ["JournalEntry.jn"], "linkedShops": ["JournalEntry.js"], "parentRegion": "JournalEntry.jr"}}}, "pages": []},
          {"_id": "js", "name": "The Tannery", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "shop", "data": {"linkedLocation": "JournalEntry.jl", "linkedNPCs": []}}}, "pages": []},
          {"_id": "jr", "name": "The Vale", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "region", "data": {"linkedLocations": ["JournalEntry.jl"]}}}, "pages": []},
          {"_id": "jg", "name": "Tanners' Ring", "ownership": {"default": 2}, "flags": {"campaign-codex": {"type": "group", "data": {"members": ["Actor.a1", "JournalEntry.jm"]}}}, "pages": []}
        ]}"#,
    )]);
    assert_eq!(
        relations(&campaign),
        [
            "hesk LOCATED_AT lowtown",
            "hesk LOCATED_AT the-tannery",
            "hesk MEMBER_OF tanners-ring",
            "hesk QUEST_GIVER find-the-dog",
            "hesk QUEST_GIVER hush-hides!",
            "hesk RELATED_TO mim",
            "lowtown PART_OF the-vale",
            "mim MEMBER_OF tanners-ring",
            "the-tannery PART_OF lowtown"
        ]
    );
    assert_eq!(values(&campaign, "hesk", "name"), ["Hesk"], "the journal and its actor are one");
    assert!(!texts(&campaign).iter().any(|text| text.contains("NPC details")), "nothing of the template");
    assert_hushed(&campaign, &["hush one", "hush two", "hush hides"], &[]);
}

#[test]
fn campaign_builder_keeps_entries_in_pages() {
    let entry = |id: &str, name: &str, topic: u8, rest: &str| {
        format!(
            r#"{{"_id": "j{id}", "name": "{name}", "ownership": {{"default": 2}}, "pages": [{{"_id": "p{id}", "name": "{name}", "type": "campaign-builder.entry", "text": {{"content": "<p>About {name}.</p>"}}, "system": {{"topic": {topic}, "type": "x", "tags": ["old"], "actors": [], "relationships": {{{rest}}}}}}}]}}"#
        )
    };
    let related = r#""3": {"jO": {"uuid": "JournalEntry.jO", "name": "Owls", "topic": 3, "extraFields": {"role": "Captain"}}}, "1": {"jB": {"uuid": "JournalEntry.jB", "name": "Bo", "topic": 1, "extraFields": {"relationship": "sister"}}}, "2": {"jL": {"uuid": "JournalEntry.jL.JournalEntryPage.pL", "topic": 2, "extraFields": {}}}"#;
    let session = r#"{"_id": "js", "name": "Campaign", "ownership": {"default": 2}, "pages": [{"_id": "ps", "name": "Opening night", "type": "campaign-builder.session", "system": {"number": 3, "date": "2024-01-02", "description": "<p>They came.</p>", "strongStart": "<p>Hush one.</p>", "lore": [{"description": "<p>The bell rang.</p>", "delivered": true}, {"description": "<p>Hush two.</p>", "delivered": false}]}}]}"#;
    let world = format!(
        r#"{{"journal": [{}, {}, {}, {}, {session}]}}"#,
        entry("A", "Ada", 1, related),
        entry("B", "Bo", 1, ""),
        entry("O", "Owls", 3, ""),
        entry("L", "Loft", 2, "")
    );
    let campaign = read(&[("world-export.json", &world)]);
    assert_eq!(relations(&campaign), ["ada LOCATED_AT loft", "ada MEMBER_OF owls", "ada SIBLING_OF bo"]);
    let rank = campaign.facts().find_map(|fact| fact.rank().map(str::to_owned));
    assert_eq!(rank.as_deref(), Some("Captain"));
    assert_eq!(kind(&campaign, "owls"), Some(Kind::Faction));
    assert!(texts(&campaign).iter().any(|text| text.contains("The bell rang.")));
    assert_hushed(&campaign, &["hush one", "hush two"], &[]);
}

#[test]
fn bad_documents_leave_the_rest() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
    let campaign = read(&[
        ("bomb.yml", bomb),
        ("cut.json", r#"{"_id": "x", "name": "Cut", "type": "npc", "items": [{"#),
        ("deep.json", &deep),
        ("good.json", r#"{"_id": "a1", "name": "Ann", "type": "npc", "items": [], "system": {}}"#),
        (
            "wrong.json",
            r#"{"_id": 7, "name": "Seven", "type": "npc", "items": 3, "folder": [], "flags": 1, "system": {"details": [1], "biography": {"value": 4}}, "prototypeToken": 1, "ownership": {"default": "2"}}"#,
        ),
        (
            "wrong2.json",
            r#"{"_id": "j", "name": "J", "pages": [1, "x", {"name": 3}, {"name": "ok", "text": 4}], "ownership": {"default": 2}}"#,
        ),
    ]);
    let skipped = skipped(&campaign);
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    assert!(skipped[0].contains("bomb.yml: line 5: aliases expand to more than"), "{}", skipped[0]);
    assert!(skipped[1].starts_with("cut.json: line 1: invalid JSON: unexpected end of the file"), "{}", skipped[1]);
    assert!(skipped[2].contains("more than 64 levels deep"), "{}", skipped[2]);
    assert_eq!(kind(&campaign, "ann"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "seven"), Some(Kind::Npc));
}

/// Reads actors from the compendiums of a published game, if the files are available.
#[test]
fn the_sample_of_a_game_system_is_read() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data_folders = ["../shared/data/campaigns", "../../shared/data/campaigns"];
    let Some(folder) =
        data_folders.iter().map(|path| root.join(path).join("dnd5e-srd-sample")).find(|path| path.is_dir())
    else {
        return;
    };
    let campaign = crate::read_any(&folder, &ReadOptions::default(), &Default::default()).unwrap();
    assert_eq!(campaign.findings.format, Some(Format::Foundry));
    let count = |kind: Kind| campaign.entities().values().filter(|entity_kind| **entity_kind == kind).count();
    assert_eq!((count(Kind::Npc), count(Kind::Player)), (5, 1));
    assert!(known(&campaign).is_empty(), "all are kept from players");
    assert!(campaign.findings.skipped.is_empty(), "{:?}", campaign.findings.skipped);
}

#[test]
fn simple_calendar_dates_its_notes() {
    let months = r#"[{\"name\": \"Frost\", \"numberOfDays\": 30}, {\"name\": \"Rain\", \"numberOfDays\": 28}]"#;
    let settings = format!(
        r#"{{"_id": "s1", "key": "foundryvtt-simple-calendar.calendar-configuration", "value": "[{{\"name\": \"Tides\", \"year\": {{\"postfix\": \"AT\"}}, \"months\": {months}}}]"}}"#
    );
    let journal =
        r#"{"_id": "j1", "name": "The Flood", "ownership": {"default": 2}, "content": "<p>It came at night.</p>",
      "flags": {"foundryvtt-simple-calendar": {"noteData": {"startDate": {"year": 12, "month": 1, "day": 8}}}}}"#
            .replace('\n', " ");
    let campaign = read(&[("data/settings.db", &settings), ("data/journal.db", &journal)]);
    assert_eq!(kind(&campaign, "the-flood"), Some(Kind::Event));
    let date = campaign.facts().find(|fact| fact.predicate().as_str() == "date").unwrap();
    let from = date.validity().from.clone().unwrap();
    let calendar = campaign.settings.iter().find_map(|setting| match setting {
        hearsay_model::Setting::World(hearsay_model::WorldSetting::Calendar(calendar)) => Some(calendar),
        _ => None,
    });
    assert_eq!((from.raw.as_str(), calendar.unwrap().format(from.time.unwrap()).as_str()), ("12-2-9", "9 Rain 12 AT"));
}

#[test]
fn labels_and_lists_in_journals_say_how_things_are_related() {
    let campaign = read(&[(
        "export.json",
        r#"{"actors": [
          {"_id": "a1", "name": "Ann", "type": "npc", "ownership": {"default": 2}, "system": {}, "prototypeToken": {}},
          {"_id": "b1", "name": "Bob", "type": "npc", "ownership": {"default": 2}, "system": {}, "prototypeToken": {}}],
        "folders": [{"_id": "f1", "name": "Locations", "type": "JournalEntry"}],
        "journal": [{"_id": "j1", "name": "Bay", "folder": "f1", "ownership": {"default": 2}, "pages": [{"_id": "p1", "name": "Bay", "type": "text",
          "text": {"content": "<p><strong>Ruler:</strong> @UUID[Actor.a1]{Ann}</p><h2>NPCs</h2><ul><li>@UUID[Actor.b1]{Bob}</li></ul><section class=\"secret\"><p>Ally: @UUID[Actor.b1]{Bob}</p></section>"}}]}]}"#,
    )]);
    assert_eq!(relations(&campaign), ["ann RULES bay", "bay ALLIED_WITH bob!", "bob LOCATED_AT bay"]);
}
