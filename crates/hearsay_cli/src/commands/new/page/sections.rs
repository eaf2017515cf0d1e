//! The meaning of headings and labels that announce what stands below them, such as `People`, `Lies` or `Rumours in
//! town`.

use hearsay_campaign::import::{
    knowers::contains_secret_mark,
    lexicon,
    nickname::{is_about_real_name, stated_pretence},
    secret,
    truth::split_contradiction,
};
use hearsay_model::{Kind, text::words, words::contains_word};

use super::{super::english::ENGLISH, statements::is_claim_label};

/// Kinds of entities that a list below a heading names.
const LISTED_KINDS: [Kind; 4] = [Kind::Npc, Kind::Location, Kind::Faction, Kind::Item];

/// What the items below a heading are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Player characters, with the people who play them.
    Players,
    People,
    Places,
    Factions,
    Items,
    Secrets,
    Lies,
    /// What a character says, which need not be true.
    Claims,
    /// Rumours. The value states whether they are true, if the heading says so.
    Rumours(Option<bool>),
    /// Quests and open questions.
    Threads,
    /// Text about the game instead of the game world, such as house rules.
    DmOnly,
}

/// Maximum number of words of a label that announces a section with more words.
const MAX_LABEL_WORDS: usize = 6;

/// Maximum length of a label that makes a sentence secret, in bytes.
const MAX_SECRET_LABEL: usize = 40;

/// Maximum number of words before the words of a section: "Mirela Voss's lies".
const MAX_OWNER_WORDS: usize = 3;

impl Section {
    /// Returns the kind of the entities that a list in this section names.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::People => Some(Kind::Npc),
            Self::Places => Some(Kind::Location),
            Self::Factions => Some(Kind::Faction),
            Self::Items => Some(Kind::Item),
            _ => None,
        }
    }

    /// Returns whether the items of the section are statements that are not open facts about the world.
    pub(super) fn has_statements(self) -> bool {
        matches!(self, Self::Secrets | Self::Lies | Self::Claims | Self::Rumours(_) | Self::Threads | Self::DmOnly)
    }
}

/// Returns the section that a heading announces, also with more words: "Rumours in town", "Dorric's lies", "Session 3".
pub(super) fn section(heading: &str) -> Option<Section> {
    find(heading, |words, title| {
        let is_plural = title.last().is_some_and(|word| word.ends_with('s'));
        let is_owner = |before: &[String]| {
            let is_preposition = |word: &String| ["of", "and", "the"].contains(&word.as_str());
            is_plural && before.len() <= MAX_OWNER_WORDS && !before.last().is_some_and(is_preposition)
        };
        words.strip_prefix(title).is_some_and(can_follow) || words.strip_suffix(title).is_some_and(is_owner)
    })
}

/// Returns the section of statements that the label before a text announces: "Secret", "Rumour in the town", "What she
/// says".
pub(super) fn labelled_section(label: &str) -> Option<Section> {
    let is_short = words(label).len() <= MAX_LABEL_WORDS;
    let longer = || {
        let found = find(label, |words, title| words.strip_prefix(title).is_some_and(can_follow));
        let has_number = label.contains(|c: char| c.is_ascii_digit());
        found.filter(|section| match section {
            Section::Secrets | Section::Lies | Section::Rumours(_) => is_short,
            // "Scene 1", but not "Plan of the baron".
            Section::DmOnly => is_short && has_number,
            _ => false,
        })
    };
    let claims = || is_claim_label(label).then_some(Section::Claims);
    exact_section(label).or_else(longer).or_else(claims).filter(|section| section.has_statements())
}

/// Returns whether a text begins with a label that announces a secret, and no more: `Truth: …`.
pub(super) fn announces_secret(text: &str) -> bool {
    text.split_once(':').is_some_and(|(label, _)| exact_section(label) == Some(Section::Secrets))
}

/// Returns whether a label announces a statement about the entity above it: `Truth`, `Cover story`, `Real name`.
pub(super) fn announces_statement(label: &str) -> bool {
    labelled_section(label).is_some() || is_about_real_name(label)
}

/// Returns whether a sentence is secret because of its words or its label.
pub(super) fn is_secret_sentence(sentence: &str) -> bool {
    let has_secret_label = || {
        sentence.split_once(':').is_some_and(|(label, _)| label.len() <= MAX_SECRET_LABEL && secret::is_secret(label))
    };
    secret::states_secrecy(sentence) || is_about_real_name(sentence) || is_marked_secret(sentence) || has_secret_label()
}

/// Returns the rest of a sentence that begins with words such as "In reality": "In reality, she is a spy."
pub(super) fn after_truth_opener(sentence: &str) -> Option<&str> {
    let lowercase = sentence.to_ascii_lowercase();
    let opener = ENGLISH.truth_openers.iter().find(|opener| lowercase.starts_with(opener.as_str()))?;
    let rest = sentence.get(opener.len()..)?;
    rest.starts_with([' ', ',']).then(|| rest.trim_start_matches([' ', ',']))
}

/// Returns whether a sentence begins with a label that announces a secret, or with "In reality", contains a remark such as
/// "(secret)", or states what a person pretends to be: "She pretends to be a pilgrim called Sera." A sentence that contradicts
/// the pretence itself is a lie with its truth instead.
pub(super) fn is_marked_secret(sentence: &str) -> bool {
    let is_pretence = || {
        let pretence = stated_pretence(sentence);
        pretence.is_some_and(|pretence| pretence.name.is_some() || split_contradiction(sentence).is_none())
    };
    announces_secret(sentence)
        || contains_secret_mark(sentence)
        || after_truth_opener(sentence).is_some()
        || is_pretence()
}

/// Returns whether words can follow the words of a section.
fn can_follow(after: &[String]) -> bool {
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    after.first().is_none_or(|word| contains_word(&ENGLISH.title_followers, word) || is_number(word))
}

/// Returns the section that a heading or label announces without further words: "Important NPCs", "Lie".
pub(super) fn exact_section(heading: &str) -> Option<Section> {
    find(heading, |words, title| words == title)
}

/// Returns whether a heading or label announces what stands below it, and names no entity.
pub(super) fn is_section_title(heading: &str) -> bool {
    section(heading).is_some() || words(heading) == ["characters"] || listed_kind(heading).is_some()
}

/// Returns the kind of the entities in a list with this label or heading.
pub(super) fn listed_kind(heading: &str) -> Option<Kind> {
    match section(heading) {
        Some(section) => section.kind(),
        None => lexicon::announced_kind(heading).filter(|kind| LISTED_KINDS.contains(kind)),
    }
}

/// Finds a section with words that match the words of a heading. The heading is compared with and without the words that
/// do not matter.
fn find(heading: &str, matches: impl Fn(&[String], &[String]) -> bool) -> Option<Section> {
    let plain = heading.split('(').next().unwrap_or_default().replace(['\'', '\u{2019}'], "");
    let all = words(&plain);
    let content = all.iter().position(|word| !contains_word(&ENGLISH.title_companions, word)).unwrap_or(all.len());
    let is_match = |title: &String| {
        let title = words(title);
        matches(&all, &title) || matches(&all[content..], &title)
    };
    let (section, _) = section_titles().into_iter().find(|(_, titles)| titles.iter().any(is_match))?;
    let has = |word: &str| all.iter().any(|other| other == word);
    Some(match section {
        Section::Rumours(_) if has("false") || has("untrue") || has("wrong") => Section::Rumours(Some(false)),
        Section::Rumours(_) if has("true") => Section::Rumours(Some(true)),
        section => section,
    })
}

/// Returns the titles of each section. If a heading matches several sections, the first section counts.
fn section_titles() -> [(Section, &'static [String]); 10] {
    [
        (Section::Lies, &ENGLISH.lie_titles),
        (Section::Rumours(None), &ENGLISH.rumour_titles),
        (Section::Secrets, &ENGLISH.secret_titles),
        (Section::Threads, &ENGLISH.thread_titles),
        (Section::Players, &ENGLISH.player_titles),
        (Section::People, &ENGLISH.people_titles),
        (Section::Places, &ENGLISH.place_titles),
        (Section::Factions, &ENGLISH.faction_titles),
        (Section::Items, &ENGLISH.item_titles),
        (Section::DmOnly, &ENGLISH.dm_only_titles),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_announce_sections() {
        for (heading, expected) in [
            ("Lies", Some(Section::Lies)),
            ("Dorric\u{2019}s lies", Some(Section::Lies)),
            ("Things that are not true:", Some(Section::Lies)),
            ("False claims", Some(Section::Lies)),
            ("False rumors", Some(Section::Rumours(Some(false)))),
            ("Rumours in Gullhaven (d6)", Some(Section::Rumours(None))),
            ("Word on the street", Some(Section::Rumours(None))),
            ("What the players don't know", Some(Section::Secrets)),
            ("Plot Hooks", Some(Section::Threads)),
            ("OPEN QUESTIONS", Some(Section::Threads)),
            ("Important NPCs", Some(Section::People)),
            ("The party", Some(Section::Players)),
            ("Organisations", Some(Section::Factions)),
            ("House rules", Some(Section::DmOnly)),
            ("Tonight", Some(Section::DmOnly)),
            ("Session 3: The fire", Some(Section::DmOnly)),
            ("Session Zero", Some(Section::DmOnly)),
            ("Scene 1 - The docks", Some(Section::DmOnly)),
            ("To-do", Some(Section::DmOnly)),
            ("The House of Lies", None),
            ("The Drowned Lantern", None),
            ("History", None),
        ] {
            assert_eq!(section(heading), expected, "{heading}");
        }
        assert_eq!(exact_section("Lies of Locke"), None);
    }

    #[test]
    fn labels_announce_statements() {
        for (label, expected) in [
            ("Rumour in the town", Some(Section::Rumours(None))),
            ("False rumour", Some(Section::Rumours(Some(false)))),
            ("Cover story", Some(Section::Lies)),
            ("What she says", Some(Section::Claims)),
            ("He claims", Some(Section::Claims)),
            ("Pretends", Some(Section::Claims)),
            ("Truth", Some(Section::Secrets)),
            ("Scene 1", Some(Section::DmOnly)),
            ("Ideas for later", Some(Section::DmOnly)),
            ("Plan of the baron", None),
            ("She has three jobs", None),
            ("People", None),
            ("Odo", None),
        ] {
            assert_eq!(labelled_section(label), expected, "{label}");
        }
    }
}
