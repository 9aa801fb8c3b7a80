//! The outputs file: what every model answered to every sample, model by model.

use std::io::{self, Write};

use crate::SynthOptions;
use crate::breakage::{Provider, break_form};
use crate::personality::{Kind, Model};
use crate::plan::{Share, plan, sample_id};
use crate::plant::{Plant, quantise, settle};
use crate::predict::Predictor;
use crate::reply::{self, Form, Wrapping};
use crate::rng::{Stream, model_stream};
use crate::samples::CHUNK;
use crate::text::{escaped, timestamp};
use crate::truth::Truth;

/// Outputs between two calls of the progress function.
const PROGRESS: u64 = 4096;

/// Writes every output of the data set and returns their number.
pub(crate) fn write<const N: usize, P: Plant<N>>(
    options: &SynthOptions,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> io::Result<u64> {
    let shares = plan::<N, P>(options)?;
    let mut buffer = Vec::with_capacity(CHUNK + 8192);
    let mut reply = Vec::with_capacity(4096);
    let mut written = 0;
    for model in (0..options.models).map(Model::new) {
        let name = model.name();
        // Place of the sample in the samples file: the second at which it was answered.
        let mut place = 0;
        for share in &shares {
            let mut answers = Answers::<N, P>::start(options.seed, model, share);
            for index in 0..share.samples {
                reply.clear();
                answers.next(index, &mut reply);
                buffer.extend_from_slice(b"{\"model_name\":\"");
                buffer.extend_from_slice(name.as_bytes());
                buffer.extend_from_slice(b"\",\"sample_id\":\"");
                sample_id(&mut buffer, share.task, index);
                buffer.extend_from_slice(b"\",\"task_id\":\"");
                buffer.extend_from_slice(share.task.name.as_bytes());
                buffer.extend_from_slice(b"\",\"timestamp\":\"");
                timestamp(&mut buffer, place);
                buffer.extend_from_slice(b"\",\"raw_response_text\":\"");
                escaped(&mut buffer, &reply);
                buffer.extend_from_slice(b"\"}\n");
                if buffer.len() >= CHUNK {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
                place += 1;
                written += 1;
                if written % PROGRESS == 0 {
                    progress(written);
                }
            }
        }
    }
    out.write_all(&buffer)?;
    progress(written);
    Ok(written)
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
    fn start(seed: u64, model: Model, share: &Share) -> Self {
        let mut rng = model_stream(seed, P::DOMAIN, model.index, share.index);
        let truth = Truth::<N, P>::start(seed, share.index);
        let predictor = Predictor::start::<P>(&model, &mut rng, share.task.ahead());
        let injects_at = match share.index {
            0 => Some(3),
            last if last + 1 == P::TASKS.len() => Some(2),
            _ => None,
        };
        Self {
            model,
            array: share.task.horizon > 0,
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
