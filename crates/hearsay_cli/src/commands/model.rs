//! `db model`: shows which sentence encoder is in use.

use anyhow::Result;
use hearsay_embed::{Encoder, EncoderOptions, dot};
use serde_json::json;

use crate::{args, output::Output};

pub(crate) fn run(args: &args::Model, output: &mut Output) -> Result<()> {
    let encoder = Encoder::open(args.directory.as_deref(), EncoderOptions::default())?;
    let info = encoder.info();
    let texts: Vec<&str> = args.compare.iter().map(String::as_str).collect();
    let vectors = encoder.encode(&texts)?;
    let similarity = match vectors.as_slice() {
        [a, b] => Some(dot(a, b)),
        _ => None,
    };
    output.data(&json!({ "model": info, "directory": info.directory, "similarity": similarity }))?;
    output.line(format!("{} ({} numbers per vector, {} tokens per text)", info.id, info.dimension, info.max_tokens))?;
    output.line(match &info.directory {
        Some(directory) => format!("from {}", directory.display()),
        None => "compiled into the program".to_owned(),
    })?;
    if let Some(similarity) = similarity {
        output.line(format!("similarity {similarity:.3}"))?;
    }
    Ok(())
}
