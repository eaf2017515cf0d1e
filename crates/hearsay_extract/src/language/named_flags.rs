//! Sets of flags. Language files refer to the flags by name.

/// Defines a set of flags, with one bit for each flag. The text after the bit is the name of the list of the flag in
/// language files.
macro_rules! named_flags {
    (
        $(#[$set_doc:meta])* $set:ident($bits:ty);
        $($(#[$doc:meta])* $name:ident = $bit:literal, $list:literal;)*
    ) => {
        $(#[$set_doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub(crate) struct $set($bits);

        impl $set {
            $($(#[$doc])* pub(crate) const $name: Self = Self(1 << $bit);)*
            /// The names of the lists in language files.
            pub(crate) const LISTS: &'static [(&'static str, Self)] = &[$(($list, Self::$name)),*];

            /// Returns whether the sets have a flag in common.
            pub(crate) const fn has(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Returns the flags of both sets.
            pub(crate) const fn or(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

pub(crate) use named_flags;
