//! Every kind of bad input, with the place and the hint that it gets.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::{HEAD, read_bytes, read_text};
use crate::{CampaignError, Limits, read};

/// The one error: line, what it says, what it hints at.
fn is(errors: &[CampaignError], line: u32, message: &str, hint: &str) {
    let [error] = errors else { panic!("expected one error: {errors:#?}") };
    assert_eq!((error.file.as_str(), error.line), ("test.yaml", line), "{error}");
    assert!(error.message.contains(message), "{error}");
    assert!(error.hint.contains(hint), "{error}");
}

/// The head with more below it, which begins at line 10.
fn check(yaml: &str, line: u32, message: &str, hint: &str) {
    let errors = read_text(&format!("{HEAD}{yaml}")).unwrap_err();
    is(&errors.errors, line, message, hint);
}

#[test]
fn keys_and_types() {
    check("fcts: []", 10, "a campaign file has no key `fcts`", "did you mean `facts`?");
    check("facts:\n  - {subjekt: ann, subject: bob, text: T.}", 11, "no key `subjekt`", "did you mean `subject`?");
    check("facts: {a: b}", 10, "expected a list, found a mapping", "write `facts: […]`");
    check("facts: [{subject: ann, text: 5}]", 10, "expected text, found a number", "put it in quotes");
    check("facts: [{subject: ann, text: T., secret: 1}]", 10, "expected true or false", "");
    check("facts: [{subject: ann, text: ' '}]", 10, "the text is empty", "");
    check("facts: [{subject: ann, text: T.}, 7]", 10, "expected a mapping", "");
    check("facts:\n  - subject: ann\n    text: T.\n    text: U.", 13, "stands here and in line 12", "keep one");
    check("format: 2", 10, "format 2 is not known", "");
}

#[test]
fn numbers_dates_and_words() {
    let fact = |rest: &str| format!("facts:\n  - {{subject: ann, text: T., {rest}}}");
    check(&fact("confidence: 1.5"), 11, "confidence must lie from 0 to 1", "");
    check(&fact("attitude: -101"), 11, "attitude must lie from -100 to 100", "");
    check(&fact("attitude: 2.5"), 11, "a whole number", "");
    check(&fact("since: 31 Frost 4"), 11, "the day of Frost must lie from 1 to 30", "");
    check(&fact("since: 3 Sunmoon 4"), 11, "expected one of Frost, Rain", "");
    check(&fact("since: 4, until: 3"), 11, "it ends (3) before it begins (4)", "");
    check(&fact("status: canonn"), 11, "`canonn` is no status of a fact", "did you mean `canon`?");
    check(&fact("audience: everyone"), 11, "`everyone` is no audience", "expected one of common, local");
    check(&fact("secret: true, common: true"), 11, "a secret has no audience", "");
    check(&fact("known_by: [{who: bob, how: tld}]"), 11, "no way to learn", "did you mean `told`?");
    check(&fact("known_by: [{who: bob, credence: 2}]"), 11, "credence must lie", "");
    check(&fact("known_by: [book]"), 11, "`book` is of the kind document", "name a character");
    check(&fact("statement: U."), 11, "both a text and a statement", "");
    check("rumours: [{text: T., about: [ann], truth: maybe}]", 10, "true, false or unknown", "");
    check("audience: {predicates: {OWNZ: local}}", 10, "no predicate `OWNZ`", "did you mean `OWNS`?");
    check("predicates: [{name: bad, phrase: '{subject} {object}'}]", 10, "named LIKE_THIS", "");
    check("predicates: [{name: BAD, phrase: '{subject}'}]", 10, "needs both", "");
}

#[test]
fn names_ids_and_references() {
    check("  - {name: '', kind: npc}", 10, "needs a name", "");
    check("  - {id: Ann X, name: Ann, kind: npc}", 10, "is not an id", "");
    check(
        "  - {id: ann, name: Other, kind: npc}",
        10,
        "the id `ann` is taken: the first stands at test.yaml:5",
        "another `id`",
    );
    check("  - {id: x, name: X}", 10, "needs a kind", "");
    let facts = "facts:\n  - {id: x, subject: ann, text: T.}\n  - {id: x, subject: bob, text: U.}";
    check(facts, 12, "the id `x` is taken: the first stands at test.yaml:11", "");
    check(
        "relationships: [{source: ann, type: OWES, target: Bobb}]",
        10,
        "there is no entity `Bobb`",
        "did you mean `bob`?",
    );
    check("knowledge: [{fact: nothing, who: ann}]", 10, "no fact has the id `nothing`", "");
    let two =
        "  - {id: ann-two, name: Ann Oak, kind: npc}\nrelationships: [{source: ann oak, type: OWES, target: bob}]";
    check(two, 11, "may mean several entities", "write the id: `ann` or `ann-two`");
    check("facts: [{subject: ann}]", 10, "the fact says nothing", "add `text: …`");
    check("facts: [{text: T.}]", 10, "whom this is about", "add `subject: …`");
    check("facts: [{subject: ann, type: OWES}]", 10, "OWES needs a target", "");
    check("facts: [{subject: ann, target: bob, text: T.}]", 10, "a target needs a type", "");
    check("lies: [{text: T., about: [ann]}]", 10, "who lies", "");
    check("sessions: [{log: []}]", 10, "an id cannot be empty", "add `id: session-1`");
    let cycle = "  - {id: p, name: P, kind: location, part_of: q}\n  - {id: q, name: Q, kind: location, part_of: r}\n  - {id: r, name: R, kind: location, part_of: p}";
    check(cycle, 10, "p is part of q is part of r is part of p", "remove one");
}

#[test]
fn facts_about_facts_and_their_holders() {
    let fact = |rest: &str| format!("facts:\n  - {{id: first, subject: ann, text: T.}}\n  - {{subject: ann, {rest}}}");
    check(&fact("text: U., distorts: frist"), 12, "no fact has the id `frist`", "did you mean `first`?");
    check(&fact("text: U., distorts: first, refutes: first"), 12, "one of these only", "make two facts");
    check(&fact("distorts: first"), 12, "the fact says nothing", "add `text: …`");
    check(&fact("text: U., distorts: [first]"), 12, "expected text, found a list", "");
    check(&fact("ends: first, since: 4, until: 3"), 12, "it ends (3) before it begins (4)", "");
    check(&fact("text: U., public: V."), 12, "no secret has no other public version", "add `secret: true`");
    let secret = |public: &str| fact(&format!("text: U., secret: true, public: {public}"));
    check(&secret("{secret: true, text: V.}"), 12, "what is said in public has no key `secret`", "");
    check(&secret("{about: [bob]}"), 12, "the fact says nothing", "");
    check(&secret("{target: bob}"), 12, "a target needs a type", "");
    check(&secret("{value: 3}"), 12, "a value needs a type", "");
    check(&secret("{type: OWES}"), 12, "OWES needs a target", "");
    let circle =
        "facts:\n  - {id: a, subject: ann, text: T., distorts: b}\n  - {id: b, refutes: c}\n  - {id: c, refutes: a}
  - {id: d, refutes: b}";
    check(circle, 11, "`a` (test.yaml:11), `b` (test.yaml:12), `c` (test.yaml:13)", "leave out");
    check("facts:\n  - {id: a, refutes: a}", 11, "a circle of facts", "");
    let known = |by: &str| fact(&format!("text: U., known_by: [{by}]"));
    check(&known("{who: bob, rank: master}"), 12, "`bob` is no faction or party", "name the group");
    check(&known("{who: world, rank: master}"), 12, "`the world` is no faction or party", "");
    check(&known("{who: bob, how: witnessed, citing: eve}"), 12, "only what was told can cite", "add `how: told`");
    check(&known("{who: bob, with: [Bobb]}"), 12, "there is no entity `Bobb`", "did you mean `bob`?");
    check(&known("{who: bob, from: bob}"), 12, "`bob` has it from `bob` (test.yaml:12)", "how one of them learned it");
    let circle = "facts:\n  - id: a\n    subject: ann\n    text: T.\n    known_by:\n      - {who: eve, from: bob}
      - {who: bob, from: ann}\n      - {who: ann, from: bob}";
    check(
        circle,
        16,
        "of \u{201C}T.\u{201D}: `bob` has it from `ann` (test.yaml:16), `ann` has it from `bob`",
        "no `from`",
    );
    let predicate = |opposite: &str| {
        format!("predicates:\n  - {{name: ADORES, phrase: '{{subject}} adores {{object}}', opposites: [{opposite}]}}")
    };
    check(&predicate("HOSTILE_TOO"), 11, "there is no predicate `HOSTILE_TOO`", "did you mean `HOSTILE_TO`?");
    check(&predicate("Q"), 11, "there is no predicate `Q`", "declare it under `predicates`");
    check(&predicate("4"), 11, "expected text, found a number", "");
    let two = "predicates: [{name: ADORES, phrase: '{subject} adores {object}', opposites: [HATES]},
  {name: HATES, phrase: '{subject} hates {object}', opposites: [ADORES]}]";
    assert!(read_text(&format!("{HEAD}{two}")).is_ok(), "each may be the other's, declared before or after");
}

#[test]
fn broken_yaml() {
    check("facts: [", 11, "the YAML is broken", "");
    check("---\na: b", 10, "a second document", "a file of its own");
    check(&format!("facts: {}{}", "[".repeat(70), "]".repeat(70)), 10, "more than 64 deep", "");
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for n in 1..40 {
        bomb += &format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1);
    }
    let errors = read_text(&format!("campaign: {{name: T}}\n{bomb}")).unwrap_err();
    assert!(errors.errors[0].message.contains("aliases copy more than"), "{errors}");
    let errors = read_bytes(b"campaign: {name: T}\nfacts: \xff").unwrap_err();
    is(&errors.errors, 2, "not UTF-8", "save it as UTF-8");
    let deep = format!("facts:\n{}", (0..100).map(|n| format!("{}-\n", " ".repeat(n))).collect::<String>());
    let errors = read_text(&format!("{HEAD}{deep}")).unwrap_err();
    assert!(errors.errors[0].message.contains("more than 64 deep"), "{errors}");
}

fn folder_error(folder: &Path, limits: &Limits, file: &str, message: &str) {
    let errors = read(folder, limits).unwrap_err();
    let found = errors.errors.iter().any(|error| error.file == file && error.message.contains(message));
    assert!(found, "{errors}");
}

#[test]
fn files_and_folders() {
    let limits = Limits::default();
    let temp = tempfile::tempdir().unwrap();
    let name = temp.path().file_name().unwrap().to_str().unwrap();
    folder_error(temp.path(), &limits, name, "the folder holds no YAML file");
    folder_error(&temp.path().join("missing"), &limits, "missing", "cannot be read");
    fs::write(temp.path().join(".hidden.yaml"), "x").unwrap();
    folder_error(temp.path(), &limits, name, "the folder holds no YAML file");
    fs::write(temp.path().join("a.yaml"), "facts: []").unwrap();
    folder_error(temp.path(), &limits, "a.yaml", "no file says which campaign");
    fs::write(temp.path().join("b.yaml"), "campaign: {name: B}").unwrap();
    assert!(read(temp.path(), &limits).is_ok());
    fs::write(temp.path().join("c.yml"), "campaign: {name: C}").unwrap();
    folder_error(temp.path(), &limits, "c.yml", "a second `campaign`: the first stands at b.yaml:1");
    fs::remove_file(temp.path().join("c.yml")).unwrap();
    folder_error(temp.path(), &Limits { files: 1, ..limits.clone() }, ".", "more than 1 files");
    // The file has no bytes on the disk: it is refused by its size, without being read.
    fs::File::create(temp.path().join("large.yaml")).unwrap().set_len(100 << 20).unwrap();
    folder_error(temp.path(), &limits, "large.yaml", "the file has 100 MiB; at most 16 MiB are read");
    fs::remove_file(temp.path().join("large.yaml")).unwrap();
    fs::create_dir(temp.path().join("d.yaml")).unwrap();
    assert!(read(temp.path(), &limits).is_ok(), "a folder may be called like a file");
}

#[cfg(unix)]
#[test]
fn links() {
    let limits = Limits::default();
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("a.yaml"), "campaign: {name: A}").unwrap();
    fs::create_dir(temp.path().join("in")).unwrap();
    std::os::unix::fs::symlink(temp.path(), temp.path().join("in/loop")).unwrap();
    assert!(read(temp.path(), &limits).unwrap().findings().skipped.is_empty(), "a circle leads to what is read anyway");
    std::os::unix::fs::symlink("b.yaml", temp.path().join("b.yaml")).unwrap();
    folder_error(temp.path(), &limits, "b.yaml", "cannot be read");
}

#[test]
fn many_errors_come_in_one_run() {
    let facts: String = (0..80).map(|n| format!("  - {{subject: ann, text: T., key{n}: 1}}\n")).collect();
    let errors = read_text(&format!("{HEAD}facts:\n{facts}")).unwrap_err();
    assert_eq!((errors.errors.len(), errors.more), (50, 30));
    let shown = errors.to_string();
    assert!(shown.starts_with("test.yaml:11: facts/1/key0: a fact has no key `key0`; expected one of"), "{shown}");
    assert!(shown.ends_with("and 30 more"), "{shown}");
}

#[test]
fn a_broken_calendar_is_one_error_at_its_line() {
    let check = |yaml: &str, line: u32, message: &str, hint: &str| {
        let months = "  months: [{name: Frost, days: 30}, {name: Rain, days: 28}]";
        let yaml = format!("campaign: {{name: T, start: 3 Rain 4}}\ncalendar:\n{months}\n{yaml}");
        is(&read_text(&yaml).unwrap_err().errors, line, message, hint);
    };
    check("  weeks: []", 4, "the calendar has no key `weeks`", "");
    check("  leap: {every: 4, month: Rain}", 4, "expected a list, found a mapping", "write `leap: […]`");
    check("  leap: [{month: Rain}]", 4, "does not say how often", "add `every: 4`");
    check("  leap: [{every: 4}]", 4, "a leap rule needs a month", "add `month: …`");
    check("  leap:\n  - {every: 4, month: Rain}\n  - {evry: 4, every: 4, month: Rain}", 6, "no key `evry`", "`every`?");
    check("  leap:\n  - {every: 4, month: Rain}\n  - {every: 0, month: Rain}", 6, "leap rule 2: `every` counts", "");
    check("  leap:\n  - {every: -4, month: Rain}", 5, "expected a number from 0 to", "");
    check("  leap:\n  - {every: 4, month: Sun}", 5, "no month is called `Sun`: expected one of Frost, Rain", "");
    check("  leap:\n  - {every: 4, month: Rain, offset: 8e15}", 5, "larger than a calendar can count with", "");
    check("  year_zero: 0", 4, "expected true or false", "");
    check("  eras: [{short: AS, start: 1}]", 4, "an era needs a name", "add `name: …`");
    check("  eras:\n  - {name: Salt, start: 9}\n  - {name: Brine}", 6, "era 2: Brine needs a `start`", "");
    check("  eras:\n  - {name: Salt, start: 1, end: 9}\n  - {name: Brine, start: 9}", 5, "Salt overlaps Brine", "");
    check("  eras:\n  - {name: Salt, start: 1.5}", 5, "expected a whole number", "");
    let no_days = "campaign: {name: T, start: 3 Rain 4}\ncalendar: {months: [{name: Rain, days: 0}]}";
    is(&read_text(no_days).unwrap_err().errors, 2, "at least one day", "");
}

#[test]
fn dates_keep_to_leap_years_and_eras() {
    let calendar =
        "calendar: {months: [{name: Frost, days: 30}, {name: Feast, days: 0}], leap: [{every: 4, month: Feast}],
  eras: [{name: Age of Salt, short: AS, start: 1, end: 99}]}";
    let check = |start: &str, message: &str| {
        let yaml = format!("{calendar}\ncampaign:\n  name: T\n  start: {start}");
        is(&read_text(&yaml).unwrap_err().errors, 5, message, "");
    };
    check("1 Feast 5", "the year 5 AS has no Feast, which comes every 4 years");
    check("2 Feast 4", "the day of Feast in the year 4 AS must lie from 1 to 1");
    check("100 AS", "the year of Age of Salt must lie from 1 to 99");
    check("4 Frost", "expected a form such as `3 Frost 412`");
    assert!(read_text(&format!("{calendar}\ncampaign: {{name: T, start: '1 Feast 4 Age of Salt, 18:30'}}")).is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,&*!|>'\"%@`#a-c0-9 \\n\\t~-]{0,200}") {
        let _ = read_text(&text);
        let _ = read_text(&format!("{HEAD}facts: {text}"));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_bytes(&bytes);
    }

    #[test]
    fn no_change_to_a_good_file_makes_it_panic(at: prop::sample::Index, with in "[\\[\\]{}:,&*!|>'\"a-c0-9 \\n~-]{0,3}", cut in 0usize..40) {
        let good = include_str!("../../tests/fixtures/inn/campaign.yaml");
        let start = at.index(good.len());
        let end = (start + cut).min(good.len());
        prop_assume!(good.is_char_boundary(start) && good.is_char_boundary(end));
        let _ = read_text(&format!("{}{with}{}", &good[..start], &good[end..]));
    }
}
