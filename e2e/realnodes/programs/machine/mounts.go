package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// A kubelet sets these for the whole machine. On this node they are files.
var sysctls = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// What kubelet and containerd keep on disk at fixed places: name below home, and place.
var kept = map[string]string{
	"kubelet":    "/var/lib/kubelet",
	"cni-cache":  "/var/lib/cni",
	"pod-logs":   "/var/log/pods",
	"containers": "/var/log/containers",
}

// mountAll makes the node's own view of the file system: everything of the machine is there to be read; what the node
// writes goes to its home or into memory.
func mountAll(home string) error {
	// Opened before /var is covered, because home itself may lie there.
	disk, err := os.Open(home)
	if err != nil {
		return err
	}
	defer disk.Close()
	steps := []struct {
		what, source, target, kind, data string
		flags                            uintptr
	}{
		{"cut the mounts off from the machine", "", "/", "", "", syscall.MS_REC | syscall.MS_PRIVATE},
		{"pass mounts on to the containers", "", "/", "", "", syscall.MS_REC | syscall.MS_SHARED},
		{"show the node's processes", "proc", "/proc", "proc", "", 0},
		{"empty /run", "tmpfs", "/run", "tmpfs", "mode=755", 0},
	}
	for _, step := range steps {
		if err := syscall.Mount(step.source, step.target, step.kind, step.flags, step.data); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if err := coverVar(); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	// Through the descriptor: the path may now lead into the cover.
	if err := syscall.Mount("/proc/self/fd/"+strconv.Itoa(int(disk.Fd())), home, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("keep %s: %w", home, err)
	}
	for name, place := range kept {
		if err := bind(filepath.Join(home, name), place); err != nil {
			return err
		}
	}
	return coverSysctls()
}

func coverVar() error {
	upper, work := "/run/var/upper", "/run/var/work"
	for _, directory := range []string{upper, work} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return err
		}
	}
	data := "lowerdir=/var,upperdir=" + upper + ",workdir=" + work
	if err := syscall.Mount("overlay", "/var", "overlay", 0, data); err != nil {
		return fmt.Errorf("cover /var: %w", err)
	}
	return nil
}

func bind(source, target string) error {
	for _, directory := range []string{source, target} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return err
		}
	}
	if err := syscall.Mount(source, target, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", target, err)
	}
	return nil
}

func coverSysctls() error {
	if err := os.MkdirAll("/run/sysctls", 0o755); err != nil {
		return err
	}
	sysctls["kernel/random/boot_id"] = newUUID() // by which a kubelet knows that its machine was started again
	for name, value := range sysctls {
		target := "/proc/sys/" + name
		if _, err := os.Stat(target); err != nil {
			continue
		}
		file := "/run/sysctls/" + filepath.Base(name)
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := syscall.Mount(file, target, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("cover %s: %w", target, err)
		}
	}
	return nil
}

func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
