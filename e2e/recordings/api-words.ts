// What the API said of one pod, as a list of short words that can be compared: the kind of event, deletion and grace, the
// phase, whether the address is shown, the conditions, and the state of each container. Never a time, a name or a UID.

/** One event of a watch. */
export interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

const SHORT: Readonly<Record<string, string>> = {
  PodScheduled: 'scheduled',
  PodReadyToStartContainers: 'network',
  Initialized: 'initialized',
  ContainersReady: 'containers',
  Ready: 'ready',
};
const SIGNS: Readonly<Record<string, string>> = { True: '+', False: '-', Unknown: '?' };

/**
 * Words of one pod in their order. A word that says the same as the one before is left out: a kubelet writes some states
 * again with other times or another generation, now and then, and nothing can be concluded from how often.
 */
export function apiWords(events: readonly PodEvent[]): string[] {
  const addresses: string[] = [];
  const words: string[] = [];
  for (const { type, object } of events) {
    const word = `${type} ${wordOf(object as Pod, addresses)}`;
    if (word !== words.at(-1)) words.push(word);
  }
  return words;
}

function wordOf({ metadata, spec, status = {} }: Pod, addresses: string[]): string {
  const { phase, reason, podIP = '', startTime, conditions = [] } = status;
  const parts = [
    metadata.deletionTimestamp === undefined ? '' : `deleting(${metadata.deletionGracePeriodSeconds})`,
    spec.nodeName === undefined ? 'unbound' : 'bound',
    reason === undefined ? phase : `${phase}/${reason}`,
    startTime === undefined ? '' : 'begun',
    addressWord(podIP, addresses),
    conditions.map(conditionWord).sort().join(' '),
    containersWord(status),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Addresses are numbered in the order in which the pod showed them. */
function addressWord(ip: string, addresses: string[]): string {
  if (ip === '') return 'no-address';
  if (!addresses.includes(ip)) addresses.push(ip);
  return `address-${addresses.indexOf(ip) + 1}`;
}

function conditionWord({ type, status, reason }: Condition): string {
  const name = SHORT[type] ?? (reason === undefined ? type : `${type}=${reason}`);
  return `${SIGNS[status] ?? status}${name}`;
}

function containersWord({ initContainerStatuses = [], containerStatuses = [] }: Status): string {
  const words = [
    ...initContainerStatuses.map((one) => `init:${containerWord(one)}`),
    ...containerStatuses.map(containerWord),
  ];
  return words.length === 0 ? '' : `[${words.join(', ')}]`;
}

function containerWord({ state = {}, ready, restartCount }: ContainerStatus): string {
  const restarts = restartCount > 0 ? `#${restartCount}` : '';
  if (state.running !== undefined) return `running${ready ? '!' : ''}${restarts}`;
  if (state.terminated !== undefined) return `${state.terminated.reason}(${state.terminated.exitCode})${restarts}`;
  return `${state.waiting?.reason ?? 'waiting'}${restarts}`;
}

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string; readonly deletionGracePeriodSeconds?: number };
  readonly spec: { readonly nodeName?: string };
  readonly status?: Status;
}

interface Status {
  readonly phase?: string;
  readonly reason?: string;
  readonly podIP?: string;
  readonly startTime?: string;
  readonly conditions?: readonly Condition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

interface ContainerStatus {
  readonly ready?: boolean;
  readonly restartCount: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode: number };
  };
}
