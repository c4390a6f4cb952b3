// The questions, all of them. A new one is added here, and nowhere else.
import { z } from 'zod';
import { HistoryError } from '../../errors.ts';
import { chosenCauses } from '../../explain/index.ts';
import { epochMillis } from '../../model/time.ts';
import { addressOf } from '../address.ts';
import { askAnomalies } from '../anomalies.ts';
import { type Asked, type AskedPods, subjectOf as subjectOfPods } from '../asked.ts';
import { askChanges } from '../changes.ts';
import { askExplain } from '../explain.ts';
import { askFind } from '../find.ts';
import { askGaps } from '../gaps.ts';
import { askMoves } from '../moves.ts';
import { askNode } from '../node-pods.ts';
import { askNodes } from '../nodes.ts';
import {
  anomaliesSchema,
  changesSchema,
  explainSchema,
  findSchema,
  gapsSchema,
  movesSchema,
  nodeSchema,
  nodesSchema,
  timelineSchema,
  trailSchema,
  whoSchema,
} from '../schemas/index.ts';
import { parseSubject } from '../subject.ts';
import { askTimeline } from '../timeline.ts';
import { askTrail } from '../trail.ts';
import { askWho } from '../who.ts';
import { askedSpan } from './asked-span.ts';
import {
  addressParameter,
  atParameter,
  clusterParameter,
  findParameters,
  keyParameter,
  moveParameters,
  namespaceParameter,
  nodeParameter,
  nodesParameters,
  optionalSubjectParameters,
  orderParameter,
  pagingParameters,
  seenParameter,
  spanParameters,
  subjectParameters,
  timelineParameters,
} from './parameters.ts';
import { question } from './question.ts';

const DAY_MS = 86_400_000;

const who = question({
  name: 'who',
  summary: 'Which pod, node or Service held an address at an instant: held, free, ambiguous or unknown.',
  parameters: z.strictObject({ ...addressParameter, ...atParameter, ...seenParameter, ...clusterParameter }),
  document: whoSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now, namesCollectors }, { ip, at = now, seen }) => {
    const asked = { ip: addressOf(ip), at, now, seen, namesCollectors };
    const { document } = await askWho(snapshot, visibility, cluster, asked);
    return document;
  },
});

const trail = question({
  name: 'trail',
  summary: 'Where a pod, a workload, a Service or an address was, life by life.',
  parameters: z.strictObject({ ...subjectParameters, ...spanParameters, ...pagingParameters, ...clusterParameter }),
  document: trailSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, { subject, namespace, limit, cursor, ...times }) => {
    const asked = await subjectOf(subject, namespace);
    const span = askedSpan(times, now);
    const paging = { limit, cursor };
    return (await askTrail(snapshot, visibility, cluster, { asked, span, paging, now })).document;
  },
});

const node = question({
  name: 'node',
  summary: 'Which pods were on a node, at an instant or within a span.',
  parameters: z.strictObject({
    ...{ ...nodeParameter, ...atParameter, ...spanParameters },
    ...{ ...namespaceParameter, ...pagingParameters, ...clusterParameter },
  }),
  document: nodeSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, parameters) => {
    const { node: name, at, since, until, namespace, limit, cursor } = parameters;
    const isSpan = since !== undefined || until !== undefined;
    if (isSpan && at !== undefined) {
      throw new HistoryError('bad-span', 'at is an instant, since and until are a span', { hint: 'give one of them.' });
    }
    const during = isSpan ? askedSpan({ since, until }, now) : { at: at ?? now };
    const asked = { node: name, during, namespace, paging: { limit, cursor }, now };
    return (await askNode(snapshot, visibility, cluster, asked)).document;
  },
});

const moves = question({
  name: 'moves',
  summary: 'Which pods ended, why, and who took their place where.',
  parameters: z.strictObject({
    ...{ ...moveParameters, ...optionalSubjectParameters, ...spanParameters },
    ...{ ...orderParameter, ...pagingParameters, ...clusterParameter },
  }),
  document: movesSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, parameters) => {
    const { cause, fromNode, toNode, subject: text, namespace, order, limit, cursor, ...times } = parameters;
    const asked =
      text === undefined
        ? undefined
        : podsOnly(await subjectOf(text, namespace), 'pods end, addresses and Services do not');
    const subject = asked === undefined ? undefined : subjectOfPods(asked);
    const filters = { causes: chosenCauses(cause), fromNode, toNode, namespace, order, subject, namesSubject: true };
    const wanted = { ...filters, span: askedSpan(times, now), paging: { limit, cursor }, now };
    return (await askMoves(snapshot, visibility, cluster, wanted)).document;
  },
});

const explain = question({
  name: 'explain',
  summary: 'Why a pod ended, with the evidence in the order of time, and how it lived.',
  parameters: z.strictObject({ ...subjectParameters, ...atParameter, ...clusterParameter }),
  document: explainSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, { subject, namespace, at = now }) => {
    const asked = await subjectOf(subject, namespace);
    return (await askExplain(snapshot, visibility, cluster, { asked, at, now })).document;
  },
});

const changes = question({
  name: 'changes',
  summary: 'Which annotations changed: of a pod, of the pods of a workload, or of all pods.',
  parameters: z.strictObject({
    ...{ ...optionalSubjectParameters, ...keyParameter, ...spanParameters },
    ...{ ...orderParameter, ...pagingParameters, ...clusterParameter },
  }),
  document: changesSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, parameters) => {
    const { subject, namespace, key, order, limit, cursor, ...times } = parameters;
    const asked =
      subject === undefined
        ? undefined
        : podsOnly(await subjectOf(subject, namespace), 'annotations are recorded of pods');
    const span = askedSpan(times, now);
    const wanted = { asked, namespace, key, span, paging: { limit, cursor }, order, now };
    return (await askChanges(snapshot, visibility, cluster, wanted)).document;
  },
});

const gaps = question({
  name: 'gaps',
  summary: 'When nobody was watching, and why.',
  parameters: z.strictObject({ ...spanParameters, ...pagingParameters, ...clusterParameter }),
  document: gapsSchema,
  audience: 'anyone',
  ask: async ({ snapshot, visibility, cluster, now }, { limit, cursor, ...times }) => {
    const asked = { span: askedSpan(times, now), paging: { limit, cursor }, now };
    return (await askGaps(snapshot, visibility, cluster, asked)).document;
  },
});

const anomalies = question({
  name: 'anomalies',
  summary: 'What the cluster reported that cannot be right.',
  parameters: z.strictObject({ ...spanParameters, ...pagingParameters, ...clusterParameter }),
  document: anomaliesSchema,
  audience: 'all-namespaces',
  ask: async ({ snapshot, visibility, cluster, now }, { limit, cursor, ...times }) => {
    const asked = { span: askedSpan(times, now), paging: { limit, cursor }, now };
    return (await askAnomalies(snapshot, visibility, cluster, asked)).document;
  },
});

const nodes = question({
  name: 'nodes',
  summary:
    'All nodes at an instant, how many pods of which workloads were on each, and what changed beside another instant.',
  parameters: z.strictObject({
    ...{ ...atParameter, ...nodesParameters, ...namespaceParameter, ...clusterParameter },
  }),
  document: nodesSchema,
  audience: 'anyone',
  isOfOneReplica: true,
  ask: ({ snapshot, visibility, cluster, now }, { at = now, against, namespace, workload, window }) =>
    askNodes(snapshot, visibility, cluster, { at, against, namespace, workload, windowMs: window * 1000, now }),
});

const find = question({
  name: 'find',
  summary: 'Which pods, workloads, nodes, Services and addresses match a text that somebody typed.',
  parameters: z.strictObject({ ...findParameters, ...clusterParameter }),
  document: findSchema,
  audience: 'anyone',
  isOfOneReplica: true,
  ask: ({ snapshot, visibility, cluster, now }, { text, limit }) =>
    askFind(snapshot, visibility, cluster, { text, limit, now }),
});

const timeline = question({
  name: 'timeline',
  summary: 'Who was where, from when to when, as lanes on a time axis; or how many, where there are too many to draw.',
  parameters: z.strictObject({
    ...{ ...timelineParameters, ...optionalSubjectParameters, ...clusterParameter },
  }),
  document: timelineSchema,
  audience: 'anyone',
  isOfOneReplica: true,
  ask: async ({ snapshot, visibility, cluster, now }, parameters) => {
    const { subject, namespace, node: name, by, most, buckets, lanes, since, until } = parameters;
    const asked = subject === undefined ? undefined : await subjectOf(subject, namespace);
    const span = askedSpan({ since: since ?? epochMillis(Math.max(0, (until ?? now) - DAY_MS)), until }, now);
    const wanted = { by, asked, node: name, namespace, span, most, buckets, lanes, now };
    return await askTimeline(snapshot, visibility, cluster, wanted);
  },
});

export const QUESTIONS = { who, trail, node, moves, explain, changes, gaps, anomalies, nodes, find, timeline } as const;

export type QuestionName = keyof typeof QUESTIONS;
export type DocumentOf<Name extends QuestionName> = z.output<(typeof QUESTIONS)[Name]['document']>;

async function subjectOf(text: string, namespace: string | undefined): Promise<Asked> {
  const needed = async () => {
    if (namespace !== undefined) return namespace;
    throw new HistoryError('bad-subject', `"${text}" is a name, and names are of a namespace`, {
      hint: 'add namespace=NAME.',
    });
  };
  return await parseSubject(text, needed, namespace);
}

function podsOnly(asked: Asked, because: string): AskedPods {
  if (asked.by !== 'ip' && asked.by !== 'service') return asked;
  throw new HistoryError('bad-subject', because, { hint: 'name a pod, its UID, or a workload as deploy/cart.' });
}
