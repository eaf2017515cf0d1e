//! The search finds leaks, and answers, recaps and handbooks have none.

use hearsay_campaign::{Handbook, HandbookFormat, HandbookReaders, HandbookRequest};
use hearsay_recall::Source;

use super::*;

#[test]
fn facts_unknown_to_the_asker_change_no_byte() {
    let found = find_leaks(300, 7);
    assert_eq!(found.tally, Tally { worlds: 300, questions: 1_800, differences: 0 }, "{:#?}", found.first);
}

/// Checks that a recap for several characters contains only lines that all of them know.
fn assert_all_know(state: &State, views: &[View], subject: &SummarySubject) {
    let names: Vec<EntityLinker> = views.iter().map(EntityLinker::new).collect();
    let hearers: Vec<Hearer> = views.iter().zip(&names).map(|(view, names)| Hearer { view, names }).collect();
    let request = RecapRequest { hearers: &hearers, subject, calendar: state.calendar(), words: 40, read_aloud: true };
    for line in recap(&request).lines {
        let is_known = |view: &View| match line.citation.source {
            Source::Fact(id) => view.fact(id).is_some(),
            Source::Passage(id) => view.passage(id).is_some(),
            Source::Scene => false,
        };
        assert!(views.iter().all(is_known), "{}", line.text);
    }
}

#[test]
fn facts_unknown_to_the_players_change_no_byte_of_their_recap() {
    let (mut recap_count, mut filled_count) = (0, 0);
    for world in 0..200 {
        let mut random = Random::new(11, world);
        let generated = GeneratedWorld::generate(&mut random);
        let party: Vec<EntityId> =
            PEOPLE.iter().filter(|_| random.percent(50)).take(2).map(|id| EntityId::new(id).unwrap()).collect();
        let time = GameTime(random.below(usize::try_from(generated.now().0).unwrap() + 10) as i64);
        for as_of in [None, Some(time)] {
            let recap_for = |state: &State, subject: &SummarySubject| {
                let views: Vec<View> = party.iter().map(|id| View::new(state, &id.clone().into(), as_of)).collect();
                let names: Vec<EntityLinker> = views.iter().map(EntityLinker::new).collect();
                let hearers: Vec<Hearer> =
                    views.iter().zip(&names).map(|(view, names)| Hearer { view, names }).collect();
                recap_text(state, &hearers, subject)
            };
            let views: Vec<View> =
                party.iter().map(|id| View::new(&generated.state, &id.clone().into(), as_of)).collect();
            let known = known_part_of_all(&views, &generated.state).unwrap();
            for subject in SESSIONS.iter().map(|id| SummarySubject::Session(SessionId::new(id).unwrap())) {
                let complete_recap = recap_for(&generated.state, &subject);
                assert_eq!(complete_recap, recap_for(&known, &subject), "world {world}, {party:?}, {as_of:?}");
                assert_all_know(&generated.state, &views, &subject);
                recap_count += 1;
                filled_count += usize::from(complete_recap.contains("text:"));
            }
        }
    }
    assert!(filled_count > 40, "{filled_count} of {recap_count} recaps tell something");
}

/// Returns the handbook of some readers, as Markdown and as HTML.
fn handbook(state: &State, party: &[EntityId], readers: HandbookReaders, as_of: Option<GameTime>) -> String {
    let book = Handbook::new(state, &HandbookRequest { title: "The party", party, readers, as_of });
    format!("{}\n{}", book.write(HandbookFormat::Markdown), book.write(HandbookFormat::Html))
}

/// Returns a world whose sessions some characters of the party attended.
fn with_attendance(world: &State, party: &[EntityId], random: &mut Random) -> State {
    let sessions = world.sessions().zip(1..).map(|(session, number)| {
        let present = party.iter().filter(|_| random.percent(80)).cloned().collect();
        Change::SetSession(Session { number: Some(number), present, ..Session::clone(session) })
    });
    let mut attended = world.clone();
    attended.apply(Operation::new(Author::Game, "attendance", sessions.collect::<Vec<_>>())).unwrap();
    attended
}

/// Adds the sessions of the complete state to a part of it: their titles and attendance are not secret.
fn with_sessions(mut known: State, complete: &State) -> State {
    let sessions = complete.sessions().map(|session| Change::SetSession(Session::clone(session)));
    let present = complete.sessions().flat_map(|session| session.present.iter());
    let entities: BTreeSet<&EntityId> = present.filter(|id| known.entity(id).is_none()).collect();
    let entities = entities.into_iter().map(|id| Change::AddEntity(Entity::new(id.clone())));
    let changes: Vec<Change> = entities.chain(sessions).collect();
    known.apply(Operation::new(Author::Game, "sessions", changes)).unwrap();
    known
}

#[test]
fn facts_unknown_to_a_reader_change_no_byte_of_a_handbook() {
    let (mut of_party, mut of_characters) = (0, 0);
    for world in 0..200 {
        let mut random = Random::new(13, world);
        let generated = GeneratedWorld::generate(&mut random);
        let party: Vec<EntityId> =
            PEOPLE.iter().filter(|_| random.percent(50)).map(|id| EntityId::new(id).unwrap()).collect();
        let time = GameTime(random.below(usize::try_from(generated.now().0).unwrap() + 10) as i64);
        let state = with_attendance(&generated.state, &party, &mut random);
        for as_of in [None, Some(time)] {
            let views: Vec<View> = party.iter().map(|id| View::new(&state, &id.clone().into(), as_of)).collect();
            let known = with_sessions(known_part_of_all(&views, &state).unwrap(), &state);
            let complete = handbook(&state, &party, HandbookReaders::Party, as_of);
            let reduced = handbook(&known, &party, HandbookReaders::Party, as_of);
            assert_eq!(complete, reduced, "world {world}, {party:?}, {as_of:?}");
            of_party += usize::from(complete.contains("\n- "));
            for (character, view) in party.iter().zip(&views) {
                let known = with_sessions(known_part(view, &state).unwrap(), &state);
                let readers = HandbookReaders::Character(character);
                let complete = handbook(&state, &party, readers, as_of);
                assert_eq!(complete, handbook(&known, &party, readers, as_of), "world {world}, {character}");
                of_characters += usize::from(complete.contains("\n- "));
            }
        }
    }
    assert!(of_party > 100 && of_characters > 400, "{of_party} and {of_characters} handbooks tell something");
}

#[test]
fn generated_worlds_contain_facts_that_could_leak() {
    let (mut lies, mut ranked_edges, mut derived_edges, mut distortions, mut secret_names, mut answers_with_knowledge) =
        (0, 0, 0, 0, 0, 0);
    let (mut masked_lines, mut unmasked_lines) = (0, 0);
    for world in 0..60 {
        let state = GeneratedWorld::generate(&mut Random::new(7, world)).state;
        for (_, edge) in state.all_knowledge() {
            lies += usize::from(!edge.acquisition.gives_knowledge() && edge.sources.is_empty());
            ranked_edges += usize::from(edge.rank.is_some());
            derived_edges += usize::from(!edge.sources.is_empty());
        }
        for fact in state.facts() {
            distortions += usize::from(matches!(fact.fact_relation(), Some(hearsay_model::FactRelation::Distorts(_))));
            secret_names +=
                usize::from(*fact.predicate() == *"alias" && fact.secrecy() == hearsay_model::Secrecy::Secret);
        }
        for id in PEOPLE {
            let view = View::new(&state, &Knower::Entity(EntityId::new(id).unwrap()), None);
            let aliased_passages = view.passages().filter(|(_, heard)| heard.passage.speaker_alias.is_some());
            for (_, heard) in aliased_passages {
                *(if heard.passage.speaker.is_none() { &mut masked_lines } else { &mut unmasked_lines }) += 1;
            }
        }
        let asker = EntityId::new("ann").unwrap();
        let (present, text) = (Vec::new(), "What of the harbour at night?".into());
        let (about, session) = (Vec::new(), None);
        let question = LeakQuestion { asker, as_of: None, place: None, present, about, session, text };
        answers_with_knowledge += usize::from(answer(&state, &question).contains("\"knowledge\""));
    }
    let counts = [
        lies,
        ranked_edges,
        derived_edges,
        distortions,
        secret_names,
        answers_with_knowledge,
        masked_lines,
        unmasked_lines,
    ];
    assert!(counts.iter().all(|count| *count >= 20), "{counts:?}");
}

#[test]
fn a_leak_is_found_and_told() {
    // The first function leaks the number of facts. The second function leaks a name that the asker does not know.
    let leaking_count = |state: &State, question: &LeakQuestion| {
        format!("{}{} facts in all\n", answer(state, question), state.fact_count())
    };
    let found = find_leaks_with(20, 7, &leaking_count);
    assert!(found.tally.differences > 60, "{:?}", found.tally);
    assert_eq!(found.first.len(), MAX_REPORTED);
    assert!(found.first[0].to_string().contains("facts in all"), "{}", found.first[0]);
    let leaking_name = |state: &State, question: &LeakQuestion| {
        let name = EntityId::new("eve").ok().and_then(|id| state.name(&id).map(str::to_owned));
        format!("{name:?}\n{}", answer(state, question))
    };
    let found = find_leaks_with(20, 7, &leaking_name);
    assert!(found.tally.differences > 0 && found.first[0].line == 1, "{:?}", found.tally);
    assert_eq!(found, find_leaks_with(20, 7, &leaking_name), "the result does not depend on the threads");
}
