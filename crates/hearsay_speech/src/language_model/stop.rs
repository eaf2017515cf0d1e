//! Stop strings: a text ends before the first stop string.

use std::ops::ControlFlow;

use super::EndReason;

/// Passes a text on until a stop string begins. Keeps the end of the text back while it could be the start of a stop
/// string.
#[derive(Debug)]
pub(crate) struct StopFilter<'a> {
    stop: &'a [String],
    held_back: String,
    is_stopped: bool,
}

impl<'a> StopFilter<'a> {
    pub(crate) fn new(stop: &'a [String]) -> Self {
        Self { stop, held_back: String::new(), is_stopped: false }
    }

    /// Adds a part of the text. Returns the text that can be passed on.
    pub(crate) fn push(&mut self, part: &str) -> String {
        if self.is_stopped {
            return String::new();
        }
        self.held_back.push_str(part);
        let stop_at =
            self.stop.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| self.held_back.find(stop)).min();
        if let Some(at) = stop_at {
            self.is_stopped = true;
            self.held_back.truncate(at);
            return std::mem::take(&mut self.held_back);
        }
        let is_open = |at: &usize| self.stop.iter().any(|stop| stop.starts_with(&self.held_back[*at..]));
        let keep_from = self.held_back.char_indices().map(|(at, _)| at).find(is_open);
        let kept = keep_from.map(|at| self.held_back.split_off(at)).unwrap_or_default();
        std::mem::replace(&mut self.held_back, kept)
    }

    /// Ends the text: emits its rest, unless the caller stopped the language model. Returns the reason why the text
    /// ended; `end` is the reason before the rest was emitted.
    pub(crate) fn finish(self, end: EndReason, emit: &mut dyn FnMut(&str) -> ControlFlow<()>) -> EndReason {
        match end {
            EndReason::Stopped => end,
            _ if !self.held_back.is_empty() && emit(&self.held_back).is_break() => EndReason::Stopped,
            _ => end,
        }
    }

    /// Returns whether a stop string was found.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(parts: &[&str]) -> (String, bool) {
        let stop = ["\n\n".to_owned(), "User:".to_owned()];
        let mut filter = StopFilter::new(&stop);
        let mut text: String = parts.iter().map(|part| filter.push(part)).collect();
        let is_stopped = filter.is_stopped();
        let end = filter.finish(EndReason::Finished, &mut |rest| {
            text.push_str(rest);
            ControlFlow::Continue(())
        });
        assert_eq!(end, EndReason::Finished);
        (text, is_stopped)
    }

    #[test]
    fn a_text_ends_at_the_first_stop_string_even_if_it_comes_in_parts() {
        assert_eq!(filtered(&["I know ", "nothing.\n", "\nMore"]), ("I know nothing.".to_owned(), true));
        assert_eq!(filtered(&["Yes. Us", "er", ": no"]), ("Yes. ".to_owned(), true));
        assert_eq!(filtered(&["Use", "less.\n", "No."]), ("Useless.\nNo.".to_owned(), false));
        assert_eq!(filtered(&["The U"]), ("The U".to_owned(), false));
        assert_eq!(filtered(&[]), (String::new(), false));
    }

    #[test]
    fn a_part_that_could_begin_a_stop_string_is_kept_back() {
        let stop = ["\n\n".to_owned()];
        let mut filter = StopFilter::new(&stop);
        assert_eq!(filter.push("a\n"), "a");
        assert_eq!(filter.push("b"), "\nb");
    }
}
