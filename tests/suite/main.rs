#[test]
fn a(){}
