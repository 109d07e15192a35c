// Calls a place (here.go) in many ways, and in pairs of ways. "done" is the last line.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)


// Calls that are plain to see.

//go:noinline
func plainly(next func()) {
	next()
	sink++
}

//go:noinline
func recursively(next func()) { descend(7, next) }

//go:noinline
func descend(depth int, next func()) {
	if depth == 0 {
		next()
	} else {
		descend(depth-1, next)
	}
	sink++
}

//go:noinline
func mutually(next func()) { even(6, next) }

//go:noinline
func even(depth int, next func()) {
	if depth == 0 {
		next()
	} else {
		odd(depth-1, next)
	}
	sink++
}

//go:noinline
func odd(depth int, next func()) {
	even(depth-1, next)
	sink++
}

//go:noinline
func inClosures(next func()) {
	func() {
		defer func() { sink++ }()
		func() {
			defer func() { sink++ }()
			next()
		}()
	}()
}

//go:noinline
func manyArguments(a, b, c, d, e, f, g, h, i, j, k, l int, s string, next func()) (int, int) {
	next()
	return a + b + c + d + e + f, g + h + i + j + k + l + len(s)
}

//go:noinline
func withManyArguments(next func()) {
	manyArguments(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "thirteen", next)
}

//go:noinline
func variadic(next func(), rest ...any) {
	next()
	sink += len(rest)
}

//go:noinline
func withVariadic(next func()) { variadic(next, 1, "two", nil) }

//go:noinline
func withLargeFrame(next func()) {
	var large [60000]byte
	large[sink&1023] = 1
	next()
	sink += int(large[17])
}

// Methods, and the wrappers that the compiler makes for them.

type base struct{ n int }

func (b *base) pointed(next func()) {
	next()
	b.n++
}

func (b base) copied(next func()) {
	next()
	sink += b.n
}

type derived struct {
	name string
	base
}

type copier interface{ copied(next func()) }
type pointer interface{ pointed(next func()) }

//go:noinline
func asCopier(c copier, next func()) {
	c.copied(next)
	sink++
}

//go:noinline
func asPointer(p pointer, next func()) {
	p.pointed(next)
	sink++
}

func withMethod(next func())       { (&base{1}).pointed(next) }
func withWrapper(next func())      { asCopier(&base{1}, next) }
func withPromoted(next func())     { asPointer(&derived{"x", base{1}}, next) }
func withPromotedCopy(next func()) { asCopier(&derived{"x", base{1}}, next) }
func withMethodValue(next func())  { plainly2((&base{1}).pointed, next) }
func withMethodOfType(next func()) { f := (*derived).pointed; f(&derived{"x", base{1}}, next) }
func plainly2(f, next any)         { f.(func(func()))(next.(func())); sink++ }
func withMethodCopied(next func()) { plainly2(derived{"x", base{1}}.copied, next) }

func withDeferredMethod(next func()) {
	defer (&base{1}).pointed(next)
	sink++
}

// Generic functions.

type pair[A any, B any] struct {
	a A
	b B
}

//go:noinline
func generic[T any](value T, next func()) T {
	next()
	sink++
	return value
}

//go:noinline
func (p *pair[A, B]) apply(next func()) {
	generic(p.a, func() { generic(p.b, next) })
	sink++
}

func withGeneric(next func())        { generic(1, next) }
func withGenericString(next func())  { generic("x", next) }
func withGenericStruct(next func())  { generic(derived{}, next) }
func withGenericMethod(next func())  { (&pair[int, *base]{1, nil}).apply(next) }
func withGenericMethods(next func()) { (&pair[pair[string, int], []int]{}).apply(next) }

// Functions that are put into others.

func innermost(next func()) {
	next()
	sink++
}

func middle(next func()) {
	sink++
	innermost(next)
}

func outermost(next func()) {
	middle(next)
	sink++
}

//go:noinline
func inlined(next func()) {
	sink++
	outermost(next)
	sink++
}

//go:noinline
func inlinedTwice(next func()) {
	if sink >= 0 {
		innermost(next)
	} else {
		innermost(func() {})
	}
	func() { innermost(func() {}) }()
}

//go:noinline
func inlinedInClosure(next func()) {
	plainly(func() {
		outermost(next)
	})
}

// What is deferred.

//go:noinline
func deferred(next func()) {
	defer next()
	sink++
}

//go:noinline
func deferredInLoop(next func()) {
	for i := 0; i < 2; i++ {
		f := next
		if i == 0 {
			f = func() {}
		}
		defer f()
	}
	sink++
}

func recoverThen(next func()) {
	next()
	if recover() == nil {
		panic("nothing to recover from")
	}
}

//go:noinline
func panicking(next func()) {
	defer recoverThen(next)
	panic("a")
}

//go:noinline
func panickingTwice(next func()) {
	defer recoverThen(next)
	defer panic("b")
	panic("a")
}

//go:noinline
func dereferencing(next func()) {
	var nowhere *derived
	defer recoverThen(next)
	sink += nowhere.n
	sink++
}

//go:noinline
func dividing(next func()) {
	zero := 0
	defer recoverThen(next)
	sink /= zero
	sink++
}

func elementOf(list []int, i int) int { return list[i] }

//go:noinline
func outOfBounds(next func()) {
	defer recoverThen(next)
	sink += elementOf([]int{1, 2}, len(os.Args)+5)
	sink++
}

//go:noinline
func inNilMap(next func()) {
	var none map[string]int
	defer recoverThen(next)
	none["a"] = 1
	sink++
}

//go:noinline
func asWrongType(next func()) {
	var value any = 1
	defer recoverThen(next)
	sink += len(value.(string))
}

//go:noinline
func throughNilWrapper(next func()) {
	var none *base
	defer recoverThen(next)
	asCopier(none, next)
}

// Through the library, and through code in assembly.

func sorting(next func()) {
	list, once := []int{3, 1, 2}, false
	sort.Slice(list, func(i, j int) bool {
		if !once {
			once = true
			next()
		}
		return list[i] < list[j]
	})
}

func mapping(next func()) {
	strings.Map(func(r rune) rune {
		next()
		return r
	}, "x")
}

func once(next func()) {
	var once sync.Once
	once.Do(next)
}

func reflected(next func()) {
	reflect.ValueOf(func(a int, b string, c float64) { next() }).Call([]reflect.Value{
		reflect.ValueOf(1), reflect.ValueOf("x"), reflect.ValueOf(1.5)})
}

func reflectedMethod(next func()) {
	reflect.ValueOf(&derived{}).MethodByName("Exported").Call([]reflect.Value{reflect.ValueOf(next)})
}

func (d *derived) Exported(next func()) {
	next()
	d.n++
}

func madeFunction(next func()) {
	var f func(int) string
	made := reflect.MakeFunc(reflect.TypeOf(f), func([]reflect.Value) []reflect.Value {
		next()
		return []reflect.Value{reflect.ValueOf("x")}
	})
	made.Interface().(func(int) string)(1)
}

func madeMethod(next func()) {
	reflect.ValueOf(&derived{}).MethodByName("Exported").Interface().(func(func()))(next)
}

func replacing(next func()) {
	regexp.MustCompile("b+").ReplaceAllStringFunc("abbc", func(s string) string {
		next()
		return s
	})
}

type spoken func()

func (s spoken) String() string {
	s()
	return "x"
}

func (s spoken) MarshalJSON() ([]byte, error) {
	s()
	return []byte("1"), nil
}

func (s spoken) Is(error) bool {
	s()
	return true
}

func (s spoken) Error() string { return "x" }

func formatting(next func()) { sink += len(fmt.Sprintf("%v", spokenOnly{spoken(next)})) }

type spokenOnly struct{ fmt.Stringer }

func encoding(next func()) {
	json.Marshal(map[string]any{"a": []any{spoken(next)}})
}

func comparing(next func()) { errors.Is(spoken(next), os.ErrExist) }

// Other goroutines.

func await(run func(done func())) {
	done := make(chan bool)
	run(func() { close(done) })
	<-done
}

func goroutine(next func()) {
	await(func(done func()) {
		go func() {
			next()
			done()
		}()
	})
}

func goroutineOfMethod(next func()) {
	await(func(done func()) {
		go (&derived{}).pointed(func() {
			next()
			done()
		})
	})
}

func afterwards(next func()) {
	await(func(done func()) {
		time.AfterFunc(time.Microsecond, func() {
			next()
			done()
		})
	})
}

func exiting(next func()) {
	await(func(done func()) {
		go func() {
			defer done()
			defer next()
			runtime.Goexit()
		}()
	})
}

func finalizing(next func()) {
	await(func(done func()) {
		runtime.SetFinalizer(&derived{name: strings.Repeat("x", 20)}, func(*derived) {
			next()
			done()
		})
		runtime.GC()
	})
}

var ways = []func(next func()){
	plainly, recursively, mutually, inClosures, withManyArguments, withVariadic, withLargeFrame, withGrowingStack,
	withMethod, withWrapper, withPromoted, withPromotedCopy, withMethodValue, withMethodOfType, withMethodCopied,
	withDeferredMethod, withGeneric, withGenericString, withGenericStruct, withGenericMethod, withGenericMethods,
	inlined, inlinedTwice, inlinedInClosure, deferred, deferredInLoop, panicking, panickingTwice, dereferencing,
	dividing, outOfBounds, inNilMap, asWrongType, throughNilWrapper, sorting, mapping, once, reflected,
	reflectedMethod, madeFunction, madeMethod, replacing, formatting, encoding, comparing, goroutine,
	goroutineOfMethod, afterwards, exiting, moved,
}

// The others are at these distances in the list; together all neighbours of all kinds.
var distances = []int{1, 7, 18, 26, 41}

var initial = func() int { here(); return 1 }()

func init() { here() }

func main() {
	for i, way := range ways {
		way(here)
		for _, distance := range distances {
			other := ways[(i+distance)%len(ways)]
			way(func() { other(here) })
		}
	}
	finalizing(here)
	finalizing(func() { inlined(func() { dereferencing(here) }) })
	descend(60, func() { descend(30, here) })
	descend(5000, here)
	fmt.Println("done")
}

//line elsewhere/moved.y:100
func inMoved(next func()) {
	next()
//line elsewhere/moved.y:200
	sink++
}

//go:noinline
func moved(next func()) {
//line elsewhere/other.y:300
	inMoved(next)
	sink++
}
