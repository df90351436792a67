//! Texts in four languages for made-up sites: stories of equal numbers are translations of each other.

use crate::sites::Dice;

/// Who does what, by language; entries at one place translate each other.
const SENTENCES: [(&str, [&str; 3]); 4] = [
    (
        "en",
        [
            "the old miller|my youngest sister|our neighbour|the village doctor|that traveller|the teacher|a fisherman|the mayor|\
             her grandmother|the baker|two soldiers|the postman|an engineer|the shepherd|his daughter|the librarian",
            "has always loved|wanted to repair|often speaks about|was looking for|will never forget|bought|painted|described|\
             sold|found again|measured|photographed|would like to see|cleaned|remembers|built",
            "the house by the river|a letter from the city|these three small boats|the garden with the apple trees|an evening in the mountains|\
             the clock of the church|a bridge of wood|the market behind the station|the road to the sea|a picture of the castle|\
             the school in the forest|an old map of the island|the lamp above the door|a basket full of cherries|the white horse|the window of the kitchen",
        ],
    ),
    (
        "fr",
        [
            "le vieux meunier|ma plus jeune sœur|notre voisin|le médecin du village|ce voyageur|l'institutrice|un pêcheur|le maire|\
             sa grand-mère|le boulanger|deux soldats|le facteur|un ingénieur|le berger|sa fille|la bibliothécaire",
            "a toujours aimé|voulait réparer|parle souvent de|cherchait depuis longtemps|n'oubliera jamais|a acheté|a peint|a décrit|\
             a vendu|a retrouvé|a mesuré|a photographié|aimerait voir|a nettoyé|se souvient de|a construit",
            "la maison au bord de la rivière|une lettre de la ville|ces trois petits bateaux|le jardin avec les pommiers|une soirée dans les montagnes|\
             l'horloge de l'église|un pont en bois|le marché derrière la gare|la route de la mer|une image du château|\
             l'école dans la forêt|une vieille carte de l'île|la lampe au-dessus de la porte|un panier plein de cerises|le cheval blanc|la fenêtre de la cuisine",
        ],
    ),
    (
        "de",
        [
            "der alte Müller|meine jüngste Schwester|unser Nachbar|der Arzt des Dorfes|dieser Reisende|die Lehrerin|ein Fischer|der Bürgermeister|\
             ihre Großmutter|der Bäcker|zwei Soldaten|der Briefträger|ein Ingenieur|der Schäfer|seine Tochter|die Bibliothekarin",
            "hat immer geliebt:|wollte reparieren:|spricht oft über|suchte schon lange|wird nie vergessen:|kaufte gestern|malte|beschrieb|\
             verkaufte|fand wieder|vermaß|fotografierte|möchte sehen:|putzte|erinnert sich an|baute",
            "das Haus am Fluss|einen Brief aus der Stadt|diese drei kleinen Boote|den Garten mit den Apfelbäumen|einen Abend in den Bergen|\
             die Uhr der Kirche|eine Brücke aus Holz|den Markt hinter dem Bahnhof|die Straße zum Meer|ein Bild des Schlosses|\
             die Schule im Wald|eine alte Karte der Insel|die Lampe über der Tür|einen Korb voller Kirschen|das weiße Pferd|das Fenster der Küche",
        ],
    ),
    (
        "zh",
        [
            "老磨坊主|我的小妹妹|我们的邻居|村里的医生|那位旅行者|女教师|一个渔夫|市长|她的祖母|面包师|两个士兵|邮递员|一位工程师|牧羊人|他的女儿|图书管理员",
            "一直喜爱|想要修理|经常谈到|正在寻找|永远不会忘记|买了|画了|描述了|卖掉了|又找到了|测量了|拍摄了|很想看到|清洗了|还记得|建造了",
            "河边的房子|城里来的一封信|这三条小船|种着苹果树的花园|山里的一个夜晚|教堂的钟|一座木桥|车站后面的市场|通向大海的路|城堡的图画|\
             森林里的学校|岛屿的旧地图|门上的灯|一篮樱桃|那匹白马|厨房的窗户",
        ],
    ),
];

/// Sentences of a story, by its number.
pub fn sentences(lang: &str, number: u64, count: usize) -> Vec<String> {
    let parts = SENTENCES.iter().find(|(of, _)| *of == lang);
    let (_, parts) = parts.unwrap_or_else(|| panic!("no words of {lang}"));
    let words = parts.map(|part| part.split('|').map(str::trim).collect::<Vec<_>>());
    let mut dice = Dice(number.wrapping_mul(7919) + 13);
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        let [who, does, what] = [0, 1, 2].map(|part: usize| words[part][dice.roll(16) as usize]);
        found.push(if lang == "zh" {
            format!("{who}{does}{what}。")
        } else {
            let mut letters = who.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            format!("{first}{} {does} {what}.", letters.as_str())
        });
    }
    found
}

/// Paragraphs of three sentences each, by number, in HTML.
pub fn story(lang: &str, number: u64, paragraphs: usize) -> String {
    let sentences = sentences(lang, number, 3 * paragraphs);
    sentences.chunks(3).map(|three| format!("<p>{}</p>\n", three.join(" "))).collect()
}

/// A title of a story: what its first sentence is about.
pub fn title(lang: &str, number: u64) -> String {
    let sentence = sentences(lang, number, 1).concat();
    sentence.trim_end_matches(['.', '。']).to_owned()
}

/// A page with a title, a menu in its own words, a body and a footer.
pub fn page(lang: &str, head: &str, title: &str, body: &str) -> String {
    let menu: String = (0..5)
        .map(|at| format!("<li><a href=\"/{lang}/menu{at}\">{}</a></li>", sentences(lang, 900 + at, 1).concat()))
        .collect();
    let footer = sentences(lang, 990, 2).join(" ");
    format!(
        "<!DOCTYPE html><html lang=\"{lang}\"><head><title>{title}</title>{head}</head><body><ul>{menu}</ul>\
         <h1>{title}</h1>{body}<div><p>{footer}</p></div></body></html>"
    )
}
