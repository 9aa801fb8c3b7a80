//! The grammar of what is not a number: text, dates, lists, and whose value of a field is read.

use super::Kind;
use super::beyond::{Beyond, Fold, Term};
use super::code::{Binary, Op};
use super::error::{ExprError, quote};
use super::lex::{Tok, Token};
use super::operand::Operand;
use super::parse::Parser;
use super::scope::{Read, Source};
use crate::value::Value;
use judica_model::nearest::nearest;

/// Farthest step that can be named from another.
const FARTHEST: f64 = 255.0;

impl Parser<'_> {
    /// Something without code.
    fn term(&self, kind: Kind, span: std::ops::Range<usize>, term: Term) -> Operand {
        Operand {
            kind,
            span,
            at: self.asm.here(),
            peak: 0,
            term: Some(term),
        }
    }

    /// Text in quotes.
    pub(super) fn quoted(&mut self) -> Operand {
        let span = self.advance().span;
        let text = Value::Text(self.source[span.start + 1..span.end - 1].into());
        self.term(Kind::Text, span, Term::Literal(text))
    }

    /// `[1, 2]` or `["a", "b"]`.
    pub(super) fn listed(&mut self) -> Result<Operand, ExprError> {
        let mut span = self.advance().span;
        let mut items = Vec::new();
        while self.peek() != Tok::CloseList {
            let negative = self.peek() == Tok::Sub;
            if negative {
                self.advance();
            }
            let item = match self.peek() {
                Tok::Number(number) if negative => Value::Number(-number),
                Tok::Number(number) => Value::Number(number),
                Tok::Text if !negative => {
                    let span = self.token().span.clone();
                    Value::Text(self.source[span.start + 1..span.end - 1].into())
                }
                _ => {
                    let message = format!("a list holds numbers or texts, not {}", self.found());
                    return Err(ExprError::new(self.token().span.clone(), message));
                }
            };
            self.advance();
            items.push(item);
            match self.peek() {
                Tok::Comma => {
                    self.advance();
                }
                Tok::CloseList => {}
                _ => return Err(ExprError::new(span, "this `[` is never closed")),
            }
        }
        span.end = self.advance().span.end;
        Ok(self.term(Kind::List, span, Term::Literal(Value::List(items))))
    }

    /// A name that can be read, whosever value is meant; `None` for a name that cannot.
    pub(super) fn variable(&mut self, token: &Token) -> Result<Option<Operand>, ExprError> {
        let text = &self.source[token.span.clone()];
        // The name is the token before the next.
        let before = self.next > 1 && self.is_equality(self.next - 2);
        let mut span = token.span.clone();
        let mut name = token.clone();
        let mut source = Source::Own;
        let named = Source::NAMED.iter().find(|(known, _)| *known == text);
        if let (Some((_, named)), Tok::Dot) = (named, self.peek()) {
            self.advance();
            name = self.advance();
            span.end = name.span.end;
            source = *named;
            if self.scope.reads.is_none() {
                let message = format!(
                    "{} can be read by rules per step only",
                    quote(self.source, &span)
                );
                return Err(ExprError::new(span, message));
            }
        }
        let word = &self.source[name.span.clone()];
        let variables = self.scope.variables;
        let Some(field) = variables.iter().position(|known| known.name == word) else {
            let known = variables.iter().any(|known| known.kind == Kind::Boolean);
            if known && matches!(word, "true" | "false") && (before || self.is_equality(self.next))
            {
                let truth = f64::from(u8::from(word == "true"));
                return Ok(Some(self.leaf(token, Op::LoadConst(truth))));
            }
            if source == Source::Own {
                return Ok(None);
            }
            let error = ExprError::new(name.span.clone(), format!("unknown name `{word}`"));
            let near = nearest(word, variables.iter().map(|variable| variable.name));
            return Err(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let offset = self.offset(source, &mut span)?;
        if source == Source::Previous && matches!(variables[field].kind, Kind::Text | Kind::List) {
            let message = "`previous` knows numbers, dates and booleans only";
            return Err(ExprError::new(span, message));
        }
        let read = Read {
            source,
            field,
            offset,
        };
        let slot = match self.scope.reads {
            Some(reads) => reads.slot(read),
            None => field,
        };
        self.variables.push(slot);
        let mut kind = variables[field].kind;
        if let (Kind::List, Some(lists)) = (kind, &mut self.over) {
            lists.push(slot);
            kind = variables[field].element;
        }
        let at = self.asm.here();
        Ok(Some(match kind {
            Kind::Text | Kind::List => self.term(kind, span, Term::Slot(slot)),
            // Beside a comparison with another it is what is compared.
            Kind::Boolean if !before && !self.is_equality(self.next) => {
                self.asm.emit(Op::LoadSlot(slot));
                self.asm.emit(Op::TestSlot(slot));
                Operand {
                    kind,
                    span,
                    at,
                    peak: 0,
                    term: None,
                }
            }
            _ => {
                let mut leaf = self.leaf(token, Op::LoadSlot(slot));
                leaf.span = span;
                if kind == Kind::Date {
                    leaf.kind = Kind::Date;
                }
                leaf
            }
        }))
    }

    fn is_equality(&self, at: usize) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| matches!(token.tok, Tok::Compare(Binary::Eq | Binary::Ne)))
    }

    /// `[-1]` behind a name, the step before.
    fn offset(
        &mut self,
        source: Source,
        span: &mut std::ops::Range<usize>,
    ) -> Result<i32, ExprError> {
        if self.peek() != Tok::OpenList {
            return Ok(0);
        }
        let open = self.advance();
        let negative = self.peek() == Tok::Sub;
        if negative {
            self.advance();
        }
        let steps = match self.peek() {
            Tok::Number(steps) if steps.fract() == 0.0 && steps <= FARTHEST => steps,
            _ => {
                let message = format!("expected a number of steps, found {}", self.found());
                return Err(ExprError::new(self.token().span.clone(), message)
                    .help("`[-1]` is the step before, `[1]` the one after"));
            }
        };
        self.advance();
        if self.peek() != Tok::CloseList {
            return Err(ExprError::new(open.span, "this `[` is never closed"));
        }
        span.end = self.advance().span.end;
        if self.scope.reads.is_none() || !matches!(source, Source::Own | Source::Gold) {
            let message = format!("{} has no other steps", quote(self.source, span));
            return Err(ExprError::new(span.clone(), message));
        }
        Ok(if negative {
            -steps as i32
        } else {
            steps as i32
        })
    }

    /// Text that is written down where a date is wanted becomes one.
    pub(super) fn dated(&mut self, operand: &mut Operand) -> Result<(), ExprError> {
        let Some(Term::Literal(Value::Text(text))) = &operand.term else {
            return Ok(());
        };
        let moment = self.moment(text, operand.span.clone())?;
        operand.at = self.asm.here();
        self.asm.emit(Op::LoadConst(moment));
        operand.kind = Kind::Date;
        operand.term = None;
        Ok(())
    }

    /// The right side of a comparison whose left side is no number, joined to it.
    pub(super) fn compared_term(
        &mut self,
        left: &mut Operand,
        operator: Binary,
        place: &std::ops::Range<usize>,
    ) -> Result<Operand, ExprError> {
        let who = quote(self.source, place);
        let mut right = self.sum()?;
        if left.kind == Kind::Date {
            self.dated(&mut right)?;
            right.require(Kind::Date, &who, self.source)?;
            let waiting = self.asm.binary(operator, right.at);
            left.join(&right, waiting)?;
            return Ok(right);
        }
        if right.kind == Kind::Date {
            // The date was computed first; it is compared the other way round.
            self.dated(left)?;
            left.require(Kind::Date, &who, self.source)?;
            self.asm.binary(turned(operator), left.at);
            left.at = right.at;
            left.join(&right, 1)?;
            return Ok(right);
        }
        right.require(left.kind, &who, self.source)?;
        if !matches!(operator, Binary::Eq | Binary::Ne) {
            let message = format!("{} has no order", left.kind.words());
            return Err(ExprError::new(left.span.start..right.span.end, message)
                .help("compare it with `==` or `!=`"));
        }
        self.check_values(left, &right);
        self.check_values(&right, left);
        if left.kind == Kind::List {
            self.agree(left, &mut right, &who)?;
        }
        if let (Some(one), Some(other)) = (left.term.take(), right.term.clone()) {
            left.at = self.asm.beyond(Beyond::Equal(one, other), Op::Test);
        }
        if operator == Binary::Ne {
            self.asm.emit(Op::Not);
        }
        left.join(&right, 0)?;
        Ok(right)
    }

    /// A call of a function of text or lists; `None` where it is another one.
    pub(super) fn of_terms(&mut self, token: &Token) -> Option<Result<Operand, ExprError>> {
        let name = &self.source[token.span.clone()];
        let fold = Fold::NAMED.iter().find(|(known, _)| *known == name);
        match (name, fold) {
            ("len" | "lower" | "is_null", _) => Some(self.of_one_term(token)),
            ("max" | "min", _) if !self.has_lists() || !self.one_argument() => None,
            (_, Some((_, fold))) => Some(self.fold(token, *fold)),
            _ => None,
        }
    }

    fn has_lists(&self) -> bool {
        let mut variables = self.scope.variables.iter();
        variables.any(|variable| variable.kind == Kind::List)
    }

    /// Whether the call whose `(` comes next has one argument.
    fn one_argument(&self) -> bool {
        let mut depth = 0;
        for token in &self.tokens[self.next..] {
            match token.tok {
                Tok::Open | Tok::OpenList => depth += 1,
                Tok::Close | Tok::CloseList if depth == 1 => return true,
                Tok::Close | Tok::CloseList => depth -= 1,
                Tok::Comma if depth == 1 => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether these tokens are a name and nothing else: `x`, `gold.x`, `x[-1]`.
    fn is_name(&self, tokens: std::ops::Range<usize>) -> bool {
        let tokens: Vec<Tok> = self.tokens[tokens].iter().map(|token| token.tok).collect();
        let name = match tokens.as_slice() {
            [name @ .., Tok::OpenList, Tok::Number(_), Tok::CloseList]
            | [
                name @ ..,
                Tok::OpenList,
                Tok::Sub,
                Tok::Number(_),
                Tok::CloseList,
            ] => name,
            name => name,
        };
        matches!(name, [Tok::Name] | [Tok::Name, Tok::Dot, Tok::Name])
    }

    fn of_one_term(&mut self, token: &Token) -> Result<Operand, ExprError> {
        let name = &self.source[token.span.clone()];
        let open = self.advance();
        let read_before = self.variables.len();
        let begin = self.next;
        let argument = self.nested(Self::expression)?;
        let within = begin..self.next;
        let span = token.span.start..self.close(&open)?;
        let wrong = |wanted| {
            let who = format!("`{name}`");
            ExprError::wrong_kind(
                &who,
                wanted,
                argument.kind,
                self.source,
                argument.span.clone(),
            )
        };
        if name == "is_null" {
            // Nothing but the name itself can be null.
            let (true, &[slot]) = (self.is_name(within), &self.variables[read_before..]) else {
                let message = "`is_null` asks of one name";
                return Err(ExprError::new(span, message).help("write `is_null(name)`"));
            };
            self.asked.push(slot);
            let at = self.asm.beyond(Beyond::IsNull(slot), Op::Test);
            return Ok(Operand {
                kind: Kind::Boolean,
                span,
                at: at.min(argument.at),
                peak: argument.peak,
                term: None,
            });
        }
        let Some(term) = argument.term.clone() else {
            return Err(wrong(Kind::Text));
        };
        if name == "lower" {
            if argument.kind != Kind::Text {
                return Err(wrong(Kind::Text));
            }
            return Ok(self.term(Kind::Text, span, Term::Lower(Box::new(term))));
        }
        let at = self.asm.beyond(Beyond::Length(term), Op::Beyond);
        Ok(Operand {
            kind: Kind::Number,
            span,
            at,
            peak: 0,
            term: None,
        })
    }

    /// `any`, `all`, `sum`, `max`, `min` over the elements of lists.
    fn fold(&mut self, token: &Token, fold: Fold) -> Result<Operand, ExprError> {
        let name = &self.source[token.span.clone()];
        let open = self.advance();
        if self.over.is_some() {
            let message = format!("`{name}` cannot stand within another that goes over lists");
            return Err(ExprError::new(token.span.clone(), message));
        }
        self.over = Some(Vec::new());
        let outside = std::mem::take(&mut self.asm);
        let body = self.nested(Self::expression);
        let inside = std::mem::replace(&mut self.asm, outside);
        let mut lists = self.over.take().unwrap_or_default();
        let body = body?;
        let span = token.span.start..self.close(&open)?;
        let wanted = match fold.of_conditions() {
            true => Kind::Boolean,
            false => Kind::Number,
        };
        body.require(wanted, &format!("`{name}`"), self.source)?;
        if lists.is_empty() {
            let message = format!("`{name}` goes over the elements of a list, and this reads none");
            return Err(ExprError::new(span, message));
        }
        lists.sort_unstable();
        lists.dedup();
        let program = inside.program(body.peak);
        let over = Beyond::Over(fold, program, lists.into());
        let op: fn(usize) -> Op = match fold.of_conditions() {
            true => Op::Test,
            false => Op::Beyond,
        };
        Ok(Operand {
            kind: wanted,
            span,
            at: self.asm.beyond(over, op),
            peak: 0,
            term: None,
        })
    }
}

/// The operator with its sides exchanged.
fn turned(operator: Binary) -> Binary {
    match operator {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        same => same,
    }
}
