// Which taints a pod can live with, and for how long. Pure.
import type { Taint } from './node-object.ts';
import type { Toleration } from './pod-object.ts';

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  const anyKey = toleration.key === undefined || toleration.key === '';
  if (anyKey) return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}

export function toleratesAll(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** How many seconds a pod stays under these NoExecute taints: 0 when one is not tolerated, infinite when none ends it. */
export function staysFor(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  let seconds = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const fitting = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (fitting.length === 0) return 0;
    for (const { tolerationSeconds } of fitting) {
      if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds));
    }
  }
  return seconds;
}
