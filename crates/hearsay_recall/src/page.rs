//! Output for people and language models, with protection against prompt injection. The crate writes all output through
//! a [`Page`].
//!
//! Fixed text, such as a heading, is a string literal in the source code of the program. All other text is data and may
//! be hostile. A page separates fixed text and data by type: [`Page::literal`] takes `'static` strings, and
//! [`Page::data`] escapes its argument. Therefore, a caller cannot forget to escape data. Data cannot end a line, and
//! cannot look like a heading, a remark or a citation.

use std::borrow::Cow;

use hearsay_model::escape;

/// How a page escapes data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Markup {
    /// Plain text. Line breaks and square brackets are escaped, because a page uses them as markup.
    #[default]
    Plain,
    /// Markdown. All Markdown syntax is escaped.
    Markdown,
}

/// Text for output. A reader can always distinguish data from the fixed text of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    markup: Markup,
    text: String,
}

impl Page {
    /// Creates an empty page.
    pub fn new(markup: Markup) -> Self {
        Self { markup, text: String::new() }
    }

    /// Writes fixed text of the program. The text can contain line breaks.
    pub fn literal(&mut self, words: &'static str) -> &mut Self {
        self.text.push_str(words);
        self
    }

    /// Writes data, escaped and trimmed.
    pub fn data(&mut self, data: &str) -> &mut Self {
        let at_line_start = self.text.is_empty() || self.text.ends_with('\n');
        if at_line_start && self.markup == Markup::Plain && data.trim_start().starts_with('-') {
            self.text.push('\\');
        }
        let escaped = match self.markup {
            Markup::Plain => escape::fenced(data.trim()),
            Markup::Markdown => escape::markdown(data),
        };
        self.text.push_str(&escaped);
        self
    }

    /// Writes a number.
    pub fn number(&mut self, number: usize) -> &mut Self {
        self.text.push_str(&number.to_string());
        self
    }

    /// Writes a remark on the preceding text, in brackets.
    pub fn remark(&mut self, remark: &str) -> &mut Self {
        let (open, close) = match self.markup {
            Markup::Plain => ("[", "]"),
            Markup::Markdown => ("*[", "]*"),
        };
        self.literal(open).data(remark).literal(close)
    }

    /// Returns the length of the text, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text of the page.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Puts spoken words in double quotation marks. Curly double quotation marks inside the words become single quotation
/// marks, so the words cannot end the quotation.
pub fn quoted(words: &str) -> String {
    let to_single_quote = |c| match c {
        '\u{201C}' | '\u{201E}' => '\u{2018}',
        '\u{201D}' => '\u{2019}',
        c => c,
    };
    let words: Cow<str> = match words.contains(['\u{201C}', '\u{201D}', '\u{201E}']) {
        true => words.chars().map(to_single_quote).collect::<String>().into(),
        false => words.into(),
    };
    format!("\u{201C}{words}\u{201D}")
}
