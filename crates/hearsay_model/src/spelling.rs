//! Approximate matching of names by spelling and sound: "Grim Jaw" and "grimjow" match Grimjaw, "Mirella Vos" matches
//! Mirela Voss.
//!
//! Names are compared by their letters alone, without spaces, quotes and accents. The allowed number of different
//! letters grows with the length of the shorter name. If both names sound the same, one more letter may differ. Names
//! of four letters or fewer must match exactly. The first sound must always match. Names are stored in buckets by first
//! sound and length, so a query is compared with only a few names.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};
use unicode_normalization::UnicodeNormalization;

/// Stop words: words such as "the", which carry no content in a question or a statement.
const STOP_WORDS: &str = "a about after again all also am an and any are as at be because been before being but by can \
    could d did do does doing don't else ever every for from had has have having he her here hers herself him himself his how \
    i if in into is it it's its itself just ll may me might more most much must my myself no nor not now of off on once only \
    or other our ours out over own s say says shall she should so some such t tell than that the their theirs them \
    themselves then there these they this those through to too under until up upon us very was we were what when where \
    which while who whom whose why will with would you your yours yourself";

/// Letters that do not decompose into a base letter and an accent, with their replacements.
const LIGATURES: [(char, &str); 8] =
    [('ß', "ss"), ('æ', "ae"), ('œ', "oe"), ('ø', "o"), ('ł', "l"), ('đ', "d"), ('ð', "d"), ('þ', "th")];

/// Common words of English and of fantasy tales. A common word alone is not treated as a misspelled name.
const COMMON_WORDS: &str = include_str!("../data/common_words.txt");

static STOPS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static COMMON: LazyLock<FxHashSet<String>> = LazyLock::new(|| COMMON_WORDS.split_whitespace().map(stem).collect());

/// Returns the stem of an English word: `walking` becomes `walk`.
pub fn stem(word: &str) -> String {
    ENGLISH.stem(word).into_owned()
}

/// Returns whether a lowercase word is a stop word, such as "the" or "who". Stop words carry no content.
pub fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

/// Returns a lowercase word without accents: `müller` becomes `muller`. Letters of other scripts remain unchanged.
pub fn unaccented(word: &str) -> String {
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

/// Returns whether a word is a common English word, in any inflection.
pub fn is_common(word: &str) -> bool {
    is_stop_word(word) || COMMON.contains(&stem(word))
}

/// Joins the letters and digits of words into one text without accents.
pub fn letters(words: &[String]) -> String {
    let mut letters = words.iter().map(|word| unaccented(word)).collect::<String>();
    letters.retain(char::is_alphanumeric);
    letters
}

/// Returns the phonetic key of a sequence of letters. Each consonant adds a code to the key, and similar consonants add
/// the same code. A vowel at the start adds `A`; other vowels add nothing.
pub fn sound(letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let mut key = String::new();
    let mut at = match letters[..] {
        ['k' | 'g', 'n', ..] | ['w', 'r', ..] | ['p', 's', ..] => 1,
        _ => 0,
    };
    let start = at;
    let mut before = None;
    while at < letters.len() {
        let next = letters.get(at + 1).copied();
        let (code, taken) = match (letters[at], next) {
            ('p', Some('h')) => ("F", 2),
            ('s' | 'c', Some('h')) => ("X", 2),
            ('t', Some('h')) => ("T", 2),
            ('g', Some('h')) if at > start => ("", 2),
            ('c', Some('e' | 'i' | 'y')) => ("S", 1),
            ('x', _) if at > start => ("KS", 1),
            ('a' | 'e' | 'i' | 'o' | 'u' | 'y', _) => (if at == start { "A" } else { "" }, 1),
            ('w', _) if at == start => ("W", 1),
            ('h' | 'w', _) => ("", 1),
            ('b' | 'p', _) => ("P", 1),
            ('f' | 'v', _) => ("F", 1),
            ('d' | 't', _) => ("T", 1),
            ('c' | 'g' | 'k' | 'q', _) => ("K", 1),
            ('s' | 'z' | 'x', _) => ("S", 1),
            ('j', _) => ("J", 1),
            ('l', _) => ("L", 1),
            ('m', _) => ("M", 1),
            ('n', _) => ("N", 1),
            ('r', _) => ("R", 1),
            (other, _) => {
                key.push(other);
                ("", 1)
            }
        };
        if before != Some(code) {
            key.push_str(code);
        }
        before = Some(code).filter(|code| !code.is_empty());
        at += taken;
    }
    key
}

/// A name, or a part of a name, prepared for comparison.
#[derive(Debug, Clone)]
struct Spelling<B> {
    letters: String,
    /// The set of letters in the name, one bit per letter. If the sets of two names differ much, the names need no
    /// closer comparison.
    has: u32,
    sound: String,
    /// The entity that has the name; `None` if several entities have the name.
    bearer: Option<B>,
}

/// Bucket of a name: the first sound and the number of letters.
type Bucket = (char, usize);

/// Index that finds names by approximate spelling and sound. `B` is the type that identifies an entity.
#[derive(Debug, Clone)]
pub struct Spellings<B> {
    buckets: FxHashMap<Bucket, Vec<Spelling<B>>>,
}

/// Distance between two names: the number of different letters, and whether the names sound different.
pub type Distance = (usize, bool);

impl<B: Clone + Ord> Spellings<B> {
    /// Builds the index from names and the entities that have them. Each name is a list of words. The entity `None`
    /// means that several entities have the name.
    pub fn of<'a>(names: impl Iterator<Item = (&'a Vec<String>, Option<&'a B>)>) -> Self
    where
        B: 'a,
    {
        let mut spelt: Vec<(String, Option<&B>)> = names.map(|(words, id)| (letters(words), id)).collect();
        spelt.retain(|(letters, _)| !letters.is_empty());
        spelt.sort_unstable();
        let mut spellings = Self { buckets: FxHashMap::default() };
        for same in spelt.chunk_by(|a, b| a.0 == b.0) {
            let (letters, id) = &same[0];
            let bearer = id.filter(|_| same.iter().all(|(_, other)| other == id)).cloned();
            let spelling = Spelling { has: set_of(letters), sound: sound(letters), bearer, letters: letters.clone() };
            spellings.buckets.entry(bucket(letters, &spelling.sound)).or_default().push(spelling);
        }
        spellings
    }

    /// Finds the name that is most similar to some words of a question. Returns the distance, and the entity that has
    /// the name.
    ///
    /// Returns `None` if no name is similar enough, or if the most similar names belong to several entities.
    pub fn nearest(&self, words: &[String]) -> Option<(Distance, &B)> {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return None };
        if is_stop_word(first) || is_stop_word(last) {
            return None;
        }
        let letters = letters(words);
        let asked = Asked { has: set_of(&letters), length: letters.chars().count(), sound: sound(&letters), letters };
        let common: Vec<String> = words.iter().filter(|word| is_common(word)).map(|word| unaccented(word)).collect();
        // If the question has common words, the name must sound the same or contain all of them. "A harbour match" does
        // not refer to Harbour Watch, but "harbor watch" does. "Grim Jaw" refers to Grimjaw.
        let meant = |name: &Spelling<B>| {
            let holds = |word: &String| name.letters.contains(word.as_str());
            common.is_empty() || (words.len() > 1 && (name.sound == asked.sound || common.iter().all(holds)))
        };
        let (first, length) = bucket(&asked.letters, &asked.sound);
        let mut best: Option<(Distance, Option<&B>)> = None;
        for length in length.saturating_sub(MOST_OFF)..=length + MOST_OFF {
            for name in self.buckets.get(&(first, length)).into_iter().flatten() {
                let Some(distance) = asked.off(name, length).filter(|_| meant(name)) else { continue };
                let bearer = name.bearer.as_ref();
                best = match best {
                    Some((least, before)) if least < distance => Some((least, before)),
                    Some((least, before)) if least == distance => {
                        Some((least, before.filter(|id| Some(*id) == bearer)))
                    }
                    _ => Some((distance, bearer)),
                };
            }
        }
        best.and_then(|(distance, bearer)| Some((distance, bearer?)))
    }
}

/// Maximum number of different letters for any name.
const MOST_OFF: usize = 3;

/// Returns the maximum number of different letters: first for names that sound the same, then for names that sound
/// different.
fn most_off(shorter: usize) -> (usize, usize) {
    match shorter {
        0..=4 => (0, 0),
        5..=6 => (1, 1),
        7..=11 => (2, 1),
        _ => (MOST_OFF, 2),
    }
}

/// Words of a question, prepared for comparison.
struct Asked {
    letters: String,
    has: u32,
    sound: String,
    length: usize,
}

impl Asked {
    /// Returns the distance to a name with `length` letters; `None` if the distance is too large.
    fn off<B>(&self, name: &Spelling<B>, length: usize) -> Option<Distance> {
        if self.letters == name.letters {
            return Some((0, false));
        }
        let (most, otherwise) = most_off(self.length.min(length));
        // One replaced letter changes up to two bits.
        let bits = (self.has ^ name.has).count_ones() as usize;
        if most == 0 || bits > 2 * most || self.length.abs_diff(length) > most {
            return None;
        }
        let alike = self.sound == name.sound;
        let most = if alike { most } else { otherwise };
        let ends_alike = || self.letters.chars().next_back() == name.letters.chars().next_back();
        let is_short = self.length.min(length) < 7;
        let numbered = |letters: &str| letters.contains(char::is_numeric);
        if bits > 2 * most
            || (is_short && !alike && !ends_alike())
            || numbered(&self.letters)
            || numbered(&name.letters)
        {
            return None;
        }
        let distance = strsim::osa_distance(&self.letters, &name.letters);
        (distance <= most).then_some((distance, !alike))
    }
}

fn bucket(letters: &str, sound: &str) -> Bucket {
    (sound.chars().next().unwrap_or_default(), letters.chars().count())
}

/// Returns a set of letters, one bit for each of `a` to `z`. All other letters share the remaining six bits.
fn set_of(letters: &str) -> u32 {
    letters.chars().fold(0, |set, letter| {
        let bit = if letter.is_ascii_lowercase() { letter as u32 - 'a' as u32 } else { 26 + letter as u32 % 6 };
        set | 1 << bit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sounds_alike_has_one_key() {
        let check = |a: &str, b: &str, expected: bool| {
            assert_eq!(sound(a) == sound(b), expected, "{a} {} {b} {}", sound(a), sound(b));
        };
        check("grimjaw", "grimmjow", true);
        check("mirela", "mirella", true);
        check("katarina", "catherina", true);
        check("philippa", "filipa", true);
        check("knox", "nocks", true);
        check("alric", "elrik", true);
        check("lure", "lyra", true);
        check("brandt", "brant", true);
        check("odo", "otto", true);
        check("mirela", "marwen", false);
        check("pell", "tell", false);
    }

    #[test]
    fn common_words_are_known_in_any_inflection() {
        let check = |word: &str, expected: bool| assert_eq!(is_common(word), expected, "{word}");
        check("lures", true);
        check("watching", true);
        check("wells", true);
        check("would", true);
        check("grimjow", false);
        check("mirella", false);
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
