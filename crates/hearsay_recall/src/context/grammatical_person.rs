//! Conversion of statements to the first or second person. For Mirela Voss, "Mirela Voss owns the inn" becomes "I own
//! the inn" or "You own the inn".

use hearsay_model::{
    spelling::is_stop_word,
    words::{contains_word, english, is_determiner},
};

/// Grammatical person in which a statement is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Person {
    /// The person speaks: "I".
    First,
    /// The person is addressed: "you".
    Second,
}

/// Pronouns of a grammatical person.
struct Pronouns {
    subject: &'static str,
    object: &'static str,
    possessive: &'static str,
    reflexive: &'static str,
    /// Possessive at the start of a sentence.
    leading_possessive: &'static str,
}

impl Person {
    fn pronouns(self) -> Pronouns {
        match self {
            Self::First => {
                Pronouns { subject: "I", object: "me", possessive: "my", reflexive: "myself", leading_possessive: "My" }
            }
            Self::Second => Pronouns {
                subject: "You",
                object: "you",
                possessive: "your",
                reflexive: "yourself",
                leading_possessive: "Your",
            },
        }
    }

    /// Converts a verb from the third person to this person. A past tense does not change.
    fn verb(self, verb: &str) -> String {
        match (self, verb) {
            (Self::First, "is") => "am".to_owned(),
            (Self::First, "was" | "wasn't") => verb.to_owned(),
            (Self::First, "isn't") => "am not".to_owned(),
            _ => plural(verb),
        }
    }
}

/// Verbs whose plural is irregular.
const IRREGULAR: [(&str, &str); 6] =
    [("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("isn't", "aren't"), ("wasn't", "weren't")];

/// Adverbs that can occur between the subject and its verb.
const ADVERBS: [&str; 12] =
    ["also", "never", "always", "still", "often", "secretly", "once", "now", "only", "already", "usually", "sometimes"];

/// Converts a statement about the person with this name to the given grammatical person. Returns the statement
/// unchanged if it does not contain the name, or if the verb after the name cannot be found.
pub(super) fn in_person(statement: &str, name: &str, person: Person) -> String {
    if name.is_empty() || !statement.contains(name) {
        return statement.to_owned();
    }
    if let Some(at) = later_clause(statement, name) {
        let (before, clause) = statement.split_at(at);
        let converted = in_person(clause, name, person);
        // Within a sentence, only "I" has a capital letter.
        let capitalized = ["You", "My"].into_iter().find(|pronoun| converted.starts_with(pronoun));
        let converted = match capitalized.filter(|_| !converted.starts_with(name)) {
            Some(pronoun) => converted.replacen(pronoun, &pronoun.to_lowercase(), 1),
            None => converted,
        };
        return format!("{}{converted}", in_person(before, name, person));
    }
    let pronouns = person.pronouns();
    match rest_after(statement, name) {
        // "Odo, the ferryman, owns a boat": the verb does not follow the name.
        Some(rest) if rest.starts_with(',') => match after_apposition(rest) {
            Some((apposition, rest)) => {
                let predicate = replace_objects(&conjugated(rest, person), name, person);
                format!("{}{apposition}{predicate}", pronouns.subject)
            }
            None => statement.to_owned(),
        },
        Some(rest) => match possessed(rest) {
            Some(rest) => format!("{}{}", pronouns.leading_possessive, replace_objects(rest, name, person)),
            None => {
                let predicate = replace_own_pronouns(&conjugated(rest, person), person);
                format!("{}{}", pronouns.subject, replace_objects(&predicate, name, person))
            }
        },
        None => replace_objects(statement, name, person),
    }
}

/// Returns where the first later clause begins that starts with the name, after a colon or a semicolon: "There is no ghost:
/// Mirela Voss rings the bell."
fn later_clause(statement: &str, name: &str) -> Option<usize> {
    let mut ends = statement.match_indices([':', ';']).map(|(at, mark)| at + mark.len());
    ends.find_map(|end| {
        let clause = statement[end..].trim_start();
        rest_after(clause, name).map(|_| statement.len() - clause.len())
    })
}

/// Returns the text after the name at the start of a statement.
fn rest_after<'a>(statement: &'a str, name: &str) -> Option<&'a str> {
    statement.strip_prefix(name).filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// Divides the text after a name into an apposition with its commas, such as ", the ferryman,", and the predicate. Returns
/// `None` if the text does not begin with an apposition.
fn after_apposition(rest: &str) -> Option<(&str, &str)> {
    let apposition = rest.strip_prefix(", ")?;
    let end = rest.len() - apposition.len() + apposition.find(',')? + 1;
    let (before, predicate) = rest.split_at(end);
    let starts_with_verb = predicate.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_lowercase));
    (is_determiner(apposition.split(' ').next()?) && starts_with_verb).then_some((before, predicate))
}

/// Returns the text after a possessive ending.
fn possessed(rest: &str) -> Option<&str> {
    rest.strip_prefix("'s").or_else(|| rest.strip_prefix("\u{2019}s"))
}

/// Replaces the possessive and reflexive pronouns in a predicate that refer to the subject: "was visiting her sister" becomes
/// "was visiting my sister", and "came herself" becomes "came myself". After another name, a pronoun may refer to this name.
/// Before a function word, "her" is an object.
fn replace_own_pronouns(predicate: &str, person: Person) -> String {
    let words: Vec<&str> = predicate.split(' ').collect();
    let other_name = words.iter().position(|word| word.starts_with(char::is_uppercase)).unwrap_or(words.len());
    let is_possessive = |at: usize| {
        let is_noun = |word: &&str| word.starts_with(char::is_alphabetic) && !is_stop_word(word);
        english().personal_pronouns.iter().any(|pronouns| pronouns.possessive == words[at])
            && words.get(at + 1).is_some_and(is_noun)
    };
    let (own, reflexive) = (person.pronouns().possessive, person.pronouns().reflexive);
    let replaced = words.iter().enumerate().map(|(at, word)| {
        let (pronoun, mark) = word.split_at(word.trim_end_matches(|c: char| !c.is_alphabetic()).len());
        match at < other_name {
            true if is_possessive(at) => own.to_owned(),
            true if contains_word(&english().reflexives, pronoun) => format!("{reflexive}{mark}"),
            _ => (*word).to_owned(),
        }
    });
    replaced.collect::<Vec<String>>().join(" ")
}

/// Replaces the name where it is not the subject: "serves Mirela Voss" becomes "serves you".
fn replace_objects(text: &str, name: &str, person: Person) -> String {
    let pronouns = person.pronouns();
    let mut rewritten = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        rewritten.push_str(before);
        rest = after;
        match (is_word, possessed(after)) {
            (false, _) => rewritten.push_str(name),
            (true, Some(after)) => {
                rewritten.push_str(pronouns.possessive);
                rest = after;
            }
            (true, None) => {
                let title = possessive_title(before).map(str::to_owned);
                if let Some(title) = title {
                    // "trusts her sergeant Mirela Voss" becomes "trusts you, her sergeant"
                    rewritten.truncate(rewritten.len() - title.len() - 1);
                    rewritten.push_str(pronouns.object);
                    rewritten.push_str(", ");
                    rewritten.push_str(&title);
                    continue;
                }
                rewritten.push_str(pronouns.object);
                rest = after;
                // "Pell saw that Mirela Voss was there": the verb after the name agrees with "you". A verb in -s after
                // an object belongs to another subject, so only forms of "be" and "have" are changed.
                let verb = rest.split_whitespace().next().unwrap_or_default();
                if IRREGULAR.iter().any(|(singular, _)| *singular == verb) {
                    // "that I was there"
                    rewritten.truncate(rewritten.len() - pronouns.object.len());
                    rewritten.push_str(if person == Person::First { "I" } else { "you" });
                    rewritten.push(' ');
                    rewritten.push_str(&person.verb(verb));
                    rest = rest.trim_start().strip_prefix(verb).unwrap_or(rest);
                }
            }
        }
    }
    rewritten.push_str(rest);
    rewritten
}

/// Returns a possessive pronoun and a noun, such as "her sergeant", at the end of the text before a name.
fn possessive_title(before: &str) -> Option<&str> {
    let text = before.strip_suffix(' ')?;
    let noun_at = text.rfind(' ')? + 1;
    let pronoun_at = text[..noun_at - 1].rfind(' ').map_or(0, |at| at + 1);
    let is_noun = text[noun_at..].chars().all(|c| c.is_lowercase() || c == '-');
    let is_pronoun = matches!(&text[pronoun_at..noun_at - 1], "her" | "his" | "its" | "their");
    (is_noun && is_pronoun).then_some(&text[pronoun_at..])
}

/// Changes the first verb of a predicate from the third person to the given person.
fn conjugated(predicate: &str, person: Person) -> String {
    let mut words: Vec<String> = predicate.split(' ').map(str::to_owned).collect();
    let verb = words.iter_mut().find(|word| !word.is_empty() && !ADVERBS.contains(&word.as_str()));
    if let Some(verb) = verb {
        *verb = person.verb(verb);
    }
    words.join(" ")
}

/// Returns the plural of a verb in the third person singular, such as "own" for "owns".
fn plural(verb: &str) -> String {
    if let Some((_, plural)) = IRREGULAR.iter().find(|(singular, _)| *singular == verb) {
        return (*plural).to_owned();
    }
    let ends = |end: &str| verb.strip_suffix(end);
    let sibilants = ["sses", "shes", "ches", "xes", "zzes", "oes"];
    if let Some(stem) = ends("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    if sibilants.iter().any(|end| verb.ends_with(end)) {
        return ends("es").unwrap_or(verb).to_owned();
    }
    match ends("s") {
        Some(stem) if !["s", "u", "i", "'"].iter().any(|end| stem.ends_with(end)) => stem.to_owned(),
        _ => verb.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_the_speaker_address_the_speaker() {
        for (statement, expected) in [
            ("Mirela Voss owns the Gilded Gull.", "You own the Gilded Gull."),
            ("Mirela Voss is an innkeeper.", "You are an innkeeper."),
            ("Mirela Voss has walked with a limp since the fire.", "You have walked with a limp since the fire."),
            ("Mirela Voss does not trust Odo Brandt.", "You do not trust Odo Brandt."),
            ("Mirela Voss hid the ledger.", "You hid the ledger."),
            ("Mirela Voss still carries a key.", "You still carry a key."),
            ("Mirela Voss teaches Pell.", "You teach Pell."),
            ("Mirela Voss passes the market.", "You pass the market."),
            ("Mirela Voss and Dob Hatchett hate each other.", "You and Dob Hatchett hate each other."),
            ("Mirela Voss's age is 46.", "Your age is 46."),
            ("Hob Carrow works for Mirela Voss.", "Hob Carrow works for you."),
            ("Captain Rusk trusts her sergeant Mirela Voss.", "Captain Rusk trusts you, her sergeant."),
            ("Pell found Mirela Voss's key.", "Pell found your key."),
            ("Pell saw that Mirela Voss was there.", "Pell saw that you were there."),
            ("Mirela Voss, the innkeeper, owns a boat.", "You, the innkeeper, own a boat."),
            ("Mirela Voss, Odo and Pell own a boat.", "Mirela Voss, Odo and Pell own a boat."),
            ("Mirela Vossler owns a boat.", "Mirela Vossler owns a boat."),
            (
                "It is a trick: Mirela Voss moves the lamp; Mirela Voss's cat sleeps.",
                "It is a trick: you move the lamp; your cat sleeps.",
            ),
            ("Mirela Voss lies often; Pell helps Mirela Voss.", "You lie often; Pell helps you."),
            ("Pell likes Odo.", "Pell likes Odo."),
        ] {
            assert_eq!(in_person(statement, "Mirela Voss", Person::Second), expected);
        }
    }

    #[test]
    fn a_speaker_says_statements_about_herself_in_the_first_person() {
        for (statement, expected) in [
            ("Mirela Voss owns the Gilded Gull.", "I own the Gilded Gull."),
            ("Mirela Voss is an innkeeper.", "I am an innkeeper."),
            ("Mirela Voss was in the cellar.", "I was in the cellar."),
            ("Mirela Voss has never liked Odo Brandt.", "I have never liked Odo Brandt."),
            ("Mirela Voss's age is 46.", "My age is 46."),
            ("Mirela Voss was visiting her sister in Gullhaven.", "I was visiting my sister in Gullhaven."),
            ("Mirela Voss met Roz and her sister.", "I met Roz and her sister."),
            ("Mirela Voss mended the sail herself.", "I mended the sail myself."),
            ("Mirela Voss met Roz herself.", "I met Roz herself."),
            ("Mirela Voss told her about the fire.", "I told her about the fire."),
            ("Hob Carrow works for Mirela Voss.", "Hob Carrow works for me."),
            ("Pell found Mirela Voss's key.", "Pell found my key."),
            ("Mirela Voss, a widow, is the owner.", "I, a widow, am the owner."),
            ("Pell saw that Mirela Voss was there.", "Pell saw that I was there."),
            ("There is no ghost: Mirela Voss rings the bell.", "There is no ghost: I ring the bell."),
            ("Nobody is ill; Mirela Voss's soup was bad.", "Nobody is ill; my soup was bad."),
        ] {
            assert_eq!(in_person(statement, "Mirela Voss", Person::First), expected);
        }
    }
}
