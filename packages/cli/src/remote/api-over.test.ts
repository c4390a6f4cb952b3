// Everything that is served over HTTP is described in /openapi.json, and what commands are answered with is as it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger } from '@podtrail/operator/serving';
import { startedServer } from '@podtrail/operator/serving/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { aStory, at } from '../testing/story.ts';
import { apiOver } from './api-over.ts';
import { commandSchema, ranSchema } from './command-schemas.ts';

const SOON = { timeout: 60_000 };

async function routes() {
  const engine = await aStory();
  const clock = new ManualClock(at(201));
  return apiOver(new AskedLedger(engine, clock), { engine, commandEnv: { clock, random: systemRandom } });
}

test('every route is described, commands and tools with what is posted and answered', SOON, async (t) => {
  const all = await routes();
  const { get } = await startedServer(t, all);
  const document = await (await get('/openapi.json')).json();
  for (const { method, path } of all) assert.ok(document.paths[path]?.[method.toLowerCase()], `${method} ${path}`);
  for (const path of ['/mcp', '/api/v1/commands']) {
    const { requestBody, responses } = document.paths[path].post;
    for (const { content } of [requestBody, responses[200]])
      assert.match(content['application/json'].schema.$ref, /^#\/components\/schemas\/(?:Mcp|Commands)Re/);
  }
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors, null, 1));
});

test('a command is answered as it is described, and one that is not described is refused', SOON, async (t) => {
  const { get } = await startedServer(t, await routes());
  const ask = async (command: object) => {
    const headers = { 'content-type': 'application/json' };
    return await get('/api/v1/commands', { method: 'POST', headers, body: JSON.stringify(command) });
  };
  const around = { zone: 'UTC', namespace: null, colour: false };
  const questions = [['10.0.0.7', at(30), at(30)] as [string, number, number]];
  for (const command of [
    { ...around, words: ['who', '10.0.0.7', '--at', '2026-11-15T10:00:30Z', '-o', 'json'] },
    { ...around, words: ['who', 'nonsense'] },
    { ...around, words: ['attribute'], asked: { aboutFree: true, questions } },
  ]) {
    commandSchema.parse(command);
    const response = await ask(command);
    assert.equal(response.status, 200);
    const ran = ranSchema.parse(await response.json());
    assert.equal(ran.attributions?.answers.length, 'asked' in command ? 1 : undefined);
  }
  assert.equal((await ask({ ...around, words: [] })).status, 400);
  assert.equal((await ask({ ...around, words: ['gaps'], files: [] })).status, 400);
});
