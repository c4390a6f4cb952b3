// One of the four answers, in word, colour and shape, so that none of them alone carries it. An address that no pod can
// have is not called free.
import type { WhoDocument } from '@podtrail/history/wire';

const SHAPES: Readonly<Record<WhoDocument['answer'], string>> = {
  ...{ held: '●', free: '○', ambiguous: '◆', unknown: '?' },
};

export function AnswerBadge({ answer }: { readonly answer: WhoDocument }) {
  const isOutside = answer.answer === 'free' && answer.reason === 'outside';
  return (
    <span class={`badge ${isOutside ? 'unknown' : answer.answer}`}>
      <span aria-hidden="true">{SHAPES[answer.answer]}</span> {isOutside ? 'outside the cluster' : answer.answer}
    </span>
  );
}
