// Which streams of evidence a cause may rest on: what nobody watched may hold the reason.
import type { Case } from './case.ts';

/** Streams that would have said why this pod was deleted, and were not watched then. */
export function missingStreams({ life, unwatched }: Case): string[] {
  const { owner, pod } = life;
  const telling = new Set(['namespaces']);
  if (owner !== undefined) {
    telling.add('events').add(`${owner.kind.toLowerCase()}s`);
    if (pod.workload !== undefined) telling.add(`${pod.workload.kind.toLowerCase()}s`);
  }
  return unwatched.filter((stream) => telling.has(stream));
}
