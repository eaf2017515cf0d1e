//! Reads the JSON of language models, which is often not valid.
//!
//! Models put JSON into code fences, write text before and after it, add trailing commas, and use single quotes. If an
//! answer reaches the maximum length, the model stops in the middle. This reader returns only complete items. If an
//! item is incomplete, the reader omits it.

use serde_json::{Map, Number, Value};

/// Maximum nesting depth. No expected answer is nested deeper.
const MAX_DEPTH: usize = 32;

/// JSON from an answer, and whether the answer had to be repaired.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RepairedJson {
    pub(crate) value: Value,
    pub(crate) is_repaired: bool,
    /// Whether the end of the JSON is missing.
    pub(crate) is_cut_off: bool,
}

/// Reads the JSON in an answer.
///
/// # Errors
/// Returns an error if the answer contains no JSON that can be read. The message can be sent to the model.
pub(crate) fn parse_lenient(answer: &str) -> Result<RepairedJson, String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(answer) {
        return Ok(RepairedJson { value, is_repaired: false, is_cut_off: false });
    }
    let answer = without_reasoning(answer);
    // Looks inside a code fence first, then in the whole answer.
    let mut errors = Vec::new();
    for from in [code_fence(answer), Some(0)].into_iter().flatten() {
        let Some(open) = answer[from..].find(['{', '[']).map(|at| from + at) else { continue };
        let mut parser = LenientParser { text: &answer[open..], position: 0 };
        match parser.parse_value(0) {
            Ok(ParsedValue::Complete(value)) => {
                return Ok(RepairedJson { value, is_repaired: true, is_cut_off: false });
            }
            Ok(ParsedValue::CutOff(Some(value))) => {
                return Ok(RepairedJson { value, is_repaired: true, is_cut_off: true });
            }
            Ok(ParsedValue::CutOff(None)) => errors.push("it breaks off before the first value is complete".to_owned()),
            Err(error) => errors.push(error),
        }
    }
    Err(errors.into_iter().next().unwrap_or_else(|| "there is no JSON in it".to_owned()))
}

/// Returns the answer without the reasoning that some models write before `</think>`.
fn without_reasoning(answer: &str) -> &str {
    match answer.rfind("</think>") {
        Some(at) => &answer[at + 8..],
        None => answer,
    }
}

/// Returns where the text in the first code fence starts; `None` if there is no fence. A fence starts a line, so that
/// backticks inside a string are not taken for a fence.
fn code_fence(answer: &str) -> Option<usize> {
    let starts_line = |at: &usize| answer[..*at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let at = answer.match_indices("```").map(|(at, _)| at).find(starts_line)? + 3;
    Some(if answer[at..].starts_with("json") { at + 4 } else { at })
}

enum ParsedValue {
    Complete(Value),
    /// The text ended inside the value. Contains the complete part of the value, if any.
    CutOff(Option<Value>),
}

struct LenientParser<'a> {
    text: &'a str,
    position: usize,
}

impl LenientParser<'_> {
    fn remaining(&self) -> &str {
        &self.text[self.position..]
    }

    /// Skips white space and comments, and returns the next character.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.remaining();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            let mut skip = rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                skip += trimmed.find('\n').unwrap_or(trimmed.len());
            }
            if skip == 0 {
                return rest.chars().next();
            }
            self.position += skip;
        }
    }

    fn unexpected(&self, expected: &str) -> String {
        let found: String = self.remaining().chars().take(20).collect();
        format!(
            "{expected} was expected at character {}, not `{found}`",
            self.text[..self.position].chars().count() + 1
        )
    }

    fn parse_value(&mut self, depth: usize) -> Result<ParsedValue, String> {
        if depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        match self.peek() {
            None => Ok(ParsedValue::CutOff(None)),
            Some('{') => self.parse_object(depth),
            Some('[') => self.parse_array(depth),
            Some('"' | '\'' | '\u{201C}') => Ok(self
                .parse_string()
                .map_or(ParsedValue::CutOff(None), |text| ParsedValue::Complete(Value::String(text)))),
            Some(c) if c.is_ascii_alphanumeric() || c == '-' || c == '+' || c == '.' => self.parse_literal(),
            Some(_) => Err(self.unexpected("a value")),
        }
    }

    fn parse_array(&mut self, depth: usize) -> Result<ParsedValue, String> {
        self.position += 1;
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None => return Ok(ParsedValue::CutOff(Some(Value::Array(items)))),
                Some(',') => self.position += 1,
                Some(']') => {
                    self.position += 1;
                    return Ok(ParsedValue::Complete(Value::Array(items)));
                }
                // This brace closes an object around the array, so the closing bracket was forgotten.
                Some('}') => return Ok(ParsedValue::Complete(Value::Array(items))),
                Some(_) => match self.parse_value(depth + 1)? {
                    ParsedValue::Complete(item) => items.push(item),
                    ParsedValue::CutOff(_) => return Ok(ParsedValue::CutOff(Some(Value::Array(items)))),
                },
            }
        }
    }

    fn parse_object(&mut self, depth: usize) -> Result<ParsedValue, String> {
        self.position += 1;
        let mut members = Map::new();
        loop {
            let key = match self.peek() {
                None => return Ok(ParsedValue::CutOff(Some(Value::Object(members)))),
                Some(',') => {
                    self.position += 1;
                    continue;
                }
                Some('}') => {
                    self.position += 1;
                    return Ok(ParsedValue::Complete(Value::Object(members)));
                }
                Some(']') => return Ok(ParsedValue::Complete(Value::Object(members))),
                Some('"' | '\'' | '\u{201C}') => self.parse_string(),
                Some(c) if c.is_alphabetic() || c == '_' => Some(self.parse_bare_key()),
                Some(_) => return Err(self.unexpected("the name of a field")),
            };
            let Some(key) = key else { return Ok(ParsedValue::CutOff(Some(Value::Object(members)))) };
            match self.peek() {
                None => return Ok(ParsedValue::CutOff(Some(Value::Object(members)))),
                Some(':' | '=') => self.position += 1,
                Some(_) => return Err(self.unexpected("a colon")),
            }
            match self.parse_value(depth + 1)? {
                ParsedValue::Complete(value) => {
                    members.insert(key, value);
                }
                ParsedValue::CutOff(rest) => {
                    // Keeps the complete items of a list that was cut off, but drops any other value that was cut off.
                    if let Some(list @ Value::Array(_)) = rest {
                        members.insert(key, list);
                    }
                    return Ok(ParsedValue::CutOff(Some(Value::Object(members))));
                }
            }
        }
    }

    /// Reads a string in double, single or typographic quotes; `None` if the closing quote is missing.
    fn parse_string(&mut self) -> Option<String> {
        let mut chars = self.remaining().char_indices();
        let open = chars.next()?.1;
        let is_end = |c: char| if open == '\u{201C}' { matches!(c, '\u{201D}' | '"') } else { c == open };
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            if is_end(c) {
                let after = self.remaining()[at + c.len_utf8()..].trim_start().chars().next();
                // Apostrophe inside a string in single quotes: 'the smith's debt'.
                if c == '\'' && !matches!(after, None | Some(',' | '}' | ']' | ':')) {
                    text.push(c);
                    continue;
                }
                self.position += at + c.len_utf8();
                return Some(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' | 'f' => {}
                'u' => {
                    let unit = parse_hex_unit(&mut chars)?;
                    let code = if (0xD800..0xDC00).contains(&unit) {
                        let mut lookahead = chars.clone();
                        match (lookahead.next(), lookahead.next(), parse_hex_unit(&mut lookahead)) {
                            (Some((_, '\\')), Some((_, 'u')), Some(low)) if (0xDC00..0xE000).contains(&low) => {
                                chars = lookahead;
                                0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                            }
                            _ => 0xFFFD,
                        }
                    } else {
                        unit
                    };
                    text.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
                }
                other => text.push(other),
            }
        }
        None
    }

    fn parse_bare_key(&mut self) -> String {
        let rest = self.remaining();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.position += end;
        word
    }

    /// Reads a number, or a word such as `true`.
    fn parse_literal(&mut self) -> Result<ParsedValue, String> {
        let rest = self.remaining();
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '+' | '.')).unwrap_or(rest.len());
        if end == rest.len() {
            // The rest of the value may be missing.
            return Ok(ParsedValue::CutOff(None));
        }
        let word = &rest[..end];
        let value = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => Value::Bool(true),
            "false" | "no" => Value::Bool(false),
            "null" | "none" | "nan" | "undefined" => Value::Null,
            _ => match word.parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => return Err(self.unexpected("a value")),
            },
        };
        self.position += end;
        Ok(ParsedValue::Complete(value))
    }
}

fn parse_hex_unit(chars: &mut std::str::CharIndices<'_>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        code = code * 16 + chars.next()?.1.to_digit(16)?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(answer: &str, expected: Value) {
        assert_eq!(parse_lenient(answer).map(|read| read.value), Ok(expected), "{answer}");
    }

    #[test]
    fn what_models_write_is_read() {
        let plain = json!({"facts": [{"a": 1.0}, {"a": "x"}]});
        check(r#"{"facts": [{"a": 1.0}, {"a": "x"}]}"#, plain.clone());
        check("Sure!\n```json\n{\"facts\": [{\"a\": 1.0}, {\"a\": \"x\"}]}\n```\nAnything else?", plain.clone());
        check("Here: {\"facts\": [{\"a\": 1.0,}, {\"a\": \"x\"},],}", plain.clone());
        check("{'facts': [{'a': 1.0}, {'a': 'x'}]}", plain.clone());
        check("{facts: [{a: 1.0} {a: 'x'}] // two\n}", plain.clone());
        check("<think>{\"facts\": []}?</think>{\"facts\": [{\"a\": 1.0}, {\"a\": \"x\"}]", plain);
        check("{'a': 'the smith's debt', 'b': None}", json!({"a": "the smith's debt", "b": null}));
        check(r#"{"a": "\u00e9\ud83d\ude00\ud800 \"q\""} "#, json!({"a": "é😀\u{FFFD} \"q\""}));
        check("\u{FEFF}[1.0, True]", json!([1.0, true]));
        check("So: [{\"a\": [\"```\"]}, []] !", json!([{"a": ["```"]}, []]));
    }

    #[test]
    fn of_what_breaks_off_the_complete_items_are_taken() {
        let check = |answer: &str, expected: Value| {
            let read = parse_lenient(answer).unwrap();
            assert_eq!((read.value, read.is_cut_off), (expected, true), "{answer}");
        };
        check(r#"{"facts": [{"a": "x"}, {"a": "y"#, json!({"facts": [{"a": "x"}]}));
        check(r#"{"facts": [{"a": "x"}, {"a": "y", "b": [1, 2"#, json!({"facts": [{"a": "x"}]}));
        check("```json\n{\"facts\": [{\"a\": \"x\"}", json!({"facts": [{"a": "x"}]}));
        check(r#"{"facts": [{"c": 0.9}, {"c": 0."#, json!({"facts": [{"c": 0.9}]}));
        check(r#"{"fac"#, json!({}));
    }

    #[test]
    fn what_is_no_json_is_refused_with_a_reason() {
        for answer in ["", "I cannot do that.", "{\"a\" 1}", "[}{", "{{{{"] {
            assert!(parse_lenient(answer).is_err() || !parse_lenient(answer).unwrap().value.is_null(), "{answer}");
        }
        assert_eq!(parse_lenient("no"), Err("there is no JSON in it".into()));
        assert!(parse_lenient(&"[".repeat(100_000)).unwrap_err().contains("deeply"));
        assert!(parse_lenient("{\"a\" 1}").unwrap_err().contains("a colon was expected at character 6"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (-1e6..1e6).prop_map(Value::from),
            "[ -~é\"'\\\\{}\\[\\]:,]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"' ]{1,5}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whole_json_is_read_as_it_is(value in prop::collection::vec(any_json(), 0..4)) {
            let written = Value::from(value.clone()).to_string();
            // The words around the JSON make the repairing reader read it too.
            prop_assert_eq!(parse_lenient(&format!("So: {written} !")).map(|read| read.value), Ok(Value::from(value)));
        }

        #[test]
        fn cut_anywhere_the_items_before_stay(items in prop::collection::vec(any_json(), 1..5), at in 0.0..1.0) {
            let items: Vec<Value> = items.into_iter().map(|item| Value::from(vec![item])).collect();
            let written = serde_json::json!({"facts": items}).to_string();
            let mut end = (written.len() as f64 * at) as usize;
            while !written.is_char_boundary(end) {
                end -= 1;
            }
            if let Ok(read) = parse_lenient(&written[..end])
                && let Some(kept) = read.value.get("facts").and_then(Value::as_array)
            {
                prop_assert!(kept.len() <= items.len());
                let whole = kept.len().saturating_sub(1);
                prop_assert_eq!(&kept[..whole], &items[..whole]);
            }
        }

        #[test]
        fn nothing_makes_it_panic(answer in "(\\PC|[\\{\\}\\[\\]\"':,\\\\u`0-9]){0,60}") {
            let _ = parse_lenient(&answer);
        }
    }
}
