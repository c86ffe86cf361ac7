use std::time::{Duration, Instant};
fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: u64 = args.next().unwrap().parse().unwrap();
    for path in args {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let name = std::path::Path::new(&path).file_stem().unwrap().to_string_lossy().into_owned();
        let start = Instant::now();
        let Some(program) = gdl_front::load(&text, None).program else {
            println!("{name:32} NOT LOADED");
            continue;
        };
        let game = engine::Game::new(program);
        let limits = engine::Limits { time: Duration::from_secs(seconds), memory: 4 << 30, rules: 30_000_000 };
        match engine::ground(&game, &limits) {
            Ok(ground) => println!("{name:32} {:8.1} ms {:?}", start.elapsed().as_secs_f64() * 1e3, ground.statistics),
            Err(failure) => println!("{name:32} {:8.1} ms FAIL {failure}", start.elapsed().as_secs_f64() * 1e3),
        }
    }
}
