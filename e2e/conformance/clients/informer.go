// A client-go informer on the pods of one namespace, printing what it gets, one line for each event. It ends when
// its standard input does. Built by go-informer.ts with the module of bench/peers/go.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	namespace := flag.String("namespace", "default", "")
	contentType := flag.String("content-type", "application/json", "")
	flag.Parse()
	if err := run(*kubeconfig, *namespace, *contentType); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace, contentType string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = contentType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Pods().Informer()
	var lines sync.Mutex
	say := func(what string, pod *corev1.Pod) {
		lines.Lock()
		defer lines.Unlock()
		fmt.Printf("%s %s %s %s\n", what, pod.Name, pod.Status.Phase, pod.Status.PodIP)
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("add", object.(*corev1.Pod)) },
		UpdateFunc: func(_, object any) { say("update", object.(*corev1.Pod)) },
		DeleteFunc: func(object any) {
			if pod, ok := object.(*corev1.Pod); ok {
				say("delete", pod)
			}
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the cache did not sync")
	}
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	lines.Lock()
	fmt.Printf("synced %d of a page of %d\n", len(informer.GetStore().List()), len(list.Items))
	lines.Unlock()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
