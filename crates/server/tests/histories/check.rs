//! Finds what an isolation level forbids in what clients have seen.
//!
//! # Dependencies
//! * *write-write*: one transaction's element follows the other's in a list.
//! * *write-read*: one transaction has seen the other's element.
//! * *anti*: one transaction has read a list or set without an element that the other has written;
//!   *of a predicate* for sets, whose new rows were not there to be read.
//!
//! # Anomalies
//! A read of what was rolled back (G1a), or of what its writer has gone on to change (G1b); lists
//! of one key that are not each other's beginnings; an own write that is not seen; a write that was
//! acknowledged and is not there at the end; and cycles, by what is promised. A cycle is looked for
//! as a strongly connected component; for snapshots each transaction is there twice, reached by an
//! anti-dependency or not, so that no cycle has two of them in a row.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::history::{Element, Key, Promise, Step, Transaction};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Dependency {
    WriteWrite,
    WriteRead,
    Anti,
    AntiOfPredicate,
}

/// Where elements of one key come from.
type Writers = HashMap<(Key, Element), usize>;

/// The dependencies of committed transactions.
#[derive(Default)]
struct Graph {
    edges: HashMap<usize, HashSet<(usize, Dependency)>>,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, dependency: Dependency) {
        if from != to {
            self.edges.entry(from).or_default().insert((to, dependency));
        }
    }
}

/// What was read of a key before the transaction wrote to it itself: (reader, elements).
type Reads = HashMap<Key, Vec<(usize, Vec<Element>)>>;

/// Checks a history whose last transactions have read all lists and sets when the others had ended.
///
/// # Errors
/// The first anomaly found, with the transactions that it consists of.
pub fn check(history: &[Transaction], promise: Promise) -> Result<(), String> {
    let mut lists = Writers::new();
    let mut sets = Writers::new();
    let mut last = HashMap::new();
    for (at, transaction) in history.iter().enumerate() {
        for step in &transaction.steps {
            match *step {
                Step::Append(key, element) => {
                    lists.insert((key, element), at);
                    last.insert((key, at), element);
                }
                Step::Add(key, element) => drop(sets.insert((key, element), at)),
                _ => {}
            }
        }
    }
    let mut list_reads = Reads::new();
    let mut set_reads = Reads::new();
    for (at, transaction) in history.iter().enumerate() {
        if transaction.committed {
            read_of(history, at, &lists, &mut list_reads, true)?;
            read_of(history, at, &sets, &mut set_reads, false)?;
        }
    }
    let mut graph = Graph::default();
    for (key, reads) in &list_reads {
        add_list(history, *key, reads, &lists, &last, &mut graph)?;
    }
    let read: HashSet<(Key, Element)> = (list_reads.iter())
        .flat_map(|(key, reads)| longest(reads).into_iter().flatten().map(|e| (*key, *e)))
        .collect();
    for ((key, element), writer) in &lists {
        if history[*writer].committed && !read.contains(&(*key, *element)) {
            return Err(format!("element {element} of list {key} is lost: {:?}", history[*writer]));
        }
    }
    add_sets(history, &set_reads, &sets, &mut graph)?;
    match cycle(&graph, history.len(), promise) {
        None => Ok(()),
        Some(cycle) => {
            let told: Vec<String> =
                cycle.iter().map(|(at, by)| format!("{by:?} of\n  {:?}", history[*at])).collect();
            Err(format!("a cycle that {promise:?} forbids:\n{}", told.join("\n")))
        }
    }
}

/// Splits what a transaction has read into its own elements and those of other transactions, and
/// checks both.
fn read_of(
    history: &[Transaction],
    at: usize,
    writers: &Writers,
    reads: &mut Reads,
    of_lists: bool,
) -> Result<(), String> {
    let mut own: HashMap<Key, Vec<Element>> = HashMap::new();
    for step in &history[at].steps {
        match step {
            Step::Append(key, element) if of_lists => own.entry(*key).or_default().push(*element),
            Step::Add(key, element) if !of_lists => own.entry(*key).or_default().push(*element),
            Step::List(key, seen) if of_lists => {
                let own = own.get(key).map_or(&[][..], |own| own);
                if !seen.ends_with(own) {
                    return Err(format!(
                        "list {key} does not end with own writes: {:?}",
                        history[at]
                    ));
                }
                let others = seen[..seen.len() - own.len()].to_vec();
                all_committed(history, at, *key, &others, writers)?;
                reads.entry(*key).or_default().push((at, others));
            }
            Step::Set(key, seen) if !of_lists => {
                let own = own.get(key).map_or(&[][..], |own| own);
                if let Some(missing) = own.iter().find(|element| !seen.contains(element)) {
                    return Err(format!("set {key} lacks own {missing}: {:?}", history[at]));
                }
                let others: Vec<Element> =
                    seen.iter().filter(|e| !own.contains(e)).copied().collect();
                all_committed(history, at, *key, &others, writers)?;
                reads.entry(*key).or_default().push((at, others));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that the elements which a transaction has read were committed.
fn all_committed(
    history: &[Transaction],
    at: usize,
    key: Key,
    seen: &[Element],
    writers: &Writers,
) -> Result<(), String> {
    for element in seen {
        match writers.get(&(key, *element)) {
            None => return Err(format!("{element} of {key} was never written")),
            Some(writer) if !history[*writer].committed => {
                return Err(format!(
                    "{element} of {key} was read and rolled back (G1a):\n{:?}\n{:?}",
                    history[at], history[*writer]
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn longest(reads: &[(usize, Vec<Element>)]) -> Option<&Vec<Element>> {
    reads.iter().map(|(_, seen)| seen).max_by_key(|seen| seen.len())
}

fn add_list(
    history: &[Transaction],
    key: Key,
    reads: &[(usize, Vec<Element>)],
    writers: &Writers,
    last: &HashMap<(Key, usize), Element>,
    graph: &mut Graph,
) -> Result<(), String> {
    let Some(order) = longest(reads) else { return Ok(()) };
    let writer = |element: Element| writers[&(key, element)];
    for pair in order.windows(2) {
        graph.add(writer(pair[0]), writer(pair[1]), Dependency::WriteWrite);
    }
    for (reader, seen) in reads {
        if !order.starts_with(seen) {
            return Err(format!(
                "list {key} was read as {seen:?} and as {order:?}: {:?}",
                history[*reader]
            ));
        }
        if let Some(newest) = seen.last() {
            let from = writer(*newest);
            // The reader's own elements were cut off, so what its read ends with is another's.
            if from != *reader && last[&(key, from)] != *newest {
                return Err(format!(
                    "list {key} was read in the middle of a transaction (G1b):\n{:?}\n{:?}",
                    history[*reader], history[from]
                ));
            }
            graph.add(from, *reader, Dependency::WriteRead);
        }
        if let Some(next) = order.get(seen.len()) {
            graph.add(*reader, writer(*next), Dependency::Anti);
        }
    }
    Ok(())
}

fn add_sets(
    history: &[Transaction],
    reads: &Reads,
    writers: &Writers,
    graph: &mut Graph,
) -> Result<(), String> {
    let mut members: HashMap<Key, Vec<(Element, usize)>> = HashMap::new();
    for ((key, element), writer) in writers {
        if history[*writer].committed {
            members.entry(*key).or_default().push((*element, *writer));
        }
    }
    for (key, members) in &members {
        let reads = reads.get(key).map_or(&[][..], |reads| reads);
        let mut ever = HashSet::new();
        for (reader, seen) in reads {
            let seen: HashSet<Element> = seen.iter().copied().collect();
            for (element, writer) in members {
                match seen.contains(element) {
                    true => graph.add(*writer, *reader, Dependency::WriteRead),
                    false => graph.add(*reader, *writer, Dependency::AntiOfPredicate),
                }
            }
            ever.extend(seen);
        }
        if let Some((element, writer)) =
            members.iter().find(|(element, _)| !reads.is_empty() && !ever.contains(element))
            && !reads.iter().any(|(reader, _)| reader == writer)
        {
            return Err(format!("element {element} of set {key} is lost: {:?}", history[*writer]));
        }
    }
    Ok(())
}

/// A step of a walk: the transaction that an edge leads to, and the edge's kind.
type Walk = Vec<(usize, Dependency)>;

/// A cycle that is forbidden.
fn cycle(graph: &Graph, transactions: usize, promise: Promise) -> Option<Walk> {
    // For snapshots a node is (transaction, was reached by an anti-dependency).
    let is_split = promise == Promise::Snapshot;
    let nodes = if is_split { 2 * transactions } else { transactions };
    let next = |node: usize| -> Vec<(usize, Dependency)> {
        let (at, is_after_anti) = if is_split { (node / 2, node % 2 == 1) } else { (node, false) };
        let edges = graph.edges.get(&at).into_iter().flatten();
        let allowed = edges.filter(|(_, by)| match promise {
            Promise::ReadCommitted => {
                matches!(by, Dependency::WriteWrite | Dependency::WriteRead)
            }
            Promise::RepeatableRead => *by != Dependency::AntiOfPredicate,
            Promise::Serializable => true,
            Promise::Snapshot => !is_after_anti || !is_anti(*by),
        });
        let to = |(to, by): &(usize, Dependency)| {
            let node = if is_split { 2 * to + usize::from(is_anti(*by)) } else { *to };
            (node, *by)
        };
        allowed.map(to).collect()
    };
    let component = components(nodes, &next);
    let mut sizes = HashMap::new();
    component.iter().for_each(|root| *sizes.entry(root).or_insert(0) += 1);
    let start = component.iter().position(|root| sizes[root] > 1)?;
    let on_cycle = shortest_cycle(start, &next, &component)?;
    let whole = |(node, by): (usize, Dependency)| (if is_split { node / 2 } else { node }, by);
    Some(on_cycle.into_iter().map(whole).collect())
}

fn is_anti(dependency: Dependency) -> bool {
    matches!(dependency, Dependency::Anti | Dependency::AntiOfPredicate)
}

/// The number of each node's strongly connected component, by Tarjan's algorithm without recursion.
fn components(nodes: usize, next: &impl Fn(usize) -> Vec<(usize, Dependency)>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; nodes], vec![0; nodes]);
    let mut component = vec![NEW; nodes];
    let (mut stack, mut count) = (Vec::new(), 0);
    for root in 0..nodes {
        if index[root] != NEW {
            continue;
        }
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        while enter.is_some() || !path.is_empty() {
            if let Some(node) = enter.take() {
                index[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                path.push((node, next(node).into_iter().map(|(to, _)| to).collect()));
            }
            let (node, rest) = path.last_mut().expect("a node is on the path");
            let node = *node;
            match rest.pop() {
                Some(to) if index[to] == NEW => enter = Some(to),
                Some(to) if component[to] == NEW => low[node] = low[node].min(index[to]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        low[*above] = low[*above].min(low[node]);
                    }
                    if low[node] == index[node] {
                        while let Some(member) = stack.pop() {
                            component[member] = node;
                            if member == node {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    component
}

/// The shortest cycle through a node within its component.
fn shortest_cycle(
    start: usize,
    next: &impl Fn(usize) -> Vec<(usize, Dependency)>,
    component: &[usize],
) -> Option<Walk> {
    let mut came_from: HashMap<usize, (usize, Dependency)> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for (to, by) in next(node) {
            if component[to] != component[start] {
                continue;
            }
            if to == start {
                let mut walk = vec![(start, by)];
                let mut at = node;
                while at != start {
                    let (before, by) = came_from[&at];
                    walk.push((at, by));
                    at = before;
                }
                walk.reverse();
                return Some(walk);
            }
            if let Entry::Vacant(place) = came_from.entry(to) {
                place.insert((node, by));
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
