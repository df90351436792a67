//! Changes of bytes, as accidents and attackers make them.

use crate::dice::Dice;

/// No input becomes longer than this, in bytes.
const MAX_BYTES: usize = 256 << 10;
/// The most changes of one input.
const MAX_CHANGES: u64 = 8;

/// What means something to one parser or other.
const TOKENS: &[&[u8]] = &[
    &[0x1f, 0x8b, 8, 0],
    &[0x28, 0xb5, 0x2f, 0xfd],
    &[4, 0x22, 0x4d, 0x18],
    &[0x5d, 0x2a, 0x4d, 0x18],
    &[0x78, 0x9c],
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PAR1",
    b"WARC/1.0\r\n",
    b"WARC-Type: response\r\n",
    b"Content-Length: 18446744073709551615\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: 0\r\n",
    b"Content-Encoding: gzip, br, deflate, zstd\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Link: <a>;rel=canonical\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"\r\n\r\n",
    b"\r\nffffffffffffffff\r\n",
    b"<a href='?1'>",
    b"<base href='http://a/",
    b"<meta http-equiv=refresh content='0;url=",
    b"<meta charset=utf-16>",
    b"<meta charset=iso-2022-jp>",
    b"<script>",
    b"<!--",
    b"<template>",
    b"<svg>",
    b"<title>",
    b"&#x110000;",
    b"&NotEqualTilde;",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1b$B",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    "\u{202e}".as_bytes(),
    "\u{130}".as_bytes(),
    b"{\"url\": \"",
    b"[[[[[[[[",
    b"\\ud800",
    b"%00%ff%2e%2e/",
    b"://",
    b"[::1]",
    b"xn--",
    b"99999999999999999999",
    b"1e999999999",
];

/// Numbers at which things break.
pub const NUMBERS: &[u64] = &[
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Changes `bytes` here and there; `other` is what parts of it may come from.
pub fn mutate(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.roll(MAX_CHANGES) {
        change(bytes, other, dice);
        bytes.truncate(MAX_BYTES);
    }
}

/// Changes values where they lie, mostly, so that all else stays in its place: what the structs of an archive, and the numbers between
/// them, need to be more than noise.
pub fn mutate_values(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    if dice.roll(5) == 0 {
        return mutate(bytes, other, dice);
    }
    for _ in 0..=dice.roll(4) {
        let width = 1 << dice.roll(4);
        let places = (bytes.len() / width) as u64;
        if places == 0 {
            continue;
        }
        let mut place = || dice.roll(places) as usize * width;
        let (at, from) = (place(), place());
        match dice.roll(6) {
            0 => bytes[at + dice.roll(width as u64) as usize] ^= 1 << dice.roll(8),
            1 => overwrite_number(bytes, at, dice),
            // One that stands elsewhere.
            2 => bytes.copy_within(from..from + width, at),
            3 => {
                let from = dice.roll((other.len() / width) as u64) as usize * width;
                if let Some(part) = other.get(from..from + width) {
                    bytes[at..at + width].copy_from_slice(part);
                }
            }
            // A little more or less.
            _ => {
                let (more, width) = (dice.roll(33) as i64 - 16, width.min(4));
                let mut number = [0; 8];
                number[..width].copy_from_slice(&bytes[at..at + width]);
                let number = i64::from_le_bytes(number).wrapping_add(more).to_le_bytes();
                bytes[at..at + width].copy_from_slice(&number[..width]);
            }
        }
    }
}

fn change(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = place(bytes, dice);
    match dice.roll(12) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << dice.roll(8);
            }
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = dice.next() as u8;
            }
        }
        3 => bytes.truncate(at),
        4 => {
            bytes.drain(range(bytes, at, dice));
        }
        5 => {
            let part = bytes[range(bytes, at, dice)].to_vec();
            insert(bytes, at, &part.repeat(repeats(part.len(), dice)));
        }
        6 => {
            let part = &other[range(other, place(other, dice), dice)];
            insert(bytes, at, part);
        }
        7 => {
            // The beginning of one, and the end of the other.
            bytes.truncate(at);
            bytes.extend_from_slice(&other[place(other, dice)..]);
        }
        8 => {
            let token = TOKENS[dice.roll(TOKENS.len() as u64) as usize];
            insert(bytes, at, &token.repeat(repeats(token.len(), dice)));
        }
        9 => overwrite_number(bytes, at, dice),
        10 => replace_digits(bytes, at, dice),
        _ => {
            let noise: Vec<u8> = (0..dice.roll(16)).map(|_| dice.next() as u8).collect();
            insert(bytes, at, &noise);
        }
    }
}

fn place(bytes: &[u8], dice: &mut Dice) -> usize {
    dice.roll(bytes.len() as u64 + 1) as usize
}

/// Some bytes from `at` on, few more often than many.
fn range(bytes: &[u8], at: usize, dice: &mut Dice) -> std::ops::Range<usize> {
    let left = (bytes.len() - at) as u64;
    let most = if dice.roll(4) == 0 { left } else { left.min(32) };
    at..at + dice.roll(most + 1) as usize
}

/// Once, mostly; sometimes as often as there is room.
fn repeats(length: usize, dice: &mut Dice) -> usize {
    let most = (64 << 10) / length.max(1) as u64;
    match dice.roll(8) {
        0 => dice.roll(most + 1) as usize,
        1 => dice.roll(32) as usize,
        _ => 1,
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

fn overwrite_number(bytes: &mut [u8], at: usize, dice: &mut Dice) {
    let number = NUMBERS[dice.roll(NUMBERS.len() as u64) as usize].wrapping_add(dice.roll(3)).wrapping_sub(1);
    let width = 1 << dice.roll(4);
    let little = number.to_le_bytes();
    let mut part = little[..width].to_vec();
    if dice.roll(2) == 0 {
        part.reverse();
    }
    if let Some(room) = bytes.get_mut(at..at + width) {
        room.copy_from_slice(&part);
    }
}

/// Puts another number in the place of the next one that is written in digits.
fn replace_digits(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = NUMBERS[dice.roll(NUMBERS.len() as u64) as usize].wrapping_add(dice.roll(3)).wrapping_sub(1);
    bytes.splice(start..start + length, number.to_string().into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_from_the_seed_alone_and_stay_in_bounds() {
        let of = |seed: u64| {
            let mut bytes = b"Content-Length: 12\r\n\r\n".to_vec();
            mutate(&mut bytes, b"other", &mut Dice(seed));
            bytes
        };
        for seed in 0..3000 {
            let bytes = of(seed);
            assert!(bytes.len() <= MAX_BYTES);
            assert_eq!(bytes, of(seed));
            for length in [0, 1, 7, 100] {
                let mut bytes = vec![7; length];
                mutate_values(&mut bytes, b"other", &mut Dice(seed));
            }
        }
        mutate(&mut Vec::new(), &[], &mut Dice(1));
    }
}
