//! The OpenAPI document of an identity, generated from the schemas of its tools.

use hearsay_mcp::{ResourceDescription, ToolDescription};
use serde_json::{Map, Value, json};

/// Start of a reference to a definition in a JSON Schema.
const DEFINITION: &str = "#/$defs/";

/// Start of a reference to a schema in an OpenAPI document.
const COMPONENT: &str = "#/components/schemas/";

/// Returns the OpenAPI 3.1 document for the tools and resources of an identity.
pub(super) fn document(tools: &[ToolDescription], resources: &[ResourceDescription]) -> Value {
    let mut schemas = Map::new();
    let mut paths = Map::new();
    for tool in tools {
        paths.insert(format!("/api/tools/{}", tool.name), tool_path(tool, &mut schemas));
    }
    for resource in resources {
        paths.insert(format!("/api/resources/{}", resource.name), resource_path(*resource));
    }
    let list = json!({"type": "object", "required": ["tools"], "properties": {"tools": {"type": "array"}}});
    let tools_path = read_path("list_tools", "Lists the tools with their schemas", &list);
    paths.insert("/api/tools".to_owned(), tools_path);
    let this_path = read_path("read_openapi", "Returns this document", &json!({"type": "object"}));
    paths.insert("/api/openapi.json".to_owned(), this_path);
    schemas.insert("Error".to_owned(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hearsay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Tools and resources of one identity, which is a character or the DM. The token decides the \
                            identity."
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}
        }
    })
}

/// Returns the path of a tool. Adds the definitions in its schemas to `schemas`.
fn tool_path(tool: &ToolDescription, schemas: &mut Map<String, Value>) -> Value {
    let is_body_required = tool.input_schema.contains_key("required");
    let arguments = openapi_schema(&tool.input_schema, schemas);
    let result = openapi_schema(&tool.output_schema, schemas);
    json!({
        "post": {
            "operationId": tool.name,
            "summary": tool.title,
            "description": tool.description,
            "requestBody": {"required": is_body_required, "content": content(&arguments)},
            "responses": responses(&result)
        }
    })
}

fn resource_path(resource: ResourceDescription) -> Value {
    let schema = json!({
        "type": "object",
        "required": ["name", "text"],
        "properties": {"name": {"type": "string"}, "text": {"type": "string"}}
    });
    read_path(&format!("resource_{}", resource.name), resource.description, &schema)
}

fn read_path(operation: &str, summary: &str, schema: &Value) -> Value {
    json!({"get": {"operationId": operation, "summary": summary, "responses": responses(schema)}})
}

fn responses(schema: &Value) -> Value {
    let error = json!({"$ref": format!("{COMPONENT}Error")});
    json!({
        "200": {"description": "Success", "content": content(schema)},
        "default": {"description": "Error", "content": content(&error)}
    })
}

fn content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn error_schema() -> Value {
    let error = json!({
        "type": "object",
        "required": ["kind", "message"],
        "properties": {
            "kind": {"type": "string", "description": "Kind of the error, for programs"},
            "message": {"type": "string", "description": "Explanation for people"}
        }
    });
    json!({"type": "object", "required": ["error"], "properties": {"error": error}})
}

/// Converts a JSON Schema with its own definitions to a schema of an OpenAPI document. The definitions move to
/// `schemas`, because references in an OpenAPI document start at the root of the document.
fn openapi_schema(schema: &Map<String, Value>, schemas: &mut Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    schema.remove("$schema");
    if let Some(Value::Object(definitions)) = schema.remove("$defs") {
        for (name, mut definition) in definitions {
            redirect_references(&mut definition);
            schemas.insert(name, definition);
        }
    }
    let mut schema = Value::Object(schema);
    redirect_references(&mut schema);
    schema
}

/// Changes the references to definitions in a schema to references to the schemas of the OpenAPI document.
fn redirect_references(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value {
                    Value::String(reference) if key == "$ref" => {
                        if let Some(name) = reference.strip_prefix(DEFINITION) {
                            *reference = format!("{COMPONENT}{name}");
                        }
                    }
                    value => redirect_references(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redirect_references),
        _ => {}
    }
}
