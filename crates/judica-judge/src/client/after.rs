//! What comes after an attempt: the one place where it is decided.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Client;
use super::asking::Asking;
use super::attempt::{Break, Outcome};
use super::ruling::{Ruling, harmless, in_words, may_be_dialect, rule};
use super::wait::backoff;
use crate::chat::{ChatReply, Finish};
use crate::error::AskError;
use crate::wire::dialect::{Dialect, Part, named_part};
use crate::wire::fault::Fault;

/// How often a server is tried that never answered anything.
const ATTEMPTS_AT_A_STRANGER: u32 = 3;
/// Waits between those attempts are no longer than this.
const LONGEST_WAIT_FOR_A_STRANGER: Duration = Duration::from_secs(1);
/// Where many ask at once, waits are this many times as long.
const CROWDED: u32 = 4;
/// Of what a server says, messages hold this many characters.
const WORDS: usize = 500;
/// Of what is stored in place of a reply, this many.
const KEPT: usize = 2000;

/// What comes after an attempt.
pub(super) enum Next {
    Done(Result<ChatReply, AskError>),
    /// Ask otherwise, at once. It does not count: the question was not in the server's
    /// language.
    Reword,
    Wait {
        why: String,
        wait: Duration,
    },
}

impl Client {
    pub(super) fn after(&self, asking: &mut Asking<'_>, outcome: Outcome) -> Next {
        if !matches!(outcome, Outcome::Broken(..)) {
            self.heard.store(true, Ordering::Relaxed);
        }
        match outcome {
            Outcome::Reply(mut reply) => {
                // Replies are written to files, whoever put the key into them.
                let endpoint = &self.options.endpoint;
                reply.text = endpoint.without_secrets(&reply.text);
                reply.served_by = reply.served_by.map(|name| endpoint.without_secrets(&name));
                self.pace.answered();
                self.confirm(asking);
                Next::Done(Ok(asking.reply(reply)))
            }
            Outcome::Fault {
                fault,
                wait,
                location,
            } => self.after_fault(asking, &fault, wait, location.as_deref()),
            Outcome::Nonsense { body, oversized } => self.after_nonsense(asking, &body, oversized),
            Outcome::Broken(kind, words) => self.after_break(asking, kind, &words),
        }
    }

    fn after_fault(
        &self,
        asking: &mut Asking<'_>,
        fault: &Fault,
        asked: Option<Duration>,
        location: Option<&str>,
    ) -> Next {
        let ruling = rule(fault);
        // What is said about the content of a question is not about its form.
        let about_form = !matches!(ruling, Ruling::Refused | Ruling::BadQuestion);
        if about_form && self.reword(asking, fault, ruling) {
            return Next::Reword;
        }
        let no_key = self.options.no_key.as_deref();
        let no_key = no_key.filter(|_| !self.options.endpoint.has_key());
        let words = self.named(&in_words(fault, location, no_key));
        match ruling {
            Ruling::Refused => {
                self.pace.answered();
                let text = self.kept(fault.message.as_bytes());
                Next::Done(Ok(asking.wordless(text, Finish::Refused)))
            }
            Ruling::Fatal => Next::Done(Err(AskError::Fatal(words))),
            Ruling::BadRequest | Ruling::BadQuestion => {
                Next::Done(Err(asking.given_up(words, false)))
            }
            Ruling::Retry => self.come_back(asking, words, asked, None),
            Ruling::Crowded => self.come_back(asking, words, asked, Some(CROWDED)),
        }
    }

    /// Asks again when the server wants it, or by our own measure. `crowded` if it was too
    /// many, and how much longer the waits are then.
    fn come_back(
        &self,
        asking: &Asking<'_>,
        mut words: String,
        asked: Option<Duration>,
        crowded: Option<u32>,
    ) -> Next {
        let options = &self.options;
        let hopeless = asked.is_some_and(|wait| wait > options.hopeless_wait);
        if let Some(wait) = asked.filter(|_| hopeless) {
            let (wait, most) = (wait.as_secs(), options.hopeless_wait.as_secs());
            words.push_str(&format!(
                "; it asks to wait {wait} seconds, and more than {most} are not waited for"
            ));
        }
        let asked = asked.map(|wait| wait.min(options.longest_wait));
        if !hopeless && (crowded.is_some() || asked.is_some()) {
            self.pace.turned_away(asked);
        }
        if hopeless || asking.attempts >= options.attempts {
            return Next::Done(Err(asking.given_up(words, false)));
        }
        let wait = match asked {
            // Those who were sent away together must not come back together, and who is
            // sent away again and again comes back later.
            Some(asked) => {
                let apart = (asked / 4).clamp(options.first_wait / 10, options.first_wait);
                asked + backoff(&asking.body, asking.attempts, apart, options.longest_wait)
            }
            None => self.own_wait(asking, crowded.unwrap_or(1)),
        };
        Next::Wait { why: words, wait }
    }

    fn after_nonsense(&self, asking: &Asking<'_>, body: &[u8], oversized: bool) -> Next {
        if oversized || asking.attempts >= self.options.attempts {
            let text = self.kept(body);
            return Next::Done(Ok(asking.wordless(text, Finish::Unreadable)));
        }
        Next::Wait {
            why: self.named("the answer is no chat reply"),
            wait: self.own_wait(asking, 1),
        }
    }

    fn after_break(&self, asking: &Asking<'_>, kind: Break, words: &str) -> Next {
        let words = self.named(words);
        if kind == Break::Untrusted {
            return Next::Done(Err(AskError::Fatal(words)));
        }
        let unreachable = matches!(kind, Break::Unreachable | Break::Silent);
        // A wrong address should cost seconds; a server that restarts deserves patience.
        let stranger = unreachable && !self.heard.load(Ordering::Relaxed);
        let (attempts, longest) = if stranger {
            (ATTEMPTS_AT_A_STRANGER, LONGEST_WAIT_FOR_A_STRANGER)
        } else {
            (self.options.attempts, self.options.longest_wait)
        };
        if asking.attempts >= attempts.min(self.options.attempts) {
            return Next::Done(Err(asking.given_up(words, unreachable)));
        }
        Next::Wait {
            why: words,
            wait: self.own_wait(asking, 1).min(longest),
        }
    }

    fn own_wait(&self, asking: &Asking<'_>, times: u32) -> Duration {
        let first = self.options.first_wait.saturating_mul(times);
        backoff(
            &asking.body,
            asking.attempts,
            first,
            self.options.longest_wait,
        )
    }

    /// Goes one step down in the dialect, if that may be what the server wants.
    fn reword(&self, asking: &mut Asking<'_>, fault: &Fault, ruling: Ruling) -> bool {
        if !may_be_dialect(fault.status) {
            return false;
        }
        let dialect = asking.dialect;
        // Somebody else has learnt something since this was sent.
        if self.learnt.now().poorer_of(dialect) != dialect {
            return true;
        }
        let named = named_part(fault).and_then(|part| dialect.step_down(part, asking.request));
        if let Some(next) = named {
            self.adopt(next, &fault.message);
            return true;
        }
        // Nothing is named. Unless the format has served before, try without it, but only
        // here: it may as well be this question.
        let to_blame = ruling == Ruling::BadRequest && !self.format_proven.load(Ordering::Relaxed);
        let next = dialect.step_down(Part::Format, asking.request);
        match next.filter(|_| to_blame) {
            Some(next) => {
                asking.own = next;
                true
            }
            None => false,
        }
    }

    /// The question was answered. If it is the first, what it has tried is right for all.
    fn confirm(&self, asking: &Asking<'_>) {
        if asking.request.schema.is_some() && !self.format_proven.swap(true, Ordering::Relaxed) {
            self.adopt(
                asking.dialect,
                "a question with a reply format was refused, the same without was answered",
            );
        }
    }

    fn adopt(&self, dialect: Dialect, words: &str) {
        if let Some([before, now]) = self.learnt.adopt(dialect) {
            let words = harmless(&self.options.endpoint.without_secrets(words), WORDS);
            self.options.events.downgraded(before, now, &words);
        }
    }

    /// The beginning of what a server sent in place of a reply, to be stored.
    fn kept(&self, bytes: &[u8]) -> String {
        // No character has more than 4 bytes; twice that, so that a key at the end of what
        // is kept is still whole when it is looked for.
        let start = &bytes[..bytes.len().min(8 * KEPT)];
        let text = String::from_utf8_lossy(start);
        let text = self.options.endpoint.without_secrets(&text);
        text.chars().take(KEPT).collect()
    }

    /// `words` after the address, fit to be printed.
    fn named(&self, words: &str) -> String {
        let words = harmless(&self.options.endpoint.without_secrets(words), WORDS);
        format!("{}: {words}", self.options.endpoint.address())
    }
}
