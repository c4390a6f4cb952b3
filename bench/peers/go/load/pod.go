// The pods of the benchmarks: the shape that a service mesh, a deployment pipeline and a kubelet give to a pod, about
// 11.6 kB of JSON each. Everything follows from the pod's number, so that a second run fills in what is missing.
package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	namespaces = 20
	services   = 200
	replicas   = 20
	nodes      = 1000
	seed       = 20261101
	// Every pod carries it; lets a run find its own pods again.
	benchLabel = "bench.podtrail.dev/pod"
)

func namespaceName(i int) string { return fmt.Sprintf("team-%02d", i%namespaces) }

func podName(i int) string {
	return fmt.Sprintf("%s-%s-%06d", serviceName(i), templateHash(i), i)
}

func serviceName(i int) string { return fmt.Sprintf("svc-%03d", i/namespaces%services) }

// One ReplicaSet has 20 pods: neighbours in the numbering that share namespace and service.
func templateHash(i int) string {
	generation := uint32(i / (namespaces * services * replicas))
	return fmt.Sprintf("%08x", (generation*services+uint32(i/namespaces%services)+1)*2654435761)
}

// uniqueText is 100 bytes that no other pod has: a cache that shares equal strings gains nothing from it.
func uniqueText(i int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	random := rand.New(rand.NewPCG(seed, uint64(i)))
	text := make([]byte, 100)
	for at := range text {
		text[at] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}

func buildPod(i int) *corev1.Pod {
	app, hash, namespace := serviceName(i), templateHash(i), namespaceName(i)
	owner := fmt.Sprintf("%s-%s", app, hash)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:      podName(i),
			Namespace: namespace,
			Labels: map[string]string{
				"app.kubernetes.io/name":    app,
				"app.kubernetes.io/part-of": "platform",
				"pod-template-hash":         hash,
				"team":                      namespace,
				benchLabel:                  "true",
			},
			Annotations: map[string]string{
				"bench.podtrail.dev/unique":         uniqueText(i),
				"checksum/config":                   "9b2f5d0c1e7a48639b2f5d0c1e7a48639b2f5d0c1e7a48639b2f5d0c1e7a4863",
				"kubectl.kubernetes.io/restartedAt": "2026-11-01T10:00:00Z",
				"prometheus.io/port":                "9090",
				"prometheus.io/scrape":              "true",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: ownerUID(i),
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: corev1.PodSpec{
			NodeName:                     fmt.Sprintf("node-%04d", i%nodes),
			ServiceAccountName:           app,
			AutomountServiceAccountToken: new(false),
			Containers:                   []corev1.Container{container("app", app, "http", 8080), container("proxy", app, "mesh", 15000)},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
					LocalObjectReference: corev1.LocalObjectReference{Name: app}}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.ScheduleAnyway,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": app}},
			}},
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))},
				{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))},
			},
		},
	}
}

func ownerUID(i int) types.UID {
	random := rand.New(rand.NewPCG(seed, uint64(i/(namespaces*services*replicas))<<32|uint64(i%(namespaces*services))))
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", random.Uint32(), random.Uint32()>>16,
		random.Uint32()>>20, random.Uint32()>>20, random.Uint64()>>16))
}

func container(name, app, port string, number int32) corev1.Container {
	probe := func(path string, seconds int32) *corev1.Probe {
		return &corev1.Probe{PeriodSeconds: seconds, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString(port)}}}
	}
	fieldOf := func(variable, path string) corev1.EnvVar {
		return corev1.EnvVar{Name: variable, ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
	}
	return corev1.Container{
		Name:  name,
		Image: imageOf(name, app),
		Args:  []string{"--log-level=info", fmt.Sprintf("--listen=:%d", number), "--config=/etc/" + app + "/config.yaml"},
		Ports: []corev1.ContainerPort{
			{Name: port, ContainerPort: number, Protocol: corev1.ProtocolTCP},
			{Name: port + "-metrics", ContainerPort: number + 10, Protocol: corev1.ProtocolTCP},
		},
		Env: []corev1.EnvVar{
			fieldOf("POD_NAME", "metadata.name"),
			fieldOf("POD_IP", "status.podIP"),
			{Name: "OTEL_EXPORTER_OTLP_ENDPOINT", Value: "http://otel-collector.observability.svc:4317"},
			{Name: "REGION", Value: "eu-west-1"},
			{Name: "GOMEMLIMIT", Value: "400MiB"},
		},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{"memory": resource.MustParse("512Mi")},
		},
		LivenessProbe:  probe("/healthz", 10),
		ReadinessProbe: probe("/readyz", 5),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: "/etc/" + app},
			{Name: "scratch", MountPath: "/scratch"},
		},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), RunAsNonRoot: new(true),
		},
	}
}

func imageOf(name, app string) string {
	const digest = "sha256:5e8f1c0b7a3d49265e8f1c0b7a3d49265e8f1c0b7a3d49265e8f1c0b7a3d4926"
	return "registry.example.com/platform/" + app + "-" + name + "@" + digest
}

// setStatus does a kubelet's work. Of 100 pods one has failed, one has succeeded and one was restarted. Their times are
// spread over a month, as in a cluster that grew: a cache that shares equal times and conditions gains little.
func setStatus(pod *corev1.Pod, i int) {
	age := rand.New(rand.NewPCG(seed+1, uint64(i))).IntN(30 * 24 * 3600)
	started := metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(age) * time.Second))
	at := metav1.NewTime(started.Add(time.Duration(4+i%7) * time.Second))
	ip := fmt.Sprintf("10.%d.%d.%d", 64+i>>16&63, i>>8&255, i&255)
	pod.Status = corev1.PodStatus{
		Phase:     corev1.PodRunning,
		PodIP:     ip,
		PodIPs:    []corev1.PodIP{{IP: ip}, {IP: fmt.Sprintf("fd00:10:244::%x:%x", (i+1)>>16, (i+1)&0xffff)}},
		HostIP:    hostIP(i),
		HostIPs:   []corev1.HostIP{{IP: hostIP(i)}},
		StartTime: &started,
		QOSClass:  corev1.PodQOSBurstable,
	}
	var ended *corev1.ContainerStateTerminated
	ready, readyReason := corev1.ConditionTrue, ""
	switch i % 100 {
	case 13:
		pod.Status.Phase = corev1.PodFailed
		ended = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled", StartedAt: started, FinishedAt: at}
		ready, readyReason = corev1.ConditionFalse, "PodFailed"
	case 63:
		pod.Status.Phase = corev1.PodSucceeded
		ended = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: started, FinishedAt: at}
		ready, readyReason = corev1.ConditionFalse, "PodCompleted"
	}
	condition := func(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) corev1.PodCondition {
		since := at
		if kind == corev1.PodScheduled || kind == corev1.PodInitialized {
			since = started
		}
		return corev1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: since,
			ObservedGeneration: pod.Generation}
	}
	pod.Status.Conditions = []corev1.PodCondition{
		condition("PodReadyToStartContainers", ready, ""),
		condition(corev1.PodInitialized, corev1.ConditionTrue, ""),
		condition(corev1.PodReady, ready, readyReason),
		condition(corev1.ContainersReady, ready, readyReason),
		condition(corev1.PodScheduled, corev1.ConditionTrue, ""),
	}
	for number, of := range pod.Spec.Containers {
		status := corev1.ContainerStatus{
			Name: of.Name, Image: of.Image, ImageID: of.Image,
			ContainerID: fmt.Sprintf("containerd://%064x", i*2+number+1),
		}
		if ended != nil {
			own := *ended
			own.ContainerID = status.ContainerID
			status.State.Terminated = &own
			status.Started = new(false)
		} else {
			status.Ready, status.Started = true, new(true)
			status.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
			if i%100 == 37 && number == 0 {
				status.RestartCount = 1
				status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
					ExitCode: 2, Reason: "Error", Message: "panic: the configuration has no listener",
					StartedAt: started, FinishedAt: at, ContainerID: status.ContainerID,
				}
			}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
}

func hostIP(i int) string { return fmt.Sprintf("192.168.%d.%d", i%nodes>>8, i%nodes&255) }
