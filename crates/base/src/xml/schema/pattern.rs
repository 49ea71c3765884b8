//! The regular expressions of `pattern` facets.
//!
//! They are translated to the syntax of the library and matched by its lazy automaton: in time
//! linear in the text, asking on the way whether to go on. What a compiled pattern may take is
//! bounded. A pattern always means the whole text.

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use crate::error::SqlResult;
use crate::pace::Stride;

/// Bytes that a compiled pattern may take.
const SIZE_MAX: usize = 1 << 20;
/// Bytes of the states that are kept of a match, unless the pattern needs more.
const CACHE_BYTES: usize = 64 << 10;
/// States of a pattern that cost as much as a byte of text, when a state has to be made.
const STATES_PER_STEP: usize = 64;

type MakeCache = Box<dyn Fn() -> Cache + Send + Sync>;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    dfa: DFA,
    /// One for each match that runs at a time.
    caches: Pool<Cache, MakeCache>,
}

impl Pattern {
    /// `None` if it is no regular expression of XML Schema, or too large a one.
    pub fn new(text: &str) -> Option<Pattern> {
        let translated = Translator { rest: text, out: String::new() }.whole()?;
        let config = Config::new()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true);
        let thompson = thompson::Config::new().nfa_size_limit(Some(SIZE_MAX));
        let mut builder = DFA::builder();
        builder.configure(config).thompson(thompson);
        builder.syntax(syntax::Config::new().nest_limit(64));
        let dfa = builder.build(&translated).ok()?;
        let of = dfa.clone();
        Some(Pattern { dfa, caches: Pool::new(Box::new(move || of.create_cache())) })
    }

    /// Bytes that it takes with one cache of the least size.
    pub fn bytes(&self) -> usize {
        2 * self.dfa.get_nfa().memory_usage()
    }

    /// Whether the whole text is as the pattern wants it.
    pub fn matches(&self, text: &str, stride: &mut Stride<'_>) -> SqlResult<bool> {
        const CLEARED: &str = "the cache is cleared as often as it is full";
        let cache = &mut *self.caches.get();
        let step = 1 + self.dfa.get_nfa().states().len() / STATES_PER_STEP;
        let input = Input::new(text).anchored(Anchored::Yes);
        let mut state = self.dfa.start_state_forward(cache, &input).expect(CLEARED);
        for byte in text.bytes() {
            stride.step(step)?;
            state = self.dfa.next_state(cache, state, byte).expect(CLEARED);
            if state.is_dead() {
                return Ok(false);
            }
        }
        Ok(self.dfa.next_eoi_state(cache, state).expect(CLEARED).is_match())
    }
}

/// The ranges of `\i`, the beginnings of names.
const NAME_START: &str = ":A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\
\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\
\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
/// What `\c` has besides.
const NAME_REST: &str = "\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}";

/// Blocks that `\p{Is…}` names.
const BLOCKS: &[(&str, &str)] = &[
    ("BasicLatin", "\\u{0}-\\u{7F}"),
    ("Latin-1Supplement", "\\u{80}-\\u{FF}"),
    ("LatinExtended-A", "\\u{100}-\\u{17F}"),
    ("LatinExtended-B", "\\u{180}-\\u{24F}"),
    ("IPAExtensions", "\\u{250}-\\u{2AF}"),
    ("SpacingModifierLetters", "\\u{2B0}-\\u{2FF}"),
    ("CombiningDiacriticalMarks", "\\u{300}-\\u{36F}"),
    ("Greek", "\\u{370}-\\u{3FF}"),
    ("Cyrillic", "\\u{400}-\\u{4FF}"),
    ("Armenian", "\\u{530}-\\u{58F}"),
    ("Hebrew", "\\u{590}-\\u{5FF}"),
    ("Arabic", "\\u{600}-\\u{6FF}"),
    ("Devanagari", "\\u{900}-\\u{97F}"),
    ("Thai", "\\u{E00}-\\u{E7F}"),
    ("HangulJamo", "\\u{1100}-\\u{11FF}"),
    ("LatinExtendedAdditional", "\\u{1E00}-\\u{1EFF}"),
    ("GreekExtended", "\\u{1F00}-\\u{1FFF}"),
    ("GeneralPunctuation", "\\u{2000}-\\u{206F}"),
    ("CurrencySymbols", "\\u{20A0}-\\u{20CF}"),
    ("LetterlikeSymbols", "\\u{2100}-\\u{214F}"),
    ("NumberForms", "\\u{2150}-\\u{218F}"),
    ("Arrows", "\\u{2190}-\\u{21FF}"),
    ("MathematicalOperators", "\\u{2200}-\\u{22FF}"),
    ("BoxDrawing", "\\u{2500}-\\u{257F}"),
    ("CJKSymbolsandPunctuation", "\\u{3000}-\\u{303F}"),
    ("Hiragana", "\\u{3040}-\\u{309F}"),
    ("Katakana", "\\u{30A0}-\\u{30FF}"),
    ("CJKUnifiedIdeographs", "\\u{4E00}-\\u{9FFF}"),
    ("HangulSyllables", "\\u{AC00}-\\u{D7A3}"),
];

struct Translator<'t> {
    rest: &'t str,
    out: String,
}

impl Translator<'_> {
    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn whole(mut self) -> Option<String> {
        while let Some(c) = self.take() {
            match c {
                '[' => self.class(0)?,
                '\\' => self.escape()?,
                '.' => self.out.push_str("[^\\n\\r]"),
                // A group is never of the library's special ones, and repetitions are never lazy.
                '(' => match self.rest.starts_with('?') {
                    true => return None,
                    false => self.out.push_str("(?:"),
                },
                ')' | '|' => self.out.push(c),
                '?' | '*' | '+' => self.repeat(c)?,
                '{' => {
                    let (count, rest) = self.rest.split_once('}')?;
                    let is_count = |c: char| c.is_ascii_digit() || c == ',';
                    if !count.starts_with(|c: char| c.is_ascii_digit())
                        || !count.chars().all(is_count)
                    {
                        return None;
                    }
                    self.rest = rest;
                    self.out.push_str(&format!("{{{count}"));
                    self.repeat('}')?;
                }
                ']' | '}' => return None,
                c => self.literal(c),
            }
        }
        Some(self.out)
    }

    /// A quantifier, which no other one follows.
    fn repeat(&mut self, c: char) -> Option<()> {
        self.out.push(c);
        (!self.rest.starts_with(['?', '*', '+', '{'])).then_some(())
    }

    fn literal(&mut self, c: char) {
        match c.is_alphanumeric() {
            true => self.out.push(c),
            false => self.out.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
        }
    }

    /// What a class escape stands for: what stands within brackets.
    fn escape(&mut self) -> Option<()> {
        let c = self.take()?;
        if let Some(class) = self.class_escape(c)? {
            self.out.push_str(&class);
            return Some(());
        }
        let c = single(c)?;
        self.literal(c);
        Some(())
    }

    fn class_escape(&mut self, c: char) -> Option<Option<String>> {
        Some(Some(match c {
            's' => "[ \\t\\n\\r]".into(),
            'S' => "[^ \\t\\n\\r]".into(),
            'd' => "\\p{Nd}".into(),
            'D' => "\\P{Nd}".into(),
            'w' => "[^\\p{P}\\p{Z}\\p{C}]".into(),
            'W' => "[\\p{P}\\p{Z}\\p{C}]".into(),
            'i' => format!("[{NAME_START}]"),
            'I' => format!("[^{NAME_START}]"),
            'c' => format!("[{NAME_START}{NAME_REST}]"),
            'C' => format!("[^{NAME_START}{NAME_REST}]"),
            'p' | 'P' => {
                let (name, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
                self.rest = rest;
                let negation = if c == 'P' { "^" } else { "" };
                match name.strip_prefix("Is") {
                    Some(block) => {
                        let (_, ranges) = BLOCKS.iter().find(|(name, _)| *name == block)?;
                        format!("[{negation}{ranges}]")
                    }
                    None if is_category(name) => format!("[{negation}\\p{{{name}}}]"),
                    None => return None,
                }
            }
            _ => return Some(None),
        }))
    }

    /// A class in brackets, of which the opening one was taken.
    fn class(&mut self, depth: usize) -> Option<()> {
        if depth > 16 {
            return None;
        }
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.take();
            self.out.push('^');
        }
        // Subtraction is for the whole of what is before it.
        let start = self.out.len();
        let mut is_first = true;
        loop {
            match self.take()? {
                ']' if is_first => return None,
                ']' => break,
                '-' if self.rest.starts_with('[') && !is_first => {
                    self.take();
                    let own = self.out.split_off(start);
                    self.out.push_str(&format!("[{own}]--"));
                    let is_negated = self.out[..start].ends_with('^');
                    if is_negated {
                        // The library applies the negation last, XML Schema first.
                        self.out.truncate(start - 1);
                        self.out.push_str(&format!("[^{own}]--"));
                    }
                    self.class(depth + 1)?;
                    return match self.take()? {
                        ']' => {
                            self.out.push(']');
                            Some(())
                        }
                        _ => None,
                    };
                }
                '[' => return None,
                '\\' => {
                    let c = self.take()?;
                    match self.class_escape(c)? {
                        Some(class) => self.out.push_str(&class),
                        None => self.range(single(c)?)?,
                    }
                }
                c => self.range(c)?,
            }
            is_first = false;
        }
        self.out.push(']');
        Some(())
    }

    /// A character or a range in a class.
    fn range(&mut self, low: char) -> Option<()> {
        self.literal(low);
        let is_range = self.rest.starts_with('-')
            && !self.rest.starts_with("-[")
            && !self.rest.starts_with("-]");
        if !is_range || low == '-' {
            return Some(());
        }
        self.take();
        let high = match self.take()? {
            '\\' => {
                let c = self.take()?;
                single(c)?
            }
            c => c,
        };
        if high < low {
            return None;
        }
        self.out.push('-');
        self.literal(high);
        Some(())
    }
}

/// The character that an escape stands for.
fn single(c: char) -> Option<char> {
    Some(match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^'
        | '$' => c,
        _ => return None,
    })
}

fn is_category(name: &str) -> bool {
    const ALL: &str = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm \
                       Sc Sk So C Cc Cf Co Cn";
    ALL.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests;
