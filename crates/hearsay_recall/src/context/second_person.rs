//! Statements about the speaker, rewritten so that they address the speaker: "Mirela Voss owns the inn" becomes "You own
//! the inn".

/// Verbs whose second person is irregular.
const IRREGULAR: [(&str, &str); 6] =
    [("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("isn't", "aren't"), ("wasn't", "weren't")];

/// Adverbs that can stand between the subject and its verb.
const ADVERBS: [&str; 12] =
    ["also", "never", "always", "still", "often", "secretly", "once", "now", "only", "already", "usually", "sometimes"];

/// Rewrites a statement so that it addresses the entity with this name. Returns the statement unchanged if it does not
/// contain the name, or if the verb that belongs to the name cannot be found.
pub(super) fn address(statement: &str, name: &str) -> String {
    if name.is_empty() || !has_name(statement, name) {
        return statement.to_owned();
    }
    match rest_after(statement, name) {
        // "Odo, the ferryman, owns a boat": the verb does not follow the name.
        Some(rest) if rest.starts_with(',') => statement.to_owned(),
        Some(rest) => match possessed(rest) {
            Some(rest) => format!("Your{}", address_objects(rest, name)),
            None => format!("You{}", address_objects(&conjugated(rest), name)),
        },
        None => address_objects(statement, name),
    }
}

/// Returns the text after the name at the start of a statement.
fn rest_after<'a>(statement: &'a str, name: &str) -> Option<&'a str> {
    statement.strip_prefix(name).filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// Returns the text after a possessive ending.
fn possessed(rest: &str) -> Option<&str> {
    rest.strip_prefix("'s").or_else(|| rest.strip_prefix("\u{2019}s"))
}

fn has_name(statement: &str, name: &str) -> bool {
    statement.contains(name)
}

/// Replaces the name where it is not the subject: "serves Mirela Voss" becomes "serves you".
fn address_objects(text: &str, name: &str) -> String {
    let mut addressed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        addressed.push_str(before);
        rest = after;
        match (is_word, possessed(after)) {
            (false, _) => addressed.push_str(name),
            (true, Some(after)) => {
                addressed.push_str("your");
                rest = after;
            }
            (true, None) => {
                addressed.push_str("you");
                rest = after;
                // "Pell saw that Mirela Voss was there": the verb after the name agrees with "you". A verb in -s after
                // an object belongs to another subject, so only forms of "be" and "have" are changed.
                let verb = rest.split_whitespace().next().unwrap_or_default();
                if let Some((_, plural)) = IRREGULAR.iter().find(|(singular, _)| *singular == verb) {
                    addressed.push(' ');
                    addressed.push_str(plural);
                    rest = rest.trim_start().strip_prefix(verb).unwrap_or(rest);
                }
            }
        }
    }
    addressed.push_str(rest);
    addressed
}

/// Changes the first verb of a predicate from the third to the second person.
fn conjugated(predicate: &str) -> String {
    let mut words: Vec<String> = predicate.split(' ').map(str::to_owned).collect();
    let verb = words.iter_mut().find(|word| !word.is_empty() && !ADVERBS.contains(&word.as_str()));
    if let Some(verb) = verb {
        *verb = second_person(verb);
    }
    words.join(" ")
}

/// Returns the second person of a verb in the third person. A past tense stays as it is.
fn second_person(verb: &str) -> String {
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
            ("Pell found Mirela Voss's key.", "Pell found your key."),
            ("Pell saw that Mirela Voss was there.", "Pell saw that you were there."),
            ("Mirela Voss, the innkeeper, owns a boat.", "Mirela Voss, the innkeeper, owns a boat."),
            ("Mirela Vossler owns a boat.", "Mirela Vossler owns a boat."),
            ("Pell likes Odo.", "Pell likes Odo."),
        ] {
            assert_eq!(address(statement, "Mirela Voss"), expected);
        }
    }
}
