// The questions as data: name, parameters and documents as schemas, and the one way to ask them.
export { type Asker, askPeers, askQuestion, checkedParameters, clusterOf, manyWithPeers, withPeers } from './ask.ts';
export { onlyNamespace } from './only-namespace.ts';
export { instantOf } from './parameters.ts';
export type { Question } from './question.ts';
export { type DocumentOf, QUESTIONS, type QuestionName } from './questions.ts';
