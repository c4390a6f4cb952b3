package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// keepDeclared is the transform of the best that Go users do: the pod keeps the fields of podtrail's PodView and nothing
// else. Small exact copies, so that what was decoded around them can be collected.
func keepDeclared(object any) (any, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil // a tombstone
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:                       pod.Name,
			Namespace:                  pod.Namespace,
			UID:                        pod.UID,
			ResourceVersion:            pod.ResourceVersion,
			Generation:                 pod.Generation,
			CreationTimestamp:          pod.CreationTimestamp,
			DeletionTimestamp:          pod.DeletionTimestamp,
			DeletionGracePeriodSeconds: pod.DeletionGracePeriodSeconds,
			Labels:                     pod.Labels,
			Annotations:                pod.Annotations,
			OwnerReferences:            keepOwners(pod.OwnerReferences),
			Finalizers:                 pod.Finalizers,
		},
		Spec: corev1.PodSpec{
			NodeName:                      pod.Spec.NodeName,
			HostNetwork:                   pod.Spec.HostNetwork,
			Priority:                      pod.Spec.Priority,
			PriorityClassName:             pod.Spec.PriorityClassName,
			TerminationGracePeriodSeconds: pod.Spec.TerminationGracePeriodSeconds,
		},
		Status: corev1.PodStatus{
			Phase:                      pod.Status.Phase,
			Reason:                     pod.Status.Reason,
			Message:                    pod.Status.Message,
			QOSClass:                   pod.Status.QOSClass,
			HostIP:                     pod.Status.HostIP,
			PodIP:                      pod.Status.PodIP,
			PodIPs:                     pod.Status.PodIPs,
			StartTime:                  pod.Status.StartTime,
			Conditions:                 keepConditions(pod.Status.Conditions),
			ContainerStatuses:          keepStates(pod.Status.ContainerStatuses),
			InitContainerStatuses:      keepStates(pod.Status.InitContainerStatuses),
			EphemeralContainerStatuses: keepStates(pod.Status.EphemeralContainerStatuses),
		},
	}, nil
}

// The decoded slice is kept: the transform owns it, and one owner fills it.
func keepOwners(owners []metav1.OwnerReference) []metav1.OwnerReference {
	for at := range owners {
		owners[at].BlockOwnerDeletion = nil
	}
	return owners
}

// The decoder's slice grew by doubling; the copy has no spare room.
func keepConditions(conditions []corev1.PodCondition) []corev1.PodCondition {
	if len(conditions) == 0 {
		return nil
	}
	kept := make([]corev1.PodCondition, len(conditions))
	for at := range conditions {
		from := &conditions[at]
		kept[at] = corev1.PodCondition{
			Type: from.Type, Status: from.Status, LastTransitionTime: from.LastTransitionTime,
			Reason: from.Reason, Message: from.Message,
		}
	}
	return kept
}

// Of containers: how they ended, since when they run, and whether they are still to be made. Others leave nothing.
func keepStates(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	var kept []corev1.ContainerStatus
	for at := range statuses {
		from := &statuses[at]
		ended := from.State.Terminated != nil || from.LastTerminationState.Terminated != nil
		waiting := from.State.Waiting
		if !isCreating(waiting) {
			waiting = nil
		}
		if !ended && from.State.Running == nil && waiting == nil {
			continue
		}
		kept = append(kept, corev1.ContainerStatus{
			Name:         from.Name,
			RestartCount: from.RestartCount,
			State: corev1.ContainerState{
				Running: from.State.Running, Waiting: waiting, Terminated: keepEnd(from.State.Terminated),
			},
			LastTerminationState: corev1.ContainerState{Terminated: keepEnd(from.LastTerminationState.Terminated)},
		})
	}
	return kept
}

func keepEnd(end *corev1.ContainerStateTerminated) *corev1.ContainerStateTerminated {
	if end != nil {
		end.ContainerID = ""
	}
	return end
}
