//! Kinds of things whose codes are stored.

/// Declares an enum, a line a kind: its code, which is stored and never reused, and its name in listings.
macro_rules! coded {
    (
        $(#[$meta:meta])*
        pub enum $Kind:ident { $($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal;)* }
    ) => {
        $(#[$meta])*
        #[repr(u8)]
        pub enum $Kind { $($(#[$doc])* $variant = $code,)* }

        impl $Kind {
            /// Every kind, in the order of its code.
            pub const ALL: [$Kind; [$($code),*].len()] = [$($Kind::$variant),*];

            /// The name in listings.
            pub fn name(self) -> &'static str {
                match self { $($Kind::$variant => $name,)* }
            }

            /// The kind of a stored code.
            pub fn from_code(code: u8) -> Option<$Kind> {
                $Kind::ALL.into_iter().find(|kind| *kind as u8 == code)
            }
        }
    };
}
pub(crate) use coded;
