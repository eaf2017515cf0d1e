//! Every kind of invalid input, with the expected line, message and hint of its error.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::{HEAD, read_bytes, read_text};
use crate::{CampaignError, Limits, read};

/// Checks that there is one error, with this line, message and hint.
fn is(errors: &[CampaignError], line: u32, message: &str, hint: &str) {
    let [error] = errors else { panic!("expected one error: {errors:#?}") };
    assert_eq!((error.file.as_str(), error.line), ("test.yaml", line), "{error}");
    assert!(error.message.contains(message), "{error}");
    assert!(error.hint.contains(hint), "{error}");
}

/// Reads the head and a text after it. The text begins at line 10.
fn check(yaml: &str, line: u32, message: &str, hint: &str) {
    let errors = read_text(&format!("{HEAD}{yaml}")).unwrap_err();
    is(&errors.errors, line, message, hint);
}

#[test]
fn keys_and_types() {
    check("fcts: []", 10, "a campaign file has no key `fcts`", "did you mean `facts`?");
    check("facts:\n  - {subjekt: ann, subject: bob, text: T.}", 11, "no key `subjekt`", "did you mean `subject`?");
    check("facts: {a: b}", 10, "expected a list, found a mapping", "write `facts: […]`");
    let relations = "relationships: {LEADS: guild}";
    check(relations, 10, "expected a list, found a mapping", "write `relationships: [{type: LEADS, target: guild}]`");
    check("facts: [{subject: ann, text: 5}]", 10, "expected text, found a number", "put it in quotes");
    check("facts: [{subject: ann, text: T., secret: 1}]", 10, "expected true or false", "");
    check("facts: [{subject: ann, text: ' '}]", 10, "the text is empty", "");
    check("facts: [{subject: ann, text: T.}, 7]", 10, "expected a mapping", "");
    check(
        "facts:\n  - subject: ann\n    text: T.\n    text: U.",
        13,
        "it is also in line 12",
        "remove one of the two keys",
    );
    check("format: 2", 10, "unknown format 2", "");
}

#[test]
fn numbers_dates_and_words() {
    let fact = |rest: &str| format!("facts:\n  - {{subject: ann, text: T., {rest}}}");
    check(&fact("confidence: 1.5"), 11, "confidence must be from 0 to 1", "");
    check(&fact("attitude: -101"), 11, "attitude must be from -100 to 100", "");
    check(&fact("attitude: 2.5"), 11, "a whole number", "");
    check(&fact("since: 31 Frost 4"), 11, "the day of Frost must be from 1 to 30", "");
    check(&fact("since: 3 Sunmoon 4"), 11, "expected one of Frost, Rain", "");
    check(&fact("since: 4, until: 3"), 11, "the end (3) is before the beginning (4)", "");
    check(&fact("status: canonn"), 11, "unknown status `canonn`", "did you mean `canon`?");
    check(&fact("audience: everyone"), 11, "unknown audience `everyone`", "expected one of common, local");
    check(&fact("secret: true, common: true"), 11, "a secret is known only to its bearer", "");
    check(&fact("known_by: [{who: bob, how: tld}]"), 11, "unknown value of `how`", "did you mean `told`?");
    check(&fact("known_by: [{who: bob, credence: 2}]"), 11, "credence must be", "");
    check(&fact("known_by: [book]"), 11, "`book` is a document, which cannot know facts", "name a character");
    check(&fact("statement: U."), 11, "both `text` and `statement`", "");
    check("rumours: [{text: T., about: [ann], truth: maybe}]", 10, "true, false or unknown", "");
    let deed = |feelings: &str| {
        format!(
            "predicates:\n  - {{name: MOCKED, phrase: '{{subject}} mocked {{object}}', behavior: {{feelings: {feelings}}}}}"
        )
    };
    check(&deed("{fea: 3}"), 11, "no key `fea`", "did you mean `fear`?");
    check(&deed("{fear: 300}"), 11, "from -100 to 100", "");
    check("minds: {forgetting: mld}", 10, "`mld` is not a value of `forgetting`", "did you mean `mild`?");
    check("minds: {feelings_half_life_days: 0}", 10, "at least 1, not 0", "");
    check("audience: {predicates: {OWNZ: local}}", 10, "unknown predicate `OWNZ`", "did you mean `OWNS`?");
    let twice = "predicates: [{name: BAD, phrase: '{subject} {object}'},\n  {name: BAD, phrase: '{object} {subject}'}]";
    check(twice, 11, "`BAD` is already defined at", "remove one of the two definitions");
    check("predicates: [{name: bad, phrase: '{subject} {object}'}]", 10, "write relations LIKE_THIS", "");
    check("predicates: [{name: BAD, phrase: '{subject}'}]", 10, "must contain both", "");
    let behaves = |kind: &str, behavior: &str| format!("{kind}, behavior: {{{behavior}}}}}]");
    let relation = |behavior: &str| behaves("predicates: [{name: VOWED, phrase: '{subject} {object}'", behavior);
    check(&relation("treads: debt"), 10, "a behavior has no key `treads`", "did you mean `thread`?");
    check(&relation("thread: vow"), 10, "`vow` is not a value of `thread`", "promise, debt, quest");
    check(&relation("attitude: 200"), 10, "200", "");
    check(&relation("identity: 1"), 10, "cannot have the key `behavior.identity`, which is only for attributes", "");
    check(
        &behaves("attributes: [{name: fate", "event: place"),
        10,
        "cannot have the key `behavior.event`, which is only for relations",
        "",
    );
    check(&behaves("attributes: [{name: fate", "identity: 300"), 10, "a position from 0 to 255", "");
    let words =
        |words: &str| format!("predicates: [{{name: VOWED, phrase: '{{subject}} {{object}}', words: {{{words}}}}}]");
    check(&words("verb: [vow to]"), 10, "the mapping `words` has no key `verb`", "did you mean `verbs`?");
    check(&words("verbs: [Vow to]"), 10, "`Vow to` is not a valid noun, verb or field name", "");
    check(&words("lists: all"), 10, "`all` is not a value of `lists`", "both, inverse");
}

#[test]
fn names_ids_and_references() {
    check("  - {name: '', kind: npc}", 10, "needs a name", "");
    check("  - {id: Ann X, name: Ann, kind: npc}", 10, "is not a valid id", "");
    check(
        "  - {id: ann, name: Other, kind: npc}",
        10,
        "duplicate id `ann`: it is already used at test.yaml:5",
        "another `id`",
    );
    check("  - {id: x, name: X}", 10, "needs a kind", "");
    let facts = "facts:\n  - {id: x, subject: ann, text: T.}\n  - {id: x, subject: bob, text: U.}";
    check(facts, 12, "duplicate id `x`: it is already used at test.yaml:11", "");
    check(
        "relationships: [{source: ann, type: OWES, target: Bobb}]",
        10,
        "no entity has the name or id `Bobb`",
        "did you mean `bob`?",
    );
    check("knowledge: [{fact: nothing, who: ann}]", 10, "no fact has the id `nothing`", "");
    let two =
        "  - {id: ann-two, name: Ann Oak, kind: npc}\nrelationships: [{source: ann oak, type: OWES, target: bob}]";
    check(two, 11, "is ambiguous", "write the id: `ann` or `ann-two`");
    check("facts: [{subject: ann}]", 10, "the fact has no content", "add `text: …`");
    check("facts: [{text: T.}]", 10, "the fact has no subject", "add `subject: …`");
    check("facts: [{subject: ann, type: OWES}]", 10, "OWES has no target", "");
    check("facts: [{subject: ann, target: bob, text: T.}]", 10, "a target needs a type", "");
    check("lies: [{text: T., about: [ann]}]", 10, "no speaker", "");
    check("sessions: [{log: []}]", 10, "the id is empty", "add `id: session-1`");
    let cycle = "  - {id: p, name: P, kind: location, part_of: q}\n  - {id: q, name: Q, kind: location, part_of: r}\n  - {id: r, name: R, kind: location, part_of: p}";
    check(cycle, 10, "p is part of q is part of r is part of p", "remove one");
}

#[test]
fn facts_about_facts_and_their_holders() {
    let fact = |rest: &str| format!("facts:\n  - {{id: first, subject: ann, text: T.}}\n  - {{subject: ann, {rest}}}");
    check(&fact("text: U., distorts: frist"), 12, "no fact has the id `frist`", "did you mean `first`?");
    check(&fact("text: U., distorts: first, refutes: first"), 12, "only one other fact", "write a separate fact");
    check(&fact("distorts: first"), 12, "the fact has no content", "add `text: …`");
    check(&fact("text: U., distorts: [first]"), 12, "expected text, found a list", "");
    check(&fact("ends: first, since: 4, until: 3"), 12, "the end (3) is before the beginning (4)", "");
    check(&fact("text: U., bearer: false"), 12, "`bearer` is allowed only for a secret", "add `secret: true`");
    check(&fact("text: U., public: V."), 12, "`public` is allowed only for a secret", "add `secret: true`");
    let secret = |public: &str| fact(&format!("text: U., secret: true, public: {public}"));
    check(&secret("{secret: true, text: V.}"), 12, "the public version has no key `secret`", "");
    check(&secret("{about: [bob]}"), 12, "the fact has no content", "");
    check(&secret("{target: bob}"), 12, "a target needs a type", "");
    check(&secret("{value: 3}"), 12, "a value needs a type", "");
    check(&secret("{type: OWES}"), 12, "OWES has no target", "");
    let circle =
        "facts:\n  - {id: a, subject: ann, text: T., distorts: b}\n  - {id: b, refutes: c}\n  - {id: c, refutes: a}
  - {id: d, refutes: b}";
    check(circle, 11, "`a` (test.yaml:11), `b` (test.yaml:12), `c` (test.yaml:13)", "remove `distorts`");
    check("facts:\n  - {id: a, refutes: a}", 11, "refer to each other in a circle", "");
    let known_by = |by: &str| fact(&format!("text: U., known_by: [{by}]"));
    check(&known_by("{who: bob, rank: master}"), 12, "`bob` is not a faction or party", "name the group");
    check(&known_by("{who: world, rank: master}"), 12, "`the world` is not a faction or party", "");
    check(&known_by("{who: bob, how: witnessed, citing: eve}"), 12, "`citing` is allowed only", "add `how: told`");
    check(&known_by("{who: bob, with: [Bobb]}"), 12, "no entity has the name or id `Bobb`", "did you mean `bob`?");
    check(&known_by("{who: bob, from: bob}"), 12, "`bob` heard it from `bob` (test.yaml:12)", "change `how`");
    let circle = "facts:\n  - id: a\n    subject: ann\n    text: T.\n    known_by:\n      - {who: eve, from: bob}
      - {who: bob, from: ann}\n      - {who: ann, from: bob}";
    check(
        circle,
        16,
        "of \u{201C}T.\u{201D} heard it only from each other: `bob` heard it from `ann` (test.yaml:16), `ann` heard it from `bob`",
        "remove `from` for that knower",
    );
    let predicate = |opposite: &str| {
        format!("predicates:\n  - {{name: ADORES, phrase: '{{subject}} adores {{object}}', opposites: [{opposite}]}}")
    };
    check(&predicate("HOSTILE_TOO"), 11, "unknown predicate `HOSTILE_TOO`", "did you mean `HOSTILE_TO`?");
    check(&predicate("Q"), 11, "unknown predicate `Q`", "declare the predicate under `predicates`");
    check(&predicate("4"), 11, "expected text, found a number", "");
    let two = "predicates: [{name: ADORES, phrase: '{subject} adores {object}', opposites: [HATES]},
  {name: HATES, phrase: '{subject} hates {object}', opposites: [ADORES]}]";
    assert!(read_text(&format!("{HEAD}{two}")).is_ok(), "each may be the other's, declared before or after");
}

#[test]
fn broken_yaml() {
    check("facts: [", 11, "invalid YAML", "");
    check("---\na: b", 10, "a second document", "a separate file");
    check(&format!("facts: {}{}", "[".repeat(70), "]".repeat(70)), 10, "nested more than 64 levels deep", "");
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for n in 1..40 {
        bomb += &format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1);
    }
    let errors = read_text(&format!("campaign: {{name: T}}\n{bomb}")).unwrap_err();
    assert!(errors.errors[0].message.contains("aliases expand to more than"), "{errors}");
    let errors = read_bytes(b"campaign: {name: T}\nfacts: \xff").unwrap_err();
    is(&errors.errors, 2, "not UTF-8", "save the file as UTF-8");
    let deep = format!("facts:\n{}", (0..100).map(|n| format!("{}-\n", " ".repeat(n))).collect::<String>());
    let errors = read_text(&format!("{HEAD}{deep}")).unwrap_err();
    assert!(errors.errors[0].message.contains("nested more than 64 levels deep"), "{errors}");
}

fn folder_error(folder: &Path, limits: &Limits, file: &str, message: &str) {
    let errors = read(folder, limits).unwrap_err();
    let has_error = errors.errors.iter().any(|error| error.file == file && error.message.contains(message));
    assert!(has_error, "{errors}");
}

#[test]
fn files_and_folders() {
    let limits = Limits::default();
    let temp = tempfile::tempdir().unwrap();
    let name = temp.path().file_name().unwrap().to_str().unwrap();
    folder_error(temp.path(), &limits, name, "the folder has no YAML file");
    folder_error(&temp.path().join("missing"), &limits, "missing", "cannot be read");
    fs::write(temp.path().join(".hidden.yaml"), "x").unwrap();
    folder_error(temp.path(), &limits, name, "the folder has no YAML file");
    fs::write(temp.path().join("a.yaml"), "facts: []").unwrap();
    folder_error(temp.path(), &limits, "a.yaml", "no file has a `campaign` entry");
    fs::write(temp.path().join("b.yaml"), "campaign: {name: B}").unwrap();
    assert!(read(temp.path(), &limits).is_ok());
    fs::write(temp.path().join("c.yml"), "campaign: {name: C}").unwrap();
    folder_error(temp.path(), &limits, "c.yml", "duplicate `campaign`: it is already at b.yaml:1");
    fs::remove_file(temp.path().join("c.yml")).unwrap();
    folder_error(temp.path(), &Limits { files: 1, ..limits.clone() }, ".", "more than 1 files");
    // The file is sparse: it has a size but no data. Its size alone causes the error, without reading it.
    fs::File::create(temp.path().join("large.yaml")).unwrap().set_len(100 << 20).unwrap();
    folder_error(temp.path(), &limits, "large.yaml", "the file has 100 MiB; the limit is 16 MiB");
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
    assert_eq!((errors.errors.len(), errors.omitted_errors), (50, 30));
    let printed = errors.to_string();
    assert!(printed.starts_with("test.yaml:11: facts/1/key0: a fact has no key `key0`; expected one of"), "{printed}");
    assert!(printed.ends_with("and 30 more"), "{printed}");
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
    check("  leap: [{month: Rain}]", 4, "has no `every`", "add `every: 4`");
    check("  leap: [{every: 4}]", 4, "a leap rule needs a month", "add `month: …`");
    check("  leap:\n  - {every: 4, month: Rain}\n  - {evry: 4, every: 4, month: Rain}", 6, "no key `evry`", "`every`?");
    check(
        "  leap:\n  - {every: 4, month: Rain}\n  - {every: 0, month: Rain}",
        6,
        "leap rule 2: `every` is a number of years",
        "",
    );
    check("  leap:\n  - {every: -4, month: Rain}", 5, "expected a number from 0 to", "");
    check("  leap:\n  - {every: 4, month: Sun}", 5, "unknown month `Sun`: expected one of Frost, Rain", "");
    check("  leap:\n  - {every: 4, month: Rain, offset: 8e15}", 5, "too large for the calendar", "");
    check("  year_zero: 0", 4, "expected true or false", "");
    check("  eras: [{short: AS, start: 1}]", 4, "an era needs a name", "add `name: …`");
    check("  eras:\n  - {name: Salt, start: 9}\n  - {name: Brine}", 6, "era 2: Brine needs `start`", "");
    check("  eras:\n  - {name: Salt, start: 1, end: 9}\n  - {name: Brine, start: 9}", 5, "Salt overlaps Brine", "");
    check("  eras:\n  - {name: Salt, start: 1.5}", 5, "expected a whole number", "");
    let no_days = "campaign: {name: T, start: 3 Rain 4}\ncalendar: {months: [{name: Rain, days: 0}]}";
    is(&read_text(no_days).unwrap_err().errors, 2, "has no days", "");
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
    check("1 Feast 5", "Feast does not exist in the year 5 AS; it exists every 4 years");
    check("2 Feast 4", "the day of Feast in the year 4 AS must be from 1 to 1");
    check("100 AS", "the year of Age of Salt must be from 1 to 99");
    check("4 Frost", "give a date with a year, such as `3 Frost 412`");
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
