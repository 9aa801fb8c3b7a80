//! The model that reviews records in `judica eval --agent llm`: it is asked like a judge,
//! with the same client, cache and budget.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use judica_judge::chat::{ChatReply, ChatRequest, Finish, Message, ReplySchema, Role};
use judica_judge::client::Client;
use judica_judge::error::AskError;
use judica_judge::run::{Answer, HaltKind, Job, Price, RunHooks, RunOutcome, ask_all};
use judica_judge::stop::Stop;
use judica_model::exit_code::ExitCode;
use judica_verify::review::TEMPERATURE;
use judica_verify::review::ask::Form;
use judica_verify::review::{AskModel, Asked, Halt, Question, Reply, ReviewRecords};

use super::judge::progress::Calls;
use super::judge::server;
use crate::args::EvalArgs;
use crate::args::agent::{Agent, AgentRecords};
use crate::args::judge::ServerArgs;
use crate::failure::Failure;

/// A model, ready to be asked.
pub struct Reviewer<'a> {
    server: &'a ServerArgs,
    model: &'a str,
    client: Client,
    calls: Arc<Calls>,
    price: Option<Price>,
    /// Where replies are kept.
    pub cache: PathBuf,
    /// What the calls so far count against the limit in USD.
    spent: Mutex<f64>,
}

impl<'a> Reviewer<'a> {
    /// The model that was named, if one shall review. Nothing is asked or written yet.
    pub fn new(args: &'a EvalArgs) -> Result<Option<Self>, Failure> {
        let agent = &args.agent;
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        if agent.agent == Agent::Rules {
            if agent.agent_model.is_some() || agent.server.base_url.is_some() {
                return usage("--agent-model and --base-url are for --agent llm");
            }
            return Ok(None);
        }
        let Some(model) = &agent.agent_model else {
            return usage(
                "--agent llm needs --agent-model NAME: who reviews. (--model is about outputs \
                 that do not name theirs, and a model should not review itself unasked.)",
            );
        };
        let server = &agent.server;
        let prices = server::prices(server)?;
        let calls = Calls::new();
        let reviewer = Reviewer {
            server,
            model,
            price: server::price(server, prices.as_ref(), model)?,
            client: server::client(server, model, calls.clone())?,
            calls,
            cache: server::cache_path(
                server,
                args.measure.run.as_deref().unwrap_or(Path::new(".")),
            ),
            spent: Mutex::new(0.0),
        };
        reviewer.check_options()?;
        Ok(Some(reviewer))
    }

    /// Has no question answered, which tells whether the options make sense: better now
    /// than after the evaluation.
    fn check_options(&self) -> Result<(), Failure> {
        let options = server::run_options(self.server, self.price, 0.0)?;
        let (nothing, stop) = (Vec::<Job>::new(), Stop::new());
        let quiet = RunHooks::quiet(&stop);
        ask_all(&nothing, &self.client, None, &options, &quiet)?;
        Ok(())
    }

    fn run(&self, questions: &[Question], form: &Form) -> Result<RunOutcome, Failure> {
        let cache = server::cache(&self.cache)?;
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let options = server::run_options(self.server, self.price, *spent)?;
        let hash: Arc<str> = form.prompt_hash.as_str().into();
        let jobs: Vec<Job> = questions
            .iter()
            .map(|question| Job {
                request: self.request(question, form),
                vote: 0,
                prompt_hash: hash.clone(),
            })
            .collect();
        let outcome = self.calls.watch("reviews", None, |hooks| {
            ask_all(&jobs, &self.client, Some(&cache.replies), &options, hooks)
        });
        let outcome = outcome?;
        *spent += outcome.totals.charged_usd.unwrap_or(0.0);
        Ok(outcome)
    }

    fn request(&self, question: &Question, form: &Form) -> ChatRequest {
        let message = |role, text: &String| Message {
            role,
            content: text.clone(),
        };
        ChatRequest {
            messages: vec![
                message(Role::System, &question.system),
                message(Role::User, &question.user),
            ],
            temperature: TEMPERATURE,
            max_output_tokens: Some(self.server.max_output_tokens),
            seed: None,
            schema: Some(ReplySchema {
                name: form.schema_name.to_owned(),
                schema: form.schema.clone(),
            }),
        }
    }
}

impl AskModel for Reviewer<'_> {
    fn model(&self) -> &str {
        self.model
    }

    fn identity(&self) -> &str {
        self.client.identity()
    }

    fn ask(&self, questions: &[Question], form: &Form) -> Asked {
        match self.run(questions, form) {
            Ok(outcome) => Asked {
                replies: outcome.answers.into_iter().map(reply).collect(),
                halt: outcome.halt.map(|halt| Halt {
                    interrupted: halt.kind() == HaltKind::Interrupted,
                    message: halt.to_string(),
                }),
            },
            // Nothing was asked.
            Err(failure) => Asked {
                replies: vec![Reply::NotAsked; questions.len()],
                halt: Some(Halt {
                    interrupted: failure.exit_code() == ExitCode::Interrupted,
                    message: failure.to_string(),
                }),
            },
        }
    }
}

fn reply(answer: Answer) -> Reply {
    match answer {
        Answer::Reply { reply, .. } => {
            let ChatReply { text, finish, .. } = reply;
            match finish {
                Finish::Complete | Finish::Other => Reply::Said { text, cut: false },
                Finish::Length => Reply::Said { text, cut: true },
                Finish::Refused => Reply::Declined(text),
                Finish::Unreadable => Reply::Unreadable(text),
            }
        }
        Answer::Failed(AskError::Stopped) | Answer::NotAsked(_) => Reply::NotAsked,
        Answer::Failed(error) => Reply::Failed(error.to_string()),
    }
}

/// Which records are reviewed.
pub fn records(args: &EvalArgs) -> ReviewRecords {
    match args.agent.agent_records {
        AgentRecords::Failed => ReviewRecords::Failed,
        AgentRecords::All => ReviewRecords::All,
    }
}
