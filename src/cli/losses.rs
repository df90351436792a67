//! Messages about data that the store has lost and cannot make again. Every command prints them until the data is given again or the loss
//! is accepted (`diglot remove --lost`).

use std::sync::atomic::{AtomicBool, Ordering};

use diglot::store::{Loss, Store};

/// True once a loss was reported: the command then ends with exit code 1, since its answer is incomplete.
static LACKS: AtomicBool = AtomicBool::new(false);

/// True when the answer is incomplete.
pub fn are_told() -> bool {
    LACKS.load(Ordering::Relaxed)
}

/// Reports the losses of a store.
pub fn tell(store: &Store) -> anyhow::Result<()> {
    for loss in store.losses()? {
        LACKS.store(true, Ordering::Relaxed);
        super::say::tell(format_args!("diglot: {}", sentence(&loss)));
    }
    Ok(())
}

/// A message that says what was lost, and what to do.
pub fn sentence(loss: &Loss) -> String {
    match loss {
        Loss::Archive { path, pages } => format!(
            "damage: the store lost {pages} pages of {path}; answers lack them until `diglot run` is given that archive again \
             (`diglot remove --lost` goes on without them)"
        ),
        Loss::Nameless { archives } => format!(
            "damage: the store lost pages, and which archives they were of ({archives} were known); answers lack them until \
             `diglot run` is given all archives again (`diglot remove --lost` goes on without them)"
        ),
        Loss::Requests => {
            "damage: the store lost what it had requested of crawlers, so that `diglot recover` and `diglot explore` \
                           may ask for it again (`diglot remove --lost` accepts it)"
                .to_owned()
        }
        Loss::Removals => "damage: the store lost what was removed from it, so that it may be there again; give \
                           `diglot remove` again, and then `diglot remove --lost`, which ends this message"
            .to_owned(),
    }
}
