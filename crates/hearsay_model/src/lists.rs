//! Lists in which each item occurs once. The items keep their order.

/// Adds an item to the end of a list, unless the list contains it.
pub fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Adds the items that a list does not contain to its end, each once.
pub fn extend_new<T: PartialEq>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    for item in items {
        push_new(list, item);
    }
}

/// Returns the items in their order, each once.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    extend_new(&mut list, items);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_occurs_once_and_keeps_its_place() {
        let mut list = distinct(["oar", "net", "oar", "rope"]);
        assert_eq!(list, ["oar", "net", "rope"]);
        extend_new(&mut list, ["net", "sail", "sail"]);
        push_new(&mut list, "oar");
        assert_eq!(list, ["oar", "net", "rope", "sail"]);
    }
}
