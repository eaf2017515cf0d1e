//! Words as they are searched: stemmed, without those that say nothing.

use std::sync::LazyLock;

use hearsay_model::text;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

/// Words that carry no meaning of their own in a question or a statement.
const STOP_WORDS: &str = "a about after again all also am an and any are as at be because been before being but by can \
    could d did do does doing don't else ever every for from had has have having he her here hers herself him himself his how \
    i if in into is it it's its itself just ll may me might more most much must my myself no nor not now of off on once only \
    or other our ours out over own s say says shall she should so some such t tell than that the their theirs them \
    themselves then there these they this those through to too under until up upon us very was we were what when where \
    which while who whom whose why will with would you your yours yourself";

static STOPS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Letters that have no accent to take off.
const LIGATURES: [(char, &str); 8] =
    [('ß', "ss"), ('æ', "ae"), ('œ', "oe"), ('ø', "o"), ('ł', "l"), ('đ', "d"), ('ð', "d"), ('þ', "th")];

/// The stems of the words of a text, in order, without stop words: Snowball's English stemmer, without accents. What is
/// written without spaces between words is taken apart into pairs of letters.
pub fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    for word in text::words(text).into_iter().filter(|word| !is_stop_word(word)) {
        if word.is_ascii() {
            stems.push(stem(&word));
            continue;
        }
        let letters: Vec<char> = word.chars().collect();
        for run in letters.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
            if is_unspaced(run[0]) && run.len() > 1 {
                stems.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                stems.push(stem(&unaccented(&run.iter().collect::<String>())));
            }
        }
    }
    stems
}

/// The stem of a word.
pub(crate) fn stem(word: &str) -> String {
    ENGLISH.stem(word).into_owned()
}

/// Whether a word carries no meaning of its own.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

/// A word in lowercase without accents: `müller` is `muller`. Letters beyond the Latin ones stay as they are.
pub(crate) fn unaccented(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars() {
        if letter.is_ascii() {
            plain.push(letter);
        } else if let Some((_, latin)) = LIGATURES.iter().find(|(ligature, _)| *ligature == letter) {
            plain.push_str(latin);
        } else {
            plain.push(std::iter::once(letter).nfd().next().filter(char::is_ascii).unwrap_or(letter));
        }
    }
    plain
}

/// Whether a letter is of a script that puts no spaces between words: Thai, Lao, Burmese, Khmer, kana and Han.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_a_stem() {
        let check = |a: &str, b: &str| assert_eq!(stems(a), stems(b));
        check("smuggled goods", "Smuggling good");
        check("Odo\u{2019}s debts", "odo debt");
        assert_eq!(stems("What is it about, then?"), Vec::<String>::new());
        check("Zo\u{EB} M\u{FC}ller", "zoe muller");
        check("Вера", "вера");
        assert_eq!(stems("銀の匙 Odoさん 夜"), ["銀の", "の匙", "odo", "さん", "夜"]);
    }

    #[test]
    fn accents_are_taken_off_latin_letters_alone() {
        let check = |word: &str, expected: &str| assert_eq!(unaccented(word), expected);
        check("müller", "muller");
        check("æthelstraß", "aethelstrass");
        check("łódź", "lodz");
        check("андрей", "андрей");
        check("が", "が");
    }
}
