//! The names in a formula: atoms with their arguments and comparisons, and agents.

use super::lexer::{Lexer, Token, word_end};
use super::words::{connective, is_not};

/// Appends the atom that begins with `word`, which has been taken, to `names`: in lower
/// case, without white space. Says whether it is a comparison; `None` if it is no atom.
pub(super) fn write_atom(word: &str, lexer: &mut Lexer<'_>, names: &mut String) -> Option<bool> {
    write_term(word, lexer, names)?;
    let mut ahead = *lexer;
    let Token::Comparison(sign) = ahead.token() else {
        return Some(false);
    };
    names.push_str(sign);
    let Token::Word(right) = ahead.token() else {
        return None;
    };
    *lexer = ahead;
    write_term(right, lexer, names)?;
    Some(true)
}

/// A name, a number, or a predicate over such terms.
fn write_term(word: &str, lexer: &mut Lexer<'_>, names: &mut String) -> Option<()> {
    write_name(word, names)?;
    if !lexer.take_open() {
        return Some(());
    }
    names.push('(');
    let mut open = 1_usize;
    // Whether a term has just ended, rather than one being due; nothing is due between
    // the parentheses of `p()`.
    let mut term_ended = false;
    let mut just_opened = true;
    while open > 0 {
        match lexer.token() {
            Token::Word(word) if !term_ended => {
                write_name(word, names)?;
                just_opened = lexer.take_open();
                term_ended = !just_opened;
                if just_opened {
                    names.push('(');
                    open += 1;
                }
            }
            Token::Comma if term_ended => {
                names.push(',');
                term_ended = false;
                just_opened = false;
            }
            Token::Close if term_ended || just_opened => {
                names.push(')');
                open -= 1;
                term_ended = true;
                just_opened = false;
            }
            _ => return None,
        }
    }
    Some(())
}

/// A name in lower case; operators are none.
fn write_name(word: &str, names: &mut String) -> Option<()> {
    if is_not(word) || connective(word).is_some() {
        return None;
    }
    write_lower(word, names);
    Some(())
}

/// Appends the agents of a coalition, in their order: names in lower case, separated by
/// commas; a name of several words keeps its spaces, one each. `None` if they are no list.
pub(super) fn write_agents(inside: &str, names: &mut String) -> Option<()> {
    if inside.trim_start().is_empty() {
        return Some(());
    }
    for (at, agent) in inside.split(',').enumerate() {
        if at > 0 {
            names.push(',');
        }
        let mut words = 0;
        for word in agent.split_whitespace() {
            if word_end(word, 0) != word.len() {
                return None;
            }
            if words > 0 {
                names.push(' ');
            }
            write_name(word, names)?;
            words += 1;
        }
        if words == 0 {
            return None;
        }
    }
    Some(())
}

fn write_lower(word: &str, names: &mut String) {
    if word.is_ascii() {
        let from = names.len();
        names.push_str(word);
        names[from..].make_ascii_lowercase();
    } else {
        names.extend(word.chars().flat_map(char::to_lowercase));
    }
}
