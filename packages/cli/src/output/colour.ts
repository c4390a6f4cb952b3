// Colours for the four answers, only where a terminal shows them.
import { styleText } from 'node:util';
import type { Answer } from '@podtrail/history';

const COLOURS = { held: 'green', free: 'cyan', ambiguous: 'yellow', unknown: 'magenta' } as const;

export function answerColour(answer: Answer['answer'], colour: boolean): (text: string) => string {
  return colour ? (text) => styleText(COLOURS[answer], text, { validateStream: false }) : (text) => text;
}
