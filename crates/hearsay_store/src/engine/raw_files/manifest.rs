//! Reads the manifest, which lists the tables in use and the first log segment in use.

use super::bytes::Bytes;

/// Version of the manifest format.
const VERSION: u16 = 1;

/// The contents of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Number of the first log segment whose data is not in tables yet.
    pub(super) first_segment: u64,
    /// Numbers of the tables in use.
    pub(super) tables: Vec<u64>,
}

/// Reads a manifest. The manifest has no checksum, so this function checks whether its numbers are consistent.
///
/// # Errors
/// Returns a description of the damage.
pub(super) fn read(content: &[u8]) -> Result<Manifest, String> {
    parse(Bytes(content)).ok_or("it is truncated")?
}

/// Parses a manifest. Returns `None` if the contents end too early.
fn parse(mut bytes: Bytes<'_>) -> Option<Result<Manifest, String>> {
    let version = bytes.u16()?;
    if version != VERSION {
        return Some(Err(format!("it has format {version}; expected format {VERSION}")));
    }
    let (next_table, first_segment, _last_sequence) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
    let mut tables = Vec::new();
    for _ in 0..bytes.u8()? {
        for _ in 0..bytes.u32()? {
            tables.push(bytes.u64()?);
        }
    }
    for _ in 0..bytes.u32()? {
        let length = bytes.u32()?;
        bytes.take(usize::try_from(length).ok()?)?;
    }
    if !bytes.0.is_empty() {
        return Some(Err("it has trailing data after its end".into()));
    }
    if tables.iter().any(|table| *table >= next_table) {
        return Some(Err(format!("the next table number, {next_table}, is not above all table numbers")));
    }
    Some(Ok(Manifest { first_segment, tables }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(next: u64, tables: &[u64]) -> Vec<u8> {
        let mut bytes = VERSION.to_be_bytes().to_vec();
        [next, 3, 99].iter().for_each(|number| bytes.extend(number.to_be_bytes()));
        bytes.push(2);
        bytes.extend((tables.len() as u32).to_be_bytes());
        tables.iter().for_each(|table| bytes.extend(table.to_be_bytes()));
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn a_manifest_is_read_as_written_or_not_at_all() {
        let good = encoded(8, &[5, 7]);
        assert_eq!(read(&good), Ok(Manifest { first_segment: 3, tables: vec![5, 7] }));
        for end in 0..good.len() {
            assert!(read(&good[..end]).is_err(), "cut at {end}");
        }
        assert!(read(&[good.as_slice(), &[0]].concat()).is_err());
        assert!(read(&encoded(7, &[5, 7])).is_err());
        assert!(read(&[0xFF; 60]).is_err());
    }
}
