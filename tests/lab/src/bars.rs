//! Draws figures as bars: a TSV in, an SVG out.
//!
//! ```text
//! cargo run --release -p diglot-lab -- bars TITLE AXIS SERIES,... IN.tsv OUT.svg
//! ```
//!
//! A line of IN.tsv is what varies, its value, and a figure in 0..=1 for each of SERIES; further columns are left out.

use diglot::evaluate::plot::{Bars, bars_svg};

use crate::{Result, Usage};

/// Draws the file.
pub fn run(arguments: &[String]) -> Result<()> {
    let [title, axis, series, input, output] = arguments else { return Err(Usage.into()) };
    draw(title, axis, series, input, output)
}

fn draw(title: &str, axis: &str, series: &str, input: &str, output: &str) -> Result<()> {
    let series: Vec<String> = series.split(',').map(str::to_owned).collect();
    let mut groups = Vec::new();
    for line in std::fs::read_to_string(input)?.lines() {
        let mut parts = line.split('\t');
        let (Some(what), Some(value)) = (parts.next(), parts.next()) else {
            return Err(format!("{input}: {line:?} has no figures").into());
        };
        let figures =
            series.iter().map(|_| parts.next().map(str::parse).transpose()).collect::<std::result::Result<_, _>>()?;
        groups.push((format!("{what} {value}").trim_end().to_owned(), figures));
    }
    let bars = Bars { title: title.to_owned(), axis: axis.to_owned(), series, groups };
    std::fs::write(output, bars_svg(&bars)?)?;
    Ok(())
}
