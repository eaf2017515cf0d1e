//! Writes a draft as a campaign file, in the form in which a DM writes one.

use std::fmt::Write;

use hearsay_model::{EntityId, Kind};

use super::draft::{Draft, DraftEntity, DraftLie, DraftRumour, DraftSecret, DraftSecretName};

/// Column at which a paragraph is wrapped.
const WIDTH: usize = 100;

/// Words that YAML reads as a value other than text.
const NOT_TEXT: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan"];

const HEADER: &str = "\
# A Hearsay campaign. Add entities here, or in more .yaml files in this directory.
# The chapter \"campaign format\" of Hearsay's guide (crates/hearsay_campaign/FORMAT.md in the source) lists all keys.
# A reference such as `location: the-inn` names an entity by its id or its name. Other keys of an entity are
# `aliases`, `attributes`, `relationships` and `facts`.
format: 1
";

/// Comments that explain a key where it occurs first.
#[derive(Default)]
struct Comments {
    used: Vec<&'static str>,
}

impl Comments {
    /// Returns a comment at its first use, and nothing later.
    fn once(&mut self, comment: &'static str) -> String {
        if self.used.contains(&comment) {
            return String::new();
        }
        self.used.push(comment);
        format!("  # {comment}")
    }
}

/// Returns the text of a campaign file.
pub(super) fn write(draft: &Draft) -> String {
    let mut text = String::from(HEADER);
    let mut comments = Comments::default();
    let _ = writeln!(text, "\ncampaign:\n  name: {}", scalar(&draft.name));
    text.push_str("  # description: One sentence that everybody in the world knows.\n");
    text.push_str("  start: day 1  # the day on which play begins; `calendar:` names your own months\n");
    if draft.has_common_names {
        text.push_str("\n# Everybody knows all names. Without this, characters learn a name when they hear it.\n");
        text.push_str("audience: {attributes: {name: common}}\n");
    }
    if !draft.entities.is_empty() {
        text.push_str("\nentities:\n");
        let entries: Vec<String> = draft.entities.iter().map(|entity| entry(entity, &mut comments)).collect();
        text.push_str(&entries.join("\n"));
    }
    if !draft.rumours.is_empty() {
        text.push_str(
            "\n# A rumour is not a fact. Only the characters and the residents of the places in `heard_by: [ID, ID]` know it.\n\
             # `truth` is true, false or unknown.\nrumours:\n",
        );
        draft.rumours.iter().for_each(|rumour| text.push_str(&rumour_entry(rumour)));
    }
    if !draft.lies.is_empty() {
        text.push_str(
            "\n# The liar `by` knows that the lie is false; the characters in `told_to: [ID, ID]` believe it. To name the\n\
             # true fact, give this fact an `id`, and add `truth_is: ID` to the lie.\nlies:\n",
        );
        draft.lies.iter().for_each(|lie| text.push_str(&lie_entry(lie)));
    }
    if !draft.texts.is_empty() {
        text.push_str(
            "\n# Only you see these texts. To let characters know a text, add `known_by: [ID, ID]` to it. To let everybody\n\
             # know a text, replace `secret: true` by `common: true`.\npassages:\n",
        );
        for passage in &draft.texts {
            let _ = writeln!(text, "  - text: {}\n    secret: true", block(&passage.text, 4));
        }
    }
    text
}

fn entry(entity: &DraftEntity, comments: &mut Comments) -> String {
    let id_comment = comments.once("the id, for commands and references");
    let mut text = format!("  - id: {}{id_comment}\n    name: {}\n", scalar(entity.id.as_str()), scalar(&entity.name));
    let aliases = entity.aliases.iter().map(|alias| scalar(alias));
    let aliases: Vec<String> = aliases.chain(entity.secret_names.iter().map(secret_name)).collect();
    if !aliases.is_empty() {
        let _ = writeln!(text, "    aliases: [{}]", aliases.join(", "));
    }
    let kind_comment = comments.once("npc, player, location, faction, item, … or a word of your own");
    let _ = writeln!(text, "    kind: {}{kind_comment}", scalar(entity.kind.as_str()));
    if let Some(player) = &entity.player {
        let comment = comments.once("the person at the table");
        let _ = writeln!(text, "    player: {}{comment}", scalar(player));
    }
    let occupation = entity.occupation.as_deref().map(|occupation| format!("occupation: {}", scalar(occupation)));
    let condition = entity.condition.as_deref().map(|condition| match &entity.condition_known_in {
        Some(place) => format!("condition: {{value: {}, known_by: [{}]}}", scalar(condition), scalar(place.as_str())),
        None => format!("condition: {}", scalar(condition)),
    });
    let attributes: Vec<String> = occupation.into_iter().chain(condition).collect();
    if !attributes.is_empty() {
        let comment = comments.once("everybody who meets the character learns it");
        let _ = writeln!(text, "    attributes: {{{}}}{comment}", attributes.join(", "));
    }
    if let Some(place) = &entity.home {
        let comment = if entity.is_home_workplace { "works here, so lives here" } else { "lives here" };
        let _ = writeln!(text, "    home: {}{}", scalar(place.as_str()), comments.once(comment));
    } else if entity.is_guest {
        let _ = writeln!(text, "    home: none{}", comments.once("is only a guest at its location"));
    }
    if let Some(place) = &entity.location {
        let comment = match entity.kind {
            Kind::Npc if entity.home.is_some() || entity.is_guest => String::new(),
            Kind::Npc => comments.once("is here, and lives here too; `home: …` names another home"),
            _ => comments.once("is here when play begins"),
        };
        let _ = writeln!(text, "    location: {}{comment}", scalar(place.as_str()));
    }
    if let Some(place) = &entity.part_of {
        let comment = comments.once("the larger place that this place belongs to");
        let _ = writeln!(text, "    part_of: {}{comment}", scalar(place.as_str()));
    }
    if !entity.groups.is_empty() || !entity.ties.is_empty() {
        text.push_str("    relationships:\n");
        for group in &entity.groups {
            let rank = group.rank.as_ref().map(|rank| format!(", rank: {}", scalar(rank))).unwrap_or_default();
            let _ =
                writeln!(text, "      - {{type: {}, target: {}{rank}}}", group.relation, scalar(group.group.as_str()));
        }
        for tie in &entity.ties {
            let _ = writeln!(text, "      - {{type: {}, target: {}}}", tie.relation, scalar(tie.other.as_str()));
        }
    }
    if !entity.description.is_empty() {
        let comment = comments
            .once("known to the entity, and to the characters with the same home; of a place, to its residents");
        if !comment.is_empty() {
            let _ = writeln!(text, "    {}", comment.trim_start());
        }
        let paragraphs: Vec<&str> = entity.description.iter().map(|paragraph| paragraph.text.as_str()).collect();
        let _ = writeln!(text, "    description: {}", block(&paragraphs.join("\n\n"), 4));
    }
    if !entity.secrets.is_empty() {
        let comment = comments.once(
            "only this entity, and the knowers in `known_by: […]`, know and conceal these \
                                     facts",
        );
        let _ = writeln!(text, "    secrets:{comment}");
        for secret in &entity.secrets {
            text.push_str(&secret_entry(secret, comments));
        }
    }
    text
}

/// Writes a secret name as an entry of `aliases`.
fn secret_name(secret: &DraftSecretName) -> String {
    let knowers: Vec<String> = secret.known_by.iter().map(EntityId::as_str).map(scalar).collect();
    let known_by = if knowers.is_empty() { String::new() } else { format!(", known_by: [{}]", knowers.join(", ")) };
    format!("{{name: {}, secret: true{known_by}}}", scalar(&secret.name))
}

fn secret_entry(secret: &DraftSecret, comments: &mut Comments) -> String {
    let id = secret.id.as_ref().map(|id| format!("id: {}\n        ", scalar(id))).unwrap_or_default();
    let mut text = format!("      - {id}text: {}\n", block(&secret.text, 8));
    if secret.is_unknown_to_owner {
        let comment = comments.once("this entity does not know this fact; `known_by: […]` names the knowers");
        let _ = writeln!(text, "        bearer: false{comment}");
    }
    text + &id_lists("        ", [("about", &secret.about), ("known_by", &secret.known_by)])
}

fn rumour_entry(rumour: &DraftRumour) -> String {
    let mut text = format!("  - text: {}\n", block(&rumour.text.text, 4));
    if let Some(truth) = rumour.truth {
        let _ = writeln!(text, "    truth: {truth}");
    }
    text + &id_lists("    ", [("about", &rumour.about), ("heard_by", &rumour.heard_by)])
}

fn lie_entry(lie: &DraftLie) -> String {
    let text = format!("  - by: {}\n    text: {}\n", scalar(lie.by.as_str()), block(&lie.text.text, 4));
    let truth = lie.truth_is.as_ref().map(|id| format!("    truth_is: {}\n", scalar(id))).unwrap_or_default();
    text + &id_lists("    ", [("about", &lie.about), ("told_to", &lie.told_to)]) + &truth
}

/// Writes the lists that are not empty, each on one line.
fn id_lists(indentation: &str, lists: [(&str, &Vec<EntityId>); 2]) -> String {
    let mut text = String::new();
    for (key, ids) in lists.into_iter().filter(|(_, ids)| !ids.is_empty()) {
        let ids: Vec<String> = ids.iter().map(EntityId::as_str).map(scalar).collect();
        let _ = writeln!(text, "{indentation}{key}: [{}]", ids.join(", "));
    }
    text
}

/// Writes a text as a YAML scalar on one line: plain if that is safe, otherwise in quotes.
pub(super) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Writes a text as a YAML string in double quotes. JSON strings are valid YAML; YAML also reads some characters as line
/// breaks that JSON does not escape.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unprintable(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(quoted, "\\u{unit:04x}");
            }
        } else {
            quoted.push(c);
        }
    }
    quoted
}

fn is_unprintable(c: char) -> bool {
    c.is_control() || hearsay_model::escape::is_hostile(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Returns whether YAML reads a text as it is, without quotes, as the same text.
fn is_plain(text: &str) -> bool {
    let begins_with_letter = text.chars().next().is_some_and(char::is_alphabetic);
    let has_marks = text.contains(": ") || text.contains(" #") || text.contains(['[', ']', '{', '}', ',', '"', '`']);
    begins_with_letter
        && !has_marks
        && !text.ends_with(|c: char| c == ':' || c.is_whitespace())
        && !text.chars().any(is_unprintable)
        && !NOT_TEXT.contains(&text.to_lowercase().as_str())
}

/// Writes a text with one or more paragraphs: on one line if it is short, otherwise as a folded block.
fn block(text: &str, indentation: usize) -> String {
    let is_short = text.chars().count() <= WIDTH && !text.contains('\n');
    if is_short || text.chars().any(|c| c != '\n' && is_unprintable(c)) {
        return prose_scalar(text);
    }
    let mut block = String::from(">");
    let start = " ".repeat(indentation + 2);
    for (n, paragraph) in text.split("\n\n").enumerate() {
        block.push_str(if n == 0 { "" } else { "\n" });
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = write!(block, "\n{start}{line}");
                line.clear();
            }
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
        let _ = write!(block, "\n{start}{line}");
    }
    block
}

/// Writes a sentence as a scalar. Outside of brackets, commas are safe.
fn prose_scalar(text: &str) -> String {
    if is_plain(&text.replace(',', "")) { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_quoted_only_if_needed() {
        for plain in ["Mirela Voss", "O'Hara", "Žofie", "the-gilded-gull", "Who is it?"] {
            assert_eq!(scalar(plain), plain);
        }
        for (text, expected) in [
            ("The Voice: Echo", "\"The Voice: Echo\""),
            ("Mad \"Dog\" Mel", "\"Mad \\\"Dog\\\" Mel\""),
            ("No", "\"No\""),
            ("12", "\"12\""),
            ("a, b", "\"a, b\""),
            ("#1", "\"#1\""),
            ("bell\u{7}", "\"bell\\u0007\""),
            ("line\u{2028}", "\"line\\u2028\""),
            ("", "\"\""),
        ] {
            assert_eq!(scalar(text), expected);
        }
        assert_eq!(prose_scalar("She is kind, and old."), "She is kind, and old.");
    }

    #[test]
    fn long_texts_are_folded() {
        let words = "word ".repeat(30);
        let text = format!("{}\n\n- [x]: {{second}}", words.trim());
        let folded = block(&text, 4);
        assert!(folded.starts_with(">\n      word word") && folded.ends_with("\n\n      - [x]: {second}"), "{folded}");
        assert!(folded.lines().all(|line| line.chars().count() <= WIDTH + 6), "{folded}");
    }
}
