//! Tests of rumours that a whole town knows.

use super::*;

#[test]
fn a_rumour_of_the_town_is_not_believed_less_when_somebody_repeats_it() {
    let mut world = World::new("ann bob cid dan town moon");
    for resident in ["ann", "bob"] {
        world.belongs(resident, "RESIDENT_OF", "town", None, None);
    }
    let half = Credence::new(0.5).unwrap();
    let rumour = World::saying("moon", "The moon is cheese.");
    let talk = KnowledgeEdge { acquisition: Acquisition::told(None), credence: half, ..town_edge(&rumour) };
    world.apply(vec![Change::AssertFact(Arc::clone(&rumour)), Change::Learn(Arc::new(talk))]);
    assert_eq!(world.credence("ann", rumour.id()), Some(0.5));
    world.tells(10, "bob", "ann", &rumour).unwrap();
    assert_eq!(world.credence("ann", rumour.id()), Some(0.5), "from Bob alone, she would believe it less");
    // Ann tells it as strongly as she believes it.
    world.tells(20, "ann", "dan", &rumour).unwrap();
    assert!(is_close(world.credence("dan", rumour.id()).unwrap(), 0.6 * RETELLING_FACTOR * 0.5));
    // A more convincing report raises her credence.
    world.sees(5, "cid", &rumour);
    world.tells(30, "cid", "ann", &rumour).unwrap();
    assert!(world.credence("ann", rumour.id()).unwrap() > 0.5);
    // An own credence that the campaign states counts alone.
    let doubt = KnowledgeEdge { credence: Credence::new(0.1).unwrap(), ..town_edge(&rumour) };
    world.apply(vec![Change::Learn(Arc::new(KnowledgeEdge { knower: knower("bob"), ..doubt }))]);
    assert!(is_close(world.credence("bob", rumour.id()).unwrap(), 0.1));
}

/// Returns an edge that the town knows a fact.
fn town_edge(fact: &Fact) -> KnowledgeEdge {
    KnowledgeEdge::authored(knower("town"), fact.id())
}
