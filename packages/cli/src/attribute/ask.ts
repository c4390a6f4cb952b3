// Many questions at once, as `attribute` asks them: the same answers as `who` and `whoDuring`, row by row.
import {
  type AskAttributions,
  type Attribution,
  type AttributionWindows,
  inUse,
  MALFORMED,
  NOTHING_ASKED,
} from '@podtrail/history/wire';
import type { Asked, Row } from './row.ts';

/** The attributions of each row, one for each of its ends. */
export type AskRows = (rows: readonly Row[]) => Promise<readonly (readonly Attribution[])[]>;

type Question = Extract<Asked, { kind: 'ask' }>;

export function askRows(ledger: AskAttributions): AskRows {
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

export async function askAll(
  windows: AttributionWindows<Attribution>,
  questions: readonly Question[],
): Promise<Attribution[]> {
  const asked = questions.map((question) => ({ ...question, window: windows.of(question.ip) }));
  for (const { window, from, to } of asked) windows.want(window, from, to);
  await windows.read();
  const answers = asked.map(({ window, from, to }) => windows.answer(window, from, to));
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
