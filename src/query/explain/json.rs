//! Words of the program as JSON: by the names that listings have.

use serde::{Serialize, Serializer};

use crate::keys::State;
use crate::types::{LangPair, Measure, Method, Outcome, SkipReason};

macro_rules! by_name {
    ($($kind:ty: $name:ident;)*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$name())
            }
        })*
    };
}

by_name! {
    Measure: name;
    Method: name;
    Outcome: name;
    SkipReason: name;
    State: name;
}

impl Serialize for LangPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq([self.a, self.b])
    }
}
