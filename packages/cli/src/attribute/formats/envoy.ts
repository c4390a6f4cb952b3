// Envoy access logs: the default text, the text of Istio, and JSON with the usual names. The source is who connected
// (downstream), the destination where the request went (upstream), both as ip:port. A request lasts for its duration.
import type { Members } from '../row.ts';
import { countOf, type Flow, type JsonFormat, type LineFormat, textOf, timeOf } from './format.ts';

const NAMED = { name: 'envoy', summary: 'Envoy and Istio access logs, text or JSON', ends: ['src', 'dst'] } as const;
const BEGINNING = /^\[\d{4}-\d\d-\d\dT[\d:.]+Z?\] "/;
const WORDS = /\[([^\]]*)\]|"((?:[^"\\]|\\.)*)"|(\S+)/g;
/** What has more is no line of such a log. */
const MOST_WORDS = 256;
const DEFAULT = (
  'start_time request response_code response_flags bytes_received bytes_sent duration upstream_service_time ' +
  'x_forwarded_for user_agent request_id authority upstream_host'
).split(' ');
const ISTIO = (
  'start_time request response_code response_flags response_code_details connection_termination_details ' +
  'upstream_transport_failure_reason bytes_received bytes_sent duration upstream_service_time x_forwarded_for user_agent ' +
  'request_id authority upstream_host upstream_cluster upstream_local_address downstream_local_address ' +
  'downstream_remote_address requested_server_name route_name'
).split(' ');

export const envoyText: LineFormat = {
  ...NAMED,
  kind: 'line',
  sniff: (beginning) => BEGINNING.test(beginning),
  parse: (line) => {
    if (!line.startsWith('[')) return undefined;
    const words: string[] = [];
    for (const [, bracket, quoted, word] of line.matchAll(WORDS)) {
      if (words.push(bracket ?? quoted ?? word ?? '') > MOST_WORDS) return undefined;
    }
    const names = words.length >= ISTIO.length ? ISTIO : DEFAULT;
    if (words.length < DEFAULT.length) return undefined;
    const members: Record<string, string> = {};
    for (const [i, word] of words.entries()) members[names[i] ?? `field_${i + 1}`] = word;
    return members;
  },
  flows: envoyFlows,
};

export const envoyJson: JsonFormat = {
  ...NAMED,
  kind: 'json',
  sniff: (beginning) =>
    /"(?:downstream_remote_address|upstream_host)"/.test(beginning) && /"start_time"/.test(beginning),
  flows: envoyFlows,
};

function envoyFlows(record: Members): readonly Flow[] | undefined {
  const start = timeOf(record, 'start_time');
  if (start === undefined) return undefined;
  const peer = textOf(record, 'downstream_remote_address') ?? textOf(record, 'downstream_direct_remote_address');
  // What stands in X-Forwarded-For was written by whoever sent the request; all but the peer's address may be made up.
  const [forwarded] = (textOf(record, 'x_forwarded_for') ?? '').split(',');
  const upstream = (textOf(record, 'upstream_host') ?? '').replace(/^\w+:\/\//, '');
  return [
    {
      ends: [
        { address: peer ?? (forwarded?.trim() || undefined), sent: peer !== undefined },
        { address: upstream || undefined, sent: countOf(record, 'bytes_sent') > 0 },
      ],
      start,
      lasted: countOf(record, 'duration'),
    },
  ];
}
