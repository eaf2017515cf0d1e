//! Talk of the people at the table: marks of out-of-character lines, and words about the game.

use hearsay_model::{text, words};

/// Returns whether a line is marked as out of character. The marks are `OOC: brb`, `(ooc) brb`, `[ooc] brb`,
/// `(out of character) brb`, `(ooc: brb)`, `brb (ooc)` and `((brb))`. Upper and lower case are ignored.
pub(crate) fn is_marked_out_of_character(line: &str) -> bool {
    let line = line.trim();
    let is_double_bracketed = |open, close| line.starts_with(open) && line.ends_with(close);
    if is_double_bracketed("((", "))") || is_double_bracketed("[[", "]]") {
        return true;
    }
    let is_mark = |part: &str| words::contains_word(&words::english().out_of_character_marks, &text::normalize(part));
    let ends = [':', ')', ']', '}'];
    let begins_with_mark = match line.strip_prefix(['(', '[', '{']) {
        Some(rest) => rest.split_once(ends).is_some_and(|(mark, _)| is_mark(mark)),
        None => line.split_once(':').is_some_and(|(mark, _)| is_mark(mark)),
    };
    let last_bracket = || line.strip_suffix([')', ']', '}'])?.rsplit_once(['(', '[', '{']);
    begins_with_mark || last_bracket().is_some_and(|(_, mark)| is_mark(mark))
}

/// Returns whether a line contains a phrase with which players talk about the rules or the dice.
pub(crate) fn has_game_phrase(line: &str) -> bool {
    let line: Vec<String> = text::words(line).iter().map(|word| with_number_signs(word)).collect();
    let occurs = |phrase: &String| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        line.windows(phrase.len()).any(|window| window == phrase)
    };
    words::english().game_phrases.iter().any(occurs)
}

/// Returns a word with each number replaced by a `#`: `2d6` becomes `#d#`.
fn with_number_signs(word: &str) -> String {
    let mut replaced = String::with_capacity(word.len());
    for c in word.chars() {
        match c.is_ascii_digit() {
            true if replaced.ends_with('#') => {}
            true => replaced.push('#'),
            false => replaced.push(c),
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_mark_lines_in_several_ways() {
        for line in [
            "(ooc) brb",
            "OOC: brb",
            "ooc : brb",
            "[OOC] brb",
            "((brb, the door))",
            "(Out of character) who wants pizza",
            "(ooc: who wants pizza)",
            "Who wants pizza? (ooc)",
            "  (OOC) ",
        ] {
            assert!(is_marked_out_of_character(line), "{line}");
        }
        for line in [
            "",
            "(",
            "((aside) He lies.",
            "(quietly) Not a word.",
            "Out of character for him, Odo smiles.",
            "Oochie: come here.",
            "The bell rings (twice).",
        ] {
            assert!(!is_marked_out_of_character(line), "{line}");
        }
    }

    #[test]
    fn only_words_that_no_character_says_are_about_the_game() {
        for line in
            ["Can I roll for that?", "2d6+3, so 11", "Does a 17 hit?", "How many hit points do I have?", "Nat 20!"]
        {
            assert!(has_game_phrase(line), "{line}");
        }
        for line in ["", "Roll the barrel over there!", "We play dice at the Gull.", "I owe you 20 crowns.", "Ha!"] {
            assert!(!has_game_phrase(line), "{line}");
        }
    }
}
