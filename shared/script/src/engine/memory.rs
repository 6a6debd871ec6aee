//! The engine's memory: counted, and bounded in two steps.
//!
//! QuickJS crashes in some places when an allocation fails there. So a request past the limit
//! still succeeds, and the budget's next check interrupts the script for good. Requests fail only
//! past the ceiling, which lies so high that whatever a script within its limit doubles at once
//! still fits; only a built-in function that makes very much in one go gets there.

use std::cell::Cell;
use std::ptr::null_mut;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

/// The ceiling, as a multiple of the limit: what is held, and twice that for a block that grows.
const CEILING_FACTOR: usize = 3;
/// No request is larger; keeps the allocator's own arithmetic from overflowing.
const REQUEST_BYTES_MAX: usize = isize::MAX as usize / 2;

/// How much memory an engine holds.
#[derive(Debug)]
pub(super) struct Gauge {
    limit_bytes: usize,
    used_bytes: Cell<usize>,
    refused: Cell<bool>,
}

impl Gauge {
    pub(super) fn new(limit_bytes: usize) -> Rc<Self> {
        Rc::new(Self {
            limit_bytes,
            used_bytes: Cell::new(0),
            refused: Cell::new(false),
        })
    }

    /// An allocator that counts here.
    pub(super) fn allocator(self: &Rc<Self>) -> Counted {
        Counted(Rc::clone(self))
    }

    /// Whether the engine holds more than its limit, or asked for what it could not get: nothing
    /// it does after that is to be trusted.
    pub(super) fn passed(&self) -> bool {
        self.refused.get() || self.used_bytes.get() > self.limit_bytes
    }

    /// Whether `more` may be added.
    fn admits(&self, more: usize) -> bool {
        let ceiling = self.limit_bytes.saturating_mul(CEILING_FACTOR);
        let fits =
            more <= REQUEST_BYTES_MAX && self.used_bytes.get().saturating_add(more) <= ceiling;
        self.refused.set(self.refused.get() || !fits);
        fits
    }

    fn add(&self, bytes: usize) {
        self.used_bytes
            .set(self.used_bytes.get().saturating_add(bytes));
    }

    fn remove(&self, bytes: usize) {
        self.used_bytes
            .set(self.used_bytes.get().saturating_sub(bytes));
    }
}

/// The binding's allocator behind a gauge.
pub(super) struct Counted(Rc<Gauge>);

#[expect(
    unsafe_code,
    reason = "the trait is the binding's only way to count memory as it is used"
)]
// SAFETY: every pointer comes from and goes to `RustAllocator`, unchanged; a null pointer is an
// allowed answer; sizes are read from live pointers alone.
unsafe impl Allocator for Counted {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.0.admits(size) {
            return null_mut();
        }
        self.counted(RustAllocator.alloc(size))
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if !count
            .checked_mul(size)
            .is_some_and(|size| self.0.admits(size))
        {
            return null_mut();
        }
        self.counted(RustAllocator.calloc(count, size))
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        // SAFETY: the caller gives back a pointer of ours, so it is `RustAllocator`'s.
        unsafe {
            self.0.remove(RustAllocator::usable_size(ptr));
            RustAllocator.dealloc(ptr);
        }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller gives a pointer of ours, so it is `RustAllocator`'s; after a failure
        // it is still alive and still counted.
        unsafe {
            let old_size = RustAllocator::usable_size(ptr);
            if !self.0.admits(new_size.saturating_sub(old_size)) {
                return null_mut();
            }
            let moved = RustAllocator.realloc(ptr, new_size);
            if moved.is_null() {
                return moved;
            }
            self.0.remove(old_size);
            self.counted(moved)
        }
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        // SAFETY: the caller gives a pointer of ours, so it is `RustAllocator`'s.
        unsafe { RustAllocator::usable_size(ptr) }
    }
}

impl Counted {
    fn counted(&self, ptr: *mut u8) -> *mut u8 {
        if !ptr.is_null() {
            #[expect(
                unsafe_code,
                reason = "the block's true size is known to its allocator alone"
            )]
            // SAFETY: the pointer was just made by `RustAllocator`.
            self.0.add(unsafe { RustAllocator::usable_size(ptr) });
        }
        ptr
    }
}

#[cfg(test)]
mod tests {
    use openeve_domain::limits::MIB;

    use super::*;

    #[test]
    fn past_the_limit_requests_are_noticed_and_past_the_ceiling_they_fail() {
        let gauge = Gauge::new(MIB);
        gauge.add(MIB);
        assert!(!gauge.passed());
        gauge.add(1);
        assert!(gauge.passed() && gauge.admits(2 * MIB - 1));
        gauge.remove(1);
        assert!(!gauge.passed() && gauge.admits(2 * MIB));
        assert!(
            !gauge.admits(2 * MIB + 1) && gauge.passed(),
            "a refusal is final"
        );
    }

    #[test]
    fn a_block_is_counted_while_it_lives_whatever_its_size_becomes() {
        let gauge = Gauge::new(MIB);
        let mut allocator = gauge.allocator();
        let block = allocator.alloc(1_000);
        assert_eq!(gauge.used_bytes.get(), 1_000);
        assert!(allocator.calloc(2, 2 * MIB).is_null());
        assert!(allocator.calloc(usize::MAX, 2).is_null());
        #[expect(unsafe_code, reason = "the trait's methods are unsafe")]
        // SAFETY: the block comes from this allocator and is given back once.
        unsafe {
            assert!(allocator.realloc(block, 4 * MIB).is_null());
            let block = allocator.realloc(block, 2 * MIB);
            assert_eq!(gauge.used_bytes.get(), 2 * MIB);
            allocator.dealloc(block);
        }
        assert_eq!(gauge.used_bytes.get(), 0);
    }
}
