//! Classes of entities that a pattern requires, such as person or place.

use hearsay_model::Kind;

/// Set of entity classes, stored as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KindSet(u8);

impl KindSet {
    pub(crate) const PERSON: Self = Self(1);
    pub(crate) const GROUP: Self = Self(2);
    pub(crate) const PLACE: Self = Self(4);
    pub(crate) const THING: Self = Self(8);
    pub(crate) const EVENT: Self = Self(16);
    pub(crate) const QUEST: Self = Self(32);
    pub(crate) const CONCEPT: Self = Self(64);
    pub(crate) const ANY: Self = Self(127);

    /// Parses class names that are separated by spaces, such as `person group`. An empty text means any class.
    ///
    /// Returns an error message if a name is unknown.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut kinds = 0;
        for word in text.split_whitespace() {
            kinds |= match word {
                "person" => Self::PERSON.0,
                "group" => Self::GROUP.0,
                "place" => Self::PLACE.0,
                "thing" => Self::THING.0,
                "event" => Self::EVENT.0,
                "quest" => Self::QUEST.0,
                "concept" => Self::CONCEPT.0,
                "value" | "title" | "missing" => Self::ANY.0,
                other => {
                    return Err(format!(
                        "unknown class `{other}`; expected person, group, place, thing, event, quest or concept"
                    ));
                }
            };
        }
        Ok(if kinds == 0 { Self::ANY } else { Self(kinds) })
    }

    /// Returns the classes to which an entity of a kind can belong. An unknown or custom kind allows all classes.
    pub(crate) fn from_kind(kind: Option<&Kind>) -> Self {
        match kind {
            Some(Kind::Npc | Kind::Player) => Self::PERSON,
            Some(Kind::Location) => Self::PLACE,
            Some(Kind::Faction | Kind::Party) => Self::GROUP,
            Some(Kind::Item | Kind::Document) => Self::THING,
            Some(Kind::Event) => Self::EVENT,
            Some(Kind::Quest) => Self::QUEST,
            Some(Kind::Concept) => Self::CONCEPT,
            Some(Kind::Custom(_)) | None => Self::ANY,
        }
    }

    /// Returns the usual kind of the class, or `None` if the set has several classes.
    pub(crate) fn likely_kind(self) -> Option<Kind> {
        match self {
            Self::PERSON => Some(Kind::Npc),
            Self::PLACE => Some(Kind::Location),
            Self::GROUP => Some(Kind::Faction),
            Self::THING => Some(Kind::Item),
            Self::EVENT => Some(Kind::Event),
            Self::QUEST => Some(Kind::Quest),
            Self::CONCEPT => Some(Kind::Concept),
            _ => None,
        }
    }

    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn is_any(self) -> bool {
        self == Self::ANY
    }
}
