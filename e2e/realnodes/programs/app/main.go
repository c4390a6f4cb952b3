// The only program in the test images: the pause of a sandbox and the container of a pod.
//
//	app pause
//	app serve [-after SECONDS] [-code N] [-term SECONDS] [-deaf] [-fill MEBIBYTES -into DIR] [-eat MEBIBYTES]
//	          [-listen :8080]
//	app true
//
// serve answers every HTTP request with $POD_UID and sends $POD_UID to the gateway ten times a second: what a flow log
// would see. It ends by itself after -after with -code; after SIGTERM it goes on for -term; -deaf ignores SIGTERM.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const beaconPort = 9997

func main() {
	command := ""
	if len(os.Args) > 1 {
		command = os.Args[1]
	}
	switch command {
	case "pause":
		pause()
	case "serve":
		serve(os.Args[2:])
	case "true":
	default:
		fmt.Fprintf(os.Stderr, "app: unknown command %q: use pause, serve or true\n", command)
		os.Exit(2)
	}
}

// pause is the first process of a sandbox: it holds the namespaces and reaps what nobody waits for.
func pause() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			os.Exit(0)
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

func serve(args []string) {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	after := flags.Duration("after", 0, "end by itself after this time")
	code := flags.Int("code", 0, "with this exit code")
	term := flags.Duration("term", 0, "go on so long after SIGTERM")
	deaf := flags.Bool("deaf", false, "ignore SIGTERM")
	fill := flags.Int("fill", 0, "write so many mebibytes")
	into := flags.String("into", "/scratch", "into this folder")
	eat := flags.Int("eat", 0, "use so many mebibytes of memory")
	listen := flags.String("listen", ":8080", "answer HTTP here")
	flags.Parse(args)

	uid := os.Getenv("POD_UID")
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM)
	go beacon(uid)
	go http.ListenAndServe(*listen, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, uid) }))
	if *fill > 0 {
		go write(*into, *fill)
	}
	if *eat > 0 {
		go use(*eat)
	}
	var end <-chan time.Time
	if *after > 0 {
		end = time.After(*after)
	}
	for {
		select {
		case <-end:
			os.Exit(*code)
		case <-signals:
			if !*deaf {
				time.Sleep(*term)
				os.Exit(0)
			}
		}
	}
}

func write(directory string, mebibytes int) {
	file, err := os.Create(filepath.Join(directory, "filled"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer file.Close()
	block := make([]byte, 1<<20)
	for i := 0; i < mebibytes; i++ {
		file.Write(block)
	}
}

// use keeps memory that it has written to, so that the kernel must have given it.
func use(mebibytes int) {
	blocks := make([][]byte, 0, mebibytes)
	for i := 0; i < mebibytes; i++ {
		block := make([]byte, 1<<20)
		for at := 0; at < len(block); at += 4096 {
			block[at] = 1
		}
		blocks = append(blocks, block)
	}
	time.Sleep(time.Hour)
	runtime.KeepAlive(blocks)
}

// beacon sends who we are, our clock and a counter until the process ends.
func beacon(uid string) {
	gateway := defaultGateway()
	if gateway == nil || uid == "" {
		return
	}
	connection, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: gateway, Port: beaconPort})
	if err != nil {
		return
	}
	for {
		fmt.Fprintf(connection, "%s %d", uid, time.Now().UnixNano())
		time.Sleep(100 * time.Millisecond)
	}
}

func defaultGateway() net.IP {
	table, _ := os.ReadFile("/proc/net/route")
	for _, line := range strings.Split(string(table), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] != "00000000" || fields[2] == "00000000" {
			continue
		}
		if n, err := strconv.ParseUint(fields[2], 16, 32); err == nil {
			return net.IPv4(byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		}
	}
	return nil
}
