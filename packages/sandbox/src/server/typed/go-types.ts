// How Go calls the type of a field: the refusals of a typed server end with it. Text is `string` and a number `int32`
// but for the fields below, whose types have names of their own: facts of the published Go types, version 1.36.
import type { MessageField } from '../protobuf/message-schema.ts';

const NAMED_TYPES = `
int64: Condition.observedGeneration ContainerImage.sizeBytes DaemonSetStatus.observedGeneration DeleteOptions.gracePeriodSeconds DeploymentStatus.observedGeneration JobSpec.activeDeadlineSeconds LinuxContainerUser.gid LinuxContainerUser.supplementalGroups LinuxContainerUser.uid NodeSwapStatus.capacity ObjectMeta.deletionGracePeriodSeconds ObjectMeta.generation PodCondition.observedGeneration PodDisruptionBudgetStatus.observedGeneration PodSecurityContext.fsGroup PodSecurityContext.runAsGroup PodSecurityContext.runAsUser PodSecurityContext.supplementalGroups PodSpec.activeDeadlineSeconds PodSpec.terminationGracePeriodSeconds PodStatus.observedGeneration Probe.terminationGracePeriodSeconds ReplicaSetStatus.observedGeneration SecurityContext.runAsGroup SecurityContext.runAsUser ServiceAccountTokenProjection.expirationSeconds SleepAction.seconds StatefulSetStatus.observedGeneration Toleration.tolerationSeconds
types.UID: ConfigMapNodeConfigSource.uid ObjectMeta.uid ObjectReference.uid OwnerReference.uid Preconditions.uid UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded
v1.AppArmorProfileType: AppArmorProfile.type
v1.AzureDataDiskCachingMode: AzureDiskVolumeSource.cachingMode
v1.AzureDataDiskKind: AzureDiskVolumeSource.kind
v1.Capability: Capabilities.add Capabilities.drop
v1.CompletionMode: JobSpec.completionMode
v1.ConditionStatus: Condition.status DaemonSetCondition.status DeploymentCondition.status JobCondition.status NamespaceCondition.status NodeCondition.status PersistentVolumeClaimCondition.status PodCondition.status PodFailurePolicyOnPodConditionsPattern.status ReplicaSetCondition.status StatefulSetCondition.status
v1.ContainerRestartPolicy: Container.restartPolicy EphemeralContainerCommon.restartPolicy
v1.ContainerRestartRuleAction: ContainerRestartRule.action
v1.ContainerRestartRuleOnExitCodesOperator: ContainerRestartRuleOnExitCodes.operator
v1.CoordinatedLeaseStrategy: LeaseSpec.strategy
v1.DNSPolicy: PodSpec.dnsPolicy
v1.DaemonSetConditionType: DaemonSetCondition.type
v1.DaemonSetUpdateStrategyType: DaemonSetUpdateStrategy.type
v1.DeletionPropagation: DeleteOptions.propagationPolicy
v1.DeploymentConditionType: DeploymentCondition.type
v1.DeploymentStrategyType: DeploymentStrategy.type
v1.FinalizerName: NamespaceSpec.finalizers
v1.HostPathType: HostPathVolumeSource.type
v1.IPFamily: ServiceSpec.ipFamilies
v1.IPFamilyPolicy: ServiceSpec.ipFamilyPolicy
v1.JobConditionType: JobCondition.type
v1.LabelSelectorOperator: LabelSelectorRequirement.operator
v1.LoadBalancerIPMode: LoadBalancerIngress.ipMode
v1.ManagedFieldsOperationType: ManagedFieldsEntry.operation
v1.MountPropagationMode: VolumeMount.mountPropagation
v1.NamespaceConditionType: NamespaceCondition.type
v1.NamespacePhase: NamespaceStatus.phase
v1.NodeAddressType: NodeAddress.type
v1.NodeConditionType: NodeCondition.type
v1.NodeInclusionPolicy: TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy
v1.NodePhase: NodeStatus.phase
v1.NodeSelectorOperator: NodeSelectorRequirement.operator
v1.OSName: PodOS.name
v1.PersistentVolumeAccessMode: PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes
v1.PersistentVolumeClaimConditionType: PersistentVolumeClaimCondition.type
v1.PersistentVolumeClaimModifyVolumeStatus: ModifyVolumeStatus.status
v1.PersistentVolumeClaimPhase: PersistentVolumeClaimStatus.phase
v1.PersistentVolumeClaimRetentionPolicyType: StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
v1.PersistentVolumeMode: PersistentVolumeClaimSpec.volumeMode
v1.PodConditionType: PodCondition.type PodFailurePolicyOnPodConditionsPattern.type PodReadinessGate.conditionType
v1.PodFSGroupChangePolicy: PodSecurityContext.fsGroupChangePolicy
v1.PodFailurePolicyAction: PodFailurePolicyRule.action
v1.PodFailurePolicyOnExitCodesOperator: PodFailurePolicyOnExitCodesRequirement.operator
v1.PodManagementPolicyType: StatefulSetSpec.podManagementPolicy
v1.PodPhase: PodStatus.phase
v1.PodQOSClass: PodStatus.qosClass
v1.PodReplacementPolicy: JobSpec.podReplacementPolicy
v1.PodResizeStatus: PodStatus.resize
v1.PodSELinuxChangePolicy: PodSecurityContext.seLinuxChangePolicy
v1.PreemptionPolicy: PodSpec.preemptionPolicy
v1.ProcMountType: SecurityContext.procMount
v1.Protocol: ContainerPort.protocol PortStatus.protocol ServicePort.protocol
v1.PullPolicy: Container.imagePullPolicy EphemeralContainerCommon.imagePullPolicy ImageVolumeSource.pullPolicy
v1.RecursiveReadOnlyMode: VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
v1.ReplicaSetConditionType: ReplicaSetCondition.type
v1.ResourceHealthStatus: ResourceHealth.health
v1.ResourceID: ResourceHealth.resourceID
v1.ResourceName: ContainerResizePolicy.resourceName ResourceStatus.name
v1.ResourceResizeRestartPolicy: ContainerResizePolicy.restartPolicy
v1.RestartPolicy: PodSpec.restartPolicy
v1.SeccompProfileType: SeccompProfile.type
v1.ServiceAffinity: ServiceSpec.sessionAffinity
v1.ServiceExternalTrafficPolicy: ServiceSpec.externalTrafficPolicy
v1.ServiceInternalTrafficPolicy: ServiceSpec.internalTrafficPolicy
v1.ServiceType: ServiceSpec.type
v1.Signal: ContainerStatus.stopSignal Lifecycle.stopSignal
v1.StatefulSetConditionType: StatefulSetCondition.type
v1.StatefulSetUpdateStrategyType: StatefulSetUpdateStrategy.type
v1.StorageMedium: EmptyDirVolumeSource.medium
v1.SupplementalGroupsPolicy: PodSecurityContext.supplementalGroupsPolicy
v1.TaintEffect: Taint.effect Toleration.effect
v1.TerminationMessagePolicy: Container.terminationMessagePolicy EphemeralContainerCommon.terminationMessagePolicy
v1.TolerationOperator: Toleration.operator
v1.URIScheme: HTTPGetAction.scheme
v1.UnhealthyPodEvictionPolicyType: PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
v1.UniqueVolumeName: AttachedVolume.name NodeStatus.volumesInUse
v1.UnsatisfiableConstraintAction: TopologySpreadConstraint.whenUnsatisfiable
`;

const PLAIN: Readonly<Record<string, string>> = {
  s: 'string',
  i: 'int32',
  b: 'bool',
  y: '[]uint8',
  d: 'float64',
  Q: 'resource.Quantity',
  T: 'v1.Time',
  M: 'v1.MicroTime',
  I: 'intstr.IntOrString',
  F: 'v1.FieldsV1',
  R: 'runtime.RawExtension',
  D: 'v1.Duration',
};

let named: ReadonlyMap<string, string> | undefined;

/** Of one value: what a list holds, what a map leads to. */
export function goTypeOfValue(message: string, field: MessageField): string {
  named ??= new Map(
    NAMED_TYPES.trim()
      .split('\n')
      .flatMap((line) => {
        const [type = '', ...fields] = line.split(' ');
        return fields.map((name) => [name, type.slice(0, -1)] as const);
      }),
  );
  return named.get(`${message}.${field.name}`) ?? PLAIN[field.type] ?? `v1.${field.type}`;
}

/** Of the whole field. */
export function goTypeOf(message: string, field: MessageField): string {
  const value = goTypeOfValue(message, field);
  if (field.shape === 'list') return `[]${value}`;
  if (field.shape === 'one') return value;
  return field.type === 'Q' ? 'v1.ResourceList' : `map[string]${value}`;
}
