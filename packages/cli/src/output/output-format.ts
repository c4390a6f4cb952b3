// The ways in which records can be printed (`-o`).

export const FORMATS = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof FORMATS)[number];

export function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}
