// Mirror pods stand in the API for pods that a kubelet reads from files. They are deleted and made again under another UID
// while the sandbox runs on: who they are is their node and the hash of their manifest.
import type { ObservedPod } from './observation.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const HASH = 'kubernetes.io/config.hash';

/** Undefined for every other pod. */
export function mirrorOf({ metadata: { annotations }, spec: { nodeName } }: ObservedPod): string | undefined {
  const mirror = annotations.get(MIRROR);
  if (mirror === undefined || nodeName === '') return undefined;
  return `${nodeName}/${annotations.get(HASH) ?? mirror}`;
}
