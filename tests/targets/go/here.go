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
