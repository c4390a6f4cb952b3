// The OpenAPI documents of the aggregated API: an independent validator takes both, and a client generated from the newer
// one type-checks. (The generator reads OpenAPI 3 only; kubectl reads both.)
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiV2, openApiV3 } from '../aggregated/open-api.ts';

const SOON = { timeout: 120_000 };
const TSC = fileURLToPath(new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url));

for (const [name, document] of [
  ['3', openApiV3()],
  ['2', openApiV2()],
] as const) {
  test(`an independent validator takes the document of OpenAPI ${name}`, SOON, async () => {
    const copy = JSON.parse(JSON.stringify(document));
    const { valid, errors } = await new Validator().validate(copy);
    assert.ok(valid, JSON.stringify(errors, null, 1));
  });
}

test('a client that is generated from it type-checks', SOON, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-aggregated-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const types = astToString(await openapiTS(JSON.parse(JSON.stringify(openApiV3())) as OpenAPI3));
  await writeFile(join(directory, 'api.ts'), types);
  const use = `import type { components, paths } from './api.ts';
export type Tenure = components['schemas']['dev.podtrail.history.v1.Tenure'];
export type List = paths['/apis/history.podtrail.dev/v1/namespaces/{namespace}/tenures']['get'];
export const ip = (tenure: Tenure): string | undefined => tenure.ip;
// @ts-expect-error: there is no such field
export const colour = (tenure: Tenure): string => tenure.colour;
`;
  await writeFile(join(directory, 'use.ts'), use);
  const flags = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions'];
  const { stdout } = await promisify(execFile)(process.execPath, [TSC, ...flags, '--types', '', 'use.ts'], {
    cwd: directory,
  }).catch((error: { readonly stdout: string }) => error);
  assert.equal(stdout, '');
});
