// Ask, the home of the page, in a real browser: a line of a log is pasted, and the pod is named. `npm run e2e -- web/ask`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { WhoDocument } from '@podtrail/history/wire';
import type { Page } from 'playwright-core';
import { SKIP } from './browser.ts';
import { useDemo } from './demo-stage.ts';
import type { WatchedPage } from './watched-page.ts';

/** What a paste event of a person brings: the clipboard of a headless browser is not everywhere to be had. */
const PASTE = `(text) => {
  const box = document.getElementById('question');
  box.focus();
  const clipboardData = new DataTransfer();
  clipboardData.setData('text', text);
  box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

/** An address that changed hands, and when the demo says that somebody had it. */
let [ip, at] = ['', ''];
const stage = useDemo(({ printed }) => {
  [, ip = '', at = ''] = /who (\S+) --at (\S+)/.exec(printed) ?? [];
});

async function openAsk(query = ''): Promise<WatchedPage> {
  return await stage.open(`/${query}`, { zone: 'UTC' });
}

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`(${PASTE})(${JSON.stringify(text)})`);
}

async function headline(watched: WatchedPage): Promise<string> {
  const shown = watched.page.locator('.headline');
  await shown.waitFor();
  await watched.settled();
  const text = await shown.innerText();
  return text.replaceAll(/\s+/g, ' ');
}

function nothingWrong({ problems, foreign }: WatchedPage): void {
  assert.deepEqual({ problems, foreign }, { problems: [], foreign: [] });
}

test('a record of a flow log is pasted, and the pod is named; of the record only address and time leave the browser', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
  const seconds = Date.parse(at) / 1000;
  await paste(
    page,
    `2 123456789010 eni-secret ${ip} 10.9.8.7 49152 443 6 20 4249 ${seconds} ${seconds + 60} ACCEPT OK`,
  );
  const { holders } = await stage.demo.ask<WhoDocument>(`/api/v1/who?ip=${ip}&at=${at}`);
  const holder = holders[0];
  assert.ok(holder !== undefined, 'the demo prints an address that somebody had');
  assert.match(await headline(watched), new RegExp(`${ip} was held by pod ${holder.namespace}/${holder.name} on node`));
  assert.equal(new URL(page.url()).search, `?at=${new Date(at).toISOString()}&ip=${ip}`);
  assert.ok(asked.length > 0 && asked.every((request) => !/eni-secret|4249/.test(request)), asked.join('\n'));
  // Both ends are there to choose from, each with its answer.
  const source = page.getByRole('button', { name: new RegExp(`source ${ip}.*held ${holder.name}`) });
  assert.equal(await source.getAttribute('aria-pressed'), 'true');
  await page.getByRole('button', { name: /destination 10\.9\.8\.7/ }).click();
  assert.match(await headline(watched), /10\.9\.8\.7/);
  await page.goBack();
  assert.match(await headline(watched), new RegExp(holder.name));
  nothingWrong(watched);
});

test('the link that is copied shows the same to somebody in another zone, and the command asks the same', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk(`?ip=${ip}`);
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const [command, link] = [page.locator('.actions button').nth(0), page.locator('.actions button').nth(1)];
  const copied = async (button: typeof link) => {
    await button.click();
    await button.filter({ hasText: 'Copied' }).waitFor();
    return await page.evaluate<string>('navigator.clipboard.readText()');
  };
  const ofNow = new URL(await copied(link));
  assert.match(ofNow.searchParams.get('at') ?? '', /^\d{4}-.*Z$/, 'absolute, though it was asked about now');
  // Of an instant that is over: what is said of now changes.
  await watched.goto(`${stage.demo.origin}/?ip=${ip}&at=${at}`);
  const url = await copied(link);
  assert.equal(await copied(command), `podtrail who ${ip} --at ${new Date(at).toISOString()}`);
  const here = await headline(watched);
  await using elsewhere = await stage.browser.open({ cookie: await stage.demo.cookie(), zone: 'Asia/Kolkata' });
  await elsewhere.goto(url);
  const there = await headline(elsewhere);
  assert.match(there, /\+05:30/);
  assert.equal(there.split(' at ')[0], here.split(' at ')[0]);
  nothingWrong(elsewhere);
});

test('every answer is said in a word, and unknown says why', { skip: SKIP }, async () => {
  const cases: readonly (readonly [string, RegExp, RegExp])[] = [
    ['?ip=10.244.0.2&at=2020-01-01T00:00:00Z', /unknown/, /Nobody was watching yet/],
    [`?ip=203.0.113.9&at=${at}`, /outside the cluster/, /is outside the cluster/],
    [`?ip=${ip}&at=${at}`, /held/, /was held by/],
    ['?ip=10.244.0.2&at=2099-01-01T00:00:00Z', /unknown/, /has not come/],
  ];
  for (const [query, badge, said] of cases) {
    await using watched = await openAsk(query);
    assert.match(await watched.page.locator('.answer .badge').first().innerText(), badge, query);
    assert.match(await watched.page.locator('.answer').innerText(), said, query);
    nothingWrong(watched);
  }
});

test('a time without a date is dated in sight; an address of the outside is not called free', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  const timeOfDay = new Date(at).toISOString().slice(11, 19);
  await paste(page, `who had ${ip} at ${timeOfDay}?`);
  await headline(watched);
  const asked = new URL(page.url()).searchParams.get('at') ?? '';
  assert.equal(asked.slice(11, 19), timeOfDay);
  assert.ok(Date.now() - Date.parse(asked) < 25 * 3_600_000, `the last such time, not ${asked}`);
  await page.getByText('The time in this text has no date').waitFor();
  await page.getByRole('button', { name: asked.slice(0, 19).replace('T', ' ') }).waitFor();
  await using other = await openAsk();
  await paste(other.page, `{"time":"${at}","src":"${ip}","dst":"8.8.8.8"}`);
  await other.page.getByRole('button', { name: /destination 8\.8\.8\.8.*outside the cluster/ }).click();
  assert.match(await headline(other), /8\.8\.8\.8 is outside the cluster/);
  assert.equal(await other.page.getByText('has no date').count(), 0);
  nothingWrong(watched);
  nothingWrong(other);
});

test('of a line with no time that is understood the page says that it is about now', { skip: SKIP }, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  const note = page.getByText('No time is found in this text');
  await paste(page, ip);
  await headline(watched);
  assert.equal(await note.count(), 0, 'an address alone is asked about now');
  await page.getByLabel('Which pod was it?').fill('');
  await paste(page, `[INFO] ${ip}:43211 - 7 "A IN shop. udp 55 false 512" NOERROR qr,aa,rd 106 0.000123s`);
  await note.waitFor();
  nothingWrong(watched);
});

test('a time that only the reader can tell is asked for: of two to choose from, or under When', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  await page.locator('#question:focus').waitFor();
  const [first = '', second = ''] = [Date.parse(at), Date.parse(at) - 3_600_000].map((ms) =>
    new Date(ms).toISOString(),
  );
  await paste(page, `seen ${second} and ${first} on ${ip} of the shop`);
  await page.getByText('The time in this text is not clear').waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('alert').getByText('The time in this text is not clear').waitFor();
  assert.equal(new URL(page.url()).search, '', 'nothing was asked');
  await page.getByRole('button', { name: first.slice(0, 19).replace('T', ' ') }).click();
  assert.match(await headline(watched), new RegExp(`${ip} was held by`));
  assert.equal(new URL(page.url()).searchParams.get('at'), first);
  // What is left over beside a time may be another day.
  await page.getByLabel('When').fill('10:05 on Monday');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('is not wholly understood').waitFor();
  nothingWrong(watched);
});

test('When takes a time of day alone and the times of logs; a date alone is no instant there, either', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk(`?ip=${ip}&at=${at}`);
  const { page } = watched;
  await headline(watched);
  const when = page.getByLabel('When');
  await when.fill(at.slice(0, 10));
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(`${at.slice(0, 10)} is a whole day`)
    .waitFor();
  for (const [written, asked] of [
    ['15/Nov/2026:10:05:00 +0000', '2026-11-15T10:05:00.000Z'],
    ['2026-11-15 10:05:00,123', '2026-11-15T10:05:00.123Z'],
    [at.slice(11, 16), `T${at.slice(11, 16)}:00.000Z`],
  ] as const) {
    await when.fill(written);
    await page.keyboard.press('Enter');
    await page.waitForURL(({ searchParams }) => searchParams.get('at')?.endsWith(asked) === true);
  }
  await headline(watched);
  nothingWrong(watched);
});

test('what is typed while a question is being asked stays', { skip: SKIP }, async () => {
  await using watched = await openAsk(`?ip=${ip}&at=${at}`);
  const { page } = watched;
  await headline(watched);
  const left = await page.getByLabel('When').evaluate(async (field: HTMLInputElement) => {
    const type = (text: string) => {
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    };
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    type('2026-11-15 10:05:00');
    await drawn();
    field.form?.requestSubmit();
    await new Promise((resolve) => setTimeout(resolve));
    type('11:11');
    for (let frames = 0; frames < 10; frames++) await drawn();
    return field.value;
  });
  assert.equal(new URL(page.url()).searchParams.get('at'), '2026-11-15T10:05:00.000Z');
  assert.equal(left, '11:11');
  nothingWrong(watched);
});

test('a name that is asked about with a time leads to the trail around that time', { skip: SKIP }, async () => {
  await using watched = await openAsk(`?at=${at}&q=node-01`);
  const { page } = watched;
  assert.equal(await page.getByLabel('When').inputValue(), at.slice(0, 19).replace('T', ' '));
  await page.getByLabel('When').fill('2026-01-01 10:00:00');
  await page.keyboard.press('Enter');
  await page.waitForURL(({ searchParams }) => searchParams.get('at') === '2026-01-01T10:00:00.000Z');
  await page.locator('.matches a').first().click();
  await page.getByRole('heading', { name: 'Trail' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('until'), '2026-01-01T11:00:00.000Z');
  nothingWrong(watched);
});

test('a date without a time of day is not taken for now: the time is asked for, or Trail shows the day', {
  skip: SKIP,
}, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  const [day = '', clock = ''] = new Date(at).toISOString().slice(0, 19).split('T');
  await paste(page, `who had ${ip} on ${day}?`);
  await page.getByText('This text has a date and no time of day').waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('alert').getByText(`${day} is a whole day`).waitFor();
  assert.equal(new URL(page.url()).search, '', 'nothing was asked');
  await page.getByLabel('When').fill(clock);
  await page.keyboard.press('Enter');
  await headline(watched);
  assert.equal(new URL(page.url()).search, `?at=${new Date(at).toISOString()}&ip=${ip}`);
  await page.getByRole('link', { name: `who had ${ip} on ${day}` }).click();
  await page.getByRole('heading', { name: 'Trail' }).waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    ['subject', 'since'].map((name) => searchParams.get(name)),
    [ip, `${day}T00:00:00.000Z`],
  );
  nothingWrong(watched);
});

test('without a mouse: slash, an address, a time, Enter, and a link of the answer by Tab', { skip: SKIP }, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  await watched.goto(`${stage.demo.origin}/health`);
  await page.keyboard.press('/');
  await page.locator('#question:focus').waitFor();
  await page.keyboard.type(ip);
  await page.keyboard.press('Tab');
  await page.keyboard.type(at.replace('T', ' ').replace('Z', ''));
  await page.keyboard.press('Enter');
  const said = await headline(watched);
  assert.match(said, new RegExp(`${ip} was held by`));
  const isOnAnswer = `document.activeElement?.closest('.answer') !== null && document.activeElement?.tagName === 'A'`;
  for (let i = 0; i < 20 && !(await page.evaluate<boolean>(isOnAnswer)); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('main h1', { hasText: 'Trail' }).waitFor({ state: 'attached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  nothingWrong(watched);
});

test('a name leads to what is called so; a hostile one is text', { skip: SKIP }, async () => {
  const pod = /trail (\S+) -n (\S+)/.exec(stage.demo.printed)?.[1] ?? '';
  await using watched = await openAsk(`?q=${pod}`);
  await watched.page
    .getByRole('link', { name: new RegExp(`/${pod}$`) })
    .first()
    .waitFor();
  const hostile = '<img src=x onerror=alert(1)>';
  await watched.goto(`${stage.demo.origin}/?q=${encodeURIComponent(hostile)}`);
  assert.match(await watched.page.locator('#matches').innerText(), /<img src=x onerror=alert\(1\)>/);
  assert.equal(await watched.page.locator('main img').count(), 0);
  nothingWrong(watched);
});

test('a time or an address that is none is refused with what to write', { skip: SKIP }, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  await page.locator('#question').fill(ip);
  await page.locator('#when').fill('yesterday');
  await page.keyboard.press('Enter');
  assert.match(await page.getByRole('alert').innerText(), /six hours ago/);
  await watched.goto(`${stage.demo.origin}/?ip=10.1`);
  assert.match(await page.getByRole('alert').innerText(), /not an IP address[\s\S]*four numbers/);
});

test('an answer is saved as CSV and as a picture', { skip: SKIP }, async () => {
  await using watched = await openAsk(`?ip=${ip}&at=${at}`);
  const { page } = watched;
  const saved = async (button: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    return await readFile(await download.path());
  };
  const csv = (await saved('CSV')).toString();
  const [header = '', row = ''] = csv.split('\r\n');
  assert.match(header, /^ip,at,answer,/);
  assert.match(row, new RegExp(`^${ip},.*,held,`));
  const picture = await saved('PNG');
  assert.deepEqual([...picture.subarray(1, 4)], [...Buffer.from('PNG')]);
  // An empty picture of that size would be a few kilobytes.
  assert.ok(picture.length > 10_000, `${picture.length} bytes`);
  nothingWrong(watched);
});

test('the last questions are there when somebody comes back, until they are forgotten', { skip: SKIP }, async () => {
  await using watched = await openAsk();
  const { page } = watched;
  await page.locator('#question').fill(ip);
  await page.keyboard.press('Enter');
  await headline(watched);
  await watched.goto(`${stage.demo.origin}/`);
  await page.getByRole('link', { name: ip }).waitFor();
  await page.getByRole('button', { name: 'Forget them' }).click();
  await watched.reload();
  assert.equal(await page.getByRole('link', { name: ip }).count(), 0);
});
