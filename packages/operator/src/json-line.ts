// One JSON value on one line, for logs and lines that other programs read. Values come from anybody who may write to the
// cluster: what a terminal or a pager would act on is written as \uXXXX, and parsing gives back exactly what was there.
// Called by every writer of JSON lines; imports nothing, so that it costs nothing to load.

/** DEL, C1, zero-width and bidirectional controls, line separators, tags: JSON leaves them as they are. */
const OBEYED =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** With its line end. */
export function jsonLine(value: unknown): string {
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
