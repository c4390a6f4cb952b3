// What is shown where there is no data: because nothing matches, because it does not come, because it went wrong. Each
// says which applies, and what to do.
import type { ComponentChildren } from 'preact';
import type { ApiProblem } from '../api/problem.ts';
import { sentence } from './sentence.ts';

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state" role="status">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

export function ProblemNote({ problem, onRetry }: { readonly problem: ApiProblem; readonly onRetry?: () => void }) {
  return (
    <div class="state problem" role="alert">
      <strong>{sentence(problem.message)}</strong>
      {problem.hint !== undefined && <p>{sentence(problem.hint)}</p>}
      {problem.isPassing && <p class="muted">Asking again …</p>}
      {/* The same question would be refused again. */}
      {!problem.isPassing && onRetry !== undefined && (problem.status < 400 || problem.status > 499) && (
        <button type="button" onClick={onRetry}>
          Ask again
        </button>
      )}
      {problem.requestId !== undefined && (
        <p class="muted small">
          {problem.said !== undefined && `The server said: ${problem.said}. `}Request {problem.requestId}
        </p>
      )}
    </div>
  );
}

/** Beside what is dimmed: at the edge of the window, so that nothing moves. */
export function Waiting({ children = 'Waiting: what is shown is older.' }: { readonly children?: string }) {
  return (
    <p class="waiting" role="status">
      {children}
    </p>
  );
}

export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} />
      ))}
    </div>
  );
}
