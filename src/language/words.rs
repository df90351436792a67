//! Languages detected by their function words.
//!
//! In running text every third word or so is an article, preposition, conjunction, pronoun or auxiliary, and these differ
//! even between close relatives. Counting them costs little and shows how much of a text is in which language, but it says nothing of texts without sentences.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::params::Params;
use crate::types::Lang;

/// The function words of a text.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// How many words the text has.
    pub count: usize,
    /// Its function words: the hash of each, and its languages, a bit each in the order of [`LISTS`].
    hits: Vec<(u64, u64)>,
    /// A bit for each word that the text has, by its hash.
    seen: Seen,
}

/// The words of a text, as far as a few thousand bits tell them apart.
#[derive(Clone, Debug, PartialEq)]
struct Seen([u64; SEEN / 64]);

const SEEN: usize = 1 << 12;

impl Default for Seen {
    fn default() -> Seen {
        Seen([0; SEEN / 64])
    }
}

impl Seen {
    fn add(&mut self, hash: u64) {
        let bit = (hash >> 52) as usize;
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// How many different words were added, less those that share a bit with another.
    fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}

/// Words of a text of some hundred words, to two different ones (an estimate).
const WORDS_PER_TWO: usize = 3;

/// What the function words say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The language that most of the text is in.
    pub lang: Lang,
    /// Its share of the text that is in one of the two likeliest languages, 0..=1, by the words only one of them has.
    pub share: f32,
    /// How many of those words are its own.
    pub own: usize,
    /// Its function words, compared with how many a text of sentences in it would have: 0 for none, 1 for as many.
    pub coverage: f32,
    /// True when the runner-up is a near relative, so that its words may be this language's with another spelling.
    pub close: bool,
}

/// True for a language with a list of function words.
pub fn is_listed(lang: Lang) -> bool {
    list_of(lang).is_some()
}

/// The place of a language in [`LISTS`].
fn list_of(lang: Lang) -> Option<usize> {
    let base = lang.base();
    LISTS.iter().position(|list| list.tag == base.as_str())
}

/// Reads the words of a text: runs of letters, in any case.
pub fn read(text: &str) -> Words {
    let mut words = Words::default();
    let (table, lower) = (&*TABLE, &*LOWER);
    let mut packed = Packed::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            at += 1;
            if byte.is_ascii_alphabetic() {
                packed.push(u32::from(byte.to_ascii_lowercase()));
                packed.capital = byte.is_ascii_uppercase();
                continue;
            }
        } else {
            let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            at += c.len_utf8();
            match lower.get(c as usize).copied().unwrap_or(RARE) {
                NO_LETTER => {}
                RARE => {
                    if is_letter(c) {
                        c.to_lowercase().for_each(|c| packed.push(c as u32));
                        continue;
                    }
                }
                letter => {
                    packed.push(letter.into());
                    continue;
                }
            }
        }
        words.add(&mut packed, table);
    }
    words.add(&mut packed, table);
    words
}

/// Lower case of the letters of Latin, Cyrillic, Arabic and the like, by their codes.
static LOWER: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            _ if !is_letter(c) => NO_LETTER,
            (Some(lower), None) => u16::try_from(lower as u32).unwrap_or(RARE),
            _ => RARE,
        }
    };
    ('\0'..'\u{e00}').map(lower).collect()
});

/// In [`LOWER`]: no letter.
const NO_LETTER: u16 = 0;
/// In [`LOWER`]: a letter whose lower case is more than one.
const RARE: u16 = 1;

/// Letters and the signs above and below them, which `char::is_alphabetic` leaves out in Indic scripts.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || matches!(c as u32, 0x300..=0x36f | 0x64b..=0x65f | 0x900..=0xdff)
}

/// A word as a number: a shift and an exclusive or a letter, which is as good as its letters for words this short.
#[derive(Default)]
struct Packed {
    hash: u64,
    len: u32,
    /// True when the last letter is a capital of ASCII.
    capital: bool,
}

impl Packed {
    fn push(&mut self, letter: u32) {
        self.hash = (self.hash.rotate_left(7) ^ u64::from(letter)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.len += 1;
    }
}

impl Words {
    fn add(&mut self, packed: &mut Packed, table: &Table) {
        let Packed { hash, len, capital } = std::mem::take(packed);
        // Single capitals are marks of lists and indexes (`A | B | C`), not the words of one letter that many
        // languages have.
        if len == 0 || len == 1 && capital {
            return;
        }
        self.count += 1;
        self.seen.add(hash);
        if table.may_have(hash)
            && let Some(&mask) = table.masks.get(&hash)
        {
            self.hits.push((hash, mask));
        }
    }

    /// The likeliest language; `None` without any function word. Ties go to the language listed first.
    pub fn verdict(&self) -> Option<Verdict> {
        let amounts = self.amounts(|_| true);
        let best = most(&amounts, None)?;
        let second = most(&amounts, Some(best));
        // In a text of two languages the other one need not be the runner-up: a relative of the first one may be.
        let rival = most(&self.amounts(|mask| mask & 1 << best == 0), Some(best));
        let (own, share) = self.compare(best, second);
        let (_, share_of_two) = self.compare(best, rival);
        Some(Verdict {
            lang: Lang::parse(LISTS[best].tag)?,
            share: share.min(share_of_two),
            own,
            coverage: amounts[best] * 100.0 / self.count.max(1) as f32,
            close: LISTS[best].family != Alone
                && second.is_some_and(|second| LISTS[second].family == LISTS[best].family),
        })
    }

    /// True for a text that is not in a language with a list of function words: it has few *different* ones, compared with what as many
    /// words of that language would have. A language that is not known here has the short words of many others, a few of them again and again.
    pub fn exclude(&self, lang: Lang, params: &Params) -> bool {
        let Some(at) = list_of(lang) else { return false };
        let mut found: Vec<u64> = self.hits.iter().filter(|hit| hit.1 & 1 << at != 0).map(|hit| hit.0).collect();
        found.sort_unstable();
        found.dedup();
        // What a text says again and again has no more words than at first.
        let count = self.count.min(self.seen.count() * WORDS_PER_TWO / 2);
        (found.len() as f32) < params.min_variety * LISTS[at].variety(count)
    }

    /// How much text in each language the function words stand for, those that `counts` lets through. Languages with
    /// many endings have few function words, and each stands for more.
    fn amounts(&self, counts: impl Fn(u64) -> bool) -> [f32; LISTS.len()] {
        let mut hits = [0u32; LISTS.len()];
        for mask in self.hits.iter().map(|hit| hit.1).filter(|&mask| counts(mask)) {
            let mut left = mask;
            while left != 0 {
                hits[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        std::array::from_fn(|i| hits[i] as f32 / LISTS[i].per_hundred as f32)
    }

    /// How many words only the first of two languages has, and its share of the text by the words only one of them has.
    fn compare(&self, best: usize, other: Option<usize>) -> (usize, f32) {
        let bit = 1u64 << best;
        let other_bit = other.map_or(0, |other| 1u64 << other);
        let own = self.hits.iter().filter(|(_, mask)| mask & bit != 0 && mask & other_bit == 0).count();
        let others = self.hits.iter().filter(|(_, mask)| mask & bit == 0 && mask & other_bit != 0).count();
        let (own_amount, other_amount) =
            (own * other.map_or(1, |other| LISTS[other].per_hundred), others * LISTS[best].per_hundred);
        (own, own_amount as f32 / (own_amount + other_amount).max(1) as f32)
    }
}

fn most(amounts: &[f32], but: Option<usize>) -> Option<usize> {
    let candidates = (0..amounts.len()).filter(|&i| Some(i) != but && amounts[i] > 0.0);
    candidates.max_by(|&i, &j| amounts[i].total_cmp(&amounts[j]).then(j.cmp(&i)))
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { marks: [0; MARKS / 64], masks: FxHashMap::default() };
    for (bit, list) in LISTS.iter().enumerate() {
        for word in list.words.split_whitespace() {
            let mut packed = Packed::default();
            word.chars().for_each(|c| packed.push(c as u32));
            *table.masks.entry(packed.hash).or_insert(0) |= 1 << bit;
            let mark = mark_of(packed.hash);
            table.marks[mark / 64] |= 1 << (mark % 64);
        }
    }
    table
});

/// The function words of all languages.
struct Table {
    /// A bit for each [`mark_of`] a word: most words of a text are none, and a look here shows it.
    marks: [u64; MARKS / 64],
    /// Hash of each word → the languages that have it.
    masks: FxHashMap<u64, u64>,
}

/// About thirty for each word of the lists.
const MARKS: usize = 1 << 16;

/// The place of a hash among [`Table::marks`]: its best bits.
fn mark_of(hash: u64) -> usize {
    (hash >> 48) as usize
}

impl Table {
    fn may_have(&self, hash: u64) -> bool {
        let mark = mark_of(hash);
        self.marks[mark / 64] >> (mark % 64) & 1 == 1
    }
}

/// Relatives whose words look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Romance,
    Nordic,
    WestGermanic,
    SlavicLatin,
    Cyrillic,
    Finnic,
    Baltic,
    Turkic,
    Malay,
    Arabic,
    Indic,
    /// No near relative in the lists.
    Alone,
}

use Family::{
    Alone, Arabic, Baltic, Cyrillic, Finnic, Indic, Malay, Nordic, Romance, SlavicLatin, Turkic, WestGermanic,
};

/// The function words of a language.
struct List {
    tag: &'static str,
    family: Family,
    /// How many of a hundred words of running text they are.
    per_hundred: usize,
    /// In lower case, between spaces.
    words: &'static str,
}

impl List {
    /// How many different words of the list so many words of text are expected to have, where the word of rank r, from 0, is as frequent as
    /// 1 / (r + 2) says, and all together are as frequent as `per_hundred`.
    fn variety(&self, count: usize) -> f32 {
        let weights = || self.words.split_whitespace().enumerate().map(|(rank, _)| 1.0 / (rank as f32 + 2.0));
        let per_weight = count as f32 * self.per_hundred as f32 / 100.0 / weights().sum::<f32>();
        weights().map(|weight| 1.0 - (-per_weight * weight).exp()).sum()
    }
}

const fn list(tag: &'static str, family: Family, per_hundred: usize, words: &'static str) -> List {
    List { tag, family, per_hundred, words }
}

/// The commonest function words of each language, in lower case, and how many of a hundred words of running text they
/// are (at least 20, so that a few of them are not taken for much text). Written by hand from general knowledge of the
/// languages, the numbers estimated. Counted in a translated manual, those of Czech, English, French, German, Russian
/// and Spanish were right within 4; the others have not been checked. Languages without a list are left to the models; so that they do not pass for a relative, all large
/// relatives of a listed language are listed too.
const LISTS: &[List] = &[
    list(
        "en",
        Alone,
        42,
        "the of and to in a is that for it as was with be by on not he his but at are this have from or which \
        one had were they you can will if all an there been their has would when what who so no we your may each how do \
        only other any more should into these also than then its our some such must does where could them",
    ),
    list(
        "de",
        WestGermanic,
        38,
        "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an \
        werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder \
        aber vor zur bis mehr durch man kann wenn diese dieser dieses können ihre ihr sein wurde ihnen ich wir unter \
        diesem diesen eines keine muss müssen vom beim damit daß",
    ),
    list(
        "nl",
        WestGermanic,
        40,
        "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog \
        naar door wordt worden over ze heeft hij wat kan deze die tot u je meer geen al zo zich hun moet kunnen wel \
        deze werd waar andere hebben",
    ),
    list(
        "af",
        WestGermanic,
        40,
        "die van en in is n het dat nie te vir op wat met sy as by word aan was ook om deur hy of kan \
        hulle sal maar ek ons uit nog daar tot hierdie",
    ),
    list(
        "fr",
        Romance,
        42,
        "de la le et les des en un une du que est pour qui dans par plus pas au sur ne se ce il sont avec ou \
        son aux ses cette être vous nous a ont été comme mais fait si leur peut même ces elle tout sans d l qu c n s à \
        je dont où vos votre y on cet entre lorsque ainsi aussi",
    ),
    list(
        "es",
        Romance,
        42,
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha si \
        sin sobre este ya entre cuando todo esta ser son dos también fue había era muy hasta desde está puede hay esto \
        donde cada porque estos usted tiene pueden",
    ),
    list(
        "pt",
        Romance,
        40,
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem \
        à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos \
        ter seus quem nas me esse você pode são num esta este",
    ),
    list(
        "it",
        Romance,
        36,
        "di e il la che in a per un è del le si una della i con non da gli al nel sono come dei più alla \
        anche se ha lo dal delle ma o questo nella essere può su l dell all c ci dalla viene quando era cui loro stato \
        degli ai suo sua quale d nell questa tra",
    ),
    list(
        "ca",
        Romance,
        42,
        "de la i a el en que l per un d les amb del els una es no al dels és s o com més n va ha se ser però \
        sobre aquest aquesta pel són han també entre seu seva fins on molt quan ho hi si aquests podeu",
    ),
    list(
        "gl",
        Romance,
        40,
        "de a e o que en do da un unha para non os como por se no na dos as con máis ao foi das é pola polo \
        súa seu tamén ou sobre entre ser está son pero estes esta este cando ata onde á nos nas pode",
    ),
    list(
        "ro",
        Romance,
        35,
        "de și şi în a la o cu din pe că nu un care este se mai pentru sau ce al prin fi au ale fost dar sa \
        lui ca după ai sunt am îi le cum dacă acest această poate unei unui între ei său cel cea lor",
    ),
    list(
        "la",
        Romance,
        25,
        "et in est non ad ut cum quod qui ex sed de per si quae ab aut enim etiam esse sunt ac atque hoc",
    ),
    list(
        "eo",
        Romance,
        30,
        "la de kaj en estas al ne por ke kun li mi ĝi ĉi sed kiel ankaŭ da pri oni el aŭ ili tio kiu",
    ),
    list(
        "sv",
        Nordic,
        38,
        "och i att det som en på är av för med till den har de inte om ett han men var jag sig från så kan när \
        vi hade eller nu ut vid man skulle ska detta där alla efter du under över också mot din denna blir finns än här",
    ),
    list(
        "da",
        Nordic,
        38,
        "og i at det er en til af som på de med for den der ikke har et om han var fra men sig vi kan jeg hun \
        eller så når ved hvor også efter skal vil denne være blev ud over dette hvis mellem kun du dig op alle andre \
        mere",
    ),
    list(
        "no",
        Nordic,
        38,
        "og i det er en som på til av for at med de den har ikke et om var fra men han kan seg vi jeg hun \
        eller så når ved hvor også etter skal vil denne være ble ut over dette hvis mellom bare du deg opp alle andre \
        mer noe",
    ),
    list(
        "nn",
        Nordic,
        38,
        "og i det er ein som på til av for at med dei den har ikkje eit om var frå men han kan seg vi eg ho \
        eller så når ved kor også etter skal vil denne vere blei ut ho meir",
    ),
    list(
        "is",
        Nordic,
        32,
        "og í að á er sem um til við með en var ekki af það fyrir hann því þessi frá eru eftir þar hefur ég þú \
        eða svo hans",
    ),
    list(
        "fi",
        Finnic,
        20,
        "ja on ei se että oli hän mutta kun niin ovat myös joka tai kuin jos ole sen ollut voi mitä vain jo \
        nyt siitä hänen sitä olla tämä tämän mukaan kanssa jälkeen vielä kuitenkin ne he sekä eli voidaan",
    ),
    list(
        "et",
        Finnic,
        20,
        "ja on ei et see oma ka oli kui või mis nii aga ta kes selle ning seda mida ma siis veel tema välja \
        olid pole üle kuid saab nende kõik",
    ),
    list(
        "lv",
        Baltic,
        20,
        "un ir no ar par uz kas ka lai bet arī kā tika pēc to vai var tas pie jau ja līdz tā šo gan bija nav \
        tiek ko savu būt",
    ),
    list(
        "lt",
        Baltic,
        20,
        "ir yra į kad su iš tai ne kaip o bet buvo už jis ar dėl po apie nuo tik taip gali jo prie jų per savo \
        būti kuris kai",
    ),
    list(
        "pl",
        SlavicLatin,
        24,
        "i w na z do się nie to że jest o jak po od za co a dla przez tego ale są tym czy był oraz jego \
        tak może już lub przy ich ten być które który tylko ma też",
    ),
    list(
        "cs",
        SlavicLatin,
        24,
        "a v se na je to že s z do o i ve jako k pro by ale za si po jsou od tak které který nebo také \
        jeho až podle být už mezi při pokud není může byl bylo můžete tento této ze",
    ),
    list(
        "sk",
        SlavicLatin,
        24,
        "a v sa na je to že s z do o aj vo ako k pre by ale za si po sú od tak ktoré ktorý alebo tiež \
        jeho až podľa byť už medzi pri nie môže bol bolo zo",
    ),
    list(
        "sl",
        SlavicLatin,
        28,
        "in je na v se da za so z pa ki s kot ne tudi od po bi pri do o ali kar bil bila še le iz lahko \
        ter med kako kjer biti če",
    ),
    list(
        "hr",
        SlavicLatin,
        28,
        "i je u na se da za su od s kao o koji te ne a ili iz što to nije koja biti bio bila po do nakon \
        kako ali prema može samo sve koje još sa",
    ),
    list(
        "hu",
        Alone,
        25,
        "a az és hogy nem is egy ez meg volt csak de ha már mint el vagy még azt kell van ki lehet szerint mert \
        után nagyon minden ezt pedig amely",
    ),
    list(
        "tr",
        Turkic,
        20,
        "ve bir bu için ile de da olarak olan en daha çok gibi o ne kadar sonra var ya ise değil her veya \
        olduğu ancak şu mi tarafından",
    ),
    list("az", Turkic, 20, "və bir bu üçün ilə da də olan kimi onun o ki olaraq var çox sonra ən"),
    list("sq", Alone, 35, "të e në i për me një që nga është dhe se nuk si më ka u do ishte këtë kjo ky por janë"),
    list("eu", Alone, 20, "eta da ez dira zen bat du ere izan baina hau dute ziren egin zuen duen"),
    list("cy", Alone, 32, "y yn a i o ar ei yr oedd mae am wedi gan ac bod fel hyn neu nid"),
    list("ga", Alone, 35, "an na agus a i ar is go tá le ag do bhí sé de mar ach nó leis"),
    list(
        "id",
        Malay,
        24,
        "yang dan di dengan untuk ini dari dalam tidak adalah itu pada akan ke oleh juga atau sebagai dapat \
        telah ada anda bisa karena mereka saya lebih",
    ),
    list(
        "ms",
        Malay,
        24,
        "yang dan di dengan untuk ini dari dalam tidak adalah itu pada akan ke oleh juga atau sebagai boleh \
        telah ada anda kerana mereka saya lebih",
    ),
    list("tl", Malay, 38, "ang ng sa na mga at ay ito para hindi kung ni si o rin may"),
    list(
        "vi",
        Alone,
        25,
        "và của là có các được cho trong một không với người những để này khi từ đã về như đến ra tôi cũng",
    ),
    list("sw", Alone, 28, "ya na wa kwa ni katika la za kuwa cha hii hiyo lakini au kama huo"),
    list(
        "ru",
        Cyrillic,
        24,
        "и в не на я что с он как это по но из у к за от так для же то о все она его если или при мы был вы \
        бы также только может они есть быть до будет этот была можно со этого",
    ),
    list(
        "uk",
        Cyrillic,
        22,
        "і в не на що з у та до як це за але від для про є він його так по або при й якщо вони бути також \
        може ви ці бо буде",
    ),
    list("be", Cyrillic, 22, "і ў не на што з у да як гэта за але ад для пра па або ён яго быць таксама можа калі"),
    list(
        "bg",
        Cyrillic,
        32,
        "и на да се в за от с не е че по са при като това или но до този ще може беше който след които си \
        тази ако както",
    ),
    list("sr", Cyrillic, 28, "и је у на се да за су од с као о који не а или из што то није може само све које по до"),
    list("mk", Cyrillic, 34, "и на да во се за од со не е што ќе како ги по ја го но или ова може беше тоа кој"),
    list("kk", Cyrillic, 20, "және бір бұл үшін мен да де деп осы"),
    list("ar", Arabic, 20, "في من على إلى أن هذا التي عن لا ما هو كان مع هذه أو الذي كل بين ذلك"),
    list("fa", Arabic, 28, "و در به از که این را با است برای آن یک می های خود تا کرد بر هم نیز"),
    list("ur", Arabic, 38, "کے میں کی ہے اور سے کا کو اس نے پر ہیں یہ تھا ایک بھی"),
    list("hi", Indic, 38, "के में है की और से का को पर इस एक यह कि हैं ने लिए भी नहीं था"),
    list("mr", Indic, 20, "आहे आणि या हे व तो एक ही हा होते असे करून आहेत मध्ये"),
    list("ne", Indic, 20, "र छ को मा यो पनि एक गर्ने भएको हुन् छन् लागि थियो"),
    list(
        "lb",
        WestGermanic,
        36,
        "de an d vun der vum ass a fir mat dat si op net den e en et och ze war vu bei no sech eng duerch \
        aus oder wéi als gëtt",
    ),
    list(
        "oc",
        Romance,
        40,
        "de la lo e los que las en es un del per una dins amb al a se son sus mas o pas aquesta qu aqueste \
        tanben coma entre foguèt",
    ),
    list("an", Romance, 38, "de a o que en y d as es por una con os no ta como se lo pero"),
    list("fo", Nordic, 35, "og í á at er sum til ið við av men fyri hava ikki ein frá var teir hon hann eru eisini"),
    list("mt", Alone, 25, "u li ta il f minn ma dan din għal kien hija jew bħal kull tal fil"),
    list("br", Alone, 30, "ar an ha da e a gant eo en er war ur met evit ma hag"),
    list("jv", Malay, 25, "ing lan kang saka sing iku ana dadi iki uga karo menyang wis"),
    list("ht", Alone, 35, "nan yo ki pou ak li te sa pa yon gen se ap fè tout"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words of a text, character by character.
    fn read_slowly(text: &str) -> Words {
        let (mut words, mut packed) = (Words::default(), Packed::default());
        for c in text.chars().chain([' ']) {
            if is_letter(c) {
                c.to_lowercase().for_each(|c| packed.push(c as u32));
                packed.capital = c.is_ascii_uppercase();
            } else {
                words.add(&mut packed, &TABLE);
            }
        }
        words
    }

    proptest! {
        #[test]
        fn words_are_those_read_character_by_character(text in r"([a-zA-Z]|the|The|à| |ÉTÉ|Ünd|İ|в|И|है|في|日|\.|[\u{1}-\u{1000}]){0,40}") {
            let (words, slow) = (read(&text), read_slowly(&text));
            prop_assert_eq!((words.count, words.hits), (slow.count, slow.hits));
        }
    }

    #[test]
    fn lists_fit_a_mask_and_name_languages() {
        assert!(LISTS.len() <= 64);
        for List { tag, words, .. } in LISTS {
            assert!(Lang::parse(tag).is_some_and(Lang::is_known), "{tag}");
            assert_eq!(words.to_lowercase(), *words, "{tag}");
        }
    }

    #[test]
    fn no_two_words_share_a_hash() {
        let words: std::collections::BTreeSet<&str> =
            LISTS.iter().flat_map(|list| list.words.split_whitespace()).collect();
        assert_eq!(TABLE.masks.len(), words.len());
    }

    #[test]
    fn shares_say_how_much_is_in_which_language() {
        let german = "Das ist der Text, den man nicht mit dem anderen verwechseln kann. ".repeat(3);
        let english = "This is the text that one should not confuse with the other.";
        let verdict = read(&(german + english)).verdict().expect("function words");
        assert_eq!(verdict.lang.as_str(), "de");
        assert!(verdict.share > 0.6 && verdict.share < 0.95 && !verdict.close, "{verdict:?}");
        assert_eq!(read("1 2 3 xyzzy").verdict(), None);
    }
}
