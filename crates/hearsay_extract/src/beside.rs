//! What stands beside names: "her brother Pell", "Pell, ferryman at the quay".

use crate::{clauses::From, grammar::Class, mentions::is_pronoun, mode::Mode, parse::Item, read::Reader, token::Sort};

impl Reader<'_> {
    /// What stands beside names: "her brother Pell", "Pell, ferryman at the quay", "Pell (ferryman)".
    pub(crate) fn appositions(&mut self, modes: &[Mode]) {
        let whole = self.whole(false);
        for np in 0..self.groups.nps.len() {
            let group = self.groups.nps[np].clone();
            if group.by_name && group.name.is_none() && group.owner.is_none() {
                continue;
            }
            let Some(item) = self.item_of(np) else { continue };
            // Doubt and attribution are those of the clause around it.
            let around = self
                .clauses
                .iter()
                .zip(modes)
                .rev()
                .find(|(clause, _)| clause.start <= item)
                .map(|(_, mode)| mode.clone());
            let mut mode = around.unwrap_or_else(|| whole.clone());
            if whole.dead {
                continue;
            }
            mode.dead = whole.dead;
            mode.denied = false;
            mode.over = false;
            mode.nested = false;
            // "her brother Pell", "the goblin Dross"
            if group.name.is_some()
                && let Some((from, to)) = group.role
            {
                let titles =
                    (from..to).all(|at| self.grammar.class(self.norm(at)).has(Class::TITLE) || self.tokens[at].capital);
                let refs = self.resolve(np, &[]);
                if group.owner.is_some() || !titles {
                    self.is_noun(np, item, &refs, &mode, &[], None);
                }
                continue;
            }
            // "A halfling called Minnow Tuck"
            if group.name.is_none()
                && let Some(Item::Vg(vg)) = self.groups.items.get(item + 1)
                && matches!(self.norm(self.groups.vgs[*vg].head), "called" | "named")
            {
                let refs = self.resolve(np, &[]);
                self.is_noun(np, item, &refs, &mode, &[], None);
                continue;
            }
            // "Formerly a resident of the quay, Annie …"
            let leads = item <= 1 && group.name.is_none() && !group.pronoun && group.owner.is_none();
            if leads {
                let mut comma = item + 1;
                while self.syntax.is_preposition(comma) && self.syntax.np(comma + 1).is_some() {
                    comma += 2;
                }
                let named = self.syntax.np(comma + 1).filter(|np| self.groups.nps[*np].name.is_some());
                if self.syntax.word(comma) == ","
                    && comma > item
                    && let Some(named) = named
                    && self.clauses.iter().any(|clause| clause.subjects == [named])
                {
                    let refs = self.resolve(named, &[]);
                    let mut mode = mode.clone();
                    mode.over = item == 1 && matches!(self.syntax.word(0), "formerly" | "once" | "previously");
                    self.is_noun(np, item, &refs, &mode, &[], None);
                    continue;
                }
            }
            let open = self.syntax.word(item + 1).to_owned();
            if !matches!(open.as_str(), "," | "(" | "\u{2014}" | ":") {
                continue;
            }
            let Some(next) = self.syntax.np(item + 2) else { continue };
            let other = self.groups.nps[next].clone();
            let ends = self.after_np(item + 2);
            let closes = matches!(ends.as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who" | "which");
            // "Pell, Mirela's brother, …"
            if group.name.is_some() && other.name.is_none() && !other.pronoun && closes {
                let in_list = open == "," && self.syntax.list(item, self.groups.items.len()).0.contains(&next);
                // The subject of its own verb is no apposition.
                let own_clause =
                    self.clauses.iter().any(|clause| clause.subjects.contains(&next) && clause.from == From::Direct);
                if !in_list && !own_clause {
                    let refs = self.resolve(np, &[]);
                    self.is_noun(next, item + 2, &refs, &mode, &[], None);
                }
            }
            // "Mirela's brother, Pell, …"
            if group.name.is_none()
                && other.name.is_some()
                && other.role.is_none()
                && other.owner.is_none()
                && closes
                && open == ","
                && group.owner.is_some()
            {
                let refs = self.resolve(next, &[]);
                self.noun_relation(np, item, &refs, &mode, &[], None);
            }
        }
    }

    /// The word behind a noun group and what belongs to it.
    pub(crate) fn after_np(&self, item: usize) -> String {
        let mut at = item + 1;
        while self.syntax.is_preposition(at) && self.syntax.np(at + 1).is_some() {
            at += 2;
        }
        match self.groups.items.get(at) {
            None => String::new(),
            Some(Item::Tok(token))
                if matches!(self.tokens[*token].sort, Sort::Mark | Sort::Word) && !is_pronoun(self.norm(*token))
                    || matches!(self.groups.items.get(at), Some(Item::Tok(_))) =>
            {
                self.syntax.word(at).to_owned()
            }
            _ => "verb".into(),
        }
    }
}
