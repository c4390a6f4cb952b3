// Named checks, asked together: what /healthz, /livez and /readyz answer from. A check that throws or hangs counts as
// failed and never disturbs the others.
import { type Clock, systemClock } from '../clock.ts';
import { within } from '../within.ts';

export type CheckResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type HealthCheck = () => CheckResult | Promise<CheckResult>;

export interface HealthReport {
  /** All checks are ok. */
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason: string | undefined }[];
}

/** A probe of the kubelet waits one second by default; an answer must be there before. */
const CHECK_TIMEOUT_MS = 900;

export class HealthChecks {
  readonly #clock: Clock;
  readonly #checks = new Map<string, HealthCheck>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Replaces a check of the same name. */
  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  async report(): Promise<HealthReport> {
    const checks = await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        const result = await this.#ask(check);
        return { name, ok: result.ok, reason: result.ok ? undefined : result.reason };
      }),
    );
    return { ok: checks.every((check) => check.ok), checks };
  }

  async #ask(check: HealthCheck): Promise<CheckResult> {
    try {
      return await within(this.#clock, CHECK_TIMEOUT_MS, undefined, async () => check());
    } catch (error) {
      return { ok: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** One line per check, as kube-apiserver's verbose health output. */
export function formatHealth(report: HealthReport): string {
  const lines = report.checks.map((check) =>
    check.ok ? `[+]${check.name} ok` : `[-]${check.name} failed: ${check.reason ?? ''}`,
  );
  return [...lines, report.ok ? 'check passed' : 'check failed', ''].join('\n');
}
