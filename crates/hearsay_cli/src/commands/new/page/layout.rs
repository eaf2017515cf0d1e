//! Turns the layout of plain text into Markdown, line by line: titles become headings, and lines such as `Name: text`
//! become items of a list. The number of lines does not change, so positions in the result are lines of the page.

use hearsay_campaign::import::lexicon::{self, Meaning};

use super::{
    super::{answers::is_name, sentences::sentences},
    sections::{self, Section},
};

/// Level of a heading in plain text, in Markdown.
const HEADING: &str = "###### ";

/// Maximum number of words of a heading in plain text, and of a name before a colon or dash.
const MAX_WORDS: usize = 6;

/// Marks between a name and the text about it: "Odo Brandt - a ferryman".
const ENTRY_MARKS: [&str; 4] = [": ", " - ", " \u{2013} ", " \u{2014} "];

/// Returns a page with the headings and lists of plain text written as Markdown.
pub(super) fn to_markdown(page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let is_plain = !lines.iter().any(|line| line.starts_with("# ") || line.starts_with("## "));
    let first = lines.iter().position(|line| !line.trim().is_empty());
    let mut written: Vec<String> = Vec::with_capacity(lines.len());
    let (mut section, mut is_code) = (None, false);
    let mut number = 0;
    while number < lines.len() {
        let line = lines[number];
        is_code ^= line.trim_start().starts_with("```");
        let heading = heading(&lines, number, is_plain, first == Some(number)).filter(|_| !is_code);
        if let Some((level, text)) = heading {
            section = sections::section(&text);
            written.push(if level.is_empty() { line.to_owned() } else { format!("{level}{text}") });
            number += 1;
        } else if is_code || !is_text(line) {
            written.push(line.to_owned());
            number += 1;
        } else {
            let length = lines[number..].iter().take_while(|line| is_text(line)).count();
            // A heading can follow without an empty line.
            let is_heading = |at: &usize| self::heading(&lines, *at, is_plain, false).is_some();
            let end = (number + 1..number + length).find(is_heading).unwrap_or(number + length);
            written.extend(itemize(&lines[number..end], section));
            number = end;
        }
    }
    written.join("\n") + "\n"
}

/// Returns the text of the heading in a line, and its mark in Markdown. The mark is empty if the line is already a heading
/// in Markdown.
fn heading(lines: &[&str], number: usize, is_plain: bool, is_first: bool) -> Option<(&'static str, String)> {
    let line = lines[number].trim_end();
    if line.starts_with('#') {
        return Some(("", line.trim_matches(['#', ' ']).to_owned()));
    }
    if !is_text(line) || line.split_whitespace().count() > MAX_WORDS + 2 {
        return None;
    }
    let next = lines.get(number + 1).map_or("", |line| line.trim());
    let is_underlined = next.len() > 1 && (next.chars().all(|c| c == '=') || next.chars().all(|c| c == '-'));
    if is_underlined {
        return None;
    }
    let text = line.trim().trim_matches(['*', '_']).trim_end_matches(':').trim_end_matches(['*', '_']).trim();
    let follows_blank = number == 0 || lines[number - 1].trim().is_empty();
    let is_bold = line.starts_with("**") && line.ends_with("**") && line.matches("**").count() == 2;
    if is_bold && follows_blank && next.is_empty() {
        return Some(("", text.to_owned()));
    }
    let is_upper = text.chars().filter(|c| c.is_alphabetic()).count() > 2 && !text.chars().any(char::is_lowercase);
    let is_label = line.trim_end_matches(['*', '_']).ends_with(':');
    let content = lines[number + 1..].iter().find(|line| !line.trim().is_empty());
    let has_list = content.is_some_and(|line| !is_text(line));
    if is_label && has_list {
        // The label of a list ends with the list.
        return None;
    }
    if sections::exact_section(text).is_some() && text.starts_with(char::is_uppercase) && (follows_blank || is_label) {
        return Some((HEADING, text.to_owned()));
    }
    let is_sentence = text.ends_with(['.', '!', '?', ',', ';']) || text.replace(['*', '_'], "").contains(": ");
    if !is_plain || !follows_blank || is_label || is_sentence || content.is_none() {
        return None;
    }
    match () {
        () if is_first && next.is_empty() => Some(("# ", text.to_owned())),
        () if is_upper && text.split_whitespace().count() <= MAX_WORDS => Some((HEADING, text.to_owned())),
        () => None,
    }
}

/// Returns whether a line is text without a mark of Markdown at its beginning.
fn is_text(line: &str) -> bool {
    let begins_with_mark = line.starts_with(['#', '>', '|', '`', ' ', '\t', '<', '%', ':']);
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || unnumbered.len() < line.len() && unnumbered.starts_with(['.', ')']);
    let is_rule = line.chars().all(|c| "-=*_ ".contains(c));
    !line.trim().is_empty() && !begins_with_mark && !is_item && !is_rule
}

/// Writes the lines of a paragraph as items of a list, if each line is an item: below a heading such as `People`, or if
/// several lines have the form `Name: text`. A line with a label such as `Truth:` belongs to the item before. A sentence below a
/// field such as `**Home:** the mill` is an item too, and so are the lines with labels after it.
fn itemize(lines: &[&str], section: Option<Section>) -> Vec<String> {
    let entries = lines.iter().filter(|line| is_entry(line) && label(line).is_none()).count();
    let begins_item = |number: usize| {
        let (line, before) = (lines[number], lines[number - 1].trim_end());
        let ends_sentence = before.ends_with(['.', '!', '?', ')', '"', '\u{201D}']);
        let is_capital = line.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| !first.is_lowercase());
        let begins_entry = is_entry(line) && (section.is_some() || entries > 1)
            || section.is_some() && is_capital && (ends_sentence || is_entry(before));
        begins_entry && label(line).is_none()
    };
    let mut starts: Vec<bool> = (0..lines.len()).map(|number| number > 0 && begins_item(number)).collect();
    let has_items = starts.contains(&true);
    if let Some(first) = (1..lines.len()).find(|number| follows_field(lines, *number)).filter(|_| !has_items) {
        starts[first] = true;
        (first + 1..lines.len()).for_each(|number| starts[number] = label(lines[number]).is_some());
    }
    let write = |(line, begins): (&&str, &bool)| if *begins { format!("- {line}") } else { (*line).to_owned() };
    let mut written: Vec<String> = lines.iter().zip(&starts).map(write).collect();
    if let Some(first) = written.first_mut().filter(|_| has_items) {
        first.insert_str(0, "- ");
    }
    written
}

/// Returns whether a line is no part of the field in the line before it: the field has a bold label and a short value without an
/// end, and the line begins with a capital letter.
fn follows_field(lines: &[&str], number: usize) -> bool {
    let (before, line) = (lines[number - 1].trim_end(), lines[number]);
    let value = before.strip_prefix("**").and_then(|field| field.split_once(":**"));
    let is_short = value.is_some_and(|(_, value)| (1..=MAX_WORDS).contains(&value.split_whitespace().count()));
    let is_field = label(before).is_some_and(|label| {
        matches!(lexicon::meaning(label), Meaning::Relation(_) | Meaning::Attribute(_))
            && !sections::announces_statement(label)
    });
    let is_open = before.ends_with([',', '-', ';', '&'])
        || before.rsplit(' ').next().is_some_and(hearsay_model::spelling::is_stop_word);
    is_short && is_field && !is_open && line.starts_with(char::is_uppercase) && !is_entry(line)
}

/// Returns the label with which a text about an entity begins: `Truth: …`, `Home: …`, but not `Captain: …`, which names
/// another entity.
pub(super) fn label(text: &str) -> Option<&str> {
    let (label, _) = text.trim_start_matches(['*', '_', ' ']).split_once(':')?;
    let label = label.trim_matches(['*', '_', ' ']);
    let names_other = || match lexicon::meaning(label) {
        Meaning::Relation(meaning) => meaning.rank.is_some(),
        meaning => meaning == Meaning::Name,
    };
    (sections::announces_statement(label) || lexicon::is_known(label) && !names_other()).then_some(label)
}

/// Returns whether a text has the form `Name: text` or `Name - text`.
pub(super) fn is_entry(text: &str) -> bool {
    entry_name(text).is_some()
}

/// Returns the name in a text of the form `Name: text` or `Name - text`.
pub(super) fn entry_name(text: &str) -> Option<&str> {
    split_entry(text).map(|(name, _)| name)
}

/// Splits a text of the form `Name: text` or `Name - text` into the name and the text. The name can be bold or in quotation
/// marks, and can have a remark in parentheses, which is left out.
pub(super) fn split_entry(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches(['*', '_']);
    let (at, length) = ENTRY_MARKS.iter().filter_map(|mark| Some((text.find(mark)?, mark.len()))).min()?;
    let name = text[..at].trim_matches(['*', '_', ' ']);
    let name = name.split(['(', '[']).next().unwrap_or_default().trim_matches(['*', '_', ' ']);
    let quoted = name.strip_prefix(['"', '\u{201C}']).and_then(|name| name.strip_suffix(['"', '\u{201D}']));
    let name = quoted.filter(|name| !name.contains(['"', '\u{201C}'])).unwrap_or(name);
    // "Odo Brandt. Ferryman. Home: the mill" begins with a name, but the mark stands in another sentence.
    let is_entry = is_name(name) && name.split(' ').count() <= MAX_WORDS && sentences(name).len() == 1;
    is_entry.then_some((name, text[at + length..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_becomes_markdown_with_the_same_lines() {
        let page = "\
Kings of Rust

Players:
- Dax (Pia)

PLACES
Rust Row: a market
below the bridge.
The Pit - an arena

Lies
Cutter never sleeps.
Juno is
loyal.

Prose that wraps at the end of a line.
It goes on here.
";
        let expected = "\
# Kings of Rust

Players:
- Dax (Pia)

###### PLACES
- Rust Row: a market
below the bridge.
- The Pit - an arena

###### Lies
- Cutter never sleeps.
- Juno is
loyal.

- Prose that wraps at the end of a line.
- It goes on here.
";
        assert_eq!(to_markdown(page), expected);
        let markdown = "# Title\n\nProse that wraps.\nIt goes on: here.\n\n    code\n";
        assert_eq!(to_markdown(markdown), markdown);
        let fields = "# T\n\n### Odo\n**Role:** smith\n**Home:** the Mill\nHates Ada. Drinks.\n**Secret:** he robs.\n";
        let expected =
            "# T\n\n### Odo\n**Role:** smith\n**Home:** the Mill\n- Hates Ada. Drinks.\n- **Secret:** he robs.\n";
        assert_eq!(to_markdown(fields), expected);
        let wrapped = "# T\n\n### Odo\n**Home:** a hut behind the\nMill of Hale.\n";
        assert_eq!(to_markdown(wrapped), wrapped);
        let entries = "People\nOdo Marsh - a smith.\nCover story: he slept.\nHome: the mill\nAda Brook - a clerk.\n";
        let expected =
            "###### People\n- Odo Marsh - a smith.\nCover story: he slept.\nHome: the mill\n- Ada Brook - a clerk.\n";
        assert_eq!(to_markdown(entries), expected);
    }
}
