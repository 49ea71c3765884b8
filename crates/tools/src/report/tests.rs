use super::plot;
use super::section::{Plot, PlotData, Table};
use super::*;
use crate::report::section::Cell;

fn section() -> Section {
    let mut section = Section::new("000", "A < B", "What was done & how.");
    let mut table = Table::new("Figures", &["what", "here", "published"]);
    table.rows.push(vec![Cell::text("<one>"), Cell::Number(1234.4, 0), Cell::Nothing]);
    table.rows.push(vec![Cell::text("two"), Cell::Number(0.126, 2), Cell::Number(2.0, 1)]);
    section.tables.push(table);
    section.plots.push(lines(vec![(1.0, 2.0), (10.0, 30.0)], true));
    section
}

fn lines(points: Vec<(f64, f64)>, is_logarithmic: bool) -> Plot {
    let series = vec![("a & b".to_owned(), points)];
    let data = PlotData::Lines { series, is_logarithmic };
    Plot { caption: "Rising".into(), axes: ["rows", "ms"], data }
}

#[test]
fn a_table_is_shown_in_columns() {
    let shown = section().tables[0].shown();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "Figures");
    assert_eq!(lines[1], "  what    here  published");
    assert_eq!(lines[2], "  <one>  1,234          —");
    assert_eq!(lines[3], "  two     0.13        2.0");
}

#[test]
fn the_page_is_whole_and_needs_nothing_else() {
    let page = page::html(&[section()], "a machine with \"quotes\"");
    assert!(page.contains("A &lt; B") && page.contains("&lt;one&gt;"), "{page}");
    assert!(page.contains("<svg") && page.contains("a &amp; b"), "{page}");
    assert!(page.contains("&quot;quotes&quot;"), "{page}");
    for outside in ["src=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in {page}");
    }
}

#[test]
fn plots_have_the_colours_of_the_page() {
    let bars = PlotData::Bars {
        bars: vec![("one".into(), 0.5), ("two".into(), 5000.0)],
        is_logarithmic: true,
    };
    let bars = Plot { caption: "Bars".into(), axes: ["", "1/s"], data: bars };
    for plot in [lines(vec![(0.0, 0.0), (1.0, 1.0)], false), bars] {
        let svg = plot::svg(&plot).expect("it has data");
        assert!(svg.contains("currentColor") && svg.contains("var(--grid)"), "{svg}");
    }
}

#[test]
fn a_plot_without_data_is_left_out() {
    assert_eq!(plot::svg(&lines(Vec::new(), false)), None);
    let all_zero = lines(vec![(0.0, 0.0), (1.0, 0.0)], false);
    assert!(plot::svg(&all_zero).is_some());
}

#[test]
fn json_has_numbers_where_tables_have() {
    let json = section().json();
    assert_eq!(json["tables"][0]["rows"][0][1], 1234.4);
    assert!(json["tables"][0]["rows"][0][2].is_null());
    assert_eq!(json["plots"][0]["series"][0]["points"][1][1], 30.0);
}
