// JSON for programs. Bytes of names and values are kept, written so that a terminal does not obey them: JSON escapes
// the C0 controls itself, the rest is escaped as in the logs, and parsing gives back exactly what was stored.
import { escapeControls, jsonLine } from '@podtrail/operator/json-line';

export { escapeControls };

export function formatJson(value: unknown): string {
  return `${escapeControls(JSON.stringify(value, undefined, 2))}\n`;
}

/** One value on one line. */
export const formatJsonLine: (value: unknown) => string = jsonLine;
