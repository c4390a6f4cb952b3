// logind answers a kubelet as systemd-logind does on the system bus: as much of it as a graceful shutdown of a node needs.
//
//	logind -bus SOCKET -control SOCKET
//
// On the bus it knows the property InhibitDelayMaxUSec, the call Inhibit and the signal PrepareForShutdown. A line
// "shutdown" or "cancel" on the control socket sends that signal to everybody on the bus, and is answered by "sent N",
// with the number of inhibitors that are held then.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
)

type bus struct {
	mutex      sync.Mutex
	peers      map[*peer]bool
	inhibitors int
}

func main() {
	socket := flag.String("bus", "", "where kubelets connect")
	control := flag.String("control", "", "where the harness connects")
	flag.Parse()
	b := &bus{peers: map[*peer]bool{}}
	connections, err := listen(*socket)
	if err != nil {
		fail(err)
	}
	orders, err := listen(*control)
	if err != nil {
		fail(err)
	}
	go func() {
		for {
			connection, err := orders.AcceptUnix()
			if err != nil {
				fail(err)
			}
			go b.obey(connection)
		}
	}()
	for {
		connection, err := connections.AcceptUnix()
		if err != nil {
			fail(err)
		}
		go b.serve(connection)
	}
}

// A socket that the run before left behind is in the way.
func listen(path string) (*net.UnixListener, error) {
	os.Remove(path)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

func (b *bus) serve(connection *net.UnixConn) {
	defer connection.Close()
	p := &peer{connection: connection, in: bufio.NewReader(connection), bus: b}
	if err := p.authenticate(); err != nil {
		fmt.Fprintln(os.Stderr, "logind: authentication:", err)
		return
	}
	b.mutex.Lock()
	b.peers[p] = true
	b.mutex.Unlock()
	err := p.answerAll()
	fmt.Fprintln(os.Stderr, "logind: a peer left:", err)
	b.mutex.Lock()
	delete(b.peers, p)
	b.mutex.Unlock()
}

func (b *bus) obey(connection *net.UnixConn) {
	defer connection.Close()
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		order := lines.Text()
		if order != "shutdown" && order != "cancel" {
			fmt.Fprintf(connection, "unknown order %q: use shutdown or cancel\n", order)
			continue
		}
		b.mutex.Lock()
		for p := range b.peers {
			if err := p.send(prepareForShutdown(order == "shutdown"), -1); err != nil {
				fmt.Fprintln(os.Stderr, "logind: signal:", err)
			}
		}
		fmt.Fprintf(connection, "sent %d\n", b.inhibitors)
		b.mutex.Unlock()
	}
}

// inhibit counts an inhibitor until its holder closes the descriptor that is returned.
func (b *bus) inhibit() (*os.File, error) {
	held, given, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b.mutex.Lock()
	b.inhibitors++
	b.mutex.Unlock()
	go func() {
		held.Read(make([]byte, 1))
		held.Close()
		b.mutex.Lock()
		b.inhibitors--
		b.mutex.Unlock()
		fmt.Fprintln(os.Stderr, "logind: an inhibitor was released")
	}()
	return given, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "logind:", err)
	os.Exit(1)
}
