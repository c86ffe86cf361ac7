//! Matches over HTTP on this machine: players, the manager, and all that can go wrong between them.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Game, Reference, replay};
use player::{
    Contestant, Desk, Margin, Plan, Record, Remote, Server, Settings, Setup, Stopper, StrategyKind,
    Style, run_match,
};

use crate::common::{inertia, inertia_with_input, root, text};

const GAME: &str = "games/tic-tac-toe.kif";

fn rules() -> String {
    text(&root().join(GAME))
}

/// A player of ours behind a port, which ends with the test.
struct Ours {
    address: SocketAddr,
    stopper: Stopper,
}

impl Ours {
    fn new(strategy: StrategyKind) -> Ours {
        let margin = Margin { least: Duration::from_millis(100), ..Margin::default() };
        let style = Style { strategy, settings: Settings::default(), margin };
        let server = Server::bind("127.0.0.1:0", Desk::new(Setup::new(style))).unwrap();
        let (address, stopper) = (server.address().unwrap(), server.stopper().unwrap());
        std::thread::spawn(move || server.run());
        Ours { address, stopper }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn ask(&self, message: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        Remote::new(&self.url()).unwrap().ask(message, deadline).unwrap()
    }

    fn start(&self, id: &str, clocks: &str) -> String {
        self.ask(&format!("(START {id} x ({}) {clocks})", rules()))
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// What a faulty player does with a connection. The number counts connections from 0.
type Behaviour = fn(&mut TcpStream, usize);

/// A faulty player. It takes so many connections, then it is gone.
fn faulty(behaviour: Behaviour, connections: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for number in 0..connections {
            let (mut stream, _) = listener.accept().unwrap();
            std::thread::spawn(move || behaviour(&mut stream, number));
        }
    });
    format!("http://{address}")
}

fn answer(stream: &mut TcpStream, body: &str) {
    // Reads until the message is closed: a manager keeps the connection until it has its reply.
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !(seen.ends_with(b")") && seen.windows(4).any(|window| window == b"\r\n\r\n")) {
        let count = stream.read(&mut buffer).unwrap_or(0);
        if count == 0 {
            return;
        }
        seen.extend_from_slice(&buffer[..count]);
    }
    let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

fn plan(play_clock: Duration) -> Plan {
    Plan {
        id: "test".to_owned(),
        game: GAME.to_owned(),
        rules: rules(),
        start_clock: Duration::from_millis(300),
        play_clock,
        seed: 1,
        scramble: false,
        shuffle: false,
        most_steps: 100,
        record: None,
    }
}

/// Plays a match to its end, whoever plays, and checks that the record holds what the rules say.
fn play(plan: &Plan, players: [&str; 2]) -> Record {
    let contestants = players.map(|url| Arc::new(Remote::new(url).unwrap()) as Arc<dyn Contestant>);
    let program = gdl_front::load(&plan.rules, None).program.unwrap();
    let mut steps = 0;
    let record = run_match(plan, program, &contestants, &mut |_| steps += 1).unwrap();
    assert!(record.is_completed && !record.is_aborted);
    assert_eq!(steps, record.moves.len());
    check_record(&record);
    record
}

fn check_record(record: &Record) {
    let game = Game::new(gdl_front::load(&rules(), None).program.unwrap());
    let mut reasoner = Reference::new(game.clone()).unwrap();
    let replayed = replay(&mut reasoner, &record.to_trace(&game)).unwrap();
    assert_eq!(replayed.differences, []);
    assert_eq!(replayed.states, record.moves.len() + 1);
}

/// Plays against a faulty player, and gives the errors that the manager noted of it.
fn errors_of(behaviour: Behaviour, connections: usize) -> Vec<String> {
    let ours = Ours::new(StrategyKind::Random);
    let url = faulty(behaviour, connections);
    let record = play(&plan(Duration::from_millis(300)), [&url, &ours.url()]);
    assert_eq!(record.error_counts()[1], 0, "{:?}", record.faults);
    assert_eq!(record.faults.len(), record.error_counts()[0]);
    record.errors.iter().map(|step| step[0].clone()).collect()
}

fn all(errors: &[String], code: &str) -> bool {
    !errors.is_empty() && errors.iter().all(|error| error == code)
}

#[test]
fn two_players_of_ours_play_over_http() {
    let [one, other] = [StrategyKind::Mcts, StrategyKind::Minimax].map(Ours::new);
    let clock = Duration::from_millis(400);
    for scramble in [false, true] {
        let plan = Plan { scramble, shuffle: scramble, ..plan(clock) };
        let record = play(&plan, [&one.url(), &other.url()]);
        assert_eq!(record.faults, [], "nothing is lost to the clock");
        assert_eq!(record.player_names_from_host, [one.url(), other.url()]);
        assert_eq!(record.state_times.len(), record.states.len());
    }
}

#[test]
fn a_player_that_never_answers() {
    let errors = errors_of(|_, _| std::thread::sleep(Duration::from_secs(5)), 100);
    assert!(all(&errors, "TO"), "{errors:?}");
}

#[test]
fn a_player_that_answers_late() {
    let late = |stream: &mut TcpStream, _| {
        std::thread::sleep(Duration::from_millis(600));
        answer(stream, "(mark a1)");
    };
    let errors = errors_of(late, 100);
    assert!(all(&errors, "TO"), "{errors:?}");
}

#[test]
fn a_player_that_makes_illegal_moves() {
    let errors = errors_of(|stream, _| answer(stream, "(mark z9)"), 100);
    assert!(all(&errors, "IL"), "{errors:?}");
}

#[test]
fn a_player_that_talks_garbage() {
    let errors = errors_of(|stream, _| answer(stream, ")) \u{0} é (((mark"), 100);
    assert!(all(&errors, "IL"), "{errors:?}");
    let no_http = |stream: &mut TcpStream, _| {
        let _ = stream.write_all(b"\x00\x01\x02 nonsense\r\n\r\nmore");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    };
    let errors = errors_of(no_http, 100);
    assert!(all(&errors, "IL"), "{errors:?}");
}

#[test]
fn a_player_that_sends_a_megabyte() {
    let errors = errors_of(|stream, _| answer(stream, &"(mark a1) ".repeat(100_000)), 100);
    assert!(all(&errors, "IL"), "{errors:?}");
}

#[test]
fn a_player_that_hangs_up() {
    let errors = errors_of(|_, _| {}, 100);
    assert!(all(&errors, "CE"), "{errors:?}");
}

#[test]
fn a_player_that_dies_in_the_match() {
    // START and the first two PLAYs are answered; then nobody listens any more.
    let mortal = |stream: &mut TcpStream, number| {
        let replies = ["ready", "(mark b2)", "wait"];
        answer(stream, replies[number]);
    };
    let errors = errors_of(mortal, 3);
    assert_eq!(&errors[..2], ["", ""]);
    assert!(all(&errors[2..], "CE"), "{errors:?}");
}

#[test]
fn messages_that_come_twice_or_belong_elsewhere() {
    let ours = Ours::new(StrategyKind::Mcts);
    assert_eq!(ours.start("m1", "0.2 0.4"), "ready");
    assert_eq!(ours.start("m1", "0.2 0.4"), "ready", "START twice");
    assert_eq!(ours.start("m2", "0.2 0.4"), "busy");
    assert_eq!(ours.ask("(PLAY m2 nil)"), "busy", "PLAY for another match");
    let first = ours.ask("(PLAY m1 nil)");
    assert!(first.starts_with("(mark "), "{first}");
    assert_eq!(ours.ask("(PLAY m1 nil)"), first, "PLAY twice");
    let step = format!("(PLAY m1 ({first} wait))");
    assert_eq!(ours.ask(&step), "wait");
    assert_eq!(ours.ask(&step), "wait", "PLAY twice");
    assert_eq!(ours.ask("(STOP m2 (wait wait))"), "busy");
    assert_eq!(ours.ask("(STOP m1 (wait wait))"), "done");
    assert_eq!(ours.start("m2", "0.2 0.4"), "ready");
    assert_eq!(ours.ask("(ABORT m2)"), "aborted");
}

#[test]
fn a_lost_stop_does_not_keep_the_player_busy() {
    let style = Style {
        strategy: StrategyKind::Mcts,
        settings: Settings::default(),
        margin: Margin::default(),
    };
    let setup = Setup { patience: Duration::from_millis(100), ..Setup::new(style) };
    let server = Server::bind("127.0.0.1:0", Desk::new(setup)).unwrap();
    let (address, stopper) = (server.address().unwrap(), server.stopper().unwrap());
    std::thread::spawn(move || server.run());
    let ours = Ours { address, stopper };
    assert_eq!(ours.start("m1", "0.1 0.1"), "ready");
    ours.ask("(PLAY m1 nil)");
    let given_up = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        ours.ask("(INFO)").contains("available")
    });
    assert!(given_up);
    assert_eq!(ours.start("m2", "0.1 0.1"), "ready");
}

#[test]
fn silent_clients_do_not_hold_up_a_match() {
    let ours = Ours::new(StrategyKind::Mcts);
    assert_eq!(ours.start("m", "0.1 5"), "ready");
    let mut silent: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(ours.address).unwrap()).collect();
    for stream in &mut silent[10..] {
        stream.write_all(b"POST / HTTP/1.1\r\nContent-Le").unwrap();
    }
    std::thread::scope(|scope| {
        let playing = scope.spawn(|| ours.ask("(PLAY m nil)"));
        for _ in 0..5 {
            assert!(ours.ask("(INFO)").contains("busy"));
        }
        assert!(!playing.is_finished(), "INFO was answered while PLAY was thinking");
        assert_eq!(ours.ask("(ABORT m)"), "aborted");
        playing.join().unwrap();
    });
}

#[test]
fn too_many_clients_are_turned_away_until_some_leave() {
    let ours = Ours::new(StrategyKind::Random);
    let crowd: Vec<TcpStream> =
        (0..64).map(|_| TcpStream::connect(ours.address).unwrap()).collect();
    let turned_away = (0..100).any(|_| raw(&ours, b"(INFO)").starts_with("HTTP/1.1 503 "));
    assert!(turned_away);
    drop(crowd);
    let welcome = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        raw(&ours, b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)").contains("available")
    });
    assert!(welcome);
}

/// Sends bytes and gives all that comes back.
fn raw(ours: &Ours, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(ours.address).unwrap();
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

#[test]
fn odd_requests_get_polite_replies() {
    let ours = Ours::new(StrategyKind::Random);
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "200 "),
        ("OPTIONS / HTTP/1.1\r\nOrigin: http://x\r\n\r\n", "200 "),
        ("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "200 "),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", "413 "),
        ("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", "400 "),
        ("nonsense\r\n\r\n", "400 "),
    ] {
        let reply = raw(&ours, request.as_bytes());
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {reply}");
        assert!(reply.contains("\r\nAccess-Control-Allow-Origin: *\r\n"), "{reply}");
        assert!(reply.contains("\r\nContent-Length: "), "{reply}");
        assert!(reply.contains("\r\nConnection: close\r\n"), "{reply}");
    }
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    assert!(raw(&ours, long.as_bytes()).starts_with("HTTP/1.1 413 "));
    let reply = raw(&ours, b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n(dance)\n");
    assert!(reply.ends_with("\r\n\r\nunclear"), "{reply}");
    assert!(ours.ask("( info )").contains("available"), "still there");
}

/// A process that ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(arguments: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inertia"));
    command.args(arguments).current_dir(root()).env_remove("RUST_LOG");
    Process(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
}

fn scratch_file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn a_manager_that_is_killed_leaves_a_readable_record() {
    let path = scratch_file("killed.json");
    let file = path.to_str().unwrap();
    let clocks = ["--start-clock", "0.1", "--play-clock", "0.3"];
    let mut arguments = vec!["match", "games/connect-four.kif", "mcts", "random"];
    arguments.extend(["--record", file]);
    arguments.extend(clocks);
    let mut manager = spawn(&arguments);
    let moves = || {
        fs::read_to_string(&path).map_or(0, |json| {
            Record::from_json(&json).expect("a whole record at any time").moves.len()
        })
    };
    while moves() < 3 {
        assert!(manager.0.try_wait().unwrap().is_none(), "the match ended too soon");
        std::thread::sleep(Duration::from_millis(5));
    }
    manager.0.kill().unwrap();
    manager.0.wait().unwrap();
    let record = Record::from_json(&fs::read_to_string(&path).unwrap()).unwrap();
    assert!(!record.is_completed && record.moves.len() >= 3);
    let run = inertia(&["replay", "games/connect-four.kif", file]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn the_command_line_serves_a_player_and_runs_a_match() {
    let mut server = spawn(&["player", "--port", "0", "--strategy", "random"]);
    let mut line = Vec::new();
    let stdout = server.0.stdout.as_mut().unwrap();
    while !line.ends_with(b"\n") {
        let mut byte = [0];
        assert_eq!(stdout.read(&mut byte).unwrap(), 1);
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap();
    let path = scratch_file("served.json");
    let file = path.to_str().unwrap();
    let run = inertia(&["match", GAME, url, "mcts:50", "--record", file, "--scramble"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("o (mcts:50)"), "{}", run.out);
    let replayed = inertia(&["replay", GAME, file]);
    assert_eq!(replayed.code, 0, "{}", replayed.out);
    let record = fs::read_to_string(&path).unwrap();
    let start = "\"goalValues\": [\n    ";
    fs::write(&path, record.replace(start, &format!("{start}1"))).unwrap();
    assert_eq!(inertia(&["replay", GAME, file]).code, 1, "other goals than the rules give");
    for (players, code) in [(vec!["mcts:9"], 2), (vec!["mtcs", "random"], 2)] {
        let mut arguments = vec!["match", GAME];
        arguments.extend(players);
        assert_eq!(inertia(&arguments).code, code, "{arguments:?}");
    }
}

#[test]
fn a_person_plays_in_a_match() {
    let typed = format!("castle\n{}", "1\n".repeat(9));
    let run = inertia_with_input(&["match", GAME, "human", "legal", "--json"], typed.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.err.contains("not a legal move"), "{}", run.err);
    assert!(run.err.contains("3  . . .") && run.err.contains("x> "), "{}", run.err);
    let record: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(record["isCompleted"], true);
    let errors = record["errors"].as_array().unwrap();
    let none = |step: &serde_json::Value| step.as_array().unwrap().iter().all(|it| it == "");
    assert!(errors.iter().all(none), "{errors:?}");
    // One who leaves is replaced by random moves, with a note of it.
    let run = inertia_with_input(&["match", GAME, "human", "legal", "--json"], b"1\n");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let record: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(record["isCompleted"], true);
    assert!(!record["errors"].as_array().unwrap().iter().all(none), "{}", run.out);
}

#[test]
fn a_tournament_tells_who_is_better() {
    let arguments = ["tournament", GAME, "--players", "mcts:200,random", "--rounds", "3"];
    let run = inertia(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["matches"], &report["complete"]), (&6.into(), &true.into()));
    let [better, worse] = [&report["results"][0], &report["results"][1]];
    assert_eq!(better["played"], 6);
    assert!(better["won"].as_u64() > worse["won"].as_u64(), "{}", run.out);
    assert_eq!(better["faults"], 0);
    let table = inertia(&arguments).out;
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn the_same_seed_gives_the_same_match() {
    let run = || inertia(&["match", GAME, "mcts:60", "random", "--seed", "5"]).out;
    assert_eq!(run(), run());
}

/// A hunt on a field of 3,000 by 3,000 squares: far too large to be instantiated, though a state
/// has three fluents.
fn hunt() -> String {
    let successors: String = (1..3000).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let counts: String = (0..12).map(|n| format!("(count {n} {})", n + 1)).collect();
    format!(
        "(role hunter) (role prey) (init (at hunter 1500 1500)) (init (at prey 1503 1502))
         (init (time 0)) {successors} {counts}
         (<= (step ?a ?b) (succ ?a ?b)) (<= (step ?a ?b) (succ ?b ?a))
         (<= (reach ?r ?x ?y) (true (at ?r ?u ?y)) (step ?u ?x))
         (<= (reach ?r ?x ?y) (true (at ?r ?x ?v)) (step ?v ?y))
         (<= (legal ?r (go ?x ?y)) (reach ?r ?x ?y)) (<= (legal ?r stay) (role ?r))
         (<= (next (at ?r ?x ?y)) (does ?r (go ?x ?y)))
         (<= (next (at ?r ?x ?y)) (does ?r stay) (true (at ?r ?x ?y)))
         (<= (next (time ?m)) (true (time ?n)) (count ?n ?m))
         (<= caught (true (at hunter ?x ?y)) (true (at prey ?x ?y)))
         (<= terminal caught) (<= terminal (true (time 12)))
         (<= (goal hunter 100) caught) (<= (goal hunter 0) (not caught))
         (<= (goal prey 0) caught) (<= (goal prey 100) (not caught))"
    )
}

#[test]
fn a_game_too_large_to_instantiate_is_played_in_time() {
    let rules = hunt();
    let program = gdl_front::load(&rules, None).program.unwrap();
    let [one, other] = [StrategyKind::Mcts, StrategyKind::Random].map(Ours::new);
    let contestants = [&one, &other]
        .map(|ours| Arc::new(Remote::new(&ours.url()).unwrap()) as Arc<dyn Contestant>);
    let start_clock = Duration::from_secs(2);
    let plan = Plan { rules, start_clock, ..plan(Duration::from_millis(600)) };
    let record = run_match(&plan, program, &contestants, &mut |_| {}).unwrap();
    assert!(record.is_completed);
    assert_eq!(record.faults, []);
}
