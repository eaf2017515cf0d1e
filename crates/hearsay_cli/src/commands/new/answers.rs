//! Reads the answers to the questions of `new`: free words, as a DM types them.

use hearsay_model::words::{contains_word, english, is_article, is_name_particle, upper_first};

use super::{draft::clean, english::ENGLISH, sentences::sentences};

/// Dashes between a name and the words that describe it.
const DASHES: [&str; 3] = [" - ", " \u{2013} ", " \u{2014} "];

/// Maximum number of words before the verb of an answer that says where the play begins: "The first session begins in
/// …".
const MAX_SUBJECT_WORDS: usize = 3;

/// A name in a list, with the words that describe it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    /// Text in parentheses after the name.
    pub(super) parentheses: Option<String>,
    /// Words after the name.
    pub(super) remark: Option<String>,
}

/// Returns the names in an answer such as "Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks".
///
/// Semicolons separate names. Without a semicolon, commas and `and` separate names, except before words that describe
/// the previous name.
pub(super) fn items(answer: &str) -> Vec<Item> {
    let answer = clean(answer);
    let has_capitals = answer.chars().any(char::is_uppercase);
    let by_semicolon: Vec<&str> =
        split(&answer, ";").into_iter().map(str::trim).filter(|text| !text.is_empty()).collect();
    let mut texts: Vec<String> = Vec::new();
    if by_semicolon.len() > 1 {
        texts.extend(by_semicolon.iter().map(|text| without_and(text).to_owned()));
    } else {
        for piece in split(&answer, ",;").into_iter().flat_map(|piece| split_at_and(piece.trim(), has_capitals)) {
            let piece = without_and(piece.trim());
            match texts.last_mut() {
                _ if piece.is_empty() => {}
                Some(last) if is_remark(piece, has_capitals) => {
                    last.push_str(", ");
                    last.push_str(piece);
                }
                _ => texts.push(piece.to_owned()),
            }
        }
    }
    texts.iter().map(|text| item(text)).collect()
}

/// Splits a name from the words that describe it.
pub(super) fn item(text: &str) -> Item {
    let (mut text, mut item) = (clean(text), Item::default());
    if let Some((before, inner, after)) = parentheses(&text) {
        item.parentheses = Some(inner.trim().to_owned()).filter(|inner| !inner.is_empty());
        text = clean(&format!("{before}{after}"));
    }
    let (name, remark) = match quoted_name(&text) {
        Some((name, rest)) => (name, rest),
        None => split_remark(&text),
    };
    let is_mark = |c: char| matches!(c, ',' | ':' | '-' | '.' | '\u{2013}' | '\u{2014}' | ' ');
    let remark = remark.trim_start_matches(is_mark).trim_end_matches('.').trim();
    item.name = to_name(name);
    item.remark = Some(remark.to_owned()).filter(|remark| !remark.is_empty());
    item
}

/// A player character as the DM describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlayedCharacter {
    pub(super) name: String,
    pub(super) player: Option<String>,
    pub(super) remark: Option<String>,
}

/// Returns the player characters in an answer such as "Wren Oake (Ben), Dorric Stane (Cleo)".
pub(super) fn players(answer: &str) -> Vec<PlayedCharacter> {
    items(answer).into_iter().map(played_character).collect()
}

fn played_character(item: Item) -> PlayedCharacter {
    // "Ben plays Wren Oake"
    if let Some((player, name)) = item.name.split_once(" plays ") {
        let remark = item.remark.or(item.parentheses);
        return PlayedCharacter { name: to_name(name), player: Some(to_name(player)), remark };
    }
    let mut character = PlayedCharacter { name: item.name, ..PlayedCharacter::default() };
    let mut remarks = Vec::new();
    let inner = item.parentheses.unwrap_or_default();
    let (player, rest) = inner.split_once(',').unwrap_or((&inner, ""));
    let player = player.trim();
    let player = player.strip_prefix("played by ").or_else(|| player.strip_prefix("player: ")).unwrap_or(player);
    character.player = Some(player.to_owned()).filter(|player| !player.is_empty());
    remarks.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned));
    // "Wren Oake - Ben - a ranger"
    let remark = item.remark.map(|remark| DASHES.iter().fold(remark, |remark, dash| remark.replace(dash, ", ")));
    for part in remark.iter().flat_map(|remark| split(remark, ",")).map(str::trim) {
        match part.strip_prefix("played by ") {
            Some(player) => character.player = Some(player.trim().to_owned()),
            // "Wren Oake: Ben", or "Ben: Wren Oake": players are named by their first names.
            None if character.player.is_none() && is_name(part) => {
                let word_count = |name: &str| name.split_whitespace().count();
                let is_character = word_count(&character.name) == 1 && word_count(part) > 1;
                let player =
                    if is_character { std::mem::replace(&mut character.name, to_name(part)) } else { part.to_owned() };
                character.player = Some(player);
            }
            None => remarks.push(part.to_owned()),
        }
    }
    character.player = character.player.map(|player| to_name(&player));
    character.remark = Some(remarks.join(", ")).filter(|remark| !remark.is_empty());
    character
}

/// A place as the DM describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) remark: Option<String>,
    /// Larger place in which the place lies.
    pub(super) within: Option<String>,
}

/// Returns the place in an answer such as "the Gilded Gull, an inn in Gullhaven".
pub(super) fn place(answer: &str) -> Place {
    let answer = clean(answer);
    let mut text = answer.trim_end_matches('.');
    // "We begin in the Gilded Gull"
    let after_verb = |verb: &str| {
        let (subject, rest) = text.split_once(&format!(" {verb} "))?;
        (subject.split(' ').count() <= MAX_SUBJECT_WORDS && !subject.contains(',')).then_some(rest)
    };
    let mut verbs = ENGLISH.start_words.iter().chain(&ENGLISH.meeting_verbs);
    let started = verbs.find_map(|verb| without_place_preposition(after_verb(verb)?));
    text = started.or_else(|| without_place_preposition(text)).unwrap_or(text);
    // "an inn called the Gilded Gull in Gullhaven"
    let called = [" called ", " named "].iter().find_map(|word| text.split_once(word));
    let mut item = match called.filter(|(kind, _)| is_remark(kind, true)) {
        Some((kind, name)) => {
            let named = item(name);
            let remark = named.remark.map_or_else(|| kind.to_owned(), |remark| format!("{kind} {remark}"));
            Item { remark: Some(remark), ..named }
        }
        None => item(text),
    };
    if let Some(inner) = item.parentheses.take() {
        item.remark = Some(item.remark.map_or_else(|| inner.clone(), |remark| format!("{inner}, {remark}")));
    }
    let is_other = |name: &String| hearsay_model::slug(name) != hearsay_model::slug(&item.name);
    // "The Gilded Gull, Gullhaven"
    if let Some(within) = item.remark.take_if(|remark| is_name(remark)) {
        return Place { within: Some(to_name(&within)).filter(is_other), name: item.name, remark: None };
    }
    let within = item.remark.as_deref().and_then(surroundings).filter(is_other);
    Place { name: item.name, remark: item.remark, within }
}

/// Returns the words after a preposition of place at the beginning of a text.
fn without_place_preposition(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once(' ')?;
    is_place_preposition(first).then_some(rest)
}

fn is_place_preposition(word: &str) -> bool {
    contains_word(&english().scene_openers, &word.to_lowercase())
}

/// Returns the name of the larger place in a remark such as "an inn in the town of Gullhaven".
fn surroundings(remark: &str) -> Option<String> {
    let words: Vec<&str> = remark.split_whitespace().collect();
    let at = words.iter().rposition(|word| is_place_preposition(word))?;
    let rest = &words[at + 1..];
    let first = rest.iter().position(|word| is_capitalized(word))?;
    let is_introduction = |word: &&str| contains_word(&ENGLISH.place_introductions, word);
    if !rest[..first].iter().all(is_introduction) {
        return None;
    }
    let length = name_length(&rest[first..]);
    let name = rest[first..first + length].join(" ");
    Some(name.trim_end_matches([',', '.', ';', ':']).to_owned()).filter(|name| !name.is_empty())
}

/// A secret as the DM states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedSecret {
    /// The secret as a sentence.
    pub(super) text: String,
    /// The words that name the knowers, in an answer such as "Odo knows that Mirela hid the ledger".
    pub(super) knower: Option<String>,
}

/// Returns the secret in an answer.
pub(super) fn secret(answer: &str) -> StatedSecret {
    let answer = clean(answer);
    let knower_in = |knower: &str| {
        let knower = knower.strip_suffix(" both").unwrap_or(knower);
        (is_name(knower) || !knower.contains(' ')).then(|| knower.to_owned())
    };
    for knows in [" knows that ", " know that ", " knows: ", " know: "] {
        let Some((knower, text)) = answer.split_once(knows) else { continue };
        if let Some(knower) = knower_in(knower) {
            return StatedSecret { text: to_sentence(text), knower: Some(knower) };
        }
    }
    let knower = [" knows ", " know "].iter().find_map(|knows| knower_in(answer.split_once(knows)?.0));
    StatedSecret { text: to_sentence(&answer), knower }
}

/// Returns a sentence that states a remark about an entity, such as "Odo Brandt is a ferryman who drinks."
pub(super) fn describe(name: &str, remark: &str) -> String {
    let (first, rest) = remark.split_once(' ').unwrap_or((remark, ""));
    let sentence = match first {
        "who" | "which" | "that" if !rest.is_empty() => format!("{name} {rest}"),
        "is" | "was" | "has" => format!("{name} {remark}"),
        first if contains_word(&ENGLISH.remark_starts, first) && !["whose", "played", "owner"].contains(&first) => {
            format!("{name} is {remark}")
        }
        _ => format!("{name}: {remark}"),
    };
    to_sentence(&sentence)
}

/// Makes a sentence: a capital letter at the beginning, and a full stop at the end.
fn to_sentence(text: &str) -> String {
    let text = text.trim();
    let mut sentence = upper_first(text);
    if !sentence.ends_with(['.', '!', '?', '"', '\u{201D}', '\u{2026}']) {
        sentence.push('.');
    }
    sentence
}

/// Makes a name of the words of an answer: "the Gilded Gull" becomes "The Gilded Gull", "a ruined mill" becomes "The
/// ruined mill", and "mirela voss" becomes "Mirela Voss".
fn to_name(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':', '!']);
    let is_abbreviation = text.rsplit(' ').next().is_some_and(|word| word.trim_end_matches('.').chars().count() <= 3);
    let text = if is_abbreviation { text } else { text.trim_end_matches('.') };
    if let Some((article, rest)) = text.split_once(' ')
        && is_article(article)
    {
        return format!("The {rest}");
    }
    if text.chars().any(char::is_uppercase) {
        return upper_first(text);
    }
    let words = text.split(' ').enumerate();
    let capitalized = words.map(|(n, word)| match n > 0 && is_name_particle(word) {
        true => word.to_owned(),
        false => upper_first(word),
    });
    capitalized.collect::<Vec<_>>().join(" ")
}

/// Returns whether a part of a list describes the name before it.
fn is_remark(piece: &str, has_capitals: bool) -> bool {
    let first = piece.split(' ').next().unwrap_or_default();
    let is_lowercase = first.chars().next().is_some_and(char::is_lowercase);
    is_lowercase && (has_capitals || contains_word(&ENGLISH.remark_starts, first))
}

/// Returns whether a text consists of words of a name.
pub(super) fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    !words.is_empty() && is_capitalized(words[0]) && name_length(&words) == words.len()
}

/// Returns the number of words, from the first, that form a name.
fn name_length(words: &[&str]) -> usize {
    let mut length = 0;
    for (n, word) in words.iter().enumerate() {
        let ends = |word: &str| word.ends_with([',', ';', ':']);
        if is_capitalized(word) {
            length = n + 1;
            if ends(word) {
                break;
            }
        } else if !is_name_particle(word) {
            break;
        }
    }
    length
}

/// Returns whether a word begins like a name: with a capital letter, a digit, or a letter that has no case.
fn is_capitalized(word: &str) -> bool {
    word.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| !first.is_lowercase())
}

/// Splits a text at separators outside of parentheses and double quotes.
fn split<'a>(text: &'a str, separators: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in outside(text).filter(|(_, c)| separators.contains(*c)) {
        parts.push(&text[start..at]);
        start = at + c.len_utf8();
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the characters outside of parentheses and double quotes, with their positions. A parenthesis or quotation
/// mark without its counterpart is an ordinary character.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let count = |mark: char| text.matches(mark).count();
    let has_parentheses = count('(') == count(')');
    let has_quotes = count('"').is_multiple_of(2);
    let (mut depth, mut is_quoted) = (0_usize, false);
    text.char_indices().filter(move |(_, c)| {
        match c {
            '(' if has_parentheses => depth += 1,
            ')' if has_parentheses => depth = depth.saturating_sub(1),
            '"' if has_quotes => is_quoted = !is_quoted,
            _ => return depth == 0 && !is_quoted,
        }
        false
    })
}

/// Splits a list at `and`, if a name stands before and after it.
fn split_at_and(piece: &str, has_capitals: bool) -> Vec<&str> {
    let outside: Vec<usize> = outside(piece).map(|(at, _)| at).collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, word) in piece.match_indices(" and ").chain(piece.match_indices(" & ")) {
        let (before, after) = (piece.get(start..at).unwrap_or_default(), &piece[at + word.len()..]);
        let last = before.rsplit(' ').next().unwrap_or_default();
        let names_player = before.contains(" plays ") || before.contains(" played by ");
        let is_complete = is_name(before) || names_player || last.ends_with(')') || !is_capitalized(last);
        let begins_name =
            is_capitalized(after) || !has_capitals && !is_remark(after, false) && !is_remark(piece, false);
        if outside.contains(&at) && !before.trim().is_empty() && is_complete && begins_name {
            parts.push(before);
            start = at + word.len();
        }
    }
    parts.push(&piece[start..]);
    parts
}

fn without_and(piece: &str) -> &str {
    ["and ", "& "].iter().find_map(|word| piece.strip_prefix(word)).unwrap_or(piece).trim()
}

/// Splits a text at its first parentheses: the text before, inside and after them.
fn parentheses(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('(')?;
    let (inner, after) = rest.split_once(')')?;
    Some((before, inner, after))
}

/// Splits a text that begins with a whole name in double quotes.
fn quoted_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('"')?.split_once('"')?;
    let ends_name = rest.is_empty() || rest.starts_with([',', ':', '.']) || rest.starts_with(" -");
    (!name.trim().is_empty() && ends_name).then_some((name, rest))
}

/// Splits a name from the words after it: "Odo Brandt, a ferryman", "Odo Brandt: a ferryman", "Odo Brandt. A ferryman.",
/// "Odo Brandt the ferryman".
fn split_remark(text: &str) -> (&str, &str) {
    let comma = outside(text).find(|(_, c)| *c == ',').map(|(at, _)| at);
    let marks = DASHES.iter().chain(&[": "]);
    // A name ends with its sentence.
    let first = sentences(text).first().copied().filter(|first| first.len() < text.len());
    let full_stop = first.and_then(|first| first.strip_suffix('.')).map(str::len);
    let mark = marks.filter_map(|mark| text.find(mark)).chain(comma).chain(full_stop).min();
    let at = match (mark, remark_start(text)) {
        // "Odo Brandt the ferryman, who drinks", but not "The inn by the mill, a ruin".
        (Some(mark), Some(word)) if word < mark && is_name(text[..word].trim()) => Some(word),
        (mark, word) => mark.or(word),
    };
    at.map_or((text, ""), |at| text.split_at(at))
}

/// Returns the position of the first word that begins a remark.
fn remark_start(text: &str) -> Option<usize> {
    let mut at = 0;
    let words: Vec<&str> = text.split(' ').collect();
    for (n, word) in words.iter().enumerate() {
        let next = words.get(n + 1).copied().unwrap_or_default();
        let can_precede_name = is_article(word) || *word == "by";
        if n > 0
            && contains_word(&ENGLISH.remark_starts, word)
            && !next.is_empty()
            && !(can_precede_name && is_capitalized(next))
        {
            return Some(at);
        }
        at += word.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests;
