//! Hashes that identify texts and models.

/// Hash of a text. A cached vector is stored under this hash and the [`ModelInfo::id`](crate::ModelInfo::id).
pub type TextHash = [u8; 16];

/// Hashes a text to 128 bits: the first half of its BLAKE3 hash.
///
/// The function does not normalise the text. Two spellings have different hashes even if the tokenizer gives them the
/// same tokens. The only effect is a cache miss.
///
/// ```
/// use hearsay_embed::text_hash;
///
/// assert_eq!(text_hash("rats"), text_hash("rats"));
/// assert_ne!(text_hash("rats"), text_hash("Rats"));
/// ```
pub fn text_hash(text: &str) -> TextHash {
    let mut hash = TextHash::default();
    blake3::Hasher::new().update(text.as_bytes()).finalize_xof().fill(&mut hash);
    hash
}

/// Hashes the inputs that determine a model's vectors. Returns 12 hexadecimal digits.
///
/// The length of each part is hashed before the part, so that different lists of parts have different hashes.
pub(crate) fn model_hash(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().as_str()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_hash_is_the_first_half_of_blake3() {
        assert_eq!(text_hash("rats")[..], blake3::hash(b"rats").as_bytes()[..16]);
        assert_eq!(
            text_hash(""),
            [0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6, 0xa0, 0x40, 0x4d, 0xea, 0x36, 0xdc, 0xc9, 0x49],
            "keys on disk must not change between releases"
        );
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(model_hash(&[b"ab", b"c"]), model_hash(&[b"a", b"bc"]));
        assert_eq!(model_hash(&[b"ab"]).len(), 12);
    }
}
