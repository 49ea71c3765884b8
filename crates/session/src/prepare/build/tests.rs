use super::*;

/// Every scalar is an int.
struct Ints;

impl Declarations for Ints {
    fn data_type(&mut self, _: &str, _: &ast::DataType, _: u32) -> SqlResult<DeclaredType> {
        Ok(DeclaredType::Scalar(SqlType::int()))
    }

    fn table(&mut self, _: &str, _: &ast::TableDefinition) -> SqlResult<Arc<TableDef>> {
        unreachable!("no test declares one")
    }
}

/// One line per step: number, handler, depth of CATCH, what it does.
fn show(text: &str) -> Vec<String> {
    let batch = tsql::parse_batch(text, tsql::ParseOptions::default()).unwrap();
    let steps = steps(batch.statements, Variables::default(), &mut Ints).unwrap();
    let name = |kind: &StepKind| match kind {
        StepKind::Jump(to) => format!("jump {to}"),
        StepKind::JumpUnless(_, to) => format!("unless {to}"),
        StepKind::Assign { variable, .. } => format!("set {variable:?}"),
        StepKind::Data(_) => "data".into(),
        StepKind::Nothing => "nothing".into(),
        other => {
            let text = format!("{other:?}");
            text.split(['(', ' ', '{']).next().unwrap_or_default().to_lowercase()
        }
    };
    let line = |(at, step): (usize, &Step)| {
        let handler =
            step.handler.map_or("-".into(), |h| steps.handlers[h as usize].catch.to_string());
        format!("{at} {handler} {} {}", step.catch_depth, name(&step.kind))
    };
    steps.steps.iter().enumerate().map(line).collect()
}

#[test]
fn branches_skip_each_other() {
    let shown = show("if 1 = 1 print 1 else if 2 = 2 print 2 else print 3 print 4");
    let expected = [
        "0 - 0 unless 3",
        "1 - 0 print",
        "2 - 0 jump 7",
        "3 - 0 unless 6",
        "4 - 0 print",
        "5 - 0 jump 7",
        "6 - 0 print",
        "7 - 0 print",
    ];
    assert_eq!(shown, expected);
    assert_eq!(show("if 1 = 1 print 1"), ["0 - 0 unless 2", "1 - 0 print"]);
}

#[test]
fn loops_go_back_and_break_out() {
    let shown = show(
        "declare @i int = 0 while @i < 3 begin set @i += 1 if @i = 2 continue break end print 1",
    );
    let expected = [
        "0 - 0 set @i",
        "1 - 0 unless 7",
        "2 - 0 set @i",
        "3 - 0 unless 5",
        "4 - 0 jump 1",
        "5 - 0 jump 7",
        "6 - 0 jump 1",
        "7 - 0 print",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn every_step_knows_its_handler() {
    let shown = show(
        "begin try print 1 begin try print 2 end try begin catch print 3 end catch end try \
         begin catch throw end catch print 4",
    );
    let expected = [
        "0 6 0 print",
        "1 3 0 print",
        "2 6 0 jump 5",
        "3 6 1 nothing",
        "4 6 1 print",
        "5 - 0 jump 8",
        "6 - 1 nothing",
        "7 - 1 throw",
        "8 - 0 print",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn jumps_reach_labels_on_either_side() {
    let shown = show("a: print 1 goto b goto a b: print 2");
    let expected = [
        "0 - 0 nothing",
        "1 - 0 print",
        "2 - 0 jump 4",
        "3 - 0 jump 0",
        "4 - 0 nothing",
        "5 - 0 print",
    ];
    assert_eq!(shown, expected);
}
