// A program that writes a CPU profile and a heap profile of itself, by Go's own runtime.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

var sink uint64
var kept [][]byte

//go:noinline
func inner(n uint64) uint64 {
	for i := uint64(0); i < n; i++ {
		sink += i * i
	}
	return sink
}

//go:noinline
func outer(n uint64) uint64 {
	return inner(n) + inner(2*n)
}

//go:noinline
func recurse(depth int) uint64 {
	if depth == 0 {
		return inner(1 << 20)
	}
	return recurse(depth-1) + 1
}

func allocate() {
	for i := 0; i < 200; i++ {
		kept = append(kept, make([]byte, 128<<10))
	}
}

func main() {
	cpu, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	for start := time.Now(); time.Since(start) < 800*time.Millisecond; {
		outer(1 << 20)
		recurse(5)
	}
	pprof.StopCPUProfile()
	cpu.Close()
	allocate()
	runtime.GC()
	heap, _ := os.Create("heap.pb.gz")
	pprof.WriteHeapProfile(heap)
	heap.Close()
}
