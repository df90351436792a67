//! Checks which values stand in the data of rows, so that none of them changes without a new version of the rows.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use xxhash_rust::xxh3::xxh3_64;

use super::coding::Langs;
use super::rows::SCHEMA_VERSION;
use super::{aligning, dividing, exploring, merging, sampling, teaching};
use crate::keys::Kin;
use crate::learn::Lesson;
use crate::store::layout::{ArchiveIdentity, PageEntry, SkipEntry};

#[test]
fn what_stands_in_rows_has_not_changed_since_their_version() {
    let shapes = [
        shape::<ArchiveIdentity>(),
        shape::<(Vec<PageEntry>, Vec<SkipEntry>, Vec<usize>)>(),
        shape::<sampling::Candidates>(),
        shape::<(Langs, Vec<sampling::PagePairRow>)>(),
        shape::<sampling::ChosenSite>(),
        shape::<(Langs, Vec<sampling::ChosenPages>)>(),
        shape::<(Langs, String, i32, Lesson)>(),
        shape::<teaching::LearntRow>(),
        shape::<(Langs, bool)>(),
        shape::<aligning::ModelRow>(),
        shape::<merging::BeadsOfSite>(),
        shape::<merging::SharedOfSite>(),
        shape::<super::sites::ShownRow>(),
        shape::<Kin>(),
        shape::<dividing::Known>(),
        shape::<dividing::Found>(),
        shape::<Vec<dividing::WholeKey>>(),
        shape::<Vec<dividing::Share>>(),
        shape::<Vec<exploring::Host>>(),
        shape::<Vec<exploring::Link>>(),
    ];
    let found = (SCHEMA_VERSION, xxh3_64(shapes.join("\n").as_bytes()));
    // Where this fails, raise SCHEMA_VERSION, and write both numbers here: a program of another version is then told by its rows.
    assert_eq!(found, (7, 10_904_532_963_185_629_276), "{shapes:#?}");
}

#[test]
fn a_shape_has_the_names_and_kinds_of_all_values() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its shape counts")]
    struct Some {
        one: u32,
        two: Vec<(bool, String)>,
        three: Option<[u8; 2]>,
    }
    assert_eq!(shape::<Some>(), "{one:u32 two:[(bool str)] three:?(u8 u8)}");
}

/// What a value consists of, as its decoder asks for it.
fn shape<'de, T: Deserialize<'de>>() -> String {
    let mut shape = String::new();
    T::deserialize(Tracer(&mut shape)).expect("zeros and empty texts are sound");
    shape
}

/// Writes down which values a decoder asks for. Gives it zeros, and one element for each list.
struct Tracer<'s>(&'s mut String);

type Wrong = serde::de::value::Error;

macro_rules! plain {
    ($($method:ident $visit:ident($($value:expr)?) $name:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            self.0.push_str($name);
            visitor.$visit($($value)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Wrong;

    plain! {
        deserialize_bool visit_bool(false) "bool";
        deserialize_i8 visit_i8(0) "i8";
        deserialize_i16 visit_i16(0) "i16";
        deserialize_i32 visit_i32(0) "i32";
        deserialize_i64 visit_i64(0) "i64";
        deserialize_u8 visit_u8(0) "u8";
        deserialize_u16 visit_u16(0) "u16";
        deserialize_u32 visit_u32(0) "u32";
        deserialize_u64 visit_u64(0) "u64";
        deserialize_f32 visit_f32(0.0) "f32";
        deserialize_f64 visit_f64(0.0) "f64";
        deserialize_char visit_char('\0') "char";
        deserialize_str visit_borrowed_str("") "str";
        deserialize_string visit_borrowed_str("") "str";
        deserialize_bytes visit_borrowed_bytes(&[]) "bytes";
        deserialize_byte_buf visit_borrowed_bytes(&[]) "bytes";
        deserialize_unit visit_unit() "unit";
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Wrong> {
        Err(Wrong::custom("a kind of value of which no shape is told"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.0.push('?');
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.several("[]", &[""], |elements| visitor.visit_seq(elements))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.several("<>", &["", ""], |elements| visitor.visit_map(elements))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.several("()", &vec![""; length], |elements| visitor.visit_seq(elements))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.several("{}", fields, |elements| visitor.visit_seq(elements))
    }

    serde::forward_to_deserialize_any! { i128 u128 unit_struct enum identifier ignored_any }
}

impl<'s> Tracer<'s> {
    /// Elements with names, between brackets.
    fn several<'n, T>(
        self,
        brackets: &str,
        names: &'n [&'n str],
        visit: impl FnOnce(Elements<'_, 'n>) -> Result<T, Wrong>,
    ) -> Result<T, Wrong> {
        let (open, close) = brackets.split_at(1);
        self.0.push_str(open);
        let value = visit(Elements(&mut *self.0, names))?;
        let length = self.0.trim_end().len();
        self.0.truncate(length);
        self.0.push_str(close);
        Ok(value)
    }
}

/// The elements that are still to come, by their names.
struct Elements<'s, 'n>(&'s mut String, &'n [&'n str]);

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Wrong> {
        let Some((name, rest)) = self.1.split_first() else { return Ok(None) };
        self.1 = rest;
        if !name.is_empty() {
            self.0.push_str(name);
            self.0.push(':');
        }
        let value = seed.deserialize(Tracer(self.0))?;
        self.0.push(' ');
        Ok(Some(value))
    }
}

impl<'de> MapAccess<'de> for Elements<'_, '_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        self.next_element_seed(seed)?.ok_or_else(|| Wrong::custom("a key without a value"))
    }
}
