//! What a judge said, as rows of a judged data set hold it.

use judica_answer::decide::Decision;
use judica_answer::verdict::{Call, ParseStatus, RowVerdict, Vote};
use judica_judge::judging::{Ballot, Judgement};
use judica_judge::run::Origin;

/// One verdict for each undecided row, none for the others.
pub fn of(decisions: &[Decision], judgements: Vec<Judgement>) -> Vec<Option<RowVerdict>> {
    let mut judgements = judgements.into_iter();
    decisions
        .iter()
        .map(|decision| match decision.is_match() {
            true => None,
            false => judgements.next().map(verdict),
        })
        .collect()
}

fn verdict(judgement: Judgement) -> RowVerdict {
    match judgement {
        Judgement::Decided { vote, replies } => RowVerdict {
            correct: Some(vote.correct),
            reasoning: vote.reasoning,
            status: vote.status,
            votes: replies.into_iter().map(ballot).collect(),
        },
        Judgement::Failed(why) => no_reply(format!("No reply came: {why}.")),
        // A run that ended early writes no data set; this is what one would say.
        Judgement::NotAsked(_) => no_reply("The run ended before it was asked.".to_owned()),
    }
}

fn no_reply(reasoning: String) -> RowVerdict {
    RowVerdict {
        correct: None,
        reasoning,
        status: ParseStatus::Error,
        votes: Vec::new(),
    }
}

fn ballot(ballot: Ballot) -> Vote {
    let Ballot {
        verdict,
        reply,
        origin,
    } = ballot;
    Vote {
        correct: Some(verdict.correct),
        reasoning: verdict.reasoning,
        status: verdict.status,
        raw_reply: Some(reply.text),
        tokens_input: reply.usage.input_tokens,
        tokens_output: reply.usage.output_tokens,
        served_by: reply.served_by,
        call: Some(Call {
            from_cache: origin == Origin::Cache,
            latency_ms: Some(reply.latency_ms),
            attempts: Some(reply.attempts),
        }),
    }
}
