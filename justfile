# Common tasks. `just` lists them. Install: cargo install just --locked

set shell := ["bash", "-euo", "pipefail", "-c"]

# List the tasks
default:
    @just --list --unsorted

# Build the programs hearsay and dm_console
build:
    cargo build --locked

# Run the program hearsay with arguments, for example: just run help
[positional-arguments]
run *arguments:
    cargo run --locked -- "$@"

# Open the DM console
console campaign="campaigns/gullhaven":
    cargo run --locked --bin dm_console -- -C "{{ campaign }}"

# Run all tests
test:
    cargo test --locked --workspace

# Check formatting, features and lints
lint:
    cargo fmt --all --check
    .ci/features
    .ci/licences
    cargo clippy --locked --workspace --all-targets -- -D warnings

# Format the code
format:
    cargo fmt --all

# Build the API documentation and the book, and check their style and commands
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
    .ci/docs

# Show the book in the browser (needs mdBook)
book:
    mdbook serve docs --open

# Run all checks before a merge
ci:
    .ci/run

# Measure what .ci/run compares with its minimum figures, without data sets that are not part of the project
floors:
    cargo run --locked --quiet -p hearsay_eval -- leaks --worlds 10000 --seed 5
    cargo run --locked --quiet -p hearsay_eval -- mcp-leaks --worlds 100 --seed 5
    cargo run --locked --quiet -p hearsay_eval -- mcp-leaks --worlds 50 --seed 6 --http
    cargo run --locked --quiet -p hearsay_eval -- dialogue --floor 50
    cargo run --locked --quiet -p hearsay_eval -- sharing --operations 3000 --writes 100 --kill-every-ms 300
    cargo run --locked --quiet -p hearsay_eval -- patterns crates/hearsay_eval/data/extraction-test{,2}.jsonl
    cargo run --locked --quiet -p hearsay_eval -- questions --count 50 --deadline-ms 60000
    cargo run --locked --quiet -p hearsay_eval -- extraction crates/hearsay_eval/data/extraction-test{,2}.jsonl

# Run each fuzz target with its stored inputs
fuzz-replay:
    cargo test --locked -p hearsay_tests fuzz_corpus

# Compare the console with its stored pictures (needs Xvfb and Mesa)
pictures:
    .ci/pictures

# Check licences, versions, sources and vulnerabilities of the dependencies (needs cargo-deny and a network)
deny:
    cargo deny check

# Check that the copyright and the licence of every file are known
provenance:
    .ci/provenance

# Write the table of licences in the program hearsay after a change of dependencies
licence-table:
    .ci/licence-table

# Package the crates as they will be on crates.io, without compiling them
packages:
    .ci/packages

# Make a release archive and start its programs, for example: just release --trial --profile dev
[positional-arguments]
release *options:
    .ci/release "$@"

# Write the licence texts of all dependencies of a program (takes minutes)
notices file="target/THIRD-PARTY-NOTICES.txt" package="hearsay_cli":
    .ci/notices "{{ file }}" "{{ package }}"

# Write the software bill of materials of a release, in the format CycloneDX
sbom file="target/hearsay.cdx.json":
    .ci/sbom "{{ file }}"

# Write the shared features after a change of dependencies (needs cargo-hakari)
hakari:
    cargo hakari generate
