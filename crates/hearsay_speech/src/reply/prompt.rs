//! The chat prompt of a reply.

use hearsay_query::ask::Answer;

use super::{ConversationLine, ReplyRequest};
use crate::{ChatMessage, ChatPrompt, ChatRole};

/// Instruction to the language model about the form of the reply.
const FORM: &str = "Speak as this character would, in one to three short sentences. Say only the words, without quotation \
                    marks, names or actions.\n";

/// Maximum number of earlier lines of the conversation in a prompt.
const MAX_EARLIER_LINES: usize = 8;

/// Returns the prompt for the first draft.
pub(super) fn first_prompt(answer: &Answer, request: &ReplyRequest) -> ChatPrompt {
    let parts = answer.context.chat_parts();
    let (stable, rest) = parts.system.split_at_checked(parts.stable_bytes).unwrap_or(("", &parts.system));
    let stable_bytes = stable.len() + FORM.len();
    let system = format!("{stable}{FORM}{rest}");
    let mut messages = Vec::new();
    let earlier = &request.earlier[request.earlier.len().saturating_sub(MAX_EARLIER_LINES)..];
    for ConversationLine { is_own, text } in earlier {
        push(&mut messages, if *is_own { ChatRole::Assistant } else { ChatRole::User }, text);
    }
    push(&mut messages, ChatRole::User, &parts.question);
    ChatPrompt { system, stable_bytes, messages }
}

/// Adds a message. Chat templates expect that the roles alternate, and that the first message is from the user.
fn push(messages: &mut Vec<ChatMessage>, role: ChatRole, text: &str) {
    match messages.last_mut() {
        Some(last) if last.role == role => {
            last.text.push('\n');
            last.text.push_str(text);
        }
        None if role == ChatRole::Assistant => {}
        _ => messages.push(ChatMessage { role, text: text.to_owned() }),
    }
}

/// Adds a rejected draft and the reason to a prompt.
pub(super) fn add_feedback(prompt: &mut ChatPrompt, draft: &str, feedback: &str) {
    push(&mut prompt.messages, ChatRole::Assistant, draft);
    push(&mut prompt.messages, ChatRole::User, feedback);
}
