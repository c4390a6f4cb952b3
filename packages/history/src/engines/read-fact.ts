// From a line of an export back to a fact. A line may come from anywhere, a file or a peer: every field is looked at, and what is not as
// the ledger writes it is refused with the place where it is wrong.
import type { Boundary } from '../model/boundary.ts';
import type { Fact } from '../model/fact.ts';
import { type IpAddress, parseIp } from '../model/ip-address.ts';
import type { Coverage, Holder, Placement, PossibleTenure, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { LineProblem } from './occurrences/line.ts';
import { parseOccurrence } from './occurrences/registry.ts';

type Json = Readonly<Record<string, unknown>>;
type Of<K extends Fact['kind']> = Extract<Fact, { kind: K }>;
type LiveHolder = NonNullable<Of<'live'>['live']>;
type Going = NonNullable<NonNullable<LiveHolder['more']>['going']>;
type Machine = NonNullable<NonNullable<LiveHolder['more']>['machine']>;

/** Throws LineProblem. Occurrences know themselves how they are read. */
export function readFact(value: unknown): Fact {
  const fact = object(value, 'the line');
  const kind = text(fact, 'kind');
  const occurrence = parseOccurrence(fact);
  if (occurrence !== undefined) return occurrence;
  switch (kind) {
    case 'tenure':
      return { kind, tenure: tenure(object(fact['tenure'], 'tenure')) };
    case 'placement':
      return { kind, placement: placement(object(fact['placement'], 'placement')) };
    case 'coverage':
      return { kind, coverage: coverage(object(fact['coverage'], 'coverage')) };
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
      throw new LineProblem(`there are no facts of kind "${kind}"`);
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
    throw new LineProblem('coverage ends before it begins');
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
      if (typeof key !== 'string' || read === undefined) throw new LineProblem('an annotation is a key and a value');
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
  if (end !== undefined && end.at < start.at) throw new LineProblem('something ends before it begins');
  return { start, end };
}

function boundary(it: Json): Boundary {
  const bounds = { at: time(it, 'at'), notBefore: time(it, 'notBefore'), notAfter: time(it, 'notAfter') };
  if (!(bounds.notBefore <= bounds.at && bounds.at <= bounds.notAfter)) throw new LineProblem('bounds do not nest');
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
  if (parsed === undefined) throw new LineProblem('ip is not an address');
  return parsed;
}

function version(it: Json): string {
  const value = text(it, 'resourceVersion');
  if (!/^\d{1,40}$/.test(value)) throw new LineProblem('resourceVersion is not a decimal');
  return value;
}

function object(value: unknown, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LineProblem(`${name} is not an object`);
  return value as Json;
}

function array(it: Json, name: string): readonly unknown[] {
  const value = it[name];
  if (!Array.isArray(value)) throw new LineProblem(`${name} is not a list`);
  return value;
}

function text(it: Json, name: string): string {
  const value = it[name];
  if (typeof value !== 'string') throw new LineProblem(`${name} is not a text`);
  return value;
}

function flag(it: Json, name: string): boolean {
  const value = it[name];
  if (typeof value !== 'boolean') throw new LineProblem(`${name} is neither true nor false`);
  return value;
}

function count(it: Json, name: string): number {
  const value = whole(it, name);
  if (value < 0) throw new LineProblem(`${name} is not a whole number`);
  return value;
}

/** May be negative: priorities and exit codes are. */
function whole(it: Json, name: string): number {
  const value = it[name];
  if (!Number.isSafeInteger(value)) throw new LineProblem(`${name} is not a whole number`);
  return value as number;
}

/** Instants before 1970 do not occur, those after 9999 are no instants. */
function time(it: Json, name: string): EpochMillis {
  const value = count(it, name);
  if (value > 253_402_300_799_999) throw new LineProblem(`${name} is not an instant`);
  return epochMillis(value);
}

function maybeTime(it: Json, name: string): EpochMillis | undefined {
  return it[name] === undefined ? undefined : time(it, name);
}

function oneOf<T extends string>(it: Json, name: string, known: readonly T[]): T {
  const value = text(it, name);
  const found = known.find((k) => k === value);
  if (found === undefined) throw new LineProblem(`${name} is none of ${known.join(', ')}`);
  return found;
}
