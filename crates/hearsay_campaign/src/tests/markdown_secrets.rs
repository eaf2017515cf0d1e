//! Ways in which people mark text for the DM only. Every secret in these notes contains the word `hush`.

use super::notes::{assert_hushed, read};
use crate::Format;

#[track_caller]
fn check(note: &str) {
    let bob = ("Bob.md", "---\ntags: [npc]\n---\nA smith, open to all.\n");
    let campaign = read(&[("Ann.md", note), bob], Format::Markdown);
    let secrets: Vec<String> =
        note.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with("hush")).map(str::to_owned).collect();
    assert!(!secrets.is_empty());
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    assert_hushed(&campaign, &secrets, &[]);
    let open = campaign.passages().any(|passage| passage.text.contains("open to all"));
    assert!(open, "what is open is read");
}

#[test]
fn blocks_of_plug_ins() {
    check("```ad-secret\nhush1\n```\n\nopen to all\n");
    check("```ad-danger\ntitle: DM only\nhush1\n```\n");
    check("> [!warning]- GM only\n> hush1\n>\n> hush2\n");
    check("> [!info] Players\n> open to all\n>> [!secret] Inner\n>> hush1\n");
    check(":::gm\nhush1\n:::\n\nopen\n");
    check("{{< secret >}}\nhush1\n{{< /secret >}}\n");
    check("[secret]hush1[/secret]\n");
    check("She smiles. ||hush1|| Always.\n");
    check("<details><summary>DM notes</summary>\nhush1\n</details>\n");
}

#[test]
fn lines_and_remarks() {
    check("**Ally:** [[Bob]]\n**Secret:** hush1\n**Ring:** hush2\n");
    check("- GM: hush1\n- open\n");
    check("(DM only) hush1\n");
    check("She is kind [secret:: hush1] to all.\n");
    check("Her secret is hush1.\n");
    check("A remark.[^1]\n\n[^1]: DM: hush1\n");
    check("- DM notes\n  - hush1\n");
    check("| Name | DM notes |\n|---|---|\n| Bob | hush1 |\n");
    check("### \u{1F512} Plans\nhush1\n");
    check("## DM's notes\nhush1\n### Public rumours\nhush2\n");
    check("## GM\u{2019}s eyes\nhush1\n");
    check("**What's really going on:** hush1\n");
    check("> [!infobox]\n>  |\n> ---|---|\n> **Race** | Elf |\n> **GM notes** | hush1 |\n");
}

#[test]
fn remarks_on_the_truth_of_a_text() {
    check("The miller waters the flour. (Not true; hush1 does.)\n");
    check("- Bob is rich (false, hush1 is)\n- open\n");
}

#[test]
fn fields_that_hide_a_whole_note() {
    for field in
        ["publish: false", "dg-publish: false", "draft: true", "known: no", "visibility: gm", "player-safe: false"]
    {
        check(&format!("---\ntags: [npc]\n{field}\n---\nhush1\n"));
    }
    check("---\nmembers:\n  - {name: \"[[hush1]]\", role: spy, secret: yes}\n---\nopen\n");
    check("---\nsecret_goal: hush1\ndmOnly:\n  plan: hush2\nnotes:\n  gm: hush3\n---\n");
}

#[test]
fn words_about_the_knowers_of_a_secret_name_its_readers() {
    let note = |text: &str| format!("---\ntags: [npc]\n---\nA farmer.\n{text}");
    for secret in [
        "The bridge will fall. Only Pia and Otto know this.",
        "Known only to Pia and Otto: the bridge will fall.",
        "Pia and Otto know that the bridge will fall.",
    ] {
        let secrets = note(&format!("\n## Secrets\n\n{secret}\n"));
        let files = [("Pia.md", note("")), ("Otto.md", note("")), ("Rill.md", secrets)];
        let campaign = read(&files, Format::Markdown);
        let passage = campaign.passages().find(|passage| passage.text.contains("bridge")).unwrap();
        let readers: Vec<&str> = passage.heard_by.iter().map(|knower| knower.as_str()).collect();
        assert_eq!((passage.text.as_str(), readers), ("The bridge will fall.", vec!["otto", "pia"]));
    }
}
