// Colours for the four answers, and for verdicts by how sure they are, only where a terminal shows them.
import { styleText } from 'node:util';
import type { Answer, Verdict } from '@podtrail/history';

const COLOURS = { held: 'green', free: 'cyan', ambiguous: 'yellow', unknown: 'magenta' } as const;

export function answerColour(answer: Answer['answer'], colour: boolean): (text: string) => string {
  return colour ? (text) => styleText(COLOURS[answer], text, { validateStream: false }) : (text) => text;
}

/** The first line, which has the verdict; what follows is detail. */
export function verdictColour(verdict: Verdict | undefined, colour: boolean): (text: string) => string {
  if (!colour || verdict === undefined) return (text) => text;
  const style = verdict.cause === 'Unknown' ? 'magenta' : verdict.certainty === 'certain' ? 'green' : 'yellow';
  return (text) => text.replace(/^.*/, (line) => styleText(style, line, { validateStream: false }));
}
