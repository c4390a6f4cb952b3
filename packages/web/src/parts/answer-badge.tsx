// One of the four answers, in word, colour and shape, so that none of them alone carries it.

export type AnswerWord = 'held' | 'free' | 'ambiguous' | 'unknown';

const SHAPES: Readonly<Record<AnswerWord, string>> = { held: '●', free: '○', ambiguous: '◆', unknown: '?' };

export function AnswerBadge({ answer }: { readonly answer: AnswerWord }) {
  return (
    <span class={`badge ${answer}`}>
      <span aria-hidden="true">{SHAPES[answer]}</span> {answer}
    </span>
  );
}
