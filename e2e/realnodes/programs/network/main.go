// The network of all real nodes: one network namespace, and the few ways in and out of it.
//
//	network -state FILE -addresses IP,IP -forward PORT [-egress SOCKET] [-images DIR -registry PORT]
//
// The namespace lives as long as this process. In it there is a loopback of its own with the nodes' addresses; the CNI
// plugins make the pods' bridge. -forward listens inside on 127.0.0.1:PORT and passes on to the same port outside,
// where the API server is. -egress is a socket outside that speaks HTTP CONNECT and dials inside: the API server's way
// to kubelets and pods. -registry serves the images of DIR (an OCI layout) inside on 127.0.0.1:PORT.
// When all of it is there, FILE says how to enter: {"netns":"/proc/…"}.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"podtrail.dev/e2e/realnodes/netns"
)

func main() {
	state := flag.String("state", "", "the file that says how to enter")
	addresses := flag.String("addresses", "", "of the nodes, separated by commas")
	forward := flag.Int("forward", 0, "port of the API server")
	egress := flag.String("egress", "", "socket of the way in")
	images := flag.String("images", "", "OCI layout")
	registry := flag.Int("registry", 0, "port of the registry")
	flag.Parse()
	if err := run(*state, strings.Split(*addresses, ","), *forward, *egress, *images, *registry); err != nil {
		fmt.Fprintln(os.Stderr, "network:", err)
		os.Exit(1)
	}
	select {}
}

func run(state string, addresses []string, forward int, egress, images string, registry int) error {
	path, err := create()
	if err != nil {
		return err
	}
	if err := ip(path, "link", "set", "lo", "up"); err != nil {
		return err
	}
	for _, address := range addresses {
		if err := ip(path, "address", "add", address+"/32", "dev", "lo"); err != nil {
			return err
		}
	}
	listen := func(port int) (net.Listener, error) {
		return netns.Inside(path, func() (net.Listener, error) {
			return net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		})
	}
	if forward != 0 {
		listener, err := listen(forward)
		if err != nil {
			return err
		}
		go forwardTo(listener, fmt.Sprintf("127.0.0.1:%d", forward))
	}
	if egress != "" {
		os.Remove(egress)
		listener, err := net.Listen("unix", egress)
		if err != nil {
			return err
		}
		go http.Serve(listener, wayIn(path))
	}
	if registry != 0 {
		listener, err := listen(registry)
		if err != nil {
			return err
		}
		go http.Serve(listener, imagesOf(images))
	}
	text, _ := json.Marshal(map[string]string{"netns": path})
	if err := os.WriteFile(state+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(state+".new", state)
}

// create makes the namespace on a thread that sleeps for ever and so keeps it.
func create() (string, error) {
	made := make(chan error)
	path := ""
	go func() {
		runtime.LockOSThread()
		if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
			made <- fmt.Errorf("cannot make a network namespace: %w", err)
			return
		}
		path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), syscall.Gettid())
		made <- nil
		select {}
	}()
	err := <-made
	return path, err
}

func ip(path string, args ...string) error {
	_, err := netns.Inside(path, func() (struct{}, error) {
		said, err := exec.Command("ip", args...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(said)))
		}
		return struct{}{}, err
	})
	return err
}
