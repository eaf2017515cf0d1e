//! Export of entities and relations as a graph for other programs. The graph contains secrets, so it is only for the
//! DM.

use std::{
    fmt::Write as _,
    io::{self, Write},
    sync::Arc,
};

use hearsay_model::{Entity, Fact, State};

/// Returns the relations between existing entities, sorted by fact id.
fn relations(state: &State) -> Vec<&Arc<Fact>> {
    let exists = |fact: &&Arc<Fact>| {
        let exists = |id| state.entity(id).is_some();
        fact.object().entity().is_some_and(exists) && exists(fact.subject())
    };
    let mut relations: Vec<_> = state.facts().filter(exists).collect();
    relations.sort_unstable_by_key(|fact| fact.id());
    relations
}

fn entities(state: &State) -> impl Iterator<Item = (&Arc<Entity>, &str, String)> {
    let kind = |entity: &Entity| state.kind(&entity.id).map_or_else(String::new, |kind| kind.to_string());
    state.entities().map(move |entity| (entity, state.name_or_id(&entity.id), kind(entity)))
}

/// Writes the graph as GraphML. A node has the name and kind of an entity. An edge has the predicate, statement,
/// status, secrecy and validity of a relation.
///
/// # Errors
/// Returns an error if `writer` cannot be written to.
pub fn export_graphml(state: &State, mut writer: impl Write) -> io::Result<()> {
    writeln!(writer, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(writer, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
    for (element, keys) in
        [("node", &["label", "kind"][..]), ("edge", &["label", "statement", "status", "secrecy", "from", "until"])]
    {
        for key in keys {
            writeln!(writer, r#"  <key id="{element}-{key}" for="{element}" attr.name="{key}" attr.type="string"/>"#)?;
        }
    }
    writeln!(writer, r#"  <graph id="campaign" edgedefault="directed">"#)?;
    let data = |key: &str, value: &str| match value {
        "" => String::new(),
        value => format!(r#"<data key="{key}">{}</data>"#, escape_xml(value)),
    };
    for (entity, name, kind) in entities(state) {
        let (name, kind) = (data("node-label", name), data("node-kind", &kind));
        writeln!(writer, r#"    <node id="{}">{name}{kind}</node>"#, entity.id)?;
    }
    for fact in relations(state) {
        let Some(object) = fact.object().entity() else { continue };
        let date = |date: Option<&hearsay_model::Date>| date.map_or_else(String::new, |date| date.raw.clone());
        let mut data_elements = data("edge-label", fact.predicate().as_str());
        data_elements += &data("edge-statement", fact.statement());
        data_elements += &data("edge-status", fact.status().as_str());
        data_elements += &data("edge-secrecy", fact.secrecy().as_str());
        data_elements += &data("edge-from", &date(fact.validity().from.as_ref()));
        data_elements += &data("edge-until", &date(fact.validity().until.as_ref()));
        let (id, subject) = (fact.id(), fact.subject());
        writeln!(writer, r#"    <edge id="{id}" source="{subject}" target="{object}">{data_elements}</edge>"#)?;
    }
    writeln!(writer, "  </graph>\n</graphml>")?;
    writer.flush()
}

/// Escapes text for XML. Removes characters that XML does not allow.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(c),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// Writes the graph in the DOT language of Graphviz. The shape of a node shows the kind of the entity. An edge is
/// dashed if its fact is secret, has an end date, or has a status other than canon or claimed.
///
/// # Errors
/// Returns an error if `writer` cannot be written to.
pub fn export_dot(state: &State, mut writer: impl Write) -> io::Result<()> {
    writeln!(writer, "digraph campaign {{")?;
    writeln!(writer, "  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];")?;
    for (entity, name, kind) in entities(state) {
        let shape = match kind.as_str() {
            "npc" | "player" => "ellipse",
            "location" => "house",
            "faction" | "party" => "octagon",
            "item" | "document" => "note",
            _ => "box",
        };
        let (id, name, kind) = (quote_dot(entity.id.as_str()), quote_dot(name), quote_dot(&kind));
        writeln!(writer, "  {id} [label={name}, shape={shape}, tooltip={kind}];")?;
    }
    for fact in relations(state) {
        let Some(object) = fact.object().entity() else { continue };
        let secret = fact.secrecy() == hearsay_model::Secrecy::Secret;
        let style = if secret || !fact.is_in_effect() { "dashed" } else { "solid" };
        let (subject, object) = (quote_dot(fact.subject().as_str()), quote_dot(object.as_str()));
        let (label, tooltip) = (quote_dot(fact.predicate().as_str()), quote_dot(fact.statement()));
        writeln!(writer, "  {subject} -> {object} [label={label}, tooltip={tooltip}, style={style}];")?;
    }
    writeln!(writer, "}}")?;
    writer.flush()
}

/// Returns a quoted Graphviz string.
fn quote_dot(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => _ = quoted.write_char(c),
        }
    }
    format!("\"{quoted}\"")
}
