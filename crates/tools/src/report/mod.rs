//! `thermocline report`: the experiments of the documents that this server was built after, each as
//! its document describes it, with the published figures beside ours.

mod extension;
mod one_table;
mod order_processing;
mod page;
mod plot;
mod row_cache;
mod sales_orders;
mod section;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::bench::{BenchError, Figure};
use crate::stress::short;

use section::Section;

/// Run the published experiments on this machine: each table with the published figures beside
/// ours, as text, as one HTML page with plots, and as JSON.
#[derive(Parser, Debug)]
#[command(name = "thermocline report")]
struct Options {
    /// The experiments, by the numbers of their documents; all unless given.
    #[arg(value_enum)]
    sources: Vec<Source>,
    /// How large they are.
    #[arg(long, value_enum, default_value_t = Scale::Small)]
    scale: Scale,
    /// Where report.html and report.json are written. The directory is made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
}

/// A document.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// Sales orders in memory-optimized and disk tables.
    #[value(name = "000")]
    SalesOrders,
    /// One table, filled and read by a loop.
    #[value(name = "001")]
    OneTable,
    /// Order processing with many connections.
    #[value(name = "002")]
    OrderProcessing,
    /// The buffer pool extension.
    #[value(name = "003")]
    Extension,
    /// The row cache.
    #[value(name = "004")]
    RowCache,
}

/// How large experiments are.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Scale {
    /// All of them in a few minutes.
    Small,
    /// As published, as far as the machine allows; that takes hours.
    Published,
}

impl Source {
    const ALL: [Source; 5] = [
        Source::SalesOrders,
        Source::OneTable,
        Source::OrderProcessing,
        Source::Extension,
        Source::RowCache,
    ];

    fn run(self, scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
        match self {
            Source::SalesOrders => sales_orders::run(scale, steps),
            Source::OneTable => one_table::run(scale, steps),
            Source::OrderProcessing => order_processing::run(scale, steps),
            Source::Extension => extension::run(scale, steps),
            Source::RowCache => row_cache::run(scale, steps),
        }
    }

    fn steps(self) -> u64 {
        match self {
            Source::SalesOrders => sales_orders::STEPS,
            Source::OneTable => one_table::STEPS,
            Source::OrderProcessing => order_processing::STEPS,
            Source::Extension => extension::STEPS,
            Source::RowCache => row_cache::STEPS,
        }
    }
}

/// Shows what is being done.
struct Steps {
    bar: ProgressBar,
}

impl Steps {
    fn new(all: u64) -> Steps {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new(all),
            false => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}  {msg}");
        bar.set_style(style.expect("the template is right"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Steps { bar }
    }

    /// The step that begins.
    fn begin(&self, what: impl Into<String>) {
        self.bar.inc(1);
        self.bar.set_message(what.into());
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| println!("{text}"));
    }
}

/// The value of a figure in the only run.
fn value_of(figures: &[Figure], bench: &str, name: &str) -> Option<f64> {
    let figure = figures.iter().find(|figure| figure.bench == bench && figure.figure == name)?;
    figure.values.last().copied()
}

/// Runs the report with these arguments, the program's name left out.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = std::iter::once(OsString::from("thermocline report")).chain(arguments);
    let options = Options::parse_from(arguments);
    crate::local::remove_on_interrupt();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("thermocline report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), BenchError> {
    let mut sources: Vec<Source> = Vec::new();
    for source in &options.sources {
        if !sources.contains(source) {
            sources.push(*source);
        }
    }
    if sources.is_empty() {
        sources.extend(Source::ALL);
    }
    let begin = Instant::now();
    // Before hours are spent.
    try_to_write(options).map_err(|error| cannot_write(options, &error))?;
    let steps = Steps::new(sources.iter().map(|source| source.steps()).sum());
    let mut sections = Vec::new();
    for source in sources {
        let busy_before = busy_share();
        let mut section = source.run(options.scale, &steps)?;
        if let Some(busy) = busy_before.filter(|busy| *busy > BUSY) {
            section.notes.push(format!(
                "The machine was {:.0} % busy before: its figures are not comparable.",
                100.0 * busy
            ));
        }
        steps.say(&shown(&section));
        sections.push(section);
        // What is there stays if a later one fails.
        write(options, &sections).map_err(|error| cannot_write(options, &error))?;
    }
    steps.bar.finish_and_clear();
    let page = options.out.join("report.html");
    println!("{} in {}", page.display(), short(begin.elapsed()));
    Ok(())
}

/// Whether there can be a report; one that is there stays.
fn try_to_write(options: &Options) -> std::io::Result<()> {
    std::fs::create_dir_all(&options.out)?;
    for name in ["report.html", "report.json"] {
        std::fs::File::options().append(true).create(true).open(options.out.join(name))?;
    }
    Ok(())
}

fn write(options: &Options, sections: &[Section]) -> std::io::Result<()> {
    let machine = machine(options.scale);
    std::fs::write(options.out.join("report.html"), page::html(sections, &machine))?;
    let all: Vec<_> = sections.iter().map(Section::json).collect();
    let text = format!("{:#}\n", json!({ "machine": machine, "sections": all }));
    std::fs::write(options.out.join("report.json"), text)
}

fn cannot_write(options: &Options, error: &std::io::Error) -> BenchError {
    BenchError::Wrong(format!("cannot write to {}: {error}", options.out.display()))
}

/// A section for a terminal.
fn shown(section: &Section) -> String {
    let mut out = format!("\n{} {}\n{}\n", section.source, section.title, section.about);
    for table in &section.tables {
        out.push('\n');
        out.push_str(&table.shown());
    }
    for note in &section.notes {
        out.push_str(note);
        out.push('\n');
    }
    out
}

/// A machine that is busier than this before is too busy.
const BUSY: f64 = 0.2;

/// What part of its processors a machine has used for half a second; `None` where it does not say.
fn busy_share() -> Option<f64> {
    let read = || -> Option<(u64, u64)> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let times = stat.lines().next()?.split_whitespace().skip(1);
        let times: Vec<u64> = times.map(str::parse).collect::<Result<_, _>>().ok()?;
        // User, nice, system, idle, waiting for disks, and others.
        Some((times.get(3)? + times.get(4)?, times.iter().sum()))
    };
    let (idle, all) = read()?;
    std::thread::sleep(Duration::from_millis(500));
    let (idle_then, all_then) = read()?;
    Some(1.0 - idle_then.saturating_sub(idle) as f64 / (all_then - all).max(1) as f64)
}

/// Where it was measured.
fn machine(scale: Scale) -> String {
    let file = |path| std::fs::read_to_string(path).unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let info = file("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let model = model.trim_start_matches([' ', '\t', ':']);
    let memory = file("/proc/meminfo");
    let kilobytes = memory.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok());
    let gigabytes = kilobytes.unwrap_or(0) >> 20;
    let scale = match scale {
        Scale::Small => "small scale",
        Scale::Published => "published scale",
    };
    format!(
        "Thermocline {}, {processors} processors ({model}), {gigabytes} GB of memory, clients on the \
         same machine; {scale}.",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests;
