// POST /api/v1/who: up to a thousand questions about addresses in one request, answered in their order. All of them about
// one cluster are answered from one state of the ledger.
import { type Cluster, type Snapshot, withSnapshot } from '@podtrail/history/wire';
import {
  type Asker,
  checkedParameters,
  clusterOf,
  type DocumentOf,
  manyWithPeers,
  QUESTIONS,
  type Question,
} from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import { jsonReply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import type { AskedLedger, AskedReader } from './asked-ledger.ts';
import { historyProblem } from './history-problems.ts';
import { API, type Operation } from './operation.ts';
import { QueryParameters } from './query-parameters.ts';

/** In sentences. */
const NAME = 'POST who';
const MOST_QUESTIONS = 1_000;
const MOST_BYTES = 1_000_000;
/** On the way to the store at once: they travel together. */
const TOGETHER = 64;

type Who = DocumentOf<'who'>;
type Checked = Parameters<typeof QUESTIONS.who.ask>[1];

const questionsSchema = z.strictObject({
  questions: z
    .array(QUESTIONS.who.parameters)
    .min(1)
    .max(MOST_QUESTIONS)
    .meta({ description: `What to ask, at most ${MOST_QUESTIONS}.` }),
});
const none = z.strictObject({});
const NONE = new QueryParameters(none);
const answersSchema = z.strictObject({
  answers: z.array(QUESTIONS.who.document).meta({ description: 'One for each question, in the same order.' }),
});

export function whoBatch(ledger: AskedLedger): Operation {
  return {
    ...{ method: 'POST', path: `${API}/who`, id: 'whoMany' },
    summary: `The same for up to ${MOST_QUESTIONS} addresses and instants at once.`,
    query: none,
    body: { 'application/json': questionsSchema },
    reply: { 'application/json': answersSchema },
    handle: async (request) => {
      // An `at` here would be taken for that of all questions, and they would be answered about now.
      NONE.checked(NAME, request.query);
      const body = await request.body.json(MOST_BYTES);
      const asker = ledger.asker(await request.visibility());
      const answers = await ledger.ask(() => answer(ledger, ledger.readerFor(request), asker, body), false, request);
      return jsonReply({ answers });
    },
  };
}

async function answer(ledger: AskedLedger, reader: AskedReader, asker: Asker, body: unknown): Promise<readonly Who[]> {
  const schema = { name: NAME, parameters: questionsSchema } as unknown as Question;
  const { questions } = checkedParameters(schema, body) as { readonly questions: readonly Checked[] };
  const clusters = await ledger.clusters();
  const byCluster = new Map<Cluster, number[]>();
  for (const [i, question] of questions.entries()) {
    const cluster = clusterOf(clusters, question.cluster);
    const places = byCluster.get(cluster) ?? [];
    byCluster.set(cluster, places);
    places.push(i);
  }
  const answers: Who[] = [];
  for (const [cluster, places] of byCluster) {
    const askEach = (snapshot: Snapshot, some: readonly number[], namesCollectors?: true) =>
      eachOf(some, (i) => {
        const of = { snapshot, cluster, ...asker, ...(namesCollectors && { namesCollectors }) };
        return QUESTIONS.who.ask(of, questions[i] as Checked).catch((error) => {
          throw ofQuestion(i, error);
        });
      });
    const own = await withSnapshot(reader, cluster.id, (snapshot) => askEach(snapshot, places));
    const said = await manyWithPeers(reader, cluster, own, (snapshot, open) =>
      askEach(
        snapshot,
        open.map((i) => places[i] as number),
        true,
      ),
    );
    for (const [i, place] of places.entries()) answers[place] = said[i] as Who;
  }
  return answers;
}

async function eachOf(places: readonly number[], ask: (place: number) => Promise<Who>): Promise<readonly Who[]> {
  const answers: Who[] = [];
  for (let from = 0; from < places.length; from += TOGETHER) {
    answers.push(...(await Promise.all(places.slice(from, from + TOGETHER).map(ask))));
  }
  return answers;
}

/** Which of them is wrong. What the store says about itself is said as it is. */
function ofQuestion(i: number, error: unknown): unknown {
  const problem = historyProblem(error);
  if (!(problem instanceof Problem) || problem.status !== 400) return error;
  return new Problem(400, problem.code, `questions.${i}: ${problem.message}`, { hint: problem.hint, cause: error });
}
