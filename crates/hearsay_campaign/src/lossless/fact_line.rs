//! Lines of facts in the notes of a vault. Each line ends with a reference to its fact, in Obsidian's syntax for block
//! references: ` ^fact-1a2b3c4d`.

use std::collections::HashMap;

use hearsay_model::{
    Author, EntityId, Evidence, Fact, FactId, FactStatus, Method, Number, Object, Predicate, Provenance, Value,
};

/// The beginning of a reference. The short form of the fact's id follows.
const REFERENCE: &str = " ^fact-";
/// The number of hexadecimal digits in a reference.
const REFERENCE_DIGITS: usize = 8;
/// The minimum similarity, from 0 to 1, of a changed sentence and the exported sentence if the line has no reference.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the reference to a fact, to be appended to the line of the fact.
pub(crate) fn fact_reference(id: FactId) -> String {
    format!("{REFERENCE}{}", id.short())
}

/// Returns whether the field of an evidence is the reference to a fact, which marks the fact of a changed line.
pub(crate) fn is_fact_reference(field: &str) -> bool {
    field.starts_with(REFERENCE.trim_start())
}

/// Joins the lines of a text with `<br>`, which Markdown shows as a line break.
pub(crate) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("<br>")
}

/// A line of a note that no export wrote.
#[derive(Debug, Clone)]
pub(super) struct ChangedLine {
    /// The path of the note, relative to the folder of the export.
    pub(super) path: String,
    /// The line number, counted from 1.
    pub(super) number: u32,
    /// The id of the entity or session that the note describes; empty if there is none.
    pub(super) page_id: String,
    /// The short id of the fact in the line's reference; `None` if the line has no reference.
    pub(super) reference: Option<String>,
    /// The text of the line, without list mark and reference.
    text: String,
}

/// The fact that a changed line states.
#[derive(Debug)]
pub(super) struct StatedFact {
    pub(super) fact: Fact,
    /// Whether the value of an attribute could not be read from the new sentence. The fact then has the old value.
    pub(super) has_old_value: bool,
}

impl ChangedLine {
    /// Parses a line of a note. Returns `None` if the line has no reference and is not a list item.
    pub(super) fn parse(path: &str, number: u32, page_id: &str, line: &str) -> Option<Self> {
        let (line, reference) = split_reference(line);
        let line = line.trim_start_matches(['>', ' ', '\t']);
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        if reference.is_none() && item.is_none() {
            return None;
        }
        Some(Self {
            path: path.to_owned(),
            number,
            page_id: page_id.to_owned(),
            reference,
            text: item.unwrap_or(line).trim().to_owned(),
        })
    }

    /// Returns whether the line states exactly the sentence of a fact.
    pub(super) fn has_same_statement(&self, fact: &Fact) -> bool {
        self.statement(fact) == one_line(fact.statement())
    }

    /// Returns whether the line is similar to the exported line of a fact.
    pub(super) fn is_similar_to(&self, fact: &Fact) -> bool {
        strsim::sorensen_dice(self.statement(fact), &one_line(fact.statement())) >= MIN_SIMILARITY
    }

    /// Returns the sentence of the line, if the line is the changed line of a fact.
    fn statement(&self, fact: &Fact) -> &str {
        let (text, _) = split_status(&self.text);
        let relation = fact.object().entity().and_then(|_| Relation::parse(text));
        relation.map_or(text, |relation| relation.statement)
    }

    /// Returns the fact that the line states, if the line is the changed line of `old`. Details that the line does not
    /// show, such as secrecy and dates, are those of `old`. `notes` contains the entity of each note, by path without
    /// extension. Returns `None` if the line states nothing.
    pub(super) fn changed_fact(
        &self,
        old: &Fact,
        author: &Author,
        notes: &HashMap<String, EntityId>,
    ) -> Option<StatedFact> {
        let (text, status) = split_status(&self.text);
        if text.is_empty() {
            return None;
        }
        let (mut predicate, mut object) = (old.predicate().clone(), old.object().clone());
        if object.entity().is_some()
            && let Some(relation) = Relation::parse(text)
        {
            predicate = relation.predicate;
            if let Some(target) = notes.get(relation.target) {
                object = Object::Entity(target.clone());
            }
        }
        let sentence = self.statement(old);
        let is_same_sentence = sentence.is_empty() || self.has_same_statement(old);
        let statement = if is_same_sentence { old.statement().to_owned() } else { sentence.replace("<br>", "\n") };
        let mut has_old_value = false;
        if let (Object::Value(value), false) = (old.object(), is_same_sentence) {
            match changed_value(value, old.statement(), &statement) {
                Some(value) => object = Object::Value(value),
                None => has_old_value = true,
            }
        }
        let is_same_content = is_same_sentence && predicate == *old.predicate() && object == *old.object();
        let mut builder = old.to_builder().predicate(predicate).object(object).statement(statement).status(status);
        if !is_same_content {
            builder = builder.provenance(self.provenance(old, author));
        }
        Some(StatedFact { fact: builder.build().ok()?, has_old_value })
    }

    /// Returns the provenance of a changed fact: the line, and the evidence and session of the exported fact.
    fn provenance(&self, old: &Fact, author: &Author) -> Provenance {
        let field = fact_reference(old.id()).trim_start().to_owned();
        let mut evidence = vec![Evidence::File { path: self.path.clone(), line: self.number, field }];
        evidence.extend(old.provenance().evidence.iter().cloned());
        let session = old.provenance().session.clone();
        Provenance { evidence, session, ..Provenance::new(Method::Imported, author.clone()) }
    }
}

/// The parts of a line that states a relation: `owns:: [[Places/The mill|The mill]] — Ada owns the mill.`
struct Relation<'l> {
    predicate: Predicate,
    target: &'l str,
    statement: &'l str,
}

impl<'l> Relation<'l> {
    fn parse(text: &'l str) -> Option<Self> {
        let (words, rest) = text.split_once(":: [[")?;
        let (link, rest) = rest.split_once("]]")?;
        let predicate = Predicate::new(&words.trim().to_uppercase()).ok()?;
        let target = link.split_once('|').map_or(link, |(target, _)| target);
        let statement = rest.trim_start_matches([' ', '-', '\u{2013}', '\u{2014}']);
        Some(Self { predicate, target, statement })
    }
}

/// Splits a line into its text and the short id in its reference. Text after the reference belongs to the text.
fn split_reference(line: &str) -> (String, Option<String>) {
    for (at, _) in line.rmatch_indices(REFERENCE) {
        let rest = &line[at + REFERENCE.len()..];
        let Some((digits, after)) = rest.split_at_checked(REFERENCE_DIGITS) else { continue };
        let is_reference = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_reference && after.chars().next().is_none_or(char::is_whitespace) {
            return (format!("{}{}", &line[..at], after.trim_end()), Some(digits.to_owned()));
        }
    }
    (line.to_owned(), None)
}

/// Splits the status from the end of a line: `… *(claimed)*`. A line without a status is canon.
fn split_status(text: &str) -> (&str, FactStatus) {
    let marked = FactStatus::ALL.into_iter().filter(|status| *status != FactStatus::Rejected);
    let mut splits = marked.filter_map(|status| Some((text.strip_suffix(&format!("*({status})*"))?, status)));
    splits.next().map_or((text, FactStatus::Canon), |(text, status)| (text.trim_end(), status))
}

/// Returns the value of an attribute after its sentence was changed. Returns `None` if the sentence does not show the
/// value.
fn changed_value(value: &Value, old: &str, new: &str) -> Option<Value> {
    let text = value.to_string();
    let around = old.split_once(&text).filter(|_| !text.is_empty());
    let replacement = around.and_then(|(before, after)| new.strip_prefix(before)?.strip_suffix(after));
    let replacement = replacement.map(str::trim).filter(|text| !text.is_empty());
    let parsed = replacement.and_then(|text| match value {
        Value::Text(_) => Some(Value::from(text)),
        Value::Number(_) => Some(Value::Number(Number::new(text.parse().ok()?).ok()?)),
        Value::Flag(_) => {
            [("yes", true), ("no", false)].iter().find(|(word, _)| *word == text).map(|(_, flag)| Value::Flag(*flag))
        }
    });
    parsed.or_else(|| new.contains(&text).then(|| value.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_found_even_if_text_follows_it() {
        let split = |line: &str| split_reference(line);
        assert_eq!(split("- Ada mills. ^fact-0123abcd"), ("- Ada mills.".to_owned(), Some("0123abcd".to_owned())));
        let (text, reference) = split("- Ada mills. ^fact-0123abcd And sings.");
        assert_eq!((text.as_str(), reference.as_deref()), ("- Ada mills. And sings.", Some("0123abcd")));
        for line in [
            "- Ada mills.",
            "- Ada. ^fact-0123",
            "- Ada. ^fact-0123abcdef",
            "- Ada. ^fact-\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
        ] {
            assert_eq!(split(line), (line.to_owned(), None));
        }
    }

    #[test]
    fn the_value_changes_with_the_sentence() {
        let text = |text: &str| Value::from(text);
        let age = Value::from(58);
        assert_eq!(changed_value(&age, "Ada's age is 58.", "Ada's age is 59."), Some(Value::from(59)));
        assert_eq!(changed_value(&age, "Ada's age is 58.", "Ada's age is unknown."), None);
        let goal = text("burn it");
        assert_eq!(changed_value(&goal, "Ada wants to burn it.", "Ada wants to sell it."), Some(text("sell it")));
        assert_eq!(changed_value(&goal, "Ada wants to burn it.", "Ada hopes to burn it."), Some(goal.clone()));
        assert_eq!(changed_value(&text("burn it"), "burn it", "sell it"), Some(text("sell it")));
    }
}
