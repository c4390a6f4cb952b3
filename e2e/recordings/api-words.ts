// What the API said of one pod, as a list of short words that can be compared: the kind of event, deletion and grace, the
// phase, whether the address is shown, the conditions, and the state of each container. Never a time, a name or a UID.

/** One event of a watch. `at`: when it arrived. */
export interface PodEvent {
  readonly at: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** What the IPAM did for the pod. */
export interface AddressEvent {
  readonly at: number;
  readonly what: 'reserved' | 'released';
  readonly ip: string;
}

const SHORT: Readonly<Record<string, string>> = {
  PodScheduled: 'scheduled',
  PodReadyToStartContainers: 'network',
  Initialized: 'initialized',
  ContainersReady: 'containers',
  Ready: 'ready',
};
const SIGNS: Readonly<Record<string, string>> = { True: '+', False: '-', Unknown: '?' };

/** An address of the pod was taken or given back: after at least so many of its words, and at most so many. */
export interface AddressMark {
  readonly what: string;
  readonly least: number;
  readonly most: number;
}

export interface WordSequence {
  readonly words: readonly string[];
  readonly marks: readonly AddressMark[];
}

/**
 * Words of one pod in their order, and between which of them its addresses came and went. A word that says the same as
 * the one before is left out: a kubelet writes some states again with other times or another generation, now and then,
 * and nothing can be concluded from how often. `lateMs`: so late can a word have arrived; never early.
 */
export function wordSequence(
  events: readonly PodEvent[],
  addressEvents: readonly AddressEvent[],
  lateMs: number,
): WordSequence {
  const addresses: string[] = [];
  const words: { readonly at: number; readonly text: string }[] = [];
  const happened: { readonly at: number; readonly what: string }[] = [];
  for (const event of [...events, ...addressEvents].sort((a, b) => a.at - b.at)) {
    const { at } = event;
    if ('what' in event) happened.push({ at, what: `${event.what} ${addressWord(event.ip, addresses)}` });
    else {
      const text = `${event.type} ${wordOf(event.object as Pod, addresses)}`;
      if (text !== words.at(-1)?.text) words.push({ at, text });
    }
  }
  const until = (time: number): number => words.filter(({ at }) => at <= time).length;
  return {
    words: words.map(({ text }) => text),
    marks: happened.map(({ at, what }) => ({ what, least: until(at), most: until(at + lateMs) })),
  };
}

export function apiWords(events: readonly PodEvent[]): readonly string[] {
  return wordSequence(events, [], 0).words;
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

/** Addresses are numbered in the order in which the pod had or showed them. */
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
