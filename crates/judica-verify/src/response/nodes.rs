//! Responses that hold more than numbers under keys of their own: the tree of places is walked
//! down beside the text, once; what stands at none of them is not kept.

use judica_data::json::{Scanner, ValueKind};

use super::{
    ArrayAs, EXTRA_KEYS, FieldSink, FieldState, MAX_DEPTH, ResponseReader, Scan, excerpt, scalar,
};
use crate::expr::Slots;
use crate::protocol::nodes::Node;
use crate::protocol::{Shape, Task};
use crate::value::{NULL, Value};
use judica_model::text::few;

/// So many keys that nobody knows are named.
const NAMED_EXTRA: usize = 5;

/// Where the walk is.
struct Walk<'a, 's, 't> {
    task: &'a Task,
    sink: &'a mut FieldSink<'s>,
    /// Containers that are open.
    depth: usize,
    /// Whether the objects of a list are gone over.
    in_list: bool,
    /// The keys that lead here.
    path: String,
    extra: &'t mut Vec<String>,
}

impl Walk<'_, '_, '_> {
    /// Sets the element of a field's list that belongs to the object at hand.
    fn set_last(&mut self, field: usize, value: Value) {
        if let Value::List(items) = &mut self.sink.held[field]
            && let Some(last) = items.last_mut()
        {
            *last = value;
        }
    }

    /// Forgets the keys nobody knows, from the `since`th on, that an earlier value of the key
    /// had which leads here.
    fn forget_extra(&mut self, since: usize) {
        let path = &self.path;
        let below = |extra: &str| {
            let rest = extra.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let mut at = 0;
        self.extra.retain(|extra| {
            at += 1;
            at <= since || !below(extra)
        });
    }
}

impl ResponseReader<'_> {
    /// Reads one object; returns where it ends.
    pub(super) fn read_whole(
        &mut self,
        mut scanner: Scanner,
        root: &Node,
        task: &Task,
        sink: &mut FieldSink,
    ) -> Scan<usize> {
        if scanner.kind()? != ValueKind::Object {
            return scanner.fail();
        }
        let mut extra = Vec::new();
        let mut walk = Walk {
            task,
            sink,
            depth: 0,
            in_list: false,
            path: String::new(),
            extra: &mut extra,
        };
        self.descend(&mut scanner, root, &mut walk)?;
        for field in 0..self.protocol.fields.len() {
            self.finish_list(field, sink);
        }
        self.settle_when(task, sink);
        if !extra.is_empty() && !self.protocol.extra_keys.are_allowed() {
            let text = few(extra.iter().take(NAMED_EXTRA), ", ", extra.len());
            sink.texts.push((EXTRA_KEYS, text.into()));
        }
        Ok(scanner.pos)
    }

    /// Goes on with what stands at a node.
    fn descend(&mut self, scanner: &mut Scanner, node: &Node, walk: &mut Walk) -> Scan<()> {
        let kind = scanner.kind()?;
        let start = scanner.pos;
        if !node.fields.is_empty() {
            scanner.skip_value(walk.depth, MAX_DEPTH)?;
            let span = scanner.slice(start, scanner.pos);
            for field in &node.fields {
                self.take_value(*field, span, walk);
            }
            if node.keys.is_empty() && node.each.is_none() {
                return Ok(());
            }
            return self.descend_into(&mut Scanner::new(span, 0), kind, node, walk);
        }
        self.descend_into(scanner, kind, node, walk)
    }

    fn descend_into(
        &mut self,
        scanner: &mut Scanner,
        kind: ValueKind,
        node: &Node,
        walk: &mut Walk,
    ) -> Scan<()> {
        let start = scanner.pos;
        let of_elements = |key: &str| key.parse::<usize>().is_ok();
        let has_positions = node.keys.iter().any(|(key, _)| of_elements(key));
        match kind {
            ValueKind::Object if !node.keys.is_empty() => self.object(scanner, node, walk),
            ValueKind::Array if node.each.is_some() || has_positions => {
                self.array(scanner, node, walk)
            }
            ValueKind::String => {
                // An object given as JSON text is that object.
                let string = scanner.string()?;
                let mut text = Vec::new();
                let text = string.decode(&mut text).trim_ascii();
                let mut inner = Scanner::new(text, 0);
                let inner_kind = inner.kind();
                let container = matches!(inner_kind, Ok(ValueKind::Object | ValueKind::Array));
                let whole = container
                    && Scanner::new(text, 0)
                        .skip_value(walk.depth, MAX_DEPTH)
                        .is_ok();
                match inner_kind {
                    Ok(kind) if whole => self.descend_into(&mut inner, kind, node, walk),
                    _ => {
                        self.misplaced(node, scanner.slice(start, scanner.pos), walk);
                        Ok(())
                    }
                }
            }
            ValueKind::Null => {
                scanner.skip_value(walk.depth, MAX_DEPTH)?;
                for field in node
                    .below
                    .iter()
                    .filter(|field| !node.fields.contains(field))
                {
                    if walk.in_list {
                        walk.set_last(*field, Value::Null);
                        continue;
                    }
                    self.forget(*field, walk);
                    walk.sink.states[*field] = FieldState::Null;
                    walk.sink.held[*field * walk.task.horizon] = Value::Null;
                }
                Ok(())
            }
            _ => {
                scanner.skip_value(walk.depth, MAX_DEPTH)?;
                self.misplaced(node, scanner.slice(start, scanner.pos), walk);
                Ok(())
            }
        }
    }

    /// Something else stands where the way to fields should go on.
    fn misplaced(&mut self, node: &Node, span: &[u8], walk: &mut Walk) {
        for field in node
            .below
            .iter()
            .filter(|field| !node.fields.contains(field))
        {
            self.forget(*field, walk);
            walk.sink.states[*field] = FieldState::WrongShape;
            let slot = *field * walk.task.horizon;
            walk.sink.held[slot] = Value::Unusable;
            walk.sink.texts.push((slot as u32, excerpt(span)));
        }
    }

    fn object(&mut self, scanner: &mut Scanner, node: &Node, walk: &mut Walk) -> Scan<()> {
        scanner.expect(b'{')?;
        walk.depth += 1;
        if walk.depth > MAX_DEPTH {
            return Err(judica_data::json::ScanError::TooDeep(scanner.pos));
        }
        // Duplicate keys: the last one wins, so whatever an earlier one left goes.
        if !walk.in_list {
            for field in node
                .below
                .iter()
                .filter(|field| !node.fields.contains(field))
            {
                if walk.sink.states[*field] != FieldState::Missing {
                    self.forget(*field, walk);
                }
            }
        }
        if scanner.take(b'}') {
            walk.depth -= 1;
            return Ok(());
        }
        let mut guess = 0;
        let extra_before = walk.extra.len();
        loop {
            let key = scanner.key()?;
            let mut buffer = std::mem::take(&mut self.key_buffer);
            let name = key.decode(&mut buffer);
            match node.key(name, guess) {
                Some(at) => {
                    guess = at + 1;
                    let (key, below) = &node.keys[at];
                    self.key_buffer = buffer;
                    let length = walk.path.len();
                    if !self.protocol.extra_keys.are_allowed() {
                        walk.path.push('/');
                        walk.path.push_str(key);
                        if walk.extra.len() > extra_before {
                            walk.forget_extra(extra_before);
                        }
                    }
                    self.descend(scanner, below, walk)?;
                    walk.path.truncate(length);
                }
                None => {
                    if !self.protocol.extra_keys.are_allowed() {
                        let name = excerpt(name);
                        let extra = match walk.path.is_empty() {
                            true => name.into_string(),
                            false => format!("{}/{name}", walk.path),
                        };
                        if !walk.extra.contains(&extra) {
                            walk.extra.push(extra);
                        }
                    }
                    self.key_buffer = buffer;
                    scanner.skip_value(walk.depth, MAX_DEPTH)?;
                }
            }
            if !scanner.take(b',') {
                walk.depth -= 1;
                return scanner.expect(b'}');
            }
        }
    }

    fn array(&mut self, scanner: &mut Scanner, node: &Node, walk: &mut Walk) -> Scan<()> {
        scanner.expect(b'[')?;
        walk.depth += 1;
        let each = node.each.as_deref();
        for field in each.map(|each| &each.below[..]).unwrap_or_default() {
            self.forget(*field, walk);
            walk.sink.states[*field] = FieldState::Valid;
            walk.sink.held[*field] = Value::List(Vec::new());
        }
        let mut position = 0_usize;
        if scanner.take(b']') {
            walk.depth -= 1;
            return Ok(());
        }
        loop {
            let named = match node.keys.is_empty() {
                true => None,
                false => node.key(position.to_string().as_bytes(), 0),
            };
            let start = scanner.pos;
            if let Some(at) = named {
                self.descend(scanner, &node.keys[at].1, walk)?;
            }
            if let Some(each) = each {
                for field in &each.below {
                    if let Value::List(items) = &mut walk.sink.held[*field] {
                        items.push(Value::Nothing);
                    }
                }
                if named.is_some() {
                    scanner.pos = start;
                }
                walk.in_list = true;
                let went = self.descend(scanner, each, walk);
                walk.in_list = false;
                went?;
            }
            if named.is_none() && each.is_none() {
                scanner.skip_value(walk.depth, MAX_DEPTH)?;
            }
            position += 1;
            if !scanner.take(b',') {
                walk.depth -= 1;
                return scanner.expect(b']');
            }
        }
    }

    /// Forgets what an earlier value of a field left.
    fn forget(&mut self, field: usize, walk: &mut Walk) {
        if walk.in_list || walk.sink.states[field] == FieldState::Missing {
            return;
        }
        let horizon = walk.task.horizon;
        let slots = field * horizon..(field + 1) * horizon;
        walk.sink.states[field] = FieldState::Missing;
        walk.sink.values[slots.clone()].fill(f64::NAN);
        walk.sink.held[slots.clone()].fill(Value::Nothing);
        walk.sink.forget_texts(slots);
    }

    /// Takes the value of a field, or the element of its list that it is in this object.
    fn take_value(&mut self, field: usize, span: &[u8], walk: &mut Walk) {
        let entry = &self.protocol.fields[field];
        let horizon = walk.task.horizon;
        let kind = Scanner::new(span, 0).kind();
        if walk.in_list {
            let value = scalar::read(entry, span, &mut self.value_buffer);
            if value == Value::Unusable {
                walk.sink.states[field] = FieldState::Invalid;
                let at = walk.sink.held[field].items().len().saturating_sub(1);
                let text = format!("[{at}]: {}", excerpt(span));
                walk.sink.texts.push((field as u32, text.into()));
            }
            walk.set_last(field, value);
            return;
        }
        self.forget(field, walk);
        let slot = field * horizon;
        let array = matches!(kind, Ok(ValueKind::Array));
        let steps = walk.task.shape == Shape::Array && entry.list.is_none();
        let null = matches!(kind, Ok(ValueKind::Null)) && (!steps || entry.nullable);
        let state = if null {
            walk.sink.held[slot] = Value::Null;
            FieldState::Null
        } else if entry.list.is_some() {
            match array {
                true => self.take_list(field, span, walk.sink),
                false => FieldState::WrongShape,
            }
        } else if steps {
            match array {
                true => self.take_steps(field, span, walk),
                false => FieldState::WrongShape,
            }
        } else if let Some(one) = self.one_of(span, array) {
            let value = scalar::read(entry, one, &mut self.value_buffer);
            let state = match value {
                Value::Unusable => FieldState::Invalid,
                Value::Null => FieldState::Null,
                _ => FieldState::Valid,
            };
            walk.sink.values[slot] = value.number();
            walk.sink.held[slot] = value;
            state
        } else {
            FieldState::WrongShape
        };
        walk.sink.states[field] = state;
        if state == FieldState::WrongShape {
            walk.sink.held[slot..slot + horizon].fill(Value::Unusable);
        }
        let told = walk.sink.texts[walk.sink.texts_before..].iter();
        let mut told = told.filter(|(at, _)| (slot..slot + horizon).contains(&(*at as usize)));
        if matches!(state, FieldState::Invalid | FieldState::WrongShape) && told.next().is_none() {
            walk.sink.texts.push((slot as u32, excerpt(span)));
        }
    }

    /// What stands for one value: of an array the element that is meant, if any is.
    fn one_of<'v>(&self, span: &'v [u8], array: bool) -> Option<&'v [u8]> {
        match self.array_as {
            _ if !array => Some(span),
            ArrayAs::WrongShape => None,
            ArrayAs::First => elements(span).next(),
            ArrayAs::Last => elements(span).last(),
        }
    }

    /// An array of a field that is a list.
    fn take_list(&mut self, field: usize, span: &[u8], sink: &mut FieldSink) -> FieldState {
        let entry = &self.protocol.fields[field];
        let mut state = FieldState::Valid;
        let mut items = Vec::new();
        for (at, element) in elements(span).enumerate() {
            let value = scalar::read(entry, element, &mut self.value_buffer);
            // No element can be null: then there would be none.
            if value.is_null() && state == FieldState::Valid {
                state = FieldState::Invalid;
                let found = excerpt(element);
                sink.texts
                    .push((field as u32, format!("[{at}]: {found}").into()));
            }
            items.push(value);
        }
        sink.held[field] = Value::List(items);
        state
    }

    /// An array with a value for each step.
    fn take_steps(&mut self, field: usize, span: &[u8], walk: &mut Walk) -> FieldState {
        let entry = &self.protocol.fields[field];
        let horizon = walk.task.horizon;
        if elements(span).count() != horizon {
            return FieldState::WrongShape;
        }
        let mut state = FieldState::Valid;
        for (step, element) in elements(span).enumerate() {
            let slot = field * horizon + step;
            let value = scalar::read(entry, element, &mut self.value_buffer);
            let answers = entry.nullable && value == Value::Null;
            if value.is_null() && !answers {
                state = FieldState::Invalid;
                walk.sink.texts.push((slot as u32, excerpt(element)));
            }
            walk.sink.values[slot] = value.number();
            walk.sink.held[slot] = value;
        }
        state
    }

    /// Looks at a list as a whole, when all of it is there.
    fn finish_list(&self, field: usize, sink: &mut FieldSink) {
        let entry = &self.protocol.fields[field];
        let Some(list) = entry
            .list
            .as_ref()
            .filter(|_| sink.states[field] == FieldState::Valid)
        else {
            return;
        };
        let items = sink.held[field].items();
        let empty = items.iter().position(|item| match item {
            Value::Null => !entry.nullable,
            // Of an object that leaves the key out.
            Value::Nothing => entry.required,
            _ => false,
        });
        if let Some(at) = empty {
            sink.states[field] = FieldState::Invalid;
            let found = match items[at] {
                Value::Null => "null",
                _ => "nothing",
            };
            sink.texts
                .push((field as u32, format!("[{at}]: {found}").into()));
            return;
        }
        let [least, most] = list.items;
        let count = items.len();
        let wrong = least.is_some_and(|least| count < least as usize)
            || most.is_some_and(|most| count > most as usize);
        let twice = || {
            let mut shown: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
            shown.sort_unstable();
            shown.windows(2).any(|pair| pair[0] == pair[1])
        };
        if wrong || list.unique && twice() {
            sink.states[field] = FieldState::WrongShape;
            let text = match wrong {
                true => format!("{count} items"),
                false => "an item twice".to_owned(),
            };
            sink.texts.push((field as u32, text.into()));
        }
    }

    /// Forgets fields that are not looked at.
    fn settle_when(&self, task: &Task, sink: &mut FieldSink) {
        for (field, entry) in self.protocol.fields.iter().enumerate() {
            let Some(when) = &entry.when else {
                continue;
            };
            let of_field = |field: usize| field * task.horizon;
            let fields = 0..self.protocol.fields.len();
            let numbers: Vec<f64> = fields.clone().map(|at| sink.values[of_field(at)]).collect();
            let values: Vec<&Value> = fields
                .map(|at| sink.held.get(of_field(at)).unwrap_or(&NULL))
                .collect();
            let holds = when.eval_bool(Slots {
                numbers: &numbers,
                values: &values,
            });
            if !holds {
                let slots = of_field(field)..of_field(field + 1);
                sink.states[field] = FieldState::NotAsked;
                sink.values[slots.clone()].fill(f64::NAN);
                sink.held[slots.clone()].fill(Value::Nothing);
                sink.forget_texts(slots);
            }
        }
    }
}

/// The elements of an array whose syntax is known to be right.
fn elements(span: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut scanner = Scanner::new(span, 0);
    let mut more = scanner.take(b'[') && !scanner.take(b']');
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        scanner.peek();
        let start = scanner.pos;
        scanner.skip_value(0, usize::MAX).ok()?;
        let element = scanner.slice(start, scanner.pos);
        more = scanner.take(b',');
        Some(element)
    })
}
