//! Quirks of real folders, each with a few lines that were written for these tests.

use hearsay_model::{EntityId, FactStatus, Kind, Knower, Secrecy, State, Timestamp};

use crate::{
    AliasOrder, Campaign, Format, ReadOptions, plan,
    tests::notes::{kind, read as read_in, read_with, relations, values},
};

fn read(files: &[(&str, &str)]) -> Campaign {
    let campaign = read_in(files, Format::Markdown);
    assert!(plan(&State::default(), &campaign, Timestamp(1)).operation.is_some(), "there is something to import");
    campaign
}

/// Returns the imported texts that anybody other than the DM can come to know.
fn open_texts(campaign: &Campaign) -> Vec<String> {
    let mut state = State::default();
    state.apply(plan(&state, campaign, Timestamp(1)).operation.unwrap()).unwrap();
    let passages =
        state.passages().filter(|(_, passage)| !passage.heard_by.is_empty()).map(|(_, passage)| passage.text.clone());
    let known_facts = state.facts().filter(|fact| state.recorded_knowledge(fact.id()).next().is_some());
    let mut texts: Vec<String> = passages.chain(known_facts.map(|fact| fact.statement().to_owned())).collect();
    // The evidence of open facts must not quote a secret either.
    let quoted = |evidence: &hearsay_model::Evidence| match evidence {
        hearsay_model::Evidence::Excerpt(excerpt) => Some(excerpt.quote.to_string()),
        _ => None,
    };
    let public_facts = state.facts().filter(|fact| fact.secrecy() != Secrecy::Secret);
    texts.extend(public_facts.flat_map(|fact| &fact.provenance().evidence).filter_map(quoted));
    let heard = state.passages().filter(|(_, passage)| !passage.heard_by.is_empty());
    let heard: Vec<_> =
        heard.flat_map(|(_, passage)| passage.evidence.iter().filter_map(quoted).collect::<Vec<_>>()).collect();
    texts.extend(heard);
    texts.sort();
    texts
}

#[track_caller]
fn assert_hidden(campaign: &Campaign, words: &[&str]) {
    for text in open_texts(campaign) {
        for word in words {
            assert!(!text.contains(word), "`{word}` is known: {text}");
        }
    }
    let all: String = campaign
        .passages()
        .map(|passage| passage.text.as_str())
        .chain(campaign.facts().map(|fact| fact.statement()))
        .collect();
    for word in words {
        assert!(all.contains(word), "`{word}` is lost");
    }
}

#[test]
fn links_mean_titles_where_files_are_called_index() {
    let campaign = read(&[
        ("moor/index.md", "---\ntitle: Sallow Moor\n---\nA bog by [[Cinder Weir]].\n"),
        ("weir/index.md", "---\ntitle: Cinder Weir\nowner: \"[[Hob Tarry]]\"\n---\nSee [[Sallow Moor]].\n"),
        ("hob.md", "---\ntitle: Hob Tarry\ntags: [NPC]\n---\nKeeps the weir.\n"),
    ]);
    assert_eq!(campaign.findings().dangling, []);
    assert_eq!(campaign.findings().resolved, 3);
    assert_eq!(relations(&campaign), ["hob-tarry OWNS cinder-weir"]);
    let moor = campaign.passages().find(|passage| passage.text == "A bog by Cinder Weir.").unwrap();
    assert!(moor.mentions.iter().any(|id| id.as_str() == "cinder-weir"), "{:?}", moor.mentions);
}

#[test]
fn the_side_that_names_notes_is_the_target() {
    let pages =
        [("Gull Bay.md", "A bay.\n"), ("Dorrit.md", "From [[the bay|Gull Bay]] and [[the old bay|Gull Bay]].\n")];
    assert_eq!(read(&pages).findings().dangling, []);
    let colons = [("Gull Bay.md", "A bay.\n"), ("Dorrit.md", "From [[the bay:Gull Bay]].\n")];
    assert_eq!(read(&colons).findings().dangling, []);
    let usual = [("Gull Bay.md", "A bay.\n"), ("Dorrit.md", "From [[Gull Bay|the bay]].\n")];
    assert_eq!(read(&usual).findings().dangling, []);
    let options = ReadOptions { alias_order: Some(AliasOrder::TargetFirst), ..ReadOptions::default() };
    assert_eq!(read_with(&pages, &options).findings().dangling.len(), 2, "what is asked for counts");
}

#[test]
fn dice_rolls_are_not_entities() {
    let campaign = read(&[(
        "Trap.md",
        "Roll [[/check Athletics 15]] or [[/save CON 14]]{DC 14}, then [[/r 1d6]] and [[2d8+3]].\n",
    )]);
    assert_eq!(campaign.entities().len(), 1, "{:?}", campaign.entities());
    let text = &campaign.passages().next().unwrap().text;
    assert_eq!(text, "Roll check Athletics 15 or DC 14, then r 1d6 and 2d8+3.");
}

#[test]
fn apostrophes_dashes_and_articles_do_not_separate_names() {
    let campaign = read(&[
        ("Morrow\u{2019}s Rest.md", "An inn.\n"),
        ("Ann.md", "At [[Morrow's Rest]], or [[morrow\u{2018}s rest]], or [[The Morrow's Rest]].\n"),
    ]);
    assert_eq!(campaign.findings().dangling, []);
}

#[test]
fn scenes_in_front_matter_are_texts_and_empty_keys_are_nothing() {
    let campaign = read(&[
        (
            "Pell.md",
            "---\ntitle: Pell\npersonality:\nchapters:\n- title: The Well\n  content: |\n    Pell falls in.\n\n    [[Orla]] pulls him out.\n- title: Secret ending\n  content: Pell never left.\n---\nA boy.\n",
        ),
        ("Orla.md", "A girl.\n"),
    ]);
    let texts: Vec<_> =
        campaign.passages().map(|passage| (passage.title.clone().unwrap_or_default(), passage.text.clone())).collect();
    assert!(texts.contains(&("Pell: The Well".into(), "Orla pulls him out.".into())), "{texts:?}");
    assert_eq!(values(&campaign, "pell", "personality"), Vec::<String>::new());
    assert_hidden(&campaign, &["never left"]);
}

#[test]
fn one_file_may_hold_several_entities() {
    let campaign = read(&[(
        "NPCs/ferry-folk.md",
        "# Ferry Folk NPCs\n\nAll about the ferry.\n\n## Crew\n\n### Hask Merrow\n*Ferryman*\n\nRows at night.\n\n**Status:** Active (not yet met)\n\n### Old Brannick \u{2620}\u{FE0F}\n*First mate*\n\n**Status:** DECEASED (drowned)\n\n### The Silver Oar\n*A charm*\n\nHangs in the bow.\n\n## Goals (Known)\n\n1. Keep the ferry.\n",
    )]);
    for id in ["hask-merrow", "old-brannick", "the-silver-oar"] {
        assert!(kind(&campaign, id).is_some(), "{id}: {:?}", campaign.entities());
    }
    assert_eq!(campaign.entities().len(), 3, "{:?}", campaign.entities());
    assert_eq!(kind(&campaign, "hask-merrow"), Some(Kind::Npc));
    assert_eq!(values(&campaign, "old-brannick", "condition"), ["dead"]);
    assert_eq!(values(&campaign, "hask-merrow", "condition"), ["alive"]);
    let rows = campaign.passages().find(|passage| passage.text == "Rows at night.").unwrap();
    assert_eq!(rows.mentions.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["hask-merrow"]);
}

#[test]
fn parentheses_and_quotes_hold_further_names() {
    let campaign = read(&[
        ("crew.md", "# Crew\n\n## NPCs\n\n### Ottla \"Crow\" (Ottla Renn)\n*Lookout*\n\n### Dun\n*Cook*\n"),
        ("log.md", "We met [[Crow]] and [[Ottla Renn]] and [[Ottla]].\n"),
    ]);
    assert_eq!(values(&campaign, "ottla", "alias"), ["Ottla Renn", "Crow"]);
    assert_eq!(campaign.findings().dangling, []);
}

#[test]
fn words_for_nobody_or_groups_of_people_become_no_entity() {
    let campaign = read(&[(
        "Vex.md",
        "---\ntags: [NPC]\naffiliations: None; works independently.\nenemies: rival faction\nallies: Local Militia\nrivals: \"[[none]]\"\n---\nA thief.\n",
    )]);
    assert_eq!(campaign.entities().len(), 1, "{:?}", campaign.entities());
    assert_eq!(relations(&campaign), Vec::<String>::new());
    assert_eq!(values(&campaign, "vex", "allies"), ["Local Militia"]);
}

#[test]
fn lists_in_prose_are_proposed_and_commas_in_parentheses_part_nothing() {
    let campaign = read(&[
        ("Vex.md", "---\ntags: [NPC]\nallies: Bluecoats (canal patrol), The Vultures (rival outfit, Tier I).\n---\n"),
        ("The Vultures.md", "---\ntags: [Organization]\n---\n"),
        ("Bluecoats.md", "---\ntags: [Organization]\n---\n"),
    ]);
    assert_eq!(relations(&campaign), ["vex ALLIED_WITH bluecoats?", "vex ALLIED_WITH the-vultures?"]);
}

#[test]
fn one_name_may_be_two_people() {
    let campaign = read(&[
        ("north/Marta.md", "---\ntags: [NPC]\n---\nA baker.\n"),
        ("south/Marta.md", "---\ntags: [NPC]\n---\nA sailor.\n"),
        ("south/Pim.md", "---\ntags: [NPC]\nspouse: \"[[Marta]]\"\n---\nA cook.\n"),
        ("Ode.md", "---\ntags: [NPC]\nally: \"[[Marta]]\"\n---\nA smith.\n"),
        ("Guide to all.md", "Who is [[Marta]]?\n"),
    ]);
    assert_eq!(kind(&campaign, "marta"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "marta-south"), Some(Kind::Npc));
    assert_eq!(
        relations(&campaign),
        ["ode ALLIED_WITH marta-south?", "ode ALLIED_WITH marta?", "pim MARRIED_TO marta-south"],
        "the one in the same folder is meant; elsewhere the DM chooses"
    );
    assert_eq!(campaign.findings().ambiguous.len(), 2, "{:?}", campaign.findings().ambiguous);
}

#[test]
fn html_in_markdown_becomes_text() {
    let campaign = read(&[
        (
            "Inn.md",
            "<table><tr><td>Beds<td>Six &amp; a cot<tr><td>Owner<td>[[Wenna]]</table>\n\n<ul><li>One<ul><li>Two</ul></ul>\n",
        ),
        ("Wenna.md", "Keeper.\n"),
    ]);
    let texts: Vec<_> = campaign.passages().map(|passage| passage.text.as_str()).collect();
    for text in ["Beds: Six & a cot", "Owner: Wenna", "One", "Two"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert_eq!(campaign.findings().dangling, []);
}

#[test]
fn leftovers_of_templates_are_not_text() {
    let campaign = read(&[(
        "Ann.md",
        "---\naliases: [\"{{alias}}\"]\n---\nMood: `INPUT[inlineSelect(option(a))]` and VIEW[{mood}] here.\n\n```dataview\nTABLE secret FROM #npc\n```\n\nReal words.\n",
    )]);
    let texts: Vec<_> = campaign.passages().map(|passage| passage.text.as_str()).collect();
    assert_eq!(texts, ["Mood: and here.", "Real words."]);
    assert_eq!(values(&campaign, "ann", "alias"), Vec::<String>::new());
}

#[test]
fn links_without_a_target_make_stubs_to_review() {
    let campaign = read(&[(
        "Ann.md",
        "---\ntags: [NPC]\norganization: \"[[The Lamplighters]]\"\n---\nOf [[The Lamplighters|the guild]].\n",
    )]);
    assert_eq!(campaign.findings().stubs.len(), 1);
    assert_eq!(relations(&campaign), ["ann MEMBER_OF the-lamplighters"]);
    let proposed: Vec<_> =
        campaign.facts().filter(|fact| fact.status() == FactStatus::Proposed).map(|fact| fact.statement()).collect();
    assert_eq!(proposed, ["The Lamplighters is an entity of unknown kind."]);
}

#[test]
fn dates_are_read_on_the_calendar_of_the_vault_and_kept_as_written() {
    let calendar = r#"{"calendars":[{"name":"Tides","static":{"months":[{"name":"Thaw","length":30,"type":"month"},{"name":"Gale","length":31,"type":"month"}],"weekdays":[]}}]}"#;
    let campaign = read(&[
        (".obsidian/plugins/calendarium/data.json", calendar),
        (
            "Flood.md",
            "---\ntype: event\nfc-date: 412-Gale-03\n---\n<span data-date=\"-12-1-4\" data-title=\"The first flood\"></span>\n",
        ),
        ("Fair.md", "---\ntype: event\nfc-date:\n  year: 413\n  month: 2\n  day: 9\n---\nA fair.\n"),
        ("Fog.md", "---\ntype: event\nfc-date: the year of the  long fog\n---\nFog.\n"),
    ]);
    let starts: Vec<_> = campaign.facts().filter_map(|fact| fact.validity().from.clone()).collect();
    let raws: Vec<_> = starts.iter().map(|date| date.raw.as_str()).collect();
    assert!(
        raws.contains(&"412-Gale-03") && raws.contains(&"-12-1-4") && raws.contains(&"the year of the  long fog"),
        "{raws:?}"
    );
    assert_eq!(starts.iter().filter(|date| date.time.is_some()).count(), 3, "{starts:?}");
    assert_eq!(values(&campaign, "flood", "lore"), ["The first flood: -12-1-4."]);
}

#[test]
fn every_mark_of_a_secret_is_respected() {
    let campaign = read(&[
        (
            "People/Ann.md",
            "---\ntags: [NPC]\nsecret: Ann is alphaword.\ngm_notes: [betaword]\ntrueIdentity: \"[[Gammaword]]\"\nlocation: \"[[Inn]]\"\n---\n\
             Open %%deltaword%% text.\n\n%%\nepsilonword\n\nmore epsilonword\n%%\n\n<!-- zetaword -->\n\n> [!secret] Title\n> etaword\n\n\
             > [!note]- GM only\n> thetaword\n\n<div class=\"spoiler\">iotaword <div>kappaword</div> lambdaword</div>\n\n\
             **DM only:** muword\n\n- Secret: nuword\n- Secrets\n    - xiword\n        - omicronword\n\nShe is secretly piword.\n\n## Secrets\n\nrhoword and [[Sigmaword]].\n\n### Deeper\n\ntauword\n\n## Looks\n\nTall.\n\nsecret:: upsilonword\n\n#dm phiword\n",
        ),
        ("Inn.md", "---\ntags: [Location]\n---\nAn inn.\n"),
        ("DM Notes/Plot.md", "chiword meets [[Ann]].\n"),
        ("Psi.md", "---\nsecret: true\nname: Psiword\n---\nHidden.\n"),
        ("Omega.md", "---\nvisibility: gm\n---\nomegaword\n"),
        ("Unclosed.md", "Open.\n\n%% endword\n\n# Still endword\n"),
        (
            "Quoted.md",
            "---\ndetails: {occupation: baker, secret: quoteword}\nrelationships: [{target: \"[[Ann]]\", type: rival}, {target: \"[[Inn]]\", type: spy, secret: true, note: quoteword}]\naliases: [Quo, \"Qua %%quoteword%%\"]\n---\n\
             Round %%quoteword%% about.\n\nGM notes\n\ncolumnword\n\n## Shown\n\n| Who | GM notes | Age |\n|---|---|---|\n| Gil | columnword | 4 |\n\n<table><tr><th>Who<th>Secret<tr><td>Gil<td>columnword</table>\n\n\
             <dl><dt>Secret<dd>columnword<dt>Age<dd>Four</dl>\n\n<p><b>DM only</b></p><p>columnword</p>\n",
        ),
        (
            "Front.md",
            "---\nsummary: Kind man %%frontword%% here\ntitle: \"Old Gil %%titleword%%\"\n---\n# Old Gil\n\n### Cave <!-- headword -->\n\nDark.\n",
        ),
        ("Table.md", "| What | Is |\n|---|---|\n| Secret | tableword |\n| Colour | red |\n"),
    ]);
    let words = [
        "alphaword",
        "betaword",
        "Gammaword",
        "deltaword",
        "epsilonword",
        "zetaword",
        "etaword",
        "thetaword",
        "iotaword",
        "kappaword",
        "lambdaword",
        "muword",
        "nuword",
        "xiword",
        "omicronword",
        "piword",
        "rhoword",
        "Sigmaword",
        "tauword",
        "upsilonword",
        "phiword",
        "chiword",
        "Psiword",
        "omegaword",
        "endword",
        "tableword",
        "frontword",
        "columnword",
        "quoteword",
    ];
    assert_hidden(&campaign, &words);
    let public_texts = open_texts(&campaign);
    assert!(public_texts.iter().any(|text| text.contains("Four")), "{public_texts:?}");
    assert!(
        !public_texts.iter().any(|text| text.contains("headword") || text.contains("titleword")),
        "{public_texts:?}"
    );
    for text in ["Open text.", "Tall.", "Ann is at Inn."] {
        assert!(public_texts.iter().any(|public_text| public_text == text), "{text}: {public_texts:?}");
    }
}

#[test]
fn no_link_reveals_a_secret_name() {
    let campaign = read(&[
        ("Ann.md", "---\ntags: [NPC]\nallies: [\"[[Plot|a stranger]]\"]\n---\nShe met [[Plot|a stranger]].\n"),
        ("DM/Plot.md", "---\nname: Count Vorl\naliases: [Vorlword]\ntags: [NPC]\n---\nThe count is [[Ann]]'s uncle.\n"),
    ]);
    assert_hidden(&campaign, &["Vorl"]);
    assert_eq!(relations(&campaign), ["ann ALLIED_WITH count-vorl!"]);
}

#[test]
fn inline_fields_are_relations() {
    let campaign = read(&[
        (
            "Ann.md",
            "---\ntags: [NPC]\n---\nlocation:: [[Inn]]\nallies:: [[Bob]], [[Guild]]\n\nShe [[Bob|knows him]] and lives there [home:: [[Inn]]].\n\n**Enemies:** [[Guild]]\n",
        ),
        ("Bob.md", "---\ntags: [NPC]\n---\n"),
        ("Inn.md", "---\ntags: [POI]\n---\n"),
        ("Guild.md", "---\ntags: [Organization]\nhead: \"[[Bob]]\"\nhq: \"[[Inn]]\"\n---\n"),
    ]);
    assert_eq!(
        relations(&campaign),
        [
            "ann ALLIED_WITH bob",
            "ann ALLIED_WITH guild",
            "ann HOSTILE_TO guild",
            "ann LOCATED_AT inn",
            "ann RESIDENT_OF inn",
            "bob MEMBER_OF guild",
            "guild LOCATED_AT inn",
        ]
    );
}

#[test]
fn an_inline_field_has_the_links_between_its_brackets() {
    let page = "She [ally:: [[Bob Stone]]], an (enemy:: [[Bob]]) and [[Guild]]. [home:: [the inn](Inn.md)]\n";
    let mut files = vec![("Ann.md", format!("---\ntags: [NPC]\n---\nBob. {page}"))];
    for name in ["Bob.md", "Bob Stone.md", "Guild.md", "Inn.md"] {
        files.push((name, "---\ntags: [NPC]\n---\n".to_owned()));
    }
    let expected = ["ann ALLIED_WITH bob-stone", "ann HOSTILE_TO bob", "ann RESIDENT_OF inn"];
    let texts: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(relations(&read(&texts)), expected);
    // A byte order mark shifts the positions in the file.
    files[0].1.insert(0, '\u{FEFF}');
    let texts: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(relations(&read(&texts)), expected);
}

#[test]
fn session_logs_are_sessions_with_lines() {
    let campaign = read(&[
        ("Party/Tam.md", "---\ntype: PC\n---\n"),
        (
            "Sessions/2024-02-03 Session 4.md",
            "---\nsessionnumber: 4\nsessiondate: 2024-02-03\npresent: [\"[[Tam]]\"]\nin_game_start: 3 Thaw\n---\n## The ford\n\nThey cross.\n\n**Secret:** bridgeword\n",
        ),
    ]);
    let [session] = campaign.sessions() else { panic!("{:?}", campaign.sessions()) };
    assert_eq!((session.number, session.date.as_deref()), (Some(4), Some("2024-02-03")));
    assert_eq!(session.start.as_ref().map(|date| date.raw.as_str()), Some("3 Thaw"));
    let tam = Knower::Entity(EntityId::new("tam").unwrap());
    let line = campaign.passages().find(|passage| passage.text == "They cross.").unwrap();
    assert_eq!((line.session.as_ref(), &line.heard_by[..]), (Some(&session.id), &[tam][..]));
    assert_eq!(kind(&campaign, "tam"), Some(Kind::Player));
    assert_hidden(&campaign, &["bridgeword"]);
}

#[test]
fn invalid_front_matter_is_read_line_by_line() {
    let campaign = read(&[
        (
            "Ann.md",
            "---\ntags: [NPC]\ntitle: Ann: the Brave\nlocation: [[Inn]], [[Yard]]\nsecret: a: b: hiddenword\n---\nHere.\n",
        ),
        ("Inn.md", "Inn.\n"),
        ("Yard.md", "Yard.\n"),
    ]);
    assert_eq!(campaign.warnings().len(), 1);
    assert_eq!(relations(&campaign), ["ann-the-brave LOCATED_AT inn", "ann-the-brave LOCATED_AT yard"]);
    assert_hidden(&campaign, &["hiddenword"]);
}

#[test]
fn every_fact_leads_back_to_bytes_of_its_file() {
    let source = "\u{FEFF}---\ntags: [NPC]\nlocation: \"[[Inn]]\"\n---\nW\u{e4}rter [[Inn]] here.\n";
    let campaign = read(&[("Ann.md", source), ("Inn.md", "Inn.\n")]);
    for fact in campaign.facts() {
        let [hearsay_model::Evidence::Excerpt(excerpt)] = &fact.provenance().evidence[..] else { panic!("{fact:?}") };
        assert!(excerpt.line > 0 && !excerpt.hash.is_empty() && !excerpt.source.is_empty(), "{excerpt:?}");
    }
    let location = campaign.facts().find(|fact| *fact.predicate() == *"LOCATED_AT").unwrap();
    let [hearsay_model::Evidence::Excerpt(excerpt)] = &location.provenance().evidence[..] else { panic!() };
    assert_eq!(&source[excerpt.span.start..excerpt.span.end], "location: \"[[Inn]]\"");
    assert_eq!((excerpt.line, &*excerpt.field, &*excerpt.quote), (3, "location", "location: \"[[Inn]]\""));
    let passage = campaign.passages().find(|passage| passage.text.starts_with('W')).unwrap();
    let [hearsay_model::Evidence::Excerpt(excerpt)] = &passage.evidence[..] else { panic!() };
    assert_eq!(&source[excerpt.span.start..excerpt.span.end], "W\u{e4}rter [[Inn]] here.");
}

#[test]
fn entities_keep_their_ids() {
    let files = [("Ann.md", "---\ntags: [NPC]\n---\n")];
    let external_id = hearsay_model::ExternalId { system: "file".into(), id: "Ann.md".into() };
    let known_ids = [(external_id.clone(), EntityId::new("ann-oak").unwrap())].into();
    let campaign = read_with(&files, &ReadOptions { known_entities: known_ids, ..ReadOptions::default() });
    assert_eq!(campaign.external_ids(&EntityId::new("ann-oak").unwrap()), [external_id]);
}

#[test]
fn relations_of_all_sorts_say_which() {
    let campaign = read(&[
        (
            "Ann.md",
            "---\ntags: [NPC]\nrelationships:\n  - {target: \"[[Bob]]\", type: rival, attitude: -40}\n  - {target: Eve, type: member of, secret: true}\n  - \"[[Cob]] (brother)\"\nconnections:\n  Dot: employer\n---\n## Allies\n\n- [[Cob]]\n- [[Dot]], when it pays\n",
        ),
        ("Bob.md", "---\ntags: [NPC]\n---\n"),
        ("Eve.md", "---\ntags: [faction]\n---\n"),
        ("Cob.md", "---\ntags: [NPC]\n---\n"),
        ("Dot.md", "---\ntags: [NPC]\n---\n"),
    ]);
    assert_eq!(
        relations(&campaign),
        [
            "ann ALLIED_WITH cob",
            "ann ALLIED_WITH dot",
            "ann EMPLOYED_BY dot",
            "ann HOSTILE_TO bob",
            "ann MEMBER_OF eve!",
            "ann SIBLING_OF cob"
        ]
    );
    let rival = campaign.facts().find(|fact| *fact.predicate() == *"HOSTILE_TO").unwrap();
    assert_eq!(rival.attitude().map(|attitude| attitude.get()), Some(-40));
}

#[test]
fn every_spelling_of_death_is_understood() {
    let campaign = read(&[
        ("Ann.md", "---\ntags: [NPC, deceased]\n---\n"),
        ("Bob.md", "---\ntags: [NPC]\nalive: false\n---\n"),
        ("Cob.md", "---\ntags: [NPC]\ndied: 3 Thaw 412\n---\n"),
        ("Dot.md", "---\ntags: [NPC]\nstatus: Dead\n---\n"),
        ("Eve \u{2620}.md", "---\ntags: [NPC]\n---\n"),
        ("Fay.md", "---\ntags: [NPC]\nstatus: Not dead yet\ndead: false\n---\n"),
    ]);
    for id in ["ann", "bob", "cob", "dot", "eve"] {
        assert_eq!(values(&campaign, id, "condition"), ["dead"], "{id}");
    }
    assert_eq!(values(&campaign, "fay", "condition"), ["Not dead yet"]);
}

#[test]
fn fields_that_tools_of_vaults_use_are_understood() {
    let campaign = read(&[
        (
            "Ann.md",
            "---\ntags: [Character, NPC]\nspecies: elf\norganization: [\"[[Guild]]\"]\ncurrentLocation: \"[[Inn]]\"\nownedlocation: [[Inn]]\n---\n",
        ),
        ("Inn.md", "---\ntags: [POI]\nparentsettlement: \"[[Town]]\"\nowner: \"[[Ann]]\"\n---\n"),
        ("Town.md", "---\ntags: Location\nparentregion: \"[[Moor]]\"\n---\n"),
        ("Moor.md", "---\ntags: [Area]\n---\n"),
        ("Guild.md", "---\ntags: [Organization]\nhq: \"[[Inn]]\"\nrivals: [\"[[Crew]]\"]\nhead: \"[[Ann]]\"\n---\n"),
        ("Crew.md", "---\ntags: [Organization]\n---\n"),
        ("Hunt.md", "---\ntype: quest\nquestGiver: \"[[Ann]]\"\n---\n"),
        ("Fire.md", "---\ntype: event\nkeyFigures: [\"[[Ann]]\"]\nfactionsInvolved: \"[[Crew]]\"\n---\n"),
        ("Oar.md", "---\ntype: item\nfoundAt: \"[[Town]]\"\nowner: Ann\n---\n"),
    ]);
    assert_eq!(
        relations(&campaign),
        [
            "ann LOCATED_AT inn",
            "ann MEMBER_OF guild",
            "ann OWNS inn",
            "ann OWNS oar",
            "ann PARTICIPATED_IN fire",
            "ann QUEST_GIVER hunt",
            "crew PARTICIPATED_IN fire",
            "guild HOSTILE_TO crew",
            "guild LOCATED_AT inn",
            "inn PART_OF town",
            "oar LOCATED_AT town",
            "town PART_OF moor",
        ]
    );
    assert_eq!(values(&campaign, "ann", "species"), ["elf"]);
    assert_eq!(kind(&campaign, "town"), Some(Kind::Location));
}

#[test]
fn the_first_sentence_determines_the_kind() {
    let campaign = read(&[
        ("Gull Bay.md", "Gull Bay is a small port facing the north wind.\n"),
        ("Wenna.md", "Wenna, once of the guild, is the blacksmith of the bay.\n"),
        ("Fog.md", "Nobody has seen it.\n"),
    ]);
    assert_eq!(kind(&campaign, "gull-bay"), Some(Kind::Location));
    assert_eq!(kind(&campaign, "wenna"), Some(Kind::Npc));
    assert_eq!(kind(&campaign, "fog"), Some(Kind::from("unknown")));
}
