//! Plots as SVG. Lines and text have the colours of the page, whatever these are.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::section::{Plot, PlotData};
use crate::stress::grouped;

const SIZE: (u32, u32) = (720, 360);
const MARGIN: u32 = 12;
const LABELS_LEFT: u32 = 84;
const LABELS_BELOW: u32 = 44;
/// Stands for the colour of text until the plot is drawn.
const INK: RGBColor = RGBColor(1, 2, 3);
/// Stands for the colour of lines behind the data.
const GRID: RGBColor = RGBColor(4, 5, 6);
/// Colours of series that can be seen on light and on dark pages.
const COLOURS: [RGBColor; 4] = [
    RGBColor(47, 127, 209),
    RGBColor(217, 118, 38),
    RGBColor(38, 153, 105),
    RGBColor(168, 92, 190),
];
const FONT: (&str, u32) = ("sans-serif", 14);
/// The part of the height that is left above the data.
const ABOVE: f64 = 1.12;
/// What is not positive has this place on a logarithmic scale.
const LEAST: f64 = 1e-9;

/// The picture of a plot; `None` if it has no data.
pub fn svg(plot: &Plot) -> Option<String> {
    let mut out = String::new();
    {
        let root = SVGBackend::with_string(&mut out, SIZE).into_drawing_area();
        let drawn = match &plot.data {
            PlotData::Lines { series, is_logarithmic } => {
                let all = || series.iter().flat_map(|(_, points)| points.iter().copied());
                let x = bounds(all().map(|(x, _)| x), *is_logarithmic)?;
                let y = bounds(all().map(|(_, y)| y), *is_logarithmic)?;
                lines(&root, plot, series, x, y, *is_logarithmic)
            }
            PlotData::Bars { bars: all, is_logarithmic } => {
                let y = bounds(all.iter().map(|(_, value)| *value), *is_logarithmic)?;
                bars(&root, plot, all, y, *is_logarithmic)
            }
        };
        drawn.ok()?;
        root.present().ok()?;
    }
    let hex = |colour: RGBColor| format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2);
    Some(out.replace(&hex(INK), "currentColor").replace(&hex(GRID), "var(--grid)"))
}

/// The least and the greatest place of an axis.
fn bounds(values: impl Iterator<Item = f64> + Clone, is_logarithmic: bool) -> Option<(f64, f64)> {
    let greatest = values.clone().fold(f64::NAN, f64::max);
    let least = values.map(|value| value.max(LEAST)).fold(f64::NAN, f64::min);
    if greatest.is_nan() {
        return None;
    }
    match is_logarithmic {
        true => Some((least / 1.3, (greatest * 2.0).max(least))),
        false => Some((0.0, (greatest * ABOVE).max(LEAST))),
    }
}

fn label(value: f64) -> String {
    match value.abs() {
        10.0.. => grouped(value.round() as u64),
        0.0 => "0".into(),
        1.0.. => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn lines<DB>(
    root: &DrawingArea<DB, plotters::coord::Shift>,
    plot: &Plot,
    series: &[(String, Vec<(f64, f64)>)],
    x: (f64, f64),
    y: (f64, f64),
    is_logarithmic: bool,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>
where
    DB: DrawingBackend,
{
    match is_logarithmic {
        true => lines_on(root, plot, series, (x.0..x.1).log_scale(), (y.0..y.1).log_scale()),
        false => lines_on(root, plot, series, x.0..x.1, y.0..y.1),
    }
}

fn lines_on<DB, X, Y>(
    root: &DrawingArea<DB, plotters::coord::Shift>,
    plot: &Plot,
    series: &[(String, Vec<(f64, f64)>)],
    x: X,
    y: Y,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>
where
    DB: DrawingBackend,
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(root)
        .margin(MARGIN)
        .x_label_area_size(LABELS_BELOW)
        .y_label_area_size(LABELS_LEFT)
        .build_cartesian_2d(x, y)?;
    let [x_name, y_name] = plot.axes;
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(FONT.into_font().color(&INK))
        .x_desc(x_name)
        .y_desc(y_name)
        .x_label_formatter(&|value| label(*value))
        .y_label_formatter(&|value| label(*value))
        .draw()?;
    for ((name, points), colour) in series.iter().zip(COLOURS.iter().cycle().copied()) {
        let drawn = chart.draw_series(LineSeries::new(
            points.iter().map(|(x, y)| (*x, y.max(LEAST))),
            colour.stroke_width(2),
        ))?;
        drawn
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(3)));
        // Of many points the line alone is shown.
        if points.len() <= 20 {
            chart.draw_series(
                points.iter().map(|(x, y)| Circle::new((*x, y.max(LEAST)), 3, colour.filled())),
            )?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(FONT.into_font().color(&INK))
        .border_style(TRANSPARENT)
        .draw()
}

fn bars<DB>(
    root: &DrawingArea<DB, plotters::coord::Shift>,
    plot: &Plot,
    all: &[(String, f64)],
    y: (f64, f64),
    is_logarithmic: bool,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>
where
    DB: DrawingBackend,
{
    match is_logarithmic {
        true => bars_on(root, plot, all, (y.0 / 2.0..y.1).log_scale(), y.0 / 2.0),
        false => bars_on(root, plot, all, y.0..y.1, 0.0),
    }
}

fn bars_on<DB, Y>(
    root: &DrawingArea<DB, plotters::coord::Shift>,
    plot: &Plot,
    all: &[(String, f64)],
    y: Y,
    foot: f64,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>
where
    DB: DrawingBackend,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(root)
        .margin(MARGIN)
        .x_label_area_size(LABELS_BELOW)
        .y_label_area_size(LABELS_LEFT)
        .build_cartesian_2d(0.0..all.len() as f64, y)?;
    let [x_name, y_name] = plot.axes;
    let name_of = |place: f64| {
        // A bar's name is in its middle.
        let at = (place - 0.5).round();
        match all.get(at as usize) {
            Some((name, _)) if at >= 0.0 && (place - 0.5 - at).abs() < 1e-6 => name.clone(),
            _ => String::new(),
        }
    };
    chart
        .configure_mesh()
        .axis_style(INK)
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(FONT.into_font().color(&INK))
        .x_desc(x_name)
        .y_desc(y_name)
        .x_labels(2 * all.len() + 1)
        .x_label_formatter(&|place| name_of(*place))
        .y_label_formatter(&|value| label(*value))
        .draw()?;
    chart.draw_series(all.iter().enumerate().map(|(at, (_, value))| {
        let (left, right) = (at as f64 + 0.2, at as f64 + 0.8);
        let colour = COLOURS[at % 2];
        Rectangle::new([(left, foot), (right, value.max(LEAST))], colour.filled())
    }))?;
    chart.draw_series(all.iter().enumerate().map(|(at, (_, value))| {
        let above = Pos::new(HPos::Center, VPos::Bottom);
        let style = FONT.into_font().color(&INK).pos(above);
        Text::new(label(*value), (at as f64 + 0.5, value.max(LEAST)), style)
    }))?;
    Ok(())
}
