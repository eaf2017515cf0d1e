//! Checks of replies, with the real models.

use hearsay_commands::{
    game_event::Circumstances,
    reply::{DraftReply, FindingKind, ReplyCheck},
};
use hearsay_engine::{Memory, real_time};
use hearsay_model::{Author, EntityId, Knower};

use crate::support::{gullhaven, id, options, state};

fn with_gullhaven() -> Memory {
    let mut options = options();
    options.settings.model.enabled = true;
    let memory = Memory::open(options).unwrap();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    memory
}

fn draft(speaker: &str, listener: &str, question: &str, text: &str) -> DraftReply {
    let heard = vec![question.to_owned()];
    DraftReply { heard, ..DraftReply::new(id(speaker), vec![id(listener)], text) }
}

fn check(memory: &Memory, draft: DraftReply) -> ReplyCheck {
    memory.check_reply(draft).unwrap().wait().unwrap()
}

#[test]
fn a_revealed_secret_is_found_and_small_talk_passes() {
    let memory = with_gullhaven();
    let question = "Where is the harbour ledger?";
    let reply = "Sit down first, love. I hid the harbour ledger under the floor of the Drowned Chapel.";
    let found = check(&memory, draft("mirela-voss", "kestrel-vane", question, reply));
    let secret = found.of_kind(FindingKind::RevealsSecret).next().unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(secret.facts[0].handle.as_deref(), Some("mirela-hid-the-ledger"), "{found:?}");
    assert!(secret.is_problem && secret.not_for == [id("kestrel-vane")], "{secret:?}");
    assert!(secret.words.starts_with("I hid the harbour ledger"), "{secret:?}");
    assert!(secret.for_dm.is_empty(), "{secret:?}");
    // The DM also sees the unmet conditions of the secret.
    let for_dm = DraftReply { for_dm: true, ..draft("mirela-voss", "kestrel-vane", question, reply) };
    let found = check(&memory, for_dm);
    assert!(found.of_kind(FindingKind::RevealsSecret).any(|finding| !finding.for_dm.is_empty()), "{found:?}");
    // Father Teodor knows the secret from Mirela, so she reveals nothing to him.
    let found = check(&memory, draft("mirela-voss", "father-teodor", question, reply));
    assert_eq!(found.of_kind(FindingKind::RevealsSecret).count(), 0, "{found:?}");
    let small_talk = "You look frozen, love. Sit by the fire, the stew is nearly done.";
    let found = check(&memory, draft("mirela-voss", "kestrel-vane", question, small_talk));
    assert!(found.is_fine(), "{found:?}");
    memory.close().unwrap();
}

#[test]
fn a_secret_late_in_a_draft_is_found_and_a_draft_that_is_too_long_is_refused() {
    let memory = with_gullhaven();
    let question = "Where is the harbour ledger?";
    let small_talk = "The stew is nearly done. Sit by the fire. ";
    let text = format!("{}I hid the harbour ledger under the floor of the Drowned Chapel.", small_talk.repeat(30));
    let found = check(&memory, draft("mirela-voss", "kestrel-vane", question, &text));
    let mut secrets = found.of_kind(FindingKind::RevealsSecret);
    assert!(secrets.any(|secret| secret.words.starts_with("I hid the harbour ledger")), "{found:?}");
    let text = small_talk.repeat(101);
    let refused = memory.check_reply(draft("mirela-voss", "kestrel-vane", question, &text)).unwrap().wait();
    assert!(refused.as_ref().is_err_and(|error| error.to_string().contains("202 sentences")), "{refused:?}");
    memory.close().unwrap();
}

#[test]
fn a_secret_name_is_found_in_any_sentence() {
    let memory = with_gullhaven();
    let reveals = |speaker: &str, question: &str, text: &str| {
        let found = check(&memory, draft(speaker, "kestrel-vane", question, text));
        let names = found.of_kind(FindingKind::RevealsSecret).flat_map(|finding| finding.facts.clone());
        names.filter(|fact| fact.statement.contains("also called")).count()
    };
    assert_eq!(reveals("tamsin-reed", "Who are you?", "Call me Minna Ashgrove."), 1);
    assert_eq!(reveals("tamsin-reed", "Who sang?", "An old song has the name Minna Ashgrove in it."), 1);
    // A part of the name is no name, and a name that the listener has just said is no news.
    assert_eq!(reveals("tamsin-reed", "Who are you?", "Call me Tamsin."), 0);
    assert_eq!(reveals("tamsin-reed", "Are you Minna Ashgrove?", "I never met Minna Ashgrove."), 0);
    memory.close().unwrap();
}

#[test]
fn unknown_names_are_found_whether_or_not_the_campaign_has_them() {
    let memory = with_gullhaven();
    let names = |speaker: &str, question: &str, text: &str, for_dm: bool| {
        let found = check(&memory, DraftReply { for_dm, ..draft(speaker, "kestrel-vane", question, text) });
        let unknown = found.of_kind(FindingKind::UnknownName);
        unknown.map(|finding| (finding.words.clone(), finding.for_dm.clone())).collect::<Vec<_>>()
    };
    let of = |name: &str| vec![(name.to_owned(), Vec::new())];
    let text = "You should talk to my cousin Bertha Quill about that.";
    assert_eq!(names("mirela-voss", "Who knows?", text, false), of("Bertha Quill"));
    // The listener has said the name, so the speaker may repeat it.
    assert_eq!(names("mirela-voss", "Do you know Bertha Quill?", "I never met any Bertha Quill.", false), []);
    let for_dm = names("mirela-voss", "Who knows?", text, true);
    assert_eq!(for_dm[0].1, ["nothing in the campaign has this name"]);
    memory.close().unwrap();
}

#[test]
fn a_reply_that_was_said_teaches_its_listeners() {
    let memory = with_gullhaven();
    let reply =
        draft("mirela-voss", "lise-penhale", "Who found my brother?", "It was Roz Keel who found his body, love.");
    let found = check(&memory, reply.clone());
    let event = found.say(&reply, Circumstances::default());
    memory.write(move |world| Ok(event.operation(&world.state, Author::Dm, real_time())?)).unwrap().wait().unwrap();
    let state = state(&memory);
    let heard = |passage: &hearsay_model::Passage| passage.text == reply.text;
    assert!(state.passages().any(|(_, passage)| heard(passage)));
    let listener = Knower::Entity(EntityId::new("lise-penhale").unwrap());
    for finding in found.of_kind(FindingKind::Supported) {
        let fact = finding.facts[0].fact;
        assert!(state.known_by(fact).any(|edge| edge.knower == listener), "{finding:?}");
    }
    drop(state);
    memory.close().unwrap();
}
