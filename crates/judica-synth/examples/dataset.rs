//! Writes one file of a data set to standard output, for looking at it and for timing:
//! `cargo run --release -p judica-synth --example dataset -- flight outputs 3000 5 1`.

use std::io::{self, Write};

use judica_synth::{Domain, SynthOptions, write_confidence, write_outputs, write_samples};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [domain, file, samples, models, seed] = args.as_slice() else {
        return Err("usage: dataset DOMAIN samples|outputs|confidence SAMPLES MODELS SEED".into());
    };
    let domain: Domain = domain.parse()?;
    let options = SynthOptions {
        samples: samples.parse()?,
        models: models.parse()?,
        seed: seed.parse()?,
        tasks: Vec::new(),
    };
    let mut out = io::stdout().lock();
    match file.as_str() {
        "samples" => drop(write_samples(domain, &options, &mut out)?),
        "outputs" => drop(write_outputs(domain, &options, &mut out, &mut |_| {})?),
        "confidence" => write_confidence(domain, &options, &mut out)?,
        other => return Err(format!("unknown file {other:?}").into()),
    }
    out.flush()?;
    Ok(())
}
