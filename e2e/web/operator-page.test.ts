// The page as an operator serves it on a real control plane: people sign in with a token, and see the namespaces in which
// its owner may list pods. `npm run e2e -- web/operator`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until, useCluster } from '../controlplane/index.ts';
import { install } from '../operator-stage.ts';
import { Hand } from '../podtracker-stage.ts';
import { askDirectly } from '../serving-requests.ts';
import { type ServedHistory, serveHistory } from '../serving-stage.ts';
import { SKIP, WebBrowser } from './browser.ts';
import type { WatchedPage } from './watched-page.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const skip = cluster.skip === false ? SKIP : cluster.skip;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
const VIEWS = ['/', '/trail', '/nodes', '/feed', '/health'];
let served: ServedHistory;
let browser: WebBrowser;

const kubectl = (words: string) => cluster.kubectl(words.split(' '));
const tokenOf = async (name: string) => (await kubectl(`create token ${name} -n shop --audience=podtrail`)).trim();

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await kubectl(`create namespace ${namespace}`);
  await hand.createNode('node-1');
  served = await serveHistory(stage, plane, 'history-0');
  await served.operator.untilReady();
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  await hand.createPod('vault', 'gold', 'node-1', '10.1.0.3');
  for (const name of ['robot', 'auditor', 'nobody']) await kubectl(`create serviceaccount ${name} -n shop`);
  await kubectl('create rolebinding robot-views -n shop --clusterrole=view --serviceaccount=shop:robot');
  await kubectl('create clusterrolebinding auditor-views --clusterrole=view --serviceaccount=shop:auditor');
  const sees = async (name: string, ip: string) => {
    const headers = { Authorization: `Bearer ${await tokenOf(name)}` };
    const { body } = await askDirectly(served.port, `/api/v1/who?ip=${ip}`, { headers });
    return JSON.parse(body).answer === 'held';
  };
  await until('the pods are recorded, and the rights are in force', async () => {
    const seen = await Promise.all([
      sees('auditor', '10.1.0.1'),
      sees('auditor', '10.1.0.3'),
      sees('robot', '10.1.0.1'),
    ]);
    return seen.every((one) => one);
  });
  browser = await WebBrowser.start();
});

after(async () => {
  await browser?.end();
  for (const leave of leavings.reverse()) await leave();
});

async function signedIn(name: string, path: string): Promise<WatchedPage> {
  // The certificate is of an authority of the operator's own, which no browser knows.
  const watched = await browser.open({ trustsAnyCertificate: true });
  await watched.goto(`https://localhost:${served.port}${path}`);
  await watched.page.getByRole('heading', { name: 'Who is asking?' }).waitFor();
  await watched.page.getByRole('textbox', { name: 'Token' }).fill(await tokenOf(name));
  await watched.page.getByRole('button', { name: 'Use it' }).click();
  await watched.page.getByRole('heading', { name: 'Who is asking?' }).waitFor({ state: 'detached' });
  await watched.settled();
  return watched;
}

test('who may see everything asks and is answered; every view shows what the operator recorded', { skip }, async () => {
  await using watched = await signedIn('auditor', '/?ip=10.1.0.3');
  const { page } = watched;
  assert.match(await page.locator('.headline').innerText(), /vault\/gold on node node-1/);
  for (const path of VIEWS) {
    await watched.goto(`https://localhost:${served.port}${path}`);
    assert.ok((await page.locator('main').innerText()).trim() !== '', path);
    assert.equal(await page.getByRole('alert').count(), 0, `${path}: ${await page.locator('main').innerText()}`);
  }
  assert.deepEqual(watched.foreign, []);
});

test('who sees one namespace sees nothing of another in any view, and the page says so', { skip }, async () => {
  await using watched = await signedIn('robot', '/?ip=10.1.0.1');
  const { page } = watched;
  assert.match(await page.locator('.headline').innerText(), /shop\/cart/);
  assert.match(await page.locator('.answer').innerText(), /You see some namespaces only/);
  const answers: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/v1/') && !response.url().endsWith('/live'))
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      );
  });
  for (const path of [...VIEWS, '/?ip=10.1.0.3', '/?q=gold', '/trail?by=ip', '/trail?node=node-1&by=pod']) {
    await watched.goto(`https://localhost:${served.port}${path}`);
    assert.doesNotMatch((await page.locator('main').innerText()).replaceAll('“gold”', ''), /gold|vault/, path);
  }
  assert.ok(answers.length > 5, `${answers.length} answers were read`);
  assert.doesNotMatch(answers.join('\n').replaceAll('"text":"gold"', ''), /gold|vault/);
});

test('who may see nothing is shown that, and no error', { skip }, async () => {
  await using watched = await signedIn('nobody', '/?ip=10.1.0.1');
  const { page } = watched;
  assert.match(await page.locator('.answer').innerText(), /unknown[\s\S]*namespace that you may not see/);
  assert.doesNotMatch(await page.locator('main').innerText(), /cart|gold/);
});

test('a token that is none is refused, and another can be used', { skip }, async () => {
  await using watched = await browser.open({ trustsAnyCertificate: true });
  const { page } = watched;
  await watched.goto(`https://localhost:${served.port}/?ip=10.1.0.1`);
  await page.getByRole('textbox', { name: 'Token' }).fill('not-a-token');
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.getByRole('heading', { name: 'This token was not taken' }).waitFor();
  await page.getByRole('textbox', { name: 'Token' }).fill(await tokenOf('robot'));
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.locator('.headline').waitFor();
});
