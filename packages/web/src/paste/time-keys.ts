// What the word before a time says of it: `start_time=`, `"expires":`, `at`. Called for times and for numbers that may be
// one. Pure.

export interface TimeKey {
  /** As it stands in the text; empty where there is none, or one that says nothing of a time. */
  readonly key: string;
  /** thing: when something was made or ends, not when the line was written. other: behind it no number is a time. */
  readonly says: 'time' | 'start' | 'thing' | 'other' | '';
}

/** A word, a sign of assignment or a blank, quotes and brackets, a day of the week. */
const KEY = /([\w@-]*[a-z][\w@-]*)\\?["']?(\s*[=:([]|\s)[\\"'[(\s]*(?:[a-z]{3,9}, )?$/i;
const OTHER = /mono|(?:up|run)time|\b(?:seq|user|id)\b/i;
const THING = /creat|expir|\bend|transition|modif|after|\blast|updat|\breceive\b/i;
const TIME = /time|stamp|\b(?:date|ts|epoch|start\w*|at|values|tuples|audit)\b/i;
const LONGEST = 60;

export function keyBefore(text: string, index: number): TimeKey {
  const [, key = '', sign = ''] = KEY.exec(text.slice(Math.max(0, index - LONGEST), index)) ?? [];
  const words = key.replace(/([a-z])(?=[A-Z])|[_@-]/g, '$1 ');
  if (OTHER.test(words)) return { key, says: 'other' };
  if (THING.test(words)) return { key, says: 'thing' };
  if (TIME.test(words)) return { key, says: /\bstart/i.test(words) ? 'start' : 'time' };
  return sign.trim() === '' ? { key: '', says: '' } : { key, says: 'other' };
}
