//! Numbers in the form in which they are listed.

use serde_json::{Number, Value};

/// A number with at most `digits` digits after the point; null for NaN and infinity.
pub fn number(value: f64, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    Number::from_f64((value * scale).round() / scale).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digits_behind_the_point_are_rounded_and_what_is_no_number_is_null() {
        assert_eq!(number(2.0 / 3.0, 3), json!(0.667));
        assert_eq!(number(-0.5, 0), json!(-1.0));
        assert_eq!(number(f64::NAN, 2), json!(null));
    }
}
