//! Tests of characters who lose interest in telling a fact.

use super::*;

fn set_stifling(world: &mut World, stifling: Degree) {
    let minds = MindRules { stifling, ..MindRules::default() };
    world.0.push(Change::Set(Setting::World(WorldSetting::Minds(minds))));
}

/// Returns a village of talkative people who lose interest in their news.
fn village(stifling: Degree) -> World {
    let mut world = talkative_village();
    set_stifling(&mut world, stifling);
    world
}

fn rumour() -> FactBuilder {
    attribute("ashby", "lore", "The well is poisoned.")
}

#[test]
fn who_tells_a_rumour_to_those_who_know_it_loses_interest() {
    for stifling in [Degree::Off, Degree::Strong] {
        let mut world = village(stifling);
        world.add("birchley", "location");
        world.villager("hermit", "birchley");
        let all: Vec<String> = (0..10).map(|n| format!("p{n}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let known = world.event(rumour(), &all, DAY - 60);
        let state = world.state();
        let step = gossip(&state, &lively_days(1, 8)).unwrap();
        let tellers: BTreeSet<&EntityId> = step.lost_interest.iter().map(|lost| &lost.teller).collect();
        assert_eq!(step.news, []);
        assert_eq!(tellers.len(), step.lost_interest.len(), "nobody loses interest twice");
        assert!(step.lost_interest.iter().all(|lost| lost.fact == known));
        // Each loss of interest is one record of a telling, and no fact.
        assert_eq!(step.changes.len(), step.lost_interest.len());
        let is_record = |change: &Change| matches!(change, Change::Learn(edge) if !edge.acquisition.gives_knowledge());
        assert!(step.changes.iter().all(is_record), "{:?}", step.changes);

        let after = committed(state, step.changes.clone());
        let next = gossip(&after, &lively_days(8, 10)).unwrap();
        let reason = next.untold.iter().find(|untold| untold.fact == known).unwrap().reason;
        let (count, expected) = match stifling {
            Degree::Off => (0, UntoldReason::HearersKnow),
            _ => (10, UntoldReason::LostInterest),
        };
        assert_eq!((tellers.len(), reason), (count, expected));
        assert_eq!(next.changes, []);
    }
}

#[test]
fn a_rumour_dies_before_everybody_has_heard_it() {
    let heard = |stifling| -> usize {
        let mut world = village(stifling);
        let rumour = world.event(rumour(), &["p0"], DAY - 60);
        let state = world.state();
        let count = |seed| {
            let step = gossip(&state, &GossipOptions { seed, ..lively_days(1, 15) }).unwrap();
            for lost in &step.lost_interest {
                let tells =
                    |news: &&News| news.teller == lost.teller && news.fact == lost.fact && news.when > lost.when;
                assert_eq!(step.news.iter().find(tells), None, "{lost:?}");
            }
            step.spread(&state).iter().find(|spread| spread.fact == rumour).map_or(1, |spread| spread.after)
        };
        (0..10).map(count).sum()
    };
    let (with, without) = (heard(Degree::Strong), heard(Degree::Off));
    assert!(10 < with && with < without, "{with}, {without}");
}

#[test]
fn who_hears_a_refutation_loses_interest_unless_it_saw_the_fact() {
    let told_by_p0 = |stifling, is_witness: bool| {
        let mut world = village(stifling);
        let rumour = world.fact(rumour(), &[]);
        let acquisition = if is_witness { Acquisition::Witnessed } else { Acquisition::told(Some(id("p9"))) };
        let credence = Credence::new(0.9).unwrap();
        let edge = KnowledgeEdge::authored(id("p0").into(), rumour);
        world.learn(KnowledgeEdge { acquisition, learned: at(DAY - 60), credence, ..edge });
        let denial = attribute("ashby", "lore", "The well is clean.");
        let denial = world.fact(denial.fact_relation(Some(FactRelation::Refutes(rumour))), &[]);
        // The character hardly believes the denial.
        let credence = Credence::new(0.2).unwrap();
        let edge = KnowledgeEdge::authored(id("p0").into(), denial);
        let acquisition = Acquisition::told(Some(id("p8")));
        world.learn(KnowledgeEdge { acquisition, learned: at(DAY - 50), credence, ..edge });
        let step = gossip(&world.state(), &lively_days(1, 11)).unwrap();
        let reason = step.untold.iter().find(|untold| untold.fact == rumour).map(|untold| untold.reason);
        (step.news.iter().any(|news| news.fact == rumour && news.teller == id("p0")), reason)
    };
    assert_eq!(told_by_p0(Degree::Off, false), (true, None));
    assert_eq!(told_by_p0(Degree::Strong, false), (false, Some(UntoldReason::LostInterest)));
    assert_eq!(told_by_p0(Degree::Strong, true), (true, None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    /// A step gives the same result, however it is divided.
    #[test]
    fn loss_of_interest_does_not_depend_on_the_division_of_the_time(
        seed: u64, cut in 0..8 * DAY, is_strong: bool, is_random: bool,
    ) {
        let stifling = if is_strong { Degree::Strong } else { Degree::Mild };
        let mut world = village(stifling);
        if is_random {
            world = random_world(seed);
            set_stifling(&mut world, stifling);
        }
        world.event(attribute("p2", "lore", "Poisons wells."), &["p0", "p1"], -60);
        let state = world.state();
        let options = GossipOptions { seed, news_days: 60, meetings_per_day: 8.0, visits_per_day: 0.3, ..days(0, 8) };
        let step = gossip(&state, &options).unwrap();
        let first = gossip(&state, &GossipOptions { until: GameTime(cut), ..options.clone() }).unwrap();
        let between = committed(state, first.changes.clone());
        let second = gossip(&between, &GossipOptions { from: GameTime(cut), ..options }).unwrap();
        prop_assert_eq!(&step.changes, &[first.changes, second.changes].concat());
        prop_assert_eq!(&step.news, &[first.news, second.news].concat());
        prop_assert_eq!(&step.lost_interest, &[first.lost_interest, second.lost_interest].concat());
    }
}
