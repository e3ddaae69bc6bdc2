// zone_go ROUNDS: goroutines whose stacks grow and move, that panic and recover, and that block.
// Status 35.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

//go:noinline
func zgLeaf(x uint64) uint64 {
	for i := 0; i < 20; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// Each frame has some bytes, so that the stack is copied to a larger one several times.
//
//go:noinline
func zgDeep(depth int, kept *[64]byte) uint64 {
	var mine [64]byte
	mine[depth%64] = byte(depth)
	if depth == 0 {
		return zgLeaf(3)
	}
	return zgDeep(depth-1, &mine) + uint64(mine[depth%64]) + uint64(kept[0])
}

//go:noinline
func zgPanic(depth int) int {
	defer func() {
		if depth%10 == 0 && depth > 0 {
			if r := recover(); r != nil {
				panic(r.(uint64) + 1)
			}
		}
	}()
	if depth == 0 {
		panic(zgLeaf(5))
	}
	return zgPanic(depth-1) + 1
}

//go:noinline
func zgRecover() (value uint64) {
	defer func() { value = recover().(uint64) }()
	zgPanic(50)
	return 0
}

// Waits for its turn, deep down, while other goroutines run on this thread.
//
//go:noinline
func zgWait(depth int, in, out chan uint64) {
	if depth > 0 {
		zgWait(depth-1, in, out)
		return
	}
	out <- zgLeaf(<-in)
}

func oneRound() uint64 {
	var all sync.WaitGroup
	sums := make([]uint64, 8)
	for i := range sums {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			var kept [64]byte
			sums[i] = zgDeep(2000+i, &kept) + zgRecover()
		}(i)
	}
	in := make(chan uint64)
	first := in
	for i := 0; i < 50; i++ {
		out := make(chan uint64)
		go zgWait(i, in, out)
		in = out
	}
	first <- 1
	sum := <-in
	all.Wait()
	runtime.GC()
	for _, s := range sums {
		sum = sum*31 + s
	}
	return sum
}

func main() {
	wanted := 3
	if len(os.Args) > 1 {
		wanted, _ = strconv.Atoi(os.Args[1])
	}
	gate := os.Getenv("ZONE_GATE")
	done, first := 0, uint64(0)
	for {
		if gate == "" && done >= wanted {
			break
		} else if gate != "" {
			if text, err := os.ReadFile(gate); err != nil || text[0] != '0' {
				break
			}
		}
		result := oneRound()
		if done == 0 {
			first = result
		} else if result != first {
			fmt.Printf("round %d differs\n", done+1)
			os.Exit(98)
		}
		done++
	}
	if gate == "" {
		// Of a leaf: where a stack grows in a function's first instructions, it starts anew.
		fmt.Printf("calls main.zgLeaf %d\n", (16+50)*done)
	}
	fmt.Printf("ok %d\n", first)
	os.Exit(35)
}
