//! Other words for a sentence of a draft: names in place of descriptions, and the statement that a short answer makes.

use std::collections::BTreeMap;

use hearsay_model::{
    EntityId, text,
    words::{contains_word, english, is_determiner},
};
use hearsay_query::views::CachedView;
use hearsay_recall::EntityLinker;

/// Maximum number of words of a description after its article.
const MAX_DESCRIPTION_WORDS: usize = 4;

/// Names of the entities in the secrets of a speaker. A name can replace a description in a sentence: "Odo Brandt" for "the
/// ferryman".
pub(super) struct SecretNames<'a> {
    /// Names by which the speaker knows the entities.
    names: BTreeMap<EntityId, &'a str>,
    /// Linkers that know descriptions of entities.
    linkers: Vec<&'a EntityLinker>,
}

impl<'a> SecretNames<'a> {
    /// Collects the names in the secrets of a view. Leaves out the speaker, who holds the view. `dm_names` are the names of
    /// the whole campaign, if descriptions that the speaker does not know count too.
    pub(super) fn new(speaker: &EntityId, view: &'a CachedView, dm_names: Option<&'a EntityLinker>) -> Self {
        let CachedView { view, names: linker, .. } = view;
        let mut names = BTreeMap::new();
        for known in view.concealed_facts().filter(|known| !known.is_name()) {
            let mentioned = linker.mentioned_entities(known.statement());
            let ids = known.entities().chain(mentioned.iter().map(|mentioned| &mentioned.id));
            names.extend(ids.filter(|id| *id != speaker).filter_map(|id| Some((id.clone(), linker.name(id)?))));
        }
        Self { names, linkers: std::iter::once(linker).chain(dm_names).collect() }
    }

    /// Returns a text with the names in place of the descriptions of the same entities. Returns `None` if the text contains
    /// no such description.
    pub(super) fn in_place_of_descriptions(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (mut replaced, mut at, mut is_changed) = (Vec::new(), 0, false);
        while at < words.len() {
            let Some((length, name)) = self.description(&words[at..]) else {
                replaced.push(words[at].to_owned());
                at += 1;
                continue;
            };
            let last = words[at + length - 1];
            let word = text::without_possessive(last.trim_end_matches(|c: char| !c.is_alphanumeric()));
            replaced.push(format!("{name}{}", &last[word.len()..]));
            at += length;
            is_changed = true;
        }
        is_changed.then(|| replaced.join(" "))
    }

    /// Returns the number of words of the description with which words begin, and the name of the described entity.
    fn description(&self, words: &[&str]) -> Option<(usize, &'a str)> {
        let (first, rest) = words.split_first()?;
        if !is_determiner(first) {
            return None;
        }
        (1..=rest.len().min(MAX_DESCRIPTION_WORDS)).find_map(|length| {
            let phrase = rest[..length].join(" ");
            let name = self.linkers.iter().find_map(|linker| self.name_of(&phrase, linker))?;
            Some((length + 1, name))
        })
    }

    /// Returns the name of the only entity that a phrase describes; `None` if the phrase contains a name.
    fn name_of(&self, phrase: &str, linker: &EntityLinker) -> Option<&'a str> {
        let mentioned = linker.mentioned_entities(phrase);
        let [described] = mentioned.as_slice() else { return None };
        let is_name = described.corrected_name.is_some() || described.is_named_in(&text::words(phrase));
        self.names.get(&described.id).copied().filter(|_| !is_name)
    }
}

/// Returns the statement that a short reply makes about the subject of a question: "Odo stole the ledger." for the reply "I
/// did." to "Who stole the ledger?" Returns `None` for any other reply or question.
pub(super) fn answer(question: &str, reply: &str, speaker_name: &str) -> Option<String> {
    if !contains_word(&english().own_answers, &text::words(reply).join(" ")) {
        return None;
    }
    let words: Vec<&str> = question.trim().strip_suffix('?')?.split_whitespace().collect();
    let is_interrogative = |at: &usize| contains_word(&english().subject_interrogatives, &words[*at].to_lowercase());
    let mut interrogatives = (0..words.len()).filter(is_interrogative);
    let (at, None) = (interrogatives.next()?, interrogatives.next()) else { return None };
    // "Do you know who stole it?" does not ask who stole it.
    let begins_question = at == 0 || words[at - 1].ends_with(|c: char| !c.is_alphanumeric());
    let rest = words[at + 1..].join(" ");
    // "Who did you see?" asks for the object.
    let asks_hearer = text::words(&rest).iter().take(2).any(|word| contains_word(&english().addressee_pronouns, word));
    (begins_question && !rest.is_empty() && !asks_hearer).then(|| format!("{speaker_name} {rest}."))
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn a_short_answer_states_what_the_question_asks() {
        for (question, reply, statement) in [
            ("Who burned the granary?", "I did.", Some("Pell Marrow burned the granary.")),
            ("Speak, man: who burned the granary?", "It was me!", Some("Pell Marrow burned the granary.")),
            ("Who burned the granary?", "I did not.", None),
            ("Who burned the granary?", "I saw the smoke.", None),
            ("Do you know who burned the granary?", "I do.", None),
            ("Who did you see at the granary?", "Me.", None),
            ("Did you burn the granary?", "I did.", None),
            ("Who saw the man who burned the granary?", "I did.", None),
            ("Who?", "Me.", None),
        ] {
            assert_eq!(answer(question, reply, "Pell Marrow").as_deref(), statement, "{question} {reply}");
        }
    }
}
