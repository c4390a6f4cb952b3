// Many questions at once, as `attribute` asks them: the same answers as `who` and `whoDuring`, row by row.
import { type AnsweredHolder, AnswerWindows, type Engine, type EpochMillis, type Overlap } from '@podtrail/history';
import { type Attributed, type Attribution, MALFORMED, NOTHING_ASKED } from './columns.ts';
import type { Asked, Row } from './row.ts';
import { inUse } from './traffic.ts';

/** The attributions of each row, one for each of its ends. */
export type AskRows = (rows: readonly Row[]) => Promise<readonly (readonly Attribution[])[]>;

export type AskWindows<T> = Pick<
  AnswerWindows<T>,
  'of' | 'want' | 'wantDuring' | 'read' | 'answer' | 'answerDuring' | 'askEach' | 'askEachDuring'
>;

/**
 * The ledger that is asked; `spell` makes of each answer what the rows need. `aboutFree`: what is said of addresses that
 * nobody had is wanted too.
 */
export type AskLedger = <T>(spell: (attribution: Attribution) => T, aboutFree: boolean) => AskWindows<T>;

export function askLedger(engine: Engine, cluster: string, now: EpochMillis): AskLedger {
  return (spell, aboutFree) =>
    new AnswerWindows(engine, {
      cluster,
      now,
      aboutFree,
      spell: (answer, holders, provisional, overlaps, free, isOnly) =>
        spell({
          answer,
          holders: holders.map((holder, i) => attributed(holder, overlaps?.[i])),
          provisional,
          reason: free?.reason,
          isOnly,
          last: free?.last && attributed(free.last),
          next: free?.next && attributed(free.next),
        }),
    });
}

type Question = Extract<Asked, { kind: 'ask' }>;

export function askRows(ledger: AskLedger): AskRows {
  const windows = ledger((attribution) => attribution, true);
  return async (rows) => {
    const questions: Question[] = [];
    for (const { asked } of rows) for (const one of asked) if (one.kind === 'ask') questions.push(one);
    const answers = await askAll(windows, questions);
    let next = 0;
    return rows.map(({ asked }) =>
      asked.map((one) => {
        if (one.kind === 'ask') return weighed(answers[next++] as Attribution, one);
        return one.kind === 'none' ? NOTHING_ASKED : MALFORMED;
      }),
    );
  };
}

async function askAll(windows: AskWindows<Attribution>, questions: readonly Question[]): Promise<Attribution[]> {
  const asked = questions.map((question) => ({ ...question, window: windows.of(question.ip) }));
  for (const { window, from, to } of asked) {
    if (from === to) windows.want(window, from);
    else windows.wantDuring(window, from, to);
  }
  await windows.read();
  const answers = asked.map(({ window, from, to }) =>
    from === to ? windows.answer(window, from) : windows.answerDuring(window, from, to),
  );
  const isLeft = (_: Question, i: number) => answers[i] === undefined;
  const left = questions.filter(isLeft);
  const moments = await windows.askEach(left.flatMap(({ ip, from, to }) => (from === to ? [{ ip, at: from }] : [])));
  const stretches = await windows.askEachDuring(
    left.flatMap(({ ip, from, to }) => (from === to ? [] : [{ ip, from, to }])),
  );
  let moment = 0;
  let stretch = 0;
  return answers.map((answer, i) => {
    if (answer !== undefined) return answer;
    const { from, to } = questions[i] as Question;
    return (from === to ? moments[moment++] : stretches[stretch++]) as Attribution;
  });
}

function weighed(attribution: Attribution, { sent, from, to }: Question): Attribution {
  return sent ? inUse(attribution, from, to) : attribution;
}

function attributed(
  { kind, namespace, name, uid, node, workload, start, end }: AnsweredHolder,
  overlap?: Overlap | undefined,
): Attributed {
  const bounds = { since: start.notBefore, until: end?.notAfter };
  return { kind, namespace, name, uid, node, workload, from: start.at, to: end?.at, ...bounds, overlap };
}
