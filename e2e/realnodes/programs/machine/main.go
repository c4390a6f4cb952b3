// The machine of one real node: a process namespace, a mount namespace, and an init that runs services in them.
//
//	machine -netns PATH -home DIR
//
// The process that is started here stays outside and only waits; the init is its child and dies with it, and with the
// init the kernel ends everything that runs on the node and drops every mount: a power cut. What lies in DIR stays, as
// on a disk; /run and what was written below /var do not. No file, mount or sysctl of the real machine is changed.
// Commands come over the socket DIR/machine.sock: see services.go.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"podtrail.dev/e2e/realnodes/netns"
)

func main() {
	network := flag.String("netns", "", "the network namespace to join")
	home := flag.String("home", "", "the folder that stays")
	inside := flag.Bool("inside", false, "this process is the init; used by machine itself")
	flag.Parse()
	if *home == "" || (*network == "" && !*inside) {
		fmt.Fprintln(os.Stderr, "machine: -netns and -home are needed")
		os.Exit(2)
	}
	var err error
	if *inside {
		err = boot(*home)
	} else {
		err = plugIn(*network, *home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "machine:", strings.TrimSpace(err.Error()))
		os.Exit(1)
	}
}

// plugIn starts the init in new namespaces and waits for its end. The thread stays locked: the child inherits its
// network, and the kernel ends the child when this very thread is gone.
func plugIn(network, home string) error {
	runtime.LockOSThread()
	if err := netns.Join(network); err != nil {
		return err
	}
	init := exec.Command("/proc/self/exe", "-inside", "-home", home)
	init.Stdout, init.Stderr = os.Stdout, os.Stderr
	init.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		Pdeathsig:  syscall.SIGKILL,
	}
	return init.Run()
}
