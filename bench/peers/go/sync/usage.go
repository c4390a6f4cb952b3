package main

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
)

// cpuSeconds is user and system time of all threads of this process, the garbage collector's included.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// memory reads VmHWM (the peak) or VmRSS in bytes. Not ru_maxrss: Linux lets a child begin with its parent's.
func memory(field string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if parts := bytes.Fields(line); len(parts) == 3 && string(parts[0]) == field+":" {
			kilobytes, _ := strconv.ParseInt(string(parts[1]), 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}

func clientVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range build.Deps {
		if module.Path == "k8s.io/client-go" {
			return module.Version
		}
	}
	return ""
}
