package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// The kinds of messages and the header fields of D-Bus that are used here.
const (
	methodCall    = 1
	methodReturn  = 2
	signalMessage = 4

	path        = 1
	iface       = 2
	member      = 3
	replySerial = 5
	sender      = 7
	signature   = 8
	unixFds     = 9
)

const longest = 1 << 20

type field struct {
	code  byte
	kind  byte // o, s, g or u
	value any  // string or uint32
}

type message struct {
	kind   byte
	serial uint32
	member string // of what was read
	fields []field
	body   []byte
}

// set gives the message a body that is already laid out.
func (m *message) set(kinds string, body []byte) {
	m.fields = append(m.fields, field{signature, 'g', kinds}, field{sender, 's', "org.freedesktop.login1"})
	m.body = body
}

func (m *message) bytes() []byte {
	var fields []byte
	for _, f := range m.fields {
		fields = pad(fields, 8)
		fields = append(fields, f.code, 1, f.kind, 0)
		switch value := f.value.(type) {
		case uint32:
			fields = binary.LittleEndian.AppendUint32(pad(fields, 4), value)
		case string:
			if f.kind == 'g' {
				fields = append(append(append(fields, byte(len(value))), value...), 0)
			} else {
				fields = append(pad(fields, 4), text(value)...)
			}
		}
	}
	out := []byte{'l', m.kind, 0, 1}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(m.body)))
	out = binary.LittleEndian.AppendUint32(out, m.serial)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(fields)))
	out = pad(append(out, fields...), 8)
	return append(out, m.body...)
}

// readCall reads one message and of its header what an answer needs.
func readCall(in *bufio.Reader) (message, error) {
	head := make([]byte, 16)
	if _, err := io.ReadFull(in, head); err != nil {
		return message{}, err
	}
	if head[0] != 'l' {
		return message{}, errors.New("only little-endian messages are understood")
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(head[at:])) }
	body, fields := number(4), number(12)
	if body > longest || fields > longest {
		return message{}, errors.New("the message is too long")
	}
	rest := make([]byte, (fields+7)/8*8+body)
	if _, err := io.ReadFull(in, rest); err != nil {
		return message{}, err
	}
	return message{kind: head[1], serial: uint32(number(8)), member: memberIn(rest[:fields])}, nil
}

// memberIn walks through the header fields, all of which are strings, signatures or numbers.
func memberIn(fields []byte) string {
	for at := 0; at+8 <= len(fields); {
		code, kind := fields[at], fields[at+2]
		value := at + 4
		switch kind {
		case 'g':
			at = value + 1 + int(fields[value]) + 1
		case 'u':
			at = value + 4
		default:
			length := int(binary.LittleEndian.Uint32(fields[value:]))
			if value+4+length > len(fields) {
				return ""
			}
			if code == member {
				return string(fields[value+4 : value+4+length])
			}
			at = value + 4 + length + 1
		}
		at = (at + 7) / 8 * 8
	}
	return ""
}

func text(value string) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(value)))
	return append(append(out, value...), 0)
}

func pad(out []byte, to int) []byte {
	for len(out)%to != 0 {
		out = append(out, 0)
	}
	return out
}
