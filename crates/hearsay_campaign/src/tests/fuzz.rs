//! Random text, and inputs of the fuzz corpus that are exports.

use std::{fs, path::Path};

use hearsay_model::{Author, Change, Position, State};
use proptest::prelude::*;

use crate::{
    export_backup, export_jsonl,
    fuzz::{TARGETS, run},
    import::{
        FileId, SourceText, Visibility,
        markup::{markdown, no_links},
    },
};

/// Rewrites the inputs that are exports. Run this test after a change of an export format.
#[test]
#[ignore = "writes files of the repository"]
fn exports_are_written_for_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut state = State::default();
    super::import(&mut state, &String::from_utf8(fs::read(corpus.join("native/small")).unwrap()).unwrap());
    let fact = state.facts().next().unwrap().id();
    super::apply(&mut state, Author::Dm, vec![Change::Confirm(fact)]);
    super::apply(&mut state, Author::Dm, vec![Change::SaveSlot("evening".into())]);
    super::apply(&mut state, Author::Dm, vec![Change::Revert(Position(2))]);
    let mut lines = Vec::new();
    export_jsonl(&state, &mut lines).unwrap();
    let mut backup = Vec::new();
    export_backup(&state, &mut backup).unwrap();
    // The fuzz target adds the first and the last line.
    let operations = String::from_utf8(backup).unwrap();
    let operations: Vec<&str> = operations.lines().collect();
    for (target, bytes) in [("jsonl", lines), ("backup", operations[1..operations.len() - 1].join("\n").into_bytes())] {
        fs::create_dir_all(corpus.join(target)).unwrap();
        fs::write(corpus.join(target).join("small"), bytes).unwrap();
    }
}

/// Generates pieces of text that have a meaning in Markdown, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "---\n",
            "title: ",
            "tags: [NPC]\n",
            "aliases:\n  - ",
            "secret: true\n",
            "location: ",
            "[[",
            "]]",
            "|",
            ":",
            "#",
            "\n",
            "\n\n",
            "%%",
            "<!--",
            "-->",
            "> [!secret]\n",
            "> ",
            "- ",
            "  - ",
            "**",
            "*",
            "`",
            "```\n",
            "::",
            "# ",
            "## Secrets\n",
            "### Ann \u{2620}\n",
            "<div class=\"spoiler\">",
            "</div>",
            "| a | b |\n",
            "|---|---|\n",
            "Ann",
            "Bob",
            "@UUID[",
            "]{",
            "}",
            "(",
            ")",
            "\"",
            "\u{201C}",
            "INPUT[",
            "{{",
            "}}",
            "\r\n",
            "\u{FEFF}",
            "\u{1D11E}",
            "\u{0}",
            "&amp;",
            "<b>",
            "Session 4",
            "||",
            "[secret]",
            "[/secret]",
            "{{< gm >}}",
            ":::gm\n",
            ":::\n",
            "```ad-secret\n",
            "title: DM\n",
            "**Allies:** ",
            "---|---|\n",
            "|",
            "## Relationships\n",
            "## NPCs\n",
            "- [[Bob]] \u{2014} rumoured brother\n",
            "(DM only)",
            "\u{1F512}",
            "\n> [!infobox]\n>  |\n> ---|---|\n> **Home** | [[Bob\\|b]] |\n",
            "{",
            "\n>>> DM/Ann.md\n",
            "\n>>> Bob.md\n",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_markdown_makes_it_panic(text in pieces()) {
        run("markdown", text.as_bytes());
    }

    #[test]
    fn every_letter_knows_where_it_stands(text in pieces()) {
        let text = SourceText::new(FileId(0), text);
        let mut blocks = Vec::new();
        markdown(&text, 0..text.content.len(), &Visibility::Unmarked, no_links(), &mut blocks);
        for block in blocks {
            for (at, letter) in block.text.text.char_indices() {
                let Some(source) = block.text.source_position(at) else { continue };
                let stands = text.content.get(source..).and_then(|rest| rest.chars().next());
                let same = stands == Some(letter) || letter == ' ' && stands.is_some_and(char::is_whitespace);
                prop_assert!(same, "{letter:?} of {:?} is {stands:?} at {source} of {:?}", block.text, text.content);
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for target in TARGETS {
            run(target, &bytes);
        }
    }
}
