//! Explains the problems of a draft to the language model.

use hearsay_commands::reply::{FindingKind, ReplyFinding};

/// Returns a message that asks for another draft. The message quotes only words of the draft, so it contains nothing
/// that the language model did not write itself.
pub(super) fn feedback(problems: &[ReplyFinding]) -> String {
    let mut message = String::from("That answer cannot be used.");
    for problem in problems {
        let words = problem.words.trim();
        message.push_str(&match problem.kind {
            FindingKind::RevealsSecret => {
                format!(" The words \u{201C}{words}\u{201D} give away a secret that you keep.")
            }
            FindingKind::Contradicts => format!(" The words \u{201C}{words}\u{201D} contradict what you know."),
            FindingKind::UnknownName => format!(" You do not know \u{201C}{words}\u{201D}."),
            _ => continue,
        });
    }
    message.push_str(" Answer again in one short sentence, and leave this out.");
    message
}
