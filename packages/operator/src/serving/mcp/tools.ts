// The tools, made from the questions of the catalogue. Names and descriptions are for a model that sees them for the first
// time: they say when to use a tool, what an answer means, what must not be concluded from it, and what to ask next.
import { QUESTIONS } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import { DEFAULT_RECORDS } from './bounded-document.ts';
import { attributeFlows, flowsInput } from './flows.ts';
import type { Tool } from './tool.ts';

/** Records in one answer, at most: a model reads all of them. */
const MOST_RECORDS = 100;

const limit = z
  .int()
  .min(1)
  .max(MOST_RECORDS)
  .default(DEFAULT_RECORDS)
  .meta({ description: `Records in the answer, at most (1 to ${MOST_RECORDS}).` });

const ABOUT_TIMES = [
  'Write times as RFC 3339 with a zone (2026-11-15T10:05:00Z, 2026-11-15T11:05:00+01:00); answers are in UTC (Z). If a',
  'person gives a time without a zone, ask for the zone, or say which one you assumed. `asOf` in each answer is the time',
  'of the server: work out "15 minutes ago" from it.',
].join(' ');
const ABOUT_PROVISIONAL =
  '`provisional` true: that time is not fully recorded yet, so the answer may still change; say so.';
const ABOUT_COVERAGE = [
  '`coverage` says when the cluster was watched: in its `gaps`, and outside of `from` to `to`, a record that is missing',
  'proves nothing.',
].join(' ');
const ABOUT_PAGES = [
  'Oldest first. If `more` is true, call again with the same input and the `cursor` of the answer before you count or',
  'conclude anything; `note` says if records were left out because they do not fit.',
].join(' ');
const ABOUT_SPAN = 'Give `since` and `until`; without them it is all of the last 400 days.';
const ABOUT_SUBJECTS = [
  '`subject` is a pod name (web-1) with its `namespace`, a pod UID, a workload (deploy/cart, sts/kafka, job/…) or a',
  'Service (svc/cart) with its `namespace`, or an IP; not namespace/name. For a node use node_at.',
].join(' ');
const ABOUT_ONE_POD = [
  '`subject` is a pod name (kafka-0) with its `namespace`, a pod UID, or an IP that the pod had `at` that instant; not',
  'namespace/name. For a workload use pod_trail or moves first, for a node use node_at.',
].join(' ');

export const TOOLS: readonly Tool[] = [
  {
    name: 'who_had_ip',
    title: 'Who had this IP then?',
    description: [
      'Which Kubernetes pod, node or Service held an IP address at an instant. Use it for one address out of a log line,',
      'an alert or a packet; for more than one use attribute_flows. `ip` is a bare IPv4 or IPv6 address, without port,',
      'prefix or host name. Give `at` unless you mean this moment. Set `seen` to true if the address was in use then (it',
      'sent or answered something). `answer` is one of: held (`holders` has the one certain holder), free (all was watched',
      'and nobody in the cluster had it; `last` and `next` had it before and after; reason outside: no address of this',
      'cluster), ambiguous (perhaps one of `holders`, each with `why`; not certain even if it is a single one: name all, pick none), unknown (`reason` says why: gap,',
      'before-first-record, after-last-record, not-watched or expired mean that there is no record of that time, not-visible that',
      'you may not see it). For free and unknown name no holder, and do not guess from another time. Next: explain with',
      `the holder says why it ended; coverage says when anybody watched. ${ABOUT_PROVISIONAL} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.who.parameters,
    run: (ask, input) => ask('who', input),
  },
  {
    name: 'attribute_flows',
    title: 'Who were both ends of these flows?',
    description: [
      'Who were the addresses in lines of a flow log, access log or capture: up to 200 rows at once, each with its time',
      '(`at`) and one or two addresses (`source`, `destination`). Use it instead of many calls of who_had_ip. Read the',
      'time and the addresses out of each line yourself; leave ports out, and rows without an address. Rows come back in',
      'their order, with an `answer` for each end as in who_had_ip: held (one certain holder), free (nobody in the cluster;',
      'reason outside: no address of this cluster), ambiguous (perhaps one of `holders`: name all, pick none), unknown (`reason`):',
      'for free and unknown name no holder. If `more` is true, call again with the rows from number `next` on.',
      `${ABOUT_PROVISIONAL} ${ABOUT_TIMES}`,
    ].join(' '),
    input: flowsInput,
    run: attributeFlows,
  },
  {
    name: 'pod_trail',
    title: 'Where was this pod, workload or IP?',
    description: [
      'Where a pod, all pods of a workload, a Service or an address were over time: each of `stays` has the holder, its',
      'node, its address, `start`, `end` (null: not ended as far as is known), and of one that ended `cause` and',
      '`successor`. Use it for "which nodes was it on", "which addresses did it have", "who used this address this week",',
      `and to learn the names of the pods of a workload. ${ABOUT_SUBJECTS} ${ABOUT_SPAN} No stays: check name and`,
      `namespace first. ${ABOUT_COVERAGE} ${ABOUT_PROVISIONAL} ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.trail.parameters.extend({ limit }),
    list: 'stays',
    aboutSubject: ABOUT_SUBJECTS,
    run: (ask, input) => ask('trail', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'node_at',
    title: 'Which pods were on this node?',
    description: [
      'Which pods were on a node, at an instant (`at`) or at any time within a span (`since` and `until`); never both.',
      'Use it for "what was on node-7 when it rebooted". Of a span, `changes` says who came and left. `certain` false: the pod may have been there. `node` is the full',
      `name of the Node, not its address (who_had_ip finds it by address). No pods: check the name first. ${ABOUT_COVERAGE}`,
      `Next: moves with \`fromNode\` says why they left and where to. ${ABOUT_PROVISIONAL} ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.node.parameters.extend({ limit }),
    list: 'pods',
    run: (ask, input) => ask('node', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'moves',
    title: 'Which pods ended, why, and where did they go?',
    description: [
      'Pods that ended within a span, each with its `cause`, `certainty` (inferred: the traces fit but do not prove it),',
      '`sentence`, and the pod that took its place (`successor`, on node `to`; null: nobody, as far as is known). Start',
      'here for "what happened at that time", "what left node-7" (`fromNode`), "what was OOM killed" (`cause`',
      '["OOMKilled"]). A drain is Evicted, a rollout is Rollout, kubectl delete is DeletedOnRequest, a node that is lost is',
      `NodeGone or NodeUnreachable. Cause Unknown: say so, do not guess. ${ABOUT_SPAN} ${ABOUT_COVERAGE} Next: explain`,
      `with a pod of the list gives the evidence. ${ABOUT_PROVISIONAL} ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.moves.parameters.extend({ limit }),
    list: 'moves',
    run: (ask, input) => ask('moves', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'explain',
    title: 'Why did this pod end or move?',
    description: [
      'Why one pod ended or moved ("why did kafka-0 move"): `sentence` is the verdict in words, `cause` and `certainty` the',
      'same as codes, `evidence` what it rests on in the order of time (`used` true), `successor` who took its place and',
      `where, \`lifecycle\` how it lived. ${ABOUT_ONE_POD} Several pods may have had a name one after the other, as those of`,
      'a StatefulSet: `at` chooses the one that lived then, else the last before; `otherLives` lists the others. If',
      '`isAlive` is true, `predecessor` is the pod whose place it took, and why that one ended. `pod` null: there is no',
      'record of it; check name, namespace and coverage. Cause Unknown: no trace was left or nobody watched; say so, and do not',
      `guess. Certainty inferred: the traces fit but do not prove it. ${ABOUT_PROVISIONAL} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.explain.parameters,
    aboutSubject: ABOUT_ONE_POD,
    run: (ask, input) => ask('explain', input),
  },
  {
    name: 'coverage',
    title: 'When was the cluster watched?',
    description: [
      'Was podtrail watching then? Since when (`coverage.from`) and until when (`coverage.to`) the cluster was watched, and',
      'the gaps in between with their reasons. No gaps within `since` to `until`, and both within `from` to `to`: all of',
      'that time was watched. Call it before you conclude anything from an empty list or an unknown, and to learn the time',
      `of the server (\`asOf\`; it needs no input). \`to\` null of a gap: it goes on. ${ABOUT_PROVISIONAL} ${ABOUT_PAGES}`,
      ABOUT_TIMES,
    ].join(' '),
    input: QUESTIONS.gaps.parameters.extend({ limit }),
    list: 'gaps',
    run: (ask, input) => ask('gaps', { limit: DEFAULT_RECORDS, ...input }),
  },
];
