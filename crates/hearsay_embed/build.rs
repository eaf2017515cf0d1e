//! Passes the optimisation level of the build to the crate. A game builds its dependencies without optimisation, unless
//! its profile sets a level.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=HEARSAY_OPT_LEVEL={}", std::env::var("OPT_LEVEL").unwrap_or_default());
}
