// Work of many kinds in a Go program: small functions that are inlined, recursion, the vDSO, the memory
// allocator and the garbage collector, stacks that grow, locks, generic functions, system calls.
//
//	plain SECONDS SLEEPERS
//
// SLEEPERS goroutines only wait; for 0 seconds there is nothing else. It says "ready" when all of them are there, and
// ends when its stdin does, before its time or not.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var sink uint64
var keep [3][][]byte
var mutex sync.Mutex

func small(n uint64) uint64 { return n*31 + 7 }

//go:noinline
func spin(n int) uint64 {
	s := uint64(1)
	for i := 0; i < n; i++ {
		s = small(s)
	}
	return s
}

//go:noinline
func recurse(depth int) uint64 {
	if depth == 0 {
		return spin(500000)
	}
	return recurse(depth-1) + 1
}

//go:noinline
func clocks() int64 {
	var t int64
	for i := 0; i < 10000; i++ {
		t += time.Now().UnixNano() & 1
	}
	return t
}

//go:noinline
func allocate(n int) {
	var list [][]byte
	for i := 0; i < 500; i++ {
		list = append(list, make([]byte, 512+i%4096))
	}
	keep[n] = list
}

//go:noinline
func grow(n int) int {
	var big [4096]byte
	big[n%4096] = byte(n)
	if n == 0 {
		return int(big[7])
	}
	return grow(n-1) + int(big[(n+1)%4096])
}

//go:noinline
func locked(n int) {
	mutex.Lock()
	spin(n)
	mutex.Unlock()
}

type number interface{ ~int | ~uint64 }

//go:noinline
func sum[T number](list []T) T {
	var s T
	for _, v := range list {
		s += v
	}
	return s
}

//go:noinline
func sums(list []uint64) {
	for i := 0; i < 200; i++ {
		sink += sum(list)
	}
}

type worker struct {
	n    int
	null *os.File
}

//go:noinline
func (w *worker) work(until time.Time) {
	list := make([]uint64, 5000)
	grown := make(chan int)
	for time.Now().Before(until) {
		spin(500000)
		recurse(40)
		clocks()
		allocate(w.n)
		sums(list)
		locked(300000)
		for i := 0; i < 5; i++ {
			go func() { grown <- grow(200) }()
			<-grown
		}
		sink += uint64(len(strings.Repeat("x", w.n)))
		fmt.Fprintln(w.null, strconv.Itoa(w.n))
	}
}

//go:noinline
func waitForever(never chan int, started *sync.WaitGroup) {
	started.Done()
	<-never
}

func endOfInput() {
	os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	sleepers, _ := strconv.Atoi(os.Args[2])
	null, _ := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	var started, done sync.WaitGroup
	never := make(chan int)
	for i := 0; i < sleepers; i++ {
		started.Add(1)
		go waitForever(never, &started)
	}
	started.Wait()
	fmt.Println("ready")
	go endOfInput()
	until := time.Now().Add(time.Duration(seconds * 1e9))
	for i := 0; i < 3 && seconds > 0; i++ {
		done.Add(1)
		go func(i int) {
			defer done.Done()
			(&worker{i, null}).work(until)
		}(i)
	}
	done.Wait()
	<-never
}
