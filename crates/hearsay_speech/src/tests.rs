//! Tests replies with the example campaign Gullhaven, the sentence encoder and the entailment model.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
    time::Duration,
};

use hearsay_commands::{game_event::Circumstances, reply::FindingKind};
use hearsay_engine::{ExtractionSettings, Memory, MemoryOptions, Settings, SpeechSettings};
use hearsay_model::{Acquisition, Author, EntityId, Knower};
use hearsay_query::ask::Ask;

use crate::{
    CharacterReply, ChatPrompt, ConversationLine, EndReason, GenerationLimits, GenerationStats, LanguageModel,
    ReplyRequest, ReplyStep, ReplyWriter, ScriptedModel, Speech, SpeechError, SpeechStatus,
};

const FINE: &str = "Odo Brandt knows the ferry, my dear. Ask him at the stairs.";
const LEAK: &str = "I hid the harbour ledger under the flagstones of the chapel.";

fn id(id: &str) -> EntityId {
    EntityId::new(id).unwrap()
}

fn gullhaven() -> Memory {
    imported(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../campaigns/gullhaven"))
}

/// Returns a memory with the campaign of this text.
fn imported_text(campaign: &str) -> Memory {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("campaign.yaml"), campaign).unwrap();
    imported(directory.path())
}

/// Returns a memory with a campaign, from whose texts no facts are extracted.
fn imported(campaign: &Path) -> Memory {
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let settings = Settings { extraction, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    memory.import(campaign).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    memory
}

fn limits() -> GenerationLimits {
    GenerationLimits::from_settings(&SpeechSettings::default())
}

fn scripted(texts: &[&str]) -> Speech {
    let model = ScriptedModel::new(texts.iter().copied());
    Speech::start(move || Ok(model), limits(), None).unwrap()
}

fn ask(question: &str) -> Ask {
    Ask { present: vec![id("wren-oake")], ..Ask::new(id("mirela-voss"), question) }
}

fn request() -> ReplyRequest {
    ReplyRequest { listeners: vec![id("wren-oake")], ..ReplyRequest::default() }
}

/// Returns the reply of Mirela to a question of Wren, and its chunks.
fn reply(memory: &Memory, speech: &Speech, question: &str) -> (CharacterReply, Vec<String>) {
    let mut chunks = Vec::new();
    let pending = speech.reply(memory.ask(ask(question)).unwrap(), request());
    let reply = pending.wait(memory, |words| {
        chunks.extend((!words.is_empty()).then(|| words.to_owned()));
        true
    });
    (reply.unwrap(), chunks)
}

/// Returns the reply of a character to a question of `rea-stone`.
fn reply_to_rea(memory: &Memory, speech: &Speech, speaker: &str, question: &str) -> CharacterReply {
    let listeners = vec![id("rea-stone")];
    let ask = Ask { present: listeners.clone(), ..Ask::new(id(speaker), question) };
    let request = ReplyRequest { listeners, ..ReplyRequest::default() };
    speech.reply(memory.ask(ask).unwrap(), request).wait(memory, |_| true).unwrap()
}

#[test]
fn drafts_are_checked_repaired_and_replaced() {
    let memory = gullhaven();
    let question = "Where is the harbour ledger?";

    // A draft without problems is said as it is.
    let (fine, chunks) = reply(&memory, &scripted(&[FINE]), question);
    assert_eq!((fine.text(), fine.writer), (FINE, ReplyWriter::Model));
    assert_eq!(chunks.concat(), FINE);
    assert!(fine.rejected.is_empty() && fine.check.is_fine());

    // After a draft that reveals a secret, the model writes another one.
    let (repaired, _) = reply(&memory, &scripted(&[LEAK, FINE]), question);
    assert_eq!((repaired.text(), repaired.writer), (FINE, ReplyWriter::Repair));
    assert_eq!(repaired.rejected.len(), 1);
    assert_eq!(repaired.rejected[0].problems[0].kind, FindingKind::RevealsSecret);

    // After two of them, a template speaks, and reveals nothing either.
    let (template, chunks) = reply(&memory, &scripted(&[LEAK, LEAK]), question);
    assert_eq!((template.writer, template.rejected.len()), (ReplyWriter::Template, 2));
    assert!(template.check.is_fine() && !template.text().is_empty());
    assert_eq!(chunks.concat(), template.text());
    assert!(!template.text().contains("flagstones"), "{}", template.text());

    // A secret in a later sentence ends the reply before this sentence.
    let (short, chunks) = reply(&memory, &scripted(&[&format!("{FINE} {LEAK}")]), question);
    assert_eq!((short.text(), short.writer), (FINE, ReplyWriter::Model));
    assert_eq!((chunks.concat().trim_end(), short.rejected.len()), (FINE, 1));

    // An invented name is no reply.
    let (invented, _) = reply(&memory, &scripted(&["Ask Balthasar Quenn about it.", FINE]), question);
    assert_eq!(invented.rejected[0].problems[0].kind, FindingKind::UnknownName);

    // An empty draft is no reply.
    let (empty, _) = reply(&memory, &scripted(&[" \n"]), question);
    assert_eq!(empty.writer, ReplyWriter::Template);
    memory.close().unwrap();
}

#[test]
fn templates_speak_without_a_language_model() {
    let memory = gullhaven();
    let speech = Speech::without_model();
    assert!(matches!(speech.status(), SpeechStatus::NoModel));
    let (known, _) = reply(&memory, &speech, "Who owns the Gilded Gull?");
    assert_eq!((known.text(), known.writer), ("I own the Gilded Gull.", ReplyWriter::Template));
    assert!(known.model_error.is_none());
    let (unknown, _) = reply(&memory, &speech, "What is the capital of the moon people?");
    assert_eq!(unknown.text(), "I can tell you nothing about that.");

    let failed = SpeechError::ModelFile { path: "a.gguf".into(), reason: "no such file".into() };
    let error = failed.clone();
    let speech = Speech::start(move || Err::<ScriptedModel, _>(error), limits(), None).unwrap();
    let (reply, _) = reply(&memory, &speech, "Who runs the ferry?");
    assert_eq!(reply.writer, ReplyWriter::Template);
    assert_eq!(reply.model_error.map(|error| error.to_string()), Some(failed.to_string()));
    assert!(matches!(speech.status(), SpeechStatus::Failed(error) if error.to_string() == failed.to_string()));
    memory.close().unwrap();
}

#[test]
fn templates_show_feelings_towards_the_listeners() {
    let memory = gullhaven();
    let speech = Speech::without_model();
    let say = |speaker: &str, listeners: &[&str], question: &str, earlier: Vec<ConversationLine>| {
        let listeners: Vec<EntityId> = listeners.iter().map(|listener| id(listener)).collect();
        let ask = Ask { present: listeners.clone(), ..Ask::new(id(speaker), question) };
        let request = ReplyRequest { listeners, earlier, ..ReplyRequest::default() };
        let reply = speech.reply(memory.ask(ask).unwrap(), request).wait(&memory, |_| true).unwrap();
        assert!(reply.check.is_fine(), "{reply:?}");
        reply.text().to_owned()
    };
    let (known, unknown) = ("Who owns the Gilded Gull?", "What is the capital of the moon people?");
    for (speaker, listeners, opening, refusal) in [
        ("mirela-voss", &["wren-oake"][..], "", "I can tell you nothing about that."),
        ("mirela-voss", &["father-teodor"], "Gladly. ", "I am sorry, I can tell you nothing about that."),
        ("mirela-voss", &["odo-brandt"], "If I must. ", "I have nothing to say to you about that."),
        ("mirela-voss", &["father-teodor", "odo-brandt"], "Gladly. ", "I am sorry, I can tell you nothing about that."),
        // A debt makes a character polite, and the fear of one listener prevails.
        ("odo-brandt", &["aldous-crane"], "Gladly. ", "I am sorry, I can tell you nothing about that."),
        (
            "odo-brandt",
            &["nico-brandt", "lucan-fairweather"],
            "I want no trouble. ",
            "Please do not ask me. I can tell you nothing about that.",
        ),
    ] {
        let reply = say(speaker, listeners, known, Vec::new());
        assert!(reply.starts_with(opening) && reply.contains("Gull"), "{reply}");
        assert_eq!(say(speaker, listeners, unknown, Vec::new()), refusal);
        let earlier = vec![ConversationLine { is_own: true, text: "Good day.".into() }];
        let later = say(speaker, listeners, known, earlier);
        assert_eq!(reply, format!("{opening}{later}"), "the opening comes once");
    }
    // A question about both is answered with what is between the two.
    let debt = say("mirela-voss", &["aldous-crane"], "What do you owe me?", Vec::new());
    assert!(debt.contains("I owe you two hundred crowns"), "{debt}");
    memory.close().unwrap();
}

#[test]
fn templates_do_not_repeat_themselves_and_do_not_change_the_subject() {
    let memory = gullhaven();
    let speech = Speech::without_model();
    let mut earlier: Vec<ConversationLine> = Vec::new();
    let mut say = |question: &str| {
        let request = ReplyRequest { earlier: earlier.clone(), ..request() };
        let reply = speech.reply(memory.ask(ask(question)).unwrap(), request).wait(&memory, |_| true).unwrap();
        earlier.push(ConversationLine { is_own: false, text: question.into() });
        earlier.push(ConversationLine { is_own: true, text: reply.text().into() });
        reply.text().to_owned()
    };
    let owner = "Who owns the Gilded Gull?";
    assert_eq!(say(owner), "I own the Gilded Gull.");
    assert_eq!(say(owner), "I have told you what I know about that.");
    assert_eq!(say(owner), "I own the Gilded Gull.");
    // Two questions about unknown matters.
    assert_eq!(say("What is the capital of the moon people?"), "I can tell you nothing about that.");
    assert_eq!(say("What is the anthem of the moon people?"), "I can tell you nothing about that either.");
    let secret = say("Where did you hide the harbour ledger?");
    assert!(secret == "I can tell you nothing about that.", "{secret}");
    // Open questions about persons are answered with several facts.
    let open = ["Jory Penhale", "Father Teodor", "Odo Brandt"].map(|name| say(&format!("Tell me about {name}.")));
    assert!(open.iter().any(|reply| reply.contains(". ")), "{open:?}");
    let again = say("Tell me about Odo Brandt.");
    assert!(again != open[2] && open[2].contains("Odo"), "{again} {open:?}");
    memory.close().unwrap();
}

/// A miller who is dead, a cook who lives in the mill, and a rumour about the cook.
const MILL: &str = r#"
format: 1
campaign: {name: Mill, start: day 1}
entities:
  - {id: the-old-mill, name: The Old Mill, kind: location}
  - {id: rea-stone, name: Rea Stone, kind: player, player: Ben}
  - id: hanna-vogt
    name: Hanna Vogt
    kind: npc
    home: the-old-mill
    attributes: {occupation: cook}
    description: The cook. Lives in the mill. She baked the wedding cake.
  - id: jost-brand
    name: Jost Brand
    kind: npc
    home: the-old-mill
    attributes: {occupation: miller, condition: dead}
    description: The miller. Jost owed money to everybody. He fell into the mill race.
  - {id: olf-berg, name: Olf Berg, kind: npc, home: the-old-mill}
rumours:
  - text: Hanna Vogt poisoned the soup.
    about: [hanna-vogt]
    heard_by: [hanna-vogt, olf-berg]
"#;

#[test]
fn templates_answer_questions_about_an_entity() {
    let (memory, speech) = (imported_text(MILL), Speech::without_model());
    let say = |speaker: &str, question: &str| reply_to_rea(&memory, &speech, speaker, question).text().to_owned();
    assert_eq!(say("hanna-vogt", "Is Jost dead?"), "Jost Brand is dead.");
    assert_eq!(say("hanna-vogt", "Is Jost a good dancer?"), "I can tell you nothing about that.");
    for question in ["What happened to Jost?", "What do you know about Jost Brand?", "Who was Jost?"] {
        let reply = say("hanna-vogt", question);
        assert!(reply.starts_with("Jost Brand is dead."), "{question} {reply}");
        assert!(
            !reply.contains("The miller.") && !reply.contains("He "),
            "a fragment or a pronoun: {question} {reply}"
        );
    }
    // A character speaks of itself in the first person.
    let own = say("hanna-vogt", "Tell me about Hanna.");
    assert!(own.contains("I am a cook.") && !own.contains("She") && !own.contains("Lives"), "{own}");
    // A character tells a rumour about others, but no rumour about itself.
    let rumour = "Who poisoned the soup?";
    assert_eq!(say("olf-berg", rumour), "I am not sure, but I have heard this: Hanna Vogt poisoned the soup.");
    assert_eq!(say("hanna-vogt", rumour), "I can tell you nothing about that.");
    memory.close().unwrap();
}

/// A tanner with a husband, who lies about a night.
const TANNERY: &str = r#"
format: 1
campaign: {name: Tannery, start: day 1}
entities:
  - {id: the-tannery, name: The Tannery, kind: location}
  - {id: rea-stone, name: Rea Stone, kind: player, player: Ben}
  - {id: gerda-lohm, name: Gerda Lohm, kind: npc, home: the-tannery, attributes: {occupation: tanner, pronouns: she}}
  - {id: pim-hask, name: Pim Hask, kind: npc, home: the-tannery}
facts:
  - {subject: gerda-lohm, type: MARRIED_TO, target: pim-hask}
  - {subject: pim-hask, text: Pim Hask worked in the barn last night., known_by: [{who: pim-hask}]}
  - {subject: pim-hask, text: Pim Hask gave the tannin to a pedlar., secret: true, known_by: [{who: pim-hask, conceals: true}]}
lies:
  - {by: pim-hask, text: Pim Hask never gave the tannin away., about: [pim-hask], told_to: [{who: gerda-lohm}]}
  - {by: pim-hask, text: Pim Hask worked at the mill last night., about: [pim-hask], told_to: [{who: gerda-lohm}]}
"#;

#[test]
fn templates_answer_questions_about_the_character_itself() {
    let (memory, speech) = (imported_text(TANNERY), Speech::without_model());
    let say = |speaker: &str, question: &str| reply_to_rea(&memory, &speech, speaker, question);
    for (question, expected) in [
        ("Who are you?", "I am a tanner."),
        ("Tell me about yourself.", "I am a tanner."),
        ("Are you married?", "I am married to Pim Hask."),
        ("Where do you live?", "I live in The Tannery."),
    ] {
        let reply = say("gerda-lohm", question);
        assert!(reply.text().contains(expected) && !reply.text().contains("pronoun"), "{question} {reply:?}");
    }
    let nothing = "I can tell you nothing about that.";
    for question in ["Are you rich?", "Where do you hide the knife?"] {
        assert_eq!(say("gerda-lohm", question).text(), nothing, "{question}");
    }
    // A liar tells the lie, and not the truth.
    let lie = say("pim-hask", "Where did you work last night?");
    assert_eq!(lie.text(), "I worked at the mill last night.", "{lie:?}");
    assert!(lie.check.is_lie(), "{lie:?}");
    // A character without an occupation says its name.
    let who = say("pim-hask", "Who are you?");
    assert!(who.text().starts_with("I am Pim Hask. ") && who.text().contains("I live in The Tannery."), "{who:?}");
    assert!(!say("gerda-lohm", "Who are you?").text().contains("Gerda"));
    // The question contains another form of the verb.
    assert_eq!(say("pim-hask", "Did you give tannin away?").text(), "I never gave the tannin away.");
    memory.close().unwrap();
}

/// A family with a hidden still, and a lie about it.
const STILL: &str = r#"
format: 1
campaign: {name: Still, start: day 1}
entities:
  - {id: fenwick, name: Fenwick, kind: location}
  - {id: grey-goose, name: The Grey Goose, kind: location, location: fenwick}
  - {id: rea-stone, name: Rea Stone, kind: player, player: Ben}
  - id: berta-holm
    name: Berta Holm
    kind: npc
    home: fenwick
    attributes: {occupation: brewer, age: 41, pronouns: she/her}
    relationships:
      - {type: OWNS, target: grey-goose}
      - {type: CHILD_OF, target: ulf-holm}
      - {type: MARRIED_TO, target: kai-dorn}
      - {type: LIKES, target: siv-holm}
    facts:
      - {text: "Her uncle drowned in the weir.", known_by: [fenwick]}
  - {id: ulf-holm, name: Ulf Holm, kind: npc, home: fenwick, attributes: {occupation: cooper, pronouns: he/him}}
  - {id: kai-dorn, name: Kai Dorn, kind: npc, home: fenwick, attributes: {occupation: fiddler, pronouns: he/him}}
  - id: siv-holm
    name: Siv Holm
    kind: npc
    home: fenwick
    attributes: {occupation: weaver, pronouns: she/her}
    relationships: [{type: SIBLING_OF, target: berta-holm}]
facts:
  - id: still
    subject: grey-goose
    text: "Berta runs a still under the Grey Goose."
    secret: true
    known_by: [{who: berta-holm, how: told, from: siv-holm, conceals: true}, {who: siv-holm, conceals: true}]
lies:
  - id: apples
    by: berta-holm
    text: "Berta stores only apples under the Grey Goose."
    about: [grey-goose]
    told_to: [{who: kai-dorn}]
    truth_is: still
"#;

#[test]
fn templates_answer_questions_for_relatives_and_properties() {
    let (memory, speech) = (imported_text(STILL), Speech::without_model());
    let say = |speaker: &str, question: &str| reply_to_rea(&memory, &speech, speaker, question).text().to_owned();
    for (speaker, question, reply) in [
        ("kai-dorn", "Who is Berta's father?", "Berta Holm is a child of Ulf Holm."),
        ("berta-holm", "Who is your father?", "I am a child of Ulf Holm."),
        ("kai-dorn", "Who is your wife?", "I am married to Berta Holm."),
        ("siv-holm", "Who is the owner of the Grey Goose?", "Berta Holm owns The Grey Goose."),
        ("ulf-holm", "Do you have a daughter?", "I am a parent of Berta Holm."),
        ("berta-holm", "Do you have any sisters?", "I am a sibling of Siv Holm."),
        ("kai-dorn", "What do you do?", "I am a fiddler."),
        ("kai-dorn", "What does Siv do for a living?", "Siv Holm is a weaver."),
        ("berta-holm", "How old are you?", "My age is 41."),
        ("berta-holm", "What do you think of Siv?", "I like Siv Holm."),
    ] {
        assert_eq!(say(speaker, question), reply, "{speaker}: {question}");
    }
    // A parent is no mother, a sister is no brother, and nobody else's marriage answers the question.
    for (speaker, question) in [
        ("kai-dorn", "Who is Berta's mother?"),
        ("berta-holm", "Do you have a brother?"),
        ("berta-holm", "Is Siv married?"),
    ] {
        assert_eq!(say(speaker, question), "I can tell you nothing about that.", "{speaker}: {question}");
    }
    // A pronoun at the start of a text stands for its subject.
    let uncle = "Who drowned in the weir?";
    assert_eq!(say("berta-holm", uncle), "My uncle drowned in the weir.");
    assert_eq!(say("ulf-holm", uncle), "Berta Holm's uncle drowned in the weir.");
    memory.close().unwrap();
}

#[test]
fn a_lie_is_not_told_to_those_who_know_better() {
    let (memory, speech) = (imported_text(STILL), Speech::without_model());
    let say = |listeners: &[&str]| {
        let listeners: Vec<EntityId> = listeners.iter().map(|listener| id(listener)).collect();
        let ask =
            Ask { present: listeners.clone(), ..Ask::new(id("berta-holm"), "What do you store under the Grey Goose?") };
        let request = ReplyRequest { listeners, ..ReplyRequest::default() };
        speech.reply(memory.ask(ask).unwrap(), request).wait(&memory, |_| true).unwrap().text().to_owned()
    };
    // The lie names the liar by its first name only, and is about a place.
    for deceived in [&["rea-stone"][..], &["kai-dorn"], &["rea-stone", "siv-holm"]] {
        let reply = say(deceived);
        assert!(reply.ends_with("I store only apples under the Grey Goose."), "{deceived:?} {reply}");
    }
    let keeper = say(&["siv-holm"]);
    assert!(!keeper.contains("apples"), "{keeper}");
    memory.close().unwrap();
}

#[test]
fn a_reply_is_recorded_with_its_facts() {
    let memory = gullhaven();
    let (reply, _) = reply(&memory, &Speech::without_model(), "When did Odo leave the Gull?");
    let cited = reply.check.of_kind(FindingKind::Supported).chain(reply.check.of_kind(FindingKind::KnownToListeners));
    let facts: Vec<_> = cited.filter_map(|finding| finding.facts.first()).map(|fact| fact.fact).collect();
    assert!(!facts.is_empty(), "{reply:?}");
    memory.learn(Author::Dm, reply.event(Circumstances::default())).unwrap().wait().unwrap();
    let heard = memory.read(move |snapshot| {
        let told = Acquisition::Told { by: Some(id("mirela-voss")), citing: None };
        let wren = Knower::Entity(id("wren-oake"));
        let mut edges = snapshot.state.knowledge_of(&wren);
        Ok(edges.any(|edge| facts.contains(&edge.fact) && edge.acquisition == told))
    });
    assert!(heard.unwrap().wait().unwrap());
    memory.close().unwrap();
}

/// A reply of a model on a server, which is checked like every reply.
#[cfg(feature = "server")]
#[test]
fn a_model_on_a_server_writes_a_reply() {
    use std::io::{BufRead, BufReader, Read, Write};

    let memory = gullhaven();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for words in [LEAK, "Odo Brandt knows the ferry, ", FINE] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                length =
                    line.to_lowercase().strip_prefix("content-length: ").map_or(length, |n| n.trim().parse().unwrap());
                line.clear();
            }
            reader.take(length).read_to_string(&mut line).unwrap();
            assert!(line.contains("You are Mirela Voss"), "{line}");
            let part = format!("data: {{\"choices\": [{{\"delta\": {{\"content\": \"{words}\"}}}}]}}\n\n");
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(format!("{head}{part}data: [DONE]\n\n").as_bytes());
        }
    });
    let settings = |base_url: &str| SpeechSettings {
        server: Some(hearsay_engine::SpeechServer {
            base_url: base_url.to_owned(),
            model: "m".to_owned(),
            key_env: Some("HEARSAY_TEST_WITHOUT_KEY".to_owned()),
            total_tokens: Some(100_000),
        }),
        ..SpeechSettings::default()
    };
    let speech = Speech::from_settings(&settings(&base_url), None).unwrap();
    let loaded = speech.wait_until_loaded(|| Ok::<_, SpeechError>(())).unwrap();
    assert_eq!(loaded, Some(format!("m at {base_url}")));
    // The first draft reveals a secret; the repaired draft is half a sentence, but says nothing wrong.
    let (repaired, _) = reply(&memory, &speech, "Where is the harbour ledger?");
    assert_eq!((repaired.text(), repaired.writer), ("Odo Brandt knows the ferry,", ReplyWriter::Repair));
    let (fine, chunks) = reply(&memory, &speech, "Who runs the ferry?");
    assert_eq!((fine.text(), fine.writer, chunks.concat().as_str()), (FINE, ReplyWriter::Model, FINE));
    server.join().unwrap();

    // Without the server, a template speaks.
    let (template, _) = reply(&memory, &speech, "Who owns the Gilded Gull?");
    assert_eq!(template.writer, ReplyWriter::Template);
    assert!(template.model_error.unwrap().to_string().contains("gave no answer"));
    let error = Speech::from_settings(&settings("ftp://x"), None).unwrap_err().to_string();
    assert!(error.contains("base_url must be an address"), "{error}");
    memory.close().unwrap();
}

/// A model that writes only when the test lets it.
struct Waiting {
    words: Receiver<&'static str>,
    prompts: Sender<ChatPrompt>,
}

impl LanguageModel for Waiting {
    fn name(&self) -> &str {
        "waiting"
    }

    fn generate(
        &mut self,
        prompt: &ChatPrompt,
        _: &GenerationLimits,
        emit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<GenerationStats, SpeechError> {
        let _ = self.prompts.send(prompt.clone());
        let mut end = EndReason::Stopped;
        while emit("").is_continue() {
            match self.words.recv_timeout(Duration::from_millis(1)) {
                Ok("") => {
                    end = EndReason::Finished;
                    break;
                }
                Ok(words) => drop(emit(words)),
                Err(_) => {}
            }
        }
        Ok(GenerationStats { prompt_tokens: 1, generated_tokens: 1, end, ..GenerationStats::default() })
    }
}

fn waiting() -> (Speech, Sender<&'static str>, Receiver<ChatPrompt>) {
    let (words_sender, words) = mpsc::channel();
    let (prompts, prompt_receiver) = mpsc::channel();
    let speech = Speech::start(move || Ok(Waiting { words, prompts }), limits(), None).unwrap();
    (speech, words_sender, prompt_receiver)
}

#[test]
fn a_reply_can_be_interrupted_and_the_next_one_begins() {
    let memory = gullhaven();
    let (speech, words, prompts) = waiting();
    let mut pending = speech.reply(memory.ask(ask("Who runs the ferry?")).unwrap(), request());
    words.send("Odo Brandt knows the ferry, my dear. And").unwrap();
    let mut steps = Vec::new();
    while steps.is_empty() {
        steps = pending.poll(&memory);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(
        matches!(&steps[..], [ReplyStep::Chunk(words)] if words == "Odo Brandt knows the ferry, my dear. "),
        "{steps:?}"
    );
    let interrupted = pending.interrupt().unwrap();
    assert!(interrupted.is_interrupted && pending.is_done());
    assert_eq!(interrupted.text(), "Odo Brandt knows the ferry, my dear.");
    assert!(pending.poll(&memory).is_empty());

    // The model has stopped, and writes the next reply. Its prompt contains the earlier lines.
    let earlier = vec![
        ConversationLine { is_own: false, text: "Who runs the ferry?".to_owned() },
        ConversationLine { is_own: true, text: interrupted.text().to_owned() },
    ];
    let request = ReplyRequest { earlier, ..request() };
    let first = prompts.recv().unwrap();
    let mut next = speech.reply(memory.ask(ask("And who else?")).unwrap(), request);
    let second = loop {
        assert!(next.poll(&memory).is_empty());
        if let Ok(prompt) = prompts.try_recv() {
            break prompt;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    words.send("Nobody else does.").unwrap();
    words.send("").unwrap();
    assert_eq!(next.wait(&memory, |_| true).unwrap().text(), "Nobody else does.");
    assert_eq!((first.messages.len(), second.messages.len()), (1, 3));
    assert!(first.system.starts_with("You are Mirela Voss.") && first.stable_bytes > 200, "{first:?}");
    assert_eq!(first.system[..first.stable_bytes], second.system[..second.stable_bytes]);
    memory.close().unwrap();
}

#[test]
fn speech_that_ends_does_not_leave_a_reply_waiting() {
    let memory = gullhaven();
    let (speech, _words, prompts) = waiting();
    let mut pending = speech.reply(memory.ask(ask("Who runs the ferry?")).unwrap(), request());
    while prompts.try_recv().is_err() {
        assert!(pending.poll(&memory).is_empty());
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(speech);
    let reply = pending.wait(&memory, |_| true).unwrap();
    assert_eq!(reply.writer, ReplyWriter::Template);
    memory.close().unwrap();
}
