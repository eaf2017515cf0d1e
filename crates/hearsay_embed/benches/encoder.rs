//! Benchmarks of the default model. Run them with `cargo bench -p hearsay_embed`.
//!
//! The project's ONNX Runtime benchmark uses the same texts, so that the times can be compared.

#![allow(clippy::print_stderr)]

use divan::Bencher;
use divan::counter::ItemsCount;
use hearsay_embed::{Encoder, EncoderOptions, find_model};

const QUERY: &str = "What does Grimjaw know about the missing shipment near the old mill?";

fn main() {
    divan::main();
}

fn encoder(threads: usize) -> Encoder {
    find_model(None).and_then(|dir| Encoder::load(dir, EncoderOptions { threads })).unwrap_or_else(|error| {
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

#[divan::bench(sample_count = 5, sample_size = 1)]
fn load() -> usize {
    encoder(1).info().dimension
}
