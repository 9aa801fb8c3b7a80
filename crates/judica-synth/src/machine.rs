//! A simulated machine as what a data set is about: the state now is asked about, the states
//! to come are the truth, and what a model predicts is its reply.

use std::marker::PhantomData;

use crate::breakage::{Provider, break_form};
use crate::personality::{Kind, Model};
use crate::plant::{Plant, quantise, settle};
use crate::predict::Predictor;
use crate::reply::{self, Form, Wrapping};
use crate::rng::{Stream, model_stream};
use crate::source::{Next, Source, Task};
use crate::text::{escaped, fixed, integer};
use crate::truth::Truth;

/// The domain of a machine.
pub(crate) struct Machine<const N: usize, P>(PhantomData<P>);

impl<const N: usize, P> Machine<N, P> {
    pub(crate) const NEW: Self = Machine(PhantomData);
}

impl<const N: usize, P: Plant<N>> Source for Machine<N, P> {
    fn domain(&self) -> u64 {
        P::DOMAIN
    }

    fn tasks(&self) -> &'static [Task] {
        P::TASKS
    }

    fn samples(&self, seed: u64, task: usize) -> Next {
        let mut truth = Truth::<N, P>::start(seed, task);
        let task = &P::TASKS[task];
        Box::new(move |index, out| {
            out.extend_from_slice(b"\"context\":{\"question\":\"");
            escaped(out, task.question.as_bytes());
            out.extend_from_slice(b"\",\"current_state\":");
            state::<N, P>(out, std::slice::from_ref(truth.now()), false);
            out.extend_from_slice(b",\"record_idx\":");
            integer(out, u64::from(index));
            let array = task.horizon > 0;
            let key: &[u8] = if array { b"T+1" } else { b"next_second" };
            out.extend_from_slice(b"},\"gold\":{\"");
            out.extend_from_slice(key);
            out.extend_from_slice(b"\":");
            state::<N, P>(out, truth.next(), array);
            out.extend_from_slice(b",\"available\":true}");
            truth.advance();
        })
    }

    fn replies(&self, seed: u64, model: Model, task: usize) -> Next {
        let mut answers = Answers::<N, P>::start(seed, model, task);
        Box::new(move |index, reply| answers.next(index, reply))
    }
}

fn state<const N: usize, P: Plant<N>>(out: &mut Vec<u8>, states: &[[f64; N]], array: bool) {
    let mut separator: &[u8] = b"{\"";
    for (i, field) in P::FIELDS.iter().enumerate() {
        out.extend_from_slice(separator);
        separator = b",\"";
        out.extend_from_slice(field.name.as_bytes());
        out.extend_from_slice(b"\":");
        for (step, state) in states.iter().enumerate() {
            if array {
                out.push(if step == 0 { b'[' } else { b',' });
            }
            fixed(out, state[i], field.decimals);
        }
        if array {
            out.push(b']');
        }
    }
    out.push(b'}');
}

/// The replies of one model on one task.
struct Answers<const N: usize, P: Plant<N>> {
    model: Model,
    array: bool,
    /// The two samples of the domain at which a noisy model tries to talk to the judge.
    injects_at: Option<u32>,
    rng: Stream,
    truth: Truth<N, P>,
    predictor: Predictor<N>,
    provider: Provider,
    states: Vec<[f64; N]>,
}

impl<const N: usize, P: Plant<N>> Answers<N, P> {
    fn start(seed: u64, model: Model, index: usize) -> Self {
        let task = &P::TASKS[index];
        let mut rng = model_stream(seed, P::DOMAIN, model.index, index);
        let truth = Truth::<N, P>::start(seed, index);
        let predictor = Predictor::start::<P>(&model, &mut rng, task.ahead());
        let injects_at = match index {
            0 => Some(3),
            last if last + 1 == P::TASKS.len() => Some(2),
            _ => None,
        };
        Self {
            model,
            array: task.horizon > 0,
            injects_at: injects_at.filter(|_| model.kind == Kind::Noisy),
            rng,
            truth,
            predictor,
            provider: Provider::default(),
            states: Vec::new(),
        }
    }

    /// Writes the reply to the task's sample `index` and moves on by one second.
    fn next(&mut self, index: u32, reply: &mut Vec<u8>) {
        let rng = &mut self.rng;
        self.states.clear();
        self.states.extend_from_slice(self.truth.next());
        self.predictor.predict::<P>(rng, &mut self.states);
        self.truth.advance();

        let form = match self.model.kind {
            Kind::Noisy => {
                let mut form = Form::clean(rng);
                form.rounded = !rng.chance(0.05);
                if self.injects_at == Some(index) {
                    form.wrapping = Wrapping::Injection;
                }
                Ok(form)
            }
            Kind::FormatBreaking => break_form(rng, self.states.len(), self.model.scale),
            Kind::RateLimited => match self.provider.error(rng) {
                Some(error) => Err(error),
                None => Ok(Form::clean(rng)),
            },
            Kind::Accurate | Kind::Unsafe => Ok(Form::clean(rng)),
        };
        match form {
            Ok(form) => {
                for state in &mut self.states {
                    if form.rounded {
                        quantise(P::FIELDS, state);
                    } else {
                        settle(P::FIELDS, state);
                    }
                }
                reply::write(reply, P::FIELDS, &self.states, self.array, &form);
            }
            Err(text) => reply.extend_from_slice(text.as_bytes()),
        }
    }
}
