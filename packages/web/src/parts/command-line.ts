// The command that asks the same as the page, for a terminal. Pure. Words that a shell would read otherwise are quoted.

/** `who`, its words, then flags by name; a flag without a value is left out. */
export function commandLine(
  command: string,
  words: readonly string[],
  flags: Readonly<Record<string, string | undefined>>,
): string {
  const parts = ['podtrail', command, ...words.map(quoted)];
  for (const [flag, value] of Object.entries(flags))
    if (value !== undefined) parts.push(flag.length === 1 ? `-${flag}` : `--${flag}`, quoted(value));
  return parts.join(' ');
}

export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
