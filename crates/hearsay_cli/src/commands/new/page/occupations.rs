//! Finds the occupations of characters in their descriptions.

use hearsay_campaign::import::lexicon::{self, Meaning};
use hearsay_extract::{Extraction, Extractor, FactObject, Language, Lexicon, Mention, Text, TextType};
use hearsay_model::{
    Kind, PredicateRole, State,
    spelling::is_stop_word,
    text::words,
    words::{contains_word, english, lower_first},
};

use super::{
    super::{
        answers::describe,
        draft::{Draft, DraftEntity},
        sentences::{begins_with_article, sentences},
    },
    entities::contains_words,
    kinds::kind_of_noun_phrase,
    statements::teller_of,
};

/// Attribute that a description of a character states.
const OCCUPATION: &str = "occupation";

/// Maximum number of words of a noun phrase for a role.
pub(super) const MAX_ROLE_WORDS: usize = 3;

/// Returns the occupation that the description of a character states, with a label or in a sentence.
pub(super) fn occupation(
    draft: &Draft,
    entity: &DraftEntity,
    extractor: &Extractor,
    lexicon: &Lexicon,
) -> Option<String> {
    if !entity.kind.is_character() {
        return None;
    }
    let label = entity.description.iter().find_map(|paragraph| labelled_occupation(&paragraph.text)).map(str::to_owned);
    // "His lieutenant is Odo." and "She claims to be a nun." state no occupation of the entity.
    let is_own = |sentence: &&str| !begins_with_possessive(sentence) && teller_of(sentence).is_none();
    let parts = entity.description.iter().flat_map(|paragraph| sentences(&paragraph.text));
    let text = parts.filter(is_own).collect::<Vec<_>>().join(" ");
    // "The landlady of the inn." describes the entity of the heading.
    let text = match kind_of_noun_phrase(&text).filter(|_| begins_with_article(&text)) {
        Some(_) => describe(&entity.name, &lower_first(&text)),
        None => text,
    };
    let stated = |lexicon: &Lexicon, text: &str| {
        let found = extractor.extract(lexicon, &Text::new(text, TextType::Lore));
        found.facts.iter().find_map(|fact| {
            let FactObject::Value(value) = &fact.object else { return None };
            let is_stated = fact.predicate.as_str() == OCCUPATION
                && is_entity(&found, &fact.subject, entity)
                && is_role_of_person(value)
                && !is_membership(value)
                && !is_owner(text, value);
            is_stated.then(|| value.clone())
        })
    };
    let found = label
        .or_else(|| stated(lexicon, &text))
        .or_else(|| stated(&Lexicon::from_state(&State::default()), &text))
        .or_else(|| {
            let role = first_role(entity)?;
            let Some(sentence) = role.sentence else { return Some(role.noun) };
            let noun = role.noun.rsplit(' ').next()?;
            // "The mother of Odo" states a relation, but "The guildmaster" states a rank, and "Cook of the Gull" a trade.
            match lexicon::meaning(noun) {
                _ if Language::english().is_occupation(noun) => Some(role.noun),
                Meaning::Relation(meaning) => meaning.rank.map(|_| role.noun),
                _ => stated(lexicon, &sentence),
            }
        });
    named_rank(draft, entity, found.filter(|value| !value.is_empty())?)
}

/// Completes an occupation that is only a rank in something: "Abbot Silvan, head of the chapel" is an abbot, and "Odo, head of
/// the mill" is the head of the mill. A rank in a group is a relation to the group, and no occupation.
fn named_rank(draft: &Draft, entity: &DraftEntity, occupation: String) -> Option<String> {
    let role = first_role(entity).filter(|role| is_rank(&occupation) && role.noun == occupation);
    let Some(owner) = role.and_then(|role| role.owner) else { return Some(occupation) };
    let title = entity.name.split_once(' ').map(|(title, _)| title.to_lowercase());
    let is_of_group = draft.named_in(&owner).iter().any(|owner| draft.entities[*owner].kind == Kind::Faction);
    let whole = || (!is_of_group).then(|| format!("{occupation} of {owner}"));
    title.filter(|title| Language::english().is_occupation(title)).or_else(whole)
}

/// Returns whether a noun is a rank in a group or at a place, such as "head", and no occupation by itself.
pub(super) fn is_rank(noun: &str) -> bool {
    let has_rank = matches!(lexicon::meaning(noun), Meaning::Relation(meaning) if meaning.rank.is_some());
    has_rank && !Language::english().is_occupation(noun)
}

/// Returns the text after a label for the occupation.
pub(super) fn labelled_occupation(text: &str) -> Option<&str> {
    let (label, value) = text.split_once(':')?;
    let is_occupation = matches!(lexicon::meaning(label), Meaning::Attribute(name) if name.as_str() == OCCUPATION);
    is_occupation.then(|| value.trim())
}

/// Returns whether a sentence begins with a possessive pronoun: "His lieutenant is Odo."
fn begins_with_possessive(sentence: &str) -> bool {
    let first = words(sentence).into_iter().next().unwrap_or_default();
    english().personal_pronouns.iter().any(|pronouns| pronouns.possessive == first)
}

/// Returns whether a noun phrase can be the role of one person: "keeper of the wolves", but not "manor" and "arms".
fn is_role_of_person(phrase: &str) -> bool {
    let noun = phrase.split(' ').take_while(|word| !is_stop_word(word)).last().unwrap_or_default().to_lowercase();
    let is_plural = noun.ends_with('s') && !noun.ends_with("ss");
    let is_number = contains_word(&english().number_words, &noun);
    Language::english().is_occupation(&noun) || !is_plural && !is_number && lexicon::noun(&noun) != Some(Kind::Location)
}

/// Returns whether a phrase begins with a noun for the member of a group, which is no occupation.
fn is_membership(phrase: &str) -> bool {
    let noun = phrase.split(' ').next().unwrap_or_default();
    let meaning = lexicon::meaning(&format!("{noun} of"));
    matches!(&meaning, Meaning::Relation(meaning) if PredicateRole::Membership.is(&meaning.predicate) && meaning.rank.is_none())
}

/// Returns whether a text contains a noun only as the owner of something: "lives in the Miller's House".
fn is_owner(text: &str, noun: &str) -> bool {
    let mut uses = text.match_indices(noun).map(|(at, _)| &text[at + noun.len()..]).peekable();
    uses.peek().is_some() && uses.all(|rest| rest.starts_with("'s") || rest.starts_with("\u{2019}s"))
}

/// A noun phrase for the role of a character.
struct Role {
    /// The noun phrase without its article, such as `undertaker`.
    noun: String,
    /// A sentence that states the role; `None` if the noun phrase itself is an occupation.
    sentence: Option<String>,
    /// The words after the noun phrase and "of".
    owner: Option<String>,
}

/// Returns the role with which the description of a character begins, with or without the name of the character: "The
/// undertaker.", "Odo Brandt, landlady of the Bell.", "Lighthouse keeper, half deaf."
fn first_role(entity: &DraftEntity) -> Option<Role> {
    let text = &entity.description.first()?.text;
    let text = text.strip_prefix(entity.name.as_str()).unwrap_or(text);
    let text = without_relation(text.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let clause = text.split(['.', ',', ';', '(', '\u{2013}', '\u{2014}']).next()?.trim();
    let first = clause.chars().next()?;
    let clause = format!("{}{}", first.to_lowercase(), &clause[first.len_utf8()..]);
    let (phrase, owner) = match clause.split_once(" of ") {
        Some((phrase, owner)) => (phrase, Some(owner.to_owned())),
        None => (clause.as_str(), None),
    };
    let has_article = begins_with_article(phrase);
    let is_bare = !has_article && owner.is_none();
    let noun = match has_article {
        true => phrase.split_once(' ')?.1.to_owned(),
        // "Cook at the Gull"
        false if is_bare => phrase.split(' ').take_while(|word| !is_stop_word(word)).collect::<Vec<_>>().join(" "),
        false => phrase.to_owned(),
    };
    // A title can have a capital letter: "the new Reeve of Saltwick".
    let (before, last) = noun.rsplit_once(' ').map_or(("", noun.as_str()), |(before, last)| (before, last));
    let title = last.to_lowercase();
    let is_title = Language::english().is_occupation(&title) || lexicon::noun(&title) == Some(Kind::Npc);
    let noun = if is_title { format!("{before} {title}").trim_start().to_owned() } else { noun };
    let is_noun = |word: &str| !is_stop_word(word) && word.chars().all(|c| c.is_lowercase() || c == '-');
    if noun.split(' ').count() > MAX_ROLE_WORDS
        || noun.is_empty()
        || !noun.split(' ').all(is_noun)
        || is_bare && !is_trade(&noun)
    {
        return None;
    }
    let name = &entity.name;
    let sentence = if has_article { format!("{name} is the {noun}.") } else { format!("{name}, {clause}.") };
    Some(Role { noun, sentence: Some(sentence).filter(|_| !is_bare), owner })
}

/// Returns whether a noun phrase ends with an occupation, which can be a compound in two words: "old cabin boy".
pub(super) fn is_trade(phrase: &str) -> bool {
    let all: Vec<&str> = phrase.split(' ').collect();
    let last = &all[all.len().saturating_sub(2)..];
    let compounds = [last.join("-"), last.concat()];
    let mut nouns = compounds.iter().map(String::as_str).chain(last.last().copied());
    nouns.any(|noun| Language::english().is_occupation(&noun.to_lowercase()))
}

/// Returns the text after a first clause that only states a relation: "cook at the Gull" for "Ada's niece, cook at the Gull".
pub(super) fn without_relation(text: &str) -> &str {
    let Some((clause, rest)) = text.split_once(',') else { return text };
    let genitive = clause.split_once("'s ").or_else(|| clause.split_once("\u{2019}s "));
    let is_relation = genitive.is_some_and(|(owner, role)| {
        let noun = role.rsplit(' ').next().unwrap_or_default();
        owner.starts_with(char::is_uppercase) && matches!(lexicon::meaning(noun), Meaning::Relation(_))
    });
    if is_relation { rest.trim_start() } else { text }
}

/// Returns whether a text refers to an entity.
fn is_entity(found: &Extraction, mention: &Mention, entity: &DraftEntity) -> bool {
    match mention {
        Mention::Known(id) => *id == entity.id,
        Mention::New(index) => found.entities.get(*index).is_some_and(|new| contains_words(&entity.name, &new.name)),
    }
}
