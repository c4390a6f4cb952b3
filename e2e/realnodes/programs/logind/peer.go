package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
)

// peer is a connection of the bus: first lines of text, by which it says who it is, then messages.
type peer struct {
	connection *net.UnixConn
	in         *bufio.Reader
	bus        *bus
	mutex      sync.Mutex // of writing
	serial     uint32
}

// As much as a kubelet may ask for: it writes no configuration of its own then.
const inhibitDelayMaxMicroseconds = 3600 * 1000 * 1000

func (p *peer) authenticate() error {
	if zero, err := p.in.ReadByte(); err != nil || zero != 0 {
		return errors.New("the first byte is not 0")
	}
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return err
		}
		reply := "ERROR"
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "BEGIN":
			return nil
		case words[0] == "AUTH" && len(words) == 1:
			reply = "REJECTED EXTERNAL"
		case words[0] == "AUTH" || words[0] == "DATA":
			reply = "OK 00000000000000000000000000000001"
		case words[0] == "NEGOTIATE_UNIX_FD":
			reply = "AGREE_UNIX_FD"
		}
		if _, err := fmt.Fprintf(p.connection, "%s\r\n", reply); err != nil {
			return err
		}
	}
}

func (p *peer) answerAll() error {
	for {
		call, err := readCall(p.in)
		if err != nil {
			return err
		}
		if call.kind != methodCall {
			continue
		}
		if err := p.answer(call); err != nil {
			return err
		}
	}
}

func (p *peer) answer(call message) error {
	reply := message{kind: methodReturn, fields: []field{{replySerial, 'u', call.serial}}}
	switch call.member {
	case "Hello":
		reply.set("s", text(":1.1"))
	case "Get": // of the only property that kubelets read
		reply.set("v", append([]byte{1, 't', 0, 0, 0, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, inhibitDelayMaxMicroseconds)...))
	case "Inhibit":
		given, err := p.bus.inhibit()
		if err != nil {
			return err
		}
		defer given.Close()
		reply.set("h", binary.LittleEndian.AppendUint32(nil, 0))
		reply.fields = append(reply.fields, field{unixFds, 'u', uint32(1)})
		return p.send(reply, int(given.Fd()))
	}
	return p.send(reply, -1)
}

// send passes a descriptor along unless it is -1.
func (p *peer) send(m message, descriptor int) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.serial++
	m.serial = p.serial
	var rights []byte
	if descriptor >= 0 {
		rights = syscall.UnixRights(descriptor)
	}
	_, _, err := p.connection.WriteMsgUnix(m.bytes(), rights, nil)
	return err
}

func prepareForShutdown(active bool) message {
	value := uint32(0)
	if active {
		value = 1
	}
	m := message{kind: signalMessage, fields: []field{
		{path, 'o', "/org/freedesktop/login1"},
		{iface, 's', "org.freedesktop.login1.Manager"},
		{member, 's', "PrepareForShutdown"},
	}}
	m.set("b", binary.LittleEndian.AppendUint32(nil, value))
	return m
}
