// sync is client-go as a peer: a shared informer on all pods, measured until its cache and its handler are in step, and
// with --follow while a watch delivers changes. Started by bench/peer-process.ts, which reads its JSON lines.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Both are named in full: left empty, client-go's typed clients ask for protobuf.
var contentTypes = map[string]string{"protobuf": "application/vnd.kubernetes.protobuf", "json": "application/json"}

type result struct {
	Pods         int     `json:"pods"`
	Added        int64   `json:"added"`
	CPUSeconds   float64 `json:"cpuSeconds"`
	WallSeconds  float64 `json:"wallSeconds"`
	PeakRSSBytes int64   `json:"peakRssBytes"`
	RSSBytes     int64   `json:"rssBytes"`
	Followed     *window `json:"followed,omitempty"`
	// Of the answer that carried the pods: proves that the peer speaks what its name says.
	ContentType   string `json:"contentType"`
	CacheHash     string `json:"cacheHash"`
	ClientVersion string `json:"clientVersion"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of a kubeconfig")
	encoding := flag.String("encoding", "protobuf", "protobuf or json")
	strip := flag.Bool("strip", false, "keep only the fields that podtrail keeps")
	follow := flag.Bool("follow", false, "after the sync, count events between `start` and `stop N` on standard input")
	flag.Parse()
	if err := run(*kubeconfig, *encoding, *strip, *follow); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, encoding string, strip, follow bool) error {
	begun := time.Now()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = -1, -1
	config.UserAgent = "podtrail-bench-client-go"
	config.ContentType, config.AcceptContentTypes = contentTypes[encoding], contentTypes[encoding]
	answered := &answerType{}
	config.Wrap(answered.wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if strip {
		if err := informer.SetTransform(keepDeclared); err != nil {
			return err
		}
	}
	var added, updated atomic.Int64
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.Add(1) },
		UpdateFunc: func(any, any) { updated.Add(1) },
	})
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced, registration.HasSynced) {
		return fmt.Errorf("the cache did not sync")
	}
	r := result{
		CPUSeconds:    cpuSeconds(),
		WallSeconds:   time.Since(begun).Seconds(),
		PeakRSSBytes:  memory("VmHWM"),
		RSSBytes:      memory("VmRSS"),
		Pods:          len(informer.GetStore().ListKeys()),
		Added:         added.Load(),
		ContentType:   answered.value(),
		ClientVersion: clientVersion(),
	}
	if follow {
		if r.Followed, err = followEvents(&updated); err != nil {
			return err
		}
	}
	r.CacheHash = cacheHash(informer.GetStore().List())
	return json.NewEncoder(os.Stdout).Encode(r)
}
