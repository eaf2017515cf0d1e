//! Parses a line typed into the capture line. The first character decides how the line is parsed.

use hearsay_model::{EntityId, Kind, text};

use crate::names::NameIndex;

/// A parsed line of the capture line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureLine {
    /// A line for the session log.
    Log(String),
    /// `@npc words`: a character speaks. Without words, the line selects the character as the speaker of the scene.
    Speech {
        /// The character who speaks.
        speaker: EntityId,
        /// Text that the character speaks. Empty if the line only selects the speaker.
        words: String,
    },
    /// `#place words`: the scene moves to another place. The words describe an event at this place.
    Move {
        /// The new place.
        place: EntityId,
        /// Text that describes an event at the new place. May be empty.
        words: String,
    },
    /// `!words`: a secret.
    Secret(String),
    /// `+name, occupation, place`: a new entity.
    NewEntity {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
        /// Occupation of the entity; `None` if the line contains no occupation.
        occupation: Option<String>,
        /// Home and current place of the entity; `None` if the line contains no place.
        place: Option<EntityId>,
    },
}

/// Parses a line. Returns `None` for an empty line.
///
/// # Errors
/// Returns an error if a name is unknown, or if required text is missing. The error names the expected input.
pub fn parse(line: &str, names: &NameIndex) -> Result<Option<CaptureLine>, String> {
    let line = line.trim();
    let mut rest = line.chars();
    let Some(prefix) = rest.next() else { return Ok(None) };
    let rest = rest.as_str().trim();
    Ok(Some(match prefix {
        '@' => {
            let (speaker, words) = leading_name(rest, names)
                .ok_or_else(|| unknown_name_error(rest, "the name of the speaker", "@Mirela Voss I know nothing"))?;
            CaptureLine::Speech { speaker, words: words.to_owned() }
        }
        '#' => {
            let (place, words) = leading_name(rest, names)
                .ok_or_else(|| unknown_name_error(rest, "the name of the place", "#Salt Quay"))?;
            CaptureLine::Move { place, words: words.to_owned() }
        }
        '!' if rest.is_empty() => return Err("write the secret after `!`".into()),
        '!' => CaptureLine::Secret(rest.to_owned()),
        '+' => parse_new_entity(rest, names)?,
        _ => CaptureLine::Log(line.to_owned()),
    }))
}

fn unknown_name_error(rest: &str, expected: &str, example: &str) -> String {
    match rest.is_empty() {
        true => format!("write {expected}, as in `{example}`"),
        false => format!(
            "\u{201C}{}\u{201D} does not begin with a known name: write {expected}, as in `{example}`",
            crate::text::shorten(rest, 40)
        ),
    }
}

/// Returns the entity whose name is at the beginning of a text, and the rest of the text. If several names match, uses
/// the longest. Skips a colon or comma after the name.
fn leading_name<'a>(rest: &'a str, names: &NameIndex) -> Option<(EntityId, &'a str)> {
    let ends = rest.char_indices().filter(|(_, c)| !c.is_alphanumeric() && *c != '\'' && *c != '-').map(|(at, _)| at);
    let mut ends: Vec<usize> = ends.chain([rest.len()]).filter(|end| *end > 0 && *end <= 80).collect();
    ends.dedup();
    let name_match = ends.into_iter().rev().find_map(|end| Some((names.find(&rest[..end])?.id.clone(), end)));
    // If no complete name matches, accept the beginning of a name if only one entity has such a name.
    let name_match = name_match.or_else(|| {
        let word =
            rest.split(|c: char| c.is_whitespace() || c == ':' || c == ',').next().filter(|word| !word.is_empty())?;
        match names.completions(word, |_| true, 2)[..] {
            [only] => Some((only.id.clone(), word.len())),
            _ => None,
        }
    });
    let (id, end) = name_match?;
    Some((id, rest[end..].trim_start_matches([':', ',']).trim_start()))
}

fn parse_new_entity(rest: &str, names: &NameIndex) -> Result<CaptureLine, String> {
    let mut parts = rest.split(',').map(str::trim).filter(|part| !part.is_empty());
    let name = parts.next().ok_or("write the name of the new entity, as in `+Bram, ferryman, Salt Quay`")?.to_owned();
    if names.is_taken(&name) {
        return Err(format!(
            "an entity named {name} exists already: choose a name that tells them apart, as in `+{name} the younger`"
        ));
    }
    let (mut kind, mut occupation, mut place) = (Kind::Npc, None, None);
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let built_in = Kind::BUILT_IN.into_iter().find(|kind| kind.as_str() == text::normalize(part));
        let is_last = number + 1 == parts.len();
        // A word in lower case is an occupation, unless it is the complete name of a place.
        let is_name = part.starts_with(char::is_uppercase) || names.is_taken(part);
        let named_place = names.find(part).filter(|named| is_name && named.kind == Some(Kind::Location));
        match (built_in, named_place) {
            (Some(known_kind), _) => kind = known_kind,
            (None, Some(entity)) => place = Some(entity.id.clone()),
            (None, None) if occupation.is_none() => occupation = Some((*part).to_owned()),
            (None, None) if is_last => {
                return Err(format!("there is no place named \u{201C}{part}\u{201D}: add it with `+{part}, location`"));
            }
            (None, None) => {
                return Err(format!(
                    "\u{201C}{part}\u{201D} is neither a kind nor a place: write `+name, occupation, place`"
                ));
            }
        }
    }
    Ok(CaptureLine::NewEntity { name, kind, occupation, place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gullhaven_state;

    fn parsed(line: &str) -> Result<Option<CaptureLine>, String> {
        parse(line, &NameIndex::from_state(&gullhaven_state()))
    }

    fn id(text: &str) -> EntityId {
        EntityId::new(text).unwrap()
    }

    #[test]
    fn the_first_character_determines_the_kind_of_line() {
        assert_eq!(parsed("   "), Ok(None));
        assert_eq!(parsed("Grimjaw left."), Ok(Some(CaptureLine::Log("Grimjaw left.".into()))));
        let words = "I never saw it.".to_owned();
        let speaker = id("mirela-voss");
        assert_eq!(parsed("@Mirela Voss: I never saw it."), Ok(Some(CaptureLine::Speech { speaker, words })));
        assert_eq!(parsed("!He owes the guild."), Ok(Some(CaptureLine::Secret("He owes the guild.".into()))));
        let error = parsed("@Zzyzx hello").unwrap_err();
        assert!(error.contains("@Mirela Voss"), "{error}");
        assert!(parsed("!").is_err());
    }

    #[test]
    fn somebody_new_has_a_name_an_occupation_and_a_place() {
        let place = NameIndex::from_state(&gullhaven_state())
            .all()
            .iter()
            .find(|named| named.kind == Some(Kind::Location))
            .unwrap()
            .clone();
        let line = parsed(&format!("+Bramwell Oarsong, ferryman, {}", place.name));
        let occupation = Some("ferryman".into());
        let name = "Bramwell Oarsong".to_owned();
        assert_eq!(line, Ok(Some(CaptureLine::NewEntity { name, kind: Kind::Npc, occupation, place: Some(place.id) })));
        assert!(parsed("+Mirela Voss").unwrap_err().contains("already"));
        assert!(parsed("+Ann, cook, Nowhere At All").unwrap_err().contains("no place"));
        let Ok(Some(CaptureLine::NewEntity { occupation, place, .. })) = parsed("+Ann, gilded, Salt Quay") else {
            panic!("a word in lower case is an occupation")
        };
        assert_eq!((occupation.as_deref(), place), (Some("gilded"), Some(id("salt-quay"))));
        let line = parsed("+Old Mill, location").unwrap();
        assert!(matches!(line, Some(CaptureLine::NewEntity { kind: Kind::Location, .. })));
    }
}
