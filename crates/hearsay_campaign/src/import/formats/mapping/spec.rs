//! The content of a mapping file.

use hearsay_model::Kind;

use crate::import::{
    DateOf, Role, Sure,
    tree::{Data, Markup, Tree},
};

/// The content of a mapping file.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) system: String,
    pub(super) sources: Vec<Source>,
}

/// An entry of `sources`: which files contain records, and how each record is read.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) line: u32,
    pub(super) files: Vec<String>,
    pub(super) format: Option<String>,
    pub(super) records: String,
    pub(super) filters: Vec<Filter>,
    pub(super) role: Role,
    pub(super) kind: Kinds,
    pub(super) prefix: String,
    pub(super) id: Option<String>,
    pub(super) name: Vec<String>,
    pub(super) aliases: Vec<Part>,
    pub(super) player: Option<Filter>,
    pub(super) secret: Vec<Filter>,
    pub(super) known_by: Vec<Part>,
    pub(super) fields: Vec<Part>,
    pub(super) relations: Vec<Related>,
    pub(super) dates: Vec<Date>,
    pub(super) states: Vec<Part>,
    pub(super) passages: Vec<Passage>,
    pub(super) session: Session,
}

/// A condition on the value of a field in a record.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) field: String,
    pub(super) is: Option<Vec<String>>,
    pub(super) not: Option<Vec<String>>,
    pub(super) exists: Option<bool>,
}

/// How to find the kind of a record.
#[derive(Debug)]
pub(super) enum Kinds {
    None,
    Constant(Kind),
    Field { field: String, values: Vec<(String, Kind)>, default: Option<Kind> },
}

/// A path to values of a record, with options such as a separator.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) field: String,
    pub(super) called: Option<String>,
    /// The separator of a list in a text. If it is empty, the text is split at commas and semicolons outside
    /// parentheses.
    pub(super) split: Option<String>,
    pub(super) constant: Option<String>,
    pub(super) secret: bool,
}

impl Part {
    /// Returns the name under which the values are imported: `as`, or else the last key of the path.
    pub(super) fn name(&self) -> String {
        let last = || self.field.rsplit('.').find(|step| *step != "*" && step.parse::<usize>().is_err());
        self.called.clone().unwrap_or_else(|| last().unwrap_or_default().to_owned())
    }
}

#[derive(Debug)]
pub(super) struct Related {
    pub(super) part: Part,
    pub(super) words: Option<String>,
    pub(super) backwards: bool,
    pub(super) both_ways: bool,
    pub(super) by_id: bool,
    pub(super) prefix: String,
    pub(super) make: Option<Kind>,
    pub(super) sure: Sure,
}

#[derive(Debug)]
pub(super) struct Date {
    pub(super) part: Part,
    pub(super) what: DateOf,
    pub(super) title: Option<String>,
}

#[derive(Debug)]
pub(super) struct Passage {
    pub(super) part: Part,
    pub(super) markup: Markup,
    pub(super) heading: Option<String>,
    pub(super) secret_headings: Vec<String>,
    pub(super) skip_headings: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) number: Option<String>,
    pub(super) date: Option<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) present: Vec<Part>,
}

const PART: [&str; 5] = ["field", "as", "split", "constant", "secret"];

impl Spec {
    /// Converts the tree of a mapping file.
    ///
    /// # Errors
    /// Returns an error if the mapping is invalid. The message contains the line, the field, and the expected input.
    pub(super) fn read(tree: &Tree) -> Result<Self, String> {
        only(tree, "the mapping", &["mapping", "name", "description", "system", "sources", "$schema"])?;
        if tree.get("mapping").integer() != Some(1) {
            return Err(fault(tree.get("mapping"), "mapping", "expected `mapping: 1`"));
        }
        let sources = tree.get("sources");
        if sources.items().is_empty() {
            return Err(fault(sources, "sources", "expected a list of sources"));
        }
        Ok(Self {
            name: tree.get("name").text().map(str::to_owned),
            description: tree.get("description").text().unwrap_or_default().to_owned(),
            system: tree.get("system").text().unwrap_or_default().to_owned(),
            sources: sources.items().into_iter().map(Source::read).collect::<Result<_, _>>()?,
        })
    }
}

impl Source {
    fn read(tree: &Tree) -> Result<Self, String> {
        let keys = [
            "files",
            "format",
            "records",
            "where",
            "role",
            "kind",
            "prefix",
            "id",
            "name",
            "aliases",
            "player",
            "secret",
            "known_by",
            "fields",
            "relations",
            "dates",
            "states",
            "passages",
            "session",
        ];
        only(tree, "a source", &keys)?;
        let files = words(tree.get("files"), "files")?;
        if files.is_empty() {
            return Err(fault(tree, "files", "expected paths such as `data/*.json`"));
        }
        let name = words(tree.get("name"), "name")?;
        if name.is_empty() {
            return Err(fault(tree, "name", "expected the path of the field that has the name"));
        }
        let format = text(tree.get("format"), "format")?;
        if format.as_ref().is_some_and(|format| !["json", "jsonl", "yaml", "csv", "tsv"].contains(&format.as_str())) {
            return Err(fault(tree.get("format"), "format", "expected json, jsonl, yaml, csv or tsv"));
        }
        let role = match tree.get("role").text() {
            None | Some("entity") => Role::Entity,
            Some("session") => Role::Session,
            Some("text") => Role::Text,
            Some(_) => return Err(fault(tree.get("role"), "role", "expected entity, session or text")),
        };
        let session = tree.get("session");
        only(session, "session", &["number", "date", "start", "end", "present"])?;
        Ok(Self {
            line: tree.line,
            files,
            format,
            records: text(tree.get("records"), "records")?.unwrap_or_default(),
            filters: list(tree.get("where"), Filter::read)?,
            role,
            kind: Kinds::read(tree.get("kind"))?,
            prefix: text(tree.get("prefix"), "prefix")?.unwrap_or_default(),
            id: text(tree.get("id"), "id")?,
            name,
            aliases: list(tree.get("aliases"), Part::read)?,
            player: list(tree.get("player"), Filter::read)?.pop(),
            secret: list(tree.get("secret"), Filter::read)?,
            known_by: list(tree.get("known_by"), Part::read)?,
            fields: list(tree.get("fields"), Part::read)?,
            relations: list(tree.get("relations"), Related::read)?,
            dates: list(tree.get("dates"), Date::read)?,
            states: list(tree.get("states"), Part::read)?,
            passages: list(tree.get("passages"), Passage::read)?,
            session: Session {
                number: text(session.get("number"), "session.number")?,
                date: text(session.get("date"), "session.date")?,
                start: text(session.get("start"), "session.start")?,
                end: text(session.get("end"), "session.end")?,
                present: list(session.get("present"), Part::read)?,
            },
        })
    }
}

impl Filter {
    fn read(tree: &Tree) -> Result<Self, String> {
        only(tree, "a condition", &["field", "is", "not", "exists"])?;
        let field = text(tree.get("field"), "field")?;
        let field = field.ok_or_else(|| fault(tree, "field", "expected the path of a field"))?;
        let given = |name: &str| -> Result<Option<Vec<String>>, String> {
            let list = tree.get(name);
            if list.is_null() { Ok(None) } else { words(list, name).map(Some) }
        };
        let exists = match &tree.get("exists").data {
            Data::Null => None,
            Data::Flag(flag) => Some(*flag),
            _ => return Err(fault(tree.get("exists"), "exists", "expected true or false")),
        };
        let filter = Self { field, is: given("is")?, not: given("not")?, exists };
        if filter.is.is_none() && filter.not.is_none() && filter.exists.is_none() {
            return Err(fault(tree, "is", "expected one of `is`, `not`, `exists`"));
        }
        Ok(filter)
    }
}

impl Kinds {
    fn read(tree: &Tree) -> Result<Self, String> {
        match &tree.data {
            Data::Null => Ok(Self::None),
            Data::Text(_) => Ok(Self::Constant(kind(tree)?)),
            Data::Map(_) => {
                only(tree, "kind", &["field", "values", "default"])?;
                let field = text(tree.get("field"), "kind.field")?;
                let values = tree.get("values").entries().iter();
                let default = tree.get("default");
                Ok(Self::Field {
                    field: field.ok_or_else(|| fault(tree, "kind.field", "expected the path of a field"))?,
                    values: values
                        .map(|(word, tree)| Ok((word.to_string(), kind(tree)?)))
                        .collect::<Result<_, String>>()?,
                    default: if default.is_null() { None } else { Some(kind(default)?) },
                })
            }
            _ => Err(fault(tree, "kind", "expected a kind, or `{field, values, default}`")),
        }
    }
}

impl Part {
    /// Reads a path, or a mapping with a path and options.
    fn read(tree: &Tree) -> Result<Self, String> {
        Self::with(tree, &[])
    }

    fn with(tree: &Tree, more: &[&str]) -> Result<Self, String> {
        if let Some(field) = tree.text() {
            return Ok(Self { field: field.to_owned(), ..Self::default() });
        }
        let keys: Vec<&str> = PART.iter().chain(more).copied().collect();
        only(tree, "a field", &keys)?;
        let split = match &tree.get("split").data {
            Data::Null | Data::Flag(false) => None,
            Data::Flag(true) => Some(String::new()),
            Data::Text(separator) if !separator.is_empty() => Some(separator.to_string()),
            _ => return Err(fault(tree.get("split"), "split", "expected true, or a separator")),
        };
        let part = Self {
            field: text(tree.get("field"), "field")?.unwrap_or_default(),
            called: text(tree.get("as"), "as")?,
            split,
            constant: tree.get("constant").word(),
            secret: tree.get("secret").is_true(),
        };
        if part.field.is_empty() && part.constant.is_none() {
            return Err(fault(tree, "field", "expected the path of a field, or a `constant`"));
        }
        Ok(part)
    }
}

impl Related {
    fn read(tree: &Tree) -> Result<Self, String> {
        let part = Part::with(tree, &["relation", "backwards", "both_ways", "target", "prefix", "make", "sure"])?;
        let by_id = match tree.get("target").text() {
            None | Some("name") => false,
            Some("id") => true,
            Some(_) => return Err(fault(tree.get("target"), "target", "expected name or id")),
        };
        let make = tree.get("make");
        let make = if make.is_null() { None } else { Some(kind(make)?) };
        let sure = match &tree.get("sure").data {
            Data::Null => by_id || make.is_some(),
            _ => tree.get("sure").is_true(),
        };
        Ok(Self {
            part,
            words: text(tree.get("relation"), "relation")?,
            backwards: tree.get("backwards").is_true(),
            both_ways: tree.get("both_ways").is_true(),
            by_id,
            prefix: text(tree.get("prefix"), "prefix")?.unwrap_or_default(),
            make,
            sure: if sure { Sure::Typed } else { Sure::Guessed },
        })
    }
}

impl Date {
    fn read(tree: &Tree) -> Result<Self, String> {
        let what = match tree.get("of").text() {
            None | Some("start") => DateOf::Start,
            Some("end") => DateOf::End,
            Some("mention") => DateOf::Mention,
            Some(_) => return Err(fault(tree.get("of"), "of", "expected start, end or mention")),
        };
        Ok(Self { part: Part::with(tree, &["of", "title"])?, what, title: text(tree.get("title"), "title")? })
    }
}

impl Passage {
    fn read(tree: &Tree) -> Result<Self, String> {
        let markup = match tree.get("markup").text() {
            None | Some("html" | "text") => Markup::Html,
            Some("markdown") => Markup::Markdown,
            Some("bbcode") => Markup::Bbcode,
            Some(_) => return Err(fault(tree.get("markup"), "markup", "expected html, markdown, bbcode or text")),
        };
        Ok(Self {
            part: Part::with(tree, &["markup", "heading", "secret_headings", "skip_headings"])?,
            markup,
            heading: text(tree.get("heading"), "heading")?,
            secret_headings: words(tree.get("secret_headings"), "secret_headings")?,
            skip_headings: words(tree.get("skip_headings"), "skip_headings")?,
        })
    }
}

fn fault(tree: &Tree, field: &str, what: &str) -> String {
    let line = if tree.line > 0 { format!("line {}, ", tree.line) } else { String::new() };
    format!("invalid mapping: {line}`{field}`: {what}")
}

/// Refuses unknown keys, which are mostly spelling mistakes.
fn only(tree: &Tree, what: &str, keys: &[&str]) -> Result<(), String> {
    if !matches!(tree.data, Data::Map(_) | Data::Null) {
        return Err(fault(tree, what, "expected `key: value`"));
    }
    match tree.entries().iter().find(|(key, _)| !keys.contains(&&**key)) {
        None => Ok(()),
        Some((key, value)) => {
            Err(fault(value, key, &format!("unknown field; the fields of {what} are {}", keys.join(", "))))
        }
    }
}

fn text(tree: &Tree, field: &str) -> Result<Option<String>, String> {
    match &tree.data {
        Data::Null => Ok(None),
        Data::Text(text) => Ok(Some(text.to_string())),
        _ => Err(fault(tree, field, "expected a text")),
    }
}

fn words(tree: &Tree, field: &str) -> Result<Vec<String>, String> {
    let words = tree.each().into_iter().map(|one| one.word().ok_or_else(|| fault(one, field, "expected texts")));
    words.collect()
}

fn list<T>(tree: &Tree, read: fn(&Tree) -> Result<T, String>) -> Result<Vec<T>, String> {
    tree.each().into_iter().map(read).collect()
}

fn kind(tree: &Tree) -> Result<Kind, String> {
    let word = tree.text().unwrap_or_default();
    let known = Kind::BUILT_IN.into_iter().find(|kind| kind.as_str() == word.trim().to_lowercase());
    let custom = || (!word.trim().is_empty()).then(|| Kind::from(word));
    known.or_else(custom).ok_or_else(|| fault(tree, "kind", "expected a kind such as npc, location, faction, item"))
}
