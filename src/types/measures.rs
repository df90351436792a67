//! The table of measures, one entry for each.
//!
//! An entry has the name of a measure, its weight in the score, and how it is computed from two pages. [`Measure`](super::Measure),
//! [`Similarities`](super::Similarities), the verifiers ([`crate::verify`]) and the shipped weights of the score ([`crate::judge::score`])
//! are derived from the table. A new measure is a function in `verify/` and an entry here.

/// Passes the table to the macro `$then`.
///
/// - `scored` measures are stored by position: only append. `weight` is the shipped weight, for values as
///   [`inputs`](crate::judge::score::inputs) makes them. It was chosen by hand after a fit on the sites that docs/evaluation.md names. A
///   measure without one does not count until weights are fitted.
/// - `by` computes the measure from the profiles of two pages, in the order of their languages, and from what else is known
///   ([`With`](crate::verify::With)). Measures without `by` are set by what proposes the pairs.
/// - `alone` measures have a name on the command line (`--verifier`) and are not part of the score.
macro_rules! measures {
    ($then:ident) => {
        $then! {
            scored {
                /// Ratio of the lengths of the texts, corrected by the usual ratio of the two languages.
                Length = "length" weight 0.8 by |a, b, with| text_ratio(a, b, with.length_ratio?);
                /// Ratio of the sizes of the bodies.
                Size = "size" weight 0.8 by |a, b, _| size::ratio(a.body_bytes, b.body_bytes);
                /// Ratio of the numbers of tags.
                Tags = "tags" weight 1.0 by |a, b, _| size::ratio(a.tag_count, b.tag_count);
                /// Ratio of the numbers of text blocks.
                Paragraphs = "paragraphs" weight 1.0 by |a, b, _| size::ratio(a.paragraphs, b.paragraphs);
                /// LCS of the tags that are not visual (Liu et al. 2014, §3.2).
                Lcs = "lcs" weight 1.9
                    by |a, b, with| lcs::similarity(&a.structure, &b.structure, with.params.max_lcs_tags);
                /// Edit distance of the tag sequences with ⟨text_n⟩ (Tomás et al. 2008, §2.2).
                Structure = "structure" weight 0.5
                    by |a, b, with| structure::similarity(&a.tags, &b.tags, &with.params.structure);
                /// Numbers in common.
                Numbers = "numbers" weight 3.0 by |a, b, _| in_common(&a.numbers, &b.numbers);
                /// Link targets in common.
                Links = "links" by |a, b, _| in_common(&a.links, &b.links);
                /// Images in common.
                Images = "images" weight 0.3 by |a, b, _| in_common(&a.images, &b.images);
                /// Words in common; rare ones count more.
                Words = "words" weight 2.5 by |a, b, with| shared_words(a, b, with.shared?);
                /// Words with a translation on the other page; rare ones count more.
                Content = "content" weight 3.0 by content::content;
                /// Whether the pages declare each other as translations: 1 if both do, 0 if they declare other pages, between these if only
                /// one does.
                Hreflang = "hreflang" weight 4.0 by |a, b, _| links::hreflang(a, b);
                /// The share of the two directions in which one page links to the other.
                Link = "link" weight 0.5 by |a, b, _| links::direct(a, b);
                /// The pair's share of the votes that aligned links of accepted pairs, and versions of one page, cast.
                Votes = "votes" weight 2.5;
                /// Neighbours of one page that are paired with neighbours of the other (Liu et al. 2014, eq. 3).
                Neighbours = "neighbours" weight 2.0;
                /// How probable it is, by the other pairs of their series, that the places of two numbered pages correspond.
                Order = "order" weight 4.0;
                /// Whether the URLs, which both name their pages, have a name in common (1) or none (0). What this is worth is learnt in
                /// each part of a site.
                Named = "named";
                /// 0 if a page stands under another language than that of its text. It is not part of the evidence.
                Place = "place";
                /// What near misses leave of the odds that contents give to a pair that addresses propose: 1 where nothing beside either page
                /// is like a translation of the other. It is evidence of its own (`judge/near.rs`).
                Near = "near";
            }
            alone {
                /// The languages are known and differ (Tomás et al. 2008, §2.2).
                "language" by |a, b, _| language::similarity(a, b);
                /// Text blocks in common.
                "equal-text" by |a, b, _| dice(&a.blocks, &b.blocks);
                /// Words of the English page with a translation on the other page (Liu et al. 2014, §3.2).
                "s_cb" by content::s_cb;
                /// Words aligned one to one, as a share of these and of the words not aligned (Tomás et al. 2008, eq. 2).
                "strand" by content::strand;
                /// Words aligned one to one, as a share of those of the English page (Tomás et al. 2008, eq. 3).
                "bits" by content::bits;
                /// Beginnings of words, and numbers, in common (Simard et al. 1992).
                "cognates" by |a, b, _| content::cognates(a, b);
            }
        }
    };
}

pub(crate) use measures;
