//! Finds the characters that a page calls dead or missing in a sentence.

use hearsay_campaign::import::lexicon;
use hearsay_model::{Kind, text::words};

use super::{
    super::{draft::Draft, english::ENGLISH, sentences::sentences},
    subjects::has_genitive,
};

/// Maximum number of words between "one of" and the state of a group: "one of the men lost in the mine".
const MAX_FATE_WORDS: usize = 5;

/// Returns the NPCs that the open descriptions call dead or missing: "the late Odo", "Odo died in the fire", "Odo was
/// killed", "Odo was one of the men lost in the mine", "the widow of Odo".
pub(super) fn fates(draft: &Draft) -> Vec<(usize, &'static str)> {
    let paragraphs = draft.entities.iter().flat_map(|entity| &entity.description);
    let fates_in = |sentence: &str| {
        let all = words(sentence);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let raw: Vec<&str> = sentence.split_whitespace().collect();
        let fate = |(at, index): (usize, usize)| {
            let name = words(&draft.entities[index].name);
            let end = at + all[at..].iter().take_while(|word| name.iter().any(|part| part == *word)).count();
            let stated = match &all[end..] {
                ["is" | "was", "one", "of", rest @ ..] => {
                    let states = rest.iter().take(MAX_FATE_WORDS).filter_map(|word| lexicon::state(word));
                    states.into_iter().find(|state| ["dead", "missing"].contains(state))
                }
                ["is" | "was", state, ..] => lexicon::state(state).filter(|state| *state == "dead"),
                ["died", ..] => Some("dead"),
                _ => None,
            };
            let is_bereaved = || {
                let before = format!(" {}", all[..at].join(" "));
                let has_role = |role: &String| before.ends_with(&format!(" {role}"));
                let named = raw.get(at..).unwrap_or_default();
                ENGLISH.fatal_roles.iter().any(has_role)
                    && !before.contains(" not ")
                    && !has_genitive(draft, index, named)
            };
            let is_late = at > 0 && all[at - 1] == "late" || is_bereaved();
            let fate = if is_late { Some("dead") } else { stated };
            (draft.entities[index].kind == Kind::Npc).then(|| Some((index, fate?))).flatten()
        };
        let named = draft.named_at(sentence).into_iter().filter(|(at, _)| *at < all.len());
        named.filter_map(fate).collect::<Vec<_>>()
    };
    paragraphs.flat_map(|paragraph| sentences(&paragraph.text)).flat_map(fates_in).collect()
}
