// A question as a component uses it: asked again when it changes, when time goes on, and after a failure that may pass.
// What was shown stays until the new answer is there; `isStale` says so. A skeleton is for who waits longer than 200 ms; a
// server that takes seconds to say the same again makes what is shown stale, too.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AskedParameters, ask, askPath } from './ask.ts';
import { type ApiProblem, asProblem } from './problem.ts';
import { token } from './session.ts';

export interface Asked<Document> {
  readonly document: Document | undefined;
  readonly problem: ApiProblem | undefined;
  /** The document is of another question, of before a failure, or a new one is late. */
  readonly isStale: boolean;
  /** The answer is waited for longer than a moment; of the question that is shown already, longer than some seconds. */
  readonly isSlow: boolean;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const SLOW_MS = 200;
const OTHER_SLOW_MS = 600;
const LATE_MS = 4_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

interface State<Document> {
  readonly document?: Document | undefined;
  /** Of which question the document is. */
  readonly path?: string | undefined;
  readonly problem?: ApiProblem | undefined;
  readonly isLoading: boolean;
  readonly isSlow: boolean;
}

/** `parameters` undefined: nothing is asked. `everyMs`: asked again and again. */
export function useQuestion<Document>(
  name: string,
  parameters: AskedParameters | undefined,
  { everyMs }: { readonly everyMs?: number | undefined } = {},
): Asked<Document> {
  const path = parameters === undefined ? undefined : askPath(name, parameters);
  const [state, setState] = useState<State<Document>>({ isLoading: path !== undefined, isSlow: false });
  const [turn, setTurn] = useState(0);
  // The path says all of the parameters, and is what the effect depends on.
  const latest = useRef(parameters);
  latest.current = parameters;
  const shown = useRef(state);
  shown.current = state;
  const bearer = token.value;

  useEffect(() => {
    if (path === undefined) {
      setState({ isLoading: false, isSlow: false });
      return;
    }
    const abort = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    let slow: ReturnType<typeof setTimeout> | undefined;
    const waitMs = () =>
      shown.current.document === undefined ? SLOW_MS : shown.current.path === path ? LATE_MS : OTHER_SLOW_MS;
    const run = async (retryMs: number) => {
      setState((state) => ({ ...state, isLoading: true, isSlow: false }));
      slow = setTimeout(() => setState((state) => ({ ...state, isSlow: true })), waitMs());
      try {
        const document = await ask<Document>(name, latest.current ?? {}, abort.signal);
        setState({ document, path, isLoading: false, isSlow: false });
        if (everyMs !== undefined) again = setTimeout(() => void run(FIRST_RETRY_MS), everyMs);
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = asProblem(error);
        setState((state) => ({ ...state, problem, isLoading: false, isSlow: false }));
        if (problem.isPassing) again = setTimeout(() => void run(Math.min(2 * retryMs, LAST_RETRY_MS)), retryMs);
      } finally {
        clearTimeout(slow);
      }
    };
    void run(FIRST_RETRY_MS);
    return () => {
      abort.abort();
      clearTimeout(slow);
      clearTimeout(again);
    };
  }, [path, turn, everyMs, bearer]);

  const { document, problem, isLoading, isSlow } = state;
  return {
    document: path === undefined ? undefined : document,
    problem: path === undefined ? undefined : problem,
    isStale: document !== undefined && (state.path !== path || problem !== undefined || isSlow),
    isLoading,
    isSlow,
    reload: () => setTurn((turn) => turn + 1),
  };
}
