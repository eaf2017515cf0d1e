//! Reads the JSON of language models, which is often not valid.
//!
//! Models put JSON into code fences, write text before and after it, add trailing commas, and use single quotes. They
//! stop in the middle when they reach the maximum length. This reader returns the complete items and invents nothing:
//! an item that was cut off is left out.

use serde_json::{Map, Number, Value};

/// Maximum nesting depth. No expected answer is nested deeper.
const DEEPEST: usize = 32;

/// JSON from an answer, and whether the answer had to be repaired.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Repaired {
    pub(crate) value: Value,
    pub(crate) repaired: bool,
    /// Whether the end of the JSON is missing.
    pub(crate) cut_off: bool,
}

/// Reads the JSON in an answer.
///
/// # Errors
/// Returns an error if the answer contains no JSON that can be read. The message can be sent to the model.
pub(crate) fn read(answer: &str) -> Result<Repaired, String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(answer) {
        return Ok(Repaired { value, repaired: false, cut_off: false });
    }
    let answer = without_thoughts(answer);
    // Looks inside a code fence first, then in the whole answer.
    let fenced = answer.find("```json").map(|at| at + 7).or_else(|| answer.find("```").map(|at| at + 3));
    let mut whys = Vec::new();
    for from in [fenced, Some(0)].into_iter().flatten() {
        let Some(open) = answer[from..].find(['{', '[']).map(|at| from + at) else { continue };
        let mut reader = Reader { text: &answer[open..], at: 0 };
        match reader.value(0) {
            Ok(Read::Whole(value)) => return Ok(Repaired { value, repaired: true, cut_off: false }),
            Ok(Read::Cut(Some(value))) => return Ok(Repaired { value, repaired: true, cut_off: true }),
            Ok(Read::Cut(None)) => whys.push("it breaks off before the first value is complete".to_owned()),
            Err(why) => whys.push(why),
        }
    }
    Err(whys.into_iter().next().unwrap_or_else(|| "there is no JSON in it".to_owned()))
}

/// Returns the answer without the reasoning that some models write before `</think>`.
fn without_thoughts(answer: &str) -> &str {
    match answer.rfind("</think>") {
        Some(at) => &answer[at + 8..],
        None => answer,
    }
}

enum Read {
    Whole(Value),
    /// The text ended inside the value. Contains the complete part of the value, if any.
    Cut(Option<Value>),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips white space and comments, and returns the next character.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            let mut skip = rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                skip += trimmed.find('\n').unwrap_or(trimmed.len());
            }
            if skip == 0 {
                return rest.chars().next();
            }
            self.at += skip;
        }
    }

    fn wrong(&self, expected: &str) -> String {
        let found: String = self.rest().chars().take(20).collect();
        format!("{expected} was expected at character {}, not `{found}`", self.text[..self.at].chars().count() + 1)
    }

    fn value(&mut self, depth: usize) -> Result<Read, String> {
        if depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
        match self.peek() {
            None => Ok(Read::Cut(None)),
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some('"' | '\'' | '\u{201C}') => {
                Ok(self.string().map_or(Read::Cut(None), |text| Read::Whole(Value::String(text))))
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '-' || c == '+' || c == '.' => self.plain(),
            Some(_) => Err(self.wrong("a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Read, String> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None => return Ok(Read::Cut(Some(Value::Array(items)))),
                Some(',') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    return Ok(Read::Whole(Value::Array(items)));
                }
                // This brace closes an object around the array, so the closing bracket was forgotten.
                Some('}') => return Ok(Read::Whole(Value::Array(items))),
                Some(_) => match self.value(depth + 1)? {
                    Read::Whole(item) => items.push(item),
                    Read::Cut(_) => return Ok(Read::Cut(Some(Value::Array(items)))),
                },
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Read, String> {
        self.at += 1;
        let mut members = Map::new();
        loop {
            let key = match self.peek() {
                None => return Ok(Read::Cut(Some(Value::Object(members)))),
                Some(',') => {
                    self.at += 1;
                    continue;
                }
                Some('}') => {
                    self.at += 1;
                    return Ok(Read::Whole(Value::Object(members)));
                }
                Some(']') => return Ok(Read::Whole(Value::Object(members))),
                Some('"' | '\'' | '\u{201C}') => self.string(),
                Some(c) if c.is_alphabetic() || c == '_' => Some(self.bare()),
                Some(_) => return Err(self.wrong("the name of a field")),
            };
            let Some(key) = key else { return Ok(Read::Cut(Some(Value::Object(members)))) };
            match self.peek() {
                None => return Ok(Read::Cut(Some(Value::Object(members)))),
                Some(':' | '=') => self.at += 1,
                Some(_) => return Err(self.wrong("a colon")),
            }
            match self.value(depth + 1)? {
                Read::Whole(value) => {
                    members.insert(key, value);
                }
                Read::Cut(rest) => {
                    // Keeps the complete items of a list that was cut off, but drops any other value that was cut off.
                    if let Some(list @ Value::Array(_)) = rest {
                        members.insert(key, list);
                    }
                    return Ok(Read::Cut(Some(Value::Object(members))));
                }
            }
        }
    }

    /// Reads a string in double, single or typographic quotes; `None` if the closing quote is missing.
    fn string(&mut self) -> Option<String> {
        let mut chars = self.rest().char_indices();
        let open = chars.next()?.1;
        let is_end = |c: char| if open == '\u{201C}' { matches!(c, '\u{201D}' | '"') } else { c == open };
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            if is_end(c) {
                let after = self.rest()[at + c.len_utf8()..].trim_start().chars().next();
                // Apostrophe inside a string in single quotes: 'the smith's debt'.
                if c == '\'' && !matches!(after, None | Some(',' | '}' | ']' | ':')) {
                    text.push(c);
                    continue;
                }
                self.at += at + c.len_utf8();
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
                    let unit = hex(&mut chars)?;
                    let code = if (0xD800..0xDC00).contains(&unit) {
                        let mut ahead = chars.clone();
                        match (ahead.next(), ahead.next(), hex(&mut ahead)) {
                            (Some((_, '\\')), Some((_, 'u')), Some(low)) if (0xDC00..0xE000).contains(&low) => {
                                chars = ahead;
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

    fn bare(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        word
    }

    /// Reads a number, or a word such as `true`.
    fn plain(&mut self) -> Result<Read, String> {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '+' | '.')).unwrap_or(rest.len());
        if end == rest.len() {
            // The rest of the value may be missing.
            return Ok(Read::Cut(None));
        }
        let word = &rest[..end];
        let value = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => Value::Bool(true),
            "false" | "no" => Value::Bool(false),
            "null" | "none" | "nan" | "undefined" => Value::Null,
            _ => match word.parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => return Err(self.wrong("a value")),
            },
        };
        self.at += end;
        Ok(Read::Whole(value))
    }
}

fn hex(chars: &mut std::str::CharIndices<'_>) -> Option<u32> {
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
        assert_eq!(read(answer).map(|read| read.value), Ok(expected), "{answer}");
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
    }

    #[test]
    fn of_what_breaks_off_the_complete_items_are_taken() {
        let check = |answer: &str, expected: Value| {
            let read = read(answer).unwrap();
            assert_eq!((read.value, read.cut_off), (expected, true), "{answer}");
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
            assert!(read(answer).is_err() || !read(answer).unwrap().value.is_null(), "{answer}");
        }
        assert_eq!(read("no"), Err("there is no JSON in it".into()));
        assert!(read(&"[".repeat(100_000)).unwrap_err().contains("deeply"));
        assert!(read("{\"a\" 1}").unwrap_err().contains("a colon was expected at character 6"));
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
            prop_assert_eq!(read(&format!("So: {written} !")).map(|read| read.value), Ok(Value::from(value)));
        }

        #[test]
        fn cut_anywhere_the_items_before_stay(items in prop::collection::vec(any_json(), 1..5), at in 0.0..1.0) {
            let items: Vec<Value> = items.into_iter().map(|item| Value::from(vec![item])).collect();
            let written = serde_json::json!({"facts": items}).to_string();
            let mut end = (written.len() as f64 * at) as usize;
            while !written.is_char_boundary(end) {
                end -= 1;
            }
            if let Ok(read) = read(&written[..end])
                && let Some(kept) = read.value.get("facts").and_then(Value::as_array)
            {
                prop_assert!(kept.len() <= items.len());
                let whole = kept.len().saturating_sub(1);
                prop_assert_eq!(&kept[..whole], &items[..whole]);
            }
        }

        #[test]
        fn nothing_makes_it_panic(answer in "(\\PC|[\\{\\}\\[\\]\"':,\\\\u`0-9]){0,60}") {
            let _ = read(&answer);
        }
    }
}
