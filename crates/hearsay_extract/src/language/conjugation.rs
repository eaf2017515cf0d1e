//! Computes the forms of English verbs.

/// Set of verb forms that a word can be, with one bit per form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inflections(u8);

impl Inflections {
    pub(crate) const BASE: Self = Self(1);
    pub(crate) const THIRD: Self = Self(2);
    pub(crate) const PAST: Self = Self(4);
    pub(crate) const PARTICIPLE: Self = Self(8);
    pub(crate) const ING: Self = Self(16);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Returns all forms of a verb. `irregular` contains the past and the participle of an irregular verb.
pub(crate) fn conjugate(base: &str, irregular: Option<(&str, &str)>) -> Vec<(String, Inflections)> {
    let mut forms = vec![(base.to_owned(), Inflections::BASE), (third_person(base), Inflections::THIRD)];
    match irregular {
        Some((past, participle)) => {
            forms.push((past.to_owned(), Inflections::PAST));
            forms.push((participle.to_owned(), Inflections::PARTICIPLE));
        }
        None => {
            for past in past_forms(base) {
                forms.push((past, Inflections::PAST.or(Inflections::PARTICIPLE)));
            }
        }
    }
    for ing in ing_forms(base) {
        // "Hidin'" means "hiding".
        forms.push((format!("{}'", &ing[..ing.len() - 1]), Inflections::ING));
        forms.push((ing, Inflections::ING));
    }
    forms
}

fn ends_in(base: &str, letters: &str) -> bool {
    base.chars().next_back().is_some_and(|last| letters.contains(last))
}

/// Returns whether a verb ends in a consonant and `y`: "carry", but not "play".
fn ends_in_consonant_y(base: &str) -> bool {
    base.ends_with('y') && !base.chars().rev().nth(1).is_some_and(|before| "aeiou".contains(before))
}

pub(crate) fn third_person(base: &str) -> String {
    if base == "have" {
        "has".into()
    } else if ends_in_consonant_y(base) {
        format!("{}ies", &base[..base.len() - 1])
    } else if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end)) {
        format!("{base}es")
    } else {
        format!("{base}s")
    }
}

/// Returns the verb with a doubled last consonant, as in "robbed", or `None` if it cannot be doubled.
///
/// The rule also applies to words such as "visit", which do not double the consonant. The additional forms do no harm.
fn with_doubled_consonant(base: &str) -> Option<String> {
    let letters: Vec<char> = base.chars().collect();
    let [.., before, vowel, last] = letters[..] else { return None };
    let can_double = !"aeiou".contains(before) && "aeiou".contains(vowel) && !"aeiouwxyh".contains(last);
    can_double.then(|| format!("{base}{last}"))
}

fn past_forms(base: &str) -> Vec<String> {
    if base == "have" {
        return vec!["had".into()];
    }
    if base == "do" {
        return vec!["did".into(), "done".into()];
    }
    if ends_in(base, "e") {
        return vec![format!("{base}d")];
    }
    if ends_in_consonant_y(base) {
        return vec![format!("{}ied", &base[..base.len() - 1])];
    }
    let doubled_form = with_doubled_consonant(base).map(|base| format!("{base}ed"));
    std::iter::once(format!("{base}ed")).chain(doubled_form).collect()
}

fn ing_forms(base: &str) -> Vec<String> {
    if let Some(stem) = base.strip_suffix("ie") {
        return vec![format!("{stem}ying")];
    }
    match base.strip_suffix('e') {
        Some(stem) if !base.ends_with("ee") && !base.ends_with("oe") && stem.len() > 1 => vec![format!("{stem}ing")],
        _ => {
            let doubled_form = with_doubled_consonant(base).map(|base| format!("{base}ing"));
            std::iter::once(format!("{base}ing")).chain(doubled_form).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_have_their_forms() {
        let check = |base: &str, irregular: Option<(&str, &str)>, expected: &[&str]| {
            let forms: Vec<String> = conjugate(base, irregular).into_iter().map(|(form, _)| form).collect();
            for form in expected {
                assert!(forms.iter().any(|has| has == form), "{form} of {base}: {forms:?}");
            }
        };
        check("rob", None, &["rob", "robs", "robbed", "robbing"]);
        check("carry", None, &["carries", "carried", "carrying"]);
        check("love", None, &["loves", "loved", "loving"]);
        check("steal", Some(("stole", "stolen")), &["steals", "stole", "stolen", "stealing"]);
        check("lie", Some(("lay", "lain")), &["lies", "lying"]);
        check("watch", None, &["watches", "watched"]);
    }
}
