//! Tests of facts that characters learn from texts.

use super::*;

/// A line of Ann that Ann, Bob and Cid hear.
struct Line {
    speaker: EntityId,
    view: View,
    hearers: [Knower; 3],
    occasion: Occasion,
}

impl Line {
    fn at(minute: i64, world: &World) -> Self {
        let view = View::new(&world.0, &knower("ann"), Some(GameTime(minute)));
        let hearers = ["ann", "bob", "cid"].map(knower);
        Self { speaker: id("ann"), view, hearers, occasion: occasion_at(minute) }
    }

    fn stating<'a>(&'a self, fact: &'a Arc<Fact>) -> HeardStatement<'a> {
        HeardStatement {
            speaker: &self.speaker,
            view: &self.view,
            alias: None,
            citing: None,
            hearers: &self.hearers,
            fact,
            restates: None,
            sincerity: Sincerity::Sincere,
            certainty: Credence::FULL,
        }
    }
}

impl World {
    fn hears(&mut self, line: &Line, statement: &HeardStatement) -> Learning {
        let learning = overhear(&StateViews::new(&self.0), statement, &line.occasion);
        self.commit(learning)
    }
}

#[test]
fn a_heard_statement_is_believed_like_a_telling() {
    let mut world = World::new("ann bob cid fire");
    world.feels("bob", "TRUSTS", "ann", Some(100));
    let facts = ["The mill burned.", "Nobody was hurt."].map(|text| World::saying("fire", text));
    let [heard, told] = &facts;
    world.apply(facts.iter().cloned().map(Change::AssertFact).collect());
    let line = Line::at(10, &world);
    world.hears(&line, &line.stating(heard));
    let (ann, hearers) = (id("ann"), ids("bob cid"));
    let learning = claim(&world.0, &telling(&ann, &hearers, told), &occasion_at(10)).unwrap();
    world.commit(learning);
    let credences = |fact: &Arc<Fact>| ["ann", "bob", "cid"].map(|knower| world.credence(knower, fact.id()));
    assert_eq!(credences(heard), credences(told));
    assert!(is_close(credences(heard)[1].unwrap(), RETELLING_FACTOR));
    let view = world.view("bob");
    let known = view.fact(heard.id()).unwrap();
    assert_eq!(known.known_edges()[0].edge.co_present, ids("cid"));
    let chain = derivations(&world.0, known);
    let origins: Vec<_> = chain[0].origins().iter().map(|link| link.edge.knower.to_string()).collect();
    assert_eq!(origins, ["ann"]);
    let reason = world.view("ann").attributed_facts(&id("cid"))[&heard.id()][0].reason.clone();
    assert_eq!(reason, AttributionReason::ToldByMe);
}

#[test]
fn a_liar_does_not_learn_what_it_says_in_a_text() {
    let mut world = World::new("ann bob cid fire");
    let lie = World::saying("fire", "The watch set the fire.");
    world.apply(vec![Change::AssertFact(Arc::clone(&lie))]);
    let line = Line::at(10, &world);
    world.hears(&line, &HeardStatement { sincerity: Sincerity::Lie, ..line.stating(&lie) });
    assert_eq!(world.credence("ann", lie.id()), Some(0.0));
    assert!(world.view("ann").fact(lie.id()).unwrap().is_made_up());
    assert!(is_close(world.credence("bob", lie.id()).unwrap(), 0.6 * RETELLING_FACTOR));
    // Ann still lies if she repeats the lie in a line that nobody marked as a lie.
    let line = Line::at(20, &world);
    world.hears(&line, &line.stating(&lie));
    assert_eq!(world.credence("ann", lie.id()), Some(0.0));
    assert!(is_close(world.credence("bob", lie.id()).unwrap(), 0.6 * RETELLING_FACTOR));
}

#[test]
fn a_statement_is_believed_as_far_as_its_source() {
    let mut world = World::new("ann bob cid dan fire");
    let [seen, restated, cited, doubtful] = ["It burned.", "The mill burned.", "Nobody was hurt.", "The watch came."]
        .map(|text| World::saying("fire", text));
    let facts = [&restated, &cited, &doubtful].map(|fact| Change::AssertFact(Arc::clone(fact)));
    world.apply(facts.into());
    world.sees(5, "dan", &seen);
    world.tells(6, "dan", "ann", &seen).unwrap();
    let (line, dan) = (Line::at(10, &world), id("dan"));
    world.hears(&line, &HeardStatement { restates: Some(seen.id()), ..line.stating(&restated) });
    world.hears(&line, &HeardStatement { citing: Some(&dan), ..line.stating(&cited) });
    world.hears(&line, &HeardStatement { certainty: Credence::new(0.5).unwrap(), ..line.stating(&doubtful) });
    let once = 0.6 * RETELLING_FACTOR;
    let check = |fact: &Arc<Fact>, of_ann: f64, of_bob: f64| {
        let credence = |knower: &str| world.credence(knower, fact.id()).unwrap();
        assert!(is_close(credence("ann"), of_ann) && is_close(credence("bob"), of_bob), "{}", fact.statement());
    };
    check(&restated, once, once * once);
    check(&cited, once, once * once);
    check(&doubtful, 0.5, 0.5 * once);
    // The hearers depend on the fact that Ann knew.
    let edge = world.view("dan").fact(seen.id()).unwrap().known_edges()[0].id;
    world.apply(vec![Change::Unlearn(edge)]);
    assert_eq!(world.credence("bob", restated.id()), None);
}

#[test]
fn each_line_counts_on_its_own() {
    let mut world = World::new("ann bob cid fire");
    let fact = World::saying("fire", "The mill burned.");
    world.apply(vec![Change::AssertFact(Arc::clone(&fact))]);
    let line = Line::at(10, &world);
    let first = world.hears(&line, &line.stating(&fact));
    let (line, hearers) = (Line::at(20, &world), [knower("cid")]);
    world.hears(&line, &HeardStatement { hearers: &hearers, ..line.stating(&fact) });
    let edges = first.changes.iter().filter_map(Change::edge).map(|edge| Change::Unlearn(edge.id()));
    world.apply(edges.collect());
    assert_eq!(world.credence("bob", fact.id()), None);
    assert!(is_close(world.credence("cid", fact.id()).unwrap(), 0.6 * RETELLING_FACTOR), "he heard the second line");
}
