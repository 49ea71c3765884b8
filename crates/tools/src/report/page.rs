//! The report as one page that needs nothing else: light and dark, narrow and wide.

use std::fmt::Write as _;

use super::plot;
use super::section::{Cell, Section, Table};

const STYLE: &str = ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#57606a;--grid:#d8dee4;\
    --stripe:#f6f8fa}\
    @media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9198a1;--grid:#30363d;\
    --stripe:#151b23}}\
    body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:62rem;background:var(--paper);color:var(--ink);\
    font:16px/1.5 system-ui,sans-serif}\
    h1{font-size:1.7rem;margin:0 0 .2rem}h2{font-size:1.3rem;margin:2.6rem 0 .3rem;\
    border-bottom:1px solid var(--grid);padding-bottom:.2rem}\
    p{margin:.4rem 0}.soft{color:var(--soft)}nav a{margin-right:1rem}a{color:inherit}\
    .scroll{overflow-x:auto;margin:1rem 0}\
    table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}\
    caption{text-align:left;font-weight:600;padding-bottom:.3rem}\
    th,td{padding:.25rem .7rem;text-align:left;border-bottom:1px solid var(--grid);vertical-align:top}\
    th.n,td.n{text-align:right}td.n{white-space:nowrap}td:first-child{min-width:9rem}tbody tr:nth-child(even){background:var(--stripe)}\
    figure{margin:1.2rem 0}figcaption{font-weight:600}svg{max-width:100%;height:auto}svg text{fill:currentColor}";

/// Text in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page; `machine` says where it was measured.
pub fn html(sections: &[Section], machine: &str) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>Thermocline: report</title><style>{STYLE}</style></head>\n<body>\
         <h1>Thermocline beside what was published</h1><p class=\"soft\">{}</p>\n<nav>",
        escaped(machine)
    );
    for section in sections {
        write!(out, "<a href=\"#s{}\">{}</a> ", section.source, escaped(section.title))
            .expect("strings take everything");
    }
    out.push_str("</nav>\n");
    sections.iter().for_each(|section| put_section(&mut out, section));
    out.push_str("</body></html>\n");
    out
}

fn put_section(out: &mut String, section: &Section) {
    let Section { source, title, about, tables, plots, notes } = section;
    let mut put = |text: String| out.push_str(&text);
    put(format!("<h2 id=\"s{source}\">{}</h2>\n<p>{}</p>\n", escaped(title), escaped(about)));
    tables.iter().for_each(|table| put(table_of(table)));
    for plot in plots {
        let Some(svg) = plot::svg(plot) else { continue };
        let caption = escaped(&plot.caption);
        put(format!("<figure><figcaption>{caption}</figcaption>{svg}</figure>\n"));
    }
    for note in notes {
        put(format!("<p class=\"soft\">{}</p>\n", escaped(note)));
    }
}

fn table_of(table: &Table) -> String {
    let caption = escaped(&table.caption);
    let mut out = format!("<div class=\"scroll\"><table><caption>{caption}</caption><thead><tr>");
    let mut cell = |tag: &str, is_number: bool, text: &str| {
        let class = if is_number { " class=\"n\"" } else { "" };
        write!(out, "<{tag}{class}>{}</{tag}>", escaped(text)).expect("strings take everything");
    };
    for (at, name) in table.columns.iter().enumerate() {
        let is_number = table.rows.iter().all(|row| row.get(at).is_some_and(Cell::is_number));
        cell("th", is_number && !table.rows.is_empty(), name);
    }
    out.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            let class = if cell.is_number() { " class=\"n\"" } else { "" };
            write!(out, "<td{class}>{}</td>", escaped(&cell.shown()))
                .expect("strings take everything");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
    out
}
