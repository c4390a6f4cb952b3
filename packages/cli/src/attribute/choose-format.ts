// Which format an input has, and what is asked of it: by the name that --format gives, by the look of its beginning, and
// by the columns that the command line names.
import { UsageError } from '../errors.ts';
import { type Cells, OurColumns } from './columns.ts';
import { csvFields } from './csv-fields.ts';
import { azureNsg } from './formats/azure-nsg.ts';
import { azureVnet } from './formats/azure-vnet.ts';
import { cloudtrail } from './formats/cloudtrail.ts';
import { envoyJson, envoyText } from './formats/envoy.ts';
import { falco } from './formats/falco.ts';
import type { Flow, FlowColumns, Format, JsonFormat, LineFormat, TextFormat } from './formats/format.ts';
import { gcpVpc } from './formats/gcp-vpc.ts';
import { hubble } from './formats/hubble.ts';
import { k8sAudit } from './formats/k8s-audit.ts';
import { suricata } from './formats/suricata.ts';
import { vpc } from './formats/vpc.ts';
import { zeekJson, zeekText } from './formats/zeek.ts';
import { memberAt } from './json-path.ts';
import { type Members, utf8Of } from './row.ts';
import { checkedColumn, listed, type TextLayout } from './text-layout.ts';

/** In the order in which they are looked for: those with the plainest marks first. */
export const FORMATS: readonly Format[] = [
  ...[vpc, zeekText, zeekJson, gcpVpc, azureVnet, azureNsg, hubble, suricata, falco],
  ...[k8sAudit, cloudtrail, envoyText, envoyJson],
];

const PLAIN_FORMATS = { csv: ',', tsv: '\t', json: undefined } as const;
/** Of text whose columns are named: the first of them with which the names are found. */
const DELIMITERS = [',', '\t', ';', '|', ' '] as const;
/** UTF-8's mark, one character a byte. */
const BOM = '\u00ef\u00bb\u00bf';

export const FORMAT_NAMES: readonly string[] = [
  ...new Set(FORMATS.map(({ name }) => name)),
  ...Object.keys(PLAIN_FORMATS),
];

/** What the command line says about the input. */
export interface WantedColumns {
  readonly format: string | undefined;
  readonly ips: readonly string[];
  readonly prefixes: readonly string[] | undefined;
  readonly time: string | undefined;
  readonly end: string | undefined;
  /** Names for an input without a header. */
  readonly columns: readonly string[] | undefined;
  /** Whether a row shows that its addresses were in use; undefined: as far as its format says so. */
  readonly traffic: boolean | undefined;
}

export type Chosen =
  | { readonly kind: 'text'; readonly ours: OurColumns; readonly layout: TextLayout }
  | { readonly kind: 'records'; readonly ours: OurColumns; readonly format: JsonFormat | LineFormat };

/** `beginning` is some of the input, from its start, one character a byte. */
export function chooseFormat(beginning: string, wanted: WantedColumns): Chosen {
  const text = withoutMark(beginning).trimStart();
  const isJson = /^(?:\{|\[\s*[{[\]"])/.test(text);
  const format = namedFormat(text, isJson, wanted);
  const ours = ourColumns(wanted, format);
  if (format === undefined) {
    if (wanted.ips.length === 0 || wanted.time === undefined) throw new NotRecognised(wanted);
    if (isJson ? wanted.format !== 'csv' && wanted.format !== 'tsv' : wanted.format === 'json')
      return { kind: 'records', ours, format: recordsOf(wanted, undefined) };
    return { kind: 'text', ours, layout: textLayout(firstLine(text), wanted, ours) };
  }
  if (format.kind === 'text') return { kind: 'text', ours, layout: layoutOf(format, firstLine(text), wanted, ours) };
  return {
    kind: 'records',
    ours,
    format: wanted.ips.length === 0 ? withTraffic(format, wanted) : recordsOf(wanted, format),
  };
}

/** `text` is from the start of an input. */
export function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

function withTraffic(format: JsonFormat | LineFormat, { traffic }: WantedColumns): JsonFormat | LineFormat {
  if (traffic === undefined) return format;
  const sent = (flow: Flow): Flow => ({ ...flow, ends: flow.ends.map(({ address }) => ({ address, sent: traffic })) });
  return { ...format, flows: (record: Members) => format.flows(record)?.map(sent) };
}

function namedFormat(text: string, isJson: boolean, { format: name, columns }: WantedColumns): Format | undefined {
  if (name === undefined) return columns === undefined ? FORMATS.find((format) => format.sniff(text)) : undefined;
  const named = FORMATS.filter((format) => format.name === name);
  return named.find(({ kind }) => (kind === 'json') === isJson) ?? named[0];
}

/** Nothing in the beginning of an input shows what it is, and the command line does not say so. */
export class NotRecognised extends UsageError {
  constructor(wanted: WantedColumns, input = 'the input') {
    const names = FORMATS.map(({ name }) => name);
    const missing = wanted.ips.length === 0 ? '--ip and --time' : '--time';
    super(
      `the format of ${input} is not recognised`,
      `name its columns with ${missing}, or its format with --format (${[...new Set(names)].join(', ')}).`,
    );
  }
}

function ourColumns({ ips, prefixes, end }: WantedColumns, format: Format | undefined): OurColumns {
  const ends = ips.length > 0 ? ips.length : (format?.ends.length ?? 0);
  const isFull = (ips.length === 0 && format !== undefined) || ends > 1 || end !== undefined;
  if (prefixes !== undefined) {
    if (prefixes.length === ends && new Set(prefixes).size === ends) return new OurColumns(prefixes, isFull);
    throw new UsageError(
      `--prefix: ${ends} ${ends === 1 ? 'address is' : 'addresses are'} asked about, and ${prefixes.length} prefixes are given`,
      'give one for each --ip, in their order, and no two alike.',
    );
  }
  if (ends === 1) return new OurColumns([''], isFull);
  if (ips.length === 0)
    return new OurColumns(
      (format?.ends ?? []).map((name) => `${name}_`),
      isFull,
    );
  return new OurColumns(prefixesOf(ips), isFull);
}

const SOURCE = /^(?:pkt[-_.])?(?:src|source|saddr|orig|client|cip|id\.orig|local|from)/i;
const DESTINATION = /^(?:pkt[-_.])?(?:dst|dest|daddr|resp|server|sip|id\.resp|remote|to)/i;

/** `src_` and `dst_` where the names say so; else the names themselves. */
function prefixesOf(ips: readonly string[]): readonly string[] {
  const plain = ips.map((ip) => {
    const name = ip.split('.').find((part) => SOURCE.test(part) || DESTINATION.test(part)) ?? ip;
    if (SOURCE.test(name)) return 'src_';
    return DESTINATION.test(name) ? 'dst_' : `${ip}_`;
  });
  return new Set(plain).size === plain.length ? plain : ips.map((ip) => `${ip}_`);
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

function textLayout(line: string, wanted: WantedColumns, ours: OurColumns): TextLayout {
  const { columns: given } = wanted;
  const named = wanted.format === 'csv' || wanted.format === 'tsv' ? PLAIN_FORMATS[wanted.format] : undefined;
  const fieldsBy = (delimiter: string) => csvFields(line, line.includes('"'), delimiter).fields.map(utf8Of);
  const fits = (delimiter: string) => {
    const fields = fieldsBy(delimiter);
    if (given !== undefined) return fields.length === given.length;
    return [...wanted.ips, wanted.time].every((name) => name !== undefined && fields.includes(name));
  };
  // Where none fits an error follows, and lists the columns that there are.
  const likely = () => DELIMITERS.toSorted((a, b) => fieldsBy(b).length - fieldsBy(a).length)[0];
  const delimiter = named ?? DELIMITERS.find(fits) ?? (given === undefined ? likely() : undefined) ?? ',';
  return { ...cellsOf(delimiter), header: given ?? 'line', ours, columns: (names) => wantedColumns(names, wanted) };
}

/** Between spaces nothing cannot be seen: it gets a sign. */
function cellsOf(delimiter: string): Cells {
  return delimiter === ' ' ? { delimiter, hasQuotes: false, empty: '-' } : { delimiter, hasQuotes: true, empty: '' };
}

function layoutOf(format: TextFormat, line: string, wanted: WantedColumns, ours: OurColumns): TextLayout {
  const { delimiter, hasQuotes, empty, name } = format;
  const columns = (names: readonly string[]): FlowColumns => {
    const own = format.columns(names);
    if (wanted.ips.length > 0) return wantedColumns(names, wanted, own);
    if (own !== undefined && wanted.traffic === undefined) return own;
    if (own !== undefined)
      return { ...own, ends: own.ends.map(({ column }) => ({ column, sent: wanted.traffic === true })) };
    throw new UsageError(
      `the input has not the columns of ${name}`,
      `it has ${listed(names)}; name its columns with --columns, or those to ask about with --ip and --time.`,
    );
  };
  return { delimiter, hasQuotes, empty, header: wanted.columns ?? format.header(line), ours, columns };
}

function wantedColumns(
  names: readonly string[],
  { ips, time, end, traffic = false }: WantedColumns,
  own?: FlowColumns,
): FlowColumns {
  const start = time ?? own?.start;
  if (start === undefined) throw new UsageError('--time is missing', `the input has ${listed(names)}.`);
  const last = end === undefined ? undefined : checkedColumn(names, end, '--end');
  return {
    ends: ips.map((ip) => ({ column: checkedColumn(names, ip, '--ip'), sent: traffic })),
    start: checkedColumn(names, start, '--time'),
    end: last,
    // What the format knows of its times goes with its own column of them.
    ...(time === undefined && end === undefined
      ? { end: own?.end, lasted: own?.lasted, coarseMs: own?.coarseMs ?? 0 }
      : {}),
  };
}

/** JSON whose members the command line names, within the records of a format or as they are. */
function recordsOf(
  { ips, time, end, traffic = false }: WantedColumns,
  format: JsonFormat | LineFormat | undefined,
): JsonFormat | LineFormat {
  const ask = (record: Members, flow: Flow | undefined): Flow => ({
    ends: ips.map((path) => ({ address: textAt(record, path), sent: traffic })),
    start: time === undefined ? flow?.start : timeAt(record, time),
    ...(end === undefined ? {} : { end: timeAt(record, end) }),
    ...(time === undefined && end === undefined ? { end: flow?.end, lasted: flow?.lasted } : {}),
    ...(flow?.members === undefined ? {} : { members: flow.members }),
  });
  if (format === undefined) {
    const named = { name: 'json', summary: '', ends: ips, sniff: () => false };
    return { ...named, kind: 'json', flows: (record) => [ask(record, undefined)] };
  }
  const flows = (record: Members) => format.flows(record)?.map((flow) => ask(flow.members ?? record, flow));
  return { ...format, ends: ips, flows };
}

function textAt(record: Members, path: string): string {
  const value = memberAt(record, path);
  if (typeof value === 'string') return value;
  throw new RecordProblem(`${path} is not there, or not a text`);
}

function timeAt(record: Members, path: string): string | number {
  const value = memberAt(record, path);
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new RecordProblem(`${path} is not there, or neither a text nor a number`);
}

/** What is wrong with one record; its row says so. */
export class RecordProblem extends Error {}
