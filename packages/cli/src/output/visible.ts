// Text from a cluster is written by anybody who may create a pod. Before it reaches a terminal or a log, everything
// that a terminal would obey or that would turn the reading order is written out as an escape. JSON keeps the bytes.

/** C0 and C1 controls, DEL, zero-width and bidirectional controls, line separators, tags, and lone surrogates. */
const OBEYED =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** The same text on one line, with nothing in it that a terminal acts on. */
export function visible(text: string): string {
  return text.replace(OBEYED, escaped);
}

function escaped(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
