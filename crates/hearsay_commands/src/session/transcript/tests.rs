//! Tests of the speakers of transcripts: identification, proposals and saved assignments.

use hearsay_campaign::Transcript;
use hearsay_model::{
    Author, Change, EntityId, Kind, Operation, Position, SpeakerRole, State, TalkKind, Timestamp, attribute,
};

use super::{
    speakers::{SpeakerNames, speaker_of_player},
    *,
};
use crate::{
    CommandError,
    edit::{Edit, FactOptions},
    session::{Log, LogLine, NewSession},
};

mod whispers;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn character(text: &str) -> SpeakerIdentity {
    SpeakerIdentity::Character(id(text))
}

fn edit(state: &mut State, edit: &Edit) {
    let operation = edit.operation(state, Author::Dm, Timestamp(0)).unwrap();
    state.apply(operation).unwrap();
}

fn add(state: &mut State, name: &str, kind: Kind) {
    edit(state, &Edit::Add { name: name.into(), kind, id: None, place: None });
}

fn set(state: &mut State, entity: &str, attribute: &str, value: &str) {
    let (entity, attribute, value) = (EntityId::from_name(entity).unwrap(), attribute.into(), value.into());
    edit(state, &Edit::Set { entity, attribute, value, options: FactOptions::default() });
}

/// Returns a state with the player characters Wren Oake and Dorric Stane, and the innkeeper Mirela Voss.
fn table() -> State {
    let mut state = State::default();
    for (name, kind) in [("Wren Oake", Kind::Player), ("Dorric Stane", Kind::Player), ("Mirela Voss", Kind::Npc)] {
        add(&mut state, name, kind);
    }
    state
}

fn identify(state: &State, name: &str) -> SpeakerIdentity {
    SpeakerNames::new(state).identify(name)
}

fn import(text: &str, speakers: Vec<SpeakerAssignment>) -> TranscriptImport {
    TranscriptImport {
        name: "talk.txt".into(),
        transcript: Transcript::read("talk.txt", text.as_bytes()).unwrap(),
        session: None,
        new: NewSession::default(),
        speakers,
        first_line: None,
    }
}

/// A proposal with its reason.
type Proposal = Option<(SpeakerIdentity, SpeakerEvidence)>;

/// Returns the identity of each speaker of a transcript, and the proposal.
fn speakers(state: &State, text: &str) -> Vec<(String, SpeakerIdentity, Proposal)> {
    let (report, _) = import(text, Vec::new()).plan(state).unwrap();
    let rows = report.speakers.into_iter();
    rows.map(|row| (row.name, row.is, row.proposal.map(|proposal| (proposal.is, proposal.evidence)))).collect()
}

/// Returns the proposal for a speaker of a transcript.
fn proposal(state: &State, text: &str, speaker: &str) -> Proposal {
    let row = speakers(state, text).into_iter().find(|(name, ..)| name == speaker);
    row.unwrap_or_else(|| panic!("no speaker {speaker}")).2
}

fn assign(name: &str, character: &str) -> SpeakerAssignment {
    SpeakerAssignment {
        name: name.into(),
        is: AssignedSpeaker::Character(EntityId::from_name(character).unwrap()),
        remember: true,
    }
}

fn assign_role(name: &str, role: SpeakerRole) -> SpeakerAssignment {
    SpeakerAssignment { name: name.into(), is: AssignedSpeaker::Role(role), remember: true }
}

/// No speaker in this talk has a name that the campaign contains.
const TALK: &str = "\
Anna: The chapel is dark, and water drips from the roof onto the old stones. Wren, what do you do?
Ben: I look under the altar.
Anna: Good. Dorric?
Cleo: I follow with the lantern.
Ben: Dorric, hold it higher!
Cleo: All right.
Anna: You find a box, Wren.
Ben: I open it.
Anna: It is locked, Dorric.
Cleo: I have a key.
Crew: (cheering)
";

#[test]
fn players_are_identified_by_their_names() {
    let mut state = table();
    assert_eq!(identify(&state, "Laura Bell"), SpeakerIdentity::Unknown);
    set(&mut state, "Wren Oake", attribute::PLAYER, "Laura Bell");
    for name in ["Laura Bell", "laura  bell", "Laura", "Laura (she/her)", "Wren", "Wren Oake"] {
        assert_eq!(identify(&state, name), character("wren-oake"), "{name}");
    }
    for name in ["Bell", "Lau", "Dora"] {
        assert_eq!(identify(&state, name), SpeakerIdentity::Unknown, "{name}");
    }

    // The name of a player takes precedence over the name of a character.
    set(&mut state, "Dorric Stane", attribute::PLAYER, "Mirela Voss");
    assert_eq!(identify(&state, "Mirela Voss"), character("dorric-stane"));
    assert_eq!(identify(&state, "Mirela"), SpeakerIdentity::Ambiguous(vec![id("mirela-voss"), id("dorric-stane")]));

    // A player with two characters is ambiguous. A former player is not a player.
    set(&mut state, "Dorric Stane", attribute::PLAYER, "Laura Bell");
    let both = SpeakerIdentity::Ambiguous(vec![id("dorric-stane"), id("wren-oake")]);
    assert_eq!(identify(&state, "Laura Bell"), both);
    assert_eq!(identify(&state, "Mirela"), character("mirela-voss"));
}

#[test]
fn the_conversation_shows_who_plays_whom() {
    let mut state = table();
    let unknown = |name: &str, proposal| (name.to_owned(), SpeakerIdentity::Unknown, proposal);
    let expected = vec![
        unknown("Anna", Some((SpeakerIdentity::Dm, SpeakerEvidence::MostWords))),
        unknown("Ben", Some((character("wren-oake"), SpeakerEvidence::Conversation))),
        unknown("Cleo", Some((character("dorric-stane"), SpeakerEvidence::Conversation))),
        unknown("Crew", None),
    ];
    assert_eq!(speakers(&state, TALK), expected);
    // A speaker who introduces a character plays it.
    let talk = "DM: Who is there?\nCleo: I'm Dorric.\nBen: Me.\n";
    assert_eq!(proposal(&state, talk, "Cleo"), Some((character("dorric-stane"), SpeakerEvidence::Introduction)));
    // A speaker who addresses a character does not play it.
    let talk = "DM: Dorric?\nBen: Dorric, wake up!\nDM: Dorric?\nBen: Dorric!\nCleo: Hm?\n";
    assert_eq!(proposal(&state, talk, "Ben"), None);
    // If a name has several owners, only they are proposed.
    for name in ["Sam Hill", "Sam Reed"] {
        add(&mut state, name, Kind::Npc);
    }
    set(&mut state, "Sam Hill", attribute::ALIAS, "Hilly");
    let talk =
        "DM: Hilly?\nSam: Yes.\nDM: Come here, Hilly.\nSam: All right.\nDM: Wren?\nSam: No.\nDM: Wren?\nSam: No.\n";
    assert_eq!(identify(&state, "Sam"), SpeakerIdentity::Ambiguous(vec![id("sam-hill"), id("sam-reed")]));
    assert_eq!(proposal(&state, talk, "Sam"), Some((character("sam-hill"), SpeakerEvidence::Conversation)));
}

#[test]
fn a_player_who_says_the_most_can_introduce_a_character() {
    let state = table();
    let talk = |introduction: &str| {
        format!("Ben: Good evening to all of you, and thank you for coming. {introduction}\nAnna: Go on.\nCleo: Hm.\n")
    };
    for introduction in ["My name is Wren.", "I'm Wren Oake, a smith.", "I play Wren.", "I'm playing Wren tonight."] {
        let proposed = proposal(&state, &talk(introduction), "Ben");
        assert_eq!(proposed, Some((character("wren-oake"), SpeakerEvidence::Introduction)), "{introduction}");
    }
    let dm = Some((SpeakerIdentity::Dm, SpeakerEvidence::MostWords));
    for other in ["I am Wren's brother.", "I am not Wren.", "I am tired."] {
        assert_eq!(proposal(&state, &talk(other), "Ben"), dm, "{other}");
    }
    // A DM who speaks as the character also addresses its player.
    let talk = format!("{}Ben: Wren, what do you do?\nCleo: I wait.\n", talk("I am Wren."));
    assert_eq!(proposal(&state, &talk, "Ben"), dm);
}

#[test]
fn a_similar_name_and_the_last_character_are_proposed() {
    let mut state = table();
    let talk = "DM: Go on.\nDoric: I wait.\nWre: I look.\n";
    assert_eq!(proposal(&state, talk, "Doric"), Some((character("dorric-stane"), SpeakerEvidence::SimilarName)));
    assert_eq!(proposal(&state, talk, "Wre"), Some((character("wren-oake"), SpeakerEvidence::SimilarName)));
    add(&mut state, "Allura Fell", Kind::Player);
    assert_eq!(proposal(&state, "DM: Go on.\nAll: Hey!\nBen: Hm.\n", "All"), None, "a common word is no abbreviation");
    edit(&mut state, &Edit::RemoveEntity { entity: id("allura-fell") });

    let talk = "DM: Go on.\nBen: I look.\nCleo: I wait.\n";
    assert_eq!(proposal(&state, talk, "Cleo"), None, "two speakers and two characters remain");
    set(&mut state, "Wren Oake", attribute::PLAYER, "Ben");
    assert_eq!(proposal(&state, talk, "Cleo"), Some((character("dorric-stane"), SpeakerEvidence::Elimination)));
    let more = format!("{talk}Dan: Me too.\n");
    assert_eq!(proposal(&state, &more, "Cleo"), None, "two speakers remain");
    set(&mut state, "Dorric Stane", attribute::PLAYER, "Emil");
    assert_eq!(proposal(&state, talk, "Cleo"), None, "the last character has another player");
}

#[test]
fn narration_without_a_speaker_comes_from_the_dm() {
    let talk =
        "The chapel is dark, and water drips from the roof onto the old stones.\nBen: I look at them.\nCleo: Me too.\n";
    assert_eq!(proposal(&table(), talk, "Ben"), None);
}

#[test]
fn a_remembered_speaker_is_identified_in_the_next_import() {
    let mut state = table();
    let assigned = vec![
        assign_role("anna", SpeakerRole::Dm),
        assign("Ben", "Wren Oake"),
        SpeakerAssignment { remember: false, ..assign("Cleo", "Dorric Stane") },
        assign_role("Crew", SpeakerRole::Nobody),
    ];
    let first = import(TALK, assigned);
    let unsaved = first.unsaved_speakers(&state).unwrap();
    let names: Vec<&str> = unsaved.iter().map(|assignment| assignment.name.as_str()).collect();
    assert_eq!(names, ["Anna", "Ben", "Crew"], "the names as written in the file");
    let operation = remember_speakers(&state, &unsaved, Timestamp(0)).unwrap();
    assert_eq!(operation.summary, "speakers of transcripts: Anna, Ben, Crew");
    let saved = state.apply(operation).unwrap().position;
    assert!(first.unsaved_speakers(&state).unwrap().is_empty());
    assert_eq!(state.newest(&id("wren-oake"), attribute::PLAYER).unwrap().object().text(), Some("Ben"));
    let (report, log) = import(TALK, Vec::new()).plan(&state).unwrap();
    let identities: Vec<SpeakerIdentity> = report.speakers.into_iter().map(|row| row.is).collect();
    let expected = [SpeakerIdentity::Dm, character("wren-oake"), SpeakerIdentity::Unknown, SpeakerIdentity::Nobody];
    assert_eq!(identities, expected);
    assert_eq!(log.lines.last().unwrap().text, "Crew: (cheering)", "the line of nobody keeps the name");

    // A later decision replaces the earlier one.
    let later = import(TALK, vec![assign("Crew", "Dorric Stane"), assign_role("Ben", SpeakerRole::Nobody)]);
    let operation = remember_speakers(&state, &later.unsaved_speakers(&state).unwrap(), Timestamp(0)).unwrap();
    let later = state.apply(operation).unwrap().position;
    assert_eq!(identify(&state, "Crew"), character("dorric-stane"));
    assert_eq!(identify(&state, "Ben"), SpeakerIdentity::Nobody);

    // An undo removes the decisions.
    let undo = |position: Position| Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]);
    state.apply(undo(later)).unwrap();
    assert_eq!(identify(&state, "Ben"), character("wren-oake"));
    state.apply(undo(saved)).unwrap();
    assert!(["Anna", "Ben", "Crew"].iter().all(|name| identify(&state, name) == SpeakerIdentity::Unknown));
}

#[test]
fn a_player_of_two_characters_is_saved_once() {
    let mut state = table();
    for name in ["Wren Oake", "Dorric Stane"] {
        set(&mut state, name, attribute::PLAYER, "Ben");
    }
    let choice = import(TALK, vec![assign("Ben", "Wren Oake")]);
    assert!(choice.unsaved_speakers(&state).unwrap().is_empty());
}

#[test]
fn labels_of_programs_are_not_names() {
    for label in ["Speaker 1", "SPEAKER_02", "Unknown", "Speaker A", "Unknown Speaker"] {
        assert!(is_speaker_label(label), "{label}");
    }
    for name in ["Laura", "Laura 2", "The Speaker", "7"] {
        assert!(!is_speaker_label(name), "{name}");
    }
}

/// Returns the operation that logs a typed line in a new session.
fn log_typed(state: &State, text: &str) -> Result<Operation, CommandError> {
    let log = Log { new: Some(NewSession::default()), lines: vec![LogLine::typed(text)], ..Log::default() };
    log.operation(state, Author::Dm, Timestamp(0))
}

/// Logs a typed line in a session, and returns its speaker, its text and its kind of talk.
fn typed(state: &State, text: &str) -> (Option<String>, String, Option<TalkKind>) {
    let operation = log_typed(state, text).unwrap();
    let passage = operation.changes.iter().find_map(Change::passage).unwrap();
    (passage.speaker.as_ref().map(ToString::to_string), passage.text.clone(), passage.talk_kind)
}

#[test]
fn a_typed_line_can_begin_with_the_name_of_a_character_or_player() {
    let mut state = table();
    set(&mut state, "Wren Oake", "player", "Laura Meier");
    add(&mut state, "The Gilded Gull", Kind::Location);
    let (in_character, narration) = (Some(TalkKind::InCharacter), Some(TalkKind::Narration));
    let out_of_character = Some(TalkKind::OutOfCharacter);
    for (line, speaker, text, kind) in [
        ("Mirela: Come in.", Some("mirela-voss"), "Come in.", in_character),
        // The extraction decides on the lines of people at the table.
        ("Laura: Can I open it?", Some("wren-oake"), "Can I open it?", None),
        ("DM: Rain falls.", None, "Rain falls.", None),
        ("Laura: (ooc) brb", Some("wren-oake"), "(ooc) brb", out_of_character),
        ("Laura (ooc): brb", Some("wren-oake"), "brb", out_of_character),
        ("Bob: ((pizza?))", None, "Bob: ((pizza?))", out_of_character),
        ("(out of character) pizza?", None, "(out of character) pizza?", out_of_character),
        ("The Gilded Gull: the door opens.", None, "The Gilded Gull: the door opens.", narration),
        ("Late at night: a scream.", None, "Late at night: a scream.", narration),
    ] {
        assert_eq!(typed(&state, line), (speaker.map(str::to_owned), text.to_owned(), kind), "{line}");
    }
    // A player of two characters is no certain speaker.
    set(&mut state, "Dorric Stane", "player", "Laura Meier");
    assert_eq!(typed(&state, "Laura: Can I open it?"), (None, "Laura: Can I open it?".to_owned(), None));
    assert_eq!((speaker_of_player(&state, "laura"), speaker_of_player(&state, "mirela")), (None, None));
}

#[test]
fn a_typed_line_can_begin_with_an_occupation_or_the_beginning_of_a_name() {
    let mut state = table();
    set(&mut state, "Mirela Voss", "occupation", "innkeeper");
    add(&mut state, "Rainald", Kind::Npc);
    for line in ["The innkeeper: Come in.", "innkeeper (laughing): Come in.", "Mirel: Come in."] {
        let (speaker, text, _) = typed(&state, line);
        assert_eq!((speaker.as_deref(), text.as_str()), (Some("mirela-voss"), "Come in."), "{line}");
    }
    assert_eq!(typed(&state, "The landlady: Come in.").0.as_deref(), Some("mirela-voss"));
    add(&mut state, "Captain Lionel Greaves", Kind::Npc);
    assert_eq!(typed(&state, "The captain: Halt.").0.as_deref(), Some("captain-lionel-greaves"));
    set(&mut state, "Captain Lionel Greaves", "occupation", "captain of the proctors");
    assert_eq!(typed(&state, "The captain: Halt.").0.as_deref(), Some("captain-lionel-greaves"));
    add(&mut state, "Captain Ada Holt", Kind::Npc);
    assert_eq!(typed(&state, "The captain: Halt.").0, None);
    // A common word abbreviates no name, and more than four words are no name.
    for line in ["Rain: it pours.", "Mi: fa, so.", "The old and very angry innkeeper: Come in."] {
        assert_eq!(typed(&state, line), (None, line.to_owned(), Some(TalkKind::Narration)), "{line}");
    }
}

#[test]
fn a_misspelled_speaker_is_similar_to_one_character() {
    let mut state = table();
    add(&mut state, "The Gilded Gull", Kind::Location);
    let similar = |state: &State, line: &str| LogLine::typed(line).similar_speaker(state);
    for line in ["Mirella: Come in.", "mirella vos: Come in.", "Mirella (laughing): Hm.", "Mirella (to Wren): Hm."] {
        assert_eq!(similar(&state, line), Some(id("mirela-voss")), "{line}");
        assert_eq!(typed(&state, line).0, None, "{line}");
    }
    for line in ["Mirrla: Hm.", "Miriela whispers to Wren: Hm."] {
        assert_eq!(similar(&state, line), Some(id("mirela-voss")), "{line}");
        let corrected = LogLine::typed(line).with_corrected_speaker(&state);
        let named = corrected.with_named_speaker(&state).unwrap();
        let speaker = named.speaker.clone().map(|speaker| speaker.id);
        assert_eq!((speaker, named.text.as_str()), (Some(id("mirela-voss")), "Hm."));
    }
    for line in ["Mirela: Hm.", "Rain: it pours.", "Late at night: a scream.", "The Gilded Gull: a fire.", "Mirella"] {
        assert_eq!(similar(&state, line), None, "{line}");
    }
    add(&mut state, "Hettie Brock", Kind::Npc);
    assert_eq!(similar(&state, "Hety: No."), Some(id("hettie-brock")));
    // The titles before a name do not matter.
    add(&mut state, "Captain Osgrim Tull", Kind::Npc);
    for line in ["Captain Osgrimm: Halt.", "Lady Osgrimm: Halt.", "Osgrimm: Halt."] {
        assert_eq!(similar(&state, line), Some(id("captain-osgrim-tull")), "{line}");
    }
    assert_eq!(similar(&state, "Sister Mirella: Come in."), Some(id("mirela-voss")));
    add(&mut state, "Isaura Fenn", Kind::Npc);
    assert_eq!(similar(&state, "Isora: No."), Some(id("isaura-fenn")));
    // Two characters have the name.
    add(&mut state, "Mirela Stane", Kind::Npc);
    assert_eq!(similar(&state, "Mirella: Come in."), None);
}

#[test]
fn a_name_before_the_colon_can_be_unknown() {
    let mut state = table();
    add(&mut state, "The Gilded Gull", Kind::Location);
    let unknown = |line: &str| LogLine::typed(line).unknown_speaker(&state);
    assert_eq!(unknown("Jamila: Drinks, anyone?").as_deref(), Some("Jamila"));
    assert_eq!(unknown("the old monk: Hush.").as_deref(), Some("the old monk"));
    for line in
        ["Mirela: Hm.", "Rain: it pours.", "The weather: it pours.", "The Gilded Gull: a fire.", "Jamila drinks."]
    {
        assert_eq!(unknown(line), None, "{line}");
    }
    let misspelled = |line: &str| LogLine::typed(line).misspelled_actor(&state);
    assert_eq!(misspelled("Mirella takes the purse."), Some(("Mirella".to_owned(), id("mirela-voss"))));
    let titled = misspelled("Lady Mirella takes the purse.");
    assert_eq!(titled, Some(("Lady Mirella".to_owned(), id("mirela-voss"))));
    for line in ["Mirela takes the purse.", "Lady Mirela takes the purse.", "Rain falls.", "She runs."] {
        assert_eq!(misspelled(line), None, "{line}");
    }
}

#[test]
fn brackets_after_a_typed_speaker_name_the_hearers() {
    let state = table();
    let heard_by = |line: &str| -> Result<Vec<String>, String> {
        let operation = log_typed(&state, line).map_err(|error| error.to_string())?;
        let passage = operation.changes.iter().find_map(Change::passage).unwrap();
        Ok(passage.heard_by.iter().map(ToString::to_string).collect())
    };
    let everybody = ["dorric-stane", "mirela-voss", "wren-oake"];
    for (line, expected) in [
        ("Mirela (whispers to Wren): Not here.", &everybody[1..]),
        ("Mirela Voss [to Wren Oake]: Not here.", &everybody[1..]),
        ("Mirela (Quietly to Wren and Dorric Stane): Not here.", &everybody[..]),
        ("Mirela (laughing): Not here.", &everybody[..]),
        ("Mirela (to): Not here.", &everybody[..]),
        ("Bob (to Wren): Not here.", &["dorric-stane", "wren-oake"][..]),
    ] {
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(heard_by(line), Ok(expected), "{line}");
    }
    for line in ["Mirela (to Wrenn): Not here.", "Mirela (to Dorric and Wrenn): Not here."] {
        let error = heard_by(line).unwrap_err();
        assert!(error.contains("`Wrenn`; did you mean wren-oake"), "{error}");
    }
}

#[test]
fn brackets_without_a_name_are_a_remark() {
    let state = table();
    let everybody = ["dorric-stane", "mirela-voss", "wren-oake"];
    for (line, text, hearers) in [
        ("Mirela: It was closed. (looks away)", "It was closed.", &everybody[..]),
        ("Mirela: It was closed [rolls 9]", "It was closed", &everybody[..]),
        ("Mirela (to the whole room): It was closed.", "It was closed.", &everybody[..]),
        ("Mirela: It was closed. (to Wren)", "It was closed.", &everybody[1..]),
        ("Mirela (to herself): It was closed.", "It was closed.", &everybody[1..2]),
        // A sentence or a name in brackets may be part of the words.
        ("Mirela: It was closed. (By night, at least.)", "It was closed. (By night, at least.)", &everybody[..]),
        ("Mirela: Somebody paid me (Dorric)", "Somebody paid me (Dorric)", &everybody[..]),
        ("Mirela: (nods)", "(nods)", &everybody[..]),
    ] {
        let hearers: Vec<String> = hearers.iter().map(ToString::to_string).collect();
        let expected = (Some("mirela-voss".to_owned()), text.to_owned(), hearers);
        assert_eq!(heard(&state, line, &everybody), Ok(expected), "{line}");
    }
    let narration = "The wheel turns (slowly)";
    assert_eq!(typed(&state, narration).1, narration);
}

/// Logs a typed line in a session in which the characters are present. Returns its speaker, its text and its hearers.
fn heard(state: &State, text: &str, present: &[&str]) -> Result<(Option<String>, String, Vec<String>), String> {
    let new = NewSession { present: present.iter().map(|name| id(name)).collect(), ..NewSession::default() };
    let log = Log { new: Some(new), lines: vec![LogLine::typed(text)], ..Log::default() };
    let operation = log.operation(state, Author::Dm, Timestamp(0)).map_err(|error| error.to_string())?;
    let passage = operation.changes.iter().find_map(Change::passage).unwrap();
    let heard_by = passage.heard_by.iter().map(ToString::to_string).collect();
    Ok((passage.speaker.as_ref().map(ToString::to_string), passage.text.clone(), heard_by))
}

#[test]
fn a_verb_of_speech_can_follow_the_speaker() {
    let state = table();
    let everybody = ["dorric-stane", "mirela-voss", "wren-oake"];
    let (all, two) = (&everybody[..], &everybody[1..]);
    for (line, hearers) in [
        ("Mirela whispers to Wren: Not here.", two),
        ("Mirela Voss whispered in Wren's ear: Not here.", two),
        ("Mirela leans over the table and whispers to Wren Oake: Not here.", two),
        ("Mirela says quietly to Wren: Not here.", two),
        ("Mirela tells Wren in private: Not here.", two),
        ("Mirela, smiling, murmurs to Wren about the key: Not here.", two),
        ("Mirela mutters to herself: Not here.", &two[..1]),
        ("Mirela says to Wren: Not here.", all),
        ("Mirela tells Wren: Not here.", all),
        ("Mirela shouts across the room: Not here.", all),
        ("Mirela whispers: Not here.", all),
    ] {
        let hearers: Vec<String> = hearers.iter().map(ToString::to_string).collect();
        let expected = (Some("mirela-voss".to_owned()), "Not here.".to_owned(), hearers);
        assert_eq!(heard(&state, line, &everybody), Ok(expected), "{line}");
    }
    // Words other than the hearers and the manner follow the verb, or the speaker is unknown.
    for line in
        ["Mirela says nothing: she waits.", "Mirela asks Wren to leave: nobody moves.", "A voice says: Not here."]
    {
        let expected = everybody.map(str::to_owned).to_vec();
        assert_eq!(heard(&state, line, &everybody), Ok((None, line.to_owned(), expected)), "{line}");
    }
    let line = "The old woman whispers to Wren: Not here.";
    assert_eq!(heard(&state, line, &everybody), Ok((None, line.to_owned(), vec!["wren-oake".to_owned()])));
    let error = heard(&state, "Mirela whispers to Wrenn: Not here.", &everybody).unwrap_err();
    assert!(error.contains("`Wrenn`; did you mean wren-oake"), "{error}");
}

#[test]
fn a_narrated_event_is_hidden_from_those_who_do_not_notice_it() {
    let state = table();
    let everybody = ["dorric-stane", "mirela-voss", "wren-oake"];
    for (line, unaware) in [
        ("Wren steals a key from Mirela's desk. Mirela doesn\u{2019}t notice.", vec!["mirela-voss"]),
        ("Wren steals a key without Mirela Voss noticing.", vec!["mirela-voss"]),
        ("Behind Mirela's back, Wren steals a key.", vec!["mirela-voss"]),
        ("Wren leaves, unseen by Mirela and Dorric.", vec!["mirela-voss", "dorric-stane"]),
        ("Wren steals a key; Dorric and Mirela don't notice.", vec!["mirela-voss", "dorric-stane"]),
        ("Wren steals a key. Mirela does not see her.", vec!["mirela-voss"]),
        ("Mirela couldn't spot the thief.", vec!["mirela-voss"]),
        ("Wren steals a key. Mirela doesn't see why.", vec![]),
        ("Wren steals a key from Mirela.", vec![]),
        ("Mirela: Dorric doesn't notice.", vec![]),
    ] {
        let (.., heard_by) = heard(&state, line, &everybody).unwrap();
        let expected: Vec<&str> = everybody.into_iter().filter(|id| !unaware.contains(id)).collect();
        assert_eq!(heard_by, expected, "{line}");
    }
}

#[test]
fn a_pronoun_can_stand_for_the_person_who_does_not_notice() {
    let mut state = table();
    add(&mut state, "Captain Lionel Greaves", Kind::Npc);
    set(&mut state, "Captain Lionel Greaves", "occupation", "captain of the proctors");
    set(&mut state, "Mirela Voss", "pronouns", "she/her");
    set(&mut state, "Dorric Stane", "pronouns", "he/him");
    let everybody = ["captain-lionel-greaves", "dorric-stane", "mirela-voss", "wren-oake"];
    for (line, unaware) in [
        ("Dorric slips the brass key off Mirela's belt. She doesn't notice.", Some("mirela-voss")),
        ("Dorric lifts the captain's purse. He doesn't notice.", Some("captain-lionel-greaves")),
        ("Wren takes Mirela's key without her noticing.", Some("mirela-voss")),
        ("Wren talks to Dorric Stane. Mirela steals a key behind his back.", Some("dorric-stane")),
        ("Dorric slips the key off Mirela's belt. He doesn't notice.", None),
        ("Mirela hides the key behind her back.", None),
        ("Wren talks to Dorric. Mirela hides the key behind her back.", None),
    ] {
        let (.., heard_by) = heard(&state, line, &everybody).unwrap();
        let expected: Vec<&str> = everybody.into_iter().filter(|id| Some(*id) != unaware).collect();
        assert_eq!(heard_by, expected, "{line}");
    }
}

#[test]
fn each_clause_of_narration_can_have_a_subject() {
    let mut state = table();
    for name in ["The Spice Market", "The Crow Light", "The Gilded Gull"] {
        add(&mut state, name, Kind::Location);
    }
    set(&mut state, "The Crow Light", "description", "A lighthouse on a rock.");
    set(&mut state, "Mirela Voss", "pronouns", "she/her");
    set(&mut state, "Dorric Stane", "pronouns", "he/him");
    let (place, party) = (id("the-gilded-gull"), [id("dorric-stane"), id("wren-oake")]);
    let present = [id("dorric-stane"), id("mirela-voss")];
    let found = |line: &str, last_named: Option<&str>| -> Vec<String> {
        let last_named = last_named.map(id);
        let scene = NarratedScene { place: Some(&place), present: &present, party: &party, last_named };
        let describe = |actor: Actor| match actor.deed.departure {
            Some(Departure::GoesTo(place)) => format!("{} to {place}", actor.id),
            Some(_) => format!("{} leaves", actor.id),
            None => actor.id.to_string(),
        };
        actors(&SpeakerNames::new(&state), &state, line, &scene).into_iter().map(describe).collect()
    };
    for (line, expected) in [
        ("The door bangs and Captain Dorric comes in.", vec!["dorric-stane"]),
        ("Dorric walks out. He returns with a lamp.", vec!["dorric-stane"]),
        ("Dorric walks out and returns.", vec!["dorric-stane"]),
        ("When the bell rings, Wren slips away.", vec!["wren-oake leaves"]),
        ("Wren nods to Mirela and Dorric.", vec!["wren-oake"]),
        ("Wren bows; Mirela walks out.", vec!["wren-oake", "mirela-voss leaves"]),
        ("Mirela and her four guards leave.", vec!["mirela-voss leaves"]),
        ("Wren, Mirela and Dorric leave.", vec!["wren-oake leaves", "mirela-voss leaves", "dorric-stane leaves"]),
        (
            "Wren and Dorric go to the spice market.",
            vec!["wren-oake to the-spice-market", "dorric-stane to the-spice-market"],
        ),
        ("Wren walks back to the lighthouse, the others stay.", vec!["wren-oake to the-crow-light", "dorric-stane"]),
        ("Everybody except Wren rides to the lighthouse.", vec!["dorric-stane to the-crow-light"]),
        ("Wren slips away, Dorric goes with her.", vec!["wren-oake leaves", "dorric-stane leaves"]),
        ("Wren walks to the Gilded Gull.", vec!["wren-oake"]),
        ("Wren walks to the bar.", vec!["wren-oake"]),
        ("He slips out to the cellar.", vec!["dorric-stane leaves"]),
        ("She runs upstairs.", vec!["mirela-voss leaves"]),
        ("They ride to the lighthouse.", vec!["dorric-stane to the-crow-light", "wren-oake to the-crow-light"]),
        ("Wren laughs, and she walks out.", vec!["wren-oake leaves"]),
        ("The wind howls.", vec![]),
    ] {
        assert_eq!(found(line, None), expected, "{line}");
    }
    assert_eq!(found("She runs upstairs.", Some("wren-oake")), ["wren-oake leaves"]);
    assert_eq!(found("He runs upstairs.", Some("mirela-voss")), ["dorric-stane leaves"]);
}

#[test]
fn the_name_of_a_given_speaker_is_no_part_of_the_words() {
    let state = table();
    for (text, expected) in [
        ("Mirela: Come in.", "Come in."),
        ("Mirela says to Wren: Come in.", "Come in."),
        ("Wren: Come in.", "Wren: Come in."),
        ("Wren whispers to Dorric: Come in.", "Wren whispers to Dorric: Come in."),
    ] {
        let line = LogLine { speaker: Some(id("mirela-voss").into()), ..LogLine::typed(text) };
        let named = line.with_named_speaker(&state).unwrap();
        assert_eq!((named.text.as_str(), &named.speaker), (expected, &line.speaker), "{text}");
        assert!(named.heard_by.is_empty(), "{text}");
    }
}

#[test]
fn a_typed_line_about_the_game_is_out_of_character() {
    let mut state = table();
    set(&mut state, "Wren Oake", "player", "Laura Meier");
    for line in ["ok, an investigation check, natural 20!!", "Laura: got a 17", "DM: pizza is here", "Bob: Nat 20! ha"]
    {
        assert_eq!(typed(&state, line).2, Some(TalkKind::OutOfCharacter), "{line}");
    }
    assert_eq!(typed(&state, "Wren: Natural 20!").2, Some(TalkKind::InCharacter));
    let wanted = LogLine { talk_kind: Some(TalkKind::Narration), ..LogLine::typed("The inscription reads d20.") };
    assert_eq!(wanted.with_named_speaker(&state).unwrap().talk_kind, Some(TalkKind::Narration));
}

#[test]
fn a_transcript_can_name_the_hearers_of_a_line() {
    let talk = "Mirela (whispers to Wren): Not here.\nMirela (to Wrenn): Hm.\nBob (to Wren): Hm.\nMirela: Hm.\n";
    let (report, log) = import(talk, Vec::new()).plan(&table()).unwrap();
    let heard_by: Vec<&[EntityId]> = log.lines.iter().map(|line| &line.heard_by[..]).collect();
    assert_eq!(heard_by, [&[id("wren-oake")][..], &[], &[], &[]]);
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    assert!(report.notes[0].starts_with("line 2: ") && report.notes[0].contains("did you mean wren-oake"));
}

#[test]
fn a_mark_moves_the_scene_of_the_following_lines() {
    let mut state = table();
    add(&mut state, "The Gilded Gull", Kind::Location);
    let talk = "Wren: Hm.\n[at Gilded Gull]\nWren: Here we are.\nDorric: Yes.\n[at Mirela Voss]\n[at The Golden Gull]\n\
                Wren: Hello?\n";
    let (report, log) = import(talk, Vec::new()).plan(&state).unwrap();
    let places: Vec<Option<&EntityId>> = log.lines.iter().map(|line| line.place.as_ref()).collect();
    let gull = id("the-gilded-gull");
    assert_eq!(places, [None, Some(&gull), None, None]);
    assert_eq!(report.notes.len(), 2, "{:?}", report.notes);
    assert!(report.notes[0].starts_with("line 5: ") && report.notes[0].contains("an NPC, not a place"));
    assert!(report.notes[1].starts_with("line 6: ") && report.notes[1].contains("did you mean the-gilded-gull"));
    // The new lines of a transcript that another program still writes.
    for (first_line, lines, moves) in [(3, 3, true), (4, 2, false)] {
        let live = TranscriptImport { first_line: Some(first_line), ..import(talk, Vec::new()) };
        let (_, log) = live.plan(&state).unwrap();
        assert_eq!((log.lines.len(), log.lines[0].place.is_some()), (lines, moves));
    }
}

#[test]
fn the_marks_of_a_transcript_decide_the_kind_of_talk() {
    let (_, log) = import("Wren: (ooc) brb\nWren (OOC): Me too.\nWren: Hello.\n", Vec::new()).plan(&table()).unwrap();
    let kinds: Vec<_> = log.lines.iter().map(|line| line.talk_kind).collect();
    assert_eq!(kinds, [Some(TalkKind::OutOfCharacter), Some(TalkKind::OutOfCharacter), None]);
}
