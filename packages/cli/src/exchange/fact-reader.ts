// From a line of an export back to a fact. A file may come from anywhere: every field is looked at, and what is not as
// the ledger writes it is refused with the place where it is wrong.
import {
  type Boundary,
  type Change,
  type Coverage,
  type EpochMillis,
  EVIDENCE_KINDS,
  type Evidence,
  epochMillis,
  type Fact,
  type Holder,
  type IpAddress,
  type Placement,
  type PodLife,
  type PossibleTenure,
  parseIp,
  type Tenure,
} from '@podtrail/history';

type Json = Readonly<Record<string, unknown>>;
type Of<K extends Fact['kind']> = Extract<Fact, { kind: K }>;
type LiveHolder = NonNullable<Of<'live'>['live']>;
type Going = NonNullable<NonNullable<LiveHolder['more']>['going']>;
type Machine = NonNullable<NonNullable<LiveHolder['more']>['machine']>;

export class FactProblem extends Error {}

/** Throws FactProblem. */
export function readFact(value: unknown): Fact {
  const fact = object(value, 'the line');
  const kind = text(fact, 'kind');
  switch (kind) {
    case 'tenure':
      return { kind, tenure: tenure(object(fact['tenure'], 'tenure')) };
    case 'placement':
      return { kind, placement: placement(object(fact['placement'], 'placement')) };
    case 'change':
      return { kind, change: change(object(fact['change'], 'change')) };
    case 'coverage':
      return { kind, coverage: coverage(object(fact['coverage'], 'coverage')) };
    case 'conflict': {
      const it = object(fact['conflict'], 'conflict');
      const [first, second] = array(it, 'holders').map((h) => holder(object(h, 'holders')));
      if (first === undefined || second === undefined) throw new FactProblem('a conflict has two holders');
      return { kind, conflict: { ...provenance(it), ip: ip(it), holders: [first, second] } };
    }
    case 'anomaly': {
      const it = object(fact['anomaly'], 'anomaly');
      const what = oneOf(it, 'what', ['node-changed', 'clock-skew', 'unparsable-address'] as const);
      return { kind, anomaly: { ...provenance(it), what, uid: text(it, 'uid'), detail: text(it, 'detail') } };
    }
    case 'life':
      return { kind, life: podLife(object(fact['life'], 'life')) };
    case 'departure': {
      const it = object(fact['departure'], 'departure');
      const pod = holder(object(it['pod'], 'pod'));
      return { kind, departure: { ...provenance(it), pod, ...maybe('owner', it, reference), at: time(it, 'at') } };
    }
    case 'evidence':
      return { kind, evidence: evidence(object(fact['evidence'], 'evidence')) };
    case 'possible': {
      const possible = fact['possible'];
      const key = text(fact, 'key');
      return { kind, key, possible: possible === undefined ? undefined : possibleTenure(object(possible, 'possible')) };
    }
    case 'live': {
      const live = fact['live'];
      return { kind, uid: text(fact, 'uid'), live: live === undefined ? undefined : liveHolder(object(live, 'live')) };
    }
    default:
      throw new FactProblem(`there are no facts of kind "${kind}"`);
  }
}

function tenure(it: Json): Tenure {
  return { ip: ip(it), holder: holder(object(it['holder'], 'holder')), ...boundaries(it) };
}

function placement(it: Json): Placement {
  return { pod: holder(object(it['pod'], 'pod')), ...boundaries(it) };
}

function possibleTenure(it: Json): PossibleTenure {
  const within = array(it, 'within').map(String);
  return { pod: holder(object(it['pod'], 'pod')), within, ...boundaries(it) };
}

function change(it: Json): Change {
  const values = { before: changeValue(it['before']), after: changeValue(it['after']) };
  const read = { ...provenance(it), pod: holder(object(it['pod'], 'pod')), key: text(it, 'key'), ...values };
  return it['suppressed'] === undefined
    ? read
    : { ...read, suppressed: suppressed(object(it['suppressed'], 'suppressed')) };
}

function podLife(it: Json): PodLife {
  return {
    ...provenance(it),
    pod: holder(object(it['pod'], 'pod')),
    ...maybe('owner', it, reference),
    ...(it['revision'] === undefined ? {} : { revision: text(it, 'revision') }),
    ...(it['restartedAt'] === undefined ? {} : { restartedAt: text(it, 'restartedAt') }),
    ...maybe('labels', it, labels),
    ...(it['labelsCut'] === undefined ? {} : { labelsCut: flag(it, 'labelsCut') }),
    isMirror: flag(it, 'isMirror'),
    qosClass: text(it, 'qosClass'),
    priority: whole(it, 'priority'),
    created: time(it, 'created'),
    ...maybeTimes(it, 'scheduled', 'networkUp', 'ready', 'notReady', 'gone'),
    ...maybe('unschedulable', it, reason),
    ...maybe('disruption', it, reason),
    ...maybe('terminal', it, (terminal) => ({ ...reason(terminal), phase: text(terminal, 'phase') })),
    ...maybe('deletion', it, (deletion) => ({
      requested: time(deletion, 'requested'),
      graceSeconds: whole(deletion, 'graceSeconds'),
    })),
    restarts: count(it, 'restarts'),
    endings: array(it, 'endings').map((one) => ending(object(one, 'endings'))),
  };
}

function labels(it: Json): NonNullable<PodLife['labels']> {
  return Object.fromEntries(Object.keys(it).map((key) => [key, text(it, key)]));
}

function ending(it: Json): PodLife['endings'][number] {
  return {
    ...{ container: text(it, 'container'), reason: text(it, 'reason'), at: time(it, 'at') },
    ...{ exitCode: whole(it, 'exitCode'), signal: whole(it, 'signal') },
  };
}

function evidence(it: Json): Evidence {
  return {
    ...provenance(it),
    id: text(it, 'id'),
    about: reference(object(it['about'], 'about')),
    what: oneOf(it, 'what', EVIDENCE_KINDS),
    at: time(it, 'at'),
    ...{ reason: text(it, 'reason'), message: text(it, 'message'), by: text(it, 'by') },
    ...maybe('related', it, reference),
    count: count(it, 'count'),
    ...(it['unconfirmed'] === true ? { unconfirmed: true as const } : {}),
  };
}

function reason(it: Json): NonNullable<PodLife['disruption']> {
  return { reason: text(it, 'reason'), message: text(it, 'message'), at: time(it, 'at') };
}

function reference(it: Json): Evidence['about'] {
  return {
    ...{ kind: text(it, 'kind'), namespace: text(it, 'namespace') },
    ...{ name: text(it, 'name'), uid: text(it, 'uid') },
  };
}

/** A member that may be absent. */
function maybe<K extends string, T>(name: K, it: Json, read: (value: Json) => T): { readonly [P in K]?: T } {
  return it[name] === undefined ? {} : ({ [name]: read(object(it[name], name)) } as { readonly [P in K]: T });
}

function maybeTimes<K extends string>(it: Json, ...names: readonly K[]): { readonly [P in K]?: EpochMillis } {
  const found = names.filter((name) => it[name] !== undefined).map((name) => [name, time(it, name)]);
  return Object.fromEntries(found) as { readonly [P in K]?: EpochMillis };
}

function suppressed(it: Json): NonNullable<Change['suppressed']> {
  const budget = oneOf(it, 'budget', ['pod', 'namespace'] as const);
  return { budget, changes: count(it, 'changes'), last: time(it, 'last') };
}

function coverage(it: Json): Coverage {
  const scope = object(it['scope'], 'scope');
  const read = {
    scope:
      oneOf(scope, 'kind', ['cluster', 'pods', 'namespaces'] as const) === 'namespaces'
        ? { kind: 'namespaces' as const, namespaces: array(scope, 'namespaces').map(String) }
        : { kind: scope['kind'] as 'cluster' | 'pods' },
    epoch: count(it, 'epoch'),
    collector: text(it, 'collector'),
    from: time(it, 'from'),
    to: time(it, 'to'),
    confirmed: time(it, 'confirmed'),
    ended: it['ended'] === true,
    opened: oneOf(it, 'opened', ['start', 'expired', 'rewound', 'undecodable', 'clock'] as const),
    ...(it['withdrawn'] === undefined ? {} : { withdrawn: time(it, 'withdrawn') }),
  };
  if (!(read.from <= read.confirmed && read.confirmed <= read.to))
    throw new FactProblem('coverage ends before it begins');
  return read;
}

function liveHolder(it: Json): LiveHolder {
  const live = {
    holder: holder(object(it['holder'], 'holder')),
    epoch: count(it, 'epoch'),
    resourceVersion: version(it),
    seenAt: time(it, 'seenAt'),
    terminal: flag(it, 'terminal'),
    tenures: array(it, 'tenures').map((t) => tenure(object(t, 'tenures'))),
    placement: it['placement'] === undefined ? undefined : placement(object(it['placement'], 'placement')),
    blankSince: maybeTime(it, 'blankSince'),
    networkReadyAt: maybeTime(it, 'networkReadyAt'),
    networkLostAt: maybeTime(it, 'networkLostAt'),
    annotations: array(it, 'annotations').map((pair) => {
      const [key, value] = Array.isArray(pair) ? pair : [];
      const read = changeValue(value);
      if (typeof key !== 'string' || read === undefined) throw new FactProblem('an annotation is a key and a value');
      return [key, read] as const;
    }),
  };
  return it['more'] === undefined ? live : { ...live, more: liveMore(object(it['more'], 'more')) };
}

function liveMore(it: Json): NonNullable<LiveHolder['more']> {
  const { going, possible, machine } = it;
  return {
    ...(it['mirror'] === undefined ? {} : { mirror: text(it, 'mirror') }),
    ...(it['graceUntil'] === undefined ? {} : { graceUntil: time(it, 'graceUntil') }),
    ...(it['rebooted'] === true ? { rebooted: true as const } : {}),
    ...(going === undefined ? {} : { going: goingOf(object(going, 'going')) }),
    ...(possible === undefined ? {} : { possible: possibleTenure(object(possible, 'possible')) }),
    ...(machine === undefined ? {} : { machine: machineOf(object(machine, 'machine')) }),
  };
}

function goingOf(it: Json): Going {
  const why = oneOf(it, 'why', ['deleted', 'ended-by-another'] as const);
  return { why, since: time(it, 'since'), resourceVersion: version(it), notBefore: time(it, 'notBefore') };
}

function machineOf(it: Json): Machine {
  return {
    ready: flag(it, 'ready'),
    since: time(it, 'since'),
    bootId: text(it, 'bootId'),
    kubeletVersion: text(it, 'kubeletVersion'),
    podCidrs: array(it, 'podCidrs').map(String),
  };
}

function holder(it: Json): Holder {
  const workload = it['workload'] === undefined ? undefined : object(it['workload'], 'workload');
  return {
    kind: oneOf(it, 'kind', ['Pod', 'Node', 'Service'] as const),
    namespace: text(it, 'namespace'),
    name: text(it, 'name'),
    uid: text(it, 'uid'),
    node: text(it, 'node'),
    workload:
      workload === undefined
        ? undefined
        : { kind: text(workload, 'kind'), name: text(workload, 'name'), inferred: flag(workload, 'inferred') },
    hostNetwork: flag(it, 'hostNetwork'),
  };
}

function boundaries(it: Json): { start: Boundary; end: Boundary | undefined } {
  const start = boundary(object(it['start'], 'start'));
  const end = it['end'] === undefined ? undefined : boundary(object(it['end'], 'end'));
  if (end !== undefined && end.at < start.at) throw new FactProblem('something ends before it begins');
  return { start, end };
}

function boundary(it: Json): Boundary {
  const bounds = { at: time(it, 'at'), notBefore: time(it, 'notBefore'), notAfter: time(it, 'notAfter') };
  if (!(bounds.notBefore <= bounds.at && bounds.at <= bounds.notAfter)) throw new FactProblem('bounds do not nest');
  return { ...provenance(it), ...bounds };
}

function provenance(it: Json) {
  return {
    source: oneOf(it, 'source', ['watch', 'list', 'audit', 'import', 'inferred'] as const),
    epoch: count(it, 'epoch'),
    resourceVersion: version(it),
    observedAt: time(it, 'observedAt'),
    collector: text(it, 'collector'),
  };
}

function changeValue(value: unknown) {
  if (value === undefined) return undefined;
  const it = object(value, 'value');
  const sha256 = it['sha256'];
  return { text: text(it, 'text'), sha256: sha256 === undefined ? undefined : text(it, 'sha256') };
}

function ip(it: Json): IpAddress {
  const parsed = parseIp(text(it, 'ip'));
  if (parsed === undefined) throw new FactProblem('ip is not an address');
  return parsed;
}

function version(it: Json): string {
  const value = text(it, 'resourceVersion');
  if (!/^\d{1,40}$/.test(value)) throw new FactProblem('resourceVersion is not a decimal');
  return value;
}

function object(value: unknown, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FactProblem(`${name} is not an object`);
  return value as Json;
}

function array(it: Json, name: string): readonly unknown[] {
  const value = it[name];
  if (!Array.isArray(value)) throw new FactProblem(`${name} is not a list`);
  return value;
}

function text(it: Json, name: string): string {
  const value = it[name];
  if (typeof value !== 'string') throw new FactProblem(`${name} is not a text`);
  return value;
}

function flag(it: Json, name: string): boolean {
  const value = it[name];
  if (typeof value !== 'boolean') throw new FactProblem(`${name} is neither true nor false`);
  return value;
}

function count(it: Json, name: string): number {
  const value = whole(it, name);
  if (value < 0) throw new FactProblem(`${name} is not a whole number`);
  return value;
}

/** May be negative: priorities and exit codes are. */
function whole(it: Json, name: string): number {
  const value = it[name];
  if (!Number.isSafeInteger(value)) throw new FactProblem(`${name} is not a whole number`);
  return value as number;
}

/** Instants before 1970 do not occur, those after 9999 are no instants. */
function time(it: Json, name: string): EpochMillis {
  const value = count(it, name);
  if (value > 253_402_300_799_999) throw new FactProblem(`${name} is not an instant`);
  return epochMillis(value);
}

function maybeTime(it: Json, name: string): EpochMillis | undefined {
  return it[name] === undefined ? undefined : time(it, name);
}

function oneOf<T extends string>(it: Json, name: string, known: readonly T[]): T {
  const value = text(it, name);
  const found = known.find((k) => k === value);
  if (found === undefined) throw new FactProblem(`${name} is none of ${known.join(', ')}`);
  return found;
}
