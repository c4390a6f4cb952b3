// A CNI plugin, chained last. It changes nothing and appends one line for each ADD and DEL to the file named "log" in
// its configuration: which sandbox, which pod, which addresses, when. ADD runs after the address was reserved; DEL
// runs first, before the network is taken down and the address returned.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

type configuration struct {
	Log        string          `json:"log"`
	Node       string          `json:"node"`
	PrevResult json.RawMessage `json:"prevResult"`
}

type result struct {
	IPs []struct {
		Address string `json:"address"`
	} `json:"ips"`
	Interfaces []struct {
		Name    string `json:"name"`
		Sandbox string `json:"sandbox"`
	} `json:"interfaces"`
}

type line struct {
	At        int64    `json:"t"`
	Command   string   `json:"command"`
	Node      string   `json:"node"`
	Sandbox   string   `json:"sandbox"`
	UID       string   `json:"uid"`
	Pod       string   `json:"pod"`
	Namespace string   `json:"namespace"`
	IPs       []string `json:"ips"`
	Veths     []string `json:"veths"`
}

func main() {
	now := time.Now().UnixNano()
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		fmt.Println(`{"cniVersion":"1.0.0","supportedVersions":["0.4.0","1.0.0"]}`)
		return
	}
	var config configuration
	input, _ := io.ReadAll(os.Stdin)
	if err := json.Unmarshal(input, &config); err != nil {
		fail("the configuration is not JSON: " + err.Error())
	}
	if command == "ADD" || command == "DEL" {
		if err := log(config, command, now); err != nil {
			fail(err.Error())
		}
	}
	if command == "ADD" {
		os.Stdout.Write(config.PrevResult)
	}
}

func log(config configuration, command string, now int64) error {
	var previous result
	json.Unmarshal(config.PrevResult, &previous)
	arguments := map[string]string{}
	for _, pair := range strings.Split(os.Getenv("CNI_ARGS"), ";") {
		key, value, _ := strings.Cut(pair, "=")
		arguments[key] = value
	}
	entry := line{
		At: now, Command: command, Node: config.Node, Sandbox: os.Getenv("CNI_CONTAINERID"),
		UID: arguments["K8S_POD_UID"], Pod: arguments["K8S_POD_NAME"], Namespace: arguments["K8S_POD_NAMESPACE"],
		IPs: []string{}, Veths: []string{},
	}
	for _, ip := range previous.IPs {
		address, _, _ := strings.Cut(ip.Address, "/")
		entry.IPs = append(entry.IPs, address)
	}
	for _, device := range previous.Interfaces {
		if device.Sandbox == "" && strings.HasPrefix(device.Name, "veth") {
			entry.Veths = append(entry.Veths, device.Name)
		}
	}
	text, _ := json.Marshal(entry)
	file, err := os.OpenFile(config.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(text, '\n'))
	return err
}

// fail speaks as the CNI specification wants it.
func fail(message string) {
	text, _ := json.Marshal(map[string]any{"cniVersion": "1.0.0", "code": 999, "msg": "cnilog: " + message})
	fmt.Println(string(text))
	os.Exit(1)
}
