//! The table of measures: one line each.
//!
//! A line has the name, what the measure adds to the score, and how it is found from two pages. From it come
//! [`Measure`](super::Measure), [`Similarities`](super::Similarities), the verifiers ([`crate::verify`]) and the shipped
//! weights of the score ([`crate::judge::score`]). A new measure is a function in `verify/` and a line here.

/// Gives the table to the macro `$then`.
///
/// - `scored` measures are stored by position: only append. `weight` is the shipped one, on the scale of
///   [`inputs`](crate::judge::score::inputs), fitted on the sites that docs/evaluation.md names; without it a measure
///   counts for nothing until weights are fitted.
/// - `by` is how it is found from the profiles of two pages, in the order of their languages, and what else is
///   known ([`With`](crate::verify::With)). Those without are set by who proposes the pairs.
/// - What is `alone` has a name on the command line (`--verifier`) and no part in the score.
macro_rules! measures {
    ($then:ident) => {
        $then! {
            scored {
                /// Ratio of the lengths of the texts, the usual ratio of the two languages taken out.
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
                Numbers = "numbers" weight 2.2 by |a, b, _| dice(&a.numbers, &b.numbers);
                /// Link targets in common.
                Links = "links" by |a, b, _| dice(&a.links, &b.links);
                /// Images in common.
                Images = "images" weight 0.3 by |a, b, _| dice(&a.images, &b.images);
                /// Words in common, rare ones counting more.
                Words = "words" weight 2.5 by |a, b, with| shared_words(a, b, with.shared?);
                /// Words with a translation on the other side, rare ones counting more.
                Content = "content" weight 3.0 by content::content;
                /// Either page declares the other as its translation (1), or another page (0); between these where only one does.
                Hreflang = "hreflang" weight 4.0 by |a, b, _| links::hreflang(a, b);
                /// One page links to the other.
                Link = "link" weight 0.5 by |a, b, _| links::direct(a, b);
                /// How often aligned links of paired pages lead to the two.
                Votes = "votes" weight 2.5;
                /// Neighbours of the one that are paired with neighbours of the other (Liu et al. 2014, eq. 3).
                Neighbours = "neighbours" weight 2.0;
                /// How probable it is, by the others of their series, that the places of two numbered pages correspond.
                Order = "order" weight 4.0;
                /// The URLs name their pages, and have a name in common (1) or none (0); what that says is learnt in each part of a site.
                Named = "named";
                /// A page stands under a language that its text is not in (0); a sign, no evidence.
                Place = "place";
            }
            alone {
                /// The languages are known and differ (Tomás et al. 2008, §2.2).
                "language" by |a, b, _| language::similarity(a, b);
                /// Text blocks in common.
                "equal-text" by |a, b, _| dice(&a.blocks, &b.blocks);
                /// Words of the English page with a translation on the other (Liu et al. 2014, §3.2).
                "s_cb" by content::s_cb;
                /// Words aligned one to one beside those that are not (Tomás et al. 2008, eq. 2).
                "strand" by content::strand;
                /// Words aligned one to one beside those of the English page (Tomás et al. 2008, eq. 3).
                "bits" by content::bits;
                /// Beginnings of words, and numbers, in common (Simard et al. 1992).
                "cognates" by |a, b, _| content::cognates(a, b);
            }
        }
    };
}

pub(crate) use measures;
