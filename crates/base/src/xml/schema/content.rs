//! Content models: which elements may come, in which order and how often.
//!
//! A model is a tree of particles. XML Schema wants that the next element's name alone decides
//! which particle it belongs to (error 6916), so that a document is matched without going back. The
//! state of a match is the path from the root to the particle that took the last element, with a
//! counter for each particle on it: occurrences are counted, not unrolled. Each particle knows by
//! name which of its parts an element can begin, so that a step costs time in the depth of the
//! tree, whatever its breadth.
//!
//! # Limits
//! * A model has at most [`PARTICLES_MAX`] particles, [`DEPTH_MAX`] within each other (error 2362),
//!   and looking for ambiguities takes at most [`CHECKS_MAX`] steps (error 6998).

use std::collections::HashMap;

use super::Collection;
use super::model::{ElementId, NameId, Particle, Process, Term, Wildcard};
use super::room::Room;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::stack;

/// Particles of a model.
pub const PARTICLES_MAX: usize = 100_000;
/// Particles within each other.
pub const DEPTH_MAX: usize = 200;
/// Steps of the search for ambiguities.
const CHECKS_MAX: usize = 5_000_000;
/// Names that a message lists.
const LISTED_MAX: usize = 64;

/// A content model.
#[derive(Debug)]
pub struct Model {
    nodes: Vec<Node>,
    root: u32,
}

#[derive(Debug)]
struct Node {
    min: u32,
    max: Option<u32>,
    kind: Kind,
    /// Whether one occurrence may be of nothing.
    is_nullable: bool,
    /// For each name the parts that an element of it can begin, ascending.
    names: HashMap<NameId, Vec<u32>>,
    /// Wildcards that can begin parts, with these.
    wildcards: Vec<(u32, Wildcard)>,
}

#[derive(Debug)]
enum Kind {
    /// The elements that may come, by name: the declared one and what substitutes it.
    Element(ElementId, HashMap<NameId, ElementId>),
    Any(Wildcard),
    /// The parts, and for each place the first part from it on that must come.
    Sequence(Vec<u32>, Vec<u32>),
    Choice(Vec<u32>),
    All(Vec<u32>),
}

/// How far a match is.
#[derive(Debug, Default)]
pub struct Matching {
    path: Vec<Frame>,
}

#[derive(Debug)]
struct Frame {
    node: u32,
    /// Occurrences, the present one included.
    count: u32,
    /// The part that is on the path.
    at: u32,
    /// Of an `all`: the parts that have come.
    seen: Vec<bool>,
}

/// What an element of a document is matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// A declaration.
    Element(ElementId),
    /// A wildcard.
    Any(Process),
}

/// An element's name as models know it.
#[derive(Clone, Copy, Debug)]
pub struct Given<'d> {
    /// None if no element of the collection has it.
    pub id: Option<NameId>,
    /// Its namespace.
    pub uri: &'d str,
}

impl Model {
    /// The model of a particle; `None` if nothing may come. `shown` is the type's name. Errors
    /// 701, 2362, 6916, 6992, 6998.
    pub(super) fn new(
        collection: &Collection,
        room: &mut Room<'_>,
        particle: &Particle,
        shown: &str,
    ) -> SqlResult<Option<Model>> {
        let mut builder = Builder { collection, room, nodes: Vec::new() };
        let Some(root) = builder.build(particle, 0)? else { return Ok(None) };
        let model = Model { nodes: builder.nodes, root };
        model.check_consistent(collection, shown)?;
        let mut search = Search { model: &model, collection, shown, left: CHECKS_MAX };
        search.check(root, &First::default())?;
        Ok(Some(model))
    }

    fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Whether nothing at all may come.
    pub fn is_emptiable(&self) -> bool {
        self.node(self.root).can_be_left_out()
    }

    /// Takes the next element; `None` if it may not come here.
    pub fn step(&self, matching: &mut Matching, given: Given<'_>) -> Option<Matched> {
        if matching.path.is_empty() {
            return self.enter(matching, self.root, given);
        }
        let mut depth = matching.path.len();
        loop {
            let frame = &matching.path[depth - 1];
            let node = self.node(frame.node);
            let may_repeat = node.max.is_none_or(|max| frame.count < max);
            match &node.kind {
                Kind::Element(..) | Kind::Any(_) => {
                    if may_repeat && node.part(given, 0).is_some() {
                        matching.path.truncate(depth);
                        matching.path[depth - 1].count += 1;
                        return node.matched(given);
                    }
                    if frame.count < node.min {
                        return None;
                    }
                }
                Kind::Sequence(parts, required) => {
                    let from = frame.at + 1;
                    if let Some(part) = node.part(given, from) {
                        return self.go_on(matching, depth, part, given);
                    }
                    if (required[from as usize] as usize) < parts.len() {
                        return None;
                    }
                    if may_repeat && let Some(part) = node.part(given, 0) {
                        matching.path[depth - 1].count += 1;
                        return self.go_on(matching, depth, part, given);
                    }
                    if frame.count < node.min && !node.is_nullable {
                        return None;
                    }
                }
                Kind::Choice(_) => {
                    if may_repeat && let Some(part) = node.part(given, 0) {
                        matching.path[depth - 1].count += 1;
                        return self.go_on(matching, depth, part, given);
                    }
                    if frame.count < node.min && !node.is_nullable {
                        return None;
                    }
                }
                Kind::All(_) => {
                    if let Some(part) = node.part(given, 0).filter(|at| !frame.seen[*at as usize]) {
                        matching.path[depth - 1].seen[part as usize] = true;
                        return self.go_on(matching, depth, part, given);
                    }
                    if self.missing(frame).next().is_some() {
                        return None;
                    }
                }
            }
            depth -= 1;
            if depth == 0 {
                return None;
            }
        }
    }

    /// Whether an element that was refused is one of an `all` that has come already.
    pub fn came_already(&self, matching: &Matching, given: Given<'_>) -> bool {
        matching.path.iter().any(|frame| {
            let node = self.node(frame.node);
            matches!(node.kind, Kind::All(_))
                && node.part(given, 0).is_some_and(|part| frame.seen[part as usize])
        })
    }

    /// Makes a part the present one of the particle at this depth.
    fn go_on(
        &self,
        matching: &mut Matching,
        depth: usize,
        part: u32,
        given: Given<'_>,
    ) -> Option<Matched> {
        matching.path.truncate(depth);
        let frame = &mut matching.path[depth - 1];
        frame.at = part;
        let child = self.node(frame.node).parts()[part as usize];
        self.enter(matching, child, given)
    }

    /// Begins a particle with an element that can begin it.
    fn enter(&self, matching: &mut Matching, node: u32, given: Given<'_>) -> Option<Matched> {
        let mut next = node;
        loop {
            let node = self.node(next);
            let part = node.part(given, 0)?;
            let mut seen = Vec::new();
            if let Kind::All(parts) = &node.kind {
                seen = vec![false; parts.len()];
                seen[part as usize] = true;
            }
            matching.path.push(Frame { node: next, count: 1, at: part, seen });
            match node.parts().get(part as usize) {
                Some(child) => next = *child,
                None => return node.matched(given),
            }
        }
    }

    /// The parts of an `all` that must come and have not.
    fn missing<'m>(&'m self, frame: &'m Frame) -> impl Iterator<Item = u32> + 'm {
        let parts = self.node(frame.node).parts().iter().zip(&frame.seen);
        parts
            .filter(|(part, seen)| !**seen && !self.node(**part).can_be_left_out())
            .map(|(part, _)| *part)
    }

    /// Whether the content may end here.
    pub fn may_end(&self, matching: &Matching) -> bool {
        if matching.path.is_empty() {
            return self.is_emptiable();
        }
        matching.path.iter().all(|frame| {
            let node = self.node(frame.node);
            let is_enough = frame.count >= node.min || node.is_nullable;
            is_enough
                && match &node.kind {
                    Kind::Sequence(parts, required) => {
                        required[frame.at as usize + 1] as usize == parts.len()
                    }
                    Kind::All(_) => self.missing(frame).next().is_none(),
                    _ => true,
                }
        })
    }

    /// The elements that could come next, as errors 6908 and 6965 list them.
    pub fn expected(&self, collection: &Collection, matching: &Matching) -> Vec<String> {
        let mut names = Vec::new();
        let mut put = |name: String| {
            if names.len() < LISTED_MAX && !names.contains(&name) {
                names.push(name);
            }
        };
        if matching.path.is_empty() {
            self.list(collection, self.root, &mut put);
            return names;
        }
        for frame in matching.path.iter().rev() {
            let node = self.node(frame.node);
            let may_repeat = node.max.is_none_or(|max| frame.count < max);
            match &node.kind {
                Kind::Sequence(parts, required) => {
                    let from = frame.at as usize + 1;
                    let to = required[from] as usize;
                    for part in &parts[from..parts.len().min(to + 1)] {
                        self.list(collection, *part, &mut put);
                    }
                    if to < parts.len() {
                        break;
                    }
                }
                Kind::All(parts) => {
                    for (part, seen) in parts.iter().zip(&frame.seen) {
                        if !seen {
                            self.list(collection, *part, &mut put);
                        }
                    }
                    if self.missing(frame).next().is_some() {
                        break;
                    }
                    continue;
                }
                _ => {}
            }
            if may_repeat {
                self.list(collection, frame.node, &mut put);
            }
            if frame.count < node.min && !node.is_nullable {
                break;
            }
        }
        names
    }

    /// What can begin a particle.
    fn list(&self, collection: &Collection, node: u32, put: &mut dyn FnMut(String)) {
        let node = self.node(node);
        match &node.kind {
            Kind::Element(element, _) => put(collection.element(*element).name.to_string()),
            Kind::Any(wildcard) => put(wildcard.shown()),
            Kind::Sequence(parts, required) => {
                for part in &parts[..parts.len().min(required[0] as usize + 1)] {
                    self.list(collection, *part, put);
                }
            }
            Kind::Choice(parts) | Kind::All(parts) => {
                parts.iter().for_each(|part| self.list(collection, *part, put));
            }
        }
    }

    /// The declared elements of the model, and how often each may come at most: `None` for more
    /// than once. Wildcards are the second part.
    pub fn elements(&self) -> (Vec<Occurring>, Vec<&Wildcard>) {
        let (found, wildcards) = self.particles();
        (found, wildcards.into_iter().map(|(wildcard, _)| wildcard).collect())
    }

    /// As [`Model::elements`]; each wildcard with whether it takes one element at most.
    pub fn particles(&self) -> (Vec<Occurring>, Vec<(&Wildcard, bool)>) {
        let mut found: Vec<Occurring> = Vec::new();
        let mut wildcards = Vec::new();
        self.gather(self.root, true, true, &mut found, &mut wildcards);
        (found, wildcards)
    }

    fn gather<'m>(
        &'m self,
        at: u32,
        is_single: bool,
        is_required: bool,
        found: &mut Vec<Occurring>,
        wildcards: &mut Vec<(&'m Wildcard, bool)>,
    ) {
        let node = self.node(at);
        let is_single = is_single && node.max == Some(1);
        let is_required = is_required && node.min > 0;
        match &node.kind {
            Kind::Element(element, _) => {
                found.push(Occurring { element: *element, is_single, is_required });
            }
            Kind::Any(wildcard) => wildcards.push((wildcard, is_single)),
            Kind::Choice(parts) => {
                for part in parts {
                    self.gather(
                        *part,
                        is_single,
                        is_required && parts.len() == 1,
                        found,
                        wildcards,
                    );
                }
            }
            Kind::Sequence(parts, _) | Kind::All(parts) => {
                for part in parts {
                    self.gather(*part, is_single, is_required, found, wildcards);
                }
            }
        }
    }

    /// Error 6992 if two elements have a name but not the same type.
    fn check_consistent(&self, collection: &Collection, shown: &str) -> SqlResult<()> {
        let mut known: HashMap<NameId, ElementId> = HashMap::new();
        for node in &self.nodes {
            let Kind::Element(id, _) = &node.kind else { continue };
            let element = collection.element(*id);
            let first = *known.entry(element.name_id).or_insert(*id);
            let other = collection.element(first);
            let is_same = other.ty == element.ty
                && other.is_nillable == element.is_nillable
                && other.value == element.value;
            if !is_same {
                return Err(SqlError::new(&message::SCHEMA_INCONSISTENT, &[&shown, &element.name]));
            }
        }
        Ok(())
    }
}

/// An element of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurring {
    /// Its declaration.
    pub element: ElementId,
    /// Whether this particle takes one at most.
    pub is_single: bool,
    /// Whether this particle takes one at least.
    pub is_required: bool,
}

impl Node {
    /// Whether nothing may come for this particle.
    fn can_be_left_out(&self) -> bool {
        self.min == 0 || self.is_nullable
    }

    fn parts(&self) -> &[u32] {
        match &self.kind {
            Kind::Sequence(parts, _) | Kind::Choice(parts) | Kind::All(parts) => parts,
            Kind::Element(..) | Kind::Any(_) => &[],
        }
    }

    /// The part from a place on that an element can begin, if all before it can be left out.
    fn part(&self, given: Given<'_>, from: u32) -> Option<u32> {
        let last = match &self.kind {
            Kind::Sequence(_, required) => required[from as usize],
            _ => u32::MAX,
        };
        let named = given.id.and_then(|id| self.names.get(&id)).and_then(|parts| {
            let at = parts.partition_point(|part| *part < from);
            parts.get(at).copied()
        });
        let at = self.wildcards.partition_point(|(part, _)| *part < from);
        let rest = self.wildcards[at..].iter().take_while(|(part, _)| *part <= last);
        let any = rest.clone().find(|(_, any)| any.allows(given.uri)).map(|(part, _)| *part);
        [named, any].into_iter().flatten().filter(|part| *part <= last).min()
    }

    fn matched(&self, given: Given<'_>) -> Option<Matched> {
        match &self.kind {
            Kind::Element(_, elements) => elements.get(&given.id?).copied().map(Matched::Element),
            Kind::Any(wildcard) => Some(Matched::Any(wildcard.process)),
            _ => None,
        }
    }
}

/// Bytes of an entry of the maps by name, at least.
const ENTRY_BYTES: usize = 64;

struct Builder<'c, 'r, 'a> {
    collection: &'c Collection,
    room: &'r mut Room<'a>,
    nodes: Vec<Node>,
}

impl Builder<'_, '_, '_> {
    /// The node of a particle; `None` if nothing comes for it.
    fn build(&mut self, particle: &Particle, depth: usize) -> SqlResult<Option<u32>> {
        if depth > DEPTH_MAX || self.nodes.len() >= PARTICLES_MAX || !stack::deeper() {
            return Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]));
        }
        if particle.max == Some(0) {
            return Ok(None);
        }
        let mut node = Node {
            min: particle.min,
            max: particle.max,
            kind: Kind::Choice(Vec::new()),
            is_nullable: false,
            names: HashMap::new(),
            wildcards: Vec::new(),
        };
        match &particle.term {
            Term::Element(id) => {
                let elements = self.collection.substitutes(*id);
                self.room.take(2 * ENTRY_BYTES * elements.len())?;
                node.names = elements.keys().map(|name| (*name, vec![0])).collect();
                node.kind = Kind::Element(*id, elements);
            }
            Term::Any(wildcard) => {
                node.wildcards = vec![(0, wildcard.clone())];
                node.kind = Kind::Any(wildcard.clone());
            }
            Term::Sequence(all) | Term::Choice(all) | Term::All(all) => {
                let mut parts = Vec::with_capacity(all.len());
                for part in all {
                    match self.build(part, depth + 1)? {
                        Some(part) => parts.push(part),
                        None if matches!(particle.term, Term::Choice(_)) => node.is_nullable = true,
                        None => {}
                    }
                }
                if parts.is_empty() {
                    return Ok(None);
                }
                if let [part] = parts[..]
                    && !node.is_nullable
                    && self.merge(part, particle)
                {
                    return Ok(Some(part));
                }
                self.link(&mut node, parts, &particle.term)?;
            }
        }
        self.room.take(size_of::<Node>())?;
        self.nodes.push(node);
        Ok(Some(self.nodes.len() as u32 - 1))
    }

    /// Gives a group's occurrences to its only part, if that means the same.
    fn merge(&mut self, part: u32, group: &Particle) -> bool {
        let node = &mut self.nodes[part as usize];
        if matches!(node.kind, Kind::All(_)) {
            return (group.min, group.max) == (1, Some(1));
        }
        if node.min > 1 && (group.min, group.max) != (1, Some(1)) {
            return false;
        }
        node.min = node.min.saturating_mul(group.min);
        node.max = node.max.zip(group.max).map(|(a, b)| a.saturating_mul(b));
        true
    }

    fn link(&mut self, node: &mut Node, parts: Vec<u32>, term: &Term) -> SqlResult<()> {
        let part_of = |part: &u32| &self.nodes[*part as usize];
        for (at, part) in parts.iter().enumerate() {
            let at = at as u32;
            let child = part_of(part);
            self.room.take(ENTRY_BYTES * (child.names.len() + child.wildcards.len()))?;
            // Of a sequence only the parts that can be reached count.
            for (name, places) in &child.names {
                if child.first_place(places) {
                    node.names.entry(*name).or_default().push(at);
                }
            }
            for (place, wildcard) in &child.wildcards {
                if child.first_place(&[*place]) {
                    node.wildcards.push((at, wildcard.clone()));
                }
            }
        }
        let is_optional = |part: &u32| part_of(part).can_be_left_out();
        match term {
            Term::Sequence(_) => {
                let count = parts.len();
                let mut required = vec![count as u32; count + 1];
                for at in (0..count).rev() {
                    required[at] =
                        if is_optional(&parts[at]) { required[at + 1] } else { at as u32 };
                }
                node.is_nullable = required[0] as usize == count;
                node.kind = Kind::Sequence(parts, required);
            }
            Term::All(_) => {
                node.is_nullable = parts.iter().all(is_optional);
                node.kind = Kind::All(parts);
            }
            _ => {
                node.is_nullable |= parts.iter().any(is_optional);
                node.kind = Kind::Choice(parts);
            }
        }
        Ok(())
    }
}

impl Node {
    /// Whether the first of these parts can be the first that comes.
    fn first_place(&self, places: &[u32]) -> bool {
        match &self.kind {
            Kind::Sequence(_, required) => places.first().is_some_and(|at| *at <= required[0]),
            _ => true,
        }
    }
}

/// What can come next, and which particle takes it.
#[derive(Clone, Default)]
struct First {
    names: HashMap<NameId, u32>,
    wildcards: Vec<(u32, Wildcard)>,
}

struct Search<'m> {
    model: &'m Model,
    collection: &'m Collection,
    shown: &'m str,
    left: usize,
}

impl Search<'_> {
    fn spend(&mut self, steps: usize) -> SqlResult<()> {
        self.left = self
            .left
            .checked_sub(steps)
            .ok_or_else(|| SqlError::new(&message::SCHEMA_MODEL_COMPLEX, &[&self.shown]))?;
        Ok(())
    }

    /// Adds what can begin a particle. Error 6916 if another one can take it, too.
    fn add(&mut self, node: u32, into: &mut First) -> SqlResult<()> {
        self.spend(1)?;
        let found = self.model.node(node);
        match &found.kind {
            Kind::Element(_, elements) => {
                for name in elements.keys() {
                    self.spend(1 + into.wildcards.len())?;
                    if *into.names.entry(*name).or_insert(node) != node {
                        return Err(self.ambiguous());
                    }
                    let uri = self.collection.uri_of(*name);
                    let is_taken = |any: &(u32, Wildcard)| any.0 != node && any.1.allows(uri);
                    if into.wildcards.iter().any(is_taken) {
                        return Err(self.ambiguous());
                    }
                }
            }
            Kind::Any(wildcard) => {
                self.spend(into.wildcards.len() + into.names.len())?;
                let overlaps = |any: &(u32, Wildcard)| any.0 != node && any.1.overlaps(wildcard);
                let takes = |name: &NameId| wildcard.allows(self.collection.uri_of(*name));
                if into.wildcards.iter().any(overlaps) || into.names.keys().any(takes) {
                    return Err(self.ambiguous());
                }
                if into.wildcards.iter().all(|(known, _)| *known != node) {
                    into.wildcards.push((node, wildcard.clone()));
                }
            }
            Kind::Sequence(parts, required) => {
                for part in &parts[..parts.len().min(required[0] as usize + 1)] {
                    self.add(*part, into)?;
                }
            }
            Kind::Choice(parts) | Kind::All(parts) => {
                for part in parts {
                    self.add(*part, into)?;
                }
            }
        }
        Ok(())
    }

    fn ambiguous(&self) -> SqlError {
        SqlError::new(&message::SCHEMA_AMBIGUOUS, &[&self.shown])
    }

    /// Looks for ambiguities within a particle and with what can follow it.
    fn check(&mut self, at: u32, follow: &First) -> SqlResult<()> {
        let node = self.model.node(at);
        let own: First;
        let follow = match node.max {
            Some(1) => follow,
            _ => {
                // Whether another occurrence comes is open only between the bounds.
                let is_open = node.max != Some(node.min);
                self.spend(follow.names.len() + follow.wildcards.len())?;
                let mut both = if is_open { follow.clone() } else { First::default() };
                self.add(at, &mut both)?;
                own = both;
                &own
            }
        };
        match &node.kind {
            Kind::Element(..) | Kind::Any(_) => Ok(()),
            Kind::Choice(parts) | Kind::All(parts) => {
                self.add(at, &mut First::default())?;
                for part in parts {
                    self.check(*part, follow)?;
                }
                Ok(())
            }
            Kind::Sequence(parts, _) => {
                self.spend(follow.names.len())?;
                let mut next = follow.clone();
                for part in parts.iter().rev() {
                    self.check(*part, &next)?;
                    if !self.model.node(*part).can_be_left_out() {
                        next = First::default();
                    }
                    self.add(*part, &mut next)?;
                }
                Ok(())
            }
        }
    }
}
