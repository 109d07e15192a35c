// Calls a place (here.go) through C, to several levels, with what Go does between them. "done" is the last line. Nothing
// sleeps at a place.
package main

/*
extern void goNext(int);
static __attribute__((noinline)) int c_last(int number)
{
	goNext(number);
	return number + 1;
}
static __attribute__((noinline)) int c_calls_go(int number, int depth)
{
	volatile int large[1000];

	large[depth] = depth ? c_calls_go(number, depth - 1) : c_last(number);
	return large[depth] + 1;
}
*/
import "C"

import "fmt"

var nexts []func()

//export goNext
func goNext(number C.int) { nexts[number]() }

func throughC(next func()) {
	nexts = append(nexts, next)
	C.c_calls_go(C.int(len(nexts)-1), 0)
	nexts = nexts[:len(nexts)-1]
}

func deepInC(next func()) {
	nexts = append(nexts, next)
	C.c_calls_go(C.int(len(nexts)-1), 20)
	nexts = nexts[:len(nexts)-1]
}

//go:noinline
func plainly(next func()) {
	next()
	sink++
}

func panicking(next func()) {
	defer func() {
		next()
		recover()
	}()
	panic("a")
}

func goroutine(next func()) {
	done := make(chan bool)
	go func() {
		next()
		close(done)
	}()
	<-done
}

var ways = []func(next func()){throughC, deepInC, plainly, withGrowingStack, panicking, goroutine}

func main() {
	spins = true
	for _, outer := range ways {
		for _, middle := range ways {
			outer(func() { middle(here) })
			for _, inner := range ways[:2] {
				outer(func() { middle(func() { inner(here) }) })
			}
		}
	}
	fmt.Println("done")
}
