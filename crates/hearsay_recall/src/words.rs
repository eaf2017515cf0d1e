//! Words as they are searched: stemmed, without those that say nothing.

use std::sync::LazyLock;

use hearsay_model::text;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashSet;

/// Words that carry no meaning of their own in a question or a statement.
const STOP_WORDS: &str = "a about after again all also am an and any are as at be because been before being but by can \
    could d did do does doing don't else ever every for from had has have having he her here hers herself him himself his how \
    i if in into is it it's its itself just ll may me might more most much must my myself no nor not now of off on once only \
    or other our ours out over own s say says shall she should so some such t tell than that the their theirs them \
    themselves then there these they this those through to too under until up upon us very was we were what when where \
    which while who whom whose why will with would you your yours yourself";

static STOPS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The stems of the words of a text, in order, without stop words. Snowball's English stemmer.
pub fn stems(text: &str) -> Vec<String> {
    let words = text::words(text).into_iter().filter(|word| !STOPS.contains(word.as_str()));
    words.map(|word| ENGLISH.stem(&word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_a_stem() {
        let check = |a: &str, b: &str| assert_eq!(stems(a), stems(b));
        check("smuggled goods", "Smuggling good");
        check("Odo\u{2019}s debts", "odo debt");
        assert_eq!(stems("What is it about, then?"), Vec::<String>::new());
    }
}
