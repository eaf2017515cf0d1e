//! Words that say whether a statement is true: `rumoured`, `presumed dead`, `(untrue)`.

use hearsay_model::{FactStatus, text};

use super::english::ENGLISH;

/// Whether a statement is true, according to the note that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Truth {
    /// The note states it without a remark.
    #[default]
    Plain,
    /// The note states it as a rumour. The fact gets the status claimed.
    Rumoured,
    /// The note says that the statement is false. Some characters may still believe it.
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
    /// text in parentheses, and a question mark at the end count, because other words may refer to something else.
    pub fn of(written: &str) -> Self {
        let written = written.trim().trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '?'));
        let asks = written.ends_with(['?', '\u{2753}']) || written.contains("(?)");
        let mut found = if asks { Self::Rumoured } else { begins(written) };
        for remark in written.split('(').skip(1) {
            let words = text::words(remark.split(')').next().unwrap_or_default());
            found = words.iter().map(|word| of_word(word)).fold(found, Ord::max);
        }
        found
    }

    /// Returns whether a short text about a state is stated plainly, as a rumour, or as untrue. For example, `missing,
    /// presumed dead` is a rumour.
    pub fn of_state(written: &str) -> Self {
        let words = text::words(written);
        let anywhere = words.iter().take(6).map(|word| of_word(word)).max().unwrap_or_default();
        anywhere.max(Self::of(written))
    }
}

/// Splits a name such as `Rumoured allies` into the doubt that it expresses and the rest of the name.
pub fn named(name: &str) -> (Truth, &str) {
    match name.trim().split_once([' ', '_', '-']) {
        Some((first, rest)) if of_word(&first.to_lowercase()) != Truth::Plain => {
            (of_word(&first.to_lowercase()), rest.trim())
        }
        _ => (Truth::Plain, name),
    }
}

fn begins(written: &str) -> Truth {
    let words = text::words(written);
    let first = words.iter().find(|word| !ENGLISH.words.function_words.truth.contains(*word));
    first.map_or(Truth::Plain, |word| of_word(word))
}

fn of_word(word: &str) -> Truth {
    let signs = &ENGLISH.words.truth;
    match word {
        word if signs.rumoured.contains(word) => Truth::Rumoured,
        word if signs.untrue.contains(word) => Truth::Untrue,
        _ => Truth::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::{Truth, named};

    #[test]
    fn words_of_doubt_are_known() {
        let check = |written: &str, expected: Truth| assert_eq!(Truth::of(written), expected, "{written}");
        check("Odo (rumoured)", Truth::Rumoured);
        check("\u{2014} rumoured lover", Truth::Rumoured);
        check("the guild?", Truth::Rumoured);
        check("Odo (untrue, whatever the miller says)", Truth::Untrue);
        check("said to be possibly a spy", Truth::Rumoured);
        check("collects rumours for the guild", Truth::Plain);
        check("a baker", Truth::Plain);
        assert_eq!(Truth::of_state("Missing, presumed dead"), Truth::Rumoured);
        assert_eq!(Truth::of_state("DECEASED (drowned)"), Truth::Plain);
        assert_eq!(named("Suspected members"), (Truth::Rumoured, "members"));
        assert_eq!(named("Members"), (Truth::Plain, "Members"));
    }
}
