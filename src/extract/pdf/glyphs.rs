//! The letters of a page, with their places.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RenderContent, SoftMask, TransformExt, interpret_page,
};

/// A letter, or several that are one sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Letter {
    pub(super) text: String,
    /// The place where the letter begins, from the left.
    pub(super) x: f64,
    /// Where the next one begins.
    pub(super) end: f64,
    /// Its base line, from the top.
    pub(super) y: f64,
    /// The size of its font.
    pub(super) size: f64,
}

/// The letters of a page in the order in which they are drawn, at most `max`. Letters that are turned by more than 45 degrees are left out.
pub(super) fn of_page(page: &Page<'_>, pdf: &Pdf, max: usize) -> Vec<Letter> {
    let settings = InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
    let cache = InterpreterCache::new();
    let (width, height) = page.render_dimensions();
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let mut context = Context::new(page.initial_transform(true).to_kurbo(), area, &cache, pdf.xref(), settings);
    let mut letters = Letters { letters: Vec::new(), max, area };
    interpret_page(page, &mut context, &mut letters);
    letters.letters
}

struct Letters {
    letters: Vec<Letter>,
    max: usize,
    area: Rect,
}

impl Letters {
    fn add(&mut self, glyph: &Glyph<'_>, place: Affine) {
        let (unit, advance) = match glyph {
            Glyph::Outline(outline) => (1000.0, outline.advance_width()),
            Glyph::Type3(glyph) => (1.0, glyph.advance_width()),
        };
        let Some(text) = glyph.as_unicode() else { return };
        let text = match text {
            BfString::Char(c) => c.to_string(),
            BfString::String(text) => text,
        };
        let at = |x: f64, y: f64| place * Point::new(x, y);
        let (origin, up) = (at(0.0, 0.0), at(0.0, unit) - at(0.0, 0.0));
        let end = at(f64::from(advance.unwrap_or(0.0)), 0.0);
        let size = up.hypot();
        let is_upright = up.y.abs() > up.x.abs() && size.is_finite() && size > 0.0;
        let is_there = self.area.inflate(1.0, 1.0).contains(origin);
        if !is_upright || !is_there || text.chars().all(|c| c == '\0' || c == '\u{fffd}') {
            return;
        }
        self.letters.push(Letter { text, x: origin.x, end: end.x, y: origin.y, size });
    }
}

impl Device<'_> for Letters {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            if self.letters.len() < self.max {
                self.add(glyph, props.transform * glyph.transform());
            }
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn letters(content: &str, max: usize) -> Vec<Letter> {
        let pdf = Pdf::new(sample::pdf(&[content.to_owned()], "", "")).expect("a PDF");
        of_page(&pdf.pages()[0], &pdf, max)
    }

    #[test]
    fn letters_have_their_places_and_sizes_from_the_top() {
        let content = sample::lines(&[(50.0, 100.0, 12.0, "no")]);
        let found = letters(&content, 10);
        assert_eq!(found.iter().map(|letter| letter.text.as_str()).collect::<String>(), "no");
        assert!((found[0].x - 50.0).abs() < 0.01 && (found[0].y - 100.0).abs() < 0.01, "{found:?}");
        assert!((found[0].size - 12.0).abs() < 0.01 && (found[0].end - found[1].x).abs() < 0.01, "{found:?}");
        assert_eq!(letters(&content, 1).len(), 1);
    }

    #[test]
    fn what_is_turned_or_beside_the_page_is_left_out() {
        assert!(letters("BT /F 12 Tf 0 1 -1 0 50 100 Tm (up) Tj ET", 10).is_empty());
        assert!(letters("BT /F 12 Tf 900 100 Td (off) Tj ET", 10).is_empty());
        assert!(letters("BT /F 12 Tf 50 100 Td (on) Tj", 10).len() == 2);
    }
}
