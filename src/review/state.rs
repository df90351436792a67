//! What all requests share.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diglot::config::Config;
use diglot::config::settings::configuration;
use diglot::store::{Access, Reviews, Store, Witness};

use super::counting::Counting;
use super::failure::Failure;

thread_local! {
    /// Of what was opened for the request that this thread works on.
    static WITNESSES: RefCell<Vec<Arc<Witness>>> = const { RefCell::new(Vec::new()) };
}

/// Lets go of what was read for the last request of this thread.
pub fn forget_what_was_read() {
    WITNESSES.take();
}

/// Sees that nobody changed what was read for the request that this thread works on: before something is kept, or answered.
///
/// # Errors
/// With the file that was changed.
pub fn check_untouched() -> Result<(), Failure> {
    WITNESSES.with_borrow(|witnesses| witnesses.iter().try_for_each(|witness| Ok(witness.check()?)))
}

/// One page over one store.
pub struct App {
    /// Folder of the store.
    pub folder: PathBuf,
    /// The port it is served on.
    pub port: u16,
    /// What its addresses begin with; whoever does not know it gets nothing.
    pub token: String,
    /// What leads to the page once, and from when on.
    opening: Mutex<Option<(String, Instant)>>,
    /// Who marks, unless a form says otherwise.
    pub reviewer: String,
    /// Figures of the whole store, counted beside the requests.
    pub counting: Arc<Counting>,
}

/// Random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// How long the address leads to the page that the browser is opened with.
pub const OPENING: Duration = Duration::from_mins(1);

/// What nobody guesses.
fn secret() -> anyhow::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|why| anyhow::anyhow!("no random numbers can be had: {why}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl App {
    pub fn new(folder: PathBuf, port: u16, reviewer: String) -> anyhow::Result<App> {
        // What is wrong with the store is said at once.
        Store::open(&folder, Access::Read)?;
        let opening = Mutex::new(Some((secret()?, Instant::now())));
        let token = secret()?;
        let counting = Counting::of(&folder);
        Ok(App { folder, port, token, opening, reviewer, counting })
    }

    /// What the paths of all its addresses begin with.
    pub fn base(&self) -> String {
        format!("/{}", self.token)
    }

    /// The address to open.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{}/", self.port, self.base())
    }

    /// An address that leads to it, once and for a minute.
    pub fn opening(&self) -> String {
        let opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let code = opening.as_ref().map_or("", |(code, _)| code);
        format!("http://127.0.0.1:{}/open/{code}", self.port)
    }

    /// True for the code that leads to the page, the first time that somebody has it.
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

    /// What people said of its pairs.
    pub fn reviews(&self) -> Reviews {
        Reviews::of(&self.folder)
    }
}
