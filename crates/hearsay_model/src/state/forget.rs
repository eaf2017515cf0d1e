//! Temporary stand-in until rows can be removed.
use super::State;

impl State {
    pub(super) fn forget_fact(&mut self, index: u32) {
        let row = self.facts.at_mut(index);
        row.transient = false;
        row.record.value = None;
        row.shown = false;
        self.stands[index as usize] = false;
    }

    pub(super) fn forget_knowledge(&mut self, index: u32) {
        let row = self.knowledge.at_mut(index);
        row.transient = false;
        row.record.value = None;
        row.shown = false;
    }
}
