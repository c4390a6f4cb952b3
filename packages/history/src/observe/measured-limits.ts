// How long real kubelets take. Each figure says where it comes from: measured on two nodes (kubelet 1.36.3, containerd 2,
// host-local IPAM) over about 4,500 lives of pods, or read in the kubelet's source. A limit is what was measured, and room.

/**
 * Forced deletion to the end of the network, while the kubelet lives: p50 0.3 s, p90 2.3 s, at most 3.7 s on idle nodes;
 * p90 6.6 s on a machine with four times the load that it can bear.
 */
export const RELEASE_MS = 5500;

/**
 * A kubelet that was away, or was restarted while it killed a pod, finds what is left of it with its next collection of
 * garbage: 42 s to 135 s after it was back.
 */
export const ORPHAN_MS = 150_000;

/** The same where nodes are not watched: the figure of idle ones, for nothing says how a node is. */
export const UNWATCHED_RELEASE_MS = 4000;

/**
 * For a pod that never showed its address: whatever of its node's addresses is not held is in doubt with it. A kubelet
 * that is back ends it within this time, but for what its garbage collection has to find.
 */
export const UNSHOWN_RELEASE_MS = 4000;
export const UNSHOWN_RETURN_MS = 10_000;

/** A kubelet writes something every second or two on a busy node. After this much silence it may have been restarted. */
export const UNBROKEN_MS = 4000;

/** And after this much it may have been away. */
export const SILENCE_MS = 10_000;

/** A node whose Lease is not renewed for 50 s (40 s before 1.32) is marked not ready. */
export const READY_PROVES_MS = 60_000;

/**
 * An image pull that is under way is not ended by a deletion; a pod that pulls has not shown its address. Measured: the
 * network stood 1.1 s to 6.2 s more, for pulls of about 8 s. One that has taken longer may take as long again.
 */
export const PULL_MS = 6000;

/** The deletion of a mirror pod came up to 10.8 s after its sandbox was gone: a kubelet looks at its files every 20 s. */
export const MIRROR_LATE_MS = 30_000;

/** A mirror pod that somebody deletes is made again when its kubelet next looks at it: every minute. */
export const MIRROR_RETURN_MS = 60_000;

/**
 * A machine whose Node object was deleted is taken down, or its kubelet ends its pods (12 s measured). Nobody tells
 * which; an address that nobody else gets is held in doubt for so long.
 */
export const GONE_NODE_MS = 900_000;

/**
 * The network condition of 1.36 was written up to 1.65 s after the address was reserved (p50 0.3 s, p99 1.1 s), and up to
 * 6.7 s on a machine with four times the load that it can bear; never before its kubelet began with the pod.
 */
export const CONDITION_LATE_MS = 7000;

/** A loss was written -0.3 s to +1.1 s from when the network was gone, by a kubelet that was there (481 of 481). */
export const LOSS_EARLY_MS = 500;

/**
 * The address was returned -0.2 s to +1.5 s from the time of the condition that came with the kubelet's end of the pod
 * (424 of 424; that time is cut to whole seconds), and never after the word itself.
 */
export const RELEASED_BEFORE_MS = 300;
export const RELEASED_AFTER_MS = 1600;

/** A pod that ends with grace is written to be over at once when its network is gone: 0.01 s, and 0.6 s under load. */
export const END_LATE_MS = 2000;
