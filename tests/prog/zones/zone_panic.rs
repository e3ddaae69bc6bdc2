//! zone_panic ROUNDS: Rust's panics through 50 calls, caught, and in threads that die of them.
//! Status 34.
use std::arch::asm;
use std::panic;

struct Guard<'a>(&'a mut u64);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        *self.0 += 1;
    }
}

/// The same, but nobody knows.
#[inline(always)]
fn hidden(mut x: u64) -> u64 {
    unsafe { asm!("/* {} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
    x
}

#[inline(never)]
fn zq_leaf(mut x: u64) -> u64 {
    for _ in 0..20 {
        x = hidden(x.wrapping_mul(6364136223846793005).wrapping_add(1));
    }
    x
}

#[inline(never)]
fn zq_down(depth: u64, dropped: &mut u64) -> u64 {
    let guard = Guard(dropped);
    if depth == 0 {
        panic::resume_unwind(Box::new(zq_leaf(7)));
    }
    hidden(zq_down(depth - 1, guard.0)) + depth
}

#[inline(never)]
fn zq_catch() -> u64 {
    let mut dropped = 0;
    let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| zq_down(50, &mut dropped)));
    caught.unwrap_err().downcast_ref::<u64>().unwrap().wrapping_add(dropped)
}

fn one_round() -> u64 {
    let mut sum = 0u64;
    for _ in 0..10 {
        sum = sum.wrapping_mul(31).wrapping_add(zq_catch());
    }
    let thread = std::thread::spawn(|| zq_down(20, &mut 0));
    let value = *thread.join().unwrap_err().downcast_ref::<u64>().unwrap();
    sum.wrapping_add(value)
}

fn main() {
    let wanted: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let gate = std::env::var("ZONE_GATE").ok();
    let (mut done, mut first) = (0, 0);
    while match &gate {
        Some(path) => std::fs::read(path).unwrap()[0] == b'0',
        None => done < wanted,
    } {
        let result = one_round();
        if done == 0 {
            first = result;
        } else if result != first {
            println!("round {} differs", done + 1);
            std::process::exit(98);
        }
        done += 1;
    }
    if gate.is_none() {
        println!("calls zone_panic::zq_catch {}", 10 * done);
        println!("calls zone_panic::zq_down {}", (510 + 21) * done);
        println!("calls zone_panic::zq_leaf {}", 11 * done);
    }
    println!("ok {}", first);
    std::process::exit(34);
}
