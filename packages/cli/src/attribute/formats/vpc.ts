// AWS VPC flow logs, version 2 to 7: space-separated, with a header (S3) or without (CloudWatch, which may put its own
// time before each line). A custom format without its header needs --columns.
import type { TextFormat } from './format.ts';

const DEFAULT_NAMES =
  'version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status'.split(
    ' ',
  );
const HEADER = /^(?=.*\b(?:pkt-)?srcaddr\b)(?=.*\bstart\b)[a-z][a-z0-9_-]*(?: [a-z][a-z0-9_-]*)+\r?$/;
const PLAIN = /^\d{1,2} (?:\d{6,}|unknown) \S+(?: \S+){11}\r?$/;
const CLOUDWATCH = /^\d{4}-\d\d-\d\dT[\d:.]+Z \d{1,2} (?:\d{6,}|unknown) \S+(?: \S+){11}\r?$/;

export const vpc: TextFormat = {
  name: 'vpc',
  summary: 'AWS VPC flow logs, with or without a header',
  kind: 'text',
  ends: ['src', 'dst'],
  delimiter: ' ',
  hasQuotes: false,
  empty: '-',
  sniff: (beginning) => {
    const [line = ''] = beginning.split('\n', 1);
    return HEADER.test(line) || PLAIN.test(line) || CLOUDWATCH.test(line);
  },
  header: (line) => {
    if (CLOUDWATCH.test(line)) return ['timestamp', ...DEFAULT_NAMES];
    return PLAIN.test(line) ? DEFAULT_NAMES : 'line';
  },
  columns: (names) => {
    // srcaddr is the interface's own address; where a pod is behind it, the packet's is that of the pod.
    const source = ['pkt-srcaddr', 'srcaddr'].find((name) => names.includes(name));
    const destination = ['pkt-dstaddr', 'dstaddr'].find((name) => names.includes(name));
    if (source === undefined || destination === undefined || !names.includes('start')) return undefined;
    return {
      ends: [
        { column: source, sent: true },
        // A row has one direction only: the answer is in a row of its own.
        { column: destination, sent: false },
      ],
      start: 'start',
      end: names.includes('end') ? 'end' : undefined,
      coarseMs: 999,
    };
  },
};
