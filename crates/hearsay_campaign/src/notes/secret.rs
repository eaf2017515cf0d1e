//! Words by which authors mark DM-only text.

use hearsay_model::slug;

/// Words that mark a secret anywhere in a heading, folder, class or field name.
const WORDS: [&str; 30] = [
    "secret",
    "secrets",
    "gm",
    "dm",
    "gms",
    "dms",
    "keepers",
    "unbeknownst",
    "gmnotes",
    "dmnotes",
    "gmnote",
    "dmnote",
    "gmonly",
    "dmonly",
    "spoiler",
    "spoilers",
    "private",
    "privatenotes",
    "hidden",
    "confidential",
    "classified",
    "ggm",
    "storyteller",
    "unrevealed",
    "undisclosed",
    "concealed",
    "secretly",
    "gmsecret",
    "dmsecret",
    "gmtext",
];

/// Sequences of words that mark a secret.
const RUNS: [&[&str]; 43] = [
    &["game", "master"],
    &["dungeon", "master"],
    &["dungeon", "masters"],
    &["referee", "notes"],
    &["referees", "notes"],
    &["narrator", "notes"],
    &["narrators", "notes"],
    &["really", "going", "on"],
    &["what", "really", "happened"],
    &["real", "story"],
    &["true", "story"],
    &["true", "goal"],
    &["true", "goals"],
    &["true", "intentions"],
    &["true", "allegiance"],
    &["real", "allegiance"],
    &["ulterior", "motive"],
    &["ulterior", "motives"],
    &["unknown", "to", "players"],
    &["party", "doesnt", "know"],
    &["game", "masters"],
    &["keeper", "notes"],
    &["keeper", "only"],
    &["behind", "the", "screen"],
    &["behind", "the", "scenes"],
    &["not", "for", "players"],
    &["hide", "from", "players"],
    &["truth", "behind"],
    &["true", "identity"],
    &["real", "identity"],
    &["true", "name"],
    &["real", "name"],
    &["true", "nature"],
    &["actual", "identity"],
    &["true", "motive"],
    &["real", "motive"],
    &["true", "motives"],
    &["real", "motives"],
    &["players", "dont", "know"],
    &["players", "do", "not", "know"],
    &["keeper", "info"],
    &["plot", "twist"],
    &["the", "truth"],
];

/// Whether a heading, folder, class, callout or field name marks its content as DM-only: `Secrets`, `DM only`,
/// `gmNotes`, `spoiler-text`, `True identity`.
///
/// A lock or a finger on the lips is a mark too. The words count at any position, so a place called Hidden Valley
/// becomes secret too: in doubt, text is secret.
pub fn is_secret(label: &str) -> bool {
    if label.contains(['\u{1F512}', '\u{1F510}', '\u{1F50F}', '\u{1F92B}']) {
        return true;
    }
    let words = words(label);
    if words.is_empty() {
        return false;
    }
    let negated = words.iter().any(|word| ["non", "not", "no"].contains(&word.as_str()));
    let run = RUNS.iter().any(|run| words.windows(run.len()).any(|window| window.iter().eq(run.iter())));
    run || words == ["truth"] || !negated && words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a label is only a mark of secrecy: `GM notes`, `For the DM`.
pub fn is_nothing_but_secret(label: &str) -> bool {
    const BESIDES: [&str; 20] = [
        "notes",
        "note",
        "only",
        "info",
        "information",
        "for",
        "the",
        "game",
        "dungeon",
        "master",
        "eyes",
        "section",
        "behind",
        "scenes",
        "screen",
        "truth",
        "text",
        "knowledge",
        "details",
        "s",
    ];
    let words = words(label);
    let fits = |word: &String| WORDS.contains(&word.as_str()) || BESIDES.contains(&word.as_str());
    is_secret(label) && !label.starts_with('#') && words.iter().all(fits)
}

/// Whether a sentence says that few know it: `secretly`, `nobody knows`, `only she and her brother know`.
pub fn is_told_as_secret(text: &str) -> bool {
    const SIGNS: [&[&str]; 22] = [
        &["secretly"],
        &["in", "secret"],
        &["unbeknownst"],
        &["nobody", "knows"],
        &["no", "one", "knows"],
        &["no", "one", "else", "knows"],
        &["keeps", "secret"],
        &["kept", "secret"],
        &["a", "secret", "that"],
        &["players", "don't", "know"],
        &["players", "do", "not", "know"],
        &["party", "does", "not", "know"],
        &["party", "doesn't", "know"],
        &["unknown", "to", "the", "party"],
        &["unknown", "to", "the", "players"],
        &["known", "only", "to"],
        &["secret", "is"],
        &["his", "secret"],
        &["her", "secret"],
        &["their", "secret"],
        &["its", "secret"],
        &["secret", "identity"],
    ];
    let folded = text.to_lowercase();
    // Most texts contain none of these words, so the check ends here.
    if !["secret", "unbeknownst", "know"].iter().any(|word| folded.contains(word)) {
        return false;
    }
    let words = hearsay_model::text::words(text);
    let stands = |sign: &&[&str]| words.windows(sign.len()).any(|window| window.iter().eq(sign.iter()));
    let only = words
        .iter()
        .position(|word| word == "only")
        .is_some_and(|at| words[at..].iter().take(8).any(|word| word == "know" || word == "knows"));
    SIGNS.iter().any(stands) || only
}

/// Splits a label into words, including those of `camelCase` and `snake_case`.
fn words(label: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(label.len() + 8);
    let mut before = ' ';
    for c in label.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    slug(&spaced).split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn signs_of_secrecy_are_known() {
        for secret in [
            "Secrets",
            "secret",
            "DM Only",
            "gmNotes",
            "GM-Notes",
            "dm_notes",
            "spoiler",
            "True Identity",
            "For the DM",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        for secret in ["She is secretly a wolf.", "Only the three of them know of it.", "Nobody knows why."] {
            assert!(super::is_told_as_secret(secret), "{secret}");
        }
        assert!(!super::is_told_as_secret("The secretary knows the town."));
        for open in ["Notes", "Admin", "Secretary", "Description", "", "Domain", "Non-secret"] {
            assert!(!is_secret(open), "{open}");
        }
    }
}
