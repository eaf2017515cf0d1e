//! Schemas of the model's answers, and the code that reads the answers.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, json};

use super::repair;
use hearsay_model::Kind;

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
pub(crate) struct Form {
    pub(crate) name: &'static str,
    /// JSON schema that is sent to the server. Servers expect that all fields are required and that no others are
    /// allowed.
    pub(crate) schema: Value,
    item: Option<Validator>,
}

impl Form {
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
        Self { name, schema, item: jsonschema::draft202012::new(&lenient).ok() }
    }
}

pub(crate) static ENTITIES: LazyLock<Form> = LazyLock::new(|| {
    let kinds: Vec<&str> = Kind::BUILT_IN.iter().map(Kind::as_str).collect();
    let item = json!({
        "name": {"type": "string"},
        "kind": {"type": ["string", "null"], "description": kinds.join(", ")},
        "quote": {"type": "string"},
        "confidence": {"type": ["number", "null"]},
    });
    Form::new("entities", item, &["name", "quote"])
});

pub(crate) static FACTS: LazyLock<Form> = LazyLock::new(|| {
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
    Form::new("facts", item, &["subject", "predicate", "quote"])
});

/// Items read from an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer<T> {
    pub(crate) items: Vec<T>,
    /// Number of items that do not match the schema.
    pub(crate) malformed: usize,
    pub(crate) repaired: bool,
}

/// Maximum number of items in an answer. Further items are ignored and counted as malformed.
const MOST_ITEMS: usize = 500;

/// Reads an answer. Repairs its JSON, checks each item against the schema, and returns the valid items.
///
/// # Errors
/// Returns an error if the answer has no list of items, or if it has items but none of them is valid. The message can
/// be sent to the model.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(form: &Form, answer: &str) -> Result<Answer<T>, String> {
    let read = repair::read(answer)?;
    let list = match &read.value {
        Value::Array(list) => list,
        Value::Object(members) => match members.get(form.name) {
            Some(Value::Array(list)) => list,
            _ if read.cut_off => return Err(format!("it breaks off before the first item of `{}`", form.name)),
            _ => return Err(format!("the list `{}` is missing", form.name)),
        },
        _ => return Err(format!("expected an object with a list `{}`", form.name)),
    };
    let mut result = Answer { items: Vec::new(), malformed: 0, repaired: read.repaired };
    let mut why = None;
    for item in list.iter().take(MOST_ITEMS) {
        let item = scalars(item);
        let wrong =
            form.item.as_ref().and_then(|validator| validator.validate(&item).err().map(|error| error.to_string()));
        let checked = match wrong {
            Some(wrong) => Err(wrong),
            None => serde_json::from_value(item).map_err(|error| error.to_string()),
        };
        match checked {
            Ok(item) => result.items.push(item),
            Err(wrong) => {
                result.malformed += 1;
                why.get_or_insert(wrong);
            }
        }
    }
    result.malformed += list.len().saturating_sub(MOST_ITEMS);
    match why {
        Some(why) if result.items.is_empty() => Err(format!("no item of `{}` matches the schema: {why}", form.name)),
        _ => Ok(result),
    }
}

/// Checks properties of all answers: repaired JSON can be read again with the same result, and the number of items is
/// limited. Panics if a property is violated.
pub(crate) fn check(answer: &str) {
    if let Ok(read) = repair::read(answer) {
        let written = read.value.to_string();
        let again = repair::read(&written).map(|again| again.value);
        assert!(again.as_ref() == Ok(&read.value), "what was repaired is sound: {written}");
    }
    if let Ok(answer) = read::<EntityItem>(&ENTITIES, answer) {
        assert!(answer.items.len() <= MOST_ITEMS, "an answer is bounded");
    }
    if let Ok(answer) = read::<FactItem>(&FACTS, answer) {
        assert!(answer.items.len() <= MOST_ITEMS, "an answer is bounded");
    }
}

/// Returns the item with corrected types. Some models write a number as text, or text as a number.
fn scalars(item: &Value) -> Value {
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
        for form in [&*ENTITIES, &*FACTS] {
            assert!(form.item.is_some(), "{}", form.name);
            assert!(jsonschema::draft202012::new(&form.schema).is_ok());
        }
    }

    #[test]
    fn right_items_are_taken_and_wrong_ones_counted() {
        let answer = read::<FactItem>(
            &FACTS,
            r#"{"facts": [{"subject": "odo", "predicate": "OWNS", "object": "barge", "quote": "Odo owns", "confidence": "0.9"},
                {"subject": "odo"}, 5, {"subject": "odo", "predicate": "age", "value": 40, "quote": "forty", "told_to": "bram",}]}"#,
        );
        let answer = answer.unwrap();
        assert_eq!((answer.items.len(), answer.malformed, answer.repaired), (2, 2, true));
        assert_eq!(answer.items[0].confidence, Some(0.9));
        assert_eq!(
            (answer.items[1].value.as_deref(), answer.items[1].told_to.as_deref()),
            (Some("40.0"), Some(&["bram".to_owned()][..]))
        );
    }

    #[test]
    fn answers_without_items_are_told_why() {
        let check = |answer: &str, expected: &str| {
            let why = read::<EntityItem>(&ENTITIES, answer).unwrap_err();
            assert!(why.contains(expected), "{answer}: {why}");
        };
        check("{\"facts\": []}", "`entities`");
        check("{\"entities\": [{\"name\": 1}]}", "quote");
        check("{\"ent", "breaks off");
        check("sorry", "no JSON");
        assert_eq!(read::<EntityItem>(&ENTITIES, "[]").unwrap().items, []);
    }
}
