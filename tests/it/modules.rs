//! The modules of `src`, and which of them refers to which: by `use`, and by paths in the code.
//!
//! Tests are left out. A name that a module passes on (`pub use child::Name`) belongs to the module it comes from.

use std::collections::{BTreeMap, BTreeSet};

/// The place of a module: the names from the root of the crate.
pub type Place = Vec<String>;

/// One source file.
#[derive(Default)]
pub struct Module {
    /// Below `src`.
    pub file: String,
    /// Without comments, contents of strings, tests and `use`.
    code: String,
    /// Names that `use` brings in, with what they stand for; public ones may be brought in to be passed on.
    names: BTreeMap<String, Import>,
    /// Modules all of whose names are brought in.
    globs: Vec<Place>,
    children: BTreeSet<String>,
}

struct Import {
    place: Place,
    is_public: bool,
}

/// A path that stands in a module.
pub struct Reference {
    /// As it is written, from the root of the crate.
    pub written: Place,
    /// The module that has what it names.
    pub owner: Place,
}

/// All modules of a crate, by place.
pub struct Modules(pub BTreeMap<Place, Module>);

impl Modules {
    /// Reads sources: names below `src`, and texts.
    pub fn new(sources: &[(String, String)]) -> Modules {
        let mut modules = BTreeMap::new();
        let mut tests = BTreeSet::new();
        for (file, text) in sources {
            let place = place(file);
            let (code, test_children) = without_tests(&bare(text));
            tests.extend(test_children.into_iter().map(|child| [&place[..], &[child]].concat()));
            let children = words_after(&code, "mod").into_iter().filter(|(_, next)| *next == ';');
            let children = children.map(|(name, _)| name).collect();
            modules.insert(place, Module { file: file.clone(), code, children, ..Module::default() });
        }
        modules.retain(|place: &Place, _| !tests.iter().any(|test| place.starts_with(test)));
        let mut modules = Modules(modules);
        modules.take_imports();
        modules
    }

    /// Takes the `use` declarations out of the code.
    fn take_imports(&mut self) {
        for (place, module) in &mut self.0 {
            let (code, declarations) = uses(&module.code);
            module.code = code;
            for (is_public, tree) in declarations {
                for (path, alias) in branches(&tree) {
                    let Some(full) = absolute(place, &module.children, &path) else { continue };
                    if alias == "*" {
                        module.globs.push(full);
                    } else {
                        module.names.insert(alias, Import { place: full, is_public });
                    }
                }
            }
        }
    }

    /// The module that has what a path names; whether the path names that module itself.
    fn owner(&self, path: &[String], depth: usize) -> (Place, bool) {
        let mut at = 0;
        while at < path.len() && self.0.contains_key(&path[..=at]) {
            at += 1;
        }
        let place = path[..at].to_vec();
        let (Some(name), Some(module)) = (path.get(at), self.0.get(&place)) else { return (place, at == path.len()) };
        if depth > 0 {
            if let Some(import) = module.names.get(name).filter(|import| import.place != path) {
                return self.owner(&[&import.place[..], &path[at + 1..]].concat(), depth - 1);
            }
            let has = |glob: &&Place| self.0.get(*glob).is_some_and(|module| module.defines(name));
            if let Some(glob) = module.globs.iter().find(has) {
                return (glob.clone(), false);
            }
        }
        (place, false)
    }

    /// What a module refers to, other modules only. That it brings in a module says nothing: what of it is named, does.
    pub fn references(&self, place: &Place) -> Vec<Reference> {
        /// Longest chain of modules that pass a name on.
        const MAX_DEPTH: usize = 8;
        let Some(module) = self.0.get(place) else { return Vec::new() };
        let mut written: BTreeSet<Place> = BTreeSet::new();
        let paths = paths(&module.code);
        let is_used = |name: &str| paths.iter().any(|path| path[0] == name);
        for (name, import) in &module.names {
            // What is only passed on is no use of it.
            if !import.is_public || is_used(name) {
                written.insert(import.place.clone());
            }
        }
        for path in paths.iter().filter(|path| path.len() > 1) {
            let imported = module.names.get(&path[0]).map(|import| [&import.place[..], &path[1..]].concat());
            written.extend(imported.or_else(|| absolute(place, &module.children, path)));
        }
        let mut references = Vec::new();
        for glob in &module.globs {
            references.push(Reference { written: glob.clone(), owner: glob.clone() });
        }
        for written in written {
            let (owner, is_module) = self.owner(&written, MAX_DEPTH);
            if !is_module && owner != *place && self.0.contains_key(&owner) {
                references.push(Reference { written, owner });
            }
        }
        references
    }

    /// Circles in each folder: its own file and its parts, a folder among them being one part. The root is a folder.
    pub fn circles(&self) -> Vec<String> {
        let mut folders: BTreeSet<Place> = BTreeSet::new();
        folders.extend(self.0.keys().filter_map(|place| place.split_last()).map(|(_, folder)| folder.to_vec()));
        let mut edges: BTreeMap<Place, BTreeMap<String, BTreeMap<String, String>>> = BTreeMap::new();
        for (place, module) in &self.0 {
            for reference in self.references(place) {
                for folder in &folders {
                    if !place.starts_with(folder) || !reference.owner.starts_with(folder) {
                        continue;
                    }
                    // The file of the folder itself is the part without a name.
                    let part = |place: &Place| place.get(folder.len()).cloned().unwrap_or_default();
                    let (from, to) = (part(place), part(&reference.owner));
                    if from != to {
                        let why = format!("{} names {}", module.file, reference.written.join("::"));
                        edges.entry(folder.clone()).or_default().entry(from).or_default().entry(to).or_insert(why);
                    }
                }
            }
        }
        let show = |folder: &Place, edges: &BTreeMap<String, BTreeMap<String, String>>| {
            let line = |circle: Vec<String>| {
                let next = circle.iter().cycle().skip(1);
                let why = circle.iter().zip(next).map(|(from, to)| edges[from][to].clone()).collect::<Vec<_>>();
                let name = |part: &String| if part.is_empty() { "mod".to_owned() } else { part.clone() };
                let names: Vec<String> = circle.iter().map(name).collect();
                format!("{}: {} ({})", folder.join("/"), names.join(" → "), why.join("; "))
            };
            shortest_circles(edges).into_iter().map(line).collect::<Vec<_>>()
        };
        edges.iter().flat_map(|(folder, edges)| show(folder, edges)).collect()
    }
}

impl Module {
    fn defines(&self, name: &str) -> bool {
        let kinds = ["struct", "enum", "fn", "trait", "type", "const", "static", "union"];
        kinds.iter().any(|kind| words_after(&self.code, kind).iter().any(|(found, _)| found == name))
            || self.names.contains_key(name)
    }
}

/// For each pair of neighbours on a circle the shortest one, each from its first name; those that hold another are left out.
fn shortest_circles(edges: &BTreeMap<String, BTreeMap<String, String>>) -> BTreeSet<Vec<String>> {
    let mut circles = BTreeSet::new();
    for (from, targets) in edges {
        for to in targets.keys() {
            // Back from `to` to `from`, breadth first.
            let mut paths = vec![vec![to.clone()]];
            let mut seen = BTreeSet::from([to.clone()]);
            let mut found = None;
            while let (None, false) = (&found, paths.is_empty()) {
                let mut longer = Vec::new();
                for path in &paths {
                    let last = path.last().expect("not empty");
                    if last == from {
                        found = Some(path.clone());
                        break;
                    }
                    let next = edges.get(last).into_iter().flat_map(BTreeMap::keys);
                    longer.extend(next.filter(|next| seen.insert((*next).clone())).map(|next| {
                        let mut path = path.clone();
                        path.push(next.clone());
                        path
                    }));
                }
                paths = longer;
            }
            if let Some(mut circle) = found {
                let first = circle.iter().enumerate().min_by_key(|(_, name)| (*name).clone()).map_or(0, |(at, _)| at);
                circle.rotate_left(first);
                circles.insert(circle);
            }
        }
    }
    let holds = |circle: &Vec<String>, other: &Vec<String>| other.iter().all(|part| circle.contains(part));
    let is_smallest =
        |circle: &&Vec<String>| !circles.iter().any(|other| other.len() < circle.len() && holds(circle, other));
    circles.iter().filter(is_smallest).cloned().collect()
}

/// `keys/doubtful.rs` → keys, doubtful; `keys/mod.rs` → keys; `lib.rs` → the root.
fn place(file: &str) -> Place {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// A path from the root of the crate; `None` where it leads out of it.
fn absolute(place: &Place, children: &BTreeSet<String>, path: &[String]) -> Option<Place> {
    let mut base = place.clone();
    let mut rest = path;
    match rest.first().map(String::as_str) {
        Some("crate") => {
            base.clear();
            rest = &rest[1..];
        }
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        Some(child) if children.contains(child) => {}
        _ => return None,
    }
    base.extend_from_slice(rest);
    Some(base)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Code whose comments are gone and whose strings and characters are empty.
fn bare(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let previous = code.chars().next_back().is_some_and(is_word);
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest).filter(|_| !previous) {
            length
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' && is_character(rest) {
            quoted(rest, '\'')
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        rest = &rest[skipped..];
    }
    code
}

/// The length of a raw string at the start of a text.
fn raw_string(text: &str) -> Option<usize> {
    let start = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    start[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let open = text.len() - start.len() + hashes + 1;
    Some(text[open..].find(&end).map_or(text.len(), |at| open + at + end.len()))
}

/// The length of what stands between two marks, with them.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether a quote begins a character; otherwise it begins a lifetime.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    matches!((chars.next(), chars.next()), (Some('\\'), _) | (Some(_), Some('\'')))
}

/// Code without the items of tests; the modules in files of their own that are tests.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let (mut kept, mut tests, mut rest) = (String::new(), Vec::new(), code);
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        let item = &rest[at..];
        let head = item.trim_start_matches(|c: char| c != ']').trim_start_matches(']');
        let is_use = head.trim_start().trim_start_matches("pub ").starts_with("use ");
        let end = match (head.find(';'), head.find('{')) {
            (Some(end), _) if is_use => end + 1,
            (Some(end), brace) if brace.is_none_or(|brace| end < brace) => {
                tests.extend(words_after(&head[..=end], "mod").into_iter().map(|(name, _)| name));
                end + 1
            }
            (_, Some(brace)) => brace + block(&head[brace..]),
            _ => head.len(),
        };
        rest = &head[end..];
    }
    kept.push_str(rest);
    (kept, tests)
}

/// The length of a block in braces.
fn block(code: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The words that follow a keyword, each with the character behind it that is no space.
fn words_after(code: &str, keyword: &str) -> Vec<(String, char)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(keyword) {
        let before = code[..at].chars().next_back().is_some_and(is_word);
        let rest = &code[at + keyword.len()..];
        if !before && rest.starts_with(char::is_whitespace) {
            let rest = rest.trim_start();
            let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
            let next = rest[word.len()..].trim_start().chars().next().unwrap_or(' ');
            found.push((word, next));
        }
    }
    found
}

/// Takes `use` declarations out of code: whether they are public, and their trees.
fn uses(code: &str) -> (String, Vec<(bool, String)>) {
    let (mut kept, mut found, mut rest) = (String::new(), Vec::new(), code);
    while let Some(at) = rest.find("use ") {
        let before = rest[..at].trim_end();
        let is_start = before.is_empty() || before.ends_with([';', '}', '{', ']', ')']) || before.ends_with("pub");
        if !is_start || rest[..at].ends_with(is_word) {
            kept.push_str(&rest[..at + 4]);
            rest = &rest[at + 4..];
            continue;
        }
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end + 1);
        found.push((before.ends_with("pub") || before.ends_with(')'), rest[at + 4..end - 1].to_owned()));
        kept.push_str(&rest[..at]);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    (kept, found)
}

/// The paths of a `use` tree, and the names they get here; `*` for all names.
fn branches(tree: &str) -> Vec<(Place, String)> {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let head: Place =
            tree[..open].split("::").map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect();
        let inside = tree[open + 1..].trim_end().strip_suffix('}').unwrap_or(&tree[open + 1..]);
        let (mut depth, mut start, mut found) = (0usize, 0, Vec::new());
        for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let branch = &inside[start..at];
                    start = at + 1;
                    found
                        .extend(branches(branch).into_iter().map(|(path, alias)| ([&head[..], &path].concat(), alias)));
                }
                _ => {}
            }
        }
        // `{self}` is the head.
        for (path, alias) in &mut found {
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
                if alias == "self" {
                    *alias = path.last().cloned().unwrap_or_default();
                }
            }
        }
        return found;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let mut path: Place = path.split("::").map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect();
    let Some(last) = path.last().cloned() else { return Vec::new() };
    if last == "*" {
        path.pop();
    }
    vec![(path, alias.map_or(last, str::to_owned))]
}

/// Words of code, with what follows them behind `::`.
fn paths(code: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(is_word) {
        let behind_path = rest[..start].ends_with("::") || rest[..start].ends_with('.');
        rest = &rest[start..];
        let mut path = Vec::new();
        loop {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            path.push(rest[..end].to_owned());
            rest = &rest[end..];
            match rest.strip_prefix("::") {
                Some(next) if next.starts_with(is_word) => rest = next,
                _ => break,
            }
        }
        if !behind_path {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Modules, Place};

    fn modules(sources: &[(&str, &str)]) -> Modules {
        Modules::new(&sources.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect::<Vec<_>>())
    }

    fn owners(modules: &Modules, place: &str) -> Vec<String> {
        let place: Place = place.split('/').map(str::to_owned).collect();
        let mut owners: Vec<_> = modules.references(&place).iter().map(|r| r.owner.join("/")).collect();
        owners.sort();
        owners.dedup();
        owners
    }

    const TWO: [(&str, &str); 4] = [
        ("lib.rs", "pub mod a; pub mod b;"),
        ("b.rs", "pub struct Y;"),
        ("a/mod.rs", "mod x; mod y; pub use x::X; pub struct Own; // crate::b::Y\n"),
        ("a/y.rs", "use super::X; use crate::{b::{self, Y}, a::x}; fn f() { \"crate::c\"; x::g(); b::h() }"),
    ];

    #[test]
    fn names_that_are_passed_on_belong_to_where_they_come_from() {
        let x = ("a/x.rs", "pub struct X; pub fn g() {}");
        let modules = modules(&[&TWO[..], &[x]].concat());
        assert_eq!(owners(&modules, "a/y"), ["a/x", "b"]);
        assert!(owners(&modules, "a").is_empty());
        assert!(modules.circles().is_empty(), "{:?}", modules.circles());
    }

    #[test]
    fn circles_are_found() {
        // Through a sibling, through the folder's own file, and between folders.
        let x = ("a/x.rs", "pub struct X(super::y::Z);");
        assert_eq!(modules(&[&TWO[..], &[x]].concat()).circles().len(), 1);
        let x = ("a/x.rs", "pub struct X(super::Own);");
        assert!(modules(&[&TWO[..], &[x]].concat()).circles().is_empty());
        let user = ("a/mod.rs", "mod x; mod y; pub use x::X; pub struct Own(X);");
        let circles = modules(&[TWO[0], TWO[1], user, TWO[3], x]).circles();
        assert_eq!(circles, ["a: mod → x (a/mod.rs names a::x::X; a/x.rs names a::Own)"]);
        let back = ("b.rs", "use crate::a; pub struct Y(a::Own);");
        assert_eq!(modules(&[TWO[0], back, TWO[2], TWO[3], ("a/x.rs", "pub struct X;")]).circles().len(), 1);
    }

    #[test]
    fn tests_may_name_what_they_like() {
        let sources = [
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "use crate::b::B;\n#[cfg(test)]\nmod reference;\n#[cfg(test)]\nuse crate::c::{D};\nfn f<'a>(c: char) { c == '{' }",
            ),
            ("a/reference.rs", "use crate::c::C;"),
            ("b.rs", "pub struct B; #[cfg(test)] mod tests { fn f() { crate::a::f() } }"),
            ("c.rs", "pub struct C; pub struct D;"),
        ];
        let modules = modules(&sources);
        assert!(modules.circles().is_empty(), "{:?}", modules.circles());
        assert_eq!(owners(&modules, "a"), ["b"]);
        assert!(!modules.0.contains_key(&vec!["a".to_owned(), "reference".to_owned()]));
    }
}
