//! What all requests share.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diglot::config::Config;
use diglot::config::settings::configuration;
use diglot::store::{Access, Reviews, Store, Witness};

use super::background::Counting;
use super::comparing::{Compared, compare};
use super::counting::{self, Counted};
use super::drawing::{Drawn, draw};
use super::failure::Failure;
use super::working::Working;

thread_local! {
    /// The witnesses of the stores that were opened for the current request of this thread.
    static WITNESSES: RefCell<Vec<Arc<Witness>>> = const { RefCell::new(Vec::new()) };
}

/// Forgets the witnesses of the last request of this thread.
pub fn forget_what_was_read() {
    WITNESSES.take();
}

/// Checks that nobody has changed the files that were read for the current request of this thread. Must be called before something is
/// stored or answered.
///
/// # Errors
/// With the file that was changed.
pub fn check_untouched() -> Result<(), Failure> {
    WITNESSES.with_borrow(|witnesses| witnesses.iter().try_for_each(|witness| Ok(witness.check()?)))
}

/// How the page is to be served.
pub struct Options {
    /// The store.
    pub store: PathBuf,
    /// The port; 0: any that is free.
    pub port: u16,
    /// The name under which marks are made.
    pub reviewer: String,
    /// Another store, with which it is to be compared.
    pub against: Option<PathBuf>,
    /// Reads how far the run has come that works on the store in a folder.
    pub working: fn(&Path) -> Option<Working>,
}

/// The web page of one store.
pub struct App {
    /// Folder of the store.
    pub folder: PathBuf,
    /// The port that it is served on.
    pub port: u16,
    /// The token, with which its addresses begin; without it a client gets nothing.
    pub token: String,
    /// The code that leads to the page once, and the time from which it is valid.
    opening: Mutex<Option<(String, Instant)>>,
    /// The reviewer's name, unless a form gives another.
    pub reviewer: String,
    /// Figures of the whole store, counted in the background.
    pub counting: Arc<Counting<Counted>>,
    /// Sentence pairs drawn at random, when they are first asked for.
    pub drawing: Arc<Counting<Drawn>>,
    /// What differs from another store, if one was given.
    pub comparing: Option<Arc<Counting<Compared>>>,
    /// The folder of that store.
    pub against: Option<PathBuf>,
    /// Reads how far the run has come that works on the store in a folder.
    working: fn(&Path) -> Option<Working>,
}

/// Random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// How long the address that the browser is opened with is valid.
pub const OPENING: Duration = Duration::from_mins(1);

/// A random token that cannot be guessed.
fn secret() -> anyhow::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|why| anyhow::anyhow!("no random numbers can be had: {why}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl App {
    pub fn new(options: Options, port: u16) -> anyhow::Result<App> {
        let Options { store: folder, reviewer, against, working, .. } = options;
        // An unusable store gives an error at once.
        Store::open(&folder, Access::Read)?;
        against.as_ref().map(|other| Store::open(other, Access::Read)).transpose()?;
        let opening = Mutex::new(Some((secret()?, Instant::now())));
        let token = secret()?;
        let comparing = against
            .clone()
            .map(|other| Counting::of(&folder, "the stores cannot be compared", move |store| compare(&other, store)));
        let counting = Counting::of(&folder, "the figures cannot be counted", counting::count);
        let drawing = Counting::of(&folder, "no sentence pairs can be drawn", draw);
        Ok(App { folder, port, token, opening, reviewer, counting, drawing, comparing, against, working })
    }

    /// How far the run has come that works on the store; `None` where none does.
    pub fn working(&self) -> Option<Working> {
        (self.working)(&self.folder)
    }

    /// The path with which all its addresses begin.
    pub fn base(&self) -> String {
        format!("/{}", self.token)
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{}/", self.port, self.base())
    }

    /// An address that leads to the page once, within a minute.
    pub fn opening(&self) -> String {
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let code = opening.as_ref().map_or("", |(code, _)| code);
        format!("http://127.0.0.1:{}/open/{code}", self.port)
    }

    /// True for the code that leads to the page, when it is used for the first time.
    pub fn is_opening(&self, code: &str) -> bool {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = opening.as_ref().is_some_and(|(known, from)| known == code && from.elapsed() < OPENING);
        if is_it {
            *opening = None;
        }
        is_it
    }

    /// The store as of its last commit, and its settings.
    pub fn open(&self) -> Result<(Store, Config), Failure> {
        let store = Store::open(&self.folder, Access::Read)?;
        WITNESSES.with_borrow_mut(|witnesses| witnesses.extend(store.witness()));
        let (config, _) = configuration(&store.settings().values);
        Ok((store, config))
    }

    /// The marks on its pairs, and the samples.
    pub fn reviews(&self) -> Reviews {
        Reviews::of(&self.folder)
    }
}
