//! Numbers that look random, and are the same everywhere.

/// A generator of numbers (SplitMix64): the same seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that depends on two numbers: a run and a place in it.
    pub fn new(seed: u64, place: u64) -> Self {
        let mut random = Self(seed);
        Self(random.next() ^ Self(place.wrapping_add(1)).next())
    }

    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below another; 0 below 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    /// Whether something happens that happens so often in a hundred times.
    pub fn percent(&mut self, often: usize) -> bool {
        self.below(100) < often
    }

    /// One of some; nothing, where there is none.
    pub fn of<'a, T>(&mut self, some: &'a [T]) -> Option<&'a T> {
        some.get(self.below(some.len()))
    }

    /// Those of some of which each is taken so often in a hundred times.
    pub fn each<T: Clone>(&mut self, some: &[T], often: usize) -> Vec<T> {
        some.iter().filter(|_| self.percent(often)).cloned().collect()
    }
}
