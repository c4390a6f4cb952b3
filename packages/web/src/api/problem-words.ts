// Problems whose sentence is written for who calls the API, in the words of the page: what is wrong, and what to do. What
// the server said stays beside it. Pure.

const WORDS: Readonly<Record<string, readonly [cause: string, next: string]>> = {
  'bad-parameter': ['A part of this question is not understood', 'look at the times and the filters.'],
  'bad-subject': ['This subject is not understood', 'give the namespace of a name in the field beside it.'],
  'choose-cluster': ['This ledger has several clusters', 'choose one at the top.'],
  'unknown-cluster': ['This ledger has no such cluster', 'choose another at the top.'],
  'empty-store': ['Nothing is recorded yet', 'start a recorder: podtrail record, or the operator.'],
  busy: ['podtrail is busy', 'this page asks again by itself.'],
  internal: ['podtrail failed to answer', 'its log has the cause under this request.'],
};

export function problemWords(code: string): readonly [cause: string, next: string] | undefined {
  return Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
}
