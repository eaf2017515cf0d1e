//! The content of a mapping file.

use hearsay_model::Kind;

use crate::import::{
    Certainty, DateRole, Role,
    tree::{Data, Markup, Tree},
};

/// The content of a mapping file.
#[derive(Debug)]
pub(super) struct MappingSpec {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) system: String,
    pub(super) sources: Vec<SourceSpec>,
}

/// An entry of `sources`: which files contain records, and how each record is read.
#[derive(Debug)]
pub(super) struct SourceSpec {
    pub(super) line: u32,
    pub(super) files: Vec<String>,
    pub(super) format: Option<String>,
    pub(super) records: String,
    pub(super) filters: Vec<Filter>,
    pub(super) role: Role,
    pub(super) kind: KindSpec,
    pub(super) prefix: String,
    pub(super) id: Option<String>,
    pub(super) name: Vec<String>,
    pub(super) aliases: Vec<ValueSpec>,
    pub(super) player: Option<Filter>,
    pub(super) secret: Vec<Filter>,
    pub(super) known_by: Vec<ValueSpec>,
    pub(super) fields: Vec<ValueSpec>,
    pub(super) relations: Vec<RelationSpec>,
    pub(super) dates: Vec<DateSpec>,
    pub(super) states: Vec<ValueSpec>,
    pub(super) passages: Vec<PassageSpec>,
    pub(super) session: SessionSpec,
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
pub(super) enum KindSpec {
    None,
    Constant(Kind),
    Field { field: String, values: Vec<(String, Kind)>, default: Option<Kind> },
}

/// A path to values of a record, with options such as a separator.
#[derive(Debug, Default)]
pub(super) struct ValueSpec {
    pub(super) field: String,
    pub(super) import_name: Option<String>,
    /// The separator of a list in a text. If the separator is empty, the text is split at commas and semicolons outside
    /// parentheses.
    pub(super) split: Option<String>,
    pub(super) constant: Option<String>,
    pub(super) secret: bool,
}

impl ValueSpec {
    /// Returns the name under which the values are imported: `as`, or else the last key of the path.
    pub(super) fn name(&self) -> String {
        let last = || self.field.rsplit('.').find(|step| *step != "*" && step.parse::<usize>().is_err());
        self.import_name.clone().unwrap_or_else(|| last().unwrap_or_default().to_owned())
    }
}

#[derive(Debug)]
pub(super) struct RelationSpec {
    pub(super) value: ValueSpec,
    pub(super) words: Option<String>,
    pub(super) backwards: bool,
    pub(super) bidirectional: bool,
    pub(super) is_target_id: bool,
    pub(super) prefix: String,
    pub(super) create_kind: Option<Kind>,
    pub(super) certainty: Certainty,
}

#[derive(Debug)]
pub(super) struct DateSpec {
    pub(super) value: ValueSpec,
    pub(super) role: DateRole,
    pub(super) title: Option<String>,
}

#[derive(Debug)]
pub(super) struct PassageSpec {
    pub(super) value: ValueSpec,
    pub(super) markup: Markup,
    pub(super) heading: Option<String>,
    pub(super) secret_headings: Vec<String>,
    pub(super) skip_headings: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct SessionSpec {
    pub(super) number: Option<String>,
    pub(super) date: Option<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) present: Vec<ValueSpec>,
}

const VALUE_KEYS: [&str; 5] = ["field", "as", "split", "constant", "secret"];

impl MappingSpec {
    /// Converts the tree of a mapping file.
    ///
    /// # Errors
    /// Returns an error if the mapping is invalid. The message contains the line, the field, and the expected input.
    pub(super) fn read(tree: &Tree) -> Result<Self, String> {
        check_keys(tree, "the mapping", &["mapping", "name", "description", "system", "sources", "$schema"])?;
        if tree.get("mapping").integer() != Some(1) {
            return Err(mapping_error(tree.get("mapping"), "mapping", "expected `mapping: 1`"));
        }
        let sources = tree.get("sources");
        if sources.items().is_empty() {
            return Err(mapping_error(sources, "sources", "expected a list of sources"));
        }
        Ok(Self {
            name: tree.get("name").text().map(str::to_owned),
            description: tree.get("description").text().unwrap_or_default().to_owned(),
            system: tree.get("system").text().unwrap_or_default().to_owned(),
            sources: sources.items().into_iter().map(SourceSpec::read).collect::<Result<_, _>>()?,
        })
    }
}

impl SourceSpec {
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
        check_keys(tree, "a source", &keys)?;
        let files = read_texts(tree.get("files"), "files")?;
        if files.is_empty() {
            return Err(mapping_error(tree, "files", "expected paths such as `data/*.json`"));
        }
        let name = read_texts(tree.get("name"), "name")?;
        if name.is_empty() {
            return Err(mapping_error(tree, "name", "expected the path of the field that has the name"));
        }
        let format = read_text(tree.get("format"), "format")?;
        if format.as_ref().is_some_and(|format| !["json", "jsonl", "yaml", "csv", "tsv"].contains(&format.as_str())) {
            return Err(mapping_error(tree.get("format"), "format", "expected json, jsonl, yaml, csv or tsv"));
        }
        let role = match tree.get("role").text() {
            None | Some("entity") => Role::Entity,
            Some("session") => Role::Session,
            Some("text") => Role::Text,
            Some(_) => return Err(mapping_error(tree.get("role"), "role", "expected entity, session or text")),
        };
        let session = tree.get("session");
        check_keys(session, "session", &["number", "date", "start", "end", "present"])?;
        Ok(Self {
            line: tree.line,
            files,
            format,
            records: read_text(tree.get("records"), "records")?.unwrap_or_default(),
            filters: read_list(tree.get("where"), Filter::read)?,
            role,
            kind: KindSpec::read(tree.get("kind"))?,
            prefix: read_text(tree.get("prefix"), "prefix")?.unwrap_or_default(),
            id: read_text(tree.get("id"), "id")?,
            name,
            aliases: read_list(tree.get("aliases"), ValueSpec::read)?,
            player: read_list(tree.get("player"), Filter::read)?.pop(),
            secret: read_list(tree.get("secret"), Filter::read)?,
            known_by: read_list(tree.get("known_by"), ValueSpec::read)?,
            fields: read_list(tree.get("fields"), ValueSpec::read)?,
            relations: read_list(tree.get("relations"), RelationSpec::read)?,
            dates: read_list(tree.get("dates"), DateSpec::read)?,
            states: read_list(tree.get("states"), ValueSpec::read)?,
            passages: read_list(tree.get("passages"), PassageSpec::read)?,
            session: SessionSpec {
                number: read_text(session.get("number"), "session.number")?,
                date: read_text(session.get("date"), "session.date")?,
                start: read_text(session.get("start"), "session.start")?,
                end: read_text(session.get("end"), "session.end")?,
                present: read_list(session.get("present"), ValueSpec::read)?,
            },
        })
    }
}

impl Filter {
    fn read(tree: &Tree) -> Result<Self, String> {
        check_keys(tree, "a condition", &["field", "is", "not", "exists"])?;
        let field = read_text(tree.get("field"), "field")?;
        let field = field.ok_or_else(|| mapping_error(tree, "field", "expected the path of a field"))?;
        let word_list = |name: &str| -> Result<Option<Vec<String>>, String> {
            let list = tree.get(name);
            if list.is_null() { Ok(None) } else { read_texts(list, name).map(Some) }
        };
        let exists = match &tree.get("exists").data {
            Data::Null => None,
            Data::Flag(flag) => Some(*flag),
            _ => return Err(mapping_error(tree.get("exists"), "exists", "expected true or false")),
        };
        let filter = Self { field, is: word_list("is")?, not: word_list("not")?, exists };
        if filter.is.is_none() && filter.not.is_none() && filter.exists.is_none() {
            return Err(mapping_error(tree, "is", "expected one of `is`, `not`, `exists`"));
        }
        Ok(filter)
    }
}

impl KindSpec {
    fn read(tree: &Tree) -> Result<Self, String> {
        match &tree.data {
            Data::Null => Ok(Self::None),
            Data::Text(_) => Ok(Self::Constant(read_kind(tree)?)),
            Data::Map(_) => {
                check_keys(tree, "kind", &["field", "values", "default"])?;
                let field = read_text(tree.get("field"), "kind.field")?;
                let values = tree.get("values").entries().iter();
                let default = tree.get("default");
                Ok(Self::Field {
                    field: field.ok_or_else(|| mapping_error(tree, "kind.field", "expected the path of a field"))?,
                    values: values
                        .map(|(word, tree)| Ok((word.to_string(), read_kind(tree)?)))
                        .collect::<Result<_, String>>()?,
                    default: if default.is_null() { None } else { Some(read_kind(default)?) },
                })
            }
            _ => Err(mapping_error(tree, "kind", "expected a kind, or `{field, values, default}`")),
        }
    }
}

impl ValueSpec {
    /// Reads a path, or a mapping with a path and options.
    fn read(tree: &Tree) -> Result<Self, String> {
        Self::read_with_keys(tree, &[])
    }

    fn read_with_keys(tree: &Tree, extra_keys: &[&str]) -> Result<Self, String> {
        if let Some(field) = tree.text() {
            return Ok(Self { field: field.to_owned(), ..Self::default() });
        }
        let keys: Vec<&str> = VALUE_KEYS.iter().chain(extra_keys).copied().collect();
        check_keys(tree, "a field", &keys)?;
        let split = match &tree.get("split").data {
            Data::Null | Data::Flag(false) => None,
            Data::Flag(true) => Some(String::new()),
            Data::Text(separator) if !separator.is_empty() => Some(separator.to_string()),
            _ => return Err(mapping_error(tree.get("split"), "split", "expected true, or a separator")),
        };
        let spec = Self {
            field: read_text(tree.get("field"), "field")?.unwrap_or_default(),
            import_name: read_text(tree.get("as"), "as")?,
            split,
            constant: tree.get("constant").to_text(),
            secret: tree.get("secret").is_true(),
        };
        if spec.field.is_empty() && spec.constant.is_none() {
            return Err(mapping_error(tree, "field", "expected the path of a field, or a `constant`"));
        }
        Ok(spec)
    }
}

impl RelationSpec {
    fn read(tree: &Tree) -> Result<Self, String> {
        let value = ValueSpec::read_with_keys(
            tree,
            &["relation", "backwards", "both_ways", "target", "prefix", "make", "sure"],
        )?;
        let is_target_id = match tree.get("target").text() {
            None | Some("name") => false,
            Some("id") => true,
            Some(_) => return Err(mapping_error(tree.get("target"), "target", "expected name or id")),
        };
        let create_kind = tree.get("make");
        let create_kind = if create_kind.is_null() { None } else { Some(read_kind(create_kind)?) };
        let is_certain = match &tree.get("sure").data {
            Data::Null => is_target_id || create_kind.is_some(),
            _ => tree.get("sure").is_true(),
        };
        Ok(Self {
            value,
            words: read_text(tree.get("relation"), "relation")?,
            backwards: tree.get("backwards").is_true(),
            bidirectional: tree.get("both_ways").is_true(),
            is_target_id,
            prefix: read_text(tree.get("prefix"), "prefix")?.unwrap_or_default(),
            create_kind,
            certainty: if is_certain { Certainty::Explicit } else { Certainty::Inferred },
        })
    }
}

impl DateSpec {
    fn read(tree: &Tree) -> Result<Self, String> {
        let role = match tree.get("of").text() {
            None | Some("start") => DateRole::Start,
            Some("end") => DateRole::End,
            Some("mention") => DateRole::Mention,
            Some(_) => return Err(mapping_error(tree.get("of"), "of", "expected start, end or mention")),
        };
        Ok(Self {
            value: ValueSpec::read_with_keys(tree, &["of", "title"])?,
            role,
            title: read_text(tree.get("title"), "title")?,
        })
    }
}

impl PassageSpec {
    fn read(tree: &Tree) -> Result<Self, String> {
        let markup = match tree.get("markup").text() {
            None | Some("html" | "text") => Markup::Html,
            Some("markdown") => Markup::Markdown,
            Some("bbcode") => Markup::Bbcode,
            Some(_) => {
                return Err(mapping_error(tree.get("markup"), "markup", "expected html, markdown, bbcode or text"));
            }
        };
        Ok(Self {
            value: ValueSpec::read_with_keys(tree, &["markup", "heading", "secret_headings", "skip_headings"])?,
            markup,
            heading: read_text(tree.get("heading"), "heading")?,
            secret_headings: read_texts(tree.get("secret_headings"), "secret_headings")?,
            skip_headings: read_texts(tree.get("skip_headings"), "skip_headings")?,
        })
    }
}

fn mapping_error(tree: &Tree, field: &str, message: &str) -> String {
    let line = if tree.line > 0 { format!("line {}, ", tree.line) } else { String::new() };
    format!("invalid mapping: {line}`{field}`: {message}")
}

/// Returns an error if the tree has an unknown key, which is mostly a spelling mistake.
fn check_keys(tree: &Tree, message: &str, keys: &[&str]) -> Result<(), String> {
    if !matches!(tree.data, Data::Map(_) | Data::Null) {
        return Err(mapping_error(tree, message, "expected `key: value`"));
    }
    match tree.entries().iter().find(|(key, _)| !keys.contains(&&**key)) {
        None => Ok(()),
        Some((key, value)) => {
            Err(mapping_error(value, key, &format!("unknown field; the fields of {message} are {}", keys.join(", "))))
        }
    }
}

fn read_text(tree: &Tree, field: &str) -> Result<Option<String>, String> {
    match &tree.data {
        Data::Null => Ok(None),
        Data::Text(text) => Ok(Some(text.to_string())),
        _ => Err(mapping_error(tree, field, "expected a text")),
    }
}

fn read_texts(tree: &Tree, field: &str) -> Result<Vec<String>, String> {
    let words = tree
        .as_list()
        .into_iter()
        .map(|item| item.to_text().ok_or_else(|| mapping_error(item, field, "expected texts")));
    words.collect()
}

fn read_list<T>(tree: &Tree, read: fn(&Tree) -> Result<T, String>) -> Result<Vec<T>, String> {
    tree.as_list().into_iter().map(read).collect()
}

fn read_kind(tree: &Tree) -> Result<Kind, String> {
    let word = tree.text().unwrap_or_default();
    let built_in = Kind::BUILT_IN.into_iter().find(|kind| kind.as_str() == word.trim().to_lowercase());
    let custom = || (!word.trim().is_empty()).then(|| Kind::from(word));
    built_in
        .or_else(custom)
        .ok_or_else(|| mapping_error(tree, "kind", "expected a kind such as npc, location, faction, item"))
}
