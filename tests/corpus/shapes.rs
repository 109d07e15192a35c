// What compilers make of Rust: closures, iterators, panics. "run" computes for ever, "sleep" sleeps.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Write;
use std::panic;
use std::thread;
use std::time::Duration;

#[inline(never)]
fn leaf(turns: u64, sleeps: bool) -> u64 {
    if sleeps {
        println!("asleep");
        std::io::stdout().flush().unwrap();
        loop {
            thread::sleep(Duration::from_secs(1000));
        }
    }
    (0..turns).fold(1, |sum, i| black_box(sum ^ i * i))
}

#[inline(never)]
fn sorts(size: u64, sleeps: bool) -> u64 {
    let mut numbers: Vec<u64> = (0..40).map(|i| (i * 17 + size) % 40).collect();
    numbers.sort_by(|a, b| {
        leaf(5, sleeps);
        a.cmp(b)
    });
    numbers[3]
}

#[inline(never)]
fn panics(size: u64, sleeps: bool) -> u64 {
    let result = panic::catch_unwind(|| {
        if size % 2 == 0 {
            panic::resume_unwind(Box::new(size));
        }
        leaf(20, sleeps)
    });
    leaf(10, sleeps) + result.unwrap_or(0)
}

#[inline(never)]
fn maps(size: u64, sleeps: bool) -> u64 {
    let mut map: BTreeMap<String, Box<dyn Fn(u64) -> u64>> = BTreeMap::new();
    for i in 0..5 {
        map.insert(format!("{i} {size}"), Box::new(move |turns| leaf(turns + i, sleeps)));
    }
    map.values().map(|way| way(size % 30)).sum()
}

fn repeat(way: fn(u64, bool) -> u64, sleeps: bool) {
    let mut size = 1;
    loop {
        black_box(way(size, sleeps));
        size = size % 400 + 7;
    }
}

fn main() {
    let sleeps = std::env::args().nth(1).as_deref() == Some("sleep");
    for way in [sorts, panics, maps] {
        thread::spawn(move || repeat(way, sleeps));
    }
    if !sleeps {
        println!("running");
    }
    repeat(sorts, sleeps);
}
