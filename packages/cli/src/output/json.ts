// JSON for programs. Bytes of names and values are kept, written so that a terminal does not obey them: JSON escapes
// the C0 controls itself, the rest is escaped here, and parsing gives back exactly what was stored.

/** DEL, C1, zero-width and bidirectional controls, line separators: JSON leaves them as they are, a terminal does not. */
const OBEYED =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

export function formatJson(value: unknown): string {
  return `${escapeControls(JSON.stringify(value, undefined, 2))}\n`;
}

/** One value on one line. */
export function formatJsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`;
}

/** Of text in which these characters stand in double quotes only. */
export function escapeControls(json: string): string {
  return json.replace(OBEYED, (chars) => {
    let escaped = '';
    for (let i = 0; i < chars.length; i++) escaped += `\\u${chars.charCodeAt(i).toString(16).padStart(4, '0')}`;
    return escaped;
  });
}
