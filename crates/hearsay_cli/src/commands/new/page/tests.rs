//! Tests of campaigns from pages.

use super::*;
use crate::commands::new::draft::DraftEntity;

mod entries;
mod first_session;
mod fragments;
mod hidden;
mod natural;
mod ties;

pub(in super::super) const PROSE: &str = "\
# Salt and Lies

Gullhaven is a port town in the north. The harbour master, Aldous Crane, taxes every boat.

The party begins in the Gilded Gull, an inn in Gullhaven. The landlady is Mirela Voss. She is
kind, but she secretly hides the harbour ledger below the floor. It lists every bribe.

Odo Brandt is a ferryman who drinks. He owes Mirela Voss twelve crowns.

Secret: Odo Brandt saw the murder of Jory Hask on the quay.

Rain falls all week.
";

const SECTIONS: &str = "\
# Salt and Lies

A town full of smugglers.

## NPCs

### Mirela Voss

The landlady of the Gilded Gull.

**Occupation:** landlady

**Secret:** She hid the harbour ledger.

### Odo Brandt

A ferryman who drinks.

- owes Mirela twelve crowns

## Places

### The Gilded Gull

An inn in Gullhaven. %% There is a tunnel below it. %%

## Secrets

- The mayor is a wolf.
";

fn entity<'d>(made: &'d PageDraft, id: &str) -> &'d DraftEntity {
    made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap()
}

fn ids(made: &PageDraft, kind: &Kind) -> Vec<String> {
    made.draft.of_kind(kind).map(|entity| entity.id.to_string()).collect()
}

fn joined(texts: &[DraftText]) -> String {
    texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join(" / ")
}

/// Returns each entity with its kind, description and secrets.
fn entities(made: &PageDraft) -> Vec<String> {
    let describe = |entity: &crate::commands::new::draft::DraftEntity| {
        let secrets: Vec<&str> = entity.secrets.iter().map(|secret| secret.text.as_str()).collect();
        format!("{} ({}): {} | {}", entity.id, entity.kind, joined(&entity.description), secrets.join(" / "))
    };
    made.draft.entities.iter().map(describe).collect()
}

#[test]
fn sentences_describe_the_entity_that_they_name() {
    let made = read(PROSE, None, "town");
    assert_eq!(made.draft.name, "Salt and Lies");
    let expected = [
        "gullhaven (location): Gullhaven is a port town in the north. | ",
        "aldous-crane (npc): The harbour master, Aldous Crane, taxes every boat. | ",
        "the-gilded-gull (location): The Gilded Gull is an inn in Gullhaven. | ",
        "mirela-voss (npc): The landlady is Mirela Voss. | Mirela Voss is kind, but she secretly hides the harbour ledger below the floor. It lists every bribe.",
        "odo-brandt (npc): Odo Brandt is a ferryman who drinks. He owes Mirela Voss twelve crowns. | Odo Brandt saw the murder of Jory Hask on the quay.",
    ];
    assert_eq!(entities(&made), expected);
    assert_eq!(
        (joined(&made.draft.texts).as_str(), made.unrecognized.as_slice()),
        (
            "The party begins in the Gilded Gull, an inn in Gullhaven. / Rain falls all week.",
            &["Jory Hask".to_owned()][..]
        )
    );
}

#[test]
fn words_about_notes_in_a_title_are_no_part_of_the_name() {
    for (title, name) in [
        ("The Tin Whistle - my session notes", "The Tin Whistle"),
        ("Ashfall: a campaign notebook", "Ashfall"),
        ("Ashfall (campaign prep)", "Ashfall"),
        ("The Tin Whistle - a ghost story", "The Tin Whistle - a ghost story"),
        ("Ashfall: notes of a dying king", "Ashfall: notes of a dying king"),
    ] {
        let page = format!("# {title}\n\nMarlow is a port town.\n");
        assert_eq!(read(&page, None, "town").draft.name, name, "{title}");
    }
}

#[test]
fn headings_are_entities() {
    let made = read(SECTIONS, Some("Mine"), "town");
    assert_eq!(made.draft.name, "Mine");
    let expected = [
        "mirela-voss (npc): The landlady of the Gilded Gull. / Occupation: landlady | Mirela Voss hid the harbour ledger.",
        "odo-brandt (npc): A ferryman who drinks. / owes Mirela twelve crowns | ",
        "the-gilded-gull (location): An inn in Gullhaven. | There is a tunnel below it.",
        "gullhaven (location):  | ",
    ];
    assert_eq!(entities(&made), expected);
    assert_eq!(joined(&made.draft.texts), "A town full of smugglers. / The mayor is a wolf.");
}

#[test]
fn in_doubt_nobody_knows_a_secret() {
    let page = "\
Lord Cassian Thorne seeks his daughter Elise, a young noble. Unbeknownst to Lord Thorne, Elise married a sailor named Dov.

The Drowned Rat stinks.

DM only: Elise has a map of the city of Vell.
";
    let made = read(page, None, "town");
    let secret = |id: &str| {
        let entity = made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
        entity.secrets.iter().map(|secret| (secret.text.as_str(), secret.is_unknown_to_owner)).collect::<Vec<_>>()
    };
    assert_eq!(
        secret("lord-cassian-thorne"),
        [("Unbeknownst to Lord Thorne, Elise married a sailor named Dov.", true)]
    );
    assert_eq!(secret("elise"), [("Elise has a map of the city of Vell.", false)]);
    let kinds: Vec<String> =
        made.draft.entities.iter().map(|entity| format!("{} {}", entity.id, entity.kind)).collect();
    assert_eq!(kinds, ["lord-cassian-thorne npc", "elise npc", "dov npc", "vell location"]);
    assert_eq!(made.unrecognized, ["The Drowned Rat"]);
}

#[test]
fn a_list_of_players_has_player_characters() {
    for page in [
        "Players: Wren Oake (Ben), Dorric Stane (Cleo)\n\nWren Oake is an elf.\n",
        "**Player characters:** Wren Oake (Ben), Dorric Stane (Cleo)\n\nWren Oake is an elf.\n",
        "## The party\n\n- Wren Oake (Ben)\n- Dorric Stane (Cleo)\n\n## World\n\nWren Oake is an elf.\n",
    ] {
        let made = read(page, None, "town");
        assert_eq!(
            entities(&made),
            ["wren-oake (player): Wren Oake is an elf. | ", "dorric-stane (player):  | "],
            "{page}"
        );
        assert_eq!(made.draft.entities[1].player.as_deref(), Some("Cleo"));
    }
}

#[test]
fn player_characters_begin_at_the_first_place() {
    let made = read(&format!("Players: Wren Oake (Ben)\n\n{PROSE}"), None, "town");
    let wren = &made.draft.entities[0];
    let page = "Players: Wren Oake (Ben)\n\nWren Oake is an elf. Secretly, her father is alive.\n";
    let secret = &read(page, None, "town").draft.entities[0].secrets[0];
    assert!(secret.is_unknown_to_owner, "a player character may not know the DM's secret: {secret:?}");
    assert_eq!(wren.location.as_ref().map(hearsay_model::EntityId::as_str), Some("the-gilded-gull"));
}

/// Every word of a page is in the campaign, except its title, its headings, the labels of secrets, and pronouns for which the
/// campaign has a name.
#[test]
fn nothing_of_a_page_is_lost() {
    for page in
        [PROSE, SECTIONS, "One line\n", "Mr. Bell waits.\n\n    indented text\n\n| a | b |\n|---|---|\n| c | d |\n"]
    {
        let draft = read(page, None, "town").draft;
        let descriptions = draft.entities.iter().flat_map(|entity| &entity.description);
        let secrets = draft.entities.iter().flat_map(|entity| entity.secrets.iter().map(|secret| &secret.text));
        let texts = descriptions.chain(&draft.texts).map(|text| &text.text);
        let written: Vec<&str> = texts.chain(secrets).map(String::as_str).collect();
        let written = words(&written.join(" "));
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            for word in words(&line.replace("Secret:** She", "").replace("Secret:", "")) {
                assert!(written.contains(&word), "`{word}` of `{line}` is lost: {draft:?}");
            }
        }
    }
}

const SHORT_NOTES: &str = "\
# The Salt Road

PCs:
- Tamsel Brook (Ida)
- Orrin Vale (Max), a dwarf

## The Broken Wheel

A low inn where the road forks. Everybody sleeps badly here.

## People

- Hanna Pike, the landlady. She waters the ale.
- Tobin Reed: the bailiff of the fork
- **Old Mags** sells herbs

## Secrets

- Hanna keeps two sets of books. Known by Hanna and Tobin.
- Only Tobin knows that the mill is empty.
- Orrin's father is alive (known only to Mags).
";

#[test]
fn short_notes_have_places_lists_and_knowers() {
    let made = read(SHORT_NOTES, None, "town");
    let expected = [
        "tamsel-brook (player):  | ",
        "orrin-vale (player): Orrin Vale is a dwarf. | ",
        "hanna-pike (npc): Hanna Pike, the landlady. She waters the ale. | Hanna keeps two sets of books.",
        "tobin-reed (npc): Tobin Reed: the bailiff of the fork | The mill is empty.",
        "old-mags (npc): Old Mags sells herbs | Orrin's father is alive.",
        "the-broken-wheel (location): A low inn where the road forks. Everybody sleeps badly here. | ",
    ];
    assert_eq!(entities(&made), expected);
    let knowers: Vec<(bool, String)> = made
        .draft
        .entities
        .iter()
        .flat_map(|entity| &entity.secrets)
        .map(|secret| {
            let others: Vec<&str> = secret.known_by.iter().map(hearsay_model::EntityId::as_str).collect();
            (secret.is_unknown_to_owner, others.join(", "))
        })
        .collect();
    let expected = [(false, "tobin-reed"), (false, ""), (false, "")];
    assert_eq!(knowers, expected.map(|(unknown, others)| (unknown, others.to_owned())));
}

#[test]
fn words_about_the_knowers_of_a_secret_are_no_part_of_it() {
    let page = "# Fork\n\n## People\n\n- Hanna Pike, the landlady.\n- Tobin Reed, the bailiff.\n- Mags Orrel, a herbalist.\n\n\
                ## Secrets\n\n@SECRET@\n";
    for (secret, text) in [
        ("Tobin and Mags know that the well is poisoned.", "The well is poisoned."),
        ("Known only to Tobin and Mags: the well is poisoned.", "The well is poisoned."),
        ("The well is poisoned (Tobin and Mags know).", "The well is poisoned."),
        (
            "The well is poisoned. Tobin and Mags know this. The water smells of almonds.",
            "The well is poisoned. The water smells of almonds.",
        ),
        ("The well is poisoned. Nobody but Tobin and Mags knows it.", "The well is poisoned."),
    ] {
        let made = read(&page.replace("@SECRET@", secret), None, "town");
        let secrets =
            made.draft.entities.iter().flat_map(|entity| entity.secrets.iter().map(move |secret| (entity, secret)));
        let found: Vec<(String, Vec<&str>)> = secrets
            .map(|(bearer, secret)| {
                let others = secret.known_by.iter().map(hearsay_model::EntityId::as_str);
                let bearer = (!secret.is_unknown_to_owner).then_some(bearer.id.as_str());
                (secret.text.clone(), bearer.into_iter().chain(others).collect())
            })
            .collect();
        assert_eq!(found, [(text.to_owned(), vec!["tobin-reed", "mags-orrel"])], "{secret}");
    }
}

#[test]
fn a_list_of_knowers_makes_the_sentence_before_secret() {
    let made = read("Odo Brandt is a ferryman. Odo hid the ledger. Known only to Odo.\n", None, "town");
    assert_eq!(entities(&made), ["odo-brandt (npc): Odo Brandt is a ferryman. | Odo hid the ledger."]);
}

const STATEMENTS: &str = "\
# The Drowned Lantern

PCs: Sael Marrow (Jo)

We start in the Drowned Lantern, an inn on the quay of Saltwick.

## People
- Bettony Flask runs the Lantern. She owes Dorric ten crowns. He knows about the cellar.
- **Dorric Vane** - moneylender. Owes nobody. Bettony hates him.

## Places
**The Old Customs House** - where the watch keeps its prisoners

## Factions
- The Tallow Guild sells candles. It controls the docks.

## What the players don't know
- There is a tunnel below the cellar. Bettony and Dorric know.
- The Tallow Guild is bankrupt.

## Lies
- Dorric says he has never been in the cellar.
- Bettony: \"I was asleep.\" Told to Dorric.
- The guild only sells candles (the Tallow Guild)
- Saltwick is safe.

## Rumours in Saltwick
- The lighthouse is haunted.
- Dorric is a priest. (false)

## Plot hooks
- Who moves the barrels?

## House rules
- Criticals do maximum damage.

## Omens
- The tide comes late.
";

/// Returns the text of a told statement with the ids of the characters, as in `dorric-vane > : He was asleep.`
fn told(made: &PageDraft) -> Vec<String> {
    let ids =
        |ids: &[hearsay_model::EntityId]| ids.iter().map(hearsay_model::EntityId::as_str).collect::<Vec<_>>().join(" ");
    let lies = made
        .draft
        .lies
        .iter()
        .map(|lie| format!("{} {} > {}: {}", lie.text.line.unwrap(), lie.by, ids(&lie.told_to), lie.text.text));
    let rumours = made.draft.rumours.iter().map(|rumour| {
        let truth = rumour.truth.map_or("unknown".to_owned(), |truth| truth.to_string());
        format!("{} {truth} > {}: {}", rumour.text.line.unwrap(), ids(&rumour.heard_by), rumour.text.text)
    });
    lies.chain(rumours).collect()
}

#[test]
fn sections_say_what_the_text_is() {
    let made = read(STATEMENTS, None, "town");
    let expected = [
        "sael-marrow (player):  | ",
        "bettony-flask (npc): Bettony Flask runs the Lantern. She owes Dorric ten crowns. / Bettony hates Dorric Vane. | \
         There is a tunnel below the cellar.",
        "dorric-vane (npc): Dorric Vane knows about the cellar. / Dorric Vane - moneylender. Owes nobody. | ",
        "the-old-customs-house (location): The Old Customs House - where the watch keeps its prisoners | ",
        "the-tallow-guild (faction): The Tallow Guild sells candles. It controls the docks. | The Tallow Guild is bankrupt.",
        "the-drowned-lantern (location): The Drowned Lantern is an inn on the quay of Saltwick. | ",
        "saltwick (location):  | ",
        "who-moves-the-barrels (quest):  | ",
    ];
    assert_eq!(entities(&made), expected);
    let expected = [
        "22 dorric-vane > : Dorric Vane has never been in the cellar.",
        "23 bettony-flask > dorric-vane: I was asleep.",
        "24 the-tallow-guild > : The guild only sells candles.",
        "25 false > : Saltwick is safe.",
        "28 unknown > saltwick: The lighthouse is haunted.",
        "29 false > saltwick: Dorric is a priest.",
    ];
    assert_eq!(told(&made), expected);
    let secret = &made.draft.entities[1].secrets[0];
    assert_eq!((secret.line, secret.known_by.len(), secret.is_unknown_to_owner), (Some(18), 1, false));
    assert_eq!(
        joined(&made.dm_only),
        "We start in the Drowned Lantern, an inn on the quay of Saltwick. / Criticals do maximum damage."
    );
    let not_understood: Vec<_> = made.not_understood.iter().map(|text| (text.line, text.text.as_str())).collect();
    let expected = [
        (Some(25), "nobody tells this lie, so it became a rumour that is false: Saltwick is safe."),
        (Some(37), "the heading `Omens` (the text below it is read as plain description)"),
        (Some(38), "The tide comes late."),
    ];
    assert_eq!(not_understood, expected);
}

/// Text below these headings is never an open fact.
#[test]
fn statements_never_become_facts() {
    for heading in ["## Lies", "## Rumours", "## Gossip", "**Lies**", "LIES", "## Quests", "## House rules", "Rumors:"]
    {
        let page = format!(
            "# Town\n\nOdo Brandt is a ferryman. The Gull is an inn.\n\n{heading}\n\nOdo hid the ledger in the Gull.\n"
        );
        let made = read(&page, None, "town");
        let facts: Vec<String> = made.draft.entities.iter().map(|entity| joined(&entity.description)).collect();
        assert!(!facts.join(" ").contains("ledger"), "{heading}: {facts:?}");
        let is_kept = made.draft.rumours.iter().any(|rumour| rumour.text.text.contains("ledger"))
            || made.draft.entities.iter().any(|entity| entity.name.contains("ledger"))
            || joined(&made.draft.texts).contains("ledger");
        assert!(is_kept, "{heading}: {made:?}");
    }
}

#[test]
fn statements_can_have_labels() {
    let page = "Odo Brandt is a ferryman.\n\nLIE: Odo says the mill burned.\n\nRumour: Odo drinks.\n\n**Quest:** Find Odo.\n\n\
                There is a rumour that Odo is rich.\n";
    let made = read(page, None, "town");
    let expected = ["3 odo-brandt > : The mill burned.", "5 unknown > : Odo drinks.", "9 unknown > : Odo is rich."];
    assert_eq!(told(&made), expected);
    assert_eq!(made.draft.entities.last().unwrap().name, "Find Odo");
    assert!(made.not_understood.is_empty(), "{:?}", made.not_understood);
}

#[test]
fn nicknames_are_other_names_of_their_entities() {
    let page = "\
Old Marl fears Ada Brook.

Secret: Marlow Finch (\"The Knife\") robs the mill.

## NPCs

- Marlow Finch (\"Old Marl\"), the miller. He waters the flour.
- Ada \u{201C}the Mole\u{201D} Brook: a smuggler
";
    let made = read(page, None, "town");
    let expected = [
        "marlow-finch (npc): Old Marl fears Ada Brook. / Marlow Finch, the miller. He waters the flour. | \
         Marlow Finch (\"The Knife\") robs the mill.",
        "ada-brook (npc): Ada Brook: a smuggler | ",
    ];
    assert_eq!(entities(&made), expected);
    let aliases: Vec<&[String]> = made.draft.entities.iter().map(|entity| entity.aliases.as_slice()).collect();
    assert_eq!(aliases, [["Old Marl"], ["the Mole"]], "a secret nickname stays secret");
}

#[test]
fn remarks_of_the_dm_stay_out_of_rumours() {
    let page = "Odo Brandt is a ferryman.\n\nRumour: Odo waters the flour. (Not true!)\n\n\
                Rumour: Odo is rich. (False; he only looks rich. He owes everybody.)\n\n\
                There is a rumour that Odo drinks. (He does, on Fridays.)\n";
    let made = read(page, None, "town");
    let expected = ["3 false > : Odo waters the flour.", "5 false > : Odo is rich.", "7 unknown > : Odo drinks."];
    assert_eq!(told(&made), expected);
    let remarks = "Remark on a rumour about Odo Brandt: He only looks rich. He owes everybody. / \
                   Remark on a rumour about Odo Brandt: He does, on Fridays.";
    assert_eq!((joined(&made.draft.texts).as_str(), made.not_understood.len()), (remarks, 0));
}

pub(in super::super) const VILLAGE: &str = "\
# Snowbound

PCs: Mara Quist (Jonas)

We start in the Ibex, the only inn of Varnholt. Evening, third day of snow.

## People

- Agnes Rohr, \"Old Agnes\" - keeps the Ibex. Lives at the Ibex, obviously.
- Ludo Fenn \u{201C}the Crow\u{201D} - gravedigger (home: the Ibex). Owes Agnes eleven marks (he'll pay!! maybe session 2).
- Hanna Grauer, widow, runs the mill. Tomi's mother.
- Tomas Grauer (Tomi), 16. Squeaky, talks too fast. Hates the Tidewatch.
- Casper Voigt, salt merchant. DEAD - found in the stable.
- Korbin Hale, a guide. He leads the Lampless. TODO name his wife.

## Places

- The Ibex - inn.
- The mill

## Factions

- The Lampless: smugglers. Members: Ludo Fenn

## Secrets

Agnes Rohr hid the knife. (She didn't. haven't decided who did!!)

## Rumours

- The mill is cursed. (True? dunno yet)
";

#[test]
fn notes_state_homes_groups_and_conditions() {
    let made = read(VILLAGE, None, "town");
    let entity = |id: &str| made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap();
    for (id, alias) in [("agnes-rohr", "Old Agnes"), ("ludo-fenn", "the Crow"), ("tomas-grauer", "Tomi")] {
        assert_eq!(entity(id).aliases, [alias], "{id}");
    }
    for id in ["agnes-rohr", "ludo-fenn"] {
        assert_eq!(entity(id).home.as_ref().unwrap().as_str(), "the-ibex", "{id}");
    }
    assert!(entity("hanna-grauer").home.is_none());
    let groups = |id: &str| {
        let groups = entity(id).groups.iter();
        groups.map(|group| format!("{} {}", group.relation, group.group)).collect::<Vec<_>>()
    };
    assert_eq!(groups("ludo-fenn"), ["MEMBER_OF the-lampless"]);
    assert_eq!(groups("korbin-hale"), ["MEMBER_OF the-lampless"]);
    assert_eq!(entity("korbin-hale").groups[0].rank.as_deref(), Some("leader"));
    assert_eq!(entity("casper-voigt").condition.as_deref(), Some("dead"));
    assert_eq!(entity("the-ibex").part_of.as_ref().unwrap().as_str(), "varnholt");
    assert_eq!((&entity("the-mill").kind, &entity("hanna-grauer").kind), (&Kind::Location, &Kind::Npc));
}

#[test]
fn fragments_and_remarks_make_no_people_and_no_knowledge() {
    let made = read(VILLAGE, None, "town");
    let people: Vec<&str> = made.draft.of_kind(&Kind::Npc).map(|npc| npc.id.as_str()).collect();
    let expected = ["agnes-rohr", "ludo-fenn", "hanna-grauer", "tomas-grauer", "casper-voigt", "korbin-hale"];
    assert_eq!(people, expected);
    let about =
        |id: &str| joined(&made.draft.entities.iter().find(|entity| entity.id.as_str() == id).unwrap().description);
    assert_eq!(about("tomas-grauer"), "Tomas Grauer (Tomi), 16. Squeaky, talks too fast. Hates the Tidewatch.");
    assert_eq!(about("hanna-grauer"), "Hanna Grauer, widow, runs the mill. Tomi's mother.");
    assert_eq!(about("ludo-fenn"), "Ludo Fenn - gravedigger (home: the Ibex). Owes Agnes eleven marks.");
    assert_eq!(about("korbin-hale"), "Korbin Hale, a guide. He leads the Lampless.");
    assert_eq!(about("the-ibex"), "The Ibex is the only inn of Varnholt. / The Ibex - inn.");
    assert_eq!(made.draft.entities[1].secrets[0].text, "Agnes Rohr hid the knife.");
    assert_eq!(made.draft.rumours[0].truth, None);
    let texts = joined(&made.draft.texts);
    for part in
        ["We start in the Ibex", "TODO name his wife.", "haven't decided who did!!", "he'll pay!!", "True? dunno yet"]
    {
        assert!(texts.contains(part), "{part}: {texts}");
    }
}

#[test]
fn a_person_can_have_the_name_of_a_place() {
    for line in ["Landlady Lisbet Quay hates rain.", "## Town\n\n- Lisbet Quay, landlady of the Bell. She hates rain."]
    {
        let made = read(&format!("# Salt\n\n{line}\n"), None, "town");
        let lisbet = made.draft.entities.iter().find(|entity| entity.name.contains("Lisbet Quay"));
        assert_eq!(lisbet.map(|lisbet| &lisbet.kind), Some(&Kind::Npc), "{line}: {:?}", made.draft.entities);
    }
}

#[test]
fn the_level_of_headings_does_not_matter() {
    for level in 1..=5 {
        let mark = "#".repeat(level);
        let page = format!(
            "# Salt\n\nA town.\n\n{mark} People\n\n{mark}# Jory Tan (dead)\n\nThe undertaker. Lives at the Heron. Member of the \
             Grey Company.\n\n{mark}# Dela Marsh\n\nForeman of the Heron. She has her dead brother's Colt.\n\n{mark} \
             Places\n\n- The Heron - an inn\n\n{mark} Factions\n\n- The Grey Company - a company. Led by Dela \
             Marsh.\n\n{mark} Secrets\n\n- Dela caused the flood. (only Dela knows)\n\n{mark} Lies\n\n- Dela says that \
             the flood was an accident.\n"
        );
        let made = read(&page, None, "town");
        let draft = &made.draft;
        let kinds: Vec<String> = draft.entities.iter().map(|entity| format!("{} {}", entity.id, entity.kind)).collect();
        let expected = ["the-heron location", "the-grey-company faction", "jory-tan npc", "dela-marsh npc"];
        assert_eq!(kinds, expected, "level {level}");
        let (jory, dela) = (&draft.entities[2], &draft.entities[3]);
        assert_eq!((jory.condition.as_deref(), jory.occupation.as_deref()), (Some("dead"), Some("undertaker")));
        assert_eq!(dela.occupation.as_deref(), Some("foreman"), "level {level}");
        assert_eq!((jory.groups[0].rank.as_deref(), dela.groups[0].rank.as_deref()), (None, Some("leader")));
        assert_eq!(dela.secrets[0].text, "Dela caused the flood.", "level {level}");
        assert_eq!(draft.lies[0].by, dela.id, "level {level}");
    }
}
