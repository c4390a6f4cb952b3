// Whether a text is the whole name of a pod, or a UID: more of it cannot be written. Pure.

/** As a ReplicaSet, DaemonSet or Job ends the names of its pods, or a StatefulSet; or the end of a UID. */
const WHOLE = /-(?:[a-z0-9]{5}|\d+|[0-9a-f]{12})$/i;

export function isWholeName(text: string): boolean {
  return WHOLE.test(text.trim());
}
