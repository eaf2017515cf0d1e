//! Schemas of the model's answers, and the code that reads the answers.

use std::sync::LazyLock;

use hearsay_model::Kind;
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::json_repair;

/// Entity proposed by the model, before any check.
#[derive(Debug, Clone, Deserialize, PartialEq)]
pub(crate) struct EntityItem {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) kind: Option<String>,
    pub(crate) quote: String,
    #[serde(default)]
    pub(crate) confidence: Option<f64>,
}

/// Fact proposed by the model, before any check.
#[derive(Debug, Clone, Deserialize, PartialEq)]
pub(crate) struct FactItem {
    pub(crate) subject: String,
    pub(crate) predicate: String,
    #[serde(default)]
    pub(crate) object: Option<String>,
    #[serde(default)]
    pub(crate) value: Option<String>,
    #[serde(default)]
    pub(crate) statement: Option<String>,
    pub(crate) quote: String,
    #[serde(default)]
    pub(crate) confidence: Option<f64>,
    #[serde(default)]
    pub(crate) stated_by: Option<String>,
    #[serde(default)]
    pub(crate) told_to: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) denied: Option<bool>,
    #[serde(default)]
    pub(crate) over: Option<bool>,
}

/// Schema of an answer: a JSON object with one list of items.
pub(crate) struct AnswerSchema {
    pub(crate) name: &'static str,
    /// JSON schema that is sent to the server. Servers expect that the schema requires all fields and allows no other
    /// fields.
    pub(crate) server_schema: Value,
    item_validator: Option<Validator>,
}

impl AnswerSchema {
    fn new(name: &'static str, item: Value, required: &[&str]) -> Self {
        let all: Vec<&String> = item.as_object().map(|item| item.keys().collect()).unwrap_or_default();
        let strict = json!({"type": "object", "properties": item, "required": all, "additionalProperties": false});
        let schema = json!({
            "type": "object",
            "properties": {name: {"type": "array", "items": strict}},
            "required": [name],
            "additionalProperties": false,
        });
        // An item may lack optional fields, although the schema for the server requires all fields.
        let lenient = json!({"type": "object", "properties": item, "required": required});
        // The schema is constant, and a test checks that it is valid.
        Self { name, server_schema: schema, item_validator: jsonschema::draft202012::new(&lenient).ok() }
    }
}

pub(crate) static ENTITIES_SCHEMA: LazyLock<AnswerSchema> = LazyLock::new(|| {
    let kinds: Vec<&str> = Kind::BUILT_IN.iter().map(Kind::as_str).collect();
    let item = json!({
        "name": {"type": "string"},
        "kind": {"type": ["string", "null"], "description": kinds.join(", ")},
        "quote": {"type": "string"},
        "confidence": {"type": ["number", "null"]},
    });
    AnswerSchema::new("entities", item, &["name", "quote"])
});

pub(crate) static FACTS_SCHEMA: LazyLock<AnswerSchema> = LazyLock::new(|| {
    let text = || json!({"type": ["string", "null"]});
    let item = json!({
        "subject": {"type": "string"},
        "predicate": {"type": "string"},
        "object": text(),
        "value": text(),
        "statement": text(),
        "quote": {"type": "string"},
        "confidence": {"type": ["number", "null"]},
        "stated_by": text(),
        "told_to": {"type": ["array", "null"], "items": {"type": "string"}},
        "denied": {"type": ["boolean", "null"]},
        "over": {"type": ["boolean", "null"]},
    });
    AnswerSchema::new("facts", item, &["subject", "predicate", "quote"])
});

/// Items read from an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer<T> {
    pub(crate) items: Vec<T>,
    /// Number of items that do not match the schema.
    pub(crate) malformed: usize,
    pub(crate) is_repaired: bool,
}

/// Maximum number of items in an answer. Further items are ignored and counted as malformed.
const MAX_ITEMS: usize = 500;

/// Reads an answer. Repairs the JSON of the answer, checks each item against the schema, and returns the valid items.
///
/// # Errors
/// Returns an error if the answer has no list of items, or if it has items but none of them is valid. The message can
/// be sent to the model.
pub(crate) fn parse_answer<T: for<'de> Deserialize<'de>>(
    schema: &AnswerSchema,
    answer: &str,
) -> Result<Answer<T>, String> {
    let parsed = json_repair::parse_lenient(answer)?;
    let list = match &parsed.value {
        Value::Array(list) => list,
        Value::Object(members) => match members.get(schema.name) {
            Some(Value::Array(list)) => list,
            _ if parsed.is_cut_off => return Err(format!("it breaks off before the first item of `{}`", schema.name)),
            _ => return Err(format!("the list `{}` is missing", schema.name)),
        },
        _ => return Err(format!("expected an object with a list `{}`", schema.name)),
    };
    let mut result = Answer { items: Vec::new(), malformed: 0, is_repaired: parsed.is_repaired };
    let mut first_error = None;
    for item in list.iter().take(MAX_ITEMS) {
        let item = with_correct_types(item);
        let error = schema
            .item_validator
            .as_ref()
            .and_then(|validator| validator.validate(&item).err().map(|error| error.to_string()));
        let result_item = match error {
            Some(error) => Err(error),
            None => serde_json::from_value(item).map_err(|error| error.to_string()),
        };
        match result_item {
            Ok(item) => result.items.push(item),
            Err(error) => {
                result.malformed += 1;
                first_error.get_or_insert(error);
            }
        }
    }
    result.malformed += list.len().saturating_sub(MAX_ITEMS);
    match first_error {
        Some(error) if result.items.is_empty() => {
            Err(format!("no item of `{}` matches the schema: {error}", schema.name))
        }
        _ => Ok(result),
    }
}

/// Checks properties of all answers: repaired JSON can be read again with the same result, and the number of items is
/// limited. Panics if a property is violated.
pub(crate) fn check_properties(answer: &str) {
    if let Ok(parsed) = json_repair::parse_lenient(answer) {
        let written = parsed.value.to_string();
        let again = json_repair::parse_lenient(&written).map(|again| again.value);
        assert!(again.as_ref() == Ok(&parsed.value), "what was repaired is sound: {written}");
    }
    if let Ok(answer) = parse_answer::<EntityItem>(&ENTITIES_SCHEMA, answer) {
        assert!(answer.items.len() <= MAX_ITEMS, "an answer is bounded");
    }
    if let Ok(answer) = parse_answer::<FactItem>(&FACTS_SCHEMA, answer) {
        assert!(answer.items.len() <= MAX_ITEMS, "an answer is bounded");
    }
}

/// Returns the item with corrected types. Some models write a number as text, or text as a number.
fn with_correct_types(item: &Value) -> Value {
    let Value::Object(members) = item else { return item.clone() };
    let members = members.iter().map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("confidence", Value::String(text)) => text.trim().parse::<f64>().map_or(Value::Null, Value::from),
            ("confidence" | "denied" | "over", value) => value.clone(),
            ("told_to", Value::String(one)) => json!([one]),
            (_, Value::Number(number)) => Value::String(number.to_string()),
            (_, Value::Bool(flag)) => Value::String(if *flag { "yes" } else { "no" }.to_owned()),
            (_, value) => value.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(members.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_are_whole() {
        for schema in [&*ENTITIES_SCHEMA, &*FACTS_SCHEMA] {
            assert!(schema.item_validator.is_some(), "{}", schema.name);
            assert!(jsonschema::draft202012::new(&schema.server_schema).is_ok());
        }
    }

    #[test]
    fn right_items_are_taken_and_wrong_ones_counted() {
        let answer = parse_answer::<FactItem>(
            &FACTS_SCHEMA,
            r#"{"facts": [{"subject": "odo", "predicate": "OWNS", "object": "barge", "quote": "Odo owns", "confidence": "0.9"},
                {"subject": "odo"}, 5, {"subject": "odo", "predicate": "age", "value": 40, "quote": "forty", "told_to": "bram",}]}"#,
        );
        let answer = answer.unwrap();
        assert_eq!((answer.items.len(), answer.malformed, answer.is_repaired), (2, 2, true));
        assert_eq!(answer.items[0].confidence, Some(0.9));
        assert_eq!(
            (answer.items[1].value.as_deref(), answer.items[1].told_to.as_deref()),
            (Some("40.0"), Some(&["bram".to_owned()][..]))
        );
    }

    #[test]
    fn answers_without_items_are_told_why() {
        let check = |answer: &str, expected: &str| {
            let error = parse_answer::<EntityItem>(&ENTITIES_SCHEMA, answer).unwrap_err();
            assert!(error.contains(expected), "{answer}: {error}");
        };
        check("{\"facts\": []}", "`entities`");
        check("{\"entities\": [{\"name\": 1}]}", "quote");
        check("{\"ent", "breaks off");
        check("sorry", "no JSON");
        assert_eq!(parse_answer::<EntityItem>(&ENTITIES_SCHEMA, "[]").unwrap().items, []);
    }
}
