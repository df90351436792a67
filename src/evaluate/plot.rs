//! Pictures of results, as SVG. All have one style, and equal figures give equal bytes.
//!
//! Only what says something is drawn: thin lines at tenths and a name for every axis, but no frame and no shadow. Colours are those of
//! Okabe and Ito (2008), which people with any colour vision can tell apart.

use std::error::Error as StdError;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::curve::{CurvePoint, best};
use crate::error::{Error, Result};

/// Colours of the series, in their order; the ninth series has the first one again.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(0, 0, 0),
];
const INK: RGBColor = RGBColor(51, 51, 51);
const GRID: RGBColor = RGBColor(224, 224, 224);
const FONT: &str = "sans-serif";
/// Sizes of letters in pixels, as the library counts them; it writes letters 1.24 times smaller.
const TITLE_PX: u32 = 22;
const LABEL_PX: u32 = 16;
/// Space around a picture and between its parts, in pixels.
const MARGIN_PX: i32 = 16;
/// Side of the square in which a curve is drawn, in pixels.
const FIELD_PX: i32 = 480;
/// Thickness of a bar, and space between two groups of bars, in pixels.
const BAR_PX: i32 = 14;
const GAP_PX: i32 = 10;
/// Estimated width of a letter, as a share of its height; an SVG does not know the font in which it is shown.
const LETTER_WIDTH: f64 = 0.48;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = std::result::Result<(), Box<dyn StdError>>;

/// Bars of values in 0..=1, in groups: a row of the picture for each group, with a bar for each series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The title of the picture.
    pub title: String,
    /// Name of the axis of values.
    pub axis: String,
    /// Names of the series.
    pub series: Vec<String>,
    /// Names of the groups, each with a value for each series; `None` where there is none.
    pub groups: Vec<(String, Vec<Option<f64>>)>,
}

/// Draws precision over recall, and marks the point with the best F1.
///
/// # Errors
/// When the drawing library fails.
pub fn curve_svg(title: &str, points: &[CurvePoint]) -> Result<String> {
    let size = (FIELD_PX + 5 * MARGIN_PX, FIELD_PX + 6 * MARGIN_PX);
    drawn(size, |area| {
        let left = 4 * MARGIN_PX;
        let top = headline(area, title, left)?;
        let place = |recall: f64, precision: f64| {
            let along = |share: f64| (share.clamp(0.0, 1.0) * f64::from(FIELD_PX)).round() as i32;
            (left + along(recall), top + FIELD_PX - along(precision))
        };
        for tenth in 0..=10 {
            let share = f64::from(tenth) / 10.0;
            line(area, vec![place(0.0, share), place(1.0, share)], GRID, 1)?;
            line(area, vec![place(share, 0.0), place(share, 1.0)], GRID, 1)?;
            if tenth % 2 == 0 {
                let ((x, bottom), (_, y)) = (place(share, 0.0), place(0.0, share));
                text(area, &format!("{share:.1}"), (x, bottom + 5), LABEL_PX, HPos::Center, VPos::Top)?;
                text(area, &format!("{share:.1}"), (left - 6, y), LABEL_PX, HPos::Right, VPos::Center)?;
            }
        }
        let middle = left + FIELD_PX / 2;
        text(area, "recall", (middle, top + FIELD_PX + 26), LABEL_PX, HPos::Center, VPos::Top)?;
        let upright = label(LABEL_PX, HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
        area.draw(&Text::new("precision", (6, top + FIELD_PX / 2), upright))?;
        let shown: Vec<(i32, i32)> =
            points.iter().filter_map(|point| Some(place(point.recall()?, point.precision()?))).collect();
        line(area, shown.clone(), COLOURS[0], 2)?;
        for at in shown {
            area.draw(&Circle::new(at, 2, COLOURS[0].filled()))?;
        }
        if let Some(best) = best(points)
            && let (Some(recall), Some(precision), Some(f1)) = (best.recall(), best.precision(), best.f1())
        {
            let at = place(recall, precision);
            area.draw(&Circle::new(at, 6, COLOURS[5].stroke_width(2)))?;
            let says = format!("best F1 {f1:.3}, score ≥ {:.3}", best.threshold);
            // The label is placed towards the middle of the field, where there is room.
            let (side, x) = if recall > 0.5 { (HPos::Right, at.0 - 10) } else { (HPos::Left, at.0 + 10) };
            let y = if precision > 0.5 { at.1 + 24 } else { at.1 - 24 };
            text(area, &says, (x, y), LABEL_PX, side, VPos::Center)?;
        }
        Ok(())
    })
}

/// Draws horizontal bars, the first group on top, each with its value at its end.
///
/// # Errors
/// When the drawing library fails.
pub fn bars_svg(bars: &Bars) -> Result<String> {
    let longest = bars.groups.iter().map(|(name, _)| letters_px(name)).max().unwrap_or(0);
    let left = 2 * MARGIN_PX + longest;
    let series = i32::try_from(bars.series.len()).unwrap_or(i32::MAX);
    let group_px = series.saturating_mul(BAR_PX).saturating_add(GAP_PX);
    let field_px = i32::try_from(bars.groups.len()).unwrap_or(i32::MAX).saturating_mul(group_px);
    let legend = bars.series.iter().map(|name| letters_px(name) + 2 * BAR_PX + MARGIN_PX).sum::<i32>();
    let width = (left + FIELD_PX + 4 * MARGIN_PX).max(left + legend);
    drawn((width, field_px.saturating_add(8 * MARGIN_PX)), |area| {
        let mut top = headline(area, &bars.title, left)?;
        let mut x = left;
        for (name, colour) in bars.series.iter().zip(COLOURS.iter().cycle()) {
            area.draw(&Rectangle::new([(x, top), (x + BAR_PX, top + BAR_PX - 2)], colour.filled()))?;
            text(area, name, (x + BAR_PX + 5, top + BAR_PX / 2 - 1), LABEL_PX, HPos::Left, VPos::Center)?;
            x += letters_px(name) + 2 * BAR_PX + MARGIN_PX;
        }
        top += 2 * MARGIN_PX;
        let along = |share: f64| left + (share.clamp(0.0, 1.0) * f64::from(FIELD_PX)).round() as i32;
        let bottom = top + field_px;
        for tenth in 0..=10 {
            let x = along(f64::from(tenth) / 10.0);
            line(area, vec![(x, top), (x, bottom)], GRID, 1)?;
            if tenth % 2 == 0 {
                let says = format!("{:.1}", f64::from(tenth) / 10.0);
                text(area, &says, (x, bottom + 5), LABEL_PX, HPos::Center, VPos::Top)?;
            }
        }
        text(area, &bars.axis, (left + FIELD_PX / 2, bottom + 26), LABEL_PX, HPos::Center, VPos::Top)?;
        let mut y = top + GAP_PX / 2;
        for (name, values) in &bars.groups {
            let middle = y + series * BAR_PX / 2;
            text(area, name, (left - 8, middle), LABEL_PX, HPos::Right, VPos::Center)?;
            for (value, colour) in values.iter().zip(COLOURS.iter().cycle()) {
                if let Some(value) = value {
                    let end = along(*value);
                    area.draw(&Rectangle::new([(left, y), (end, y + BAR_PX - 2)], colour.filled()))?;
                    let at = (end + 4, y + BAR_PX / 2 - 1);
                    text(area, &format!("{value:.3}"), at, LABEL_PX - 2, HPos::Left, VPos::Center)?;
                } else {
                    text(area, "–", (left + 4, y + BAR_PX / 2 - 1), LABEL_PX - 2, HPos::Left, VPos::Center)?;
                }
                y += BAR_PX;
            }
            y += GAP_PX;
        }
        line(area, vec![(left, top), (left, bottom)], INK, 1)
    })
}

fn drawn(size: (i32, i32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String> {
    let side = |length: i32| u32::try_from(length).unwrap_or(0);
    let mut svg = String::new();
    let outcome = {
        let area = SVGBackend::with_string(&mut svg, (side(size.0), side(size.1))).into_drawing_area();
        let filled = area.fill(&WHITE).map_err(Into::into);
        filled.and_then(|()| draw(&area)).and_then(|()| Ok(area.present()?))
    };
    outcome.map_err(|problem| Error::input("picture", problem.to_string()))?;
    Ok(svg)
}

/// Draws the title, and returns where the part below it may begin.
fn headline(area: &Area<'_>, title: &str, left: i32) -> std::result::Result<i32, Box<dyn StdError>> {
    text(area, title, (left, MARGIN_PX), TITLE_PX, HPos::Left, VPos::Top)?;
    Ok(3 * MARGIN_PX)
}

fn label(px: u32, side: HPos, height: VPos) -> TextStyle<'static> {
    (FONT, px).into_font().color(&INK).pos(Pos::new(side, height))
}

fn text(area: &Area<'_>, says: &str, at: (i32, i32), px: u32, side: HPos, height: VPos) -> Drawn {
    Ok(area.draw(&Text::new(says.to_owned(), at, label(px, side, height)))?)
}

fn line(area: &Area<'_>, points: Vec<(i32, i32)>, colour: RGBColor, px: u32) -> Drawn {
    Ok(area.draw(&PathElement::new(points, colour.stroke_width(px)))?)
}

/// Approximate width of a text in labels, in pixels.
fn letters_px(text: &str) -> i32 {
    (text.chars().count() as f64 * f64::from(LABEL_PX) * LETTER_WIDTH).ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of an attribute in all elements of a name.
    fn attributes(svg: &str, element: &str, attribute: &str) -> Vec<String> {
        let opening = format!("<{element} ");
        let elements = svg.split(&opening).skip(1);
        let value = |rest: &str| {
            let tag = rest.split('>').next()?;
            let (_, rest) = tag.split_once(&format!("{attribute}=\""))?;
            Some(rest.split('"').next()?.to_owned())
        };
        elements.filter_map(value).collect()
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let bars = Bars {
            title: "F1 <by> site".into(),
            axis: "F1".into(),
            series: vec!["one".into(), "two".into()],
            groups: vec![("x.org".into(), vec![Some(0.5), Some(1.0)]), ("y.org".into(), vec![None, Some(0.25)])],
        };
        let svg = bars_svg(&bars).expect("it can be drawn");
        let widths = attributes(&svg, "rect", "width");
        // The rectangles are the background, two marks of the legend, and three bars: 1/2, all and 1/4 of 480 pixels.
        assert_eq!(widths[3..], ["240", "480", "120"], "{widths:?}");
        for says in ["F1 &lt;by&gt; site", "x.org", "y.org", "one", "two", "0.500", "1.000", "0.250", "–"] {
            assert!(svg.contains(says), "{says} is not in the picture");
        }
        assert_eq!(svg, bars_svg(&bars).expect("it can be drawn"));
    }

    #[test]
    fn a_curve_goes_through_its_points() {
        let point = |threshold, right, wrong| CurvePoint { threshold, right, wrong, gold: 4 };
        let svg = curve_svg("pairs", &[point(0.9, 1, 0), point(0.5, 2, 2)]).expect("it can be drawn");
        // Recall 1/4 and 1/2, precision 1 and 1/2, in a field of 480 pixels that begins at (64, 48).
        assert!(svg.contains("points=\"184,48 304,288"), "{svg}");
        assert!(svg.contains("best F1 0.500, score ≥ 0.500"), "{svg}");
    }

    #[test]
    fn nothing_at_all_can_be_drawn() {
        assert!(curve_svg("none", &[]).expect("it can be drawn").contains("precision"));
        assert!(bars_svg(&Bars::default()).expect("it can be drawn").starts_with("<svg"));
    }
}
