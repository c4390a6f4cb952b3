// Package netns runs code in another network namespace. A socket stays in the namespace in which it was opened, so
// only the opening has to happen there.
package netns

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Join moves the calling thread, which must be locked and is never unlocked again, into the namespace.
func Join(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, _, errno := syscall.RawSyscall(sysSetns, file.Fd(), syscall.CLONE_NEWNET, 0); errno != 0 {
		return fmt.Errorf("cannot join the network namespace %s: %w", path, errno)
	}
	return nil
}

// Inside calls act on a thread of its own in the namespace. The thread ends with it.
func Inside[T any](path string, act func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread()
		var result outcome
		if result.err = Join(path); result.err == nil {
			result.value, result.err = act()
		}
		done <- result
	}()
	result := <-done
	return result.value, result.err
}
