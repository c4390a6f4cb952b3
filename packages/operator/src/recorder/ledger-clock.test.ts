import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LedgerClock } from './ledger-clock.ts';

const START = Date.UTC(2026, 10, 16, 3);
const HOUR = 3_600_000;

/** The machine's clock and the server's, which can be set, over a monotonic one that cannot. */
class TwoClocks {
  #monotonic = 5_000;
  wallAhead = 0;
  serverAhead = 0;
  readonly ledger: LedgerClock;

  constructor({ wallAhead = 0, notBefore = 0 } = {}) {
    this.wallAhead = wallAhead;
    this.ledger = new LedgerClock(this, notBefore);
  }

  now = () => START + this.#monotonic + this.wallAhead;
  monotonic = () => this.#monotonic;
  setTimer = () => ({ cancel: () => {} });

  get truth(): number {
    return START + this.#monotonic;
  }

  pass(ms: number): void {
    this.#monotonic += ms;
  }

  /** A question and its answer, 20 ms later. */
  ask(): void {
    const sentAt = this.#monotonic;
    this.pass(10);
    const date = Math.floor((this.truth + this.serverAhead) / 1000) * 1000;
    this.pass(10);
    this.ledger.sample({ date, sentAt, receivedAt: this.#monotonic });
  }

  /** As the recorder does: every two seconds a question, and stamps in between. */
  run(ms: number): void {
    for (const end = this.#monotonic + ms; this.#monotonic < end; ) {
      this.ask();
      this.ledger.certain();
      this.pass(1980);
    }
  }

  get stepSince(): number | undefined {
    return this.ledger.step?.since;
  }

  /** How far what is stamped is from the truth. */
  get error(): number {
    return (this.ledger.certain() ?? Number.NaN) - this.truth;
  }
}

describe('the time of the ledger', () => {
  test('is not known before the server has said it, and is the machine’s where both agree', () => {
    const clocks = new TwoClocks({ wallAhead: 400 });
    assert.equal(clocks.ledger.certain(), undefined);
    assert.match(clocks.ledger.doubt ?? '', /has not said what time it is/);
    clocks.ask();
    assert.equal(clocks.error, 400);
    assert.deepEqual([clocks.ledger.doubt, clocks.ledger.warning], [undefined, undefined]);
  });

  test('fault 21: is the server’s on a machine whose clock is wrong, and the more exact the longer it runs', () => {
    for (const wallAhead of [HOUR, -HOUR, 365 * 24 * HOUR]) {
      const clocks = new TwoClocks({ wallAhead });
      clocks.ask();
      assert.ok(Math.abs(clocks.error) <= 1_000, `${clocks.error}`);
      for (let i = 0; i < 60; i++) {
        clocks.ask();
        clocks.pass(1_937);
      }
      assert.ok(Math.abs(clocks.error) <= 150, `${clocks.error}`);
      const side = wallAhead > 0 ? 'ahead of' : 'behind';
      assert.match(clocks.ledger.warning ?? '', new RegExp(`\\d+ s ${side} the API server's, whose time is recorded`));
    }
  });

  test('fault 21: nothing is stamped after a jump of the machine’s clock until the server has answered, and nothing is lost by it', () => {
    const clocks = new TwoClocks();
    clocks.run(20_000);
    clocks.wallAhead = HOUR;
    assert.equal(clocks.ledger.certain(), undefined);
    assert.match(clocks.ledger.doubt ?? '', /has jumped by 3600 s/);
    clocks.ask();
    assert.equal(clocks.ledger.step, undefined, 'the monotonic clock and the server agree');
    assert.ok(Math.abs(clocks.error) <= 1_000, `${clocks.error}`);
    clocks.run(100_000);
    clocks.wallAhead = 0;
    clocks.run(10_000);
    assert.equal(clocks.ledger.step, undefined);
    assert.ok(Math.abs(clocks.error) <= 1_000, `${clocks.error}`);
  });

  test('an answer to a question of before the jump proves nothing', () => {
    const clocks = new TwoClocks();
    clocks.run(4_000);
    const sentAt = clocks.monotonic();
    clocks.pass(10);
    clocks.wallAhead = HOUR;
    clocks.ledger.certain();
    clocks.ledger.sample({ date: clocks.truth, sentAt, receivedAt: clocks.monotonic() });
    assert.equal(clocks.ledger.certain(), undefined);
  });

  test('fault 21: both clocks ahead, as on one machine, is a step: what was not watched is left out, and taken back when they are set back', () => {
    const clocks = new TwoClocks();
    clocks.run(20_000);
    const before = clocks.ledger.certain();
    clocks.wallAhead = clocks.serverAhead = HOUR;
    clocks.ledger.certain();
    clocks.ask();
    assert.deepEqual(clocks.ledger.step, { since: before, isAgreed: true, isBack: false });
    assert.ok(clocks.ledger.corrected() >= clocks.truth + HOUR - 1000);
    clocks.run(100_000);
    clocks.wallAhead = clocks.serverAhead = 0;
    clocks.ledger.certain();
    clocks.ask();
    assert.deepEqual(clocks.ledger.step, { since: before, isAgreed: true, isBack: true }, 'all of that hour');
    clocks.ledger.corrected();
    assert.equal(clocks.error, 0);
  });

  test('a server whose clock was ahead since the start, on the recorder’s machine, leaves nothing of what was written', () => {
    const clocks = new TwoClocks();
    clocks.wallAhead = clocks.serverAhead = HOUR;
    clocks.ask();
    const first = clocks.ledger.certain();
    clocks.run(2 * HOUR);
    clocks.wallAhead = clocks.serverAhead = 0;
    clocks.ledger.certain();
    clocks.ask();
    assert.deepEqual(clocks.ledger.step?.since, first);
  });

  test('a server whose clock is set while the machine’s is right: since both last agreed', () => {
    const clocks = new TwoClocks();
    clocks.run(20_000);
    const agreed = clocks.ledger.certain();
    clocks.serverAhead = HOUR;
    clocks.run(4_000);
    assert.equal(clocks.stepSince, undefined, 'one of several servers may be wrong');
    clocks.run(4_000);
    assert.ok((clocks.stepSince ?? 0) >= (agreed ?? 0));
    clocks.ledger.corrected();
    clocks.run(20_000);
    clocks.serverAhead = 0;
    clocks.ask();
    const since = clocks.stepSince;
    assert.ok(since !== undefined && since < clocks.truth && since >= (agreed ?? 0), `${since}`);
  });

  test('a correction by seconds takes back only the time that comes twice', () => {
    const clocks = new TwoClocks();
    clocks.wallAhead = clocks.serverAhead = 10_000;
    clocks.run(HOUR);
    const last = clocks.ledger.certain() ?? 0;
    clocks.wallAhead = clocks.serverAhead = 0;
    clocks.ledger.certain();
    clocks.ask();
    const since = clocks.stepSince;
    assert.ok(since !== undefined && since > last - 25_000, `${since} ${last}`);
  });

  test('a machine that slept knows by the server that time has passed', () => {
    const clocks = new TwoClocks();
    clocks.run(10_000);
    const before = clocks.ledger.certain();
    // The monotonic clock stands still while a machine sleeps.
    clocks.wallAhead = clocks.serverAhead = HOUR;
    assert.equal(clocks.ledger.certain(), undefined);
    clocks.ask();
    assert.equal(clocks.ledger.step?.since, before);
  });

  test('one of several API servers that is wrong now and then changes nothing', () => {
    const clocks = new TwoClocks();
    clocks.run(10_000);
    for (let i = 0; i < 20; i++) {
      clocks.serverAhead = i % 3 === 0 ? 30_000 : 0;
      clocks.ask();
      clocks.pass(1_000);
      assert.equal(clocks.error, 0);
    }
  });

  test('a store that was written by a clock ahead is a step of which it is not known since when', () => {
    const clocks = new TwoClocks({ notBefore: START + HOUR });
    clocks.ask();
    assert.deepEqual(clocks.ledger.step, { since: undefined, isAgreed: true, isBack: true });
    const wrong = new TwoClocks({ notBefore: START + HOUR, wallAhead: HOUR });
    wrong.ask();
    assert.deepEqual(wrong.ledger.step, { since: undefined, isAgreed: false, isBack: true });
  });

  test('a server that does not report its time leaves the machine’s own clock, unless objects are created later than it', () => {
    const clocks = new TwoClocks({ wallAhead: -60_000 });
    for (let i = 0; i < 3; i++) clocks.ledger.sample({ date: undefined, sentAt: 0, receivedAt: 0 });
    assert.equal(clocks.ledger.certain(), clocks.now());
    assert.equal(clocks.ledger.doubt, undefined);
    clocks.ledger.created(clocks.truth);
    assert.match(clocks.ledger.doubt ?? '', /created 60 s after/);
  });
});
