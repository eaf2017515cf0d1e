//! Words that say whether a statement is true: `rumoured`, `presumed dead`, `(untrue)`.

use hearsay_model::{FactStatus, text};

use super::english::ENGLISH;

/// Maximum number of words for the place where people tell a rumour: "in the old harbour".
const MAX_PLACE_WORDS: usize = 5;

/// Whether a statement is true, according to the note that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Truth {
    /// The note makes the statement without a remark.
    #[default]
    Plain,
    /// The note reports the statement as a rumour. The fact gets the status claimed.
    Rumoured,
    /// The note says that the statement is false. Some characters can still believe the statement.
    Untrue,
}

impl Truth {
    /// Returns the status of a fact with this truth.
    pub(super) fn status(self) -> FactStatus {
        match self {
            Self::Plain => FactStatus::Canon,
            Self::Rumoured => FactStatus::Claimed,
            Self::Untrue => FactStatus::False,
        }
    }

    /// Returns whether a value or remark is stated plainly, as a rumour, or as untrue. Only the beginning of the text,
    /// text in parentheses, and a question mark at the end count. Other words may refer to another statement.
    pub fn from_text(statement: &str) -> Self {
        let statement = statement.trim().trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '?'));
        let is_question = statement.ends_with(['?', '\u{2753}']) || statement.contains("(?)");
        let mut truth = if is_question { Self::Rumoured } else { leading_doubt(statement) };
        for remark in statement.split('(').skip(1) {
            let words = text::words(remark.split(')').next().unwrap_or_default());
            truth = words.iter().map(|word| word_doubt(word)).fold(truth, Ord::max);
        }
        truth
    }

    /// Returns whether a short text about a state is stated plainly, as a rumour, or as untrue. For example, `missing,
    /// presumed dead` is a rumour.
    pub fn from_state_text(statement: &str) -> Self {
        let words = text::words(statement);
        let anywhere = words.iter().take(6).map(|word| word_doubt(word)).max().unwrap_or_default();
        anywhere.max(Self::from_text(statement))
    }
}

/// Splits a name such as `Rumoured allies` into a [`Truth`] and the rest of the name.
pub fn split_doubt(name: &str) -> (Truth, &str) {
    match name.trim().split_once([' ', '_', '-']) {
        Some((first, rest)) if word_doubt(&first.to_lowercase()) != Truth::Plain => {
            (word_doubt(&first.to_lowercase()), rest.trim())
        }
        _ => (Truth::Plain, name),
    }
}

/// Splits a remark about a statement, such as `False; he only waters the beer`, into whether the statement is true, and
/// the rest of the remark. Returns `None` if the remark does not begin by saying so, or if it asks: `True? Decide later`.
pub fn split_verdict(remark: &str) -> Option<(bool, &str)> {
    let truth_words = &ENGLISH.words.truth;
    let end = remark.find([';', ':', ',', '.', '!', '?', '(', '\u{2013}', '\u{2014}']);
    let end = end.into_iter().chain(remark.find(" - ")).min().unwrap_or(remark.len());
    if remark[end..].starts_with('?') {
        return None;
    }
    let words: Vec<String> =
        text::words(&remark[..end]).into_iter().filter(|word| !truth_words.remark_companions.contains(word)).collect();
    let verdict = words.join(" ");
    let is_true = truth_words.true_remarks.contains(&verdict);
    let rest = remark[end..].trim_start_matches(|c: char| !c.is_alphanumeric() && !is_opening_mark(c));
    (is_true || truth_words.false_remarks.contains(&verdict)).then_some((is_true, rest.trim_end()))
}

/// Returns the rumour in a sentence such as `There is a rumour that the mill is cursed.`
pub fn without_rumour_opener(sentence: &str) -> Option<&str> {
    let lowercase = sentence.to_ascii_lowercase();
    ENGLISH
        .words
        .truth
        .rumour_openers
        .iter()
        .filter(|opener| lowercase.starts_with(opener.as_str()))
        .find_map(|opener| sentence.get(opener.len()..)?.strip_prefix(' ').filter(|rest| !rest.trim().is_empty()))
}

/// Returns the words before such an opener and the rumour, if the words are short: `In the harbour they say that the mill is
/// cursed.`
pub fn placed_rumour(sentence: &str) -> Option<(&str, &str)> {
    let lowercase = sentence.to_ascii_lowercase();
    let openers = ENGLISH.words.truth.rumour_openers.iter();
    let at = openers.filter_map(|opener| lowercase.find(&format!(" {opener} "))).min()?;
    let place = sentence[..at].trim_end_matches(',');
    let is_short = (2..=MAX_PLACE_WORDS).contains(&text::words(place).len());
    Some((place, without_rumour_opener(&sentence[at + 1..])?)).filter(|_| is_short)
}

/// Splits a sentence into a first clause and the clause that contradicts it: `Odo says that he was ill, but he was drunk.`
/// The second clause is given without its first word. Returns `None` if no clause contradicts the first.
pub fn split_contradiction(sentence: &str) -> Option<(&str, &str)> {
    let words = &ENGLISH.words.truth.contradictions;
    let starts = words.iter().flat_map(|word| [", ", "; ", " "].map(|mark| format!("{mark}{word} ")));
    let found = starts.filter_map(|start| Some((sentence.find(&start)?, start.len())));
    // Of the words at the same position, the longest count.
    let (at, length) = found.min_by_key(|(at, length)| (*at, usize::MAX - *length))?;
    let (clause, contradiction) = (sentence[..at].trim(), sentence[at + length..].trim());
    (!clause.is_empty() && !contradiction.is_empty()).then_some((clause, contradiction))
}

/// Returns whether a text begins with a label for the truth behind a lie: `Truth: She hid the ledger.`
pub fn announces_truth(statement: &str) -> bool {
    let labels = &ENGLISH.words.truth.labels;
    statement.split_once(':').is_some_and(|(label, _)| labels.contains(&text::words(label).join(" ")))
}

/// Splits a text that ends with a remark in brackets into the text before the remark, and the remark: `He drinks. (Not
/// true!)`.
pub fn split_remark(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end_matches(['.', '!', ' ', '\n']);
    let close = text.chars().next_back()?;
    let open = match close {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    let mut depth = 0_usize;
    let opens = |(_, c): &(usize, char)| {
        depth = if *c == close { depth + 1 } else { depth - usize::from(*c == open) };
        depth == 0
    };
    let (at, _) = text.char_indices().rev().find(opens)?;
    let (before, remark) = (text[..at].trim_end(), text[at + 1..text.len() - 1].trim());
    (!before.is_empty()).then_some((before, remark))
}

fn is_opening_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '\u{2018}' | '\u{201C}' | '(' | '[')
}

fn leading_doubt(statement: &str) -> Truth {
    let words = text::words(statement);
    let first = words.iter().find(|word| !ENGLISH.words.function_words.truth.contains(*word));
    first.map_or(Truth::Plain, |word| word_doubt(word))
}

fn word_doubt(word: &str) -> Truth {
    let truth_words = &ENGLISH.words.truth;
    match word {
        word if truth_words.rumoured.contains(word) => Truth::Rumoured,
        word if truth_words.untrue.contains(word) => Truth::Untrue,
        _ => Truth::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::{Truth, split_contradiction, split_doubt, split_remark, split_verdict, without_rumour_opener};

    #[test]
    fn remarks_say_whether_a_statement_is_true() {
        assert_eq!(split_verdict("Not true!"), Some((false, "")));
        assert_eq!(split_verdict("False; he only waters the beer."), Some((false, "he only waters the beer.")));
        assert_eq!(split_verdict("This is a lie - Ada did it"), Some((false, "Ada did it")));
        assert_eq!(split_verdict("true"), Some((true, "")));
        assert_eq!(split_verdict("they do not"), Some((false, "")));
        for remark in ["twice", "True? dunno yet", "true love", "not true of Odo", "the rumour", ""] {
            assert_eq!(split_verdict(remark), None, "{remark}");
        }
        assert_eq!(split_remark("He drinks. (Not true!)"), Some(("He drinks.", "Not true!")));
        assert_eq!(split_remark("He (Odo) drinks (false (he sips))."), Some(("He (Odo) drinks", "false (he sips)")));
        for text in ["He drinks.", "(Not true!)", "He drinks)", ""] {
            assert_eq!(split_remark(text), None, "{text}");
        }
    }

    #[test]
    fn rumours_and_contradictions_are_found() {
        assert_eq!(without_rumour_opener("It is rumoured that Odo drinks."), Some("Odo drinks."));
        for sentence in ["They saying so", "Odo says that he drinks.", "People say that"] {
            assert_eq!(without_rumour_opener(sentence), None, "{sentence}");
        }
        for (sentence, expected) in [
            ("Odo says he was ill, but he was drunk.", Some(("Odo says he was ill", "he was drunk."))),
            ("Odo says he was ill, but in fact he drank.", Some(("Odo says he was ill", "he drank."))),
            ("Odo claims to be rich but owns nothing.", Some(("Odo claims to be rich", "owns nothing."))),
            ("Odo sells butter.", None),
        ] {
            assert_eq!(split_contradiction(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn words_of_doubt_are_known() {
        let check = |text: &str, expected: Truth| assert_eq!(Truth::from_text(text), expected, "{text}");
        check("Odo (rumoured)", Truth::Rumoured);
        check("\u{2014} rumoured lover", Truth::Rumoured);
        check("the guild?", Truth::Rumoured);
        check("Odo (untrue, whatever the miller says)", Truth::Untrue);
        check("said to be possibly a spy", Truth::Rumoured);
        check("collects rumours for the guild", Truth::Plain);
        check("a baker", Truth::Plain);
        assert_eq!(Truth::from_state_text("Missing, presumed dead"), Truth::Rumoured);
        assert_eq!(Truth::from_state_text("DECEASED (drowned)"), Truth::Plain);
        assert_eq!(split_doubt("Suspected members"), (Truth::Rumoured, "members"));
        assert_eq!(split_doubt("Members"), (Truth::Plain, "Members"));
    }
}
