//! Tests of the collections: each collection behaves like the corresponding standard collection, and a clone is not
//! affected by later writes to the original.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Generates steps. A step consists of the number of an action and a value.
fn steps() -> impl Strategy<Value = Vec<(u8, u32)>> {
    prop::collection::vec((any::<u8>(), any::<u32>()), 0..3_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lists(steps in steps(), pushes in 1_u8..9) {
        let (mut list, mut model, mut kept) = (List::<u32, 5>::default(), Vec::new(), Vec::new());
        // In many cases, start with more than one chunk.
        for n in 0..u32::from(pushes) * 300 {
            list.push(n);
            model.push(n);
        }
        for (what, value) in steps {
            match what % 10 {
                0..4 => {
                    list.push(value % 97);
                    model.push(value % 97);
                }
                4..8 => {
                    let at = model.iter().rposition(|other| other % 97 == value % 97);
                    prop_assert_eq!(list.remove_last(|other| other % 97 == value % 97), at.is_some());
                    at.map(|at| model.remove(at));
                }
                8 => prop_assert_eq!(list.pop(), model.pop()),
                _ if kept.len() < 20 => kept.push((list.clone(), model.clone())),
                _ => {}
            }
            prop_assert_eq!((list.is_empty(), list.last()), (model.is_empty(), model.last().copied()));
        }
        kept.push((list, model));
        for (list, model) in kept {
            prop_assert!(list.iter().eq(model.iter().copied()) && list.iter().rev().eq(model.iter().rev().copied()));
            prop_assert_eq!(list.contains(50), model.contains(&50));
        }
    }

    #[test]
    fn vectors_in_chunks(steps in steps()) {
        let (mut vec, mut flat) = (ChunkedVec::<u32, 2>::default(), FlatVec::<u32, 16>::default());
        let (mut model, mut kept) = (Vec::<Option<u32>>::new(), Vec::new());
        for (what, value) in steps {
            let at = (!model.is_empty()).then(|| value as usize % model.len());
            match (what % 8, at) {
                (0..5, _) => {
                    vec.push(value);
                    flat.set(model.len(), value);
                    model.push(Some(value));
                }
                (5, Some(at)) => {
                    vec.remove(at);
                    flat.set(at, 0);
                    model[at] = None;
                }
                (6, Some(at)) => {
                    if model[at].is_some() {
                        vec[at] = value;
                    } else {
                        vec.set(at, value);
                    }
                    flat.set(at, value);
                    model[at] = Some(value);
                }
                _ if kept.len() < 20 => kept.push((vec.clone(), flat.clone(), model.clone())),
                _ => {}
            }
        }
        kept.push((vec, flat, model));
        for (vec, flat, model) in kept {
            prop_assert_eq!(vec.len(), model.len());
            prop_assert!((0..model.len() + 300).all(|at| vec.get(at) == model.get(at).and_then(Option::as_ref)));
            prop_assert!((0..model.len() + 300).all(|at| flat.get(at) == model.get(at).copied().flatten().unwrap_or(0)));
            let held = model.iter().enumerate().filter_map(|(at, value)| Some((at, value.as_ref()?)));
            prop_assert!(vec.iter().eq(held));
        }
    }

    #[test]
    fn hash_indices(steps in steps(), keys in 1_u32..2_000) {
        let (mut index, mut model, mut kept) = (HashIndex::default(), BTreeMap::new(), Vec::new());
        for (what, value) in steps {
            let key = value % keys;
            match what % 8 {
                0..5 if !model.contains_key(&key) => {
                    index.insert(&key, key * 3);
                    model.insert(key, key * 3);
                }
                5 | 6 => {
                    index.remove(&key, key * 3);
                    model.remove(&key);
                }
                _ if kept.len() < 20 => kept.push((index.clone(), model.clone())),
                _ => {}
            }
        }
        kept.push((index, model));
        for (index, model) in kept {
            prop_assert!((0..keys).all(|key| index.find(&key, |other| other == key * 3) == model.get(&key).copied()));
        }
    }

    #[test]
    fn sorted_maps(steps in steps(), ascending: bool) {
        let (mut map, mut model) = (SortedMap::<u32, u32>::default(), BTreeMap::new());
        let mut kept = Vec::new();
        for (n, (what, value)) in steps.into_iter().enumerate() {
            let key = if ascending { n as u32 } else { value % 5_000 };
            match what % 8 {
                0..6 => {
                    *map.get_or_default(key) += value % 7;
                    *model.entry(key).or_default() += value % 7;
                }
                6 => {
                    prop_assert_eq!(map.get_mut(&(value % 5_000)).map(|held| *held += 1).is_some(), model.contains_key(&(value % 5_000)));
                    model.get_mut(&(value % 5_000)).into_iter().for_each(|held| *held += 1);
                }
                _ if kept.len() < 20 => kept.push((map.clone(), model.clone())),
                _ => {}
            }
        }
        kept.push((map, model));
        for (map, model) in kept {
            prop_assert!(map.values().eq(model.values()));
            prop_assert!((0..5_000).all(|key| map.get(&key) == model.get(&key)));
            for (from, to) in [(0, 10), (7, 4_000), (2_500, 2_501), (4_999, 10_000)] {
                prop_assert!(map.range(&from, to).eq(model.range(from..to).map(|(_, value)| value)));
            }
        }
    }
}
