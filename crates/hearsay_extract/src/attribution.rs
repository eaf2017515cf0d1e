//! Finds the source that a text names for a statement: "according to Hope", "says Odo", "Rafi's theory is that …".

use crate::{
    clauses::From,
    facts::{Cue, CueKind},
    grammar::CueSort,
    kinds::Kinds,
    mentions::{Name, Who},
    mode::Mode,
    parse::VerbForm,
    read::Reader,
};

/// Nouns for something that a person tells. `GUESSES` lists nouns for something that a person only believes.
const TELLINGS: [&str; 31] = [
    "account",
    "statement",
    "telling",
    "version",
    "words",
    "opinion",
    "testimony",
    "letter",
    "report",
    "word",
    "story",
    "note",
    "notes",
    "diary",
    "journal",
    "log",
    "book",
    "deposition",
    "confession",
    "memoir",
    "memoirs",
    "chronicle",
    "song",
    "ballad",
    "claim",
    "answer",
    "message",
    "reply",
    "tale",
    "admission",
    "complaint",
];

const GUESSES: [&str; 12] = [
    "theory",
    "guess",
    "belief",
    "hunch",
    "suspicion",
    "view",
    "bet",
    "feeling",
    "conviction",
    "assumption",
    "impression",
    "reckoning",
];

impl Reader<'_> {
    /// Returns the source that an aside names, as in "The mill, says Odo, is cursed", and whether the source only
    /// thinks so. The source is `None` if the name matches no entity.
    pub(crate) fn aside(&mut self) -> Option<(Option<Who>, bool)> {
        if self.syntax.has_quote() {
            return None;
        }
        // Example: "…, or so Nessa claims"
        let so = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let first = clause.subjects.first().map(|np| self.groups.nps[*np].start);
            let sort = self.grammar.sort(&self.vg(*at).lemma);
            (sort.speech || sort.thought)
                && first.is_some_and(|at| {
                    let before = at.checked_sub(2).map_or("", |at| self.norm(at));
                    at > 2
                        && matches!(self.norm(at - 1), "so" | "as")
                        && matches!(before, "or" | "," | "\u{2014}" | "at" | "least")
                })
        });
        if let Some(at) = so {
            let subjects = self.clauses[at].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|found| (Some(found.who), true));
        }
        // Example: "As Anselm tells it, …"
        let tells = |at: &usize| {
            let vg = self.vg(*at);
            matches!(
                vg.lemma.as_str(),
                "tell" | "say" | "claim" | "have" | "report" | "put" | "relate" | "write" | "record" | "recount"
            ) && !vg.passive
                && !vg.negated
        };
        if self.norm(0) == "as"
            && let Some(first) = Some(0).filter(|_| !self.clauses.is_empty()).filter(tells)
            && (self.vg(first).end..self.vg(first).end + 5).any(|at| self.norm(at) == ",")
        {
            let subjects = self.clauses[first].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|found| (Some(found.who), false));
        }
        // Example: "Hakim told me straight, Odo hates her."
        if let [first, next, ..] = self.clauses
            && self.vg(0).lemma == "tell"
            && self.vg(0).form == VerbForm::Finite
            && !self.vg(0).passive
            && !self.vg(0).negated
            && matches!((first.from, next.from), (From::Direct, From::Direct))
            && next.parent.is_none()
            && let Some(comma) = (self.vg(0).end..self.vg(0).end + 4).find(|at| self.norm(*at) == ",")
            && self.start_of(next.start) == comma + 1
        {
            let subjects = first.subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|found| (Some(found.who), false));
        }
        let said = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let vg = self.vg(*at);
            let sort = self.grammar.sort(&vg.lemma);
            let apart = clause.start > 0 && self.syntax.word(clause.start - 1) == ",";
            let ends = clause.rest.0 >= self.groups.items.len()
                || matches!(
                    self.syntax.word(clause.rest.0),
                    "," | "." | "!" | "to" | "in" | "with" | "over" | "\u{2014}"
                );
            (sort.speech || sort.thought)
                && vg.form == VerbForm::Finite
                && !matches!(vg.lemma.as_str(), "hold" | "call" | "promise" | "swear" | "answer" | "report" | "offer")
                && !vg.passive
                && !vg.negated
                && matches!(clause.from, From::Direct | From::Inverted)
                && apart
                && ends
                && !self.clauses.iter().any(|other| other.parent == Some(*at))
        })?;
        let thinks = self.grammar.sort(&self.vg(said).lemma).thought;
        let subjects = self.clauses[said].subjects.clone();
        Some((self.resolve_all(&subjects, &[]).first().map(|found| found.who), thinks))
    }

    /// Returns the source of a clause such as "Rafi's theory is that …", and whether the source only believes it.
    pub(crate) fn tellings(&mut self, clause: usize) -> Option<(Who, bool)> {
        let [np] = self.clauses[clause].subjects[..] else { return None };
        let head = self.norm(self.groups.nps[np].head).to_owned();
        let guess = GUESSES.contains(&head.as_str());
        if !guess && !TELLINGS.contains(&head.as_str()) {
            return None;
        }
        let item = self.item_of(np);
        let owners = self.owners(np, item, &["of", "from", "by"]);
        owners.first().map(|owner| (owner.who, guess))
    }

    pub(crate) fn according_to(&mut self) -> Option<Who> {
        let cue = self.cues.iter().find(|cue| cue.sort == CueSort::SpeakingOf).map(|cue| cue.end);
        let np = match cue {
            Some(end) => self.groups.nps.iter().position(|np| np.start == end && np.owner.is_none()),
            None => {
                // Example: "In Lyra's telling, …"
                let tells = |name: &&Name| {
                    let before = name.start.checked_sub(1).map_or("", |at| self.norm(at));
                    let owned = matches!(before, "in" | "by" | "from") && self.norm(name.end) == "'s";
                    owned && self.norm(name.end + 1) == "telling"
                };
                if let Some(name) = self.names.iter().find(tells) {
                    return Some(name.who);
                }
                let owned = |np: &crate::parse::Np| {
                    np.owner.filter(|_| {
                        (TELLINGS.contains(&self.norm(np.head)) || GUESSES.contains(&self.norm(np.head)))
                            && np.start > 0
                            && matches!(self.norm(np.start - 1), "in" | "by" | "from" | "on" | "to")
                    })
                };
                self.groups.nps.iter().find_map(owned)
            }
        }?;
        self.resolve(np, &[]).first().map(|found| found.who)
    }

    /// Sets the speaker and the hearers of a reported clause. The speaker is the subject of the verb of speech, or its
    /// agent in the passive. If no speaker is found, the clause counts as a rumour.
    pub(crate) fn attribute(&mut self, parent: usize, mode: &mut Mode) {
        let subjects = self.clauses[parent].subjects.clone();
        let mut said_by = self.resolve_all(&subjects, &[]);
        // Example: "Wibble's letter says"
        if said_by.is_empty()
            && let [np] = subjects[..]
        {
            let item = self.item_of(np);
            said_by = self.owners(np, item, &["of", "from", "by"]);
            said_by.retain(|found| self.kinds(found.who).meets(Kinds::PERSON));
        }
        // Example: "Camille was told by Baptiste that …"
        if self.vg(parent).passive {
            let (from, to) = self.clauses[parent].rest;
            let agent = (from..to).find(|item| matches!(self.syntax.word(*item), "by" | "from"));
            let agents = agent.map(|item| self.syntax.list(item + 1, to).0).unwrap_or_default();
            let told = said_by.iter().map(|found| found.who).collect();
            said_by = self.resolve_all(&agents, &[]);
            if let Some(by) = said_by.first() {
                mode.by = Some(by.who);
                mode.told = told;
                return;
            }
        }
        match said_by.first() {
            Some(by) => {
                let told = self.told(parent);
                mode.by = Some(by.who);
                mode.told = told;
            }
            None => {
                let vg = self.vg(parent);
                let words = self.said(vg.head, vg.end);
                self.doubt(mode, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
            }
        }
    }

    /// Sets the subject of a verb of thought as the source, as in "Ulf reckons that …".
    pub(crate) fn thinker(&mut self, parent: usize, mode: &mut Mode) {
        let subjects = self.clauses[parent].subjects.clone();
        let first = subjects.iter().any(|np| matches!(self.norm(self.groups.nps[*np].head), "i" | "we"));
        if !first && let Some(by) = self.resolve_all(&subjects, &[]).first() {
            mode.by = Some(by.who);
        }
    }

    /// Sets the person after "from" as the source, as in "I heard from Sela that …".
    pub(crate) fn heard_from(&mut self, parent: usize, mode: &mut Mode) {
        let (from, to) = self.clauses[parent].rest;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "from") else { return };
        let (list, _) = self.syntax.list(item + 1, self.groups.items.len());
        if let Some(by) = self.resolve_all(&list, &[]).first() {
            mode.by = Some(by.who);
        }
    }
}
