//! Answers against gold: normalised and structural match, metrics, efficiency.
