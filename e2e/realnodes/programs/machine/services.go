package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// One line of JSON from the harness; it is answered by one line. A connection may send several, one after the other.
//
//	{"do":"start","name":"kubelet","file":"…","args":[…],"env":[…],"log":"…","restart":true}
//	{"do":"run",…}                       the same, answered when the program has ended
//	{"do":"stop","name":"kubelet","signal":15}   answered when it has ended
//	{"do":"status","name":"kubelet"}
type command struct {
	Do      string   `json:"do"`
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Args    []string `json:"args"`
	Env     []string `json:"env"`
	Log     string   `json:"log"`
	Restart bool     `json:"restart"`
	Signal  int      `json:"signal"`
}

type answer struct {
	Error  string `json:"error,omitempty"`
	Pid    int    `json:"pid,omitempty"`
	Starts int    `json:"starts,omitempty"`
	Code   int    `json:"code"`
}

// service is a program of the node. Running while pid is not 0; a program that ends by itself is started again where
// that was asked for, as systemd would do it.
type service struct {
	command command
	pid     int
	starts  int
	stopped bool
	ended   chan int
}

const restartAfter = 300 * time.Millisecond

type node struct {
	mutex    sync.Mutex
	services map[string]*service
	byPid    map[int]*service
}

// boot is the life of the init: it never returns without an error.
func boot(home string) error {
	// The harness sends SIGTERM to nobody inside; what the terminal sends is not for the node.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	if err := mountAll(home); err != nil {
		return err
	}
	path := filepath.Join(home, "machine.sock")
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	machine := &node{services: map[string]*service{}, byPid: map[int]*service{}}
	children := make(chan os.Signal, 64)
	signal.Notify(children, syscall.SIGCHLD)
	go machine.reap(children)
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go machine.serve(connection)
	}
}

func (n *node) serve(connection net.Conn) {
	defer connection.Close()
	lines := bufio.NewScanner(connection)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked command
		var reply answer
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			reply.Error = err.Error()
		} else {
			reply = n.do(asked)
		}
		text, _ := json.Marshal(reply)
		if _, err := connection.Write(append(text, '\n')); err != nil {
			return
		}
	}
}

func (n *node) do(asked command) answer {
	switch asked.Do {
	case "start", "run":
		n.mutex.Lock()
		if old := n.services[asked.Name]; old != nil && old.pid != 0 {
			n.mutex.Unlock()
			return answer{Error: asked.Name + " is running already"}
		}
		wanted := &service{command: asked, ended: make(chan int)}
		n.services[asked.Name] = wanted
		err := n.spawn(wanted)
		n.mutex.Unlock()
		if err != nil {
			return answer{Error: err.Error()}
		}
		if asked.Do == "run" {
			return answer{Code: <-wanted.ended}
		}
		return answer{Pid: wanted.pid, Starts: wanted.starts}
	case "stop":
		n.mutex.Lock()
		found := n.services[asked.Name]
		if found == nil || found.stopped || (found.pid == 0 && !found.command.Restart) {
			n.mutex.Unlock()
			return answer{}
		}
		found.stopped = true
		pid := found.pid
		if pid != 0 {
			syscall.Kill(pid, syscall.Signal(asked.Signal))
		}
		n.mutex.Unlock()
		if pid == 0 {
			return answer{}
		}
		return answer{Code: <-found.ended}
	case "status":
		n.mutex.Lock()
		defer n.mutex.Unlock()
		if found := n.services[asked.Name]; found != nil {
			return answer{Pid: found.pid, Starts: found.starts}
		}
		return answer{}
	}
	return answer{Error: fmt.Sprintf("unknown command %q", asked.Do)}
}

// spawn is called with the lock held, so that reap cannot meet a child that is not known yet.
func (n *node) spawn(wanted *service) error {
	log, err := os.OpenFile(wanted.command.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	arguments := append([]string{wanted.command.File}, wanted.command.Args...)
	pid, err := syscall.ForkExec(wanted.command.File, arguments, &syscall.ProcAttr{
		Dir:   "/",
		Env:   wanted.command.Env,
		Files: []uintptr{null.Fd(), log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", wanted.command.File, err)
	}
	wanted.pid = pid
	wanted.starts++
	n.byPid[pid] = wanted
	return nil
}

// reap waits for every child, also for the orphans that an init inherits.
func (n *node) reap(children <-chan os.Signal) {
	for range children {
		for {
			var status syscall.WaitStatus
			n.mutex.Lock()
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				n.mutex.Unlock()
				break
			}
			n.ended(n.byPid[pid], pid, status)
			n.mutex.Unlock()
		}
	}
}

func (n *node) ended(found *service, pid int, status syscall.WaitStatus) {
	delete(n.byPid, pid)
	if found == nil {
		return
	}
	found.pid = 0
	if found.command.Restart && !found.stopped {
		time.AfterFunc(restartAfter, func() {
			n.mutex.Lock()
			defer n.mutex.Unlock()
			if !found.stopped && found.pid == 0 {
				n.spawn(found)
			}
		})
		return
	}
	code := status.ExitStatus()
	if status.Signaled() {
		code = 128 + int(status.Signal())
	}
	go func() {
		select {
		case found.ended <- code:
		case <-time.After(time.Minute):
		}
	}()
}
