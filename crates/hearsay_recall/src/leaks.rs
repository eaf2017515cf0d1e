//! Rule 2, on generated worlds: remove all that an asker does not know, and the answer is byte for byte the same.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_belief::View;
use hearsay_model::{
    Author, Change, Credence, Date, Entity, EntityId, Fact, GameTime, How, Knower, Knowledge, Method, Operation,
    Passage, Provenance, Secrecy, Standing, State, Validity,
};
use proptest::prelude::*;

use crate::{ApproximateTokens, DocId, Form, Index, Names, Request, Scene, SceneContext, tests::id};

/// Entities of a generated world: four people, two groups, three places within one another, two things.
const ENTITIES: [&str; 11] = ["ann", "bob", "cat", "dan", "guild", "watch", "inn", "ward", "town", "ledger", "boat"];
/// Words that facts, names and questions share.
const WORDS: [&str; 8] = ["harbour", "ledger", "night", "fire", "boat", "Ann", "Bob", "smuggler"];

fn entity(n: u8) -> EntityId {
    id(ENTITIES[usize::from(n) % ENTITIES.len()])
}

fn date(n: u8) -> Option<Date> {
    (!n.is_multiple_of(3)).then(|| Date::at(GameTime(i64::from(n % 10))))
}

fn sentence(n: u8) -> String {
    let word = |shift: u8| WORDS[usize::from(n.rotate_left(u32::from(shift))) % WORDS.len()];
    format!("{} {} {} {n}", word(0), word(3), word(5))
}

fn fact(which: u8, n: u8, m: u8) -> Arc<Fact> {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let (subject, object) = (entity(n), entity(m));
    let relation = |predicate: &str| Fact::relation(&subject, predicate, &object, provenance.clone()).unwrap();
    let attribute = |name: &str, value: String| Fact::attribute(&subject, name, value, provenance.clone()).unwrap();
    let stay = Validity { from: date(m), until: n.is_multiple_of(4).then(|| Date::at(GameTime(20))) };
    let builder = match which % 9 {
        0 => relation("MEMBER_OF").validity(stay),
        1 => relation("RESIDENT_OF").validity(stay),
        2 => relation("PART_OF"),
        3 => relation("OWES").statement(sentence(m)),
        4 => attribute("name", WORDS[usize::from(m) % WORDS.len()].into()),
        5 => attribute("alias", sentence(m)),
        6 => attribute("occupation", WORDS[usize::from(m) % WORDS.len()].into()),
        _ => attribute("lore", sentence(n)).statement(sentence(n)).mentions([object.clone()]),
    };
    let secrecy = if m.is_multiple_of(5) { Secrecy::Secret } else { Secrecy::Open };
    let standing = [Standing::Canon, Standing::Canon, Standing::Claimed, Standing::False, Standing::Proposed];
    Arc::new(builder.secrecy(secrecy).standing(standing[usize::from(n) % 5]).build().unwrap())
}

fn edge(fact: &Fact, n: u8, m: u8) -> Arc<Knowledge> {
    Arc::new(Knowledge {
        knower: if n.is_multiple_of(13) { Knower::World } else { entity(n).into() },
        fact: fact.id(),
        how: if m.is_multiple_of(2) { How::Authored } else { How::told(Some(entity(m))) },
        learned: date(m),
        credence: Credence::new(f64::from(m % 5) / 4.0).unwrap(),
        conceals: m.is_multiple_of(7),
        ..Knowledge::authored(Knower::World, fact.id())
    })
}

fn passage(n: u8, m: u8) -> Arc<Passage> {
    let mut passage = Passage::new(sentence(n));
    passage.speaker = (m.is_multiple_of(2)).then(|| entity(m));
    passage.heard_by = vec![entity(n).into()];
    passage.mentions = vec![entity(m)];
    passage.time = date(n);
    Arc::new(passage)
}

type Seeds = Vec<(u8, u8, u8, Vec<(u8, u8)>)>;

fn world(facts: &Seeds, passages: &[(u8, u8)]) -> State {
    let mut changes: Vec<Change> = ENTITIES.iter().map(|name| Change::AddEntity(Entity::new(id(name)))).collect();
    for (which, n, m, knowers) in facts {
        let fact = fact(*which, *n, *m);
        changes.push(Change::AssertFact(Arc::clone(&fact)));
        changes.extend(knowers.iter().map(|(n, m)| Change::Learn(edge(&fact, *n, *m))));
    }
    changes.extend(passages.iter().map(|(n, m)| Change::AddPassage(passage(*n, *m))));
    let mut state = State::default();
    state.apply(Operation::new(Author::Game, "world", changes)).unwrap();
    state
}

/// The world as the knower knows it: its facts, its edges and their sources, its passages, and whom they name.
fn only(view: &View, state: &State) -> State {
    let mut kept: BTreeSet<EntityId> = view.knower().entity().cloned().into_iter().collect();
    let mut changes = Vec::new();
    for known in view.facts() {
        kept.extend(known.entities().cloned());
        // Whom the author meant besides is not the knower's to know.
        let fact = state.fact(known.id()).unwrap().to_builder().mentions([]).build().unwrap();
        changes.push(Change::AssertFact(Arc::new(fact)));
        for way in known.ways() {
            kept.extend(way.edge.knower.entity().cloned());
            if let How::Told { by: Some(by), .. } = &way.edge.how {
                kept.insert(by.clone());
            }
            changes.push(Change::Learn(Arc::clone(&way.edge)));
        }
    }
    for (_, heard) in view.passages() {
        let mut passage = Passage::clone(&heard.passage);
        kept.extend(passage.speaker.clone());
        passage.mentions.clear();
        // Who else heard it is not the knower's to know; a group through which it heard is.
        passage.heard_by.retain(|by| by.entity().is_none_or(|by| kept.contains(by)));
        changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let entities = kept.into_iter().map(|id| Change::AddEntity(Entity::new(id)));
    let mut only = State::default();
    only.apply(Operation::new(Author::Game, "what is known", entities.chain(changes).collect())).unwrap();
    only
}

fn ask(state: &State, speaker: &EntityId, question: &str, as_of: Option<GameTime>) -> String {
    let view = View::of(state, &speaker.clone().into(), as_of);
    let mut index = Index::of(state);
    // Vectors that depend on the text alone.
    for doc in view.facts().map(|known| (DocId::Fact(known.id()), known.statement())) {
        let bytes =
            doc.1.bytes().fold((1.0_f32, 0.0_f32), |(a, b), byte| (a + f32::from(byte), b + f32::from(byte % 7)));
        let length = (bytes.0 * bytes.0 + bytes.1 * bytes.1).sqrt();
        index.set_vector(doc.0, &[bytes.0 / length, bytes.1 / length]);
    }
    let context = SceneContext::assemble(&Request {
        view: &view,
        names: &Names::of(&view),
        index: &index,
        calendar: state.calendar(),
        vocabulary: state.vocabulary(),
        speaker,
        scene: &Scene { place: Some(id("inn")), present: vec![id("bob")], time: as_of },
        question,
        vector: Some(&[0.6, 0.8]),
        graph: true,
        limit: 12,
        budget: 400,
        counter: &ApproximateTokens,
    });
    context.render(Form::Json, true) + &context.render(Form::Prompt, true)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_an_asker_does_not_know_changes_no_byte(
        facts in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), prop::collection::vec(any::<(u8, u8)>(), 0..4)), 0..60),
        passages in prop::collection::vec(any::<(u8, u8)>(), 0..8),
        speaker in 0_u8..4,
        words: (u8, u8),
        as_of in prop::option::of(0_i64..25),
    ) {
        let (whole, speaker, as_of) = (world(&facts, &passages), entity(speaker), as_of.map(GameTime));
        let question = format!("Who is {} and what of {}?", sentence(words.0), sentence(words.1));
        let view = View::of(&whole, &speaker.clone().into(), as_of);
        let known = only(&view, &whole);
        prop_assert_eq!(ask(&whole, &speaker, &question, as_of), ask(&known, &speaker, &question, as_of));
    }
}
