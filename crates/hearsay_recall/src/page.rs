//! The page that a text for people or for a language model is written on: the only way to write one.
//!
//! Words of the program stand in its source; everything else is data, and may be hostile. A page takes the two apart by
//! type, so that no new line can forget to escape: [`Page::own`] takes `'static` words, [`Page::data`] escapes whatever it
//! is given. Lines and brackets belong to the page, in every form. What data says can neither end a line nor look like a
//! heading, a remark or a receipt.

use std::borrow::Cow;

use hearsay_model::escape;

/// How data is escaped on a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Markup {
    /// Plain text: lines and square brackets mean something.
    #[default]
    Plain,
    /// Markdown.
    Markdown,
}

/// A text of lines in which data cannot pass for words of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    markup: Markup,
    text: String,
}

impl Page {
    /// An empty page.
    pub fn new(markup: Markup) -> Self {
        Self { markup, text: String::new() }
    }

    /// Writes words of the program, line breaks included.
    pub fn own(&mut self, words: &'static str) -> &mut Self {
        self.text.push_str(words);
        self
    }

    /// Writes data, escaped, without the white space around it.
    pub fn data(&mut self, data: &str) -> &mut Self {
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        if begins && self.markup == Markup::Plain && data.trim_start().starts_with('-') {
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

    /// Writes a remark on what stands before it, in brackets.
    pub fn remark(&mut self, remark: &str) -> &mut Self {
        let (open, close) = match self.markup {
            Markup::Plain => ("[", "]"),
            Markup::Markdown => ("*[", "]*"),
        };
        self.own(open).data(remark).own(close)
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// What somebody says, in quotation marks that the words themselves cannot close: marks within are single ones.
pub fn quoted(words: &str) -> String {
    let within = |c| match c {
        '\u{201C}' | '\u{201E}' => '\u{2018}',
        '\u{201D}' => '\u{2019}',
        c => c,
    };
    let words: Cow<str> = match words.contains(['\u{201C}', '\u{201D}', '\u{201E}']) {
        true => words.chars().map(within).collect::<String>().into(),
        false => words.into(),
    };
    format!("\u{201C}{words}\u{201D}")
}
