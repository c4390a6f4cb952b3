// An error as a condition or an event has it: what was said, without the request that it was said to, which means
// nothing to whoever reads it there, and may be another one each time. Logs keep both.

export function serverSentence(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error);
  return sentence.replaceAll(/\s+/g, ' ').replace(/^[A-Z]+ \/\S*: /, '');
}
