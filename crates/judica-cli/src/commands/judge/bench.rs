//! A judge ready to be asked.

use judica_judge::chat::ChatReply;
use judica_judge::client::Client;
use judica_judge::judging::{Judge, Judged, Words};
use judica_judge::reply::read_verdict;

use super::datasets::{Dataset, questions};
use super::progress::Calls;
use super::{Work, server};
use crate::failure::Failure;

/// Client, cache and display.
pub struct Bench {
    client: Client,
    cache: server::HeldCache,
    calls: std::sync::Arc<Calls>,
    price: Option<judica_judge::run::Price>,
}

impl Bench {
    /// A judge for a model, as soon as nobody else uses the cache.
    pub fn new(work: &Work, model: &str) -> Result<Self, Failure> {
        let server = &work.args.server;
        let prices = server::prices(server)?;
        let calls = Calls::new();
        Ok(Bench {
            price: server::price(server, prices.as_ref(), model)?,
            client: server::client(server, model, calls.clone())?,
            cache: server::cache(&work.cache)?,
            calls,
        })
    }

    /// Asks about the undecided rows of a data set, or about some of them.
    pub fn judge(
        &self,
        work: &Work,
        dataset: &Dataset,
        spent: f64,
        words: Words,
        rows: Option<&[usize]>,
    ) -> Result<Judged, Failure> {
        let options = server::run_options(&work.args.server, self.price, spent)?;
        let judge = Judge {
            template: &work.setting.template,
            ask: &self.client,
            cache: Some(&self.cache.replies),
            votes: if words == Words::Own {
                work.args.votes
            } else {
                1
            },
            max_output_tokens: work.args.server.max_output_tokens,
            options: &options,
        };
        let gold: Vec<String> = dataset.gold();
        let questions = questions(dataset, &gold, rows);
        let readable = |reply: &ChatReply| read_verdict(reply).readable().is_some();
        let reuse: Option<&dyn Fn(&ChatReply) -> bool> = if work.args.retry_invalid {
            Some(&readable)
        } else {
            None
        };
        let about = &dataset.predictions.file.dataset;
        let judged = self
            .calls
            .watch(about, reuse, |hooks| judge.judge(&questions, words, hooks));
        Ok(judged?)
    }
}
