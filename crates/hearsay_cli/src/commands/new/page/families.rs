//! Finds the families of a page: "the Marshes", "the Marsh family", "House Marsh". A family is a group, and neither a person
//! nor a place.

use hearsay_extract::Extraction;
use hearsay_model::{
    Kind,
    text::{without_possessive, words},
    words::{contains_word, upper_first},
};

use super::{
    super::{draft::Draft, english::ENGLISH},
    PageReader,
    kinds::extracted_kind,
};

/// A family that the text of a page names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Family {
    surname: String,
    /// The names of the family, such as "the Marshes" and "the Marsh family".
    names: Vec<String>,
    /// Whether the text contains the surname only within names of the family and its members.
    has_own_surname: bool,
}

impl Family {
    /// Returns whether a name means the family.
    pub(super) fn is_named_by(&self, name: &str) -> bool {
        self.has_name(name) || self.has_own_surname && words(name) == words(&self.surname)
    }

    /// Returns whether a name is one of the names of the family.
    fn has_name(&self, name: &str) -> bool {
        let plain = without_article(name);
        self.names.iter().any(|known| without_article(known) == plain)
    }
}

impl PageReader {
    /// Adds the families that a text names to the groups of the campaign, and returns the families. `line_at` returns the
    /// line of a position in the text.
    pub(super) fn add_families(
        &mut self,
        text: &str,
        found: &Extraction,
        line_at: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Family> {
        let draft = &mut self.made.draft;
        let families = families(text, &surnames(draft, found));
        for family in &families {
            let known = draft.entities.iter().position(|entity| family.has_name(&entity.name));
            let Some(name) = family.names.first() else { continue };
            let Some(index) = known.or_else(|| draft.add(&upper_first(name), Kind::Faction).ok()) else { continue };
            let entity = &mut draft.entities[index];
            match entity.kind {
                Kind::Npc => entity.kind = Kind::Faction,
                Kind::Faction => {}
                // The house of a family can be a place.
                _ => continue,
            }
            let position = text.find(name.strip_prefix("the ").unwrap_or(name));
            entity.line = entity.line.or_else(|| line_at(position?));
            let name = without_article(&entity.name);
            family
                .names
                .iter()
                .filter(|other| without_article(other) != name)
                .for_each(|other| entity.add_alias(other));
        }
        families
    }
}

/// Returns the surnames of the persons in a draft and in the text of a page.
fn surnames(draft: &Draft, found: &Extraction) -> Vec<String> {
    let known = draft.entities.iter().filter(|entity| entity.kind.is_character()).map(|entity| entity.name.as_str());
    let is_person = |index: usize| extracted_kind(found, index) == Some(Kind::Npc);
    let new = found.entities.iter().enumerate().filter(|(index, _)| is_person(*index));
    let names = known.chain(new.map(|(_, entity)| entity.name.as_str()));
    let surname = |name: &str| name.rsplit_once(' ').map(|(_, surname)| surname.to_owned());
    names.filter(|name| !name.starts_with("The ")).filter_map(surname).collect()
}

/// Returns the families that a text names. A plural with an article is a family only if it is the plural of a surname: "the
/// Marshes" and "Odo Marsh". The same holds for a surname after a word such as `House`. A name before a word such as `family`
/// is always the name of a family.
fn families(text: &str, surnames: &[String]) -> Vec<Family> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<Family> = Vec::new();
    for at in 1..tokens.len() {
        let word = without_possessive(tokens[at].trim_end_matches(|c: char| !c.is_alphanumeric()));
        if !word.starts_with(char::is_uppercase) || !word.chars().all(char::is_alphabetic) {
            continue;
        }
        let before = tokens[at - 1].trim_start_matches(|c: char| !c.is_alphanumeric());
        let has_article = before.eq_ignore_ascii_case("the");
        let after = tokens.get(at + 1).copied().filter(|_| word == tokens[at]).unwrap_or_default();
        let noun = after.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_plural =
            |surname: &&String| word.strip_prefix(surname.as_str()).is_some_and(|ending| ["s", "es"].contains(&ending));
        let named = if has_article && contains_word(&ENGLISH.family_nouns, without_possessive(noun)) {
            Some((word.to_owned(), format!("the {word} {}", without_possessive(noun))))
        } else if has_article {
            surnames.iter().find(is_plural).map(|surname| (surname.clone(), format!("the {word}")))
        } else {
            let is_house = contains_word(&ENGLISH.family_titles, before) && surnames.iter().any(|known| known == word);
            is_house.then(|| (word.to_owned(), format!("{before} {word}")))
        };
        let Some((surname, name)) = named else { continue };
        match found.iter_mut().find(|family| family.surname == surname) {
            Some(family) if family.names.contains(&name) => {}
            // The plural comes first, because it has no word in common with the names of the members.
            Some(family) if !words(&name).contains(&surname.to_lowercase()) => family.names.insert(0, name),
            Some(family) => family.names.push(name),
            None => {
                let has_own_surname = is_only_surname(&tokens, &surname);
                found.push(Family { surname, names: vec![name], has_own_surname });
            }
        }
    }
    found
}

/// Returns whether a word is always a part of a longer name, or stands before a word such as `family`.
fn is_only_surname(tokens: &[&str], surname: &str) -> bool {
    let is_part = |at: usize| {
        let is_capital =
            |before: &str| before.starts_with(char::is_uppercase) && before.ends_with(char::is_alphanumeric);
        let next = tokens.get(at + 1).map(|next| next.trim_end_matches(|c: char| !c.is_alphanumeric()));
        let is_family = next.is_some_and(|next| contains_word(&ENGLISH.family_nouns, without_possessive(next)));
        is_family || at > 0 && is_capital(tokens[at - 1]) && !tokens[at - 1].eq_ignore_ascii_case("the")
    };
    let is_surname =
        |at: &usize| without_possessive(tokens[*at].trim_matches(|c: char| !c.is_alphanumeric())) == surname;
    (0..tokens.len()).filter(is_surname).all(is_part)
}

fn without_article(name: &str) -> Vec<String> {
    words(name).into_iter().skip_while(|word| word == "the").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_found_by_the_surnames_of_the_page() {
        let surnames = ["Marsh".to_owned(), "Vell".to_owned()];
        let found = |text: &str| {
            let found = families(text, &surnames);
            found.into_iter().map(|family| family.names.join(", ")).collect::<Vec<_>>()
        };
        assert_eq!(found("He fears the Marsh family. The Marshes' mill burned."), ["the Marshes, the Marsh family"]);
        assert_eq!(found("House Vell is rich, and the Orrin family is poor."), ["House Vell", "the Orrin family"]);
        for text in [
            "The Marsh is wet. Family matters.",
            "House Rules and the Lamplighters",
            "the marshes and the Pikes",
            "Odo Marsh has a large family.",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_surname_alone_can_be_a_person() {
        let family = |text: &str| families(text, &[]).into_iter().next();
        let only = family("Ada Orrin leads the Orrin family.");
        assert!(only.is_some_and(|family| family.is_named_by("Orrin") && !family.is_named_by("Ada Orrin")));
        let other = family("Orrin drinks. He leads the Orrin family.");
        assert!(other.is_some_and(|family| !family.is_named_by("Orrin") && family.is_named_by("The Orrin Family")));
    }
}
