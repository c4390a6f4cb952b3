// From a scenario's text to its statements. Every refusal names the line and what was expected there.
import { HistoryError } from '../errors.ts';
import { type IpAddress, parseIp } from '../model/ip-address.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { AnswerKind, UnknownReason } from '../query/answer.ts';
import type { Ask, Named, Scenario, Statement } from './scenario.ts';

/** Scenarios play on one day; which one does not matter. */
const DAY = Date.UTC(2026, 10, 15);
const REASONS: readonly UnknownReason[] = ['before-first-record', 'gap', 'expired', 'after-last-record', 'not-watched'];

type Fields = Readonly<Record<string, string>>;
type StatementBody<S = Statement> = S extends Statement ? Omit<S, 'line' | 'at'> : never;

interface Form {
  readonly pattern: RegExp;
  /** Shown when no form fits. */
  readonly example: string;
  read(fields: Fields, line: Line): StatementBody;
}

const POD = String.raw`pod (?<pod>\S+)`;
const ADDRESSES = String.raw`(?<addresses>\S+(?: and \S+)*)`;

const FORMS: readonly Form[] = [
  form('watch starts', 'watch starts', () => ({ kind: 'watch-starts', namespaces: undefined })),
  form('watch of (?<namespaces>.+) starts', 'watch of shop, bank starts', ({ namespaces = '' }) => ({
    kind: 'watch-starts',
    namespaces: namespaces.split(/\s*,\s*/),
  })),
  interruption('watch is silent', 'silent'),
  interruption('watch is lost', 'lost'),
  interruption('watch is rewound', 'rewound'),
  interruption('recorder stops', 'stopped'),
  interruption('recorder stops for too long', 'stopped-too-long'),
  form(`${POD} gets ${ADDRESSES}(?: on (?<node>\\S+))?`, 'pod shop/web-1 gets 10.0.0.7 on node-a', (fields, line) => ({
    kind: 'pod-gets',
    pod: line.namespaced(fields['pod']),
    addresses: line.addresses(fields['addresses']),
    node: fields['node'],
  })),
  form(
    `${POD} uses host ${ADDRESSES} on (?<node>\\S+)`,
    'pod kube-system/proxy uses host 192.168.0.1 on node-a',
    (fields, line) => ({
      kind: 'pod-uses-host',
      pod: line.namespaced(fields['pod']),
      addresses: line.addresses(fields['addresses']),
      node: fields['node'] ?? '',
    }),
  ),
  ofPod('shows no address', (pod) => ({ kind: 'pod-shows-nothing', pod })),
  ofPod('loses its sandbox', (pod) => ({ kind: 'pod-loses-sandbox', pod })),
  ofPod('completes', (pod) => ({ kind: 'pod-ends', pod, phase: 'Succeeded' })),
  ofPod('fails', (pod) => ({ kind: 'pod-ends', pod, phase: 'Failed' })),
  ofPod('is deleted', (named) => ({ kind: 'deleted', what: 'Pod', named })),
  form(
    `${POD} is annotated (?<key>[^=\\s]+)=(?<value>.*)`,
    'pod shop/web-1 is annotated team=blue',
    (fields, line) => ({
      kind: 'pod-annotated',
      pod: line.namespaced(fields['pod']),
      key: fields['key'] ?? '',
      value: fields['value'] ?? '',
    }),
  ),
  form(`service (?<name>\\S+) has ${ADDRESSES}`, 'service shop/db has 10.96.0.10', (fields, line) => ({
    kind: 'has-addresses',
    what: 'Service',
    named: line.namespaced(fields['name']),
    addresses: line.addresses(fields['addresses']),
  })),
  form(`node (?<name>\\S+) has ${ADDRESSES}`, 'node node-a has 192.168.0.1', (fields, line) => ({
    kind: 'has-addresses',
    what: 'Node',
    named: { namespace: '', name: fields['name'] ?? '' },
    addresses: line.addresses(fields['addresses']),
  })),
  form('service (?<name>\\S+) is deleted', 'service shop/db is deleted', (fields, line) => ({
    kind: 'deleted',
    what: 'Service',
    named: line.namespaced(fields['name']),
  })),
  form('node (?<name>\\S+) is deleted', 'node node-a is deleted', ({ name = '' }) => ({
    kind: 'deleted',
    what: 'Node',
    named: { namespace: '', name },
  })),
  form('records before (?<before>\\S+) are removed', 'records before 10:05 are removed', ({ before }, line) => ({
    kind: 'removed',
    before: line.time(before),
  })),
];

export function parseScenario(name: string, text: string): Scenario {
  const statements: Statement[] = [];
  const asks: Ask[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = new Line(name, index + 1, raw.replace(/(^|\s)#.*$/, '').trim());
    if (line.text === '') continue;
    if (/^ask\b/.test(line.text)) asks.push(readAsk(line));
    else statements.push(readStatement(line, statements.at(-1)));
  }
  return { name, statements, asks };
}

function readStatement(line: Line, previous: Statement | undefined): Statement {
  const [, clock, rest = ''] = /^(\S+)\s+(.*)$/.exec(line.text) ?? [];
  if (clock === undefined) line.refuse('a time and what happens then, like "10:00 watch starts"');
  const at = line.time(clock);
  const earliest = previous?.kind === 'interruption' ? previous.at : previous?.at;
  if (earliest !== undefined && at < earliest) line.refuse('a time that is not before the line above');
  for (const { pattern, read } of FORMS) {
    const found = pattern.exec(rest);
    if (found !== null) return { line: line.number, at, ...read(found.groups ?? {}, line) };
  }
  const [subject = ''] = rest.split(/\s/);
  const alike = FORMS.filter(({ example }) => example.startsWith(`${subject} `));
  const examples = (alike.length > 0 ? alike : FORMS).map(({ example }) => `"${example}"`);
  return line.refuse(`one of ${examples.join(', ')}`);
}

function readAsk(line: Line): Ask {
  const pattern = /^ask (?<at>\S+) who (?<ip>\S+) -> (?<answer>held|free|ambiguous|unknown)(?: (?<rest>.+))?$/;
  const fields = pattern.exec(line.text)?.groups;
  if (fields === undefined) line.refuse('"ask 10:06 who 10.0.0.7 -> held shop/web-1" (or free, ambiguous, unknown)');
  const { at, ip, answer, rest = '' } = fields as { at: string; ip: string; answer: AnswerKind; rest?: string };
  const asked = { line: line.number, at: line.time(at), ip: line.address(ip), answer };
  if (answer === 'unknown') {
    const reason = REASONS.find((known) => known === rest);
    if (reason === undefined) line.refuse(`why it is unknown: one of ${REASONS.join(', ')}`);
    return { ...asked, reason, holders: [] };
  }
  const holders = rest === '' ? [] : rest.split(/\s*,\s*/);
  if (answer === 'free' && holders.length > 0) line.refuse('nobody after "free"');
  if (answer === 'held' && holders.length !== 1) line.refuse('one holder after "held"');
  if (answer === 'ambiguous' && holders.length === 0) line.refuse('the candidates after "ambiguous"');
  return { ...asked, reason: undefined, holders };
}

/** One line, and how to refuse it. */
class Line {
  readonly file: string;
  readonly number: number;
  readonly text: string;

  constructor(file: string, number: number, text: string) {
    this.file = file;
    this.number = number;
    this.text = text;
  }

  refuse(expected: string): never {
    throw new HistoryError('bad-scenario', `${this.file}:${this.number}: "${this.text}" is not understood`, {
      hint: `expected ${expected}.`,
    });
  }

  time(text: string | undefined): EpochMillis {
    const found = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/.exec(text ?? '');
    const [, hours, minutes, seconds = '0', fraction = '0'] = found ?? [];
    if (found === null || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
      this.refuse('a time like 10:05, 10:05:30 or 10:05:30.5');
    }
    const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return epochMillis(DAY + whole * 1000 + Number(fraction.padEnd(3, '0')));
  }

  address(text: string | undefined): IpAddress {
    return parseIp(text ?? '') ?? this.refuse(`an address where "${text}" stands`);
  }

  addresses(text: string | undefined): IpAddress[] {
    return (text ?? '').split(' and ').map((one) => this.address(one));
  }

  namespaced(text: string | undefined): Named {
    const [namespace = '', name = '', ...more] = (text ?? '').split('/');
    if (namespace === '' || name === '' || more.length > 0) this.refuse(`namespace/name where "${text}" stands`);
    return { namespace, name };
  }
}

function form(pattern: string, example: string, read: Form['read']): Form {
  return { pattern: new RegExp(`^${pattern}$`), example, read };
}

function ofPod(what: string, read: (pod: Named) => StatementBody): Form {
  return form(`${POD} ${what}`, `pod shop/web-1 ${what}`, (fields, line) => read(line.namespaced(fields['pod'])));
}

function interruption(words: string, how: Extract<Statement, { kind: 'interruption' }>['how']): Form {
  return form(`${words} until (?<until>\\S+)`, `${words} until 10:12`, ({ until }, line) => ({
    kind: 'interruption',
    how,
    until: line.time(until),
  }));
}
