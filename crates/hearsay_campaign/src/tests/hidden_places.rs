//! Tests of homes and locations that are secrets, and of lies that a knower of the truth heard.

use super::*;

/// Returns a campaign with a crypt, where Dan lives openly and Pim hides.
fn with_pim(pim: &str) -> String {
    format!(
        "{HEAD}  - {{id: crypt, name: Old Crypt, kind: location}}
  - {{id: dan, name: Dan Ash, kind: npc, home: crypt}}
  - id: pim
    name: Pim
    kind: npc
{pim}"
    )
}

const HIDES: &str =
    "    secrets: [{id: hides, type: LOCATED_AT, target: crypt, known_by: [ann], text: Pim hides here.}]\n";

#[test]
fn a_home_that_a_secret_also_states_is_a_secret() {
    for (home, field) in [
        ("    home: crypt\n", "entities/pim/home"),
        ("    location: crypt\n", "entities/pim/home"),
        ("    home: none\n    relationships: [{type: RESIDENT_OF, target: crypt}]\n", "entities/pim/relationships/1"),
    ] {
        let yaml = with_pim(&format!("{home}{HIDES}"));
        let state = imported(&yaml);
        let lives = "Pim lives in Old Crypt.";
        assert_eq!(fact(&state, lives).secrecy(), hearsay_model::Secrecy::Secret);
        assert_eq!(known(&state, lives), known(&state, "hides"));
        assert_eq!(known(&state, lives).len(), 2, "{:?}", known(&state, lives));
        // The residents of the crypt do not hear of Pim either.
        assert_eq!(known(&state, "Pim is an NPC."), ["ann authored 1", "pim authored 1"]);
        let warnings = read_good(&yaml);
        let warning = warnings.warnings().iter().find(|warning| warning.message.contains(field));
        let warning = warning.unwrap_or_else(|| panic!("{:?}", warnings.warnings()));
        let named = "names `crypt` as the place of `pim`";
        for part in ["a secret (test.yaml:1", named, "with the same knowers", "`none`"] {
            assert!(warning.message.contains(part), "{warning}");
        }
    }
    // Other places, and places with a stated audience, stay as they are.
    for home in
        ["    home: inn\n", "    home: none\n    relationships: [{type: RESIDENT_OF, target: crypt, common: true}]\n"]
    {
        let campaign = read_good(&with_pim(&format!("{home}{HIDES}")));
        assert_eq!(campaign.warnings(), []);
        assert_eq!(campaign.facts().filter(|fact| fact.secrecy() == hearsay_model::Secrecy::Secret).count(), 1);
    }
}

#[test]
fn a_secret_takes_precedence_over_the_same_fact_without_audience() {
    let secret = "    home: crypt\n    secrets: [{type: RESIDENT_OF, target: crypt, known_by: [ann]}]\n";
    let state = imported(&with_pim(secret));
    assert_eq!(fact(&state, "Pim lives in Old Crypt.").secrecy(), hearsay_model::Secrecy::Secret);
    assert_eq!(known(&state, "Pim lives in Old Crypt."), ["ann authored 1 !", "pim authored 1 !"]);
}

#[test]
fn who_knows_the_truth_doubts_a_lie_by_default() {
    let facts =
        "facts: [{id: truth, text: Ann took the book., about: [book], known_by: [bob, {who: guild, credence: 0.9}]}]\n";
    let lies = "lies: [{id: lie, by: ann, text: Eve took the book., about: [book], truth_is: truth, told_to: [bob, eve, guild]}]\n";
    let rumours =
        "rumours: [{id: rumour, text: A cat took it., about: [book], contradicts: [truth], heard_by: [bob, eve]}]\n";
    let state = imported(&format!("{HEAD}{facts}{lies}{rumours}"));
    let credences = |name| known(&state, name).into_iter().map(|line| line.replace("told by ", "")).collect::<Vec<_>>();
    assert_eq!(
        credences("lie"),
        ["ann authored 0", "ann made up to bob, eve, guild", "bob ann 0", "eve ann 0.8", "guild ann 0.1"]
    );
    assert_eq!(credences("rumour"), ["bob ? 0", "eve ? 0.5"]);
    // A credence in the files stays.
    let state = imported(&format!("{HEAD}{facts}{}{rumours}", lies.replace("[bob,", "[{who: bob, credence: 0.7},")));
    assert!(known(&state, "lie").contains(&"bob told by ann 0.7".to_owned()), "{:?}", known(&state, "lie"));
}
