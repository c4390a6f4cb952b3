// Plain data as YAML in block style, for the files that we generate. Only what JSON can say; reading YAML is not its
// business.

type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data };

export function toYaml(value: unknown): string {
  return `${block(JSON.parse(JSON.stringify(value)) as Data, 0).join('\n')}\n`;
}

/** The lines of a value; the first one is to be placed behind its key or dash. */
function block(value: Data, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return ['[]'];
    return value.flatMap((item: Data) => {
      const [first, ...rest] = block(item, depth + 1);
      // The first key of a mapping stands beside the dash, the others under it.
      return [`${indent}- ${(first ?? '').trimStart()}`, ...rest];
    });
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return ['{}'];
    return entries.flatMap(([key, item]) => {
      const name = `${indent}${scalar(key)}:`;
      const lines = block(item, depth + 1);
      return isNested(item) ? [name, ...lines] : [`${name} ${lines[0]}`];
    });
  }
  return [typeof value === 'string' ? scalar(value) : String(value)];
}

function isNested(value: Data): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Bare only where no reader could take it for anything but this text. */
function scalar(text: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9_.\-/]*$/.test(text);
  return plain && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text);
}
