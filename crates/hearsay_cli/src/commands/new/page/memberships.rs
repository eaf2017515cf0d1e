//! Hides the open text that states a membership which a secret of the page also states: "Nobody knows that Mara leads the Ash
//! Hand." makes the words "Led by Mara." secret. Reads the members in the text about a group.

use hearsay_campaign::import::lexicon::{self, Meaning};
use hearsay_model::{
    Kind, PredicateRole,
    text::words,
    words::{contains_word, english},
};

use super::{
    super::{
        draft::{Draft, DraftSecret, DraftText},
        english::ENGLISH,
        sentences::sentences,
    },
    PageReader,
    scene::listed_characters,
};

/// Marks before the last clause of a sentence.
const CLAUSE_MARKS: [&str; 5] = [", ", "; ", " - ", " \u{2013} ", " \u{2014} "];

/// A membership that a secret states, by the indices of the character and the group.
#[derive(Debug, Clone, Copy)]
struct SecretMembership {
    character: usize,
    group: usize,
    is_unknown_to_character: bool,
}

impl PageReader {
    /// Moves the open sentences that state a secret membership to the secrets. Otherwise, the membership would become a field
    /// that others know. In the text about the character, only the character knows the moved sentence. In other text, nobody
    /// knows it.
    pub(super) fn hide_secret_memberships(&mut self) {
        let memberships = secret_memberships(&self.made.draft);
        if memberships.is_empty() {
            return;
        }
        for index in 0..self.made.draft.entities.len() {
            let draft = &self.made.draft;
            let mut open: Vec<DraftText> = Vec::new();
            let mut hidden: Vec<(String, Option<usize>, bool)> = Vec::new();
            for paragraph in &draft.entities[index].description {
                let mut kept: Vec<String> = Vec::new();
                for sentence in sentences(&paragraph.text) {
                    let stated = memberships.iter().find(|membership| states(draft, index, sentence, **membership));
                    let Some(membership) = stated else {
                        kept.push(sentence.to_owned());
                        continue;
                    };
                    let (rest, part) = split_clause(draft, index, sentence, *membership);
                    let end = if sentence.ends_with('.') { "." } else { "" };
                    kept.extend(rest.map(|rest| format!("{rest}{end}")));
                    let is_unknown = index != membership.character || membership.is_unknown_to_character;
                    hidden.push((part.to_owned(), paragraph.line, is_unknown));
                }
                if !kept.is_empty() {
                    open.push(DraftText { text: kept.join(" "), line: paragraph.line });
                }
            }
            if hidden.is_empty() {
                continue;
            }
            let id = |other: usize| draft.entities[other].id.clone();
            let secret = |(text, line, is_unknown_to_owner): (String, Option<usize>, bool)| {
                let about = draft.named_in(&text).into_iter().filter(|other| *other != index).map(id).collect();
                let name = &draft.entities[index].name;
                let text = if text.starts_with(name.as_str()) { text } else { format!("{name}: {text}") };
                DraftSecret { text, line, is_unknown_to_owner, about, ..DraftSecret::default() }
            };
            let secrets: Vec<DraftSecret> = hidden.into_iter().map(secret).collect();
            let entity = &mut self.made.draft.entities[index];
            entity.description = open;
            entity.secrets.extend(secrets);
        }
    }
}

/// Returns the members that a sentence in the text about a group states, each with a sentence about the member that names the group:
/// "Odo and Juno are members." A member whose description already says so gets no sentence.
pub(super) fn stated_members(draft: &Draft, about: Option<usize>, sentence: &str) -> Option<Vec<(usize, String)>> {
    let group = about.filter(|index| draft.entities[*index].kind == Kind::Faction)?;
    let (names, rest) = [" are ", " is "].iter().find_map(|verb| sentence.split_once(verb))?;
    let rest = words(rest);
    let noun = match &rest[..] {
        [determiner, noun] if contains_word(&english().determiners, determiner) => noun,
        [noun] => noun,
        _ => return None,
    };
    let noun = noun.strip_suffix('s').filter(|noun| contains_word(&ENGLISH.membership_words, noun)).unwrap_or(noun);
    let meaning = lexicon::meaning(&format!("{noun} of"));
    let is_membership =
        matches!(&meaning, Meaning::Relation(meaning) if PredicateRole::Membership.is(&meaning.predicate));
    let members = listed_characters(draft, names).filter(|_| is_membership)?;
    let is_known = |member: usize| {
        let description = draft.entities[member].description.iter();
        let mut parts = description.flat_map(|paragraph| sentences(&paragraph.text));
        parts.any(|part| has_membership_word(part) && draft.named_in(part).contains(&group))
    };
    let name = |index: usize| draft.entities[index].name.as_str();
    let article = if rest.len() > 1 && rest[0] != "a" { "the" } else { "a" };
    let text = |member: usize| (member, format!("{} is {article} {noun} of {}.", name(member), name(group)));
    Some(members.into_iter().filter(|member| !is_known(*member)).map(text).collect())
}

/// Returns the memberships that the secrets of a draft state.
fn secret_memberships(draft: &Draft) -> Vec<SecretMembership> {
    let of_secret = |(owner, secret): (usize, &DraftSecret)| {
        let is_unknown = |character: usize| {
            let is_knower = secret.known_by.contains(&draft.entities[character].id);
            !is_knower && (character != owner || secret.is_unknown_to_owner)
        };
        let membership = |(character, group): (usize, usize)| SecretMembership {
            character,
            group,
            is_unknown_to_character: is_unknown(character),
        };
        let parts = sentences(&secret.text).into_iter();
        parts.filter_map(|sentence| member_and_group(draft, owner, sentence)).map(membership).collect::<Vec<_>>()
    };
    let entities = draft.entities.iter().enumerate();
    let secrets = entities.flat_map(|(owner, entity)| entity.secrets.iter().map(move |secret| (owner, secret)));
    secrets.flat_map(of_secret).collect()
}

/// Returns the character and the group of the membership that a sentence of a secret states. The character is the one whom the
/// sentence names last before the word for the membership, or else the entity with the secret, or else the first one after the
/// word.
pub(super) fn member_and_group(draft: &Draft, owner: usize, sentence: &str) -> Option<(usize, usize)> {
    let at = words(sentence).iter().position(|word| contains_word(&ENGLISH.membership_words, word))?;
    let named = draft.named_at(sentence);
    let is_group = |index: &usize| draft.entities[*index].kind == Kind::Faction;
    let is_character = |index: &usize| draft.entities[*index].kind.is_character();
    let group = named.iter().map(|(_, index)| *index).chain([owner]).find(is_group)?;
    let characters: Vec<(usize, usize)> = named.iter().copied().filter(|(_, index)| is_character(index)).collect();
    let before = characters.iter().rfind(|(position, _)| *position < at).map(|(_, index)| *index);
    let after = || characters.first().map(|(_, index)| *index);
    let character = before.or_else(|| Some(owner).filter(is_character)).or_else(after)?;
    Some((character, group))
}

/// Returns whether a sentence in the text about an entity states a membership.
fn states(draft: &Draft, about: usize, sentence: &str, membership: SecretMembership) -> bool {
    let named = draft.named_in(sentence);
    let is_named = |index: usize| index == about || named.contains(&index);
    has_membership_word(sentence) && is_named(membership.character) && is_named(membership.group)
}

fn has_membership_word(text: &str) -> bool {
    words(text).iter().any(|word| contains_word(&ENGLISH.membership_words, word))
}

/// Splits the last clause of a sentence about a character from the rest, if only this clause states the membership: "Odo Marsh -
/// miller, leader of the Ash Hand." Returns the rest, and the clause or the whole sentence.
fn split_clause<'s>(
    draft: &Draft,
    about: usize,
    sentence: &'s str,
    membership: SecretMembership,
) -> (Option<&'s str>, &'s str) {
    let mark = CLAUSE_MARKS.iter().filter_map(|mark| Some((sentence.rfind(mark)?, mark.len()))).max();
    let split = mark.map(|(at, length)| (&sentence[..at], &sentence[at + length..]));
    let is_last = |(rest, clause): &(&str, &str)| {
        about == membership.character
            && !has_membership_word(rest)
            && !draft.named_in(rest).contains(&membership.group)
            && states(draft, about, clause, membership)
    };
    match split.filter(is_last) {
        Some((rest, clause)) => (Some(rest), clause),
        None => (None, sentence),
    }
}
