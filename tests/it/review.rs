//! The page of `diglot review`, asked as a browser asks and as an attacker would; marks, samples and gold. `tests/lab/scripts/check_review.py` looks at
//! it in a real browser.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::resume::copy;
use crate::support::{
    Held, diglot, failure, packaging, rows, run, sample_store, stdout, tiny_site, webserver, write_warc,
};

/// A page that is served.
struct Page {
    child: Child,
    port: String,
    /// `/` and the token.
    base: String,
}

/// An answer: status, headers in lower case, body.
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Page {
    fn of(store: &Path) -> Page {
        Page::started(diglot(store).args(["review", "--reviewer", "ann"]).stderr(Stdio::null()))
    }

    /// The page that a command serves.
    fn started(command: &mut Command) -> Page {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("diglot starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("the address comes first");
        let (port, token) = rest.split_once('/').expect("a token");
        Page { child, port: port.to_owned(), base: format!("/{}", token.trim_end_matches('/')) }
    }

    /// Sends a request as it is written.
    fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        stream.write_all(request.as_bytes()).expect("it is taken");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, headers: head.to_lowercase(), body: body.to_owned() }
    }

    fn own(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// A page below the token.
    fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {}{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.base, self.own()))
    }

    fn text(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }

    /// Sends a form, as from a page of an origin.
    fn post_from(&self, origin: Option<&str>, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let body = body.join("&");
        let origin = origin.map_or(String::new(), |origin| format!("Origin: {origin}\r\n"));
        self.send(&format!(
            "POST {}{path} HTTP/1.1\r\nHost: {}\r\n{origin}Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.base,
            self.own(),
            body.len()
        ))
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let origin = format!("http://{}", self.own());
        self.post_from(Some(&origin), path, fields)
    }

    /// Draws a sample; its path.
    fn draw(&self, fields: &[(&str, &str)]) -> String {
        let answer = self.post("/judge", fields);
        assert_eq!(answer.status, 303, "{}", answer.body);
        let path = answer.headers.lines().find_map(|line| line.strip_prefix("location: ")).expect("where it is");
        let path = path.strip_prefix(&self.base).expect("below the token");
        path.split('?').next().expect("a path").to_owned()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn pair_path(a: &str, b: &str) -> String {
    format!("/pair?a={}&b={}", encoded(a), encoded(b))
}

/// A URL as pages show it: escaped, and broken after slashes.
fn broken(url: &str) -> String {
    url.replace('&', "&#38;").replace('/', "/<wbr>").replace("/<wbr>/<wbr>", "//")
}

/// A store of its own to write marks into.
fn own_sample() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.store");
    copy(sample_store(), &store);
    (folder, store)
}

fn first_pair(store: &Path) -> (String, String) {
    let pairs = rows(store, &["pairs"]);
    let url = |name: &str| pairs[0][name].as_str().expect("a URL").to_owned();
    (url("url_a"), url("url_b"))
}

#[test]
fn every_view_answers_and_says_what_may_load() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let (a, b) = first_pair(&store);
    let until = Instant::now() + Duration::from_secs(20);
    while !page.text("/").contains("From records to sentence pairs") {
        assert!(Instant::now() < until, "the figures never came");
    }
    let pairs = rows(&store, &["pairs"]).len();
    let overview = page.text("/");
    assert!(overview.contains(&format!("<span class=\"figure\">{pairs}</span> page pairs")), "{pairs} pairs");
    let host = a.split('/').nth(2).expect("a host");
    for (path, said) in [
        ("/hosts".to_owned(), host),
        (format!("/hosts?q={}&sort=pages&lang=de", &host[..4]), host),
        ("/pairs?langs=en+fr&min=0.9".to_owned(), "<wbr>fr/"),
        ("/lone?reason=untranslated+copy".to_owned(), "<td>untranslated copy</td>"),
        ("/live".to_owned(), "null"),
        (format!("/host?host={host}"), "host:de:en"),
        (format!("/host?host={host}&order=low&min=0.5&max=1&langs=de+en"), "class=\"path first\""),
        (format!("/lone?host={host}"), &format!("/page?url=http%3A%2F%2F{host}%2F")),
        (pair_path(&a, &b), "data-bead=\"0\""),
        (pair_path(&a, &b), "class=\"bead\" data-bead="),
        (pair_path(&a, &b), "class=\"for\""),
        (format!("/page?url={}", encoded(&a)), &broken(&b)),
        ("/judge".to_owned(), "Draw"),
    ] {
        let answer = page.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body.contains(said), "{path}");
        for header in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "nosniff", "no-store"] {
            assert!(answer.headers.contains(header), "{path}: {header}");
        }
        assert!(!answer.headers.contains("set-cookie") && !answer.headers.contains("unsafe-inline"), "{path}");
    }
    for (path, status) in [
        ("/hosts?lang=not+a+language", 400),
        ("/pairs?from=here", 400),
        ("/pairs?outcome=luck", 400),
        ("/lone?reason=luck", 400),
        ("/host?host=nothing.test", 404),
        ("/host", 400),
        ("/host?host=webserver.site.test&min=2", 400),
        ("/page?url=http%3A%2F%2Fnothing.test%2F", 404),
        ("/pair?a=x&b=y", 404),
        ("/pair?a=ftp%3A%2F%2Fx&b=y", 400),
        ("/judge/none", 404),
        ("/judge/none/result", 404),
    ] {
        assert_eq!(page.get(path).status, status, "{path}");
    }
}

#[test]
fn only_the_page_itself_is_answered() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let (a, b) = first_pair(&store);
    let mark = [("a", a.as_str()), ("b", b.as_str()), ("who", "eve"), ("verdict", "wrong")];
    let ask = |path: &str, host: &str| {
        page.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let own = page.own();
    // No token, or another; an abbreviated one.
    for path in ["/", "/hosts", "/0123456789abcdef0123456789abcdef/", &page.base[..page.base.len() - 1]] {
        let answer = ask(path, &own);
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found\n"), "{path}");
    }
    // A name that was made to point to this machine.
    for host in
        ["evil.test", &format!("evil.test:{}", page.port), "127.0.0.1", &format!("127.0.0.1.evil.test:{}", page.port)]
    {
        assert_eq!(ask(&format!("{}/", page.base), host).status, 403, "{host}");
    }
    // Forms of other sites, and of pages without an origin.
    for origin in [None, Some("null"), Some("http://evil.test"), Some("http://localhost:1")] {
        assert_eq!(page.post_from(origin, "/mark", &mark).status, 403, "{origin:?}");
        assert_eq!(page.post_from(origin, "/judge", &[("size", "3")]).status, 403, "{origin:?}");
    }
    assert_eq!(page.get("/mark?a=x&b=y&verdict=right").status, 405);
    // Paths that lead out of what is served.
    for path in [
        "/assets/../manifest.json",
        "/assets/..%2f..%2fmanifest.json",
        "/assets/%2e%2e/manifest.json",
        "/judge/..%2f..%2fmanifest",
        "/judge/..%2fmarks/result",
        "/gold/..%2f..%2fmanifest.json",
        "/assets//etc/passwd",
    ] {
        assert!([400, 404].contains(&page.get(path).status), "{path}");
    }
    let long = "x".repeat(100_000);
    assert_eq!(page.post("/mark", &[("a", &long), ("b", &b), ("verdict", "right")]).status, 413);
    assert!(!store.join("review").exists(), "nothing was marked");
    assert_eq!(page.post("/mark", &mark).status, 303);
    assert!(store.join("review/marks.jsonl").exists());
}

#[test]
fn another_host_in_the_request_line_or_a_second_header_is_refused() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let (own, base) = (page.own(), page.base.clone());
    let ask = |line: &str, hosts: &[&str]| {
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        page.send(&format!("GET {line} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")).status
    };
    assert_eq!(ask(&format!("{base}/"), &[&own]), 200);
    assert_eq!(ask(&format!("http://{own}{base}/"), &[&own]), 200);
    assert_eq!(ask(&format!("http://evil.test{base}/"), &[&own]), 400);
    assert_eq!(ask(&format!("http://evil.test@{own}{base}/"), &[&own]), 400);
    assert_eq!(ask(&format!("{base}/"), &[&own, "evil.test"]), 400);
    assert_eq!(ask(&format!("{base}/"), &["evil.test", &own]), 400);
    assert_eq!(ask(&format!("{base}/"), &[&own, &own]), 400);
    assert_eq!(ask(&format!("{base}/"), &[]), 400);
}

/// Where files can be limited, and sockets held.
#[cfg(target_os = "linux")]
#[test]
fn idle_connections_keep_nobody_out_and_are_closed() {
    let (_folder, store) = own_sample();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]).arg(env!("CARGO_BIN_EXE_diglot"));
    command.arg("--store").arg(&store).args(["-q", "review"]).stderr(Stdio::null());
    let page = Page::started(&mut command);
    let connect = |sent: &str| {
        let mut stream = TcpStream::connect(page.own()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        stream.write_all(sent.as_bytes()).expect("it is taken");
        stream
    };
    let own = page.own();
    let begun = format!(
        "POST {}/mark HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nContent-Type: \
                         application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na",
        page.base
    );
    // Nothing sent, half a head, half a form.
    let began = Instant::now();
    let held: Vec<TcpStream> = (0..300).map(|at| connect(["", "GET / HTTP/1.1\r\nHo", ""][at % 3])).collect();
    assert_eq!(page.get("/assets/review.css").status, 200);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    drop(held);
    let began = Instant::now();
    for sent in ["", "GET / HTTP/1.1\r\nHo", &begun] {
        let mut rest = Vec::new();
        connect(sent).read_to_end(&mut rest).expect("it is closed");
    }
    assert!(began.elapsed() < Duration::from_secs(50), "{:?}", began.elapsed());
    assert_eq!(page.get("/assets/review.css").status, 200);
}

/// What opens a browser is a program of the desktop: its arguments are seen by every user of the machine.
#[cfg(target_os = "linux")]
#[test]
fn nothing_secret_is_among_the_arguments_of_the_opener() {
    use std::os::unix::fs::PermissionsExt;
    for code in [0, 3] {
        let (folder, store) = own_sample();
        let path = |name: &str| folder.path().join(name);
        let script = format!(
            "#!/bin/sh\ntest -f \"$1\" && cat \"$1\" > '{0}/content' && stat -c %a \"$1\" > '{0}/mode'\n\
             printf '%s\\n' \"$#\" \"$@\" > '{0}/new' && mv '{0}/new' '{0}/arguments'\nexit {code}\n",
            folder.path().display()
        );
        fs::write(path("xdg-open"), script).expect("room");
        fs::set_permissions(path("xdg-open"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let rest = std::env::var("PATH").unwrap_or_default();
        let mut command = diglot(&store);
        command.args(["-q", "review", "--open"]).stderr(Stdio::piped()).env("HOME", folder.path());
        command.env("PATH", format!("{}:{rest}", folder.path().display()));
        let mut page = Page::started(&mut command);
        let until = Instant::now() + Duration::from_secs(20);
        while !path("arguments").exists() {
            assert!(Instant::now() < until, "nothing was opened");
            std::thread::sleep(Duration::from_millis(20));
        }
        let arguments = fs::read_to_string(path("arguments")).expect("arguments");
        let (count, file) = arguments.trim_end().split_once('\n').expect("one argument");
        assert_eq!(count, "1", "{arguments}");
        assert!(!arguments.contains("http") && !arguments.contains(&page.base[1..]), "{arguments}");
        assert_eq!(fs::read_to_string(path("mode")).expect("a mode").trim(), "600");
        let html = fs::read_to_string(path("content")).expect("a page that leads there");
        let address = html.split("url=").nth(1).and_then(|rest| rest.split('"').next()).expect("an address");
        let own = page.own();
        let once = address.strip_prefix(&format!("http://{own}")).expect("its own address");
        assert!(!html.contains(&page.base[1..]), "it leads there once");
        let open = |once: &str| page.send(&format!("GET {once} HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n"));
        assert_eq!(open("/open/0123456789abcdef0123456789abcdef").status, 404);
        let first = open(once);
        assert_eq!(first.status, 303);
        assert!(first.headers.contains(&format!("location: {}/", page.base)), "{}", first.headers);
        assert_eq!(open(once).status, 404, "a second time");
        assert!(code != 0 || Path::new(file).exists(), "a browser may take its time");
        let pid = page.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().expect("kill").success());
        let mut said = String::new();
        page.child.stderr.take().expect("stderr").read_to_string(&mut said).expect("text");
        assert_eq!(said.contains("no browser could be opened"), code != 0, "{said}");
        assert!(page.child.wait().is_ok());
        assert!(!Path::new(file).exists(), "{file} is still there");
    }
}

#[test]
fn what_archives_hold_is_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("evil.warc"), folder.path().join("s.store"));
    let names = ["one", "two", "three", "four", "five", "six"];
    let mut responses = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let en = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
        let fr = "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres de la vallée";
        let line = "a ".repeat(if at == 0 { 500_000 } else { 1 });
        for (lang, text) in [("en", en), ("fr", fr)] {
            let html = format!(
                "<html lang={lang}><title>&lt;script&gt;alert(1)&lt;/script&gt; {name}</title><body>\
                 <p>{text}, {at}. &lt;img src=x onerror=alert(2)&gt; \u{202e}evil\u{202c} &#27;[31m.</p>\
                 <p>{text}.</p><p>\" onmouseover=\"alert(3) {line}</p></body>"
            );
            responses
                .push((format!("http://evil.test/{lang}/{name}.html?q=%3Cscript%3Ealert(4)%3C/script%3E\"'"), html));
        }
    }
    let responses: Vec<_> = responses.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(&warc, &responses);
    run(&store, &[&warc]);
    let page = Page::of(&store);
    let pairs = rows(&store, &["pairs"]);
    assert!(pairs.len() >= 5, "{} pairs", pairs.len());
    let mut seen = String::new();
    for pair in &pairs {
        let (a, b) = (pair["url_a"].as_str().expect("a URL"), pair["url_b"].as_str().expect("a URL"));
        let began = Instant::now();
        let text = page.text(&pair_path(a, b));
        assert!(text.len() < 1_500_000 && began.elapsed() < Duration::from_secs(5), "{} bytes", text.len());
        seen += &text;
        seen += &page.text(&format!("/page?url={}", encoded(a)));
    }
    let of_one = |name: &str| {
        let url = pairs[0][name].as_str().expect("a URL");
        let (before, file) = url.split_once(".test/").expect("a URL of the site");
        let (_, after) = file.split_once(".html").expect("a page");
        format!("{before}.test/{}/one.html{after}", &file[..2])
    };
    seen += &page.text(&pair_path(&of_one("url_a"), &of_one("url_b")));
    seen += &page.text("/host?host=evil.test");
    let drawn = page.draw(&[("size", "5"), ("by", "key")]);
    seen += &page.text(&drawn);
    assert!(seen.contains("&#60;script&#62;alert(1)"), "the title is shown as text");
    assert!(seen.contains("The text has"), "a long text is cut, and that is said");
    for bad in ["<script>alert", "<img", "\" onmouseover=\"", "\u{1b}", "onerror=alert(2)>"] {
        assert!(!seen.contains(bad), "{bad:?} got through");
    }
    // What turns the direction round ends with the element it stands in.
    assert!(seen.contains("dir=\"auto\" class=\"block\"") && seen.contains("<bdi>"));
}

#[test]
fn marks_survive_a_run_are_read_as_gold_and_go_with_what_is_removed() {
    let (folder, store) = own_sample();
    let page = Page::of(&store);
    let sample = page.draw(&[("size", "12"), ("by", ""), ("seed", "7")]);
    let name = sample.rsplit('/').next().expect("a name").to_owned();
    let again = page.draw(&[("size", "12"), ("by", ""), ("seed", "7")]);
    let items = |path: &str| -> Vec<serde_json::Value> {
        let name = path.rsplit('/').next().expect("a name");
        let text = fs::read_to_string(store.join(format!("review/{name}.sample"))).expect("a sample");
        let sample: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        sample["items"].as_array().expect("items").clone()
    };
    assert_eq!(items(&sample), items(&again), "the same seed draws the same");
    let unseeded = [(); 2].map(|()| page.draw(&[("size", "12")]));
    assert_ne!(items(&unseeded[0]), items(&unseeded[1]), "without a seed each draws its own");
    assert_eq!(items(&sample).len(), 12);
    let shown = page.text(&sample);
    assert!(!shown.contains("0.9") && !shown.to_lowercase().contains("score"), "who judges sees no score");
    for at in 1..=12 {
        let verdict = if at == 1 { "wrong" } else { "right" };
        let at = at.to_string();
        let fields = |who| [("sample", name.as_str()), ("item", at.as_str()), ("who", who), ("verdict", verdict)];
        assert_eq!(page.post("/mark", &fields("ann")).status, 303);
        if at != "2" {
            page.post("/mark", &fields("bo"));
        } else {
            page.post("/mark", &[("sample", &name), ("item", "2"), ("who", "bo"), ("verdict", "wrong")]);
        }
    }
    let result = page.text(&format!("{sample}/result"));
    // Of bo, whose marks are the last: 10 right, 2 wrong.
    assert!(result.contains("83.3 %"), "{result}");
    // They agree on 11 of 12; by chance on (11·10 + 1·2)/144: κ = (0.9167 − 0.7778)/(1 − 0.7778) = 0.625.
    assert!(result.contains("91.7 %") && result.contains("0.625"), "{result}");
    run(&store, &[&webserver(), &packaging()]);
    assert_eq!(page.text(&format!("{sample}/result")), result, "a run changes no mark");
    let gold = folder.path().join("gold");
    diglot(&store).args(["review", "--gold"]).arg(&gold).assert().success();
    let (pairs, grey) = (gold.join("review.pairs.tsv"), gold.join("review.grey.tsv"));
    let pairs = pairs.to_str().expect("a name");
    let grey = grey.to_str().expect("a name");
    let scores = rows(&store, &["eval", "--sample", "--gold", pairs, "--grey", grey]);
    let total = scores.iter().find(|row| row["scope"] == "all" && row["name"] == "micro").expect("a total");
    assert_eq!((total["right"].as_u64(), total["wrong"].as_u64()), (Some(10), Some(2)), "{total:?}");
    assert_eq!(total["precision"].as_f64(), Some(0.8333));
    let marked = items(&sample)[0]["url_a"].as_str().expect("a URL").to_owned();
    drop(page);
    diglot(&store).args(["remove", "--url", &marked]).assert().success();
    let left: String = fs::read_dir(store.join("review"))
        .expect("a folder")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a file"))
        .collect();
    assert!(!left.contains(&marked), "{marked} is still there");
    assert!(left.contains("\"right\""), "the others are gone too");
}

#[test]
fn another_reviewer_stays_another_on_every_page() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let (a, b) = first_pair(&store);
    let host = a.split('/').nth(2).expect("a host");
    let sample = page.draw(&[("size", "3"), ("who", "bo")]);
    for path in [
        "/hosts?who=bo".to_owned(),
        format!("/host?host={host}&who=bo"),
        format!("{}&host={host}&at=1&who=bo", pair_path(&a, &b)),
        format!("{sample}?who=bo"),
        format!("{sample}/result?who=bo"),
        "/judge?who=bo".to_owned(),
    ] {
        let text = page.text(&path);
        let is_link =
            |part: &&str| part.starts_with(&page.base) && !part.contains("/assets/") && !part.contains("/gold/");
        let links: Vec<&str> =
            text.split("href=\"").skip(1).filter_map(|part| part.split('"').next()).filter(is_link).collect();
        assert!(links.len() >= 4, "{path}");
        assert!(links.iter().all(|link| link.contains("who=bo")), "{path}: {links:?}");
    }
}

#[test]
fn marks_stay_where_another_archive_has_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other, store) =
        (folder.path().join("one.warc"), folder.path().join("other.warc"), folder.path().join("s"));
    tiny_site(&one);
    // The same pages in other bytes.
    let mut again = fs::read(&one).expect("a file");
    again.extend_from_slice(&again.clone());
    fs::write(&other, again).expect("room");
    run(&store, &[&one, &other]);
    let (a, b) = first_pair(&store);
    let page = Page::of(&store);
    assert_eq!(page.post("/mark", &[("a", &a), ("b", &b), ("verdict", "right")]).status, 303);
    let marks = || fs::read_to_string(store.join("review/marks.jsonl")).expect("marks");
    diglot(&store).args(["remove", "--archive", "one.warc"]).assert().success();
    assert!(marks().contains(&a), "the other archive has it");
    let gone = stdout(&store, &["remove", "--archive", "other.warc"]);
    assert!(gone.contains("forgotten: 1 mark"), "{gone}");
    assert_eq!(marks(), "");
}

#[test]
fn a_sample_that_was_spoilt_costs_itself_only() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let sample = page.draw(&[("size", "3")]);
    let name = sample.rsplit('/').next().expect("a name");
    let path = store.join(format!("review/{name}.sample"));
    let text = fs::read_to_string(&path).expect("a sample");
    for spoilt in [text.replace("\"part\":0", "\"part\":7"), text[..text.len() / 2].to_owned()] {
        fs::write(&path, spoilt).expect("room");
        assert!(page.text("/judge").contains(&format!("samples that cannot be read: {name}")));
        assert_eq!(page.get(&format!("{sample}/result")).status, 500);
        diglot(&store).args(["report", "--format", "md"]).assert().success();
    }
}

#[test]
fn strata_are_weighted_back_to_the_whole() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let sample = page.draw(&[("size", "60"), ("by", "host"), ("seed", "1")]);
    let name = sample.rsplit('/').next().expect("a name").to_owned();
    let text = fs::read_to_string(store.join(format!("review/{name}.sample"))).expect("a sample");
    let drawn: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let parts = drawn["parts"].as_array().expect("strata");
    let whole = parts.iter().map(|part| part["population"].as_u64().expect("a number")).sum::<u64>();
    assert_eq!(whole as usize, rows(&store, &["pairs"]).len());
    assert!(parts.len() > 1);
    let items = drawn["items"].as_array().expect("items");
    for (item, at) in items.iter().zip(1..) {
        // All of the first stratum are wrong, all others right.
        let verdict = if item["part"] == 0 { "wrong" } else { "right" };
        let at = at.to_string();
        page.post("/mark", &[("sample", &name), ("item", &at), ("who", "ann"), ("verdict", verdict)]);
    }
    let wrong = parts[0]["population"].as_u64().expect("a number") as f64;
    let precision = format!("{:.1} %", 100.0 * (1.0 - wrong / whole as f64));
    assert!(page.text(&format!("{sample}/result")).contains(&precision), "{precision}");
}

#[test]
fn it_answers_while_a_run_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("tiny.warc"), folder.path().join("s.store"));
    tiny_site(&warc);
    run(&store, &[&warc]);
    let page = Page::of(&store);
    let mut job =
        diglot(&store).arg("run").arg(webserver()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let mut answers = 0;
    while job.try_wait().expect("a child").is_none() {
        page.text("/");
        page.text("/host?host=tiny.test");
        answers += 1;
    }
    assert!(answers > 0);
    let until = Instant::now() + Duration::from_secs(20);
    while !page.text("/hosts").contains("webserver.site.test") {
        assert!(Instant::now() < until, "the new host never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_report_is_one_file_that_loads_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = sample_store();
    let path = |name: &str| folder.path().join(name);
    for name in ["report.html", "report.md"] {
        diglot(store).args(["report", "-o"]).arg(path(name)).assert().success();
    }
    let html = fs::read_to_string(path("report.html")).expect("a report");
    let pairs = rows(store, &["pairs"]).len();
    for said in ["<svg", "page pairs", &format!(">{pairs}</td>"), env!("CARGO_PKG_VERSION"), "webserver"] {
        assert!(html.contains(said), "{said}");
    }
    for bad in ["<script", "src=", "http://127", "@import", "url("] {
        assert!(!html.contains(bad), "{bad}");
    }
    let markdown = fs::read_to_string(path("report.md")).expect("a report");
    assert!(markdown.contains(&format!("| page pairs | {pairs} |")), "{markdown}");
    assert_eq!(stdout(store, &["report", "--format", "md"]), markdown);
    diglot(store).args(["report", "--format", "md", "-o"]).arg(path("x.html")).assert().code(2);
    // Hosts and keys, and what was left out, with an example.
    let cells = |start: &str| {
        let line = markdown.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start}: {markdown}")).split(" | ").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(cells("| webserver.site.test |")[1..3], ["86", "68"]);
    assert_eq!(cells("| path:en:fr |")[1..5], ["en-fr", "webserver.site.test/manual/", "23", "23"]);
    let left_out = cells("| captures | http status not 200 |");
    assert!(left_out[2] == "4" && left_out[3].contains(" at byte "), "{left_out:?}");
}

#[test]
fn a_report_is_compared_with_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("tiny.warc"), folder.path().join("s.store"));
    let path = |name: &str| folder.path().join(name);
    tiny_site(&warc);
    run(&store, &[&warc]);
    diglot(&store).args(["report", "-o"]).arg(path("old.json")).assert().success();
    run(&store, &[&webserver()]);
    let mut command = diglot(&store);
    let told = command.args(["report", "--format", "md", "--against"]).arg(path("old.json")).assert().success();
    let markdown = String::from_utf8(told.output.stdout).expect("UTF-8");
    for row in [
        "| total | archives | 1 | 2 | +1 (+100.0 %) |",
        "| total | page pairs | 5 | 73 | +68 (+1360.0 %) |",
        "| pairs of a host | webserver.site.test | 0 | 68 | +68 |",
    ] {
        assert!(markdown.contains(row), "{row}: {markdown}");
    }
    // What is no report, and a report that cannot hold changes, are refused.
    let against = |file: &str, more: &[&str]| {
        let mut command = diglot(&store);
        failure(command.args(["report", "--against"]).arg(path(file)).args(more)).1
    };
    assert!(against("tiny.warc", &[]).contains("tiny.warc: no report as JSON"));
    assert!(against("old.json", &["--format", "json"]).contains("has the figures alone"));
}

/// The links of a part of a page that begins and ends so.
fn links(text: &str, begins: &str, ends: &str) -> Vec<String> {
    let part = text.split(begins).nth(1).and_then(|rest| rest.split(ends).next()).unwrap_or_default();
    let links = part.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(|link| link.replace("&#38;", "&")).collect()
}

#[test]
fn every_figure_leads_to_the_list_of_what_it_counts() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let until = Instant::now() + Duration::from_secs(20);
    while !page.text("/").contains("id=\"matrix\"") {
        assert!(Instant::now() < until, "the figures never came");
    }
    let overview = page.text("/");
    let pairs = rows(&store, &["pairs"]);
    for (begins, ends) in
        [("class=\"matrix\"", "</table>"), ("class=\"histogram\"", "</svg>"), ("id=\"methods\"", "</section>")]
    {
        let found = links(&overview, begins, ends);
        assert!(!found.is_empty(), "{begins}");
        for link in found {
            let list = page.text(link.strip_prefix(&page.base).expect("below the token"));
            let fields: Vec<(String, String)> =
                url::form_urlencoded::parse(link.split('?').nth(1).expect("fields").as_bytes()).into_owned().collect();
            let field = |name: &str| fields.iter().find(|field| field.0 == name).map(|field| field.1.as_str());
            let number = |name: &str, or: f64| field(name).map_or(or, |value| value.parse().expect("a number"));
            let is_of = |pair: &serde_json::Map<String, serde_json::Value>, margin: f64| {
                let score = pair["score"].as_f64().expect("a score");
                let langs = format!("{} {}", pair["lang_a"].as_str().expect("a",), pair["lang_b"].as_str().expect("b"));
                let scores = number("min", f64::NEG_INFINITY) - margin..=number("max", f64::INFINITY) + margin;
                field("langs").is_none_or(|wanted| {
                    wanted == langs || wanted.split(' ').rev().collect::<Vec<_>>().join(" ") == langs
                }) && field("method").is_none_or(|method| pair["method"] == method)
                    && scores.contains(&score)
            };
            // Scores are listed to four places: one that is listed as a bound may be on either side of it.
            let [least, most] =
                [-0.00006, 0.00006].map(|margin| pairs.iter().filter(|pair| is_of(pair, margin)).count());
            assert!(most > 0, "{link}");
            let has = |count: usize| list.contains(&format!("of {count}</span>"));
            assert!((least..=most).any(has), "{link}: {least} to {most} pairs, {list}");
        }
    }
    // The lists are gone through from part to part, and back, without loss.
    let mut path = "/pairs".to_owned();
    let mut met = Vec::new();
    let back = loop {
        let text = page.text(&path);
        met.extend(links(&text, "<tbody>", "</tbody>"));
        match links(&text, "aria-label=\"Parts of the list\"", "</nav>").pop().filter(|_| text.contains("rel=\"next\""))
        {
            Some(next) => path = next.strip_prefix(&page.base).expect("below the token").to_owned(),
            None => break text,
        }
    };
    assert_eq!(met.len(), pairs.len());
    met.sort();
    met.dedup();
    assert_eq!(met.len(), pairs.len(), "some twice");
    assert!(back.contains("rel=\"prev\"") && page.text("/pairs").contains("rel=\"next\""));
    // From pair to pair.
    let first = page.text("/pairs");
    let mut path = links(&first, "<tbody>", "</tbody>").remove(0);
    for expected in links(&first, "<tbody>", "</tbody>").into_iter().take(5) {
        assert_eq!(path, expected);
        let text = page.text(path.strip_prefix(&page.base).expect("below the token"));
        path = links(&text, "class=\"steps\"", "</nav>").pop().expect("a next pair");
    }
    let last = links(&back, "<tbody>", "</tbody>").pop().expect("a last pair");
    let last = page.text(last.strip_prefix(&page.base).expect("below the token"));
    assert!(!last.contains("rel=\"next\"") && last.contains("rel=\"prev\""));
}

#[test]
fn a_chain_of_filters_leaves_what_its_command_exports() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let until = Instant::now() + Duration::from_secs(60);
    while page.text("/sentences").contains("data-counting") {
        assert!(Instant::now() < until, "nothing was drawn");
        std::thread::sleep(Duration::from_millis(50));
    }
    let path = "/sentences?langs=en+fr&min=0.9&c1=chars_a&s1=%3E%3D&v1=30&c2=text_b&s2=!%3D&v2=it%27s&c3=furniture&s3=%3D&v3=false";
    let text = page.text(path);
    let command =
        text.split("id=\"command\">").nth(1).and_then(|rest| rest.split("</code>").next()).expect("a command");
    assert!(
        command.contains("--where &#39;chars_a&#62;=30&#39;") && command.contains("it&#39;\\&#39;&#39;s"),
        "{command}"
    );
    let found = rows(
        &store,
        &[
            "--quiet",
            "bitext",
            "--langs",
            "en,fr",
            "--min-score",
            "0.9",
            "--where",
            "chars_a>=30",
            "--where",
            "text_b!=it's",
            "--where",
            "furniture=false",
        ],
    );
    assert!(found.len() > 100, "{}", found.len());
    let last = text.split("</code></th><td class=\"number\">").last().and_then(|rest| rest.split('<').next());
    assert_eq!(last.map(|count| count.replace(',', "")), Some(found.len().to_string()), "{text}");
    assert!(!text.contains("estimated"), "all were tried");
    for (path, said) in [
        ("/sentences?c1=luck&s1=%3D&v1=1", "no condition that this page knows"),
        ("/sentences?c1=chars_a&s1=%3D&v1=many", "does not fit the column"),
        ("/sentences?min=2", "a score is 0 to 1"),
        ("/sentences?c1=text_a&s1=%3D~&v1=%28", "text_a"),
    ] {
        let text = page.text(path);
        assert!(text.contains("role=\"alert\"") && text.contains(said), "{path}: {text}");
    }
}

#[test]
fn what_differs_from_another_store_is_listed_with_the_reason() {
    let (folder, store) = own_sample();
    let before = folder.path().join("before.store");
    copy(&store, &before);
    diglot(&store).args(["--quiet", "run", "--langs", "en,fr"]).assert().success();
    let of = |store: &Path| -> std::collections::BTreeSet<(String, String)> {
        let url = |row: &serde_json::Map<String, serde_json::Value>, name: &str| {
            row[name].as_str().expect("a URL").to_owned()
        };
        rows(store, &["pairs"])
            .iter()
            .map(|row| {
                let (a, b) = (url(row, "url_a"), url(row, "url_b"));
                if a < b { (a, b) } else { (b, a) }
            })
            .collect()
    };
    let (old, new) = (of(&before), of(&store));
    let mut command = diglot(&store);
    command.args(["-q", "review", "--against"]).arg(&before).stderr(Stdio::null());
    let page = Page::started(&mut command);
    let until = Instant::now() + Duration::from_secs(30);
    while page.text("/compare").contains("data-counting") {
        assert!(Instant::now() < until, "nothing was compared");
        std::thread::sleep(Duration::from_millis(50));
    }
    let lost = page.text("/compare?kind=lost");
    let count = |kind: &str| {
        let before = lost.split(&format!("</span> {kind}<")).next().expect("a text");
        before.rsplit('>').next().and_then(|count| count.parse::<usize>().ok()).expect("a number")
    };
    assert_eq!((count("gained"), count("lost")), (new.difference(&old).count(), old.difference(&new).count()));
    assert!(count("lost") > 10);
    assert_eq!(count("same") + count("changed"), old.intersection(&new).count());
    let (a, _) = old.difference(&new).next().expect("a lost pair");
    assert!(lost.contains(&broken(a)) && lost.contains("aria-current=\"page\">Compare</a>"), "{lost}");
    assert_eq!(page.get("/compare?kind=luck").status, 400);
    assert_eq!(Page::of(&store).get("/compare").status, 404);
    let missing =
        diglot(&store).args(["review", "--against"]).arg(folder.path().join("none")).output().expect("it starts");
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn a_run_is_seen_on_every_page() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    assert!(page.text("/judge").contains("/live\" hidden"));
    let _writer = diglot::store::Store::open(&store, diglot::store::Access::Write).expect("nobody else has it");
    let note = r#"{"event":"progress","stage":"verify","what":"pairs","unit":"sites","done":30,"total":90,"seconds":10.0,"rate":3.0,
        "seconds_left":20.0,"note":"<b>","step":null}"#;
    fs::write(store.join("progress.json"), note).expect("room");
    let (text, told) = (page.text("/judge"), page.text("/live"));
    assert!(
        text.contains("stage 5 of 7, verify") && text.contains("30 of 90 sites") && text.contains("20s left"),
        "{text}"
    );
    assert!(!text.contains("<b>") && !text.contains("/live\" hidden"), "{text}");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert!(told["text"].as_str().is_some_and(|text| text.contains("3.0 sites/s, 20s left")), "{told}");
    assert_eq!(told["share"].as_f64().map(|share| (share * 90.0).round()), Some(30.0));
}

#[test]
fn sentences_are_judged_with_what_stands_around_them() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let sample = page.draw(&[("size", "20"), ("what", "sentences"), ("seed", "3")]);
    let with_some = (1..=20).filter(|at| page.text(&format!("{sample}?item={at}")).contains("block around")).count();
    assert!(with_some >= 15, "{with_some} of 20");
}

#[test]
fn a_page_that_is_not_there_names_the_nearest_one() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let (a, _) = first_pair(&store);
    let mistyped = page.get(&format!("/page?url={}", encoded(&format!("{a}x"))));
    let nearest = a.strip_prefix("http://").or(a.strip_prefix("https://")).expect("a URL");
    assert_eq!(mistyped.status, 404);
    assert!(mistyped.body.contains(&format!("<bdi>{nearest}</bdi>")), "{}", mistyped.body);
}

#[test]
fn a_bad_form_says_so_in_its_place_and_keeps_what_stood_in_it() {
    let (_folder, store) = own_sample();
    let page = Page::of(&store);
    let sent = |size: &str, more: &[(&str, &str)]| {
        let answer = page.post("/judge", &[&[("size", size), ("seed", "41"), ("by", "host")], more].concat());
        assert!(answer.body.contains("name=\"seed\" value=\"41\""), "{}", answer.body);
        assert!(answer.body.contains("<option value=\"host\" selected>"), "{}", answer.body);
        assert!(answer.body.contains(&format!("name=\"size\" value=\"{size}\"")), "{}", answer.body);
        answer
    };
    for (size, said) in [("0", "1 to 10,000"), ("many", "expected a number"), ("10001", "1 to 10,000")] {
        let answer = sent(size, &[]);
        assert_eq!(answer.status, 400, "{size}");
        assert!(answer.body.contains("Nothing was drawn") && answer.body.contains(said), "{size}: {}", answer.body);
    }
    let nowhere = sent("5", &[("host", "nothing.test")]);
    assert_eq!(nowhere.status, 404);
    assert!(nowhere.body.contains("the store has no page of this host"), "{}", nowhere.body);
    assert!(!store.join("review").exists(), "nothing was kept");
}

#[test]
fn a_copy_leads_to_its_original() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("copies.warc"), folder.path().join("s.store"));
    let en = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
    let html = format!("<html lang=en><title>Museum</title><body><p>{en}.</p><p>{en} long ago.</p></body>");
    let copy = html.replace("<title>", "<link rel=canonical href=\"http://copies.test/en/one.html\"><title>");
    write_warc(
        &warc,
        &[("http://copies.test/en/one.html", "200 OK", &html), ("http://copies.test/fr/one.html", "200 OK", &copy)],
    );
    run(&store, &[&warc]);
    let page = Page::of(&store);
    let text = page.text(&format!("/page?url={}", encoded("http://copies.test/fr/one.html")));
    let link = format!("/page?url={}", form_encoded("http://copies.test/en/one.html"));
    assert!(text.contains("It is a copy of") && text.contains(&link), "{text}");
}

/// As the page itself writes parameters.
fn form_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'.' | b'-' | b'_' => char::from(byte).to_string(),
            _ => encoded(&char::from(byte).to_string()),
        })
        .collect()
}

#[test]
fn hosts_with_few_pairs_are_named_with_the_reason_and_keys_with_where_they_act() {
    let (_folder, store) = own_sample();
    let path = "/host?host=webserver.site.test";
    let before = Page::of(&store).text(path);
    assert!(before.contains("<bdi>webserver.site.test/<wbr>manual/<wbr></bdi>"), "{before}");
    assert!(!before.contains("host:de:en") && !before.contains("ew pairs: "), "{before}");
    diglot(&store).args(["--quiet", "run", "--langs", "en,ja"]).assert().success();
    let page = Page::of(&store);
    let why = "--langs leaves out pages in fr (23), zh-Hans (13)";
    assert!(page.text(path).contains(why), "{}", page.text(path));
    let until = Instant::now() + Duration::from_secs(20);
    while !page.text("/hosts?show=none").contains(why) {
        assert!(Instant::now() < until, "{}", page.text("/hosts?show=none"));
    }
    let overview = page.text("/");
    assert!(overview.contains("<li class=\"card todo\">") && overview.contains("show=none"), "{overview}");
}

#[test]
fn figures_are_counted_again_where_a_store_of_as_many_commits_takes_the_place_of_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("tiny.warc"));
    let text = fs::read_to_string(at("tiny.warc")).expect("it was written");
    fs::write(at("else.warc"), text.replace("tiny.test", "else.test")).expect("room on the disk");
    run(&at("s"), &[&at("tiny.warc")]);
    run(&at("other"), &[&at("else.warc")]);
    let commit = |store: &str| {
        let manifest = fs::read(at(store).join("manifest.json")).expect("a manifest");
        serde_json::from_slice::<serde_json::Value>(&manifest).expect("JSON")["commit"].clone()
    };
    assert_eq!(commit("s"), commit("other"));
    let page = Page::of(&at("s"));
    let wait_for = |host: &str| {
        let until = Instant::now() + Duration::from_secs(20);
        while !page.text("/hosts").contains(host) {
            assert!(Instant::now() < until, "{host} never came");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for("tiny.test");
    fs::rename(at("s"), at("old")).expect("it is ours");
    fs::rename(at("other"), at("s")).expect("it is ours");
    wait_for("else.test");
}

#[test]
fn lines_that_are_no_marks_are_told_with_their_file_and_outlive_a_removal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&warc);
    run(&store, &[&warc]);
    let marks = store.join("review/marks.jsonl");
    fs::create_dir_all(store.join("review")).expect("room on the disk");
    fs::write(&marks, "{\"url_a\": \"http://ti\n").expect("room on the disk");
    let told = |arguments: &[&str]| {
        let output = diglot(&store).args(arguments).output().expect("it starts");
        String::from_utf8(output.stderr).expect("messages are UTF-8")
    };
    let place = format!("{}, line 1", marks.display());
    let gold = told(&["review", "--gold", &folder.path().join("gold").display().to_string()]);
    assert!(gold.contains(&format!("left out what are no marks: {place}")), "{gold}");
    let removed = told(&["remove", "--url", "http://tiny.test/en/garden.html"]);
    assert!(removed.contains(&format!("though they may name what was removed: {place}")), "{removed}");
    assert_eq!(fs::read_to_string(&marks).expect("it is there"), "{\"url_a\": \"http://ti\n");
}

#[test]
fn corrections_are_made_and_taken_back_on_the_page_and_by_it_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    tiny_site(&warc);
    run(&store, &[&warc]);
    let (a, b) = first_pair(&store);
    let page = Page::of(&store);
    let forbid = [("correction", "forbid"), ("a", a.as_str()), ("b", b.as_str())];
    for origin in [None, Some("http://evil.test")] {
        assert_eq!(page.post_from(origin, "/correct", &forbid).status, 403, "{origin:?}");
    }
    let file = || fs::read_to_string(store.join("corrections.tsv")).unwrap_or_default();
    assert_eq!(file(), "");
    assert_eq!(page.post("/correct", &forbid).status, 303);
    assert_eq!(page.post("/correct", &[("correction", "language"), ("url", &a), ("lang", "de")]).status, 303);
    assert!(file().contains("forbid\thttp://") && file().contains("ann, on the page"), "{}", file());
    let blank = [("correction", "language"), ("url", a.as_str()), ("lang", " ")];
    assert_eq!(page.post("/correct", &blank).status, 400);
    let pin = [("correction", "pin"), ("a", a.as_str()), ("b", b.as_str())];
    let refused = page.post("/correct", &pin);
    assert!(refused.status == 400 && refused.body.contains("says otherwise"), "{}", refused.body);
    assert_eq!(page.post("/correct", &[("correction", "together"), ("a", &a), ("b", &b)]).status, 400);
    let shown = page.text(&format!("/pair?a={}&b={}", encoded(&a), encoded(&b)));
    assert!(shown.contains("Take the correction back") && shown.contains("forbid http"), "{shown}");
    let shown = page.text(&format!("/page?url={}", encoded(&a)));
    assert!(shown.contains("language http") && shown.contains("Take the correction back"), "{shown}");
    assert_eq!(page.post("/correct", &[&pin[..], &[("back", "1")]].concat()).status, 303);
    assert_eq!(page.post("/correct", &[("correction", "language"), ("url", &a), ("back", "1")]).status, 303);
    assert_eq!(file().lines().count(), 1, "{}", file());
    let shown = page.text(&format!("/pair?a={}&b={}", encoded(&a), encoded(&b)));
    assert!(shown.contains("Always a pair") && shown.contains("Never a pair"), "{shown}");
}
