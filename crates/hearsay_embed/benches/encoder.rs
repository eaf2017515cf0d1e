//! Benchmarks of the default model. Run them with `cargo bench -p hearsay_embed`.
//!
//! The project's ONNX Runtime benchmark uses the same texts, so that the times can be compared.

#![allow(clippy::print_stderr)]

use divan::Bencher;
use divan::counter::ItemsCount;
use hearsay_embed::{Encoder, EncoderOptions, WeightPrecision, find_model};

const QUERY: &str = "What does Grimjaw know about the missing shipment near the old mill?";

fn main() {
    divan::main();
}

fn encoder(threads: usize) -> Encoder {
    encoder_with(EncoderOptions::with_threads(threads))
}

fn encoder_with(options: EncoderOptions) -> Encoder {
    find_model(None).and_then(|dir| Encoder::load(dir, options)).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1);
    })
}

fn documents() -> Vec<String> {
    (0..32)
        .map(|i| {
            format!(
                "Grimjaw the blacksmith told the party that the missing shipment was last seen \
                 near the old mill, guarded by members of the Thieves Guild who answer to Elara. {i}"
            )
        })
        .collect()
}

#[divan::bench(args = [1, 2], sample_count = 200, sample_size = 1)]
fn query_of_17_tokens(bencher: Bencher, threads: usize) {
    let encoder = encoder(threads);
    bencher.bench_local(|| encoder.encode(&[QUERY]));
}

#[divan::bench]
fn query_that_is_remembered(bencher: Bencher) {
    let encoder = encoder(1);
    bencher.bench_local(|| encoder.encode_one(QUERY));
}

#[divan::bench(args = [1, 2], sample_count = 16, sample_size = 1)]
fn batch_of_32_documents(bencher: Bencher, threads: usize) {
    let encoder = encoder(threads);
    let documents = documents();
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench_local(|| encoder.encode(&texts));
}

#[divan::bench(args = [1, 2], sample_count = 16, sample_size = 1)]
fn batch_of_32_documents_int8(bencher: Bencher, threads: usize) {
    let encoder = encoder_with(EncoderOptions { threads, precision: WeightPrecision::Int8 });
    let documents = documents();
    let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
    bencher.counter(ItemsCount::new(texts.len())).bench_local(|| encoder.encode(&texts));
}

#[divan::bench(args = [1, 2], sample_count = 200, sample_size = 1)]
fn query_of_17_tokens_int8(bencher: Bencher, threads: usize) {
    let encoder = encoder_with(EncoderOptions { threads, precision: WeightPrecision::Int8 });
    bencher.bench_local(|| encoder.encode(&[QUERY]));
}

/// A text of 256 tokens, which is the maximum of the default model.
#[divan::bench(args = [WeightPrecision::F32, WeightPrecision::Int8], sample_count = 32, sample_size = 1)]
fn long_text(bencher: Bencher, precision: WeightPrecision) {
    let encoder = encoder_with(EncoderOptions { threads: 1, precision });
    let text = documents().join(" ");
    bencher.bench_local(|| encoder.encode(&[&text]));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn load() -> usize {
    encoder(1).info().dimension
}
