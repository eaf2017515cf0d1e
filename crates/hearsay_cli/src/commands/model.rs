//! `db model`: shows which sentence encoder is in use.

use anyhow::Result;
use hearsay_embed::{Encoder, EncoderOptions, dot, find_model};
use serde_json::json;

use crate::{args, output::Output};

pub(crate) fn run(args: &args::Model, output: &mut Output) -> Result<()> {
    let directory = find_model(args.directory.as_deref())?;
    let encoder = Encoder::load(&directory, EncoderOptions::default())?;
    let info = encoder.info();
    let texts: Vec<&str> = args.compare.iter().map(String::as_str).collect();
    let vectors = encoder.encode(&texts)?;
    let similarity = match vectors.as_slice() {
        [a, b] => Some(dot(a, b)),
        _ => None,
    };
    output.data(&json!({ "model": info, "directory": directory, "similarity": similarity }))?;
    output.line(format!("{} ({} numbers a vector, {} tokens a text)", info.id, info.dimension, info.max_tokens))?;
    output.line(format!("from {}", directory.display()))?;
    if let Some(similarity) = similarity {
        output.line(format!("similarity {similarity:.3}"))?;
    }
    Ok(())
}
