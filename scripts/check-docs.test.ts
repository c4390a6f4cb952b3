import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findDocFaults } from './check-docs.ts';
import { madeUpTree } from './testing/made-up-tree.ts';

const BASE = {
  'package.json': '{"scripts":{"test":"x","check":"y"}}',
  'packages/machinery/src/clock.ts': '',
  'packages/machinery/README.md': '# machinery\n\nSee `src/clock.ts`.\n',
  'docs/adr/one.md': '# One decision: why?\n',
};
const faultsOf = (t: TestContext, files: Record<string, string>) => findDocFaults(madeUpTree(t, { ...BASE, ...files }));

test('what exists is not reported', (t) => {
  const readme = `
# Title
A file \`packages/machinery/src/clock.ts\`, a bare name \`clock.ts\`, bare names \`*.ts\`, an ending \`.ts\`, a folder \`docs/\`, a glob \`packages/*/README.md\`.
Not paths: \`/api/v1\`, \`@podtrail/machinery\`, \`a b/c.ts\`, \`application/json\`, \`v1/pods\`, https://x.invalid/y.ts.
[a link](docs/adr/one.md), [a heading](docs/adr/one.md#one-decision-why), [here](#title), [away](https://x.invalid/).
\`\`\`sh
npm run check && npm test  # not npm run nothing
\`\`\`
\`\`\`text
npm run whatever packages/none.ts
\`\`\`
`;
  assert.deepEqual(faultsOf(t, { 'README.md': readme }), []);
});

const missing: Record<string, [string, RegExp]> = {
  'a missing file in a folder of ours': [
    '`packages/machinery/src/gone.ts`',
    /^README\.md names packages\/machinery\/src\/gone\.ts/,
  ],
  'a missing folder': ['`attic/`', /names attic\//],
  'a missing bare file name': ['`gone.ts`', /names gone\.ts/],
  'a bare glob without match': ['`*.gone.ts`', /names \*\.gone\.ts/],
  'a glob without match': ['`packages/*/gone.md`', /names packages\/\*\/gone\.md/],
  'a link to a missing file': ['[x](docs/gone.md)', /links to docs\/gone\.md, which does not exist/],
  'a link to a missing heading': [
    '[x](docs/adr/one.md#two)',
    /links to docs\/adr\/one\.md#two, but there is no such heading/,
  ],
  'a link to a missing heading in the same file': ['[x](#two)', /links to #two, but there is no such heading/],
  'a missing npm script in prose': ['`npm run gone`', /names the npm script gone/],
  'a missing npm script in a sh fence': ['```sh\nnpm ci && npm run gone\n```', /names the npm script gone/],
  'npm start without such a script': ['```sh\nnpm ci && npm start\n```', /names the npm script start/],
  'a missing path in a sh fence': ['```sh\nnode packages/gone.ts\n```', /names packages\/gone\.ts/],
  'a line number after a file name': ['see clock.ts:42', /cites a line number \(clock\.ts:42\)/],
  'a line number in words': ['on line 42', /cites a line number \(line 42\)/],
};
for (const [what, [text, expected]] of Object.entries(missing)) {
  test(`${what} is caught`, (t) => {
    const faults = faultsOf(t, { 'README.md': `${text}\n` });
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', expected);
  });
}

test('a row of the trace names what is in its file, by its whole name', (t) => {
  const files = { 'packages/machinery/src/clock.ts': 'class A { #tick() {} }\nexport function sleepLong() {}\n' };
  const row = (name: string) =>
    `| | file | |\n|---|---|---|\n| 1 | \`packages/machinery/src/clock.ts\`, \`${name}\` | x |\n`;
  assert.deepEqual(faultsOf(t, { ...files, 'docs/trace.md': row('#tick') }), []);
  for (const name of ['tick', 'sleep']) {
    const faults = faultsOf(t, { ...files, 'docs/trace.md': row(name) });
    assert.deepEqual(faults, [`docs/trace.md names ${name}, which is not in packages/machinery/src/clock.ts`]);
  }
});

test('decisions may name what is not there yet, but their links must hold', (t) => {
  const faults = faultsOf(t, { 'docs/adr/two.md': 'Later `packages/later/src/x.ts`. [x](three.md)\n' });
  assert.deepEqual(faults, ['docs/adr/two.md links to three.md, which does not exist']);
});

test('documents of dependencies are left alone', (t) => {
  assert.deepEqual(faultsOf(t, { 'node_modules/x/README.md': '[x](gone.md) `gone.ts`' }), []);
});
