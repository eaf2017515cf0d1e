//! Changes of the words of a statement: a lost detail, an exaggerated number, a dropped hedge, another name.

use hearsay_model::words;

/// Words that can begin a detail at the end of a statement: a place, a time, or a subordinate clause.
const DETAIL_OPENERS: [&str; 24] = [
    "after", "against", "although", "around", "at", "because", "before", "behind", "beneath", "beside", "during", "in",
    "inside", "near", "on", "outside", "since", "though", "through", "under", "until", "when", "where", "while",
];

/// Words after which a statement cannot end.
const OPEN_ENDED_WORDS: [&str; 48] = [
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "believes", "but", "by", "can", "depends", "for",
    "from", "had", "has", "have", "if", "in", "insists", "into", "is", "its", "lies", "lives", "looks", "may", "might",
    "must", "not", "of", "on", "or", "relies", "sits", "stands", "stays", "than", "that", "the", "their", "to", "was",
    "were", "who", "with",
];

/// Minimum number of remaining words of a statement that loses a detail.
const MIN_REMAINING_WORDS: usize = 3;

/// Words of a hedge that can be removed without any other change. Each ends with a space.
const HEDGES: [&str; 18] = [
    "it is said that ",
    "it is rumoured that ",
    "it is rumored that ",
    "it is believed that ",
    "rumour has it that ",
    "rumor has it that ",
    "they say that ",
    "they say ",
    "people say that ",
    "people say ",
    "perhaps ",
    "maybe ",
    "possibly ",
    "probably ",
    "supposedly ",
    "allegedly ",
    "reportedly ",
    "apparently ",
];

/// Hedged verbs, with the verbs for a subject in the singular and in the plural.
const HEDGED_VERBS: [(&str, &str, &str); 8] = [
    ("may have", "has", "have"),
    ("might have", "has", "have"),
    ("could have", "has", "have"),
    ("may be", "is", "are"),
    ("might be", "is", "are"),
    ("could be", "is", "are"),
    ("seems to have", "has", "have"),
    ("seems to be", "is", "are"),
];

/// The numbers from two to twelve as words.
const NUMBER_WORDS: [&str; 11] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Words after which a number is a date, a time or a position, and not an amount.
const WORDS_BEFORE_DATES: [&str; 15] = [
    "at", "before", "after", "by", "chapter", "day", "in", "level", "number", "of", "page", "room", "since", "until",
    "year",
];

/// A statement that lost a detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shortened {
    /// The remaining statement.
    pub(super) statement: String,
    /// The words that the statement lost.
    pub(super) lost: String,
}

/// Removes the last detail of a statement, such as "at the chapel on Marketday". Returns `None` if the statement ends
/// with no such detail. `is_detail` decides whether some words at the end may be lost.
pub(super) fn lose_detail(statement: &str, is_detail: impl Fn(&str) -> bool) -> Option<Shortened> {
    let (body, end) = split_end(statement);
    if body.contains(['"', '\u{201C}', '\u{201D}']) {
        return None;
    }
    let tokens = tokens(body);
    for index in (MIN_REMAINING_WORDS..tokens.len()).rev() {
        let (start, token) = tokens[index];
        let is_relative_clause = ["which", "who"].contains(&token) && body[..start].trim_end().ends_with(',');
        if !DETAIL_OPENERS.contains(&token) && !is_relative_clause {
            continue;
        }
        let remaining = body[..start].trim_end().trim_end_matches([',', ';', ':', '\u{2013}', '\u{2014}']).trim_end();
        let last = remaining.rsplit(' ').next().unwrap_or_default().to_lowercase();
        // Two openers in a row form one detail: "in front of", "from under".
        let can_end = !OPEN_ENDED_WORDS.contains(&last.as_str()) && !DETAIL_OPENERS.contains(&last.as_str());
        let lost = &body[start..];
        if can_end && tokens.len() - index >= 2 && is_detail(lost) {
            return Some(Shortened { statement: format!("{remaining}{end}"), lost: lost.to_owned() });
        }
    }
    None
}

/// Removes the hedges of a statement. Returns `None` if the statement contains no hedge.
pub(super) fn gain_certainty(statement: &str) -> Option<String> {
    let mut text = statement.to_owned();
    let mut changed = false;
    for hedge in HEDGES {
        while let Some(at) = find_word(&text, hedge.trim_end()) {
            let end = at + hedge.trim_end().len();
            let rest = text[end..].trim_start_matches([',', ' ']).to_owned();
            if rest.trim_matches(|c: char| !c.is_alphanumeric()).is_empty() {
                break;
            }
            text = format!("{}{rest}", &text[..at]);
            changed = true;
        }
    }
    for (hedged, singular, plural) in HEDGED_VERBS {
        if let Some(at) = find_word(&text, hedged) {
            let subject = text[..at].trim_end().rsplit(' ').next().unwrap_or_default();
            let is_name = subject.starts_with(char::is_uppercase);
            let subject = subject.to_lowercase();
            let is_plural = ["they", "we", "you", "i"].contains(&subject.as_str())
                || (!is_name && subject.ends_with('s') && !subject.ends_with("ss"));
            let verb = if is_plural { plural } else { singular };
            text = format!("{}{verb}{}", &text[..at], &text[at + hedged.len()..]);
            changed = true;
        }
    }
    let text = words::upper_first(text.trim());
    (changed && text != statement).then_some(text)
}

/// Returns a greater, round number: 1.5 to 3 times the given number, rounded. `draw` is a random number from 0 to 1.
/// Returns `None` for a number below 2.
pub(super) fn exaggerate(number: f64, draw: f64) -> Option<f64> {
    if !(2.0..1e12).contains(&number) {
        return None;
    }
    let greater = number * (1.5 + 1.5 * draw);
    let step = match greater {
        ..12.0 => 1.0,
        ..100.0 => 5.0,
        _ => 10_f64.powf(greater.log10().floor()) / 10.0,
    };
    let rounded = (greater / step).round() * step;
    Some(if rounded > number { rounded } else { rounded + step })
}

/// Exaggerates the first amount in a statement: a number in digits, or a word from "two" to "twelve". Returns `None` if
/// the statement contains no amount.
pub(super) fn exaggerate_statement(statement: &str, draw: f64) -> Option<String> {
    let tokens = tokens(statement);
    for (index, (start, token)) in tokens.iter().enumerate() {
        let lower = token.to_lowercase();
        let word_value = NUMBER_WORDS.iter().position(|word| *word == lower).map(|index| index as f64 + 2.0);
        let is_digits = token.chars().all(|c| c.is_ascii_digit() || c == ',') && token.ends_with(char::is_numeric);
        let digits = || token.replace(',', "").parse::<f64>().ok().filter(|_| is_digits);
        let Some(value) = word_value.or_else(digits) else { continue };
        let previous = index.checked_sub(1).map(|previous| tokens[previous].1.to_lowercase());
        let next = tokens.get(index + 1).map(|(_, next)| *next);
        let is_date = previous.is_some_and(|previous| WORDS_BEFORE_DATES.contains(&previous.as_str()))
            || next.is_some_and(|next| next.starts_with(char::is_uppercase));
        let Some(greater) = exaggerate(value, draw).filter(|_| !is_date) else { continue };
        let mut replacement = match word_value {
            Some(_) => number_words(greater),
            None => format!("{greater}"),
        };
        if token.starts_with(char::is_uppercase) {
            replacement = words::upper_first(&replacement);
        }
        return Some(format!("{}{replacement}{}", &statement[..*start], &statement[start + token.len()..]));
    }
    None
}

/// Replaces a number in a statement by another number. Returns `None` if the statement does not contain the number.
pub(super) fn replace_number(statement: &str, number: f64, other: f64) -> Option<String> {
    replace_name(statement, &format!("{number}"), &format!("{other}"))
}

/// Returns a round number as words, if it is at most a hundred.
fn number_words(number: f64) -> String {
    let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let number = number.round() as u64;
    match number {
        2..=12 => NUMBER_WORDS[number as usize - 2].to_owned(),
        15 => "fifteen".to_owned(),
        20..=99 if number.is_multiple_of(10) => tens[number as usize / 10 - 2].to_owned(),
        20..=99 if number % 10 == 5 => format!("{}-five", tens[number as usize / 10 - 2]),
        _ => number.to_string(),
    }
}

/// Replaces every occurrence of a name in a text by another name. Only whole words count. Returns `None` if the text
/// does not contain the name.
pub(super) fn replace_name(text: &str, name: &str, other: &str) -> Option<String> {
    let (mut replaced, mut rest, mut changed) = (String::new(), text, false);
    while let Some(at) = find_exact_word(rest, name) {
        replaced.push_str(&rest[..at]);
        replaced.push_str(other);
        rest = &rest[at + name.len()..];
        changed = true;
    }
    replaced.push_str(rest);
    (changed && !name.is_empty()).then_some(replaced)
}

/// Returns whether a text contains a name as whole words.
pub(super) fn contains_name(text: &str, name: &str) -> bool {
    find_exact_word(text, name).is_some()
}

/// Returns the position of a name in a text. Only whole words count.
fn find_exact_word(text: &str, name: &str) -> Option<usize> {
    let is_whole = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        is_outside(before) && is_outside(after)
    };
    if name.is_empty() {
        return None;
    }
    text.match_indices(name).map(|(at, _)| at).find(is_whole)
}

/// Returns the position of lowercase words in a text, in lowercase or with a capital letter at the start.
fn find_word(text: &str, words: &str) -> Option<usize> {
    find_exact_word(text, words).or_else(|| find_exact_word(text, &words::upper_first(words)))
}

/// Splits the closing punctuation off a statement.
fn split_end(statement: &str) -> (&str, &str) {
    let body = statement.trim_end_matches(['.', '!', '?', ' ']);
    (body, &statement[body.len()..])
}

/// Returns the words of a text, each with its position. A word contains no punctuation at its start and end.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let trimmed = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let offset = word.len() - trimmed.len();
        let trimmed = trimmed.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !trimmed.is_empty() {
            tokens.push((start + offset, trimmed));
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_loses_its_last_detail() {
        let check = |statement: &str, expected: Option<&str>| {
            let shortened = lose_detail(statement, |_| true).map(|shortened| shortened.statement);
            assert_eq!(shortened.as_deref(), expected, "{statement}");
        };
        check("Odo met a stranger at the chapel on Marketday.", Some("Odo met a stranger at the chapel."));
        check("Odo met a stranger at the chapel.", Some("Odo met a stranger."));
        check("The mill of Ashby burned down, because the miller was drunk.", Some("The mill of Ashby burned down."));
        check("Mira sold the ring, which was cursed!", Some("Mira sold the ring!"));
        check("Mira is at the chapel.", None);
        check("The king relies on Bel.", None);
        check("The mill burned down.", None);
        check("Odo said \u{201C}meet me at noon\u{201D}.", None);
        assert_eq!(lose_detail("Odo met a stranger at the chapel.", |lost| !lost.contains("chapel")), None);
    }

    #[test]
    fn hedges_are_dropped() {
        let check = |statement: &str, expected: Option<&str>| {
            assert_eq!(gain_certainty(statement).as_deref(), expected, "{statement}");
        };
        check("Perhaps Odo stole the ring.", Some("Odo stole the ring."));
        check("They say that the mill is haunted.", Some("The mill is haunted."));
        check("Odo may have stolen the ring.", Some("Odo has stolen the ring."));
        check("The wolves might be hungry.", Some("The wolves are hungry."));
        check("Moss may be ill.", Some("Moss is ill."));
        check("It is said that Odo perhaps lied.", Some("Odo lied."));
        check("Odo lied.", None);
        check("Perhaps.", None);
    }

    #[test]
    fn amounts_grow_and_dates_stay() {
        let check = |statement: &str, draw: f64, expected: Option<&str>| {
            assert_eq!(exaggerate_statement(statement, draw).as_deref(), expected, "{statement}");
        };
        check("Three wolves came.", 0.3, Some("Six wolves came."));
        check("Odo owes Mira 20 gold.", 0.5, Some("Odo owes Mira 45 gold."));
        check("Twelve men died.", 0.99, Some("Thirty-five men died."));
        check("The tower fell in 412.", 0.5, None);
        check("It happened on 3 Rainmoon.", 0.5, None);
        check("The 1,000 men left.", 0.0, Some("The 1500 men left."));
        check("One man died.", 0.5, None);
        for (number, draw) in (2..2_000).flat_map(|number| [0.0, 0.4, 0.999].map(|draw| (f64::from(number), draw))) {
            let greater = exaggerate(number, draw).unwrap();
            assert!(greater > number && greater <= 3.4 * number + 1.0, "{number} {draw} {greater}");
        }
    }

    #[test]
    fn names_are_replaced_as_whole_words() {
        assert_eq!(replace_name("Art started Art's art.", "Art", "Bo").as_deref(), Some("Bo started Bo's art."));
        assert_eq!(replace_name("The start", "art", "x"), None);
        assert_eq!(replace_name("anything", "", "x"), None);
    }
}
