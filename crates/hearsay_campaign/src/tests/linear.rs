//! The time to read a file that repeats one pattern grows with the length of the file, not with the square of the
//! length.

use std::time::{Duration, Instant};

/// Measures the processor time of the thread, or the elapsed time if the system does not report it. Elapsed time
/// includes other tests that run in parallel.
struct Clock(Option<Duration>, Instant);

impl Clock {
    fn start() -> Self {
        Self(processor_time(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        match (self.0, processor_time()) {
            (Some(started_at), Some(now)) => now.saturating_sub(started_at),
            _ => self.1.elapsed(),
        }
    }
}

fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

use crate::fuzz::run;

/// Repeated text for each target. `{n}` is replaced by a number.
const PATTERNS: [(&str, &[&str]); 6] = [
    (
        "markdown",
        &[
            "[",
            "]",
            "![",
            "[[",
            "[[a|",
            "[[[a]]",
            "[a](",
            "[a](b) ",
            "[a]: b\n",
            "[^a]",
            "[^{n}]: b\n",
            "[&amp;](a.md) ",
            "<",
            "<a",
            "<div>",
            "<div>\n\n",
            "<div class=\"secret\">",
            "<div class=\"secret\"></div>",
            "<details>",
            "<b>",
            "<!--",
            "<!-- -->",
            "%%",
            "%% ",
            "%% <div class=secret> %%\n",
            "%%\n```secret\n%%\n",
            "*",
            "**",
            "*a ",
            "**a ",
            "_",
            "_a",
            "*_",
            "`",
            "` ",
            "`a",
            "```\n",
            "```secret\n",
            "```\n<!--\n```\n",
            "~~~\n",
            "~",
            "~~a",
            ">",
            "> ",
            "> [!secret]\n",
            "> %%\n> [!secret]\n> %%\n",
            "- ",
            "-\n",
            "- a\n",
            "1. ",
            "&",
            "&amp;",
            "&#",
            "|",
            "||",
            "||a",
            "| a ",
            "|a|\n",
            "a|b\n---|---\n",
            "\\",
            "# a\n",
            "# a\n%%b%%\n",
            "# Ann\n*x*\n\n",
            "## Ann {n}\n",
            "a:: b\n",
            "(a:: ",
            "[a:: b] ",
            "[a:: [[b]]] ",
            "[a:: [[b{n}]]] ",
            ":::",
            ":::secret\n",
            "[secret]",
            "[secret{n}]",
            "[gm][/secret]",
            "{{< gm >}}",
            "{{",
            "{",
            "INPUT[",
            "$",
            "^",
            "@UUID[x]{",
            "[[/r 1]]{",
            "Ann ",
            "[[Bob]] ",
            "[[Bob{n}]] ",
            "<table><tr><td>",
            "<td>",
            "()",
            "(",
            "\t",
            " ",
            "\n",
            "\r\n",
            "a\n",
            "=\n",
            "---\n",
            "x\n---\n",
            "http://",
            "#",
            "\"",
            "\u{201C}",
            "**Allies:** [[Bob]]\n",
            "- [[Bob]] ",
            "data-date=",
            "<span data-date=\"1\">",
            "> - ",
            "\u{0}",
            " a{n}",
        ],
    ),
    (
        "html",
        &[
            "<",
            "<a",
            "<div>",
            "<div class=secret>",
            "</div>",
            "<p>",
            "</p>",
            "<b>",
            "<b a={n}>",
            "<b a={n}></div><div>",
            "<a>",
            "<a href=x>",
            "<li><ul>",
            "<table>",
            "<td>",
            "<table><tr><td>",
            "<th>",
            "<svg>",
            "<x>",
            "<template>",
            "<select>",
            "<option>",
            "<form>",
            "<button>",
            "<b><div>",
            "<font color={n}>x<p>",
            "<nobr>",
            "<h1>",
            "<dl><dt>",
            "<!--",
            "<![CDATA[",
            "&",
            "&#",
            "&amp",
            "&lt;",
            "<script>",
            "<textarea>",
            "<title>",
            "<frameset>",
            "<html a{n}>",
            "[b]",
            "[gm]",
            "[img]",
            "[/b]",
            "[*]",
            "[",
            "[b][/i]",
            "[url:",
            "[table][tr][td]",
            "<ruby><rt>",
            "<br>",
            "<div><p><b>x</div>",
            "</br>",
            "<math><mi>",
            "<object>",
            " a{n}",
        ],
    ),
    (
        "native",
        &[
            "[",
            "{",
            "- ",
            "- a\n",
            "? ",
            "&a ",
            "*a ",
            "a: ",
            "a: b\n",
            "a{n}: b\n",
            "\"",
            "'",
            "|\n",
            "#",
            "!!",
            ": ",
            ",",
            "[a,",
            "\t",
            "%",
            "---\n",
            "\\",
            "&a{n} a\n",
            "- [",
            " ",
            "\n",
            "- - a\n",
            "entities: [{id: a{n}}]\n",
        ],
    ),
    ("kanka", &["[", "{", "{\"a\":", "\"", "\\", "[1,", "{\"a{n}\":1,", ",", " "]),
    (
        "transcript",
        &["a: b\n", "[12:30] a\n", "a", ":", "<", "{", "<v a>", "[", ". ", "-->\n", "00:01 a: b\n", "\u{2014} "],
    ),
    ("jsonl", &["{", "[", "\n", "{\"type\":\"hearsay\",\"format\":1}\n", "\""]),
];

/// Returns the text before a pattern. A pattern of attributes needs a tag, and some targets need a first line.
fn head(target: &str, pattern: &str) -> &'static str {
    match target {
        "native" => "campaign: {name: A}\nx: ",
        "jsonl" => "{\"type\":\"hearsay\",\"format\":1}\n",
        _ if pattern == " a{n}" => "<div",
        _ => "",
    }
}

/// Returns the time in which a target reads this number of bytes of a pattern.
fn time(target: &str, pattern: &str, bytes: usize) -> Duration {
    let mut text = head(target, pattern).to_owned();
    let mut n = 0;
    while text.len() < bytes {
        text.push_str(&pattern.replace("{n}", &n.to_string()));
        n += 1;
    }
    let clock = Clock::start();
    run(target, text.as_bytes());
    clock.elapsed()
}

/// Sizes in bytes of the small and the large file.
const SIZES: [usize; 2] = [4_000, 32_000];

/// Maximum ratio of the times for the large and the small file. Linear time has the ratio 8, quadratic time 64.
const MAX_GROWTH: f64 = 24.0;

/// Maximum processor time for the large file. Most targets take a hundredth of it.
const MAX_TIME: Duration = Duration::from_secs(10);

#[test]
fn no_mark_takes_quadratic_time() {
    for (target, patterns) in PATTERNS {
        for pattern in patterns {
            let measure = || SIZES.map(|bytes| time(target, pattern, bytes));
            // Shorter times are not compared, because their ratio is noise.
            let is_linear = |[small, large]: [Duration; 2]| {
                large < MAX_TIME && large < small.max(Duration::from_millis(2)).mul_f64(MAX_GROWTH)
            };
            // Other programs may disturb one measurement, but hardly all three.
            let linear = (0..3).any(|_| is_linear(measure()));
            assert!(linear, "{target} {pattern:?} takes {:?} for {SIZES:?} bytes", measure());
        }
    }
}

#[test]
#[ignore = "measures; takes a while"]
#[allow(clippy::print_stderr)]
fn how_long_marks_take() {
    for (target, patterns) in PATTERNS {
        for pattern in patterns {
            let small = time(target, pattern, 100_000);
            let large = if small > Duration::from_secs(3) { small * 100 } else { time(target, pattern, 1_000_000) };
            let factor = large.as_secs_f64() / small.as_secs_f64();
            eprintln!(
                "{:8.3} s {:8.3} s  {factor:5.1}  {target} {pattern:?}",
                small.as_secs_f64(),
                large.as_secs_f64()
            );
        }
    }
}
