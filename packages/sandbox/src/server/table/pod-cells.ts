// What `kubectl get pods` says about a pod: how many containers are ready, one word for its state, its restarts.
import type { KubeObject } from '../../api/cluster-api.ts';
import { arrayAt, numberAt, objectAt, textAt, valueAt } from '../../api/json-object.ts';
import { age } from './human-duration.ts';

export function podReady(pod: KubeObject): string {
  const sidecars = arrayAt(pod, 'spec', 'initContainers').filter(isSidecar).length;
  const total = arrayAt(pod, 'spec', 'containers').length + sidecars;
  const ready = [...statuses(pod), ...sidecarStatuses(pod)].filter(
    (status) => valueAt(status, 'ready') === true && objectAt(status, 'state', 'running') !== undefined,
  );
  return `${ready.length}/${total}`;
}

export function podStatus(pod: KubeObject): string {
  let word = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  const gated = arrayAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'reason') === 'SchedulingGated',
  );
  if (gated) word = 'SchedulingGated';
  const initializing = initWord(pod);
  if (initializing !== undefined) word = initializing;
  else word = containersWord(pod, word);
  if (pod.metadata.deletionTimestamp === undefined) return word;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ? word : 'Terminating';
}

/** `2`, or `2 (5m ago)` where it is known when the last container ended. */
export function podRestarts(pod: KubeObject, now: number): string {
  const all = [...statuses(pod), ...sidecarStatuses(pod)];
  const initializing = initWord(pod) !== undefined;
  const counted = initializing ? arrayAt(pod, 'status', 'initContainerStatuses') : all;
  let restarts = 0;
  let last = '';
  for (const status of counted) {
    restarts += numberAt(status, 'restartCount') ?? 0;
    const ended = textAt(status, 'lastState', 'terminated', 'finishedAt');
    if (ended > last) last = ended;
  }
  return restarts === 0 || last === '' ? String(restarts) : `${restarts} (${age(last, now)} ago)`;
}

function statuses(pod: KubeObject): readonly unknown[] {
  return arrayAt(pod, 'status', 'containerStatuses');
}

function isSidecar(container: unknown): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

function sidecarStatuses(pod: KubeObject): readonly unknown[] {
  const names = new Set(
    arrayAt(pod, 'spec', 'initContainers')
      .filter(isSidecar)
      .map((container) => textAt(container, 'name')),
  );
  return arrayAt(pod, 'status', 'initContainerStatuses').filter((status) => names.has(textAt(status, 'name')));
}

/** While init containers are at work: `Init:1/3`, or what keeps them from it. */
function initWord(pod: KubeObject): string | undefined {
  const specs = arrayAt(pod, 'spec', 'initContainers');
  const found = arrayAt(pod, 'status', 'initContainerStatuses');
  for (const [i, status] of found.entries()) {
    const ended = objectAt(status, 'state', 'terminated');
    if (ended !== undefined && numberAt(ended, 'exitCode') === 0) continue;
    if (isSidecar(specs[i]) && valueAt(status, 'started') === true) continue;
    if (ended !== undefined) return `Init:${endWord(ended)}`;
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
    return `Init:${i}/${specs.length}`;
  }
  return undefined;
}

function containersWord(pod: KubeObject, phase: string): string {
  let word = phase;
  let running = false;
  for (const status of [...statuses(pod)].reverse()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const ended = objectAt(status, 'state', 'terminated');
    if (waiting !== '') word = waiting;
    else if (ended !== undefined) word = endWord(ended);
    else if (valueAt(status, 'ready') === true && objectAt(status, 'state', 'running') !== undefined) running = true;
  }
  if (word === 'Completed' && running) {
    const ready = arrayAt(pod, 'status', 'conditions').some(
      (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
    );
    return ready ? 'Running' : 'NotReady';
  }
  return word;
}

function endWord(ended: Readonly<Record<string, unknown>>): string {
  const reason = textAt(ended, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(ended, 'signal') ?? 0;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(ended, 'exitCode') ?? 0}`;
}
