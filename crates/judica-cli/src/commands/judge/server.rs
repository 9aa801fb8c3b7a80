//! The server that is asked, its prices and its cache, from what was said on the command
//! line.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use judica_answer::efficiency::open_prices;
use judica_data::atomic::prepare_folder;
use judica_data::lock::FileLock;
use judica_data::prices::PriceList;
use judica_data::work_error::WorkError;
use judica_judge::cache::ReplyCache;
use judica_judge::client::Client;
use judica_judge::client::events::Events;
use judica_judge::client::options::ClientOptions;
use judica_judge::endpoint::{Endpoint, Secret};
use judica_judge::pace::PaceLimits;
use judica_judge::run::{Price, RunOptions};

use crate::args::judge::{Api, ServerArgs};
use crate::commands::files::shown;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// Where replies are kept, below the folder that is written to.
const CACHE: &str = ".judica/replies.sqlite3";
/// What the name of a cache's lock ends with.
const LOCK: &str = ".lock";
/// How long calls in flight may go on after Ctrl-C.
const GRACE: Duration = Duration::from_millis(300);

/// A client for one model.
pub fn client(args: &ServerArgs, model: &str, events: Arc<dyn Events>) -> Result<Client, Failure> {
    let endpoint = endpoint(args, model)?;
    if endpoint.sends_key_in_clear() {
        screen::tell(&format!(
            "{} is not encrypted: everybody on the way can read the key",
            endpoint.address()
        ));
    }
    let mut options = ClientOptions::new(endpoint);
    options.attempts = args.attempts;
    options.timeout = Duration::from_secs(args.timeout);
    options.limits = PaceLimits {
        calls_per_minute: args.rpm,
        tokens_per_minute: args.tpm.map(u64::from),
    };
    options.ca_file.clone_from(&args.ca_file);
    options.no_key = Some(format!(
        "no key was sent: {} is not set",
        judica_report::visible(&args.api_key_env)
    ));
    options.events = events;
    Ok(Client::new(options)?)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the edge: a key comes from the environment and goes nowhere but to its server"
)]
fn endpoint(args: &ServerArgs, model: &str) -> Result<Endpoint, Failure> {
    let Some(base_url) = &args.base_url else {
        let message = "--base-url is needed: where the server is, e.g. http://localhost:8000/v1";
        return Err(Failure::Usage(message.to_owned()));
    };
    let key = match std::env::var(&args.api_key_env) {
        Ok(key) => Some(Secret::new(key)),
        Err(std::env::VarError::NotPresent) => None,
        Err(std::env::VarError::NotUnicode(_)) => {
            let message = format!("the key in {} is not text", args.api_key_env);
            return Err(Failure::Usage(message));
        }
    };
    Ok(match args.api {
        Api::Openai => Endpoint::openai(base_url, model, key)?,
        Api::Azure => Endpoint::azure(base_url, model, Some(&args.api_version), key)?,
    })
}

/// Whether what was said fits every model. An address may be missing: it is not needed if
/// everything is judged already.
pub fn check<'a>(args: &ServerArgs, models: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let list = prices(args)?;
    for model in models {
        price(args, list.as_ref(), model)?;
        if args.base_url.is_some() {
            endpoint(args, model)?;
        }
    }
    Ok(())
}

/// Where replies are kept.
pub fn cache_path(args: &ServerArgs, out: &Path) -> PathBuf {
    args.cache.clone().unwrap_or_else(|| out.join(CACHE))
}

/// A cache that nobody else asks for: who comes second finds the replies of the first
/// instead of paying for them again.
pub struct HeldCache {
    /// The replies.
    pub replies: ReplyCache,
    _lock: FileLock,
}

/// The replies that were kept; a cache is made where there is none. Waits for whoever holds
/// it. A folder that is held too is held before it, so that no two wait for each other.
pub fn cache(path: &Path) -> Result<HeldCache, Failure> {
    prepare_folder(&judica_data::atomic::folder_of(path))?;
    let replies = ReplyCache::open(path)?;
    // The file is there now, so all its names lead to one lock.
    let mut lock = std::fs::canonicalize(path)
        .unwrap_or_else(|_| path.to_owned())
        .into_os_string();
    lock.push(LOCK);
    let waiting = |holder: &str| {
        let file = shown(path);
        screen::tell(&format!(
            "{file}: the reply cache is in use by {holder}; waiting for it"
        ));
    };
    match FileLock::acquire(Path::new(&lock), waiting, &interrupted())? {
        Some(lock) => Ok(HeldCache {
            replies,
            _lock: lock,
        }),
        None => Err(WorkError::Interrupted.into()),
    }
}

/// The replies that were kept, if there are any: looking must not leave a file behind.
pub fn existing_cache(path: &Path) -> Result<Option<ReplyCache>, Failure> {
    if path.exists() {
        Ok(Some(ReplyCache::open(path)?))
    } else {
        Ok(None)
    }
}

/// The prices that were named.
pub fn prices(args: &ServerArgs) -> Result<Option<PriceList>, Failure> {
    let list = args.prices.as_deref().map(open_prices).transpose()?;
    Ok(list)
}

/// What a model's tokens cost; a model without prices is an error where a budget needs them.
pub fn price(
    args: &ServerArgs,
    list: Option<&PriceList>,
    model: &str,
) -> Result<Option<Price>, Failure> {
    let Some(list) = list else { return Ok(None) };
    let price = list.of(model)?.and_then(|price| {
        Some(Price {
            input_per_1k: price.price_input_per_1k?,
            output_per_1k: price.price_output_per_1k?,
        })
    });
    if price.is_none() && args.max_usd.is_some() {
        let hint = list.nearest(model).map_or(String::new(), |name| {
            format!("; did you mean {}?", judica_report::visible(name))
        });
        return Err(Failure::Usage(format!(
            "{}: no price_input_per_1k and price_output_per_1k for the model {model}, which \
             --max-usd needs{hint}",
            shown(list.path())
        )));
    }
    Ok(price)
}

/// What a run may do; `spent` is what earlier parts of the same command cost.
pub fn run_options(
    args: &ServerArgs,
    price: Option<Price>,
    spent: f64,
) -> Result<RunOptions, Failure> {
    let threads = super::super::threads(None);
    let at_least_one = |n: usize| NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN);
    Ok(RunOptions {
        concurrency: at_least_one(args.concurrency as usize),
        threads: at_least_one(threads),
        price,
        max_usd: args.max_usd.map(|max| (max - spent).max(0.0)),
        grace: GRACE,
        ..RunOptions::default()
    })
}
