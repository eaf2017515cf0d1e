//! Positions of relations in notes: fact boxes, lists, tables, and lines with labels.

use hearsay_model::{Credence, FactStatus, Kind, Knower, State, Timestamp};

use super::{
    HEAD, imported,
    notes::{kind, read, read_with, relations, values},
};
use crate::{Campaign, EarlierImports, Format, ReadOptions, plan};

fn folk(note: &str) -> Campaign {
    read(
        &[
            ("Ann.md", note),
            ("Bob.md", "---\ntags: [npc]\n---\n"),
            ("Cid.md", "---\ntags: [npc]\n---\n"),
            ("Dot.md", "---\ntags: [npc]\n---\n"),
            ("Gull Bay.md", "---\ntags: [location]\n---\n"),
            ("Lanterns.md", "---\ntags: [faction]\n---\n"),
        ],
        Format::Markdown,
    )
}

#[test]
fn a_box_of_facts_is_read_though_it_is_no_table_by_the_letter() {
    let campaign = folk(
        "---\ntags: [npc]\n---\n> [!infobox]\n> # Ann\n> ###### Bio\n>  |\n> ---|---|\n> **Race** | Elf |\n> \
         **Location** | [[Gull Bay\\|the bay]] |\n> **Organization(s)** | [[Lanterns]] |\n\nA sailor.\n",
    );
    assert_eq!(relations(&campaign), ["ann LOCATED_AT gull-bay", "ann MEMBER_OF lanterns", "ann RESIDENT_OF gull-bay"]);
    assert_eq!(values(&campaign, "ann", "species"), ["Elf"]);
    assert!(!campaign.passages().any(|passage| passage.text.contains("[!")), "a sign is no text");
}

#[test]
fn lines_with_labels_are_relations() {
    let campaign = folk(
        "---\ntags: [npc]\n---\n**Lives in:** [[Gull Bay]]\n**Allies:** [[Bob]], [[Cid]]\n**Employer:** [[Dot]]\nHer ship is old.\n",
    );
    assert_eq!(
        relations(&campaign),
        ["ann ALLIED_WITH bob", "ann ALLIED_WITH cid", "ann EMPLOYED_BY dot?", "ann RESIDENT_OF gull-bay"]
    );
}

#[test]
fn fields_state_the_relations_of_the_campaign() {
    let words = "words: {fields: [Contraband boss], inverse_fields: [crate runner]}";
    let predicate = format!("{{name: SMUGGLES_FOR, phrase: '{{subject}} smuggles for {{object}}', {words}}}");
    let state = imported(&format!("{HEAD}predicates: [{predicate}]"));
    let files = [
        ("Ada.md", "---\ntags: [npc]\ncontraband boss: \"[[Ben]]\"\n---\nA sailor.\n"),
        ("Ben.md", "---\ntags: [npc]\ncrate-runners: \"[[Cyd]]\"\n---\nA cook.\n"),
        ("Cyd.md", "---\ntags: [npc]\n---\nA clerk.\n"),
    ];
    let options = ReadOptions { name: Some("Vault".into()), ..ReadOptions::default() };
    let own = ReadOptions { earlier: EarlierImports::from_state(&state), ..options.clone() };
    assert_eq!(relations(&read_with(&files, &own)), ["ada SMUGGLES_FOR ben", "cyd SMUGGLES_FOR ben"]);
    let built_in = relations(&read_with(&files, &options));
    assert!(!built_in.iter().any(|relation| relation.contains("SMUGGLES_FOR")), "{built_in:?}");
}

#[test]
fn a_list_of_relationships_says_them_behind_the_links() {
    let campaign = folk(
        "---\ntags: [npc]\n---\n## Relationships\n- [[Bob]] \u{2014} husband\n- **[[Cid]]** (rival)\n- [[Lanterns]]: member\n- [[Dot]] \
         knows her from long ago.\n\n## Family\n- Mother: [[Dot]]\n",
    );
    assert_eq!(
        relations(&campaign),
        ["ann CHILD_OF dot", "ann HOSTILE_TO cid", "ann MARRIED_TO bob", "ann MEMBER_OF lanterns"]
    );
}

#[test]
fn headings_give_the_relation_of_the_lists_below() {
    let campaign = read(
        &[
            (
                "Bay.md",
                "---\ntags: [location]\n---\n## NPCs\n- [[Ann]]\n- [[Bob]] - the smith\n\n## Locations\n- [[The Net]]\n",
            ),
            ("Ring.md", "---\ntags: [faction]\n---\n## Members\n| Name | Rank |\n|---|---|\n| [[Ann]] | Captain |\n"),
            ("Ann.md", "---\ntags: [npc]\n---\n"),
            ("Bob.md", "---\ntags: [npc]\n---\n"),
            ("The Net.md", "---\ntags: [location]\n---\n"),
        ],
        Format::Markdown,
    );
    assert_eq!(
        relations(&campaign),
        ["ann LOCATED_AT bay", "ann MEMBER_OF ring", "bob LOCATED_AT bay", "the-net PART_OF bay"]
    );
    assert_eq!(kind(&campaign, "bob"), Some(Kind::Npc));
}

#[test]
fn a_symmetric_relation_is_one_fact_with_both_places() {
    let campaign = read(
        &[
            ("Ann.md", "---\ntags: [npc]\nspouse: \"[[Bob]]\"\nallies: \"[[Bob]]\"\n---\n"),
            ("Bob.md", "---\ntags: [npc]\nspouse: \"[[Ann]]\"\nallies: \"[[Ann]]\"\n---\n"),
        ],
        Format::Markdown,
    );
    assert_eq!(relations(&campaign), ["ann ALLIED_WITH bob", "ann MARRIED_TO bob"]);
    for fact in campaign.facts().filter(|fact| fact.object().entity().is_some()) {
        assert_eq!(fact.provenance().evidence.len(), 2, "{fact:?}");
    }
}

#[test]
fn a_rumour_is_claimed_and_half_believed() {
    let campaign = folk(
        "---\ntags: [npc]\nstatus: missing, presumed dead\nallies: \"[[Bob]] (rumoured)\"\nrival: \"[[Cid]] (untrue)\"\n---\n## Suspected members\n\
         ## Relationships\n- [[Dot]] \u{2014} supposed sister\n",
    );
    let status = |predicate: &str| {
        let fact = campaign.facts().find(|fact| fact.predicate().as_str() == predicate).unwrap();
        (fact.id(), fact.status())
    };
    for (predicate, expected) in [
        ("ALLIED_WITH", FactStatus::Claimed),
        ("HOSTILE_TO", FactStatus::False),
        ("SIBLING_OF", FactStatus::Claimed),
        ("condition", FactStatus::Claimed),
    ] {
        assert_eq!(status(predicate).1, expected, "{predicate}");
    }
    let mut state = State::default();
    state.apply(plan(&state, &campaign, Timestamp(1)).operation.unwrap()).unwrap();
    let edge = state.recorded_knowledge(status("ALLIED_WITH").0).find(|edge| matches!(edge.knower, Knower::Entity(_)));
    assert_eq!(edge.map(|edge| edge.credence), Credence::new(0.5).ok());
}

#[test]
fn a_dangling_link_is_listed_once_for_each_file() {
    let campaign =
        read(&[("Ann.md", "[[Nil]] and [[Nil]].\n\nOnce more [[Nil]].\n"), ("Bob.md", "[[Nil]]\n")], Format::Markdown);
    let places: Vec<_> = campaign.findings().dangling.iter().map(|place| (place.path.as_str(), place.line)).collect();
    assert_eq!(places, [("Ann.md", 1), ("Bob.md", 1)]);
}

#[test]
fn names_in_a_list_are_several() {
    let campaign = folk("---\ntags: [npc]\naliases: Annie, The Fox\nnickname: Ann, the Younger\n---\n");
    assert_eq!(values(&campaign, "ann", "alias"), ["Annie", "The Fox", "Ann, the Younger"]);
}

#[test]
fn names_without_links_are_as_good_where_they_are_all_of_a_line() {
    let campaign = folk(
        "---\ntags: [npc]\n---\n**Location:** Gull Bay\n**Allies:** Bob, Cid\n**Rivals:** Dot and her kin\nEmployer: [[Dot]]\nHome: [[Gull Bay]]\n",
    );
    assert_eq!(
        relations(&campaign),
        [
            "ann ALLIED_WITH bob",
            "ann ALLIED_WITH cid",
            "ann EMPLOYED_BY dot",
            "ann LOCATED_AT gull-bay",
            "ann RESIDENT_OF gull-bay"
        ]
    );
}

#[test]
fn notes_in_the_folder_of_the_party_are_player_characters() {
    let campaign =
        read(&[("Party/Kes.md", "---\nplayer: Sam\n---\n"), ("Coast.md", "A long coast. #region\n")], Format::Markdown);
    assert_eq!(kind(&campaign, "kes"), Some(Kind::Player));
    assert_eq!(values(&campaign, "kes", "player"), ["Sam"]);
    assert_eq!(kind(&campaign, "coast"), Some(Kind::Location));
}

#[test]
fn the_player_of_a_character_is_recorded() {
    for (note, players) in [
        ("---\ntype: player\nplayer: Tess\n---\nA sailor.\n", vec!["Tess"]),
        ("---\ntype: pc\nplayed by: \"[[Tess]]\"\n---\nA sailor.\n", vec!["Tess"]),
        ("---\ntype: pc\nplayer: none\n---\nA sailor.\n", vec![]),
        ("---\ntype: npc\nplayer: Tess\n---\nA sailor.\n", vec![]),
    ] {
        assert_eq!(values(&folk(note), "ann", "player"), players, "{note}");
    }
}

#[test]
fn the_location_of_an_npc_without_a_home_is_its_home() {
    let (at, home) = ("ann LOCATED_AT gull-bay", "ann RESIDENT_OF gull-bay");
    for (fields, expected) in [
        ("type: npc\nlocation: \"[[Gull Bay]]\"", vec![at, home]),
        ("type: player\nlocation: \"[[Gull Bay]]\"", vec![at]),
        ("type: npc\nlocation: \"[[Gull Bay]]\"\nhome: none", vec![at]),
        ("type: npc\nlast seen: \"[[Gull Bay]]\"", vec![at]),
        ("type: npc\nlocation: \"[[Lanterns]]\"\nhome: \"[[Gull Bay]]\"", vec!["ann LOCATED_AT lanterns", home]),
        ("type: npc\nlocation: [\"[[Gull Bay]]\", \"[[Lanterns]]\"]", vec![at, "ann LOCATED_AT lanterns"]),
    ] {
        assert_eq!(relations(&folk(&format!("---\n{fields}\n---\nA sailor.\n"))), expected, "{fields}");
    }
}

#[test]
fn words_that_lead_up_to_a_link_make_it_a_guess_and_a_role_is_a_rank() {
    let campaign = read(
        &[
            ("Ring.md", "---\ntags: [faction]\nmembers:\n  - {name: \"[[Ann]]\", role: spy}\n---\n"),
            ("Ann.md", "---\ntags: [npc]\nwants: revenge on [[Ring]]\nlocation: near [[Bay]]\n---\n"),
            ("Bay.md", "---\ntags: [location]\n---\n"),
        ],
        Format::Markdown,
    );
    assert_eq!(relations(&campaign), ["ann LOCATED_AT bay?", "ann MEMBER_OF ring", "ann WANTS ring?"]);
    let member = campaign.facts().find(|fact| fact.predicate().as_str() == "MEMBER_OF").unwrap();
    assert_eq!(member.rank(), Some("spy"));
}
