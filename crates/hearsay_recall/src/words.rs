//! Search terms: stemmed words without stop words.

use hearsay_model::{
    spelling::{is_stop_word, remove_accents, stem},
    text,
};

/// Returns the stems of the words of a text, in order, without stop words and accents. Uses Snowball's English stemmer.
/// In scripts without spaces between words, each pair of neighbouring letters is a term.
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
                stems.push(stem(&remove_accents(&run.iter().collect::<String>())));
            }
        }
    }
    stems
}

/// Returns whether a letter belongs to a script without spaces between words: Thai, Lao, Burmese, Khmer, kana and Han.
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
}
