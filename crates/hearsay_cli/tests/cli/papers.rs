//! Tests of recaps and handbooks as the players read them.

use super::*;

const QUAY: &str = "\
format: 1
campaign: {name: Quay, start: 2 Month1 1}
entities:
  - {id: quay, name: The Quay, kind: location}
  - {id: hob, name: Hob Lacey, kind: npc, home: quay}
  - {id: marn, name: Marn Odell, kind: npc, home: quay}
  - {id: ines, name: Ines Coil, kind: player, player: Sanne, home: none, location: quay}
  - {id: jory, name: Jory Pell, kind: player, home: none, location: quay}
audience: {attributes: {name: common}}
facts:
  - {id: dead, subject: marn, type: condition, value: dead, known_by: [hob]}
  - {id: drunk, subject: marn, type: condition, value: drunk, status: claimed, known_by: [hob]}
";

#[test]
fn players_do_not_read_remarks_to_the_log() {
    let test_dir = TestDir::new();
    test_dir.write("quay/campaign.yaml", QUAY);
    let quay = |line: &[&str]| test_dir.ok(&[&["-C", "quay"], line].concat());
    quay(&["session", "start", "--at", "quay"]);
    quay(&["log", "hob looks up from the nets. 'no boat came in', he lies. jory yawns"]);
    quay(&["log", "Ines lifts a loose plank with Jory. Nobody but Jory sees it."]);
    quay(&["log", "Sanne: i kneel and say I never saw a better knot"]);
    quay(&["log", "--by", "hob", "take the rope, i'm done. it is yours"]);
    quay(&["session", "end"]);
    let recap = |options: &[&str]| quay(&[&["session", "recap", "--words", "500"], options].concat());
    for text in [recap(&["--players"]), recap(&["--as", "ines"]), quay(&["export", "--format", "handbook"])] {
        assert!(text.contains("'No boat came in', he says. Jory yawns."), "{text}");
        assert!(text.contains("Ines lifts a loose plank with Jory.\n"), "{text}");
        assert!(text.contains("Ines Coil kneels and says: \u{201C}I never saw a better knot.\u{201D}"), "{text}");
        assert!(text.contains("Hob Lacey: \u{201C}Take the rope, I'm done. It is yours.\u{201D}"), "{text}");
    }
    // The DM reads all words.
    let own = recap(&[]);
    assert!(own.contains("he lies. Jory yawns.") && own.contains("Nobody but Jory sees it."), "{own}");
}

#[test]
fn a_certain_death_has_no_other_version() {
    let told = |credence: &str| {
        let test_dir = TestDir::new();
        test_dir.write("quay/campaign.yaml", QUAY);
        let quay = |line: &[&str]| test_dir.ok(&[&["-C", "quay"], line].concat());
        quay(&["session", "start", "--at", "quay"]);
        quay(&["log", "The lamp goes out."]);
        quay(&["event", "tell", "--by", "hob", "--to", "ines", "--credence", "0.5", "drunk"]);
        quay(&["event", "tell", "--by", "hob", "--to", "ines", "--credence", credence, "dead"]);
        quay(&["session", "end"]);
        let recap = quay(&["session", "recap", "--as", "ines", "--words", "500"]);
        assert!(recap.contains("Marn Odell is dead.") && recap.contains("Marn Odell is drunk."), "{recap}");
        recap.contains("another version")
    };
    assert!(!told("0.95"));
    assert!(told("0.5"));
}

#[test]
fn the_report_says_where_the_others_went() {
    let test_dir = TestDir::new();
    test_dir.write("quay/campaign.yaml", QUAY);
    let weir = "entities:\n  - {id: weir, name: The Weir, kind: location}\n  - {id: pike, name: Amos Pike, kind: npc, home: weir}\n";
    test_dir.write("quay/weir.yaml", weir);
    let quay = |line: &[&str]| test_dir.ok(&[&["-C", "quay"], line].concat());
    quay(&["session", "start", "--at", "quay"]);
    let joined = quay(&["log", "--by", "pike", "Good evening to all of you."]);
    assert!(joined.contains("Amos Pike is now at The Quay"), "{joined}");
    let report = quay(&["session", "end"]);
    assert!(report.contains("moved: Amos Pike is at The Quay."), "{report}");
    assert!(!report.contains("moved: Ines Coil") && !report.contains("moved: Hob Lacey"), "{report}");
}

#[test]
fn a_promise_ends_with_the_death_of_the_person_who_made_it() {
    let test_dir = TestDir::new();
    test_dir.write("quay/campaign.yaml", QUAY);
    let quay = |line: &[&str]| test_dir.ok(&[&["-C", "quay"], line].concat());
    quay(&["fact", "add", "hob", "PROMISED", "ines"]);
    quay(&["fact", "add", "hob", "OWES", "jory"]);
    let threads = || quay(&["session", "threads"]);
    assert!(threads().contains("promise: Hob Lacey") && threads().contains("debt: Hob Lacey"), "{}", threads());
    quay(&["entity", "set", "hob", "condition", "dead"]);
    assert!(!threads().contains("promise: Hob Lacey") && threads().contains("debt: Hob Lacey"), "{}", threads());
}
