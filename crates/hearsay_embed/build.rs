//! Tells the crate at which level it is optimised: a game builds its dependencies unoptimised, unless it says otherwise.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=HEARSAY_OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
}
