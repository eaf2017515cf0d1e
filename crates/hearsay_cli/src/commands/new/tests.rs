//! Tests of the written campaigns with the engine.

use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::{EntityId, Kind, attribute};
use hearsay_query::ask::Ask;
use hearsay_recall::{Detail, Form};
use tempfile::TempDir;

use super::*;

/// Writes a draft to a campaign directory, and imports it.
fn import(draft: &Draft) -> (TempDir, Memory) {
    let directory = tempfile::tempdir().unwrap();
    let text = yaml::write(draft);
    create(directory.path(), &text).unwrap();
    let mut options = MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    let memory = Memory::open(options).unwrap();
    match memory.import(directory.path()).unwrap().wait() {
        Ok(imported) => assert!(imported.report.warnings.is_empty(), "{:?}\n{text}", imported.report.warnings),
        Err(error) => panic!("{error}\n{text}"),
    }
    (directory, memory)
}

/// Returns what a character may say to a question.
fn ask(memory: &Memory, speaker: &str, question: &str) -> String {
    let answer = memory.ask(Ask::new(EntityId::new(speaker).unwrap(), question)).unwrap().wait().unwrap();
    answer.context.render(Form::Text, Detail::Plain)
}

/// Returns the campaign that typed lines make.
fn answer(typed: &str) -> Draft {
    questions::ask(None, "town", &mut typed.as_bytes(), &mut Vec::new()).unwrap()
}

#[test]
fn only_the_knower_finds_the_secret() {
    let draft = answer(
        "Salt and Lies\nWren Oake (Ben), Dorric Stane (Cleo)\nthe Gilded Gull, an inn in Gullhaven\n\
         Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks\nMirela hid the ledger\n",
    );
    let (directory, memory) = import(&draft);
    let question = "What do you know about the ledger?";
    assert!(ask(&memory, "mirela-voss", question).contains("Mirela hid the ledger."));
    for other in ["odo-brandt", "wren-oake", "dorric-stane"] {
        assert!(!ask(&memory, other, question).contains("hid"), "{other}");
    }
    assert!(ask(&memory, "odo-brandt", "Who is Mirela?").contains("landlady"), "they live in the same place");
    let steps = next_steps::next_steps(directory.path(), &draft);
    let path = directory.path().display();
    assert_eq!(
        steps,
        [
            "Mirela Voss knows a secret that Odo Brandt does not know. Ask both:".to_owned(),
            format!("  hearsay -C {path} ask --as mirela-voss \"{question}\""),
            format!("  hearsay -C {path} ask --as odo-brandt \"{question}\""),
            "At the table, start the session, and record what happens:".to_owned(),
            format!("  hearsay -C {path} session start --at the-gilded-gull"),
            format!("  hearsay -C {path} log \"Wren Oake meets Mirela Voss.\""),
        ]
    );
}

#[test]
fn a_campaign_file_reads_like_one_of_a_dm() {
    let draft = answer(
        "Salt and Lies\nWren Oake (Ben)\nthe Gull, an inn in Gullhaven\nMirela, a liar; Odo\nMirela owes Odo the boat\n\n",
    );
    let entities = yaml::write(&draft).split_once("\nentities:\n").unwrap().1.to_owned();
    let expected = "  \
  - id: wren-oake  # the id, for commands and references
    name: Wren Oake
    kind: player  # npc, player, location, faction, item, … or a word of your own
    player: Ben  # the person at the table
    location: the-gull  # is here when play begins

  - id: the-gull
    name: The Gull
    kind: location
    part_of: gullhaven  # the larger place that this place belongs to
    # known to the entity, and to the characters with the same home; of a place, to its residents
    description: The Gull is an inn in Gullhaven.

  - id: gullhaven
    name: Gullhaven
    kind: location

  - id: mirela
    name: Mirela
    kind: npc
    location: the-gull  # is here, and lives here too; `home: …` names another home
    description: Mirela is a liar.
    secrets:  # only this entity, and the knowers in `known_by: […]`, know and conceal these facts
      - text: Mirela owes Odo the boat.
        about: [odo]

  - id: odo
    name: Odo
    kind: npc
    location: the-gull
";
    assert_eq!(entities, expected);
}

/// Names, remarks and secrets with the characters that matter in YAML, in a terminal or in ids.
#[test]
fn any_words_make_a_valid_campaign() {
    let hostile = [
        "Mad \"Dog\" Mel",
        "D'Arcy: the Knife",
        "Žofie Nováková",
        "宿屋の主人",
        "No",
        "null",
        "007",
        "World",
        "none",
        "# x",
        "- y",
        "{a: b}",
        "[x]",
        "*star",
        "&anchor",
        "!tag",
        "%dir",
        "@at",
        "`tick`",
        "a\tb",
        "\u{1b}[31mred",
        "x\u{2028}y",
        "?",
        "key: value",
        "\\",
        "O\u{2019}Hara",
        "name with trailing colon:",
        "~",
        "| pipe",
        "> fold",
        "'single'",
        "\"double\"",
        "...",
        "---",
        "é",
        "🎲 Die",
        "12:30",
        "0x1F",
    ];
    for text in hostile {
        // A refused answer is followed by an empty answer, which skips the question.
        let typed = format!("{text}\nTown\n{text}\n\n{text} Inn, {text}\n\nAnn {text}, {text}; Bo\n\n");
        let mut draft = Draft {
            name: if hearsay_model::slug(text).is_empty() { "Town".into() } else { text.into() },
            ..Draft::default()
        };
        for (name, kind) in [(text, Kind::Npc), (&format!("Inn {text}"), Kind::Location)] {
            if let Ok(index) = draft.add(name, kind) {
                draft.entities[index].player = Some(text.to_owned());
                draft.entities[index].description = vec![text.to_owned().into(), ("word ".repeat(40) + text).into()];
                let secret = draft::DraftSecret { text: text.to_owned(), ..draft::DraftSecret::default() };
                draft.entities[index].secrets.push(secret);
                let (line, about) =
                    (draft::DraftText::from(format!("{text} hums")), vec![draft.entities[index].id.clone()]);
                let (told_to, by) = (about.clone(), about[0].clone());
                draft.rumours.push(draft::DraftRumour {
                    text: line.clone(),
                    truth: None,
                    about: about.clone(),
                    heard_by: told_to,
                });
                if draft.entities[index].kind == Kind::Npc {
                    draft.lies.push(draft::DraftLie {
                        text: line,
                        by,
                        about,
                        told_to: Vec::new(),
                        is_public: false,
                        truth_is: None,
                    });
                }
            }
        }
        draft.texts = vec![text.to_owned().into()];
        let names: Vec<_> = draft.entities.iter().map(|entity| (entity.id.clone(), entity.name.clone())).collect();
        let (_directory, memory) = import(&draft);
        let stored = memory.read(move |world| {
            let name = |id: &EntityId| {
                world.state.newest(id, attribute::NAME).and_then(|fact| fact.object().text().map(str::to_owned))
            };
            Ok(names.iter().map(|(id, expected)| (name(id), expected.clone())).collect::<Vec<_>>())
        });
        for (name, expected) in stored.unwrap().wait().unwrap() {
            assert_eq!(name, Some(expected));
        }
        let lines = format!("{typed}{}", "\n".repeat(20));
        import(&answer(&lines));
    }
}

#[test]
fn a_page_becomes_a_campaign_that_answers() {
    let made = page::read(page::tests::PROSE, None, "town");
    let (_directory, memory) = import(&made.draft);
    assert!(ask(&memory, "mirela-voss", "What about the ledger?").contains("secretly hides the harbour ledger"));
    assert!(!ask(&memory, "odo-brandt", "What about the ledger?").contains("ledger below"));
    assert!(ask(&memory, "odo-brandt", "What about Jory Hask?").contains("saw the murder"));
    for speaker in ["mirela-voss", "odo-brandt", "aldous-crane"] {
        assert!(!ask(&memory, speaker, "What does the rain do?").contains("Rain"), "only the DM sees the text");
    }
}

#[test]
fn homes_groups_and_conditions_of_a_page_are_imported() {
    let (_directory, memory) = import(&page::read(page::tests::VILLAGE, None, "town").draft);
    assert!(ask(&memory, "ludo-fenn", "Who is Agnes Rohr?").contains("keeps the Ibex"), "they live in the same place");
    assert!(!ask(&memory, "agnes-rohr", "What about the knife?").contains("decided"), "a remark is no knowledge");
}

#[test]
fn lies_and_rumours_are_known_to_the_right_characters() {
    let page = "\
# Town

## People
- Odo Brandt, a ferryman
- Mirela Voss, the landlady

## Lies
- Odo tells Mirela that the ledger burned.

## Rumours
- Mirela hid the ledger. (heard by Odo)

## Threads
- Who hid the ledger?
";
    let (_directory, memory) = import(&page::read(page, None, "town").draft);
    assert!(ask(&memory, "mirela-voss", "What about the ledger?").contains("burned"));
    assert!(!ask(&memory, "mirela-voss", "What about the ledger?").contains("hid the ledger"));
    assert!(ask(&memory, "odo-brandt", "What about the ledger?").contains("hid the ledger"));
}
