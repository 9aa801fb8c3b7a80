//! A formula as a tree in one list, and when two of them are the same.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Atom,
    /// The names in a coalition, the first operand of the two kinds that follow.
    Agents,
    /// `<<A>>`: the coalition can bring it about.
    Enforces,
    /// `[[A]]`: the coalition cannot avoid it.
    CannotAvoid,
    Not,
    Next,
    Eventually,
    Always,
    Until,
    WeakUntil,
    Release,
    And,
    Or,
    Implies,
    Iff,
}

impl Kind {
    fn is_leaf(self) -> bool {
        matches!(self, Kind::Atom | Kind::Agents)
    }

    /// Whether the order and grouping of operands mean nothing.
    fn is_unordered(self) -> bool {
        matches!(self, Kind::And | Kind::Or)
    }
}

/// The position of a node in its tree.
pub(super) type Id = u32;

/// No node: the end of a list of operands.
const NONE: Id = Id::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    /// Grouped by nothing but the author's habit; see the module's page.
    loose: bool,
    /// The operand after this one in the operator around both.
    next: Id,
    /// The first and last operand; for a leaf, where its name begins and ends.
    from: u32,
    to: u32,
    /// Of unordered operands: the sum of their hashes, so that two lists can be joined.
    sum: u64,
    /// Equal for equal formulas.
    hash: u64,
}

/// Nodes under construction. Lists of operands are linked, so that joining two of them
/// costs the same whatever their length.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The names of all leaves, in lower case, one after another.
    pub names: String,
}

impl Tree {
    /// A tree for a formula of about so many bytes.
    pub fn for_text(bytes: usize) -> Tree {
        Tree {
            nodes: Vec::with_capacity(bytes / 3 + 4),
            names: String::with_capacity(bytes),
        }
    }

    /// A leaf whose name is what was written to `names` since it was `from` long.
    pub fn leaf(&mut self, kind: Kind, from: usize) -> Id {
        let mut hasher = FxHasher::default();
        hasher.write_u8(kind as u8);
        hasher.write(&self.names.as_bytes()[from..]);
        self.push(Node {
            kind,
            loose: false,
            next: NONE,
            from: from as u32,
            to: self.names.len() as u32,
            sum: 0,
            hash: hasher.finish(),
        })
    }

    /// An operator over operands in order.
    pub fn ordered(&mut self, kind: Kind, loose: bool, operands: impl Iterator<Item = Id>) -> Id {
        let mut hasher = FxHasher::default();
        hasher.write_u8(kind as u8);
        hasher.write_u8(loose.into());
        let (mut from, mut to) = (NONE, NONE);
        for operand in operands {
            hasher.write_u64(self.node(operand).hash);
            if from == NONE {
                from = operand;
            } else {
                self.nodes[to as usize].next = operand;
            }
            to = operand;
        }
        self.push(Node {
            kind,
            loose,
            next: NONE,
            from,
            to,
            sum: 0,
            hash: hasher.finish(),
        })
    }

    /// Tells an operand without parentheses, which its neighbour might tear apart, from the
    /// same operand in parentheses.
    pub fn loosen(&mut self, id: Id) {
        let node = &mut self.nodes[id as usize];
        node.loose = true;
        node.hash = mixed(node.hash);
    }

    /// `&&` or `||` over two operands; one that is the same operator gives its operands.
    pub fn unordered(&mut self, kind: Kind, left: Id, right: Id) -> Id {
        let operands = |id: Id| {
            let node = self.node(id);
            if node.kind == kind {
                (node.from, node.to, node.sum)
            } else {
                (id, id, mixed(node.hash))
            }
        };
        let (from, middle, left_sum) = operands(left);
        let (next, to, right_sum) = operands(right);
        self.nodes[middle as usize].next = next;
        let sum = left_sum.wrapping_add(right_sum);
        let mut hasher = FxHasher::default();
        hasher.write_u8(kind as u8);
        hasher.write_u64(sum);
        self.push(Node {
            kind,
            loose: false,
            next: NONE,
            from,
            to,
            sum,
            hash: hasher.finish(),
        })
    }

    fn push(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        // A formula has fewer nodes than bytes, and its length is limited.
        (self.nodes.len() - 1) as Id
    }

    fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    fn name(&self, leaf: Node) -> &str {
        &self.names[leaf.from as usize..leaf.to as usize]
    }

    /// Puts the operands of a node into `out`; those of an unordered one by hash.
    fn operands(&self, of: Node, out: &mut Vec<Id>) {
        out.clear();
        let mut at = of.from;
        while at != NONE {
            out.push(at);
            at = self.node(at).next;
        }
        if of.kind.is_unordered() {
            out.sort_unstable_by_key(|&id| self.node(id).hash);
        }
    }
}

/// Spreads a hash over all bits, so that sums of hashes differ where the hashes do.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

/// A formula that has been read. Equality is that of the module's page.
#[derive(Debug)]
pub struct Formula {
    tree: Tree,
    root: Id,
}

impl Formula {
    pub(super) fn new(tree: Tree, root: Id) -> Formula {
        Formula { tree, root }
    }

    /// A text that is the same for equal formulas, and for no others: operators before their
    /// operands, of which there are so many.
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        let (mut due, mut operands) = (vec![self.root], Vec::new());
        while let Some(id) = due.pop() {
            let node = self.tree.node(id);
            if node.kind.is_leaf() {
                let name = self.tree.name(node);
                out.push_str(&format!("{:?} {} {name} ", node.kind, name.len()));
            } else {
                self.tree.operands(node, &mut operands);
                let loose = if node.loose { "?" } else { "" };
                out.push_str(&format!("{:?}{loose} {} ", node.kind, operands.len()));
                due.extend(operands.iter().rev());
            }
        }
        out
    }

    /// Equal for equal formulas.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.tree.node(self.root).hash
    }
}

impl Eq for Formula {}

impl PartialEq for Formula {
    /// Hashes only say in which order to pair unordered operands and when to stop early;
    /// every node is compared. Should two different operands ever have one hash, equal
    /// formulas may be called different, never the other way round.
    fn eq(&self, other: &Formula) -> bool {
        let mut due = vec![(self.root, other.root)];
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        while let Some((a, b)) = due.pop() {
            let (a, b) = (self.tree.node(a), other.tree.node(b));
            if a.hash != b.hash || a.kind != b.kind || a.loose != b.loose {
                return false;
            }
            if a.kind.is_leaf() {
                if self.tree.name(a) != other.tree.name(b) {
                    return false;
                }
                continue;
            }
            self.tree.operands(a, &mut ours);
            other.tree.operands(b, &mut theirs);
            if ours.len() != theirs.len() {
                return false;
            }
            due.extend(ours.iter().copied().zip(theirs.iter().copied()));
        }
        true
    }
}
