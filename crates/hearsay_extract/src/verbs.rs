//! Forms of English verbs.

/// Set of verb forms that a word can be, with one bit per form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form(u8);

impl Form {
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
pub(crate) fn conjugated(base: &str, irregular: Option<(&str, &str)>) -> Vec<(String, Form)> {
    let mut forms = vec![(base.to_owned(), Form::BASE), (third(base), Form::THIRD)];
    match irregular {
        Some((past, participle)) => {
            forms.push((past.to_owned(), Form::PAST));
            forms.push((participle.to_owned(), Form::PARTICIPLE));
        }
        None => {
            for past in pasts(base) {
                forms.push((past, Form::PAST.or(Form::PARTICIPLE)));
            }
        }
    }
    for ing in ings(base) {
        // "Hidin'" means "hiding".
        forms.push((format!("{}'", &ing[..ing.len() - 1]), Form::ING));
        forms.push((ing, Form::ING));
    }
    forms
}

fn ends_in(base: &str, letters: &str) -> bool {
    base.chars().next_back().is_some_and(|last| letters.contains(last))
}

/// Returns whether a verb ends in a consonant and `y`: "carry", but not "play".
fn has_soft_y(base: &str) -> bool {
    base.ends_with('y') && !base.chars().rev().nth(1).is_some_and(|before| "aeiou".contains(before))
}

pub(crate) fn third(base: &str) -> String {
    if base == "have" {
        "has".into()
    } else if has_soft_y(base) {
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
fn doubled(base: &str) -> Option<String> {
    let letters: Vec<char> = base.chars().collect();
    let [.., before, vowel, last] = letters[..] else { return None };
    let fits = !"aeiou".contains(before) && "aeiou".contains(vowel) && !"aeiouwxyh".contains(last);
    fits.then(|| format!("{base}{last}"))
}

fn pasts(base: &str) -> Vec<String> {
    if base == "have" {
        return vec!["had".into()];
    }
    if base == "do" {
        return vec!["did".into(), "done".into()];
    }
    if ends_in(base, "e") {
        return vec![format!("{base}d")];
    }
    if has_soft_y(base) {
        return vec![format!("{}ied", &base[..base.len() - 1])];
    }
    let long = doubled(base).map(|base| format!("{base}ed"));
    std::iter::once(format!("{base}ed")).chain(long).collect()
}

fn ings(base: &str) -> Vec<String> {
    if let Some(stem) = base.strip_suffix("ie") {
        return vec![format!("{stem}ying")];
    }
    match base.strip_suffix('e') {
        Some(stem) if !base.ends_with("ee") && !base.ends_with("oe") && stem.len() > 1 => vec![format!("{stem}ing")],
        _ => {
            let long = doubled(base).map(|base| format!("{base}ing"));
            std::iter::once(format!("{base}ing")).chain(long).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_have_their_forms() {
        let check = |base: &str, irregular: Option<(&str, &str)>, expected: &[&str]| {
            let forms: Vec<String> = conjugated(base, irregular).into_iter().map(|(form, _)| form).collect();
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
