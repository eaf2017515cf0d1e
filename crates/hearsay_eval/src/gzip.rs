//! Reading gzip (RFC 1952) and the deflate within it (RFC 1951): small files, all at once.

use thiserror::Error;

/// Why a file is no gzip file that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GzipError {
    /// It ends before it is complete.
    #[error("the gzip file is cut off; fetch it anew")]
    CutOff,
    /// Its content is no deflate stream, or no gzip header comes first.
    #[error("the gzip file is damaged; fetch it anew")]
    Damaged,
    /// What was unpacked is not what was packed.
    #[error("the gzip file is damaged: its checksum does not fit; fetch it anew")]
    Checksum,
    /// More than the most that is unpacked.
    #[error("the gzip file unpacks to more than {} MiB, which no set of stories does", MOST >> 20)]
    TooLarge,
}

/// At most so many bytes are unpacked.
const MOST: usize = 256 << 20;

/// Whether bytes begin as a gzip file does.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

/// Unpacks a gzip file, all its members one after the other.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, GzipError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let begin = out.len();
        rest = &rest[header(rest)?..];
        let mut bits = Bits { bytes: rest, at: 0, held: 0, count: 0 };
        inflate(&mut bits, &mut out)?;
        let trailer = rest.get(bits.at..bits.at + 8).ok_or(GzipError::CutOff)?;
        let checksum = trailer.iter().take(4).rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte));
        if checksum != crc32(&out[begin..]) {
            return Err(GzipError::Checksum);
        }
        rest = &rest[bits.at + 8..];
    }
    Ok(out)
}

/// The length of the header of a member.
fn header(bytes: &[u8]) -> Result<usize, GzipError> {
    let fixed = bytes.get(..10).ok_or(GzipError::CutOff)?;
    if !is_gzip(fixed) || fixed[2] != 8 {
        return Err(GzipError::Damaged);
    }
    let (flags, mut at) = (fixed[3], 10);
    if flags & 4 != 0 {
        let length = bytes.get(at..at + 2).ok_or(GzipError::CutOff)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    // A name and a comment, each with a zero at its end.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let text = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == 0));
            at += text.ok_or(GzipError::CutOff)? + 1;
        }
    }
    at += if flags & 2 != 0 { 2 } else { 0 };
    if at <= bytes.len() { Ok(at) } else { Err(GzipError::CutOff) }
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 != 0 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
    let table: Vec<u32> = (0..256).map(|byte| (0..8).fold(byte, |sum, _| step(sum))).collect();
    !bytes.iter().fold(!0, |sum: u32, byte| (sum >> 8) ^ table[usize::from(sum.to_le_bytes()[0] ^ byte)])
}

/// Bits of a stream, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    /// So many bits, at most 16.
    fn take(&mut self, wanted: u32) -> Result<usize, GzipError> {
        while self.count < wanted {
            self.held |= u32::from(*self.bytes.get(self.at).ok_or(GzipError::CutOff)?) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let bits = self.held & ((1 << wanted) - 1);
        self.held >>= wanted;
        self.count -= wanted;
        Ok(bits as usize)
    }
}

/// A Huffman code: how many codes of each length there are, and the symbols in the order of their codes.
struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; 16];
        for length in lengths {
            counts[usize::from(*length)] += 1;
        }
        counts[0] = 0;
        let mut symbols: Vec<u16> = (0_u16..).zip(lengths).filter(|(_, l)| **l > 0).map(|(symbol, _)| symbol).collect();
        symbols.sort_by_key(|symbol| lengths[usize::from(*symbol)]);
        Self { counts, symbols }
    }

    fn read(&self, bits: &mut Bits) -> Result<usize, GzipError> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in &self.counts[1..] {
            code |= bits.take(1)?;
            let count = usize::from(*count);
            if code < first + count {
                // More codes than there can be of a length would put the code below the first of them.
                let place = (index + code).checked_sub(first).ok_or(GzipError::Damaged)?;
                return self.symbols.get(place).map(|symbol| usize::from(*symbol)).ok_or(GzipError::Damaged);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        Err(GzipError::Damaged)
    }
}

fn inflate(bits: &mut Bits, out: &mut Vec<u8>) -> Result<(), GzipError> {
    let begin = out.len();
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(bits, out)?,
            1 => {
                let length = |symbol| match symbol {
                    144..=255 => 9,
                    256..=279 => 7,
                    _ => 8,
                };
                let lengths: Vec<u8> = (0..288).map(length).collect();
                block(bits, out, begin, &Code::new(&lengths), &Code::new(&[5; 30]))?;
            }
            2 => {
                let (literals, distances) = codes(bits)?;
                block(bits, out, begin, &literals, &distances)?;
            }
            _ => return Err(GzipError::Damaged),
        }
        if last {
            return Ok(());
        }
    }
}

fn stored(bits: &mut Bits, out: &mut Vec<u8>) -> Result<(), GzipError> {
    (bits.held, bits.count) = (0, 0);
    let (length, check) = (bits.take(16)?, bits.take(16)?);
    if length != check ^ 0xFFFF {
        return Err(GzipError::Damaged);
    }
    out.extend_from_slice(bits.bytes.get(bits.at..bits.at + length).ok_or(GzipError::CutOff)?);
    bits.at += length;
    Ok(())
}

/// The codes that a block brings along.
fn codes(bits: &mut Bits) -> Result<(Code, Code), GzipError> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let (literals, distances, lengths) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut of_lengths = [0; 19];
    for place in &ORDER[..lengths] {
        of_lengths[*place] = u8::try_from(bits.take(3)?).unwrap_or_default();
    }
    let of_lengths = Code::new(&of_lengths);
    let mut found: Vec<u8> = Vec::new();
    while found.len() < literals + distances {
        let (length, times) = match of_lengths.read(bits)? {
            16 => (*found.last().ok_or(GzipError::Damaged)?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            length => (u8::try_from(length).unwrap_or_default(), 1),
        };
        found.extend(std::iter::repeat_n(length, times));
    }
    if found.len() > literals + distances {
        return Err(GzipError::Damaged);
    }
    let (literals, distances) = found.split_at(literals);
    Ok((Code::new(literals), Code::new(distances)))
}

fn block(bits: &mut Bits, out: &mut Vec<u8>, begin: usize, literals: &Code, distances: &Code) -> Result<(), GzipError> {
    loop {
        if out.len() > MOST {
            return Err(GzipError::TooLarge);
        }
        let length = match literals.read(bits)? {
            literal @ 0..=255 => {
                out.push(u8::try_from(literal).unwrap_or_default());
                continue;
            }
            256 => return Ok(()),
            symbol @ 257..=264 => symbol - 254,
            285 => 258,
            symbol @ 265..=284 => {
                let extra = (symbol - 261) / 4;
                ((4 + (symbol - 265) % 4) << extra) + 3 + bits.take(extra as u32)?
            }
            _ => return Err(GzipError::Damaged),
        };
        let distance = match distances.read(bits)? {
            symbol @ 0..=3 => symbol + 1,
            symbol @ 4..=29 => {
                let extra = symbol / 2 - 1;
                ((2 + symbol % 2) << extra) + 1 + bits.take(extra as u32)?
            }
            _ => return Err(GzipError::Damaged),
        };
        let from = out.len().checked_sub(distance).filter(|from| *from >= begin).ok_or(GzipError::Damaged)?;
        for place in from..from + length {
            out.push(out[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"hearsay, hearsay, hearsay\n";
    /// `gzip -9n` of the text: a block with the fixed code, and a match.
    const PACKED: [u8; 33] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 77, 44, 42, 78, 172, 212, 81, 200, 64, 99, 112, 1, 0, 136, 17, 81,
        160, 26, 0, 0, 0,
    ];

    #[test]
    fn what_was_packed_is_unpacked() {
        assert_eq!(unpack(&PACKED).unwrap(), TEXT);
        let stored = |text: &[u8]| {
            let mut packed = vec![31, 139, 8, 8, 0, 0, 0, 0, 2, 3, b'a', 0, 1];
            packed.extend((text.len() as u16).to_le_bytes());
            packed.extend((!(text.len() as u16)).to_le_bytes());
            packed.extend(text);
            packed.extend(crc32(text).to_le_bytes());
            packed.extend((text.len() as u32).to_le_bytes());
            packed
        };
        let twice = [stored(b"one "), stored(b"two")].concat();
        assert_eq!(unpack(&twice).unwrap(), b"one two");
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn damage_is_an_error() {
        for end in 1..PACKED.len() {
            assert!(unpack(&PACKED[..end]).is_err(), "cut off at {end}");
        }
        for place in 0..PACKED.len() - 4 {
            for bit in 0..8 {
                let mut damaged = PACKED;
                damaged[place] ^= 1 << bit;
                // Whatever it says, it ends, and says nothing else than what was packed.
                assert!(unpack(&damaged).map_or(true, |unpacked| unpacked == TEXT), "{place} {bit}");
            }
        }
    }
}
