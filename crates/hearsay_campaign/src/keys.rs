//! The keys that the reader accepts. A test checks that `schema/campaign.schema.json` has the same keys.

/// The keys of one kind of mapping in campaign files.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The name of the definition under `$defs` in the schema; empty for the file itself.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) schema_name: &'static str,
    /// The description of the mapping in errors.
    pub(crate) description: &'static str,
    /// The keys, in groups. Several mappings may share a group.
    pub(crate) groups: &'static [&'static [&'static str]],
}

impl Keys {
    pub(crate) fn all_keys(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.groups.iter().flat_map(|group| group.iter().copied())
    }
}

/// Keys that every fact can have: its handle, sentence, status, dates and audience.
const MARK_KEYS: &[&str] = &[
    "id",
    "text",
    "statement",
    "about",
    "status",
    "confidence",
    "since",
    "until",
    "attitude",
    "rank",
    "conditions",
    "common",
    "audience",
    "known_by",
];
/// Keys that decide which characters know a fact, and which of them conceal it.
const SECRECY_KEYS: &[&str] = &["secret", "bearer", "conceals", "reveal", "public"];
/// Keys for the content of a fact.
const CONTENT_KEYS: &[&str] = &["type", "target", "value"];
/// Keys for the relation of a fact to another fact.
const FACT_RELATION_KEYS: &[&str] = &["distorts", "refutes", "ends"];
/// Keys that describe a knower, and how the knower learned a fact.
const KNOWER_KEYS: &[&str] = &["who", "how", "from", "citing", "when", "with", "rank", "credence", "conceals"];
/// Keys that other tools use for the target of a relation.
const TARGET_KEYS: &[&str] = &["target_id", "target_name", "bidirectional"];

macro_rules! keys {
    ($($name:ident = $def:literal, $what:literal, $groups:expr;)*) => {
        $(pub(crate) const $name: Keys = Keys { schema_name: $def, description: $what, groups: $groups };)*
        /// All kinds of mappings.
        #[cfg(test)]
        pub(crate) const ALL: &[&Keys] = &[$(&$name),*];
    };
}

keys! {
    FILE = "", "a campaign file", &[&["format", "campaign", "calendar", "audience", "minds", "predicates", "attributes",
        "entities", "relationships", "facts", "rumours", "lies", "knowledge", "passages", "sessions", "flags"]];
    CAMPAIGN = "campaign", "the campaign", &[&["id", "name", "description", "system", "start"]];
    CALENDAR = "calendar", "the calendar", &[&["name", "months", "weekdays", "hours_per_day", "minutes_per_hour", "era",
        "leap", "year_zero", "eras"]];
    MONTH = "month", "a month", &[&["name", "days"]];
    LEAP = "leap_rule", "a leap rule", &[&["every", "except_every", "unless_every", "offset", "month", "days"]];
    ERA = "era", "an era", &[&["name", "short", "start", "end", "first", "backwards"]];
    AUDIENCE = "audience_rules", "the audience rules", &[&["default", "predicates", "attributes"]];
    MINDS = "mind_rules", "the rules for minds", &[&["forgetting", "distortion", "stifling",
        "feelings_half_life_days"]];
    PREDICATE = "predicate", "a predicate", &[&["name", "inverse", "phrase", "inverse_phrase", "symmetric", "functional",
        "history", "embedded", "audience", "opposites", "examples", "behavior", "words"]];
    ATTRIBUTE_DEF = "attribute_def", "an attribute", &[&["name", "kinds", "phrase", "functional", "history",
        "embedded", "audience", "behavior"]];
    BEHAVIOR = "behavior", "a behavior", &[&["belonging", "thread", "event", "attitude", "object_attitude", "fear",
        "fatal", "vague", "notable", "minor", "visible", "identity", "scenery", "comparison", "reference", "dead_values",
        "ended_values", "feelings"]];
    FEELINGS = "feeling_changes", "changes of feelings", &[&["affinity", "respect", "fear", "debt"]];
    RELATION_WORDS = "relation_words", "the mapping `words`", &[&["fields", "inverse_fields", "lists", "nouns",
        "inverse_nouns", "verbs", "inverse_verbs"]];
    ENTITY = "entity", "an entity", &[
        &["id", "name", "kind", "player", "pronouns", "aliases", "description", "home", "location", "part_of",
            "faction", "attributes", "relationships", "facts", "secrets"],
        // Keys that other tools use.
        &["type", "properties", "tags", "visibility", "personality", "behavior_rules", "knowledge_scope",
            "secret_knowledge"],
    ];
    ALIAS = "alias", "an alias", &[&["name"], MARK_KEYS, SECRECY_KEYS];
    ATTRIBUTE = "attribute", "an attribute's value", &[&["value"], MARK_KEYS, SECRECY_KEYS];
    SCENE = "scene", "a text among attributes", &[&["title", "content"]];
    RELATIONSHIP = "relationship", "a relationship",
        &[MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS, TARGET_KEYS];
    TOP_RELATIONSHIP = "top_relationship", "a relationship",
        &[&["source"], MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS, TARGET_KEYS];
    ENTITY_FACT = "entity_fact", "a fact", &[MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS];
    FACT = "fact", "a fact", &[&["subject"], MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS];
    RUMOUR = "rumour", "a rumour", &[&["subject", "truth", "heard_by", "contradicts"], MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS,
        FACT_RELATION_KEYS];
    LIE = "lie", "a lie",
        &[&["subject", "by", "told_to", "truth_is"], MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS];
    STATED = "stated", "a fact in a line or passage",
        &[&["fact", "credence", "subject"], MARK_KEYS, SECRECY_KEYS, CONTENT_KEYS, FACT_RELATION_KEYS];
    PUBLIC = "public", "the public version", &[MARK_KEYS, CONTENT_KEYS];
    HOLDER = "holder", "a knower", &[KNOWER_KEYS];
    KNOWLEDGE = "knowledge", "an entry of `knowledge`", &[&["fact"], KNOWER_KEYS];
    PASSAGE = "passage", "a passage", &[&["id", "title", "text", "about", "document", "place", "common", "known_by",
        "secret", "audience", "facts"]];
    SESSION = "session", "a session", &[&["id", "number", "title", "date", "start", "end", "place", "present", "summary",
        "log"]];
    REVEAL = "reveal", "a reveal", &[&["id", "when", "holder", "note"]];
    CONDITION = "condition", "a condition", &[&["trust", "feels", "owns", "member", "at", "stage", "attribute", "flag",
        "date", "knows", "all", "any", "not"]];
    TRUST = "trust", "a condition on trust", &[&["who", "of", "at_least"]];
    FEELS = "feels", "a condition on a feeling", &[&["who", "towards", "feeling", "at_least"]];
    OWNS = "owns", "a condition on ownership", &[&["who", "item"]];
    MEMBER = "member", "a condition on membership", &[&["who", "group", "rank"]];
    AT = "at", "a condition on a place", &[&["who", "place"]];
    STAGE = "stage", "a condition on a quest", &[&["quest", "is"]];
    ATTRIBUTE_IS = "attribute_is", "a condition on an attribute", &[&["of", "name", "is"]];
    KNOWS = "knows", "a condition on knowledge", &[&["who", "fact"]];
    LINE = "line", "a line of the log", &[&["speaker", "text", "with", "heard_by", "place", "time", "facts"]];
}

/// Returns the candidate that is most similar to a written key, if it is similar enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    hearsay_model::spelling::nearest_name(word, candidates, |candidate| candidate)
}

/// Returns a hint that names the candidate most similar to the written key. If none is similar, the hint names all
/// candidates.
pub(crate) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, candidates.clone()) {
        Some(nearest_key) => format!("did you mean `{nearest_key}`?"),
        None => format!("expected one of {}", candidates.into_iter().collect::<Vec<_>>().join(", ")),
    }
}
