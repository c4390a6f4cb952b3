// How long real kubelets take. Each figure says where it comes from: measured on two nodes (kubelet 1.36.3, containerd 2,
// host-local IPAM) over about 4,500 lives of pods, or read in the kubelet's source. A limit is what was measured, and room.

/**
 * Forced deletion to the end of the network, while the kubelet lives: p50 0.3 s, p90 2.3 s, at most 3.7 s on idle nodes.
 * On nodes that are slow to start pods (KubeletPace) longer, by at most as much as those starts take: of 230 such ends in
 * five runs on a machine with up to ten times the load that it can bear, none took more than the sum of these two.
 */
export const RELEASE_MS = 3500;
export const RELEASE_BY_SLOWNESS = 1;

/**
 * What a kubelet that was down, or was restarted while it killed a pod, does not know of any more is found by its
 * collection of garbage, which runs every minute: 42 s to 159 s after it was back.
 */
export const ORPHAN_MS = 200_000;

/** A kubelet that starts posts its node's status: 2 s to 15 s after the one before was stopped. */
export const START_SHOWS_MS = 15_000;

/** The same where nodes are not watched: the figure of idle ones, for nothing says how a node is. */
export const UNWATCHED_RELEASE_MS = 4000;

/** After this much silence a kubelet may have been away. */
export const SILENCE_MS = 10_000;

/** A node whose Lease is not renewed for 50 s (40 s before 1.32) is marked not ready. */
export const READY_PROVES_MS = 60_000;

/**
 * An image pull that is under way is not ended by a deletion; a pod that pulls has not shown its address. Measured: the
 * network stood 1.1 s to 16.4 s more, for pulls of about 8 s; images of real clusters are larger. One that has taken longer
 * may take as long again.
 */
export const PULL_MS = 60_000;

/** The deletion of a mirror pod came up to 10.8 s after its sandbox was gone: a kubelet looks at its files every 20 s. */
export const MIRROR_LATE_MS = 30_000;

/** A mirror pod that somebody deletes is made again when its kubelet next looks at it: every minute. */
export const MIRROR_RETURN_MS = 60_000;

/**
 * A machine whose Node object was deleted is taken down, or its kubelet ends its pods (12 s measured). Nothing reports
 * which; an address that nobody else gets is held in doubt for so long.
 */
export const GONE_NODE_MS = 900_000;

/**
 * The network condition of 1.36 was written up to 1.65 s after the address was reserved (p50 0.3 s, p99 1.1 s) on idle
 * nodes; on slow ones (KubeletPace) up to three times as late as their starts take; never before its kubelet began with
 * the pod.
 */
export const CONDITION_LATE_MS = 3000;
export const CONDITION_LATE_BY_SLOWNESS = 3;

/** A kubelet said that it had begun with a pod 0 s (p50), 0.2 s (p90) and at most 1.1 s after it was bound. */
export const BEGUN_MS = 2000;

/**
 * A sandbox that was being made when the container runtime was restarted is made again, 3 s to 10 s after its kubelet began
 * with the pod; the address of the first one is never shown. Other starts took at most 1.7 s on idle nodes.
 */
export const FAILED_START_MS = 4000;

/** A loss was written -0.3 s to +1.1 s from when the network was gone, by a kubelet that was there (481 of 481). */
export const LOSS_EARLY_MS = 500;

/**
 * The address was returned -0.9 s to +1.5 s from the time of the condition that came with the kubelet's end of the pod
 * (on idle nodes -0.2 s; that time is cut to whole seconds), and never after the word itself.
 */
export const RELEASED_BEFORE_MS = 900;
export const RELEASED_AFTER_MS = 1600;

/** The condition that says so was written within this of the end of the last container, where the runtime could be asked. */
export const NOTICED_AT_ONCE_MS = 2000;

/** A pod that ends with grace is written to be over at once when its network is gone: 0.01 s, and 0.6 s under load. */
export const END_LATE_MS = 2000;
