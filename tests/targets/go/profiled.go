// Many functions of different lengths, and the program's own profile of them by runtime/pprof, at 100 Hz.
//
//	profiled SECONDS FILE
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash/crc32"
	"math"
	"math/rand"
	"os"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	workers = 2
	large   = 1 << 20
)

// What one worker works on.
type state struct {
	random *rand.Rand
	sum    uint64
	real   float64
	words  []uint64
	small  []int
	bytes  []byte
	table  map[uint64]uint64
	shape  []shape
	kept   [64][]byte
}

type shape interface{ area(x float64) float64 }
type square struct{ side float64 }
type circle struct{ radius float64 }

//go:noinline
func (s square) area(x float64) float64 {
	for i := 0; i < 100; i++ {
		x += s.side * s.side
	}
	return x
}

//go:noinline
func (c circle) area(x float64) float64 {
	for i := 0; i < 100; i++ {
		x += c.radius * c.radius * math.Pi
	}
	return x
}

//go:noinline
func multiply(s *state) {
	for i := uint64(0); i < 100000; i++ {
		s.sum = s.sum*6364136223846793005 + i
	}
}

//go:noinline
func divide(s *state) {
	for i := uint64(1); i < 30000; i++ {
		s.sum += (s.sum | 1<<63) / (i | 1)
	}
}

//go:noinline
func roots(s *state) {
	for i := 0; i < 15000; i++ {
		s.real = math.Sqrt(s.real + float64(i))
	}
}

//go:noinline
func jump(s *state) {
	at := s.sum
	for i := 0; i < 1500; i++ {
		at = s.words[at%large] + uint64(i)
	}
	s.sum += at
}

//go:noinline
func count(n int) int {
	if n < 2 {
		return n
	}
	return count(n-1) + count(n-2)
}

//go:noinline
func total[T uint64 | float64](list []T) T {
	var sum T
	for _, value := range list {
		sum += value
	}
	return sum
}

//go:noinline
func shapes(s *state) {
	for i := 0; i < 1000; i++ {
		s.real = s.shape[i&1].area(s.real)
	}
}

//go:noinline
func look(s *state) {
	for i := uint64(0); i < 5000; i++ {
		s.sum += s.table[i*7%10000]
	}
}

//go:noinline
func fill(s *state) {
	for i := range s.small {
		s.small[i] = s.random.Intn(1000)
	}
	sort.Ints(s.small)
}

//go:noinline
func text(s *state) {
	out := ""
	for i := 0; i < 120; i++ {
		out += strconv.Itoa(i)
	}
	s.sum += uint64(strings.Count(out, "9"))
}

//go:noinline
func allocate(s *state) {
	for i := 0; i < 200; i++ {
		s.kept[i%len(s.kept)] = make([]byte, 64+i*16)
	}
}

//go:noinline
func encode(s *state) {
	for i := 0; i < 20; i++ {
		out, _ := json.Marshal(map[string]any{"a": []int{1, 2, 3}, "b": "text", "c": s.real})
		s.sum += uint64(len(out))
	}
}

//go:noinline
func call(s *state) {
	for i := 0; i < 1000; i++ {
		s.sum += uint64(syscall.Getppid())
	}
}

var work = []func(s *state){
	multiply, divide, roots, jump, shapes, look, fill, text, allocate, encode, call,
	func(s *state) { s.sum += uint64(count(21)) },
	func(s *state) { s.sum += total(s.words[:50000]) },
	func(s *state) { digest := sha256.Sum256(s.bytes[:100000]); s.sum += uint64(digest[3]) },
	func(s *state) { s.sum += uint64(crc32.ChecksumIEEE(s.bytes)) },
	func(s *state) { copy(s.bytes[1:], s.bytes) },
	func(s *state) { s.sum += uint64(bytes.Count(s.bytes, []byte{1})) },
}

func run(seed int64, until time.Time) {
	s := state{random: rand.New(rand.NewSource(seed)), table: map[uint64]uint64{}}
	s.words, s.small, s.bytes = make([]uint64, large), make([]int, 1000), make([]byte, large/4)
	s.shape = []shape{square{1.5}, circle{2.5}}
	for i := range s.words {
		s.words[i] = s.random.Uint64()
	}
	for i := uint64(0); i < 10000; i++ {
		s.table[i] = i
	}
	for time.Now().Before(until) {
		work[s.random.Intn(len(work))](&s)
	}
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	file, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(file)
	var done sync.WaitGroup
	until := time.Now().Add(time.Duration(seconds * 1e9))
	for i := int64(0); i < workers; i++ {
		done.Add(1)
		go func(i int64) {
			defer done.Done()
			run(i, until)
		}(i)
	}
	done.Wait()
	pprof.StopCPUProfile()
}
