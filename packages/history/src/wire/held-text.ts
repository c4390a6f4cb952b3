// The JSON of an answer `held` that has nothing unusual: what whoDocument and JSON.stringify make of it, without the objects
// in between. Nearly all answers of a server are such. Called by points.ts, whose test compares the bytes.

import type { Cluster } from '../engines/snapshot.ts';
import type { Boundary, Provenance } from '../model/boundary.ts';
import type { Workload } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import type { AnsweredHolder, Held } from '../query/answer.ts';
import { watchedUntil } from './watched-until.ts';

/** Printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** For who sees everything. Undefined: the document says more than such an answer does. Leaves nothing open. */
export function plainHeldText(answer: Held, cluster: Cluster, now: EpochMillis): string | undefined {
  const { ip, at, basis, provisional, holders, conflicts, coverage, evidence } = answer;
  const { scope, from, to, gaps } = coverage;
  const until = watchedUntil(to, at, now);
  const isUsual = basis === undefined && conflicts.length === 0 && gaps.length === 0 && scope?.kind === 'cluster';
  if (!isUsual || from === undefined || until === undefined) return undefined;
  const query = `{"cluster":${quoted(cluster.name)},"clusterId":${quoted(cluster.id)},"ip":"${ip}","at":"${toText(at)}"}`;
  const watched = `{"scope":"cluster","from":"${toText(from)}","to":"${toText(until)}","gaps":[]}`;
  const seen = evidence.length === 1 ? evidenceText(evidence[0]!) : evidence.map(evidenceText).join();
  return `{"query":${query},"answer":"held","provisional":${provisional},"holders":[${holderText(holders[0])}],"coverage":${watched},"evidence":[${seen}]}`;
}

function holderText({ kind, namespace, name, uid, node, workload, hostNetwork, start, end }: AnsweredHolder): string {
  const named = quoted(name);
  const who = `"kind":"${kind}","namespace":${quoted(namespace)},"name":${named},"pod":${named},"uid":${quoted(uid)}`;
  const where = `"node":${quoted(node)},"workload":${workloadText(workload)},"hostNetwork":${hostNetwork}`;
  return `{${who},${where},"start":${boundaryText(start)},"end":${end === undefined ? 'null' : boundaryText(end)}}`;
}

function workloadText(workload: Workload | undefined): string {
  if (workload === undefined) return 'null';
  const { kind, name, inferred } = workload;
  return `{"kind":${quoted(kind)},"name":${quoted(name)}${inferred ? ',"inferred":true' : ''}}`;
}

function boundaryText({ at, notBefore, notAfter, source }: Boundary): string {
  return `{"at":"${toText(at)}","notBefore":"${toText(notBefore)}","notAfter":"${toText(notAfter)}","source":"${source}"}`;
}

function evidenceText({ source, epoch, resourceVersion, observedAt }: Provenance): string {
  const version = quoted(resourceVersion);
  return `{"source":"${source}","epoch":${epoch},"resourceVersion":${version},"observedAt":"${toText(observedAt)}"}`;
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
