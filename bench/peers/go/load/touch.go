package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

type touched struct {
	Touched int64   `json:"touched"`
	Seconds float64 `json:"seconds"`
}

// touch changes one annotation of a pod drawn at random, `rate` times a second: each change is one event of a watch.
func touch(s settings) (any, error) {
	ctx := context.Background()
	client, err := connect(s.kubeconfig)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	random := rand.New(rand.NewPCG(seed, uint64(start.UnixNano())))
	numbers := make(chan int, s.rate)
	go func() {
		defer close(numbers)
		// By the clock and not by a ticker: a tick missed on a busy machine is made up for, and the rate holds.
		for n := range s.rate * s.seconds {
			time.Sleep(time.Until(start.Add(time.Duration(n) * time.Second / time.Duration(s.rate))))
			numbers <- random.IntN(s.pods)
		}
	}()
	var count atomic.Int64
	err = inParallel(s.parallel, numbers, func(i int) error {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"bench.podtrail.dev/touched":"%d-%d"}}}`, start.UnixNano(), count.Add(1))
		_, err := client.CoreV1().Pods(namespaceName(i)).
			Patch(ctx, podName(i), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "bench"})
		return err
	})
	if err != nil {
		return nil, err
	}
	return touched{Touched: count.Load(), Seconds: time.Since(start).Seconds()}, nil
}
