// What came of a request, by the answer that the log has of it: the code, the reason, what authorization decided.
import { actOf } from './act.ts';
import { type AuditEvent, type AuditStatus, text } from './audit-event.ts';
import type { Outcome, RefusalStage, Refuser } from './audited-action.ts';
import { hintFor } from './hint.ts';
import { admissionRefuser } from './refuser.ts';

const UNFINISHED =
  'the log has no answer: the API server ended, the log was cut, or the request was still running; look for the object.';
const PANICKED = 'the API server panicked while it handled the request: look for "panic" in its own log.';
const FAILED =
  'the API server or etcd failed: look at their logs around that time; it may have been done all the same.';
const NOT_REACHED = 'the API server did not reach the kubelet of the node: look at the node and at its network.';
const TIMED_OUT = 'the answer took too long: it may have been done all the same; look for the object.';

export function outcomeOf(event: AuditEvent, dryRun: boolean): Outcome {
  const { stage, status } = event;
  if (stage === 'Panic') {
    return { kind: 'failed', code: status?.code, message: status?.message ?? '', hint: PANICKED };
  }
  const code = status?.code;
  if (status === undefined || code === undefined) {
    if (status?.isFailure === true) return { kind: 'failed', code, message: status.message, hint: FAILED };
    return { kind: 'unfinished', hint: UNFINISHED };
  }
  if (code < 400) return { kind: dryRun ? 'dry-run' : 'allowed', code };
  const { message } = status;
  const stageAndRefuser = refusalOf(event, status, code);
  if (stageAndRefuser === undefined) return { kind: 'failed', code, message, hint: failureHint(code, message) };
  const { stage: refusedAt, by } = stageAndRefuser;
  return { kind: 'refused', code, stage: refusedAt, by, message, hint: hintFor(event, code, refusedAt, by) };
}

interface Refusal {
  readonly stage: RefusalStage;
  readonly by: Refuser | undefined;
}

/** Undefined where it may have been done. */
function refusalOf(event: AuditEvent, status: AuditStatus, code: number): Refusal | undefined {
  const decision = text(event.annotations['authorization.k8s.io/decision']);
  // Before authorization nothing is admitted.
  const by = decision === 'forbid' ? undefined : admissionRefuser(status.message, decision === 'allow' && code === 403);
  if (by !== undefined) return { stage: 'admission', by };
  const at = (stage: RefusalStage): Refusal => ({ stage, by: undefined });
  switch (code) {
    case 401:
      return at('authentication');
    case 403:
      return at(forbiddenBy(decision, status.message));
    case 404:
      return at('not-found');
    case 409:
      return at('conflict');
    case 410:
      return at('gone');
    case 422:
      return at('validation');
    case 429:
      return actOf(event) === 'evict' && status.message !== ''
        ? { stage: 'disruption-budget', by: budgetOf(status) }
        : at('throttling');
    case 400:
    case 405:
    case 406:
    case 413:
    case 414:
    case 415:
      return at('request');
    default:
      return code < 500 && code !== 408 ? at('other') : undefined;
  }
}

const CANNOT = / cannot \S+ resource "/;

function forbiddenBy(decision: string, message: string): RefusalStage {
  if (decision === 'forbid') return 'authorization';
  if (decision === 'allow') return 'admission';
  // Impersonation is authorized before the request is, and leaves no annotation.
  return CANNOT.test(message) ? 'authorization' : 'forbidden';
}

function budgetOf({ causes }: AuditStatus): Refuser | undefined {
  const cause = causes.find(({ reason }) => reason === 'DisruptionBudget');
  const name = /^The disruption budget (\S{1,300}) /.exec(cause?.message ?? '')?.[1];
  return name === undefined ? undefined : { kind: 'disruption-budget', name };
}

function failureHint(code: number, message: string): string {
  if (message.startsWith('error dialing backend')) return NOT_REACHED;
  return code === 504 || code === 408 ? TIMED_OUT : FAILED;
}
