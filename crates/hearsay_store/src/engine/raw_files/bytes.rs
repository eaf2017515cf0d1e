//! Decodes numbers from SurrealKV's files, with bounds checks.

/// The bytes that are not decoded yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Decodes a number that is stored with seven bits per byte, lowest bits first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7F).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Decodes a length with [`Bytes::varint`] and returns that many bytes.
    pub(super) fn prefixed(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(usize::try_from(length).ok()?)
    }
}

/// Returns the value that the engine stored inline, or `None` if the encoded bytes are not an inline value.
pub(super) fn inline_value(encoded: &[u8]) -> Option<&[u8]> {
    // The first byte is a flag for values in a separate log, which is disabled. The second byte is a version.
    encoded.strip_prefix(&[0, 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_their_end_or_not_at_all() {
        let mut bytes = Bytes(&[0xAC, 0x02, 0, 0, 0, 7, 2, 8, 9, 0x80]);
        assert_eq!((bytes.varint(), bytes.u32(), bytes.prefixed()), (Some(300), Some(7), Some(&[8, 9][..])));
        assert_eq!(bytes.varint(), None);
        assert_eq!(Bytes(&[0xFF; 20]).varint(), None);
        assert_eq!(Bytes(&[9, 1]).prefixed(), None);
        assert_eq!((inline_value(&[0, 1, 5]), inline_value(&[1, 1, 5])), (Some(&[5][..]), None));
    }
}
