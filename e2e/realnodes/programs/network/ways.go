package main

import (
	"io"
	"net"
	"net/http"
	"time"

	"podtrail.dev/e2e/realnodes/netns"
)

// forwardTo passes connections from inside on to an address outside.
func forwardTo(listener net.Listener, address string) {
	for {
		inside, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			outside, err := net.DialTimeout("tcp4", address, 5*time.Second)
			if err != nil {
				inside.Close()
				return
			}
			join(inside, outside)
		}()
	}
}

// wayIn is an HTTP proxy for CONNECT only.
func wayIn(path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
			return
		}
		inside, err := netns.Inside(path, func() (net.Conn, error) {
			return net.DialTimeout("tcp4", r.Host, 5*time.Second)
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		outside, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			inside.Close()
			return
		}
		io.WriteString(outside, "HTTP/1.1 200 OK\r\n\r\n")
		if n := buffered.Reader.Buffered(); n > 0 {
			io.CopyN(inside, buffered, int64(n))
		}
		join(outside, inside)
	})
}

// join copies both ways until both are at their end.
func join(one, other net.Conn) {
	done := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		io.Copy(to, from)
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
		done <- struct{}{}
	}
	go pass(one, other)
	go pass(other, one)
	<-done
	<-done
	one.Close()
	other.Close()
}
