//! Writes small PDF files for tests.

/// A PDF of these pages, each with its content stream, in Helvetica (`/F`). `more` is added to the catalog.
pub fn pdf(pages: &[String], title: &str, more: &str) -> Vec<u8> {
    let mut objects = vec![format!("<</Type/Catalog/Pages 2 0 R{more}>>")];
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    objects.push(format!("<</Type/Pages/Count {}/Kids[{}]>>", pages.len(), kids.join(" ")));
    objects.push("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned());
    objects.push(format!("<</Title({title})>>"));
    for (at, content) in pages.iter().enumerate() {
        let resources = "/Resources<</Font<</F 3 0 R>>>>";
        objects
            .push(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]{resources}/Contents {} 0 R>>", 6 + 2 * at));
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    file(&objects)
}

/// A PDF of these objects, of which the first is the catalog and the fourth says what the file is.
pub fn file(objects: &[String]) -> Vec<u8> {
    let (mut file, mut places) = (b"%PDF-1.7\n".to_vec(), Vec::new());
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj{object}endobj\n", at + 1).bytes());
    }
    let xref = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    places.iter().for_each(|place| file.extend(format!("{place:010} 00000 n \n").bytes()));
    let size = objects.len() + 1;
    file.extend(format!("trailer<</Size {size}/Root 1 0 R/Info 4 0 R>>\nstartxref\n{xref}\n%%EOF").bytes());
    file
}

/// Lines of text in a content stream, each with its place from the left and the top and its size.
pub fn lines(lines: &[(f64, f64, f64, &str)]) -> String {
    let line =
        |(x, y, size, text): &(f64, f64, f64, &str)| format!("BT /F {size} Tf {x} {} Td ({text}) Tj ET\n", 800.0 - y);
    lines.iter().map(line).collect()
}
