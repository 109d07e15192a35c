// Go that calls C that calls Go, to three levels, and C that waits for ever.
//
//	mixed SECONDS
//
// It says "ready" when it begins, and ends when its stdin does, before its time or not.
package main

/*
#include <poll.h>
extern int goBack(int);
static __attribute__((noinline)) int c_spin(int n)
{
	volatile unsigned s = 1;

	for (int i = 0; i < n; i++)
		s = s * 31 + 7;
	return (int)s;
}
static __attribute__((noinline)) int c_outer(int n)
{
	return c_spin(n) + 1;
}
static __attribute__((noinline)) int c_calls_go(int n)
{
	int r = goBack(n);

	return r + c_spin(100);
}
static __attribute__((noinline)) int c_waits(void)
{
	return poll(0, 0, -1) + 1;
}
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//go:noinline
func goSpin(n int) uint64 {
	s := uint64(1)
	for i := 0; i < n; i++ {
		s = s*31 + 7
	}
	return s
}

const again = 1000000

//export goBack
func goBack(n C.int) C.int {
	if n > again {
		return C.int(C.c_calls_go(n - again))
	}
	return C.int(goSpin(int(n)))
}

func waits() {
	for {
		C.c_waits()
	}
}

func endOfInput() {
	os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	until := time.Now().Add(time.Duration(seconds * 1e9))
	fmt.Println("ready")
	go waits()
	go endOfInput()
	for time.Now().Before(until) {
		C.c_outer(200000)
		C.c_calls_go(300000)
		C.c_calls_go(2*again + 300000)
	}
}
