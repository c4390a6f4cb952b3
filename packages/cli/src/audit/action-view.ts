// One action in words: the cells of a table, the fields of CSV, the line of `-o name`.
import type { Act, AuditedAction, Refuser } from '@podtrail/history/audit';
import { counted } from '../output/counted.ts';
import type { CsvColumn } from '../output/csv.ts';
import type { Column } from '../output/table.ts';
import { showTime, toUtcText } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';

const DONE: Readonly<Record<Act, string>> = {
  create: 'created',
  update: 'updated',
  patch: 'patched',
  delete: 'deleted',
  'delete-collection': 'deleted all',
  evict: 'evicted',
  bind: 'bound',
  scale: 'scaled',
  restart: 'restarted',
  cordon: 'cordoned',
  uncordon: 'uncordoned',
  taint: 'tainted',
  exec: 'exec into',
  attach: 'attached to',
  'port-forward': 'forwarded to',
  proxy: 'proxied to',
  debug: 'debugged',
  resize: 'resized',
  'write-status': 'wrote status',
  get: 'read',
  list: 'listed',
  watch: 'watched',
  other: 'changed',
};

const LONGEST_DETAIL = 80;

export function actionColumns(zone: () => Zone, wide: boolean): readonly Column<AuditedAction>[] {
  return [
    { header: 'TIME', cell: ({ at }) => showTime(at, zone()) },
    { header: 'WHAT', cell: whatText },
    { header: 'NAMESPACE', cell: ({ object }) => object.namespace },
    { header: 'OBJECT', cell: objectText },
    { header: 'USER', cell: userText },
    { header: 'OUTCOME', cell: outcomeText },
    { header: 'DETAIL', cell: (action) => (wide ? detailText(action) : cut(detailText(action))) },
    { header: 'HINT', wide: true, cell: hintOf },
    { header: 'FROM', wide: true, cell: ({ actor }) => actor.sourceIPs.join(',') },
    { header: 'CLIENT', wide: true, cell: ({ actor }) => actor.userAgent },
    { header: 'UID', wide: true, cell: ({ object }) => object.uid ?? '' },
    { header: 'AUDIT-ID', wide: true, cell: ({ auditID }) => auditID },
  ];
}

export const ACTION_CSV: readonly CsvColumn<AuditedAction>[] = [
  { name: 'time', value: ({ at }) => toUtcText(at) },
  { name: 'what', value: ({ what }) => what },
  { name: 'kind', value: ({ object }) => object.kind },
  { name: 'namespace', value: ({ object }) => object.namespace },
  { name: 'name', value: ({ object }) => object.name ?? '' },
  { name: 'uid', value: ({ object }) => object.uid ?? '' },
  { name: 'user', value: ({ actor }) => actor.user ?? '' },
  { name: 'impersonated_by', value: ({ actor }) => actor.impersonatedBy ?? '' },
  { name: 'user_agent', value: ({ actor }) => actor.userAgent },
  { name: 'source_ips', value: ({ actor }) => actor.sourceIPs.join(' ') },
  { name: 'outcome', value: ({ outcome }) => outcome.kind },
  { name: 'code', value: ({ outcome }) => ('code' in outcome ? String(outcome.code ?? '') : '') },
  { name: 'stage', value: ({ outcome }) => (outcome.kind === 'refused' ? outcome.stage : '') },
  { name: 'refused_by', value: ({ outcome }) => (outcome.kind === 'refused' && outcome.by ? outcome.by.name : '') },
  { name: 'detail', value: detailText },
  { name: 'hint', value: hintOf },
  { name: 'audit_id', value: ({ auditID }) => auditID },
];

export function actionName({ object }: AuditedAction): string {
  return [object.kind.toLowerCase(), object.namespace, object.name ?? '<unknown>']
    .filter((part) => part !== '')
    .join('/');
}

function whatText({ what, outcome }: AuditedAction): string {
  return outcome.kind === 'allowed' ? DONE[what] : what;
}

function objectText({ object, what, details, outcome }: AuditedAction): string {
  const kind = object.kind.toLowerCase();
  if (object.name !== undefined) return `${kind}/${object.name}`;
  if (what === 'create') {
    // A body that could not be read may have had a name.
    const isGenerated = details.generateName !== undefined || outcome.kind === 'allowed';
    return isGenerated ? `${kind}/${details.generateName ?? ''}<generated>` : `${kind}/<unknown>`;
  }
  const selector = [details.labelSelector, details.fieldSelector].filter((text) => text !== undefined).join(' ');
  return selector === '' ? `${kind}/*` : `${kind}/* ${selector}`;
}

export function userText({ actor }: AuditedAction): string {
  const user = actor.user ?? '<unauthenticated>';
  return actor.impersonatedBy === undefined ? user : `${user} (by ${actor.impersonatedBy})`;
}

export function outcomeText({ outcome }: AuditedAction): string {
  switch (outcome.kind) {
    case 'allowed':
      return 'allowed';
    case 'dry-run':
      return 'dry run';
    case 'refused':
      return `refused ${outcome.code} ${outcome.stage}${outcome.by === undefined ? '' : `: ${refuserText(outcome.by)}`}`;
    case 'failed':
      return outcome.code === undefined ? 'failed' : `failed ${outcome.code}`;
    case 'unfinished':
      return 'no answer';
  }
}

function refuserText({ kind, name }: Refuser): string {
  return kind === 'plugin' || kind === 'disruption-budget' ? name : `${kind} ${name}`;
}

function detailText({ outcome, details, admission, actor }: AuditedAction): string {
  if (outcome.kind === 'refused' || outcome.kind === 'failed') return outcome.message;
  const words: string[] = [];
  if (details.node !== undefined) words.push(`to node ${details.node}`);
  if (details.replicas !== undefined) words.push(`to ${details.replicas} replicas`);
  if (details.gracePeriodSeconds !== undefined) words.push(`grace ${details.gracePeriodSeconds}s`);
  if (details.taints !== undefined) words.push(details.taints.length === 0 ? 'no taints' : details.taints.join(' '));
  if (details.objects !== undefined) words.push(counted(details.objects.length, 'object'));
  if (actor.pod !== undefined) words.push(`from pod ${actor.pod}`);
  for (const webhook of admission?.mutatedBy ?? []) words.push(`changed by webhook ${webhook}`);
  for (const webhook of admission?.failedOpen ?? []) words.push(`webhook ${webhook} was passed over`);
  for (const { policy } of admission?.violated ?? []) words.push(`violates policy ${policy}`);
  return words.join(', ');
}

export function hintOf({ outcome }: AuditedAction): string {
  return 'hint' in outcome ? outcome.hint : '';
}

function cut(text: string): string {
  return text.length <= LONGEST_DETAIL ? text : `${text.slice(0, LONGEST_DETAIL - 1)}…`;
}
