//! Escaping of untrusted text for display. Escaped text contains no markup and no control codes that could affect the
//! display.
//!
//! A statement, a name or a question may contain line breaks, terminal sequences, bidirectional controls or markup.
//! Every function in this module leaves ordinary text unchanged, in any script. This includes accents, emoji with
//! joiners and flags, and letters that are written from right to left.

use std::borrow::Cow;

/// Returns whether a character moves the cursor, ends the line, changes the text direction, or is invisible.
///
/// These Unicode characters are hostile: control characters, line and paragraph separators, bidirectional controls,
/// interlinear annotations, invisible operators, the byte order mark and tags. Joiners and variation selectors are not
/// hostile, because emoji need them.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{061C}'
                | '\u{180E}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2061}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

/// Returns whether a character is a line break, a tab, or a separator of lines or paragraphs.
fn is_line_break_or_tab(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Escapes text for one line. A line break or tab becomes a space. Any other [hostile](is_hostile) character becomes an
/// escape such as `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    escape_with(text, |c, _, out| {
        if is_line_break_or_tab(c) {
            out.push(' ');
            return true;
        }
        false
    })
}

/// Escapes text with several lines. Line feeds remain; all other hostile characters are escaped as in [`line()`].
pub fn lines(text: &str) -> Cow<'_, str> {
    escape_with(text, |c, _, out| {
        match c {
            '\n' => out.push('\n'),
            c if is_line_break_or_tab(c) => out.push(' '),
            _ => return false,
        }
        true
    })
}

/// Escapes text for a line in which the program uses square brackets as markup.
///
/// A backslash is inserted before square brackets and backslashes in the text.
pub fn fenced(text: &str) -> Cow<'_, str> {
    escape_with(text, |c, _, out| {
        match c {
            c if is_line_break_or_tab(c) => out.push(' '),
            '[' | ']' | '\\' => out.extend(['\\', c]),
            _ => return false,
        }
        true
    })
}

/// Escapes text for one line of Markdown. Markdown then shows the text unchanged and without formatting.
///
/// The result is also safe at the start of a line, a list item, a heading or a quotation.
pub fn markdown(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    escape_with(text, |c, at, out| {
        match c {
            c if is_line_break_or_tab(c) => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => out.extend(['\\', c]),
            // These characters begin a list item, a heading underline or a character entity.
            '-' | '+' | '=' if at == 0 => out.extend(['\\', c]),
            '.' | ')' if at == digits && digits > 0 => out.extend(['\\', c]),
            '&' if text[at + 1..].starts_with(|c: char| c == '#' || c.is_ascii_alphabetic()) => out.push_str("\\&"),
            _ => return false,
        }
        true
    })
}

/// Escapes the [hostile](is_hostile) characters of a JSON text, so that the text can be printed on a terminal.
///
/// The parsed JSON value does not change. Hostile characters other than line feeds occur only inside JSON strings, and
/// there the escape of a character means the character itself.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| is_hostile(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !is_hostile(c) || c == '\n' {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(out)
}

/// Escapes the hostile characters of a text and leaves all others unchanged.
///
/// For each character, `escape_char` is called first. If `escape_char` returns `true`, it has already written the
/// character. Emoji flags of regions, such as the flag of Scotland, remain unchanged.
fn escape_with(text: &str, escape_char: impl Fn(char, usize, &mut String) -> bool) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(flag) = leading_region_flag(rest) {
            out.push_str(flag);
            at += flag.len();
        } else if rest.starts_with("\r\n") {
            // Skip the carriage return, so that CRLF counts as one break.
            at += 1;
        } else {
            if !escape_char(c, at, &mut out) {
                if is_hostile(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
            }
            at += c.len_utf8();
        }
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Returns the emoji flag of a region within a country, such as Scotland, if the text begins with such a flag.
///
/// The sequence is a black flag, three to six tags of letters and digits, and the end tag.
fn leading_region_flag(text: &str) -> Option<&str> {
    let tags = text.strip_prefix('\u{1F3F4}')?;
    let end = tags.find(|c| !matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}'))?;
    let count = tags[..end].chars().count();
    let rest = tags[end..].strip_prefix('\u{E007F}')?;
    (3..=6).contains(&count).then(|| &text[..text.len() - rest.len()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ORDINARY: [&str; 7] = [
        "Zoë Ågård, naïve façade; e\u{301}",
        "שלום, מה שלומך? — مرحبا بالعالم",
        "👩\u{200D}🚀 👨\u{200D}👩\u{200D}👧 ❤\u{FE0F} 🇫🇷",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "می\u{200C}خواهم",
        "“He said: ‘no’ (twice).”",
        "日本語、漢字",
    ];

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ORDINARY {
            for escaped in [line(text), lines(text), fenced(text), markdown(text)] {
                assert_eq!(escaped, text);
                assert!(matches!(escaped, Cow::Borrowed(_)));
            }
            let value = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<String>(&json(&value)).unwrap(), text);
        }
    }

    #[test]
    fn what_is_hostile_is_shown_and_does_nothing() {
        assert_eq!(line("a\r\nb\nc\u{2028}d\te"), "a b c d e");
        assert_eq!(lines("a\r\nb\nc\u{2028}d"), "a\nb\nc d");
        assert_eq!(line("\u{1b}[2J \u{9b}1m \u{202e}x\u{200f}"), "\\u{1b}[2J \\u{9b}1m \\u{202e}x\\u{200f}");
        assert_eq!(fenced("so [it is]\\"), "so \\[it is\\]\\\\");
        assert_eq!(line("\u{E0041}\u{E0042}"), "\\u{e0041}\\u{e0042}");
        assert_eq!(json("{\n\"a\": \"\u{9b}\u{E0041}\"}"), "{\n\"a\": \"\\u009b\\udb40\\udc41\"}");
    }

    #[test]
    fn markup_is_text() {
        for (text, expected) in [
            ("# Title", "\\# Title"),
            ("- item", "\\- item"),
            ("12. item", "12\\. item"),
            ("about 12. May", "about 12. May"),
            ("well-known", "well-known"),
            ("    code", "code"),
            ("&#10; &amp; Smith & Sons", "\\&\\#10; \\&amp; Smith & Sons"),
            ("<b>*x*</b>", "\\<b\\>\\*x\\*\\</b\\>"),
        ] {
            assert_eq!(markdown(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_hostile_character_is_left(text in any::<String>(), suffix in "[\u{200e}-\u{2069}\u{80}-\u{a0}\u{e0000}-\u{e007f}\u{1F3F4}\r\n\\[\\]]{0,20}") {
            let text = format!("{text}{suffix}");
            let region_flag = ORDINARY[3];
            for escaped in [line(&text), fenced(&text), markdown(&text)] {
                let remaining = escaped.replace(region_flag, "");
                let flags = remaining.matches('\u{1F3F4}').count();
                let hostile = remaining.chars().filter(|c| is_hostile(*c) && !matches!(c, '\u{E0030}'..='\u{E007F}')).count();
                prop_assert_eq!(hostile, 0, "{:?}", escaped);
                // Tags occur only after a flag.
                prop_assert!(flags > 0 || !remaining.chars().any(is_hostile), "{:?}", escaped);
            }
            let tag = |c: char| matches!(c, '\u{E0030}'..='\u{E007F}');
            let is_safe = lines(&text).chars().all(|c| c == '\n' || !is_hostile(c) || tag(c));
            prop_assert!(is_safe);
            let once = line(&text).into_owned();
            prop_assert_eq!(line(&once), once.as_str());
            let value = serde_json::to_string_pretty(&vec![&text]).unwrap();
            let escaped = json(&value);
            prop_assert!(escaped.chars().all(|c| c == '\n' || !is_hostile(c)));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), vec![text]);
        }
    }
}
