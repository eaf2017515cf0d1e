//! Titles with several names: `Selene "Nightshade" (Sylvaine Willowbrook) ☠️`.

use hearsay_model::Kind;

use crate::import::{english::ENGLISH, lexicon, markup, secret};

/// The names, kind and state in a title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Identity {
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
/// - Text in parentheses is an alias if it looks like a name. If it is a state (`(deceased)`) or a kind (`(city)`), it
///   is the state or kind of the entity. Other text in parentheses is dropped.
/// - A skull means that the entity is dead.
pub(super) fn of(title: &str) -> Identity {
    if title.len() > MAX_TITLE_BYTES {
        let name = markup::without_secrets(title).trim().to_owned();
        return Identity { name, secret: secret::is_secret(title), ..Identity::default() };
    }
    let mut identity = Identity { secret: secret::is_secret(title), ..Identity::default() };
    if title.contains(['\u{2620}', '\u{1F480}', '\u{271D}', '\u{2020}', '\u{26B0}', '\u{1FAA6}']) {
        identity.state = Some("dead");
    }
    let struck = title.contains("~~");
    let plain: String =
        markup::without_secrets(title).replace("~~", "").chars().filter(|c| !is_decoration(*c)).collect();
    let mut name = plain.trim().to_owned();
    while let Some((before, inner, after)) = enclosed(&name, '(', ')') {
        remark(&inner, &mut identity);
        name = format!("{before} {after}");
    }
    let straight: String = name.chars().map(|c| if matches!(c, '\u{201C}' | '\u{201D}') { '"' } else { c }).collect();
    name = straight;
    while let Some((before, inner, after)) = enclosed(&name, '"', '"') {
        // A title that consists only of a quotation is the name itself.
        if before.trim().is_empty() && after.trim().is_empty() {
            name = inner;
            break;
        }
        push(&mut identity.aliases, &inner);
        name = format!("{before} {after}");
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    identity.name = words.join(" ").trim_matches([',', '-', ':', '\u{2013}', '\u{2014}', ' ', '*', '_']).to_owned();
    if identity.name.is_empty() {
        identity.name = markup::without_secrets(title).trim().to_owned();
    }
    let name = identity.name.clone();
    identity.aliases.retain(|alias| *alias != name);
    if struck && identity.state.is_none() {
        identity.state = Some("dead");
    }
    identity
}

fn push(aliases: &mut Vec<String>, alias: &str) {
    let alias = alias.trim().trim_matches([',', '.']).trim();
    if !alias.is_empty() && !aliases.iter().any(|held| held == alias) {
        aliases.push(alias.to_owned());
    }
}

/// Adds the alias, state or kind that the text in parentheses states.
fn remark(inner: &str, identity: &mut Identity) {
    let inner = inner.trim();
    let lower = inner.to_lowercase();
    for start in &ENGLISH.words.names.alias_openers {
        if lower.starts_with(start.as_str())
            && let Some(rest) = inner.get(start.len()..)
        {
            return push(&mut identity.aliases, rest.trim_matches(['"', '\u{201C}', '\u{201D}']));
        }
    }
    if let Some(state) = lexicon::state(inner).filter(|_| inner.split_whitespace().count() <= 3) {
        identity.state = identity.state.or(Some(state));
    } else if let Some(kind) = lexicon::kind(inner).filter(|_| inner.split_whitespace().count() <= 2) {
        identity.kind = Some(kind);
    } else if is_name(inner) {
        push(&mut identity.aliases, inner);
    }
}

/// Returns whether a text looks like a name: at most four words, all capitalized except for short words.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let names = &ENGLISH.words.names;
    let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let shouted = text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) && text.len() <= 4;
    !words.is_empty()
        && words.len() <= 4
        && !shouted
        && capital(words[0])
        && words.iter().all(|word| capital(word) || names.particles.contains(*word))
        && !text.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '/' | '+' | '=' | ';'))
        && !secret::is_secret(text)
        && !words.iter().any(|word| lexicon::is_known(word) || names.remarks.contains(*word))
}

/// Finds the first text between two characters. Returns the text before, between and after them.
fn enclosed(text: &str, open: char, close: char) -> Option<(String, String, String)> {
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
    use super::of;

    #[test]
    fn one_title_may_hold_several_names() {
        let check = |title: &str, name: &str, aliases: &[&str], state: Option<&str>| {
            let identity = of(title);
            assert_eq!((identity.name.as_str(), identity.state), (name, state), "{title}");
            assert_eq!(identity.aliases, aliases, "{title}");
        };
        check("Ottla \"Crow\" (Ottla Renn)", "Ottla", &["Ottla Renn", "Crow"], None);
        check("Old Brannick \u{2620}\u{FE0F}", "Old Brannick", &[], Some("dead"));
        check("Hask \u{201C}Two Keys\u{201D} Merrow", "Hask Merrow", &["Two Keys"], None);
        check("Mill Ford (town)", "Mill Ford", &[], None);
        check("Jory Tan (deceased)", "Jory Tan", &[], Some("dead"));
        check("The Ledger (copied twice)", "The Ledger", &[], None);
        check("Wenna (aka the Heron)", "Wenna", &["the Heron"], None);
    }
}
