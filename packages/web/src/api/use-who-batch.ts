// Who held each of several addresses at one instant, in one request: what the addresses of a pasted line are shown with.
// It adds to an answer and is none itself, so that a failure is not shown: the card says what is wrong.
import type { WhoDocument } from '@podtrail/history/wire';
import { useEffect, useState } from 'preact/hooks';
import { send } from './ask.ts';

/** By address. `at` undefined: now. Fewer than two addresses are not asked about. */
export function useWhoBatch(
  ips: readonly string[],
  at: string | undefined,
  cluster: string | undefined,
): ReadonlyMap<string, WhoDocument> {
  const [answers, setAnswers] = useState<ReadonlyMap<string, WhoDocument>>(new Map());
  const asked = JSON.stringify({ ips, at, cluster });
  useEffect(() => {
    setAnswers(new Map());
    if (ips.length < 2) return;
    const abort = new AbortController();
    // What is undefined is left out.
    const body = JSON.stringify({ questions: ips.map((ip) => ({ ip, at, cluster })) });
    const run = async () => {
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
      const response = await send('/api/v1/who', init, abort.signal);
      const { answers } = (await response.json()) as { readonly answers: readonly WhoDocument[] };
      setAnswers(new Map(answers.map((answer, i) => [ips[i] ?? '', answer])));
    };
    run().catch(() => {});
    return () => abort.abort();
  }, [asked]);
  return answers;
}
