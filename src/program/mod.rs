//! A program of the user that answers lines: it is started, asked, and ended here. One such program tells the languages of texts, another
//! one scores pairs of sentences; a [`Role`] has what differs between them.
//!
//! [`Program`] deals lines out over its processes (`process`), and gives the answers back by the numbers of the questions. The lines are
//! written, and answers understood, by [`crate::language::asked`] and [`crate::text::scored`]. The answer to a line depends on that line
//! only, so neither the order in which questions come nor the number of processes changes a result.

mod pdf;
mod process;

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::config::ProgramParams;
use crate::config::settings::{LANGUAGE_PROGRAM, SCORER};
use crate::error::{Error, Result};
use crate::language::asked::{self, Answer};
use crate::text::scored;
use process::{Process, Wait, look_for};

#[cfg(feature = "pdf")]
pub use pdf::PDF_COMMAND;
pub use pdf::html as html_of_pdf;
pub use process::{Stop, shown};

/// How many answers are kept, only in memory: some 10 MB. When there are more, all are forgotten, and lines are asked again.
const MAX_KEPT: usize = 1 << 18;

/// What a program is used for.
pub struct Role<A> {
    /// Its name in messages.
    name: &'static str,
    /// The setting that names it.
    setting: &'static str,
    /// The setting that says how long it may be silent.
    timeout: &'static str,
    /// Reads an answer. The error says what makes no sense in the line, and what was expected.
    read: fn(&str) -> std::result::Result<A, String>,
    /// What the user should do if the program has written more lines than it was asked, so that answers may belong to other questions.
    remedy: &'static str,
}

/// Telling the languages of texts.
pub const LANGUAGES: Role<Answer> = Role {
    name: "language program",
    setting: LANGUAGE_PROGRAM,
    timeout: "language-timeout",
    read: asked::read,
    remedy: "pages that were read may have the languages of others; correct the program, and read the archives into a new store",
};

/// Scoring pairs of sentences.
pub const SCORES: Role<f32> = Role {
    name: "scorer",
    setting: SCORER,
    timeout: "scorer-timeout",
    read: scored::read,
    remedy: "sentence pairs may have the scores of others; --reset scorer, and correct the program",
};

/// The program while it runs; `A` is what an answer means.
pub struct Program<A: 'static> {
    role: &'static Role<A>,
    params: ProgramParams,
    processes: Vec<Process>,
    asked: Mutex<Asked<A>>,
    /// Answers by hashes of their lines: many pages have the text of another one.
    kept: FxHashMap<u128, A>,
}

/// What was asked since the last answers were taken.
struct Asked<A> {
    /// By the numbers of the questions.
    questions: Vec<Question<A>>,
    /// Numbers of questions by hashes of their lines.
    numbers: FxHashMap<u128, usize>,
    /// How many of them the program was asked.
    sent: usize,
}

impl<A> Default for Asked<A> {
    fn default() -> Asked<A> {
        Asked { questions: Vec::new(), numbers: FxHashMap::default(), sent: 0 }
    }
}

/// A question, by the hash of its line.
enum Question<A> {
    /// The program was asked before.
    Answered(A),
    /// A process is asked.
    Sent {
        hash: u128,
        process: usize,
        /// The name of the question in messages.
        about: String,
    },
}

impl<A> Role<A> {
    /// Checks that the program exists, if the user has named one for this run; this is done long before it is started.
    ///
    /// # Errors
    /// When it is not.
    pub fn look_for(&self, params: &ProgramParams) -> Result<()> {
        let program = params.command.first().filter(|_| params.is_given);
        program.map_or(Ok(()), |program| look_for(program)).map_err(|problem| self.failed(params, problem))
    }

    fn failed(&self, params: &ProgramParams, problem: String) -> Error {
        Error::Program { role: self.name, command: command_line(&params.command), problem }
    }
}

impl<A: Copy> Program<A> {
    /// Starts the program; `None` where the user has none.
    ///
    /// # Errors
    /// When it cannot be started, or when only the store names it.
    pub fn start(role: &'static Role<A>, params: &ProgramParams) -> Result<Option<Program<A>>> {
        if params.command.is_empty() {
            return Ok(None);
        }
        if !params.is_given {
            let (command, setting) = (command_line(&params.command), role.setting);
            return Err(Error::Config(format!(
                "the store has the setting {setting} ({command}), and a program that only a store names is not started; \
                 give --{setting} again, or --reset {setting}"
            )));
        }
        let failed = |problem| role.failed(params, problem);
        let start = |_| Process::start(&params.command, role.timeout).map_err(failed);
        let processes = (0..params.processes).map(start).collect::<Result<_>>()?;
        let (asked, kept) = (Mutex::default(), FxHashMap::default());
        Ok(Some(Program { role, params: params.clone(), processes, asked, kept }))
    }

    /// Checks that the program has written nothing that it was not asked for, as far as its answers have arrived.
    ///
    /// # Errors
    /// When it has.
    pub fn check(&mut self) -> Result<()> {
        self.quiet(false)
    }

    /// The same, after a moment in which the program could have written more.
    ///
    /// # Errors
    /// When it has.
    pub fn settle(&mut self) -> Result<()> {
        self.quiet(true)
    }

    fn quiet(&mut self, mut waits: bool) -> Result<()> {
        for process in self.processes.iter_mut().filter(|process| process.has_answered()) {
            if let Err(problem) = process.quiet(std::mem::take(&mut waits)) {
                return Err(self.failed(problem));
            }
        }
        Ok(())
    }

    /// Asks a question, and returns its number. Equal lines are one question. `about` is the name of the question in messages.
    pub fn ask(&self, line: &str, about: &str) -> usize {
        let hash = xxh3_128(line.as_bytes());
        // The lock is held, so that each process gets its questions in the order of their numbers.
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = asked.numbers.get(&hash) {
            return number;
        }
        let number = asked.questions.len();
        asked.numbers.insert(hash, number);
        let question = match self.kept.get(&hash) {
            Some(&answer) => Question::Answered(answer),
            None => {
                let process = asked.sent % self.processes.len();
                asked.sent += 1;
                self.processes[process].ask(line);
                Question::Sent { hash, process, about: about.to_owned() }
            }
        };
        asked.questions.push(question);
        number
    }

    /// Waits for the answers to all questions, and returns them by their numbers. The next question has number 0.
    ///
    /// # Errors
    /// When the program ends, is silent for too long, or answers what makes no sense; when the user wants to stop, and it is slow.
    pub fn answers(&mut self, stop: Stop<'_>) -> Result<Vec<A>> {
        let mut answers = Vec::new();
        self.append_answers(stop, &mut answers)?;
        Ok(answers.into_iter().map(|(answer, _)| answer).collect())
    }

    /// Waits for the answers to all questions, and appends them in the order of the questions, each with the time at which it arrived.
    /// After an error, the answers that came before it are there.
    ///
    /// # Errors
    /// As [`Program::answers`].
    pub fn append_answers(&mut self, stop: Stop<'_>, answers: &mut Vec<(A, Instant)>) -> Result<()> {
        let asked = std::mem::take(self.asked.get_mut().unwrap_or_else(PoisonError::into_inner));
        let mut wait = Wait { seconds: self.params.timeout_seconds, stop, since: None };
        answers.reserve(asked.questions.len());
        for question in asked.questions {
            let answer = match question {
                Question::Answered(answer) => answer,
                Question::Sent { hash, process, about } => {
                    let process = &mut self.processes[process];
                    let answer = process.answer(&mut wait)?.and_then(|line| {
                        let answer =
                            (self.role.read)(&line).map_err(|problem| format!("wrote {}: {problem}", shown(&line)))?;
                        process.go_on().map(|()| answer)
                    });
                    let answer = answer.map_err(|problem| self.failed(format!("{problem}; the line is of {about}")))?;
                    if self.kept.len() >= MAX_KEPT {
                        self.kept.clear();
                    }
                    self.kept.insert(hash, answer);
                    answer
                }
            };
            answers.push((answer, Instant::now()));
        }
        Ok(())
    }

    /// Tells the program that there are no more questions, and waits a little for it to end.
    ///
    /// # Errors
    /// When it had more answers than questions.
    pub fn finish(mut self) -> Result<()> {
        for process in &mut self.processes {
            if let Err(problem) = process.finish() {
                return Err(self.failed(format!("{problem}; {}", self.role.remedy)));
            }
        }
        Ok(())
    }

    fn failed(&self, problem: String) -> Error {
        self.role.failed(&self.params, problem)
    }
}

/// A command as a shell would be given it.
fn command_line(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(script: &str) -> ProgramParams {
        let command = ["sh", "-c", script].map(String::from).to_vec();
        ProgramParams { command, timeout_seconds: 1, is_given: true, ..ProgramParams::default() }
    }

    fn go_on() -> Result<()> {
        Ok(())
    }

    /// The answers to some lines, seven at a time.
    fn answers(params: &ProgramParams, lines: &[&str]) -> Result<Vec<String>> {
        let mut program = Program::start(&LANGUAGES, params)?.expect("a program");
        let mut found = Vec::new();
        for lines in lines.chunks(7) {
            program.check()?;
            let numbers: Vec<usize> = lines.iter().map(|line| program.ask(line, &format!("page {line}"))).collect();
            let answers = program.answers(&go_on)?;
            found.extend(numbers.into_iter().map(|number| answers[number].lang.to_string()));
            program.settle()?;
        }
        program.finish().map(|()| found)
    }

    const CODES: [&str; 10] = ["yo", "ak", "en", "und", "fr", "sw", "ee", "ha", "ig", "zu"];

    #[test]
    fn answers_come_by_the_numbers_of_questions_from_any_number_of_processes() {
        let lines: Vec<String> = (0..100).map(|n| format!("{n} {}", CODES[n * 7 % CODES.len()])).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let expected: Vec<&str> = lines.iter().filter_map(|line| line.split(' ').nth(1)).collect();
        for processes in [1, 2, 3] {
            let params = ProgramParams { processes, ..params(LAST_WORD) };
            assert_eq!(answers(&params, &lines).expect("it answers"), expected);
        }
    }

    const LAST_WORD: &str = r#"while read -r line; do echo "${line##* } 0.9"; done"#;

    #[test]
    fn equal_lines_are_asked_once() {
        // The second answer would be another one.
        let once = r#"while read -r line; do echo "$line"; read -r line; echo en; done"#;
        let found =
            answers(&params(once), &["yo", "ak", "yo", "ak", "yo", "yo", "yo", "yo", "ak"]).expect("it answers");
        assert_eq!(found, ["yo", "en", "yo", "en", "yo", "yo", "yo", "yo", "en"]);
    }

    #[test]
    fn more_is_asked_than_fits_into_pipes() {
        let mut program = Program::start(&LANGUAGES, &params(LAST_WORD)).expect("it starts").expect("a program");
        let line = |n: usize| format!("{n} {}yo", "Ọjọ́ ".repeat(500));
        let numbers: Vec<usize> = (0..300).map(|n| program.ask(&line(n), "x")).collect();
        assert!(numbers.into_iter().eq(0..300));
        let found = program.answers(&go_on).expect("it answers");
        assert!(found.len() == 300 && found.iter().all(|answer| answer.lang.as_str() == "yo"));
        program.finish().expect("it has answered all");
    }

    #[test]
    fn what_a_program_does_wrong_is_told_with_the_place_and_the_remedy() {
        let problem = |script: &str| match answers(&params(script), &CODES) {
            Err(Error::Program { command, problem, .. }) if command.starts_with("sh -c ") => problem,
            other => panic!("{script}: {other:?}"),
        };
        let starts = |script: &str, begin: &str, holds: &str| {
            let found = problem(script);
            assert!(found.starts_with(begin) && found.contains(holds), "{script}: {found}");
        };
        let ended = "ended (exit status: 3) after 1 answer to 7 lines; its stderr ends with: no memory";
        starts("read -r line; echo yo; echo no memory >&2; exit 3", ended, "the line is of page ak");
        starts("exit 3", "ended (exit status: 3) after 0 answers to 7 lines", "the line is of page yo");
        starts("exec >&-; sleep 9", "closed its output after 0 answers to 7 lines", "page yo");
        starts("kill -9 $$", "ended (signal: 9", "page yo");
        let silent = "is silent for 1 s, after 1 answer to 7 lines";
        starts("read -r line; echo yo; sleep 9", silent, "--language-timeout");
        // The program keeps its output to itself until its input ends.
        starts("cat >/dev/null; echo yo", "is silent for 1 s, after 0 answers to 7 lines", "flush");
        starts("while read -r line; do echo \"$line sure\"; done", "wrote \"yo sure\": sure is no language", "page yo");
        starts("while read -r line; do echo yo; echo yo; done", "wrote a line more than it was asked", "\"yo\"");
        starts("sleep 0.1; echo Welcome; cat", "wrote \"Welcome\": Welcome is no language", "page yo");
        // After the end, or only now and then.
        starts("cat; echo yo", "wrote a line more than it was asked", "new store");
        starts(
            "while read -r l; do echo $l; test $l != ha || echo $l; done",
            "wrote a line more than it was asked",
            "\"zu\"",
        );
        starts("printf '\\377\\033[1m\\n'; cat", "wrote \"\u{fffd}\\u{1b}[1m\"", "page yo");
        starts("tr -d '\\n' </dev/zero", "wrote a line of more than 65536 bytes", "page yo");
    }

    #[test]
    fn a_program_that_is_not_there_is_told_before_anything_is_read() {
        let of = |params: ProgramParams| match Program::start(&LANGUAGES, &params) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("it starts"),
        };
        let missing = ProgramParams { command: vec!["no-such-program".into(), "x y".into()], ..params("") };
        let problem = "language program no-such-program 'x y': there is no such program; give its path, or install it";
        assert_eq!(of(missing), problem);
        let of_store = of(ProgramParams { is_given: false, ..params("touch x") });
        assert!(of_store.contains("only a store names is not started; give --language-program again"), "{of_store}");
        assert!(Program::start(&LANGUAGES, &ProgramParams::default()).expect("nothing to start").is_none());
    }

    #[test]
    fn a_program_is_looked_for_before_it_is_needed() {
        let of = |program: &str, is_given: bool| {
            let params = ProgramParams { command: vec![program.into()], is_given, ..ProgramParams::default() };
            SCORES.look_for(&params).map_err(|error| error.to_string())
        };
        assert_eq!((of("sh", true), of("/bin/sh", true), of("no-such-program", false)), (Ok(()), Ok(()), Ok(())));
        let missing = "scorer no-such-program: there is no such program; give its path, or install it";
        assert_eq!(of("no-such-program", true), Err(missing.to_owned()));
        assert!(of("/bin/no-such-program", true).is_err());
        assert!(SCORES.look_for(&ProgramParams::default()).is_ok());
    }

    #[test]
    fn a_wish_to_stop_is_heard_though_the_program_goes_on_answering_and_what_it_answered_is_there() {
        let script = "while read -r line; do sleep 0.2; echo yo; done";
        let mut program = Program::start(&LANGUAGES, &params(script)).expect("it starts").expect("a program");
        (0..100).for_each(|line| _ = program.ask(&line.to_string(), "x"));
        let (mut found, start) = (Vec::new(), Instant::now());
        let stopped = program.append_answers(&|| Err(Error::Interrupted), &mut found);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        assert!((2..20).contains(&found.len()) && start.elapsed().as_secs() < 4, "{} answers", found.len());
    }

    #[test]
    fn a_wish_to_stop_is_heard_while_the_program_is_silent_and_ends_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("id");
        let script = format!("echo $$ >{}; sleep 600", file.display());
        let mut program = Program::start(&LANGUAGES, &ProgramParams { timeout_seconds: 600, ..params(&script) })
            .expect("it starts")
            .expect("a program");
        program.ask("x", "x");
        let stopped = program.answers(&|| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        drop(program);
        let id = std::fs::read_to_string(file).expect("it has started");
        assert!(!std::path::Path::new("/proc").join(id.trim()).exists(), "it runs");
    }
}
