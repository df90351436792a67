//! Draws figures as bars: a TSV in, an SVG out.
//!
//! ```text
//! cargo run --release --example bars -- TITLE AXIS SERIES,... IN.tsv OUT.svg
//! ```
//!
//! A line of IN.tsv is what varies, its value, and a figure in 0..=1 for each of SERIES; further columns are left out.

use std::error::Error;

use diglot::evaluate::plot::{Bars, bars_svg};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [title, axis, series, input, output] = &*arguments else {
        eprintln!("usage: bars TITLE AXIS SERIES,... IN.tsv OUT.svg");
        std::process::exit(2);
    };
    if let Err(error) = draw(title, axis, series, input, output) {
        eprintln!("bars: {error}");
        std::process::exit(1);
    }
}

fn draw(title: &str, axis: &str, series: &str, input: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let series: Vec<String> = series.split(',').map(str::to_owned).collect();
    let mut groups = Vec::new();
    for line in std::fs::read_to_string(input)?.lines() {
        let mut parts = line.split('\t');
        let (Some(what), Some(value)) = (parts.next(), parts.next()) else {
            return Err(format!("{input}: {line:?} has no figures").into());
        };
        let figures = series.iter().map(|_| parts.next().map(str::parse).transpose()).collect::<Result<_, _>>()?;
        groups.push((format!("{what} {value}").trim_end().to_owned(), figures));
    }
    let bars = Bars { title: title.to_owned(), axis: axis.to_owned(), series, groups };
    std::fs::write(output, bars_svg(&bars)?)?;
    Ok(())
}
