//! Approximate matching of names by spelling and sound. For example, "Grim Jaw" and "grimjow" match Grimjaw, and
//! "Mirella Vos" matches Mirela Voss.
//!
//! Names are compared by their letters alone, without spaces, quotes and accents. The allowed number of different
//! letters increases with the length of the shorter name. If both names sound the same, one more letter may differ.
//! Names of four letters or fewer must match exactly. The first sound must always match.

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

static STOP_WORD_SET: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
static ENGLISH_STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static COMMON_STEMS: LazyLock<FxHashSet<String>> =
    LazyLock::new(|| COMMON_WORDS.split_whitespace().map(stem).collect());

/// Returns the stem of an English word. For example, the stem of `walking` is `walk`.
pub fn stem(word: &str) -> String {
    ENGLISH_STEMMER.stem(word).into_owned()
}

/// Returns whether a lowercase word is a stop word, such as "the" or "who". Stop words carry no content.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORD_SET.contains(word)
}

/// Returns a lowercase word without accents: `müller` becomes `muller`. Letters of other scripts remain unchanged.
pub fn remove_accents(word: &str) -> String {
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
pub fn is_common_word(word: &str) -> bool {
    is_stop_word(word) || COMMON_STEMS.contains(&stem(word))
}

/// Joins words into one text that contains only their letters and digits, without accents.
pub fn letters(words: &[String]) -> String {
    let mut letters = words.iter().map(|word| remove_accents(word)).collect::<String>();
    letters.retain(char::is_alphanumeric);
    letters
}

/// Returns the phonetic key of a sequence of letters. Each consonant adds a code to the key, and similar consonants add
/// the same code. A vowel at the start adds `A`. Other vowels add no code.
pub fn phonetic_key(letters: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let mut key = String::new();
    let mut at = match letters[..] {
        ['k' | 'g', 'n', ..] | ['w', 'r', ..] | ['p', 's', ..] => 1,
        _ => 0,
    };
    let start = at;
    let mut previous_code = None;
    while at < letters.len() {
        let next = letters.get(at + 1).copied();
        let (code, length) = match (letters[at], next) {
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
        if previous_code != Some(code) {
            key.push_str(code);
        }
        previous_code = Some(code).filter(|code| !code.is_empty());
        at += length;
    }
    key
}

/// Minimum number of letters of a name that a user may misspell.
const MIN_MISSPELLED_LETTERS: usize = 3;

/// Returns whether words are probably a misspelling of a name, because at most one letter differs, or two letters of a
/// name with at least seven letters, or because only doubled letters and the spelling of the last sound differ, as in
/// `Hety` for `Hettie`. The first sound must match. Use this function only to ask the user, because a short word can be
/// similar to a name by accident.
pub fn is_misspelling(written: &[String], name: &[String]) -> bool {
    let (written, name) = (letters(written), letters(name));
    let shorter = written.chars().count().min(name.chars().count());
    let max_distance = if shorter < 7 { 1 } else { 2 };
    shorter >= MIN_MISSPELLED_LETTERS
        && phonetic_key(&written).chars().next() == phonetic_key(&name).chars().next()
        && (strsim::osa_distance(&written, &name) <= max_distance || simple_form(&written) == simple_form(&name))
}

/// Returns a name without doubled letters, and with one spelling of the last sound of `Hetty`, `Hettie` and `Hettey`.
fn simple_form(letters: &str) -> String {
    let mut form: Vec<char> = letters.chars().collect();
    form.dedup();
    let form: String = form.into_iter().collect();
    let stem = ["ie", "ey", "y"].into_iter().find_map(|ending| form.strip_suffix(ending));
    stem.map_or_else(|| form.clone(), |stem| format!("{stem}i"))
}

/// Returns whether words are perhaps a misspelling of a name: at most two letters differ in a name of five or six letters,
/// and the first letter matches. Use this function only to ask the user, and only if [`is_misspelling`] finds no name.
pub fn is_loose_misspelling(written: &[String], name: &[String]) -> bool {
    let (written, name) = (letters(written), letters(name));
    let shorter = written.chars().count().min(name.chars().count());
    (5..=6).contains(&shorter)
        && written.chars().next() == name.chars().next()
        && strsim::osa_distance(&written, &name) <= 2
}

/// Minimum similarity (Jaro–Winkler) of a name that a user probably meant.
const MIN_NAME_SIMILARITY: f64 = 0.78;

/// Returns the candidate whose name is most similar to a written name; `None` if no name is similar enough. `name_of`
/// returns the name of a candidate.
pub fn nearest_name<'a, T: Copy>(
    written: &str,
    candidates: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> &'a str,
) -> Option<T> {
    let lower = written.to_lowercase();
    let score = |candidate: T| strsim::jaro_winkler(&lower, &name_of(candidate).to_lowercase());
    let scored = candidates.into_iter().map(|candidate| (score(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| name_of(b.1).cmp(name_of(a.1))));
    best.filter(|(score, _)| *score >= MIN_NAME_SIMILARITY).map(|(_, candidate)| candidate)
}

/// A name, or a part of a name, prepared for comparison.
#[derive(Debug, Clone)]
struct Spelling<E> {
    letters: String,
    /// The set of letters in the name, one bit per letter. If the sets of two names differ in many letters, the names
    /// are too different, and the slow comparison is skipped.
    letter_set: u32,
    sound: String,
    /// The entity that has the name; `None` if several entities have the name.
    entity: Option<E>,
}

/// Bucket of a name: the first sound and the number of letters.
type Bucket = (char, usize);

/// Index that finds names by approximate spelling and sound. `E` is the type that identifies an entity.
#[derive(Debug, Clone)]
pub struct SpellingIndex<E> {
    buckets: FxHashMap<Bucket, Vec<Spelling<E>>>,
}

/// Distance between two names: the number of different letters, and whether the names sound different.
pub type NameDistance = (usize, bool);

impl<E: Clone + Ord> SpellingIndex<E> {
    /// Builds the index from pairs. Each pair contains a name, as a list of words, and the entity that has the name. If
    /// several entities have the name, the pair contains `None` instead of an entity.
    pub fn from_names<'a>(names: impl Iterator<Item = (&'a Vec<String>, Option<&'a E>)>) -> Self
    where
        E: 'a,
    {
        let mut entries: Vec<(String, Option<&E>)> = names.map(|(words, id)| (letters(words), id)).collect();
        entries.retain(|(letters, _)| !letters.is_empty());
        entries.sort_unstable();
        let mut spellings = Self { buckets: FxHashMap::default() };
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let (letters, id) = &same[0];
            let entity = id.filter(|_| same.iter().all(|(_, other)| other == id)).cloned();
            let spelling = Spelling {
                letter_set: letter_set(letters),
                sound: phonetic_key(letters),
                entity,
                letters: letters.clone(),
            };
            spellings.buckets.entry(bucket(letters, &spelling.sound)).or_default().push(spelling);
        }
        spellings
    }

    /// Finds the name that is most similar to these words. Returns the distance between the words and the name, and the
    /// entity that has the name.
    ///
    /// Returns `None` if no name is similar enough, or if the most similar names belong to several entities.
    pub fn nearest(&self, words: &[String]) -> Option<(NameDistance, &E)> {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return None };
        if is_stop_word(first) || is_stop_word(last) {
            return None;
        }
        let letters = letters(words);
        let query = PreparedQuery {
            letter_set: letter_set(&letters),
            length: letters.chars().count(),
            sound: phonetic_key(&letters),
            letters,
        };
        let common: Vec<String> =
            words.iter().filter(|word| is_common_word(word)).map(|word| remove_accents(word)).collect();
        // If the question has common words, the name must sound the same or contain all of them. "A harbour match" does
        // not refer to Harbour Watch, but "harbor watch" does. "Grim Jaw" refers to Grimjaw.
        let is_candidate = |name: &Spelling<E>| {
            let contains = |word: &String| name.letters.contains(word.as_str());
            common.is_empty() || (words.len() > 1 && (name.sound == query.sound || common.iter().all(contains)))
        };
        let (first, length) = bucket(&query.letters, &query.sound);
        let mut best: Option<(NameDistance, Option<&E>)> = None;
        for length in length.saturating_sub(MAX_DISTANCE)..=length + MAX_DISTANCE {
            for name in self.buckets.get(&(first, length)).into_iter().flatten() {
                let Some(distance) = query.distance(name, length).filter(|_| is_candidate(name)) else { continue };
                let entity = name.entity.as_ref();
                best = match best {
                    Some((least, nearest)) if least < distance => Some((least, nearest)),
                    Some((least, nearest)) if least == distance => {
                        Some((least, nearest.filter(|id| Some(*id) == entity)))
                    }
                    _ => Some((distance, entity)),
                };
            }
        }
        best.and_then(|(distance, entity)| Some((distance, entity?)))
    }
}

/// Maximum number of different letters for any name.
const MAX_DISTANCE: usize = 3;

/// Returns the maximum number of different letters: first for names that sound the same, then for names that sound
/// different.
fn max_distances(shorter: usize) -> (usize, usize) {
    match shorter {
        0..=4 => (0, 0),
        5..=6 => (1, 1),
        7..=11 => (2, 1),
        _ => (MAX_DISTANCE, 2),
    }
}

/// Words of a question, prepared for comparison.
struct PreparedQuery {
    letters: String,
    letter_set: u32,
    sound: String,
    length: usize,
}

impl PreparedQuery {
    /// Returns the distance to a name with `length` letters; `None` if the distance is too large.
    fn distance<E>(&self, name: &Spelling<E>, length: usize) -> Option<NameDistance> {
        if self.letters == name.letters {
            return Some((0, false));
        }
        let (max_if_alike, max_otherwise) = max_distances(self.length.min(length));
        // One replaced letter changes up to two bits.
        let bits = (self.letter_set ^ name.letter_set).count_ones() as usize;
        if max_if_alike == 0 || bits > 2 * max_if_alike || self.length.abs_diff(length) > max_if_alike {
            return None;
        }
        let sounds_alike = self.sound == name.sound;
        let max = if sounds_alike { max_if_alike } else { max_otherwise };
        let has_same_end = || self.letters.chars().next_back() == name.letters.chars().next_back();
        let is_short = self.length.min(length) < 7;
        let has_digit = |letters: &str| letters.contains(char::is_numeric);
        if bits > 2 * max
            || (is_short && !sounds_alike && !has_same_end())
            || has_digit(&self.letters)
            || has_digit(&name.letters)
        {
            return None;
        }
        let distance = strsim::osa_distance(&self.letters, &name.letters);
        (distance <= max).then_some((distance, !sounds_alike))
    }
}

fn bucket(letters: &str, sound: &str) -> Bucket {
    (sound.chars().next().unwrap_or_default(), letters.chars().count())
}

/// Returns a set of letters, one bit for each of `a` to `z`. All other letters share the remaining six bits.
fn letter_set(letters: &str) -> u32 {
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
            assert_eq!(phonetic_key(a) == phonetic_key(b), expected, "{a} {} {b} {}", phonetic_key(a), phonetic_key(b));
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
    fn a_misspelled_name_differs_in_one_or_two_letters() {
        let check = |written: &str, name: &str, expected: bool| {
            assert_eq!(is_misspelling(&[written.to_owned()], &[name.to_owned()]), expected, "{written} {name}");
        };
        for (written, name) in [("hana", "hanna"), ("korbim", "korbin"), ("tomy", "tomi"), ("ludho", "ludo")] {
            check(written, name, true);
        }
        check("hety", "hettie", true);
        check("hety", "hester", false);
        check("corbim", "korbin", false);
        check("rosalindd", "rosalynd", true);
        check("bob", "bo", false);
        check("rain", "odo", false);
        check("nina", "tina", false);
    }

    #[test]
    fn common_words_are_known_in_any_inflection() {
        let check = |word: &str, expected: bool| assert_eq!(is_common_word(word), expected, "{word}");
        check("lures", true);
        check("watching", true);
        check("wells", true);
        check("would", true);
        check("grimjow", false);
        check("mirella", false);
    }

    #[test]
    fn accents_are_taken_off_latin_letters_alone() {
        let check = |word: &str, expected: &str| assert_eq!(remove_accents(word), expected);
        check("müller", "muller");
        check("æthelstraß", "aethelstrass");
        check("łódź", "lodz");
        check("андрей", "андрей");
        check("が", "が");
    }
}
