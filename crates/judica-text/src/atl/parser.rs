//! Tokens to a formula, by operator precedence over two stacks of our own.

use super::atom::{write_agents, write_atom};
use super::formula::{Formula, Id, Kind, Tree};
use super::lexer::{Lexer, Token};
use super::words;

/// Reads a whole text as a formula.
pub(super) fn parse(text: &str) -> Option<Formula> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        tree: Tree::for_text(text.len()),
        operands: Vec::with_capacity(8),
        pending: Vec::with_capacity(16),
    };
    let root = parser.formula()?;
    Some(Formula::new(parser.tree, root))
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    tree: Tree,
    operands: Vec<Operand>,
    /// Operators that wait for their last operand, and open parentheses.
    pending: Vec<Pending>,
}

struct Operand {
    id: Id,
    open_to: OpenTo,
}

/// What an operator next to an operand without parentheses might tear it apart into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenTo {
    Nothing,
    /// `x = 3` after a negation: `(!x) = 3`?
    Negation,
    /// `<<A>>p` before an until: `<<A>>(p U q)`?
    Until,
}

#[derive(Clone, Copy)]
enum Pending {
    Open,
    Prefix(Kind),
    Coalition(Kind, Id),
    Infix(Kind),
}

impl<'a> Parser<'a> {
    /// Operands and operators in turn until the end.
    fn formula(&mut self) -> Option<Id> {
        loop {
            self.operand()?;
            // After an operand: close what ends here, or go on to the next operand.
            let operator = loop {
                match self.lexer.token() {
                    Token::Close => self.close()?,
                    Token::Infix(kind) => break kind,
                    Token::Word(word) => break words::infix(word)?,
                    Token::End => return self.end(),
                    _ => return None,
                }
            };
            self.infix(operator)?;
        }
    }

    /// An atom and all that stands before it.
    fn operand(&mut self) -> Option<()> {
        loop {
            match self.lexer.token() {
                Token::Open => self.pending.push(Pending::Open),
                Token::Prefix(kind) => self.pending.push(Pending::Prefix(kind)),
                Token::Coalition(kind, inside) => {
                    let from = self.tree.names.len();
                    write_agents(inside, &mut self.tree.names)?;
                    let agents = self.tree.leaf(Kind::Agents, from);
                    self.pending.push(Pending::Coalition(kind, agents));
                }
                Token::Word(word) => {
                    if let Some(name) = self.prefix_words(word)? {
                        return self.atom(name);
                    }
                }
                _ => return None,
            }
        }
    }

    /// Takes the operators in a word where an operand is due; returns the name that is
    /// left, if any. `None` if the word cannot stand here.
    fn prefix_words(&mut self, word: &'a str) -> Option<Option<&'a str>> {
        if words::is_not(word) {
            self.pending.push(Pending::Prefix(Kind::Not));
            return Some(None);
        }
        if words::is_reserved(word) {
            return None;
        }
        let (operators, rest) = words::letters(word);
        let glued = rest.len() < word.len() && words::is_short_name(rest);
        let run = rest.is_empty() && (word.len() == 1 || self.operand_follows());
        if glued || run {
            self.pending.extend(operators.map(Pending::Prefix));
            return Some(glued.then_some(rest));
        }
        if let Some(kind) = words::prefix(word)
            && self.operand_follows()
        {
            self.pending.push(Pending::Prefix(kind));
            return Some(None);
        }
        Some(Some(word))
    }

    fn operand_follows(&self) -> bool {
        let mut ahead = self.lexer;
        match ahead.token() {
            Token::Open | Token::Prefix(_) | Token::Coalition(..) => true,
            Token::Word(word) => words::infix(word).is_none(),
            _ => false,
        }
    }

    fn atom(&mut self, name: &str) -> Option<()> {
        let from = self.tree.names.len();
        let comparison = write_atom(name, &mut self.lexer, &mut self.tree.names)?;
        let id = self.tree.leaf(Kind::Atom, from);
        let open_to = if comparison {
            OpenTo::Negation
        } else {
            OpenTo::Nothing
        };
        self.operands.push(Operand { id, open_to });
        Some(())
    }

    /// An operator between operands: those that bind tighter have all they need.
    fn infix(&mut self, kind: Kind) -> Option<()> {
        let ours = tightness(kind);
        while let Some(&last) = self.pending.last() {
            match last {
                Pending::Open => break,
                Pending::Prefix(_) | Pending::Coalition(..) => self.reduce()?,
                Pending::Infix(before) => match tightness(before).cmp(&ours) {
                    std::cmp::Ordering::Greater => self.reduce()?,
                    std::cmp::Ordering::Less => break,
                    std::cmp::Ordering::Equal if before != kind => return None,
                    std::cmp::Ordering::Equal => match kind {
                        Kind::And | Kind::Or => self.reduce()?,
                        _ => break,
                    },
                },
            }
        }
        self.pending.push(Pending::Infix(kind));
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        loop {
            match self.pending.last()? {
                Pending::Open => break,
                _ => self.reduce()?,
            }
        }
        self.pending.pop();
        self.operands.last_mut()?.open_to = OpenTo::Nothing;
        Some(())
    }

    fn end(&mut self) -> Option<Id> {
        while let Some(last) = self.pending.last() {
            match last {
                Pending::Open => return None,
                _ => self.reduce()?,
            }
        }
        self.operands.pop().map(|operand| operand.id)
    }

    /// Gives the last pending operator its operands.
    fn reduce(&mut self) -> Option<()> {
        let last = self.operands.pop()?;
        let (id, open_to) = match self.pending.pop()? {
            Pending::Open => return None,
            Pending::Prefix(kind) => {
                let loose = kind == Kind::Not && last.open_to == OpenTo::Negation;
                let id = self.tree.ordered(kind, loose, [last.id].into_iter());
                let open_to = match last.open_to {
                    OpenTo::Until => OpenTo::Until,
                    _ => OpenTo::Nothing,
                };
                (id, open_to)
            }
            Pending::Coalition(kind, agents) => {
                let operands = [agents, last.id].into_iter();
                (self.tree.ordered(kind, false, operands), OpenTo::Until)
            }
            Pending::Infix(kind @ (Kind::And | Kind::Or)) => {
                let first = self.operands.pop()?;
                (
                    self.tree.unordered(kind, first.id, last.id),
                    OpenTo::Nothing,
                )
            }
            Pending::Infix(Kind::Implies) => {
                let operands = [self.operands.pop()?.id, last.id].into_iter();
                (
                    self.tree.ordered(Kind::Implies, false, operands),
                    OpenTo::Nothing,
                )
            }
            Pending::Infix(kind) => (self.chain(kind, last)?, OpenTo::Nothing),
        };
        self.operands.push(Operand { id, open_to });
        Some(())
    }

    /// Operators whose grouping is not assumed: all that stand in a row become one.
    fn chain(&mut self, kind: Kind, last: Operand) -> Option<Id> {
        let mut count = 1;
        while matches!(self.pending.last(), Some(Pending::Infix(before)) if *before == kind) {
            self.pending.pop();
            count += 1;
        }
        let first = self.operands.len().checked_sub(count)?;
        let before = self.operands.split_off(first);
        if kind != Kind::Iff {
            for left in before.iter().filter(|left| left.open_to == OpenTo::Until) {
                self.tree.loosen(left.id);
            }
        }
        let ids = before.iter().map(|operand| operand.id).chain([last.id]);
        Some(self.tree.ordered(kind, false, ids))
    }
}

/// How tightly an operator between operands binds.
fn tightness(kind: Kind) -> u8 {
    match kind {
        Kind::Iff => 0,
        Kind::Implies => 1,
        Kind::Or => 2,
        Kind::And => 3,
        _ => 4,
    }
}
