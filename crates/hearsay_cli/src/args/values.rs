//! Values of arguments that several commands use.

use clap::ValueEnum;
use hearsay_model::FactStatus;

/// Parses text that is not empty.
pub(super) fn text(given: &str) -> Result<String, String> {
    let is_visible = |c: char| !c.is_whitespace() && !hearsay_model::escape::is_hostile(c);
    if given.contains(is_visible) { Ok(given.to_owned()) } else { Err("the text is empty".into()) }
}

/// Parses the token budget of a scene context.
pub(super) fn budget(given: &str) -> Result<usize, String> {
    let tokens = given.parse::<usize>().map_err(|error| error.to_string())?;
    if tokens < 64 { Err("expected at least 64 tokens".into()) } else { Ok(tokens) }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    Text,
    Markdown,
    Prompt,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StatusArg {
    Proposed,
    Claimed,
    Canon,
    False,
    Rejected,
}

impl From<StatusArg> for FactStatus {
    fn from(arg: StatusArg) -> Self {
        match arg {
            StatusArg::Proposed => Self::Proposed,
            StatusArg::Claimed => Self::Claimed,
            StatusArg::Canon => Self::Canon,
            StatusArg::False => Self::False,
            StatusArg::Rejected => Self::Rejected,
        }
    }
}
