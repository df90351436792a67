//! Dates of captures, as archives write them.

/// Milliseconds since 1970 UTC of a date as written in WARC (ISO 8601, to the second or finer or only to the day) or in ARC
/// (`YYYYMMDDhhmmss`, where more digits are ignored); 0 where it is not a date.
pub(super) fn date_ms(text: &str) -> i64 {
    let text = text.trim();
    let iso = if text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let second = text.get(12..14).unwrap_or("00");
        let part = |from: usize| &text[from..from + 2];
        format!("{}-{}-{}T{}:{}:{second}Z", &text[..4], part(4), part(6), part(8), part(10))
    } else {
        match text.len() {
            4 => format!("{text}-01-01T00:00:00Z"),
            7 => format!("{text}-01T00:00:00Z"),
            10 => format!("{text}T00:00:00Z"),
            16 if !text.ends_with('Z') => format!("{text}Z"),
            19 => format!("{text}Z"),
            _ => text.to_owned(),
        }
    };
    iso.parse::<jiff::Timestamp>().map_or(0, |time| time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_many_shapes() {
        for text in ["2014-03-01T01:02:03Z", "20140301010203", "20140301010203999", "2014-03-01T03:02:03+02:00"] {
            assert_eq!(date_ms(text), 1_393_635_723_000, "{text}");
        }
        assert_eq!(date_ms("2014-03-01T01:02:03.5Z"), 1_393_635_723_500);
        assert_eq!(date_ms("2014-03-01"), 1_393_632_000_000);
        for text in ["", "2008-10-294T05:21:46-0700", "99999999999999", "ä0140301010203"] {
            assert_eq!(date_ms(text), 0, "{text}");
        }
    }
}
