//! Rows of `diglot exec` whose contents are changed and whose checksums are right.
//!
//! A seed is what the data of a row hold, unpacked. What became of it is packed again, and the step is done on the rows with this one among
//! them.

use diglot::exec::EngineRow;
use diglot::laboratory::store::{pack, unpack};

use super::mutate::NUMBERS;
use super::seeds;
use crate::Result;
use crate::dice::Dice;

#[path = "../../../it/engine.rs"]
mod engine;

use engine::{Call, Engine};

/// Bytes before the data: the number of the row, and what else is done.
pub const HEAD: usize = 3;
/// Rows of one kind that are changed, of a step.
const MAX_ROWS: usize = 5;
/// Settings of the steps: a key is rescued by few pages.
const SETTINGS: [(&str, &str); 1] = [("rescue-above", "20")];

/// How data hold what is changed.
#[derive(Clone, Copy)]
enum Form {
    AsIs,
    Packed,
    /// The first part of two, packed.
    Head,
    /// The second part of two.
    Rest,
    /// The second part of two, packed.
    PackedRest,
}

/// A row of a step.
struct Place {
    call: usize,
    /// The file that all tasks are given, or the rows themselves.
    with: Option<usize>,
    row: usize,
    form: Form,
}

/// Steps with their rows.
pub struct Steps {
    calls: Vec<Call>,
    places: Vec<Place>,
    pub seeds: Vec<Vec<u8>>,
}

impl Steps {
    /// All steps of a run over the sample, by parts and with its domain divided.
    pub fn make() -> Result<Steps> {
        let mut steps = Steps { calls: Vec::new(), places: Vec::new(), seeds: Vec::new() };
        for mut engine in [Engine::new(2, &SETTINGS, false), Engine::dividing(2, &SETTINGS, false)] {
            engine.run(&[seeds::repository("data/sites/packaging")])?;
            for call in engine.calls {
                // Of the steps that both do, one is enough.
                if !call.rows.is_empty() && steps.calls.iter().filter(|known| known.name == call.name).count() < 2 {
                    steps.add(call);
                }
            }
        }
        Ok(steps)
    }

    fn add(&mut self, call: Call) {
        let number = self.calls.len();
        let rows = call.with.iter().enumerate().map(|(at, rows)| (Some(at), rows)).chain([(None, &call.rows)]);
        for (with, rows) in rows {
            let mut of_kind = std::collections::BTreeMap::new();
            for (at, row) in rows.iter().enumerate() {
                let count: &mut usize = of_kind.entry(&row.kind).or_default();
                *count += 1;
                // The files of stores have checksums of their own, and are tried by themselves.
                if *count > if row.kind == "store" { 1 } else { MAX_ROWS } {
                    continue;
                }
                for (form, bytes) in forms(row.data.as_deref().unwrap_or_default()) {
                    let head = (self.places.len() as u16).to_le_bytes();
                    self.seeds.push([&head[..], &[1], &bytes].concat());
                    self.places.push(Place { call: number, with, row: at, form });
                }
            }
        }
        self.calls.push(call);
    }

    /// Does the step of a row that is as the input says.
    pub fn attempt(&self, input: &[u8], number: u64) -> std::result::Result<(), String> {
        let Some((&[low, high, _], bytes)) = input.split_first_chunk::<HEAD>() else { return Ok(()) };
        let place = &self.places[usize::from(u16::from_le_bytes([low, high])) % self.places.len()];
        let mut call = self.calls[place.call].clone();
        let row = match place.with {
            Some(with) => &mut call.with[with][place.row],
            None => &mut call.rows[place.row],
        };
        row.data = row.data.take().map(|data| whole(place.form, &data, bytes));
        let mut dice = Dice(number);
        if dice.roll(4) == 0 || row.data.is_none() {
            change_row(row, &mut dice);
        }
        // An error is an answer.
        let _ = Engine::new(2, &SETTINGS, false).again(&call);
        Ok(())
    }
}

/// The two parts of data that have two.
fn split(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = data.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// What there is to be changed in data.
fn forms(data: &[u8]) -> Vec<(Form, Vec<u8>)> {
    if let Some(bytes) = unpack(data) {
        return vec![(Form::Packed, bytes.to_vec()), (Form::AsIs, data.to_vec())];
    }
    let Some((head, rest)) = split(data) else { return vec![(Form::AsIs, data.to_vec())] };
    let rest = match unpack(rest) {
        Some(bytes) => (Form::PackedRest, bytes.to_vec()),
        None => (Form::Rest, rest.to_vec()),
    };
    unpack(head).map(|bytes| (Form::Head, bytes.to_vec())).into_iter().chain([rest]).collect()
}

/// Data with what was changed in them.
fn whole(form: Form, data: &[u8], bytes: &[u8]) -> Vec<u8> {
    let packed = |bytes: &[u8]| pack(bytes).unwrap_or_default();
    let (head, rest) = split(data).unwrap_or_default();
    let joined = |head: &[u8], rest: &[u8]| [&(head.len() as u64).to_le_bytes()[..], head, rest].concat();
    match form {
        Form::AsIs => bytes.to_vec(),
        Form::Packed => packed(bytes),
        Form::Head => joined(&packed(bytes), rest),
        Form::Rest => joined(head, bytes),
        Form::PackedRest => joined(head, &packed(bytes)),
    }
}

/// Changes what a row says besides its data.
fn change_row(row: &mut EngineRow, dice: &mut Dice) {
    const NAMES: [&str; 8] =
        ["", "-", "x.org", "fr-en", "\u{e9}\u{0}", "view/0.run", "packaging.site.test", "path:{}:en:fr"];
    const KINDS: [&str; 8] = ["page", "store", "pattern", "training", "known", "found", "text", ""];
    let number = |dice: &mut Dice| NUMBERS[dice.roll(NUMBERS.len() as u64) as usize].wrapping_sub(dice.roll(3)) as i64;
    match dice.roll(8) {
        0 | 1 => row.number = number(dice),
        2 | 3 => row.count = number(dice),
        4 => row.part = number(dice) as i32,
        5 => row.kind = KINDS[dice.roll(8) as usize].to_owned(),
        6 => row.data = None,
        _ => row.name = NAMES[dice.roll(8) as usize].to_owned(),
    }
}
