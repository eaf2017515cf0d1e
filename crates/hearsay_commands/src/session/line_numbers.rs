//! Numbers of the lines of a file that is imported again. Lines that did not change keep their numbers.

use std::collections::BTreeMap;

/// Returns the numbers of the lines of a file. Each line is given by its number in the file and its text. `earlier`
/// contains the numbers and texts of the lines that an earlier import recorded. `shift` is the difference between the
/// recorded number of the first line and its number in the file.
///
/// If there is no free number between two unchanged lines, the lines after a new line get higher numbers.
pub(super) fn line_numbers(lines: &[(u32, &str)], earlier: &[(u32, &str)], mut shift: i64) -> Vec<u32> {
    let unchanged = unchanged_lines(lines, earlier);
    let (mut numbers, mut last) = (Vec::with_capacity(lines.len()), 0_u32);
    for (index, (file_number, _)) in lines.iter().enumerate() {
        let expected = u32::try_from(i64::from(*file_number).saturating_add(shift)).unwrap_or(0);
        let number = match unchanged.range(index..).next() {
            Some((next, kept)) if *next == index => *kept,
            // The next unchanged line needs its number, and the lines before it need a number too.
            Some((next, kept)) => expected.min(kept.saturating_sub(u32::try_from(next - index).unwrap_or(u32::MAX))),
            None => expected,
        };
        last = number.max(last.saturating_add(1));
        shift = i64::from(last) - i64::from(*file_number);
        numbers.push(last);
    }
    numbers
}

/// Returns the indices of the unchanged lines, with their recorded numbers: the longest sequence of lines whose texts
/// occur once in the file and once in the earlier lines, in the same order.
fn unchanged_lines(lines: &[(u32, &str)], earlier: &[(u32, &str)]) -> BTreeMap<usize, u32> {
    let (recorded, current) = (unique_texts(earlier.iter().copied()), unique_texts((0_usize..).zip(texts(lines))));
    let mut candidates: Vec<(usize, u32)> =
        current.iter().filter_map(|(text, index)| Some(((*index)?, (*recorded.get(text)?)?))).collect();
    candidates.sort_unstable();
    // For each length, the last candidate of the sequence of this length that ends in the lowest number.
    let (mut ends, mut previous): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, number)) in candidates.iter().enumerate() {
        let length = ends.partition_point(|end| candidates[*end].1 < *number);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let last = ends.last().copied();
    std::iter::successors(last, |at| previous[*at]).map(|at| candidates[at]).collect()
}

fn texts<'a>(lines: &[(u32, &'a str)]) -> impl Iterator<Item = &'a str> {
    lines.iter().map(|(_, text)| *text)
}

/// Returns the values of the texts; `None` for a text that occurs more than once.
fn unique_texts<'a, T>(texts: impl Iterator<Item = (T, &'a str)>) -> BTreeMap<&'a str, Option<T>> {
    let mut unique = BTreeMap::new();
    for (value, text) in texts {
        unique.entry(text).and_modify(|value| *value = None).or_insert(Some(value));
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of the lines of a file that was imported before. An empty text is a line of the file that
    /// nobody speaks.
    fn renumber(earlier: &[&'static str], file: &[&'static str]) -> Vec<u32> {
        let spoken = |file: &[&'static str]| -> Vec<(u32, &'static str)> {
            (1..).zip(file.iter().copied()).filter(|(_, text)| !text.is_empty()).collect()
        };
        line_numbers(&spoken(file), &spoken(earlier), 0)
    }

    #[test]
    fn unchanged_lines_keep_their_numbers() {
        assert_eq!(renumber(&[], &["a", "b"]), [1, 2]);
        // A mark that nobody speaks is added.
        assert_eq!(renumber(&["a", "ha", "b", "ha"], &["a", "", "ha", "b", "ha"]), [1, 2, 3, 4]);
        // A changed line keeps its number too.
        assert_eq!(renumber(&["a", "b", "c"], &["a", "", "B", "c"]), [1, 2, 3]);
        // Removed lines leave a gap.
        assert_eq!(renumber(&["a", "b", "c"], &["a", "c"]), [1, 3]);
        // A new line needs a number, so the following lines move up to the next gap.
        assert_eq!(renumber(&["a", "b", "", "c"], &["a", "new", "b", "", "c"]), [1, 2, 3, 4]);
        assert_eq!(renumber(&["a", "b", "c"], &["b", "a", "c"]), [1, 2, 3]);
    }
}
