package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cacheHash is SHA-256 over one canonical line for each pod, in the order of their UIDs. The form of a line is written
// down in bench/README.md ("The same work"); bench/ours/canonical-pod.ts is its other half.
func cacheHash(objects []any) string {
	pods := make([]*corev1.Pod, 0, len(objects))
	for _, object := range objects {
		pods = append(pods, object.(*corev1.Pod))
	}
	sort.Slice(pods, func(a, b int) bool { return pods[a].UID < pods[b].UID })
	hash := sha256.New()
	var line bytes.Buffer
	encoder := json.NewEncoder(&line) // ends every line with a newline
	encoder.SetEscapeHTML(false)
	for _, pod := range pods {
		line.Reset()
		if err := encoder.Encode(canonical(pod)); err != nil {
			panic(err)
		}
		hash.Write(line.Bytes())
	}
	return hex.EncodeToString(hash.Sum(nil))
}

type list = []any

func canonical(pod *corev1.Pod) list {
	owners, conditions, ips := list{}, list{}, list{}
	for _, owner := range pod.OwnerReferences {
		controller := owner.Controller != nil && *owner.Controller
		owners = append(owners, list{owner.APIVersion, owner.Kind, owner.Name, owner.UID, controller})
	}
	for _, c := range pod.Status.Conditions {
		conditions = append(conditions, list{c.Type, c.Status, seconds(&c.LastTransitionTime), c.Reason, c.Message})
	}
	for _, ip := range pod.Status.PodIPs {
		ips = append(ips, ip.IP)
	}
	finalizers := list{}
	for _, finalizer := range pod.Finalizers {
		finalizers = append(finalizers, finalizer)
	}
	return list{
		pod.Name, pod.Namespace, pod.UID, pod.ResourceVersion, pod.Generation,
		seconds(&pod.CreationTimestamp), seconds(pod.DeletionTimestamp), pod.DeletionGracePeriodSeconds,
		pairs(pod.Labels), pairs(pod.Annotations), owners, finalizers,
		pod.Spec.NodeName, pod.Spec.HostNetwork, pod.Spec.Priority, pod.Spec.PriorityClassName,
		pod.Spec.TerminationGracePeriodSeconds,
		pod.Status.Phase, pod.Status.Reason, pod.Status.Message, pod.Status.QOSClass, pod.Status.HostIP,
		pod.Status.PodIP, ips, seconds(pod.Status.StartTime), conditions, terminations(&pod.Status),
		runningSince(&pod.Status), creating(&pod.Status),
	}
}

func eachStatus(status *corev1.PodStatus, use func(*corev1.ContainerStatus)) {
	for _, statuses := range [][]corev1.ContainerStatus{
		status.ContainerStatuses, status.InitContainerStatuses, status.EphemeralContainerStatuses,
	} {
		for at := range statuses {
			use(&statuses[at])
		}
	}
}

// runningSince is the earliest start of the containers that run now; nothing when none runs.
func runningSince(status *corev1.PodStatus) any {
	var earliest *metav1.Time
	eachStatus(status, func(c *corev1.ContainerStatus) {
		running := c.State.Running
		if running != nil && !running.StartedAt.IsZero() && (earliest == nil || running.StartedAt.Before(earliest)) {
			earliest = &running.StartedAt
		}
	})
	return seconds(earliest)
}

// creating: a container has not been made yet.
func creating(status *corev1.PodStatus) bool {
	found := false
	eachStatus(status, func(c *corev1.ContainerStatus) { found = found || isCreating(c.State.Waiting) })
	return found
}

func isCreating(waiting *corev1.ContainerStateWaiting) bool {
	return waiting != nil && (waiting.Reason == "ContainerCreating" || waiting.Reason == "PodInitializing")
}

func terminations(status *corev1.PodStatus) list {
	ends := list{}
	gather := func(kind string, statuses []corev1.ContainerStatus) {
		for _, c := range statuses {
			for at, end := range []*corev1.ContainerStateTerminated{c.State.Terminated, c.LastTerminationState.Terminated} {
				if end == nil {
					continue
				}
				ends = append(ends, list{c.Name, kind, at == 0, end.ExitCode, end.Signal, end.Reason, end.Message,
					seconds(&end.StartedAt), seconds(&end.FinishedAt), c.RestartCount})
			}
		}
	}
	gather("regular", status.ContainerStatuses)
	gather("init", status.InitContainerStatuses)
	gather("ephemeral", status.EphemeralContainerStatuses)
	return ends
}

// pairs is the map as [[key, value], …] in the order of the keys' bytes.
func pairs(of map[string]string) list {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	sorted := list{}
	for _, key := range keys {
		sorted = append(sorted, list{key, of[key]})
	}
	return sorted
}

// seconds since the epoch; nothing for a time that is not set.
func seconds(at *metav1.Time) any {
	if at == nil || at.IsZero() {
		return nil
	}
	return at.Unix()
}
