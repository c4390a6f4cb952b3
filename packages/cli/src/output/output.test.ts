import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { csvField, csvRecord, formatCsv } from './csv.ts';
import { formatJson, formatJsonLine } from './json.ts';
import { formatTable } from './table.ts';
import { visible } from './visible.ts';
import { formatYaml } from './yaml.ts';

/** What a hostile annotation may hold: a title change, a hyperlink, colours, a bell, an overwritten line, turned text. */
const HOSTILE =
  '\u001b]0;owned\u0007 \u001b]8;;http://evil\u001b\\link \u001b[2J\u001b[31m \r\nroot# \u009b31m \u202egnp.exe\u2066 \u200b\ufeff\u{e0041}';
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u{e0041}/u;

test('fault 29: nothing that a terminal obeys passes into text, tables, JSON or YAML', () => {
  const table = formatTable([HOSTILE], [{ header: 'VALUE', cell: (v) => v }], { wide: false, headers: true });
  for (const text of [
    visible(HOSTILE),
    table,
    formatJson({ HOSTILE }),
    formatJsonLine({ HOSTILE }),
    formatYaml({ HOSTILE }),
  ]) {
    assert.doesNotMatch(text, OBEYED);
  }
  assert.equal(table.split('\n').length, 3, 'a newline in a value makes no row');
  assert.equal(visible('\u001b[31m\r\n\t\u202e\u009b'), '\\e[31m\\r\\n\\t\\u{202e}\\x9b');
});

test('fault 29: JSON and YAML keep the bytes', () => {
  assert.deepEqual(JSON.parse(formatJson({ HOSTILE })), { HOSTILE });
  assert.deepEqual(JSON.parse(formatJsonLine([HOSTILE])), [HOSTILE]);
  assert.deepEqual(
    parse(formatYaml({ a: { HOSTILE }, b: 'plain', c: 'two\nlines', d: `${'long '.repeat(40)}\n${HOSTILE}` })),
    {
      a: { HOSTILE },
      b: 'plain',
      c: 'two\nlines',
      d: `${'long '.repeat(40)}\n${HOSTILE}`,
    },
  );
});

test('letters of all scripts and pictures stay as they are', () => {
  const text = 'Zoë 東京 🚀 עברית';
  assert.equal(visible(text), text);
  assert.match(formatJson({ text }), /Zoë 東京 🚀 עברית/);
});

test('half a surrogate is shown as an escape', () => {
  assert.equal(visible('a\ud83d!'), 'a\\u{d83d}!');
  assert.equal(visible('a\ude80!'), 'a\\u{de80}!');
});

test('fault 29: a CSV value that a spreadsheet would run is defused', () => {
  for (const formula of ['=cmd()', '+cmd()', '-cmd()', '@SUM(A1)', '\tx', "=1+1';DROP"]) {
    assert.ok(csvField(formula).replace(/^"/, '').startsWith("'"), formula);
  }
  assert.equal(csvField('=cmd()'), "'=cmd()");
  assert.equal(csvField('=HYPERLINK("x","y")'), '"\'=HYPERLINK(""x"",""y"")"');
});

test('numbers keep their sign in CSV', () => {
  for (const number of ['-5', '+1.5', '-.5', '-1e9']) assert.equal(csvField(number), number);
});

test('CSV quotes as RFC 4180 wants it', () => {
  assert.equal(csvRecord(['a', 'b,c', 'say "hi"', 'two\nlines', '']), 'a,"b,c","say ""hi""","two\nlines",\r\n');
  const columns = [{ name: 'x', value: (n: number) => String(n) }];
  assert.equal(formatCsv([1, 2], columns, true), 'x\r\n1\r\n2\r\n');
  assert.equal(formatCsv([1], columns, false), '1\r\n');
});

test('a table pads its columns, shows what is missing, and leaves no blanks at line ends', () => {
  const columns = [
    { header: 'NAME', cell: (r: { n: string; v: string }) => r.n },
    { header: 'NODE', cell: (r: { n: string; v: string }) => r.v },
    { header: 'MORE', wide: true, cell: () => 'more' },
  ];
  const rows = [
    { n: 'a', v: 'worker-2' },
    { n: '東京-long', v: '' },
  ];
  const narrow = 'NAME        NODE\na           worker-2\n東京-long   <none>\n';
  assert.equal(formatTable(rows, columns, { wide: false, headers: true }), narrow);
  const wide = 'a           worker-2   more\n東京-long   <none>     more\n';
  assert.equal(formatTable(rows, columns, { wide: true, headers: false }), wide);
});
