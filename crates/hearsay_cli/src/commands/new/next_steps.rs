//! The commands that `new` proposes to type next, with the names of the new campaign.

use std::path::Path;

use hearsay_model::{Kind, spelling::is_stop_word, words::contains_word};

use super::{
    draft::{Draft, DraftEntity, DraftSecret},
    english::ENGLISH,
};
use crate::speakers::quote;

/// Maximum number of words of the topic of a question.
const MAX_TOPIC_WORDS: usize = 3;

/// Returns lines that explain the next commands, and the commands, which are indented.
pub(super) fn next_steps(directory: &Path, draft: &Draft) -> Vec<String> {
    let hearsay = format!("  hearsay -C {}", shell_word(&directory.display().to_string()));
    let mut lines = Vec::new();
    let npcs: Vec<&DraftEntity> = draft.of_kind(&Kind::Npc).collect();
    let players: Vec<&DraftEntity> = draft.of_kind(&Kind::Player).collect();
    let characters = || npcs.iter().chain(&players).copied();
    if let Some((knower, secret)) = characters().find_map(first_secret) {
        let question = question(&secret.text);
        let ask = |character: &DraftEntity| format!("{hearsay} ask --as {} {}", character.id, quote(&question));
        let other = characters().find(|other| {
            let knows = |id| other.id == id || secret.known_by.contains(&other.id);
            !knows(knower.id.clone()) && other.secrets.is_empty()
        });
        match other {
            Some(other) => {
                let other_name = inside_sentence(&other.name);
                lines.push(format!("{} knows a secret that {other_name} does not know. Ask both:", knower.name));
                lines.extend([ask(knower), ask(other)]);
            }
            None => {
                lines.push(format!("{} knows a secret. Ask about it:", knower.name));
                lines.push(ask(knower));
            }
        }
    } else if let Some(npc) = npcs.first() {
        lines.push(format!("Ask {} a question:", npc.name));
        lines.push(format!("{hearsay} ask --as {} \"What do you know?\"", npc.id));
    }
    lines.push("At the table, start the session, and record what happens:".to_owned());
    let location = || players.iter().chain(&npcs).find_map(|character| character.location.as_ref());
    let place = draft.start.as_ref().or_else(location);
    let at = place.map_or(String::new(), |place| format!(" --at {place}"));
    lines.push(format!("{hearsay} session start{at}"));
    let line = match (players.first(), npcs.first()) {
        (Some(player), Some(npc)) => format!("{} meets {}.", player.name, inside_sentence(&npc.name)),
        (Some(character), None) | (None, Some(character)) => format!("{} enters.", character.name),
        (None, None) => "The story begins.".to_owned(),
    };
    lines.push(format!("{hearsay} log {}", quote(&line)));
    lines
}

/// Returns a name as it stands inside a sentence: `the old man` for `The old man`.
fn inside_sentence(name: &str) -> String {
    name.strip_prefix("The ").map_or_else(|| name.to_owned(), |rest| format!("the {rest}"))
}

/// Returns a character with the first secret that it knows.
fn first_secret(character: &DraftEntity) -> Option<(&DraftEntity, &DraftSecret)> {
    Some((character, character.secrets.iter().find(|secret| !secret.is_unknown_to_owner)?))
}

/// Returns a question whose answer is a secret: "Mirela hid the ledger." gives "What do you know about the ledger?"
fn question(secret: &str) -> String {
    let words: Vec<&str> = secret.split_whitespace().collect();
    let is_determiner = |word: &&str| ["the", "a", "an", "her", "his", "their", "its"].contains(word);
    // The first word of a sentence belongs to its subject.
    let Some(at) = words.iter().skip(1).position(is_determiner).map(|at| at + 1) else {
        return "What do you keep to yourself?".to_owned();
    };
    let (mut topic, mut ends_clause) = (Vec::new(), false);
    for word in words[at + 1..].iter().take(MAX_TOPIC_WORDS) {
        let plain = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let normal = plain.to_lowercase();
        if !word.starts_with(char::is_alphanumeric)
            || is_stop_word(&normal)
            || contains_word(&ENGLISH.topic_ends, &normal)
        {
            break;
        }
        topic.push(plain);
        ends_clause = plain.len() < word.len();
        if ends_clause {
            break;
        }
    }
    // In "the captain leave the stable", a verb follows the noun, because no noun stands directly before a determiner.
    if topic.len() > 1 && !ends_clause && words.get(at + 1 + topic.len()).is_some_and(is_determiner) {
        topic.pop();
    }
    if topic.is_empty() {
        return "What do you keep to yourself?".to_owned();
    }
    format!("What do you know about the {}?", topic.join(" "))
}

/// Quotes a word for a shell, if it needs quotes.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@%:,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { quote(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_the_topic_of_the_secret() {
        assert_eq!(question("Mirela hid the ledger."), "What do you know about the ledger?");
        assert_eq!(question("She hid the harbour ledger below it."), "What do you know about the harbour ledger?");
        assert_eq!(question("She is a doppelganger (and old)."), "What do you know about the doppelganger?");
        assert_eq!(question("The mayor is a wolf."), "What do you know about the wolf?");
        assert_eq!(question("Odo saw the murder of Jory."), "What do you know about the murder?");
        assert_eq!(question("Odo saw the warden open the sluice."), "What do you know about the warden?");
        assert_eq!(question("Odo hid the tin box, the key and a map."), "What do you know about the tin box?");
        assert_eq!(question("Odo drinks."), "What do you keep to yourself?");
    }

    #[test]
    fn words_are_quoted_if_needed() {
        assert_eq!(shell_word("my-town/x"), "my-town/x");
        assert_eq!(shell_word("my town"), "\"my town\"");
        assert_eq!(shell_word("$HOME"), "'$HOME'");
    }
}
