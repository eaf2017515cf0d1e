//! Splits a block into its parts: the text about an entity, and the statements and secret names within this text.

use hearsay_campaign::import::{
    knowers::{has_secret_remark, is_list_of_knowers, is_remark_about_knowers, marked_content},
    nickname::{is_about_real_name, stated_real_name},
    secret,
};
use hearsay_model::words::upper_first;

use super::{
    super::{
        layout::split_entry,
        sections::{Section, is_secret_sentence, labelled_section},
    },
    PageBlock, begins_with_player, brackets, is_party, is_visible,
};
use crate::commands::new::{
    answers::{is_name, item},
    sentences::sentences,
};

/// Maximum number of words of a label within a text.
const MAX_LABEL_WORDS: usize = 6;

/// Marks between the parts of an entry.
const ENTRY_DASHES: [&str; 3] = [" - ", " \u{2013} ", " \u{2014} "];

/// Marks between the clauses of an entry.
const CLAUSE_MARKS: [&str; 3] = [", ", "; ", ". "];

/// Marks before a label within a line.
const LABEL_MARKS: [char; 8] = ['.', '!', '?', ')', ']', '"', '\u{201D}', '\u{2026}'];

impl PageBlock {
    /// Splits the block before each label such as `Truth:` within its text, and before and after each sentence about a
    /// real name. Sentences after a list of player characters are a block of their own. All other parts continue the
    /// first part.
    pub(super) fn split(mut self, has_marks: bool) -> Vec<Self> {
        if let Some(at) = self.end_of_players() {
            let mut rest = self.split_off(at);
            rest.label = None;
            let mut blocks = vec![self];
            blocks.extend(rest.split(has_marks));
            return blocks;
        }
        let is_marked = has_marks || self.headings.iter().any(|heading| secret::is_secret(heading));
        let has_statements = self.section.is_some_and(Section::has_statements);
        let mut bracketed = Vec::new();
        if !has_statements {
            bracketed.extend(std::iter::from_fn(|| self.take_secret_in_brackets()));
        }
        if !bracketed.is_empty() {
            self.is_secret &= is_marked || self.has_secret_sentence() || has_secret_remark(&self.text);
            let mut blocks = self.split(has_marks);
            blocks.extend(bracketed);
            return blocks;
        }
        if let Some(at) = self.secret_part().filter(|_| !is_marked) {
            let mut part = self.split_off(at);
            self.text.truncate(self.text.trim_end_matches([' ', '-', ',', ';', '\u{2013}', '\u{2014}']).len());
            self.is_secret = false;
            (part.is_continued, part.label) = (true, None);
            // "Member of the guild - only Ada knows" says nothing without the name of the person.
            let knowers = ENTRY_DASHES.iter().find_map(|dash| part.text.rsplit_once(*dash)).map(|(_, knowers)| knowers);
            let is_fragment = knowers.is_some_and(is_list_of_knowers);
            let name = split_entry(&self.text).map(|(name, _)| name).filter(|_| is_fragment);
            part.text = match name {
                Some(name) => format!("{name}: {}", part.text),
                None => upper_first(&part.text),
            };
            let mut blocks = self.split(has_marks);
            blocks.push(part);
            return blocks;
        }
        let is_hidden = self.is_secret && (is_marked || has_secret_remark(&self.text));
        if is_hidden || has_statements {
            return vec![self];
        }
        let name = self.take_name_in_brackets();
        let labels = self.label_starts();
        let first_label = labels.first().copied().unwrap_or(self.text.len());
        // "Odo Marsh, a smith. Secret" is no label.
        if self.label.as_ref().is_some_and(|label| label.len() > first_label) {
            self.label = None;
        }
        if self.is_secret && self.label.as_deref().is_some_and(secret::is_secret) {
            return vec![self];
        }
        let was_secret = self.is_secret;
        let starts = self.part_starts(&labels);
        let begins_with_name = starts.first() == Some(&(0, true));
        let mut parts = Vec::new();
        for (at, is_name) in starts.into_iter().rev().filter(|(at, _)| *at > 0) {
            let mut part = self.split_off(at);
            (part.is_continued, part.is_secret, part.label) = (true, is_name, None);
            part.take_section_label();
            part.is_secret |= was_secret && part.has_secret_sentence();
            parts.push(part);
        }
        let is_whole = parts.is_empty() && name.is_none();
        self.is_secret = begins_with_name || was_secret && (is_whole || self.has_secret_sentence());
        parts.push(self);
        parts.reverse();
        parts.extend(name);
        parts
    }

    /// Returns the position of the first line after a list of player characters: "PCs: Wren Oake (Ben)" above "We start in
    /// the mill." A line that begins with a name, or after a comma, continues the list.
    fn end_of_players(&self) -> Option<usize> {
        let is_list = self.label.as_deref().is_some_and(is_party)
            || self.text.split_once(':').is_some_and(|(label, _)| is_party(label));
        let starts = if is_list { self.line_starts() } else { Vec::new() };
        let ends = starts.iter().skip(1).copied().chain([self.text.len()]);
        let found = starts.iter().copied().zip(ends).find(|(start, end)| {
            let (before, line) = (self.text[..*start].trim_end(), self.text[*start..*end].trim_end());
            let is_open = before.ends_with([',', ';', ':', '&']) || before.ends_with(" and");
            let is_character = begins_with_player(line) || !before.contains('(') && is_name(&item(line).name);
            line.starts_with(char::is_uppercase) && !is_open && !is_character
        });
        found.map(|(start, _)| start)
    }

    /// Returns the position of the last part of an entry, if only this part is secret: "Odo - a miller - secretly a thief". A
    /// remark about the knowers belongs to the clause before it: "Odo - a miller, member of the guild - only Ada knows".
    fn secret_part(&self) -> Option<usize> {
        let has_statements = self.section.is_some_and(Section::has_statements);
        let dashes = ENTRY_DASHES.iter().filter_map(|dash| Some((self.text.rfind(dash)?, dash.len())));
        let (at, length) = dashes.max().filter(|_| self.is_secret && !has_statements)?;
        let (open, part) = (&self.text[..at], &self.text[at + length..]);
        let is_secret = |text: &str| has_secret_remark(text) || is_secret_sentence(text);
        if split_entry(open).is_none() || !is_secret(part) || is_secret(open) {
            return None;
        }
        if !is_list_of_knowers(part) {
            return Some(at + length);
        }
        let marks = CLAUSE_MARKS.iter().chain(&ENTRY_DASHES);
        let (at, length) = marks.filter_map(|mark| Some((open.rfind(mark)?, mark.len()))).max()?;
        split_entry(&open[..at]).is_some().then_some(at + length)
    }

    /// Removes a secret in brackets from the text, and returns it as a part: "He drinks. (Secret: he robs the dead.)"
    fn take_secret_in_brackets(&mut self) -> Option<Self> {
        let marked = |(open, close): (usize, usize)| {
            let (mark, content) = marked_content(&self.text[open + 1..close])?;
            Some((open, close, mark.to_owned(), upper_first(content)))
        };
        let (open, close, mark, text) = brackets(&self.text).into_iter().find_map(marked)?;
        let (start, line) = (self.text[..open].trim_end().len(), self.line(open));
        if start == 0 {
            return None;
        }
        self.remove(start, close + 1);
        // "Odo (secret" is no label.
        self.label = self.label.take().filter(|label| self.text.starts_with(label.as_str()));
        let (lines, label) = (vec![(0, line)], Some(mark));
        Some(Self { text, lines, label, is_secret: true, is_continued: true, ..self.clone() })
    }

    /// Removes a real name in brackets from the text, and returns it as a part: "(real name: Lucian Harrow)".
    fn take_name_in_brackets(&mut self) -> Option<Self> {
        let is_name = |(open, close): &(usize, usize)| stated_real_name(&self.text[open + 1..*close]).is_some();
        let (open, close) = brackets(&self.text).into_iter().find(is_name)?;
        let (text, line) = (self.text[open + 1..close].trim().to_owned(), self.line(open));
        let start = self.text[..open].trim_end().len();
        self.remove(start, close + 1);
        // "Corvin Ash (real name" is no label.
        self.label = None;
        Some(Self { text, lines: vec![(0, line)], is_secret: true, is_continued: true, ..self.clone() })
    }

    /// Returns the positions at which the parts of the text begin, and whether each part is about a real name. A part about
    /// a real name contains the sentences that say who knows it.
    fn part_starts(&self, labels: &[usize]) -> Vec<(usize, bool)> {
        let end = labels.first().copied().unwrap_or(self.text.len());
        let (mut starts, mut at, mut is_name) = (Vec::new(), 0, false);
        for sentence in sentences(&self.text) {
            let continues = is_name && is_remark_about_knowers(sentence);
            let next = continues || is_about_real_name(sentence);
            if next != is_name && at < end {
                starts.push((at, next));
            }
            is_name = next;
            at += sentence.len() + 1;
        }
        starts.extend(labels.iter().map(|label| (*label, false)));
        starts
    }

    /// Returns the positions of the labels within the text that announce statements about the entity of the text: "Cover
    /// story: …", "Truth: …".
    fn label_starts(&self) -> Vec<usize> {
        let lines = self.line_starts();
        let is_start =
            |at: usize| self.text[..at].trim_end().ends_with(LABEL_MARKS) || lines.binary_search(&at).is_ok();
        let label_start = |(colon, _): (usize, &str)| {
            let mut starts = self.text[..colon].rmatch_indices(' ').map(|(at, _)| at + 1).take(MAX_LABEL_WORDS);
            let at = starts.find(|at| is_start(*at))?;
            let label = &self.text[at..colon];
            let section = labelled_section(label).filter(|_| label.starts_with(char::is_uppercase))?;
            let is_statement =
                matches!(section, Section::Secrets | Section::Lies | Section::Claims | Section::Rumours(_));
            is_statement.then_some(at)
        };
        self.text.match_indices(": ").filter_map(label_start).collect()
    }

    /// Returns the positions in the text at which lines of the page begin, except the first line.
    fn line_starts(&self) -> Vec<usize> {
        let (mut starts, mut before) = (Vec::new(), 0);
        for (at, c) in self.text.char_indices().filter(|(_, c)| is_visible(*c)) {
            if at > 0 && self.lines.binary_search_by_key(&before, |(start, _)| *start).is_ok() {
                starts.push(at);
            }
            before += c.len_utf8();
        }
        starts
    }

    /// Removes the text from a position on, and returns it as a block.
    fn split_off(&mut self, at: usize) -> Self {
        let mut rest = self.clone();
        rest.remove(0, at);
        self.remove(at, self.text.len());
        self.text.truncate(self.text.trim_end().len());
        rest
    }

    fn has_secret_sentence(&self) -> bool {
        sentences(&self.text).into_iter().any(is_secret_sentence)
    }
}
