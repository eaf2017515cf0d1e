//! Finds the secret text of a page, and the characters who know it.

use hearsay_campaign::import::{
    knowers::{
        SecretKnowers, aware_in, has_secret_remark, is_list_of_knowers, is_remark_about_knowers, limits_own_knowers,
        marked_content, split_knowers, unaware_in,
    },
    nickname::{Pretence, stated_pretence, stated_real_name},
    secret,
};
use hearsay_extract::is_anaphor;
use hearsay_model::{
    EntityId, Kind,
    lists::push_new,
    text::words,
    words::{contains_word, english, upper_first},
};

use super::{
    super::{
        draft::{Draft, DraftLie, DraftSecret, DraftSecretName, DraftText},
        english::ENGLISH,
        sentences::{begins_with_anaphor, sentences},
    },
    PageReader,
    blocks::PageBlock,
    capitalize,
    memberships::member_and_group,
    own_names::{states_deed, with_own_name},
    sections::{Section, after_truth_opener, announces_secret, is_marked_secret, is_secret_sentence},
    subjects::{leading_entity, name_person},
};

/// Maximum number of words before a name that only name it: "Real name".
const MAX_LABEL_WORDS: usize = 2;

impl PageReader {
    /// Returns the number of sentences of a block that are not secret. After a secret sentence, the whole rest of the
    /// block is secret.
    pub(super) fn open_sentences(&self, block: &PageBlock) -> usize {
        let parts = block.sentences();
        let is_section = block.section == Some(Section::Secrets);
        let denied = first_denied(&parts);
        if !block.is_secret && !is_section {
            let announced = parts.iter().position(|(sentence, _)| is_marked_secret(sentence));
            return announced.into_iter().chain(denied).min().unwrap_or(parts.len());
        }
        let is_marked = self.has_marks
            || is_section
            || has_secret_remark(&block.text)
            || block.headings.iter().any(|heading| secret::is_secret(heading))
            || block.label.as_deref().is_some_and(secret::is_secret);
        let first = || parts.iter().position(|(part, _)| is_secret_sentence(part)).unwrap_or(0);
        let first = if is_marked { 0 } else { first() };
        let first = denied.map_or(first, |denied| first.min(denied));
        // "Known only to Odo." makes the sentence before secret.
        if parts.get(first).is_some_and(|(sentence, _)| is_list_of_knowers(sentence)) {
            first.saturating_sub(1)
        } else {
            first
        }
    }

    /// Adds a secret to the entity of its heading, or to the entity that its block is about, or to the first NPC that it
    /// names, or to the character of the text before, or to the first knower that it lists, or to the first group or place
    /// that it names. A secret without such an entity becomes a text that only the DM sees. Exactly the listed knowers know
    /// the secret, and the NPC who does what the secret tells before the list. Without such a list, the entity knows the
    /// secret, unless the entity is not an NPC, or the text says that somebody does not know the secret. A real or false name
    /// also becomes a secret name of the entity, and what the entity pretends to be becomes a lie. Returns the entity.
    pub(super) fn add_secret(&mut self, text: &str, line: usize, heading: Option<usize>) -> Option<usize> {
        let secret = without_secret_label(text);
        let SecretKnowers { text, knowers, is_addition, unaware } = split_knowers(secret);
        // In "Odo robs the dead. Only Ada knows.", the knowers stand behind the secret.
        let is_remark = sentences(&text).first().is_some_and(|first| words(secret).starts_with(&words(first)));
        let draft = &self.made.draft;
        // "Only he knows it": the bearer knows it.
        let has_pronoun = knowers.iter().flat_map(|knowers| words(knowers)).any(|word| is_anaphor(&word));
        let is_joint = knowers.iter().flat_map(|knowers| words(knowers)).any(|word| is_plural_pronoun(&word));
        let knowers = knowers.map(|knowers| draft.named_in(&capitalize(&knowers)));
        // Words that name no entity of the page stay in the text.
        let names_nobody = !has_pronoun && knowers.as_ref().is_some_and(Vec::is_empty);
        let text = if names_nobody { secret.to_owned() } else { text };
        let knowers = knowers.filter(|knowers| !knowers.is_empty());
        let is_owned = heading.is_none() && self.subjects.has_owner();
        let previous = self.subjects.current().filter(|_| !is_owned);
        let subject = is_owned.then(|| self.subjects.next(draft, &text).entity).flatten();
        let known =
            subject.or(heading).filter(|_| knowers.is_none()).and_then(|owner| known_content(draft, owner, &text));
        let (text, knowers) = known.map_or((text, knowers), |(text, knowers)| (text, Some(knowers)));
        let is_other = heading.is_some_and(|owner| !self.subjects.can_mean(draft, owner, &text));
        let text = match subject.or(heading).filter(|_| !is_other) {
            Some(owner) => with_own_name(draft, owner, &text),
            None => upper_first(&text),
        };
        let named = draft.named_in(&text);
        let kind = |index: &usize| &draft.entities[*index].kind;
        let previous = previous.filter(|index| kind(index).is_character());
        let first = named.iter().copied().find(|index| *kind(index) == Kind::Npc);
        let by_text = if begins_with_anaphor(&text) { previous.or(first) } else { first.or(previous) };
        let by_knowers = knowers.as_ref().and_then(|knowers| knowers.first().copied());
        let group = named.iter().copied().find(|index| kind(index).can_know());
        let npc = subject.filter(|index| *kind(index) == Kind::Npc);
        let Some(bearer) = heading.or(npc).or(by_text).or(by_knowers).or(group).or(subject) else {
            self.add_not_understood(&text, line);
            return None;
        };
        let is_of_text = subject.or(heading).is_none() && previous == Some(bearer);
        let text = match is_of_text && self.subjects.can_mean(draft, bearer, &text) {
            true => name_person(&text, &draft.entities[bearer].name),
            false => text,
        };
        let is_character = draft.entities[bearer].kind.is_character();
        let real_name = stated_real_name(&text).filter(|_| is_character).map(str::to_owned);
        let text = match &real_name {
            // "Real name: Lucian Harrow"
            Some(name) if words(&text).len() <= words(name).len() + MAX_LABEL_WORDS => {
                format!("{}'s real name is {name}.", draft.entities[bearer].name)
            }
            _ => text,
        };
        let pretence = pretence_of(draft, &text, bearer).filter(|_| is_character);
        let cover = pretence.map(|pretence| (pretence.role.to_owned(), pretence.name.map(str::to_owned)));
        // The residents of a place would know the secrets of the place. Player characters often do not know the DM's
        // secrets about them.
        let is_unaware = unaware.is_some_and(|names| {
            let unaware = draft.named_in(&capitalize(&names));
            unaware.is_empty() || unaware.contains(&bearer)
        });
        let is_unknown_to_owner = match &knowers {
            Some(knowers) => {
                let is_named = has_pronoun || knowers.contains(&bearer) || states_knowledge(draft, &text, bearer);
                let is_doer = is_remark && !is_unaware && states_deed(draft, bearer, &text) && !denies_knowledge(&text);
                !is_named && !is_addition && !is_doer
            }
            None => draft.entities[bearer].kind != Kind::Npc || denies_knowledge(&text) || is_unaware,
        };
        let is_unknown_to_owner = is_unknown_to_owner && real_name.is_none() && cover.is_none();
        let ids = |indices: Vec<usize>| -> Vec<EntityId> {
            let others = indices.into_iter().filter(|index| *index != bearer);
            others.map(|index| draft.entities[index].id.clone()).collect()
        };
        let mut known_by = knowers.unwrap_or_default();
        implied_knowers(draft, bearer, &text, is_joint).into_iter().for_each(|index| push_new(&mut known_by, index));
        let known_by = ids(known_by);
        let is_new = |name: &String| !draft.entities.iter().any(|entity| words(&entity.name) == words(name));
        let false_name = cover.as_ref().and_then(|(_, name)| name.clone());
        let secret_name = real_name.or(false_name).filter(is_new).map(|name| DraftSecretName {
            name,
            line,
            known_by: known_by.clone(),
        });
        let about = ids(named);
        let secret = DraftSecret { about, known_by, is_unknown_to_owner, text, line: Some(line), id: None };
        let entity = &mut self.made.draft.entities[bearer];
        entity.secret_names.extend(secret_name);
        entity.secrets.push(secret);
        if let Some((role, name)) = cover {
            self.add_cover_story(bearer, &role, name.as_deref(), line);
        }
        Some(bearer)
    }

    /// Adds the lie that a character is what it pretends to be. The last secret of the character is the truth behind the lie.
    /// The lie does not name the character if it has a false name, because its hearers do not know who the character is.
    fn add_cover_story(&mut self, bearer: usize, role: &str, name: Option<&str>, line: usize) {
        let draft = &mut self.made.draft;
        let (entity, first_lie) = (&draft.entities[bearer], draft.lies.len());
        let text = format!("{} is {role}.", name.unwrap_or(&entity.name));
        draft.lies.push(DraftLie {
            text: DraftText { text, line: Some(line) },
            by: entity.id.clone(),
            about: vec![entity.id.clone()],
            told_to: Vec::new(),
            is_public: false,
            truth_is: None,
        });
        self.link_truth(Some(bearer), first_lie);
    }
}

/// Joins the sentences of a secret text to secrets. A sentence that limits its knowers itself begins a new secret, which the
/// knowers of the text before do not know: "Odo robs the dead; only Ada knows. Nobody knows that Juno leads the Lampless." A
/// sentence about another entity after a false name does so too.
pub(super) fn separate_secrets(draft: &Draft, parts: &[(&str, usize)]) -> Vec<(String, usize)> {
    let mut secrets: Vec<(String, usize)> = Vec::new();
    for (sentence, line) in parts.iter().copied() {
        let is_limited = |text: &str| secret::states_secrecy(text) || split_knowers(text).knowers.is_some();
        let limits_own = limits_own_knowers(sentence) && !begins_with_anaphor(sentence);
        let names_other = leading_entity(draft, sentence).is_some() && !is_remark_about_knowers(sentence);
        let begins_new = |text: &str| limits_own && is_limited(text) || names_other && stated_pretence(text).is_some();
        match secrets.last_mut() {
            Some((text, _)) if !begins_new(text.as_str()) => {
                text.push(' ');
                text.push_str(sentence);
            }
            _ => secrets.push((sentence.to_owned(), line)),
        }
    }
    secrets
}

/// Returns what an entity pretends to be, according to a text that names no other character before the verb: "Odo pretends to
/// be a pilgrim called Sera", but not "Odo knows that Juno pretends to be a pilgrim".
fn pretence_of<'t>(draft: &Draft, text: &'t str, entity: usize) -> Option<Pretence<'t>> {
    let pretence = stated_pretence(text)?;
    let named = draft.named_in(pretence.before);
    let is_other = |index: &usize| *index != entity && draft.entities[*index].kind.is_character();
    (!named.iter().any(is_other)).then_some(pretence)
}

/// Returns the number of the first sentence that a character does not know, according to the sentences after it: "The mill is
/// empty. Odo knows it. Juno has no idea."
fn first_denied(parts: &[(&str, usize)]) -> Option<usize> {
    let denial = parts.iter().position(|(sentence, _)| unaware_in(sentence).is_some())?;
    parts[..denial].iter().rposition(|(sentence, _)| aware_in(sentence).is_none())
}

/// Returns what an entity knows, and the knowers, according to a sentence with a pronoun in the text about the entity: "He knows
/// that the mill is empty."
fn known_content(draft: &Draft, owner: usize, text: &str) -> Option<(String, Vec<usize>)> {
    let named = name_person(text, &draft.entities[owner].name);
    let found = split_knowers(&named);
    let knowers = draft.named_in(&capitalize(&found.knowers?));
    (named != text && knowers.contains(&owner)).then(|| (upper_first(&found.text), knowers))
}

/// Returns whether a text says that an entity knows its content: "Odo knows that the mill is empty."
fn states_knowledge(draft: &Draft, text: &str, entity: usize) -> bool {
    text.split_once(" knows ").is_some_and(|(name, _)| draft.named_in(name) == [entity])
}

/// Returns the characters who know a secret although the page does not list them: the NPC who secretly leads the group of the
/// secret, and the other character in "Only the two of them know."
fn implied_knowers(draft: &Draft, bearer: usize, text: &str, is_joint: bool) -> Vec<usize> {
    if is_joint {
        let is_other = |index: &usize| *index != bearer && draft.entities[*index].kind.is_character();
        let others: Vec<usize> = draft.named_in(text).into_iter().filter(is_other).collect();
        return if others.len() == 1 { others } else { Vec::new() };
    }
    let is_group = draft.entities[bearer].kind == Kind::Faction && !denies_knowledge(text);
    let member = member_and_group(draft, bearer, text).filter(|_| is_group).map(|(character, _)| character);
    member.into_iter().filter(|index| draft.entities[*index].kind == Kind::Npc).collect()
}

/// Returns whether a word is a pronoun for several persons, such as "them".
fn is_plural_pronoun(word: &str) -> bool {
    let mut plural = english().personal_pronouns.iter().filter(|pronouns| pronouns.genders.is_empty());
    plural.any(|pronouns| [&pronouns.subject, &pronouns.object].iter().any(|form| form.as_str() == word))
}

/// Returns whether a text says that somebody does not know something: "Unbeknownst to Odo", "Odo does not know".
fn denies_knowledge(text: &str) -> bool {
    let words = words(text);
    let is_negation = |word: &String| ["not", "never", "without"].contains(&word.as_str()) || word.ends_with("n't");
    let is_knowing = |word: &String| contains_word(&ENGLISH.knowing_forms, word);
    let denies = |at: usize| is_negation(&words[at]) && words[at + 1..].iter().take(3).any(is_knowing);
    words.iter().any(|word| word == "unbeknownst" || word == "unaware") || (0..words.len()).any(denies)
}

/// Removes a label such as `Secret:` that says nothing else, the brackets around a text with such a label, and words such as
/// "In reality".
fn without_secret_label(text: &str) -> &str {
    let inner = [('(', ')'), ('[', ']')]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.trim_end_matches(['.', ' ']).strip_suffix(close));
    let text = inner.filter(|inner| marked_content(inner).is_some()).unwrap_or(text);
    let is_label = |label: &str| secret::is_only_secret_mark(label) || announces_secret(text);
    let text = match text.split_once(':') {
        Some((label, rest)) if is_label(label) && !rest.trim().is_empty() => rest.trim(),
        _ => text,
    };
    after_truth_opener(text).unwrap_or(text)
}
