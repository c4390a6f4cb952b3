package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

type filled struct {
	Pods    int     `json:"pods"`
	Created int64   `json:"created"`
	Seconds float64 `json:"seconds"`
	// Of a few pods as the server stores them.
	JSONBytes     int `json:"jsonBytes"`
	ProtobufBytes int `json:"protobufBytes"`
}

// fill makes sure that pods 0 … n-1 exist and have their status: what an interrupted run left out is added.
func fill(s settings) (any, error) {
	ctx := context.Background()
	client, err := connect(s.kubeconfig)
	if err != nil {
		return nil, err
	}
	for i := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName(i)}}
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	present, err := presentPods(ctx, client)
	if err != nil {
		return nil, err
	}
	if len(present) > s.pods {
		return nil, fmt.Errorf("the cluster holds %d pods of the benchmarks already, more than the %d asked for", len(present), s.pods)
	}
	start := time.Now()
	var done, created atomic.Int64
	stopShowing := showProgress(&done, s.pods, start)
	numbers := make(chan int, 100)
	go func() {
		defer close(numbers)
		for i := range s.pods {
			numbers <- i
		}
	}()
	err = inParallel(s.parallel, numbers, func(i int) error {
		defer done.Add(1)
		ready, exists := present[namespaceName(i)+"/"+podName(i)]
		if ready {
			return nil
		}
		if !exists {
			created.Add(1)
		}
		return put(ctx, client, i, exists)
	})
	stopShowing()
	if err != nil {
		return nil, err
	}
	result := filled{Pods: s.pods, Created: created.Load(), Seconds: time.Since(start).Seconds()}
	return measureSizes(ctx, client, s.pods, result)
}

// presentPods maps namespace/name to whether the pod's status is written.
func presentPods(ctx context.Context, client kubernetes.Interface) (map[string]bool, error) {
	present := map[string]bool{}
	options := metav1.ListOptions{LabelSelector: benchLabel, Limit: 1000}
	for {
		page, err := client.CoreV1().Pods("").List(ctx, options)
		if err != nil {
			return nil, err
		}
		for at := range page.Items {
			pod := &page.Items[at]
			present[pod.Namespace+"/"+pod.Name] = pod.Status.PodIP != ""
		}
		if page.Continue == "" {
			return present, nil
		}
		options.Continue = page.Continue
	}
}

// put takes the two writes that a pod of a real cluster takes at least: one of its controller, one of its kubelet.
func put(ctx context.Context, client kubernetes.Interface, i int, exists bool) error {
	pods := client.CoreV1().Pods(namespaceName(i))
	var pod *corev1.Pod
	var err error
	if exists {
		pod, err = pods.Get(ctx, podName(i), metav1.GetOptions{})
	} else {
		pod, err = pods.Create(ctx, buildPod(i), metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	}
	if err != nil {
		return err
	}
	setStatus(pod, i)
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
}

func measureSizes(ctx context.Context, client kubernetes.Interface, pods int, result filled) (any, error) {
	const samples = 10
	for number := range samples {
		i := number * pods / samples
		pod, err := client.CoreV1().Pods(namespaceName(i)).Get(ctx, podName(i), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		asJSON, err := json.Marshal(pod)
		if err != nil {
			return nil, err
		}
		result.JSONBytes += len(asJSON) / samples
		result.ProtobufBytes += pod.Size() / samples
	}
	return result, nil
}

func showProgress(done *atomic.Int64, total int, start time.Time) (stop func()) {
	ticker := time.NewTicker(5 * time.Second)
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				n, seconds := done.Load(), time.Since(start).Seconds()
				fmt.Fprintf(os.Stderr, "  %d of %d pods, %.0f a second\n", n, total, float64(n)/seconds)
			case <-over:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(over)
	}
}
