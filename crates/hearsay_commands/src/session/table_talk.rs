//! Talk of the people at the table: marks of out-of-character lines, and words about the game.

use hearsay_model::{text, words};

/// Returns whether a line is marked as out of character. The marks are `OOC: brb`, `ooc brb`, `brb ooc`, `(ooc) brb`,
/// `[ooc] brb`, `(out of character) brb`, `(ooc: brb)`, `brb (ooc)` and `((brb))`. Upper and lower case are ignored.
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
    let mut outer_words = line.split_whitespace().next().into_iter().chain(line.split_whitespace().next_back());
    begins_with_mark || last_bracket().is_some_and(|(_, mark)| is_mark(mark)) || outer_words.any(is_mark)
}

/// Characters that end a clause.
const CLAUSE_ENDS: [char; 9] = ['.', '!', '?', ',', ';', ':', '(', ')', '\u{2026}'];

/// Returns whether a line contains a phrase with which players talk about the rules, the dice or the evening.
pub(crate) fn has_game_phrase(line: &str) -> bool {
    let clause_words = |clause: &str| -> Vec<String> {
        let clause_words = text::words(clause);
        clause_words.iter().map(|word| with_number_signs(word)).chain(["$".to_owned()]).collect()
    };
    let clauses: Vec<Vec<String>> = line.split(CLAUSE_ENDS).map(clause_words).collect();
    let occurs = |phrase: &String| {
        // The words of a clause have no ending `'s`.
        let phrase: Vec<&str> = phrase.split(' ').map(|word| word.strip_suffix("'s").unwrap_or(word)).collect();
        clauses.iter().any(|clause| clause.windows(phrase.len()).any(|window| window == phrase))
    };
    words::english().game_phrases.iter().any(occurs)
}

/// Maximum number of words of a line that is only a greeting.
const MAX_GREETING_WORDS: usize = 6;

/// Returns whether a line is only a greeting or a farewell, as in "Good night, then." The line contains no phrase about the
/// game.
pub(crate) fn is_greeting(line: &str) -> bool {
    let line_words = text::words(line);
    let is_opening = |greeting: &String| line_words.starts_with(&text::words(greeting));
    line_words.len() <= MAX_GREETING_WORDS
        && words::english().greetings.iter().any(is_opening)
        && !has_game_phrase(line)
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
            "ooc I need to go at ten",
            "I need to go at ten OOC",
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
        for line in [
            "Can I roll for that?",
            "2d6+3, so 11",
            "Does a 17 hit?",
            "How many hit points do I have?",
            "Nat 20!",
            "ok I'll do an investigation check, natural 20!!",
            "Got a 17.",
            "That's a 9, damn",
            "did we level up",
            "Pizza is here, pause for ten minutes",
            "okay we go to sleep, good session",
            "I grab the rope. does 17 do it?",
            "lol, who brought dip",
            "everybody roll stealth please",
        ] {
            assert!(has_game_phrase(line), "{line}");
        }
        for line in [
            "",
            "Roll the barrel over there!",
            "The dice roll for hours.",
            "We play dice at the Gull.",
            "I owe you 20 crowns.",
            "Does this key do it?",
            "Roll up the strength of an army!",
            "I got a 10 crown fine.",
            "It was a good session of the council.",
            "Ha!",
        ] {
            assert!(!has_game_phrase(line), "{line}");
        }
    }

    #[test]
    fn a_short_line_that_begins_with_a_greeting_is_a_greeting() {
        for line in ["Good evening, ferryman.", "Farewell!", "Well met, cousin, well met."] {
            assert!(is_greeting(line), "{line}");
        }
        for line in
            ["", "Good.", "Goodness, no.", "Good night, guys, good session!", "Welcome to the rules that we use now."]
        {
            assert!(!is_greeting(line), "{line}");
        }
    }
}
