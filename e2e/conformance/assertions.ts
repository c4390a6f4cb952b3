// The assertions of one case. A failed one is noted and the case goes on, so that one run shows every difference; each
// call counts as one assertion, whatever it compares.
import assert from 'node:assert/strict';
import type { Answer } from './raw-client.ts';

export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
  readonly details?: unknown;
}

export class Assertions {
  count = 0;
  readonly failures: string[] = [];

  ok(value: unknown, what: string): void {
    this.#note(what, () => assert.ok(value));
  }

  equal(actual: unknown, expected: unknown, what: string): void {
    this.#note(what, () => assert.equal(actual, expected));
  }

  notEqual(actual: unknown, expected: unknown, what: string): void {
    this.#note(what, () => assert.notEqual(actual, expected));
  }

  deepEqual(actual: unknown, expected: unknown, what: string): void {
    this.#note(what, () => assert.deepEqual(actual, expected));
  }

  match(actual: unknown, expected: RegExp, what: string): void {
    this.#note(what, () => assert.match(String(actual), expected));
  }

  /** A Status of kind Failure: HTTP code and code, reason, message and details, where they are named. */
  refused(answer: Pick<Answer, 'status' | 'json' | 'text'>, refusal: Refusal, what: string): void {
    this.equal(answer.status, refusal.code, `${what}: HTTP status`);
    const { kind, apiVersion, metadata, status, code } = answer.json ?? {};
    const envelope = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: refusal.code };
    this.deepEqual({ kind, apiVersion, metadata, status, code }, envelope, `${what}: a Status`);
    if (refusal.reason !== undefined) this.equal(answer.json?.reason, refusal.reason, `${what}: reason`);
    if (typeof refusal.message === 'string') this.equal(answer.json?.message, refusal.message, `${what}: message`);
    else if (refusal.message) this.match(answer.json?.message, refusal.message, `${what}: message`);
    if ('details' in refusal) this.deepEqual(answer.json?.details, refusal.details, `${what}: details`);
  }

  #note(what: string, compare: () => void): void {
    this.count += 1;
    try {
      compare();
    } catch (error) {
      const { actual, expected, operator } = error as assert.AssertionError;
      const shown = (value: unknown) => {
        const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? 'undefined');
        return text.length > 600 ? `${text.slice(0, 600)}…` : text;
      };
      this.failures.push(`${what}: ${shown(actual)}, and ${shown(expected)} was expected (${operator})`);
    }
  }
}
