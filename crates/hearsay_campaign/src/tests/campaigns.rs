//! The example campaigns of the repository.

use std::path::PathBuf;

use hearsay_belief::{View, derivations};
use hearsay_model::{EntityId, Knower, State, Timestamp};

use super::{fact, fixture};
use crate::{Limits, plan, read};

fn folders() -> Vec<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns"));
    let names = ["gullhaven", "tiny-tavern"].map(|name| root.join(name));
    names.into_iter().filter(|folder| folder.is_dir()).collect()
}

#[test]
fn the_examples_are_read_and_import_once() {
    for folder in folders() {
        let campaign = read(&folder, &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
        let mut state = State::default();
        let first = plan(&state, &campaign, Timestamp(1));
        state.apply(first.operation.unwrap()).unwrap();
        assert_eq!(plan(&state, &campaign, Timestamp(2)).operation, None, "{}", folder.display());
        assert!(first.report.without_knowledge.is_empty(), "{:?}", first.report.without_knowledge);
    }
}

#[test]
fn a_rumour_of_gullhaven_grows_on_its_way() {
    let Some(folder) = folders().into_iter().find(|folder| folder.ends_with("gullhaven")) else { return };
    let campaign = read(&folder, &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(campaign.warnings(), []);
    let mut state = State::default();
    state.apply(plan(&state, &campaign, Timestamp(1)).operation.unwrap()).unwrap();
    // Returns the credence of a knower, and how it learned the fact.
    let check = |knower: &str, name: &str, expected: Option<(f64, &str)>| {
        let view = View::new(&state, &Knower::Entity(EntityId::new(knower).unwrap()), None);
        let known_fact = view.fact(fact(&state, name).id()).map(|known_fact| {
            let chains = derivations(&state, known_fact);
            let mut path = Vec::new();
            let mut link = chains.first();
            while let Some(next) = link {
                path.push(next.edge.knower.as_str());
                link = next.from.first();
            }
            ((known_fact.credence().get() * 1000.0).round() / 1000.0, path.join(" < "))
        });
        assert_eq!(known_fact, expected.map(|(belief, path)| (belief, path.to_owned())), "{knower} {name}");
    };
    check("captain-rusk", "bram-pushed-him", Some((0.4, "captain-rusk < oswin-pike < widow-hask")));
    let far = "ottilie-corvane < captain-rusk < oswin-pike < widow-hask";
    check("ottilie-corvane", "bram-pushed-him", Some((0.2, far)));
    check("lise-penhale", "lise-blames-bram", Some((0.6, "lise-penhale < widow-hask")));
    check("lise-penhale", "bram-pushed-him", None);
    check("odo-brandt", "watch-second-key", Some((1.0, "harbour-watch")));
    check("ferris-quint", "watch-second-key", None);
    check("lucan-fairweather", "club-is-only-a-dinner", Some((0.0, "lucan-fairweather")));
    check("odo-brandt", "odo-paid-his-debts", Some((0.0, "odo-brandt")));
    check("bettony-lark", "only-a-broken-pane", Some((0.8, "bettony-lark")));
}

#[test]
fn each_of_the_inn_knows_its_part() {
    let campaign = read(&fixture("inn"), &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(campaign.warnings(), []);
    let mut state = State::default();
    state.apply(plan(&state, &campaign, Timestamp(1)).operation.unwrap()).unwrap();
    let check = |knower: &str, name: &str, expected: Option<(f64, bool)>| {
        let view = View::new(&state, &Knower::Entity(EntityId::new(knower).unwrap()), None);
        let rounded = |credence: f64| (credence * 1000.0).round() / 1000.0;
        let known_fact = view.fact(fact(&state, name).id());
        let known_fact = known_fact.map(|known_fact| (rounded(known_fact.credence().get()), known_fact.conceals()));
        assert_eq!(known_fact, expected, "{knower} {name}");
    };
    check("ansel", "ansel-cut-the-rope", Some((1.0, true)));
    check("carter", "ansel-cut-the-rope", Some((0.5, false)));
    check("carter", "the-wind-did-it", Some((0.3, false)));
    // Britt saw Ansel cut the rope.
    check("britt", "the-wind-did-it", Some((0.0, false)));
    check("muleteers", "a-goat-did-it", Some((0.27, false)));
    check("ansel", "ansel-was-asleep", Some((0.0, false)));
    check("britt", "ansel-was-asleep", None);
    check("carter", "ansel-was-out", Some((0.7, false)));
    check("carter", "Ansel Furrer is also called The Pass Wolf.", None);
    check("britt", "Ansel Furrer is also called The Pass Wolf.", Some((1.0, true)));
    check("carter", "The name is Ansel Furrer.", Some((1.0, false)));
    check("britt", "Its sign has three legs.", Some((1.0, false)));
    check("carter", "Its sign has three legs.", None);
    check("carter", "The Lame Goat: altitude: 2100.", Some((1.0, false)));
    check("britt", "Ansel Furrer's age is 61.", None);
    check("britt", "Britt cooks for Ansel.", Some((0.0, false)));
    check("lame-goat", "Britt cooks for Ansel.", Some((1.0, false)));
    check("britt", "The muleteers winter their salt in the ice cave.", Some((1.0, true)));
    check("britt", "It is not true that a goat as large as a mule bit the rope through.", Some((0.9, false)));
}
