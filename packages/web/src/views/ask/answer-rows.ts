// An answer as rows of CSV: one for each holder or candidate, one without where there is none. Pure.
import type { WhoDocument } from '@podtrail/history/wire';

export const HEADER = [
  ...['ip', 'at', 'answer', 'reason', 'provisional', 'kind', 'namespace', 'name', 'uid', 'node', 'workload'],
  ...['start', 'start_not_before', 'start_not_after', 'end', 'end_not_before', 'end_not_after', 'why'],
];

export function answerRows(answer: WhoDocument): readonly (readonly (string | null)[])[] {
  const { ip, at } = answer.query;
  const reason = 'reason' in answer ? (answer.reason ?? null) : null;
  const first = [ip, at, answer.answer, reason, String(answer.provisional)];
  if (answer.holders.length === 0) return [[...first, ...HEADER.slice(first.length).map(() => null)]];
  return answer.holders.map(({ kind, namespace, name, uid, node, workload, start, end, why }) => [
    ...first,
    ...[kind, namespace, name, uid, node, workload === null ? null : `${workload.kind}/${workload.name}`],
    ...[start.at, start.notBefore, start.notAfter, end?.at ?? null, end?.notBefore ?? null, end?.notAfter ?? null],
    why?.text ?? null,
  ]);
}
