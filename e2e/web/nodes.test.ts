// Nodes in a real browser, on the stage.demo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodesDocument } from '@podtrail/history/wire';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';

const stage = useDemo();

test('keys step through time, play goes on to now, and the URL says which instant it is', { skip: SKIP }, async () => {
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie() });
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/nodes`);
  await page.keyboard.press('[');
  await page.waitForURL(/[?&]at=/);
  const one = page.url();
  await page.keyboard.press('[');
  await page.waitForURL((url) => url.href !== one);
  await page.keyboard.press(']');
  await page.waitForURL(one);
  await watched.settled();
  await page.keyboard.press('Space');
  await page.waitForURL(`${stage.demo.origin}/nodes`);
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.keyboard.press('[');
  await page.waitForURL(/[?&]at=/);
  await page.keyboard.press('t');
  await page.waitForURL(`${stage.demo.origin}/nodes`);
  assert.deepEqual(watched.problems, []);
});

test('two instants beside each other: who arrived, left and stayed, and who moved where', { skip: SKIP }, async () => {
  const against = new Date(Date.now() - 6 * 3_600_000).toISOString();
  const at = new Date(Date.now() - 60_000).toISOString();
  const { nodes, moved } = await stage.demo.ask<NodesDocument>(`/api/v1/nodes?at=${at}&against=${against}`);
  await using watched = await stage.browser.open({ cookie: await stage.demo.cookie(), zone: 'Asia/Tokyo' });
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/nodes?at=${at}&against=${against}`);
  const inTokyo = (time: string) =>
    new Date(Date.parse(time) + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  assert.equal(await page.getByLabel('At', { exact: true }).inputValue(), inTokyo(at));
  assert.equal(await page.getByLabel('Compared with').inputValue(), inTokyo(against));
  assert.equal(await page.getByRole('slider').getAttribute('aria-valuetext'), inTokyo(at));
  const [first] = nodes;
  const { arrived = -1, left = -1, stayed = -1 } = first?.compared ?? {};
  const text = (await page.locator('.tile').first().innerText()).replaceAll(/\s+/g, ' ');
  assert.match(text, new RegExp(`\\+${arrived}.*−${left}.*=${stayed}`));
  assert.equal(
    await page.locator('section[aria-label="Table of moved pods"] tbody tr').count(),
    Math.min(200, moved?.length ?? 0),
  );
  assert.deepEqual(watched.problems, []);
});

test('one workload is counted on every node, and all workloads can be chosen', { skip: SKIP }, async () => {
  const key = 'kube-system/DaemonSet/kube-proxy';
  const at = new Date(Date.now() - 60_000).toISOString();
  const { nodes, workloads } = await stage.demo.ask<NodesDocument>(`/api/v1/nodes?at=${at}&workload=${key}`);
  await using watched = await stage.open(`/nodes?at=${at}&colour=workload`);
  const { page } = watched;
  const select = page.getByLabel('Workload');
  assert.equal(await select.locator('option').count(), workloads.length + 1);
  assert.match(await page.locator('.tile').first().innerText(), /\d+ pods/, 'none is chosen yet');
  await select.selectOption(key);
  await page.waitForURL(/workload=/);
  await watched.settled();
  const counts = await page.locator('.tile strong').allInnerTexts();
  assert.deepEqual(
    counts,
    nodes.map(({ workloadPods }) => String(workloadPods)),
  );
  assert.ok(
    counts.every((count) => count === '1'),
    'it runs on each',
  );
  assert.deepEqual(watched.problems, []);
});
