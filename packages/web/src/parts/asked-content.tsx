// What every view does with an asked question: the content where there is a document (dimmed while it is stale), the
// problem above it, a skeleton for who waits.
import type { ComponentChildren } from 'preact';
import type { Asked } from '../api/use-question.ts';
import { ProblemNote, Skeleton, Waiting } from './states.tsx';

export function AskedContent<Document>({
  asked,
  children,
  lines,
}: {
  readonly asked: Asked<Document>;
  readonly children: (document: Document) => ComponentChildren;
  readonly lines?: number;
}) {
  const { document, problem, isStale, isSlow, reload } = asked;
  // Who signs out sees it in the frame, once.
  const isShown = problem !== undefined && problem.status !== 401;
  return (
    <>
      {isShown && <ProblemNote problem={problem} onRetry={reload} />}
      {document === undefined && isSlow && !isShown && <Skeleton lines={lines ?? 3} />}
      {document !== undefined && isSlow && !isShown && <Waiting />}
      {document !== undefined && (
        <div class={isStale ? 'stale' : undefined} aria-busy={isStale}>
          {children(document)}
        </div>
      )}
    </>
  );
}
