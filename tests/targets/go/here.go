// A place: the program writes to stdout where it is, as Go's runtime sees it, and waits there until there is a byte on
// stdin, asleep or not:
//
//	place TID
//	goroutine ...            what runtime.Stack says
//	end
//
// The two are calls of one line, so that all but the innermost frames are the same.
package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
)

var text [1 << 18]byte
var spins bool
var sink int

//go:noinline
func here() {
	runtime.LockOSThread()
	wait(report(runtime.Stack(text[:], false)))
	runtime.UnlockOSThread()
}

//go:noinline
func report(size int) []byte {
	fmt.Printf("place %d\n%send\n", syscall.Gettid(), text[:size])
	return make([]byte, 1)
}

//go:noinline
func wait(bytes []byte) {
	var done atomic.Bool
	if !spins {
		syscall.Read(0, bytes)
		return
	}
	go func() {
		syscall.Read(0, bytes)
		done.Store(true)
	}()
	for !done.Load() {
	}
}

//go:noinline
func growing(depth int, next func()) {
	var large [30000]byte
	large[sink&1023] = 1
	if depth == 0 {
		next()
	} else {
		growing(depth-1, next)
	}
	sink += int(large[17])
}

// The stack moves on the way; in a call from C, while C code is on another one.
//
//go:noinline
func withGrowingStack(next func()) { growing(12, next) }
