// The numbers of the fields of Kubernetes' protobuf messages, version 1.36: facts that clients rely on, taken from the
// published definitions. One message for each line, `number name type`. Types: s text, i integer, b boolean, y bytes,
// d double, Q quantity, T time, M time with micros, I integer or text, F fields, R raw extension, D duration, or
// another message; [] repeated, {} a map with text keys.

export const MESSAGE_TABLE = `
AWSElasticBlockStoreVolumeSource: 1 volumeID s; 2 fsType s; 3 partition i; 4 readOnly b
Affinity: 1 nodeAffinity NodeAffinity; 2 podAffinity PodAffinity; 3 podAntiAffinity PodAntiAffinity
AppArmorProfile: 1 type s; 2 localhostProfile s
AttachedVolume: 1 name s; 2 devicePath s
AzureDiskVolumeSource: 1 diskName s; 2 diskURI s; 3 cachingMode s; 4 fsType s; 5 readOnly b; 6 kind s
AzureFileVolumeSource: 1 secretName s; 2 shareName s; 3 readOnly b
Binding: 1 metadata ObjectMeta; 2 target ObjectReference
CSIVolumeSource: 1 driver s; 2 readOnly b; 3 fsType s; 4 volumeAttributes s{}; 5 nodePublishSecretRef LocalObjectReference
Capabilities: 1 add s[]; 2 drop s[]
CephFSVolumeSource: 1 monitors s[]; 2 path s; 3 user s; 4 secretFile s; 5 secretRef LocalObjectReference; 6 readOnly b
CinderVolumeSource: 1 volumeID s; 2 fsType s; 3 readOnly b; 4 secretRef LocalObjectReference
ClientIPConfig: 1 timeoutSeconds i
ClusterTrustBundleProjection: 1 name s; 2 signerName s; 3 labelSelector LabelSelector; 4 path s; 5 optional b
Condition: 1 type s; 2 status s; 3 observedGeneration i; 4 lastTransitionTime T; 5 reason s; 6 message s
ConfigMap: 1 metadata ObjectMeta; 2 data s{}; 3 binaryData y{}; 4 immutable b
ConfigMapEnvSource: 1 localObjectReference LocalObjectReference; 2 optional b
ConfigMapKeySelector: 1 localObjectReference LocalObjectReference; 2 key s; 3 optional b
ConfigMapNodeConfigSource: 1 namespace s; 2 name s; 3 uid s; 4 resourceVersion s; 5 kubeletConfigKey s
ConfigMapProjection: 1 localObjectReference LocalObjectReference; 2 items KeyToPath[]; 4 optional b
ConfigMapVolumeSource: 1 localObjectReference LocalObjectReference; 2 items KeyToPath[]; 3 defaultMode i; 4 optional b
Container: 1 name s; 2 image s; 3 command s[]; 4 args s[]; 5 workingDir s; 6 ports ContainerPort[]; 7 env EnvVar[]; 8 resources ResourceRequirements; 9 volumeMounts VolumeMount[]; 10 livenessProbe Probe; 11 readinessProbe Probe; 12 lifecycle Lifecycle; 13 terminationMessagePath s; 14 imagePullPolicy s; 15 securityContext SecurityContext; 16 stdin b; 17 stdinOnce b; 18 tty b; 19 envFrom EnvFromSource[]; 20 terminationMessagePolicy s; 21 volumeDevices VolumeDevice[]; 22 startupProbe Probe; 23 resizePolicy ContainerResizePolicy[]; 24 restartPolicy s; 25 restartPolicyRules ContainerRestartRule[]
ContainerExtendedResourceRequest: 1 containerName s; 2 resourceName s; 3 requestName s
ContainerImage: 1 names s[]; 2 sizeBytes i
ContainerPort: 1 name s; 2 hostPort i; 3 containerPort i; 4 protocol s; 5 hostIP s
ContainerResizePolicy: 1 resourceName s; 2 restartPolicy s
ContainerRestartRule: 1 action s; 2 exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: 1 operator s; 2 values i[]
ContainerState: 1 waiting ContainerStateWaiting; 2 running ContainerStateRunning; 3 terminated ContainerStateTerminated
ContainerStateRunning: 1 startedAt T
ContainerStateTerminated: 1 exitCode i; 2 signal i; 3 reason s; 4 message s; 5 startedAt T; 6 finishedAt T; 7 containerID s
ContainerStateWaiting: 1 reason s; 2 message s
ContainerStatus: 1 name s; 2 state ContainerState; 3 lastState ContainerState; 4 ready b; 5 restartCount i; 6 image s; 7 imageID s; 8 containerID s; 9 started b; 10 allocatedResources Q{}; 11 resources ResourceRequirements; 12 volumeMounts VolumeMountStatus[]; 13 user ContainerUser; 14 allocatedResourcesStatus ResourceStatus[]; 15 stopSignal s
ContainerUser: 1 linux LinuxContainerUser
DaemonEndpoint: 1 Port i
DaemonSet: 1 metadata ObjectMeta; 2 spec DaemonSetSpec; 3 status DaemonSetStatus
DaemonSetCondition: 1 type s; 2 status s; 3 lastTransitionTime T; 4 reason s; 5 message s
DaemonSetSpec: 1 selector LabelSelector; 2 template PodTemplateSpec; 3 updateStrategy DaemonSetUpdateStrategy; 4 minReadySeconds i; 6 revisionHistoryLimit i
DaemonSetStatus: 1 currentNumberScheduled i; 2 numberMisscheduled i; 3 desiredNumberScheduled i; 4 numberReady i; 5 observedGeneration i; 6 updatedNumberScheduled i; 7 numberAvailable i; 8 numberUnavailable i; 9 collisionCount i; 10 conditions DaemonSetCondition[]
DaemonSetUpdateStrategy: 1 type s; 2 rollingUpdate RollingUpdateDaemonSet
DeleteOptions: 1 gracePeriodSeconds i; 2 preconditions Preconditions; 3 orphanDependents b; 4 propagationPolicy s; 5 dryRun s[]; 6 ignoreStoreReadErrorWithClusterBreakingPotential b
Deployment: 1 metadata ObjectMeta; 2 spec DeploymentSpec; 3 status DeploymentStatus
DeploymentCondition: 1 type s; 2 status s; 4 reason s; 5 message s; 6 lastUpdateTime T; 7 lastTransitionTime T
DeploymentSpec: 1 replicas i; 2 selector LabelSelector; 3 template PodTemplateSpec; 4 strategy DeploymentStrategy; 5 minReadySeconds i; 6 revisionHistoryLimit i; 7 paused b; 9 progressDeadlineSeconds i
DeploymentStatus: 1 observedGeneration i; 2 replicas i; 3 updatedReplicas i; 4 availableReplicas i; 5 unavailableReplicas i; 6 conditions DeploymentCondition[]; 7 readyReplicas i; 8 collisionCount i; 9 terminatingReplicas i
DeploymentStrategy: 1 type s; 2 rollingUpdate RollingUpdateDeployment
DownwardAPIProjection: 1 items DownwardAPIVolumeFile[]
DownwardAPIVolumeFile: 1 path s; 2 fieldRef ObjectFieldSelector; 3 resourceFieldRef ResourceFieldSelector; 4 mode i
DownwardAPIVolumeSource: 1 items DownwardAPIVolumeFile[]; 2 defaultMode i
EmptyDirVolumeSource: 1 medium s; 2 sizeLimit Q
EnvFromSource: 1 prefix s; 2 configMapRef ConfigMapEnvSource; 3 secretRef SecretEnvSource
EnvVar: 1 name s; 2 value s; 3 valueFrom EnvVarSource
EnvVarSource: 1 fieldRef ObjectFieldSelector; 2 resourceFieldRef ResourceFieldSelector; 3 configMapKeyRef ConfigMapKeySelector; 4 secretKeyRef SecretKeySelector; 5 fileKeyRef FileKeySelector
EphemeralContainer: 1 ephemeralContainerCommon EphemeralContainerCommon; 2 targetContainerName s
EphemeralContainerCommon: 1 name s; 2 image s; 3 command s[]; 4 args s[]; 5 workingDir s; 6 ports ContainerPort[]; 7 env EnvVar[]; 8 resources ResourceRequirements; 9 volumeMounts VolumeMount[]; 10 livenessProbe Probe; 11 readinessProbe Probe; 12 lifecycle Lifecycle; 13 terminationMessagePath s; 14 imagePullPolicy s; 15 securityContext SecurityContext; 16 stdin b; 17 stdinOnce b; 18 tty b; 19 envFrom EnvFromSource[]; 20 terminationMessagePolicy s; 21 volumeDevices VolumeDevice[]; 22 startupProbe Probe; 23 resizePolicy ContainerResizePolicy[]; 24 restartPolicy s; 25 restartPolicyRules ContainerRestartRule[]
EphemeralVolumeSource: 1 volumeClaimTemplate PersistentVolumeClaimTemplate
Event: 1 metadata ObjectMeta; 2 involvedObject ObjectReference; 3 reason s; 4 message s; 5 source EventSource; 6 firstTimestamp T; 7 lastTimestamp T; 8 count i; 9 type s; 10 eventTime M; 11 series EventSeries; 12 action s; 13 related ObjectReference; 14 reportingComponent s; 15 reportingInstance s
EventSeries: 1 count i; 2 lastObservedTime M
EventSource: 1 component s; 2 host s
Eviction: 1 metadata ObjectMeta; 2 deleteOptions DeleteOptions
ExecAction: 1 command s[]
FCVolumeSource: 1 targetWWNs s[]; 2 lun i; 3 fsType s; 4 readOnly b; 5 wwids s[]
FieldSelectorAttributes: 1 rawSelector s; 2 requirements FieldSelectorRequirement[]
FieldSelectorRequirement: 1 key s; 2 operator s; 3 values s[]
FileKeySelector: 1 volumeName s; 2 path s; 3 key s; 4 optional b
FlexVolumeSource: 1 driver s; 2 fsType s; 3 secretRef LocalObjectReference; 4 readOnly b; 5 options s{}
FlockerVolumeSource: 1 datasetName s; 2 datasetUUID s
GCEPersistentDiskVolumeSource: 1 pdName s; 2 fsType s; 3 partition i; 4 readOnly b
GRPCAction: 1 port i; 2 service s
GitRepoVolumeSource: 1 repository s; 2 revision s; 3 directory s
GlusterfsVolumeSource: 1 endpoints s; 2 path s; 3 readOnly b
HTTPGetAction: 1 path s; 2 port I; 3 host s; 4 scheme s; 5 httpHeaders HTTPHeader[]
HTTPHeader: 1 name s; 2 value s
HostAlias: 1 ip s; 2 hostnames s[]
HostIP: 1 ip s
HostPathVolumeSource: 1 path s; 2 type s
ISCSIVolumeSource: 1 targetPortal s; 2 iqn s; 3 lun i; 4 iscsiInterface s; 5 fsType s; 6 readOnly b; 7 portals s[]; 8 chapAuthDiscovery b; 10 secretRef LocalObjectReference; 11 chapAuthSession b; 12 initiatorName s
ImageVolumeSource: 1 reference s; 2 pullPolicy s
ImageVolumeStatus: 1 imageRef s
Job: 1 metadata ObjectMeta; 2 spec JobSpec; 3 status JobStatus
JobCondition: 1 type s; 2 status s; 3 lastProbeTime T; 4 lastTransitionTime T; 5 reason s; 6 message s
JobSpec: 1 parallelism i; 2 completions i; 3 activeDeadlineSeconds i; 4 selector LabelSelector; 5 manualSelector b; 6 template PodTemplateSpec; 7 backoffLimit i; 8 ttlSecondsAfterFinished i; 9 completionMode s; 10 suspend b; 11 podFailurePolicy PodFailurePolicy; 12 backoffLimitPerIndex i; 13 maxFailedIndexes i; 14 podReplacementPolicy s; 15 managedBy s; 16 successPolicy SuccessPolicy
JobStatus: 1 conditions JobCondition[]; 2 startTime T; 3 completionTime T; 4 active i; 5 succeeded i; 6 failed i; 7 completedIndexes s; 8 uncountedTerminatedPods UncountedTerminatedPods; 9 ready i; 10 failedIndexes s; 11 terminating i
KeyToPath: 1 key s; 2 path s; 3 mode i
LabelSelector: 1 matchLabels s{}; 2 matchExpressions LabelSelectorRequirement[]
LabelSelectorAttributes: 1 rawSelector s; 2 requirements LabelSelectorRequirement[]
LabelSelectorRequirement: 1 key s; 2 operator s; 3 values s[]
Lease: 1 metadata ObjectMeta; 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity s; 2 leaseDurationSeconds i; 3 acquireTime M; 4 renewTime M; 5 leaseTransitions i; 6 strategy s; 7 preferredHolder s
Lifecycle: 1 postStart LifecycleHandler; 2 preStop LifecycleHandler; 3 stopSignal s
LifecycleHandler: 1 exec ExecAction; 2 httpGet HTTPGetAction; 3 tcpSocket TCPSocketAction; 4 sleep SleepAction
LinuxContainerUser: 1 uid i; 2 gid i; 3 supplementalGroups i[]
ListMeta: 1 selfLink s; 2 resourceVersion s; 3 continue s; 4 remainingItemCount i; 5 shardInfo ShardInfo
LoadBalancerIngress: 1 ip s; 2 hostname s; 3 ipMode s; 4 ports PortStatus[]
LoadBalancerStatus: 1 ingress LoadBalancerIngress[]
LocalObjectReference: 1 name s
ManagedFieldsEntry: 1 manager s; 2 operation s; 3 apiVersion s; 4 time T; 6 fieldsType s; 7 fieldsV1 F; 8 subresource s
ModifyVolumeStatus: 1 targetVolumeAttributesClassName s; 2 status s
NFSVolumeSource: 1 server s; 2 path s; 3 readOnly b
Namespace: 1 metadata ObjectMeta; 2 spec NamespaceSpec; 3 status NamespaceStatus
NamespaceCondition: 1 type s; 2 status s; 4 lastTransitionTime T; 5 reason s; 6 message s
NamespaceSpec: 1 finalizers s[]
NamespaceStatus: 1 phase s; 2 conditions NamespaceCondition[]
Node: 1 metadata ObjectMeta; 2 spec NodeSpec; 3 status NodeStatus
NodeAddress: 1 type s; 2 address s
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector; 2 preferredDuringSchedulingIgnoredDuringExecution PreferredSchedulingTerm[]
NodeAllocatableResourceClaimStatus: 1 resourceClaimName s; 2 containers s[]; 3 resources Q{}
NodeCondition: 1 type s; 2 status s; 3 lastHeartbeatTime T; 4 lastTransitionTime T; 5 reason s; 6 message s
NodeConfigSource: 2 configMap ConfigMapNodeConfigSource
NodeConfigStatus: 1 assigned NodeConfigSource; 2 active NodeConfigSource; 3 lastKnownGood NodeConfigSource; 4 error s
NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
NodeFeatures: 1 supplementalGroupsPolicy b
NodeRuntimeHandler: 1 name s; 2 features NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts b; 2 userNamespaces b
NodeSelector: 1 nodeSelectorTerms NodeSelectorTerm[]
NodeSelectorRequirement: 1 key s; 2 operator s; 3 values s[]
NodeSelectorTerm: 1 matchExpressions NodeSelectorRequirement[]; 2 matchFields NodeSelectorRequirement[]
NodeSpec: 1 podCIDR s; 2 externalID s; 3 providerID s; 4 unschedulable b; 5 taints Taint[]; 6 configSource NodeConfigSource; 7 podCIDRs s[]
NodeStatus: 1 capacity Q{}; 2 allocatable Q{}; 3 phase s; 4 conditions NodeCondition[]; 5 addresses NodeAddress[]; 6 daemonEndpoints NodeDaemonEndpoints; 7 nodeInfo NodeSystemInfo; 8 images ContainerImage[]; 9 volumesInUse s[]; 10 volumesAttached AttachedVolume[]; 11 config NodeConfigStatus; 12 runtimeHandlers NodeRuntimeHandler[]; 13 features NodeFeatures; 14 declaredFeatures s[]
NodeSwapStatus: 1 capacity i
NodeSystemInfo: 1 machineID s; 2 systemUUID s; 3 bootID s; 4 kernelVersion s; 5 osImage s; 6 containerRuntimeVersion s; 7 kubeletVersion s; 8 kubeProxyVersion s; 9 operatingSystem s; 10 architecture s; 11 swap NodeSwapStatus
NonResourceAttributes: 1 path s; 2 verb s
ObjectFieldSelector: 1 apiVersion s; 2 fieldPath s
ObjectMeta: 1 name s; 2 generateName s; 3 namespace s; 4 selfLink s; 5 uid s; 6 resourceVersion s; 7 generation i; 8 creationTimestamp T; 9 deletionTimestamp T; 10 deletionGracePeriodSeconds i; 11 labels s{}; 12 annotations s{}; 13 ownerReferences OwnerReference[]; 14 finalizers s[]; 17 managedFields ManagedFieldsEntry[]
ObjectReference: 1 kind s; 2 namespace s; 3 name s; 4 uid s; 5 apiVersion s; 6 resourceVersion s; 7 fieldPath s
OwnerReference: 1 kind s; 3 name s; 4 uid s; 5 apiVersion s; 6 controller b; 7 blockOwnerDeletion b
PersistentVolumeClaim: 1 metadata ObjectMeta; 2 spec PersistentVolumeClaimSpec; 3 status PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: 1 type s; 2 status s; 3 lastProbeTime T; 4 lastTransitionTime T; 5 reason s; 6 message s
PersistentVolumeClaimSpec: 1 accessModes s[]; 2 resources VolumeResourceRequirements; 3 volumeName s; 4 selector LabelSelector; 5 storageClassName s; 6 volumeMode s; 7 dataSource TypedLocalObjectReference; 8 dataSourceRef TypedObjectReference; 9 volumeAttributesClassName s
PersistentVolumeClaimStatus: 1 phase s; 2 accessModes s[]; 3 capacity Q{}; 4 conditions PersistentVolumeClaimCondition[]; 5 allocatedResources Q{}; 7 allocatedResourceStatuses s{}; 8 currentVolumeAttributesClassName s; 9 modifyVolumeStatus ModifyVolumeStatus
PersistentVolumeClaimTemplate: 1 metadata ObjectMeta; 2 spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: 1 claimName s; 2 readOnly b
PhotonPersistentDiskVolumeSource: 1 pdID s; 2 fsType s
Pod: 1 metadata ObjectMeta; 2 spec PodSpec; 3 status PodStatus
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]; 2 preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[]
PodAffinityTerm: 1 labelSelector LabelSelector; 2 namespaces s[]; 3 topologyKey s; 4 namespaceSelector LabelSelector; 5 matchLabelKeys s[]; 6 mismatchLabelKeys s[]
PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution PodAffinityTerm[]; 2 preferredDuringSchedulingIgnoredDuringExecution WeightedPodAffinityTerm[]
PodCertificateProjection: 1 signerName s; 2 keyType s; 3 maxExpirationSeconds i; 4 credentialBundlePath s; 5 keyPath s; 6 certificateChainPath s; 7 userAnnotations s{}
PodCondition: 1 type s; 2 status s; 3 lastProbeTime T; 4 lastTransitionTime T; 5 reason s; 6 message s; 7 observedGeneration i
PodDNSConfig: 1 nameservers s[]; 2 searches s[]; 3 options PodDNSConfigOption[]
PodDNSConfigOption: 1 name s; 2 value s
PodDisruptionBudget: 1 metadata ObjectMeta; 2 spec PodDisruptionBudgetSpec; 3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable I; 2 selector LabelSelector; 3 maxUnavailable I; 4 unhealthyPodEvictionPolicy s
PodDisruptionBudgetStatus: 1 observedGeneration i; 2 disruptedPods T{}; 3 disruptionsAllowed i; 4 currentHealthy i; 5 desiredHealthy i; 6 expectedPods i; 7 conditions Condition[]
PodExtendedResourceClaimStatus: 1 requestMappings ContainerExtendedResourceRequest[]; 2 resourceClaimName s
PodFailurePolicy: 1 rules PodFailurePolicyRule[]
PodFailurePolicyOnExitCodesRequirement: 1 containerName s; 2 operator s; 3 values i[]
PodFailurePolicyOnPodConditionsPattern: 1 type s; 2 status s
PodFailurePolicyRule: 1 action s; 2 onExitCodes PodFailurePolicyOnExitCodesRequirement; 3 onPodConditions PodFailurePolicyOnPodConditionsPattern[]
PodIP: 1 ip s
PodOS: 1 name s
PodReadinessGate: 1 conditionType s
PodResourceClaim: 1 name s; 3 resourceClaimName s; 4 resourceClaimTemplateName s
PodResourceClaimStatus: 1 name s; 2 resourceClaimName s
PodSchedulingGate: 1 name s
PodSchedulingGroup: 1 podGroupName s
PodSecurityContext: 1 seLinuxOptions SELinuxOptions; 2 runAsUser i; 3 runAsNonRoot b; 4 supplementalGroups i[]; 5 fsGroup i; 6 runAsGroup i; 7 sysctls Sysctl[]; 8 windowsOptions WindowsSecurityContextOptions; 9 fsGroupChangePolicy s; 10 seccompProfile SeccompProfile; 11 appArmorProfile AppArmorProfile; 12 supplementalGroupsPolicy s; 13 seLinuxChangePolicy s
PodSpec: 1 volumes Volume[]; 2 containers Container[]; 3 restartPolicy s; 4 terminationGracePeriodSeconds i; 5 activeDeadlineSeconds i; 6 dnsPolicy s; 7 nodeSelector s{}; 8 serviceAccountName s; 9 serviceAccount s; 10 nodeName s; 11 hostNetwork b; 12 hostPID b; 13 hostIPC b; 14 securityContext PodSecurityContext; 15 imagePullSecrets LocalObjectReference[]; 16 hostname s; 17 subdomain s; 18 affinity Affinity; 19 schedulerName s; 20 initContainers Container[]; 21 automountServiceAccountToken b; 22 tolerations Toleration[]; 23 hostAliases HostAlias[]; 24 priorityClassName s; 25 priority i; 26 dnsConfig PodDNSConfig; 27 shareProcessNamespace b; 28 readinessGates PodReadinessGate[]; 29 runtimeClassName s; 30 enableServiceLinks b; 31 preemptionPolicy s; 32 overhead Q{}; 33 topologySpreadConstraints TopologySpreadConstraint[]; 34 ephemeralContainers EphemeralContainer[]; 35 setHostnameAsFQDN b; 36 os PodOS; 37 hostUsers b; 38 schedulingGates PodSchedulingGate[]; 39 resourceClaims PodResourceClaim[]; 40 resources ResourceRequirements; 41 hostnameOverride s; 43 schedulingGroup PodSchedulingGroup
PodStatus: 1 phase s; 2 conditions PodCondition[]; 3 message s; 4 reason s; 5 hostIP s; 6 podIP s; 7 startTime T; 8 containerStatuses ContainerStatus[]; 9 qosClass s; 10 initContainerStatuses ContainerStatus[]; 11 nominatedNodeName s; 12 podIPs PodIP[]; 13 ephemeralContainerStatuses ContainerStatus[]; 14 resize s; 15 resourceClaimStatuses PodResourceClaimStatus[]; 16 hostIPs HostIP[]; 17 observedGeneration i; 18 extendedResourceClaimStatus PodExtendedResourceClaimStatus; 19 allocatedResources Q{}; 20 resources ResourceRequirements; 21 nodeAllocatableResourceClaimStatuses NodeAllocatableResourceClaimStatus[]
PodTemplateSpec: 1 metadata ObjectMeta; 2 spec PodSpec
PortStatus: 1 port i; 2 protocol s; 3 error s
PortworxVolumeSource: 1 volumeID s; 2 fsType s; 3 readOnly b
Preconditions: 1 uid s; 2 resourceVersion s
PreferredSchedulingTerm: 1 weight i; 2 preference NodeSelectorTerm
Probe: 1 handler ProbeHandler; 2 initialDelaySeconds i; 3 timeoutSeconds i; 4 periodSeconds i; 5 successThreshold i; 6 failureThreshold i; 7 terminationGracePeriodSeconds i
ProbeHandler: 1 exec ExecAction; 2 httpGet HTTPGetAction; 3 tcpSocket TCPSocketAction; 4 grpc GRPCAction
ProjectedVolumeSource: 1 sources VolumeProjection[]; 2 defaultMode i
QuobyteVolumeSource: 1 registry s; 2 volume s; 3 readOnly b; 4 user s; 5 group s; 6 tenant s
RBDVolumeSource: 1 monitors s[]; 2 image s; 3 fsType s; 4 pool s; 5 user s; 6 keyring s; 7 secretRef LocalObjectReference; 8 readOnly b
ReplicaSet: 1 metadata ObjectMeta; 2 spec ReplicaSetSpec; 3 status ReplicaSetStatus
ReplicaSetCondition: 1 type s; 2 status s; 3 lastTransitionTime T; 4 reason s; 5 message s
ReplicaSetSpec: 1 replicas i; 2 selector LabelSelector; 3 template PodTemplateSpec; 4 minReadySeconds i
ReplicaSetStatus: 1 replicas i; 2 fullyLabeledReplicas i; 3 observedGeneration i; 4 readyReplicas i; 5 availableReplicas i; 6 conditions ReplicaSetCondition[]; 7 terminatingReplicas i
ResourceAttributes: 1 namespace s; 2 verb s; 3 group s; 4 version s; 5 resource s; 6 subresource s; 7 name s; 8 fieldSelector FieldSelectorAttributes; 9 labelSelector LabelSelectorAttributes
ResourceClaim: 1 name s; 2 request s
ResourceFieldSelector: 1 containerName s; 2 resource s; 3 divisor Q
ResourceHealth: 1 resourceID s; 2 health s; 6 message s
ResourceRequirements: 1 limits Q{}; 2 requests Q{}; 3 claims ResourceClaim[]
ResourceStatus: 1 name s; 2 resources ResourceHealth[]
RollingUpdateDaemonSet: 1 maxUnavailable I; 2 maxSurge I
RollingUpdateDeployment: 1 maxUnavailable I; 2 maxSurge I
RollingUpdateStatefulSetStrategy: 1 partition i; 2 maxUnavailable I
SELinuxOptions: 1 user s; 2 role s; 3 type s; 4 level s
Scale: 1 metadata ObjectMeta; 2 spec ScaleSpec; 3 status ScaleStatus
ScaleIOVolumeSource: 1 gateway s; 2 system s; 3 secretRef LocalObjectReference; 4 sslEnabled b; 5 protectionDomain s; 6 storagePool s; 7 storageMode s; 8 volumeName s; 9 fsType s; 10 readOnly b
ScaleSpec: 1 replicas i
ScaleStatus: 1 replicas i; 2 selector s
SeccompProfile: 1 type s; 2 localhostProfile s
SecretEnvSource: 1 localObjectReference LocalObjectReference; 2 optional b
SecretKeySelector: 1 localObjectReference LocalObjectReference; 2 key s; 3 optional b
SecretProjection: 1 localObjectReference LocalObjectReference; 2 items KeyToPath[]; 4 optional b
SecretVolumeSource: 1 secretName s; 2 items KeyToPath[]; 3 defaultMode i; 4 optional b
SecurityContext: 1 capabilities Capabilities; 2 privileged b; 3 seLinuxOptions SELinuxOptions; 4 runAsUser i; 5 runAsNonRoot b; 6 readOnlyRootFilesystem b; 7 allowPrivilegeEscalation b; 8 runAsGroup i; 9 procMount s; 10 windowsOptions WindowsSecurityContextOptions; 11 seccompProfile SeccompProfile; 12 appArmorProfile AppArmorProfile
SelfSubjectAccessReview: 1 metadata ObjectMeta; 2 spec SelfSubjectAccessReviewSpec; 3 status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: 1 resourceAttributes ResourceAttributes; 2 nonResourceAttributes NonResourceAttributes
Service: 1 metadata ObjectMeta; 2 spec ServiceSpec; 3 status ServiceStatus
ServiceAccountTokenProjection: 1 audience s; 2 expirationSeconds i; 3 path s
ServicePort: 1 name s; 2 protocol s; 3 port i; 4 targetPort I; 5 nodePort i; 6 appProtocol s
ServiceSpec: 1 ports ServicePort[]; 2 selector s{}; 3 clusterIP s; 4 type s; 5 externalIPs s[]; 7 sessionAffinity s; 8 loadBalancerIP s; 9 loadBalancerSourceRanges s[]; 10 externalName s; 11 externalTrafficPolicy s; 12 healthCheckNodePort i; 13 publishNotReadyAddresses b; 14 sessionAffinityConfig SessionAffinityConfig; 17 ipFamilyPolicy s; 18 clusterIPs s[]; 19 ipFamilies s[]; 20 allocateLoadBalancerNodePorts b; 21 loadBalancerClass s; 22 internalTrafficPolicy s; 23 trafficDistribution s
ServiceStatus: 1 loadBalancer LoadBalancerStatus; 2 conditions Condition[]
SessionAffinityConfig: 1 clientIP ClientIPConfig
ShardInfo: 1 selector s
SleepAction: 1 seconds i
StatefulSet: 1 metadata ObjectMeta; 2 spec StatefulSetSpec; 3 status StatefulSetStatus
StatefulSetCondition: 1 type s; 2 status s; 3 lastTransitionTime T; 4 reason s; 5 message s
StatefulSetOrdinals: 1 start i
StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted s; 2 whenScaled s
StatefulSetSpec: 1 replicas i; 2 selector LabelSelector; 3 template PodTemplateSpec; 4 volumeClaimTemplates PersistentVolumeClaim[]; 5 serviceName s; 6 podManagementPolicy s; 7 updateStrategy StatefulSetUpdateStrategy; 8 revisionHistoryLimit i; 9 minReadySeconds i; 10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy; 11 ordinals StatefulSetOrdinals
StatefulSetStatus: 1 observedGeneration i; 2 replicas i; 3 readyReplicas i; 4 currentReplicas i; 5 updatedReplicas i; 6 currentRevision s; 7 updateRevision s; 9 collisionCount i; 10 conditions StatefulSetCondition[]; 11 availableReplicas i
StatefulSetUpdateStrategy: 1 type s; 2 rollingUpdate RollingUpdateStatefulSetStrategy
Status: 1 metadata ListMeta; 2 status s; 3 message s; 4 reason s; 5 details StatusDetails; 6 code i
StatusCause: 1 reason s; 2 message s; 3 field s
StatusDetails: 1 name s; 2 group s; 3 kind s; 4 causes StatusCause[]; 5 retryAfterSeconds i; 6 uid s
StorageOSVolumeSource: 1 volumeName s; 2 volumeNamespace s; 3 fsType s; 4 readOnly b; 5 secretRef LocalObjectReference
SubjectAccessReviewStatus: 1 allowed b; 2 reason s; 3 evaluationError s; 4 denied b
SuccessPolicy: 1 rules SuccessPolicyRule[]
SuccessPolicyRule: 1 succeededIndexes s; 2 succeededCount i
Sysctl: 1 name s; 2 value s
TCPSocketAction: 1 port I; 2 host s
Taint: 1 key s; 2 value s; 3 effect s; 4 timeAdded T
Toleration: 1 key s; 2 operator s; 3 value s; 4 effect s; 5 tolerationSeconds i
TopologySpreadConstraint: 1 maxSkew i; 2 topologyKey s; 3 whenUnsatisfiable s; 4 labelSelector LabelSelector; 5 minDomains i; 6 nodeAffinityPolicy s; 7 nodeTaintsPolicy s; 8 matchLabelKeys s[]
TypedLocalObjectReference: 1 apiGroup s; 2 kind s; 3 name s
TypedObjectReference: 1 apiGroup s; 2 kind s; 3 name s; 4 namespace s
UncountedTerminatedPods: 1 succeeded s[]; 2 failed s[]
Volume: 1 name s; 2 volumeSource VolumeSource
VolumeDevice: 1 name s; 2 devicePath s
VolumeMount: 1 name s; 2 readOnly b; 3 mountPath s; 4 subPath s; 5 mountPropagation s; 6 subPathExpr s; 7 recursiveReadOnly s
VolumeMountStatus: 1 name s; 2 mountPath s; 3 readOnly b; 4 recursiveReadOnly s; 5 volumeStatus VolumeStatus
VolumeProjection: 1 secret SecretProjection; 2 downwardAPI DownwardAPIProjection; 3 configMap ConfigMapProjection; 4 serviceAccountToken ServiceAccountTokenProjection; 5 clusterTrustBundle ClusterTrustBundleProjection; 6 podCertificate PodCertificateProjection
VolumeResourceRequirements: 1 limits Q{}; 2 requests Q{}
VolumeSource: 1 hostPath HostPathVolumeSource; 2 emptyDir EmptyDirVolumeSource; 3 gcePersistentDisk GCEPersistentDiskVolumeSource; 4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource; 5 gitRepo GitRepoVolumeSource; 6 secret SecretVolumeSource; 7 nfs NFSVolumeSource; 8 iscsi ISCSIVolumeSource; 9 glusterfs GlusterfsVolumeSource; 10 persistentVolumeClaim PersistentVolumeClaimVolumeSource; 11 rbd RBDVolumeSource; 12 flexVolume FlexVolumeSource; 13 cinder CinderVolumeSource; 14 cephfs CephFSVolumeSource; 15 flocker FlockerVolumeSource; 16 downwardAPI DownwardAPIVolumeSource; 17 fc FCVolumeSource; 18 azureFile AzureFileVolumeSource; 19 configMap ConfigMapVolumeSource; 20 vsphereVolume VsphereVirtualDiskVolumeSource; 21 quobyte QuobyteVolumeSource; 22 azureDisk AzureDiskVolumeSource; 23 photonPersistentDisk PhotonPersistentDiskVolumeSource; 24 portworxVolume PortworxVolumeSource; 25 scaleIO ScaleIOVolumeSource; 26 projected ProjectedVolumeSource; 27 storageos StorageOSVolumeSource; 28 csi CSIVolumeSource; 29 ephemeral EphemeralVolumeSource; 30 image ImageVolumeSource
VolumeStatus: 1 image ImageVolumeStatus
VsphereVirtualDiskVolumeSource: 1 volumePath s; 2 fsType s; 3 storagePolicyName s; 4 storagePolicyID s
WatchEvent: 1 type s; 2 object R
WeightedPodAffinityTerm: 1 weight i; 2 podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions: 1 gmsaCredentialSpecName s; 2 gmsaCredentialSpec s; 3 runAsUserName s; 4 hostProcess b
`;
