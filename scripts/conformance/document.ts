// packages/machinery/CONFORMANCE.md as text. Called by scripts/check-conformance.ts; never edited by hand.
import { COMPARED, NOT_COMPARED } from './compared-files.ts';
import { type Comparison, type Entry, keyOf, oursOf } from './comparison.ts';

export function renderDocument({ upstream, entries }: Comparison): string {
  const all = [...entries.values()];
  const lines = [
    `# Conformance with ${upstream.module}`,
    '',
    `Each test of ${upstream.module} ${upstream.version} that is about the reflector, the watch-list, the FIFOs, the shared`,
    'informer, its stores and listers, the work queue and leader election, and beside it the test of ours that proves the',
    'same property, or the reason why there is none. A test that runs through a table stands here row by row where the',
    'rows carry the meaning (`TestX / row`). A note says where ours asks for something else on purpose.',
    '',
    'This document is generated from the `conformance.json` files under `src/` by',
    '`node scripts/check-conformance.ts --write`. `npm run check` fails when it is stale, when it names a test of ours',
    'that does not exist, or when a test of theirs is missing.',
    '',
    `**${all.filter((entry) => 'ours' in entry).length} of ${all.length} have a test of ours (${percent(all)} %).**`,
    '',
    '| part | tests there | with a test of ours | without |',
    '|---|---:|---:|---:|',
    ...COMPARED.map(({ title, files }) => {
      const part = entriesOf(files);
      const held = part.filter((entry) => 'ours' in entry).length;
      return `| [${title}](#${anchor(title)}) | ${part.length} | ${held} | ${part.length - held} |`;
    }),
    '',
    ...COMPARED.flatMap(({ title, files }) => [`## ${title}`, '', ...files.flatMap(section)]),
    '## Files that are not compared',
    '',
    '| file | why |',
    '|---|---|',
    ...Object.entries(NOT_COMPARED).map(([file, why]) => `| \`${file}\` | ${cell(why)} |`),
  ];
  return `${lines.join('\n')}\n`;

  function entriesOf(files: readonly string[]): Entry[] {
    return files.flatMap((file) =>
      (upstream.tests[file] ?? []).flatMap((name) => entries.get(keyOf(file, name)) ?? []),
    );
  }

  function section(file: string): string[] {
    const rows = entriesOf([file]).map((entry) => `| ${name(entry.upstream)} | ${answer(entry)} |`);
    return [`### ${file}`, '', '| theirs | ours |', '|---|---|', ...rows, ''];
  }
}

function name(upstream: string): string {
  const slash = upstream.indexOf('/');
  if (slash < 0) return `\`${upstream}\``;
  return `\`${upstream.slice(0, slash)}\` / ${cell(upstream.slice(slash + 1))}`;
}

function answer(entry: Entry): string {
  const parts = oursOf(entry).map((ours) => {
    const colon = ours.indexOf(': ');
    const file = ours.slice(0, colon);
    return `[${file}](src/${file}): ${cell(ours.slice(colon + 2))}`;
  });
  if ('absent' in entry) parts.push(`**None.** ${cell(entry.absent)}`);
  if (entry.note !== undefined) parts.push(`*${cell(entry.note)}*`);
  return parts.join('<br>');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function percent(entries: readonly Entry[]): number {
  return Math.floor((100 * entries.filter((entry) => 'ours' in entry).length) / entries.length);
}
