//! Titles with several names: `Selene "Nightshade" (Sylvaine Willowbrook) ☠️`.

use hearsay_model::{Kind, words::is_name_particle};

use crate::import::{english::ENGLISH, lexicon, markup, secret};

/// The names, kind and state in a title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TitleParts {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) state: Option<&'static str>,
    pub(super) kind: Option<Kind>,
    pub(super) secret: bool,
}

/// Maximum length of a title to parse, in bytes. A longer title is a single name.
const MAX_TITLE_BYTES: usize = 1_000;

/// Parses a title.
///
/// - A nickname in quotes is an alias: `Terrak "Earth Shaker"`.
/// - Text in parentheses is an alias if it looks like a name. Text in parentheses that names a state (`(deceased)`) or
///   a kind (`(city)`) is the state or kind of the entity. Other text in parentheses is dropped.
/// - A skull means that the entity is dead.
pub(super) fn parse_title(title: &str) -> TitleParts {
    if title.len() > MAX_TITLE_BYTES {
        let name = markup::without_secrets(title).trim().to_owned();
        return TitleParts { name, secret: secret::is_secret(title), ..TitleParts::default() };
    }
    let mut title_parts = TitleParts { secret: secret::is_secret(title), ..TitleParts::default() };
    if title.contains(['\u{2620}', '\u{1F480}', '\u{271D}', '\u{2020}', '\u{26B0}', '\u{1FAA6}']) {
        title_parts.state = Some("dead");
    }
    let is_struck_out = title.contains("~~");
    let plain: String =
        markup::without_secrets(title).replace("~~", "").chars().filter(|c| !is_decoration(*c)).collect();
    let mut name = plain.trim().to_owned();
    while let Some((before, inner, after)) = split_enclosed(&name, '(', ')') {
        add_remark(&inner, &mut title_parts);
        name = format!("{before} {after}");
    }
    let straight_quoted: String =
        name.chars().map(|c| if matches!(c, '\u{201C}' | '\u{201D}') { '"' } else { c }).collect();
    name = straight_quoted;
    while let Some((before, inner, after)) = split_enclosed(&name, '"', '"') {
        // A title that consists only of a quotation is the name itself.
        if before.trim().is_empty() && after.trim().is_empty() {
            name = inner;
            break;
        }
        add_alias(&mut title_parts.aliases, &inner);
        name = format!("{before} {after}");
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    title_parts.name = words.join(" ").trim_matches([',', '-', ':', '\u{2013}', '\u{2014}', ' ', '*', '_']).to_owned();
    if title_parts.name.is_empty() {
        title_parts.name = markup::without_secrets(title).trim().to_owned();
    }
    let name = title_parts.name.clone();
    title_parts.aliases.retain(|alias| *alias != name);
    if is_struck_out && title_parts.state.is_none() {
        title_parts.state = Some("dead");
    }
    title_parts
}

fn add_alias(aliases: &mut Vec<String>, alias: &str) {
    let alias = alias.trim().trim_matches([',', '.']).trim();
    if !alias.is_empty() && !aliases.iter().any(|existing| existing == alias) {
        aliases.push(alias.to_owned());
    }
}

/// Adds the alias, state or kind that the text in parentheses states.
fn add_remark(inner: &str, title_parts: &mut TitleParts) {
    let inner = inner.trim();
    let lower = inner.to_lowercase();
    for start in &ENGLISH.words.names.alias_openers {
        if lower.starts_with(start.as_str())
            && let Some(rest) = inner.get(start.len()..)
        {
            return add_alias(&mut title_parts.aliases, rest.trim_matches(['"', '\u{201C}', '\u{201D}']));
        }
    }
    if let Some(state) = lexicon::state(inner).filter(|_| inner.split_whitespace().count() <= 3) {
        title_parts.state = title_parts.state.or(Some(state));
    } else if let Some(kind) = lexicon::kind(inner).filter(|_| inner.split_whitespace().count() <= 2) {
        title_parts.kind = Some(kind);
    } else if is_name(inner) {
        add_alias(&mut title_parts.aliases, inner);
    }
}

/// Returns whether a text looks like a name: at most four words, all capitalized except for short words.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let names = &ENGLISH.words.names;
    let is_capitalized = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let is_acronym = text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) && text.len() <= 4;
    !words.is_empty()
        && words.len() <= 4
        && !is_acronym
        && is_capitalized(words[0])
        && words.iter().all(|word| is_capitalized(word) || is_name_particle(word))
        && !text.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '/' | '+' | '=' | ';'))
        && !secret::is_secret(text)
        && !words.iter().any(|word| lexicon::is_known(word) || names.remarks.contains(*word))
}

/// Finds the first text between two characters. Returns the text before, between and after them.
fn split_enclosed(text: &str, open: char, close: char) -> Option<(String, String, String)> {
    let start = text.find(open)?;
    let rest = &text[start + open.len_utf8()..];
    let end = rest.find(close)?;
    let after = &rest[end + close.len_utf8()..];
    Some((text[..start].to_owned(), rest[..end].to_owned(), after.to_owned()))
}

/// Returns whether a character is an emoji or one of its modifiers.
fn is_decoration(c: char) -> bool {
    matches!(u32::from(c), 0x2190..=0x21FF | 0x2300..=0x23FF | 0x2500..=0x27BF | 0x2B00..=0x2BFF | 0x1F000..=0x1FAFF | 0xFE00..=0xFE0F | 0x200D)
        || matches!(c, '\u{2020}' | '\u{2021}' | '*')
}

#[cfg(test)]
mod tests {
    use super::parse_title;

    #[test]
    fn one_title_may_hold_several_names() {
        let check = |title: &str, name: &str, aliases: &[&str], state: Option<&str>| {
            let title_parts = parse_title(title);
            assert_eq!((title_parts.name.as_str(), title_parts.state), (name, state), "{title}");
            assert_eq!(title_parts.aliases, aliases, "{title}");
        };
        check("Ottla \"Crow\" (Ottla Renn)", "Ottla", &["Ottla Renn", "Crow"], None);
        check("Old Brannick \u{2620}\u{FE0F}", "Old Brannick", &[], Some("dead"));
        check("Hask \u{201C}Two Keys\u{201D} Merrow", "Hask Merrow", &["Two Keys"], None);
        check("Mill Ford (town)", "Mill Ford", &[], None);
        check("Jory Tan (deceased)", "Jory Tan", &[], Some("dead"));
        check("The Ledger (copied twice)", "The Ledger", &[], None);
        check("Kessa (Marit van der Hulst)", "Kessa", &["Marit van der Hulst"], None);
        check("Wenna (aka the Heron)", "Wenna", &["the Heron"], None);
    }
}
