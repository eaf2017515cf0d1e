//! Ambiguous names of entities and facts: lists the candidates with numbers and, on a terminal, lets the user choose
//! one. Also asks questions that the user answers with yes or no.

use std::io::{self, BufRead, IsTerminal, Write};

use hearsay_model::escape;
use hearsay_query::QueryError;

use crate::ctrl_c;

/// A name that matches several entities or facts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ambiguity {
    /// Name as the user typed it.
    name: String,
    /// Ids to which the name may refer, each with a description. If there are many ids, contains only the first ids.
    candidates: Vec<(String, String)>,
    /// Total number of ids to which the name may refer.
    total: usize,
}

impl Ambiguity {
    /// Returns the ambiguous name that caused an error, or `None` for other errors.
    pub(crate) fn from_error(error: &QueryError) -> Option<Self> {
        match error {
            QueryError::Ambiguous { name, candidates } => Some(Self {
                name: name.clone(),
                candidates: candidates.iter().map(|(id, text)| (id.to_string(), text.clone())).collect(),
                total: candidates.len(),
            }),
            QueryError::FactReference { given, count, candidates } if *count > 1 => Some(Self {
                name: given.clone(),
                candidates: candidates.iter().map(|(id, text)| (id.short(), text.clone())).collect(),
                total: *count,
            }),
            _ => None,
        }
    }

    /// Lists the candidates with their numbers.
    fn list(&self) -> String {
        let widest = self.candidates.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
        let mut text = format!("`{}` can mean {} things; use the id:", self.name, self.total);
        for (n, (id, description)) in self.candidates.iter().enumerate() {
            let line = format!("\n{:>4}  {id:widest$}  {}", n + 1, escape::line(description));
            text.push_str(line.trim_end());
        }
        match self.total - self.candidates.len() {
            0 => text,
            remaining => format!("{text}\n      and {remaining} more"),
        }
    }

    /// Asks the user to choose one of the candidates. Returns its index, or `None` if there is no terminal or the user
    /// makes no choice.
    pub(crate) fn ask(&self) -> Option<usize> {
        if !is_terminal() {
            return None;
        }
        let mut screen = io::stderr();
        writeln!(screen, "{}", escape::lines(&self.list())).ok()?;
        self.read_choice(&mut io::stdin().lock(), &mut screen)
    }

    /// Asks again until the user enters the number of a candidate. Returns `None` for an empty line.
    fn read_choice(&self, input: &mut impl BufRead, screen: &mut impl Write) -> Option<usize> {
        loop {
            write!(screen, "Which one (1 to {}, or Enter for none)? ", self.candidates.len()).ok()?;
            screen.flush().ok()?;
            let line = ctrl_c::read_answer(input).ok().flatten()?;
            if line.trim().is_empty() {
                return None;
            }
            let index = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            if let Some(index) = index.filter(|index| *index < self.candidates.len()) {
                return Some(index);
            }
        }
    }
}

/// Returns whether the user can read a question and answer it.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question. Only an answer that begins with "y" means yes. Ctrl-C ends the program before anything is done.
pub(crate) fn is_confirmed(question: &str, input: &mut impl BufRead, screen: &mut impl Write) -> bool {
    let asked = write!(screen, "{question}").and_then(|()| screen.flush());
    let answer = asked.and_then(|()| ctrl_c::read_answer(input)).ok().flatten();
    answer.is_some_and(|answer| answer.trim().to_lowercase().starts_with('y'))
}

/// Returns the text of an error about an ambiguous name, with its candidates; `None` for other errors.
pub(crate) fn candidate_list(error: &anyhow::Error) -> Option<String> {
    Ambiguity::from_error(error.downcast_ref()?).map(|ambiguity| ambiguity.list())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marn() -> Ambiguity {
        let candidates = ["marn-oakley", "marn-tide"].map(|id| (id.to_owned(), String::new())).to_vec();
        Ambiguity { name: "marn".into(), candidates, total: 2 }
    }

    #[test]
    fn candidates_have_numbers() {
        assert_eq!(marn().list(), "`marn` can mean 2 things; use the id:\n   1  marn-oakley\n   2  marn-tide");
    }

    #[test]
    fn a_number_chooses_and_other_input_asks_again() {
        let read_choice = |typed: &str| marn().read_choice(&mut typed.as_bytes(), &mut Vec::new());
        assert_eq!(read_choice("2\n"), Some(1));
        assert_eq!(read_choice("0\n3\nx\n1\n"), Some(0));
        assert_eq!(read_choice("\n"), None);
        assert_eq!(read_choice(""), None);
    }
}
