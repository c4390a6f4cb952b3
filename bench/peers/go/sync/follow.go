package main

import (
	"bufio"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// window is what happened between `start` and `stop`.
type window struct {
	Events      int64   `json:"events"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	WallSeconds float64 `json:"wallSeconds"`
	RSSBytes    int64   `json:"rssBytes"`
}

// How long after `stop N` the N-th event may still arrive.
const patience = 20 * time.Second

// followEvents says `{"ready":true}`, waits for `start`, and after `stop N` measures once N events have been counted.
func followEvents(updated *atomic.Int64) (*window, error) {
	fmt.Println(`{"ready":true}`)
	input := bufio.NewReader(os.Stdin)
	if _, err := fmt.Fscanln(input, new(string)); err != nil {
		return nil, fmt.Errorf("waiting for start: %w", err)
	}
	begun, cpu, events := time.Now(), cpuSeconds(), updated.Load()
	var expected int64
	if _, err := fmt.Fscanf(input, "stop %d\n", &expected); err != nil {
		return nil, fmt.Errorf("waiting for stop: %w", err)
	}
	for deadline := time.Now().Add(patience); updated.Load()-events < expected && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	return &window{
		Events:      updated.Load() - events,
		CPUSeconds:  cpuSeconds() - cpu,
		WallSeconds: time.Since(begun).Seconds(),
		RSSBytes:    memory("VmRSS"),
	}, nil
}
