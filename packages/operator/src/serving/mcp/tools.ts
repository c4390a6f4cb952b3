// The tools, made from the questions of the catalogue. Names and descriptions are for a model that sees them for the first
// time: they say what an answer means and what must not be concluded from it.
import { QUESTIONS } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import { attributeFlows, flowsInput } from './flows.ts';
import type { Tool } from './tool.ts';

/** Records in one answer, at most: a model reads all of them. */
const MOST_RECORDS = 100;
const DEFAULT_RECORDS = 20;

const limit = z
  .int()
  .min(1)
  .max(MOST_RECORDS)
  .default(DEFAULT_RECORDS)
  .meta({ description: `Records in the answer, at most (1 to ${MOST_RECORDS}).` });

const ABOUT_TIMES =
  'Times are RFC 3339 with a zone. `asOf` in each answer is the time of the server: use it to work out "15 minutes ago".';
const ABOUT_COVERAGE =
  '`coverage` says when the cluster was watched; in its gaps nothing can be concluded from a record that is missing.';
const ABOUT_PAGES = 'If `more` is true, call again with the same input and the `cursor` of the answer.';
const ABOUT_SUBJECTS =
  '`subject` is a pod name with its `namespace`, a pod UID, a workload as deploy/cart with its `namespace`, or an IP.';

export const TOOLS: readonly Tool[] = [
  {
    name: 'who_had_ip',
    title: 'Who had this IP then?',
    description: [
      'Which Kubernetes pod, node or Service held an IP address at an instant. Use it for one address out of a log line,',
      'an alert or a packet. `answer` is held (one certain holder), free (everything was watched and nobody had it),',
      'ambiguous (one of `holders`, each with `why`) or unknown (`reason` says why, for example nobody was watching):',
      'never name a holder for free or unknown, and never pick one of several. `provisional` true means that it may still',
      `change. ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.who.parameters,
    run: (ask, input) => ask('who', input),
  },
  {
    name: 'attribute_flows',
    title: 'Who were both ends of these flows?',
    description: [
      'The same as who_had_ip for up to 200 rows of a flow log at once: each row has the time and one or two addresses.',
      'Rows come back in their order with the answer for each end. Use it instead of many calls of who_had_ip.',
      ABOUT_TIMES,
    ].join(' '),
    input: flowsInput,
    run: attributeFlows,
  },
  {
    name: 'pod_trail',
    title: 'Where was this pod, workload or IP?',
    description: [
      'Where a pod, a workload or an address was over time, life by life: each record has the holder, its node, its',
      `address, start and end. ${ABOUT_SUBJECTS} ${ABOUT_COVERAGE} ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.trail.parameters.extend({ limit }),
    run: (ask, input) => ask('trail', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'node_at',
    title: 'Which pods were on this node?',
    description: [
      'Which pods were on a node, at an instant (`at`) or within a span (`since`, `until`). `certain` false means that a',
      `pod may have been there. ${ABOUT_COVERAGE} ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.node.parameters.extend({ limit }),
    run: (ask, input) => ask('node', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'moves',
    title: 'Which pods ended, why, and where did they go?',
    description: [
      'Pods that ended within a span, each with its cause (drain, rollout, preemption, node failure, OOM …), whether that',
      'is certain or inferred, and the pod that took its place on which node (`successor`; null: nobody, as far as is',
      `known). Start here for "what happened at that time". ${ABOUT_PAGES} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.moves.parameters.extend({ limit }),
    run: (ask, input) => ask('moves', { limit: DEFAULT_RECORDS, ...input }),
  },
  {
    name: 'explain',
    title: 'Why did this pod end?',
    description: [
      'Why one pod ended, with the evidence in the order of time (`used` marks what the verdict rests on), and its',
      'lifecycle. `cause` Unknown means that no trace was left or nobody watched: say so, and do not guess; inferred means',
      `that the traces fit but do not prove it. ${ABOUT_SUBJECTS} ${ABOUT_TIMES}`,
    ].join(' '),
    input: QUESTIONS.explain.parameters,
    run: (ask, input) => ask('explain', input),
  },
  {
    name: 'coverage',
    title: 'When was the cluster watched?',
    description: [
      'Since when and until when the cluster was watched, and the gaps in between with their reasons. Call it before',
      `concluding anything from an empty list, and to learn the time of the server (\`asOf\`). ${ABOUT_PAGES}`,
    ].join(' '),
    input: QUESTIONS.gaps.parameters.extend({ limit }),
    run: (ask, input) => ask('gaps', { limit: DEFAULT_RECORDS, ...input }),
  },
];
