//! Verifier families in execution order: a topological sort that keeps file order
//! where dependencies leave a choice, so that the order is the same for everyone.

use super::Family;
use super::file::FamilyEntry;
use crate::evidence;

/// Why the graph cannot be ordered.
#[derive(Debug, PartialEq)]
pub enum GraphError {
    /// Families that wait for each other.
    Cycle(Vec<String>),
}

/// Orders the built-in families and those of the file.
///
/// Names must be unique and dependencies known; the loader has seen to that.
pub fn execution_order(entries: &[FamilyEntry], mixed: bool) -> Result<Vec<Family>, GraphError> {
    let mut waiting: Vec<Family> = built_in(mixed);
    waiting.extend(entries.iter().map(|entry| {
        Family {
            name: entry.name.get_ref().clone(),
            depends_on: entry
                .depends_on
                .iter()
                .map(|name| name.get_ref().clone())
                .collect(),
            description: entry.description.clone(),
        }
    }));
    let mut ordered: Vec<Family> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let ready = waiting.iter().position(|family| {
            family
                .depends_on
                .iter()
                .all(|needed| ordered.iter().any(|done| done.name == *needed))
        });
        match ready {
            Some(position) => ordered.push(waiting.remove(position)),
            None => {
                return Err(GraphError::Cycle(
                    waiting.into_iter().map(|family| family.name).collect(),
                ));
            }
        }
    }
    Ok(ordered)
}

fn built_in(mixed: bool) -> Vec<Family> {
    let families = evidence::built_in(mixed).iter().map(|family| Family {
        name: family.name.to_owned(),
        depends_on: family
            .depends_on
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        description: family.description.to_owned(),
    });
    families.collect()
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
