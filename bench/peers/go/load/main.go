// load fills a cluster with the pods of the benchmarks (`load fill`) or touches them at a steady rate (`load touch`).
// Started by bench/cluster/go-programs.ts; progress on standard error, one JSON line on standard output.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type settings struct {
	kubeconfig string
	pods       int
	rate       int
	seconds    int
	parallel   int
}

func main() {
	var s settings
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "path of a kubeconfig")
	flags.IntVar(&s.pods, "pods", 1000, "how many pods there shall be, or are")
	flags.IntVar(&s.rate, "rate", 400, "touch: changes a second")
	flags.IntVar(&s.seconds, "seconds", 30, "touch: for how long")
	flags.IntVar(&s.parallel, "parallel", 32, "requests under way at once")
	if mode == "fill" || mode == "touch" {
		_ = flags.Parse(os.Args[2:])
	}
	var result any
	var err error
	switch mode {
	case "fill":
		result, err = fill(s)
	case "touch":
		result, err = touch(s)
	default:
		err = fmt.Errorf("usage: load fill|touch --kubeconfig FILE [--pods N] [--rate N] [--seconds N] [--parallel N]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.UserAgent = "podtrail-bench-load"
	config.WarningHandler = rest.NoWarnings{} // one warning for each of 50,000 pods helps nobody
	return kubernetes.NewForConfig(config)
}

// inParallel works off the numbers of the channel and returns the first error, after which it only drains the channel.
func inParallel(workers int, numbers <-chan int, work func(int) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	failed := make(chan struct{})
	for range workers {
		group.Go(func() {
			for i := range numbers {
				select {
				case <-failed:
					continue
				default:
				}
				if err := work(i); err != nil {
					once.Do(func() { first = err; close(failed) })
				}
			}
		})
	}
	group.Wait()
	return first
}
