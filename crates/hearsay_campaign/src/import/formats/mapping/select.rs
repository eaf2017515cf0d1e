//! Selects values by path, and files by pattern.

use super::spec::Filter;
use crate::import::tree::{Data, Tree};

/// Returns the values at a path (`a.b`, `a.*.b`), each with its key. If the path leads to a list, the rest of the path
/// applies to each item of the list. An empty path selects the value itself.
pub(super) fn select<'a>(tree: &'a Tree, path: &str) -> Vec<(String, &'a Tree)> {
    let mut found = vec![(String::new(), tree)];
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let mut next = Vec::new();
        for (_, tree) in found {
            match (&tree.data, step) {
                (Data::List(items), "*") => next.extend(items.iter().map(|item| (String::new(), item))),
                (Data::Map(entries), "*") => {
                    next.extend(entries.iter().map(|(key, value)| (key.to_string(), value)));
                }
                (Data::Map(_), _) => next.push((step.to_owned(), tree.get(step))),
                (Data::List(items), _) => match step.parse::<usize>() {
                    Ok(at) => next.extend(items.get(at).map(|item| (String::new(), item))),
                    Err(_) => next.extend(items.iter().map(|item| (step.to_owned(), item.get(step)))),
                },
                _ => {}
            }
        }
        found = next;
    }
    found
}

/// Returns whether a record meets a condition.
pub(super) fn matches_filter(record: &Tree, key: &str, filter: &Filter) -> bool {
    let mut words = Vec::new();
    match filter.field.as_str() {
        "$key" => words.push(key.to_owned()),
        path => {
            for tree in select(record, path).into_iter().flat_map(|(_, tree)| tree.as_list()) {
                words.extend(tree.to_text());
                // A condition on `true` also matches `1` and `yes`.
                words.extend(tree.is_true().then(|| "true".to_owned()));
            }
        }
    }
    let matches_any =
        |list: &[String]| words.iter().any(|word| list.iter().any(|candidate| candidate.eq_ignore_ascii_case(word)));
    let is_included = filter.is.as_ref().is_none_or(|list| matches_any(list));
    let is_not_excluded = filter.not.as_ref().is_none_or(|list| !matches_any(list));
    let existence_matches = filter.exists.is_none_or(|exists| exists != words.iter().all(|word| word.is_empty()));
    is_included && is_not_excluded && existence_matches
}

/// Returns whether a path matches a pattern. `*` matches any text without a slash, `**` matches any number of folders.
pub(super) fn matches_glob(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    // `matched[n]`: whether the pattern so far matches the first n parts of the path.
    let mut matched = vec![false; path.len() + 1];
    if let Some(first) = matched.first_mut() {
        *first = true;
    }
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        for index in 0..=path.len() {
            if part == "**" {
                next[index] = matched[index] || index > 0 && next[index - 1];
            } else if index > 0 {
                next[index] = matched[index - 1] && matches_segment(part, path[index - 1]);
            }
        }
        matched = next;
    }
    matched.last().copied().unwrap_or_default()
}

fn matches_segment(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut remaining) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = remaining.find(part) else { return false };
        remaining = &remaining[at + part.len()..];
    }
    remaining.len() >= end.len() && remaining.ends_with(end)
}
