//! Finds HTML tags with too many attributes, before the text is parsed.

/// Maximum number of attributes of a tag. The parser compares each attribute with all earlier attributes of the same
/// tag, so the time that it needs grows with the square of this number.
pub(super) const MAX_ATTRIBUTES: usize = 256;

/// States of the HTML tokenizer within a tag.
#[derive(Debug, Clone, Copy)]
enum TagState {
    TagName,
    BeforeAttribute,
    AttributeName,
    AfterAttributeName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

const TAG_STATES: [TagState; 8] = [
    TagState::TagName,
    TagState::BeforeAttribute,
    TagState::AttributeName,
    TagState::AfterAttributeName,
    TagState::BeforeValue,
    TagState::DoubleQuoted,
    TagState::SingleQuoted,
    TagState::Unquoted,
];

impl TagState {
    /// Returns the state after a byte, or `None` at the end of the tag.
    fn next(self, byte: u8) -> Option<Self> {
        let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C);
        Some(match (self, byte) {
            (Self::DoubleQuoted, b'"') | (Self::SingleQuoted, b'\'') => Self::BeforeAttribute,
            (Self::DoubleQuoted | Self::SingleQuoted, _) => self,
            (_, b'>') => return None,
            (Self::BeforeValue, _) if is_space => self,
            (Self::BeforeValue, b'"') => Self::DoubleQuoted,
            (Self::BeforeValue, b'\'') => Self::SingleQuoted,
            (Self::AttributeName | Self::AfterAttributeName, b'=') => Self::BeforeValue,
            (Self::AttributeName | Self::AfterAttributeName, _) if is_space => Self::AfterAttributeName,
            (Self::TagName | Self::BeforeAttribute | Self::Unquoted, _) if is_space => Self::BeforeAttribute,
            (Self::BeforeValue | Self::Unquoted, _) => Self::Unquoted,
            (_, b'/') => Self::BeforeAttribute,
            (Self::TagName, _) => self,
            (Self::BeforeAttribute | Self::AttributeName | Self::AfterAttributeName, _) => Self::AttributeName,
        })
    }

    /// Returns whether a step to `next` begins an attribute.
    fn begins_attribute(self, next: Self) -> bool {
        matches!(next, Self::AttributeName) && !matches!(self, Self::AttributeName)
    }
}

/// A tag that is possibly open.
#[derive(Debug, Clone, Copy)]
struct OpenTag {
    start: usize,
    attributes: usize,
}

/// Returns the start of the first tag with more than `max` attributes.
///
/// Whether `<` begins a tag depends on its context: a comment, a script, a quoted value. This function does not know
/// the context, so it follows all tags that are possibly open. If several tags are in the same state, it follows the
/// tag with the most attributes. This function can report a tag that the parser would not see, but it never misses a
/// tag that the parser would see. This function takes linear time.
pub(super) fn find_overloaded_tag(source: &str, max: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut open = [None::<OpenTag>; TAG_STATES.len()];
    let mut at = 0;
    while at < bytes.len() {
        let mut next = [None::<OpenTag>; TAG_STATES.len()];
        let mut none_open = true;
        for (state, tag) in TAG_STATES.into_iter().zip(open) {
            let (Some(mut tag), Some(next_state)) = (tag, state.next(bytes[at])) else { continue };
            tag.attributes += usize::from(state.begins_attribute(next_state));
            if tag.attributes > max {
                return Some(tag.start);
            }
            none_open = false;
            let kept_tag = &mut next[next_state as usize];
            if kept_tag.is_none_or(|kept_tag| kept_tag.attributes < tag.attributes) {
                *kept_tag = Some(tag);
            }
        }
        open = next;
        let name_start = match &bytes[..=at] {
            [before @ .., b'<', letter] | [before @ .., b'<', b'/', letter] if letter.is_ascii_alphabetic() => {
                Some(before.len())
            }
            _ => None,
        };
        if let Some(start) = name_start {
            open[TagState::TagName as usize].get_or_insert(OpenTag { start, attributes: 0 });
        }
        none_open &= name_start.is_none() && !bytes[..=at].ends_with(b"<") && !bytes[..=at].ends_with(b"</");
        at = match none_open {
            true => bytes[at + 1..].iter().position(|byte| *byte == b'<').map_or(bytes.len(), |length| at + 1 + length),
            false => at + 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scraper::{Html, Node};

    use super::find_overloaded_tag;

    fn most_attributes(source: &str) -> usize {
        let tree = Html::parse_fragment(source).tree;
        tree.values().filter_map(Node::as_element).map(|element| element.attrs().count()).max().unwrap_or(0)
    }

    #[test]
    fn tags_are_counted_as_the_parser_counts_them() {
        let overloaded = |source| find_overloaded_tag(source, 2);
        assert_eq!(overloaded("x <b a c>"), None);
        assert_eq!(overloaded("x <b a c d>"), Some(2));
        assert_eq!(overloaded("<b a><b c><b d>"), None);
        assert_eq!(overloaded("<b a='1 2 3' c=\"4 5 > 6\">"), None);
        assert_eq!(overloaded("<b a = 1 c = 2>"), None);
        assert_eq!(overloaded("<i></b a/c/d>"), Some(3));
        assert_eq!(overloaded("<b a=\"1\"c='2'd=3>"), Some(0));
        assert_eq!(overloaded("a < b c d e"), None);
        assert_eq!(overloaded("<!-- \" --><b a c d>"), Some(10));
        assert_eq!(overloaded("<p title=\"<i a\"><b a c d>"), Some(16));
    }

    fn pieces() -> impl Strategy<Value = String> {
        let pieces = [
            "<b",
            "</b",
            "<",
            ">",
            " a",
            " c",
            " d",
            " e",
            "=",
            "\"",
            "'",
            "/",
            " ",
            "\n",
            "x",
            "<!--",
            "-->",
            "<script",
            "</script>",
            "<svg>",
            "<style>",
            "</style>",
            "<title>",
            "<![CDATA[",
            "]]>",
            "<textarea>",
            "&quot;",
            "\0",
        ];
        proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_overloaded_tag_is_missed(source in pieces()) {
            for max in 0..3 {
                let end = find_overloaded_tag(&source, max).unwrap_or(source.len());
                prop_assert!(most_attributes(&source[..end]) <= max, "{max} in {:?}", &source[..end]);
            }
        }
    }
}
