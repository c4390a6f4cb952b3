// The observers of the physical truth. Each writes JSON lines with the nanoseconds of this machine's clock.
//
//	observe -netns PATH -ipam DIR -out DIR
//
//	ipam.jsonl     host-local's own book: an address is reserved (once its file says for whom) or released
//	links.jsonl    the host's end of a pod's network comes or goes
//	packets.jsonl  what pods send: the source address, and inside who sent it
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"podtrail.dev/e2e/realnodes/netns"
)

const beaconPort = 9997

func main() {
	network := flag.String("netns", "", "the nodes' network namespace")
	book := flag.String("ipam", "", "host-local's folder of one network")
	out := flag.String("out", ".", "where the lines go")
	flag.Parse()
	if err := observe(*network, *book, *out); err != nil {
		fmt.Fprintln(os.Stderr, "observe:", err)
		os.Exit(1)
	}
	select {}
}

func observe(network, book, out string) error {
	packets, err := netns.Inside(network, openPackets)
	if err != nil {
		return err
	}
	links, err := netns.Inside(network, openLinks)
	if err != nil {
		return err
	}
	files, err := openBook(book)
	if err != nil {
		return err
	}
	for name, follow := range map[string]func(*lines){
		"packets": func(to *lines) { followPackets(packets, to) },
		"links":   func(to *lines) { followLinks(links, to) },
		"ipam":    func(to *lines) { followBook(files, book, to) },
	} {
		to, err := openLines(filepath.Join(out, name+".jsonl"))
		if err != nil {
			return err
		}
		go follow(to)
	}
	return os.WriteFile(filepath.Join(out, "observing"), nil, 0o644)
}

// lines is a file of JSON lines, flushed five times a second.
type lines struct {
	mutex  sync.Mutex
	writer *bufio.Writer
}

func openLines(path string) (*lines, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	to := &lines{writer: bufio.NewWriterSize(file, 1<<18)}
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			to.mutex.Lock()
			to.writer.Flush()
			to.mutex.Unlock()
		}
	}()
	return to, nil
}

func (l *lines) write(record any) {
	text, _ := json.Marshal(record)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.writer.Write(append(text, '\n'))
}

type packet struct {
	At   int64  `json:"t"`
	Sent int64  `json:"sent"`
	IP   string `json:"ip"`
	UID  string `json:"uid"`
}

func openPackets() (*net.UDPConn, error) {
	connection, err := net.ListenUDP("udp4", &net.UDPAddr{Port: beaconPort})
	if err == nil {
		connection.SetReadBuffer(4 << 20)
	}
	return connection, err
}

func followPackets(connection *net.UDPConn, to *lines) {
	buffer := make([]byte, 512)
	for {
		n, from, err := connection.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		now := time.Now().UnixNano()
		uid, sent, _ := strings.Cut(string(buffer[:n]), " ")
		at, _ := strconv.ParseInt(sent, 10, 64)
		to.write(packet{At: now, Sent: at, IP: from.IP.String(), UID: uid})
	}
}

type reservation struct {
	At      int64  `json:"t"`
	What    string `json:"what"`
	IP      string `json:"ip"`
	Sandbox string `json:"sandbox"`
}

const bookEvents = syscall.IN_CLOSE_WRITE | syscall.IN_DELETE | syscall.IN_MOVED_TO | syscall.IN_MOVED_FROM | syscall.IN_CREATE

func openBook(directory string) (int, error) {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return 0, err
	}
	descriptor, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err != nil {
		return 0, err
	}
	_, err = syscall.InotifyAddWatch(descriptor, directory, bookEvents)
	return descriptor, err
}

func followBook(descriptor int, directory string, to *lines) {
	held := map[string]string{}
	reserved := func(ip string, at int64) {
		text, _ := os.ReadFile(filepath.Join(directory, ip))
		sandbox := strings.TrimSpace(strings.SplitN(string(text), "\n", 2)[0])
		if sandbox != "" && held[ip] != sandbox {
			held[ip] = sandbox
			to.write(reservation{at, "reserved", ip, sandbox})
		}
	}
	entries, _ := os.ReadDir(directory)
	for _, entry := range entries {
		if net.ParseIP(entry.Name()) != nil {
			reserved(entry.Name(), time.Now().UnixNano())
		}
	}
	buffer := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(descriptor, buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		now := time.Now().UnixNano()
		for offset := 0; offset+syscall.SizeofInotifyEvent <= n; {
			event := (*syscall.InotifyEvent)(unsafe.Pointer(&buffer[offset]))
			start := offset + syscall.SizeofInotifyEvent
			offset = start + int(event.Len)
			name := strings.TrimRight(string(buffer[start:offset]), "\x00")
			switch {
			case event.Mask&syscall.IN_Q_OVERFLOW != 0:
				to.write(reservation{At: now, What: "overflow"})
			case net.ParseIP(name) == nil:
			case event.Mask&(syscall.IN_DELETE|syscall.IN_MOVED_FROM) != 0:
				to.write(reservation{now, "released", name, held[name]})
				delete(held, name)
			default:
				reserved(name, now)
			}
		}
	}
}

type link struct {
	At   int64  `json:"t"`
	What string `json:"what"`
	Veth string `json:"veth"`
}

const (
	linkGroup      = 1  // RTMGRP_LINK
	receiveForced  = 33 // SO_RCVBUFFORCE
	receiveBuffers = 8 << 20
)

func openLinks() (int, error) {
	descriptor, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_ROUTE)
	if err != nil {
		return 0, err
	}
	syscall.SetsockoptInt(descriptor, syscall.SOL_SOCKET, receiveForced, receiveBuffers)
	return descriptor, syscall.Bind(descriptor, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: linkGroup})
}

func followLinks(descriptor int, to *lines) {
	there := map[string]bool{}
	buffer := make([]byte, 1<<18)
	for {
		n, _, err := syscall.Recvfrom(descriptor, buffer, 0)
		now := time.Now().UnixNano()
		if err == syscall.EINTR {
			continue
		}
		if err == syscall.ENOBUFS {
			to.write(link{At: now, What: "overflow"})
			continue
		}
		if err != nil {
			return
		}
		messages, _ := syscall.ParseNetlinkMessage(buffer[:n])
		for _, message := range messages {
			name := vethOf(message)
			gone := message.Header.Type == syscall.RTM_DELLINK
			if name == "" || there[name] != gone {
				continue
			}
			there[name] = !gone
			what := "up"
			if gone {
				what = "down"
				delete(there, name)
			}
			to.write(link{now, what, name})
		}
	}
}

// vethOf names the device of a message about a device as such; a bridge also sends messages about its ports.
func vethOf(message syscall.NetlinkMessage) string {
	kind := message.Header.Type
	if kind != syscall.RTM_NEWLINK && kind != syscall.RTM_DELLINK {
		return ""
	}
	if len(message.Data) == 0 || message.Data[0] != syscall.AF_UNSPEC {
		return ""
	}
	attributes, _ := syscall.ParseNetlinkRouteAttr(&message)
	for _, attribute := range attributes {
		if attribute.Attr.Type == syscall.IFLA_IFNAME {
			if name := strings.TrimRight(string(attribute.Value), "\x00"); strings.HasPrefix(name, "veth") {
				return name
			}
		}
	}
	return ""
}
